//! Download of a model's files from the hub.

use crate::hub_cache::{HubCache, PartialBlob, sha256_from_etag};
use crate::hub_client::{HubClient, HubError, StatedFile};
use crate::hub_config::HubConfig;
use crate::idle_timeout::{DownloadProgress, WorkerFailure, run_with_idle_timeout};
use crate::manifest::{FetchedFile, ModelManifest};
use crate::staging::{StagingDirectory, check_sha256};
use crate::{Catalogue, FileProgress, ModelError, sha256};
use session_embed::{ModelFile, ModelSpec};
use std::path::{Path, PathBuf};

/// Maximum number of attempts to download a file in one run.
const MAX_ATTEMPTS: u32 = 6;
/// Maximum length of a file of a model whose description states no size, in bytes.
const MAX_FILE_BYTES: u64 = 64 << 30;
/// Length that a file may always have, in bytes: what a description states is a round figure.
const SPARE_FILE_BYTES: u64 = 64 << 20;

impl Catalogue {
    /// Installs a model from the hub, or from the cache of the hub's own programs.
    ///
    /// An interrupted download is resumed. Each file is checked against its pinned SHA-256 and
    /// against the one that the hub states. An installed model is replaced only when the new
    /// one opens. An installed model that verifies is left as it is.
    ///
    /// # Errors
    /// [`ModelError::HubUnreachable`] and [`ModelError::Offline`] when there is no hub,
    /// [`ModelError::HubStatus`] when it does not serve a file, [`ModelError::InvalidHubAnswer`]
    /// when it states what cannot be, [`ModelError::HashMismatch`] when a file has another SHA-256, [`ModelError::Interrupted`] when a download could not
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
        if let Some(note) = hub.download_note() {
            progress.note(&note);
        }
        let staging = StagingDirectory::open(self.directories(), name)?;
        match fetch_files(&staging, spec, hub, progress) {
            Ok(manifest) => staging.install(spec, &manifest),
            Err(error) => {
                staging.leave();
                Err(error)
            }
        }
    }
}

/// Fetches and stages all files of a model.
fn fetch_files(
    staging: &StagingDirectory,
    spec: &ModelSpec,
    hub: &HubConfig,
    progress: &dyn FileProgress,
) -> Result<ModelManifest, ModelError> {
    let cache = if hub.into_cache {
        HubCache::new(&hub.cache, spec)
    } else {
        HubCache::new(&staging.download_cache(), spec)
    };
    let client = HubClient::new(hub);
    let mut manifest = ModelManifest {
        from: format!("{}/{}@{}", hub.shown_endpoint(), spec.repo, spec.revision),
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
        let verified = download.fetch_verified(&client, &cache)?;
        paths.push(verified.path);
        manifest.files.push(verified.file);
    }
    for (file, path) in spec.files.iter().zip(&paths) {
        staging.move_or_link(file, path)?;
    }
    Ok(manifest)
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

/// Why a file was not downloaded to its end.
enum DownloadFailure {
    /// The hub refused it, or the connection or the partial file failed.
    Hub(HubError),
    /// The thread that downloads gave no result.
    Worker(WorkerFailure),
}

impl FileDownload<'_> {
    /// Returns the file from a cache, else downloads it.
    fn fetch_verified(
        &self,
        client: &HubClient,
        cache: &HubCache,
    ) -> Result<VerifiedFile, ModelError> {
        for path in self.cached_paths(cache) {
            match self.verify(&path) {
                Err(ModelError::HashMismatch { .. }) => {} // downloaded again
                result => return result,
            }
        }
        let downloaded = self.download_with_retries(client, cache)?;
        match self.verify_or_delete(&downloaded.path) {
            // The resumed part may have been the beginning of another version of the file.
            Err(ModelError::HashMismatch { .. }) if downloaded.resumed => {
                let downloaded = self.download_with_retries(client, cache)?;
                self.verify_or_delete(&downloaded.path)
            }
            result => result,
        }
    }

    /// Lists the paths of the file in this cache and in the cache of the hub's own programs.
    fn cached_paths(&self, cache: &HubCache) -> Vec<PathBuf> {
        let of_programs = HubCache::new(&self.hub.cache, self.spec);
        let found = [cache, &of_programs].map(|cache| cache.find(&self.file.path));
        found.into_iter().flatten().collect()
    }

    /// Verifies a downloaded file, and deletes it when its SHA-256 is wrong.
    fn verify_or_delete(&self, path: &Path) -> Result<VerifiedFile, ModelError> {
        let result = self.verify(path);
        if let Err(ModelError::HashMismatch { .. }) = result {
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
        let of_hub = sha256_from_etag(&name);
        for expected in [self.file.sha256.as_deref(), of_hub.as_deref()] {
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
    fn download_with_retries(
        &self,
        client: &HubClient,
        cache: &HubCache,
    ) -> Result<DownloadedFile, ModelError> {
        if self.hub.offline {
            return Err(ModelError::Offline {
                name: self.spec.name.clone(),
            });
        }
        let url = self.hub.file_url(self.spec, &self.file.path);
        let stated = self.fetch_metadata(client, &url)?;
        let partial = cache.lock_blob(&stated.etag, &self.spec.name)?;
        let resumed = self.complete_partial(client, &url, &stated, &partial)?;
        let path = cache.link(&partial.complete()?, &stated.commit, &self.file.path)?;
        Ok(DownloadedFile { path, resumed })
    }

    /// Downloads into a partial file until it has its length. Returns true when some of it was there
    /// before the last attempt.
    fn complete_partial(
        &self,
        client: &HubClient,
        url: &str,
        stated: &StatedFile,
        partial: &PartialBlob,
    ) -> Result<bool, ModelError> {
        if partial.bytes() > stated.size {
            partial.delete()?;
        }
        for attempt in 0..MAX_ATTEMPTS {
            let before = partial.bytes();
            if before == stated.size && before > 0 {
                return Ok(true);
            }
            let to = partial.open()?;
            let reason = match self.download(client, url, to, stated.size) {
                Ok(()) => return Ok(before > 0),
                Err(DownloadFailure::Hub(error)) if error.is_retryable() => error.to_string(),
                Err(DownloadFailure::Hub(error)) => {
                    if matches!(error, HubError::Invalid(_)) {
                        partial.delete()?;
                    }
                    return Err(self.hub.to_model_error(url, error));
                }
                Err(DownloadFailure::Worker(failure)) => {
                    return Err(self.interrupted(self.failure_reason(&failure)));
                }
            };
            let is_stuck = partial.bytes() <= before && attempt >= 2;
            if is_stuck || attempt + 1 == MAX_ATTEMPTS {
                return Err(self.interrupted(reason));
            }
            std::thread::sleep(self.hub.initial_backoff * 2u32.pow(attempt));
        }
        Err(self.interrupted("it was not tried".to_owned()))
    }

    /// Requests the file's size, ETag and commit from the hub.
    fn fetch_metadata(&self, client: &HubClient, url: &str) -> Result<StatedFile, ModelError> {
        let (client, file_url) = (client.clone(), url.to_owned());
        let response = run_with_idle_timeout(self.hub.idle_timeout, &|_| (), move |_| {
            client.fetch_metadata(&file_url)
        });
        match response {
            Ok(response) => response
                .and_then(|stated| self.check_size(stated))
                .map_err(|error| self.hub.to_model_error(url, error)),
            Err(failure) => Err(ModelError::HubUnreachable {
                endpoint: self.hub.shown_endpoint(),
                reason: self.failure_reason(&failure),
            }),
        }
    }

    /// Checks that a file has at most twice the size that the description states for the whole model.
    fn check_size(&self, stated: StatedFile) -> Result<StatedFile, HubError> {
        let limit = self.spec.bytes.map_or(MAX_FILE_BYTES, |bytes| {
            bytes.saturating_mul(2).saturating_add(SPARE_FILE_BYTES)
        });
        let size = stated.size;
        if size <= limit {
            Ok(stated)
        } else {
            Err(HubError::Invalid(format!(
                "it states {size} bytes, and the description of the model allows {limit}"
            )))
        }
    }

    fn download(
        &self,
        client: &HubClient,
        url: &str,
        mut to: std::fs::File,
        size: u64,
    ) -> Result<(), DownloadFailure> {
        let (client, url) = (client.clone(), url.to_owned());
        let on_progress = |progress: DownloadProgress| match progress {
            DownloadProgress::Started { total, done } => {
                self.progress.start_file(&self.file.path, total, done);
            }
            DownloadProgress::Received(bytes) => self.progress.advance(bytes),
        };
        let downloaded =
            run_with_idle_timeout(self.hub.idle_timeout, &on_progress, move |reporter| {
                client.download(&url, &mut to, size, reporter)
            });
        downloaded
            .map_err(DownloadFailure::Worker)?
            .map_err(DownloadFailure::Hub)
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
