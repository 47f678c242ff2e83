//! What can go wrong, and what to do about it.

use session_embed::EmbedError;
use std::path::PathBuf;
use thiserror::Error;

/// Why a model could not be found, fetched, checked or opened.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ModelError {
    /// No description has this name.
    #[error("there is no model `{name}`")]
    Unknown {
        /// What was asked for.
        name: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// A description that cannot be used.
    #[error("the model description {} cannot be used: {reason}", path.display())]
    Description {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The model is known, but its files are not here.
    #[error("the model `{name}` is not here: {} missing", list(missing))]
    Absent {
        /// Name of the model.
        name: String,
        /// The files that are missing.
        missing: Vec<String>,
    },
    /// The model is in the binary, so there is nothing to fetch or to remove.
    #[error("the model `{name}` is part of the program")]
    Bundled {
        /// Name of the model.
        name: String,
    },
    /// What was to be imported lacks files.
    #[error("{} has no {}", from.display(), list(missing))]
    Lacking {
        /// What was looked at.
        from: PathBuf,
        /// The files that are missing.
        missing: Vec<String>,
        /// All files of the model.
        wanted: Vec<String>,
    },
    /// A file is not the one that was expected.
    #[error("{} is not the file that was expected: its sha256 is {found}, not {expected}", path.display())]
    Digest {
        /// The file.
        path: PathBuf,
        /// What it should be.
        expected: String,
        /// What it is.
        found: String,
    },
    /// A file has changed since it came here.
    #[error("the model `{name}` is damaged: {reason}")]
    Damaged {
        /// Name of the model.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The files are here, but are no such model.
    #[error("the model `{name}` cannot be opened: {why}")]
    Open {
        /// Name of the model.
        name: String,
        /// Why.
        why: EmbedError,
    },
    /// The model has no files of its own: it is behind an endpoint.
    #[error("the model `remote` is an endpoint, and has no files")]
    Remote,
    /// What is configured of an endpoint cannot be.
    #[error("the endpoint of the model `remote` is not well configured: {reason}")]
    Endpoint {
        /// What is wrong.
        reason: String,
    },
    /// The hub does not answer.
    #[error("the model hub {endpoint} cannot be reached: {reason}")]
    Unreachable {
        /// Address of the hub.
        endpoint: String,
        /// Why.
        reason: String,
    },
    /// The hub is not to be asked.
    #[error("the model `{name}` is not here, and HF_HUB_OFFLINE forbids to ask the hub")]
    Offline {
        /// Name of the model.
        name: String,
    },
    /// The hub does not give a file.
    #[error("the model hub refuses {url}: status {status}")]
    Refused {
        /// Address of the file.
        url: String,
        /// HTTP status.
        status: u16,
    },
    /// A download broke off, and went no further.
    #[error("the download of `{file}` broke off: {reason}")]
    Interrupted {
        /// Name of the model.
        name: String,
        /// The file.
        file: String,
        /// Why.
        reason: String,
    },
    /// Another process is fetching or importing this model.
    #[error("another process is fetching the model `{name}`")]
    Locked {
        /// Name of the model.
        name: String,
    },
    /// A folder or file of ours cannot be read or written.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// A file of the user's own cannot be read or written.
    #[error(transparent)]
    File(#[from] session_files::FileError),
}

fn list(files: &[String]) -> String {
    match files {
        [one] => format!("`{one}`"),
        [first, rest @ ..] => rest
            .iter()
            .fold(format!("`{first}`"), |all, f| format!("{all}, `{f}`")),
        [] => "nothing".to_owned(),
    }
}

impl ModelError {
    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Unknown { known, .. } => {
                format!("one of {}; docs/models.md says how to add one", known.join(", "))
            }
            Self::Description { .. } => {
                "correct it or move it away; docs/models.md says what it holds".to_owned()
            }
            Self::Absent { name, .. } => format!(
                "run `session-search model pull {name}`, or where there is no network `session-search model import {name} --from FOLDER`"
            ),
            Self::Bundled { .. } => "there is nothing to do: it is always here".to_owned(),
            Self::Lacking { wanted, .. } => {
                format!("give a folder that holds {}", list(wanted))
            }
            Self::Digest { .. } => {
                "fetch the file again; if it is meant to be another, describe it as a model of your own (docs/models.md)".to_owned()
            }
            Self::Damaged { name, .. } => {
                format!("run `session-search model pull {name}` or `model import {name}` again")
            }
            Self::Open { why, .. } if !matches!(why, EmbedError::Remote { .. }) => {
                "the files are not of the architecture that the description says, or not whole"
                    .to_owned()
            }
            Self::Remote | Self::Endpoint { .. } => {
                "[remote] in your configuration, or EMBEDDINGS_URL and EMBEDDINGS_MODEL in `.env` beside it, say where it is; an address in the environment alone is not used (docs/models.md)".to_owned()
            }
            Self::Open { .. } => {
                "see that the endpoint runs and that its key and model are right, or `session-search model use table`".to_owned()
            }
            Self::Unreachable { .. } => {
                "HF_ENDPOINT names another hub; where there is no network, `session-search model import NAME --from FOLDER` takes files that you bring".to_owned()
            }
            Self::Offline { name } => format!(
                "unset HF_HUB_OFFLINE, or bring the files: `session-search model import {name} --from FOLDER`"
            ),
            Self::Refused { status: 401 | 403, .. } => {
                "the repository asks for a token: set HF_TOKEN".to_owned()
            }
            Self::Refused { .. } => {
                "see that `repo`, `revision` and `files` of its description are right".to_owned()
            }
            Self::Interrupted { name, .. } => format!(
                "what came is kept: `session-search model pull {name}` goes on from there"
            ),
            Self::Locked { .. } => "wait for it to end".to_owned(),
            Self::File(error) => return error.hint().map(str::to_owned),
            Self::Io(_) => return None,
        })
    }
}
