//! The terms of a query: as they are searched, as they are found, and the statistics of each.

use crate::id::TurnId;
use crate::word_search::inflections::Inflections;
use crate::word_search::lexical::fts5_string;
use crate::word_search::name_words::FoundWords;
use crate::word_search::paradigms::WordEvidence;
use crate::word_search::postings::{Posting, PostingList, WordPosition};
use serde::Serialize;
use session_core::{
    ErrorSignature, Query, Term, idf, is_commit_hash, other_version_spelling, text,
};

/// The share of its score that a turn with a variant has where others hold the word as typed: less than one occurrence of
/// that, however often it holds the variant.
const VARIANT_WEIGHT: f32 = 0.45;

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
    postings: Vec<u32>,
    #[serde(skip)]
    variants: TermVariants,
    /// The factor of the idf, where it is words of the query in a row.
    #[serde(skip)]
    run_weight: Option<f32>,
}

/// The other forms of a term, and its completions where it is still being typed.
#[derive(Debug, Clone, Default, PartialEq)]
struct TermVariants {
    /// Its other forms, and the term with each completion in the place of its last word.
    texts: Vec<String>,
    /// Numbers of the turns that hold one and not the term as typed, in order.
    postings: Vec<u32>,
    /// For each of these turns the share of the idf that it matches; all of it where there are none.
    shares: Vec<f32>,
    /// The idf that a turn matches which holds all that is searched.
    idf: f32,
    /// Their kind, where they stand for a term that no turn holds.
    substitute: Option<SubstituteKind>,
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

    /// Returns true where it is words of the query that are not quoted, and count where they stand in a row.
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

/// A term of a query, or a pair of characters of one.
pub(crate) struct SearchedTerm {
    text: String,
    /// The FTS5 string by which it is found.
    phrase: String,
    /// A version with a `v` before it, or without: the same one.
    spelling: Option<String>,
    /// Its other forms, words that `-` or `_` joins as one, and the same text with completions in the place of its last
    /// word.
    variants: Vec<String>,
    /// The ends of a path, the longest first: where nothing holds the path, it stands in another folder there.
    path_ends: Vec<String>,
    /// The sign that the word is of the language of which these would be forms.
    evidence: WordEvidence,
    /// Its pairs of characters, or its words, are searched, too: it counts only where some turn holds it.
    is_optional: bool,
    /// Where nothing holds it, other spellings and longer names are searched in its place.
    has_substitutes: bool,
    /// The signatures of the error that it is a line of: turns that failed of the error stand for those that hold the line.
    signatures: Vec<ErrorSignature>,
    /// The factor of its score and idf, where it is words of the query in a row.
    run_weight: Option<f32>,
}

impl SearchedTerm {
    fn new(term: Term, is_optional: bool) -> Self {
        let joined = term.is_word_or_name().then_some(&term.text);
        let joined = joined.and_then(|name| text::join_name_parts(name));
        Self {
            spelling: other_version_spelling(&term.text),
            variants: joined.into_iter().collect(),
            phrase: fts5_string(&term.text),
            path_ends: if term.exact && is_path(&term.text) {
                path_ends(&term.text)
            } else {
                Vec::new()
            },
            evidence: WordEvidence::default(),
            has_substitutes: !is_optional && term.is_word_or_name(),
            text: term.text,
            is_optional,
            signatures: Vec::new(),
            run_weight: None,
        }
    }

    /// Makes the term of words of the query that count where they stand in a row. Those of a part of it have less weight.
    pub(crate) fn word_run(words: &str, weight: f32) -> Self {
        Self {
            run_weight: Some(weight),
            ..Self::phrase(words)
        }
    }

    fn phrase(words: &str) -> Self {
        let text = words.to_owned();
        Self::new(Term { text, exact: true }, true)
    }

    fn error_line(line: &str) -> Self {
        Self {
            signatures: ErrorSignature::read_all(line),
            ..Self::phrase(line)
        }
    }

    /// Returns the FTS5 strings of the term, then those of its other spelling, of its variants and of the ends of its path.
    pub(crate) fn all_phrases(&self) -> impl Iterator<Item = String> {
        let others = self.spelling.iter().chain(&self.variants);
        let others = others.chain(&self.path_ends);
        let others = others.map(|text| fts5_string(text));
        std::iter::once(self.phrase.clone()).chain(others)
    }
}

/// Returns true for a path, not for an address, a phrase or the line of an error.
fn is_path(text: &str) -> bool {
    !text.contains(char::is_whitespace) && !text.contains("://")
}

/// Returns the last two components of a path of three or more, and the last one where it names a file.
fn path_ends(text: &str) -> Vec<String> {
    let is_separator = |c: char| c == '/' || c == '\\';
    let starts = text.rmatch_indices(is_separator).map(|(at, _)| at + 1);
    let ends: Vec<&str> = starts
        .take(2)
        .filter_map(|start| text.get(start..))
        .collect();
    let [last, last_two] = ends[..] else {
        return Vec::new();
    };
    let file = last.contains('.').then_some(last);
    let ends = [Some(last_two), file].into_iter().flatten();
    ends.map(str::to_owned).collect()
}

/// Returns what is searched for a query, with the other forms of each of its terms, and the completions of the last. A
/// sentence without spaces is one phrase, which an inflection keeps from being found: its pairs of characters are found
/// beside it.
pub(crate) fn searched_terms(
    query: &Query,
    inflections: Vec<Inflections>,
    completions: Vec<String>,
) -> Vec<SearchedTerm> {
    let mut searched = Vec::new();
    for (term, inflections) in query.terms.iter().zip(inflections) {
        let mut pairs = if term.exact {
            Vec::new()
        } else {
            text::character_bigrams(&term.text)
        };
        if pairs.len() < 2 {
            pairs.clear();
        }
        let mut term = SearchedTerm::new(term.clone(), !pairs.is_empty());
        term.evidence = inflections.evidence;
        term.variants.extend(inflections.forms);
        searched.push(term);
        let pairs = pairs.into_iter().map(|text| Term { text, exact: false });
        searched.extend(pairs.map(|pair| SearchedTerm::new(pair, false)));
    }
    if let Some(last) = searched.last_mut() {
        let known = last.variants.clone();
        let new = completions.into_iter().filter(|text| !known.contains(text));
        last.variants.extend(new);
        // A completion is no form of another language.
        if last.variants != known {
            last.evidence = WordEvidence::default();
        }
    }
    let line = query.error_line.as_deref();
    searched.extend(line.map(SearchedTerm::error_line));
    searched
}

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
        let is_doubtful = postings.is_empty() && searched.evidence != WordEvidence::OtherLanguage;
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

    /// Returns true where nothing holds the term in any form, and another may stand in its place.
    pub(crate) fn needs_substitutes(&self) -> bool {
        let is_missing = self.postings.is_empty() && self.variants.is_empty();
        is_missing && self.searched.has_substitutes
    }

    /// Adds what is found in its place. The hash whose beginning was typed is what was meant.
    pub(crate) fn substitute(&mut self, texts: Vec<String>, postings: Vec<Vec<Posting>>) {
        if is_commit_hash(&self.searched.text) {
            self.postings = join_postings(postings)
        } else {
            self.variants = join_variants(postings, &self.postings);
            self.substitute = Some(SubstituteKind::LongerNames);
        }
        self.searched.variants.extend(texts);
    }

    /// Adds the turns that hold words of the name in its place.
    pub(crate) fn substitute_words(&mut self, texts: Vec<String>, words: FoundWords) {
        self.searched.variants.extend(texts);
        self.name_words = Some(words);
        self.substitute = Some(SubstituteKind::NameWords);
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
        let is_english = self.searched.evidence == WordEvidence::English;
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
