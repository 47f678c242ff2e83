//! Verification and removal of installed models.

use crate::bundled::open_bundled;
use crate::manifest::ModelManifest;
use crate::staging::{StagingDirectory, check_model_opens, check_sha256};
use crate::{Catalogue, FileProgress, ModelError, ModelState, sha256};
use session_embed::{Architecture, EmbedError, ModelSpec};

impl Catalogue {
    /// Verifies a model: checks the SHA-256 of each file against its pin and against the
    /// manifest, and embeds a few words.
    ///
    /// # Errors
    /// [`ModelError::NotInstalled`] when files are missing, [`ModelError::Damaged`] when one
    /// has changed or the model does not open.
    pub fn verify(&self, name: &str, progress: &dyn FileProgress) -> Result<(), ModelError> {
        let spec = self.find_spec(name)?;
        self.require_available(spec)?;
        let damaged = |reason: String| ModelError::Damaged {
            name: name.to_owned(),
            reason,
        };
        let cannot_open = |cause| ModelError::Open {
            name: name.to_owned(),
            cause,
        };
        let opened = match open_bundled(name) {
            Some(model) => model.and_then(|model| model.embed_query("a few words").map(drop)),
            None if spec.architecture == Architecture::Remote => {
                return self
                    .load(name)?
                    .embed_query("a few words")
                    .map(drop)
                    .map_err(cannot_open);
            }
            None => {
                self.check_files(spec, progress)
                    .map_err(|error| damaged(error.to_string()))?;
                check_model_opens(spec.clone(), &self.directories().model_dir(name))
            }
        };
        opened.map_err(|error: EmbedError| damaged(error.to_string()))
    }

    /// Checks the SHA-256 of each file against its pin and against the manifest, where there
    /// are any.
    fn check_files(&self, spec: &ModelSpec, progress: &dyn FileProgress) -> Result<(), ModelError> {
        let directory = self.directories().model_dir(&spec.name);
        let manifest = ModelManifest::read(&directory).unwrap_or_default();
        for file in &spec.files {
            let path = directory.join(&file.path);
            progress.start_file(&file.path, fs_err::metadata(&path)?.len(), 0);
            let found = sha256::hash_file(&path, progress)?;
            check_sha256(&path, file.sha256.as_deref(), &found)?;
            let installed = manifest.find_file(&file.path);
            let expected = installed.map(|installed| installed.sha256.as_str());
            check_sha256(&path, expected, &found)?;
        }
        Ok(())
    }

    /// Removes a model's installed and staged files. Its vectors stay in the index.
    ///
    /// # Errors
    /// [`ModelError::Bundled`] for one in the binary, [`ModelError::NotInstalled`] when there
    /// is nothing to remove.
    pub fn remove(&self, name: &str) -> Result<(), ModelError> {
        let spec = self.find_spec(name)?;
        match self.model_state(spec) {
            ModelState::Bundled => {
                let name = name.to_owned();
                return Err(ModelError::Bundled { name });
            }
            ModelState::Remote => return Err(ModelError::RemoteHasNoFiles),
            ModelState::Absent => return self.require_available(spec),
            ModelState::Installed | ModelState::Incomplete => {}
        }
        let staging = StagingDirectory::open(self.directories(), name)?;
        let directory = self.directories().model_dir(name);
        if directory.is_dir() {
            fs_err::remove_dir_all(directory)?;
        }
        staging.discard()
    }
}
