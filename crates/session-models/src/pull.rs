//! Models from the hub.

use crate::hub::{self, Hub};
use crate::manifest::{Came, Manifest};
use crate::staged::{Staged, check};
use crate::watch::{Lost, watched};
use crate::{Catalogue, ModelError, Progress, digest};
use hf_hub::api::sync::{Api, ApiError, Metadata};
use session_embed::{ModelFile, ModelSpec};
use std::path::{Path, PathBuf};

/// How often a download that broke off is gone on with at once.
const TRIES: u32 = 6;

impl Catalogue {
    /// Downloads a model's files, or takes them from what the hub's own programs
    /// downloaded. An interrupted download is gone on with. Each file is compared
    /// with its pin and with the SHA-256 that the hub states; what was here is
    /// replaced when the new one opens, not before.
    ///
    /// # Errors
    /// [`ModelError::Unreachable`] and [`ModelError::Offline`] when there is no hub,
    /// [`ModelError::Refused`] when it has no such file, [`ModelError::Digest`] when a
    /// file is another one, [`ModelError::Interrupted`] when it did not come to its
    /// end. A model that is here as it came is left as it is.
    pub fn pull(&self, name: &str, hub: &Hub, progress: &dyn Progress) -> Result<(), ModelError> {
        let spec = self.described(name)?;
        if self.verify(name, progress).is_ok() {
            return Ok(());
        }
        let staged = Staged::open(self.folders(), name)?;
        let cache = match hub.into_cache {
            true => hub.cache.clone(),
            false => staged.downloads(),
        };
        let api = hub.api(cache.clone())?;
        let mut manifest = Manifest {
            from: format!("{}/{}@{}", hub.endpoint, spec.repo, spec.revision),
            files: Vec::new(),
        };
        let mut fetched = Vec::new();
        for file in &spec.files {
            let pull = Pull {
                spec,
                file,
                hub,
                progress,
            };
            let (path, came) = pull.run(&api, &cache)?;
            fetched.push(path);
            manifest.files.push(came);
        }
        for (file, path) in spec.files.iter().zip(&fetched) {
            staged.take(file, path)?;
        }
        staged.install(spec, &manifest)
    }
}

/// A file on its way.
struct Pull<'a> {
    spec: &'a ModelSpec,
    file: &'a ModelFile,
    hub: &'a Hub,
    progress: &'a dyn Progress,
}

impl Pull<'_> {
    /// Gives the file, wherever it lies, and what it is.
    fn run(&self, api: &Api, cache: &Path) -> Result<(PathBuf, Came), ModelError> {
        for path in self.known(cache) {
            match self.checked(&path) {
                Err(ModelError::Digest { .. }) => {} // fetched anew
                checked => return checked,
            }
        }
        let (path, resumed) = self.fetch(api, cache)?;
        match self.fetched(&path) {
            // What was gone on with may have been the beginning of another file.
            Err(ModelError::Digest { .. }) if resumed => {
                let (path, _) = self.fetch(api, cache)?;
                self.fetched(&path)
            }
            checked => checked,
        }
    }

    /// The file as an earlier run, or the hub's own programs, left it.
    fn known(&self, cache: &Path) -> Vec<PathBuf> {
        let caches = [cache, &self.hub.cache];
        let found = caches.map(|cache| hub::cached(cache, self.spec).get(&self.file.path));
        found.into_iter().flatten().collect()
    }

    /// Checks a file that came just now; another one is thrown away.
    fn fetched(&self, path: &Path) -> Result<(PathBuf, Came), ModelError> {
        let checked = self.checked(path);
        if let Err(ModelError::Digest { .. }) = checked {
            fs_err::remove_file(fs_err::canonicalize(path)?)?;
            fs_err::remove_file(path)?;
        }
        checked
    }

    /// Compares a file with its pin and with what the hub says of it: the hub's
    /// caches name it by its digest.
    fn checked(&self, path: &Path) -> Result<(PathBuf, Came), ModelError> {
        let path = fs_err::canonicalize(path)?;
        let bytes = fs_err::metadata(&path)?.len();
        self.progress.file(&self.file.path, bytes, 0);
        let sha256 = digest::of_file(&path, self.progress)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        for pin in [self.file.sha256.as_deref(), hub::stated(&name)] {
            check(Path::new(&self.file.path), pin, &sha256)?;
        }
        let came = Came {
            path: self.file.path.clone(),
            bytes,
            sha256,
        };
        Ok((path, came))
    }

    /// Downloads the file, going on where it breaks off. Says, too, whether it
    /// went on with something.
    fn fetch(&self, api: &Api, cache: &Path) -> Result<(PathBuf, bool), ModelError> {
        if self.hub.offline {
            return Err(ModelError::Offline {
                name: self.spec.name.clone(),
            });
        }
        let repo = api.repo(hub::repo(self.spec));
        let url = repo.url(&self.file.path);
        let meta = self.ask(api, &url)?;
        let parts = Parts::of(cache, self.spec, &meta);
        for attempt in 0..TRIES {
            parts.mend()?;
            let before = parts.bytes();
            let error = match self.download(api) {
                Ok(Ok(path)) if parts.is_whole(&path) => return Ok((path, before > 0)),
                Ok(Ok(path)) => {
                    parts.reopen(&path)?;
                    "the answer was too short".to_owned()
                }
                Ok(Err(error)) if hub::is_passing(&error) => error.to_string(),
                Ok(Err(error)) => return Err(self.hub.explain(&url, error)),
                Err(lost) => return Err(self.interrupted(&lost)),
            };
            let is_stuck = parts.bytes() <= before && attempt >= 2;
            if is_stuck || attempt + 1 == TRIES {
                return Err(self.broke_off(error));
            }
            std::thread::sleep(self.hub.pause * 2u32.pow(attempt));
        }
        Err(self.broke_off("it was not tried".to_owned()))
    }

    /// What the hub says of the file, before its content.
    fn ask(&self, api: &Api, url: &str) -> Result<Metadata, ModelError> {
        let (api, asked) = (api.clone(), url.to_owned());
        let answer = watched(self.hub.patience, &|_, _| (), move |_| api.metadata(&asked));
        match answer {
            Ok(answer) => answer.map_err(|error| self.hub.explain(url, error)),
            Err(lost) => Err(ModelError::Unreachable {
                endpoint: self.hub.endpoint.clone(),
                reason: self.reason(&lost),
            }),
        }
    }

    fn download(&self, api: &Api) -> Result<Result<PathBuf, ApiError>, Lost> {
        let (repo, path) = (api.repo(hub::repo(self.spec)), self.file.path.clone());
        let heard = |total: Option<u64>, bytes: u64| match total {
            Some(total) => self.progress.file(&self.file.path, total, bytes),
            None => self.progress.advance(bytes),
        };
        watched(self.hub.patience, &heard, move |reporter| {
            repo.download_with_progress(&path, reporter)
        })
    }

    fn reason(&self, lost: &Lost) -> String {
        match lost {
            Lost::Silent => format!("nothing came for {} s", self.hub.patience.as_secs_f32()),
            Lost::Broken => "its answer makes no sense".to_owned(),
        }
    }

    fn interrupted(&self, lost: &Lost) -> ModelError {
        self.broke_off(self.reason(lost))
    }

    fn broke_off(&self, reason: String) -> ModelError {
        ModelError::Interrupted {
            name: self.spec.name.clone(),
            file: self.file.path.clone(),
            reason,
        }
    }
}

/// Where the hub's interface gathers a file.
struct Parts {
    part: PathBuf,
    size: u64,
}

impl Parts {
    fn of(cache: &Path, spec: &ModelSpec, meta: &Metadata) -> Self {
        let blob = hub::cached(cache, spec).blob_path(meta.etag());
        Self {
            part: blob.with_extension("part"),
            size: meta.size() as u64,
        }
    }

    fn bytes(&self) -> u64 {
        fs_err::metadata(&self.part).map_or(0, |meta| meta.len())
    }

    /// Makes a part such that it can be gone on with: one that is whole already
    /// would ask for bytes beyond the end, and one that is longer is no part.
    fn mend(&self) -> Result<(), ModelError> {
        let bytes = self.bytes();
        if bytes > self.size {
            fs_err::remove_file(&self.part)?;
        } else if bytes == self.size && bytes > 0 {
            let file = fs_err::OpenOptions::new().write(true).open(&self.part)?;
            file.set_len(bytes - 1)?;
        }
        Ok(())
    }

    fn is_whole(&self, path: &Path) -> bool {
        fs_err::metadata(path).is_ok_and(|meta| meta.len() == self.size)
    }

    /// Turns what was taken for the whole file into a part again.
    fn reopen(&self, path: &Path) -> Result<(), ModelError> {
        let blob = fs_err::canonicalize(path)?;
        fs_err::remove_file(path)?;
        Ok(fs_err::rename(blob, &self.part)?)
    }
}
