//! Subjects of the pull requests and commits that a session made.

use crate::content::TurnContent;
use crate::prompt_content;
use crate::pull_request::{is_opening, may_open_pull_request};
use crate::shell::{CommandPart, git_subcommand, split_command_parts, words_from_program};

/// The subject that a command which succeeded gave a change.
#[derive(Debug, Clone, PartialEq, Eq)]
enum ChangeSubject {
    PullRequest(String),
    Commit(String),
}

/// Returns the title of the first pull request that was opened in the turns, else the subject of their first commit;
/// of a commit beside the work (`docs: …`, `chore: …`) only where there is no other.
pub(super) fn find_change_subject<'a>(
    turns: impl Iterator<Item = &'a TurnContent>,
) -> Option<String> {
    let (mut commit, mut side_commit) = (None, None);
    for subject in turns.flat_map(subjects_of_turn) {
        match subject {
            ChangeSubject::PullRequest(title) => return Some(title),
            ChangeSubject::Commit(subject) if is_beside_work(&subject) => {
                side_commit.get_or_insert(subject);
            }
            ChangeSubject::Commit(subject) => {
                commit.get_or_insert(subject);
            }
        }
    }
    commit.or(side_commit)
}

/// Returns the subjects in the commands of a turn that succeeded, in order, without those that name no work.
fn subjects_of_turn(turn: &TurnContent) -> Vec<ChangeSubject> {
    let runs = turn.runs.iter().enumerate();
    let commands = runs.filter_map(|(at, run)| {
        let command = turn.commands.get(run.command)?;
        // Most commands need not be parsed.
        let may_name_one = command.contains("commit") || may_open_pull_request(command);
        may_name_one.then(|| parts_that_succeeded(turn, at, command))
    });
    let parts = commands.flatten();
    parts.filter_map(|part| subject_of_command(&part)).collect()
}

/// Returns the parts of a run's command that succeeded: all, or those before a push that failed.
fn parts_that_succeeded<'c>(
    turn: &TurnContent,
    run: usize,
    command: &'c str,
) -> Vec<CommandPart<'c>> {
    let mut parts = split_command_parts(command);
    if turn.has_succeeded(run) {
        return parts;
    }
    let push = parts.iter().position(is_push).unwrap_or_default();
    let has_pushed = turn.errors_of_run(run).any(is_push_error);
    parts.truncate(if has_pushed { push } else { 0 });
    parts
}

/// Lines of Git about a push that failed.
const PUSH_ERRORS: [&str; 5] = [
    "failed to push some refs",
    "Could not read from remote repository",
    "has no upstream branch",
    "No configured push destination",
    "unable to access",
];

fn is_push_error(line: &str) -> bool {
    PUSH_ERRORS.iter().any(|error| line.contains(error))
}

fn is_push(part: &CommandPart<'_>) -> bool {
    let mut words = words_from_program(&part.text);
    words.next() == Some("git") && git_subcommand(words) == Some("push")
}

fn subject_of_command(part: &CommandPart<'_>) -> Option<ChangeSubject> {
    let words: Vec<&str> = words_from_program(&part.text).collect();
    let (program, arguments) = words.split_first()?;
    let is_commit =
        *program == "git" && git_subcommand(arguments.iter().copied()) == Some("commit");
    if is_commit {
        let subject = find_value(part, is_message_option)?;
        return has_content(&subject).then_some(ChangeSubject::Commit(subject));
    }
    if is_opening(&words) {
        // `-t` of `az repos pr create` is a branch.
        let is_title = |word: &str| word == "--title" || word == "-t" && arguments[0] != "repos";
        let title = find_value(part, is_title)?;
        return has_content(&title).then_some(ChangeSubject::PullRequest(title));
    }
    None
}

/// Returns true for `--message` and letters that end with `m`: `-am`.
fn is_message_option(word: &str) -> bool {
    let letters = word.strip_prefix('-').and_then(|w| w.strip_suffix('m'));
    word == "--message"
        || letters.is_some_and(|letters| letters.bytes().all(|b| b.is_ascii_alphabetic()))
}

/// Returns true for a subject that names the work: not that of a merge, nor of a commit to be folded into another, nor
/// one that a variable gives.
fn has_content(subject: &str) -> bool {
    let first = subject.split([' ', ':']).next().unwrap_or_default();
    let first = first.to_ascii_lowercase();
    let is_step = matches!(
        &*first,
        "merge" | "revert" | "wip" | "checkpoint" | "fixup!" | "squash!"
    );
    !is_step && !subject.contains('$') && !prompt_content::needs_context(subject)
}

/// Types of conventional commits that stand beside the work: <https://www.conventionalcommits.org>.
const SIDE_TYPES: [&str; 7] = ["build", "chore", "ci", "docs", "release", "style", "test"];

fn is_beside_work(subject: &str) -> bool {
    let kind = subject.split([':', '(', '!']).next().unwrap_or_default();
    subject.contains(':') && SIDE_TYPES.contains(&kind)
}

/// Finds the first line of the value of an option of a command.
fn find_value(part: &CommandPart<'_>, is_option: impl Fn(&str) -> bool) -> Option<String> {
    let mut words = part.program_words();
    while let Some(word) = words.next() {
        match word.split_once('=') {
            Some((name, value)) if is_option(name) => return first_line(value),
            _ if is_option(&word) => return first_line(&words.next()?),
            _ => {}
        }
    }
    None
}

/// Returns the first line with text of a value: of `$(cat <<'EOF'`, and of `@'` in PowerShell, the line behind.
fn first_line(value: &str) -> Option<String> {
    let is_opening = |line: &str| matches!(line, "" | "@") || line.starts_with("$(cat <<");
    let mut lines = value.lines().map(str::trim);
    let line = lines.find(|line| !is_opening(line))?;
    Some(line.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CallStatus, ToolCall, Turn, TurnPart};

    fn turn(runs: &[(&str, CallStatus)]) -> TurnContent {
        let part = |(command, status): &(&str, CallStatus)| {
            TurnPart::Call(ToolCall {
                name: "Bash".into(),
                command: Some((*command).to_owned()),
                status: *status,
                ..ToolCall::default()
            })
        };
        TurnContent::from_turn(&Turn {
            parts: runs.iter().map(part).collect(),
            ..Turn::default()
        })
    }

    fn subject(commands: &[&str]) -> Option<String> {
        let runs: Vec<_> = commands.iter().map(|c| (*c, CallStatus::Done)).collect();
        find_change_subject([turn(&runs)].iter())
    }

    #[test]
    fn the_subject_of_a_commit_is_read_from_its_command() {
        for command in [
            "git commit -m 'Oil the gate'",
            "git add . && git commit -am \"Oil the gate\n\nIt creaked; twice.\" && git push",
            "git -C app -c user.name=ann commit --quiet --message=\"Oil the gate\"",
            "git commit -m \"$(cat <<'EOF'\nOil the gate\n\nIt \"creaked\".\nEOF\n)\"",
            "git commit --author \"Ann -m B\" -m \"Oil the gate\" -m 'It creaked.'",
            "git commit -m @'\nOil the gate\n'@",
            r"git commit -m $'Oil the gate\n\nIt wasn\'t.'",
            "git commit -m \"\nOil the gate\"",
        ] {
            assert_eq!(
                subject(&[command]).as_deref(),
                Some("Oil the gate"),
                "{command}"
            );
        }
        assert_eq!(
            subject(&["git commit -m \"Hang the \\\"lamp\\\" in `tower`\""]).as_deref(),
            Some("Hang the \"lamp\" in `tower`")
        );
        assert_eq!(
            subject(&["git commit -m \"$(cat <<EOF\nOil the gate (now)\nEOF\n)\""]).as_deref(),
            Some("Oil the gate (now)")
        );
    }

    #[test]
    fn commands_without_a_telling_subject_have_none() {
        for command in [
            "git commit --amend --no-edit",
            "git commit -F message.txt",
            "git commit -m \"$MESSAGE\"",
            "git commit -m 'WIP gate'",
            "git commit -m 'fixup! Oil the gate'",
            "git commit -m 'Merge main into gate'",
            "git commit -m 'fix tests'",
            "git commit -m",
            "git log -m 'Oil the gate'",
            "echo git commit -m 'Oil the gate'",
            "gh pr create --fill",
            "gh issue create --title 'Oil the gate'",
        ] {
            assert_eq!(subject(&[command]), None, "{command}");
        }
        for status in [
            CallStatus::Failed,
            CallStatus::NotRun,
            CallStatus::Unfinished,
        ] {
            let failed = turn(&[("git commit -m 'Oil the gate'", status)]);
            assert_eq!(find_change_subject([failed].iter()), None);
        }
    }

    #[test]
    fn a_commit_stands_where_the_push_after_it_failed() {
        let command = "git add . && git commit -m 'Oil the gate' && git push && gh pr create -t 'Oil all gates'";
        let failed = |output: &str| {
            let call = ToolCall {
                name: "Bash".into(),
                command: Some(command.to_owned()),
                output: Some(output.to_owned()),
                status: CallStatus::Failed,
                ..ToolCall::default()
            };
            let turn = Turn {
                parts: vec![TurnPart::Call(call)],
                ..Turn::default()
            };
            find_change_subject([TurnContent::from_turn(&turn)].iter())
        };
        let pushed = "[main 1a2b3c4] Oil the gate\nfatal: Could not read from remote repository.";
        assert_eq!(failed(pushed).as_deref(), Some("Oil the gate"));
        assert_eq!(failed("error: the hook pre-commit failed"), None);
    }

    #[test]
    fn a_pull_request_comes_before_commits_and_work_before_what_stands_beside_it() {
        let docs = "git commit -m 'docs(gate): say how to oil it'";
        let [oil, hang] = ["feat: oil the gate", "feat: hang the lamp"]
            .map(|subject| format!("git commit -m '{subject}'"));
        let opened = "gh pr create --draft --title \"Oil all gates\" --body \"$(cat b.md)\"";
        for (commands, expected) in [
            (&[docs, &oil, &hang][..], "feat: oil the gate"),
            (&[docs, &oil, opened], "Oil all gates"),
            (&[docs], "docs(gate): say how to oil it"),
        ] {
            assert_eq!(subject(commands).as_deref(), Some(expected));
        }
    }

    #[test]
    fn each_command_that_opens_a_pull_request_gives_its_title() {
        for command in [
            "gh pr new -t 'Oil all gates'",
            "gh -R ann/app pr create --title 'Oil all gates'",
            "/usr/bin/gh pr create --title 'Oil all gates'",
            "glab mr create --title='Oil all gates'",
            "tea pr create -t 'Oil all gates'",
            "az repos pr create -t main --title 'Oil all gates'",
        ] {
            assert_eq!(
                subject(&[command]).as_deref(),
                Some("Oil all gates"),
                "{command}"
            );
        }
        assert_eq!(
            subject(&["gh pr create --dry-run -t 'Oil all gates'"]),
            None
        );
    }
}
