//! Which model makes the vectors, here or behind an endpoint.

use crate::NewProgress;
use crate::dialog::Dialog;
use crate::error::Result;
use crate::options::SetupOptions;
use crate::outcome::StepOutcome;
use session_config::Home;
use session_models::{Catalogue, EndpointSettings, ModelState};
use session_query::{use_endpoint, use_model};

/// Runs the step.
///
/// # Errors
/// When a model is unknown or cannot be pulled, or the configuration not be
/// written.
pub fn run(
    options: &SetupOptions,
    home: &Home,
    progress: NewProgress<'_>,
    dialog: &mut Dialog<'_>,
) -> Result<StepOutcome> {
    if let (Some(url), Some(name)) = (&options.remote, &options.model) {
        return remote(url, name, home, dialog);
    }
    let catalogue = home.catalogue()?;
    match &options.model {
        Some(name) => local(name, home, &catalogue, progress, dialog),
        None if dialog.is_interactive => ask(home, &catalogue, progress, dialog),
        None => Ok(StepOutcome::Skipped),
    }
}

fn ask(
    home: &Home,
    catalogue: &Catalogue,
    progress: NewProgress<'_>,
    dialog: &mut Dialog<'_>,
) -> Result<StepOutcome> {
    dialog.print("Which model makes the vectors?")?;
    for spec in catalogue.specs() {
        let place = match catalogue.model_state(spec) {
            ModelState::Bundled => "in the binary",
            ModelState::Remote => "at your endpoint",
            ModelState::Installed => "here",
            ModelState::Incomplete | ModelState::Absent => "to be pulled",
        };
        dialog.print(&format!("  {:24} {place}; {} dims", spec.name, spec.dims))?;
    }
    let question = format!(
        "Name, or http(s) address of an endpoint [{}]:",
        home.config.model
    );
    match dialog.ask(&question)? {
        None => Ok(StepOutcome::Skipped),
        Some(url) if url.contains("://") => match dialog.ask("Name of the model there:")? {
            Some(name) => remote(&url, &name, home, dialog),
            None => Ok(StepOutcome::Skipped),
        },
        Some(name) => local(&name, home, catalogue, progress, dialog),
    }
}

/// A model that runs in process. It is pulled if it is not here.
fn local(
    name: &str,
    home: &Home,
    catalogue: &Catalogue,
    progress: NewProgress<'_>,
    dialog: &mut Dialog<'_>,
) -> Result<StepOutcome> {
    let spec = catalogue.find_spec(name)?;
    let is_here = catalogue.model_state(spec).is_available();
    if home.config.model == name && is_here {
        return Ok(StepOutcome::Unchanged);
    }
    let size = spec
        .bytes
        .map_or(String::new(), |bytes| format!(", {} MB", bytes / 1_000_000));
    let question = match is_here {
        true => format!("Use `{name}`?"),
        false => format!("Pull `{name}`{size} from the model hub, and use it?"),
    };
    let was_typed = is_here && dialog.is_interactive;
    if !was_typed && !dialog.confirm(&question)? {
        return Ok(StepOutcome::without_consent(dialog));
    }
    if !is_here {
        catalogue.pull(name, &home.hub(), progress().as_ref())?;
    }
    use_model(home, catalogue, name)?;
    dialog.print(&format!("`{name}` is in use"))?;
    Ok(StepOutcome::Written)
}

/// One behind an endpoint. Its key is not asked for: it would stand in the
/// history of the shell.
fn remote(url: &str, name: &str, home: &Home, dialog: &mut Dialog<'_>) -> Result<StepOutcome> {
    let settings = EndpointSettings {
        url: Some(url.to_owned()),
        model: Some(name.to_owned()),
        ..EndpointSettings::default()
    };
    settings.into_endpoint()?;
    dialog.print(&format!(
        "\nTexts of your sessions will be sent to {url}. A key goes into EMBEDDINGS_API_KEY, or into\n{}.",
        home.folders().config.join(".env").display()
    ))?;
    if !dialog.confirm(&format!("Use `{name}` there?"))? {
        return Ok(StepOutcome::without_consent(dialog));
    }
    use_endpoint(home, url, name)?;
    dialog.print(&format!("`{name}` at {url} is in use"))?;
    Ok(StepOutcome::Written)
}
