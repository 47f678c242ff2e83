//! `model list`: a row for each model.

use crate::CommandOutcome;
use crate::args::JsonFlagArgs;
use crate::output::notes::print_note;
use crate::output::{self, json, terminal_width};
use anyhow::Result;
use session_config::Home;
use session_models::Catalogue;
use session_output::{JsonModels, format_models};
use session_query::ModelOverview;

/// Runs the command.
pub fn run(args: &JsonFlagArgs, home: &Home, catalogue: &Catalogue) -> Result<CommandOutcome> {
    let models = ModelOverview::read_all(home, catalogue)?;
    let in_use = &home.config.model;
    if args.json {
        let broken = catalogue.configuration_errors().iter();
        let broken = broken.map(ToString::to_string).collect();
        json::print(&JsonModels::new(&models, in_use, broken))?;
    } else {
        output::print(format_models(&models, terminal_width()))?;
    }
    if !models.iter().any(|model| model.in_use) {
        print_note(format!("the configured model `{in_use}` is not known"))?;
    }
    Ok(CommandOutcome::Found)
}
