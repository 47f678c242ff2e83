//! Summaries of work, for people and as JSON.

use crate::args::With;
use crate::output::layout::{INDENT, cut, line, safe_line, wrap_lines};
use crate::output::style::{FAINT, paint};
use crate::output::units::{duration, short};
use serde::Serialize;
use session_core::Tokens;
use session_core::text::file_name;
use session_report::{CommandRun, TouchedFile, WorkSummary};

/// Columns of a part's name.
const NAME: usize = 10;
/// Most lines of one part.
const LINES: usize = 4;
/// Columns of one command.
const COMMAND: usize = 72;
/// Most names of files.
const FILES: usize = 8;

/// The parts that are wanted of what was done, each with its name before it.
pub fn text(work: &WorkSummary, wanted: &[With], width: usize) -> String {
    let parts = parts(work).into_iter();
    let parts = parts.filter(|(part, _, value)| part.is_in(wanted) && !value.is_empty());
    parts
        .map(|(_, name, value)| row(name, &value, width))
        .collect()
}

fn parts(work: &WorkSummary) -> [(With, &'static str, String); 10] {
    let words = |text: &Option<String>| text.as_deref().map(safe_line).unwrap_or_default();
    let files: Vec<&TouchedFile> = work.files.iter().collect();
    let time = match work.started_ms {
        Some(_) => duration(work.active_ms),
        None => String::new(),
    };
    let list = |items: &[String]| safe_line(&items.join(", "));
    [
        (With::Problem, "PROBLEM", words(&work.problem)),
        (With::Solution, "SOLUTION", words(&work.solution)),
        (With::Commands, "COMMANDS", commands(&work.commands)),
        (
            With::Files,
            "FILES",
            counted(files.len(), &file_names(&files, FILES)),
        ),
        (
            With::Errors,
            "ERRORS",
            counted(work.errors.len(), &errors(&work.errors)),
        ),
        (With::Prs, "PRS", list(&work.pull_requests)),
        (With::Branch, "BRANCH", words(&work.branch)),
        (With::Time, "TIME", time),
        (With::Models, "MODELS", list(&work.models)),
        (With::Tokens, "TOKENS", tokens(work.tokens)),
    ]
}

fn counted(count: usize, what: &str) -> String {
    match count {
        0 => String::new(),
        n => format!("({n})  {what}"),
    }
}

fn commands(commands: &[CommandRun]) -> String {
    let one = |run: &CommandRun| {
        let end = match (run.failed, run.unfinished) {
            (true, _) => " (failed)",
            (_, true) => " (unfinished)",
            _ => "",
        };
        format!("$ {}{end}", line(&run.command, COMMAND))
    };
    let all: Vec<String> = commands.iter().map(one).collect();
    counted(all.len(), &all.join("   "))
}

/// The last ones say what it came to.
fn errors(errors: &[String]) -> String {
    let last = errors
        .iter()
        .rev()
        .take(3)
        .map(|error| line(error, COMMAND));
    last.collect::<Vec<_>>().join("   ")
}

/// Tokens, unless none were counted.
pub fn tokens(tokens: Tokens) -> String {
    if tokens.is_zero() {
        return String::new();
    }
    let read = short(tokens.input.saturating_add(tokens.cached));
    format!("{read} read, {} written", short(tokens.output))
}

fn row(name: &str, value: &str, width: usize) -> String {
    let columns = width.saturating_sub(INDENT + NAME);
    let indent = " ".repeat(INDENT);
    let lines: Vec<&str> = wrap_lines(value, columns).collect();
    let names = std::iter::once(name).chain(std::iter::repeat(""));
    let mut out = String::new();
    for (n, (name, part)) in names.zip(&lines).take(LINES).enumerate() {
        let is_cut = n + 1 == LINES && lines.len() > LINES;
        let part = match is_cut {
            true => format!(
                "{}…",
                cut(part, columns.saturating_sub(1)).trim_end_matches('…')
            ),
            false => (*part).to_owned(),
        };
        out.push_str(&format!(
            "{indent}{}{part}\n",
            paint(FAINT, format!("{name:<NAME$}"))
        ));
    }
    out
}

/// Names of files, each once: at most `most`, and how many more there are.
pub fn file_names(files: &[&TouchedFile], most: usize) -> String {
    let mut names: Vec<String> = Vec::new();
    for name in files.iter().map(|file| safe_line(file_name(&file.path))) {
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    let shown = names.len().min(most);
    let (shown, more) = names.split_at(shown);
    match more.len() {
        0 => shown.join(", "),
        n => format!("{} (+{n})", shown.join(", ")),
    }
}

/// The requested parts of a work summary, as `docs/cli.md` describes them.
#[derive(Serialize)]
pub struct JsonWork<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<Option<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    solution: Option<Option<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    commands: Option<&'a [CommandRun]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<&'a [TouchedFile]>,
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
    /// The parts that are wanted.
    pub fn new(work: &'a WorkSummary, wanted: &[With]) -> Self {
        let is = |part: With| part.is_in(wanted);
        Self {
            problem: is(With::Problem).then_some(work.problem.as_deref()),
            solution: is(With::Solution).then_some(work.solution.as_deref()),
            commands: is(With::Commands).then_some(&work.commands),
            files: is(With::Files).then_some(&work.files),
            errors: is(With::Errors).then_some(&work.errors),
            pull_requests: is(With::Prs).then_some(&work.pull_requests),
            branch: is(With::Branch).then_some(work.branch.as_deref()),
            active_seconds: is(With::Time).then_some(work.active_ms / 1000),
            models: is(With::Models).then_some(&work.models),
            tokens: is(With::Tokens).then(|| JsonTokens::new(work.tokens)),
        }
    }
}

/// Tokens as `docs/cli.md` describes them.
#[derive(Debug, Serialize)]
pub struct JsonTokens {
    input: u64,
    cached: u64,
    output: u64,
}

impl JsonTokens {
    /// These tokens.
    pub fn new(tokens: Tokens) -> Self {
        Self {
            input: tokens.input,
            cached: tokens.cached,
            output: tokens.output,
        }
    }
}
