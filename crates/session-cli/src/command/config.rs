//! `config`: prints each setting with the layer that decided it.

use crate::CommandOutcome;
use crate::args::ConfigArgs;
use crate::output::notes::print_note;
use crate::output::{self, json, terminal_width};
use anyhow::Result;
use session_config::{Home, SettingsReport, current_directory_or_home, find_memory_project};
use session_output::SettingsListing;

/// Runs the command.
pub fn run(args: &ConfigArgs) -> Result<CommandOutcome> {
    let home = Home::unconfigured()?;
    let project = find_memory_project(&current_directory_or_home()?, &home.env.home);
    if let Err(unowned) = &project {
        print_note(unowned.message())?;
    }
    let report = SettingsReport::read(&home, project.ok().flatten().as_ref())?;
    let settings = SettingsListing::new(&report);
    if args.json {
        json::print(&settings)?
    } else {
        output::print(settings.format(terminal_width(), &home.env.home))?
    }
    Ok(CommandOutcome::Found)
}
