//! Writing into the configuration which model is in use.

use crate::error::QueryError;
use session_config::{Home, set_key};
use session_models::{Catalogue, EndpointSettings, ModelState, REMOTE_MODEL};

/// Takes an installed model into use. An endpoint is asked how long its vectors are, even if it was asked before: it
/// may run another model now.
///
/// # Errors
/// When the model is unknown or not installed, the endpoint does not answer, or the configuration cannot
/// be written.
pub fn use_model(home: &Home, catalogue: &Catalogue, name: &str) -> Result<(), QueryError> {
    let spec = catalogue.find_spec(name)?;
    catalogue.require_available(spec)?;
    if catalogue.model_state(spec) == ModelState::Remote {
        catalogue.relearn_endpoint()?;
    }
    Ok(set_key(&home.folders().config, None, "model", name)?)
}

/// Takes a model behind an endpoint into use.
///
/// # Errors
/// When the URL or the name is not valid, or the configuration cannot be written.
pub fn use_endpoint(home: &Home, url: &str, name: &str) -> Result<(), QueryError> {
    let settings = EndpointSettings {
        url: Some(url.to_owned()),
        model: Some(name.to_owned()),
        ..EndpointSettings::default()
    };
    settings.into_endpoint()?;
    let directory = home.folders().config;
    set_key(&directory, Some("remote"), "url", url)?;
    set_key(&directory, Some("remote"), "model", name)?;
    Ok(set_key(&directory, None, "model", REMOTE_MODEL)?)
}
