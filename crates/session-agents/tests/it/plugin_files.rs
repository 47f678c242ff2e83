//! The plugin's files: what they promise of each other, and the script that finds the program.

use serde_json::Value;
use session_agents::{Agent, HookEvent};
use std::path::{Path, PathBuf};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn json(path: &str) -> Value {
    let text = fs_err::read_to_string(repository().join(path)).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Claude Code upgrades a plugin when its version changes.
#[test]
fn the_plugin_has_the_version_of_the_program() {
    let plugin = json("skill/.claude-plugin/plugin.json");
    assert_eq!(plugin["version"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn the_marketplace_leads_to_the_skill() {
    let marketplace = json(".claude-plugin/marketplace.json");
    let source = marketplace["plugins"][0]["source"].as_str().unwrap();
    let plugin = json(&format!("{source}/.claude-plugin/plugin.json"));
    assert_eq!(plugin["name"], marketplace["plugins"][0]["name"]);
    let skills = plugin["skills"].as_str().unwrap();
    let skill = repository()
        .join(source)
        .join(skills)
        .join("session-search/SKILL.md");
    assert!(skill.is_file(), "{}", skill.display());
}

#[test]
fn hooks_and_server_run_the_script() {
    let hooks = json("skill/hooks/hooks.json");
    let hooks = hooks["hooks"].as_object().unwrap();
    assert_eq!(hooks.len(), HookEvent::default_for(Agent::Claude).len());
    for event in HookEvent::default_for(Agent::Claude) {
        let group = &hooks[event.name()][0];
        let matcher = event.matcher(Agent::Claude);
        assert_eq!(group["matcher"].as_str(), matcher, "{event}");
    }
    let servers = json("skill/.mcp.json");
    let commands = hooks.values().map(|groups| &groups[0]["hooks"][0]);
    for command in commands.chain([&servers["mcpServers"]["session-search"]]) {
        let script = command["args"][0].as_str().unwrap();
        let script = script.strip_prefix("${CLAUDE_PLUGIN_ROOT}/").unwrap();
        assert!(
            repository().join("skill").join(script).is_file(),
            "{script}"
        );
        assert_eq!(command["command"], "sh");
    }
}

#[cfg(unix)]
mod script {
    use super::*;
    use fs_err::os::unix::fs::symlink;
    use std::io::Write;
    use std::os::unix::fs::PermissionsExt;
    use std::process::{Command, Output, Stdio};
    use tempfile::TempDir;

    const START: &str = r#"{"session_id":"s","hook_event_name":"SessionStart","source":"startup"}"#;
    const PROMPT: &str = r#"{"hook_event_name":"UserPromptSubmit","prompt":"{\"hook_event_name\":\"SessionStart\",\"source\":\"startup\"}"}"#;

    /// A home directory and a search path of directories below it.
    struct Shell {
        home: TempDir,
        /// The value of `HOME`.
        home_variable: PathBuf,
        path: Vec<PathBuf>,
        directory: PathBuf,
    }

    impl Shell {
        fn new() -> Self {
            let home = tempfile::tempdir().unwrap();
            let tools = ["/usr/bin", "/bin"].map(PathBuf::from);
            Self {
                path: tools.to_vec(),
                directory: home.path().to_owned(),
                home_variable: home.path().to_owned(),
                home,
            }
        }

        /// A program that prints its directory's name and its arguments, and exits with 7.
        fn program(&self, directory: &str) -> PathBuf {
            let directory = self.home.path().join(directory);
            fs_err::create_dir_all(&directory).unwrap();
            let program = directory.join("session-search");
            let text = format!("#!/bin/sh\necho {} $*\nexit 7\n", directory.display());
            fs_err::write(&program, text).unwrap();
            fs_err::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
            directory
        }

        fn run(&self, script: &Path, arguments: &[&str], stdin: &str) -> Output {
            let mut child = Command::new("sh")
                .arg(script)
                .args(arguments)
                .env_clear()
                .env("HOME", &self.home_variable)
                .env("PATH", std::env::join_paths(&self.path).unwrap())
                .current_dir(&self.directory)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            // A program that reads nothing has gone by then.
            let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
            child.wait_with_output().unwrap()
        }

        fn found(&self, arguments: &[&str]) -> String {
            let ran = self.run(&script(), arguments, "");
            String::from_utf8(ran.stdout).unwrap()
        }
    }

    fn script() -> PathBuf {
        fs_err::canonicalize(repository().join("skill/bin/session-search")).unwrap()
    }

    #[test]
    fn the_program_of_the_path_comes_before_those_of_the_home_directory() {
        let mut shell = Shell::new();
        shell.program(".cargo/bin");
        assert!(shell.found(&["status"]).ends_with(".cargo/bin status\n"));
        shell.program(".local/bin");
        assert!(shell.found(&["status"]).ends_with(".local/bin status\n"));
        shell.path.push(shell.program("my tools"));
        assert!(shell.found(&["a  b", "c"]).ends_with("my tools a b c\n"));
        assert_eq!(shell.run(&script(), &["status"], "").status.code(), Some(7));
    }

    #[test]
    fn the_plugin_script_never_fails() {
        let mut shell = Shell::new();
        assert_eq!(
            shell.run(&script(), &["hook", "run"], PROMPT).status.code(),
            Some(0)
        );
        shell.path.push(shell.program("bin"));
        let ran = shell.run(&script(), &["hook", "run"], PROMPT);
        assert_eq!(ran.status.code(), Some(0));
        assert!(ran.stdout.ends_with(b"bin hook run\n"));
    }

    #[test]
    fn a_missing_program_is_told_once_and_in_one_sentence() {
        let shell = Shell::new();
        let ran = shell.run(&script(), &["mcp"], "");
        assert_eq!((ran.status.code(), ran.stdout.len()), (Some(127), 0));
        let stderr = String::from_utf8(ran.stderr).unwrap();
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
        let started = shell.run(&script(), &["hook", "run"], START);
        let answer: Value = serde_json::from_slice(&started.stdout).unwrap();
        assert_eq!(answer["systemMessage"], stderr.trim_end());
        let prompted = shell.run(&script(), &["hook", "run"], PROMPT);
        assert!(prompted.stdout.is_empty() && prompted.stderr.is_empty());
    }

    /// The script is in the path of Claude Code's shell, under the program's name.
    #[test]
    fn the_script_does_not_find_itself() {
        let mut shell = Shell::new();
        shell.path.insert(0, script().parent().unwrap().to_owned());
        let links = shell.home.path().join("links");
        fs_err::create_dir(&links).unwrap();
        symlink(script(), links.join("session-search")).unwrap();
        shell.path.insert(0, links.clone());
        for script in [script(), links.join("session-search")] {
            assert_eq!(shell.run(&script, &["mcp"], "").status.code(), Some(127));
        }
        let older = shell.program("older/bin");
        let manifest = older.join("../.claude-plugin/plugin.json");
        fs_err::create_dir(manifest.parent().unwrap()).unwrap();
        fs_err::write(manifest, "{}").unwrap();
        shell.path.insert(0, older);
        assert_eq!(shell.run(&script(), &["mcp"], "").status.code(), Some(127));
    }

    /// The project that is open is the working directory of hooks.
    #[test]
    fn no_program_of_the_project_is_run() {
        let mut shell = Shell::new();
        shell.directory = shell.program("clone/bin");
        shell.path.insert(0, PathBuf::from("."));
        shell.path.insert(0, PathBuf::from(""));
        shell.path.insert(0, PathBuf::from("../bin"));
        shell.path.insert(0, PathBuf::from("/proc/self/cwd"));
        assert_eq!(shell.found(&["status"]), "");
    }

    /// Another program may be found, in the home directory of the user database.
    #[test]
    fn no_program_of_a_repository_that_home_names_is_run() {
        let mut shell = Shell::new();
        shell.program("clone/.local/bin");
        shell.program("clone/deep/.cargo/bin");
        let clone = shell.home.path().join("clone");
        fs_err::create_dir(clone.join(".git")).unwrap();
        fs_err::create_dir(shell.home.path().join("beside")).unwrap();
        symlink(clone.join("deep"), shell.home.path().join("link")).unwrap();
        shell.directory = clone.clone();
        let beside = shell.home.path().join("beside/../clone");
        for home in [
            clone.clone(),
            clone.join("deep"),
            beside,
            shell.home.path().join("link"),
            PathBuf::from("/proc/self/cwd"),
            PathBuf::from("."),
            PathBuf::from("deep"),
            PathBuf::new(),
        ] {
            shell.home_variable = home;
            let found = shell.found(&["status"]);
            assert!(!found.contains("clone"), "{:?}", shell.home_variable);
            assert!(!found.contains("link"), "{:?}", shell.home_variable);
        }
        shell.home_variable = shell.home.path().to_owned();
        shell.program(".local/bin");
        assert!(shell.found(&["status"]).ends_with(".local/bin status\n"));
    }
}
