//! The embedding models: which are known, which are installed, and how they are installed.
//!
//! A model is described by a TOML file ([`session_embed::ModelSpec`]), either in the
//! repository's `models/` or in `models/` below the user's configuration directory.
//! [`Catalogue`] reads both, determines where each model is available ([`ModelState`]) and
//! opens it ([`Catalogue::load`]).
//!
//! Files are installed all at once or not at all: they are collected in a staging directory
//! next to the model's own, their SHA-256 is checked, the model is opened, and one rename
//! makes it visible. [`Catalogue::pull`] downloads them from the hub ([`HubConfig`]).
//! [`Catalogue::import`] copies them from a directory of the user's. [`Catalogue::verify`]
//! checks them again and [`Catalogue::remove`] deletes them. Only their owner can read the
//! directories ([`UserDirectories`]).
//!
//! An [`Endpoint`] that the user configured is one more model, `remote`
//! ([`RemoteEmbedder`]).
//!
//! ```
//! use session_models::{Catalogue, ModelState, UserDirectories};
//!
//! let home = tempfile::tempdir()?;
//! let catalogue = Catalogue::open(UserDirectories::from_environment(home.path(), |_| None))?;
//! let table = catalogue.find_spec("table")?;
//! assert_eq!(catalogue.model_state(table), ModelState::Bundled);
//! let vector = catalogue.load("table")?.embed_query("docker networks")?;
//! assert_eq!(vector.len(), table.dims);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bundled;
mod catalogue;
mod directories;
mod error;
mod hub_cache;
mod hub_client;
mod hub_config;
mod idle_timeout;
mod import;
mod manifest;
mod model_description;
mod progress;
mod pull;
mod remote;
mod sha256;
mod staging;
mod tls;
mod verify_and_remove;

pub use catalogue::{Catalogue, ModelState};
pub use directories::{CONFIG_FILE, ENV_FILE, UserDirectories};
pub use error::ModelError;
pub use hub_config::HubConfig;
pub use model_description::{REMOTE_MODEL, TABLE_MODEL};
pub use progress::FileProgress;
pub use remote::{
    ENDPOINT_API_KEY_VARIABLE, ENDPOINT_MAX_TOKENS_VARIABLE, ENDPOINT_MODEL_VARIABLE,
    ENDPOINT_URL_VARIABLE, Endpoint, EndpointSettings, RemoteEmbedder, WaitListener,
    without_credentials,
};
pub use session_embed::{DeviceChoice, EmbedError};
