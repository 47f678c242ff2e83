//! The catalogue of known models, and which of them are installed.

use crate::bundled::{is_bundled, open_bundled};
use crate::manifest::ModelManifest;
use crate::model_description::{REMOTE_MODEL, TABLE_MODEL, read_descriptions};
use crate::remote::{Endpoint, RemoteEmbedder, WaitListener, remote_spec};
use crate::staging::staging_path;
use crate::{ModelError, UserDirectories};
use serde::Serialize;
use session_embed::{Architecture, Device, DeviceChoice, Embedder, ModelSpec};

/// The models that a user can choose: those described in the repository's `models/`, those that
/// the user described, and the configured endpoint.
#[derive(Debug)]
pub struct Catalogue {
    directories: UserDirectories,
    models: Vec<CatalogueModel>,
    configuration_errors: Vec<ModelError>,
    endpoint: Option<Endpoint>,
    /// Why there is no endpoint, as half a sentence.
    endpoint_fault: String,
    /// Hears of long waits for the endpoint.
    waits: WaitListener,
    device: Device,
}

/// A model of the catalogue.
#[derive(Debug)]
struct CatalogueModel {
    /// The model as its description states it.
    described: ModelSpec,
    /// The same, with unpinned files pinned to the installed ones.
    pinned: ModelSpec,
}

impl CatalogueModel {
    /// Pins the unpinned files of a model to the installed ones.
    fn new(described: ModelSpec, directories: &UserDirectories) -> Self {
        let mut pinned = described.clone();
        if let Some(manifest) = ModelManifest::read(&directories.model_dir(&described.name)) {
            manifest.pin_unpinned_files(&mut pinned);
        }
        Self { described, pinned }
    }
}

/// Where a model is available, if at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ModelState {
    /// Inside the binary.
    Bundled,
    /// Behind the configured endpoint.
    Remote,
    /// All of its files are installed.
    Installed,
    /// Some of its files are installed or staged.
    Incomplete,
    /// None of its files are installed.
    Absent,
}

impl ModelState {
    /// Returns true when the model can be loaded.
    pub fn is_available(self) -> bool {
        matches!(self, Self::Bundled | Self::Remote | Self::Installed)
    }
}

impl Catalogue {
    /// Reads the model descriptions and the manifests, but no model file.
    ///
    /// # Errors
    /// When a bundled description is invalid, which the tests rule out. An invalid one of the
    /// user's is left out and listed by [`Catalogue::configuration_errors`].
    pub fn open(directories: UserDirectories) -> Result<Self, ModelError> {
        Self::open_where(directories, |_, _| true)
    }

    /// As [`Catalogue::open`], without the models that no process could load now, but for the `chosen` one.
    ///
    /// # Errors
    /// As for [`Catalogue::open`].
    pub fn open_loadable(directories: UserDirectories, chosen: &str) -> Result<Self, ModelError> {
        // Mostly none is installed: one look instead of one for each model.
        let has_models = directories.models_dir().is_dir();
        Self::open_where(directories, |directories, name| {
            let is_installed = || has_models && directories.model_dir(name).is_dir();
            name == chosen || is_bundled(name) || is_installed()
        })
    }

    fn open_where(
        directories: UserDirectories,
        is_wanted: impl Fn(&UserDirectories, &str) -> bool,
    ) -> Result<Self, ModelError> {
        let cannot_open = |cause| ModelError::Open {
            name: TABLE_MODEL.to_owned(),
            cause,
        };
        let specs = session_embed::read_specs_where(|name| is_wanted(&directories, name));
        let mut specs = specs.map_err(cannot_open)?;
        let user = read_descriptions(&directories.descriptions_dir(), &specs);
        specs.extend(user.specs);
        let models = specs.into_iter();
        let models = models.map(|spec| CatalogueModel::new(spec, &directories));
        Ok(Self {
            models: models.collect(),
            directories,
            configuration_errors: user.errors,
            endpoint: None,
            endpoint_fault: "it has no address".to_owned(),
            waits: WaitListener::default(),
            device: Device::Auto,
        })
    }

    /// Sets the device that models compute on. Bundled models always use the CPU.
    #[must_use]
    pub fn with_device(mut self, device: Device) -> Self {
        self.device = device;
        self
    }

    /// Sets who hears of long waits for the endpoint.
    #[must_use]
    pub fn with_wait_listener(mut self, waits: WaitListener) -> Self {
        self.waits = waits;
        self
    }

    /// Returns the device that a model would compute on; `None` for an endpoint.
    pub fn device_choice(&self, spec: &ModelSpec) -> Option<DeviceChoice> {
        if self.model_state(spec) == ModelState::Bundled && self.device != Device::Auto {
            return Some(DeviceChoice {
                device: "cpu",
                reason: "bundled models run there whatever `device` says",
            });
        }
        self.device.choose(spec.architecture)
    }

    /// Adds the model `remote` where an endpoint is configured, without a request to it. A
    /// configuration error is listed by [`Catalogue::configuration_errors`].
    #[must_use]
    pub fn with_endpoint(mut self, endpoint: Result<Option<Endpoint>, ModelError>) -> Self {
        match endpoint {
            Ok(Some(endpoint)) => {
                let spec = remote_spec(&endpoint, &self.directories);
                self.models.push(CatalogueModel {
                    described: spec.clone(),
                    pinned: spec,
                });
                self.endpoint = Some(endpoint);
            }
            Ok(None) => {}
            Err(error) => {
                self.endpoint_fault = match &error {
                    ModelError::InvalidEndpoint { reason } => reason.clone(),
                    other => other.to_string(),
                };
                self.configuration_errors.push(error);
            }
        }
        self
    }

    /// Returns the directories of the descriptions and the models.
    pub fn directories(&self) -> &UserDirectories {
        &self.directories
    }

    /// Returns all models, with unpinned files pinned to the installed ones.
    pub fn specs(&self) -> impl Iterator<Item = &ModelSpec> {
        self.models.iter().map(|model| &model.pinned)
    }

    /// Returns the errors of the user's invalid descriptions and of the endpoint.
    pub fn configuration_errors(&self) -> &[ModelError] {
        &self.configuration_errors
    }

    /// Finds a model by its name, with unpinned files pinned to the installed ones.
    ///
    /// # Errors
    /// [`ModelError::UnknownModel`] when there is none.
    pub fn find_spec(&self, name: &str) -> Result<&ModelSpec, ModelError> {
        Ok(&self.find_model(name)?.pinned)
    }

    fn find_model(&self, name: &str) -> Result<&CatalogueModel, ModelError> {
        let mut models = self.models.iter();
        let found = models.find(|model| model.described.name == name);
        found.ok_or_else(|| match name {
            REMOTE_MODEL => self.invalid_endpoint(),
            _ => ModelError::UnknownModel {
                name: name.to_owned(),
            },
        })
    }

    fn invalid_endpoint(&self) -> ModelError {
        ModelError::InvalidEndpoint {
            reason: self.endpoint_fault.clone(),
        }
    }

    /// Finds a model whose files can be installed, as its description states it.
    ///
    /// # Errors
    /// [`ModelError::UnknownModel`] when there is none, [`ModelError::Bundled`] and
    /// [`ModelError::RemoteHasNoFiles`] for a model without files of its own.
    pub(crate) fn find_installable_spec(&self, name: &str) -> Result<&ModelSpec, ModelError> {
        let spec = &self.find_model(name)?.described;
        match is_bundled(name) {
            true => Err(ModelError::Bundled {
                name: name.to_owned(),
            }),
            false if spec.architecture == Architecture::Remote => Err(ModelError::RemoteHasNoFiles),
            false => Ok(spec),
        }
    }

    /// Determines where a model is, by the names and lengths of its files.
    pub fn model_state(&self, spec: &ModelSpec) -> ModelState {
        if is_bundled(&spec.name) {
            return ModelState::Bundled;
        }
        if spec.architecture == Architecture::Remote {
            return ModelState::Remote;
        }
        let is_staged = || staging_path(&self.directories, &spec.name).is_dir();
        match self.file_faults(spec).len() {
            0 => ModelState::Installed,
            n if n < spec.files.len() || is_staged() => ModelState::Incomplete,
            _ => ModelState::Absent,
        }
    }

    /// Lists the files of a model that are not installed or have another length than in the manifest.
    fn file_faults(&self, spec: &ModelSpec) -> Vec<FileFault> {
        let directory = self.directories.model_dir(&spec.name);
        let manifest = ModelManifest::read(&directory).unwrap_or_default();
        let paths = spec.files.iter().map(|file| &file.path);
        let fault = |path: &String| {
            let expected = manifest.find_file(path).map(|file| file.bytes);
            let found = fs_err::metadata(directory.join(path)).map(|meta| meta.len());
            let damage = match (found, expected) {
                (Ok(found), Some(expected)) if found != expected => {
                    Some(format!("`{path}` has {found} bytes, not {expected}"))
                }
                (Ok(_), _) => return None,
                (Err(_), _) => None,
            };
            let path = path.clone();
            Some(FileFault { path, damage })
        };
        paths.filter_map(fault).collect()
    }

    /// Returns the size of a model in bytes: of its files where they are installed, else as its
    /// description states it.
    pub fn size_bytes(&self, spec: &ModelSpec) -> Option<u64> {
        let directory = self.directories.model_dir(&spec.name);
        let length = |path: &str| fs_err::metadata(directory.join(path)).map(|meta| meta.len());
        match self.model_state(spec) {
            ModelState::Installed => {
                let lengths = spec.files.iter().map(|file| length(&file.path));
                lengths.sum::<Result<u64, _>>().ok()
            }
            _ => spec.bytes,
        }
    }

    /// Opens a model.
    ///
    /// # Errors
    /// [`ModelError::UnknownModel`] for a name that no model has, those of [`Catalogue::require_available`],
    /// [`ModelError::Open`] when its files do not open as this model.
    pub fn load(&self, name: &str) -> Result<Box<dyn Embedder>, ModelError> {
        if let Some(endpoint) = self.endpoint.as_ref().filter(|_| name == REMOTE_MODEL) {
            return Ok(Box::new(RemoteEmbedder::open(
                endpoint,
                &self.directories,
                &self.waits,
            )?));
        }
        let spec = self.find_spec(name)?;
        let opened = match open_bundled(name) {
            Some(opened) => opened,
            None => {
                self.require_available(spec)?;
                session_embed::open_on(self.device, spec.clone(), &self.directories.model_dir(name))
            }
        };
        opened.map_err(|cause| ModelError::Open {
            name: name.to_owned(),
            cause,
        })
    }

    /// Asks the endpoint how long its vectors are now, and caches the answer.
    ///
    /// # Errors
    /// [`ModelError::InvalidEndpoint`] where none is configured, [`ModelError::Open`] when it does not answer.
    pub fn relearn_endpoint(&self) -> Result<(), ModelError> {
        let endpoint = self.endpoint.as_ref();
        let endpoint = endpoint.ok_or_else(|| self.invalid_endpoint())?;
        RemoteEmbedder::open_anew(endpoint, &self.directories, &self.waits).map(drop)
    }

    /// Checks that the files of a model are installed, by their lengths.
    ///
    /// # Errors
    /// [`ModelError::NotInstalled`] when files are missing, [`ModelError::Damaged`] when all are there and one
    /// has another length than in the manifest.
    pub fn require_available(&self, spec: &ModelSpec) -> Result<(), ModelError> {
        if self.model_state(spec).is_available() {
            return Ok(());
        }
        let name = spec.name.clone();
        let (mut missing, mut damage) = (Vec::new(), None);
        for fault in self.file_faults(spec) {
            match fault.damage {
                None => missing.push(fault.path),
                reason => damage = damage.or(reason),
            }
        }
        Err(match damage.filter(|_| missing.is_empty()) {
            Some(reason) => ModelError::Damaged { name, reason },
            None => ModelError::NotInstalled { name, missing },
        })
    }

    /// Checks that a model opens, or that its endpoint answers. It writes nothing, and asks an endpoint as a
    /// query does: once.
    ///
    /// # Errors
    /// As [`Catalogue::load`], and when the endpoint does not answer.
    pub fn check_opens(&self, name: &str) -> Result<(), ModelError> {
        match self.endpoint.as_ref().filter(|_| name == REMOTE_MODEL) {
            Some(endpoint) => RemoteEmbedder::check_answers(endpoint, &self.directories),
            None => self.load(name).map(drop),
        }
    }
}

/// A file of a model that is missing, or has another length than when it was installed.
struct FileFault {
    path: String,
    /// Its lengths, as half a sentence; `None` if it is missing.
    damage: Option<String>,
}
