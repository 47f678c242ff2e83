//! Searches turns by words: postings of FTS5, ranked by BM25.

use crate::error::Result;
use crate::id::TurnId;
use crate::reader::Reader;
use crate::sql::Statements;
use crate::turn_columns::TurnColumns;
use crate::varint::read_varints;
use crate::word_index::{COLUMNS, Vocabulary};
use crate::word_search::found_term::{FoundTerm, WeightedPostings};
use crate::word_search::postings::PositionLimit;
use crate::word_search::searched_term::{SearchedTerm, searched_terms};
use crate::word_search::sentence::Sentence;
use crate::word_search::term_stats::TermStats;
use crate::word_search::word_runs::{PositionedTerms, WordRun};
use session_core::{
    Query, ScoredItem, TopK, TurnContent, idf, prompt_content, text, without_agent_trailers,
};
use std::borrow::{Borrow, Cow};
use std::cmp::Ordering;
use std::ops::Range;

/// The tokenizer of the word index: FTS5 stems words and folds accents and case.
pub(crate) const TOKENIZER: &str = "porter unicode61 remove_diacritics 2";
/// The tokenizer that folds as [`TOKENIZER`] does, but keeps endings.
pub(crate) const FOLDING_TOKENIZER: &str = "unicode61 remove_diacritics 2";

/// BM25's saturation of a term's frequency.
const K1: f64 = 1.2;
/// BM25's share of a document's length.
const B: f64 = 0.75;
/// The least idf that BM25 counts, for a phrase in more than half of all turns.
const MIN_IDF: f64 = 1e-6;

/// Most postings of a query's terms among which turns are looked for that hold them in a row: of more it would take as
/// long as to read them once more.
const MAX_PHRASE_POSTINGS: usize = 100_000;

/// Most positions of a term by which runs of words are found.
const MAX_POSITIONS: usize = 20_000;
/// The same of a word that is no term: one that has more is not read on.
const MAX_OTHER_POSITIONS: usize = 2_000;
/// Most terms of a sentence whose other words are looked at, too: more terms tell by themselves where they stand in a row.
const MAX_FEW_TERMS: usize = 3;
/// Most turns whose texts are read for them.
const MAX_READ: usize = 6;

/// The turns that match a query by word, with the statistics of its terms.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LexicalMatches {
    /// Turns with BM25 (higher is better), best first.
    pub turns: Vec<ScoredItem<TurnId>>,
    /// Each term of the query with the number of turns that hold it.
    pub terms: Vec<TermStats>,
    /// Turns in the lexical index.
    pub total_turns: u64,
}

impl LexicalMatches {
    /// Returns the share of the query's sum of idf that a turn matched, 0 to 1.
    pub fn idf_share(&self, turn: TurnId) -> f32 {
        let all: f32 = self.terms.iter().map(|t| t.idf).sum();
        if all > 0.0 {
            self.matched_idf(turn) / all
        } else {
            0.0
        }
    }

    /// Returns the idf that a turn matched over the greatest possible idf, that of a term in one turn.
    pub fn relative_idf(&self, turn: TurnId) -> f32 {
        self.matched_idf(turn) / idf(self.total_turns, 1)
    }

    /// Returns the idf of a term that `turns` turns hold.
    pub fn idf(&self, turns: u64) -> f32 {
        idf(self.total_turns, turns)
    }

    /// Returns the sum of idf over the terms that a turn holds.
    fn matched_idf(&self, turn: TurnId) -> f32 {
        self.terms.iter().map(|t| t.matched_idf(turn)).sum()
    }
}

/// Returns the texts of a turn by column of the word index.
pub(crate) fn indexed_texts<'t>(
    content: &'t TurnContent,
    title: &'t str,
) -> [Cow<'t, str>; COLUMNS] {
    let prompt = content.indexed_prompt();
    let answer = if prompt_content::is_own_output(&content.answer) {
        ""
    } else {
        &content.answer
    };
    let commands = content.commands.iter();
    let commands: Vec<Cow<'_, str>> = commands
        .map(|command| without_agent_trailers(command))
        .collect();
    let lists = [&content.files, &content.errors];
    let lists = lists.into_iter().flatten().map(String::as_str);
    let texts = [prompt, answer].into_iter();
    let texts = texts.chain(commands.iter().map(AsRef::as_ref)).chain(lists);
    [
        text::filter_chars(answer),
        text::filter_chars(prompt),
        text::filter_chars(title),
        join_filtered(&commands),
        join_filtered(&content.files),
        join_filtered(&content.errors),
        Cow::Owned(text::camel_case_parts(texts)),
    ]
}

fn join_filtered(lines: &[impl Borrow<str>]) -> Cow<'static, str> {
    Cow::Owned(text::filter_chars(&lines.join("\n")).into_owned())
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
    ) -> Result<LexicalMatches> {
        if query.terms.is_empty() {
            return Ok(LexicalMatches::default());
        }
        let (totals, turns) = (self.word_totals()?, self.turn_columns()?);
        let vocabulary = Vocabulary::read(&self.db)?;
        let searched = searched_terms(
            query,
            vocabulary.inflections(query)?,
            vocabulary.complete_last_term(query)?,
        );
        let positions = query.sentence.as_ref().map_or(0, |_| MAX_POSITIONS);
        let mut found = self.find_terms(searched, PositionLimit::keep(positions))?;
        let has_phrase = self.find_phrase(query, &mut found)?;
        if let Some(sentence) = query.sentence.as_deref().filter(|_| !has_phrase) {
            self.find_runs(sentence, totals, &mut found, &mut passes)?;
        }
        self.find_errors(&mut found)?;
        self.find_substitutes(&vocabulary, &mut found, totals.turns)?;
        let mut best = TopK::new(limit, best_first);
        for hit in bm25(&found, totals, &turns) {
            if best.may_hold(&hit) && passes(hit.id)? {
                best.push(hit);
            }
        }
        Ok(LexicalMatches {
            turns: best.into_sorted(),
            terms: found
                .into_iter()
                .filter_map(|term| term.into_stats(totals.turns))
                .collect(),
            total_turns: totals.turns,
        })
    }

    /// Reads the postings of all phrases at once: that takes two connections where there are many.
    fn find_terms(
        &self,
        searched: Vec<SearchedTerm>,
        limit: PositionLimit,
    ) -> Result<Vec<FoundTerm>> {
        let phrases: Vec<String> = searched.iter().flat_map(|t| t.all_phrases()).collect();
        let mut lists = self.posting_lists(&phrases, limit)?;
        let find = |term: SearchedTerm| {
            let count = term.all_phrases().count();
            FoundTerm::new(term, lists.drain(..count).collect())
        };
        Ok(searched.into_iter().map(find).collect())
    }

    /// Finds the turns that hold the words of a query in a row, where few postings are to be read again for it. Returns true
    /// where some do.
    fn find_phrase(&self, query: &Query, found: &mut Vec<FoundTerm>) -> Result<bool> {
        let held = found.iter().map(FoundTerm::turn_count);
        let all: usize = held.clone().sum();
        let is_possible = held.min().is_some_and(|least| least > 0) && all <= MAX_PHRASE_POSTINGS;
        let Some(words) = query.phrase.as_deref().filter(|_| is_possible) else {
            return Ok(false);
        };
        let term = SearchedTerm::word_run(words, 1.0);
        let mut phrase = self.find_terms(vec![term], PositionLimit::keep(0))?;
        phrase.retain(|phrase| phrase.turn_count() > 0);
        let is_held = !phrase.is_empty();
        found.extend(phrase);
        Ok(is_held)
    }

    /// Finds the turns that hold the longest runs of words of a sentence.
    fn find_runs(
        &self,
        sentence: &str,
        totals: WordTotals,
        found: &mut Vec<FoundTerm>,
        passes: impl FnMut(TurnId) -> Result<bool>,
    ) -> Result<()> {
        let sentence = Sentence::new(sentence);
        let mut terms = PositionedTerms::new(&sentence, found, totals.turns);
        let others = if found.len() <= MAX_FEW_TERMS {
            terms.other_words()
        } else {
            Vec::new()
        };
        let positions = self.rare_positions(&others, MAX_OTHER_POSITIONS)?;
        terms.add_others(&others, &positions);
        let runs = self.read_runs(&sentence, &terms, passes)?;
        let runs = terms.choose(runs);
        if !runs.is_empty() {
            let to_term =
                |run: &WordRun| SearchedTerm::word_run(sentence.text_of(&run.words), run.share);
            let runs = runs.iter().map(to_term).collect();
            found.extend(self.find_terms(runs, PositionLimit::keep(0))?);
        }
        Ok(())
    }

    /// Reads the runs of a sentence that turns hold in which its terms stand as in the sentence.
    fn read_runs(
        &self,
        sentence: &Sentence<'_>,
        terms: &PositionedTerms<'_>,
        mut passes: impl FnMut(TurnId) -> Result<bool>,
    ) -> Result<Vec<Range<usize>>> {
        let (mut runs, mut read) = (Vec::new(), 0);
        for turn in terms.aligned_turns() {
            let turn = TurnId::new(turn.into());
            if read == MAX_READ {
                break;
            }
            if passes(turn)? {
                runs.extend(sentence.runs_in(self.content(turn)?.searched_texts()));
                read += 1;
            }
        }
        Ok(runs)
    }

    fn word_totals(&self) -> Result<WordTotals> {
        // FTS5 keeps the number of rows, followed by the tokens of each column, as varints in the record
        // of its averages; to count the rows takes as long as a query.
        let select = "SELECT block FROM words_data WHERE id = 1";
        let averages: Option<Vec<u8>> = self.db.first(select, [], |row| row.get(0))?;
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

/// Returns the turns that hold a phrase with their BM25, as FTS5 computes it:
/// `sum of idf * f * (K1 + 1) / (f + K1 * (1 - B + B * length / mean length))`.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "counts of turns and tokens; scores have the precision of a float"
)]
fn bm25(
    terms: &[FoundTerm],
    totals: WordTotals,
    turns: &TurnColumns,
) -> impl Iterator<Item = ScoredItem<TurnId>> {
    let total = totals.turns as f64;
    let mean_tokens = (totals.tokens as f64 / total.max(1.0)).max(f64::MIN_POSITIVE);
    let lists: Vec<WeightedPostings<'_>> = terms.iter().flat_map(FoundTerm::lists).collect();
    let last = lists.iter().filter_map(|list| list.postings.last());
    let len = last.map(|posting| posting.turn as usize + 1).max();
    // A turn beyond the columns is damage: nothing says whose it is.
    let mut scores = vec![f64::NAN; len.unwrap_or_default().min(turns.len())];
    for list in lists {
        let count = list.turns as f64;
        let idf = ((total - count + 0.5) / (count + 0.5)).ln();
        let idf = f64::from(list.weight) * if idf > 0.0 { idf } else { MIN_IDF };
        for posting in list.postings {
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
    scored.map(|(score, turn)| ScoredItem {
        id: TurnId::new(turn),
        score: score as f32,
    })
}

/// Orders hits by score, of equals the older turn first.
fn best_first(a: &ScoredItem<TurnId>, b: &ScoredItem<TurnId>) -> Ordering {
    b.score.total_cmp(&a.score).then(a.id.cmp(&b.id))
}

/// Quotes a term as an FTS5 string: nothing in it is syntax.
pub(crate) fn fts5_string(term: &str) -> String {
    format!("\"{}\"", text::filter_chars(term).replace('"', "\"\""))
}
