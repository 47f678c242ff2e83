//! Merges the layers of the configuration: the user's file, narrowed by the file in the default directory
//! where a variable names another one, by the project's file and by the environment. Each key remembers which layer decided it.

use crate::config::{Config, SIZE_LIMIT, parse, rephrase};
use crate::environment::OWN_PREFIX;
use crate::error::{ConfigError, Result};
use crate::narrow::{self, Narrowing};
use serde_json::Value;
use session_core::text::path_line;
use session_files::{Project, private};
use session_memory::{StorageSettings, settings_directory};
use session_models::CONFIG_FILE;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toml::Table;

/// Name of the file in a project's settings directory.
pub(crate) const PROJECT_FILE: &str = "session-search.toml";

/// The table of the endpoint.
const ENDPOINT_TABLE: &str = "remote";

/// The layer that decided a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingOrigin {
    /// None: it has its default.
    Default,
    /// A configuration file.
    File(PathBuf),
    /// An environment variable.
    Variable(String),
}

/// A key of the configuration in effect.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// The key, such as `retrieval.max_results`.
    pub key: String,
    /// Its value.
    pub value: Value,
    /// The layer that decided it.
    pub origin: SettingOrigin,
}

/// A setting of a project or of a variable that was ignored.
#[derive(Debug, Clone, PartialEq)]
pub struct IgnoredSetting {
    /// The key; `None` if a whole file is left out.
    pub key: Option<String>,
    /// Its value there.
    pub value: Value,
    /// The layer that has it.
    pub origin: SettingOrigin,
    /// The reason for which it was ignored.
    pub reason: String,
    /// The way out for a user.
    pub hint: Option<String>,
}

impl IgnoredSetting {
    /// Returns true if the value was ignored for a mistake in it, and not because of who set it.
    pub(crate) fn is_mistake(&self) -> bool {
        self.hint.is_some()
    }

    /// Returns the reason with the hint, where there is one, on a line of its own.
    pub fn full_reason(&self) -> String {
        let reason = &self.reason;
        let hint = self.hint.as_ref();
        hint.map_or_else(|| reason.clone(), |hint| format!("{reason}\nhint: {hint}"))
    }
}

/// The configuration in effect, and which layer decided each key.
pub struct ConfigLayers {
    /// The configuration in effect.
    pub config: Config,
    /// Storage of memories that belong to no project: the project's file does not change it.
    pub global: StorageSettings,
    /// Settings of the project and of variables that were ignored.
    pub ignored: Vec<IgnoredSetting>,
    /// The layer by key, such as `retrieval.max_results`; keys that are not here have their default.
    origins: BTreeMap<String, SettingOrigin>,
}

impl ConfigLayers {
    /// Reads the user's file in a directory, the file of a project, and the variables. Where a variable chose the
    /// directory, what the file in the default directory narrows counts, too.
    pub(crate) fn read<'a>(
        directory: &Path,
        default_directory: Option<&Path>,
        project: Option<&Project>,
        var: impl Fn(&str) -> Option<&'a str>,
    ) -> Result<Self> {
        let path = directory.join(CONFIG_FILE);
        let own = read_user_table(&path)?;
        let origin = |key| (key, SettingOrigin::File(path.clone()));
        let mut merge = LayerMerge {
            own: serde_json::to_value(read_config(&own)?)?,
            origins: flatten_table(&own)
                .into_iter()
                .map(|entry| origin(entry.key))
                .collect(),
            merged: own.clone(),
            without_project: own,
            ignored: Vec::new(),
        };
        if let Some(directory) = default_directory {
            merge.add_default_file(&directory.join(CONFIG_FILE))?;
        }
        if let Some(project) = project {
            merge.add_project(project);
        }
        merge.add_variables(var)?;
        Ok(Self {
            global: read_config(&merge.without_project)?.storage,
            config: read_config(&merge.merged)?,
            ignored: merge.ignored,
            origins: merge.origins,
        })
    }

    /// Returns every key with its value, keys outside of tables first.
    ///
    /// # Errors
    /// When a value of the configuration has no form in JSON.
    pub fn settings(&self) -> Result<Vec<Setting>> {
        let origin = |key: &str| self.origins.get(key).cloned();
        let all = flatten(&serde_json::to_value(&self.config)?).into_iter();
        Ok(all
            .map(|entry| Setting {
                origin: origin(&entry.key).unwrap_or(SettingOrigin::Default),
                key: entry.key,
                value: entry.value,
            })
            .collect())
    }
}

/// A variable whose value does not fit its key.
struct VariableMistake<'v> {
    key: String,
    name: String,
    /// Its value, as it is set.
    text: &'v str,
    error: ConfigError,
}

/// The layers that were merged so far.
struct LayerMerge {
    /// The value of every key by the user's own files alone.
    own: Value,
    /// The merged tables of all layers.
    merged: Table,
    /// The merged tables of all layers but the project's.
    without_project: Table,
    origins: BTreeMap<String, SettingOrigin>,
    ignored: Vec<IgnoredSetting>,
}

impl LayerMerge {
    /// Merges those settings of the file in the default directory that narrow the user's, and its endpoint. A file with a
    /// mistake, which is not the one that the user works with, counts as an empty one: what is sent stays its matter.
    fn add_default_file(&mut self, path: &Path) -> Result<()> {
        if fs_err::symlink_metadata(path).is_err() {
            return Ok(());
        }
        let origin = SettingOrigin::File(path.to_owned());
        let table = read_user_table(path).unwrap_or_else(|error| {
            self.ignore_file(&error, origin.clone());
            Table::new()
        });
        let set: Vec<String> = flatten_table(&table).into_iter().map(|e| e.key).collect();
        let all = flatten(&serde_json::to_value(read_config(&table)?)?);
        for ConfigEntry { key, value } in all {
            // What is sent and read is decided by the default file also where it leaves a key out.
            let is_decided = set.contains(&key) || narrow::decides_what_is_sent(&key);
            let narrowing = narrow::narrowing_by_second_file(&key).filter(|_| is_decided);
            let narrower = narrowing.and_then(|n| n.narrower(self.own_value(&key), &value));
            if let Some(narrower) = narrower {
                let narrower = toml_value(narrower)?;
                set_value(&mut self.merged, &key, narrower.clone());
                set_value(&mut self.without_project, &key, narrower);
                let before = self.origins.remove(&key);
                if set.contains(&key) {
                    self.origins.insert(key.clone(), origin.clone());
                }
                let is_told = narrow::decides_what_is_sent(&key);
                if let Some(before) = before.filter(|_| is_told) {
                    let value = self.own_value(&key).clone();
                    self.ignore_second(key, value, before);
                }
            }
        }
        self.take_endpoint(&table, &origin);
        self.own = serde_json::to_value(read_config(&self.merged)?)?;
        Ok(())
    }

    /// Takes the endpoint of the file in the default directory, or none. What is sent to it is no matter of a variable.
    fn take_endpoint(&mut self, default: &Table, origin: &SettingOrigin) {
        let endpoint = default.get(ENDPOINT_TABLE);
        if self.merged.get(ENDPOINT_TABLE) == endpoint {
            return;
        }
        for table in [&mut self.merged, &mut self.without_project] {
            table.remove(ENDPOINT_TABLE);
            table.extend(endpoint.map(|found| (ENDPOINT_TABLE.to_owned(), found.clone())));
        }
        let is_in_table = |key: &str| key.split('.').next() == Some(ENDPOINT_TABLE);
        let before = self.origins.iter().find(|(key, _)| is_in_table(key));
        let before = before.map(|(_, before)| before.clone());
        self.origins.retain(|key, _| !is_in_table(key));
        let keys = flatten_table(default).into_iter().map(|entry| entry.key);
        let keys = keys.filter(|key| is_in_table(key));
        self.origins.extend(keys.map(|key| (key, origin.clone())));
        if let Some(before) = before {
            // It may hold a key.
            self.ignore_second(ENDPOINT_TABLE.to_owned(), "(set)".into(), before);
        }
    }

    /// Notes a setting of the user's file that the one in the default directory decides.
    fn ignore_second(&mut self, key: String, value: Value, origin: SettingOrigin) {
        self.ignored.push(IgnoredSetting {
            key: Some(key),
            value,
            origin,
            reason: "only the file in the default folder decides it, where there is one".to_owned(),
            hint: None,
        });
    }

    /// Merges those settings of a project's file that narrow the user's.
    fn add_project(&mut self, project: &Project) {
        let relative = settings_directory().join(PROJECT_FILE);
        let path = project.root().join(&relative);
        let read = || -> Result<Option<Table>> {
            let text = project.open()?.read_text(&relative, SIZE_LIMIT)?;
            text.map(|text| parse_table(&text, &path)).transpose()
        };
        let origin = SettingOrigin::File(path.clone());
        match read() {
            Ok(None) => {}
            Ok(Some(table)) => {
                for ConfigEntry { key, value } in flatten_table(&table) {
                    self.add_project_setting(&key, value, &origin);
                }
            }
            Err(error) => self.ignore_file(&error, origin),
        }
    }

    fn add_project_setting(&mut self, key: &str, value: Value, origin: &SettingOrigin) {
        let narrowing = narrow::narrowing(key).unwrap_or(Narrowing::Never);
        let is_allowed = narrowing.allows(self.own_value(key), &value);
        match (is_allowed, toml_value(value.clone())) {
            (true, Ok(narrower)) => {
                set_value(&mut self.merged, key, narrower);
                self.origins.insert(key.to_owned(), origin.clone());
            }
            _ => self.ignore(key, value, origin.clone(), narrowing),
        }
    }

    /// Merges variables: settings of memories and of privacy that narrow the user's, and any other setting.
    fn add_variables<'a>(&mut self, var: impl Fn(&str) -> Option<&'a str>) -> Result<()> {
        let defaults = flatten(&serde_json::to_value(Config::default())?);
        for ConfigEntry {
            key,
            value: default,
        } in defaults
        {
            let Some(name) = variable_name(&key) else {
                continue;
            };
            let Some(text) = var(&name).filter(|text| !text.trim().is_empty()) else {
                continue;
            };
            let value = parse_variable(text, &default);
            let mut merged = self.merged.clone();
            set_value(&mut merged, &key, value.clone());
            let json = serde_json::to_value(&value)?;
            if let Err(error) = read_config(&merged) {
                let mistake = VariableMistake {
                    key,
                    name,
                    text,
                    error,
                };
                self.take_mistake(mistake, json)?;
                continue;
            }
            let origin = SettingOrigin::Variable(name);
            match narrow::narrowing_by_variable(&key) {
                Some(narrowing) if !narrowing.allows(self.own_value(&key), &json) => {
                    self.ignore(&key, json, origin, narrowing);
                }
                _ => {
                    self.merged = merged;
                    set_value(&mut self.without_project, &key, value);
                    self.origins.insert(key, origin);
                }
            }
        }
        Ok(())
    }

    /// Ignores a variable with a mistake: a project that sets one stops no command. Where it would keep something out of
    /// the index, that would be indexed: there it is an error. What a variable can only turn off is turned off.
    fn take_mistake(&mut self, mistake: VariableMistake<'_>, value: Value) -> Result<()> {
        let VariableMistake {
            key,
            name,
            text,
            error,
        } = mistake;
        let shown = path_line(text.as_ref());
        let mut reason = format!("its value `{shown}` does not fit: {error}");
        let error = ConfigError::Variable {
            name: name.clone(),
            value: text.to_owned(),
            message: error.to_string(),
        };
        if narrow::keeps_out(&key) {
            return Err(error);
        }
        let origin = SettingOrigin::Variable(name);
        if narrow::narrowing_by_variable(&key) == Some(Narrowing::Off) {
            set_value(&mut self.merged, &key, false.into());
            set_value(&mut self.without_project, &key, false.into());
            self.origins.insert(key.clone(), origin.clone());
            reason.push_str("; `false` is used, which is all that it may set");
        }
        self.ignored.push(IgnoredSetting {
            key: Some(key),
            value,
            origin,
            reason,
            hint: error.hint(),
        });
        Ok(())
    }

    fn own_value(&self, key: &str) -> &Value {
        let pointer = format!("/{}", key.replace('.', "/"));
        self.own.pointer(&pointer).unwrap_or(&Value::Null)
    }

    fn ignore_file(&mut self, error: &ConfigError, origin: SettingOrigin) {
        self.ignored.push(IgnoredSetting {
            key: None,
            value: Value::Null,
            origin,
            reason: error.to_string(),
            hint: match error {
                ConfigError::Mistake { .. } => error.hint(),
                _ => None,
            },
        });
    }

    fn ignore(&mut self, key: &str, value: Value, origin: SettingOrigin, narrowing: Narrowing) {
        self.ignored.push(IgnoredSetting {
            key: Some(key.to_owned()),
            value,
            origin,
            reason: narrowing.reason().to_owned(),
            hint: None,
        });
    }
}

/// Returns the variable that overrides a key, such as `SESSION_SEARCH_RETRIEVAL_MAX_RESULTS`. An
/// endpoint's variables have names of their own. The hub, which gets a token, and the folders whose histories are read
/// have none.
pub fn variable_name(key: &str) -> Option<String> {
    let name = || format!("{OWN_PREFIX}{}", key.replace('.', "_").to_uppercase());
    let has_none = key == "hub"
        || ["remote.", "sources."]
            .iter()
            .any(|table| key.starts_with(table));
    (!has_none).then(name)
}

/// Returns true for a variable that sets a key of the configuration, or means to.
pub(crate) fn may_set_key(name: &str) -> bool {
    name.starts_with(OWN_PREFIX) && !OTHER_VARIABLES.contains(&name)
}

/// Variables of this program that set no key.
const OTHER_VARIABLES: [&str; 4] = [
    "SESSION_SEARCH_HOME",
    "SESSION_SEARCH_CONFIG",
    "SESSION_SEARCH_INJECT",
    "SESSION_SEARCH_DOWNLOAD_URL",
];

/// Returns the names among those of variables that begin as this program's, and that nothing reads: a misspelled one would
/// change nothing without a word.
pub(crate) fn unknown_variables<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut names = names.filter(|name| name.starts_with(OWN_PREFIX)).peekable();
    // Hardly ever is one set.
    if names.peek().is_none() {
        return Vec::new();
    }
    let defaults = serde_json::to_value(Config::default()).unwrap_or_default();
    let keys = flatten(&defaults).into_iter();
    let known: Vec<String> = keys.filter_map(|entry| variable_name(&entry.key)).collect();
    let is_known =
        |name: &str| OTHER_VARIABLES.contains(&name) || known.iter().any(|known| known == name);
    names.filter(|name| !is_known(name)).collect()
}

/// A value of the configuration by the path of its key.
pub(crate) struct ConfigEntry {
    /// The key, such as `retrieval.max_results`.
    pub(crate) key: String,
    pub(crate) value: Value,
}

/// Returns the values of a tree by their paths, those outside of tables first.
pub(crate) fn flatten(value: &Value) -> Vec<ConfigEntry> {
    let Value::Object(map) = value else {
        return Vec::new();
    };
    let (tables, plain): (Vec<_>, Vec<_>) = map.iter().partition(|(_, v)| v.is_object());
    let plain = plain.into_iter().map(|(key, value)| ConfigEntry {
        key: key.clone(),
        value: value.clone(),
    });
    let inner = tables.into_iter().flat_map(|(table, values)| {
        let inner = flatten(values).into_iter();
        inner.map(move |entry| ConfigEntry {
            key: format!("{table}.{}", entry.key),
            value: entry.value,
        })
    });
    plain.chain(inner).collect()
}

/// Reads a configuration file of the user; it may be missing.
fn read_user_table(path: &Path) -> Result<Table> {
    match private::read_text(path, SIZE_LIMIT)? {
        Some(text) => parse_table(&text, path).or_else(|mistake| {
            // Of a file in another encoding a mistake of TOML says little.
            private::read_utf8(path, SIZE_LIMIT)?;
            Err(mistake)
        }),
        None => Ok(Table::new()),
    }
}

/// Parses a file to a table. It is parsed as a configuration first, for the line of a mistake.
fn parse_table(text: &str, path: &Path) -> Result<Table> {
    parse(text, path)?;
    toml::from_str(text).map_err(|error| ConfigError::Value(rephrase(error.message())))
}

/// Deserializes a configuration from merged tables.
fn read_config(merged: &Table) -> Result<Config> {
    let config = merged.clone().try_into();
    config.map_err(|error: toml::de::Error| ConfigError::Value(rephrase(error.message())))
}

fn toml_value(value: Value) -> Result<toml::Value> {
    toml::Value::try_from(value).map_err(|error| ConfigError::Value(error.to_string()))
}

/// Returns the values of a table by their paths.
fn flatten_table(table: &Table) -> Vec<ConfigEntry> {
    flatten(&serde_json::to_value(table).unwrap_or_default())
}

fn set_value(table: &mut Table, key: &str, value: toml::Value) {
    match key.split_once('.') {
        None => drop(table.insert(key.to_owned(), value)),
        Some((name, rest)) => {
            let inner = table.entry(name).or_insert_with(|| Table::new().into());
            if let Some(inner) = inner.as_table_mut() {
                set_value(inner, rest, value);
            }
        }
    }
}

/// Parses the text of a variable as a TOML value; a text that is none stands for itself. `0` and `1`
/// are booleans where the default is one.
fn parse_variable(text: &str, default: &Value) -> toml::Value {
    let text = text.trim();
    if default.is_boolean() && ["0", "1"].contains(&text) {
        return (text == "1").into();
    }
    let table = format!("value = {text}").parse::<Table>();
    let read = table.ok().and_then(|mut table| table.remove("value"));
    read.unwrap_or_else(|| text.into())
}
