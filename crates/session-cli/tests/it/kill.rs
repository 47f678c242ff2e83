//! A process that dies at any instant leaves an index that can be read and
//! gone on with: in the end it is the same as if nothing had happened.

use crate::environment::TestEnvironment;
use crate::forget::{KILN, WORD, decoded, kiln, lamp};
use crate::generator::{XorShift, generate, generate_edition};
use session_core::Query;
use session_files::{Dir, Lock};
use session_indexer::{RefreshOptions, refresh};
use session_sources::Env;
use session_store::{DocumentKind, FileId, Reader, SessionId, SessionRow, TurnId, TurnRow};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::hash::{Hash, Hasher};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Kills that each test makes, unless [`KILLS_VARIABLE`] says more.
const KILLS: u32 = 8;
/// The variable with the number of kills.
const KILLS_VARIABLE: &str = "SESSION_SEARCH_TEST_KILLS";

/// Returns how often each test kills a process.
pub fn kills() -> u32 {
    let asked = std::env::var(KILLS_VARIABLE);
    asked.map_or(KILLS, |kills| kills.parse().unwrap())
}

#[test]
fn a_first_index_survives_being_killed() {
    let env = TestEnvironment::new();
    generate(&env, 0..130);
    Trial::new(&env, 0xdead, || {
        fs_err::remove_dir_all(env.index("")).unwrap_or_default()
    })
    .run();
}

/// The index of a part of the history is brought up to date.
#[test]
fn a_growing_index_survives_being_killed() {
    let env = TestEnvironment::new();
    generate(&env, 0..70);
    env.run(&["index"]).succeeded();
    let before = env.path("before");
    copy_folder(&env.index(""), &before);
    generate(&env, 60..130);
    let begin = || {
        fs_err::remove_dir_all(env.index("")).unwrap();
        copy_folder(&before, &env.index(""));
    };
    Trial::new(&env, 0xbeef, begin).run();
}

/// The transformer, too, goes on where it was.
#[test]
fn a_slow_model_survives_being_killed() {
    let env = TestEnvironment::unconfigured();
    let config = env.home(".config/session-search/config.toml");
    env.write(&config, "background = false");
    generate(&env, 0..8);
    let begin = || fs_err::remove_dir_all(env.index("")).unwrap_or_default();
    let mut trial = Trial::new(&env, 0xfade, begin);
    let held = Reader::open(&env.index("")).unwrap().models().unwrap();
    let held: Vec<&str> = held.iter().map(|m| m.name.as_str()).collect();
    assert_eq!(held, ["table", "all-minilm-l6-v2"]);
    trial.run();
}

/// All that was said is replaced, so that the matrices are written anew.
#[test]
fn a_compaction_survives_being_killed() {
    let env = TestEnvironment::new();
    generate(&env, 0..250);
    env.run(&["index"]).succeeded();
    let before = env.path("before");
    copy_folder(&env.index(""), &before);
    fs_err::remove_dir_all(env.home(".claude")).unwrap();
    fs_err::remove_dir_all(env.home(".local")).unwrap();
    generate_edition(&env, 0..250, 1);
    let begin = || {
        fs_err::remove_dir_all(env.index("")).unwrap();
        copy_folder(&before, &env.index(""));
    };
    let mut trial = Trial::new(&env, 0xc0de, begin);
    let model = Reader::open(&env.index(""))
        .unwrap()
        .models()
        .unwrap()
        .remove(0);
    assert_eq!(model.generation(DocumentKind::Turn), 1);
    trial.run();
}

/// An index is made anew over one that is there.
#[test]
fn a_full_index_survives_being_killed() {
    let env = TestEnvironment::new();
    generate(&env, 0..40);
    env.run(&["index"]).succeeded();
    let full = ["index", "--full"];
    Trial::with_args(&env, &full, 0xf011, || {}).run();
}

/// A cursor that is stored has passed the mark, which nothing reads again.
#[test]
fn a_marked_session_stays_out_after_a_kill() {
    let env = TestEnvironment::new();
    env.write_transcript(&lamp().user("This is private. <!-- session-search: off -->"));
    env.write_transcript(&kiln());
    let directory = Dir::create(&env.home(".local/share/session-search")).unwrap();
    let lock = Lock::try_lock(&directory, "forgotten.lock")
        .unwrap()
        .unwrap();
    let mut child = env.command().arg("index").spawn().unwrap();
    // It waits for the lock, to write down the mark; where it has not come so far, it is killed before.
    std::thread::sleep(Duration::from_secs(2));
    child.kill().unwrap();
    assert!(!child.wait().unwrap().success());
    drop(lock);
    env.run(&["index"]).succeeded();
    assert!(!decoded(&env).contains(WORD));
    assert!(env.found(&["kiln gearbox"]).contains(&KILN.to_owned()));
}

/// A search gives itself little time: what it leaves, the next one does.
#[test]
fn a_refresh_that_is_cut_short_is_gone_on_with() {
    let env = TestEnvironment::new();
    let other = ".config/claude/projects/-home-ann/f0000000-0000-4000-8000-000000000000.jsonl";
    env.write(&env.home(other), crate::history::watcher().text());
    generate(&env, 0..60);
    env.run(&["index"]).succeeded();
    let expected = whole(&env);
    // Only the first index of all takes the time that it needs.
    fs_err::remove_dir_all(env.index("")).unwrap();
    let folders = [".claude", ".local"].map(|name| (env.home(name), env.path(name)));
    folders
        .iter()
        .for_each(|(here, there)| fs_err::rename(here, there).unwrap());
    env.run(&["index"]).succeeded();
    folders
        .iter()
        .for_each(|(here, there)| fs_err::rename(there, here).unwrap());
    let home = Env::with_home(&env.path("home"));
    let hurried = RefreshOptions {
        budget: Some(Duration::ZERO),
        threads: 2,
        ..RefreshOptions::new(&env.index(""), &home)
    };
    let is_done = |_: &u32| refresh(&hurried).unwrap().files_left == 0;
    let rounds = (1..200).find(is_done).expect("it makes progress");
    assert!(rounds > 5, "{rounds}");
    env.run(&["index"]).succeeded();
    same(&expected, &whole(&env));
}

/// An index run that is killed again and again.
struct Trial<'a, Begin> {
    env: &'a TestEnvironment,
    args: &'a [&'a str],
    /// Puts the index into the state that the run begins with.
    begin: Begin,
    random: XorShift,
    /// How long the run takes undisturbed, and what it comes to.
    longest: Duration,
    expected: String,
}

impl<'a, Begin: Fn()> Trial<'a, Begin> {
    fn new(env: &'a TestEnvironment, seed: u64, begin: Begin) -> Self {
        Self::with_args(env, &["index"], seed, begin)
    }

    fn with_args(env: &'a TestEnvironment, args: &'a [&str], seed: u64, begin: Begin) -> Self {
        begin();
        let began = Instant::now();
        env.run(args).succeeded();
        let (longest, expected) = (began.elapsed(), whole(env));
        Self {
            env,
            args,
            begin,
            random: XorShift::new(seed),
            longest,
            expected,
        }
    }

    fn run(&mut self) {
        let (wanted, mut trials, mut kills) = (kills(), 0, 0);
        while kills < wanted {
            // Where runs end before they are killed, the next ones get less time: the machine decides nothing.
            let longest = self.longest / (1 + trials / wanted);
            (self.begin)();
            while kills < wanted && killed_within(self.env, self.args, longest, &mut self.random) {
                kills += 1;
                if kills % 2 == 0 {
                    readable(self.env);
                }
            }
            self.env.run(&["index"]).succeeded();
            same(&self.expected, &whole(self.env));
            trials += 1;
        }
    }
}

/// Runs the program and kills it at some moment. False when it was done before.
fn killed_within(
    env: &TestEnvironment,
    args: &[&str],
    longest: Duration,
    random: &mut XorShift,
) -> bool {
    let micros = u64::try_from(longest.as_micros()).unwrap();
    let mut child = env
        .command()
        .args(args)
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_micros(random.below(micros)));
    child.kill().unwrap();
    !child.wait().unwrap().success()
}

fn copy_folder(from: &Path, to: &Path) {
    fs_err::create_dir_all(to).unwrap();
    for entry in fs_err::read_dir(from).unwrap() {
        let (path, to) = {
            let entry = entry.unwrap();
            (entry.path(), to.join(entry.file_name()))
        };
        if path.is_dir() {
            copy_folder(&path, &to);
        } else {
            fs_err::copy(&path, &to).unwrap();
        }
    }
}

#[track_caller]
fn same(expected: &str, found: &str) {
    assert!(found == expected, "{}", difference(expected, found));
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
            assert!(matches!(ran.code(), 0 | 1), "{ran}");
            out += &ran.stdout();
        }
    }
    out
}

pub fn dump(root: &Path) -> String {
    let index = Reader::open(root).unwrap();
    index.verify().unwrap();
    let sessions: BTreeMap<SessionId, SessionRow> = index
        .sessions()
        .unwrap()
        .into_iter()
        .map(|s| (s.id, s))
        .collect();
    let turns_of = |session: &SessionId| index.turns(*session).unwrap();
    let turns: BTreeMap<TurnId, TurnRow> = sessions
        .keys()
        .flat_map(turns_of)
        .map(|turn| (turn.id, turn))
        .collect();
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
            id: SessionId::default(),
            file: FileId::default(),
            ..row.clone()
        }
    )
}

/// A turn's place: its session's id and its number in it.
fn place(sessions: &BTreeMap<SessionId, SessionRow>, turn: &TurnRow) -> String {
    format!("{}:{}", sessions[&turn.session].uid, turn.index)
}

fn turn(
    index: &Reader,
    sessions: &BTreeMap<SessionId, SessionRow>,
    turns: &BTreeMap<TurnId, TurnRow>,
    row: &TurnRow,
) -> String {
    let content = index.content(row.id).unwrap();
    let owner = row.owner.map(|owner| place(sessions, &turns[&owner]));
    let bare = TurnRow {
        id: TurnId::default(),
        session: SessionId::default(),
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
            let cursor = index.cursor(file.id).unwrap();
            format!(
                "file {} {:?} {cursor:?} {}",
                file.path, file.stamp, file.gone
            )
        })
        .collect()
}

fn words(
    index: &Reader,
    sessions: &BTreeMap<SessionId, SessionRow>,
    turns: &BTreeMap<TurnId, TurnRow>,
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
            .search_lexical(&Query::new(query), usize::MAX, |_| Ok(true))
            .unwrap();
        let turns_found = found.turns.iter();
        lines.extend(turns_found.map(|hit| {
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
    sessions: &BTreeMap<SessionId, SessionRow>,
    turns: &BTreeMap<TurnId, TurnRow>,
) -> Vec<String> {
    let mut lines = Vec::new();
    for model in index.models().unwrap() {
        for kind in DocumentKind::ALL {
            let matrix = index.matrix(&model, kind).unwrap();
            for owner in index.vector_owners(model.id, kind).unwrap().rows() {
                let of = owner
                    .turn
                    .and_then(|turn| turns.get(&turn))
                    .map_or(sessions[&owner.session].uid.clone(), |t| place(sessions, t));
                lines.push(format!(
                    "vector {} {of} {:x}",
                    kind.name(),
                    hash(&matrix.row(owner.row))
                ));
            }
        }
    }
    lines
}

/// The numbers of a vector as one.
fn hash(vector: &[f32]) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    vector.iter().for_each(|x| x.to_bits().hash(&mut hasher));
    hasher.finish()
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
