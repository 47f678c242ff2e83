//! Cures of an error, for people and as JSON.

use crate::compact::clip_echo;
use crate::json_session::JsonSessionFields;
use crate::layout::{INDENT, LineField, format_limit_note, lay_out_fields};
use crate::searched_scope::SearchedScope;
use crate::shell::{format_next_command, is_repeatable, quote_query, quote_word};
use crate::style::{FAILED, FAINT, PROJECT, TITLE, paint};
use crate::turn_heading::{are_of_several_agents, make_turn_heading, strip_project};
use anstyle::Style;
use serde::Serialize;
use session_core::TurnAddress;
use session_display::{Note, SessionIds, fit_line, pluralize, sanitize_line};
use session_query::{FailedTurn, FoundCure, FoundCures, UNKNOWN_ERROR};
use session_report::Cure;
use session_store::SessionRow;
use std::borrow::Cow;

/// Columns of what a line tells.
const LABEL_WIDTH: usize = 9;
/// Most files and most commands of a cure.
const MAX_ITEMS: usize = 5;

/// Cures of an error, those of the project at hand first.
pub struct FixListing<'a> {
    /// The error, as typed.
    pub error: &'a str,
    /// All that was found.
    pub found: &'a FoundCures,
    /// All sessions of the index: an id is as short as they allow.
    pub ids: SessionIds<'a>,
    /// Ids of the sessions that this was asked from.
    pub left_out: &'a [String],
    /// The index is up to date with the histories.
    pub is_complete: bool,
    /// Most cures shown, or turns where no cure is known.
    pub limit: usize,
    /// Columns to fill.
    pub width: usize,
}

impl FixListing<'_> {
    /// Formats the cures for a terminal; where none is known, the turns that failed with the error.
    pub fn format(&self) -> String {
        let (fixes, failed) = (&self.found.cures, &self.found.failed);
        let mut out = self.format_heading();
        for fix in fixes.iter().take(self.limit) {
            out.push('\n');
            out.push_str(&self.format_fix(fix));
        }
        for turn in failed.iter().take(self.limit) {
            out.push('\n');
            out.push_str(&self.format_failed_turn(turn));
        }
        out.push_str(&format_limit_note(fixes.len() + failed.len(), self.limit));
        out + &self.format_next_command()
    }

    /// Formats the error with the counts of cures and of turns that failed with it.
    fn format_heading(&self) -> String {
        let cures = match self.found.cures.len() {
            0 => "no cure known".to_owned(),
            count => pluralize(count, "cure"),
        };
        let turns = pluralize(self.found.turns, "turn");
        let heading = [
            LineField::whole(TITLE, "FIXES"),
            LineField::cut_to(
                Style::new(),
                format!("\"{}\"", fit_line(self.error, self.width / 2)),
                20,
            ),
            LineField::whole(FAINT, format!("{cures}; {turns} failed with it")),
        ];
        lay_out_fields(&heading, 0, self.width)
    }

    /// Returns why there is nothing to list.
    pub fn format_nothing(&self, scope: &SearchedScope) -> Note {
        let turns = self.found.turns;
        match (self.found.signatures.is_empty(), turns) {
            (true, _) => Note::new("that text names no particular error")
                .with_hints(["give the line that says what failed", &self.suggest_search()]),
            (_, 0) if scope.is_filtered => scope.format_nothing(UNKNOWN_ERROR),
            (_, 0) => Note::new(UNKNOWN_ERROR).with_hints([
                "give the whole line, as it was printed; commands that only read or search are left out",
                &self.suggest_search(),
            ]),
            _ => self.format_no_cure(),
        }
    }

    /// Names the command that finds the error where it was pasted or talked about.
    fn suggest_search(&self) -> String {
        let words = Some(self.error).filter(|error| is_repeatable(error));
        let words = words.map_or_else(|| "WORDS".to_owned(), quote_query);
        format!("`session-search search {words}` finds it in what was said, too")
    }

    /// Formats why turns failed with the error, and no cure of it is listed.
    fn format_no_cure(&self) -> Note {
        let turns = pluralize(self.found.turns, "turn");
        match self.found.of_other_programs {
            0 => Note::new(format!(
                "{turns} failed with that error, and no fix of it is known"
            )),
            others => {
                let others = pluralize(others, "cure");
                let note = format!(
                    "{turns} failed with that error; --command leaves out {others} of other programs"
                );
                Note::new(note).with_hint("without --command they are listed")
            }
        }
    }

    fn format_fix(&self, fix: &FoundCure) -> String {
        let time_ms = fix.cure.time_ms.or(fix.session.ended_ms);
        let lines = format_cure_lines(&fix.cure, &fix.session);
        self.format_turn_heading(&fix.session, fix.cure.turn, time_ms) + &self.format_lines(&lines)
    }

    fn format_failed_turn(&self, failed: &FailedTurn) -> String {
        let mut lines = vec![LabelledLine::new("error", FAILED, &failed.error)];
        let command = failed.command.iter();
        lines.extend(command.map(|command| LabelledLine::command("failed", FAILED, command)));
        let heading = self.format_turn_heading(&failed.session, failed.turn, failed.time_ms);
        heading + &self.format_lines(&lines)
    }

    /// Formats a turn's time, address, project and title.
    fn format_turn_heading(&self, session: &SessionRow, turn: u32, time_ms: Option<i64>) -> String {
        let heading = make_turn_heading(session, &self.ids, turn, time_ms, self.names_agent());
        lay_out_fields(&heading.into_fields(), 0, self.width)
    }

    fn names_agent(&self) -> bool {
        let cures = self.found.cures.iter().take(self.limit);
        let failed = self.found.failed.iter().take(self.limit);
        let sessions = cures.map(|cure| &cure.session);
        are_of_several_agents(sessions.chain(failed.map(|turn| &turn.session)))
    }

    fn format_lines(&self, lines: &[LabelledLine]) -> String {
        let columns = self.width.saturating_sub(INDENT + LABEL_WIDTH);
        let indent = " ".repeat(INDENT);
        let lines = lines.iter().map(|LabelledLine { label, style, text }| {
            let label = paint(*style, format!("{label:<LABEL_WIDTH$}"));
            format!("{indent}{label}{}\n", fit_line(text, columns))
        });
        lines.collect()
    }

    /// Formats the command that shows the turn of the first cure, or else the newest turn that failed.
    fn format_next_command(&self) -> String {
        let cure = self.found.cures.first();
        let cured = cure.map(|fix| (&fix.session, fix.cure.turn));
        let failed = || self.found.failed.first().map(|it| (&it.session, it.turn));
        let Some((session, turn)) = cured.or_else(failed) else {
            return String::new();
        };
        let address = TurnAddress::new(self.ids.short_id(session), turn);
        let arguments = ["show".to_owned(), quote_word(&address.to_string())];
        format_next_command(&arguments, self.width)
    }

    /// Returns the listing as JSON. Hints say why no cure was found, and what to change.
    pub fn to_json(&self, hints: Vec<String>) -> JsonFixes<'_> {
        let fixes = self.found.cures.iter().take(self.limit);
        let failed = self.found.failed.iter().take(self.limit);
        JsonFixes {
            error: clip_echo(self.error),
            signatures: self
                .found
                .signatures
                .iter()
                .map(ToString::to_string)
                .collect(),
            fixes: self.found.cures.len(),
            turns: self.found.turns,
            common: self.found.is_common,
            complete: self.is_complete,
            left_out: self.left_out,
            hints,
            found: fixes.map(to_json_fix).collect(),
            failed: failed.map(to_json_failed_turn).collect(),
        }
    }
}

/// A line with its label before it.
struct LabelledLine {
    label: &'static str,
    /// The style of the label.
    style: Style,
    text: String,
}

impl LabelledLine {
    fn new(label: &'static str, style: Style, text: impl Into<String>) -> Self {
        let text = text.into();
        Self { label, style, text }
    }

    fn command(label: &'static str, style: Style, command: &str) -> Self {
        Self::new(label, style, format!("$ {}", sanitize_line(command)))
    }
}

/// Returns what a cure was, a line each.
fn format_cure_lines(cure: &Cure, session: &SessionRow) -> Vec<LabelledLine> {
    let mut lines = vec![
        LabelledLine::new("error", FAILED, &cure.error),
        LabelledLine::command("failed", FAILED, &cure.command),
    ];
    if !cure.files.is_empty() {
        let files = cure.files.iter();
        let files = files.map(|path| strip_project(path, session));
        lines.push(LabelledLine::new("edited", PROJECT, join_listed(files)));
    }
    let commands = cure.commands.iter().take(MAX_ITEMS);
    lines.extend(commands.map(|command| LabelledLine::command("ran", PROJECT, command)));
    let more = cure.commands.len().saturating_sub(MAX_ITEMS);
    if more > 0 {
        lines.push(LabelledLine::new("", FAINT, format!("+{more}")));
    }
    let answer = cure.answer.iter();
    lines.extend(answer.map(|answer| LabelledLine::new("answer", FAINT, answer)));
    lines
}

fn join_listed<'t>(items: impl ExactSizeIterator<Item = &'t str>) -> String {
    let more = items.len().saturating_sub(MAX_ITEMS);
    let mut texts: Vec<String> = items.take(MAX_ITEMS).map(str::to_owned).collect();
    if more > 0 {
        texts.push(format!("+{more}"));
    }
    texts.join(", ")
}

/// Cures as `docs/cli.md` describes them.
#[derive(Serialize)]
pub struct JsonFixes<'a> {
    error: Cow<'a, str>,
    signatures: Vec<String>,
    fixes: usize,
    turns: usize,
    common: bool,
    complete: bool,
    left_out: &'a [String],
    hints: Vec<String>,
    found: Vec<JsonFix<'a>>,
    failed: Vec<JsonFailedTurn<'a>>,
}

#[derive(Serialize)]
struct JsonFix<'a> {
    #[serde(flatten)]
    session: JsonSessionFields<'a>,
    here: bool,
    #[serde(flatten)]
    cure: &'a Cure,
}

fn to_json_fix(fix: &FoundCure) -> JsonFix<'_> {
    let time_ms = fix.cure.time_ms.or(fix.session.ended_ms);
    JsonFix {
        session: JsonSessionFields::new(&fix.session, time_ms),
        here: fix.is_in_project,
        cure: &fix.cure,
    }
}

#[derive(Serialize)]
struct JsonFailedTurn<'a> {
    #[serde(flatten)]
    session: JsonSessionFields<'a>,
    turn: u32,
    error: &'a str,
    command: Option<&'a str>,
}

fn to_json_failed_turn(failed: &FailedTurn) -> JsonFailedTurn<'_> {
    JsonFailedTurn {
        session: JsonSessionFields::new(&failed.session, failed.time_ms),
        turn: failed.turn,
        error: &failed.error,
        command: failed.command.as_deref(),
    }
}
