//! Configuration of the model hub, and the meaning of its errors.

use crate::ModelError;
use crate::hub_client::HubError;
use crate::remote::without_credentials;
use session_core::text::path_line;
use session_embed::ModelSpec;
use session_files::private;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// URL of the public hub.
const PUBLIC_HUB: &str = "https://huggingface.co";

/// How the model hub is reached. Only [`crate::Catalogue::pull`] connects to it.
#[derive(Debug, Clone)]
pub struct HubConfig {
    /// URL of the hub: `HF_ENDPOINT`, else the public hub.
    pub endpoint: String,
    /// Download cache of the hub's own programs.
    pub cache: PathBuf,
    /// Whether downloads are stored in this cache, too: true when `HF_HOME` is set.
    pub into_cache: bool,
    /// Whether `HF_HUB_OFFLINE` forbids requests.
    pub offline: bool,
    /// Bearer token: `HF_TOKEN`, else the one that `hf auth login` stored.
    pub token: Option<String>,
    /// Maximum time without a received byte.
    pub idle_timeout: Duration,
    /// Delay before an interrupted download is resumed the first time. It doubles with each
    /// attempt.
    pub initial_backoff: Duration,
}

impl HubConfig {
    /// Determines the configuration from the home directory and environment variables.
    pub fn from_environment(home: &Path, var: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name| var(name).filter(|value| !value.is_empty());
        let hf_home = set("HF_HOME").map(PathBuf::from);
        let into_cache = hf_home.is_some();
        let hf_home = hf_home.unwrap_or_else(|| home.join(".cache/huggingface"));
        let is_true = |value: String| {
            ["1", "on", "yes", "true"].contains(&value.to_ascii_lowercase().as_str())
        };
        let endpoint = set("HF_ENDPOINT").unwrap_or_else(|| PUBLIC_HUB.to_owned());
        Self {
            endpoint: path_line(Path::new(endpoint.trim_end_matches('/'))),
            into_cache,
            offline: set("HF_HUB_OFFLINE").is_some_and(is_true),
            token: set("HF_TOKEN").or_else(|| stored_token(&hf_home)),
            cache: hf_home.join("hub"),
            idle_timeout: Duration::from_secs(20),
            initial_backoff: Duration::from_secs(1),
        }
    }

    /// Returns the URL of the hub without the user and the password that it may hold.
    pub(crate) fn shown_endpoint(&self) -> String {
        without_credentials(&self.endpoint)
    }

    /// Returns what the user should know before files are downloaded: a hub that is not the public one can serve any vectors, and a
    /// project can set the variable that names it.
    pub(crate) fn download_note(&self) -> Option<String> {
        let endpoint = self.shown_endpoint();
        let is_other = !self.offline && endpoint != PUBLIC_HUB;
        is_other.then(|| format!("note: the model hub is {endpoint}, not {PUBLIC_HUB}"))
    }

    /// Returns the URL of a model's file.
    pub(crate) fn file_url(&self, spec: &ModelSpec, file: &str) -> String {
        let (endpoint, repo) = (&self.endpoint, &spec.repo);
        let revision = spec.revision.replace('/', "%2F");
        format!("{endpoint}/{repo}/resolve/{revision}/{file}")
    }

    /// Converts an error for `url` into the error that the user sees.
    pub(crate) fn to_model_error(&self, url: &str, error: HubError) -> ModelError {
        let url = without_credentials(url);
        match error {
            HubError::Status(status) => ModelError::HubStatus { url, status },
            HubError::Invalid(reason) => ModelError::InvalidHubAnswer { url, reason },
            HubError::Connection(reason) => ModelError::HubUnreachable {
                endpoint: self.shown_endpoint(),
                reason,
            },
            HubError::File(error) => error,
        }
    }
}

/// Reads the token that `hf auth login` stored.
fn stored_token(hf_home: &Path) -> Option<String> {
    let text = private::read_text(&hf_home.join("token"), 4096).ok()??;
    Some(text.trim().to_owned()).filter(|token| !token.is_empty())
}
