//! Hits in few words, for whoever pays by the word: `search --json --compact`.

use crate::search_listing::SearchListing;
use serde::Serialize;
use session_core::text::shorten_words;
use session_core::{ConfidenceBand, safe_json};
use session_display::{
    SessionIds, fit_line, format_day, project_label, sanitize_line, visible_title,
};
use session_indexer::RefreshOutcome;
use session_search::{HitOrder, SearchHit, SearchResults, UnfoundTerms};
use std::borrow::Cow;

/// Most bytes of a hit: about 100 tokens, at four bytes a token.
const MAX_HIT_BYTES: usize = 400;
/// Most columns of a title and of a project's name.
const MAX_TITLE_WIDTH: usize = 72;
const MAX_PROJECT_WIDTH: usize = 24;
/// Most characters of a query, or of an error, that is repeated in an answer.
const MAX_ECHO_CHARS: usize = 200;
/// The end of a text that is cut.
const ELLIPSIS: &str = "…";

/// A hit of the compact answer: its address and score, and enough to tell whether to read on.
#[derive(Serialize)]
struct CompactHit {
    session: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    turn: Option<u32>,
    /// Null where hits are listed by time.
    band: Option<ConfidenceBand>,
    date: String,
    project: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    preview: String,
}

/// The compact answer without its hits, which are joined into it.
#[derive(Serialize)]
struct CompactAnswer<'a> {
    query: Cow<'a, str>,
    /// All that were searched.
    sessions: usize,
    /// True where the index was up to date with the histories; null where nobody looked.
    complete: Option<bool>,
    left_out: &'a [String],
    #[serde(flatten)]
    unfound: Cow<'a, UnfoundTerms>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    hints: &'a [String],
}

impl SearchListing<'_> {
    /// Formats the answer as JSON with a line a hit.
    ///
    /// # Errors
    /// When a hit cannot be serialised.
    pub fn compact_json(&self) -> serde_json::Result<String> {
        let (answer, results) = (self.answer, &self.answer.results);
        let hits = results.hits.iter();
        let hits: serde_json::Result<Vec<String>> = hits
            .map(|hit| format_hit_fields(results, hit, &self.ids))
            .collect();
        let around = CompactAnswer {
            query: clip_echo(&answer.query.typed),
            sessions: results.searched.sessions,
            complete: self.refreshed.map(RefreshOutcome::has_read_all),
            left_out: &answer.filter.excluded_callers,
            unfound: Cow::Borrowed(&results.explanation.unfound),
            hints: &self.hints(),
        };
        join_hits(&around, &hits?)
    }
}

/// Formats the answer where there is no history, as `hints` say.
///
/// # Errors
/// When the query cannot be serialised.
pub fn compact_json_without_history(
    query: &str,
    refreshed: Option<&RefreshOutcome>,
    hints: &[String],
) -> serde_json::Result<String> {
    let around = CompactAnswer {
        query: clip_echo(query),
        sessions: 0,
        complete: refreshed.map(RefreshOutcome::has_read_all),
        left_out: &[],
        unfound: Cow::default(),
        hints,
    };
    join_hits(&around, &[])
}

/// Returns the beginning of a query that is repeated in its answer, cut at a word's end: a query can be a whole prompt.
pub(crate) fn clip_echo(query: &str) -> Cow<'_, str> {
    let end = query.char_indices().nth(MAX_ECHO_CHARS);
    shorten_words(query, end.map_or(query.len(), |(end, _)| end))
}

fn join_hits(around: &CompactAnswer<'_>, hits: &[String]) -> serde_json::Result<String> {
    let around = safe_json::format_compact(around)?;
    let hits: Vec<String> = hits.iter().map(|hit| format!("\n{hit}")).collect();
    let end = if hits.is_empty() { "" } else { "\n" };
    let around = around.strip_suffix('}').unwrap_or(&around);
    Ok(format!("{around},\"hits\":[{}{end}]}}", hits.join(",")))
}

/// Formats one hit as JSON of at most [`MAX_HIT_BYTES`] bytes: the preview takes what room the rest leaves it.
fn format_hit_fields(
    results: &SearchResults,
    hit: &SearchHit,
    ids: &SessionIds<'_>,
) -> serde_json::Result<String> {
    let session = &hit.session;
    let mut compact = CompactHit {
        session: ids.short_id(session),
        turn: hit.turn.as_ref().map(|turn| turn.index),
        band: (results.order == HitOrder::Relevance).then_some(hit.band),
        date: format_day(hit.time_ms),
        project: fit_line(project_label(session), MAX_PROJECT_WIDTH),
        title: visible_title(session).map(|title| fit_line(title, MAX_TITLE_WIDTH)),
        preview: String::new(),
    };
    let room = MAX_HIT_BYTES.saturating_sub(serde_json::to_string(&compact)?.len());
    let preview = sanitize_line(&hit.preview);
    compact.preview = clip_to_room(&preview, room);
    serde_json::to_string(&compact)
}

/// Returns a text of at most `room` bytes in JSON: its beginning, and `…` where it is cut.
fn clip_to_room(text: &str, room: usize) -> String {
    let head = fitting_head(text, room);
    if head.len() == text.len() {
        return text.to_owned();
    }
    match room.checked_sub(ELLIPSIS.len()) {
        Some(room) => format!("{}{ELLIPSIS}", fitting_head(text, room).trim_end()),
        None => String::new(),
    }
}

/// Returns as much of the beginning as takes at most `room` bytes in JSON.
fn fitting_head(text: &str, room: usize) -> &str {
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

    #[test]
    fn a_long_query_is_cut_at_a_words_end() {
        let words = "lamp ".repeat(40);
        let clipped = |query: &str| clip_echo(query).into_owned();
        assert_eq!(clipped(&words), words, "as long as may be");
        assert_eq!(
            clipped(&format!("{words}oil")),
            format!("{}…", words.trim_end())
        );
        assert_eq!(
            clipped(&format!("oil {words}")),
            format!("oil {}…", "lamp ".repeat(39).trim_end())
        );
        let chinese = "灯".repeat(201);
        assert_eq!(clipped(&chinese), format!("{}…", "灯".repeat(200)));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

        #[test]
        fn what_is_cut_fits(text in "[a-z\"\\\\ 上次é😀]{0,60}", room in 0usize..80) {
            let text = sanitize_line(&text);
            let short = clip_to_room(&text, room);
            let bytes = |text: &str| serde_json::to_string(text).unwrap().len() - 2;
            prop_assert!(bytes(&short) <= room);
            if short != text {
                let head = short.strip_suffix(ELLIPSIS).unwrap_or_default();
                prop_assert!(text.starts_with(head));
                // Beside a character of four bytes a space may have been cut.
                prop_assert!(bytes(head) + ELLIPSIS.len() + 5 > room, "{short} is cut for no reason");
            }
        }
    }
}
