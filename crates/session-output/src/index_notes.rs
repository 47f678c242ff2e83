//! Notes on a refresh of the index: files read, removed and left.

use crate::forget_report::format_removed_counts;
use crate::units::format_time_left;
use crate::work::join_names;
use session_core::text::{file_name, path_line};
use session_display::{Note, pluralize, sanitize_line};
use session_forget::{ContentCounts, MARKER};
use session_indexer::{OldDatabase, RefreshOutcome, Unwritable};
use session_query::UnembeddedSessions;
use session_store::RewrittenCounts;
use std::time::Duration;

/// Most projects, or sessions, that a note on removed sessions names.
const MAX_REMOVED_NAMES: usize = 5;
/// Says which folders a rule names.
const RULES_HINT: &str =
    "a rule of `exclude` names whole folders, and `*` in it stands for anything";
/// How a session is left out in which the marker does not count.
const MARKER_HINT: &str = "type it first or last in a prompt, or on a line of its own; `session-search forget ID` removes a session";

/// The front end whose user reads a note on a refresh, which decides what can be done next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoteReader {
    /// The command line: a person.
    CommandLine,
    /// The server of the Model Context Protocol: an agent.
    Agent,
}

/// Formats notes on what a refresh removed and left unread, for the command line.
pub fn format_refresh_notes(outcome: &RefreshOutcome) -> Vec<Note> {
    let hint = (!outcome.removed_projects.is_empty()).then_some(RULES_HINT);
    let removed = format_removed(outcome).map(|text| Note::new(text).with_hints(hint));
    let mut notes = Vec::from_iter(removed);
    notes.extend(format_redacted(outcome));
    notes.extend(format_marked_sessions(outcome));
    if outcome.unwritable.is_none() {
        notes.extend(format_open_directory(outcome));
        notes.extend(format_old_database(outcome));
    }
    notes.extend(format_unfinished_refresh(outcome, NoteReader::CommandLine));
    notes
}

/// Formats what a refresh left unread, or that the index cannot be written; `None` if nothing is left.
pub fn format_unfinished_refresh(outcome: &RefreshOutcome, reader: NoteReader) -> Option<Note> {
    match &outcome.unwritable {
        Some(unwritable) => Some(format_unwritable(unwritable, reader)),
        None => format_unread(outcome, reader).map(Note::new),
    }
}

fn format_unwritable(unwritable: &Unwritable, reader: NoteReader) -> Note {
    let Unwritable { reason, hint } = unwritable;
    let text = format!("the index cannot be written ({reason}); it is searched as it is");
    match reader {
        NoteReader::CommandLine => Note::new(text).with_hint(*hint),
        NoteReader::Agent => Note::new(text),
    }
}

/// Formats a note that others could write to the index, if they could.
pub fn format_open_directory(outcome: &RefreshOutcome) -> Option<Note> {
    let format = || {
        Note::new("others could write to the folder of the index: it is closed to them now")
            .with_hint("`session-search index --full` builds the index anew, should they have")
    };
    outcome.was_open_to_others.then(format)
}

/// Formats a note on a database that was renamed to `….old`, if one was.
pub fn format_old_database(outcome: &RefreshOutcome) -> Option<Note> {
    Some(match outcome.old_database.as_ref()? {
        OldDatabase::Renamed(path) => Note::new(format!(
            "the old index could not be read to its end; sessions whose history is gone may be left in its database alone, `{}`",
            path_line(path)
        )),
        OldDatabase::MayHoldRemoved(path) => Note::new(format!(
            "`{}`, a database that was put aside, may still hold what was removed",
            path_line(path)
        ))
        .with_hint("delete it if you miss nothing"),
    })
}

/// Formats a note on what the index held and was redacted by rules that came later, if anything was.
pub fn format_redacted(outcome: &RefreshOutcome) -> Option<Note> {
    let RewrittenCounts { turns, sessions } = outcome.redacted;
    let turns = (turns > 0).then(|| pluralize(turns, "turn"));
    let names = (sessions > 0).then(|| format!("names of {}", pluralize(sessions, "session")));
    let redacted: Vec<String> = turns.into_iter().chain(names).collect();
    let format = || {
        let redacted = redacted.join(" and ");
        Note::new(format!("redacted {redacted} by the rules of now"))
    };
    (!redacted.is_empty()).then(format)
}

/// Names projects in brackets, for the end of a clause.
fn name_projects(paths: &[String]) -> String {
    let names = paths.iter();
    let names: Vec<String> = names.map(|path| sanitize_line(file_name(path))).collect();
    match &names[..] {
        [] => String::new(),
        names => format!(" (projects: {})", join_names(names, MAX_REMOVED_NAMES)),
    }
}

/// Describes what a refresh removed from the index, if it did.
fn format_removed(outcome: &RefreshOutcome) -> Option<String> {
    let removed = outcome.removed;
    let projects = name_projects(&outcome.removed_projects);
    (removed != ContentCounts::default()).then(|| {
        format!(
            "removed {} that are excluded{projects}",
            format_removed_counts(removed)
        )
    })
}

/// Formats notes on the sessions with a marker in a prompt: those that it excluded, and those in which it does not count.
pub fn format_marked_sessions(outcome: &RefreshOutcome) -> Vec<Note> {
    let marked = name_sessions(&outcome.marked_sessions).map(|sessions| {
        let reason = format!("a prompt begins or ends with `{MARKER}`, or has it on its own line");
        Note::new(format!("{sessions} left out: {reason}"))
    });
    let uncounted = name_sessions(&outcome.uncounted_markers).map(|sessions| {
        let reason = format!("`{MARKER}` stands within a line or in code, where it does not count");
        Note::new(format!("{sessions} indexed: {reason}")).with_hint(MARKER_HINT)
    });
    marked.into_iter().chain(uncounted).collect()
}

/// Names sessions, with the verb of a sentence about them; `None` if there are none.
fn name_sessions(ids: &[String]) -> Option<String> {
    let ids: Vec<String> = ids.iter().map(|id| sanitize_line(id)).collect();
    Some(match &ids[..] {
        [] => return None,
        [id] => format!("session {id} is"),
        ids => format!(
            "{} are ({})",
            pluralize(ids.len(), "session"),
            join_names(ids, MAX_REMOVED_NAMES)
        ),
    })
}

fn format_unread(outcome: &RefreshOutcome, reader: NoteReader) -> Option<String> {
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
        (false, Some(left)) => Some(match reader {
            NoteReader::CommandLine => {
                format!("{left}; the next search goes on, or run `session-search index`")
            }
            NoteReader::Agent => format!("{left}; the next call goes on"),
        }),
        (false, None) => None,
    }
}

/// Formats a note that paths could not be read, if there are any.
pub fn format_unreadable_paths(outcome: &RefreshOutcome) -> Option<Note> {
    let places = pluralize(outcome.unreadable_paths, "place");
    let format = || {
        Note::new(format!("{places} could not be read"))
            .with_hint("`session-search status` says why")
    };
    (outcome.unreadable_paths > 0).then(format)
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

/// Formats how many sessions the chosen model has embedded so far, or why it failed on the others. `continues` is true where a
/// background process goes on with them.
pub fn format_unembedded_sessions(unembedded: &UnembeddedSessions, continues: bool) -> String {
    let UnembeddedSessions {
        model,
        embedded,
        all,
        time_left,
        failure,
    } = unembedded;
    let read = format!("has read {embedded} of {}", pluralize(*all, "session"));
    match failure {
        Some(reason) => format!("{model} {read}; another model ranks the rest; {reason}"),
        None if continues => {
            let left = time_left.map(|left| format!(", {}", format_time_left(left)));
            let left = left.unwrap_or_default();
            format!("results improve as the model reads on: it {read} so far{left}")
        }
        None => format!("the model {read}; `session-search index` reads the others"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_searches_say_that_results_improve() {
        let unembedded = |embedded, all, failure: Option<&str>| UnembeddedSessions {
            model: "remote".to_owned(),
            embedded,
            all,
            time_left: None,
            failure: failure.map(str::to_owned),
        };
        let note = "results improve as the model reads on: it has read 0 of 309 sessions so far";
        assert_eq!(
            format_unembedded_sessions(&unembedded(0, 309, None), true),
            note
        );
        let estimated = UnembeddedSessions {
            time_left: Some(Duration::from_secs(2_400)),
            ..unembedded(0, 309, None)
        };
        let note = format!("{note}, about 40 minutes left");
        assert_eq!(format_unembedded_sessions(&estimated, true), note);
        assert_eq!(
            format_unembedded_sessions(&unembedded(1, 2, None), false),
            "the model has read 1 of 2 sessions; `session-search index` reads the others"
        );
        assert_eq!(
            format_unembedded_sessions(&unembedded(1, 2, Some("status 401")), true),
            "remote has read 1 of 2 sessions; another model ranks the rest; status 401"
        );
    }

    #[test]
    fn what_is_redacted_by_later_rules_is_counted() {
        let note = |turns, sessions| {
            let outcome = RefreshOutcome {
                redacted: RewrittenCounts { turns, sessions },
                ..RefreshOutcome::default()
            };
            format_refresh_notes(&outcome)
        };
        assert_eq!(note(0, 0), []);
        let turns = Note::new("redacted 12 turns by the rules of now");
        assert_eq!(note(12, 0), [turns]);
        let both = Note::new("redacted 1 turn and names of 2 sessions by the rules of now");
        assert_eq!(note(1, 2), [both]);
    }

    #[test]
    fn places_that_could_not_be_read_are_counted() {
        assert_eq!(format_unreadable_paths(&RefreshOutcome::default()), None);
        let unread = RefreshOutcome {
            unreadable_paths: 2,
            ..RefreshOutcome::default()
        };
        assert_eq!(
            format_unreadable_paths(&unread),
            Some(
                Note::new("2 places could not be read")
                    .with_hint("`session-search status` says why")
            )
        );
    }

    #[test]
    fn removed_projects_are_named_and_many_of_them_counted() {
        let removed = |projects: &[&str]| RefreshOutcome {
            removed: ContentCounts {
                sessions: projects.len(),
                ..ContentCounts::default()
            },
            removed_projects: projects.iter().map(|&path| path.to_owned()).collect(),
            ..RefreshOutcome::default()
        };
        let note = "removed 2 sessions, 0 turns that are excluded (projects: app, bank)";
        assert_eq!(
            format_refresh_notes(&removed(&["/w/app", "/w/bank"])),
            [Note::new(note).with_hint(RULES_HINT)]
        );
        let many = ["/a", "/b", "/c", "/d", "/e", "/f", "/g"];
        let note = format_removed(&removed(&many)).unwrap();
        assert!(
            note.ends_with("(projects: a, b, c, d, e and 2 more)"),
            "{note}"
        );
    }

    #[test]
    fn marked_sessions_are_named_with_the_reason() {
        let marked = |ids: &[&str]| RefreshOutcome {
            marked_sessions: ids.iter().map(|&id| id.to_owned()).collect(),
            ..RefreshOutcome::default()
        };
        let reason = "left out: a prompt begins or ends with `<!-- session-search: off -->`, or has it on its own line";
        assert_eq!(
            format_refresh_notes(&marked(&["a1\u{7}b2"])),
            [Note::new(format!("session a1b2 is {reason}"))]
        );
        let many = ["a", "b", "c", "d", "e", "f", "g"];
        assert_eq!(
            format_refresh_notes(&marked(&many)),
            [Note::new(format!(
                "7 sessions are (a, b, c, d, e and 2 more) {reason}"
            ))]
        );
    }

    #[test]
    fn a_marker_that_does_not_count_is_told() {
        let outcome = RefreshOutcome {
            uncounted_markers: vec!["a1b2".to_owned()],
            ..RefreshOutcome::default()
        };
        let text = "session a1b2 is indexed: `<!-- session-search: off -->` stands within a line or in code, where it does not count";
        assert_eq!(
            format_refresh_notes(&outcome),
            [Note::new(text).with_hint(MARKER_HINT)]
        );
    }

    #[test]
    fn what_is_left_is_noted_and_nothing_else() {
        assert_eq!(format_refresh_notes(&RefreshOutcome::default()), []);
        let left = RefreshOutcome {
            files_left: 2,
            sessions_left: 1,
            locked: true,
            ..RefreshOutcome::default()
        };
        assert_eq!(
            format_unfinished_refresh(&left, NoteReader::Agent)
                .into_iter()
                .collect::<Vec<_>>(),
            format_refresh_notes(&left)
        );
        let unlocked = RefreshOutcome {
            locked: false,
            ..left.clone()
        };
        let note = format_unfinished_refresh(&unlocked, NoteReader::Agent);
        assert_eq!(
            note,
            Some(Note::new(
                "2 changed files still to be read; the next call goes on"
            ))
        );
        assert_eq!(
            format_refresh_notes(&left),
            [Note::new(
                "another process is updating the index, 2 changed files still to be read; this answer may be incomplete"
            )]
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
                Note::new("the index cannot be written (read-only); it is searched as it is")
                    .with_hint("see that it can be written")
            ]
        );
        let note = format_unfinished_refresh(&unwritable, NoteReader::Agent).unwrap();
        assert_eq!(note.hints, [""; 0]);
    }
}
