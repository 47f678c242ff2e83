//! Runs of commands that failed, as lines of a listing.

use crate::shell::{is_repeatable, quote_word};
use crate::style::{FAILED, PROJECT, paint};
use crate::turn_listing::{EVERYTHING, PrintedFinding};
use crate::work::{join_names, list_file_names};
use session_core::ErrorSignature;
use session_core::shell::{Operator, find_cd_target, split_command_parts, words_from_program};
use session_display::{fit_line, format_matched_line, pluralize, sanitize_line};
use session_query::FailedCommand;
use session_report::LaterSuccess;
use session_search::LinePattern;
use session_store::SessionRow;

/// Columns of how a command ended.
const LABEL_WIDTH: usize = 9;
/// Most files that were changed before the success.
const MAX_FILES: usize = 3;

impl PrintedFinding for FailedCommand {
    const NAME: &'static str = "COMMANDS";
    /// Each has up to three lines.
    const MAX_SHOWN: usize = 3;

    fn format_count(found: &[&Self]) -> String {
        pluralize(found.len(), "failed run")
    }

    fn format_lines(&self, _: &SessionRow, wanted: &str, columns: usize) -> Vec<String> {
        let columns = columns.saturating_sub(LABEL_WIDTH);
        let label = paint(FAILED, format!("{:<LABEL_WIDTH$}", "failed"));
        let command = format_command_line(&self.run.command, wanted, columns.saturating_sub(2));
        let indent = " ".repeat(LABEL_WIDTH);
        let error = self.run.errors.first();
        let error = error.map(|line| format!("{indent}{}", fit_line(line, columns)));
        let success = self.cured.as_ref().map(|cured| {
            let words = fit_line(&format_success(cured), columns);
            format!("{indent}{}", paint(PROJECT, words))
        });
        let first = format!("{label}$ {command}");
        [Some(first), error, success]
            .into_iter()
            .flatten()
            .collect()
    }

    fn find_next_command(&self) -> Option<Vec<String>> {
        let is_known = |line: &&String| ErrorSignature::new(line).is_some() && is_repeatable(line);
        let has_failed = self.run.has_failed;
        let error = self
            .run
            .errors
            .first()
            .filter(|_| has_failed)
            .filter(is_known)?;
        Some(vec!["fix".to_owned(), quote_word(&sanitize_line(error))])
    }
}

/// Formats a command on one line: the part around the searched words, or, without such words, the part that does the work.
fn format_command_line(command: &str, wanted: &str, columns: usize) -> String {
    if wanted != EVERYTHING {
        return format_matched_line(command, &LinePattern::new(wanted), columns);
    }
    match skip_preparation(command) {
        work if work.len() == command.len() => fit_line(command, columns),
        work => fit_line(&format!("… {work}"), columns),
    }
}

/// Formats the turn in which a command succeeded later, with the files that were changed before.
fn format_success(cured: &LaterSuccess) -> String {
    let names = list_file_names(cured.files.iter().map(String::as_str));
    let after = if names.is_empty() {
        String::new()
    } else {
        format!(", after {}", join_names(&names, MAX_FILES))
    };
    format!("ok later in :{}{after}", cured.turn)
}

/// Returns a command from the first on that is neither a change of directory nor sets a variable: many begin alike.
fn skip_preparation(command: &str) -> &str {
    let mut end = 0;
    for part in split_command_parts(command) {
        let rest = command.get(end..).unwrap_or_default();
        let before = rest.find(part.source).unwrap_or_default();
        let is_preparation = find_cd_target(part.words()).is_some() || sets_variable(&part.text);
        let goes_on = matches!(part.operator, Operator::And | Operator::End);
        if !is_preparation || !goes_on {
            return skip_assignments(rest[before..].trim_start());
        }
        end += before + part.source.len();
    }
    command
}

/// Returns true for `NAME=value`, `export NAME=value` and `unset NAME`.
fn sets_variable(simple: &str) -> bool {
    let program = words_from_program(simple).next();
    program.is_none_or(|program| ["export", "unset"].contains(&program))
}

/// Returns a simple command without the variables that are set before its program.
fn skip_assignments(command: &str) -> &str {
    let mut rest = command;
    while let Some((name, _)) = rest.split_once('=')
        && !name.is_empty()
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    {
        let next = rest.get(word_len(rest)..).unwrap_or_default();
        match next.trim_start() {
            "" => break,
            next => rest = next,
        }
    }
    rest
}

/// Returns the length of a shell's word in bytes, up to white space outside quotes and parentheses.
fn word_len(text: &str) -> usize {
    let (mut quote, mut depth) = (None, 0_usize);
    let mut ends = text.char_indices().filter(|(_, c)| {
        match (quote, c) {
            (Some(open), c) if open == *c => quote = None,
            (None, '\'' | '"') => quote = Some(*c),
            (None, '(') => depth += 1,
            (None, ')') => depth = depth.saturating_sub(1),
            _ => {}
        }
        quote.is_none() && depth == 0 && c.is_whitespace()
    });
    ends.next().map_or(text.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use session_core::CallStatus;
    use session_search::FoundCommand;

    fn failed(command: &str, error: &str, cured: Option<LaterSuccess>) -> FailedCommand {
        let run = FoundCommand {
            command: command.to_owned(),
            status: CallStatus::Failed,
            errors: vec![error.to_owned()],
            has_failed: true,
            ..FoundCommand::default()
        };
        FailedCommand { run, cured }
    }

    #[test]
    fn a_failure_has_its_error_and_its_success() {
        let cured = LaterSuccess {
            turn: 7,
            files: ["/a/cli.rs", "/b/cli.rs", "/a/main.rs"]
                .map(str::to_owned)
                .into(),
        };
        let run = failed(
            "cd /a && cargo build",
            "error[E0425]: no `verbose`",
            Some(cured),
        );
        let lines = |wanted| {
            let lines = run.format_lines(&SessionRow::default(), wanted, 60);
            anstream::adapter::strip_str(&lines.join("\n")).to_string()
        };
        insta::assert_snapshot!(lines(EVERYTHING), @r"
        failed   $ … cargo build
                 error[E0425]: no `verbose`
                 ok later in :7, after cli.rs, main.rs
        ");
        let around = lines("cargo");
        assert!(
            around.starts_with("failed   $ cd /a && cargo build\n"),
            "{around}"
        );
        let next = run.find_next_command().unwrap();
        assert_eq!(next, ["fix", "'error[E0425]: no `verbose`'"]);
        assert_eq!(failed("make", "FAILED", None).find_next_command(), None);
        let mut shown = failed("cat a.c", "cat: a.c: No such file or directory", None);
        assert!(shown.find_next_command().is_some());
        shown.run.has_failed = false;
        assert_eq!(
            shown.find_next_command(),
            None,
            "`fix` knows no such failure"
        );
    }

    #[test]
    fn a_command_is_shown_from_its_work_on() {
        for (command, work) in [
            ("cd /a/b && make all", "make all"),
            ("cd a; unset V && X=1 Y='a b' make | tail", "make | tail"),
            ("SP=\"C:/a b\"\ncd \"$SP\" && ls && make", "ls && make"),
            ("X=$(git rev-parse HEAD) make", "make"),
            ("export A=1\n\nmake", "make"),
            ("make && cd b", "make && cd b"),
            ("cd a", "cd a"),
            ("A=1", "A=1"),
            ("cd a || make", "cd a || make"),
            ("", ""),
        ] {
            assert_eq!(skip_preparation(command), work, "{command}");
        }
    }
}
