//! Merges the layers of the configuration: the user's file, narrowed by the project's file and by the
//! environment. Each key remembers which layer decided it.

use super::narrow::{self, Narrowing};
use super::{Config, FILE, LIMIT, in_words, parse};
use anyhow::{Result, anyhow};
use serde_json::Value;
use session_files::{Project, private};
use session_memory::{StorageSettings, settings_directory};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toml::Table;

/// Name of the file in a project's folder of settings.
pub const PROJECT_FILE: &str = "session-search.toml";

/// Who said what counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Nobody.
    Default,
    /// A file.
    File(PathBuf),
    /// A variable.
    Variable(String),
}

/// A setting of a project or a variable that does not count.
#[derive(Debug, Clone, PartialEq)]
pub struct Ignored {
    /// The key; `None` where a whole file is left out.
    pub key: Option<String>,
    /// Its value there.
    pub value: Value,
    /// Who said it.
    pub origin: Origin,
    /// Why it does not count.
    pub reason: String,
}

/// What counts, and who said it.
pub struct Layers {
    /// What counts.
    pub config: Config,
    /// What counts of memories that belong to no project.
    pub global: StorageSettings,
    /// Settings of the project and of variables that do not count.
    pub ignored: Vec<Ignored>,
    /// Who said it, by keys as `retrieval.max_results`; those that are not here have
    /// their default.
    origins: BTreeMap<String, Origin>,
}

impl Layers {
    /// Reads the user's file in a folder, the file of a project, the variables.
    ///
    /// # Errors
    /// For a mistake in the user's file, with its line and key, or in a variable. One in a project's
    /// file costs that file alone.
    pub fn read<'a>(
        folder: &Path,
        project: Option<&Project>,
        var: impl Fn(&str) -> Option<&'a str>,
    ) -> Result<Self> {
        let path = folder.join(FILE);
        let own = match private::read_text(&path, LIMIT)? {
            Some(text) => table(&text, &path)?,
            None => Table::new(),
        };
        let origin = |key| (key, Origin::File(path.clone()));
        let mut merging = Merging {
            own: serde_json::to_value(config(&own)?)?,
            origins: leaves(&own)
                .into_iter()
                .map(|(key, _)| origin(key))
                .collect(),
            merged: own.clone(),
            of_user: own,
            ignored: Vec::new(),
        };
        if let Some(project) = project {
            merging.add_project(project);
        }
        merging.add_variables(var)?;
        Ok(Self {
            global: config(&merging.of_user)?.storage,
            config: config(&merging.merged)?,
            ignored: merging.ignored,
            origins: merging.origins,
        })
    }

    /// Every key with its value and who said it.
    pub fn all(&self) -> Result<Vec<(String, Value, Origin)>> {
        let all = flat(&serde_json::to_value(&self.config)?);
        let origin = |key: &String| self.origins.get(key).cloned().unwrap_or(Origin::Default);
        Ok(all
            .into_iter()
            .map(|(key, value)| (key.clone(), value, origin(&key)))
            .collect())
    }
}

/// Layers on their way.
struct Merging {
    /// The value of every key by the user's own file.
    own: Value,
    /// The tables of all layers.
    merged: Table,
    /// The same without the project's.
    of_user: Table,
    origins: BTreeMap<String, Origin>,
    ignored: Vec<Ignored>,
}

impl Merging {
    /// Takes over what a project's file narrows.
    fn add_project(&mut self, project: &Project) {
        let relative = settings_directory().join(PROJECT_FILE);
        let path = project.root().join(&relative);
        let read = || -> Result<Option<Table>> {
            let text = project.open()?.read_text(&relative, LIMIT)?;
            text.map(|text| table(&text, &path)).transpose()
        };
        let origin = Origin::File(path.clone());
        match read() {
            Ok(None) => {}
            Ok(Some(table)) => {
                for (key, value) in leaves(&table) {
                    self.add_of_project(&key, value, &table, &origin);
                }
            }
            Err(error) => self.ignored.push(Ignored {
                key: None,
                value: Value::Null,
                origin,
                reason: format!("{error:#}"),
            }),
        }
    }

    fn add_of_project(&mut self, key: &str, value: Value, from: &Table, origin: &Origin) {
        let narrowing = narrow::narrowing(key).unwrap_or(Narrowing::Never);
        match (narrowing.allows(self.own_value(key), &value), at(from, key)) {
            (true, Some(given)) => {
                set(&mut self.merged, key, given.clone());
                self.origins.insert(key.to_owned(), origin.clone());
            }
            _ => self.ignore(key, value, origin.clone(), narrowing),
        }
    }

    /// Takes over what variables say: of memories what narrows, of all else anything.
    fn add_variables<'a>(&mut self, var: impl Fn(&str) -> Option<&'a str>) -> Result<()> {
        for (key, default) in flat(&serde_json::to_value(Config::default())?) {
            let Some(name) = variable(&key) else { continue };
            let Some(text) = var(&name).filter(|text| !text.trim().is_empty()) else {
                continue;
            };
            let given = value(text, &default);
            let mut merged = self.merged.clone();
            set(&mut merged, &key, given.clone());
            config(&merged).map_err(|why| wrong_variable(&name, text, &why))?;
            let json = serde_json::to_value(&given)?;
            let origin = Origin::Variable(name);
            match narrow::narrowing(&key) {
                Some(narrowing) if !narrowing.allows(self.own_value(&key), &json) => {
                    self.ignore(&key, json, origin, narrowing);
                }
                _ => {
                    self.merged = merged;
                    set(&mut self.of_user, &key, given);
                    self.origins.insert(key, origin);
                }
            }
        }
        Ok(())
    }

    fn own_value(&self, key: &str) -> &Value {
        let pointer = format!("/{}", key.replace('.', "/"));
        self.own.pointer(&pointer).unwrap_or(&Value::Null)
    }

    fn ignore(&mut self, key: &str, value: Value, origin: Origin, narrowing: Narrowing) {
        self.ignored.push(Ignored {
            key: Some(key.to_owned()),
            value,
            origin,
            reason: narrowing.reason().to_owned(),
        });
    }
}

/// The variable that overrides a key: `SESSION_SEARCH_RETRIEVAL_MAX_RESULTS`. An endpoint's
/// have names of their own, and the hub, which gets a token, has none.
pub fn variable(key: &str) -> Option<String> {
    let name = || format!("SESSION_SEARCH_{}", key.replace('.', "_").to_uppercase());
    (!key.starts_with("remote.") && key != "hub").then(name)
}

fn wrong_variable(name: &str, text: &str, why: &anyhow::Error) -> anyhow::Error {
    anyhow!(
        "the variable {name} is `{text}`: {why}\nhint: docs/configuration.md has the values; unset {name} to do without it"
    )
}

/// The values of a tree by their path: those at the top first.
pub(super) fn flat(value: &Value) -> Vec<(String, Value)> {
    let Value::Object(map) = value else {
        return Vec::new();
    };
    let (tables, plain): (Vec<_>, Vec<_>) = map.iter().partition(|(_, v)| v.is_object());
    let plain = plain
        .into_iter()
        .map(|(key, value)| (key.clone(), value.clone()));
    let inner = tables.into_iter().flat_map(|(key, table)| {
        let inner = flat(table).into_iter();
        inner.map(move |(name, value)| (format!("{key}.{name}"), value))
    });
    plain.chain(inner).collect()
}

/// A configuration's table, once it was read as one: for the line of a mistake.
fn table(text: &str, path: &Path) -> Result<Table> {
    parse(text, path)?;
    Ok(text.parse()?)
}

fn config(merged: &Table) -> Result<Config> {
    let wrong = |e: toml::de::Error| anyhow!("{}", in_words(e.message()));
    merged.clone().try_into().map_err(wrong)
}

/// The values in a table by their paths.
fn leaves(table: &Table) -> Vec<(String, Value)> {
    flat(&serde_json::to_value(table).unwrap_or_default())
}

/// The value at a path.
fn at<'a>(table: &'a Table, key: &str) -> Option<&'a toml::Value> {
    match key.split_once('.') {
        None => table.get(key),
        Some((name, rest)) => at(table.get(name)?.as_table()?, rest),
    }
}

fn set(table: &mut Table, key: &str, value: toml::Value) {
    match key.split_once('.') {
        None => drop(table.insert(key.to_owned(), value)),
        Some((name, rest)) => {
            let inner = table.entry(name).or_insert_with(|| Table::new().into());
            if let Some(inner) = inner.as_table_mut() {
                set(inner, rest, value);
            }
        }
    }
}

/// A variable's text as a value: `0` and `1` stand for no and yes where that is asked,
/// what is no number, no `true` and no `false` is text.
fn value(text: &str, default: &Value) -> toml::Value {
    let text = text.trim();
    if default.is_boolean() && ["0", "1"].contains(&text) {
        return (text == "1").into();
    }
    let table = format!("value = {text}").parse::<Table>();
    let read = table.ok().and_then(|mut table| table.remove("value"));
    read.unwrap_or_else(|| text.into())
}
