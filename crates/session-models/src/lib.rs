//! Which models there are, which of them are here, and how they come here.
//!
//! A model is described by a TOML file ([`session_embed::ModelSpec`]): those of
//! the repository's `models/`, and those that a user puts in the folder `models/`
//! of their configuration. [`Catalogue`] knows both, says of each where it is
//! ([`State`]), and opens it ([`Catalogue::load`]).
//!
//! Files come in whole or not at all: they gather in a folder beside the
//! model's own, are compared with their SHA-256, the model is opened, and then
//! one rename makes it visible. [`Catalogue::pull`] downloads them from a [`Hub`], the only
//! socket that is opened here; [`Catalogue::import`] takes what a user brought by
//! hand. [`Catalogue::verify`] reads everything again and [`Catalogue::remove`]
//! makes room. All of it lies in folders that only their owner can
//! read ([`Folders`]).
//!
//! An [`Endpoint`] that the user configured is one more model, `remote`
//! ([`RemoteEmbedder`]).
//!
//! ```
//! use session_models::{Catalogue, Folders, State};
//!
//! let home = tempfile::tempdir()?;
//! let catalogue = Catalogue::open(Folders::of(home.path(), |_| None))?;
//! let table = catalogue.spec("table")?;
//! assert_eq!(catalogue.state(table), State::Bundled);
//! let vector = catalogue.load("table")?.embed_query("docker networks")?;
//! assert_eq!(vector.len(), table.dims);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod catalogue;
mod description;
mod digest;
mod error;
mod folders;
mod hub;
mod import;
mod manifest;
mod open;
mod progress;
mod pull;
mod remote;
mod staged;
mod verify;
mod watch;

pub use catalogue::{Catalogue, State};
pub use description::REMOTE;
pub use error::ModelError;
pub use folders::Folders;
pub use hub::Hub;
pub use progress::Progress;
pub use remote::{Endpoint, Given, RemoteEmbedder};
