//! Turns by what they touched and ran, for people and as JSON.

use crate::json_session::JsonSessionFields;
use crate::layout::{
    GAP, INDENT, LineField, TitledLine, format_limit_note, lay_out_fields, lay_out_titled,
};
use crate::shell::format_next_command;
use crate::style::{FAILED, FAINT, PROJECT, TITLE, paint};
use crate::turn_heading::{are_of_several_agents, make_turn_heading, strip_project};
use crate::work::format_more;
use anstyle::Style;
use serde::Serialize;
use session_core::{AccessedFile, CallStatus, FileAccess};
use session_display::{SessionIds, fit_line, fit_path, format_matched_line, pluralize, wrap_lines};
use session_search::{FoundCommand, FoundTurn, LinePattern};
use session_store::{SessionId, SessionRow};
use std::collections::HashSet;
use unicode_width::UnicodeWidthStr;

/// The pattern that all files and commands match.
pub const EVERYTHING: &str = "*";

/// A kind of thing that turns are listed by.
pub trait PrintedFinding: Serialize + Sized {
    /// The heading of a listing.
    const NAME: &'static str;
    /// The most that are shown of one turn.
    const MAX_SHOWN: usize = 6;
    /// Returns the count for the heading.
    fn format_count(found: &[&Self]) -> String;
    /// Returns its lines, the first one around the searched text.
    fn format_lines(&self, session: &SessionRow, wanted: &str, columns: usize) -> Vec<String>;
    /// Returns the arguments of the command that goes on from what is shown of it, where there is one.
    fn find_next_command(&self) -> Option<Vec<String>> {
        None
    }
}

/// Columns of how a file was touched.
const ACCESS_WIDTH: usize = 9;
/// Columns of how a command ended: `unfinished` is the longest.
const STATUS_WIDTH: usize = 11;

impl PrintedFinding for AccessedFile {
    const NAME: &'static str = "FILES";

    fn format_count(found: &[&Self]) -> String {
        let paths: HashSet<&str> = found.iter().map(|file| file.path.as_str()).collect();
        pluralize(paths.len(), "file")
    }

    fn format_lines(&self, session: &SessionRow, _: &str, columns: usize) -> Vec<String> {
        let name = self.access.label();
        let style = match self.access {
            FileAccess::Read => FAINT,
            FileAccess::Edited | FileAccess::Written => PROJECT,
        };
        let path = strip_project(&self.path, session);
        let path = fit_path(path, columns.saturating_sub(ACCESS_WIDTH));
        vec![format!(
            "{}{path}",
            paint(style, format!("{name:<ACCESS_WIDTH$}"))
        )]
    }
}

impl PrintedFinding for FoundCommand {
    const NAME: &'static str = "COMMANDS";

    fn format_count(found: &[&Self]) -> String {
        let counted = [
            CallStatus::Failed,
            CallStatus::Unfinished,
            CallStatus::NotRun,
        ]
        .map(|status| {
            let count = found.iter().filter(|run| run.status == status).count();
            let words = status.label().filter(|_| count > 0)?;
            Some(format!("{count} {words}"))
        });
        let counted: Vec<String> = counted.into_iter().flatten().collect();
        let runs = pluralize(found.len(), "run");
        if counted.is_empty() {
            format!("{runs}, none failed,")
        } else {
            format!("{runs} ({})", counted.join(", "))
        }
    }

    fn format_lines(&self, _: &SessionRow, wanted: &str, columns: usize) -> Vec<String> {
        let name = self.status.label().unwrap_or("ok");
        let style = if self.status.is_failed() {
            FAILED
        } else {
            FAINT
        };
        let columns = columns.saturating_sub(STATUS_WIDTH + 2);
        let command = format_matched_line(&self.command, &LinePattern::new(wanted), columns);
        vec![format!(
            "{}$ {command}",
            paint(style, format!("{name:<STATUS_WIDTH$}"))
        )]
    }
}

/// Turns in the order in which they are listed.
pub struct TurnListing<'a, T> {
    /// As typed; [`EVERYTHING`] where nothing was.
    pub wanted: &'a str,
    /// All that was found.
    pub matching: &'a [FoundTurn<Vec<T>>],
    /// Number of searches that are left out since they found nothing, where such are.
    pub empty_searches: Option<usize>,
    /// All sessions of the index: an id is as short as they allow.
    pub ids: SessionIds<'a>,
    /// Ids of the sessions that this was asked from.
    pub left_out: &'a [String],
    /// The index is up to date with the histories.
    pub is_complete: bool,
    /// Most turns shown.
    pub limit: usize,
    /// Columns to fill.
    pub width: usize,
}

/// Formats what was searched for, unless it was everything, and how much was found, which is never cut: where there is no
/// room beside the rest it stands below.
fn format_heading(name: &str, wanted: &str, counts: &str, width: usize) -> String {
    let mut fields = vec![LineField::whole(TITLE, name)];
    let mut used = name.len();
    if wanted != EVERYTHING {
        let wanted = format!("\"{}\"", fit_line(wanted, width / 2));
        used += GAP + wanted.width();
        fields.push(LineField::whole(Style::new(), wanted));
    }
    if used + GAP + counts.width() <= width {
        fields.push(LineField::whole(FAINT, counts));
        return lay_out_fields(&fields, 0, width);
    }
    let indent = " ".repeat(INDENT);
    let counts = wrap_lines(counts, width.saturating_sub(INDENT));
    let counts = counts.map(|line| format!("{indent}{}\n", paint(FAINT, line)));
    lay_out_fields(&fields, 0, width) + &counts.collect::<String>()
}

impl<T: PrintedFinding> TurnListing<'_, T> {
    /// Formats the listing for a terminal.
    pub fn format(&self) -> String {
        let found: Vec<&T> = self
            .matching
            .iter()
            .flat_map(|matching| &matching.found)
            .collect();
        let sessions: HashSet<SessionId> = self
            .matching
            .iter()
            .map(|matching| matching.session.id)
            .collect();
        let counts = format!(
            "{} in {} of {}{}",
            T::format_count(&found),
            pluralize(self.matching.len(), "turn"),
            pluralize(sessions.len(), "session"),
            self.format_empty_searches()
        );
        let mut out = format_heading(T::NAME, self.wanted, &counts, self.width);
        let shown = || self.matching.iter().take(self.limit);
        let names_agent = are_of_several_agents(shown().map(|matching| &matching.session));
        let lines = shown().map(|matching| self.first_line(matching, names_agent));
        for (matching, line) in shown().zip(lay_out_titled(lines, self.width)) {
            out.push('\n');
            out.push_str(&line);
            out.push_str(&self.format_found(matching));
        }
        let limit_note = format_limit_note(self.matching.len(), self.limit);
        out + &limit_note + &self.format_next_command()
    }

    fn format_empty_searches(&self) -> String {
        let count = self.empty_searches.filter(|count| *count > 0);
        count.map_or(String::new(), |count| {
            format!("; {count} more only found nothing (--all)")
        })
    }

    /// Formats the command that goes on from the first finding that has one.
    fn format_next_command(&self) -> String {
        let shown = self.matching.iter().take(self.limit);
        let mut found = shown.flat_map(|matching| matching.found.iter().take(T::MAX_SHOWN));
        let next = found.find_map(T::find_next_command);
        next.map_or(String::new(), |next| format_next_command(&next, self.width))
    }

    fn first_line(&self, matching: &FoundTurn<Vec<T>>, names_agent: bool) -> TitledLine {
        let (turn, time_ms) = (matching.turn.index, matching.time_ms());
        make_turn_heading(&matching.session, &self.ids, turn, time_ms, names_agent)
    }

    /// Formats what was found in a turn.
    fn format_found(&self, matching: &FoundTurn<Vec<T>>) -> String {
        let session = &matching.session;
        let columns = self.width.saturating_sub(INDENT);
        let shown = matching.found.iter().take(T::MAX_SHOWN);
        let lines = shown.flat_map(|found| found.format_lines(session, self.wanted, columns));
        let more = format_more(matching.found.len(), T::MAX_SHOWN);
        let more = more.map(|note| paint(FAINT, note));
        let indent = " ".repeat(INDENT);
        let lines = lines.chain(more);
        lines.map(|line| format!("{indent}{line}\n")).collect()
    }

    /// Returns the listing as JSON. Hints say why nothing was found, and what to change.
    pub fn to_json(&self, hints: Vec<String>) -> JsonListing<'_, T> {
        let turns = self.matching.iter().take(self.limit);
        JsonListing {
            wanted: self.wanted,
            turns: self.matching.len(),
            complete: self.is_complete,
            left_out: self.left_out,
            found_nothing: self.empty_searches,
            hints,
            found: turns.map(to_json_turn).collect(),
        }
    }
}

/// Turns by what was found in them, as `docs/cli.md` describes them.
#[derive(Serialize)]
pub struct JsonListing<'a, T> {
    wanted: &'a str,
    turns: usize,
    complete: bool,
    left_out: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    found_nothing: Option<usize>,
    hints: Vec<String>,
    found: Vec<JsonTurn<'a, T>>,
}

#[derive(Serialize)]
struct JsonTurn<'a, T> {
    #[serde(flatten)]
    session: JsonSessionFields<'a>,
    turn: u32,
    branch: Option<&'a str>,
    what: &'a [T],
}

fn to_json_turn<T>(matching: &FoundTurn<Vec<T>>) -> JsonTurn<'_, T> {
    let session = &matching.session;
    JsonTurn {
        session: JsonSessionFields::new(session, matching.time_ms()),
        turn: matching.turn.index,
        branch: session.branch_of(&matching.turn),
        what: &matching.found,
    }
}

#[cfg(test)]
mod tests {
    use super::{EVERYTHING, FoundCommand, PrintedFinding, format_heading};
    use session_core::CallStatus;
    use session_store::SessionRow;

    #[test]
    fn a_run_is_listed_with_how_it_ended() {
        let run = |status| FoundCommand {
            command: "heat".to_owned(),
            status,
            errors: Vec::new(),
            run: 0,
            found_nothing: false,
            has_failed: false,
        };
        let format_line = |status| {
            let lines = run(status).format_lines(&SessionRow::default(), EVERYTHING, 40);
            anstream::adapter::strip_str(&lines.concat()).to_string()
        };
        assert_eq!(format_line(CallStatus::Done), "ok         $ heat");
        assert_eq!(format_line(CallStatus::Failed), "failed     $ heat");
        assert_eq!(format_line(CallStatus::Unfinished), "unfinished $ heat");
        assert_eq!(format_line(CallStatus::NotRun), "not run    $ heat");
        let [done, failed, unfinished] =
            [CallStatus::Done, CallStatus::Failed, CallStatus::Unfinished].map(run);
        let count = FoundCommand::format_count;
        assert_eq!(count(&[&done, &done]), "2 runs, none failed,");
        assert_eq!(
            count(&[&done, &failed, &unfinished]),
            "3 runs (1 failed, 1 unfinished)"
        );
    }

    #[test]
    fn counts_of_a_heading_are_never_cut() {
        let heading_of = |wanted: &str, counts: &str| {
            let text = format_heading("COMMANDS", wanted, counts, 40);
            anstream::adapter::strip_str(&text).to_string()
        };
        let heading = |counts: &str| heading_of("make", counts);
        assert_eq!(
            heading_of(EVERYTHING, "2 runs in 1 turn"),
            "COMMANDS   2 runs in 1 turn\n"
        );
        assert_eq!(
            heading("2 runs in 1 turn"),
            "COMMANDS   \"make\"   2 runs in 1 turn\n"
        );
        assert_eq!(
            heading("1251 runs (310 failed, 3 not run) in 251 sessions"),
            "COMMANDS   \"make\"\n    1251 runs (310 failed, 3 not run) in\n    251 sessions\n"
        );
    }
}
