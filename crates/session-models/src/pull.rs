//! Download of a model's files from the hub.

use crate::hub_config::{self, HubConfig};
use crate::idle_timeout::{DownloadProgress, WorkerFailure, run_with_idle_timeout};
use crate::manifest::{FetchedFile, ModelManifest};
use crate::staging::{StagingDirectory, check_sha256};
use crate::{Catalogue, FileProgress, ModelError, sha256};
use hf_hub::api::sync::{Api, ApiError, Metadata};
use session_embed::{ModelFile, ModelSpec};
use std::path::{Path, PathBuf};

/// Maximum number of attempts to download a file in one run.
const MAX_ATTEMPTS: u32 = 6;

impl Catalogue {
    /// Installs a model from the hub, or from the cache of the hub's own programs.
    ///
    /// An interrupted download is resumed. Each file is checked against its pinned SHA-256 and
    /// against the one that the hub states. An installed model is replaced only when the new
    /// one opens. One that verifies is left as it is.
    ///
    /// # Errors
    /// [`ModelError::HubUnreachable`] and [`ModelError::Offline`] when there is no hub,
    /// [`ModelError::HubStatus`] when it does not serve a file, [`ModelError::HashMismatch`]
    /// when a file has another SHA-256, [`ModelError::Interrupted`] when a download could not
    /// be resumed.
    pub fn pull(
        &self,
        name: &str,
        hub: &HubConfig,
        progress: &dyn FileProgress,
    ) -> Result<(), ModelError> {
        let spec = self.find_installable_spec(name)?;
        if self.verify(name, progress).is_ok() {
            return Ok(());
        }
        let staging = StagingDirectory::open(self.directories(), name)?;
        let cache = match hub.into_cache {
            true => hub.cache.clone(),
            false => staging.download_cache(),
        };
        let api = hub.build_api(cache.clone())?;
        let mut manifest = ModelManifest {
            from: format!("{}/{}@{}", hub.endpoint, spec.repo, spec.revision),
            files: Vec::new(),
        };
        let mut paths = Vec::new();
        for file in &spec.files {
            let download = FileDownload {
                spec,
                file,
                hub,
                progress,
            };
            let verified = download.fetch_verified(&api, &cache)?;
            paths.push(verified.path);
            manifest.files.push(verified.file);
        }
        for (file, path) in spec.files.iter().zip(&paths) {
            staging.move_or_link(file, path)?;
        }
        staging.install(spec, &manifest)
    }
}

/// The download of one file.
struct FileDownload<'a> {
    spec: &'a ModelSpec,
    file: &'a ModelFile,
    hub: &'a HubConfig,
    progress: &'a dyn FileProgress,
}

/// A file in a cache whose SHA-256 was checked.
struct VerifiedFile {
    /// Its canonical path.
    path: PathBuf,
    file: FetchedFile,
}

/// A file that was downloaded into a cache.
struct DownloadedFile {
    path: PathBuf,
    /// Whether the download resumed an earlier one.
    resumed: bool,
}

impl FileDownload<'_> {
    /// Returns the file from a cache, else downloads it.
    fn fetch_verified(&self, api: &Api, cache: &Path) -> Result<VerifiedFile, ModelError> {
        for path in self.cached_paths(cache) {
            match self.verify(&path) {
                Err(ModelError::HashMismatch { .. }) => {} // downloaded again
                result => return result,
            }
        }
        let downloaded = self.download_with_retries(api, cache)?;
        match self.verify_or_delete(&downloaded.path) {
            // The resumed part may have been the beginning of another version of the file.
            Err(ModelError::HashMismatch { .. }) if downloaded.resumed => {
                let downloaded = self.download_with_retries(api, cache)?;
                self.verify_or_delete(&downloaded.path)
            }
            result => result,
        }
    }

    /// Lists the paths of the file in this cache and in the cache of the hub's own programs.
    fn cached_paths(&self, cache: &Path) -> Vec<PathBuf> {
        let caches = [cache, &self.hub.cache];
        let found =
            caches.map(|cache| hub_config::cache_repo(cache, self.spec).get(&self.file.path));
        found.into_iter().flatten().collect()
    }

    /// Verifies a downloaded file, and deletes it when its SHA-256 is wrong.
    fn verify_or_delete(&self, path: &Path) -> Result<VerifiedFile, ModelError> {
        let result = self.verify(path);
        if let Err(ModelError::HashMismatch { .. }) = result {
            fs_err::remove_file(fs_err::canonicalize(path)?)?;
            fs_err::remove_file(path)?;
        }
        result
    }

    /// Checks the SHA-256 of a file against its pin and against the hub's ETag, which is the
    /// name of the file in the hub's caches.
    fn verify(&self, path: &Path) -> Result<VerifiedFile, ModelError> {
        let path = fs_err::canonicalize(path)?;
        let bytes = fs_err::metadata(&path)?.len();
        self.progress.start_file(&self.file.path, bytes, 0);
        let sha256 = sha256::hash_file(&path, self.progress)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        for expected in [
            self.file.sha256.as_deref(),
            hub_config::sha256_from_etag(&name),
        ] {
            check_sha256(Path::new(&self.file.path), expected, &sha256)?;
        }
        let file = FetchedFile {
            path: self.file.path.clone(),
            bytes,
            sha256,
        };
        Ok(VerifiedFile { path, file })
    }

    /// Downloads the file, and resumes the download where it is interrupted.
    fn download_with_retries(&self, api: &Api, cache: &Path) -> Result<DownloadedFile, ModelError> {
        if self.hub.offline {
            return Err(ModelError::Offline {
                name: self.spec.name.clone(),
            });
        }
        let repo = api.repo(hub_config::hub_repo(self.spec));
        let url = repo.url(&self.file.path);
        let metadata = self.fetch_metadata(api, &url)?;
        let partial = PartialDownload::new(cache, self.spec, &metadata);
        for attempt in 0..MAX_ATTEMPTS {
            partial.prepare_resume()?;
            let before = partial.bytes();
            let error = match self.download(api) {
                Ok(Ok(path)) if partial.is_complete(&path) => {
                    let resumed = before > 0;
                    return Ok(DownloadedFile { path, resumed });
                }
                Ok(Ok(path)) => {
                    partial.restore(&path)?;
                    "the answer was too short".to_owned()
                }
                Ok(Err(error)) if hub_config::is_retryable(&error) => error.to_string(),
                Ok(Err(error)) => return Err(self.hub.to_model_error(&url, error)),
                Err(failure) => return Err(self.interrupted(self.failure_reason(&failure))),
            };
            let is_stuck = partial.bytes() <= before && attempt >= 2;
            if is_stuck || attempt + 1 == MAX_ATTEMPTS {
                return Err(self.interrupted(error));
            }
            std::thread::sleep(self.hub.initial_backoff * 2u32.pow(attempt));
        }
        Err(self.interrupted("it was not tried".to_owned()))
    }

    /// Requests the file's size and ETag from the hub.
    fn fetch_metadata(&self, api: &Api, url: &str) -> Result<Metadata, ModelError> {
        let (api, file_url) = (api.clone(), url.to_owned());
        let response = run_with_idle_timeout(self.hub.idle_timeout, &|_| (), move |_| {
            api.metadata(&file_url)
        });
        match response {
            Ok(response) => response.map_err(|error| self.hub.to_model_error(url, error)),
            Err(failure) => Err(ModelError::HubUnreachable {
                endpoint: self.hub.endpoint.clone(),
                reason: self.failure_reason(&failure),
            }),
        }
    }

    fn download(&self, api: &Api) -> Result<Result<PathBuf, ApiError>, WorkerFailure> {
        let (repo, path) = (
            api.repo(hub_config::hub_repo(self.spec)),
            self.file.path.clone(),
        );
        let on_progress = |progress: DownloadProgress| match progress {
            DownloadProgress::Started { total, done } => {
                self.progress.start_file(&self.file.path, total, done);
            }
            DownloadProgress::Received(bytes) => self.progress.advance(bytes),
        };
        run_with_idle_timeout(self.hub.idle_timeout, &on_progress, move |reporter| {
            repo.download_with_progress(&path, reporter)
        })
    }

    fn failure_reason(&self, failure: &WorkerFailure) -> String {
        match failure {
            WorkerFailure::TimedOut => {
                let seconds = self.hub.idle_timeout.as_secs_f32();
                format!("nothing came for {seconds} s")
            }
            WorkerFailure::Panicked => "its answer makes no sense".to_owned(),
        }
    }

    fn interrupted(&self, reason: String) -> ModelError {
        ModelError::Interrupted {
            name: self.spec.name.clone(),
            file: self.file.path.clone(),
            reason,
        }
    }
}

/// The partial file into which the hub's client downloads.
struct PartialDownload {
    path: PathBuf,
    /// Length of the complete file in bytes.
    size: u64,
}

impl PartialDownload {
    fn new(cache: &Path, spec: &ModelSpec, metadata: &Metadata) -> Self {
        let blob = hub_config::cache_repo(cache, spec).blob_path(metadata.etag());
        Self {
            path: blob.with_extension("part"),
            size: metadata.size() as u64,
        }
    }

    fn bytes(&self) -> u64 {
        fs_err::metadata(&self.path).map_or(0, |meta| meta.len())
    }

    /// Makes the partial file resumable: removes one that is too long, and cuts the last byte
    /// off a complete one, because the range request would start after its end.
    fn prepare_resume(&self) -> Result<(), ModelError> {
        let bytes = self.bytes();
        if bytes > self.size {
            fs_err::remove_file(&self.path)?;
        } else if bytes == self.size && bytes > 0 {
            let file = fs_err::OpenOptions::new().write(true).open(&self.path)?;
            file.set_len(bytes - 1)?;
        }
        Ok(())
    }

    fn is_complete(&self, path: &Path) -> bool {
        fs_err::metadata(path).is_ok_and(|meta| meta.len() == self.size)
    }

    /// Turns a file that was cached as complete, but is too short, into a partial file again.
    fn restore(&self, path: &Path) -> Result<(), ModelError> {
        let blob = fs_err::canonicalize(path)?;
        fs_err::remove_file(path)?;
        Ok(fs_err::rename(blob, &self.path)?)
    }
}
