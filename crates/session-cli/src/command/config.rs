//! `config`: prints each setting with the layer that decided it.

use crate::CommandOutcome;
use crate::args::ConfigArgs;
use crate::output::notes::print_note;
use crate::output::{json, terminal_width};
use anyhow::Result;
use session_config::{Home, SettingsReport, current_directory};
use session_files::Project;
use session_output::JsonSettings;
use std::io::Write;

/// Runs the command.
///
/// # Errors
/// When the configuration has a mistake.
pub fn run(args: &ConfigArgs) -> Result<CommandOutcome> {
    let home = Home::unconfigured()?;
    let project = Project::find(&current_directory()?, &home.env.home);
    if let Err(unowned) = &project {
        print_note(&unowned.message())?;
    }
    let report = SettingsReport::read(&home, project.ok().flatten().as_ref())?;
    let settings = JsonSettings::new(&report);
    if args.json {
        json::print(&settings)?
    } else {
        write!(anstream::stdout(), "{}", settings.format(terminal_width()))?
    }
    Ok(CommandOutcome::Something)
}
