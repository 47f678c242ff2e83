//! Whether a model is as it came, and its removal.

use crate::manifest::Manifest;
use crate::staged::{Staged, check, probe};
use crate::{Catalogue, ModelError, Progress, State, digest, open};
use session_embed::{Architecture, EmbedError, ModelSpec};

impl Catalogue {
    /// Reads all files of a model, compares them with their pins and with what
    /// came, and embeds a few words with it.
    ///
    /// # Errors
    /// [`ModelError::Absent`] when it is not here, [`ModelError::Damaged`] when it
    /// is not as it came.
    pub fn verify(&self, name: &str, progress: &dyn Progress) -> Result<(), ModelError> {
        let spec = self.spec(name)?;
        self.require(spec)?;
        let damaged = |reason: String| ModelError::Damaged {
            name: name.to_owned(),
            reason,
        };
        let open = |why| ModelError::Open {
            name: name.to_owned(),
            why,
        };
        let opened = match open::bundled(name) {
            Some(model) => model.and_then(|model| model.embed_query("a few words").map(drop)),
            None if spec.architecture == Architecture::Remote => {
                return self
                    .load(name)?
                    .embed_query("a few words")
                    .map(drop)
                    .map_err(open);
            }
            None => {
                self.compare(spec, progress)
                    .map_err(|error| damaged(error.to_string()))?;
                probe(spec.clone(), &self.folders().model(name))
            }
        };
        opened.map_err(|error: EmbedError| damaged(error.to_string()))
    }

    /// Compares each file with its pin, and with the manifest where the
    /// description has none.
    fn compare(&self, spec: &ModelSpec, progress: &dyn Progress) -> Result<(), ModelError> {
        let folder = self.folders().model(&spec.name);
        let manifest = Manifest::read(&folder).unwrap_or_default();
        for file in &spec.files {
            let path = folder.join(&file.path);
            progress.file(&file.path, fs_err::metadata(&path)?.len(), 0);
            let found = digest::of_file(&path, progress)?;
            check(&path, file.sha256.as_deref(), &found)?;
            let came = manifest.file(&file.path).map(|came| came.sha256.as_str());
            check(&path, came, &found)?;
        }
        Ok(())
    }

    /// Removes a model's files, whole or in part. Its vectors stay in the index.
    ///
    /// # Errors
    /// [`ModelError::Bundled`] for one in the binary, [`ModelError::Absent`] when
    /// there is nothing to remove.
    pub fn remove(&self, name: &str) -> Result<(), ModelError> {
        let spec = self.spec(name)?;
        match self.state(spec) {
            State::Bundled => {
                let name = name.to_owned();
                return Err(ModelError::Bundled { name });
            }
            State::Remote => return Err(ModelError::Remote),
            State::Absent => return self.require(spec),
            State::Installed | State::Incomplete => {}
        }
        let folder = self.folders().model(name);
        if folder.is_dir() {
            fs_err::remove_dir_all(folder)?;
        }
        Staged::open(self.folders(), name)?.discard()
    }
}
