//! Where this user's things are.

use crate::config::Config;
use crate::config::layers::Layers;
use crate::environment;
use anyhow::{Context, Result};
use session_files::home_directory;
use session_memory::DirectoryRecords;
use session_models::{
    Catalogue, Endpoint, EndpointSettings, HubConfig, ModelError, UserDirectories,
};
use session_query::{QueryError, QueryModels};
use session_sources::Env;
use session_store::{Reader, StoreError};
use std::path::{Path, PathBuf};

/// The user's environment, the folder of the index, and what they configured.
#[derive(Clone)]
pub struct Home {
    /// Home folder and variables.
    pub env: Env,
    /// Folder of the index.
    pub root: PathBuf,
    /// What the user configured.
    pub config: Config,
    /// Variables that are left out of the environment, since they name something in the project
    /// at hand.
    pub refused: Vec<&'static str>,
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
        // A folder that is gone is in no project.
        Self::unconfigured_in(&std::env::current_dir().unwrap_or_default())
    }

    /// The same for the project of a folder.
    ///
    /// # Errors
    /// As [`Home::unconfigured`].
    pub fn unconfigured_in(folder: &Path) -> Result<Self> {
        let home = home_directory(folder)
            .context("there is no home folder\nhint: set HOME to the folder with your .claude or .local/share/opencode")?;
        let vars = std::env::vars_os()
            .filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?)));
        let mut vars = vars.collect();
        let mut refused = environment::refuse(&mut vars, &home, folder);
        if std::env::home_dir().is_some_and(|named| named != home) {
            refused.push("HOME");
        }
        let env = Env { home, vars };
        let root = session_store::default_root(&env.home, |name| env.get(name).map(str::to_owned));
        Ok(Self {
            refused,
            ..Self::apart(env, root)
        })
    }

    /// A home that the user's configuration says nothing of.
    pub fn apart(env: Env, root: PathBuf) -> Self {
        Self {
            env,
            root,
            config: Config::default(),
            refused: Vec::new(),
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
    pub fn folders(&self) -> UserDirectories {
        UserDirectories::from_environment(&self.env.home, |name| {
            self.env.get(name).map(str::to_owned)
        })
    }

    /// What this machine knows of folders of memories: the user's own state.
    pub fn records(&self) -> DirectoryRecords {
        DirectoryRecords::new(self.folders().data.join("memories"))
    }

    /// The hub that models are downloaded from. A token goes only where the user's configuration or
    /// nobody says: an address that a variable alone names gets none.
    pub fn hub(&self) -> HubConfig {
        let var = |name: &str| self.env.get(name).map(str::to_owned);
        let configured = self.config.hub.clone();
        let hub = HubConfig::from_environment(&self.env.home, |name| match (name, &configured) {
            ("HF_ENDPOINT", Some(url)) => Some(url.clone()),
            (name, _) => var(name),
        });
        let is_named = configured.is_some() || var("HF_ENDPOINT").is_none();
        HubConfig {
            // In clear it would be read on the way, by a proxy that a variable names at the least.
            token: hub
                .token
                .filter(|_| is_named && hub.endpoint.starts_with("https://")),
            ..hub
        }
    }

    /// The models that there are.
    ///
    /// # Errors
    /// When the endpoint is not well configured and its model is in use.
    pub fn catalogue(&self) -> Result<Catalogue, ModelError> {
        let catalogue = Catalogue::open(self.folders())?.with_device(self.config.device.into());
        let endpoint = self.endpoint();
        if self.config.model == session_models::REMOTE_MODEL {
            return Ok(catalogue.with_endpoint(Ok(endpoint?)));
        }
        Ok(catalogue.with_endpoint(endpoint))
    }

    /// The models that answer queries.
    ///
    /// # Errors
    /// When the chosen model is unknown or not installed.
    pub fn query_models(&self) -> Result<QueryModels, QueryError> {
        QueryModels::new(self.catalogue()?, &self.config.model, &self.root)
    }

    /// The endpoint that is configured: its address by `.env` in the configuration folder or by the
    /// configuration, and what these leave open by the environment. A project can set variables:
    /// an address in one sends nothing anywhere.
    fn endpoint(&self) -> Result<Option<Endpoint>, ModelError> {
        let var = |name: &str| self.env.get(name).map(str::to_owned);
        let settings = EndpointSettings::from_env_file(&self.folders())?
            .or_from(self.config.remote.endpoint_settings());
        match settings.url {
            Some(_) => settings
                .or_from(EndpointSettings::from_variables(var))
                .into_endpoint(),
            None => Ok(None),
        }
    }
}
