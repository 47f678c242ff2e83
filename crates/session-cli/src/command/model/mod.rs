//! `model`: which models there are, which is in use, and how they come here.

mod list;

use crate::CommandOutcome;
use crate::args::{ModelArgs, ModelCommand, ModelImportArgs, ModelRemoveArgs};
use crate::output::download::DownloadBars;
use crate::output::notes::print_note;
use crate::output::{json, notes};
use crate::shared::lock_wait;
use anyhow::{Result, bail};
use session_config::{Config, Home, variable_name};
use session_display::Note;
use session_models::{Catalogue, ModelState};
use session_output::{
    JsonDeletedVectors, JsonModelChange, ModelChange, format_deleted_vectors, format_used_model,
};
use session_query::{EmbeddedSessions, VectorVersions, delete_unused_vectors, use_model};

/// Runs the command.
pub fn run(args: &ModelArgs) -> Result<CommandOutcome> {
    let home = Home::from_process()?;
    let catalogue = home
        .catalogue()?
        .with_wait_listener(notes::make_wait_listener());
    note_mistakes(&args.command, &catalogue)?;
    match &args.command {
        ModelCommand::List(args) => list::run(args, &home, &catalogue),
        ModelCommand::Use(args) => {
            use_model(&home, &catalogue, &args.name)?;
            note_other_choice(&home, &args.name)?;
            print_use(&args.name, &home, args.json)
        }
        ModelCommand::Pull(args) => {
            catalogue.pull(&args.name, &home.hub(), &DownloadBars::new())?;
            print_change(ModelChange::Pulled, &args.name, args.json)
        }
        ModelCommand::Import(args) => import_model(args, &catalogue),
        ModelCommand::Verify(args) => {
            catalogue.verify(&args.name, &DownloadBars::new())?;
            print_change(ModelChange::Verified, &args.name, args.json)
        }
        ModelCommand::Remove(args) if args.vectors => delete_vectors(args, &home),
        ModelCommand::Remove(ModelRemoveArgs { model: args, .. }) => {
            remove_model(&args.name, &home, &catalogue)?;
            print_change(ModelChange::Removed, &args.name, args.json)
        }
    }
}

/// Names the user's descriptions that cannot be used where that matters: for the list, and for a name that no model has.
/// The mistake by which the command fails is its error.
fn note_mistakes(command: &ModelCommand, catalogue: &Catalogue) -> Result<()> {
    let name = match command {
        ModelCommand::List(_) => None,
        ModelCommand::Import(args) => Some(&args.model.name),
        ModelCommand::Remove(args) => Some(&args.model.name),
        ModelCommand::Use(args) | ModelCommand::Pull(args) | ModelCommand::Verify(args) => {
            Some(&args.name)
        }
    };
    let error = match name.map(|name| catalogue.find_spec(name)) {
        None => None,
        Some(Err(error)) => Some(error.to_string()),
        Some(Ok(_)) => return Ok(()),
    };
    let mistakes = catalogue.configuration_errors().iter();
    for broken in mistakes.filter(|broken| error.as_ref() != Some(&broken.to_string())) {
        print_note(Note::new(broken.to_string()).with_hints(broken.hint()))?;
    }
    Ok(())
}

/// Notes that a variable decides which model is in use, whatever was chosen.
fn note_other_choice(home: &Home, name: &str) -> Result<()> {
    let is_other = |variable: &String| home.env.get(variable).is_some_and(|model| model != name);
    match variable_name("model").filter(is_other) {
        Some(variable) => print_note(format!(
            "{variable} is set and goes before this choice; unset it"
        )),
        None => Ok(()),
    }
}

fn print_use(model: &str, home: &Home, as_json: bool) -> Result<CommandOutcome> {
    if as_json {
        return print_change(ModelChange::Used, model, as_json);
    }
    // The endpoint's dimension may be new. What an index is damaged by is no reason to fail: the model is in use.
    let catalogue = home.catalogue()?;
    let embedded = EmbeddedSessions::for_model(home, catalogue.find_spec(model)?);
    let text = format_used_model(model, embedded.unwrap_or(None), home.config.background);
    notes::print_line(text)?;
    Ok(CommandOutcome::Found)
}

fn print_change(done: ModelChange, model: &str, as_json: bool) -> Result<CommandOutcome> {
    if as_json {
        json::print(&JsonModelChange { model, done })?;
        return Ok(CommandOutcome::Found);
    }
    notes::print_line(done.format(model))?;
    Ok(CommandOutcome::Found)
}

fn import_model(args: &ModelImportArgs, catalogue: &Catalogue) -> Result<CommandOutcome> {
    catalogue.import(&args.model.name, &args.from, &DownloadBars::new())?;
    print_change(ModelChange::Imported, &args.model.name, args.model.json)
}

fn remove_model(name: &str, home: &Home, catalogue: &Catalogue) -> Result<()> {
    let state = catalogue.model_state(catalogue.find_spec(name)?);
    let is_bundled = state == ModelState::Bundled;
    if state == ModelState::Absent {
        bail!(
            "no file of the model `{name}` is here\nhint: `session-search model list` shows which are"
        );
    }
    if home.config.model == name && !is_bundled {
        let default = Config::default().model;
        bail!("the model `{name}` is in use\nhint: `session-search model use {default}` first");
    }
    Ok(catalogue.remove(name)?)
}

/// Deletes the vectors of a model's versions that are not in use.
fn delete_vectors(args: &ModelRemoveArgs, home: &Home) -> Result<CommandOutcome> {
    let (name, root) = (args.model.name.as_str(), &home.index_directory);
    let deleted = if session_store::index_exists(root) {
        let _lock = lock_wait::take_embedding_lock(root)?;
        delete_unused_vectors(home, &mut lock_wait::open_writer(home)?, name)?
    } else {
        VectorVersions {
            name: name.to_owned(),
            ..VectorVersions::default()
        }
    };
    if args.model.json {
        json::print(&JsonDeletedVectors::new(&deleted))?;
    } else {
        notes::print_line(format_deleted_vectors(&deleted))?;
    }
    Ok(CommandOutcome::from_found(deleted.versions > 0))
}
