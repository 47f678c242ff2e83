//! Writing into the configuration which model is in use.

use crate::error::QueryError;
use session_config::{Assignment, Home, read_key, set_keys};
use session_models::{Catalogue, Endpoint, EndpointSettings, ModelError, ModelState, REMOTE_MODEL};

/// Takes an installed model into use, after it was opened. The length of an endpoint's vectors is requested each time: it may
/// run another model now.
///
/// # Errors
/// When the model is unknown, not installed or does not open, the endpoint does not answer, another file decides the endpoint, or
/// the configuration cannot be written.
pub fn use_model(home: &Home, catalogue: &Catalogue, name: &str) -> Result<(), QueryError> {
    let model = Assignment {
        table: None,
        key: "model",
        value: name,
    };
    if name == REMOTE_MODEL {
        check_deciding_file(home, &[model])?;
    }
    let spec = catalogue.find_spec(name)?;
    catalogue.require_available(spec)?;
    match catalogue.model_state(spec) {
        ModelState::Remote => catalogue.relearn_endpoint()?,
        ModelState::Bundled => {}
        _ => catalogue.check_opens(name)?,
    }
    Ok(set_keys(&home.directories().config, &[model])?)
}

/// Takes a model behind an endpoint into use, after it answered: with the key that is configured.
///
/// # Errors
/// When the URL or the name is not valid, `.env` names another endpoint, another file decides the endpoint, the endpoint does not
/// answer, or the configuration cannot be written.
pub fn use_endpoint(home: &Home, url: &str, name: &str) -> Result<(), QueryError> {
    let directory = home.directories().config;
    let requested = EndpointSettings {
        url: Some(url.to_owned()),
        model: Some(name.to_owned()),
        ..EndpointSettings::default()
    };
    // `.env` goes before the configuration: texts would go elsewhere than the user consented to.
    let in_effect =
        EndpointSettings::from_env_file(&home.endpoint_directories())?.or_from(requested.clone());
    let served =
        |settings: EndpointSettings| settings.into_endpoint().map(|e| e.map(ServedModel::new));
    if served(requested.clone())? != served(in_effect)? {
        let path = home.endpoint_directories().env_file();
        return Err(ModelError::OtherEndpoint { path }.into());
    }
    let in_table = |key, value| Assignment {
        table: Some("remote"),
        key,
        value,
    };
    let model = Assignment {
        table: None,
        key: "model",
        value: REMOTE_MODEL,
    };
    let assignments = [in_table("url", url), in_table("model", name), model];
    check_deciding_file(home, &assignments)?;
    let endpoint = home.complete_endpoint(requested);
    home.catalogue()?
        .with_endpoint(endpoint)
        .relearn_endpoint()?;
    Ok(set_keys(&directory, &assignments)?)
}

/// Refuses keys that would not count, since the file in the default directory decides them and has other values.
fn check_deciding_file(home: &Home, wanted: &[Assignment<'_>]) -> Result<(), QueryError> {
    let deciding = home.endpoint_directories();
    if deciding.config == home.directories().config {
        return Ok(());
    }
    for Assignment { table, key, value } in wanted {
        if read_key(&deciding.config, *table, key)?.as_deref() != Some(value) {
            let path = deciding.config_file();
            return Err(ModelError::DecidedElsewhere { path }.into());
        }
    }
    Ok(())
}

/// The address and the model of an endpoint, by which endpoints are the same.
#[derive(PartialEq, Eq)]
struct ServedModel {
    url: String,
    model: String,
}

impl ServedModel {
    fn new(endpoint: Endpoint) -> Self {
        Self {
            url: endpoint.url,
            model: endpoint.model,
        }
    }
}
