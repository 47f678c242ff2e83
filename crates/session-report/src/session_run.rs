//! The runs of commands in a session, across its turns.

use crate::placed_work::PlacedWork;
use indexmap::IndexSet;
use session_core::{CommandWork, ErrorSignature, TurnContent, WantedError, reads_heredoc};
use session_store::TurnRecord;
use std::cell::OnceCell;

/// A run of a command in a session.
pub(crate) struct SessionRun<'t> {
    content: &'t TurnContent,
    /// Position of its turn in the list.
    pub(crate) turn: usize,
    /// Index in [`TurnContent::runs`].
    pub(crate) run: usize,
    /// The error lines that it printed, once they were asked for.
    errors: OnceCell<Vec<PrintedError<'t>>>,
    /// The work of its command, once it was asked for: each of many failures is compared with it.
    work: OnceCell<Option<CommandWork>>,
    /// The same with its directories.
    placed_work: OnceCell<Vec<PlacedWork>>,
}

/// An error line with its signature.
#[derive(Clone, Copy)]
pub(crate) struct PrintedError<'t> {
    pub(crate) signature: ErrorSignature,
    pub(crate) line: &'t str,
}

impl PrintedError<'_> {
    fn is(&self, wanted: &WantedError) -> bool {
        wanted.is_in(self.signature, self.line)
    }
}

impl<'t> SessionRun<'t> {
    pub(crate) fn list_runs(turns: &'t [TurnRecord]) -> Vec<Self> {
        let turns = turns.iter().enumerate();
        let runs = turns.flat_map(|(turn, record)| {
            let content = &record.content;
            (0..content.runs.len()).map(move |run| Self::new(content, turn, run))
        });
        runs.collect()
    }

    fn new(content: &'t TurnContent, turn: usize, run: usize) -> Self {
        Self {
            content,
            turn,
            run,
            errors: OnceCell::new(),
            work: OnceCell::new(),
            placed_work: OnceCell::new(),
        }
    }

    fn errors(&self) -> &[PrintedError<'t>] {
        let with_signature = |line| {
            let signature = ErrorSignature::new(line)?;
            Some(PrintedError { signature, line })
        };
        let lines = || self.content.errors_of_run(self.run);
        self.errors
            .get_or_init(|| lines().filter_map(with_signature).collect())
    }

    pub(crate) fn record<'r>(&self, turns: &'r [TurnRecord]) -> Option<&'r TurnRecord> {
        turns.get(self.turn)
    }

    pub(crate) fn command(&self) -> &'t str {
        let run = self.content.runs.get(self.run);
        let command = run.and_then(|run| self.content.commands.get(run.command));
        command.map_or("", String::as_str)
    }

    pub(crate) fn work(&self) -> Option<&CommandWork> {
        let work = || self.content.work_of_run(self.run);
        self.work.get_or_init(work).as_ref()
    }

    fn placed_work(&self) -> &[PlacedWork] {
        let list = || PlacedWork::list(self.command());
        self.placed_work.get_or_init(list)
    }

    fn has_failed(&self) -> bool {
        self.content.has_failed(self.run)
    }

    /// Returns the first wanted error of which it failed.
    pub(crate) fn error(&self, wanted: &[WantedError]) -> Option<PrintedError<'t>> {
        let mut errors = self.errors().iter();
        let error = errors.find(|error| wanted.iter().any(|it| error.is(it)))?;
        self.has_failed().then_some(*error)
    }

    /// Returns the index of the first later run that does the same work and succeeds. `None` if the same error comes
    /// before it.
    ///
    /// Runs of different directories are the same only where the later one follows at once: the tests of one package say
    /// nothing about another's. Where no error is given, commands with a heredoc have to be equal.
    pub(crate) fn find_success(
        &self,
        later: &[Self],
        error: Option<&WantedError>,
    ) -> Option<usize> {
        let work = self.work()?;
        let is_next = |run: &Self| later.first().is_some_and(|next| std::ptr::eq(next, run));
        let does_same_work = |run: &Self| {
            let is_same = run.work().is_some_and(|other| work.is_done_by(other));
            is_same
                && (is_next(run) || !self.has_other_directory(run))
                && (error.is_some() || !self.may_read_other_heredoc(run))
        };
        let repeats = |run: &Self| error.is_some_and(|error| run.has_failed() && run.prints(error));
        let ends_search = |run: &Self| (repeats(run) || run.has_succeeded()) && does_same_work(run);
        let at = later.iter().position(ends_search)?;
        later.get(at)?.has_succeeded().then_some(at)
    }

    /// Returns true if a command reads a heredoc, and the other is not the same.
    fn may_read_other_heredoc(&self, other: &Self) -> bool {
        let (own, other) = (self.command(), other.command());
        own != other && [own, other].into_iter().any(reads_heredoc)
    }

    /// Returns true if the other command does some of the work in another directory: it names one that this one does not, unless
    /// that may be where this one runs.
    fn has_other_directory(&self, other: &Self) -> bool {
        let differ = |own: Option<&str>, other: Option<&str>| match (own, other) {
            (Some(own), Some(other)) => own != other,
            (None, Some(other)) => is_below(other),
            (_, None) => false,
        };
        let mut own = self.placed_work().iter();
        own.any(|work| work.is_moved_in(other.placed_work(), differ))
    }

    /// Returns true if only the directory of its work differs from that of its success, which follows at once.
    pub(crate) fn is_cured_by_directory(&self, success: &Self, between: &[Self]) -> bool {
        let differs = |own: Option<&str>, other: Option<&str>| other.is_some() && own != other;
        let mut own = self.placed_work().iter();
        between.is_empty() && own.any(|work| work.is_moved_in(success.placed_work(), differs))
    }

    pub(crate) fn has_succeeded(&self) -> bool {
        self.content.has_succeeded(self.run)
    }

    pub(crate) fn prints(&self, error: &WantedError) -> bool {
        self.errors().iter().any(|printed| printed.is(error))
    }

    fn changes_before(&self) -> usize {
        let run = self.content.runs.get(self.run);
        run.map_or(0, |run| run.changes_before)
    }
}

/// Returns true for a directory that is named from another one on: `web`, not `/w/web`, `$WEB` and `-`.
fn is_below(directory: &str) -> bool {
    !directory.starts_with(['/', '~', '$', '-']) && !directory.contains(['\\', ':'])
}

/// Returns the files that were changed from one run to another.
pub(crate) fn find_changed_files(
    turns: &[TurnRecord],
    from: &SessionRun<'_>,
    to: &SessionRun<'_>,
) -> Vec<String> {
    let mut files: IndexSet<&String> = IndexSet::new();
    let between = turns.iter().enumerate().take(to.turn + 1).skip(from.turn);
    for (turn, record) in between {
        let content = &record.content;
        let first = if turn == from.turn {
            from.changes_before()
        } else {
            0
        };
        let end = if turn == to.turn {
            to.changes_before()
        } else {
            usize::MAX
        };
        let changes = content.changes.iter().take(end).skip(first);
        for change in changes.filter(|change| !change.failed) {
            let path = content.files.get(change.file);
            files.extend(path);
        }
    }
    files.into_iter().cloned().collect()
}
