//! Whether a command that failed succeeded later in its session.

use crate::cure::MAX_RUNS;
use crate::session_run::{SessionRun, find_changed_files};
use serde::Serialize;
use session_store::TurnRecord;

/// The run after which the work of a command that failed was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LaterSuccess {
    /// Index of its turn in the session, from 0.
    pub turn: u32,
    /// Files that were changed in between, each once; none where so much was run in between that most concern something else.
    pub files: Vec<String>,
}

/// The runs of a session, of which those that failed are followed to their success.
pub struct LaterSuccesses<'t> {
    turns: &'t [TurnRecord],
    runs: Vec<SessionRun<'t>>,
}

impl<'t> LaterSuccesses<'t> {
    /// Lists the runs in the turns of a session.
    pub fn new(turns: &'t [TurnRecord]) -> Self {
        let runs = SessionRun::list_runs(turns);
        Self { turns, runs }
    }

    /// Finds the success after the run with an index in the turn with another: `None` if the same work was never done
    /// later, and for a command that does none.
    pub fn find(&self, turn: u32, run: usize) -> Option<LaterSuccess> {
        let turn = self.turns.iter().position(|it| it.row.index == turn)?;
        let mut runs = self.runs.iter();
        let at = runs.position(|it| (it.turn, it.run) == (turn, run))?;
        let (failure, later) = self.runs.get(at..)?.split_first()?;
        let after = failure.find_success(later, None)?;
        let success = later.get(after)?;
        let files = if after < MAX_RUNS {
            find_changed_files(self.turns, failure, success)
        } else {
            Vec::new()
        };
        let turn = success.record(self.turns)?.row.index;
        Some(LaterSuccess { turn, files })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_turns::{self, edit, record};
    use session_core::TurnPart;

    fn run(command: &str, failed: bool) -> TurnPart {
        test_turns::run(command, "", failed)
    }

    #[test]
    fn each_failure_is_followed_to_the_success_of_its_work() {
        let first = vec![
            run("cd app && make | tail", true),
            edit("a.c"),
            run("make", true),
            run("cat lamp.c", true),
            run("make lamp", true),
        ];
        let second = vec![edit("b.c"), run("make -s && make", false), edit("c.c")];
        let turns = [record(3, first), record(5, second)];
        let successes = LaterSuccesses::new(&turns);
        let find = |run| {
            successes
                .find(3, run)
                .map(|found| (found.turn, found.files))
        };
        let files = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(find(0), Some((5, files(&["a.c", "b.c"]))));
        assert_eq!(find(1), Some((5, files(&["b.c"]))));
        assert_eq!(find(2), None, "it does no work");
        assert_eq!(find(3), None, "it never succeeded");
        assert_eq!(successes.find(4, 0), None, "there is no such turn");
    }

    #[test]
    fn another_heredoc_is_no_success() {
        let psql = |script: &str| format!("psql -d pier <<EOF\n{script}\nEOF");
        let drop = psql("DROP TABLE lamps;");
        let first = vec![run(&drop, true), run("make", true)];
        let second = vec![
            run(&psql("SELECT 1;"), false),
            run("cat > a.c <<EOF\nint oil;\nEOF\nmake", false),
        ];
        let again = vec![run(&drop, false)];
        let turns = [record(0, first), record(1, second), record(2, again)];
        let turn = |turns: &[TurnRecord], run| {
            let success = LaterSuccesses::new(turns).find(0, run);
            success.map(|success| success.turn)
        };
        assert_eq!(turn(&turns[..2], 0), None);
        assert_eq!(turn(&turns, 0), Some(2));
        assert_eq!(turn(&turns, 1), Some(1), "`make` reads none");
    }

    #[test]
    fn a_sign_in_quotes_is_a_word() {
        let test = |name: &str, failed| run(&format!("npx vitest -t 'Auth > {name}'"), failed);
        let turns = [
            record(0, vec![test("login", true)]),
            record(1, vec![test("logout", false)]),
            record(2, vec![test("login", false)]),
        ];
        let turn = |turns| LaterSuccesses::new(turns).find(0, 0).map(|it| it.turn);
        assert_eq!((turn(&turns[..2]), turn(&turns)), (None, Some(2)));
    }

    #[test]
    fn a_distant_success_is_not_put_down_to_files() {
        let other = (0..MAX_RUNS).map(|n| run(&format!("lamp {n}"), false));
        let parts = [run("make", true), edit("a.c")].into_iter().chain(other);
        let turns = [record(0, parts.chain([run("make", false)]).collect())];
        let success = LaterSuccesses::new(&turns).find(0, 0).unwrap();
        assert_eq!((success.turn, success.files), (0, Vec::new()));
    }
}
