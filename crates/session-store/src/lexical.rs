//! Lexical search: FTS5 and BM25.

use crate::error::Result;
use crate::id::TurnId;
use crate::reader::Reader;
use crate::stems::{russian_stem, russian_stems};
use rusqlite::{Connection, params};
use rustc_hash::FxHashSet;
use serde::Serialize;
use session_core::{Query, Scored, Term, TurnContent, idf, noise, text};

/// How FTS5 takes words from texts: by their stems, without accents and case.
pub(crate) const TOKENIZER: &str = "porter unicode61 remove_diacritics 2";

/// Weights of the columns of `words`: prompt, answer, title, commands, paths,
/// errors, parts of identifiers.
const WEIGHTS: &str = "1.2, 1.0, 0.5, 0.8, 0.8, 1.0, 0.4";

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
    #[serde(skip)]
    postings: FxHashSet<TurnId>,
}

impl TermStats {
    /// Returns the turns that hold the term.
    pub fn postings(&self) -> &FxHashSet<TurnId> {
        &self.postings
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
        let held = self.terms.iter().filter(|t| t.postings.contains(&turn));
        held.map(|t| t.idf).fold(0.0, f32::max) / idf(self.total, 1)
    }

    /// Returns the sum of idf over the terms that a turn holds.
    fn matched_idf(&self, turn: TurnId) -> f32 {
        let held = self.terms.iter().filter(|t| t.postings.contains(&turn));
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
        passes: impl FnMut(TurnId) -> Result<bool>,
    ) -> Result<LexicalHits> {
        if query.terms.is_empty() {
            return Ok(LexicalHits::default());
        }
        let total = self.lexical_total()?;
        let (mut searched, mut terms) = (Vec::new(), Vec::new());
        for term in &query.terms {
            let count = self.term_stats(term, total)?;
            let pairs = match term.exact {
                true => Vec::new(),
                false => text::character_pairs(&term.text),
            };
            if pairs.len() < 2 || count.turns > 0 {
                searched.push(term.clone());
                terms.push(count);
            }
            if pairs.len() < 2 {
                continue;
            }
            // A sentence without spaces is one phrase, which an inflection keeps from being found: its
            // pairs of characters are found beside it.
            for text in pairs {
                let pair = Term { text, exact: false };
                terms.push(self.term_stats(&pair, total)?);
                searched.push(pair);
            }
        }
        let hits = self.bm25(&searched, limit, passes)?;
        Ok(LexicalHits { hits, terms, total })
    }

    fn lexical_total(&self) -> Result<u64> {
        // Two counts over small indexes instead of one over the rows.
        let mut count = self.db.prepare_cached(
            "SELECT (SELECT count(*) FROM turns) - (SELECT count(*) FROM turns WHERE owner IS NOT NULL)",
        )?;
        Ok(count
            .query_row([], |row| row.get::<_, i64>(0))?
            .cast_unsigned())
    }

    fn term_stats(&self, term: &Term, total: u64) -> Result<TermStats> {
        let mut find = self
            .db
            .prepare_cached("SELECT rowid FROM words WHERE words MATCH ?1")?;
        let postings: FxHashSet<TurnId> = find
            .query_map([term_fts5_string(term)], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        let turns = postings.len() as u64;
        Ok(TermStats {
            term: term.text.clone(),
            turns,
            idf: idf(total, turns),
            postings,
        })
    }

    fn bm25(
        &self,
        terms: &[Term],
        limit: usize,
        mut passes: impl FnMut(TurnId) -> Result<bool>,
    ) -> Result<Vec<Scored<TurnId>>> {
        let any = terms
            .iter()
            .map(term_fts5_string)
            .collect::<Vec<_>>()
            .join(" OR ");
        let mut find = self.db.prepare_cached(&format!(
            "SELECT rowid, -bm25(words, {WEIGHTS}) AS score FROM words WHERE words MATCH ?1 ORDER BY score DESC"
        ))?;
        let mut rows = find.query([any])?;
        let mut hits = Vec::new();
        while let Some(row) = rows.next()? {
            let id: TurnId = row.get(0)?;
            if hits.len() >= limit {
                break;
            }
            if passes(id)? {
                hits.push(Scored {
                    id,
                    score: row.get(1)?,
                });
            }
        }
        Ok(hits)
    }
}

/// A term as an FTS5 expression: the word, or its stem in Russian.
fn term_fts5_string(term: &Term) -> String {
    let word = fts5_string(&term.text);
    match russian_stem(&term.text).filter(|_| !term.exact) {
        Some(stem) => format!("({word} OR {})", fts5_string(&stem)),
        None => word,
    }
}

/// A term as an FTS5 string: nothing in it is syntax.
pub(crate) fn fts5_string(term: &str) -> String {
    format!("\"{}\"", text::spaced(term).replace('"', "\"\""))
}
