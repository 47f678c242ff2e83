//! The models of the catalogue: which are here, which is in use, and which sessions each has embedded.

use crate::error::QueryError;
use serde::Serialize;
use session_config::Home;
use session_embed::{DeviceChoice, ModelSpec};
use session_models::{Catalogue, ModelState};
use session_store::{Reader, StoreError};

/// A model of the catalogue, as it stands on this machine.
#[derive(Debug, Clone)]
pub struct ModelOverview {
    /// The description of the model.
    pub spec: ModelSpec,
    /// The size of its files in bytes, where it is known.
    pub bytes: Option<u64>,
    /// Where its files are.
    pub state: ModelState,
    /// The device that it would compute on; `None` for an endpoint.
    pub device: Option<DeviceChoice>,
    /// True for the configured model.
    pub in_use: bool,
    /// The sessions that it has embedded; `None` without an index.
    pub embedded: Option<EmbeddedSessions>,
}

/// The sessions of the index that have vectors of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct EmbeddedSessions {
    /// Sessions with vectors.
    pub sessions: u64,
    /// All sessions of the index.
    #[serde(rename = "of")]
    pub all_sessions: u64,
}

impl ModelOverview {
    /// Reads all models of a catalogue, in its order.
    ///
    /// # Errors
    /// When the index fails.
    pub fn read_all(home: &Home, catalogue: &Catalogue) -> Result<Vec<Self>, QueryError> {
        let index = match home.index() {
            Err(StoreError::Missing { .. }) => None,
            index => Some(index?),
        };
        let overview = |spec: &ModelSpec| {
            let embedded = |index| EmbeddedSessions::read(spec, index);
            Ok(Self {
                bytes: catalogue.size_bytes(spec),
                state: catalogue.model_state(spec),
                device: catalogue.device_choice(spec),
                in_use: spec.name == home.config.model,
                embedded: index.as_ref().map(embedded).transpose()?,
                spec: spec.clone(),
            })
        };
        catalogue.specs().map(overview).collect()
    }
}

impl EmbeddedSessions {
    /// Reads how much a model has embedded; `None` without an index.
    ///
    /// # Errors
    /// When the index fails.
    pub fn for_model(home: &Home, spec: &ModelSpec) -> Result<Option<Self>, QueryError> {
        match home.index() {
            Err(StoreError::Missing { .. }) => Ok(None),
            index => Self::read(spec, &index?).map(Some),
        }
    }

    /// Reads how much a model has embedded of an open index.
    pub(crate) fn read(spec: &ModelSpec, index: &Reader) -> Result<Self, QueryError> {
        Ok(Self {
            sessions: count_embedded_sessions(spec, index)?,
            all_sessions: index.count_sessions()? as u64,
        })
    }
}

/// Counts the sessions that a model has embedded.
pub(crate) fn count_embedded_sessions(spec: &ModelSpec, index: &Reader) -> Result<u64, QueryError> {
    match index.model(&spec.fingerprint())? {
        Some(model) => Ok(index.embedded_sessions(model.id)?),
        None => Ok(0),
    }
}
