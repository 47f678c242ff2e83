//! Triggers that match many files or commands: their memories say little about the one at hand.

use crate::memories::Memories;
use crate::trigger_survey::TriggerSurvey;
use session_memory::{Result as MemoryResult, TriggerGlob, Triggers};

/// The divisor of the files or commands: a trigger that matches more than `total / BROAD_DIVISOR` is broad.
const BROAD_DIVISOR: usize = 5;
/// The fewest files or commands by which a trigger is judged.
const MIN_TOTAL: usize = 20;

/// A trigger that matches more than a fifth of a project's files or of the commands that were run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BroadTrigger {
    /// The glob.
    pub glob: String,
    /// The things that it matches.
    pub kind: TriggerKind,
    /// The number of files or commands that it matches.
    pub matched: usize,
    /// The number of all.
    pub total: usize,
}

impl BroadTrigger {
    /// Formats how much the glob matches, as a sentence without a full stop.
    pub fn describe(&self) -> String {
        let counted = match self.kind {
            TriggerKind::Path => "files of the project",
            TriggerKind::Command => "commands that were run",
        };
        let (glob, matched, total) = (&self.glob, self.matched, self.total);
        format!(
            "`{glob}` matches {matched} of {total} {counted}, so it says little about the one at hand"
        )
    }

    /// Returns the command that gives a memory narrower triggers of the kind.
    pub fn edit_command(&self, id: &str) -> String {
        let option = match self.kind {
            TriggerKind::Path => "--when-path",
            TriggerKind::Command => "--when-command",
        };
        format!("session-search memory edit {id} {option} GLOB")
    }
}

/// The kind of thing that a glob matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TriggerKind {
    /// Files of the project.
    Path,
    /// Commands that were run.
    Command,
}

impl Memories {
    /// Finds the triggers that match more than a fifth of the project's files, or of the newest commands
    /// in the index as it is.
    pub fn find_broad_triggers(&self, when: &Triggers) -> Vec<BroadTrigger> {
        TriggerSurvey::new(self).find_broad_triggers(when)
    }
}

impl TriggerSurvey<'_> {
    /// Finds the broad triggers as [`Memories::find_broad_triggers`] does.
    pub(crate) fn find_broad_triggers(&self, when: &Triggers) -> Vec<BroadTrigger> {
        let files = || self.files().iter().map(|file| vec![file.clone()]).collect();
        let paths = find_broad_globs(&when.paths, TriggerKind::Path, files);
        let commands = || self.command_lines();
        let commands = find_broad_globs(&when.commands, TriggerKind::Command, commands);
        paths.into_iter().chain(commands).collect()
    }
}

/// Finds the broad ones of some globs. Each entry of `all` is a file or a command, in the forms of which a glob has to
/// match one.
fn find_broad_globs(
    globs: &[String],
    kind: TriggerKind,
    all: impl FnOnce() -> Vec<Vec<String>>,
) -> Vec<BroadTrigger> {
    if globs.is_empty() {
        return Vec::new();
    }
    let all = all();
    let compile: fn(&str) -> MemoryResult<TriggerGlob> = match kind {
        TriggerKind::Path => TriggerGlob::for_paths,
        TriggerKind::Command => TriggerGlob::for_commands,
    };
    let count = |glob: &String| {
        let compiled = compile(glob).ok()?;
        let is_matched = |texts: &&Vec<String>| texts.iter().any(|text| compiled.is_match(text));
        Some(BroadTrigger {
            glob: glob.clone(),
            kind,
            matched: all.iter().filter(is_matched).count(),
            total: all.len(),
        })
    };
    let counted = globs.iter().filter_map(count);
    let is_broad = |trigger: &BroadTrigger| {
        trigger.total >= MIN_TOTAL && trigger.matched * BROAD_DIVISOR > trigger.total
    };
    counted.filter(is_broad).collect()
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
            find_broad_globs(&globs, TriggerKind::Path, || files().collect())
        };
        let broad = BroadTrigger {
            glob: "src/".into(),
            kind: TriggerKind::Path,
            matched: 30,
            total: 30,
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
        assert!(find(&["src/", "*"]).is_empty(), "too few files");
    }
}
