//! Staging directories: a model's files are collected in one that is never opened as a model,
//! and one rename makes it the model's directory when they are complete.

use crate::manifest::{FetchedFile, MANIFEST_FILE, ModelManifest};
use crate::{FileProgress, ModelError, UserDirectories, sha256};
use session_embed::{ModelFile, ModelSpec};
use session_files::{Dir, Lock, private};
use std::path::{Path, PathBuf};

/// The locked staging directory of a model, next to the model's directory.
pub(crate) struct StagingDirectory {
    model: String,
    path: PathBuf,
    target: PathBuf,
    /// Held until dropped. Its file stays: another process may wait for it, and a third one would lock a new file.
    _lock: Lock,
}

/// Returns the path of a model's staging directory. An interrupted download leaves files
/// there, and the next one resumes it.
pub(crate) fn staging_path(directories: &UserDirectories, name: &str) -> PathBuf {
    directories.models_dir().join(format!(".{name}.partial"))
}

impl StagingDirectory {
    /// Locks the staging directory, and creates it unless an earlier run left one. A model that a killed run had taken
    /// out of the way of its replacement is put back.
    ///
    /// # Errors
    /// [`ModelError::Locked`] when another process holds the lock.
    pub(crate) fn open(directories: &UserDirectories, name: &str) -> Result<Self, ModelError> {
        let path = staging_path(directories, name);
        private::create_directory(&path)?;
        let lock_file = format!(".{name}.lock");
        let Some(lock) = Lock::try_lock(&Dir::open(&directories.models_dir())?, &lock_file)? else {
            let name = name.to_owned();
            return Err(ModelError::Locked { name });
        };
        let staging = Self {
            model: name.to_owned(),
            path,
            target: directories.model_dir(name),
            _lock: lock,
        };
        staging.settle_replaced();
        Ok(staging)
    }

    /// Returns the path of the model that is being replaced, between the two renames.
    fn replaced_path(&self) -> PathBuf {
        self.target.with_file_name(format!(".{}.old", self.model))
    }

    /// Deletes the replaced model, or puts it back if its replacement is missing. The next run tries again after an error.
    fn settle_replaced(&self) {
        let old = self.replaced_path();
        let _ = if self.target.exists() {
            fs_err::remove_dir_all(old)
        } else {
            fs_err::rename(old, &self.target)
        };
    }

    /// Returns the staged path of a file and creates the directory that contains it.
    pub(crate) fn create_parent(&self, file: &ModelFile) -> Result<PathBuf, ModelError> {
        let path = self.path.join(&file.path);
        private::create_directory(path.parent().unwrap_or(&self.path))?;
        Ok(path)
    }

    /// Returns the path of the download cache within the staging directory.
    pub(crate) fn download_cache(&self) -> PathBuf {
        self.path.join(".hub")
    }

    /// Stages a downloaded file: moves it from the staging directory's own cache, or links to
    /// it in the hub's cache.
    pub(crate) fn move_or_link(&self, file: &ModelFile, from: &Path) -> Result<(), ModelError> {
        let to = self.create_parent(file)?;
        let _ = fs_err::remove_file(&to); // of a run that was killed
        if from.starts_with(fs_err::canonicalize(&self.path)?) {
            fs_err::rename(from, &to)?;
            drop(private::open(&to)?);
            return Ok(());
        }
        match fs_err::hard_link(from, &to) {
            Ok(()) => Ok(()),
            Err(_) => Ok(symlink_or_copy(from, &to)?), // on another file system
        }
    }

    /// Stages a copy of a file and checks it against its pinned SHA-256.
    pub(crate) fn copy_verified(
        &self,
        file: &ModelFile,
        from: &Path,
        progress: &dyn FileProgress,
    ) -> Result<FetchedFile, ModelError> {
        let bytes = fs_err::metadata(from)?.len();
        progress.start_file(&file.path, bytes, 0);
        let mut to = private::open(&self.create_parent(file)?)?;
        to.set_len(0)?;
        let sha256 = sha256::copy_and_hash(from, &mut to, progress)?;
        to.sync_all()?;
        check_sha256(from, file.sha256.as_deref(), &sha256)?;
        Ok(FetchedFile {
            path: file.path.clone(),
            bytes,
            sha256,
        })
    }

    /// Opens the model, writes its manifest, and replaces the model's directory with the staging
    /// directory.
    ///
    /// # Errors
    /// [`ModelError::Open`] when the files do not open as this model; they are deleted.
    pub(crate) fn install(
        self,
        spec: &ModelSpec,
        manifest: &ModelManifest,
    ) -> Result<(), ModelError> {
        let mut pinned = spec.clone();
        manifest.pin_unpinned_files(&mut pinned);
        if let Err(cause) = check_model_opens(pinned, &self.path) {
            let name = self.model.clone();
            self.discard()?;
            return Err(ModelError::Open { name, cause });
        }
        let _ = fs_err::remove_dir_all(self.download_cache()); // of a pull
        let text = serde_json::to_vec_pretty(manifest).map_err(std::io::Error::from)?;
        private::write(&self.path.join(MANIFEST_FILE), &text)?;
        let old = self.replaced_path();
        let _ = fs_err::remove_dir_all(&old); // of a run that was killed
        if self.target.exists() {
            fs_err::rename(&self.target, &old)?;
        }
        fs_err::rename(&self.path, &self.target)?;
        let _ = fs_err::remove_dir_all(&old); // what remains is removed by the next run
        Ok(())
    }

    /// Deletes the staging directory.
    pub(crate) fn discard(self) -> Result<(), ModelError> {
        Ok(fs_err::remove_dir_all(&self.path)?)
    }

    /// Leaves what was staged to the next run; a directory without files goes.
    pub(crate) fn leave(self) {
        let _ = fs_err::remove_dir(&self.path);
    }

    /// Deletes all staged files.
    pub(crate) fn clear(&self) -> Result<(), ModelError> {
        fs_err::remove_dir_all(&self.path)?;
        Ok(private::create_directory(&self.path)?)
    }
}

#[cfg(unix)]
fn symlink_or_copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs_err::os::unix::fs::symlink(from, to)
}

#[cfg(not(unix))]
fn symlink_or_copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs_err::copy(from, to).map(drop)
}

/// Opens the model in a directory and embeds a few words with it.
pub(crate) fn check_model_opens(
    spec: ModelSpec,
    directory: &Path,
) -> Result<(), session_embed::EmbedError> {
    let model = session_embed::open(spec, directory)?;
    model.embed_query("a few words").map(drop)
}

/// Compares a SHA-256 with the expected one, if there is one.
///
/// # Errors
/// [`ModelError::HashMismatch`] when they differ.
pub(crate) fn check_sha256(
    path: &Path,
    expected: Option<&str>,
    found: &str,
) -> Result<(), ModelError> {
    match expected {
        Some(expected) if expected != found => Err(ModelError::HashMismatch {
            path: path.to_owned(),
            expected: expected.to_owned(),
            found: found.to_owned(),
        }),
        _ => Ok(()),
    }
}
