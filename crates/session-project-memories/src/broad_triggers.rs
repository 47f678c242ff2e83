//! Triggers that match many files or commands: their memories say little about the one at hand.

use crate::project_memories::ProjectMemories;
use crate::trigger_survey::{MAX_FILES, TriggerSurvey, list_all_files, names_foreign_folder};
use session_display::Note;
use session_memory::{
    Memory, MemoryScope, Result as MemoryResult, TriggerChange, TriggerGlob, Triggers,
};

/// The divisor of the files or commands: a trigger that matches more than `total / BROAD_DIVISOR` is broad.
const BROAD_DIVISOR: usize = 5;
/// The fewest files or commands of which a fifth is much.
const MIN_TOTAL: usize = 20;
/// The divisor where there are fewer: of these a fifth may be a single one.
const BROAD_DIVISOR_OF_FEW: usize = 2;
/// The fewest files or commands by which a trigger is judged.
const MIN_FEW: usize = 5;

/// Words that most errors have.
const COMMON_ERROR_WORDS: [&str; 14] = [
    "abort",
    "aborted",
    "error",
    "errors",
    "exception",
    "exit code",
    "exit code 1",
    "failed",
    "failure",
    "fatal",
    "panic",
    "traceback",
    "uncaught",
    "warning",
];

/// A trigger that matches more than a fifth of a project's files or of the newest commands, more than half where there
/// are few, or most errors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BroadTrigger {
    /// The glob, or the part of an error.
    pub(crate) glob: String,
    /// The things that it matches.
    pub(crate) kind: TriggerKind,
    /// How many of them it matches; `None` if its text alone says that these are most.
    pub(crate) share: Option<TriggerShare>,
}

/// The number of files or commands that a glob matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TriggerShare {
    /// The number of those that it matches.
    pub(crate) matched: usize,
    /// The number of all.
    pub(crate) total: usize,
}

impl TriggerShare {
    /// Returns true if they are more than a fifth of all, of few ones more than half.
    fn is_broad(self) -> bool {
        let divisor = match self.total {
            MIN_TOTAL.. => BROAD_DIVISOR,
            MIN_FEW.. => BROAD_DIVISOR_OF_FEW,
            _ => return false,
        };
        self.matched * divisor > self.total
    }
}

impl BroadTrigger {
    /// Formats how much the trigger matches, as a sentence without a full stop.
    fn describe(&self) -> String {
        let (counted, all) = match self.kind {
            TriggerKind::Path => ("files of the project", "all files"),
            TriggerKind::Command => ("commands that were run", "all commands"),
            TriggerKind::Error => ("errors", "most errors"),
        };
        let matched = match self.share {
            Some(TriggerShare { matched, total }) => format!("{matched} of {total} {counted}"),
            None => all.to_owned(),
        };
        let glob = &self.glob;
        format!("`{glob}` matches {matched}, so it says little about the one at hand")
    }

    /// Returns the note on it for who gave it to a memory.
    pub(crate) fn note(&self, id: &str) -> Note {
        let command = self.edit_command(id);
        Note::new(self.describe()).with_hint(format!("`{command}` gives narrower ones"))
    }

    /// Returns the command that gives a memory narrower triggers of the kind.
    fn edit_command(&self, id: &str) -> String {
        let option = match self.kind {
            TriggerKind::Path => "--when-path GLOB",
            TriggerKind::Command => "--when-command GLOB",
            TriggerKind::Error => "--when-error TEXT",
        };
        format!("session-search memory edit {id} {option}")
    }
}

/// The kind of thing that a glob matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TriggerKind {
    /// Files of the project.
    Path,
    /// Commands that were run.
    Command,
    /// Errors.
    Error,
}

impl ProjectMemories {
    /// Returns notes on the triggers that a change gave a memory: those that match much of what there is, or no file.
    pub fn note_changed_triggers(&self, memory: &Memory, change: &TriggerChange) -> Vec<Note> {
        let when = change.keep_changed(&memory.front.when);
        let broad = self.find_broad_triggers(&when).into_iter();
        let mut notes: Vec<Note> = broad.map(|trigger| trigger.note(memory.id())).collect();
        notes.extend(self.note_unmatched_paths(memory.scope, &when.paths));
        notes
    }

    /// Finds the triggers that match more than a fifth of the project's files, or of the newest commands
    /// in the index as it is, or most errors.
    pub(crate) fn find_broad_triggers(&self, when: &Triggers) -> Vec<BroadTrigger> {
        TriggerSurvey::new(self).find_broad_triggers(when)
    }

    /// Returns notes on the path triggers of a memory of the project that match none of its files, where all files can be
    /// looked at.
    pub(crate) fn note_unmatched_paths(&self, scope: MemoryScope, globs: &[String]) -> Vec<Note> {
        let project = self.project.as_ref();
        let is_own = scope == MemoryScope::Project && !globs.is_empty();
        let Some(files) = project
            .filter(|_| is_own)
            .map(|it| list_all_files(it.root()))
        else {
            return Vec::new();
        };
        let is_unmatched = |glob: &&String| {
            let compiled = TriggerGlob::for_paths(glob).ok();
            compiled.is_some_and(|glob| !files.iter().any(|file| glob.is_match(file)))
        };
        let is_complete = (1..MAX_FILES).contains(&files.len());
        let is_looked_at = |glob: &&String| is_complete && !names_foreign_folder(glob);
        let unmatched = globs.iter().filter(is_looked_at).filter(is_unmatched);
        unmatched
            .map(|glob| Note::new(format!("`{glob}` matches no file of the project now")))
            .collect()
    }
}

impl TriggerSurvey<'_> {
    /// Finds the broad triggers as [`ProjectMemories::find_broad_triggers`] does.
    pub(crate) fn find_broad_triggers(&self, when: &Triggers) -> Vec<BroadTrigger> {
        let files = || self.files().iter().map(|file| vec![file.clone()]).collect();
        let paths = find_broad_globs(
            &when.paths,
            TriggerKind::Path,
            TriggerGlob::for_paths,
            files,
        );
        let commands = || self.command_lines();
        let commands = find_broad_globs(
            &when.commands,
            TriggerKind::Command,
            TriggerGlob::for_commands,
            commands,
        );
        let errors = when.errors.iter().filter(|error| is_common_error(error));
        let errors = errors.map(|error| BroadTrigger {
            glob: error.clone(),
            kind: TriggerKind::Error,
            share: None,
        });
        paths.into_iter().chain(commands).chain(errors).collect()
    }
}

/// Returns true for a part of an error that most errors have: `Error:`.
fn is_common_error(error: &str) -> bool {
    let word = error.trim_matches(|c: char| !c.is_alphanumeric());
    COMMON_ERROR_WORDS.contains(&word.to_lowercase().as_str())
}

/// Returns true for a glob that matches whatever there is: `*`, `**/*`.
fn matches_everything(glob: &str) -> bool {
    let has_star = glob.contains('*');
    has_star && glob.chars().all(|c| "*/. ".contains(c)) && !glob.contains("*.")
}

/// Finds the broad ones of some globs. Each entry of `all` is a file or a command, in the forms of which a glob has to
/// match one.
fn find_broad_globs(
    globs: &[String],
    kind: TriggerKind,
    compile: fn(&str) -> MemoryResult<TriggerGlob>,
    all: impl FnOnce() -> Vec<Vec<String>>,
) -> Vec<BroadTrigger> {
    if globs.is_empty() {
        return Vec::new();
    }
    let all = all();
    let count = |glob: &String| {
        let compiled = compile(glob).ok()?;
        let is_matched = |texts: &&Vec<String>| texts.iter().any(|text| compiled.is_match(text));
        Some(TriggerShare {
            matched: all.iter().filter(is_matched).count(),
            total: all.len(),
        })
    };
    let find = |glob: &String| {
        let share = count(glob).filter(|share| share.is_broad());
        (share.is_some() || matches_everything(glob)).then(|| BroadTrigger {
            glob: glob.clone(),
            kind,
            share,
        })
    };
    globs.iter().filter_map(find).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trigger_survey::list_files;

    #[test]
    fn a_glob_of_more_than_a_fifth_is_broad() {
        let root = tempfile::tempdir().unwrap();
        for n in 0..30 {
            for path in [format!("src/{n}.rs"), format!("target/{n}.rs")] {
                let path = root.path().join(path);
                fs_err::create_dir_all(path.parent().unwrap()).unwrap();
                fs_err::write(path, "").unwrap();
            }
        }
        let find = |globs: &[&str]| {
            let globs: Vec<String> = globs.iter().map(|glob| (*glob).to_owned()).collect();
            let files = || list_files(root.path()).into_iter().map(|file| vec![file]);
            find_broad_globs(&globs, TriggerKind::Path, TriggerGlob::for_paths, || {
                files().collect()
            })
        };
        let broad = BroadTrigger {
            glob: "src/".into(),
            kind: TriggerKind::Path,
            share: Some(TriggerShare {
                matched: 30,
                total: 30,
            }),
        };
        assert_eq!(
            find(&["src/", "src/1*.rs", "src/1.rs", "[", "target/"])[0],
            broad
        );
        let described = "`src/` matches 30 of 30 files of the project, so it says little";
        assert!(broad.describe().starts_with(described));
        let command = "session-search memory edit mem-1 --when-path GLOB";
        assert_eq!(broad.edit_command("mem-1"), command);
        assert!(
            find(&["src/1.rs", "src/2?.rs", "target/"]).len() == 1,
            "10 of 30"
        );
        fs_err::remove_dir_all(root.path().join("src")).unwrap();
        assert!(find(&["src/", "*.rs"]).is_empty(), "too few files");
        let all = find(&["*", "**/*", "./**", "**/*.rs"]);
        let globs: Vec<&str> = all.iter().map(|trigger| trigger.glob.as_str()).collect();
        assert_eq!(globs, ["*", "**/*", "./**"]);
        let described = "`*` matches all files, so it says little about the one at hand";
        assert_eq!(all[0].describe(), described);
    }

    #[test]
    fn of_few_files_more_than_half_is_broad() {
        let is_broad = |matched, total| TriggerShare { matched, total }.is_broad();
        assert!(is_broad(18, 19) && is_broad(10, 19) && is_broad(3, 5));
        assert!(!is_broad(9, 19) && !is_broad(2, 5) && !is_broad(4, 4));
        assert!(is_broad(5, 20) && !is_broad(4, 20));
    }

    #[test]
    fn words_that_most_errors_have_are_broad() {
        for error in ["Error", "error:", "FAILED", "Traceback", "exit code 1"] {
            assert!(is_common_error(error), "{error}");
        }
        for error in [
            "PoolTimedOut",
            "error: PoolTimedOut",
            "exit code 137",
            "timeout",
        ] {
            assert!(!is_common_error(error), "{error}");
        }
    }
}
