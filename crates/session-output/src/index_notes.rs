//! Notes on a refresh of the index: files read, removed and left.

use crate::forget_report::format_removed_counts;
use session_display::{pluralize, sanitize_line};
use session_forget::RemovedCounts;
use session_indexer::{OldDatabase, RefreshOutcome, Unwritable};
use std::time::Duration;

/// Formats notes on what a refresh removed and left unread.
pub fn format_refresh_notes(outcome: &RefreshOutcome) -> Vec<String> {
    let mut notes = Vec::from_iter(format_removed(outcome));
    match format_unwritable(outcome) {
        Some(note) => notes.push(note),
        None => {
            notes.extend(format_open_directory(outcome));
            notes.extend(format_old_database(outcome));
            notes.extend(format_unread(outcome));
        }
    }
    notes
}

fn format_unwritable(outcome: &RefreshOutcome) -> Option<String> {
    let Unwritable { reason, hint } = outcome.unwritable.as_ref()?;
    Some(format!(
        "the index cannot be written ({reason}); it is searched as it is\nhint: {hint}"
    ))
}

/// Formats a note that others could write to the index, if they could.
pub fn format_open_directory(outcome: &RefreshOutcome) -> Option<String> {
    let note = "others could write to the folder of the index: it is closed to them now\n\
        hint: `session-search index --full` builds the index anew, should they have";
    outcome.was_open_to_others.then(|| note.to_owned())
}

/// Formats a note on a database that was put aside, if one was.
pub fn format_old_database(outcome: &RefreshOutcome) -> Option<String> {
    Some(match outcome.old_database.as_ref()? {
        OldDatabase::PutAside(path) => format!(
            "the old index could not be read to its end; sessions whose history is gone may be left in its database alone, `{}`",
            sanitize_line(&path.to_string_lossy())
        ),
        OldDatabase::MayHoldRemoved(path) => format!(
            "`{}`, a database that was put aside, may still hold what was removed\nhint: delete it if you miss nothing",
            sanitize_line(&path.to_string_lossy())
        ),
    })
}

/// Describes what a refresh removed from the index, if it did.
fn format_removed(outcome: &RefreshOutcome) -> Option<String> {
    let removed = outcome.removed;
    (removed != RemovedCounts::default()).then(|| {
        format!(
            "removed {} that are excluded",
            format_removed_counts(removed)
        )
    })
}

fn format_unread(outcome: &RefreshOutcome) -> Option<String> {
    let left = match (outcome.files_left, outcome.sessions_left) {
        (0, 0) => None,
        (0, n) => Some(format!("{} still to be embedded", pluralize(n, "session"))),
        (n, _) => Some(format!("{} still to be read", pluralize(n, "changed file"))),
    };
    match (outcome.locked, left) {
        (true, left) => {
            let left = left.map(|left| format!(", {left}")).unwrap_or_default();
            Some(format!(
                "another process is updating the index{left}; this answer may be incomplete"
            ))
        }
        (false, Some(left)) => Some(format!(
            "{left}; the next search goes on, or run `session-search index`"
        )),
        (false, None) => None,
    }
}

/// Formats the outcome of an update of the index, and how long it took.
pub fn format_index_outcome(outcome: &RefreshOutcome, took: Duration) -> String {
    let mut out = if outcome.files_read + outcome.embedded == 0 {
        "nothing new".to_owned()
    } else {
        let files = pluralize(outcome.files_read, "changed file");
        let turns = pluralize(outcome.turns, "turn");
        format!(
            "read {turns} from {files}, embedded {}",
            pluralize(outcome.embedded, "text")
        )
    };
    if outcome.files_gone > 0 {
        out.push_str(&format!(
            ", marked {} as gone",
            pluralize(outcome.files_gone, "file")
        ));
    }
    if let Some(removed) = format_removed(outcome) {
        out.push_str(&format!(", {removed}"));
    }
    format!("{out} ({:.1} s)", took.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_noted_and_nothing_else() {
        assert_eq!(format_refresh_notes(&RefreshOutcome::default()), [""; 0]);
        let left = RefreshOutcome {
            files_left: 2,
            sessions_left: 1,
            locked: true,
            ..RefreshOutcome::default()
        };
        assert_eq!(
            format_refresh_notes(&left),
            [
                "another process is updating the index, 2 changed files still to be read; this answer may be incomplete"
            ]
        );
        let unwritable = RefreshOutcome {
            unwritable: Some(Unwritable {
                reason: "read-only".into(),
                hint: "see that it can be written",
            }),
            ..left
        };
        assert_eq!(
            format_refresh_notes(&unwritable),
            [
                "the index cannot be written (read-only); it is searched as it is\nhint: see that it can be written"
            ]
        );
    }
}
