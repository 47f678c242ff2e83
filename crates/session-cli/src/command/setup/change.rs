//! A change of settings, shown before it is written.

use crate::command::dialog::Dialog;
use crate::command::setup::StepOutcome;
use crate::output::diff::format_diff;
use anyhow::Result;
use session_agents::SettingsChange;
use session_core::text::printable;

/// Shows what would change, asks for consent, and writes it with a backup of the old text.
///
/// # Errors
/// When a file cannot be written.
pub fn confirm_and_write(change: &SettingsChange, dialog: &mut Dialog<'_>) -> Result<StepOutcome> {
    if change.is_noop() {
        return Ok(StepOutcome::Unchanged);
    }
    dialog.print(&format!(
        "\n{}",
        printable(&change.path().to_string_lossy())
    ))?;
    dialog.print(&format_diff(&change.diff()))?;
    if !dialog.confirm("Write it?")? {
        return Ok(StepOutcome::without_consent(dialog));
    }
    if let Some(backup) = change.write()? {
        let backup = backup.to_string_lossy();
        dialog.print(&format!("the old file is kept as {}", printable(&backup)))?;
    }
    Ok(StepOutcome::Written)
}
