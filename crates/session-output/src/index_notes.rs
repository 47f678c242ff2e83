//! Notes on a refresh of the index: files read, removed and left.

use crate::forget_report::format_removed_counts;
use session_display::{pluralize, sanitize_line};
use session_forget::RemovedCounts;
use session_indexer::{OldDatabase, Outcome, Unwritable};
use std::time::Duration;

/// Formats notes on what a refresh removed and left unread; empty where there is nothing to note.
pub fn format_refresh_notes(outcome: &Outcome) -> String {
    let mut out = String::new();
    if let Some(removed) = format_removed(outcome) {
        out += &format!("note: {removed}\n");
    }
    if let Some(Unwritable { reason, hint }) = &outcome.unwritable {
        out += &format!(
            "note: the index cannot be written ({reason}); it is searched as it is\nhint: {hint}\n"
        );
        return out;
    }
    out += &format_open_directory(outcome);
    out += &format_old_database(outcome);
    if let Some(note) = format_unread(outcome) {
        out += &format!("{note}\n");
    }
    out
}

/// Formats a note that others could write to the index; empty where they could not.
pub fn format_open_directory(outcome: &Outcome) -> String {
    if !outcome.was_open_to_others {
        return String::new();
    }
    let note = "others could write to the folder of the index: it is closed to them now";
    format!(
        "note: {note}\nhint: `session-search index --full` builds the index anew, should they have\n"
    )
}

/// Formats a note on a database that was put aside; empty where nothing is to be said of it.
pub fn format_old_database(outcome: &Outcome) -> String {
    match &outcome.old_database {
        None => String::new(),
        Some(OldDatabase::PutAside(path)) => format!(
            "note: the old index could not be read to its end; sessions whose history is gone may be left in its database alone, `{}`\n",
            sanitize_line(&path.to_string_lossy())
        ),
        Some(OldDatabase::MayHoldRemoved(path)) => format!(
            "note: `{}`, a database that was put aside, may still hold what was removed\nhint: delete it if you miss nothing\n",
            sanitize_line(&path.to_string_lossy())
        ),
    }
}

/// Describes what a refresh removed from the index, if it did.
fn format_removed(outcome: &Outcome) -> Option<String> {
    let removed = outcome.removed;
    (removed != RemovedCounts::default()).then(|| {
        format!(
            "removed {} that are excluded",
            format_removed_counts(removed)
        )
    })
}

fn format_unread(outcome: &Outcome) -> Option<String> {
    let left = match (outcome.files_left, outcome.sessions_left) {
        (0, 0) => None,
        (0, n) => Some(format!("{} still to be embedded", pluralize(n, "session"))),
        (n, _) => Some(format!("{} still to be read", pluralize(n, "changed file"))),
    };
    match (outcome.locked, left) {
        (true, left) => {
            let left = left.map(|left| format!(", {left}")).unwrap_or_default();
            Some(format!(
                "note: another process is updating the index{left}; this answer may be incomplete"
            ))
        }
        (false, Some(left)) => Some(format!(
            "note: {left}; the next search goes on, or run `session-search index`"
        )),
        (false, None) => None,
    }
}

/// Formats the outcome of an update of the index, and how long it took.
pub fn format_index_outcome(outcome: &Outcome, took: Duration) -> String {
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
        assert_eq!(format_refresh_notes(&Outcome::default()), "");
        let left = Outcome {
            files_left: 2,
            sessions_left: 1,
            locked: true,
            ..Outcome::default()
        };
        assert_eq!(
            format_refresh_notes(&left),
            "note: another process is updating the index, 2 changed files still to be read; this answer may be incomplete\n"
        );
        let unwritable = Outcome {
            unwritable: Some(Unwritable {
                reason: "read-only".into(),
                hint: "see that it can be written",
            }),
            ..left
        };
        let notes = format_refresh_notes(&unwritable);
        assert!(notes.starts_with("note: the index cannot be written (read-only)"));
        assert!(
            notes.ends_with("\nhint: see that it can be written\n"),
            "{notes}"
        );
        assert!(!notes.contains("another process"), "{notes}");
    }
}
