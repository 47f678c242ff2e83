//! Of what a run of a command failed, and searches that only found nothing.

use crate::content::TurnContent;
use crate::error_marker::{is_error_line, is_failed_check, reports_failure};
use crate::error_signature::ErrorSignature;
use crate::shell::{
    CommandPart, InnerLine, Operator, ProgramEffect, find_program, split_command_parts,
};
use crate::text::file_name;

/// The words of OpenCode for an empty output.
const NO_OUTPUT: &str = "(no output)";
/// The variables from which a test reads how another command ended.
const EXIT_CODES: [&str; 2] = ["$?", "PIPESTATUS"];
/// Words before a command that is run until it succeeds, or fails.
const LOOPS: [&str; 2] = ["until", "while"];

impl TurnContent {
    /// Returns the error lines of a run, the one that tells most first: the first with a marker and a signature, else the
    /// first of a check that failed, else the last, since without a marker they are whatever was printed.
    pub fn ranked_errors_of_run(&self, run: usize) -> Vec<&str> {
        let mut lines: Vec<&str> = self.printed_errors(run).collect();
        let first = lines.iter().position(|line| tells_error(line));
        let check = || lines.iter().position(|line| is_failed_check(line));
        if let Some(best) = first.or_else(check).or(lines.len().checked_sub(1)) {
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
            && self.printed_errors(run).next().is_none()
            && command.is_some_and(|command| ends_in_search(command))
    }

    fn printed_errors(&self, run: usize) -> impl Iterator<Item = &str> {
        self.errors_of_run(run).filter(|line| *line != NO_OUTPUT)
    }
}

fn tells_error(line: &str) -> bool {
    (is_error_line(line) || reports_failure(line)) && ErrorSignature::new(line).is_some()
}

/// Returns true if the last command that does something is a search, and the exit code is its own:
/// `cd app && rg lamp | head`, not `make > log && rg lamp log`.
fn ends_in_search(command: &str) -> bool {
    let parts = split_command_parts(command);
    let effects = parts.iter().map(ProgramEffect::classify);
    let mut effects = effects.enumerate();
    let last = effects.rfind(|(_, effect)| *effect > ProgramEffect::Shows);
    let Some((at, effect)) = last.filter(|(_, effect)| *effect < ProgramEffect::Changes) else {
        return false;
    };
    let inner = InnerLine::find(&parts[at]);
    if is_awaited(&parts[at]) || inner.is_some_and(|inner| !ends_in_search(&inner.text)) {
        return false;
    }
    let reads_exit_code =
        effect == ProgramEffect::Tests && EXIT_CODES.iter().any(|name| command.contains(name));
    let has_own_code = parts[at..].iter().any(exits_with_code);
    !reads_exit_code && !has_own_code && !waits_for_work(&parts[..at])
}

/// Returns true for the condition of a loop: that it did not come true is no search without a hit.
fn is_awaited(part: &CommandPart<'_>) -> bool {
    let program = find_program(&part.text);
    let mut before = part
        .text
        .split_whitespace()
        .map(file_name)
        .take_while(|word| Some(*word) != program);
    before.any(|word| LOOPS.contains(&word))
}

/// Returns true for an `exit` whose code the script chose: `exit 3`, not `exit $?`.
fn exits_with_code(part: &CommandPart<'_>) -> bool {
    let mut words = part.program_words();
    words.next().as_deref() == Some("exit")
        && words
            .next()
            .is_some_and(|code| code.starts_with(|c: char| c.is_ascii_digit()))
}

/// Returns true if what follows the commands is run only if one of them succeeds at its work: `cd app && make &&`.
fn waits_for_work(before: &[CommandPart<'_>]) -> bool {
    let is_joined = |part: &CommandPart<'_>| {
        let ends = [Operator::End, Operator::Background, Operator::Or];
        !ends.contains(&part.operator)
    };
    let parts = before.iter().enumerate().rev();
    let mut joined = parts.take_while(|(_, part)| is_joined(part));
    joined.any(|(at, part)| {
        let is_awaited = match part.operator {
            Operator::And => true,
            Operator::Close => !is_substituted(&before[..at]),
            _ => false,
        };
        is_awaited && ProgramEffect::classify(part) == ProgramEffect::Works
    })
}

/// Returns true if the parenthesis after which a command stands is that of `$(`.
fn is_substituted(before: &[CommandPart<'_>]) -> bool {
    let open = before.iter().rfind(|part| part.operator == Operator::Open);
    open.is_some_and(|part| part.text.ends_with('$'))
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
        let checked = failed("format\tpass\t21s\ntest (quay)\tfail\t1m2s\nlinux\tpass\t1m15s");
        let ranked = checked.ranked_errors_of_run(0);
        assert_eq!(ranked[0], "test (quay)\tfail\t1m2s");
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
            "rg oil; ls lamps 2>/dev/null",
            "find . -name '*.c' | xargs grep oil",
            "git status -s && rg oil",
            "grep -q oil lamp.c; exit $?",
            "sed -i s/a/b/ lamp.c && grep -c oil lamp.c",
            "bash -c 'grep oil lamp.c'",
            "timeout 60 grep -r oil /",
            "while read -r lamp; do grep oil $lamp; done < lamps",
        ] {
            assert!(found_nothing(search, "Exit code 1"), "{search}");
        }
        for search in [
            "make 2>&1 | grep warning",
            "make > log; grep -c ok log",
            "make || true && grep -c ok log",
            "git diff --quiet && rg oil",
            "cd $(git rev-parse --show-toplevel) && rg oil",
        ] {
            assert!(found_nothing(search, "Exit code 1"), "{search}");
        }
        for work in [
            "make",
            "grep oil lamp.c; make",
            "grep oil lamp.c; find . -exec cc {} +",
            "grep oil lamp.c; sed -i s/a/b/ lamp.c",
            "curl -s lamp.example",
            "",
            "make > log 2>&1 && grep -c ok log",
            "cd app && (cd lamp && make -s) > log && cat log | grep ok",
            "make -s > log 2>&1; test $? -eq 0",
            "make -s | tee log; [ ${PIPESTATUS[0]} -eq 0 ]",
            "make -s > log; code=$?; [[ $code == 0 ]]",
            "grep -q oil lamp.c || exit 3",
            "grep -q oil lamp.c || { echo dark; exit 1; }",
            "grep -q oil lamp.c; exit 7",
            "timeout 60 bash -c 'until grep -q oil log; do sleep 1; done'",
            "until [ -f lamp.o ]; do sleep 1; done",
            "while ! grep -q oil log; do sleep 1; done",
            "bash -c 'grep -q oil lamp.c || exit 3'",
            "bash -c 'if ! grep -q oil lamp.c; then exit 1; fi'",
        ] {
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
