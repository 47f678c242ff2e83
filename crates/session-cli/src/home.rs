//! Where this user's things are.

use crate::config::Config;
use crate::config::layers::Layers;
use anyhow::{Context, Result};
use session_models::{Catalogue, Endpoint, Folders, Given, Hub, ModelError};
use session_sources::Env;
use session_store::{Reader, StoreError};
use std::path::PathBuf;

/// The user's environment, the folder of the index, and what they configured.
pub struct Home {
    /// Home folder and variables.
    pub env: Env,
    /// Folder of the index.
    pub root: PathBuf,
    /// What the user configured.
    pub config: Config,
}

impl Home {
    /// Reads the process's environment and the configuration file. Variables
    /// that are not UTF-8 are left out.
    ///
    /// # Errors
    /// When there is no home folder, or the configuration has a mistake.
    pub fn from_process() -> Result<Self> {
        let mut home = Self::unconfigured()?;
        let var = |name: &str| home.env.get(name);
        home.config = Layers::read(&home.folders().config, None, var)?.config;
        Ok(home)
    }

    /// The same without the configuration, which has its defaults.
    ///
    /// # Errors
    /// When there is no home folder.
    pub fn unconfigured() -> Result<Self> {
        let home = etcetera::home_dir()
            .context("there is no home folder\nhint: set HOME to the folder with your .claude or .local/share/opencode")?;
        let vars = std::env::vars_os()
            .filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?)));
        let env = Env {
            home: home.clone(),
            vars: vars.collect(),
        };
        let root = session_store::default_root(&home, |name| env.get(name).map(str::to_owned));
        Ok(Self::apart(env, root))
    }

    /// A home that the user's configuration says nothing of.
    pub fn apart(env: Env, root: PathBuf) -> Self {
        Self {
            env,
            root,
            config: Config::default(),
        }
    }

    /// The index as it is at this moment, whatever is written to it meanwhile.
    ///
    /// # Errors
    /// When there is none, or it is damaged.
    pub fn index(&self) -> Result<Reader, StoreError> {
        let index = Reader::open(&self.root)?;
        index.snapshot()?;
        Ok(index)
    }

    /// Where the configuration and the models are.
    pub fn folders(&self) -> Folders {
        Folders::of(&self.env.home, |name| self.env.get(name).map(str::to_owned))
    }

    /// The hub that models are downloaded from.
    pub fn hub(&self) -> Hub {
        Hub::of(&self.env.home, |name| self.env.get(name).map(str::to_owned))
    }

    /// The models that there are.
    ///
    /// # Errors
    /// When the endpoint is not well configured and its model is in use.
    pub fn catalogue(&self) -> Result<Catalogue, ModelError> {
        let catalogue = Catalogue::open(self.folders())?.on_device(self.config.device.into());
        let endpoint = self.endpoint();
        if self.config.model == session_models::REMOTE {
            return Ok(catalogue.with_endpoint(Ok(endpoint?)));
        }
        Ok(catalogue.with_endpoint(endpoint))
    }

    /// The endpoint that is configured: by the environment, else by `.env`,
    /// else by the configuration.
    fn endpoint(&self) -> Result<Option<Endpoint>, ModelError> {
        let var = |name: &str| self.env.get(name).map(str::to_owned);
        let by_file = Given::by_file(&self.folders())?;
        let given = Given::by(var).or(by_file).or(self.config.remote.given());
        given.endpoint()
    }
}
