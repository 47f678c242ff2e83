//! The work of a command with the directories in which it is done.

use session_core::CommandWork;
use session_core::shell::{WorkingDirectory, split_command_parts};

/// The work of one simple command, and where it is done.
pub(crate) struct PlacedWork {
    work: CommandWork,
    /// The directory as its command line names it; `None` if it names none.
    directory: Option<String>,
}

impl PlacedWork {
    /// Lists the simple commands of a command line that do work.
    pub(crate) fn list(command: &str) -> Vec<Self> {
        let mut directory = WorkingDirectory::at_start();
        let mut list = Vec::new();
        for part in split_command_parts(command) {
            list.extend(CommandWork::new(part.source).map(|work| Self {
                work,
                directory: directory.written_path(),
            }));
            directory.read(&part);
        }
        list
    }

    /// Returns true if some of these do it, but each only where its directory, given second, is another one.
    pub(crate) fn is_moved_in(
        &self,
        others: &[Self],
        is_other: impl Fn(Option<&str>, Option<&str>) -> bool,
    ) -> bool {
        let is_other =
            |other: &Self| is_other(self.directory.as_deref(), other.directory.as_deref());
        let mut same = others.iter().filter(|other| other.work == self.work);
        same.next().is_some_and(is_other) && same.all(is_other)
    }
}
