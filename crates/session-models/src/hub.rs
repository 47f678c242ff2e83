//! The model hub: where it is, and what its answers mean.

use crate::ModelError;
use hf_hub::api::sync::{Api, ApiBuilder, ApiError};
use hf_hub::{Cache, CacheRepo, Repo, RepoType};
use session_embed::ModelSpec;
use std::io::Error;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How the hub is reached. Nothing is asked of it but by [`crate::Catalogue::pull`].
#[derive(Debug, Clone)]
pub struct Hub {
    /// Address: `HF_ENDPOINT`, else the public hub.
    pub endpoint: String,
    /// Folder of the hub's own programs with what they downloaded.
    pub cache: PathBuf,
    /// Download into that folder, too: `HF_HOME` names it.
    pub into_cache: bool,
    /// Ask nothing: `HF_HUB_OFFLINE`.
    pub offline: bool,
    /// Sent as a bearer token: `HF_TOKEN`, else what `hf auth login` wrote.
    pub token: Option<String>,
    /// How long to wait for the next byte.
    pub patience: Duration,
    /// How long to wait before going on with a download that broke off, the
    /// first time.
    pub pause: Duration,
}

impl Hub {
    /// The hub of who lives in `home` and has these variables.
    pub fn of(home: &Path, var: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name| var(name).filter(|value| !value.is_empty());
        let named = set("HF_HOME").map(PathBuf::from);
        let into_cache = named.is_some();
        let cache = named
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
            patience: Duration::from_secs(20),
            pause: Duration::from_secs(1),
        }
    }

    /// The hub's interface, keeping what it downloads in a folder.
    pub(crate) fn api(&self, cache: PathBuf) -> Result<Api, ModelError> {
        let builder = ApiBuilder::from_cache(Cache::new(cache))
            .with_endpoint(self.endpoint.clone())
            .with_token(self.token.clone())
            .with_progress(false)
            .with_user_agent("session-search", env!("CARGO_PKG_VERSION"));
        builder.build().map_err(|error| self.unreachable(&error))
    }

    /// What an error of the hub means to the user.
    pub(crate) fn explain(&self, url: &str, error: ApiError) -> ModelError {
        match status(&error) {
            Some(status) => ModelError::Refused {
                url: url.to_owned(),
                status,
            },
            None if is_of_disk(&error) => ModelError::Io(Error::other(error)),
            None => self.unreachable(&error),
        }
    }

    fn unreachable(&self, error: &ApiError) -> ModelError {
        ModelError::Unreachable {
            endpoint: self.endpoint.clone(),
            reason: error.to_string(),
        }
    }
}

/// The status of an answer that is none.
fn status(error: &ApiError) -> Option<u16> {
    match error {
        ApiError::RequestError(error) => match **error {
            ureq::Error::StatusCode(status) => Some(status),
            _ => None,
        },
        _ => None,
    }
}

/// True for errors of our own folders, which asking again does not mend. The
/// network's come by the same type, but with other kinds.
fn is_of_disk(error: &ApiError) -> bool {
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

/// True where going on may succeed: the connection broke, or the server is busy.
pub fn is_passing(error: &ApiError) -> bool {
    match status(error) {
        Some(status) => status == 429 || status >= 500,
        None => !is_of_disk(error),
    }
}

/// The repository of a model.
pub fn repo(spec: &ModelSpec) -> Repo {
    Repo::with_revision(spec.repo.clone(), RepoType::Model, spec.revision.clone())
}

/// What a cache holds of a model's repository.
pub fn cached(cache: &Path, spec: &ModelSpec) -> CacheRepo {
    Cache::new(cache.to_owned()).repo(repo(spec))
}

/// The SHA-256 that the hub states for a file: that of a large file is its
/// ETag; a small one has another digest there.
pub fn stated(etag: &str) -> Option<&str> {
    let is_digest = etag.len() == 64 && etag.bytes().all(|c| c.is_ascii_hexdigit());
    is_digest.then_some(etag)
}
