//! The decisions of setup, asked step by step.
//!
//! Nothing has to be decided: the program works as it is installed. [`run_steps`] goes through what a user
//! may want to decide: which model makes the vectors, how long Claude Code keeps its history, whether it
//! gets the skill and loads it without asking, and what other agents get. [`SetupOptions`] decide some of
//! it beforehand; the rest is asked in a [`SetupDialog`], where somebody is there to answer.
//!
//! Every step shows what it would write, asks for consent, and returns its [`StepOutcome`]: written,
//! unchanged, skipped by the user, wanted by the options and waiting for `--yes`, or failed. A file of an agent is
//! changed by [`confirm_and_write`], with a backup of the old text. One that does not fit keeps nothing from other
//! agents ([`AgentFailures`]). [`undo_setup`] takes back what was written.
//!
//! The dialog has its streams from the caller, so that a test answers as a user would:
//!
//! ```
//! use session_setup::SetupDialog;
//!
//! let (mut input, mut output) = (&b"y\n"[..], Vec::new());
//! let mut dialog = SetupDialog { input: &mut input, output: &mut output, is_interactive: true, assume_yes: false };
//! assert!(dialog.confirm("Install it?")?);
//! assert_eq!(output, b"Install it? [y/N] ");
//! # Ok::<(), std::io::Error>(())
//! ```

mod agents_step;
mod change;
mod dialog;
mod error;
mod history_step;
mod model_step;
mod options;
mod outcome;
mod permission_step;
mod skill_step;
mod written_settings;

pub use agents_step::{AgentOutcomes, UndoneSetup, undo_setup};
pub use change::confirm_and_write;
pub use dialog::SetupDialog;
pub use error::{Result, SetupError};
pub use options::{SetupOptions, SkillChoice};
pub use outcome::{AgentFailures, StepOutcome, StepOutcomes};

use session_config::Home;
use session_models::FileProgress;

/// A function that makes the progress display of files that are fetched.
pub type NewProgress<'a> = &'a dyn Fn() -> Box<dyn FileProgress>;

/// Goes through all steps, that of the model first.
///
/// # Errors
/// When a step fails otherwise than by a file of an agent; what was written before it stays. Settings of Claude Code
/// that do not fit what options ask for are refused before anything is written.
pub fn run_steps(
    options: &SetupOptions,
    home: &Home,
    progress: NewProgress<'_>,
    dialog: &mut SetupDialog<'_>,
) -> Result<StepOutcomes> {
    let env = &home.env;
    agents_step::check_settings(options, env)?;
    let mut failures = AgentFailures::default();
    let model = model_step::run(options, home, progress, dialog)?;
    let history = failures.take_from(history_step::run(options, home, dialog))?;
    let skill = failures.take_from(skill_step::run(options, env, dialog))?;
    let outcomes = StepOutcomes {
        model,
        history,
        skill,
        permission: failures.take_from(permission_step::run(options, home, skill, dialog))?,
        agents: agents_step::run(options, env, &mut failures, dialog)?,
        failures,
    };
    if outcomes
        .list_agent_outcomes()
        .contains(&StepOutcome::Written)
    {
        dialog.print("\nAgents use it in every session that begins from now on.")?;
    }
    Ok(outcomes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use session_agents::Agent;
    use session_models::FileProgress;
    use session_sources::Env;
    use session_test::endpoint_server::{EndpointServer, reply_with_status, reply_with_vectors};

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
                    match path.is_dir() {
                        true => directories.push(path),
                        false => files.push(path.display().to_string()),
                    }
                }
            }
            files
        }

        fn file(&self, path: &str) -> Option<String> {
            fs_err::read_to_string(self.home.path().join(path)).ok()
        }

        fn home(&self) -> Home {
            let root = self.home.path().join("index");
            let mut home = Home::new(Env::with_home(self.home.path()), root);
            home.config.model = "table".to_owned();
            home
        }

        fn run_setup(&self, options: &[&str], lines: &str) -> (StepOutcomes, String) {
            self.try_setup(options, lines).unwrap()
        }

        fn undo_setup(&self, agents: &[Agent]) -> String {
            let mut output = Vec::new();
            let mut dialog = SetupDialog {
                input: &mut &b""[..],
                output: &mut output,
                is_interactive: false,
                assume_yes: true,
            };
            let home = self.home();
            let undone = undo_setup(agents, &home, &mut dialog).unwrap();
            assert_eq!(undone.failures.into_iter().count(), 0);
            String::from_utf8(output).unwrap()
        }

        fn try_setup(&self, options: &[&str], lines: &str) -> Result<(StepOutcomes, String)> {
            let (options, assume_yes) = parse(options);
            let home = self.home();
            let mut output = Vec::new();
            let mut dialog = SetupDialog {
                input: &mut lines.as_bytes(),
                output: &mut output,
                is_interactive: !assume_yes,
                assume_yes,
            };
            let steps = run_steps(&options, &home, &|| Box::new(NoProgress), &mut dialog)?;
            Ok((steps, String::from_utf8(output).unwrap()))
        }
    }

    /// Reads options as the command line types them; true with `--yes`.
    fn parse(typed: &[&str]) -> (SetupOptions, bool) {
        let has = |option: &str| typed.contains(&option);
        let agents = typed.windows(2).filter(|pair| pair[0] == "--agent");
        let agent = |name: &str| Agent::ALL.into_iter().find(|agent| agent.name() == name);
        let options = SetupOptions {
            skill: match (has("--skill"), has("--no-skill")) {
                (true, _) => SkillChoice::Install,
                (false, true) => SkillChoice::LeaveOut,
                (false, false) => SkillChoice::Ask,
            },
            allow_skill: has("--allow-skill"),
            keep_history: has("--keep-history").then_some(365),
            agents: agents.filter_map(|pair| agent(pair[1])).collect(),
            ..SetupOptions::default()
        };
        (options, has("--yes"))
    }

    struct NoProgress;

    impl FileProgress for NoProgress {
        fn start_file(&self, _: &str, _: u64, _: u64) {}
        fn advance(&self, _: u64) {}
        fn note(&self, _: &str) {}
    }

    const CONFIG: &str = ".config/session-search/config.toml";
    const SETTINGS: &str = ".claude/settings.json";
    const RULE: &str = "Skill(session-search)";
    const SKILL: &str = ".claude/skills/session-search/SKILL.md";

    #[test]
    fn every_step_can_be_skipped() {
        for lines in ["\n\n\n", "", "\n30\n\nn\n", "\n0\nno\n", "\n365\nn\nn\n"] {
            let user = SetupFixture::new();
            let (steps, output) = user.run_setup(&[], lines);
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
        let (steps, output) = user.run_setup(&[], answers);
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
        let (steps, output) = user.run_setup(&[], &answers);
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
        let (steps, output) = user.run_setup(&[], "table\n365\n");
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
        let (steps, output) = user.run_setup(&[], &answers);
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
        let (steps, output) = user.run_setup(&["--skill", "--yes"], "");
        assert_eq!(steps.permission, StepOutcome::Skipped, "{output}");
        let (steps, output) = user.run_setup(&[], "\n\nn\n");
        assert_eq!(steps.permission, StepOutcome::Skipped, "{output}");
        assert_eq!(user.file(SETTINGS), None);
        let (steps, output) = user.run_setup(&["--allow-skill", "--yes"], "");
        assert_eq!(steps.permission, StepOutcome::Written, "{output}");
        assert!(user.file(SETTINGS).unwrap().contains(RULE), "{output}");
        let denied = format!("{{\"permissions\": {{\"deny\": [\"{RULE}\"]}}}}");
        fs_err::write(user.home.path().join(SETTINGS), &denied).unwrap();
        let (steps, output) = user.run_setup(&["--allow-skill", "--yes"], "");
        assert_eq!(steps.permission, StepOutcome::Skipped, "{output}");
        assert_eq!(user.file(SETTINGS), Some(denied));
    }

    #[test]
    fn agents_that_are_there_are_offered_one_by_one() {
        let user = SetupFixture::new();
        for agent in [".config/opencode", ".codex"] {
            fs_err::create_dir_all(user.home.path().join(agent)).unwrap();
        }
        let (steps, output) = user.run_setup(&["--no-skill"], "\n\nn\ny\n");
        assert_eq!(steps.agents["opencode"], StepOutcome::Skipped, "{output}");
        assert_eq!(steps.agents["codex"], StepOutcome::Written, "{output}");
        assert_eq!(user.file(".config/opencode/opencode.json"), None);
        let codex = user.file(".codex/config.toml").unwrap();
        assert!(codex.starts_with("[mcp_servers.session-search]"), "{codex}");
        let (steps, output) = user.run_setup(&["--agent", "codex"], "\n\n");
        assert_eq!(steps.agents["codex"], StepOutcome::Unchanged, "{output}");
        assert_eq!(steps.agents.len(), 1, "{output}");
    }

    #[test]
    fn a_server_that_is_switched_off_is_said_to_be() {
        let user = SetupFixture::new();
        let options = ["--agent", "opencode", "--yes"];
        let (_, output) = user.run_setup(&options, "");
        assert!(!output.contains("does not start"), "{output}");
        let config = ".config/opencode/opencode.json";
        let text = user.file(config).unwrap();
        let disabled = text.replace("\"type\"", "\"enabled\": false, \"type\"");
        fs_err::write(user.home.path().join(config), &disabled).unwrap();
        let (steps, output) = user.run_setup(&options, "");
        assert_eq!(steps.agents["opencode"], StepOutcome::Unchanged, "{output}");
        let note = "OpenCode does not start the MCP server";
        assert!(output.contains(note), "{output}");
        assert_eq!(user.file(config), Some(disabled));
    }

    #[test]
    fn a_file_that_the_user_edited_is_shown_and_kept() {
        let user = SetupFixture::new();
        user.run_setup(&["--skill", "--yes"], "");
        let mine = user
            .file(SKILL)
            .unwrap()
            .replace("Three levels.", "My levels.");
        fs_err::write(user.home.path().join(SKILL), &mine).unwrap();
        let (steps, output) = user.run_setup(&["--skill"], "\n\ny\nn\n");
        assert_eq!(steps.skill, StepOutcome::Skipped, "{output}");
        assert!(
            output.contains("- My levels. Stop") && output.contains("+ Three levels. Stop"),
            "{output}"
        );
        assert_eq!(user.file(SKILL).unwrap(), mine);
        for options in [&["--skill", "--yes"][..], &["--agent", "claude", "--yes"]] {
            let (steps, output) = user.run_setup(options, "");
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
        user.run_setup(&["--skill", "--yes"], "");
        fs_err::write(user.home.path().join(SKILL), &mine).unwrap();
        let (steps, output) = user.run_setup(&["--skill"], "\n\ny\ny\n");
        assert_eq!(steps.skill, StepOutcome::Written, "{output}");
        assert_eq!(user.file(&format!("{SKILL}.backup")).unwrap(), mine);
    }

    /// Also in a home where nothing was: without a backup of what was written.
    #[test]
    fn undo_leaves_nothing_that_setup_wrote() {
        let user = SetupFixture::new();
        let server = EndpointServer::start(reply_with_vectors);
        let answers = format!("{}\ntiny\ny\n365\ny\ny\ny\n", server.url());
        user.run_setup(&[], &answers);
        user.run_setup(&["--agent", "opencode", "--agent", "codex", "--yes"], "");
        assert!(user.file(SETTINGS).unwrap().contains(RULE));
        let output = user.undo_setup(&[]);
        assert!(output.contains("- remote.model = \"tiny\""), "{output}");
        let mut left = user.list_files();
        left.retain(|file| !file.ends_with("models/remote/learnt.json"));
        assert_eq!(left, Vec::<String>::new(), "{output}");
    }

    #[test]
    fn undo_keeps_what_was_changed_since() {
        let user = SetupFixture::new();
        fs_err::write(
            user.home.path().join(SETTINGS),
            "{\"cleanupPeriodDays\": 30}",
        )
        .unwrap();
        let server = EndpointServer::start(reply_with_vectors);
        let answers = format!("{}\ntiny\ny\n365\ny\nn\n", server.url());
        user.run_setup(&[], &answers);
        let config = user.home.path().join(CONFIG);
        let text = user
            .file(CONFIG)
            .unwrap()
            .replace("\"remote\"", "\"table\"");
        fs_err::write(&config, text).unwrap();
        let output = user.undo_setup(&[Agent::Claude]);
        assert_eq!(
            user.file(SETTINGS).unwrap(),
            "{\"cleanupPeriodDays\": 30}",
            "{output}"
        );
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
        user.run_setup(&["--agent", "opencode", "--yes"], "");
        fs_err::write(&opencode, "{").unwrap();
        fs_err::write(user.home.path().join(SETTINGS), "{").unwrap();
        let (steps, output) = user.run_setup(&[], "\n\ny\n");
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
        for other in ["--allow-skill", "--keep-history"] {
            let refused = user.try_setup(&["--skill", other, "--yes"], "");
            assert!(matches!(refused, Err(SetupError::Agent(_))), "{other}");
            assert_eq!(user.file(SKILL), None, "{other}");
        }
    }
}
