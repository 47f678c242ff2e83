//! The user's environment, directories and configuration.

use crate::config::Config;
use crate::environment::UsableVariables;
use crate::error::{ConfigError, Result};
use crate::layers::{ConfigLayers, IgnoredSetting, SettingOrigin, may_set_key, unknown_variables};
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

    /// Returns the program that a variable names; `None` where the variable is unset or was removed.
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
        index.snapshot()?;
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
    pub(crate) fn endpoint_directories(&self) -> UserDirectories {
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
        let project = Project::find_owned(directory, &self.env.home);
        let mut ignored = self.config_layers(project.as_ref())?.ignored;
        ignored.retain(|setting| setting.key.is_none());
        Ok(ignored)
    }

    /// Returns what this machine knows of directories of memories: state of the user, not of a project.
    pub fn memory_records(&self) -> DirectoryRecords {
        DirectoryRecords::new(self.directories().data.join("memories"))
    }

    /// Returns the hub that models are downloaded from. A token goes to the default hub or to one that
    /// the configuration names: an address from a variable alone gets none.
    pub fn hub(&self) -> HubConfig {
        let configured = self.config.hub.clone();
        let hub = HubConfig::from_environment(&self.env.home, |name| match (name, &configured) {
            ("HF_ENDPOINT", Some(url)) => Some(url.clone()),
            (name, _) => self.variable(name),
        });
        let is_trusted = configured.is_some() || self.env.get("HF_ENDPOINT").is_none();
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// Returns a home directory with a file in the default directory of the configuration, and a home whose variables
    /// lead to other directories.
    fn home_elsewhere(default: &str, chosen: &str) -> (tempfile::TempDir, Home) {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("home");
        let mut env = Env::with_home(&home);
        let write = |directory: PathBuf, text: &str| {
            fs_err::create_dir_all(&directory).unwrap();
            fs_err::write(directory.join("config.toml"), text).unwrap();
        };
        write(
            Home::new(env.clone(), home.clone()).directories().config,
            default,
        );
        for (name, path) in [("XDG_CONFIG_HOME", "config"), ("XDG_DATA_HOME", "data")] {
            let path = folder.path().join(path).display().to_string();
            env.vars.insert(name.to_owned(), path);
        }
        let elsewhere = Home::new(env, home);
        write(elsewhere.directories().config, chosen);
        (folder, elsewhere)
    }

    #[test]
    fn a_directory_that_a_variable_names_lifts_nothing() {
        let (_folder, home) = home_elsewhere(
            "enabled = false\nmodel = \"table\"\n[exclude]\nprojects = [\"lab\"]\n\
             [redaction]\npatterns = [\"ticket-[0-9]+\"]\n[injection]\nmax_items = 2\n",
            "enabled = true\nnice = 3\n[exclude]\nprojects = [\"shop\"]\n\
             [injection]\nmax_items = 4\npast_turns = true\n",
        );
        let config = home.config_layers(None).unwrap().config;
        assert!(!config.enabled);
        assert_eq!(config.exclude.projects, ["shop", "lab"]);
        assert_eq!(config.redaction.patterns, ["ticket-[0-9]+"]);
        assert_eq!(config.injection.max_items, 2);
        // What the user chose there counts.
        assert_eq!(config.nice, 3);
        assert!(config.injection.past_turns);
        assert_eq!(config.model, Config::default().model);
    }

    #[test]
    fn a_mistake_in_the_file_of_the_default_directory_is_told() {
        let (_folder, home) = home_elsewhere("enabeld = false\n", "nice = 3\n");
        let layers = home.config_layers(None).unwrap();
        assert_eq!(layers.config.nice, 3);
        assert_eq!(layers.ignored.len(), 1);
    }

    /// The directory that a variable names may be a clone, whoever has no own endpoint.
    #[test]
    fn a_directory_that_a_variable_names_chooses_no_endpoint_and_no_histories() {
        let chosen = "model = \"remote\"\n[remote]\nurl = \"http://evil/v1\"\nmodel = \"m\"\n\
             [redaction]\nenabled = false\nallow = [\".\"]\npatterns = [\"x1\"]\n\
             [sources]\nhomes = [\"/mnt/old\"]\n";
        let (_folder, home) = home_elsewhere("nice = 4\n", chosen);
        let env_file = home.directories().env_file();
        fs_err::write(env_file, "EMBEDDINGS_URL=http://evil/v1\n").unwrap();
        let layers = home.config_layers(None).unwrap();
        let config = &layers.config;
        assert_eq!(config.model, Config::default().model);
        assert_eq!(config.remote, Config::default().remote);
        assert_eq!(home.endpoint_directories(), home.default_directories());
        assert!(config.redaction.enabled && config.redaction.allow.is_empty());
        assert_eq!(config.redaction.patterns, ["x1"], "more is redacted");
        assert_eq!(config.sources.homes, [""; 0]);
        let ignored = layers.ignored.iter().filter_map(|i| i.key.as_deref());
        let ignored: Vec<&str> = ignored.collect();
        let expected = ["model", "redaction.allow", "redaction.enabled"];
        assert_eq!(ignored[..3], expected);
        assert_eq!(ignored[3..], ["sources.homes", "remote"]);
        fs_err::remove_file(home.default_directories().config_file()).unwrap();
        let alone = home.config_layers(None).unwrap().config;
        assert_eq!(alone.model, "remote", "the only file is the user's");
    }

    #[test]
    fn a_variable_with_a_mistake_is_ignored_unless_it_keeps_something_out() {
        let (_folder, mut home) = home_elsewhere("", "nice = 3\n");
        let mut set = |name: &str, value: &str| {
            home.env.vars = HashMap::from([(name.to_owned(), value.to_owned())]);
            let nice = home.config_layers(None).map(|layers| layers.config.nice);
            nice.map(|nice| (nice, home.ignored_variables().len()))
        };
        assert_eq!(set("SESSION_SEARCH_NICE", "99").unwrap(), (10, 1));
        assert_eq!(set("SESSION_SEARCH_THREADS", "0").unwrap(), (10, 1));
        assert_eq!(set("SESSION_SEARCH_DEVICE", "lamp").unwrap(), (10, 1));
        assert_eq!(set("SESSION_SEARCH_NICE", "9").unwrap(), (9, 0));
        let error = set("SESSION_SEARCH_EXCLUDE_PROJECTS", "x").unwrap_err();
        assert!(matches!(error, ConfigError::Variable { .. }), "{error}");
        set("SESSION_SEARCH_EXCLUDE_PATTERNS", "[\"(\"]").unwrap_err();
    }

    #[test]
    fn a_variable_widens_nothing_about_what_is_stored_and_sent() {
        let (_folder, mut home) = home_elsewhere("", "[exclude]\nprojects = [\"lab\"]\n");
        for (name, value) in [
            ("SESSION_SEARCH_MODEL", "remote"),
            ("SESSION_SEARCH_REDACTION_ENABLED", "false"),
            ("SESSION_SEARCH_REDACTION_ALLOW", "[\".*\"]"),
            ("SESSION_SEARCH_EXCLUDE_PROJECTS", "[]"),
        ] {
            home.env.vars.insert(name.to_owned(), value.to_owned());
        }
        let config = home.config_layers(None).unwrap().config;
        assert_eq!(config.model, Config::default().model);
        assert!(config.redaction.enabled && config.redaction.allow.is_empty());
        assert_eq!(config.exclude.projects, ["lab"]);
        assert_eq!(home.ignored_variables().len(), 4);
    }

    /// Redacted text is stored so, and lost where its history is gone.
    #[test]
    fn a_variable_changes_nothing_about_redaction() {
        let own = "[redaction]\nenabled = false\nallow = [\"plain\"]\n";
        let (_folder, mut home) = home_elsewhere(own, own);
        let before = home.config_layers(None).unwrap().config.redaction;
        for (name, value) in [
            ("SESSION_SEARCH_REDACTION_ENABLED", "true"),
            ("SESSION_SEARCH_REDACTION_ALLOW", "[]"),
            ("SESSION_SEARCH_REDACTION_PATTERNS", "[\"[a-z]{4,}\"]"),
        ] {
            home.env.vars.insert(name.to_owned(), value.to_owned());
        }
        assert_eq!(home.config_layers(None).unwrap().config.redaction, before);
        let ignored = home.ignored_variables();
        assert_eq!(ignored.len(), 3);
        let reason = "only your own configuration decides it";
        assert!(ignored.iter().all(|setting| setting.reason == reason));
    }

    #[test]
    fn a_variable_that_no_setting_has_is_told() {
        let (_folder, mut home) = home_elsewhere("", "");
        assert_eq!(home.unknown_variables(), []);
        for (name, value) in [
            ("SESSION_SEARCH_BACKROUND", "0"),
            ("SESSION_SEARCH_BACKGROUND", "0"),
            ("SESSION_SEARCH_INJECT", "0"),
            ("SESSION_SEARCH_REMOTE_URL", "x"),
        ] {
            home.env.vars.insert(name.to_owned(), value.to_owned());
        }
        let unknown = home.unknown_variables().into_iter();
        let names = unknown.map(|setting| setting.origin);
        let expected = ["SESSION_SEARCH_BACKROUND", "SESSION_SEARCH_REMOTE_URL"];
        let expected = expected.map(|name| SettingOrigin::Variable(name.to_owned()));
        assert_eq!(names.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_project_file_that_is_ignored_as_a_whole_is_told() {
        let (folder, home) = home_elsewhere("", "");
        let project = folder.path().join("home/app");
        let file = project.join(".claude/session-search.toml");
        fs_err::create_dir_all(project.join(".git")).unwrap();
        fs_err::create_dir_all(file.parent().unwrap()).unwrap();
        fs_err::write(&file, "nice = 3\n").unwrap();
        assert_eq!(home.ignored_files(&project).unwrap(), []);
        fs_err::write(&file, "nicce = 3\n").unwrap();
        let [ignored] = home.ignored_files(&project).unwrap().try_into().unwrap();
        assert!(
            ignored.reason.contains("unknown key `nicce`"),
            "{ignored:?}"
        );
    }

    #[test]
    fn a_variable_chooses_among_models_of_the_machine() {
        let remote = "model = \"remote\"\n";
        let (_folder, mut home) = home_elsewhere(remote, remote);
        let mut chosen = |model: &str| {
            let name = "SESSION_SEARCH_MODEL".to_owned();
            home.env.vars.insert(name, model.to_owned());
            home.config_layers(None).unwrap().config.model
        };
        assert_eq!(chosen("table"), "table");
        assert_eq!(chosen("remote"), "remote");
    }
}
