//! The user's environment, directories and configuration.

use crate::config::Config;
use crate::edit::read_key;
use crate::environment::UsableVariables;
use crate::error::{ConfigError, Result};
use crate::layers::{ConfigLayers, IgnoredSetting, SettingOrigin, may_set_key, unknown_variables};
use crate::memory_project::find_memory_project;
use crate::narrow::privacy_narrowing;
use crate::path_variables::opened_in_home;
use session_files::{HOME_VARIABLE, Project, home_directory};
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
    pub index_directory: PathBuf,
    /// The configuration in effect.
    pub config: Config,
    /// Variables that were removed from the environment, or of which an entry was, since they lead into the project around
    /// the working directory, or are not UTF-8.
    pub refused: Vec<String>,
}

/// The model that is chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct ChosenModel {
    /// The name of the model.
    pub name: String,
    /// The endpoint, for the model behind one.
    pub endpoint: Option<Endpoint>,
}

impl Home {
    /// Reads the process's environment and the user's configuration file.
    ///
    /// # Errors
    /// As [`Home::unconfigured`], and when the configuration has a mistake.
    pub fn from_process() -> Result<Self> {
        let home = Self::unconfigured()?;
        let config = home.config_layers(None)?.config;
        Ok(home.with_config(config))
    }

    /// Returns the home with another configuration, by which the histories of other machines are found, too.
    #[must_use]
    pub fn with_config(mut self, config: Config) -> Self {
        self.env.other_homes = config.sources.other_homes(&self.env);
        self.config = config;
        self
    }

    /// Reads the process's environment; the configuration has its defaults.
    ///
    /// # Errors
    /// When there is no home directory, or it does not exist and would hold the index.
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
        let home = home_directory(directory, &opened_in_home()).ok_or(ConfigError::NoHome)?;
        let UsableVariables { vars, mut refused } =
            UsableVariables::new(std::env::vars_os(), &home, directory);
        if std::env::home_dir().is_some_and(|named| named != home) {
            refused.push(HOME_VARIABLE.to_owned());
        }
        let env = Env {
            home,
            vars,
            ..Env::default()
        };
        let root = session_store::default_root(&env.home, |name| env.get(name).map(str::to_owned));
        if root.is_file() {
            return Err(ConfigError::IndexIsFile(root));
        }
        // One that is mistyped must not be made by what is written in it.
        if root.starts_with(&env.home) && !env.home.is_dir() {
            return Err(ConfigError::MissingHome(env.home));
        }
        Ok(Self {
            refused,
            ..Self::new(env, root)
        })
    }

    /// Returns a home with another index and the default configuration.
    pub fn new(env: Env, index_directory: PathBuf) -> Self {
        Self {
            env,
            index_directory,
            config: Config::default(),
            refused: Vec::new(),
        }
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.env.get(name).map(str::to_owned)
    }

    /// Returns the program that a variable names; `None` if the variable is unset or was removed.
    pub fn program(&self, variable: &str) -> Option<String> {
        let value = self.variable(variable);
        value.filter(|value| !value.trim().is_empty())
    }

    /// Opens a snapshot of the index, which later writes do not change.
    ///
    /// # Errors
    /// When there is no index, or it is damaged.
    pub fn index(&self) -> Result<Reader, StoreError> {
        let index = Reader::open(&self.index_directory)?;
        index.begin_snapshot()?;
        Ok(index)
    }

    /// Returns the directories of the configuration, the models and the data.
    pub fn directories(&self) -> UserDirectories {
        UserDirectories::from_environment(&self.env.home, |name| self.variable(name))
    }

    /// Returns the directories as they are without variables.
    pub(crate) fn default_directories(&self) -> UserDirectories {
        UserDirectories::from_environment(&self.env.home, |_| None)
    }

    /// Returns the directories whose `.env` may name an endpoint: the default ones where the user configured something
    /// there, whatever a variable names.
    pub fn endpoint_directories(&self) -> UserDirectories {
        let default = self.default_directories();
        if default.config_file().exists() {
            default
        } else {
            self.directories()
        }
    }

    /// Reads the layers of the configuration. Where a variable names another directory, what the file in the
    /// default one narrows counts, too: a project can set variables, and that directory may be empty.
    ///
    /// # Errors
    /// For a mistake in the user's file, with its line and key, or in a variable. A project's file with a mistake is
    /// ignored.
    pub fn config_layers(&self, project: Option<&Project>) -> Result<ConfigLayers> {
        let chosen = self.directories().config;
        let default = Some(self.default_directories().config).filter(|default| *default != chosen);
        let var = |name: &str| self.env.get(name);
        ConfigLayers::read(&chosen, default.as_deref(), project, var)
    }

    /// Returns the settings of variables that are ignored: those about what is stored and sent that would widen the
    /// user's, and those with a mistake.
    pub fn ignored_variables(&self) -> Vec<IgnoredSetting> {
        // Hardly ever is one set: the configuration is read again for that alone.
        if !self.env.vars.keys().any(|name| may_set_key(name)) {
            return Vec::new();
        }
        let layers = self.config_layers(None).map(|layers| layers.ignored);
        let mut ignored = layers.unwrap_or_default();
        ignored.retain(|setting| {
            let key = setting.key.as_deref();
            let is_private = key.is_some_and(|key| privacy_narrowing(key).is_some());
            let is_variable = matches!(setting.origin, SettingOrigin::Variable(_));
            is_variable && (is_private || setting.is_mistake())
        });
        ignored
    }

    /// Returns the keys of the configuration in a directory that a variable names which the file in the default one decides.
    pub fn keys_of_default_file(&self) -> Vec<String> {
        let own = self.directories();
        // Hardly ever are there two: the configuration is read again for that alone.
        if self.endpoint_directories().config == own.config {
            return Vec::new();
        }
        let layers = self.config_layers(None).map(|layers| layers.ignored);
        let origin = SettingOrigin::File(own.config_file());
        let ignored = layers.unwrap_or_default().into_iter();
        let ignored = ignored.filter(|setting| setting.origin == origin);
        ignored.filter_map(|setting| setting.key).collect()
    }

    /// Returns the variables that begin as those of this program and set nothing.
    pub fn unknown_variables(&self) -> Vec<IgnoredSetting> {
        let mut names = unknown_variables(self.env.vars.keys().map(String::as_str));
        names.sort_unstable();
        let ignored = names.into_iter().map(|name| IgnoredSetting {
            key: None,
            value: self.env.get(name).into(),
            origin: SettingOrigin::Variable(name.to_owned()),
            reason: "no setting has this name; `session-search config --json` lists all variables"
                .to_owned(),
            hint: None,
        });
        ignored.collect()
    }

    /// Returns the configuration files that are ignored as a whole for a mistake in them, that of the project around a
    /// directory among them.
    ///
    /// # Errors
    /// As [`Home::config_layers`].
    pub fn ignored_files(&self, directory: &Path) -> Result<Vec<IgnoredSetting>> {
        let project = find_memory_project(directory, &self.env.home);
        let project = project.ok().flatten();
        let mut ignored = self.config_layers(project.as_ref())?.ignored;
        ignored.retain(|setting| setting.key.is_none());
        Ok(ignored)
    }

    /// Returns what this machine knows of directories of memories: state of the user, not of a project.
    pub fn memory_records(&self) -> DirectoryRecords {
        DirectoryRecords::new(self.directories().data.join("memories"))
    }

    /// Returns the hub that models are downloaded from. A token goes to the default hub or to one that
    /// the configuration names, in the default directory where there is one: an address from a variable alone, or from a
    /// directory that a variable names beside it, gets none.
    pub fn hub(&self) -> HubConfig {
        let configured = self.config.hub.clone();
        let hub = HubConfig::from_environment(&self.env.home, |name| match (name, &configured) {
            ("HF_ENDPOINT", Some(url)) => Some(url.clone()),
            (name, _) => self.variable(name),
        });
        let is_trusted = match &configured {
            Some(_) => self.hub_of_endpoint_file() == configured,
            None => self.env.get("HF_ENDPOINT").is_none(),
        };
        HubConfig {
            // Without TLS a proxy, which a variable can name, would read it.
            token: hub
                .token
                .filter(|_| is_trusted && hub.endpoint.starts_with("https://")),
            ..hub
        }
    }

    /// Returns the hub that the file names which decides the endpoint.
    fn hub_of_endpoint_file(&self) -> Option<String> {
        let directory = self.endpoint_directories().config;
        read_key(&directory, None, "hub").unwrap_or_default()
    }

    /// Returns the models that are known.
    ///
    /// # Errors
    /// When a description in the program is invalid, which the tests rule out. A mistake in the endpoint's
    /// configuration is an error of the model `remote` alone.
    pub fn catalogue(&self) -> Result<Catalogue, ModelError> {
        Ok(self.configured(Catalogue::open(self.directories())?))
    }

    /// Returns the models that a query could be embedded by, with the chosen one.
    ///
    /// # Errors
    /// As for [`Home::catalogue`].
    pub fn loadable_catalogue(&self) -> Result<Catalogue, ModelError> {
        let catalogue = Catalogue::open_loadable(self.directories(), &self.config.model)?;
        Ok(self.configured(catalogue))
    }

    /// Returns the model that is chosen.
    ///
    /// # Errors
    /// When the endpoint's configuration has a mistake and its model is chosen.
    pub fn chosen_model(&self) -> Result<ChosenModel, ModelError> {
        let name = self.config.model.clone();
        let endpoint = if name == session_models::REMOTE_MODEL {
            self.endpoint()?
        } else {
            None
        };
        Ok(ChosenModel { name, endpoint })
    }

    fn configured(&self, catalogue: Catalogue) -> Catalogue {
        let catalogue = catalogue.with_device(self.config.device);
        catalogue.with_endpoint(self.endpoint())
    }

    /// Returns the configured endpoint. Its address comes from `.env` in the configuration directory or
    /// from the configuration; the environment adds what these leave open. A project can set variables,
    /// so an address in one is not used.
    fn endpoint(&self) -> Result<Option<Endpoint>, ModelError> {
        self.complete_endpoint(EndpointSettings::default())
    }

    /// Returns the endpoint of some settings. What these leave open comes from where [`Home::catalogue`] has it.
    ///
    /// # Errors
    /// When a setting is missing or invalid.
    pub fn complete_endpoint(
        &self,
        settings: EndpointSettings,
    ) -> Result<Option<Endpoint>, ModelError> {
        let settings = settings
            .or_from(EndpointSettings::from_env_file(
                &self.endpoint_directories(),
            )?)
            .or_from(self.config.remote.endpoint_settings());
        match settings.url {
            Some(_) => settings
                .or_from(EndpointSettings::from_variables(|name| self.variable(name)))
                .into_endpoint(),
            None => Ok(None),
        }
    }
}

/// Returns the working directory.
///
/// # Errors
/// When it was deleted, or may not be read.
pub fn current_directory() -> Result<PathBuf> {
    std::env::current_dir().map_err(|_| ConfigError::NoCurrentDirectory)
}

/// Returns the working directory, for what only reads. Where it was deleted, or may not be read, the home directory stands
/// for it: neither is in a project.
///
/// # Errors
/// As [`Home::unconfigured`].
pub fn current_directory_or_home() -> Result<PathBuf> {
    current_directory().or_else(|_| Ok(Home::unconfigured()?.env.home))
}

#[cfg(test)]
mod tests;
