//! The statistics of each term of a query.

use crate::id::TurnId;
use serde::Serialize;

/// A term of the query with its document frequency, idf and postings.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TermStats {
    /// As typed.
    pub term: String,
    /// Turns that hold it; where none does, those that hold a variant.
    pub turns: u64,
    /// Inverse document frequency, as BM25 has it, never negative.
    pub idf: f32,
    /// Numbers of the turns that hold it as typed, or what counts as that (another spelling of a version, a path's end, the
    /// hash that it begins, the same error), in order.
    #[serde(skip)]
    pub(super) postings: Vec<u32>,
    #[serde(skip)]
    pub(super) variants: TermVariants,
    /// The factor of the idf, where it is words of the query in a row.
    #[serde(skip)]
    pub(super) run_weight: Option<f32>,
}

/// The other forms of a term, and its completions where it is still being typed.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct TermVariants {
    /// Its other forms, and the term with each completion in the place of its last word.
    pub(super) texts: Vec<String>,
    /// Numbers of the turns that hold one and not the term as typed, in order.
    pub(super) postings: Vec<u32>,
    /// For each of these turns the share of the idf that it matches; all of it where there are none.
    pub(super) shares: Vec<f32>,
    /// The idf that a turn matches which holds all that is searched.
    pub(super) idf: f32,
    /// Their kind, where they stand for a term that no turn holds.
    pub(super) substitute: Option<SubstituteKind>,
}

/// The kind of texts that are searched in the place of a term that no turn holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubstituteKind {
    /// Forms of the word, were it of a language of which nothing else in the query is.
    OtherForms,
    /// Longer names that begin or end with the term, or other spellings of it.
    LongerNames,
    /// The words that a name is made of.
    NameWords,
    /// The two words that a compound word is made of.
    CompoundWords,
}

impl SubstituteKind {
    /// Returns true if the term may have been another word that no turn holds.
    pub fn is_doubtful(self) -> bool {
        matches!(self, Self::OtherForms | Self::CompoundWords)
    }
}

impl TermStats {
    /// Returns the turns that hold the term as typed, or what counts as that, in order.
    pub fn postings(&self) -> impl Iterator<Item = TurnId> + '_ {
        self.postings.iter().map(|turn| TurnId::new((*turn).into()))
    }

    /// Returns true when a turn holds the term as typed, or what counts as that.
    pub fn holds(&self, turn: TurnId) -> bool {
        let turn = u32::try_from(i64::from(turn));
        turn.is_ok_and(|turn| self.postings.binary_search(&turn).is_ok())
    }

    /// Returns true if it is words of the query that are not quoted, and count where they stand in a row.
    pub fn is_word_run(&self) -> bool {
        self.run_weight.is_some()
    }

    /// Returns the factor by which [`idf`](Self::idf) is that of the turns: less than 1 for a part of the query.
    pub fn weight(&self) -> f32 {
        self.run_weight.unwrap_or(1.0)
    }

    /// Returns what is found in the place of the term, where no turn holds it.
    pub fn substitute(&self) -> Option<SubstituteKind> {
        let is_found = self.postings.is_empty() && !self.variants.postings.is_empty();
        self.variants.substitute.filter(|_| is_found)
    }

    /// Returns the texts by which it is found: the term as typed, then its variants.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        let variants = self.variants.texts.iter().map(String::as_str);
        std::iter::once(self.term.as_str()).chain(variants)
    }

    /// Returns the idf of the term that a turn matches; 0 where it does not hold it.
    pub(crate) fn matched_idf(&self, turn: TurnId) -> f32 {
        let Ok(turn) = u32::try_from(i64::from(turn)) else {
            return 0.0;
        };
        if self.postings.binary_search(&turn).is_ok() {
            return self.idf;
        }
        let variants = &self.variants;
        variants.postings.binary_search(&turn).map_or(0.0, |at| {
            variants.idf * variants.shares.get(at).copied().unwrap_or(1.0)
        })
    }
}
