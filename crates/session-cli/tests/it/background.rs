//! The transformer joins the table, without being asked.

use crate::claude::ClaudeTranscript;
use crate::environment::{TestEnvironment, wait_until};
use crate::history::{DOCKER, checkout, docker, watcher};
use crate::inject_hook::payload;
use crate::memory::MemoryProject;
use serde_json::{Value, json};
use session_query::is_embedding;
use session_store::{EmbeddingHandover, EmbeddingPause, IndexLock};
use std::io::Write;
use std::process::{Child, Stdio};
use std::time::Duration;

const MODEL: &str = "all-minilm-l6-v2";

fn history() -> TestEnvironment {
    let env = TestEnvironment::unconfigured();
    for transcript in [docker(), watcher(), checkout()] {
        env.write_transcript(&transcript);
    }
    env
}

/// A model's row of `status`.
fn status(env: &TestEnvironment, name: &str) -> Value {
    let status = env.json(&["status"]);
    let mut models = status["models"].as_array().unwrap().iter();
    let found = models.find(|m| m["name"] == name);
    found.cloned().unwrap_or_default()
}

/// Waits until nothing is left to do for the model, and nobody does it.
fn wait(env: &TestEnvironment) {
    let is_done = |model: &Value| {
        model["sessions"] == model["of"]
            && model["sessions"].is_number()
            && model["running"] == false
    };
    wait_until(
        || is_done(&status(env, MODEL)),
        || status(env, MODEL).to_string(),
    );
}

/// The models whose word counted.
fn heard(answer: &Value) -> Vec<&str> {
    let models = answer["explanation"]["models"].as_array().unwrap().iter();
    models.map(|m| m.as_str().unwrap()).collect()
}

fn configure(env: &TestEnvironment, config: &str) {
    env.write(&env.home(".config/session-search/config.toml"), config);
}

#[test]
fn a_first_search_answers_at_once_and_the_transformer_takes_over() {
    let env = history();
    let query = ["search", "name resolution between containers"];
    let first = env.run(&query).succeeded();
    assert!(first.stdout().contains("a1000000"), "{first}");
    let note = "note: results improve as the model reads on: it has read 0 of 3 sessions so far";
    assert!(first.stderr().contains(note), "{first}");
    wait(&env);
    let second = env.run(&query).succeeded();
    assert!(second.stdout().contains("a1000000"), "{second}");
    assert_eq!(second.stderr(), "");
    let explained = env.json(&["search", query[1], "--explain"]);
    assert_eq!(heard(&explained), [MODEL, "table"]);
}

/// New turns are found by the table until the transformer has read them.
#[test]
fn what_came_since_is_found_by_the_table() {
    let env = history();
    configure(&env, "background = false");
    env.run(&["index"]).succeeded();
    let more = docker().user("The kettle whistles in the kitchen all day long");
    env.write_transcript(&more);
    assert_eq!(env.found(&["whistling kettle", "-n", "1"]), [DOCKER]);
    let explained = env.json(&["search", "whistling kettle", "--explain"]);
    assert_eq!(heard(&explained), [MODEL, "table"]);
    assert_eq!(status(&env, MODEL)["sessions"], 2);
    env.run(&["index"]).succeeded();
    assert_eq!(status(&env, MODEL)["sessions"], 3);
}

/// A process that is started stays in the process group of the search, and makes the lock.
#[cfg(unix)]
#[test]
fn it_can_be_turned_off() {
    use rustix::process::{Pid, test_kill_process_group};
    use std::os::unix::process::CommandExt;
    let env = history();
    configure(&env, "background = false");
    let mut search = env.command();
    let mut search = search
        .args(["search", "docker"])
        .process_group(0)
        .spawn()
        .unwrap();
    let group = Pid::from_child(&search);
    assert!(search.wait().unwrap().success());
    assert!(test_kill_process_group(group).is_err(), "one still runs");
    assert!(!env.index("embedding.lock").exists(), "one has run");
    assert_eq!(status(&env, MODEL)["vectors"], 0);
    env.run(&["index"]).succeeded();
    assert_eq!(status(&env, MODEL)["sessions"], 3);
}

#[test]
fn a_second_one_never_starts_and_no_search_waits_for_the_first() {
    let env = history();
    configure(&env, "background = false");
    env.run(&["search", "docker"]).succeeded();
    let lock = IndexLock::acquire_embedding(&env.index("")).unwrap();
    env.run(&["index", "--background"]).succeeded();
    assert_eq!(status(&env, MODEL)["vectors"], 0, "it left at once");
    assert_eq!(env.found(&["docker", "-n", "1"]), [DOCKER]);
    drop(lock);
    env.run(&["index", "--background"]).succeeded();
    assert_eq!(status(&env, MODEL)["sessions"], 3);
}

/// A process that has begun and waits for the end of a pause.
fn begin_paused(env: &TestEnvironment) -> (Child, EmbeddingPause) {
    configure(env, "background = false");
    env.run(&["search", "docker"]).succeeded();
    env.write(&env.index("pause.lock"), "");
    let pause = EmbeddingPause::request(&env.index("")).unwrap();
    let mut command = env.command();
    let embedding = command.args(["index", "--background"]).spawn().unwrap();
    let is_held = || is_embedding(&env.index(""));
    wait_until(is_held, || "it does not begin".to_owned());
    (embedding, pause)
}

#[test]
fn it_waits_while_a_pause_is_requested() {
    let env = history();
    let (mut embedding, pause) = begin_paused(&env);
    std::thread::sleep(Duration::from_millis(300)); // more than it needs for all of them
    assert_eq!(status(&env, MODEL)["sessions"], 0);
    assert_eq!(embedding.try_wait().unwrap(), None);
    drop(pause);
    assert!(embedding.wait().unwrap().success());
    assert_eq!(status(&env, MODEL)["sessions"], 3);
}

/// A command that a person gave has all cores, and a bar.
#[test]
fn it_hands_its_work_over_to_a_command_that_waits() {
    let env = history();
    configure(&env, "background = false");
    env.run(&["search", "docker"]).succeeded();
    let root = env.index("");
    let request = EmbeddingHandover::request(&root).unwrap();
    env.run(&["index", "--background"]).succeeded();
    assert_eq!(status(&env, MODEL)["sessions"], 0, "it went on");
    drop(request);

    let other = IndexLock::acquire_embedding(&root).unwrap();
    let mut index = env.command();
    let index = index.arg("index").stderr(Stdio::piped());
    let index = index.stdout(Stdio::null()).spawn().unwrap();
    let is_requested = || EmbeddingHandover::is_requested(&root);
    wait_until(is_requested, || "nothing is requested".to_owned());
    drop(other);
    let told = index.wait_with_output().unwrap().stderr;
    let told = String::from_utf8(told).unwrap();
    assert!(told.contains("the one in the background stops"), "{told}");
    assert_eq!(status(&env, MODEL)["sessions"], 3);
    assert!(!EmbeddingHandover::is_requested(&root));
}

#[cfg(unix)]
fn begin_session(env: &TestEnvironment) -> rustix::process::Pid {
    run_start_hook(env.command(), &env.home(""))
}

/// Runs the hook of a session that begins in a folder, and returns a group of processes that holds the one that it starts.
#[cfg(unix)]
pub fn run_start_hook(
    mut command: std::process::Command,
    folder: &std::path::Path,
) -> rustix::process::Pid {
    use std::os::unix::process::CommandExt;
    let asked = json!({"session_id": "s1", "cwd": folder, "hook_event_name": "SessionStart", "source": "startup"});
    let mut hook = command
        .args(["hook", "run"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .process_group(0)
        .spawn()
        .unwrap();
    let group = rustix::process::Pid::from_child(&hook);
    let mut stdin = hook.stdin.take().unwrap();
    stdin.write_all(asked.to_string().as_bytes()).unwrap();
    drop(stdin);
    assert!(hook.wait().unwrap().success());
    group
}

#[cfg(unix)]
#[test]
fn a_session_that_begins_brings_the_index_up_to_date_and_makes_none() {
    use rustix::process::test_kill_process_group;
    let env = history();
    let group = begin_session(&env);
    assert!(test_kill_process_group(group).is_err(), "one still runs");
    assert!(!env.index("index.db").exists());

    env.run(&["index"]).succeeded();
    env.write_transcript(&schedule());
    configure(&env, "background = false");
    let group = begin_session(&env);
    assert!(test_kill_process_group(group).is_err(), "one still runs");
    assert_eq!(status(&env, MODEL)["of"], 3);
    configure(&env, "");
    begin_session(&env);
    wait_until(
        || status(&env, MODEL)["of"] == 4,
        || status(&env, MODEL).to_string(),
    );
    wait(&env);
}

/// A session that is read after the others.
fn schedule() -> ClaudeTranscript {
    ClaudeTranscript::new("d4000000-0000-4000-8000-000000000004", "/home/ann/shop")
        .at("2026-03-12T16:00:00Z")
        .user("The timetable of the ferry is a day late")
}

#[test]
fn the_estimate_of_a_killed_process_is_not_told_as_that_of_another() {
    let env = history();
    configure(&env, "background = false");
    env.run(&["search", "docker"]).succeeded();
    let estimate = env.index("embedding.eta");
    env.write(&estimate, "99999999999999");
    env.run(&["index"]).succeeded();
    assert!(!estimate.exists());
}

/// Texts must not go on to an endpoint that the user has left.
#[test]
fn it_ends_when_another_model_is_chosen() {
    let env = history();
    let (mut embedding, pause) = begin_paused(&env);
    env.run(&["model", "use", "table"]).succeeded();
    drop(pause);
    assert!(embedding.wait().unwrap().success());
    env.run(&["model", "use", MODEL]).succeeded();
    assert_eq!(status(&env, MODEL)["sessions"], 0);
}

/// A question is read once: no model is opened for one that has been asked.
#[test]
fn a_query_that_was_asked_before_is_remembered() {
    let env = history();
    env.run(&["index"]).succeeded();
    let ask = || env.json(&["search", "name resolution"]);
    let first = ask();
    let kept = || {
        let folders = fs_err::read_dir(env.index("queries")).unwrap();
        let folder = folders.last().unwrap().unwrap().path();
        fs_err::read_dir(folder).unwrap().count()
    };
    assert_eq!(kept(), 1);
    assert_eq!(ask(), first);
    assert_eq!(kept(), 1);
}

#[test]
fn vectors_of_memories_that_came_with_a_clone_are_made_after_the_first_prompt() {
    const FILES: usize = 10;
    const CUES: usize = 300;
    let env = TestEnvironment::unconfigured();
    for file in 0..FILES {
        let cues = (0..CUES / FILES).map(|i| CUES / FILES * file + i);
        let cues: String = cues.map(|i| format!("- rotate key number {i}\n")).collect();
        let id = format!("mem-20260110-09150{file}");
        let front = format!("id: {id}\ntopic: Keys\ncreated: 2026-01-10\n");
        let text = format!("---\n{front}cues:\n{cues}---\n\n- quarterly\n");
        let path = format!(".claude/data/session-search/memories/active/{id}.md");
        env.write(&env.home(&path), &text);
    }
    let project = MemoryProject { env };
    fs_err::create_dir_all(project.env.home("shop/.git")).unwrap();
    let asked = payload(&project, "rotate key number 7", "s1");
    let mut hook = project.command();
    // The time for vectors ends 40 ms before the whole: with the first vector it is always up.
    hook.env("SESSION_SEARCH_INJECTION_TIMEOUT_MS", "40");
    hook.args(["hook", "run"]);
    assert_eq!(project.piped(hook, &asked).succeeded().stdout(), "");
    let folder = project.env.path("index/memories");
    let made = || -> u64 {
        let files = fs_err::read_dir(&folder).into_iter().flatten().flatten();
        // One that is being written counts once it has its name.
        let files = files.filter(|file| !file.file_name().as_encoded_bytes().starts_with(b"."));
        files
            .map(|file| file.metadata().map_or(0, |m| m.len()))
            .sum()
    };
    wait_until(
        || made() >= (CUES * 4 * 384) as u64,
        || format!("{} bytes of vectors", made()),
    );
    let mut hook = project.command();
    hook.env("SESSION_SEARCH_INJECTION_TIMEOUT_MS", "60000");
    hook.args(["hook", "run"]);
    let ran = project.piped(hook, &asked).succeeded();
    assert!(ran.stdout().contains("quarterly"), "{ran}");
}
