//! Setup as users go through it.

use super::*;
use session_agents::Agent;
use session_config::Home;
use session_sources::Env;
use session_test::endpoint_server::{EndpointServer, reply_with_status, reply_with_vectors};

mod record;
mod retention;

/// A home directory with Claude Code, whose user answers questions.
struct SetupFixture {
    home: tempfile::TempDir,
}

impl SetupFixture {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        fs_err::create_dir(home.path().join(".claude")).unwrap();
        Self { home }
    }

    /// Lists all files of the home directory.
    fn list_files(&self) -> Vec<String> {
        let mut directories = vec![self.home.path().to_owned()];
        let mut files = Vec::new();
        while let Some(directory) = directories.pop() {
            for entry in fs_err::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    directories.push(path)
                } else {
                    files.push(path.display().to_string())
                }
            }
        }
        files
    }

    fn file(&self, path: &str) -> Option<String> {
        fs_err::read_to_string(self.home.path().join(path)).ok()
    }

    fn has_record(&self) -> bool {
        let record = self.home().directories().data.join("setup.json");
        record.exists()
    }

    fn home(&self) -> Home {
        let root = self.home.path().join("index");
        let mut home = Home::new(Env::with_home(self.home.path()), root);
        home.config.model = "table".to_owned();
        home
    }

    /// Runs setup with a user who types these lines.
    fn answer_setup(&self, options: &SetupOptions, lines: &str) -> (StepOutcomes, String) {
        self.try_setup(options, Some(lines)).unwrap()
    }

    /// Runs setup with consent given beforehand.
    fn consent_to_setup(&self, options: &SetupOptions) -> (StepOutcomes, String) {
        self.try_setup(options, None).unwrap()
    }

    fn undo_setup(&self, agents: &[Agent]) -> String {
        let mut output = Vec::new();
        let mut dialog = ConsentDialog {
            input: &mut &b""[..],
            output: &mut output,
            is_interactive: false,
            assume_yes: true,
            columns: None,
        };
        let home = self.home();
        let undone = undo_setup(agents, &home, &mut dialog).unwrap();
        assert_eq!(undone.failures.into_iter().count(), 0);
        String::from_utf8(output).unwrap()
    }

    fn try_setup(
        &self,
        options: &SetupOptions,
        lines: Option<&str>,
    ) -> Result<(StepOutcomes, String)> {
        let home = self.home();
        let mut output = Vec::new();
        let mut dialog = ConsentDialog {
            input: &mut lines.unwrap_or_default().as_bytes(),
            output: &mut output,
            is_interactive: lines.is_some(),
            assume_yes: lines.is_none(),
            columns: None,
        };
        let steps = run_steps(options, &home, &|| Box::new(()), &mut dialog)?;
        Ok((steps, String::from_utf8(output).unwrap()))
    }
}

fn no_options() -> SetupOptions {
    SetupOptions::default()
}

fn skill(skill: SkillChoice) -> SetupOptions {
    SetupOptions {
        skill,
        ..no_options()
    }
}

fn allowed_skill() -> SetupOptions {
    SetupOptions {
        allow_skill: true,
        ..no_options()
    }
}

fn kept_history(days: u32) -> SetupOptions {
    SetupOptions {
        keep_history: Some(days),
        ..no_options()
    }
}

fn agents(agents: &[Agent]) -> SetupOptions {
    SetupOptions {
        agents: agents.to_vec(),
        ..no_options()
    }
}

const CONFIG: &str = ".config/session-search/config.toml";
const SETTINGS: &str = ".claude/settings.json";
const RULE: &str = "Skill(session-search)";
const SKILL: &str = ".claude/skills/session-search/SKILL.md";

#[test]
fn models_that_nobody_tried_are_counted() {
    let (_, output) = SetupFixture::new().answer_setup(&no_options(), "");
    assert!(!output.contains("not tried here"), "{output}");
    for part in [
        "  qwen3-embedding-0.6b     to be pulled, 1.2 GB; 1024 dims; not measured\n",
        "  15 more: `session-search model list`\n",
    ] {
        assert!(output.contains(part), "{output}");
    }
}

#[test]
fn a_longer_history_is_nothing_that_agents_use() {
    let (steps, output) = SetupFixture::new().consent_to_setup(&kept_history(365));
    assert_eq!(steps.history, StepOutcome::Written, "{output}");
    assert!(!output.contains("Agents use it"), "{output}");
}

#[test]
fn what_claude_code_does_not_get_is_named_with_its_command() {
    let user = SetupFixture::new();
    let (_, output) = user.consent_to_setup(&agents(&[Agent::Claude]));
    let (_, commands) = output.split_once("To add the MCP server").unwrap();
    assert!(
        commands.contains(", run:\n  claude mcp add --scope user session-search -- "),
        "{output}"
    );
    let hook = "To add the hook, run:\n  session-search hook install\n";
    assert!(commands.contains(hook), "{output}");
}

#[test]
fn memories_make_no_agent_and_one_without_a_step_is_named() {
    let user = SetupFixture::new();
    let at = |path: &str| user.home.path().join(path);
    let folders = [".claude/data/session-search", ".gemini/tmp/a/chats"];
    let _ = folders.map(|path| fs_err::create_dir_all(at(path)).unwrap());
    fs_err::write(at(".gemini/tmp/a/chats/session-1.jsonl"), "{}\n").unwrap();
    let (_, output) = user.answer_setup(&no_options(), "\n");
    assert!(!output.contains("Claude Code"), "{output}");
    assert!(output.contains("\nGemini CLI: no step"), "{output}");
}

#[test]
fn every_step_can_be_skipped() {
    for lines in ["\n\n\n", "", "\n30\n\nn\n", "\n0\nno\n", "\n365\nn\nn\n"] {
        let user = SetupFixture::new();
        let (steps, output) = user.answer_setup(&no_options(), lines);
        assert!(
            !steps.list_outcomes().contains(&StepOutcome::Written),
            "{lines:?}: {output}"
        );
        for file in [CONFIG, SETTINGS, SKILL] {
            assert_eq!(user.file(file), None, "{lines:?}");
        }
    }
}

#[test]
fn an_answer_that_cannot_be_taken_is_asked_for_again() {
    let user = SetupFixture::new();
    let answers = "no-such-model\nftp://localhost\ntiny\ntable\nabc\n0\n365\ny\nn\n";
    let (steps, output) = user.answer_setup(&no_options(), answers);
    assert_eq!(steps.model, StepOutcome::Unchanged, "{output}");
    assert_eq!(steps.history, StepOutcome::Written, "{output}");
    assert!(output.contains("no-such-model"), "{output}");
    assert!(
        output.contains("`abc` is not a number of days from 1 to 36500"),
        "{output}"
    );
    assert!(user.file(SETTINGS).unwrap().contains("365"), "{output}");
}

#[test]
fn what_is_consented_to_is_written_and_once() {
    let user = SetupFixture::new();
    let server = EndpointServer::start(reply_with_vectors);
    let url = server.url();
    let answers = format!("{url}\ntiny\ny\n365\ny\ny\ny\n");
    let (steps, output) = user.answer_setup(&no_options(), &answers);
    assert_eq!(
        steps.list_outcomes(),
        vec![StepOutcome::Written; 4],
        "{output}"
    );
    let config = user.file(CONFIG).unwrap();
    for line in [
        "model = \"remote\"",
        &format!("url = \"{url}\""),
        "model = \"tiny\"",
    ] {
        assert!(config.contains(line), "{config}");
    }
    assert!(
        output.contains("+   \"cleanupPeriodDays\": 365"),
        "{output}"
    );
    let settings = user.file(SETTINGS).unwrap();
    assert!(
        settings.contains("365") && settings.contains(RULE),
        "{settings}"
    );
    assert!(
        user.file(SKILL)
            .unwrap()
            .starts_with("---\nname: session-search")
    );
    let (steps, output) = user.answer_setup(&no_options(), "table\n365\n");
    assert_eq!(
        steps.list_outcomes(),
        vec![StepOutcome::Unchanged; 4],
        "{output}"
    );
}

#[test]
fn an_endpoint_that_refuses_is_asked_for_again_without_its_password() {
    let user = SetupFixture::new();
    let server = EndpointServer::start(|_| reply_with_status(401, ""));
    let url = server.url().replace("http://", "http://ann:hunter2@");
    let answers = format!("{url}\ntiny\ny\ntable\n\nn\n");
    let (steps, output) = user.answer_setup(&no_options(), &answers);
    assert_eq!(steps.model, StepOutcome::Unchanged, "{output}");
    assert_eq!(user.file(CONFIG), None);
    let refusal = "gave no vectors: status 401\nhint: see that its key is right";
    assert!(output.contains(refusal), "{output}");
    assert!(
        output.contains("will be sent to http://127.0.0.1:"),
        "{output}"
    );
    assert!(!output.contains("hunter2"), "{output}");
}

#[test]
fn the_skill_is_allowed_by_an_answer_or_an_option_of_its_own() {
    let user = SetupFixture::new();
    let (steps, output) = user.consent_to_setup(&skill(SkillChoice::Install));
    assert_eq!(steps.permission, StepOutcome::Skipped, "{output}");
    let (steps, output) = user.answer_setup(&no_options(), "\n\nn\n");
    assert_eq!(steps.permission, StepOutcome::Skipped, "{output}");
    assert_eq!(user.file(SETTINGS), None);
    let (steps, output) = user.consent_to_setup(&allowed_skill());
    assert_eq!(steps.permission, StepOutcome::Written, "{output}");
    assert!(user.file(SETTINGS).unwrap().contains(RULE), "{output}");
    let denied = format!("{{\"permissions\": {{\"deny\": [\"{RULE}\"]}}}}");
    fs_err::write(user.home.path().join(SETTINGS), &denied).unwrap();
    let (steps, output) = user.consent_to_setup(&allowed_skill());
    assert_eq!(steps.permission, StepOutcome::Skipped, "{output}");
    assert_eq!(user.file(SETTINGS), Some(denied));
}

#[test]
fn agents_that_are_there_are_offered_one_by_one() {
    let user = SetupFixture::new();
    for agent in [".config/opencode", ".codex"] {
        fs_err::create_dir_all(user.home.path().join(agent)).unwrap();
    }
    let (steps, output) = user.answer_setup(&skill(SkillChoice::LeaveOut), "\n\nn\ny\n");
    assert_eq!(steps.agents["opencode"], StepOutcome::Skipped, "{output}");
    assert_eq!(steps.agents["codex"], StepOutcome::Written, "{output}");
    assert_eq!(user.file(".config/opencode/opencode.json"), None);
    let codex = user.file(".codex/config.toml").unwrap();
    assert!(codex.starts_with("[mcp_servers.session-search]"), "{codex}");
    let (steps, output) = user.answer_setup(&agents(&[Agent::Codex]), "\n\n");
    assert_eq!(steps.agents["codex"], StepOutcome::Unchanged, "{output}");
    assert_eq!(steps.agents.len(), 1, "{output}");
}

#[test]
fn a_server_that_is_switched_off_is_said_to_be() {
    let user = SetupFixture::new();
    let options = agents(&[Agent::OpenCode]);
    let (_, output) = user.consent_to_setup(&options);
    assert!(!output.contains("does not start"), "{output}");
    let config = ".config/opencode/opencode.json";
    let text = user.file(config).unwrap();
    let disabled = text.replace("\"type\"", "\"enabled\": false, \"type\"");
    fs_err::write(user.home.path().join(config), &disabled).unwrap();
    let (steps, output) = user.consent_to_setup(&options);
    assert_eq!(steps.agents["opencode"], StepOutcome::Unchanged, "{output}");
    let note = "OpenCode does not start the MCP server";
    assert!(output.contains(note), "{output}");
    assert_eq!(user.file(config), Some(disabled));
}

#[test]
fn a_file_that_the_user_edited_is_shown_and_kept() {
    let user = SetupFixture::new();
    fs_err::create_dir_all(user.home.path().join(".claude/projects")).unwrap();
    user.consent_to_setup(&skill(SkillChoice::Install));
    let installed = user.file(SKILL).unwrap();
    let mine = installed.replace("Three levels.", "My levels.");
    fs_err::write(user.home.path().join(SKILL), &mine).unwrap();
    let (steps, output) = user.answer_setup(&skill(SkillChoice::Install), "\n\ny\nn\n");
    assert_eq!(steps.skill, StepOutcome::Skipped, "{output}");
    assert!(
        output.contains("- My levels. Stop") && output.contains("+ Three levels. Stop"),
        "{output}"
    );
    assert_eq!(user.file(SKILL).unwrap(), mine);
    for options in [skill(SkillChoice::Install), agents(&[Agent::Claude])] {
        let (steps, output) = user.consent_to_setup(&options);
        assert_eq!(steps.skill, StepOutcome::Skipped, "{output}");
        assert!(
            output.contains("kept") && !output.contains("written"),
            "{output}"
        );
        assert_eq!(user.file(SKILL).unwrap(), mine);
    }
    let output = user.undo_setup(&[Agent::Claude]);
    assert!(output.contains("what you edited is kept: "), "{output}");
    assert!(!output.contains("written"), "{output}");
    assert_eq!(user.file(SKILL).unwrap(), mine);
    let user = SetupFixture::new();
    fs_err::create_dir_all(user.home.path().join(".claude/projects")).unwrap();
    user.consent_to_setup(&skill(SkillChoice::Install));
    fs_err::write(user.home.path().join(SKILL), &mine).unwrap();
    let (steps, output) = user.answer_setup(&skill(SkillChoice::Install), "\n\ny\ny\n");
    assert_eq!(steps.skill, StepOutcome::Written, "{output}");
    assert_eq!(user.file(&format!("{SKILL}.backup")).unwrap(), mine);
}

/// Also in a home where nothing was: without a backup of what was written.
#[test]
fn undo_leaves_nothing_that_setup_wrote() {
    let user = SetupFixture::new();
    let server = EndpointServer::start(reply_with_vectors);
    let answers = format!("{}\ntiny\ny\n365\ny\ny\ny\n", server.url());
    user.answer_setup(&no_options(), &answers);
    user.consent_to_setup(&agents(&[Agent::OpenCode, Agent::Codex]));
    assert!(user.file(SETTINGS).unwrap().contains(RULE));
    let output = user.undo_setup(&[]);
    assert!(output.contains("- remote.model = \"tiny\""), "{output}");
    let only_history = "{\n  \"cleanupPeriodDays\": 365\n}\n";
    assert_eq!(user.file(SETTINGS).as_deref(), Some(only_history));
    user.consent_to_setup(&kept_history(30));
    user.undo_setup(&[]);
    let mut left = user.list_files();
    left.retain(|file| !file.ends_with("models/remote/learnt.json"));
    assert_eq!(left, Vec::<String>::new(), "{output}");
}

/// Agents that read the skill of Claude Code need no Claude Code.
#[test]
fn undo_removes_a_skill_where_claude_code_is_not_there() {
    let user = SetupFixture {
        home: tempfile::tempdir().unwrap(),
    };
    user.consent_to_setup(&agents(&[Agent::Claude]));
    assert!(user.file(SKILL).is_some());
    let output = user.undo_setup(&[]);
    assert_eq!(user.list_files(), Vec::<String>::new(), "{output}");
}

#[test]
fn undo_keeps_what_was_changed_since() {
    let user = SetupFixture::new();
    let mine = "{\"cleanupPeriodDays\": 400}";
    fs_err::write(user.home.path().join(SETTINGS), mine).unwrap();
    let server = EndpointServer::start(reply_with_vectors);
    let answers = format!("{}\ntiny\ny\n365\ny\nn\n", server.url());
    user.answer_setup(&no_options(), &answers);
    let config = user.home.path().join(CONFIG);
    let text = user
        .file(CONFIG)
        .unwrap()
        .replace("\"remote\"", "\"table\"");
    fs_err::write(&config, text).unwrap();
    let output = user.undo_setup(&[Agent::Claude]);
    assert_eq!(user.file(SETTINGS).unwrap(), mine, "{output}");
    let output = user.undo_setup(&[]);
    assert!(
        output.contains("`model` was changed since, and stays"),
        "{output}"
    );
    assert_eq!(
        user.file(CONFIG).unwrap(),
        "model = \"table\"\n",
        "{output}"
    );
}

#[test]
fn a_broken_file_of_one_agent_keeps_nothing_from_another() {
    let user = SetupFixture::new();
    let opencode = user.home.path().join(".config/opencode/opencode.json");
    let codex = ".codex/config.toml";
    fs_err::create_dir(user.home.path().join(".codex")).unwrap();
    user.consent_to_setup(&agents(&[Agent::OpenCode]));
    fs_err::write(&opencode, "{").unwrap();
    fs_err::write(user.home.path().join(SETTINGS), "{").unwrap();
    let (steps, output) = user.answer_setup(&no_options(), "\n\ny\n");
    let outcomes = [
        steps.history,
        steps.agents["opencode"],
        steps.agents["codex"],
    ];
    let failed = StepOutcome::Failed;
    assert_eq!(outcomes, [failed, failed, StepOutcome::Written], "{output}");
    assert!(user.file(codex).is_some());
    let failures: Vec<String> = steps.failures.into_iter().map(|e| e.to_string()).collect();
    assert_eq!(failures.len(), 2, "{failures:?}");
    assert!(failures[0].contains("settings.json"), "{failures:?}");
    assert!(failures[1].contains("opencode.json"), "{failures:?}");
}

#[test]
fn settings_that_do_not_fit_are_refused_before_the_skill_is_written() {
    let user = SetupFixture::new();
    fs_err::write(user.home.path().join(SETTINGS), "{").unwrap();
    for other in [allowed_skill(), kept_history(365)] {
        let options = SetupOptions {
            skill: SkillChoice::Install,
            ..other
        };
        let refused = user.try_setup(&options, None);
        assert!(matches!(refused, Err(SetupError::Agent(_))), "{options:?}");
        assert_eq!(user.file(SKILL), None, "{options:?}");
    }
}
