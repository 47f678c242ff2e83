//! `setup`: what a user may want to decide, step by step. Nothing needs it.

pub mod change;
pub mod history;
mod model;
mod permission;
pub mod prompt;
pub mod settings;
mod skill;

use crate::Found;
use crate::args::SetupArgs;
use crate::home::Home;
use crate::output::json;
use anyhow::{Result, bail};
use prompt::Prompt;
use serde::Serialize;

/// How a step came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Something was written.
    Written,
    /// It was as it should be.
    Unchanged,
    /// It was left as it is.
    Skipped,
    /// It would be written, with `--yes`.
    Wanted,
}

#[derive(Serialize)]
struct Steps {
    model: Outcome,
    history: Outcome,
    skill: Outcome,
    permission: Outcome,
}

impl Steps {
    fn all(&self) -> [Outcome; 4] {
        [self.model, self.history, self.skill, self.permission]
    }
}

const PLAN: &str = "\
setup decides four things, each of which may stay as it is:
  1. the model: in process, or an endpoint (--model NAME, --remote URL)
  2. how long Claude Code keeps its history (--keep-history DAYS)
  3. the skill for Claude Code (--skill, --no-skill)
  4. whether Claude Code loads it without asking (--allow-skill)";

/// Runs the command.
///
/// # Errors
/// When a step fails, or consent is missing where nobody can be asked.
pub fn run(args: &SetupArgs) -> Result<Found> {
    prompt::at_terminal(args.yes, |prompt| ask(args, prompt))
}

fn ask(args: &SetupArgs, prompt: &mut Prompt<'_>) -> Result<Found> {
    if !prompt.asks && args.is_open() {
        bail!(
            "nobody can be asked, and the options say nothing\n{PLAN}\nhint: give the options, and --yes to write what they say"
        );
    }
    let home = Home::from_process()?;
    let steps = steps(args, &home, prompt)?;
    if args.json {
        json::print(&steps)?;
    }
    if steps.all().contains(&Outcome::Wanted) {
        bail!("nothing of it is written\nhint: --yes writes it");
    }
    Ok(Found::Something)
}

fn steps(args: &SetupArgs, home: &Home, prompt: &mut Prompt<'_>) -> Result<Steps> {
    let model = model::step(args, home, prompt)?;
    let history = history::step(args, &home.env, prompt)?;
    let skill = skill::step(args, &home.env, prompt)?;
    Ok(Steps {
        model,
        history,
        skill,
        permission: permission::step(args, &home.env, skill, prompt)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use session_sources::Env;

    /// What is asked of who has Claude Code, answered by lines.
    struct Talk {
        folder: tempfile::TempDir,
    }

    impl Talk {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            fs_err::create_dir(folder.path().join(".claude")).unwrap();
            Self { folder }
        }

        fn file(&self, path: &str) -> Option<String> {
            fs_err::read_to_string(self.folder.path().join(path)).ok()
        }

        fn say(&self, options: &[&str], lines: &str) -> (Steps, String) {
            let typed = [&["session-search", "setup"], options].concat();
            let crate::args::Command::Setup(args) =
                crate::args::Arguments::parse_from(typed).command
            else {
                panic!("{options:?}");
            };
            let root = self.folder.path().join("index");
            let mut home = Home::apart(Env::with_home(self.folder.path()), root);
            home.config.model = "table".to_owned();
            let mut output = Vec::new();
            let mut prompt = Prompt {
                input: &mut lines.as_bytes(),
                output: &mut output,
                asks: !args.yes,
                yes: args.yes,
            };
            let steps = steps(&args, &home, &mut prompt).unwrap();
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
            let talk = Talk::new();
            let (steps, said) = talk.say(&[], lines);
            assert!(
                !steps.all().contains(&Outcome::Written),
                "{lines:?}: {said}"
            );
            for file in [CONFIG, SETTINGS, SKILL] {
                assert_eq!(talk.file(file), None, "{lines:?}");
            }
        }
    }

    #[test]
    fn what_is_consented_to_is_written_and_once() {
        let talk = Talk::new();
        let answers = "http://localhost:1/v1\ntiny\ny\n365\ny\ny\ny\n";
        let (steps, said) = talk.say(&[], answers);
        assert_eq!(steps.all(), [Outcome::Written; 4], "{said}");
        let config = talk.file(CONFIG).unwrap();
        for line in [
            "model = \"remote\"",
            "url = \"http://localhost:1/v1\"",
            "model = \"tiny\"",
        ] {
            assert!(config.contains(line), "{config}");
        }
        assert!(said.contains("+   \"cleanupPeriodDays\": 365"), "{said}");
        let settings = talk.file(SETTINGS).unwrap();
        assert!(
            settings.contains("365") && settings.contains(RULE),
            "{settings}"
        );
        assert!(
            talk.file(SKILL)
                .unwrap()
                .starts_with("---\nname: session-search")
        );
        let (steps, said) = talk.say(&[], "table\n365\n");
        assert_eq!(steps.all(), [Outcome::Unchanged; 4], "{said}");
    }

    #[test]
    fn the_skill_is_allowed_by_an_answer_or_an_option_of_its_own() {
        let talk = Talk::new();
        let (steps, said) = talk.say(&["--skill", "--yes"], "");
        assert_eq!(steps.permission, Outcome::Skipped, "{said}");
        let (steps, said) = talk.say(&[], "\n\nn\n");
        assert_eq!(steps.permission, Outcome::Skipped, "{said}");
        assert_eq!(talk.file(SETTINGS), None);
        let (steps, said) = talk.say(&["--allow-skill", "--yes"], "");
        assert_eq!(steps.permission, Outcome::Written, "{said}");
        assert!(talk.file(SETTINGS).unwrap().contains(RULE), "{said}");
        let denied = format!("{{\"permissions\": {{\"deny\": [\"{RULE}\"]}}}}");
        fs_err::write(talk.folder.path().join(SETTINGS), &denied).unwrap();
        let (steps, said) = talk.say(&["--allow-skill", "--yes"], "");
        assert_eq!(steps.permission, Outcome::Skipped, "{said}");
        assert_eq!(talk.file(SETTINGS), Some(denied));
    }

    #[test]
    fn a_file_that_the_user_edited_is_shown_and_kept() {
        let talk = Talk::new();
        talk.say(&["--skill", "--yes"], "");
        let mine = talk
            .file(SKILL)
            .unwrap()
            .replace("Three levels.", "My levels.");
        fs_err::write(talk.folder.path().join(SKILL), &mine).unwrap();
        let (steps, said) = talk.say(&["--skill"], "\n\ny\nn\n");
        assert_eq!(steps.skill, Outcome::Skipped, "{said}");
        assert!(
            said.contains("- My levels. Stop") && said.contains("+ Three levels. Stop"),
            "{said}"
        );
        assert_eq!(talk.file(SKILL).unwrap(), mine);
        let (steps, said) = talk.say(&["--skill", "--yes"], "");
        assert_eq!(steps.skill, Outcome::Written, "{said}");
        assert_ne!(talk.file(SKILL).unwrap(), mine);
        assert_eq!(talk.file(&format!("{SKILL}.backup")).unwrap(), mine);
    }
}
