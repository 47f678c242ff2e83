//! A change of settings, shown before it is written.

use crate::dialog::ConsentDialog;
use crate::error::Result;
use crate::outcome::StepOutcome;
use session_agents::SettingsChange;
use session_core::text::path_line;
use session_output::format_diff;
use std::path::Path;

/// Shows what would change, asks for consent, and writes it with a backup of the old text.
///
/// # Errors
/// When a file cannot be written.
pub fn confirm_and_write(
    change: &SettingsChange,
    dialog: &mut ConsentDialog<'_>,
) -> Result<StepOutcome> {
    confirm_note_and_write(change, || Ok(()), dialog)
}

/// Does what [`confirm_and_write`] does, and calls `note` before it writes.
///
/// # Errors
/// As [`confirm_and_write`], and those of `note`.
pub(crate) fn confirm_note_and_write(
    change: &SettingsChange,
    note: impl FnOnce() -> Result<()>,
    dialog: &mut ConsentDialog<'_>,
) -> Result<StepOutcome> {
    if change.is_noop() {
        return Ok(StepOutcome::Unchanged);
    }
    print_change(change, dialog)?;
    if !dialog.confirm("Write it?")? {
        return Ok(StepOutcome::without_consent(dialog));
    }
    note()?;
    if let Some(backup) = change.write()? {
        print_backup(&backup, dialog)?;
    }
    print_written(&change.path(), dialog)?;
    Ok(StepOutcome::Written)
}

/// Shows a file and the lines that would change in it, or what it is where the whole file is this program's.
///
/// # Errors
/// When the dialog cannot be written.
pub(crate) fn print_change(change: &SettingsChange, dialog: &mut ConsentDialog<'_>) -> Result<()> {
    let path = path_line(&change.path());
    match change.summary() {
        Some(summary) => dialog.print(&format!("\n{path}: {summary}"))?,
        None => {
            let diff = format_diff(&change.diff());
            dialog.print_verbatim(&format!("\n{path}\n{diff}"))?;
        }
    }
    Ok(())
}

/// Prints which file or directory was written, or removed where nothing is left of it.
///
/// # Errors
/// When the dialog cannot be written.
pub(crate) fn print_written(path: &Path, dialog: &mut ConsentDialog<'_>) -> Result<()> {
    let done = if path.exists() { "written" } else { "removed" };
    let path = path_line(path);
    Ok(dialog.print(&format!("{done}: {path}"))?)
}

/// Prints where the old text of a file is kept.
///
/// # Errors
/// When the dialog cannot be written.
pub(crate) fn print_backup(backup: &Path, dialog: &mut ConsentDialog<'_>) -> Result<()> {
    let backup = path_line(backup);
    Ok(dialog.print(&format!("the old file is kept as {backup}"))?)
}
