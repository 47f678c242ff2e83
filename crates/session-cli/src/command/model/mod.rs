//! `model`: which models there are, which is in use, and how they come here.

mod list;

use crate::Found;
use crate::args::{ImportArgs, ModelArgs, ModelCommand};
use crate::output::download::Bars;
use crate::output::{json, notes};
use anyhow::{Result, bail};
use session_config::{Home, variable_name};
use session_core::text::printable;
use session_models::{Catalogue, ModelState};
use session_output::{JsonModelChange, ModelChange};
use session_query::use_model;
use std::io::Write;

/// Runs the command.
///
/// # Errors
/// When there is no such model, or its files fail.
pub fn run(args: &ModelArgs) -> Result<Found> {
    let home = Home::from_process()?;
    let catalogue = home
        .catalogue()?
        .with_wait_listener(notes::endpoint_waits());
    warn(&catalogue)?;
    match &args.command {
        ModelCommand::List(args) => list::run(args, &home, &catalogue),
        ModelCommand::Use(args) => {
            use_model(&home, &catalogue, &args.name)?;
            note_other_choice(&home, &args.name)?;
            print_change(ModelChange::Used, &args.name, args.json)
        }
        ModelCommand::Pull(args) => {
            catalogue.pull(&args.name, &home.hub(), &Bars::new())?;
            print_change(ModelChange::Pulled, &args.name, args.json)
        }
        ModelCommand::Import(args) => import(args, &catalogue),
        ModelCommand::Verify(args) => {
            catalogue.verify(&args.name, &Bars::new())?;
            print_change(ModelChange::Verified, &args.name, args.json)
        }
        ModelCommand::Remove(args) => {
            remove(&args.name, &home, &catalogue)?;
            print_change(ModelChange::Removed, &args.name, args.json)
        }
    }
}

/// Names the user's descriptions that cannot be used.
fn warn(catalogue: &Catalogue) -> Result<()> {
    for broken in catalogue.description_errors() {
        let hint = broken.hint().map(|hint| format!("; {hint}"));
        let note = format!("note: {broken}{}", hint.unwrap_or_default());
        writeln!(notes::stderr(), "{}", printable(&note))?;
    }
    Ok(())
}

/// Says that a variable decides which model is in use, whatever was chosen.
fn note_other_choice(home: &Home, name: &str) -> Result<()> {
    let is_other = |variable: &String| home.env.get(variable).is_some_and(|model| model != name);
    match variable_name("model").filter(is_other) {
        Some(variable) => Ok(writeln!(
            notes::stderr(),
            "note: {variable} is set and goes before this choice; unset it"
        )?),
        None => Ok(()),
    }
}

fn print_change(done: ModelChange, model: &str, as_json: bool) -> Result<Found> {
    if as_json {
        json::print(&JsonModelChange { model, done })?;
        return Ok(Found::Something);
    }
    writeln!(notes::stderr(), "{}", done.text(model))?;
    Ok(Found::Something)
}

fn import(args: &ImportArgs, catalogue: &Catalogue) -> Result<Found> {
    catalogue.import(&args.model.name, &args.from, &Bars::new())?;
    print_change(ModelChange::Imported, &args.model.name, args.model.json)
}

fn remove(name: &str, home: &Home, catalogue: &Catalogue) -> Result<()> {
    let is_bundled = catalogue.model_state(catalogue.find_spec(name)?) == ModelState::Bundled;
    if home.config.model == name && !is_bundled {
        bail!("the model `{name}` is in use\nhint: `session-search model use table` first");
    }
    Ok(catalogue.remove(name)?)
}
