//! The terms of a query: as they are searched, as they are found, and what is known of each.

use crate::id::TurnId;
use crate::lexical::fts5_string;
use crate::postings::Posting;
use crate::stems::russian_stem;
use serde::Serialize;
use session_core::{Query, Term, idf, text};

/// The share of its score that a turn with a completion has where others hold the word as typed: less than one occurrence of that,
/// however often it holds the completion.
const COMPLETION_WEIGHT: f32 = 0.45;

/// A term of the query with its document frequency, idf and postings.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TermStats {
    /// As typed.
    pub term: String,
    /// Turns that hold it; where none does, those that hold a completion.
    pub turns: u64,
    /// Inverse document frequency, as BM25 has it, never negative.
    pub idf: f32,
    /// Numbers of the turns that hold it as typed, in order.
    #[serde(skip)]
    postings: Vec<u32>,
    #[serde(skip)]
    completed: CompletedTerm,
}

/// The completions of a term that is still being typed.
#[derive(Debug, Clone, Default, PartialEq)]
struct CompletedTerm {
    /// The term with each completion in the place of its last word.
    texts: Vec<String>,
    /// Numbers of the turns that hold one and not the term as typed, in order.
    postings: Vec<u32>,
    /// The idf that such a turn matches.
    idf: f32,
}

impl TermStats {
    /// Returns the turns that hold the term as typed, in order.
    pub fn postings(&self) -> impl Iterator<Item = TurnId> + '_ {
        self.postings.iter().map(|turn| TurnId::new((*turn).into()))
    }

    /// Returns true when a turn holds the term as typed.
    pub fn holds(&self, turn: TurnId) -> bool {
        let turn = u32::try_from(i64::from(turn));
        turn.is_ok_and(|turn| self.postings.binary_search(&turn).is_ok())
    }

    /// Returns the texts by which it is found: the term as typed, then its completions.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        let completions = self.completed.texts.iter().map(String::as_str);
        std::iter::once(self.term.as_str()).chain(completions)
    }

    /// Returns the idf of the term that a turn matches; 0 where it does not hold it.
    pub(crate) fn matched_idf(&self, turn: TurnId) -> f32 {
        let Ok(turn) = u32::try_from(i64::from(turn)) else {
            return 0.0;
        };
        let holds = |postings: &[u32]| postings.binary_search(&turn).is_ok();
        match holds(&self.postings) {
            true => self.idf,
            false if holds(&self.completed.postings) => self.completed.idf,
            false => 0.0,
        }
    }
}

/// A term of a query, or a pair of characters of one.
pub(crate) struct SearchedTerm {
    text: String,
    /// The FTS5 strings by which it is found: the word, and its stem in Russian.
    phrases: Vec<String>,
    /// The same text with completions in the place of its last word.
    completions: Vec<String>,
    /// The ends of a path, the longest first: where nothing holds the path, it stands in another folder there.
    path_ends: Vec<String>,
    /// Its pairs of characters, or its words, are searched, too: it counts only where some turn holds it.
    is_optional: bool,
}

impl SearchedTerm {
    fn new(term: Term, is_optional: bool) -> Self {
        let stem = russian_stem(&term.text).filter(|_| !term.exact);
        let texts = [Some(term.text.as_str()), stem.as_deref()];
        Self {
            phrases: texts.into_iter().flatten().map(fts5_string).collect(),
            path_ends: match term.exact && is_path(&term.text) {
                true => path_ends(&term.text),
                false => Vec::new(),
            },
            text: term.text,
            completions: Vec::new(),
            is_optional,
        }
    }

    /// Returns the FTS5 strings of the term, then those of its completions and of the ends of its path.
    pub(crate) fn all_phrases(&self) -> impl Iterator<Item = String> {
        let others = self.completions.iter().chain(&self.path_ends);
        let others = others.map(|text| fts5_string(text));
        self.phrases.iter().cloned().chain(others)
    }
}

/// True for a path, not for an address, a phrase or the line of an error.
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

/// Returns what is searched for a query, with the completions of its last term. A sentence without spaces is one phrase,
/// which an inflection keeps from being found: its pairs of characters are found beside it.
pub(crate) fn searched_terms(query: &Query, completions: Vec<String>) -> Vec<SearchedTerm> {
    let mut searched = Vec::new();
    for term in &query.terms {
        let mut pairs = match term.exact {
            true => Vec::new(),
            false => text::character_pairs(&term.text),
        };
        if pairs.len() < 2 {
            pairs.clear();
        }
        searched.push(SearchedTerm::new(term.clone(), !pairs.is_empty()));
        let pairs = pairs.into_iter().map(|text| Term { text, exact: false });
        searched.extend(pairs.map(|pair| SearchedTerm::new(pair, false)));
    }
    if let (Some(last), false) = (searched.last_mut(), completions.is_empty()) {
        last.completions = completions;
    }
    let line = query.error_line.iter().cloned();
    let line = line.map(|text| Term { text, exact: true });
    searched.extend(line.map(|line| SearchedTerm::new(line, true)));
    searched
}

/// A term with the postings of its phrases.
pub(crate) struct FoundTerm {
    searched: SearchedTerm,
    /// By phrase.
    postings: Vec<Vec<Posting>>,
    /// Those of all completions, of turns that do not hold the term as typed.
    completed: Vec<Posting>,
}

/// Postings that BM25 counts as those of one term.
pub(crate) struct WeightedPostings<'p> {
    pub(crate) postings: &'p [Posting],
    /// The document frequency.
    pub(crate) turns: usize,
    pub(crate) weight: f32,
}

impl FoundTerm {
    /// Takes the postings of all phrases of a term.
    pub(crate) fn new(mut searched: SearchedTerm, mut postings: Vec<Vec<Posting>>) -> Self {
        let mut completions = postings.split_off(searched.phrases.len().min(postings.len()));
        let ends = completions.split_off(searched.completions.len().min(completions.len()));
        if postings.iter().all(Vec::is_empty)
            && let Some(found) = ends.iter().position(|postings| !postings.is_empty())
        {
            postings = vec![ends.into_iter().nth(found).unwrap_or_default()];
            searched
                .completions
                .extend(searched.path_ends.get(found).cloned());
        }
        Self {
            completed: join_completions(completions, &postings),
            searched,
            postings,
        }
    }

    pub(crate) fn lists(&self) -> impl Iterator<Item = WeightedPostings<'_>> {
        let as_typed = self.postings.iter().map(|postings| WeightedPostings {
            postings,
            turns: postings.len(),
            weight: 1.0,
        });
        let completed = WeightedPostings {
            postings: &self.completed,
            turns: self.completed.len() + self.postings.iter().map(Vec::len).max().unwrap_or(0),
            weight: self.completion_weight(),
        };
        as_typed.chain(std::iter::once(completed))
    }

    /// Where no turn holds the term as typed, its completions stand for it.
    fn completion_weight(&self) -> f32 {
        match self.postings.iter().all(Vec::is_empty) {
            true => 1.0,
            false => COMPLETION_WEIGHT,
        }
    }

    /// Returns what is known of it, unless it is optional and not found.
    pub(crate) fn into_stats(self, total: u64) -> Option<TermStats> {
        let weight = self.completion_weight();
        let is_union = self.postings.len() > 1;
        let mut postings = turns(self.postings.into_iter().flatten());
        if is_union {
            postings.sort_unstable();
            postings.dedup();
        }
        let completed = turns(self.completed);
        let all = (postings.len() + completed.len()) as u64;
        let turns = match postings.len() as u64 {
            0 => all,
            as_typed => as_typed,
        };
        let stats = TermStats {
            term: self.searched.text,
            turns,
            idf: idf(total, turns),
            postings,
            completed: CompletedTerm {
                texts: self.searched.completions,
                postings: completed,
                idf: idf(total, all) * weight,
            },
        };
        (turns > 0 || !self.searched.is_optional).then_some(stats)
    }
}

fn turns(postings: impl IntoIterator<Item = Posting>) -> Vec<u32> {
    postings.into_iter().map(|posting| posting.turn).collect()
}

/// Joins the postings of completions to one list by turn, without those in `as_typed`.
fn join_completions(completions: Vec<Vec<Posting>>, as_typed: &[Vec<Posting>]) -> Vec<Posting> {
    let mut joined = completions.concat();
    joined.sort_unstable_by_key(|posting| posting.turn);
    joined.dedup_by(|next, first| {
        let is_same = next.turn == first.turn;
        if is_same {
            first.frequency += next.frequency;
        }
        is_same
    });
    let is_in = |list: &Vec<Posting>, turn| list.binary_search_by_key(&turn, |p| p.turn).is_ok();
    joined.retain(|posting| !as_typed.iter().any(|list| is_in(list, posting.turn)));
    joined
}
