//! Whatever a repository puts at the paths that the program knows, the world outside it stays as it
//! was, its secrets stay there, and every command ends.
#![cfg(unix)]

use crate::environment::output_in_time;
use crate::hostile::{fifo, memory, tree};
use crate::inject_hook::payload;
use crate::memory::{MemoryProject, fed_child};
use proptest::prelude::*;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

const SECRET: &str = "PRIVATE-9f8e7d";
const ID: &str = "mem-20260110-091500";

/// The paths below a project that the program knows, and some that it might.
const PATHS: [&str; 33] = [
    ".claude",
    ".claude/session-search.toml",
    ".claude/session-search-context.md",
    ".claude/settings.json",
    ".claude/skills",
    ".claude/skills/session-search",
    ".claude/skills/session-search/.installed.json",
    ".claude/skills/session-search/SKILL.md",
    ".claude/skills/session-search/references",
    ".claude/skills/session-search/references/MEMORY.md",
    ".opencode",
    ".opencode/commands/session-search.md",
    ".opencode/skills/session-search/SKILL.md",
    ".claude/data",
    ".claude/data/session-search",
    ".claude/data/session-search/memories",
    ".claude/data/session-search/memories/.gitignore",
    ".claude/data/session-search/memories/.lock",
    ".claude/data/session-search/memories/index.md",
    ".claude/data/session-search/memories/daily",
    ".claude/data/session-search/memories/daily/2026-01-10.md",
    ".claude/data/session-search/memories/active",
    ".claude/data/session-search/memories/active/mem-20260110-091500.md",
    ".claude/data/session-search/memories/active/mem-\u{1b}[31m\u{202e}.md",
    ".claude/data/session-search/memories/archive",
    ".claude/data/session-search/memories/trash",
    ".claude/data/session-search/memories/trash/.gitignore",
    ".claude/data/session-search/memories/raw",
    ".claude/data/session-search/memories/raw/mem-20260110-091500.md",
    ".claude/data/conversation-memory/memories/active/mem-a/summary.md",
    ".claude/data/conversation-memory/memories/active/mem-a/conversation.md",
    ".cursor/skills/memory-data/daily",
    "out.json",
];

/// Every command that reads or writes in a project.
const COMMANDS: [&[&str]; 47] = [
    &["memory", "list", "--all"],
    &["memory", "list", "--json"],
    &["memory", "search", "pool"],
    &["memory", "show", ID],
    &["memory", "show", ID, "--raw"],
    &["memory", "today"],
    &["memory", "stats"],
    &["memory", "export"],
    &["memory", "export", "--to", "out.json"],
    &["memory", "sync-context", "--print"],
    &["inject", "--prompt", "pool", "--explain"],
    &["search", "pool", "--memories"],
    &["config"],
    &["status"],
    &["trust", "--list"],
    &["hook", "status"],
    &["skill", "status"],
    &["memory", "save", "--topic", "Mine", "--info", "word"],
    &["memory", "edit", ID, "--tag", "x"],
    &["memory", "archive", ID],
    &["memory", "activate", ID],
    &["memory", "supersede", ID, "--by", ID],
    &["memory", "sync-context"],
    &["memory", "import", "--format", "conversation-memory"],
    &["memory", "import", "--format", "cursor-memory"],
    &["memory", "import", "out.json"],
    &["skill", "install", "--project"],
    &[
        "skill",
        "install",
        "--project",
        "--agent",
        "opencode",
        "--force",
    ],
    &["skill", "sync"],
    &["skill", "uninstall", "--project", "--force"],
    &["hook", "install", "--project", "--yes"],
    &["hook", "uninstall", "--project", "--yes"],
    &["memory", "delete", ID],
    &["memory", "delete", ID, "--purge"],
    &["trust", "--revoke"],
    &["man", "--to", "out.json"],
    &["index"],
    &["show", "x"],
    &["files", "x"],
    &["commands", "x"],
    &["digest"],
    &["stats"],
    &["model", "list"],
    &["completions", "bash"],
    &["shell-init", "bash"],
    &["resume", "x"],
    &[
        "eval",
        "out.json",
        "--runs",
        ".claude/data",
        "--index",
        ".cursor",
    ],
];

/// The kinds of entries at a path.
#[derive(Debug, Clone, Copy)]
enum Planted {
    Nothing,
    LinkToFile,
    LinkToDirectory,
    LinkUp,
    LinkToDevice,
    DanglingLink,
    Fifo,
    Huge,
    Directory,
    Memory,
    Garbage,
}

fn planted() -> impl Strategy<Value = Planted> {
    use Planted::{
        DanglingLink, Directory, Fifo, Garbage, Huge, LinkToDevice, LinkToDirectory, LinkToFile,
        LinkUp, Memory, Nothing,
    };
    prop_oneof![
        8 => Just(Nothing),
        3 => Just(LinkToFile),
        3 => Just(LinkToDirectory),
        1 => Just(LinkUp),
        1 => Just(LinkToDevice),
        1 => Just(DanglingLink),
        1 => Just(Fifo),
        1 => Just(Huge),
        1 => Just(Directory),
        3 => Just(Memory),
        1 => Just(Garbage),
    ]
}

impl Planted {
    /// Puts it there, unless what stands above forbids it.
    fn put(self, at: &Path, outside: &Path) {
        if fs_err::create_dir_all(at.parent().unwrap()).is_err() || at.symlink_metadata().is_ok() {
            return;
        }
        if !fs_err::canonicalize(at.parent().unwrap()).is_ok_and(|real| !real.starts_with(outside))
        {
            return; // a link above leads out: nothing is planted there by the test itself
        }
        match self {
            Self::Nothing => {}
            Self::LinkToFile => symlink(outside.join("file.md"), at).unwrap(),
            Self::LinkToDirectory => symlink(outside.join("directory"), at).unwrap(),
            Self::LinkUp => symlink("../../../..", at).unwrap(),
            Self::LinkToDevice => symlink("/dev/zero", at).unwrap(),
            Self::DanglingLink => symlink(outside.join("new"), at).unwrap(),
            Self::Fifo => fifo(at),
            Self::Huge => fs_err::File::create(at).unwrap().set_len(1 << 33).unwrap(),
            Self::Directory => fs_err::create_dir(at).unwrap(),
            Self::Memory => fs_err::write(at, memory(ID, "Pool", "too small")).unwrap(),
            Self::Garbage => fs_err::write(at, [0xff, 0x00, 0x1b, b'[', b'\n']).unwrap(),
        }
    }
}

/// Runs a command to its end, and gives what it said.
fn run(project: &MemoryProject, args: &[&str], stdin: &str) -> (i32, String) {
    let mut command = project.command();
    command.args(args).env("EDITOR", "true");
    let output = output_in_time(fed_child(command, stdin));
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    (output.status.code().unwrap_or(-1), text.concat())
}

/// The user's things beside the clone.
fn outside(project: &MemoryProject) -> PathBuf {
    let outside = project.env.home("outside");
    for (path, text) in [
        ("file.md", SECRET),
        ("directory/file.md", SECRET),
        ("directory/2026-01-10.md", SECRET),
        ("directory/SKILL.md", SECRET),
        ("directory/mem-20260110-091500.md", SECRET),
    ] {
        project.env.write(&outside.join(path), text);
    }
    project
        .env
        .write(&project.env.home(".claude/CLAUDE.md"), SECRET);
    project.env.write(&project.env.home(".bashrc"), SECRET);
    outside
}

/// The home folder without the clone and the program's own state.
fn world(project: &MemoryProject) -> Vec<(PathBuf, Vec<u8>)> {
    let mut all = tree(&project.env.home(""));
    let inside = ["shop", ".local"].map(|path| project.env.home(path));
    all.retain(|(path, _)| !inside.iter().any(|at| path.starts_with(at)));
    all
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, max_shrink_iters: 40, ..ProptestConfig::with_cases(12) })]

    #[test]
    fn the_world_outside_a_clone_stays_as_it_is(plan in proptest::collection::vec(planted(), PATHS.len())) {
        let project = MemoryProject::new();
        let outside = outside(&project);
        for (path, planted) in PATHS.iter().zip(&plan) {
            planted.put(&project.env.home("shop").join(path), &outside);
        }
        let before = world(&project);
        let asked = payload(&project, "why is the pool too small?", "s1");
        let hook: (&[&str], &str) = (&["hook", "run"], &asked);
        for (args, stdin) in COMMANDS.iter().map(|args| (*args, "")).chain([hook]) {
            let (code, said) = run(&project, args, stdin);
            prop_assert!((0..=2).contains(&code), "{:?}: {} {}", args, code, said);
            prop_assert!(!said.contains(SECRET), "{:?}: {}", args, said);
            prop_assert!(!said.contains(['\u{1b}', '\u{202e}']), "{:?}: {:?}", args, said);
            prop_assert!(!said.contains("panicked"), "{:?}: {}", args, said);
        }
        let after = world(&project);
        let changed: Vec<&PathBuf> = after.iter().filter(|one| !before.contains(one)).map(|(path, _)| path).collect();
        prop_assert!(after == before, "{:?}", changed);
    }
}
