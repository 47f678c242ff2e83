//! `model`: models are listed, chosen, brought and removed.

use crate::environment::{Ran, TestEnvironment};
use crate::history::small_in;
use crate::hub_server::{DownloadFault, HubServer};
use insta::assert_snapshot;
use session_embed::{TokenTable, TokenVocabulary};
use std::path::PathBuf;

const CONFIG: &str = ".config/session-search/config.toml";

const TINY: &str = r#"
name = "tiny"
title = "A tiny model"
architecture = "table"
repo = "ann/tiny"
revision = "main"
dims = 4
max_tokens = 16
pooling = "mean"
licence = "MIT"
cosine = { unrelated = 0.3, related = 0.6, per_word = 0.0 }
bytes = 900
files = [{ path = "table.bin" }, { path = "vocabulary.bin" }]
"#;

/// Describes a tiny model and gives a folder with its files.
pub fn describe(env: &TestEnvironment) -> PathBuf {
    env.write(&env.home(".config/session-search/models/tiny.toml"), TINY);
    let words = ["[UNK]", "[CLS]", "[SEP]", "docker", "network"];
    let rows: Vec<Vec<f32>> = (0..words.len())
        .map(|n| (0..4).map(|d| ((n * 4 + d) as f32).sin()).collect())
        .collect();
    let folder = env.path("brought");
    env.write(&folder.join("table.bin"), TokenTable::compile(4, 64, &rows));
    env.write(
        &folder.join("vocabulary.bin"),
        TokenVocabulary::compile(&words).unwrap(),
    );
    folder
}

fn import(env: &TestEnvironment) -> Ran {
    let folder = describe(env);
    let from = folder.to_string_lossy().into_owned();
    env.run(&["model", "import", "tiny", "--from", &from])
}

fn config(env: &TestEnvironment) -> String {
    fs_err::read_to_string(env.home(CONFIG)).unwrap()
}

#[test]
fn a_list_has_a_row_for_each_model() {
    let env = TestEnvironment::unconfigured();
    env.write(&env.home(CONFIG), "model = \"table\"\n");
    let env = small_in(env);
    describe(&env);
    let table = env.printed(&["model", "list"], 80);
    let rows = table.lines().filter(|line| !line.contains("all-minilm"));
    assert_snapshot!(rows.collect::<Vec<_>>().join("\n"), @r"
      NAME                     SIZE    DIMS  LICENCE     STATE          COVERAGE
      arctic-embed-l           1.3 GB  1024  Apache-2.0  not here       0 %
      arctic-embed-m           436 MB  768   Apache-2.0  not here       0 %
      arctic-embed-s           133 MB  384   Apache-2.0  not here       0 %
      arctic-embed-xs          90 MB   384   Apache-2.0  not here       0 %
      bge-base-en-v1.5         438 MB  768   MIT         not here       0 %
      bge-large-en-v1.5        1.3 GB  1024  MIT         not here       0 %
      bge-small-en-v1.5        133 MB  384   MIT         not here       0 %
      e5-base-v2               438 MB  768   MIT         not here       0 %
      e5-large-v2              1.3 GB  1024  MIT         not here       0 %
      e5-small-v2              133 MB  384   MIT         not here       0 %
      gte-base                 219 MB  768   MIT         not here       0 %
      gte-large                670 MB  1024  MIT         not here       0 %
      gte-small                67 MB   384   MIT         not here       0 %
      qwen3-embedding-0.6b     1.2 GB  1024  Apache-2.0  not here       0 %
      qwen3-embedding-0.6b-q8  640 MB  1024  Apache-2.0  not here       0 %
      qwen3-embedding-4b-q8    4.3 GB  2560  Apache-2.0  not here       0 %
      qwen3-embedding-8b-q8    8.1 GB  4096  Apache-2.0  not here       0 %
    * table                    8.5 MB  256   Apache-2.0  in the binary  100 %
      tiny                     1 kB    4     MIT         not here       0 %

    * in use; COVERAGE: sessions of the index that have its vectors
      arctic-embed-m, arctic-embed-s, arctic-embed-xs, bge-base-en-v1.5,
      bge-large-en-v1.5, bge-small-en-v1.5, e5-base-v2, e5-large-v2, e5-small-v2,
      gte-base, gte-large, gte-small
    cpu (this build finds no GPU): qwen3-embedding-0.6b, qwen3-embedding-0.6b-q8,
      qwen3-embedding-4b-q8, qwen3-embedding-8b-q8
    cpu (a table is looked up): table, tiny
    ");
    assert!(
        table.lines().all(|line| line.chars().count() <= 80),
        "{table}"
    );
    for columns in [40, 60] {
        let table = env.printed(&["model", "list"], columns);
        assert!(
            table.lines().all(|line| line.chars().count() <= columns),
            "{table}"
        );
        let is_whole = table.contains("in the binary  100 %") && table.contains("that have its");
        assert!(columns < 60 || is_whole, "{table}");
    }
}

#[test]
fn a_list_without_an_index_covers_nothing() {
    let env = TestEnvironment::unconfigured();
    let models = env.json(&["model", "list"]);
    assert_eq!(models["in_use"], "all-minilm-l6-v2");
    for model in models["models"].as_array().unwrap() {
        assert!(model["coverage"].is_null(), "{model}");
    }
    assert_eq!(models["models"][0]["state"], "bundled");
    assert!(!env.index("").exists());
}

#[test]
fn json_has_all_of_a_model() {
    let env = small_in(TestEnvironment::unconfigured());
    describe(&env);
    let models = env.json(&["model", "list"]);
    let tiny = models["models"].as_array().unwrap().last().unwrap();
    assert_snapshot!(serde_json::to_string_pretty(tiny).unwrap(), @r#"
    {
      "architecture": "table",
      "bytes": 900,
      "coverage": {
        "of": 4,
        "sessions": 0
      },
      "device": "cpu",
      "device_reason": "a table is looked up",
      "dims": 4,
      "in_use": false,
      "licence": "MIT",
      "max_tokens": 16,
      "name": "tiny",
      "repo": "ann/tiny",
      "revision": "main",
      "state": "absent",
      "title": "A tiny model"
    }
    "#);
}

#[test]
fn a_model_is_taken_into_use_and_comments_are_kept() {
    let env = TestEnvironment::unconfigured();
    assert_snapshot!(env.run(&["model", "use", "table"]), @r"
    exit code: 0
    ----- stdout -----

    ----- stderr -----
    `table` is in use
    ");
    assert_eq!(config(&env), "model = \"table\"\n");
    let mine =
        "# mine\nmodel = \"table\" # fast\n\n[remote]\n# none yet\nurl = \"http://localhost\"\n";
    env.write(&env.home(CONFIG), mine);
    import(&env).succeeded();
    env.run(&["model", "use", "tiny"]).succeeded();
    assert_eq!(config(&env), mine.replace("\"table\"", "\"tiny\""));
    env.write(&env.home(CONFIG), "[remote]\nurl = \"http://localhost\"\n");
    env.run(&["model", "use", "tiny"]).succeeded();
    assert_eq!(
        config(&env),
        "model = \"tiny\"\n[remote]\nurl = \"http://localhost\"\n"
    );
    assert_eq!(env.json(&["model", "list"])["in_use"], "tiny");
}

#[test]
fn a_model_that_does_not_open_is_not_taken_into_use() {
    let env = TestEnvironment::unconfigured();
    import(&env).succeeded();
    let file = env.home(".config/session-search/models/tiny.toml");
    env.write(&file, TINY.replace("dims = ", "dims = 9"));
    let refused = env.run(&["model", "use", "tiny"]).exits(2);
    assert!(refused.stderr().contains("cannot be opened"), "{refused}");
    assert_ne!(env.json(&["model", "list"])["in_use"], "tiny");
    env.write(&file, TINY);
    env.run(&["model", "use", "tiny"]).succeeded();
    assert_eq!(env.json(&["model", "list"])["in_use"], "tiny");
}

#[test]
fn a_model_that_is_not_here_is_not_taken_into_use() {
    let env = TestEnvironment::unconfigured();
    describe(&env);
    assert_snapshot!(env.run(&["model", "use", "tiny"]), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: the model `tiny` is not here: `table.bin`, `vocabulary.bin` missing
    hint: run `session-search model pull tiny`, or where there is no network `session-search model import tiny --from FOLDER`
    ");
    assert_snapshot!(env.run(&["model", "use", "tinny"]), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: there is no model `tinny`
    hint: `session-search model list` names them all; [DOCS]/models.md says how to add one
    ");
    assert!(!env.home(CONFIG).exists());
}

#[test]
fn files_of_a_model_that_are_not_there_are_named_with_a_hint() {
    let env = TestEnvironment::unconfigured();
    import(&env).succeeded(); // describes the model
    let ran = env.run(&["model", "import", "tiny", "--from", "/nowhere"]);
    assert_snapshot!(ran, @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: there is no file or folder `/nowhere`
    hint: give a folder that holds `table.bin`, `vocabulary.bin`
    ");
}

#[test]
fn a_model_is_brought_checked_and_removed() {
    let env = TestEnvironment::unconfigured();
    assert_snapshot!(import(&env), @r"
    exit code: 0
    ----- stdout -----

    ----- stderr -----
    `tiny` is here; `session-search model use tiny` takes it into use
    ");
    assert_snapshot!(env.run(&["model", "verify", "tiny"]), @r"
    exit code: 0
    ----- stdout -----

    ----- stderr -----
    `tiny` is as it came, and works
    ");
    env.run(&["model", "use", "tiny"]).succeeded();
    assert_snapshot!(env.run(&["model", "remove", "tiny"]), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: the model `tiny` is in use
    hint: `session-search model use all-minilm-l6-v2` first
    ");
    env.run(&["model", "use", "table"]).succeeded();
    assert_snapshot!(env.run(&["model", "remove", "tiny"]), @r"
    exit code: 0
    ----- stdout -----

    ----- stderr -----
    `tiny` is removed; its vectors stay in the index
    ");
    assert_snapshot!(env.run(&["model", "remove", "table"]), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: the model `table` is part of the program
    hint: there is nothing to do: it is always here
    ");
    assert_snapshot!(env.run(&["model", "verify", "tiny"]), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: the model `tiny` is not here: `table.bin`, `vocabulary.bin` missing
    hint: run `session-search model pull tiny`, or where there is no network `session-search model import tiny --from FOLDER`
    ");
}

fn pull(env: &TestEnvironment, vars: &[(&str, &str)]) -> Ran {
    let mut command = env.command();
    command
        .args(["model", "pull", "tiny"])
        .envs(vars.iter().copied());
    env.ran(command.output().unwrap())
}

#[test]
fn a_model_is_pulled_from_the_hub_that_is_named() {
    let env = TestEnvironment::unconfigured();
    let folder = describe(&env);
    let read = |name: &'static str| (name, fs_err::read(folder.join(name)).unwrap());
    let server = HubServer::start(["table.bin", "vocabulary.bin"].map(read));
    let endpoint = server.endpoint();
    let here = [("HF_ENDPOINT", endpoint.as_str())];
    let offline = [here[0], ("HF_HUB_OFFLINE", "1")];
    assert_snapshot!(pull(&env, &offline), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: the model `tiny` is not here, and HF_HUB_OFFLINE forbids to ask the hub
    hint: unset HF_HUB_OFFLINE, or bring the files: `session-search model import tiny --from FOLDER`
    ");
    assert!(server.take_requests().is_empty());
    server.fail_downloads("table.bin", &[DownloadFault::Drop(9)]);
    let pulled = pull(&env, &here).succeeded().stderr();
    assert_eq!(
        pulled,
        format!(
            "note: the model hub is {endpoint}, not https://huggingface.co\n\
             `tiny` is here; `session-search model use tiny` takes it into use\n"
        )
    );
    let again = pull(&env, &[("HF_ENDPOINT", "http://no-such-host.invalid")]);
    assert_eq!(again.succeeded().stdout(), "");
    env.run(&["model", "use", "tiny"]).succeeded();
    env.run(&["model", "verify", "tiny"]).succeeded();
}

#[test]
fn without_a_hub_it_is_said_what_to_do_instead() {
    let env = TestEnvironment::unconfigured();
    describe(&env);
    let ran = pull(&env, &[("HF_ENDPOINT", "http://no-such-host.invalid")]).exits(2);
    let said = ran.stderr();
    assert!(
        said.contains("error: the model hub http://no-such-host.invalid cannot be reached")
            && said.contains("hint: `hub` in the configuration, or HF_ENDPOINT, names another hub; where there is no network, `session-search model import"),
        "{ran}"
    );
    assert_snapshot!(env.run(&["model", "pull", "table"]), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: the model `table` is part of the program
    hint: there is nothing to do: it is always here
    ");
}

#[test]
fn what_was_done_is_said_in_json() {
    let env = TestEnvironment::unconfigured();
    import(&env).succeeded();
    let said = env
        .run(&["model", "verify", "tiny", "--json"])
        .succeeded()
        .stdout();
    let said: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!(
        said,
        serde_json::json!({"model": "tiny", "done": "verified"})
    );
}

/// One that cannot be used is named, and costs nothing else.
#[test]
fn a_broken_description_is_said() {
    let env = TestEnvironment::unconfigured();
    env.write(
        &env.home(".config/session-search/models/x.toml"),
        "name = 1",
    );
    let ran = env.run(&["model", "list"]).succeeded();
    let said = ran.stderr();
    let [note, hint] = said.lines().collect::<Vec<_>>()[..] else {
        panic!("{ran}");
    };
    let mistake =
        "models/x.toml cannot be used: line 1: invalid type: integer `1`, expected a string";
    assert!(note.ends_with(mistake), "{ran}");
    assert!(
        hint.starts_with("hint: correct it or move it away"),
        "{ran}"
    );
    let ran = env.run(&["model", "verify", "table"]);
    assert!(!ran.stderr().contains("x.toml"), "{ran}");
    let models = env.json(&["model", "list"]);
    assert_eq!(models["broken"].as_array().unwrap().len(), 1);
}

/// As an endpoint that does not answer.
#[test]
fn a_search_without_its_model_is_answered_by_the_others() {
    let env = small_in(TestEnvironment::unconfigured());
    env.write(&env.home(CONFIG), "background = false\n");
    import(&env).succeeded();
    env.run(&["model", "use", "tiny"]).succeeded();
    env.run(&["index"]).succeeded();
    let search = || env.run(&["search", "docker bridge"]).succeeded();
    let doctor = || env.run(&["doctor"]);
    assert_eq!(search().stderr(), "");
    doctor().succeeded();
    let file = env.home(".local/share/session-search/models/tiny/table.bin");
    let bytes = fs_err::read(&file).unwrap();
    env.write(&file, &bytes[..bytes.len() - 1]);
    let ran = search();
    assert!(ran.stdout().contains("docker"), "{ran}");
    let lengths = format!("has {} bytes, not {}", bytes.len() - 1, bytes.len());
    assert_eq!(
        ran.stderr(),
        format!(
            "note: the model `tiny` is damaged: `table.bin` {lengths}; the other models answer in its place; \
             run `session-search model pull tiny` or `model import tiny` again\n"
        )
    );
    assert!(doctor().exits(1).stdout().contains("is damaged"));
    assert!(env.run(&["index"]).exits(2).stderr().contains("is damaged"));
    fs_err::remove_file(env.home(".config/session-search/models/tiny.toml")).unwrap();
    assert!(search().stderr().contains("there is no model `tiny`"));
    assert!(
        doctor()
            .exits(1)
            .stdout()
            .contains("there is no model `tiny`")
    );
}

#[test]
fn vectors_of_a_model_that_is_not_in_use_are_deleted() {
    let env = small_in(TestEnvironment::unconfigured());
    let remove = || env.run(&["model", "remove", "tiny", "--vectors"]);
    import(&env);
    env.run(&["model", "use", "tiny"]).succeeded();
    assert!(remove().exits(1).stderr().contains("no vectors of `tiny`"));
    env.run(&["index"]).succeeded();
    assert!(remove().exits(1).stderr().contains("no vectors of `tiny`"));
    env.run(&["model", "use", "table"]).succeeded();
    let ran = remove().succeeded();
    assert!(
        ran.stderr()
            .contains("the vectors of 1 version of `tiny` are deleted"),
        "{ran}"
    );
    let models = env.json(&["status"])["models"].clone();
    let mut names = models
        .as_array()
        .unwrap()
        .iter()
        .map(|model| &model["name"]);
    assert!(names.all(|name| name != "tiny"), "{models}");
}
