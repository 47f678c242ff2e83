//! The lexical index of memories: BM25 over the memories of one query.

use crate::content::memory::Memory;
use crate::text::terms::{self, QueryTerm};
use std::collections::{HashMap, HashSet};

/// BM25's saturation of term frequency, and its normalisation by document length.
const K1: f32 = 1.2;
const B: f32 = 0.75;

/// The term counts of memories.
pub(crate) struct LexicalIndex {
    counts: Vec<HashMap<String, usize>>,
    lengths: Vec<usize>,
    document_frequencies: HashMap<String, usize>,
}

impl LexicalIndex {
    /// Indexes the lexical texts of memories.
    pub(crate) fn new(memories: &[Memory]) -> Self {
        let mut index = Self {
            counts: Vec::new(),
            lengths: Vec::new(),
            document_frequencies: HashMap::new(),
        };
        for memory in memories {
            index.add(terms::document_terms(&memory.lexical_text()));
        }
        index
    }

    fn add(&mut self, terms: Vec<String>) {
        self.lengths.push(terms.len());
        let mut counts: HashMap<String, usize> = HashMap::new();
        for term in terms {
            *counts.entry(term).or_default() += 1;
        }
        for term in counts.keys() {
            *self.document_frequencies.entry(term.clone()).or_default() += 1;
        }
        self.counts.push(counts);
    }

    /// Returns BM25's inverse document frequency, which is above 0; of a term with several variants
    /// that of the most common one.
    fn idf(&self, term: &QueryTerm) -> f32 {
        let stems = term.variants.iter().flatten();
        let frequencies = stems.filter_map(|stem| self.document_frequencies.get(stem));
        let frequency = frequencies.max().map_or(0, |count| *count as u64);
        session_core::idf(self.counts.len() as u64, frequency)
    }

    /// Prepares the scores of all memories for a query.
    pub(crate) fn scorer<'a>(&'a self, query: &'a [QueryTerm]) -> LexicalScorer<'a> {
        let idfs: Vec<f32> = query.iter().map(|term| self.idf(term)).collect();
        LexicalScorer {
            index: self,
            query,
            total_idf: idfs.iter().sum(),
            idfs,
            mean_length: self.mean_length(),
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "words of memories")]
    fn mean_length(&self) -> f32 {
        self.lengths.iter().sum::<usize>() as f32 / self.lengths.len().max(1) as f32
    }

    /// Returns the query terms of which a memory holds more than half of a variant.
    pub(crate) fn common_terms(&self, query: &[QueryTerm], memory: usize) -> Vec<String> {
        let has = |stem: &&String| self.counts[memory].contains_key(*stem);
        let is_held =
            |variant: &Vec<String>| 2 * variant.iter().filter(has).count() > variant.len();
        let held = query
            .iter()
            .filter(|term| term.variants.iter().any(is_held));
        held.map(|term| term.text.clone()).collect()
    }
}

/// BM25 of one query, with all that is the same for every memory.
pub(crate) struct LexicalScorer<'a> {
    index: &'a LexicalIndex,
    query: &'a [QueryTerm],
    idfs: Vec<f32>,
    total_idf: f32,
    mean_length: f32,
}

impl LexicalScorer<'_> {
    /// Returns the idf-weighted mean of the terms' saturated frequencies in a memory, 0 to 1.
    pub(crate) fn score(&self, memory: usize) -> f32 {
        if self.total_idf <= 0.0 {
            return 0.0;
        }
        let terms = self.query.iter().zip(&self.idfs);
        let weighted = terms.map(|(term, idf)| idf * self.term_weight(term, memory));
        weighted.sum::<f32>() / self.total_idf
    }

    /// Returns the mean saturated frequency of a term's best variant in a memory, 0 to 1.
    fn term_weight(&self, term: &QueryTerm, memory: usize) -> f32 {
        let weights = term.variants.iter().map(|variant| {
            let frequencies = variant.iter().map(|stem| self.saturated(stem, memory));
            frequencies.sum::<f32>()
                / f32::from(u16::try_from(variant.len().max(1)).unwrap_or(u16::MAX))
        });
        weights.fold(0.0, f32::max)
    }

    /// Returns BM25's saturated frequency of a stem in a memory, at most 1.
    #[expect(clippy::cast_precision_loss, reason = "words of a memory")]
    fn saturated(&self, stem: &str, memory: usize) -> f32 {
        let length = self.index.lengths[memory] as f32 / self.mean_length.max(1.0);
        let count = self.index.counts[memory].get(stem).copied().unwrap_or(0) as f32;
        (count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * length))).min(1.0)
    }
}

/// Returns the Jaccard index of the terms of two texts, 0 to 1.
pub(crate) fn word_jaccard(a: &str, b: &str) -> f32 {
    let set = |text: &str| {
        let terms = terms::query_terms(text).into_iter().map(|term| term.text);
        terms.collect::<HashSet<String>>()
    };
    let (a, b) = (set(a), set(b));
    ratio(a.intersection(&b).count(), a.union(&b).count())
}

/// Returns `part / whole`, or 0 where the whole is 0.
pub(crate) fn ratio(part: usize, whole: usize) -> f32 {
    #[expect(clippy::cast_precision_loss, reason = "words of a text")]
    match whole {
        0 => 0.0,
        whole => part as f32 / whole as f32,
    }
}
