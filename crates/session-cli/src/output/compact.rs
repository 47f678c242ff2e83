//! Hits in few words, for whoever pays by the word: `search --json --compact`.

use crate::command::search::SearchAnswer;
use crate::output::json::date;
use crate::output::layout::{line, safe_line};
use crate::output::session::{day, project, short_id, visible_title};
use anyhow::Result;
use serde::Serialize;
use session_core::Band;
use session_core::safe_json;
use session_indexer::Outcome;
use session_search::{Hit, HitOrder, Results};
use session_store::SessionRow;
use std::io::Write;

/// Most bytes of a hit: about 100 tokens, at four bytes a token.
const HIT: usize = 400;
/// Most columns of a title and of a project's name.
const TITLE: usize = 72;
const PROJECT: usize = 24;

/// A hit: which, how sure, and enough to tell whether to read on.
#[derive(Serialize)]
struct Compact<'a> {
    session: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    turn: Option<u32>,
    /// Null where hits are listed by time.
    band: Option<Band>,
    date: String,
    project: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    preview: &'a str,
}

/// An answer around its hits.
#[derive(Serialize)]
struct Around<'a> {
    query: &'a str,
    /// All that were searched.
    sessions: usize,
    /// Whether the index was as the histories are; null where nobody looked.
    complete: Option<bool>,
    left_out: &'a [String],
    /// Terms that no session holds.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    missing: &'a [String],
}

/// Prints an answer, a line a hit.
///
/// # Errors
/// When stdout cannot be written.
pub fn print(answer: &SearchAnswer, all: &[SessionRow], refreshed: Option<&Outcome>) -> Result<()> {
    let results = &answer.results;
    let hits = results.hits.iter();
    let hits: Result<Vec<String>> = hits.map(|hit| hit_fields(results, hit, all)).collect();
    let around = Around {
        query: &answer.query,
        sessions: results.searched.sessions,
        complete: refreshed.map(Outcome::is_complete),
        left_out: &answer.left_out,
        missing: &results.explanation.missing,
    };
    write(&around, &hits?)
}

/// Prints the answer where there is no history.
///
/// # Errors
/// When stdout cannot be written.
pub fn print_nothing(query: &str, refreshed: Option<&Outcome>) -> Result<()> {
    let around = Around {
        query,
        sessions: 0,
        complete: refreshed.map(Outcome::is_complete),
        left_out: &[],
        missing: &[],
    };
    write(&around, &[])
}

fn write(around: &Around<'_>, hits: &[String]) -> Result<()> {
    let around = safe_json::compact(around)?;
    let hits: Vec<String> = hits.iter().map(|hit| format!("\n{hit}")).collect();
    let end = if hits.is_empty() { "" } else { "\n" };
    let around = around.strip_suffix('}').unwrap_or(&around);
    let text = format!("{around},\"hits\":[{}{end}]}}", hits.join(","));
    Ok(writeln!(std::io::stdout(), "{text}")?)
}

/// One hit as JSON, of at most [`HIT`] bytes: the preview takes what room the
/// rest leaves it.
fn hit_fields(results: &Results, hit: &Hit, all: &[SessionRow]) -> Result<String> {
    let session = &hit.session;
    let mut compact = Compact {
        session: short_id(session, all),
        turn: hit.turn.as_ref().map(|turn| turn.index),
        band: (results.order == HitOrder::Relevance).then_some(hit.band),
        date: day(date(results.level, hit)),
        project: line(&safe_line(project(session)), PROJECT),
        title: visible_title(session).map(|title| line(&safe_line(title), TITLE)),
        preview: "",
    };
    let room = HIT.saturating_sub(serde_json::to_string(&compact)?.len());
    let preview = safe_line(&hit.preview);
    compact.preview = cut(&preview, room);
    Ok(serde_json::to_string(&compact)?)
}

/// As much of the beginning as takes at most `room` bytes in JSON.
fn cut(text: &str, room: usize) -> &str {
    let mut used = 0;
    let end = text.char_indices().find(|(_, c)| {
        used += match c {
            '"' | '\\' => 2,
            c => c.len_utf8(),
        };
        used > room
    });
    end.map_or(text, |(at, _)| &text[..at])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

        #[test]
        fn what_is_cut_fits(text in "[a-z\"\\\\ 上次é😀]{0,60}", room in 0usize..80) {
            let text = safe_line(&text);
            let short = cut(&text, room);
            prop_assert!(text.starts_with(short));
            let bytes = |text: &str| serde_json::to_string(text).unwrap().len() - 2;
            prop_assert!(bytes(short) <= room);
            prop_assert!(short == text || bytes(short) + 4 > room, "{short} is cut for no reason");
        }
    }
}
