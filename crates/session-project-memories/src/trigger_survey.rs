//! Surveys what a trigger may name: the files of a project, and the commands and errors of its history.

use crate::error::ProjectMemoriesError;
use crate::project_memories::ProjectMemories;
use session_core::{TurnContent, find_error_names};
use session_memory::command_lines;
use std::cell::OnceCell;
use std::collections::HashSet;
use std::path::{Component, Path};
use walkdir::{DirEntry, WalkDir};

/// The most files that are listed.
pub(crate) const MAX_FILES: usize = 20_000;
/// Folders of what others wrote or programs made.
const FOREIGN_FOLDERS: [&str; 4] = ["node_modules", "target", "vendor", "dist"];

/// The files of a project and the newest turns of its history, each read once, when it is first used.
pub(crate) struct TriggerSurvey<'a> {
    memories: &'a ProjectMemories,
    files: OnceCell<Vec<String>>,
    newest: OnceCell<NewestRuns>,
}

/// The commands that the newest turns of the index ran, and the names in the errors of those that failed.
#[derive(Default)]
pub(crate) struct NewestRuns {
    pub(crate) commands: Vec<String>,
    pub(crate) failures: HashSet<String>,
}

impl<'a> TriggerSurvey<'a> {
    pub(crate) fn new(memories: &'a ProjectMemories) -> Self {
        Self {
            memories,
            files: OnceCell::new(),
            newest: OnceCell::new(),
        }
    }

    /// Returns the files of the project from its root, with `/`; none where there is no project.
    pub(crate) fn files(&self) -> &[String] {
        let project = self.memories.project.as_ref();
        let list = || project.map(|project| list_files(project.root()));
        self.files.get_or_init(|| list().unwrap_or_default())
    }

    /// Returns what the newest turns ran; nothing where the index fails.
    pub(crate) fn newest(&self) -> &NewestRuns {
        self.newest
            .get_or_init(|| read_newest(self.memories).unwrap_or_default())
    }

    /// Returns the newest commands, each in the forms in which a glob may name it.
    pub(crate) fn command_lines(&self) -> Vec<Vec<String>> {
        let commands = self.newest().commands.iter();
        commands.map(|command| command_lines(command)).collect()
    }
}

fn read_newest(memories: &ProjectMemories) -> Result<NewestRuns, ProjectMemoriesError> {
    let mut newest = NewestRuns::default();
    memories.visit_newest_turns(|turn| {
        let runs = turn.command_runs();
        newest
            .commands
            .extend(runs.map(|run| run.command.to_owned()));
        newest
            .failures
            .extend(failure_names(turn).map(str::to_owned));
    })?;
    Ok(newest)
}

/// Returns the names in the error lines of commands that failed.
pub(crate) fn failure_names(turn: &TurnContent) -> impl Iterator<Item = &str> {
    let failed = turn
        .run_errors
        .iter()
        .filter(|entry| turn.has_failed(entry.run));
    let lines = failed.filter_map(|entry| turn.errors.get(entry.error));
    lines.flat_map(|line| find_error_names(line))
}

/// Lists files below a root, relative and with `/`. Hidden folders and links are left out.
pub(crate) fn list_files(root: &Path) -> Vec<String> {
    list_without(root, |folder| folder.starts_with('.') || is_foreign(folder))
}

/// Lists files below a root as [`list_files`] does, those of hidden folders but git's too.
pub(crate) fn list_all_files(root: &Path) -> Vec<String> {
    list_without(root, |folder| folder == ".git" || is_foreign(folder))
}

fn is_foreign(folder: &str) -> bool {
    FOREIGN_FOLDERS.contains(&folder)
}

/// Returns true for a glob of files that are not listed.
pub(crate) fn names_foreign_folder(glob: &str) -> bool {
    glob.split('/').any(is_foreign)
}

fn list_without(root: &Path, is_left_out: impl Fn(&str) -> bool) -> Vec<String> {
    let is_own = |entry: &DirEntry| {
        let is_folder = entry.depth() > 0 && entry.file_type().is_dir();
        !is_folder || !is_left_out(&entry.file_name().to_string_lossy())
    };
    let entries = WalkDir::new(root).into_iter().filter_entry(is_own);
    let files = entries
        .flatten()
        .filter(|entry| entry.file_type().is_file());
    let relative = files.take(MAX_FILES).filter_map(|file| {
        let path = file.path().strip_prefix(root).ok()?;
        Some(join_with_slashes(path))
    });
    relative.collect()
}

/// Joins the names of a path with `/`.
pub(crate) fn join_with_slashes(path: &Path) -> String {
    let names = path.components().filter_map(|component| match component {
        Component::Normal(name) => Some(name.to_string_lossy()),
        _ => None,
    });
    names.collect::<Vec<_>>().join("/")
}
