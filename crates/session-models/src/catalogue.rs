//! The models that there are, and which of them are here.

use crate::description::REMOTE;
use crate::manifest::Manifest;
use crate::remote::{self, Endpoint, RemoteEmbedder};
use crate::{Folders, ModelError, description, open, staged};
use serde::Serialize;
use session_embed::{Architecture, Device, Embedder, ModelSpec};

/// The models of this user: those of the repository's `models/`, and those
/// that the user described.
#[derive(Debug)]
pub struct Catalogue {
    folders: Folders,
    /// As their descriptions say.
    described: Vec<ModelSpec>,
    /// The same, unpinned files pinned to those that are here.
    specs: Vec<ModelSpec>,
    broken: Vec<ModelError>,
    endpoint: Option<Endpoint>,
    device: Device,
}

/// Where a model is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// In the binary.
    Bundled,
    /// Behind an endpoint that is configured.
    Remote,
    /// Its files are here.
    Installed,
    /// Some of its files are here.
    Incomplete,
    /// Not here.
    Absent,
}

impl State {
    /// True when the model can be loaded.
    pub fn is_here(self) -> bool {
        matches!(self, Self::Bundled | Self::Remote | Self::Installed)
    }
}

impl Catalogue {
    /// Reads the descriptions, and no file of a model.
    ///
    /// # Errors
    /// None in a binary whose tests passed: those of the repository are valid.
    /// One of the user's that is not is left out; [`Catalogue::broken`] says why.
    pub fn open(folders: Folders) -> Result<Self, ModelError> {
        let open = |why| ModelError::Open {
            name: "table".to_owned(),
            why,
        };
        let mut specs = session_embed::specs().map_err(open)?;
        let (own, broken) = description::read_all(&folders.descriptions(), &specs);
        specs.extend(own);
        let described = specs.clone();
        for spec in &mut specs {
            if let Some(manifest) = Manifest::read(&folders.model(&spec.name)) {
                manifest.pin(spec);
            }
        }
        Ok(Self {
            folders,
            described,
            specs,
            broken,
            endpoint: None,
            device: Device::Auto,
        })
    }

    /// Has models compute on a device. Those in the binary know the CPU alone.
    #[must_use]
    pub fn on_device(mut self, device: Device) -> Self {
        self.device = device;
        self
    }

    /// Adds the model `remote`, behind an endpoint if one is given. Nothing is
    /// asked of it. One that is not well configured is a broken description.
    #[must_use]
    pub fn with_endpoint(mut self, endpoint: Result<Option<Endpoint>, ModelError>) -> Self {
        match endpoint {
            Ok(Some(endpoint)) => {
                let spec = remote::spec(&endpoint, &self.folders);
                self.described.push(spec.clone());
                self.specs.push(spec);
                self.endpoint = Some(endpoint);
            }
            Ok(None) => {}
            Err(error) => self.broken.push(error),
        }
        self
    }

    /// The folders that were looked at.
    pub fn folders(&self) -> &Folders {
        &self.folders
    }

    /// All models.
    pub fn specs(&self) -> &[ModelSpec] {
        &self.specs
    }

    /// Descriptions of the user's that cannot be used.
    pub fn broken(&self) -> &[ModelError] {
        &self.broken
    }

    /// The model of this name, its unpinned files pinned to those that are here.
    ///
    /// # Errors
    /// [`ModelError::Unknown`] when there is none.
    pub fn spec(&self, name: &str) -> Result<&ModelSpec, ModelError> {
        find(&self.specs, name)
    }

    /// A model as its description says, whatever is here.
    ///
    /// # Errors
    /// [`ModelError::Unknown`], and [`ModelError::Bundled`] for one in the binary.
    pub(crate) fn described(&self, name: &str) -> Result<&ModelSpec, ModelError> {
        let spec = find(&self.described, name)?;
        match open::is_bundled(name) {
            true => Err(ModelError::Bundled {
                name: name.to_owned(),
            }),
            false if spec.architecture == Architecture::Remote => Err(ModelError::Remote),
            false => Ok(spec),
        }
    }

    /// Where a model is, as the names and lengths of its files tell.
    pub fn state(&self, spec: &ModelSpec) -> State {
        if open::is_bundled(&spec.name) {
            return State::Bundled;
        }
        if spec.architecture == Architecture::Remote {
            return State::Remote;
        }
        let missing = self.missing(spec).len();
        let begun = || staged::folder_of(&self.folders, &spec.name).is_dir();
        match missing {
            0 => State::Installed,
            n if n < spec.files.len() || begun() => State::Incomplete,
            _ => State::Absent,
        }
    }

    /// The files of a model that are not here, or not in their whole length.
    pub fn missing(&self, spec: &ModelSpec) -> Vec<String> {
        let folder = self.folders.model(&spec.name);
        let manifest = Manifest::read(&folder).unwrap_or_default();
        let is_here = |path: &str| {
            let length = fs_err::metadata(folder.join(path)).map(|meta| meta.len());
            let came = manifest.file(path).map(|came| came.bytes);
            length.is_ok_and(|length| came.is_none_or(|bytes| bytes == length))
        };
        let paths = spec.files.iter().map(|file| &file.path);
        paths.filter(|path| !is_here(path)).cloned().collect()
    }

    /// Bytes of a model: of its files where they are here, else as its
    /// description says.
    pub fn bytes(&self, spec: &ModelSpec) -> Option<u64> {
        let folder = self.folders.model(&spec.name);
        let of_file = |path: &str| fs_err::metadata(folder.join(path)).map(|meta| meta.len());
        match self.state(spec) {
            State::Installed => {
                let lengths = spec.files.iter().map(|file| of_file(&file.path));
                lengths.sum::<Result<u64, _>>().ok()
            }
            _ => spec.bytes,
        }
    }

    /// Opens a model.
    ///
    /// # Errors
    /// [`ModelError::Unknown`] for a name that no model has, [`ModelError::Absent`]
    /// when it is not here, [`ModelError::Open`] when its files are no such model.
    pub fn load(&self, name: &str) -> Result<Box<dyn Embedder>, ModelError> {
        if let Some(endpoint) = self.endpoint.as_ref().filter(|_| name == REMOTE) {
            return Ok(Box::new(RemoteEmbedder::open(endpoint, &self.folders)?));
        }
        let spec = self.spec(name)?;
        let opened = match open::bundled(name) {
            Some(opened) => opened,
            None => {
                self.require(spec)?;
                session_embed::open_on(self.device, spec.clone(), &self.folders.model(name))
            }
        };
        opened.map_err(|why| ModelError::Open {
            name: name.to_owned(),
            why,
        })
    }

    /// # Errors
    /// [`ModelError::Absent`] when the model is not here.
    pub fn require(&self, spec: &ModelSpec) -> Result<(), ModelError> {
        match self.state(spec).is_here() {
            true => Ok(()),
            false => Err(ModelError::Absent {
                name: spec.name.clone(),
                missing: self.missing(spec),
            }),
        }
    }
}

fn find<'a>(specs: &'a [ModelSpec], name: &str) -> Result<&'a ModelSpec, ModelError> {
    let found = specs.iter().find(|spec| spec.name == name);
    found.ok_or_else(|| match name {
        REMOTE => ModelError::Endpoint {
            reason: "it has no address".to_owned(),
        },
        _ => ModelError::Unknown {
            name: name.to_owned(),
            known: specs.iter().map(|spec| spec.name.clone()).collect(),
        },
    })
}
