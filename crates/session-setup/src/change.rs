//! A change of settings, shown before it is written.

use crate::dialog::Dialog;
use crate::error::Result;
use crate::outcome::StepOutcome;
use session_agents::SettingsChange;
use session_core::text::{one_line, printable};
use session_output::format_diff;
use std::path::Path;

/// Shows what would change, asks for consent, and writes it with a backup of the old text.
///
/// # Errors
/// When a file cannot be written.
pub fn confirm_and_write(change: &SettingsChange, dialog: &mut Dialog<'_>) -> Result<StepOutcome> {
    if change.is_noop() {
        return Ok(StepOutcome::Unchanged);
    }
    show(change, dialog)?;
    if !dialog.confirm("Write it?")? {
        return Ok(StepOutcome::without_consent(dialog));
    }
    if let Some(backup) = change.write()? {
        name_backup(&backup, dialog)?;
    }
    name_written(&change.path(), dialog)?;
    Ok(StepOutcome::Written)
}

/// Shows a file and the lines that would change in it.
///
/// # Errors
/// When the dialog cannot be written.
pub fn show(change: &SettingsChange, dialog: &mut Dialog<'_>) -> Result<()> {
    let path = change.path();
    dialog.print(&format!(
        "\n{}",
        one_line(&printable(&path.to_string_lossy()))
    ))?;
    Ok(dialog.print(&format_diff(&change.diff()))?)
}

/// Says which file or directory was written, or removed where nothing is left of it.
///
/// # Errors
/// When the dialog cannot be written.
pub fn name_written(path: &Path, dialog: &mut Dialog<'_>) -> Result<()> {
    let done = if path.exists() { "written" } else { "removed" };
    let path = path.to_string_lossy();
    Ok(dialog.print(&format!("{done}: {}", printable(&path)))?)
}

/// Says where the old text of a file is kept.
///
/// # Errors
/// When the dialog cannot be written.
pub fn name_backup(backup: &Path, dialog: &mut Dialog<'_>) -> Result<()> {
    let backup = backup.to_string_lossy();
    Ok(dialog.print(&format!(
        "the old file is kept as {}",
        one_line(&printable(&backup))
    ))?)
}
