//! Whether Claude Code loads the skill without asking.

use crate::args::SetupArgs;
use crate::command::setup::prompt::Prompt;
use crate::command::setup::{Outcome, change};
use crate::command::skill::{Agent, Place, permission};
use anyhow::{Context, Result, bail};
use session_core::text::printable;
use session_sources::Env;

const QUESTION: &str = "
Claude Code asks before it loads the skill, since the skill may run searches without a question.
A rule in its settings lets it load this one without asking:";

/// Takes the step; `skill` is how the step of the skill came out.
///
/// # Errors
/// When there is no skill to allow, or the settings cannot be changed.
pub fn step(
    args: &SetupArgs,
    env: &Env,
    skill: Outcome,
    prompt: &mut Prompt<'_>,
) -> Result<Outcome> {
    let place = Place::of(env, Agent::Claude, false)?;
    let is_there = place.skill().join("SKILL.md").is_file();
    let is_open = prompt.asks && is_there && !args.no_skill;
    if !(args.allow_skill || is_open) {
        return Ok(Outcome::Skipped);
    }
    match (is_there || skill == Outcome::Wanted, args.skill) {
        (true, _) => allow(env, prompt),
        (false, true) => Ok(Outcome::Skipped),
        (false, false) => {
            bail!("there is no skill that Claude Code could load\nhint: --skill installs it")
        }
    }
}

fn allow(env: &Env, prompt: &mut Prompt<'_>) -> Result<Outcome> {
    let file = permission::settings_file(env)?;
    let old = file.read_text(change::LIMIT)?;
    let text = old.as_deref().unwrap_or_default();
    match permission::decided(text) {
        Some("allow") => return Ok(Outcome::Unchanged),
        Some(_) => return Ok(Outcome::Skipped),
        None => {}
    }
    let path = file.path().display().to_string();
    let cannot = || format!("{} cannot be changed", printable(&path));
    let new = permission::with_rule(text).with_context(cannot)?;
    prompt.say(QUESTION)?;
    change::make(&file, old.as_deref(), &new, prompt)
}
