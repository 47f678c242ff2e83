//! The time for which Claude Code keeps its history.

use crate::change::confirm_and_write;
use crate::dialog::SetupDialog;
use crate::error::Result;
use crate::options::SetupOptions;
use crate::outcome::StepOutcome;
use session_agents::{Agent, DEFAULT_RETENTION_DAYS, SettingsFile};
use session_core::text::sanitize_text;
use session_sources::Env;
use std::ops::RangeInclusive;

/// The numbers of days for which a history may be kept.
const DAYS: RangeInclusive<u32> = 1..=36500;

/// Runs the step.
///
/// # Errors
/// When the settings are not a JSON object, or cannot be written.
pub(crate) fn run(
    options: &SetupOptions,
    env: &Env,
    dialog: &mut SetupDialog<'_>,
) -> Result<StepOutcome> {
    let is_offered = dialog.is_interactive && Agent::Claude.config_directory(env).is_dir();
    if options.keep_history.is_none() && !is_offered {
        return Ok(StepOutcome::Skipped);
    }
    let settings = SettingsFile::for_user(env)?;
    let days = match options.keep_history {
        Some(days) => Some(days),
        None => ask_days(settings.read_cleanup_period()?, dialog)?,
    };
    match days {
        Some(days) => confirm_and_write(&settings.plan_retention(days)?, dialog),
        None => Ok(StepOutcome::Skipped),
    }
}

fn ask_days(present: Option<String>, dialog: &mut SetupDialog<'_>) -> Result<Option<u32>> {
    let present = present.unwrap_or_else(|| DEFAULT_RETENTION_DAYS.to_string());
    dialog.print(&format!(
        "\nClaude Code deletes its history after {present} days. What was indexed stays\nsearchable, but a transcript that is gone cannot be resumed."
    ))?;
    while let Some(answer) = dialog.ask("Keep it for how many days? [leave it]")? {
        match answer.parse().ok().filter(|days| DAYS.contains(days)) {
            Some(days) => return Ok(Some(days)),
            None => dialog.print(&format!(
                "`{}` is not a number of days from 1 to 36500",
                sanitize_text(&answer)
            ))?,
        }
    }
    Ok(None)
}
