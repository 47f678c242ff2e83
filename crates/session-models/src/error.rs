//! Errors of models, with hints for the user.

use session_core::DOCS_URL;
use session_core::text::path_line;
use session_embed::EmbedError;
use std::path::PathBuf;
use thiserror::Error;

/// The error of a model that could not be found, installed, verified or opened.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ModelError {
    /// No model has this name.
    #[error("there is no model `{name}`")]
    UnknownModel {
        /// The requested name.
        name: String,
    },
    /// A description is invalid.
    #[error("the model description {} cannot be used: {reason}", path.display())]
    InvalidDescription {
        /// The file.
        path: PathBuf,
        /// The reason, as half a sentence.
        reason: String,
    },
    /// Files of a known model are not installed.
    #[error("the model `{name}` is not here: {} missing", list(missing))]
    NotInstalled {
        /// Name of the model.
        name: String,
        /// The paths of the missing files.
        missing: Vec<String>,
    },
    /// The model is inside the binary, so there are no files to install or remove.
    #[error("the model `{name}` is part of the program")]
    Bundled {
        /// Name of the model.
        name: String,
    },
    /// The source of an import does not exist.
    #[error("there is no file or folder `{}`", from.display())]
    MissingSource {
        /// The source of the import.
        from: PathBuf,
        /// The paths of all files of the model.
        required: Vec<String>,
    },
    /// The source of an import lacks files.
    #[error("`{}` has no {}", from.display(), list(missing))]
    MissingFiles {
        /// The source of the import.
        from: PathBuf,
        /// The paths of the missing files.
        missing: Vec<String>,
        /// The paths of all files of the model.
        required: Vec<String>,
    },
    /// A file does not have the expected SHA-256.
    #[error("{} is not the file that was expected: its sha256 is {found}, not {expected}", path.display())]
    HashMismatch {
        /// The file.
        path: PathBuf,
        /// The expected SHA-256.
        expected: String,
        /// The file's SHA-256.
        found: String,
    },
    /// A file has changed since it was installed.
    #[error("the model `{name}` is damaged: {reason}")]
    Damaged {
        /// Name of the model.
        name: String,
        /// The reason, as half a sentence.
        reason: String,
    },
    /// The files are complete, but do not open as this model.
    #[error("the model `{name}` cannot be opened: {cause}")]
    Open {
        /// Name of the model.
        name: String,
        /// Why it cannot be opened.
        cause: EmbedError,
    },
    /// The model `remote` has no files to install or remove.
    #[error("the model `remote` is an endpoint, and has no files")]
    RemoteHasNoFiles,
    /// The configuration of the endpoint is invalid.
    #[error("the endpoint of the model `remote` is not well configured: {reason}")]
    InvalidEndpoint {
        /// The reason, as half a sentence.
        reason: String,
    },
    /// The file of the endpoint's settings has a mistake. The reason holds no text of it, which may be a key.
    #[error("{}: {reason}", path_line(path))]
    InvalidEnvFile {
        /// The file.
        path: PathBuf,
        /// The line and the mistake.
        reason: String,
    },
    /// The file of the endpoint's settings names another endpoint than the one that was chosen.
    #[error(
        "{} names another endpoint, and goes before what is chosen here",
        path_line(path)
    )]
    OtherEndpoint {
        /// The file.
        path: PathBuf,
    },
    /// A file of the configuration, in another directory than the one that a variable names, decides which endpoint is used.
    #[error(
        "{} decides which endpoint is used, and chooses another one",
        path_line(path)
    )]
    DecidedElsewhere {
        /// The file that decides it.
        path: PathBuf,
    },
    /// The model hub does not answer.
    #[error("the model hub {endpoint} cannot be reached: {reason}")]
    HubUnreachable {
        /// URL of the hub.
        endpoint: String,
        /// Why.
        reason: String,
    },
    /// A file is missing and `HF_HUB_OFFLINE` forbids a download.
    #[error("the model `{name}` is not here, and HF_HUB_OFFLINE forbids to ask the hub")]
    Offline {
        /// Name of the model.
        name: String,
    },
    /// The hub answers a request with an error status.
    #[error("the model hub refuses {url}: status {status}")]
    HubStatus {
        /// URL of the file.
        url: String,
        /// HTTP status.
        status: u16,
    },
    /// The answer of the hub cannot be used.
    #[error("the answer of the model hub to {url} cannot be used: {reason}")]
    InvalidHubAnswer {
        /// URL of the file.
        url: String,
        /// The reason, as half a sentence.
        reason: String,
    },
    /// A download was interrupted and could not be resumed.
    #[error("the download of `{file}` broke off: {reason}")]
    Interrupted {
        /// Name of the model.
        name: String,
        /// The file.
        file: String,
        /// Why.
        reason: String,
    },
    /// Another process is installing this model.
    #[error("another process is fetching the model `{name}`")]
    Locked {
        /// Name of the model.
        name: String,
    },
    /// A file or directory cannot be read or written.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// A private file cannot be read or written.
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
    /// Returns what the user can do about the error.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::UnknownModel { .. } => format!(
                "`session-search model list` names them all; {DOCS_URL}/models.md says how to add one"
            ),
            Self::InvalidDescription { .. } => format!(
                "correct it or move it away; {DOCS_URL}/models.md says what it holds"
            ),
            Self::NotInstalled { name, .. } => format!(
                "run `session-search model pull {name}`, or where there is no network `session-search model import {name} --from FOLDER`"
            ),
            Self::Bundled { .. } => "there is nothing to do: it is always here".to_owned(),
            Self::MissingSource { required, .. } | Self::MissingFiles { required, .. } => {
                format!("give a folder that holds {}", list(required))
            }
            Self::HashMismatch { .. } => format!(
                "fetch the file again; if it is meant to be another, describe it as a model of your own ({DOCS_URL}/models.md)"
            ),
            Self::Damaged { name, .. } => {
                format!("run `session-search model pull {name}` or `model import {name}` again")
            }
            Self::Open { name, cause } => match cause.hint() {
                Some(hint) => hint.to_owned(),
                None => format!(
                    "the files are not of the architecture that the description says, or not whole: run `session-search model pull {name}` or `model import {name}` again"
                ),
            },
            Self::RemoteHasNoFiles | Self::InvalidEndpoint { .. } => format!(
                "[remote] in your configuration, or EMBEDDINGS_URL and EMBEDDINGS_MODEL in `.env` beside it, say where it is; an address in the environment alone is not used ({DOCS_URL}/models.md)"
            ),
            Self::OtherEndpoint { .. } => {
                "change EMBEDDINGS_URL and EMBEDDINGS_MODEL there, or remove them".to_owned()
            }
            Self::DecidedElsewhere { .. } => {
                "write `model = \"remote\"` and the table [remote] there, or remove that file if you do not use it".to_owned()
            }
            Self::InvalidEnvFile { .. } => {
                "correct the line: NAME=VALUE, a value with spaces or `$` between single quotes".to_owned()
            }
            Self::HubUnreachable { .. } => {
                "`hub` in the configuration, or HF_ENDPOINT, names another hub; where there is no network, `session-search model import NAME --from FOLDER` takes files that you bring".to_owned()
            }
            Self::Offline { name } => format!(
                "unset HF_HUB_OFFLINE, or bring the files: `session-search model import {name} --from FOLDER`"
            ),
            Self::HubStatus { status: 401 | 403, .. } => {
                "the repository asks for a token: set HF_TOKEN; it is sent by https, to the public hub and one that the configuration names (`hub`)".to_owned()
            }
            Self::HubStatus { status: 429, .. } => {
                "the hub gets too many requests: try again later; with a token (HF_TOKEN) it allows more".to_owned()
            }
            Self::HubStatus { status: 500.., .. } => {
                "the hub has an error of its own: try again later".to_owned()
            }
            Self::HubStatus { .. } => {
                "see that `repo`, `revision` and `files` of its description are right".to_owned()
            }
            Self::InvalidHubAnswer { .. } => {
                "the model was not installed; see that `hub` in the configuration, or HF_ENDPOINT, names a model hub".to_owned()
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
