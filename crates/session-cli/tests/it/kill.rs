//! A process that dies at any instant leaves an index that can be read and
//! gone on with: in the end it is the same as if nothing had happened.

use crate::environment::TestEnvironment;
use crate::generator::{XorShift, generate};
use session_core::Query;
use session_store::{Level, Reader, SessionRow, TurnRow};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

const SESSIONS: u64 = 60;
const KILLS: u32 = 50;

#[test]
fn an_index_survives_being_killed() {
    let env = TestEnvironment::new();
    generate(&env, SESSIONS);
    let began = Instant::now();
    env.run(&["index"]).succeeded();
    let undisturbed = began.elapsed();
    let expected = whole(&env);
    let mut random = XorShift::new(0xdead);
    let mut kills = 0;
    while kills < KILLS {
        fs_err::remove_dir_all(env.index("")).unwrap();
        while let Killed::Yes = killed_within(&env, undisturbed, &mut random) {
            kills += 1;
            if kills % 2 == 0 {
                readable(&env);
            }
        }
        let found = whole(&env);
        assert!(
            found == expected,
            "after {kills} kills:\n{}",
            difference(&expected, &found)
        );
    }
}

/// The same for a full index over one that is there.
#[test]
fn a_full_index_survives_being_killed() {
    let env = TestEnvironment::new();
    generate(&env, 20);
    env.run(&["index"]).succeeded();
    let expected = whole(&env);
    let mut random = XorShift::new(0xf011);
    for _ in 0..10 {
        let mut child = env
            .command()
            .args(["index", "--full"])
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(random.below(900)));
        child.kill().unwrap();
        child.wait().unwrap();
        readable(&env);
        env.run(&["index"]).succeeded();
        let found = whole(&env);
        assert!(found == expected, "{}", difference(&expected, &found));
    }
}

enum Killed {
    Yes,
    /// It was done before.
    No,
}

fn killed_within(env: &TestEnvironment, longest: Duration, random: &mut XorShift) -> Killed {
    let micros = u64::try_from(longest.as_micros()).unwrap();
    let mut child = env
        .command()
        .arg("index")
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_micros(random.below(micros)));
    child.kill().unwrap();
    if child.wait().unwrap().success() {
        Killed::No
    } else {
        Killed::Yes
    }
}

/// Asserts that `status` reads what is there; there may be nothing yet.
#[track_caller]
fn readable(env: &TestEnvironment) {
    let ran = env.run(&["status"]);
    assert!(matches!(ran.code(), 0 | 1), "{ran}");
}

/// All that an index holds, but for the numbers of its rows, and what some
/// searches answer.
fn whole(env: &TestEnvironment) -> String {
    let mut out = dump(&env.index(""));
    for query in ["lantern", "repair the gearbox under the kiln", "inkwell.rs"] {
        for depth in ["1", "2"] {
            let ran = env.run(&[
                "search",
                query,
                "--depth",
                depth,
                "--json",
                "--limit",
                "30",
                "--no-refresh",
            ]);
            out += &ran.succeeded().stdout();
        }
    }
    out
}

fn dump(root: &Path) -> String {
    let index = Reader::open(root).unwrap();
    index.verify().unwrap();
    let sessions: BTreeMap<i64, SessionRow> = index
        .sessions()
        .unwrap()
        .into_iter()
        .map(|s| (s.id, s))
        .collect();
    let mut turns = BTreeMap::new();
    index
        .each_turn(|turn| {
            turns.insert(turn.id, turn);
        })
        .unwrap();
    let mut lines: Vec<String> = sessions.values().map(session).collect();
    lines.extend(
        turns
            .values()
            .map(|turn| self::turn(&index, &sessions, &turns, turn)),
    );
    lines.extend(files(&index));
    lines.extend(words(&index, &sessions, &turns));
    lines.extend(vectors(&index, &sessions, &turns));
    lines.sort();
    lines.join("\n") + "\n"
}

fn session(row: &SessionRow) -> String {
    format!(
        "session {:?}",
        SessionRow {
            id: 0,
            file: 0,
            ..row.clone()
        }
    )
}

/// A turn's place: its session's id and its number in it.
fn place(sessions: &BTreeMap<i64, SessionRow>, turn: &TurnRow) -> String {
    format!("{}:{}", sessions[&turn.session].uid, turn.index)
}

fn turn(
    index: &Reader,
    sessions: &BTreeMap<i64, SessionRow>,
    turns: &BTreeMap<i64, TurnRow>,
    row: &TurnRow,
) -> String {
    let content = index.content(row.id).unwrap();
    let owner = row.owner.map(|owner| place(sessions, &turns[&owner]));
    let bare = TurnRow {
        id: 0,
        session: 0,
        owner: None,
        ..row.clone()
    };
    format!(
        "turn {} of {owner:?} {bare:?} {content:?}",
        place(sessions, row)
    )
}

fn files(index: &Reader) -> Vec<String> {
    let files = index.files().unwrap().into_iter();
    files
        .map(|file| {
            format!(
                "file {} {:?} {:?} {}",
                file.path, file.stamp, file.cursor, file.gone
            )
        })
        .collect()
}

fn words(
    index: &Reader,
    sessions: &BTreeMap<i64, SessionRow>,
    turns: &BTreeMap<i64, TurnRow>,
) -> Vec<String> {
    let mut lines = Vec::new();
    for query in [
        "lantern",
        "kiln",
        "error",
        "cat needle",
        "atelier/loom.rs",
        "translate the ferry",
    ] {
        let found = index
            .lexical(&Query::new(query), usize::MAX, |_| Ok(true))
            .unwrap();
        let hits = found.hits.iter();
        lines.extend(hits.map(|hit| {
            format!(
                "word {query} {} {:.4}",
                place(sessions, &turns[&hit.id]),
                hit.score
            )
        }));
    }
    lines
}

fn vectors(
    index: &Reader,
    sessions: &BTreeMap<i64, SessionRow>,
    turns: &BTreeMap<i64, TurnRow>,
) -> Vec<String> {
    let mut lines = Vec::new();
    for model in index.models().unwrap() {
        for level in Level::ALL {
            let matrix = index.matrix(&model, level).unwrap();
            for owner in index.owners(model.id, level).unwrap() {
                let of = turns
                    .get(&owner.turn)
                    .map_or(sessions[&owner.session].uid.clone(), |t| place(sessions, t));
                lines.push(format!(
                    "vector {} {of} {:?}",
                    level.name(),
                    matrix.row(owner.row)
                ));
            }
        }
    }
    lines
}

/// The first lines that only one side has.
fn difference(expected: &str, found: &str) -> String {
    let mut out = String::new();
    let only = |a: &str, b: &str| -> Vec<String> {
        let b: std::collections::HashSet<&str> = b.lines().collect();
        a.lines()
            .filter(|line| !b.contains(line))
            .take(5)
            .map(|line| line.chars().take(400).collect())
            .collect()
    };
    for line in only(expected, found) {
        writeln!(out, "- {line}").unwrap();
    }
    for line in only(found, expected) {
        writeln!(out, "+ {line}").unwrap();
    }
    out
}
