//! A home folder of its own, and the program run in it.

use crate::claude::Transcript;
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
        }
    }

    /// An environment that holds transcripts, and their index.
    pub fn indexed(transcripts: &[Transcript]) -> Self {
        let env = Self::new();
        for transcript in transcripts {
            env.claude(transcript);
        }
        env.run(&["index"]).succeeded();
        env
    }

    /// The same environment in another time zone.
    pub fn in_time_zone(mut self, zone: String) -> Self {
        self.home.set_time_zone(zone);
        self
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

    /// What a command of this environment said.
    pub fn ran(&self, output: Output) -> Ran {
        Ran {
            folder: self.root().to_string_lossy().into_owned(),
            output,
        }
    }

    /// Runs the program and reads the JSON that it prints.
    pub fn json(&self, args: &[&str]) -> Value {
        let ran = self.run(&json(args));
        serde_json::from_slice(&ran.output.stdout).unwrap_or_else(|e| panic!("{e}: {ran}"))
    }

    /// What a command prints for people where the terminal has so many columns.
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

    /// What `status` says could not be read: path below the home folder, reason, count.
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

/// What a run of the program said. Its text form is for snapshots: the folder
/// and times taken are left out.
pub struct Ran {
    folder: String,
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
            let text = String::from_utf8_lossy(bytes).replace(&self.folder, "[TMP]");
            text.lines().map(redacted).collect::<Vec<_>>().join("\n")
        };
        writeln!(f, "exit code: {}", self.code())?;
        writeln!(f, "----- stdout -----\n{}", text(&self.output.stdout))?;
        write!(f, "----- stderr -----\n{}", text(&self.output.stderr))
    }
}

/// A line without what differs from run to run (seconds taken, sizes on disk,
/// the time of the last update), and without scores, which are tuned.
fn redacted(line: &str) -> String {
    let is_scored = [
        "[0.",
        "[1.",
        "\"score\": ",
        "strength ",
        "scaled ",
        "fused = ",
        "idf ",
    ];
    let line = match is_scored.iter().any(|mark| line.contains(mark)) {
        true => without_fractions(line),
        false => line.to_owned(),
    };
    let line = between(&line, "(", " s)", "[TIME]");
    let line = between(&line, "(", " MB", "[SIZE]");
    let line = between(&line, "\"bytes\": ", ",", "[SIZE]");
    let line = between(&line, "\"updated\": \"", "\"", "[TIME]");
    between(&line, "updated   ", ": ", "[TIME]")
}

/// The line with `#` for each number that has a point in it.
fn without_fractions(line: &str) -> String {
    let is_number = |c: char| c.is_ascii_digit() || c == '.';
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find(is_number) {
        let (before, number) = rest.split_at(at);
        let end = number.find(|c| !is_number(c)).unwrap_or(number.len());
        let (number, after) = number.split_at(end);
        out += before;
        out += if number.trim_matches('.').contains('.') {
            "#"
        } else {
            number
        };
        rest = after;
    }
    out + rest
}

/// The line with `by` in place of what stands between `from` and `to`.
fn between(line: &str, from: &str, to: &str, by: &str) -> String {
    let found = line.rsplit_once(to).and_then(|(head, tail)| {
        let (before, _) = head.rsplit_once(from)?;
        Some(format!("{before}{from}{by}{to}{tail}"))
    });
    found.unwrap_or_else(|| line.to_owned())
}
