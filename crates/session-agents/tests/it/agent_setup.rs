//! Installing all that an agent gets, and removing it again.

use session_agents::{Agent, AgentError, AgentSetup, HookEvent, HookFile, McpConfig};
use session_sources::Env;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const PROGRAM: &str = "/opt/bin/session-search";
const CODEX: &str = ".codex/config.toml";
const INSTRUCTIONS: &str = ".codex/AGENTS.md";
const OPENCODE: &str = ".config/opencode/opencode.json";

struct SetupHome {
    home: TempDir,
    env: Env,
}

impl SetupHome {
    fn new(files: &[(&str, &str)]) -> Self {
        let home = tempfile::tempdir().unwrap();
        let env = Env::with_home(home.path());
        let user = Self { home, env };
        for (path, text) in files {
            let path = user.home.path().join(path);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(path, text).unwrap();
        }
        user
    }

    fn plan(&self, agent: Agent) -> AgentSetup {
        AgentSetup::plan(agent, &self.env, Path::new(PROGRAM)).unwrap()
    }

    fn install(&self, agent: Agent) -> Vec<PathBuf> {
        self.plan(agent).apply().unwrap().backups
    }

    fn remove(&self, agent: Agent) {
        let plan = AgentSetup::plan_removal(agent, &self.env).unwrap();
        plan.apply().unwrap();
    }

    fn read(&self, path: &str) -> String {
        fs_err::read_to_string(self.home.path().join(path)).unwrap()
    }

    /// Every file below the home directory that is no backup, with its text.
    fn files(&self) -> BTreeMap<PathBuf, String> {
        let mut found = BTreeMap::new();
        let mut directories = vec![self.home.path().to_owned()];
        while let Some(directory) = directories.pop() {
            for entry in fs_err::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                match path.is_dir() {
                    true => directories.push(path),
                    false if path.to_string_lossy().contains(".backup") => {}
                    false => {
                        drop(found.insert(path.clone(), fs_err::read_to_string(path).unwrap()))
                    }
                }
            }
        }
        found
    }
}

#[test]
fn each_agent_gets_its_files_once_and_loses_them_again() {
    let user = SetupHome::new(&[
        (OPENCODE, "{\n  // mine\n  \"share\": \"disabled\"\n}\n"),
        (CODEX, "# mine\nmodel = \"x\"\n"),
        (INSTRUCTIONS, "Mine.\n"),
        (".claude/settings.json", "{}\n"),
    ]);
    let before = user.files();
    for agent in Agent::ALL {
        assert!(agent.is_present(&user.env));
        assert!(!user.plan(agent).is_noop());
        user.install(agent);
        assert!(user.plan(agent).is_noop(), "{agent:?}");
    }
    let plugin = user.read(".config/opencode/plugins/session-search.js");
    assert!(
        plugin.contains(&format!("const PROGRAM = \"{PROGRAM}\"\n")),
        "{plugin}"
    );
    let hooks = user.read(".codex/hooks.json");
    for event in HookEvent::default_for(Agent::Codex) {
        assert!(hooks.contains(&format!("\"{event}\"")), "{hooks}");
    }
    let opencode = user.read(OPENCODE);
    assert!(
        opencode.contains("// mine") && opencode.contains(PROGRAM),
        "{opencode}"
    );
    let codex = user.read(CODEX);
    assert!(codex.starts_with("# mine\nmodel = \"x\"\n"), "{codex}");
    assert!(codex.contains("[mcp_servers.session-search]"), "{codex}");
    assert!(
        user.read(INSTRUCTIONS)
            .starts_with("Mine.\n\n<!-- session-search: begin -->\n")
    );
    for agent in [".claude", ".config/opencode"] {
        assert!(
            !user
                .read(&format!("{agent}/skills/session-search/SKILL.md"))
                .is_empty()
        );
    }
    for agent in Agent::ALL {
        user.remove(agent);
    }
    assert_eq!(user.files(), before);
    let opencode = user.home.path().join(".config/opencode");
    let left = fs_err::read_dir(opencode).unwrap();
    let left: Vec<_> = left.map(|entry| entry.unwrap().path()).collect();
    assert!(left.iter().all(|path| path.is_file()), "{left:?}");
}

#[test]
fn a_server_that_the_user_had_is_as_before() {
    for (agent, path, old) in [
        (
            Agent::Codex,
            CODEX,
            "[mcp_servers.session-search]\ncommand = '/old/session-search'\nargs = [\"mcp\"]\n\n[mcp_servers.session-search.env]\nA = \"1\"\n",
        ),
        (
            Agent::OpenCode,
            OPENCODE,
            "{\"mcp\": {\"session-search\": {\"command\": [\"/old/session-search\", \"mcp\"], \"enabled\": false}}}",
        ),
        (
            Agent::OpenCode,
            OPENCODE,
            "{\"mcp\": {\"session-search\": {\"command\": [\"session-search\", \"mcp\"]}}}",
        ),
    ] {
        let user = SetupHome::new(&[(path, old)]);
        user.install(agent);
        assert!(user.read(path).contains(PROGRAM), "{old}");
        let changed = user.read(path) + "\n";
        user.remove(agent);
        assert_eq!(user.read(path), old);
        fs_err::write(user.home.path().join(path), changed).unwrap();
        user.remove(agent);
        let left = user.read(path);
        assert!(
            left.contains("session-search") && !left.contains(PROGRAM),
            "{left}"
        );
    }
}

#[test]
fn a_server_of_an_earlier_version_is_removed() {
    let user = SetupHome::new(&[(CODEX, "model = \"x\"\n")]);
    let before = user.files();
    let old = Path::new("/old/session-search-v0.1.0");
    AgentSetup::plan(Agent::Codex, &user.env, old)
        .unwrap()
        .apply()
        .unwrap();
    user.install(Agent::Codex);
    user.remove(Agent::Codex);
    assert_eq!(user.files(), before);
}

#[test]
fn the_old_text_is_kept_in_a_backup() {
    let user = SetupHome::new(&[(CODEX, "# mine\n")]);
    let backups = user.install(Agent::Codex);
    assert_eq!(backups.len(), 1, "there were no instructions");
    assert_eq!(fs_err::read_to_string(&backups[0]).unwrap(), "# mine\n");
    user.remove(Agent::Codex);
    let instructions = user.home.path().join(INSTRUCTIONS);
    assert!(!instructions.exists(), "a file that held nothing else goes");
}

#[test]
fn the_file_that_opencode_has_is_changed() {
    for (existing, wanted) in [
        (&[][..], OPENCODE),
        (
            &[(".config/opencode/opencode.jsonc", "{}")],
            ".config/opencode/opencode.jsonc",
        ),
        (
            &[
                (".config/opencode/opencode.jsonc", "{}"),
                (
                    OPENCODE,
                    "{\"mcp\": {\"session-search\": {\"command\": [\"session-search\", \"mcp\"]}}}",
                ),
            ],
            OPENCODE,
        ),
    ] {
        let user = SetupHome::new(existing);
        let config = McpConfig::for_user(Agent::OpenCode, &user.env)
            .unwrap()
            .unwrap();
        assert_eq!(config.path(), user.home.path().join(wanted));
        user.install(Agent::OpenCode);
        assert!(user.read(wanted).contains(PROGRAM));
        assert_eq!(config.server_command().unwrap().unwrap()[0], PROGRAM);
    }
}

#[test]
fn the_instructions_that_codex_prefers_are_changed() {
    let preferred = ".codex/AGENTS.override.md";
    let user = SetupHome::new(&[(preferred, "Mine.\n"), (INSTRUCTIONS, "Not read.\n")]);
    user.install(Agent::Codex);
    assert!(user.read(preferred).contains("session-search"));
    assert_eq!(user.read(INSTRUCTIONS), "Not read.\n");
}

#[test]
fn instructions_are_removed_wherever_they_stand() {
    let user = SetupHome::new(&[(INSTRUCTIONS, "Mine.\n")]);
    user.install(Agent::Codex);
    fs_err::write(user.home.path().join(".codex/AGENTS.override.md"), "New.\n").unwrap();
    user.remove(Agent::Codex);
    assert_eq!(user.read(INSTRUCTIONS), "Mine.\n");
}

#[test]
fn the_server_of_another_program_stays_and_the_rest_goes() {
    let user = SetupHome::new(&[(INSTRUCTIONS, "Mine.\n")]);
    user.install(Agent::Codex);
    let other = "[mcp_servers.session-search]\ncommand = \"docker\"\n";
    fs_err::write(user.home.path().join(CODEX), other).unwrap();
    user.remove(Agent::Codex);
    assert_eq!(
        (user.read(CODEX), user.read(INSTRUCTIONS)),
        (other.to_owned(), "Mine.\n".to_owned())
    );
}

#[test]
fn line_ends_of_a_file_stay() {
    let mixed = "# mine\r\nmodel = \"x\" # why\nprompt = \"\"\"\nline\r\n\"\"\"\n";
    let user = SetupHome::new(&[(CODEX, mixed)]);
    user.install(Agent::Codex);
    let later = user.read(CODEX) + "# later\n";
    fs_err::write(user.home.path().join(CODEX), later).unwrap();
    user.remove(Agent::Codex);
    assert_eq!(user.read(CODEX), format!("{mixed}# later\n"));
}

#[test]
fn a_plugin_of_claude_code_brings_its_own_skill() {
    let settings = "{\"enabledPlugins\": {\"session-search@tools\": true}}";
    let user = SetupHome::new(&[(".claude/settings.json", settings)]);
    assert!(user.plan(Agent::Claude).is_noop());
}

#[test]
fn a_file_that_does_not_fit_is_refused_before_anything_is_written() {
    let huge = format!("# {}\n", "x".repeat(9 << 20));
    for (config, message) in [
        (
            "[mcp_servers.session-search]\ncommand = \"y\"\n",
            "another program's server",
        ),
        ("mcp_servers = 3\n", "is not a table"),
        ("model = \n", "not valid TOML"),
        (&huge, "8388608"),
    ] {
        let user = SetupHome::new(&[(CODEX, config)]);
        let before = user.files();
        let refused = AgentSetup::plan(Agent::Codex, &user.env, Path::new(PROGRAM));
        let error = whole_message(&refused.unwrap_err());
        assert!(error.contains(message), "{error}");
        assert_eq!(user.files(), before);
    }
}

fn whole_message(error: &AgentError) -> String {
    let reason = std::error::Error::source(error).map(ToString::to_string);
    format!("{error}: {}", reason.unwrap_or_default())
}

/// A dotfiles manager links the user's own files; what the link leads to is changed.
#[cfg(unix)]
#[test]
fn a_link_of_the_user_stays_a_link() {
    let user = SetupHome::new(&[("dotfiles/codex.toml", "# mine\n"), (INSTRUCTIONS, "")]);
    let link = user.home.path().join(CODEX);
    fs_err::os::unix::fs::symlink(user.home.path().join("dotfiles/codex.toml"), &link).unwrap();
    user.install(Agent::Codex);
    assert!(fs_err::symlink_metadata(&link).unwrap().is_symlink());
    assert!(user.read("dotfiles/codex.toml").contains(PROGRAM));
}

/// A process that was killed while it wrote leaves a temporary file beside the old text.
#[test]
fn what_a_killed_process_left_is_of_no_matter() {
    let user = SetupHome::new(&[(CODEX, "# mine\n"), (".codex/.new-1-2-3", "[mcp_serv")]);
    user.install(Agent::Codex);
    assert!(
        user.read(CODEX)
            .starts_with("# mine\n\n[mcp_servers.session-search]\n")
    );
}

#[test]
fn hooks_of_others_stay_and_the_file_goes_with_the_last() {
    let others = "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]}]}}\n";
    let user = SetupHome::new(&[(".codex/hooks.json", others)]);
    user.install(Agent::Codex);
    user.remove(Agent::Codex);
    assert!(user.read(".codex/hooks.json").contains("mine"));
    let user = SetupHome::new(&[(".codex/hooks.json", "{}\n")]);
    user.remove(Agent::Codex);
    assert_eq!(user.read(".codex/hooks.json"), "{}\n", "without the hook");
    user.install(Agent::Codex);
    let file = HookFile::new(Agent::Codex, &user.env, None).unwrap();
    assert_eq!(file.installed_hooks().unwrap().len(), 4);
    user.remove(Agent::Codex);
    assert_eq!(user.read(".codex/hooks.json"), "{}\n");
    let user = SetupHome::new(&[(CODEX, "# mine\n")]);
    user.install(Agent::Codex);
    user.remove(Agent::Codex);
    assert!(!user.home.path().join(".codex/hooks.json").exists());
}

#[test]
fn the_plugin_of_opencode_is_the_hook_of_its_events() {
    let user = SetupHome::new(&[]);
    let file = HookFile::new(Agent::OpenCode, &user.env, None).unwrap();
    assert_eq!(file.installed_hooks().unwrap(), []);
    let change = file
        .plan(Path::new("/my apps/session-search"), &[])
        .unwrap();
    change.write().unwrap();
    let hooks = file.installed_hooks().unwrap();
    assert_eq!(hooks.len(), HookEvent::default_for(Agent::OpenCode).len());
    assert_eq!(
        hooks[0].command.to_string(),
        "'/my apps/session-search' hook run"
    );
    fs_err::write(file.path(), "export const Mine = 1\n").unwrap();
    let chosen = file.plan(Path::new(PROGRAM), &[HookEvent::SessionStart]);
    let error = chosen.unwrap_err().to_string();
    assert_eq!(error, "the plugin of OpenCode answers all events");
    let refused = file.plan(Path::new(PROGRAM), &[]);
    assert!(matches!(refused, Err(AgentError::Settings { .. })));
    assert!(file.plan_removal().unwrap().is_noop());
}

#[test]
fn a_hook_answers_the_chosen_events_that_its_agent_has() {
    let user = SetupHome::new(&[]);
    let install = |agent, chosen: &[HookEvent]| {
        let file = HookFile::new(agent, &user.env, None).unwrap();
        let planned = file.plan(Path::new(PROGRAM), chosen);
        planned.map_err(|error| error.to_string())?.write().unwrap();
        let hooks = file.installed_hooks().unwrap();
        Ok::<_, String>(hooks.iter().map(|hook| hook.event).collect::<Vec<_>>())
    };
    let failure = [HookEvent::PostToolUseFailure];
    assert_eq!(install(Agent::Claude, &failure), Ok(failure.to_vec()));
    let error = "Codex has no event PostToolUseFailure";
    assert_eq!(install(Agent::Codex, &failure), Err(error.to_owned()));
    let error = "the hook does not answer PostToolUse of Claude Code";
    let success = [HookEvent::SessionStart, HookEvent::PostToolUse];
    assert_eq!(install(Agent::Claude, &success), Err(error.to_owned()));
    assert_eq!(install(Agent::Codex, &success), Ok(success.to_vec()));
    let usual = install(Agent::Codex, &[]).unwrap();
    assert!(usual.contains(&HookEvent::PostToolUse), "{usual:?}");
}
