//! A model on its way: its files gather in a folder that nobody opens, and
//! become the model's folder at once when they are complete.

use crate::manifest::{Came, FILE, Manifest};
use crate::{Folders, ModelError, Progress, digest, open};
use session_embed::{ModelFile, ModelSpec};
use session_files::{Dir, Lock, private};
use std::path::{Path, PathBuf};

/// A folder beside the model's own, held by this process alone.
pub struct Staged {
    name: String,
    folder: PathBuf,
    target: PathBuf,
    lock_file: PathBuf,
    /// Held until dropped.
    _lock: Lock,
}

/// The folder in which a model's files gather. What an interrupted download
/// left there is gone on with.
pub fn folder_of(folders: &Folders, name: &str) -> PathBuf {
    folders.models().join(format!(".{name}.partial"))
}

impl Staged {
    /// Makes the folder, or finds what an earlier run left there.
    ///
    /// # Errors
    /// [`ModelError::Locked`] when another process has it.
    pub fn open(folders: &Folders, name: &str) -> Result<Self, ModelError> {
        let folder = folder_of(folders, name);
        private::create_directory(&folder)?;
        let lock_file = format!(".{name}.lock");
        let Some(lock) = Lock::attempt(&Dir::open(&folders.models())?, &lock_file)? else {
            let name = name.to_owned();
            return Err(ModelError::Locked { name });
        };
        Ok(Self {
            name: name.to_owned(),
            folder,
            target: folders.model(name),
            lock_file: folders.models().join(lock_file),
            _lock: lock,
        })
    }

    /// Where a file is to be put; its folder is there.
    pub fn place(&self, file: &ModelFile) -> Result<PathBuf, ModelError> {
        let path = self.folder.join(&file.path);
        private::create_directory(path.parent().unwrap_or(&self.folder))?;
        Ok(path)
    }

    /// Where downloads of it gather.
    pub fn downloads(&self) -> PathBuf {
        self.folder.join(".hub")
    }

    /// Takes a file that was downloaded: out of our own folder, or as a link to
    /// one in the hub's.
    pub fn take(&self, file: &ModelFile, from: &Path) -> Result<(), ModelError> {
        let to = self.place(file)?;
        let _ = fs_err::remove_file(&to); // of a run that was killed
        if from.starts_with(fs_err::canonicalize(&self.folder)?) {
            fs_err::rename(from, &to)?;
            drop(private::open(&to)?);
            return Ok(());
        }
        match fs_err::hard_link(from, &to) {
            Ok(()) => Ok(()),
            Err(_) => Ok(link(from, &to)?), // on another disk
        }
    }

    /// Copies a file there and compares it with its pin.
    pub fn copy(
        &self,
        file: &ModelFile,
        from: &Path,
        progress: &dyn Progress,
    ) -> Result<Came, ModelError> {
        let bytes = fs_err::metadata(from)?.len();
        progress.file(&file.path, bytes, 0);
        let mut to = private::open(&self.place(file)?)?;
        to.set_len(0)?;
        let sha256 = digest::copy(from, &mut to, progress)?;
        to.sync_all()?;
        check(from, file.sha256.as_deref(), &sha256)?;
        Ok(Came {
            path: file.path.clone(),
            bytes,
            sha256,
        })
    }

    /// Opens the model, writes down what came, and puts it in the place of what
    /// was there.
    ///
    /// # Errors
    /// [`ModelError::Open`] when the files are no such model; they are thrown away.
    pub fn install(self, spec: &ModelSpec, manifest: &Manifest) -> Result<(), ModelError> {
        let mut pinned = spec.clone();
        manifest.pin(&mut pinned);
        if let Err(why) = probe(pinned, &self.folder) {
            fs_err::remove_dir_all(&self.folder)?;
            let name = self.name.clone();
            return Err(ModelError::Open { name, why });
        }
        let _ = fs_err::remove_dir_all(self.downloads()); // of a pull
        let text = serde_json::to_vec_pretty(manifest).map_err(std::io::Error::from)?;
        private::write(&self.folder.join(FILE), &text)?;
        let old = self.target.with_file_name(format!(".{}.old", self.name));
        let _ = fs_err::remove_dir_all(&old); // of a run that was killed
        if self.target.exists() {
            fs_err::rename(&self.target, &old)?;
        }
        fs_err::rename(&self.folder, &self.target)?;
        let _ = fs_err::remove_dir_all(&old); // what stays is removed by the next
        Ok(())
    }

    /// Throws away what has gathered, and the folder.
    pub fn discard(self) -> Result<(), ModelError> {
        fs_err::remove_dir_all(&self.folder)?;
        let _ = fs_err::remove_file(&self.lock_file); // empty: harmless if it stays
        Ok(())
    }

    /// Throws away what has gathered.
    pub fn clear(&self) -> Result<(), ModelError> {
        fs_err::remove_dir_all(&self.folder)?;
        Ok(private::create_directory(&self.folder)?)
    }
}

#[cfg(unix)]
fn link(from: &Path, to: &Path) -> std::io::Result<()> {
    fs_err::os::unix::fs::symlink(from, to)
}

#[cfg(not(unix))]
fn link(from: &Path, to: &Path) -> std::io::Result<()> {
    fs_err::copy(from, to).map(drop)
}

/// Opens a model and embeds a few words with it.
pub fn probe(spec: ModelSpec, folder: &Path) -> Result<(), session_embed::EmbedError> {
    let model = open::from_folder(spec, folder)?;
    model.embed_query("a few words").map(drop)
}

/// Compares a digest with the one that was expected, if one was.
///
/// # Errors
/// [`ModelError::Digest`] when they differ.
pub fn check(path: &Path, expected: Option<&str>, found: &str) -> Result<(), ModelError> {
    match expected {
        Some(expected) if expected != found => Err(ModelError::Digest {
            path: path.to_owned(),
            expected: expected.to_owned(),
            found: found.to_owned(),
        }),
        _ => Ok(()),
    }
}
