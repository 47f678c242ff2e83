//! Cures of errors: what was done between the failure of a command and its success.

use crate::prose_excerpt::excerpt_prose;
use crate::session_run::{PrintedError, SessionRun, find_changed_files};
use indexmap::IndexSet;
use serde::Serialize;
use session_core::{CommandWork, ErrorSignature, TurnContent, WantedError};
use session_store::TurnRecord;

/// The work in a session between the failure of a command and its success.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Cure {
    /// The line of the error.
    pub error: String,
    /// Signature of the line.
    #[serde(skip)]
    pub signature: ErrorSignature,
    /// The command that failed.
    pub command: String,
    /// Index of the turn in which it failed, from 0.
    pub failed_turn: u32,
    /// Index of the turn in which it succeeded.
    pub turn: u32,
    /// Time of that turn, in milliseconds since 1970.
    #[serde(skip)]
    pub time_ms: Option<i64>,
    /// Files that were changed in between, each once.
    pub files: Vec<String>,
    /// Commands that were run in between and did not fail, each once.
    pub commands: Vec<String>,
    /// The beginning of the answer of the turn in which it succeeded.
    pub answer: Option<String>,
}

/// Greatest number of runs of commands between a failure and its cure. What comes later cured other errors, too.
pub(crate) const MAX_RUNS: usize = 40;
/// Greatest length of the answer, in characters.
const MAX_ANSWER_CHARS: usize = 240;

impl Cure {
    /// Finds the cures of errors in the turns of a session, in order. Of failures with the same error the last
    /// one before the success counts. Where the command was only run again there is no cure. A line that is also
    /// printed where a command succeeds is no error.
    pub fn find_all(turns: &[TurnRecord], wanted: &[WantedError]) -> Vec<Self> {
        let runs = SessionRun::list_runs(turns);
        let wanted: Vec<WantedError> = wanted
            .iter()
            .filter(|error| {
                !runs
                    .iter()
                    .any(|run| run.has_succeeded() && run.prints(error))
            })
            .cloned()
            .collect();
        let cures = (0..runs.len()).filter_map(|at| {
            let (failure, later) = runs.get(at..)?.split_first()?;
            Self::find(turns, failure, later, &wanted)
        });
        cures.collect()
    }

    /// Finds the cure of a run that failed of one of the errors among the later runs; `None` if it was not cured.
    fn find<'t>(
        turns: &'t [TurnRecord],
        failure: &SessionRun<'t>,
        later: &[SessionRun<'t>],
        wanted: &[WantedError],
    ) -> Option<Self> {
        let PrintedError { signature, line } = failure.error(wanted)?;
        let near = later.get(..MAX_RUNS).unwrap_or(later);
        let success = failure.find_success(near, Some(&WantedError::new(signature, line)))?;
        let (between, rest) = later.split_at_checked(success)?;
        let success = rest.first()?;
        let (failed, succeeded) = (failure.record(turns)?, success.record(turns)?);
        let cure = Self {
            error: line.to_owned(),
            signature,
            command: failure.command().to_owned(),
            failed_turn: failed.row.index,
            turn: succeeded.row.index,
            time_ms: succeeded.row.timestamp_ms(),
            files: find_changed_files(turns, failure, success),
            commands: if failure.is_cured_by_directory(success, between) {
                vec![success.command().to_owned()]
            } else {
                find_commands(between)
            },
            answer: find_answer(&succeeded.content),
        };
        (!cure.files.is_empty() || !cure.commands.is_empty()).then_some(cure)
    }

    /// Returns true if it may cure the same error of another command: changes of files cure the program that read
    /// them, commands any.
    pub fn may_cure(&self, command: &str) -> bool {
        let works = CommandWork::new(&self.command).zip(CommandWork::new(command));
        self.files.is_empty() || works.is_none_or(|(own, other)| own.shares_program(&other))
    }
}

/// Returns the commands that did some work and did not fail.
fn find_commands(between: &[SessionRun<'_>]) -> Vec<String> {
    let worked = between
        .iter()
        .filter(|run| run.has_succeeded() && run.work().is_some());
    let commands: IndexSet<&str> = worked.map(SessionRun::command).collect();
    commands.into_iter().map(str::to_owned).collect()
}

fn find_answer(content: &TurnContent) -> Option<String> {
    let answer = excerpt_prose(content.last_message(), MAX_ANSWER_CHARS);
    (!answer.is_empty()).then_some(answer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_turns::{edit, record, run};
    use session_core::{CallStatus, ToolCall, TurnPart};

    const ERROR: &str = "error: cannot borrow `oil`";

    fn fail(command: &str) -> TurnPart {
        run(command, &format!("{ERROR}\n"), true)
    }

    fn pass(command: &str) -> TurnPart {
        run(command, "ok", false)
    }

    fn say(text: &str) -> TurnPart {
        TurnPart::Text { text: text.into() }
    }

    fn cures(turns: &[TurnRecord]) -> Vec<Cure> {
        Cure::find_all(turns, &WantedError::read_all(ERROR))
    }

    #[test]
    fn a_cure_is_the_work_between_a_failure_and_a_success() {
        let turns = [
            record(
                4,
                vec![
                    edit("a.rs"),
                    fail("cd app && cargo test 2>&1 | tail"),
                    edit("b.rs"),
                    pass("grep -n oil b.rs"),
                    pass("cargo add cell"),
                    run("cargo add wick", "error: no wick", true),
                ],
            ),
            record(
                5,
                vec![
                    edit("c.rs"),
                    pass("cargo test"),
                    edit("d.rs"),
                    say("It borrows twice no more."),
                ],
            ),
        ];
        let found = cures(&turns);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].files, ["b.rs", "c.rs"]);
        assert_eq!(found[0].commands, ["cargo add cell"]);
        assert_eq!((found[0].failed_turn, found[0].turn), (4, 5));
        assert_eq!(found[0].error, ERROR);
        assert_eq!(
            found[0].answer.as_deref(),
            Some("It borrows twice no more.")
        );
    }

    #[test]
    fn another_directory_is_a_cure_or_another_work() {
        let moved = cures(&[record(
            0,
            vec![fail("go build ./..."), pass("cd src && go build ./...")],
        )]);
        assert_eq!(moved[0].commands, ["cd src && go build ./..."]);
        let other = vec![
            fail("cd /w/front && npm test"),
            edit("a.ts"),
            pass("npm install"),
            pass("cd /w/back && npm test"),
        ];
        assert_eq!(cures(&[record(0, other.clone())]), []);
        let own = [other, vec![pass("cd /w/front/ && npm test")]].concat();
        assert_eq!(
            cures(&[record(0, own)])[0].commands,
            ["npm install", "cd /w/back && npm test"]
        );
    }

    #[test]
    fn work_is_in_the_directory_of_any_cd_before_it() {
        for (failed, passed, is_cured) in [
            ("# test\ncd api && make", "# test\ncd web && make", false),
            ("set -e; cd api && make", "ls && cd web && make", false),
            ("(cd api && make)", "(cd web && make)", false),
            ("cd api && make", "cd web && ls; cd ../api && make", true),
            ("cd api && make", "(cd web && ls); (cd api && make)", true),
            ("cd api && ls && cd .. && make", "make", true),
            ("make", "cd web && npm i && cd - && make", true),
            (
                "cd api && make",
                "cd api && pushd web && npm i && popd && make",
                true,
            ),
            ("cd api && make", "cd web && make; cd ../api && make", true),
            (
                "cd api && make; cd ../web && npm test",
                "cd web && npm test && make",
                false,
            ),
            ("make", "cd web && make", false),
            ("make", "cd /w/web && make", true),
            ("make", "cd \"$WEB\" && make", true),
            ("cd web && make", "make", true),
            ("cd /w && cd api && make", "cd /w && cd web && make", false),
            ("cd /w && cd api && make", "cd /w/api && make", true),
            ("cd \"$API\" && make", "cd \"$WEB\" && make", false),
            ("ls; cd \"$API\" && make", "cd \"$API\" && make", true),
        ] {
            let parts = vec![fail(failed), edit("a.c"), pass("git pull"), pass(passed)];
            let found = cures(&[record(0, parts)]);
            assert_eq!(!found.is_empty(), is_cured, "{failed}; {passed}");
        }
        let moved = vec![fail("go build"), pass("set -e\ncd src && go build")];
        assert_eq!(
            cures(&[record(0, moved)])[0].commands,
            ["set -e\ncd src && go build"]
        );
    }

    #[test]
    fn the_last_failure_before_the_success_counts() {
        let parts = vec![
            fail("make"),
            edit("a.rs"),
            fail("make"),
            edit("b.rs"),
            run("make", "error: lamp broken", true),
            edit("c.rs"),
            pass("make"),
        ];
        let found = cures(&[record(0, parts)]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].files, ["b.rs", "c.rs"]);
    }

    #[test]
    fn a_command_is_the_same_with_all_its_words_and_its_heredoc() {
        for (failed, passed, is_cured) in [
            (
                "npx vitest -t 'Auth > logs in'",
                "npx vitest -t 'Billing > charges'",
                false,
            ),
            ("node -e 'x => lamp(x)'", "node -e 'x => oil(x)'", false),
            ("ssh quay 'make 2>&1'", "ssh quay 'df 2>&1'", false),
            ("make 2>&1 >log", "make < in", true),
            (
                "python3 - <<EOF\nlamp()\nEOF",
                "python3 - <<EOF\nprint(2)\nEOF",
                false,
            ),
            (
                "python3 - <<EOF\nlamp()\nEOF",
                "cd /w; python3 - <<EOF | tail\nlamp()\nEOF",
                true,
            ),
            (
                "git commit -m \"$(cat <<EOF\nAdd the lamp\nEOF\n)\"",
                "git commit -m \"$(cat <<EOF\nLight the lamp\nEOF\n)\"",
                true,
            ),
        ] {
            let parts = vec![fail(failed), edit("a.c"), pass("git pull"), pass(passed)];
            let found = cures(&[record(0, parts)]);
            assert_eq!(!found.is_empty(), is_cured, "{failed}; {passed}");
        }
    }

    #[test]
    fn an_error_has_the_names_of_its_line() {
        let missing = |name| format!("Error: Cannot find module '{name}'");
        let start = |name| run("npm start", &missing(name), true);
        let parts = vec![
            start("@acme/lamp"),
            pass("npm install @acme/lamp"),
            start("@acme/oil"),
            run("npm ci", &missing("@acme/wick"), false),
            pass("npm install @acme/oil"),
            pass("npm start"),
        ];
        let turns = [record(0, parts)];
        let errors = |wanted: &str| {
            let cures = Cure::find_all(&turns, &WantedError::read_all(wanted));
            cures.into_iter().map(|cure| cure.error).collect::<Vec<_>>()
        };
        for name in ["@acme/lamp", "@acme/oil"] {
            assert_eq!(errors(&missing(name)), [missing(name)]);
        }
        for other in ["@acme/quay", "@acme/wick", "./lamp"] {
            assert!(errors(&missing(other)).is_empty(), "{other}");
        }
        assert_eq!(
            errors("Error: Cannot find module").len(),
            0,
            "`npm ci` succeeded with it"
        );
    }

    #[test]
    fn changes_of_files_cure_one_program() {
        let edited = cures(&[record(
            0,
            vec![fail("make test"), edit("a.rs"), pass("make test")],
        )]);
        let ran = cures(&[record(
            0,
            vec![fail("make"), pass("cargo add cell"), pass("make")],
        )]);
        for (cure, command, expected) in [
            (&edited[0], "make all", true),
            (&edited[0], "git status", false),
            (&edited[0], "ls", true),
            (&ran[0], "git status", true),
        ] {
            assert_eq!(cure.may_cure(command), expected, "{command}");
        }
    }

    #[test]
    fn other_ends_are_no_cures() {
        let unfinished = TurnPart::Call(ToolCall {
            command: Some("make".into()),
            status: CallStatus::Unfinished,
            ..ToolCall::default()
        });
        for (why, parts) in [
            ("it never succeeded", vec![fail("make"), edit("a.rs")]),
            ("nothing was done", vec![fail("make"), pass("make")]),
            (
                "another command",
                vec![fail("make"), edit("a.rs"), pass("make lamp")],
            ),
            (
                "it still runs",
                vec![fail("make"), edit("a.rs"), unfinished],
            ),
            (
                "it printed the error",
                vec![fail("make"), edit("a.rs"), run("make | tail", ERROR, false)],
            ),
            (
                "it is also printed by what succeeds",
                vec![fail("make"), edit("a.rs"), run("make", ERROR, false)],
            ),
            (
                "no command failed",
                vec![run("cat log", ERROR, false), edit("a.rs"), pass("cat log")],
            ),
        ] {
            assert_eq!(cures(&[record(0, parts)]), [], "{why}");
        }
    }
}
