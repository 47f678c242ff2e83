//! Of what a run of a command failed, and searches that only found nothing.

use crate::command_work::PASSIVE_PROGRAMS;
use crate::content::TurnContent;
use crate::error_marker::{is_error_line, reports_failure};
use crate::error_signature::ErrorSignature;
use crate::shell::{find_program, git_subcommand, split_simple_commands, words_from_program};

/// Programs that fail where they find nothing, or a difference.
const SEARCH_PROGRAMS: [&str; 14] = [
    "rg", "grep", "egrep", "fgrep", "zgrep", "ag", "pgrep", "which", "type", "test", "[", "[[",
    "diff", "cmp",
];
/// Subcommands of git that do so.
const GIT_SEARCHES: [&str; 3] = ["grep", "diff", "config"];
/// The search for a program by a builtin of the shell.
const PROGRAM_SEARCH: &str = "command -v ";
/// The words of OpenCode for an empty output.
const NO_OUTPUT: &str = "(no output)";

impl TurnContent {
    /// Returns the error lines of a run, the one that tells most first: the first with a marker and a signature, else the last,
    /// since without a marker they are whatever was printed.
    pub fn ranked_errors_of_run(&self, run: usize) -> Vec<&str> {
        let lines = self.errors_of_run(run);
        let mut lines: Vec<&str> = lines.filter(|line| *line != NO_OUTPUT).collect();
        let first = lines.iter().position(|line| tells_error(line));
        if let Some(best) = first.or(lines.len().checked_sub(1)) {
            lines[..=best].rotate_right(1);
        }
        lines
    }

    /// Returns true for a run that failed without an error line, of a program that says so by its exit code that it found
    /// nothing.
    pub fn found_nothing(&self, run: usize) -> bool {
        let entry = self.runs.get(run);
        let command = entry.and_then(|entry| self.commands.get(entry.command));
        entry.is_some_and(|entry| entry.status.is_failed())
            && command.is_some_and(|command| ends_in_search(command))
            && self.ranked_errors_of_run(run).is_empty()
    }
}

fn tells_error(line: &str) -> bool {
    (is_error_line(line) || reports_failure(line)) && ErrorSignature::new(line).is_some()
}

/// Returns true where the last command that does something is a search: `cd app && rg lamp | head`.
fn ends_in_search(command: &str) -> bool {
    let commands = split_simple_commands(command);
    let is_passive = |simple: &String| {
        find_program(simple).is_none_or(|program| PASSIVE_PROGRAMS.contains(&program))
    };
    let last = commands
        .iter()
        .rfind(|simple| is_search(simple) || !is_passive(simple));
    last.is_some_and(|simple| is_search(simple))
}

fn is_search(simple: &str) -> bool {
    let program = find_program(simple);
    let subcommand = || git_subcommand(words_from_program(simple).skip(1));
    let is_git_search = || subcommand().is_some_and(|name| GIT_SEARCHES.contains(&name));
    simple.contains(PROGRAM_SEARCH)
        || program == Some("git") && is_git_search()
        || program.is_some_and(|program| SEARCH_PROGRAMS.contains(&program))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CallStatus, ToolCall, Turn, TurnPart};

    fn run(command: &str, output: &str, status: CallStatus) -> TurnContent {
        let call = ToolCall {
            name: "Bash".into(),
            command: Some(command.into()),
            output: Some(output.into()),
            status,
            ..ToolCall::default()
        };
        TurnContent::from_turn(&Turn {
            parts: vec![TurnPart::Call(call)],
            ..Turn::default()
        })
    }

    #[test]
    fn the_line_that_tells_what_failed_is_first() {
        let failed = |output: &str| run("make", output, CallStatus::Failed);
        let compiled = failed(
            "error: could not compile `lamp`\nerror[E0425]: cannot find value `wick`\nerror: aborting",
        );
        let ranked = compiled.ranked_errors_of_run(0);
        assert_eq!(ranked[0], "error[E0425]: cannot find value `wick`");
        assert_eq!(ranked[1], "error: could not compile `lamp`");
        let printed = failed("checking 4 lamps\nlamp 3 is dark");
        assert_eq!(printed.ranked_errors_of_run(0)[0], "lamp 3 is dark");
        assert_eq!(failed("(no output)").ranked_errors_of_run(0), [""; 0]);
    }

    #[test]
    fn a_search_without_a_hit_found_nothing() {
        let found_nothing =
            |command: &str, output: &str| run(command, output, CallStatus::Failed).found_nothing(0);
        for search in [
            "rg -n 'make all' src",
            "cd app && grep -c oil lamp.c && echo yes",
            "ls wicks | grep oil | head",
            "git -C app grep lamp HEAD -- src",
            "git config --get core.hooksPath",
            "command -v lamp",
            "which lamp",
            "test -f lamp.c",
            "diff -q a b > /dev/null",
        ] {
            assert!(found_nothing(search, "Exit code 1"), "{search}");
        }
        for work in ["make", "grep oil lamp.c; make", "curl -s lamp.example", ""] {
            assert!(!found_nothing(work, "Exit code 1"), "{work}");
        }
        assert!(!found_nothing(
            "grep oil lamp.c",
            "grep: lamp.c: No such file"
        ));
        assert!(found_nothing("grep oil lamp.c", "(no output)"));
        assert!(!run("grep oil a", "", CallStatus::Done).found_nothing(0));
    }
}
