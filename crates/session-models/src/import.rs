//! Models that a user brings by hand.

use crate::manifest::Manifest;
use crate::staged::Staged;
use crate::{Catalogue, ModelError, Progress};
use session_embed::{ModelFile, ModelSpec};
use std::path::{Path, PathBuf};

impl Catalogue {
    /// Copies a model's files from a folder, or from a file and what lies
    /// beside it. A file is looked for by its path in the repository, then by
    /// its name. What was here is replaced when the new one opens, not before.
    ///
    /// # Errors
    /// [`ModelError::Lacking`] when files are missing, [`ModelError::Digest`]
    /// when one is not the pinned one, [`ModelError::Open`] when they are no such
    /// model.
    pub fn import(
        &self,
        name: &str,
        from: &Path,
        progress: &dyn Progress,
    ) -> Result<(), ModelError> {
        let spec = self.described(name)?;
        let found = find_all(spec, from)?;
        let staged = Staged::open(self.folders(), name)?;
        staged.clear()?;
        let mut manifest = Manifest {
            from: std::path::absolute(from)?.display().to_string(),
            files: Vec::new(),
        };
        for (file, path) in spec.files.iter().zip(&found) {
            manifest.files.push(staged.copy(file, path, progress)?);
        }
        staged.install(spec, &manifest)
    }
}

fn find_all(spec: &ModelSpec, from: &Path) -> Result<Vec<PathBuf>, ModelError> {
    fs_err::metadata(from)?;
    let (found, missing): (Vec<_>, Vec<_>) = spec
        .files
        .iter()
        .map(|file| find(spec, file, from).ok_or_else(|| file.path.clone()))
        .partition(Result::is_ok);
    if missing.is_empty() {
        return Ok(found.into_iter().flatten().collect());
    }
    Err(ModelError::Lacking {
        from: from.to_owned(),
        missing: missing.into_iter().filter_map(Result::err).collect(),
        wanted: spec.files.iter().map(|file| file.path.clone()).collect(),
    })
}

/// The file itself may have any name if its ending says which one it is.
fn find(spec: &ModelSpec, file: &ModelFile, from: &Path) -> Option<PathBuf> {
    let path = Path::new(&file.path);
    let name = path.file_name()?;
    if from.is_dir() {
        let places = [from.join(path), from.join(name)];
        return places.into_iter().find(|place| place.is_file());
    }
    let is_alone = spec
        .files
        .iter()
        .filter(|f| ending(&f.path) == ending(&file.path));
    if from.extension() == path.extension() && is_alone.count() == 1 {
        return Some(from.to_owned());
    }
    Some(from.parent()?.join(name)).filter(|place| place.is_file())
}

fn ending(path: &str) -> Option<&std::ffi::OsStr> {
    Path::new(path).extension()
}
