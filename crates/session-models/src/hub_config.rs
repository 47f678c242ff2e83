//! Configuration of the model hub, and the meaning of its errors.

use crate::ModelError;
use hf_hub::api::sync::{Api, ApiBuilder, ApiError};
use hf_hub::{Cache, CacheRepo, Repo, RepoType};
use session_embed::ModelSpec;
use std::io::Error;
use std::path::{Path, PathBuf};
use std::time::Duration;

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
        let cache = hf_home
            .unwrap_or_else(|| home.join(".cache/huggingface"))
            .join("hub");
        let is_true = |value: String| {
            ["1", "on", "yes", "true"].contains(&value.to_ascii_lowercase().as_str())
        };
        let endpoint = set("HF_ENDPOINT").unwrap_or_else(|| "https://huggingface.co".to_owned());
        Self {
            endpoint: endpoint.trim_end_matches('/').to_owned(),
            into_cache,
            offline: set("HF_HUB_OFFLINE").is_some_and(is_true),
            token: set("HF_TOKEN").or_else(|| Cache::new(cache.clone()).token()),
            cache,
            idle_timeout: Duration::from_secs(20),
            initial_backoff: Duration::from_secs(1),
        }
    }

    /// Builds a client of the hub's API that downloads into `cache`.
    pub(crate) fn build_api(&self, cache: PathBuf) -> Result<Api, ModelError> {
        let builder = ApiBuilder::from_cache(Cache::new(cache))
            .with_endpoint(self.endpoint.clone())
            .with_token(self.token.clone())
            .with_progress(false)
            .with_user_agent("session-search", env!("CARGO_PKG_VERSION"));
        builder.build().map_err(|error| self.unreachable(&error))
    }

    /// Converts an API error for `url` into the error that the user sees.
    pub(crate) fn to_model_error(&self, url: &str, error: ApiError) -> ModelError {
        match http_status(&error) {
            Some(status) => ModelError::HubStatus {
                url: url.to_owned(),
                status,
            },
            None if is_file_system_error(&error) => ModelError::Io(Error::other(error)),
            None => self.unreachable(&error),
        }
    }

    fn unreachable(&self, error: &ApiError) -> ModelError {
        ModelError::HubUnreachable {
            endpoint: self.endpoint.clone(),
            reason: error.to_string(),
        }
    }
}

/// Returns the HTTP status of an error response.
fn http_status(error: &ApiError) -> Option<u16> {
    match error {
        ApiError::RequestError(error) => match **error {
            ureq::Error::StatusCode(status) => Some(status),
            _ => None,
        },
        _ => None,
    }
}

/// Returns true for errors of the local file system, which a retry does not fix. Network
/// errors have the same type, but other kinds.
fn is_file_system_error(error: &ApiError) -> bool {
    use std::io::ErrorKind::{
        NotADirectory, NotFound, PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull,
    };
    let kinds = [
        NotADirectory,
        NotFound,
        PermissionDenied,
        QuotaExceeded,
        ReadOnlyFilesystem,
        StorageFull,
    ];
    match error {
        ApiError::IoError(error) => kinds.contains(&error.kind()),
        ApiError::LockAcquisition(_) => true,
        _ => false,
    }
}

/// Returns true for errors that a retry may fix: the connection broke, or the server is busy.
pub fn is_retryable(error: &ApiError) -> bool {
    match http_status(error) {
        Some(status) => status == 429 || status >= 500,
        None => !is_file_system_error(error),
    }
}

/// Returns the hub repository of a model, at its revision.
pub fn hub_repo(spec: &ModelSpec) -> Repo {
    Repo::with_revision(spec.repo.clone(), RepoType::Model, spec.revision.clone())
}

/// Returns the part of a download cache that belongs to a model's repository.
pub fn cache_repo(cache: &Path, spec: &ModelSpec) -> CacheRepo {
    Cache::new(cache.to_owned()).repo(hub_repo(spec))
}

/// Returns the SHA-256 in an ETag of the hub. That of a large file is its SHA-256, that of a
/// small one is another hash.
pub fn sha256_from_etag(etag: &str) -> Option<&str> {
    let is_sha256 = etag.len() == 64 && etag.bytes().all(|c| c.is_ascii_hexdigit());
    is_sha256.then_some(etag)
}
