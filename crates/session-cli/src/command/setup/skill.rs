//! The skill, as `skill install` writes it for the user's Claude Code.

use crate::args::SetupArgs;
use crate::command::setup::Outcome;
use crate::command::setup::prompt::Prompt;
use crate::command::setup::{change, history};
use crate::command::skill::{Agent, Done, Manifest, Place, State, Step, install, plan};
use anyhow::Result;
use session_core::text::printable;
use session_sources::Env;

/// Takes the step. A file that the user edited is shown, and kept unless they
/// consent; then the old one is kept beside it.
///
/// # Errors
/// When a file cannot be read or written.
pub fn step(args: &SetupArgs, env: &Env, prompt: &mut Prompt<'_>) -> Result<Outcome> {
    let is_open = prompt.asks && history::folder(env).is_dir();
    if args.no_skill || !(args.skill || is_open) {
        return Ok(Outcome::Skipped);
    }
    let place = Place::of(env, Agent::Claude, false)?;
    let manifest = Manifest::read(&place);
    let steps = plan(&place, &manifest)?;
    if steps.iter().all(|step| step.state == State::Current) {
        return Ok(Outcome::Unchanged);
    }
    let folder = place.skill().display().to_string();
    prompt.say(&format!(
        "\nThe skill for agents goes to {}.",
        printable(&folder)
    ))?;
    if !prompt.consents("Install it?")? {
        return Ok(prompt.without_consent());
    }
    let done = install(&place, manifest, &steps, false, &mut |step| {
        replaces(step, prompt)
    })?;
    Ok(match done.contains(&Done::Kept) {
        true => Outcome::Skipped,
        false => Outcome::Written,
    })
}

fn replaces(step: &Step, prompt: &mut Prompt<'_>) -> Result<bool> {
    let path = step.file.path().display().to_string();
    prompt.say(&format!("\n{} was edited:", printable(&path)))?;
    let old = step.old.as_deref().unwrap_or_default();
    prompt.say(&change::diff(old, step.new.as_deref().unwrap_or_default()))?;
    prompt.consents("Replace it?")
}
