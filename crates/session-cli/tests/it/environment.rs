//! A home folder of its own, and the program run in it.

use crate::claude::ClaudeTranscript;
use insta::Settings;
use insta::internals::SettingsBindDropGuard;
use serde_json::Value;
use session_test::home::TestHome;
use std::ffi::OsStr;
use std::fmt;
use std::ops::Deref;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

pub use session_test::files::set_modified as set_time;
pub use session_test::process::{output_in_time, wait_until};

/// A home folder, an index folder, and nothing else of the machine. Files
/// written through it get times of their own, in the order of writing.
pub struct TestEnvironment {
    home: TestHome,
    /// The user chose the quick model, and no process after a search.
    quick: bool,
    _redactions: SettingsBindDropGuard,
}

impl Deref for TestEnvironment {
    type Target = TestHome;

    fn deref(&self) -> &TestHome {
        &self.home
    }
}

impl TestEnvironment {
    pub fn new() -> Self {
        let env = Self {
            quick: true,
            ..Self::unconfigured()
        };
        fs_err::create_dir(env.path("config")).unwrap();
        let config = "model = \"table\"\nbackground = false\n";
        fs_err::write(env.path("config/config.toml"), config).unwrap();
        env
    }

    /// As the program is for somebody who has configured nothing.
    pub fn unconfigured() -> Self {
        Self {
            home: TestHome::new(),
            quick: false,
            _redactions: redact_snapshots(),
        }
    }

    /// An environment that holds transcripts, and their index.
    pub fn indexed(transcripts: &[ClaudeTranscript]) -> Self {
        let env = Self::new();
        for transcript in transcripts {
            env.write_transcript(transcript);
        }
        env.run(&["index"]).succeeded();
        env
    }

    pub fn index(&self, path: &str) -> PathBuf {
        self.path("index").join(path)
    }

    /// The program, with nothing of this process's environment but `PATH`.
    pub fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_session-search"));
        self.isolate(&mut command);
        command
    }

    /// Gives a command this environment.
    pub fn isolate(&self, command: &mut Command) {
        self.home.isolate(command);
        command.env("SESSION_SEARCH_HOME", self.path("index"));
        if self.quick {
            command.env("SESSION_SEARCH_CONFIG", self.path("config"));
        }
    }

    /// Runs the program to its end.
    pub fn run(&self, args: &[impl AsRef<OsStr>]) -> Ran {
        let mut command = self.command();
        command.args(args).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        self.ran(output_in_time(command.spawn().unwrap()))
    }

    /// Wraps the output of a command of this environment.
    pub fn ran(&self, output: Output) -> Ran {
        Ran { output }
    }

    /// Runs the program and reads the JSON that it prints.
    pub fn json(&self, args: &[&str]) -> Value {
        let ran = self.run(&json(args));
        serde_json::from_slice(&ran.output.stdout).unwrap_or_else(|e| panic!("{e}: {ran}"))
    }

    /// Returns the output of a command where the terminal has so many columns.
    pub fn printed(&self, args: &[&str], columns: usize) -> String {
        let mut command = self.command();
        command.args(args).env("COLUMNS", columns.to_string());
        self.ran(command.output().unwrap()).succeeded().stdout()
    }

    /// Sessions that a search finds, best first.
    pub fn found(&self, args: &[&str]) -> Vec<String> {
        let answer = self.json(&[&["search"], args].concat());
        let hits = answer["hits"].as_array().unwrap();
        hits.iter()
            .map(|hit| hit["session"].as_str().unwrap().to_owned())
            .collect()
    }

    /// The same, in the order of their ids and with one place of the id each.
    pub fn names(&self, args: &[&str]) -> String {
        let mut names: Vec<String> = self
            .found(args)
            .iter()
            .map(|id| id.chars().take(1).collect())
            .collect();
        names.sort();
        names.concat()
    }

    /// Returns the problems that `status` lists: path below the home folder, reason, count.
    pub fn problems(&self) -> Vec<String> {
        let status = self.json(&["status"]);
        let problems = status["problems"].as_array().unwrap();
        let home = self.path("home").to_string_lossy().into_owned();
        let line = |p: &Value| {
            let path = p["path"].as_str().unwrap().replace(&home, "~");
            format!("{path}: {} ({})", p["reason"].as_str().unwrap(), p["count"])
        };
        problems.iter().map(line).collect()
    }
}

/// The arguments with `--json` after the command, or the command within it.
fn json<'a>(args: &[&'a str]) -> Vec<&'a str> {
    let words = if ["model", "skill", "memory", "hook"].contains(&args[0]) {
        2
    } else {
        1
    };
    let (command, rest) = args.split_at(words);
    [command, &["--json"], rest].concat()
}

/// The output of a run of the program. Its text form is for snapshots.
pub struct Ran {
    pub output: Output,
}

impl Ran {
    pub fn code(&self) -> i32 {
        self.output.status.code().unwrap_or(-1)
    }

    pub fn stdout(&self) -> String {
        String::from_utf8(self.output.stdout.clone()).unwrap()
    }

    pub fn stderr(&self) -> String {
        String::from_utf8(self.output.stderr.clone()).unwrap()
    }

    /// Asserts that the program did what it was asked.
    #[track_caller]
    pub fn succeeded(self) -> Self {
        assert_eq!(self.code(), 0, "{self}");
        self
    }

    /// Asserts an exit code.
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code(), code, "{self}");
        self
    }
}

impl fmt::Display for Ran {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes).into_owned();
            text.strip_suffix('\n').unwrap_or(&text).to_owned()
        };
        writeln!(f, "exit code: {}", self.code())?;
        writeln!(f, "----- stdout -----\n{}", text(&self.output.stdout))?;
        write!(f, "----- stderr -----\n{}", text(&self.output.stderr))
    }
}

/// Leaves out of snapshots what differs from run to run, and scores, which are tuned.
pub fn redact_snapshots() -> SettingsBindDropGuard {
    let mut settings = Settings::clone_current();
    for (pattern, replacement) in [
        (r"(/[\w.-]+)*/\.tmp[[:alnum:]]{6}", "[TMP]"),
        (
            r"(?m)Agent: claude, [a-z,\s-]+? or\s+\S+$",
            "Agent: [AGENTS]",
        ),
        (r"one of claude, [a-z, -]+", "one of [AGENTS]"),
        (r"(?m)^no .* or .* history in", "no [AGENTS] history in"),
        (r"https://\S+/(blob|tree)/main/docs", "[DOCS]"),
        (r"\([\d.]+ s\)", "([TIME] s)"),
        (r"\([\d.]+ [kM]B", "([SIZE]"),
        (r#""bytes": \d{4,}"#, r#""bytes": [SIZE]"#),
        (r#""updated": "[^"]*""#, r#""updated": "[TIME]""#),
        (r"updated   .*: ", "updated   [TIME]: "),
        (r#""score": [\d.]+"#, r#""score": #"#),
        (r"(?m)^\[<?[\d.]+ ", "[# "),
        (
            r"(strength|confidence|weight|cosine|mean|z|idf|lexical|dense|scaled|fused|fused =|\+) \d+\.\d+",
            "$1 #",
        ),
    ] {
        settings.add_filter(pattern, replacement);
    }
    let format = format!(r#"(format"?:? ){}\b"#, session_store::FORMAT_VERSION);
    settings.add_filter(&format, "$1[CURRENT]");
    settings.bind_to_scope()
}
