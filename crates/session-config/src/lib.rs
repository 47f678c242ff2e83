//! The configuration: its layers, the environment, and the user's directories.
//!
//! [`Home::config_layers`] merges the user's `config.toml`, a project's file and environment variables
//! into a [`Config`], and remembers which layer decided each [`Setting`]. A cloned repository may bring the
//! project's file and set variables. So both may only narrow what the user configured about memories: a
//! setting that would widen it is an [`IgnoredSetting`]. [`set_keys`] writes keys of the user's file and
//! keeps its comments.
//!
//! [`Home`] has the environment of the process, and the directories and the configuration that follow from
//! it. Variables that lead into the project of the working directory are removed. It opens the index
//! ([`Home::index`]) and the models ([`Home::catalogue`]).
//!
//! ```
//! use session_config::{Assignment, Home, SettingOrigin, set_keys};
//! use session_sources::Env;
//!
//! let directory = tempfile::tempdir()?;
//! let env = Env::with_home(directory.path()).var("SESSION_SEARCH_NICE", "5");
//! let home = Home::new(env, directory.path().join("index"));
//! let model = Assignment { table: None, key: "model", value: "table" };
//! set_keys(&home.directories().config, &[model])?;
//! let layers = home.config_layers(None)?;
//! assert_eq!((layers.config.model.as_str(), layers.config.nice), ("table", 5));
//!
//! let settings = layers.settings()?;
//! let nice = settings.iter().find(|setting| setting.key == "nice").unwrap();
//! assert_eq!(nice.origin, SettingOrigin::Variable("SESSION_SEARCH_NICE".into()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod background;
mod battery;
mod config;
mod edit;
mod environment;
mod error;
mod exclusions;
mod home;
mod layers;
mod memory_project;
mod narrow;
mod pager_command;
mod path_variables;
mod process_environment;
mod project_marks;
mod refresh_environment;
mod settings_report;
mod source_settings;

pub use config::{Config, EndpointConfig, OnBattery};
pub use edit::{Assignment, RevertedKey, read_key, revert_keys, set_keys};
pub use environment::{explain_history_removals, explain_removal};
pub use error::{ConfigError, Result};
pub use home::{ChosenModel, Home, current_directory, current_directory_or_home};
pub use layers::{ConfigLayers, IgnoredSetting, Setting, SettingOrigin, variable_name};
pub use memory_project::find_memory_project;
pub use pager_command::PagerCommand;
pub use process_environment::{RemovedVariable, remove_process_variables};
pub use refresh_environment::describe_environment;
pub use settings_report::{ReportedSetting, SettingsReport};
pub use source_settings::SourceSettings;
