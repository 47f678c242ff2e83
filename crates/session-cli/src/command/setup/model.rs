//! Which model makes the vectors, here or behind an endpoint.

use crate::args::SetupArgs;
use crate::command::model;
use crate::command::setup::Outcome;
use crate::command::setup::prompt::Prompt;
use crate::config;
use crate::home::Home;
use crate::output::download::Bars;
use anyhow::Result;
use session_models::{Catalogue, EndpointSettings, ModelState, REMOTE_MODEL};

/// Takes the step.
///
/// # Errors
/// When a model is unknown or cannot be pulled, or the configuration not be
/// written.
pub fn step(args: &SetupArgs, home: &Home, prompt: &mut Prompt<'_>) -> Result<Outcome> {
    if let (Some(url), Some(name)) = (&args.remote, &args.model) {
        return remote(url, name, home, prompt);
    }
    let catalogue = home.catalogue()?;
    match &args.model {
        Some(name) => local(name, home, &catalogue, prompt),
        None if prompt.asks => ask(home, &catalogue, prompt),
        None => Ok(Outcome::Skipped),
    }
}

fn ask(home: &Home, catalogue: &Catalogue, prompt: &mut Prompt<'_>) -> Result<Outcome> {
    prompt.say("Which model makes the vectors?")?;
    for spec in catalogue.specs() {
        let place = match catalogue.model_state(spec) {
            ModelState::Bundled => "in the binary",
            ModelState::Remote => "at your endpoint",
            ModelState::Installed => "here",
            ModelState::Incomplete | ModelState::Absent => "to be pulled",
        };
        prompt.say(&format!("  {:24} {place}; {} dims", spec.name, spec.dims))?;
    }
    let question = format!(
        "Name, or http(s) address of an endpoint [{}]:",
        home.config.model
    );
    match prompt.ask(&question)? {
        None => Ok(Outcome::Skipped),
        Some(url) if url.contains("://") => match prompt.ask("Name of the model there:")? {
            Some(name) => remote(&url, &name, home, prompt),
            None => Ok(Outcome::Skipped),
        },
        Some(name) => local(&name, home, catalogue, prompt),
    }
}

/// A model that runs in process. It is pulled if it is not here.
fn local(
    name: &str,
    home: &Home,
    catalogue: &Catalogue,
    prompt: &mut Prompt<'_>,
) -> Result<Outcome> {
    let spec = catalogue.find_spec(name)?;
    let is_here = catalogue.model_state(spec).is_available();
    if home.config.model == name && is_here {
        return Ok(Outcome::Unchanged);
    }
    let size = spec
        .bytes
        .map_or(String::new(), |bytes| format!(", {} MB", bytes / 1_000_000));
    let question = match is_here {
        true => format!("Use `{name}`?"),
        false => format!("Pull `{name}`{size} from the model hub, and use it?"),
    };
    let was_typed = is_here && prompt.asks;
    if !was_typed && !prompt.consents(&question)? {
        return Ok(prompt.without_consent());
    }
    if !is_here {
        catalogue.pull(name, &home.hub(), &Bars::new())?;
    }
    model::take(name, home, catalogue)?;
    prompt.say(&format!("`{name}` is in use"))?;
    Ok(Outcome::Written)
}

/// One behind an endpoint. Its key is not asked for: it would stand in the
/// history of the shell.
fn remote(url: &str, name: &str, home: &Home, prompt: &mut Prompt<'_>) -> Result<Outcome> {
    let settings = EndpointSettings {
        url: Some(url.to_owned()),
        model: Some(name.to_owned()),
        ..EndpointSettings::default()
    };
    settings.into_endpoint()?;
    prompt.say(&format!(
        "\nTexts of your sessions will be sent to {url}. A key goes into EMBEDDINGS_API_KEY, or into\n{}.",
        home.folders().config.join(".env").display()
    ))?;
    if !prompt.consents(&format!("Use `{name}` there?"))? {
        return Ok(prompt.without_consent());
    }
    let folder = home.folders().config;
    config::set(&folder, Some("remote"), "url", url)?;
    config::set(&folder, Some("remote"), "model", name)?;
    config::set(&folder, None, "model", REMOTE_MODEL)?;
    prompt.say(&format!("`{name}` at {url} is in use"))?;
    Ok(Outcome::Written)
}
