//! Summaries of work, for people and as JSON.

use crate::layout::{INDENT, NameColumn};
use crate::units::format_count;
use serde::Serialize;
use session_core::text::file_name;
use session_core::{AccessedFile, TokenTotals};
use session_display::{fit_line, format_duration, sanitize_line, truncate_to_columns, wrap_lines};
use session_report::{CommandRun, WorkSummary};
use std::collections::HashSet;

/// A part of a work summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkPart {
    /// The first prompt that says something.
    Problem,
    /// The closing answer.
    Solution,
    /// Commands, in order, with those that failed.
    Commands,
    /// Files that were read, edited or written.
    Files,
    /// Error lines.
    Errors,
    /// Pull requests.
    Prs,
    /// The git branch.
    Branch,
    /// Time spent, pauses over 30 minutes left out.
    Time,
    /// Models that answered.
    Models,
    /// Tokens read and written.
    Tokens,
}

impl WorkPart {
    /// All values, in the order of the help.
    pub const ALL: [Self; 10] = [
        Self::Problem,
        Self::Solution,
        Self::Commands,
        Self::Files,
        Self::Errors,
        Self::Prs,
        Self::Branch,
        Self::Time,
        Self::Models,
        Self::Tokens,
    ];

    /// Returns its name as it is typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Problem => "problem",
            Self::Solution => "solution",
            Self::Commands => "commands",
            Self::Files => "files",
            Self::Errors => "errors",
            Self::Prs => "prs",
            Self::Branch => "branch",
            Self::Time => "time",
            Self::Models => "models",
            Self::Tokens => "tokens",
        }
    }

    /// Returns true for a part that is of the task of a hit, where a session holds several.
    pub(crate) fn is_of_task(self) -> bool {
        matches!(self, Self::Problem | Self::Solution)
    }
}

/// The column of the parts' names.
const NAMES: NameColumn = NameColumn {
    indent: INDENT,
    width: 10,
};
/// Most lines of a part that is prose.
const MAX_LINES: usize = 4;
/// Most commands.
const MAX_COMMANDS: usize = 6;
/// Most errors.
const MAX_ERRORS: usize = 3;
/// Most names of files.
const MAX_FILES: usize = 8;

/// Formats the parts that are wanted of a work summary, each with its name before it.
pub(crate) fn format_work(work: &WorkSummary, wanted: &[WorkPart], width: usize) -> String {
    let columns = NAMES.value_width(width);
    let parts = WorkPart::ALL.into_iter();
    let parts = parts.filter(|part| wanted.contains(part));
    parts
        .map(|part| {
            let name = part.name().to_uppercase();
            NAMES.lay_out_row(&name, format_part(work, part, columns))
        })
        .collect()
}

/// Formats a part as lines of at most `columns`; none where there is nothing of it.
fn format_part(work: &WorkSummary, part: WorkPart, columns: usize) -> Vec<String> {
    let wrap = |text: &str| wrap_value(&sanitize_line(text), columns);
    let words = |text: &Option<String>| wrap(text.as_deref().unwrap_or_default());
    let list = |items: &[String]| wrap(&items.join(", "));
    match part {
        WorkPart::Problem => words(&work.problem),
        WorkPart::Solution => words(&work.solution),
        WorkPart::Commands => format_commands(&work.commands, columns),
        WorkPart::Files => {
            let files: Vec<&AccessedFile> = work.files.iter().collect();
            let names = format_file_names(&files, MAX_FILES);
            wrap_value(&prefix_count(files.len(), &names), columns)
        }
        WorkPart::Errors => format_errors(&work.errors, columns),
        WorkPart::Prs => list(&work.pull_requests),
        WorkPart::Branch => words(&work.branch),
        WorkPart::Time if work.started_ms.is_none() => Vec::new(),
        WorkPart::Time => wrap(&format_duration(work.active_ms)),
        WorkPart::Models => list(&work.models),
        WorkPart::Tokens => wrap(&format_tokens(work.tokens)),
    }
}

fn prefix_count(count: usize, what: &str) -> String {
    match count {
        0 => String::new(),
        n => format!("({n})  {what}"),
    }
}

/// Formats the first commands, one a line, and how many more there are.
fn format_commands(commands: &[CommandRun], columns: usize) -> Vec<String> {
    let first = commands.iter().take(MAX_COMMANDS).map(|run| {
        let end = run.status.format_suffix();
        let room = columns.saturating_sub(2 + end.len());
        format!("$ {}{end}", fit_line(&run.command, room))
    });
    let more = format_more(commands.len(), MAX_COMMANDS);
    first.chain(more).collect()
}

/// Formats the last errors, which say what it came to, one a line, and how many more there are.
fn format_errors(errors: &[String], columns: usize) -> Vec<String> {
    let last = errors.iter().rev().take(MAX_ERRORS);
    let more = format_more(errors.len(), MAX_ERRORS);
    last.map(|error| fit_line(error, columns))
        .chain(more)
        .collect()
}

/// Formats how many are not among those shown; `None` if all are.
pub(crate) fn format_more(count: usize, shown: usize) -> Option<String> {
    let more = count.saturating_sub(shown);
    (more > 0).then(|| format!("and {more} more"))
}

/// Formats tokens. Some agents tell of those that are written alone: what was not counted is left out.
pub(crate) fn format_tokens(tokens: TokenTotals) -> String {
    let read = tokens.input.saturating_add(tokens.cached);
    let counts = [(read, "read"), (tokens.output, "written")];
    let counted = counts.iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = counted
        .map(|(count, what)| format!("{} {what}", format_count(*count)))
        .collect();
    parts.join(", ")
}

/// Wraps a safe line to at most [`MAX_LINES`], marked where it is cut.
fn wrap_value(value: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = wrap_lines(value, columns).map(str::to_owned).collect();
    if lines.len() > MAX_LINES {
        lines.truncate(MAX_LINES);
        if let Some(last) = lines.last_mut() {
            let cut = truncate_to_columns(last, columns.saturating_sub(1));
            *last = format!("{}…", cut.trim_end_matches('…'));
        }
    }
    lines
}

/// Formats names of files, each once: at most `most`, and how many more there are.
pub(crate) fn format_file_names(files: &[&AccessedFile], most: usize) -> String {
    let names = list_file_names(files.iter().map(|file| file.path.as_str()));
    join_names(&names, most)
}

/// Lists the names of files, each once, in linear time: a turn may name 4,000, a session more.
pub(crate) fn list_file_names<'p>(paths: impl Iterator<Item = &'p str>) -> Vec<String> {
    let mut seen = HashSet::new();
    paths
        .map(|path| sanitize_line(file_name(path)))
        .filter(|name| !name.is_empty() && seen.insert(name.clone()))
        .collect()
}

/// Joins the first names, at most `most`, and how many more there are.
pub(crate) fn join_names(names: &[String], most: usize) -> String {
    let shown = names[..names.len().min(most)].join(", ");
    match format_more(names.len(), most) {
        None => shown,
        Some(more) => format!("{shown} {more}"),
    }
}

/// The requested parts of a work summary, as `docs/cli.md` describes them.
#[derive(Serialize)]
pub(crate) struct JsonWork<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<Option<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    solution: Option<Option<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    commands: Option<&'a [CommandRun]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<&'a [AccessedFile]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    errors: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pull_requests: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<Option<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    active_seconds: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    models: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<JsonTokens>,
}

impl<'a> JsonWork<'a> {
    /// Returns the parts that are wanted.
    pub fn new(work: &'a WorkSummary, wanted: &[WorkPart]) -> Self {
        let is = |part: WorkPart| wanted.contains(&part);
        Self {
            problem: is(WorkPart::Problem).then_some(work.problem.as_deref()),
            solution: is(WorkPart::Solution).then_some(work.solution.as_deref()),
            commands: is(WorkPart::Commands).then_some(&work.commands),
            files: is(WorkPart::Files).then_some(&work.files),
            errors: is(WorkPart::Errors).then_some(&work.errors),
            pull_requests: is(WorkPart::Prs).then_some(&work.pull_requests),
            branch: is(WorkPart::Branch).then_some(work.branch.as_deref()),
            active_seconds: is(WorkPart::Time).then_some(work.active_ms / 1000),
            models: is(WorkPart::Models).then_some(&work.models),
            tokens: is(WorkPart::Tokens).then(|| JsonTokens::new(work.tokens)),
        }
    }
}

/// Tokens as `docs/cli.md` describes them.
#[derive(Debug, Serialize)]
pub(crate) struct JsonTokens {
    input: u64,
    cached: u64,
    output: u64,
}

impl JsonTokens {
    /// Returns tokens as they are printed.
    pub fn new(tokens: TokenTotals) -> Self {
        Self {
            input: tokens.input,
            cached: tokens.cached,
            output: tokens.output,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use session_core::CallStatus;

    #[test]
    fn commands_take_a_line_each() {
        let run = |n: usize| CommandRun {
            command: format!("make lamp{n} {}", "x".repeat(20 * (n % 2))),
            status: CallStatus::from_failure(n == 1),
            turn: 0,
        };
        let commands: Vec<CommandRun> = (0..8).map(run).collect();
        let lines = format_commands(&commands, 24);
        assert_eq!(lines.len(), MAX_COMMANDS + 1);
        assert_eq!(lines[0], "$ make lamp0");
        assert_eq!(lines[1], "$ make lamp1 x… (failed)");
        assert_eq!(lines[6], "and 2 more");
    }

    #[test]
    fn names_of_files_stand_once_with_how_many_more_there_are() {
        let names = list_file_names(["a/lamp.rs", "b/lamp.rs", "wick.rs", "/"].into_iter());
        assert_eq!(names, ["lamp.rs", "wick.rs"]);
        assert_eq!(join_names(&names, 2), "lamp.rs, wick.rs");
        assert_eq!(join_names(&names, 1), "lamp.rs and 1 more");
    }

    #[test]
    fn tokens_that_were_not_counted_are_left_out() {
        let format = |input, output| {
            format_tokens(TokenTotals {
                input,
                output,
                cached: 0,
            })
        };
        assert_eq!(format(0, 7), "7 written");
        assert_eq!(format(5, 7), "5 read, 7 written");
        assert_eq!(format(0, 0), "");
    }
}
