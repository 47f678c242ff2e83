//! Lexical search: FTS5 and BM25.

use crate::error::Result;
use crate::id::TurnId;
use crate::postings::{Posting, PostingsReader, QueryPostings};
use crate::reader::Reader;
use crate::stems::{russian_stem, russian_stems};
use crate::turn_columns::TurnColumns;
use crate::varint::read_varints;
use rusqlite::{Connection, OptionalExtension, params};
use serde::Serialize;
use session_core::{Query, Scored, Term, TurnContent, idf, noise, text};

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

/// Indexes the words of a turn.
pub(crate) fn insert(
    db: &Connection,
    turn: TurnId,
    content: &TurnContent,
    title: &str,
) -> Result<()> {
    let prompt = if is_unindexed_prompt(&content.prompt) {
        ""
    } else {
        &content.prompt
    };
    let answer = if noise::is_own_output(&content.answer) {
        ""
    } else {
        &content.answer
    };
    let mut insert = db.prepare_cached(
        "INSERT INTO words(rowid, prompt, answer, title, commands, paths, errors, parts) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?;
    let join = |list: &[String]| text::spaced(&list.join("\n")).into_owned();
    insert.execute(params![
        turn,
        text::spaced(prompt),
        text::spaced(answer),
        text::spaced(title),
        join(&content.commands),
        join(&content.files),
        join(&content.errors),
        derived_words(prompt, answer, content)
    ])?;
    Ok(())
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
    /// true; it is called in the order of the hits.
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
        let (total, turns) = (self.lexical_total()?, self.turn_columns()?);
        let terms = searched_terms(query);
        let phrases: Vec<String> = terms
            .iter()
            .flat_map(|term| fts5_strings(&term.term))
            .collect();
        let read = self.read_postings(&phrases)?;
        let hits = take_best(bm25(&read, total, &turns), limit, |hit| passes(hit.id))?;
        let mut phrases = read.phrases.into_iter();
        let mut found = Vec::new();
        for searched in terms {
            let of_term = phrases.by_ref().take(fts5_strings(&searched.term).len());
            let stats = TermStats::new(&searched.term, of_term.collect(), total);
            if stats.turns > 0 || !searched.has_pairs {
                found.push(stats);
            }
        }
        Ok(LexicalHits {
            hits,
            terms: found,
            total,
        })
    }

    fn read_postings(&self, phrases: &[String]) -> Result<QueryPostings> {
        let reader = match self.postings.get() {
            Some(reader) => reader,
            None => {
                let reader = PostingsReader::register(&self.db)?;
                self.postings.get_or_init(|| reader)
            }
        };
        reader.read(&self.db, phrases)
    }

    fn lexical_total(&self) -> Result<u64> {
        // FTS5 keeps the number of rows, followed by the tokens of each column, as varints in the record
        // of its averages; to count the rows takes as long as a query.
        let mut find = self
            .db
            .prepare_cached("SELECT block FROM words_data WHERE id = 1")?;
        let averages: Option<Vec<u8>> = find.query_row([], |row| row.get(0)).optional()?;
        let total = read_varints(&averages.unwrap_or_default()).next();
        Ok(total.unwrap_or_default())
    }
}

/// A term of a query, or a pair of characters of one.
struct SearchedTerm {
    term: Term,
    /// Its pairs of characters are searched, too: it counts only where some turn holds it.
    has_pairs: bool,
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
        searched.push(SearchedTerm {
            term: term.clone(),
            has_pairs: !pairs.is_empty(),
        });
        searched.extend(pairs.into_iter().map(|text| SearchedTerm {
            term: Term { text, exact: false },
            has_pairs: false,
        }));
    }
    searched
}

impl TermStats {
    /// Makes the statistics of a term from the postings of its phrases.
    fn new(term: &Term, phrases: Vec<Vec<Posting>>, total: u64) -> Self {
        let is_union = phrases.len() > 1;
        let turns = phrases.into_iter().flatten().map(|posting| posting.turn);
        let mut postings: Vec<u32> = turns.collect();
        if is_union {
            postings.sort_unstable();
            postings.dedup();
        }
        let turns = postings.len() as u64;
        Self {
            term: term.text.clone(),
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
fn bm25(read: &QueryPostings, total: u64, turns: &TurnColumns) -> Vec<Scored<TurnId>> {
    let total = total as f64;
    let mean_tokens = (read.tokens as f64 / total.max(1.0)).max(f64::MIN_POSITIVE);
    let last = read.phrases.iter().filter_map(|postings| postings.last());
    let len = last.map(|posting| posting.turn as usize + 1).max();
    let mut scores = vec![f64::NAN; len.unwrap_or_default()];
    for postings in &read.phrases {
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
    let scored = scored.map(|(score, turn)| Scored {
        id: TurnId::new(turn),
        score: score as f32,
    });
    scored.collect()
}

/// Returns the first `limit` hits for which `passes` returns true, the best first; it is called in
/// their order. Most hits are never sorted.
fn take_best(
    mut hits: Vec<Scored<TurnId>>,
    limit: usize,
    mut passes: impl FnMut(&Scored<TurnId>) -> Result<bool>,
) -> Result<Vec<Scored<TurnId>>> {
    let order = |a: &Scored<TurnId>, b: &Scored<TurnId>| {
        let by_score = b.score.total_cmp(&a.score);
        by_score.then(a.id.cmp(&b.id))
    };
    let mut best = Vec::new();
    let mut rest = hits.as_mut_slice();
    while best.len() < limit && !rest.is_empty() {
        let count = limit.min(rest.len());
        if count < rest.len() {
            rest.select_nth_unstable_by(count - 1, order);
        }
        let (head, tail) = rest.split_at_mut(count);
        head.sort_unstable_by(order);
        for hit in head {
            if best.len() < limit && passes(hit)? {
                best.push(*hit);
            }
        }
        rest = tail;
    }
    Ok(best)
}

/// Returns the FTS5 strings by which a term is found: the word, and its stem in Russian.
fn fts5_strings(term: &Term) -> Vec<String> {
    let stem = russian_stem(&term.text).filter(|_| !term.exact);
    let texts = [Some(term.text.as_str()), stem.as_deref()];
    texts.into_iter().flatten().map(fts5_string).collect()
}

/// A term as an FTS5 string: nothing in it is syntax.
pub(crate) fn fts5_string(term: &str) -> String {
    format!("\"{}\"", text::spaced(term).replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_best_are_those_that_sorting_all_puts_first(
            scores in prop::collection::vec(0u8..20, 0..200),
            limit in 0usize..30,
            divisor in 1i64..5,
        ) {
            let hits = scores.into_iter().zip(1..).map(|(score, turn)| Scored {
                id: TurnId::new(turn),
                score: f32::from(score),
            });
            let mut all: Vec<Scored<TurnId>> = hits.collect();
            let passes = |turn: TurnId| i64::from(turn) % divisor == 0;
            let best = take_best(all.clone(), limit, |hit| Ok(passes(hit.id))).unwrap();
            all.sort_by(|a, b| b.score.total_cmp(&a.score));
            all.retain(|hit| passes(hit.id));
            all.truncate(limit);
            prop_assert_eq!(best, all);
        }
    }
}
