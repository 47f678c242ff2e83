//! A history that cannot be read costs itself, and is named.

use crate::claude::ClaudeTranscript;
use crate::environment::{TestEnvironment, set_time};
use crate::history::{DOCKER, SCHEDULE, WATCHER, docker, small, watcher};
use crate::opencode::OpenCodeHistory;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

const ID: &str = "e5000000-0000-4000-8000-000000000005";

/// Where a session of the project `attic` lies.
fn attic(env: &TestEnvironment) -> PathBuf {
    env.home(&format!(".claude/projects/-home-ann-attic/{ID}.jsonl"))
}

fn telescope() -> ClaudeTranscript {
    ClaudeTranscript::new(ID, "/home/ann/attic")
        .user("Collimate the telescope mirror")
        .assistant("Turn the three screws.")
}

/// Asserts that the sessions that were there before are found, still.
#[track_caller]
fn others_are_found(env: &TestEnvironment) {
    assert_eq!(env.found(&["docker bridge", "--limit", "1"]), [DOCKER]);
    assert_eq!(env.found(&["EMFILE", "--limit", "1"]), [WATCHER]);
}

/// The problems after the content was put beside two good sessions. What is
/// good in the content is found.
#[track_caller]
fn problems_of(content: impl AsRef<[u8]>) -> Vec<String> {
    let env = TestEnvironment::indexed(&[docker(), watcher()]);
    env.write(&attic(&env), content);
    env.run(&["index"]).succeeded();
    others_are_found(&env);
    assert_eq!(env.found(&["collimate telescope", "--keyword-only"]), [ID]);
    let counted = env.problems();
    env.run(&["index", "--full"]).succeeded();
    assert_eq!(env.problems(), counted, "they are counted once");
    counted
        .iter()
        .map(|p| {
            p.replace(
                "~/.claude/projects/-home-ann-attic/e5000000-0000-4000-8000-000000000005.jsonl",
                "FILE",
            )
        })
        .collect()
}

#[test]
fn damaged_lines_are_counted_and_the_others_are_read() {
    let text = telescope().text();
    let content = format!("{{\"type\":\"user\",\"mess\n{text}not json\n");
    assert_eq!(problems_of(content), ["FILE: line is not valid JSON (2)"]);
}

#[test]
fn bytes_that_are_no_text_are_no_problem() {
    let mut content = telescope().text().into_bytes();
    content.extend(
        b"{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"\xff\xfe\xc0\"}}\n",
    );
    assert_eq!(problems_of(content), Vec::<String>::new());
}

#[test]
fn half_of_a_surrogate_pair_is_no_problem() {
    let line = "{\"type\":\"user\",\"uuid\":\"x\",\"message\":{\"role\":\"user\",\"content\":\"half \\ud83d pair\"}}\n";
    assert_eq!(problems_of(telescope().text() + line), Vec::<String>::new());
}

#[test]
fn nul_bytes_are_one_problem_and_the_other_lines_are_read() {
    let content = format!("{}\0\0\0\0\0\0\n{}", telescope().text(), "\0".repeat(4096));
    let problems = problems_of(content);
    assert_eq!(problems.len(), 1, "{problems:?}");
}

#[test]
fn values_of_another_kind_are_one_problem_at_most() {
    let lines = "null\n[]\n7\n\"text\"\n{\"type\":7}\n{\"type\":\"user\",\"message\":[1,{\"a\":null}]}\n{\"type\":\"assistant\",\"message\":{\"content\":{\"type\":\"text\"}}}\n{\"type\":\"user\",\"timestamp\":\"yesterday\",\"cwd\":5,\"message\":{\"content\":[[]]}}\n";
    let problems = problems_of(telescope().text() + lines);
    assert!(problems.len() <= 1, "{problems:?}");
}

#[test]
fn times_that_are_none_are_no_problem() {
    for time in [
        "",
        "never",
        "9999999-01-01T00:00:00Z",
        "-009999-01-01T00:00:00Z",
        "2026-02-30T00:00:00Z",
    ] {
        let text = telescope().text().replace("2026-01-15T10:00:00Z", time);
        assert_eq!(problems_of(text), Vec::<String>::new(), "{time}");
    }
}

#[test]
fn a_line_that_is_written_in_two_steps() {
    let env = TestEnvironment::indexed(&[docker(), watcher()]);
    let whole = telescope().user("And polish the eyepiece").text();
    let cut = whole.len() - 30;
    env.write(&attic(&env), &whole[..cut]);
    env.run(&["index"]).succeeded();
    assert_eq!(
        env.problems(),
        Vec::<String>::new(),
        "an unfinished line is no damage"
    );
    assert_eq!(env.found(&["collimate telescope", "--keyword-only"]), [ID]);
    assert_eq!(env.found(&["polish eyepiece", "--keyword-only"]).len(), 0);
    env.write(&attic(&env), &whole);
    env.run(&["index"]).succeeded();
    assert_eq!(env.found(&["polish eyepiece", "--keyword-only"]), [ID]);
    assert_eq!(env.problems(), Vec::<String>::new());
}

#[test]
fn an_empty_file_is_no_problem() {
    let env = TestEnvironment::indexed(&[docker(), watcher()]);
    env.write(&attic(&env), "");
    env.run(&["index"]).succeeded();
    assert_eq!(env.problems(), Vec::<String>::new());
    others_are_found(&env);
    env.write(&attic(&env), telescope().text());
    assert_eq!(env.found(&["collimate telescope", "--keyword-only"]), [ID]);
}

#[test]
fn a_folder_named_like_a_transcript_is_a_problem() {
    let env = TestEnvironment::indexed(&[docker(), watcher()]);
    fs_err::create_dir_all(attic(&env)).unwrap();
    env.run(&["index"]).succeeded();
    assert_eq!(
        env.problems(),
        [format!(
            "~/.claude/projects/-home-ann-attic/{ID}.jsonl: is a folder, not a transcript (1)"
        )]
    );
    others_are_found(&env);
    fs_err::remove_dir(attic(&env)).unwrap();
    env.run(&["index"]).succeeded();
    assert_eq!(env.problems(), Vec::<String>::new());
}

#[cfg(unix)]
#[test]
fn links_that_lead_nowhere_or_in_circles_are_problems() {
    use std::os::unix::fs::symlink;
    let env = TestEnvironment::indexed(&[docker(), watcher()]);
    let projects = env.home(".claude/projects");
    symlink(&projects, projects.join("-loop")).unwrap();
    symlink("/nowhere/at/all", projects.join("-dangling")).unwrap();
    symlink(
        format!("{ID}.jsonl"),
        projects.join(format!("-home-ann-parser/{ID}.jsonl")),
    )
    .unwrap();
    env.run(&["index"]).succeeded();
    others_are_found(&env);
    assert_eq!(env.json(&["status"])["sessions"], 2);
    let problems = env.problems();
    assert!(
        problems.contains(
            &"~/.claude/projects/-loop: symbolic link leads back to a folder above it (1)"
                .to_owned()
        ),
        "{problems:?}"
    );
    assert_eq!(problems.len(), 3, "{problems:?}");
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_read_is_read_when_it_may() {
    use std::os::unix::fs::PermissionsExt;
    let env = TestEnvironment::indexed(&[docker(), watcher()]);
    env.write(&attic(&env), telescope().text());
    let permit =
        |mode| fs_err::set_permissions(attic(&env), std::fs::Permissions::from_mode(mode)).unwrap();
    permit(0o000);
    let forbidden = fs_err::File::open(attic(&env)).is_err(); // never for root
    env.run(&["index"]).succeeded();
    others_are_found(&env);
    if forbidden {
        let problems = env.problems();
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].contains("ermission denied"), "{problems:?}");
        env.run(&["index"]).succeeded();
        assert_eq!(env.problems(), problems, "it is counted once");
    }
    permit(0o600);
    env.run(&["index"]).succeeded();
    assert_eq!(env.found(&["collimate telescope", "--keyword-only"]), [ID]);
    assert_eq!(env.problems(), Vec::<String>::new());
}

#[test]
fn garbage_in_place_of_a_database_is_a_problem_until_it_is_replaced() {
    for garbage in [
        &b"This is not a database, whatever its name says."[..],
        &[0x5a; 20_000],
        b"SQLite format 3\0 and then nothing",
    ] {
        let env = TestEnvironment::indexed(&[docker(), watcher()]);
        env.write(&OpenCodeHistory::path(&env), garbage);
        env.run(&["index"]).succeeded();
        others_are_found(&env);
        let problems = env.problems();
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(
            problems[0].starts_with("~/.local/share/opencode/opencode.db: "),
            "{problems:?}"
        );
        fs_err::remove_file(OpenCodeHistory::path(&env)).unwrap();
        OpenCodeHistory::open(&env).session(
            "ses_5",
            "/home/ann/attic",
            "Telescope",
            &[("Collimate it", "Done.")],
        );
        assert_eq!(env.found(&["collimate", "--keyword-only"]), ["ses_5"]);
        assert_eq!(env.problems(), Vec::<String>::new());
    }
}

#[test]
fn rows_that_are_no_messages_are_one_problem() {
    let env = small();
    let db = OpenCodeHistory::open(&env);
    db.0.execute_batch(
        "INSERT INTO session VALUES (7, x'00ff', 3.5, NULL, x'80', 'soon', -1);
         INSERT INTO session VALUES ('ses_odd', NULL, NULL, NULL, NULL, NULL, NULL);
         INSERT INTO message VALUES ('m1', 'ses_odd', 1e300, NULL, 'not json'), ('m2', 'ses_odd', 2, 2, NULL), (NULL, 'ses_odd', 3, 3, x'ff');
         INSERT INTO part VALUES ('p1', 'm1', 'ses_odd', 1, 1, '[]'), ('p2', 'm2', 'ses_odd', 2, 2, '{\"type\":\"text\",\"text\":7}');",
    )
    .unwrap();
    env.run(&["index"]).succeeded();
    others_are_found(&env);
    assert_eq!(
        env.found(&["nightly job two hours", "--limit", "1"]),
        [SCHEDULE]
    );
    let problems = env.problems();
    assert_eq!(problems.len(), 1, "{problems:?}");
}

#[test]
fn a_damaged_message_costs_no_other_turn() {
    let env = TestEnvironment::indexed(&[docker(), watcher()]);
    let db = OpenCodeHistory::open(&env);
    let long = "lensgrinder ".repeat(2000);
    let exchanges = [
        ("Collimate it", "Done."),
        ("Polish the lens", long.as_str()),
        ("Mount the finder", "Mounted."),
    ];
    db.session("ses_5", "/home/ann/attic", "Telescope", &exchanges);
    env.run(&["index"]).succeeded();
    let answers = || env.found(&["lensgrinder", "--keyword-only"]).len();
    assert_eq!(answers(), 1);
    db.0.execute("UPDATE session SET time_updated = 9999999999999", [])
        .unwrap();
    drop(db);
    let path = OpenCodeHistory::path(&env);
    let mut bytes = fs_err::read(&path).unwrap();
    // A page of a long value begins with the number of the next.
    let holds = |page: &&mut [u8]| page[4..].windows(11).take(12).any(|w| w == b"lensgrinder");
    let page = bytes.chunks_mut(4096).find(holds).unwrap();
    page[..4].fill(0xff);
    fs_err::write(&path, bytes).unwrap();
    for (args, expected) in [(["index"].as_slice(), 1), (&["index", "--full"], 0)] {
        env.run(args).succeeded();
        for prompt in ["collimate", "polish", "finder"] {
            assert_eq!(
                env.found(&[prompt, "--keyword-only"]),
                ["ses_5"],
                "{args:?}"
            );
        }
        assert_eq!(answers(), expected, "{args:?}");
        assert_eq!(env.problems().len(), 1);
    }
}

#[test]
fn a_locked_database_is_read_when_it_is_free() {
    let env = TestEnvironment::indexed(&[docker(), watcher()]);
    let db = OpenCodeHistory::open(&env);
    db.session(
        "ses_5",
        "/home/ann/attic",
        "Telescope",
        &[("Collimate it", "Done.")],
    );
    db.0.execute_batch("BEGIN EXCLUSIVE").unwrap();
    env.run(&["index"]).succeeded();
    others_are_found(&env);
    let problems =
        ["~/.local/share/opencode/opencode.db: database is locked by another program (1)"];
    assert_eq!(env.problems(), problems);
    env.run(&["index"]).succeeded();
    assert_eq!(env.problems(), problems, "it is counted once");
    db.0.execute_batch("ROLLBACK").unwrap();
    env.run(&["index"]).succeeded();
    assert_eq!(env.found(&["collimate", "--keyword-only"]), ["ses_5"]);
    assert_eq!(env.problems(), Vec::<String>::new());
}

#[test]
fn times_of_files_may_be_anything() {
    let env = TestEnvironment::indexed(&[docker()]);
    let future = SystemTime::now() + Duration::from_secs(400 * 24 * 3600);
    set_time(&env.write_transcript(&watcher()), future);
    env.write(&attic(&env), telescope().text());
    set_time(&attic(&env), SystemTime::UNIX_EPOCH);
    env.run(&["index"]).succeeded();
    others_are_found(&env);
    assert_eq!(env.found(&["collimate telescope", "--keyword-only"]), [ID]);
    assert!(
        env.run(&["index"])
            .succeeded()
            .stderr()
            .starts_with("nothing new")
    );
    let longer = watcher().user("Prune the espalier").text();
    env.write(&env.home(&watcher().path_in_home()), longer);
    set_time(&env.home(&watcher().path_in_home()), future);
    assert_eq!(
        env.found(&["espalier", "--keyword-only"]),
        [WATCHER],
        "its size tells"
    );
}

#[test]
fn problems_are_listed_for_people() {
    let env = TestEnvironment::indexed(&[docker()]);
    env.write(&attic(&env), format!("{}oops\n", telescope().text()));
    env.run(&["index"]).succeeded();
    let printed = env.run(&["status"]).succeeded().stdout();
    assert!(printed.contains("1 place could not be read"), "{printed}");
    assert!(
        printed.contains("line is not valid JSON, first at byte "),
        "{printed}"
    );
}

#[test]
fn an_update_says_that_a_history_could_not_be_read() {
    let env = TestEnvironment::indexed(&[docker()]);
    fs_err::create_dir_all(attic(&env)).unwrap();
    let note = "note: 1 place could not be read\nhint: `session-search status` says why";
    for mode in [&["index"][..], &["index", "--full"], &["index"]] {
        let ran = env.run(mode).succeeded();
        assert!(ran.stderr().contains(note), "{ran}");
    }
    let outcome = env.json(&["index"]);
    assert_eq!(
        (&outcome["files_read"], &outcome["places_unread"]),
        (&0.into(), &1.into())
    );
    fs_err::remove_dir(attic(&env)).unwrap();
    let ran = env.run(&["index"]).succeeded();
    assert!(!ran.stderr().contains("note:"), "{ran}");
}

/// A folder's name may be any bytes.
#[cfg(unix)]
#[test]
fn folders_whose_names_are_no_text_are_read() {
    use std::os::unix::ffi::OsStrExt;
    let env = TestEnvironment::indexed(&[docker(), watcher()]);
    let folder = std::ffi::OsStr::from_bytes(b"-home-\xff-attic");
    let path = env
        .home(".claude/projects")
        .join(folder)
        .join(format!("{ID}.jsonl"));
    env.write(&path, telescope().text());
    env.run(&["index"]).succeeded();
    others_are_found(&env);
    assert_eq!(env.found(&["collimate telescope", "--keyword-only"]), [ID]);
    env.run(&["show", ID]).succeeded();
    assert!(
        env.run(&["index"])
            .succeeded()
            .stderr()
            .starts_with("nothing new")
    );
}
