//! The user's environment, directories and configuration.

use crate::config::Config;
use crate::environment::remove_untrusted;
use crate::error::{ConfigError, Result};
use crate::layers::ConfigLayers;
use session_files::{HOME_VARIABLE, home_directory};
use session_forget::{Exclusions, ForgetError, ForgottenRecords};
use session_memory::DirectoryRecords;
use session_models::{
    Catalogue, Endpoint, EndpointSettings, HubConfig, ModelError, UserDirectories,
};
use session_sources::Env;
use session_store::{Reader, StoreError};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The user's environment, the directory of the index, and the configuration.
#[derive(Clone)]
pub struct Home {
    /// Home directory and variables.
    pub env: Env,
    /// Directory of the index.
    pub root: PathBuf,
    /// The configuration in effect.
    pub config: Config,
    /// Variables that were removed from the environment, since they lead into the project around the
    /// working directory.
    pub refused: Vec<&'static str>,
}

impl Home {
    /// Reads the process's environment and the user's configuration file. Variables that are not UTF-8
    /// are left out.
    ///
    /// # Errors
    /// When there is no home directory, or the configuration has a mistake.
    pub fn from_process() -> Result<Self> {
        let mut home = Self::unconfigured()?;
        let var = |name: &str| home.env.get(name);
        home.config = ConfigLayers::read(&home.folders().config, None, var)?.config;
        Ok(home)
    }

    /// Reads the process's environment; the configuration has its defaults.
    ///
    /// # Errors
    /// When there is no home directory.
    pub fn unconfigured() -> Result<Self> {
        // The environment of a process is read once: each reading searches for the project's root.
        static HOME: OnceLock<Home> = OnceLock::new();
        if let Some(home) = HOME.get() {
            return Ok(home.clone());
        }
        // A directory that was removed is in no project.
        let home = Self::unconfigured_in(&std::env::current_dir().unwrap_or_default())?;
        Ok(HOME.get_or_init(|| home).clone())
    }

    /// Reads the process's environment for a process that works in the project around a directory.
    ///
    /// # Errors
    /// As [`Home::unconfigured`].
    pub fn unconfigured_in(directory: &Path) -> Result<Self> {
        let home = home_directory(directory).ok_or(ConfigError::NoHome)?;
        let vars = std::env::vars_os()
            .filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?)));
        let mut vars = vars.collect();
        let mut refused = remove_untrusted(&mut vars, &home, directory);
        if std::env::home_dir().is_some_and(|named| named != home) {
            refused.push(HOME_VARIABLE);
        }
        let env = Env { home, vars };
        let root = session_store::default_root(&env.home, |name| env.get(name).map(str::to_owned));
        Ok(Self {
            refused,
            ..Self::new(env, root)
        })
    }

    /// Returns a home with another index and the default configuration.
    pub fn new(env: Env, root: PathBuf) -> Self {
        Self {
            env,
            root,
            config: Config::default(),
            refused: Vec::new(),
        }
    }

    /// Returns the program that a variable names, unless the variable is unset or was removed.
    pub fn program(&self, variable: &str) -> Option<String> {
        let value = self.env.get(variable).map(str::to_owned);
        value.filter(|value| !value.trim().is_empty())
    }

    /// Opens a snapshot of the index, which later writes do not change.
    ///
    /// # Errors
    /// When there is no index, or it is damaged.
    pub fn index(&self) -> Result<Reader, StoreError> {
        let index = Reader::open(&self.root)?;
        index.snapshot()?;
        Ok(index)
    }

    /// Returns the directories of the configuration, the models and the data.
    pub fn folders(&self) -> UserDirectories {
        UserDirectories::from_environment(&self.env.home, |name| {
            self.env.get(name).map(str::to_owned)
        })
    }

    /// Opens the records of what was forgotten.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn forgotten(&self) -> Result<ForgottenRecords, ForgetError> {
        ForgottenRecords::open(&self.folders().data.join("forgotten.json"))
    }

    /// Returns what is not to be indexed.
    ///
    /// # Errors
    /// As [`Home::forgotten`].
    pub fn exclusions(&self) -> Result<Exclusions, ForgetError> {
        Exclusions::new(self.forgotten()?, &self.config.exclude)
    }

    /// Returns what this machine knows of directories of memories: state of the user, not of a project.
    pub fn records(&self) -> DirectoryRecords {
        DirectoryRecords::new(self.folders().data.join("memories"))
    }

    /// Returns the hub that models are downloaded from. A token goes to the default hub or to one that
    /// the configuration names: an address from a variable alone gets none.
    pub fn hub(&self) -> HubConfig {
        let var = |name: &str| self.env.get(name).map(str::to_owned);
        let configured = self.config.hub.clone();
        let hub = HubConfig::from_environment(&self.env.home, |name| match (name, &configured) {
            ("HF_ENDPOINT", Some(url)) => Some(url.clone()),
            (name, _) => var(name),
        });
        let is_trusted = configured.is_some() || var("HF_ENDPOINT").is_none();
        HubConfig {
            // Without TLS a proxy, which a variable can name, would read it.
            token: hub
                .token
                .filter(|_| is_trusted && hub.endpoint.starts_with("https://")),
            ..hub
        }
    }

    /// Returns the models that are known.
    ///
    /// # Errors
    /// When the endpoint's configuration has a mistake and its model is in use.
    pub fn catalogue(&self) -> Result<Catalogue, ModelError> {
        self.configured(Catalogue::open(self.folders())?)
    }

    /// Returns the models that a query could be embedded by, with the chosen one.
    ///
    /// # Errors
    /// As for [`Home::catalogue`].
    pub fn loadable_catalogue(&self) -> Result<Catalogue, ModelError> {
        self.configured(Catalogue::open_loadable(
            self.folders(),
            &self.config.model,
        )?)
    }

    fn configured(&self, catalogue: Catalogue) -> Result<Catalogue, ModelError> {
        let catalogue = catalogue.with_device(self.config.device.into());
        let endpoint = self.endpoint();
        if self.config.model == session_models::REMOTE_MODEL {
            return Ok(catalogue.with_endpoint(Ok(endpoint?)));
        }
        Ok(catalogue.with_endpoint(endpoint))
    }

    /// Returns the configured endpoint. Its address comes from `.env` in the configuration directory or
    /// from the configuration; the environment adds what these leave open. A project can set variables,
    /// so an address in one is not used.
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
