//! Which files are transcripts.

use crate::support::{Home, SESSION, claude};
use session_sources::{Listing, PathSession, WarningKind};
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

const OTHER: &str = "7a1e0c52-0000-4000-8000-000000000002";

/// Paths below the home folder, with the parent where it is told.
fn found(home: &Home, listing: &Listing) -> Vec<String> {
    let name = |path: &Path| {
        path.strip_prefix(home.path(""))
            .unwrap()
            .display()
            .to_string()
            .replace('\\', "/")
    };
    let told =
        |path_session: &PathSession| path_session.parent.as_ref().map(|id| format!(" of {id}"));
    listing
        .locations
        .iter()
        .map(|at| name(&at.path) + &told(&at.path_session).unwrap_or_default())
        .collect()
}

fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.sort();
    names
}

#[test]
fn nothing_is_nowhere() {
    let home = Home::new();
    let listing = home.locate();
    assert_eq!((listing.locations.len(), listing.warnings.len()), (0, 0));
}

#[test]
fn sessions_and_subagents_are_found() {
    let home = Home::new();
    let files = [
        format!("{SESSION}.jsonl"),
        "agent-1a2b3c4d.jsonl".to_owned(),
        format!("{SESSION}/subagents/agent-2.jsonl"),
        format!("{SESSION}/subagents/agent-2.meta.json"),
        format!("{SESSION}/subagents/workflows/run/agent-3.jsonl"),
        format!("{SESSION}/subagents/workflows/run/journal.jsonl"),
        format!("{SESSION}/tool-results/agent-4.jsonl"),
        format!("memory/subagents/{OTHER}.jsonl"),
        "notes.jsonl".to_owned(),
        "sessions-index.json".to_owned(),
        format!("{SESSION}.jsonl.bak"),
        "7a1e0c52000040008000000000000001.jsonl".to_owned(),
    ];
    files
        .iter()
        .for_each(|file| home.write(&home.project(file), "{}"));
    home.write(&home.project(&format!("{OTHER}.jsonl")), "");
    let listing = home.locate();
    let folder = ".claude/projects/-home-ann-app";
    assert_eq!(
        sorted(found(&home, &listing)),
        [
            format!("{folder}/{SESSION}.jsonl"),
            format!("{folder}/{SESSION}/subagents/agent-2.jsonl of {SESSION}"),
            format!("{folder}/{SESSION}/subagents/workflows/run/agent-3.jsonl of {SESSION}"),
            format!("{folder}/agent-1a2b3c4d.jsonl"),
        ]
    );
    let session = listing
        .locations
        .iter()
        .find(|at| at.path.ends_with(format!("{SESSION}.jsonl")));
    let session = session.unwrap();
    assert_eq!(session.path_session.session.as_deref(), Some(SESSION));
    assert_eq!(session.stamp.size, 2);
    assert_eq!(listing.warnings, []);
}

#[test]
fn both_homes_are_looked_at_unless_one_is_named() {
    let home = Home::new();
    for config in [".claude", ".config/claude", "a", "b"] {
        home.write(
            &home
                .path(config)
                .join(format!("projects/-x/{SESSION}.jsonl")),
            "{}",
        );
    }
    let names = |env| sorted(found(&home, &claude().locate(&env)));
    let at = |config: &str| format!("{config}/projects/-x/{SESSION}.jsonl");
    assert_eq!(names(home.env()), [at(".claude"), at(".config/claude")]);
    let list = format!("~/a, {},~/none", home.path("b").display());
    assert_eq!(
        names(home.env().var("CLAUDE_CONFIG_DIR", &list)),
        [at("a"), at("b")]
    );
    assert_eq!(
        names(home.env().var("CLAUDE_CONFIG_DIR", "~/a,~/a")),
        [at("a")]
    );
}

#[test]
fn the_oldest_change_comes_first() {
    let home = Home::new();
    for (file, seconds) in [("a", 3), ("b", 1), ("d", 2), ("c", 2)] {
        let path = home.project(&format!("agent-{file}.jsonl"));
        home.write(&path, "{}");
        let time = UNIX_EPOCH + Duration::from_secs(seconds);
        let file = fs_err::File::options().write(true).open(&path).unwrap();
        file.set_modified(time).unwrap();
    }
    let listing = home.locate();
    let order: Vec<_> = listing
        .locations
        .iter()
        .map(|at| at.path_session.session.as_deref())
        .collect();
    assert_eq!(
        order,
        ["agent-b", "agent-c", "agent-d", "agent-a"].map(Some)
    );
    assert_eq!(listing.locations[0].stamp.mtime_ns, 1_000_000_000);
}

#[test]
fn a_folder_named_like_a_transcript_is_a_warning() {
    let home = Home::new();
    fs_err::create_dir_all(home.project(&format!("{OTHER}.jsonl"))).unwrap();
    home.write(&home.project(&format!("{SESSION}.jsonl")), "{}");
    let listing = home.locate();
    assert_eq!(listing.locations.len(), 1);
    assert_eq!(listing.warnings.len(), 1);
    assert_eq!(listing.warnings[0].reason, "is a folder, not a transcript");
}

/// A file that the caller knows is not listed, nor is another path that leads to it.
#[cfg(unix)]
#[test]
fn known_files_are_left_out() {
    let home = Home::new();
    let transcript = |session: &str| home.path(&format!(".claude/projects/-app/{session}.jsonl"));
    home.write(&transcript(SESSION), "{}");
    let known = home.locate().locations.remove(0);
    home.write(&transcript(OTHER), "{}");
    let again = home.path(&format!(".claude/projects/-again/{SESSION}.jsonl"));
    home.write(&again, "");
    fs_err::remove_file(&again).unwrap();
    fs_err::hard_link(&known.path, &again).unwrap();
    let is_known = |path: &Path, stamp| (path, stamp) == (&*known.path, known.stamp);
    let listing = claude().locate_unknown(&home.env(), &is_known);
    let other = format!(".claude/projects/-app/{OTHER}.jsonl");
    assert_eq!(found(&home, &listing), [other]);

    home.write(&known.path, "{}\n{}");
    let listing = claude().locate_unknown(&home.env(), &is_known);
    assert_eq!(listing.locations.len(), 2);
}

#[cfg(unix)]
#[test]
fn symbolic_links_are_followed_once() {
    use std::os::unix::fs::symlink;
    let home = Home::new();
    home.write(&home.path(&format!("elsewhere/{SESSION}.jsonl")), "{}");
    fs_err::create_dir_all(home.path(".claude/projects")).unwrap();
    fs_err::create_dir_all(home.path(".config")).unwrap();
    symlink(
        home.path("elsewhere"),
        home.path(".claude/projects/-linked"),
    )
    .unwrap();
    symlink(home.path("elsewhere"), home.path(".claude/projects/-again")).unwrap();
    symlink(home.path(".claude"), home.path(".config/claude")).unwrap();
    symlink(home.path(".claude"), home.path(".claude/projects/-above")).unwrap();
    fs_err::create_dir_all(home.path(&format!("elsewhere/{SESSION}/subagents"))).unwrap();
    symlink(
        home.path(&format!("elsewhere/{SESSION}")),
        home.path(&format!("elsewhere/{SESSION}/subagents/loop")),
    )
    .unwrap();
    symlink(
        home.path("nowhere"),
        home.path(".claude/projects/-dangling"),
    )
    .unwrap();
    let itself = home.path(&format!("elsewhere/{OTHER}.jsonl"));
    symlink(&itself, &itself).unwrap();
    let listing = home.locate();
    assert_eq!(listing.locations.len(), 1);
    let reasons: Vec<_> = listing
        .warnings
        .iter()
        .map(|warning| warning.reason.as_str())
        .collect();
    assert!(
        reasons.iter().any(|reason| reason.contains("leads back")),
        "{reasons:?}"
    );
    for link in ["-dangling", itself.file_name().unwrap().to_str().unwrap()] {
        let mut warnings = listing.warnings.iter();
        let is_told = warnings.any(|warning| warning.path.ends_with(link));
        assert!(is_told, "{link}: {reasons:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_session_has_the_name_of_its_file_not_of_a_link_to_it() {
    for link in [
        "00000000-0000-4000-8000-000000000000",
        "ffffffff-0000-4000-8000-000000000000",
    ] {
        let home = Home::new();
        let file = home.project(&format!("{SESSION}.jsonl"));
        home.write(&file, "{}");
        std::os::unix::fs::symlink(&file, home.project(&format!("{link}.jsonl"))).unwrap();
        let found = home.locate().locations;
        let paths: Vec<_> = found.iter().map(|at| at.path.as_path()).collect();
        assert_eq!(paths, [file.as_path()]);
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_is_no_transcript() {
    let home = Home::new();
    let pipe = home.project(&format!("{SESSION}.jsonl"));
    crate::support::make_pipe(&pipe);
    let listing = home.locate();
    assert_eq!(listing.locations, []);
    let [warning] = listing.warnings.as_slice() else {
        panic!("{:?}", listing.warnings)
    };
    assert_eq!(warning.path, pipe);
    assert_eq!(warning.reason, "is not a regular file");
    assert!(!warning.kind.is_unread());
}

#[test]
fn a_folder_that_the_user_named_should_be_there() {
    let home = Home::new();
    home.write(&home.path("file"), "");
    home.write(&home.path("empty/file"), "");
    home.write(
        &home.path(&format!("good/projects/-x/{SESSION}.jsonl")),
        "{}",
    );
    let (unusable, empty) = (
        WarningKind::UnusableVariable,
        WarningKind::EmptyVariableFolder,
    );
    let reasons = [
        ("none", "names a folder that does not exist", empty),
        ("file", "names a file, not a folder", unusable),
        (
            "empty",
            "names a folder without a `projects` folder in it",
            empty,
        ),
    ];
    for (folder, reason, kind) in reasons {
        let list = format!("~/{folder},~/good");
        let listing = claude().locate(&home.env().var("CLAUDE_CONFIG_DIR", &list));
        assert_eq!(listing.locations.len(), 1);
        let [warning] = listing.warnings.as_slice() else {
            panic!("{:?}", listing.warnings)
        };
        assert_eq!(warning.path, home.path(folder));
        assert_eq!(warning.reason, format!("CLAUDE_CONFIG_DIR {reason}"));
        assert_eq!(warning.kind, kind);
    }
}

/// Its sessions are found under the text of its path, at which nothing is.
#[cfg(target_os = "linux")]
#[test]
fn a_folder_whose_name_is_not_utf_8_is_told_of() {
    use std::os::unix::ffi::OsStrExt;
    let bad = std::ffi::OsStr::from_bytes(b"\xff");
    let transcript = Path::new("-app").join(format!("{SESSION}.jsonl"));
    let told = |home: &Path, folder: &Path| {
        let path = home.join(".claude/projects").join(folder);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, "{}").unwrap();
        let listing = claude().locate(&session_sources::Env::with_home(home));
        assert_eq!(listing.locations.len(), 1);
        let reasons = listing.warnings.into_iter().map(|warning| warning.reason);
        reasons.collect::<Vec<_>>()
    };
    let reason = "has a name that is not UTF-8: the sessions in it are found, and shown as they were indexed";
    let home = Home::new();
    assert_eq!(told(&home.path("plain"), &transcript), [""; 0]);
    assert_eq!(told(&home.path("").join(bad), &transcript), [reason]);
    let project = Path::new(bad).join(format!("{SESSION}.jsonl"));
    assert_eq!(told(&home.path("other"), &project), [reason]);
}

/// Its sessions are not gone.
#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_looked_at_is_told() {
    let home = Home::new();
    let folder = home.path(".claude");
    session_test::files::make_unlistable(&folder);
    let listing = home.locate();
    assert_eq!(listing.locations, []);
    let [warning] = listing.warnings.as_slice() else {
        panic!("{:?}", listing.warnings)
    };
    assert_eq!(warning.path, folder);
    assert!(warning.reason.starts_with("cannot be listed: "));
}
