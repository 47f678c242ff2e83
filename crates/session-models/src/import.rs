//! Import of a model's files from a directory of the user's.

use crate::manifest::ModelManifest;
use crate::staging::StagingDirectory;
use crate::{Catalogue, FileProgress, ModelError};
use session_embed::{ModelFile, ModelSpec};
use std::path::{Path, PathBuf};

impl Catalogue {
    /// Installs a model from files in the directory `from`, or from the file `from` and its
    /// siblings.
    ///
    /// A file is found by its path in the repository, else by its name. An installed model is
    /// replaced only when the new one opens.
    ///
    /// # Errors
    /// [`ModelError::MissingFiles`] when files are missing, [`ModelError::HashMismatch`] when
    /// one differs from its pin, [`ModelError::Open`] when they do not open as this model.
    pub fn import(
        &self,
        name: &str,
        from: &Path,
        progress: &dyn FileProgress,
    ) -> Result<(), ModelError> {
        let spec = self.find_installable_spec(name)?;
        let paths = find_model_files(spec, from)?;
        let staging = StagingDirectory::open(self.directories(), name)?;
        staging.clear()?;
        let from = std::path::absolute(from)?.display().to_string();
        let files = spec.files.iter().zip(&paths);
        let files = files.map(|(file, path)| staging.copy_verified(file, path, progress));
        match files.collect() {
            Ok(files) => staging.install(spec, &ModelManifest { from, files }),
            Err(error) => {
                staging.discard()?;
                Err(error)
            }
        }
    }
}

fn find_model_files(spec: &ModelSpec, from: &Path) -> Result<Vec<PathBuf>, ModelError> {
    let required = || spec.files.iter().map(|file| file.path.clone()).collect();
    if !fs_err::exists(from)? {
        return Err(ModelError::MissingSource {
            from: from.to_owned(),
            required: required(),
        });
    }
    let (found, missing): (Vec<_>, Vec<_>) = spec
        .files
        .iter()
        .map(|file| find_model_file(spec, file, from).ok_or_else(|| file.path.clone()))
        .partition(Result::is_ok);
    if missing.is_empty() {
        return Ok(found.into_iter().flatten().collect());
    }
    Err(ModelError::MissingFiles {
        from: from.to_owned(),
        missing: missing.into_iter().filter_map(Result::err).collect(),
        required: required(),
    })
}

/// Finds a file of the model.
///
/// Where `from` is a file, it may have any name if only one file of the model has its
/// extension.
fn find_model_file(spec: &ModelSpec, file: &ModelFile, from: &Path) -> Option<PathBuf> {
    let path = Path::new(&file.path);
    let name = path.file_name()?;
    if from.is_dir() {
        let candidates = [from.join(path), from.join(name)];
        return candidates.into_iter().find(|path| path.is_file());
    }
    let same_extension = spec
        .files
        .iter()
        .filter(|f| file_extension(&f.path) == file_extension(&file.path));
    if from.extension() == path.extension() && same_extension.count() == 1 {
        return Some(from.to_owned());
    }
    Some(from.parent()?.join(name)).filter(|path| path.is_file())
}

fn file_extension(path: &str) -> Option<&std::ffi::OsStr> {
    Path::new(path).extension()
}
