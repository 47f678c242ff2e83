//! The terms of a query with the turns that hold them.

use crate::word_search::name_words::FoundWords;
use crate::word_search::paradigms::LanguageEvidence;
use crate::word_search::postings::{Posting, PostingList, WordPosition};
use crate::word_search::searched_term::SearchedTerm;
use crate::word_search::term_stats::{SubstituteKind, TermStats, TermVariants};
use session_core::{ErrorSignature, idf, is_commit_hash};

/// The share of its score that a turn with a variant has where others hold the word as typed: less than one occurrence of
/// that, however often it holds the variant.
const VARIANT_WEIGHT: f32 = 0.45;

/// A term with the turns that hold it.
pub(crate) struct FoundTerm {
    searched: SearchedTerm,
    postings: Vec<Posting>,
    /// Where they hold it as typed, if that was kept.
    positions: Vec<WordPosition>,
    /// Those of all variants, of turns that do not hold the term as typed.
    variants: Vec<Posting>,
    /// The words of a name that are searched in its place.
    name_words: Option<FoundWords>,
    /// The kind of the variants, where they stand for a term that no turn holds.
    substitute: Option<SubstituteKind>,
}

/// Postings that BM25 counts as those of one term.
pub(crate) struct WeightedPostings<'p> {
    pub(crate) postings: &'p [Posting],
    /// The document frequency.
    pub(crate) turns: usize,
    pub(crate) weight: f32,
}

impl FoundTerm {
    /// Takes what was read of all phrases of a term, in the order of [`SearchedTerm::all_phrases`].
    pub(crate) fn new(mut searched: SearchedTerm, mut lists: Vec<PostingList>) -> Self {
        let positions = lists
            .first_mut()
            .map(|as_typed| std::mem::take(&mut as_typed.positions));
        let mut lists = lists.into_iter().map(|list| list.postings);
        let spellings = 1 + usize::from(searched.spelling.is_some());
        let mut postings = join_postings(lists.by_ref().take(spellings).collect());
        let mut variants: Vec<_> = lists.collect();
        let ends = variants.split_off(searched.variants.len().min(variants.len()));
        if postings.is_empty()
            && let Some(found) = ends.iter().position(|postings| !postings.is_empty())
        {
            postings = ends.into_iter().nth(found).unwrap_or_default();
            searched
                .variants
                .extend(searched.path_ends.get(found).cloned());
        }
        searched.variants.extend(searched.spelling.take());
        let is_doubtful =
            postings.is_empty() && searched.evidence != LanguageEvidence::OtherLanguage;
        Self {
            variants: join_variants(variants, &postings),
            substitute: is_doubtful.then_some(SubstituteKind::OtherForms),
            searched,
            postings,
            positions: positions.unwrap_or_default(),
            name_words: None,
        }
    }

    /// Returns where turns hold it as typed, if that was kept.
    pub(crate) fn positions(&self) -> &[WordPosition] {
        &self.positions
    }

    /// Returns the number of turns that hold it as typed.
    pub(crate) fn turn_count(&self) -> usize {
        self.postings.len()
    }

    /// Returns the term as typed.
    pub(crate) fn text(&self) -> &str {
        &self.searched.text
    }

    /// Returns true if nothing holds the term in any form, and another may stand in its place.
    pub(crate) fn needs_substitutes(&self) -> bool {
        let is_missing = self.postings.is_empty() && self.variants.is_empty();
        is_missing && self.searched.has_substitutes
    }

    /// Adds the postings of texts that are found in place of the term. If the term is the beginning of a hash, they become
    /// its own postings: the whole hash was meant.
    pub(crate) fn substitute(&mut self, texts: Vec<String>, postings: Vec<Vec<Posting>>) {
        if is_commit_hash(&self.searched.text) {
            self.postings = join_postings(postings)
        } else {
            self.variants = join_variants(postings, &self.postings);
            self.substitute = Some(SubstituteKind::LongerNames);
        }
        self.searched.variants.extend(texts);
    }

    /// Adds the turns that hold words of the name, or of the compound, in its place.
    pub(crate) fn substitute_words(
        &mut self,
        texts: Vec<String>,
        words: FoundWords,
        kind: SubstituteKind,
    ) {
        self.searched.variants.extend(texts);
        self.name_words = Some(words);
        self.substitute = Some(kind);
    }

    /// Returns the signatures of the error that it is a line of.
    pub(crate) fn signatures(&self) -> &[ErrorSignature] {
        &self.searched.signatures
    }

    /// Adds turns that failed of the error that it is a line of: with other numbers or paths it is the same error.
    pub(crate) fn add_error_turns(&mut self, turns: Vec<Posting>) {
        if self.postings.is_empty() {
            self.postings = turns
        } else {
            self.variants = join_variants(vec![turns], &self.postings)
        }
    }

    /// Returns the lists that BM25 sums up: the term as typed, its variants, and the words of a name in its place.
    pub(crate) fn lists(&self) -> impl Iterator<Item = WeightedPostings<'_>> {
        let as_typed = WeightedPostings {
            postings: &self.postings,
            turns: self.postings.len(),
            weight: self.searched.run_weight.unwrap_or(1.0),
        };
        let variants = WeightedPostings {
            postings: &self.variants,
            turns: self.variants.len() + self.postings.len(),
            weight: self.variant_weight(),
        };
        let words = self.name_words.iter();
        let words = words.flat_map(|words| words.lists(VARIANT_WEIGHT));
        [as_typed, variants].into_iter().chain(words)
    }

    /// Returns the weight of the variants: where no turn holds the term as typed, its inflections stand for it, unless the query
    /// is English.
    fn variant_weight(&self) -> f32 {
        let are_forms = matches!(self.substitute, None | Some(SubstituteKind::OtherForms));
        let is_english = self.searched.evidence == LanguageEvidence::English;
        if self.postings.is_empty() && are_forms && !is_english {
            1.0
        } else {
            VARIANT_WEIGHT
        }
    }

    /// Returns what is known of it, unless it is optional and not found.
    pub(crate) fn into_stats(self, total: u64) -> Option<TermStats> {
        let weight = self.variant_weight();
        let run_weight = self.searched.run_weight;
        let postings = turns(self.postings);
        let words = self.name_words.unwrap_or_default();
        let (variants, shares) = if words.turns.is_empty() {
            (turns(self.variants), Vec::new())
        } else {
            words.turns.into_iter().unzip()
        };
        let all = (postings.len() + variants.len()) as u64;
        let turns = match postings.len() as u64 {
            0 => all,
            as_typed => as_typed,
        };
        let stats = TermStats {
            term: self.searched.text,
            turns,
            idf: idf(total, turns) * run_weight.unwrap_or(1.0),
            run_weight,
            postings,
            variants: TermVariants {
                texts: self.searched.variants,
                postings: variants,
                shares,
                idf: idf(total, all) * weight,
                substitute: self.substitute,
            },
        };
        (turns > 0 || !self.searched.is_optional).then_some(stats)
    }
}

fn turns(postings: impl IntoIterator<Item = Posting>) -> Vec<u32> {
    postings.into_iter().map(|posting| posting.turn).collect()
}

/// Joins the postings of variants to one list by turn, without those in `as_typed`.
fn join_variants(variants: Vec<Vec<Posting>>, as_typed: &[Posting]) -> Vec<Posting> {
    let mut joined = join_postings(variants);
    let is_as_typed = |turn| as_typed.binary_search_by_key(&turn, |p| p.turn).is_ok();
    joined.retain(|posting| !is_as_typed(posting.turn));
    joined
}

/// Joins lists of postings to one by turn.
fn join_postings(mut lists: Vec<Vec<Posting>>) -> Vec<Posting> {
    if lists.len() < 2 {
        return lists.pop().unwrap_or_default();
    }
    let mut joined = lists.concat();
    joined.sort_unstable_by_key(|posting| posting.turn);
    joined.dedup_by(|next, first| {
        let is_same = next.turn == first.turn;
        if is_same {
            first.frequency += next.frequency;
        }
        is_same
    });
    joined
}
