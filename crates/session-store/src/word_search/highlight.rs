//! Finds the words of a query in a text, as the word index matches them.

use crate::error::Result;
use crate::word_search::lexical::{TOKENIZER, fts5_string};
use rusqlite::{Connection, params};
use session_core::text;
use std::ops::Range;
use unicode_segmentation::GraphemeCursor;

/// The marks that FTS5 puts before and after a match; no searched text holds them.
const BEGIN: char = '\u{1}';
const END: char = '\u{2}';

/// Returns the byte ranges at which `terms` match in each of `texts`, in order. A word matches whatever
/// its ending, accents and case, a term of several words as a phrase.
///
/// FTS5 finds them in a table in memory (`highlight()`), since the index keeps no texts: so they match
/// here as they do there. A match ends behind the character as people see it, with vowel signs that are no part of a word
/// to the tokenizer.
///
/// # Errors
/// When SQLite fails.
pub fn find_term_ranges(terms: &[&str], texts: &[&str]) -> Result<Vec<Vec<Range<usize>>>> {
    let mut found = vec![Vec::new(); texts.len()];
    if terms.is_empty() || texts.is_empty() {
        return Ok(found);
    }
    let db = table_of(texts)?;
    let any: Vec<String> = terms.iter().map(|term| fts5_string(term)).collect();
    let mut find =
        db.prepare("SELECT rowid, highlight(shown, 0, ?2, ?3) FROM shown WHERE shown MATCH ?1")?;
    let marks = [BEGIN, END].map(String::from);
    let mut rows = find.query(params![any.join(" OR "), marks[0], marks[1]])?;
    while let Some(row) = rows.next()? {
        let at = row.get::<_, u32>(0)? as usize;
        let marked: String = row.get(1)?;
        if let (Some(found), Some(text)) = (found.get_mut(at), texts.get(at)) {
            *found = whole_graphemes(text, marked_ranges(text, &marked));
        }
    }
    Ok(found)
}

/// Makes a table in memory that holds each text as the index would.
fn table_of(texts: &[&str]) -> Result<Connection> {
    let db = Connection::open_in_memory()?;
    db.execute_batch(&format!(
        "BEGIN; CREATE VIRTUAL TABLE shown USING fts5(text, tokenize='{TOKENIZER}');"
    ))?;
    let mut insert = db.prepare("INSERT INTO shown(rowid, text) VALUES(?1, ?2)")?;
    for (at, text) in (0u32..).zip(texts) {
        let text = text.replace(char::is_control, " ");
        insert.execute(params![at, text::filter_chars(&text)])?;
    }
    drop(insert);
    Ok(db)
}

/// Returns the ranges of a text that are marked in what [`text::filter_chars`] and FTS5 made of it: its filtered characters,
/// with spaces and marks between them.
fn marked_ranges(text: &str, marked: &str) -> Vec<Range<usize>> {
    let filtered = text::filtered_chars(text);
    let starts_after = filtered.clone().skip(1).map(|next| next.start);
    let ends = starts_after.chain([text.len()]);
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut is_marked = false;
    let mut marked = marked.chars();
    for (text::FilteredChar { start, c }, end) in filtered.zip(ends) {
        for other in marked.by_ref() {
            match other {
                BEGIN => is_marked = true,
                END => is_marked = false,
                other if other == c || c.is_control() => break,
                _ => {}
            }
        }
        match ranges.last_mut() {
            _ if !is_marked => {}
            Some(last) if last.end >= start => last.end = end,
            _ => ranges.push(start..end),
        }
    }
    ranges
}

/// Extends ranges to whole grapheme clusters; those that overlap then are one.
fn whole_graphemes(text: &str, ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    if text.is_ascii() {
        return ranges;
    }
    let mut whole: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        let start = nearest_boundary(text, range.start, GraphemeCursor::prev_boundary);
        let end = nearest_boundary(text, range.end, GraphemeCursor::next_boundary);
        match whole.last_mut() {
            Some(last) if start < last.end => last.end = end,
            _ => whole.push(start..end),
        }
    }
    whole
}

type StepToBoundary = fn(&mut GraphemeCursor, &str, usize) -> StepResult;
type StepResult = std::result::Result<Option<usize>, unicode_segmentation::GraphemeIncomplete>;

/// Returns `at` where a grapheme cluster begins or ends there, else the boundary to which `step` goes.
fn nearest_boundary(text: &str, at: usize, step: StepToBoundary) -> usize {
    let mut cursor = GraphemeCursor::new(at, text.len(), true);
    // The whole text is given: nothing is incomplete.
    match cursor.is_boundary(text, 0) {
        Ok(false) => step(&mut cursor, text, 0).ok().flatten().unwrap_or(at),
        _ => at,
    }
}
