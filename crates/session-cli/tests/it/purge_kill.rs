//! A process that is killed while it removes a memory for good: the memory is still saved, or nothing of it is left.
#![cfg(unix)]

use crate::claude::ClaudeTranscript;
use crate::forget::LAMP;
use crate::hostile::tree;
use crate::memory::MemoryProject;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// A word that one memory alone has.
const PURGED: &str = "zq8purgedw7xk9";
/// Kills of each command after each of its steps.
const KILLS_OF_STEP: usize = 3;

/// A project with a context sheet and skills, in which a memory with [`PURGED`] is saved from a session.
struct PurgedProject {
    project: MemoryProject,
    id: String,
}

impl PurgedProject {
    fn new() -> Self {
        let project = MemoryProject::new();
        let shop = project.env.home("shop");
        let session = ClaudeTranscript::new(LAMP, shop.to_str().unwrap())
            .user(&format!("How is the {PURGED} filled?"))
            .assistant(&format!("The {PURGED} has a cap."));
        project.env.write_transcript(&session);
        project.env.run(&["index"]).succeeded();
        for location in [&[][..], &["--project"]] {
            let install = [&["skill", "install"], location].concat();
            project.run(&install).succeeded();
        }
        project.save("Kettle", "it stays", &["--importance", "high"]);
        let from = ["--from", LAMP, "--importance", "high"];
        let id = project.save(PURGED, &format!("{PURGED} has a cap"), &from);
        for sync in [["memory", "sync-context"], ["skill", "sync"]] {
            project.run(&sync).succeeded();
        }
        Self { project, id }
    }

    /// Returns the generated files that hold [`PURGED`], and what else of the memory does.
    fn holders(&self) -> Vec<PathBuf> {
        let env = &self.project.env;
        let folders = ["shop/.claude", ".claude/skills", ".local/share"].map(|path| env.home(path));
        let files = folders.iter().flat_map(|folder| tree(folder));
        let holds = |text: &[u8]| String::from_utf8_lossy(text).contains(PURGED);
        files
            .filter(|(_, text)| holds(text))
            .map(|(path, _)| path)
            .collect()
    }

    /// Kills a command as soon as a step of it is seen on the disk.
    fn kill_after(&self, args: &[&str], is_done: &dyn Fn(&Self) -> bool) {
        let mut command = self.project.command();
        command.args(args);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        while !is_done(self) && child.try_wait().unwrap().is_none() {
            std::hint::spin_loop();
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// Asserts that the memory is still saved and the command can be repeated, or that nothing is left of it.
    fn assert_purgeable(&self, args: &[&str], case: &str) {
        if self.project.file(&self.id).exists() {
            let repeated = self.project.run(args).succeeded();
            let left = "is left as it is";
            assert!(!repeated.stderr().contains(left), "{case}: {repeated}");
        }
        assert_eq!(self.holders(), Vec::<PathBuf>::new(), "{case}");
        let index = fs_err::read_to_string(self.project.folder("index.md")).unwrap();
        assert!(index.contains("Kettle"), "{case}: {index}");
    }
}

fn lacks_word(path: &Path) -> bool {
    let text = fs_err::read_to_string(path);
    text.is_ok_and(|text| !text.contains(PURGED))
}

#[test]
fn a_purge_that_is_killed_leaves_the_memory_or_nothing_of_it() {
    type Step = (&'static str, fn(&PurgedProject) -> bool);
    let steps: [Step; 4] = [
        ("file", |p| !p.project.file(&p.id).exists()),
        ("index", |p| lacks_word(&p.project.folder("index.md"))),
        ("sheet", |p| {
            let sheet = "shop/.claude/session-search-context.md";
            lacks_word(&p.project.env.home(sheet))
        }),
        ("skill", |p| {
            let skill = "shop/.claude/skills/session-search/SKILL.md";
            lacks_word(&p.project.env.home(skill))
        }),
    ];
    for (name, is_done) in steps {
        for _ in 0..KILLS_OF_STEP {
            for command in ["delete", "forget"] {
                let purged = PurgedProject::new();
                assert!(purged.holders().len() > 4, "{:?}", purged.holders());
                let args = match command {
                    "delete" => vec!["memory", "delete", "--purge", purged.id.as_str()],
                    _ => vec!["forget", LAMP, "--memories", "--yes"],
                };
                purged.kill_after(&args, &is_done);
                purged.assert_purgeable(&args, &format!("{command}, killed after its {name}"));
            }
        }
    }
}
