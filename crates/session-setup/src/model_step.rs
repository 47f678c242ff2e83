//! The choice of the model that makes the vectors, here or behind an endpoint.

use crate::dialog::ConsentDialog;
use crate::error::{Result, SetupError};
use crate::outcome::StepOutcome;
use crate::setup::Setup;
use crate::written_settings::{ModelKey, ModelSettings};
use session_config::Config;
use session_core::text::sanitize_text;
use session_display::{Note, format_size, wrap_lines};
use session_models::{
    Catalogue, EndpointSettings, ModelError, ModelState, REMOTE_MODEL, without_credentials,
};
use session_query::{QueryError, use_endpoint, use_model};

/// The end of the title of a model that nobody has tried with this program.
const UNTRIED: &str = "; not tried here";
/// The end of the title of a model that was compared with others on random weights alone.
const UNMEASURED: &str = "; not measured";

/// Columns before what is said of a model: its name, with blanks around it.
const DETAILS_COLUMN: usize = 27;

impl Setup<'_, '_> {
    /// Runs the step.
    ///
    /// # Errors
    /// When a model is unknown or cannot be pulled, or the configuration not be
    /// written.
    pub(crate) fn run_model_step(&mut self) -> Result<StepOutcome> {
        let options = self.options;
        if let (Some(url), Some(name)) = (&options.remote, &options.model) {
            check_endpoint(url, name).map_err(|error| match error {
                ModelError::InvalidEndpoint { reason } => SetupError::NoEndpoint { reason },
                other => other.into(),
            })?;
            return self.use_remote_model(url, name);
        }
        let catalogue = self.home.catalogue()?;
        match &options.model {
            Some(name) => self.use_local_model(name, &catalogue),
            None if self.dialog.is_interactive => self.ask_model(&catalogue),
            None => Ok(StepOutcome::Skipped),
        }
    }

    fn ask_model(&mut self, catalogue: &Catalogue) -> Result<StepOutcome> {
        print_models(catalogue, self.dialog)?;
        let question = format!(
            "Name, or http(s) address of an endpoint [{}]:",
            self.home.config.model
        );
        while let Some(answer) = self.dialog.ask(&question)? {
            let outcome = match answer.contains("://") {
                true => self.ask_remote(&answer)?,
                false => match catalogue.find_spec(&answer) {
                    Ok(_) => Some(self.use_local_model(&answer, catalogue)?),
                    Err(error) => print_refusal(&error, self.dialog)?,
                },
            };
            if let Some(outcome) = outcome {
                return Ok(outcome);
            }
        }
        Ok(StepOutcome::Skipped)
    }

    /// Asks for the model at an endpoint; `None` if the address is none, or does not answer.
    fn ask_remote(&mut self, url: &str) -> Result<Option<StepOutcome>> {
        let Some(name) = self.dialog.ask("Name of the model there:")? else {
            return Ok(Some(StepOutcome::Skipped));
        };
        match self.use_remote_model(url, &name) {
            Err(SetupError::Model(error) | SetupError::Query(QueryError::Model(error))) => {
                print_refusal(&error, self.dialog)
            }
            outcome => outcome.map(Some),
        }
    }

    /// Chooses a model that runs in process. It is pulled if it is not here.
    fn use_local_model(&mut self, name: &str, catalogue: &Catalogue) -> Result<StepOutcome> {
        let home = self.home;
        let spec = catalogue.find_spec(name)?;
        let is_here = catalogue.model_state(spec).is_available();
        if home.config.model == name && is_here {
            return Ok(StepOutcome::Unchanged);
        }
        let size = format_size_suffix(spec.bytes);
        let question = if is_here {
            format!("Use `{name}`?")
        } else {
            format!("Pull `{name}`{size} from the model hub, and use it?")
        };
        let before = ModelSettings::read(home)?;
        let after = before.clone().with(ModelKey::Model, name);
        if !self.dialog.is_interactive {
            if !is_here {
                self.dialog.print(&format!(
                    "\n`{name}` is pulled from the model hub: it downloads {}.",
                    spec.bytes.map_or("an unknown size".to_owned(), format_size)
                ))?;
            }
            self.dialog
                .print_verbatim(&before.format_change(home, &after))?;
        }
        let was_typed = is_here && self.dialog.is_interactive;
        if !was_typed && !self.dialog.confirm(&question)? {
            return Ok(StepOutcome::without_consent(self.dialog));
        }
        if !is_here {
            catalogue.pull(name, &home.hub(), (self.progress)().as_ref())?;
        }
        before.note_and_write(home, &after, || use_model(home, catalogue, name))?;
        self.dialog.print(&format!("`{name}` is in use"))?;
        Ok(StepOutcome::Written)
    }

    /// Chooses a model behind an endpoint. Its key is not asked for: it would stand in the history of the shell.
    fn use_remote_model(&mut self, url: &str, name: &str) -> Result<StepOutcome> {
        let home = self.home;
        check_endpoint(url, name)?;
        let shown = without_credentials(url);
        let shown = sanitize_text(&shown);
        self.dialog.print(&format!(
            "\nTexts of your sessions will be sent to {shown}.\nA key goes into EMBEDDINGS_API_KEY, or into\n{}.",
            home.endpoint_directories().env_file().display()
        ))?;
        let before = ModelSettings::read(home)?;
        let after = ModelSettings::default()
            .with(ModelKey::Model, REMOTE_MODEL)
            .with(ModelKey::RemoteUrl, url)
            .with(ModelKey::RemoteModel, name);
        if !self.dialog.is_interactive {
            self.dialog
                .print_verbatim(&before.format_change(home, &after))?;
        }
        if !self.dialog.confirm(&format!("Use `{name}` there?"))? {
            return Ok(StepOutcome::without_consent(self.dialog));
        }
        before.note_and_write(home, &after, || use_endpoint(home, url, name))?;
        self.dialog
            .print(&format!("`{name}` at {shown} is in use"))?;
        Ok(StepOutcome::Written)
    }
}

/// Prints the models of the catalogue that are here or were tried, a line each, and how many others there are.
fn print_models(catalogue: &Catalogue, dialog: &mut ConsentDialog<'_>) -> Result<()> {
    dialog.print("Which model makes the vectors?")?;
    let (shown, others): (Vec<_>, Vec<_>) = catalogue.specs().partition(|spec| {
        catalogue.model_state(spec).is_available() || !spec.title.ends_with(UNTRIED)
    });
    for spec in shown {
        let location = match catalogue.model_state(spec) {
            ModelState::Bundled => "in the binary".to_owned(),
            ModelState::Remote => "at your endpoint".to_owned(),
            ModelState::Installed => "here".to_owned(),
            ModelState::Incomplete | ModelState::Absent => {
                format!("to be pulled{}", format_size_suffix(spec.bytes))
            }
        };
        let advice = describe_choice(&spec.name, &spec.title);
        let details = format!("{location}; {} dims{advice}", spec.dims);
        let row = format_row(&spec.name, &details, dialog.columns);
        dialog.print_verbatim(&row)?;
    }
    if !others.is_empty() {
        dialog.print_verbatim(&format!(
            "  {} more: `session-search model list`",
            others.len()
        ))?;
    }
    Ok(())
}

/// Formats a model's name, and beside it what there is to say of it, wrapped to the columns.
fn format_row(name: &str, details: &str, columns: Option<usize>) -> String {
    let width = columns.map_or(usize::MAX, |columns| columns.saturating_sub(DETAILS_COLUMN));
    let lines: Vec<&str> = wrap_lines(details, width).collect();
    let gap = format!("\n{}", " ".repeat(DETAILS_COLUMN));
    format!("  {name:24} {}", lines.join(&gap))
}

/// Formats that a model is the default, or that nobody has tried or measured it, behind a semicolon.
fn describe_choice(name: &str, title: &str) -> &'static str {
    if name == Config::default().model {
        return "; recommended";
    }
    let marks = [UNTRIED, UNMEASURED].into_iter();
    let mut marks = marks.filter(|mark| title.ends_with(mark));
    marks.next().unwrap_or_default()
}

/// Prints why an answer cannot be taken; the question is asked again.
fn print_refusal(
    error: &ModelError,
    dialog: &mut ConsentDialog<'_>,
) -> Result<Option<StepOutcome>> {
    let note = Note::new(error.to_string()).with_hints(error.hint());
    dialog.print(&sanitize_text(&note.to_string()))?;
    Ok(None)
}

/// Formats the size of a model after a comma, where it is known.
fn format_size_suffix(bytes: Option<u64>) -> String {
    bytes.map_or(String::new(), |bytes| format!(", {}", format_size(bytes)))
}

/// Checks the address of an endpoint.
fn check_endpoint(url: &str, name: &str) -> Result<(), ModelError> {
    let settings = EndpointSettings {
        url: Some(url.to_owned()),
        model: Some(name.to_owned()),
        ..EndpointSettings::default()
    };
    settings.into_endpoint().map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_takes_no_more_than_the_columns() {
        let details = "to be pulled, 1.2 GB; 1024 dims; not measured";
        let name = "qwen3-embedding-0.6b";
        let row = format!("  {name}     {details}");
        assert_eq!(format_row(name, details, None), row);
        assert_eq!(format_row(name, details, Some(80)), row);
        let wrapped = row.replace("; not", ";\n                           not");
        assert_eq!(format_row(name, details, Some(60)), wrapped);
    }
}
