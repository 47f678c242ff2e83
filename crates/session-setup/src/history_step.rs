//! The time for which Claude Code keeps its history.

use crate::change::{confirm_and_write, confirm_note_and_write};
use crate::dialog::ConsentDialog;
use crate::error::Result;
use crate::outcome::StepOutcome;
use crate::setup::Setup;
use crate::setup_record::SetupRecord;
use crate::written_settings::RETENTION;
use session_agents::{Agent, DEFAULT_RETENTION_DAYS, SettingsFile, parse_retention_days};
use session_config::Home;
use session_core::text::{collapse_whitespace, path_line, sanitize_text};

impl Setup<'_, '_> {
    /// Runs the step.
    ///
    /// # Errors
    /// When the settings are not a JSON object, or cannot be written.
    pub(crate) fn run_history_step(&mut self) -> Result<StepOutcome> {
        let env = &self.home.env;
        let is_offered = self.dialog.is_interactive && Agent::Claude.is_present(env);
        if self.options.keep_history.is_none() && !is_offered {
            return Ok(StepOutcome::Skipped);
        }
        let settings = SettingsFile::for_user(env)?;
        let days = match self.options.keep_history {
            Some(days) => Some(days),
            None => ask_days(settings.read_cleanup_period()?, self.dialog)?,
        };
        match days {
            Some(days) => self.set_retention(&settings, days),
            None => Ok(StepOutcome::Skipped),
        }
    }

    fn set_retention(&mut self, settings: &SettingsFile, days: u32) -> Result<StepOutcome> {
        let mut record = SetupRecord::open(&self.home.directories().data)?;
        let before = settings.read_cleanup_period()?;
        let kept_days = count_days(before.as_deref());
        if days < kept_days {
            let (days, kept) = (format_days(days), format_days(kept_days));
            self.dialog.print(&format!(
                "\nClaude Code keeps transcripts for {kept} so far. When it starts next, it deletes those that are older than {days}."
            ))?;
        }
        let mut change = settings.plan_retention(days)?;
        if holds_only_own(settings, &record)? {
            change = change.without_backup();
        }
        let note = || record.add(RETENTION, before, &days.to_string());
        confirm_note_and_write(&change, note, self.dialog)
    }
}

/// Returns true if the settings hold nothing but what setup wrote.
///
/// # Errors
/// When the settings cannot be read, or are not a JSON object.
pub(crate) fn holds_only_own(settings: &SettingsFile, record: &SetupRecord) -> Result<bool> {
    let written = record.get(RETENTION);
    match written.filter(|setting| setting.before.is_none()) {
        Some(setting) => Ok(settings.holds_only(&setting.written)?),
        None => Ok(false),
    }
}

/// Takes the retention back, unless it was changed since, is what it was, or Claude Code would delete transcripts then: they
/// may be what it was made longer for. `None` if setup wrote none.
///
/// # Errors
/// When the settings are not a JSON object, or cannot be written.
pub(crate) fn undo(home: &Home, dialog: &mut ConsentDialog<'_>) -> Result<Option<StepOutcome>> {
    let mut record = SetupRecord::open(&home.directories().data)?;
    let Some(setting) = record.get(RETENTION) else {
        return Ok(None);
    };
    let settings = SettingsFile::for_user(&home.env)?;
    let current = settings.read_cleanup_period()?;
    if current == setting.before {
        record.remove(RETENTION)?;
        return Ok(Some(StepOutcome::Unchanged));
    }
    let before = setting.before.as_deref();
    let present = setting.find_written(current.as_deref());
    if let Some(written) = present.filter(|written| count_days(before) < count_days(Some(written)))
    {
        print_kept_retention(&settings, written, before, dialog)?;
        return Ok(Some(StepOutcome::Skipped));
    }
    let change = settings.plan_retention_undo(present.unwrap_or(&setting.written), before)?;
    let outcome = confirm_and_write(&change, dialog)?;
    match outcome {
        StepOutcome::Unchanged => {
            dialog.print("\n`cleanupPeriodDays` was changed since, and stays")?;
        }
        StepOutcome::Written => {}
        _ => return Ok(Some(outcome)),
    }
    record.remove(RETENTION)?;
    Ok(Some(outcome))
}

/// Prints that a retention stays, and what makes it shorter.
fn print_kept_retention(
    settings: &SettingsFile,
    written: &str,
    before: Option<&str>,
    dialog: &mut ConsentDialog<'_>,
) -> Result<()> {
    let path = settings.path();
    let (path, written) = (path_line(&path), sanitize_text(written));
    let hint = hint_at_value_before(before);
    Ok(dialog.print(&format!(
        "\n`cleanupPeriodDays` stays at {written} in {path}: with less, Claude Code deletes older transcripts when it starts next\nhint: {hint} makes it what it was"
    ))?)
}

/// Returns what gives the retention its value of before: an edit where the value is none that the option takes.
fn hint_at_value_before(before: Option<&str>) -> String {
    // It may be any value of JSON, also one of several lines.
    let before = before.map(|before| collapse_whitespace(&sanitize_text(before)));
    let before = before.unwrap_or_else(|| DEFAULT_RETENTION_DAYS.to_string());
    match parse_retention_days(&before) {
        Ok(days) => format!("`session-search setup --keep-history {days}`"),
        Err(_) => format!("`\"cleanupPeriodDays\": {before}` in that file"),
    }
}

/// Returns the whole days for which Claude Code keeps transcripts by its settings; what is no number keeps none.
fn count_days(cleanup_period: Option<&str>) -> u32 {
    match cleanup_period {
        // JSON has numbers as `1000.0` and `1e3`, too. The conversion saturates.
        Some(days) => days.parse::<f64>().map_or(0, |days| days as u32),
        None => DEFAULT_RETENTION_DAYS,
    }
}

fn format_days(days: u32) -> String {
    let unit = if days == 1 { "day" } else { "days" };
    format!("{days} {unit}")
}

fn ask_days(present: Option<String>, dialog: &mut ConsentDialog<'_>) -> Result<Option<u32>> {
    let present = present.unwrap_or_else(|| DEFAULT_RETENTION_DAYS.to_string());
    let unit = if present == "1" { "day" } else { "days" };
    dialog.print(&format!(
        "\nClaude Code deletes its history after {present} {unit}. What was indexed stays searchable, but a transcript that is gone cannot be resumed."
    ))?;
    while let Some(answer) = dialog.ask("Keep it for how many days? [leave it]")? {
        match parse_retention_days(&answer) {
            Ok(days) => return Ok(Some(days)),
            Err(reason) => dialog.print(&format!("`{}` is {reason}", sanitize_text(&answer)))?,
        }
    }
    Ok(None)
}
