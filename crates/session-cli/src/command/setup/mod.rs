//! `setup`: decisions that a user may want to make, step by step. None is needed.

mod agents;
pub mod change;
mod history;
mod model;
mod permission;
mod skill;

use crate::Found;
use crate::args::SetupArgs;
use crate::command::dialog::{Dialog, with_terminal};
use crate::command::setup::agents::AgentOutcomes;
use crate::output::json;
use anyhow::{Result, bail};
use serde::Serialize;
use session_config::Home;

/// The outcome of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StepOutcome {
    /// Something was written.
    Written,
    /// Nothing had to be changed.
    Unchanged,
    /// The user left it as it is, or was not asked.
    Skipped,
    /// It is written with `--yes` only.
    Wanted,
}

impl StepOutcome {
    /// Returns the outcome of a change that nobody consented to: skipped by the user, or waiting
    /// for `--yes` where nobody could be asked.
    pub fn without_consent(dialog: &Dialog<'_>) -> Self {
        match dialog.is_interactive {
            true => Self::Skipped,
            false => Self::Wanted,
        }
    }
}

#[derive(Serialize)]
struct StepOutcomes {
    model: StepOutcome,
    history: StepOutcome,
    skill: StepOutcome,
    permission: StepOutcome,
    agents: AgentOutcomes,
}

impl StepOutcomes {
    fn all(&self) -> Vec<StepOutcome> {
        let mut all = vec![self.model, self.history, self.skill, self.permission];
        all.extend(self.agents.values());
        all
    }
}

const PLAN: &str = "\
setup decides five things, each of which may stay as it is:
  1. the model: in process, or an endpoint (--model NAME, --remote URL)
  2. how long Claude Code keeps its history (--keep-history DAYS)
  3. the skill for Claude Code (--skill, --no-skill)
  4. whether Claude Code loads it without asking (--allow-skill)
  5. what OpenCode and Codex get: skill or instructions, and the MCP server (--agent NAME)";

/// Runs the command.
///
/// # Errors
/// When a step fails, or consent is missing where nobody can be asked.
pub fn run(args: &SetupArgs) -> Result<Found> {
    with_terminal(args.yes, |dialog| run_steps(args, dialog))
}

fn run_steps(args: &SetupArgs, dialog: &mut Dialog<'_>) -> Result<Found> {
    if !dialog.is_interactive && args.is_open() {
        bail!(
            "nobody can be asked, and the options say nothing\n{PLAN}\nhint: give the options, and --yes to write what they say"
        );
    }
    let home = Home::from_process()?;
    if args.undo {
        let agents = agents::undo(args, &home.env, dialog)?;
        return finish(&agents, agents.values().copied(), args);
    }
    let steps = steps(args, &home, dialog)?;
    finish(&steps, steps.all(), args)
}

fn finish(
    report: &impl Serialize,
    outcomes: impl IntoIterator<Item = StepOutcome>,
    args: &SetupArgs,
) -> Result<Found> {
    if args.json {
        json::print(report)?;
    }
    if outcomes.into_iter().any(|step| step == StepOutcome::Wanted) {
        bail!("nothing of it is written\nhint: --yes writes it");
    }
    Ok(Found::Something)
}

fn steps(args: &SetupArgs, home: &Home, dialog: &mut Dialog<'_>) -> Result<StepOutcomes> {
    let model = model::run(args, home, dialog)?;
    let history = history::run(args, &home.env, dialog)?;
    let skill = skill::run(args, &home.env, dialog)?;
    Ok(StepOutcomes {
        model,
        history,
        skill,
        permission: permission::run(args, &home.env, skill, dialog)?,
        agents: agents::run(args, &home.env, dialog)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use session_sources::Env;

    /// A home directory with Claude Code, whose user answers questions.
    struct User {
        home: tempfile::TempDir,
    }

    impl User {
        fn new() -> Self {
            let home = tempfile::tempdir().unwrap();
            fs_err::create_dir(home.path().join(".claude")).unwrap();
            Self { home }
        }

        fn file(&self, path: &str) -> Option<String> {
            fs_err::read_to_string(self.home.path().join(path)).ok()
        }

        fn run_setup(&self, options: &[&str], lines: &str) -> (StepOutcomes, String) {
            let typed = [&["session-search", "setup"], options].concat();
            let Some(crate::args::Command::Setup(args)) =
                crate::args::Arguments::parse_from(typed).command
            else {
                panic!("{options:?}");
            };
            let root = self.home.path().join("index");
            let mut home = Home::new(Env::with_home(self.home.path()), root);
            home.config.model = "table".to_owned();
            let mut output = Vec::new();
            let mut dialog = Dialog {
                input: &mut lines.as_bytes(),
                output: &mut output,
                is_interactive: !args.yes,
                assume_yes: args.yes,
            };
            let steps = steps(&args, &home, &mut dialog).unwrap();
            (steps, String::from_utf8(output).unwrap())
        }
    }

    const CONFIG: &str = ".config/session-search/config.toml";
    const SETTINGS: &str = ".claude/settings.json";
    const RULE: &str = "Skill(session-search)";
    const SKILL: &str = ".claude/skills/session-search/SKILL.md";

    #[test]
    fn every_step_can_be_skipped() {
        for lines in ["\n\n\n", "", "\n30\n\nn\n", "\n0\nno\n", "\n365\nn\nn\n"] {
            let user = User::new();
            let (steps, said) = user.run_setup(&[], lines);
            assert!(
                !steps.all().contains(&StepOutcome::Written),
                "{lines:?}: {said}"
            );
            for file in [CONFIG, SETTINGS, SKILL] {
                assert_eq!(user.file(file), None, "{lines:?}");
            }
        }
    }

    #[test]
    fn what_is_consented_to_is_written_and_once() {
        let user = User::new();
        let answers = "http://localhost:1/v1\ntiny\ny\n365\ny\ny\ny\n";
        let (steps, said) = user.run_setup(&[], answers);
        assert_eq!(steps.all(), vec![StepOutcome::Written; 4], "{said}");
        let config = user.file(CONFIG).unwrap();
        for line in [
            "model = \"remote\"",
            "url = \"http://localhost:1/v1\"",
            "model = \"tiny\"",
        ] {
            assert!(config.contains(line), "{config}");
        }
        assert!(said.contains("+   \"cleanupPeriodDays\": 365"), "{said}");
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
        let (steps, said) = user.run_setup(&[], "table\n365\n");
        assert_eq!(steps.all(), vec![StepOutcome::Unchanged; 4], "{said}");
    }

    #[test]
    fn the_skill_is_allowed_by_an_answer_or_an_option_of_its_own() {
        let user = User::new();
        let (steps, said) = user.run_setup(&["--skill", "--yes"], "");
        assert_eq!(steps.permission, StepOutcome::Skipped, "{said}");
        let (steps, said) = user.run_setup(&[], "\n\nn\n");
        assert_eq!(steps.permission, StepOutcome::Skipped, "{said}");
        assert_eq!(user.file(SETTINGS), None);
        let (steps, said) = user.run_setup(&["--allow-skill", "--yes"], "");
        assert_eq!(steps.permission, StepOutcome::Written, "{said}");
        assert!(user.file(SETTINGS).unwrap().contains(RULE), "{said}");
        let denied = format!("{{\"permissions\": {{\"deny\": [\"{RULE}\"]}}}}");
        fs_err::write(user.home.path().join(SETTINGS), &denied).unwrap();
        let (steps, said) = user.run_setup(&["--allow-skill", "--yes"], "");
        assert_eq!(steps.permission, StepOutcome::Skipped, "{said}");
        assert_eq!(user.file(SETTINGS), Some(denied));
    }

    #[test]
    fn agents_that_are_there_are_offered_one_by_one() {
        let user = User::new();
        for agent in [".config/opencode", ".codex"] {
            fs_err::create_dir_all(user.home.path().join(agent)).unwrap();
        }
        let (steps, said) = user.run_setup(&["--no-skill"], "\n\nn\ny\n");
        assert_eq!(steps.agents["opencode"], StepOutcome::Skipped, "{said}");
        assert_eq!(steps.agents["codex"], StepOutcome::Written, "{said}");
        assert_eq!(user.file(".config/opencode/opencode.json"), None);
        let codex = user.file(".codex/config.toml").unwrap();
        assert!(codex.starts_with("[mcp_servers.session-search]"), "{codex}");
        let (steps, said) = user.run_setup(&["--agent", "codex"], "\n\n");
        assert_eq!(steps.agents["codex"], StepOutcome::Unchanged, "{said}");
        assert_eq!(steps.agents.len(), 1, "{said}");
    }

    #[test]
    fn a_file_that_the_user_edited_is_shown_and_kept() {
        let user = User::new();
        user.run_setup(&["--skill", "--yes"], "");
        let mine = user
            .file(SKILL)
            .unwrap()
            .replace("Three levels.", "My levels.");
        fs_err::write(user.home.path().join(SKILL), &mine).unwrap();
        let (steps, said) = user.run_setup(&["--skill"], "\n\ny\nn\n");
        assert_eq!(steps.skill, StepOutcome::Skipped, "{said}");
        assert!(
            said.contains("- My levels. Stop") && said.contains("+ Three levels. Stop"),
            "{said}"
        );
        assert_eq!(user.file(SKILL).unwrap(), mine);
        let (steps, said) = user.run_setup(&["--skill", "--yes"], "");
        assert_eq!(steps.skill, StepOutcome::Written, "{said}");
        assert_ne!(user.file(SKILL).unwrap(), mine);
        assert_eq!(user.file(&format!("{SKILL}.backup")).unwrap(), mine);
    }
}
