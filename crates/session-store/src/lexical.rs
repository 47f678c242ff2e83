//! Lexical search: FTS5 and BM25.

use crate::error::Result;
use crate::id::TurnId;
use crate::postings::Posting;
use crate::reader::Reader;
use crate::stems::{russian_stem, russian_stems};
use crate::turn_columns::TurnColumns;
use crate::varint::read_varints;
use crate::word_index::COLUMNS;
use rusqlite::OptionalExtension;
use serde::Serialize;
use session_core::{Query, Scored, Term, TopK, TurnContent, idf, noise, text};
use std::borrow::Cow;
use std::cmp::Ordering;

/// How FTS5 takes words from texts: by their stems, without accents and case.
pub(crate) const TOKENIZER: &str = "porter unicode61 remove_diacritics 2";

/// BM25's saturation of a term's frequency.
const K1: f64 = 1.2;
/// BM25's share of a document's length.
const B: f64 = 0.75;
/// The least idf that BM25 counts, for a phrase in more than half of all turns.
const MIN_IDF: f64 = 1e-6;

/// Turns found by words.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LexicalHits {
    /// Turns with BM25 (higher is better), best first.
    pub hits: Vec<Scored<TurnId>>,
    /// Each term of the query with the number of turns that hold it.
    pub terms: Vec<TermStats>,
    /// Turns in the lexical index.
    pub total: u64,
}

/// A term of the query with its document frequency, idf and postings.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TermStats {
    /// As typed.
    pub term: String,
    /// Turns that hold it.
    pub turns: u64,
    /// Inverse document frequency, as BM25 has it, never negative.
    pub idf: f32,
    /// Numbers of these turns, in order.
    #[serde(skip)]
    postings: Vec<u32>,
}

impl TermStats {
    /// Returns the turns that hold the term, in order.
    pub fn postings(&self) -> impl Iterator<Item = TurnId> + '_ {
        self.postings.iter().map(|turn| TurnId::new((*turn).into()))
    }

    fn is_held_by(&self, turn: TurnId) -> bool {
        let turn = u32::try_from(i64::from(turn));
        turn.is_ok_and(|turn| self.postings.binary_search(&turn).is_ok())
    }
}

impl LexicalHits {
    /// Returns the share of the query's sum of idf that a turn matched, 0 to 1.
    pub fn idf_share(&self, turn: TurnId) -> f32 {
        let all: f32 = self.terms.iter().map(|t| t.idf).sum();
        if all > 0.0 {
            self.matched_idf(turn) / all
        } else {
            0.0
        }
    }

    /// Returns the sum of idf that a turn matched, in units of the idf of a term that
    /// one turn alone holds.
    pub fn relative_idf(&self, turn: TurnId) -> f32 {
        self.matched_idf(turn) / idf(self.total, 1)
    }

    /// Returns the idf of a term that `turns` turns hold.
    pub fn idf(&self, turns: u64) -> f32 {
        idf(self.total, turns)
    }

    /// Returns the greatest idf of a term that a turn matched, in the same units.
    pub fn max_relative_idf(&self, turn: TurnId) -> f32 {
        let held = self.terms.iter().filter(|t| t.is_held_by(turn));
        held.map(|t| t.idf).fold(0.0, f32::max) / idf(self.total, 1)
    }

    /// Returns the sum of idf over the terms that a turn holds.
    fn matched_idf(&self, turn: TurnId) -> f32 {
        let held = self.terms.iter().filter(|t| t.is_held_by(turn));
        held.map(|t| t.idf).sum()
    }
}

/// Returns the texts of a turn by column of the word index.
pub(crate) fn indexed_texts<'t>(
    content: &'t TurnContent,
    title: &'t str,
) -> [Cow<'t, str>; COLUMNS] {
    let prompt = match is_unindexed_prompt(&content.prompt) {
        true => "",
        false => &content.prompt,
    };
    let answer = match noise::is_own_output(&content.answer) {
        true => "",
        false => &content.answer,
    };
    let join = |list: &[String]| Cow::Owned(text::spaced(&list.join("\n")).into_owned());
    [
        text::spaced(answer),
        text::spaced(prompt),
        text::spaced(title),
        join(&content.commands),
        join(&content.files),
        join(&content.errors),
        Cow::Owned(derived_words(prompt, answer, content)),
    ]
}

/// Returns the parts of the identifiers of a turn and the stems of its Russian words, each once.
fn derived_words(prompt: &str, answer: &str, content: &TurnContent) -> String {
    let texts = || {
        let lists = [&content.commands, &content.files, &content.errors];
        let lists = lists.into_iter().flatten().map(String::as_str);
        [prompt, answer].into_iter().chain(lists)
    };
    let mut words = text::identifier_parts(texts());
    let stems = russian_stems(texts());
    if !stems.is_empty() {
        words.push(' ');
        words.push_str(&stems);
    }
    words
}

/// Returns true for a prompt whose words are not indexed.
pub(crate) fn is_unindexed_prompt(prompt: &str) -> bool {
    noise::is_noise(prompt) || noise::is_json_blob(prompt) || noise::is_own_output(prompt)
}

impl Reader {
    /// Returns the `limit` turns with the best BM25 of those for which `passes` returns
    /// true; it is called for turns that may be among them.
    ///
    /// # Errors
    /// When the database fails.
    pub fn search_lexical(
        &self,
        query: &Query,
        limit: usize,
        mut passes: impl FnMut(TurnId) -> Result<bool>,
    ) -> Result<LexicalHits> {
        if query.terms.is_empty() {
            return Ok(LexicalHits::default());
        }
        let (totals, turns) = (self.word_totals()?, self.turn_columns()?);
        let terms = searched_terms(query);
        let phrases: Vec<String> = terms.iter().flat_map(|t| t.phrases.clone()).collect();
        let mut phrases = self.phrase_postings(&phrases)?;
        let mut best = TopK::new(limit, best_first);
        for hit in bm25(&phrases, totals, &turns) {
            if best.may_hold(&hit) && passes(hit.id)? {
                best.push(hit);
            }
        }
        let mut found = Vec::new();
        for searched in terms {
            let of_term = phrases.drain(..searched.phrases.len());
            let stats = TermStats::new(searched.text, of_term.collect(), totals.turns);
            if stats.turns > 0 || !searched.is_optional {
                found.push(stats);
            }
        }
        Ok(LexicalHits {
            hits: best.into_sorted(),
            terms: found,
            total: totals.turns,
        })
    }

    fn word_totals(&self) -> Result<WordTotals> {
        // FTS5 keeps the number of rows, followed by the tokens of each column, as varints in the record
        // of its averages; to count the rows takes as long as a query.
        let mut find = self
            .db
            .prepare_cached("SELECT block FROM words_data WHERE id = 1")?;
        let averages: Option<Vec<u8>> = find.query_row([], |row| row.get(0)).optional()?;
        let averages = averages.unwrap_or_default();
        let mut numbers = read_varints(&averages);
        Ok(WordTotals {
            turns: numbers.next().unwrap_or_default(),
            tokens: numbers.sum(),
        })
    }
}

/// The size of the word index.
#[derive(Debug, Clone, Copy)]
struct WordTotals {
    turns: u64,
    /// Tokens of all columns of all turns.
    tokens: u64,
}

/// A term of a query, or a pair of characters of one.
struct SearchedTerm {
    text: String,
    /// The FTS5 strings by which it is found: the word, and its stem in Russian.
    phrases: Vec<String>,
    /// Its pairs of characters, or its words, are searched, too: it counts only where some turn holds it.
    is_optional: bool,
}

impl SearchedTerm {
    fn new(term: Term, is_optional: bool) -> Self {
        let stem = russian_stem(&term.text).filter(|_| !term.exact);
        let texts = [Some(term.text.as_str()), stem.as_deref()];
        Self {
            phrases: texts.into_iter().flatten().map(fts5_string).collect(),
            text: term.text,
            is_optional,
        }
    }
}

/// Returns what is searched for a query. A sentence without spaces is one phrase, which an inflection keeps
/// from being found: its pairs of characters are found beside it.
fn searched_terms(query: &Query) -> Vec<SearchedTerm> {
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
    let line = query.error_line.iter().cloned();
    let line = line.map(|text| Term { text, exact: true });
    searched.extend(line.map(|line| SearchedTerm::new(line, true)));
    searched
}

impl TermStats {
    /// Makes the statistics of a term from the postings of its phrases.
    fn new(term: String, phrases: Vec<Vec<Posting>>, total: u64) -> Self {
        let is_union = phrases.len() > 1;
        let turns = phrases.into_iter().flatten().map(|posting| posting.turn);
        let mut postings: Vec<u32> = turns.collect();
        if is_union {
            postings.sort_unstable();
            postings.dedup();
        }
        let turns = postings.len() as u64;
        Self {
            term,
            turns,
            idf: idf(total, turns),
            postings,
        }
    }
}

/// Returns the turns that hold a phrase with their BM25, as FTS5 computes it:
/// `sum of idf * f * (K1 + 1) / (f + K1 * (1 - B + B * length / mean length))`.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "counts of turns and tokens; scores have the precision of a float"
)]
fn bm25(
    phrases: &[Vec<Posting>],
    totals: WordTotals,
    turns: &TurnColumns,
) -> impl Iterator<Item = Scored<TurnId>> {
    let total = totals.turns as f64;
    let mean_tokens = (totals.tokens as f64 / total.max(1.0)).max(f64::MIN_POSITIVE);
    let last = phrases.iter().filter_map(|postings| postings.last());
    let len = last.map(|posting| posting.turn as usize + 1).max();
    let mut scores = vec![f64::NAN; len.unwrap_or_default()];
    for postings in phrases {
        let count = postings.len() as f64;
        let idf = ((total - count + 0.5) / (count + 0.5)).ln();
        let idf = if idf > 0.0 { idf } else { MIN_IDF };
        for posting in postings {
            let turn = posting.turn as usize;
            let frequency = f64::from(posting.frequency);
            let length = f64::from(turns.tokens(turn)) / mean_tokens;
            let score = idf * frequency * (K1 + 1.0) / (frequency + K1 * (1.0 - B + B * length));
            if let Some(sum) = scores.get_mut(turn) {
                *sum = if sum.is_nan() { score } else { *sum + score };
            }
        }
    }
    let scored = scores
        .into_iter()
        .zip(0..)
        .filter(|(score, _)| !score.is_nan());
    scored.map(|(score, turn)| Scored {
        id: TurnId::new(turn),
        score: score as f32,
    })
}

/// Orders hits by score, of equals the older turn first.
fn best_first(a: &Scored<TurnId>, b: &Scored<TurnId>) -> Ordering {
    b.score.total_cmp(&a.score).then(a.id.cmp(&b.id))
}

/// A term as an FTS5 string: nothing in it is syntax.
pub(crate) fn fts5_string(term: &str) -> String {
    format!("\"{}\"", text::spaced(term).replace('"', "\"\""))
}
