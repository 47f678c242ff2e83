//! The skill for Claude Code: it teaches an agent to search.

use crate::args::SetupArgs;
use crate::command::setup::Outcome;
use crate::command::setup::prompt::Prompt;
use crate::command::setup::{change, history};
use anyhow::Result;
use session_sources::Env;

/// Its files, below the folder of skills.
const FILES: [(&str, &str); 2] = [
    (
        "session-search/SKILL.md",
        include_str!("../../../../../skill/session-search/SKILL.md"),
    ),
    (
        "session-search/references/json.md",
        include_str!("../../../../../skill/session-search/references/json.md"),
    ),
];

/// Takes the step. A file that is there with another text, an older one of ours
/// or one that the user edited, is shown and kept.
///
/// # Errors
/// When a file cannot be written.
pub fn step(args: &SetupArgs, env: &Env, prompt: &mut Prompt<'_>) -> Result<Outcome> {
    let folder = history::folder(env);
    let is_open = prompt.asks && folder.is_dir();
    if args.no_skill || !(args.skill || is_open) {
        return Ok(Outcome::Skipped);
    }
    let skills = folder.join("skills");
    let mut files = Vec::new();
    for (name, new) in FILES {
        let path = skills.join(name);
        files.push((change::read(&path)?, path, new));
    }
    if files
        .iter()
        .all(|(old, _, new)| old.as_deref() == Some(new))
    {
        return Ok(Outcome::Unchanged);
    }
    prompt.say(&format!(
        "\nThe skill for agents goes to {}/session-search.",
        skills.display()
    ))?;
    if !prompt.consents("Install it?")? {
        return Ok(prompt.without_consent());
    }
    let mut outcome = Outcome::Unchanged;
    for (old, path, new) in files {
        let made = match old {
            None => {
                session_models::write_private(&path, new.as_bytes()).map(|()| Outcome::Written)?
            }
            old => change::make(&path, old.as_deref(), new, prompt)?,
        };
        if made != Outcome::Unchanged {
            outcome = made;
        }
    }
    Ok(outcome)
}
