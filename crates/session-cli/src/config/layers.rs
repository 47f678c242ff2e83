//! What counts, and who said it: the user's file, the project's over it, the
//! environment over both.

use super::{Config, FILE, in_words, parse};
use anyhow::{Result, anyhow, bail};
use serde_json::Value;
use session_memory::{Storage, settings_folder};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use toml::Table;

/// Name of the file in a project's folder of settings.
pub const PROJECT_FILE: &str = "session-search.toml";
/// What a project may decide. A model or an endpoint is the user's own to
/// choose: an unpacked repository must not be able to send a history away.
const OF_PROJECTS: [&str; 6] = [
    "enabled",
    "auto_save",
    "auto_retrieve",
    "storage",
    "retrieval",
    "injection",
];

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

/// What counts, and who said it.
pub struct Layers {
    /// What counts.
    pub config: Config,
    /// What counts of memories that belong to no project.
    pub global: Storage,
    /// Who said it, by keys as `retrieval.max_results`; those that are not here have
    /// their default.
    origins: BTreeMap<String, Origin>,
}

impl Layers {
    /// Reads the user's file in a folder, the file of a project, the variables.
    ///
    /// # Errors
    /// For a mistake in any of them: with the file, the line and the key, or
    /// with the variable.
    pub fn read<'a>(
        folder: &Path,
        project: Option<&Path>,
        var: impl Fn(&str) -> Option<&'a str>,
    ) -> Result<Self> {
        let mut merged = Table::new();
        let mut origins = BTreeMap::new();
        let of_project = project.map(|root| settings_folder(root).join(PROJECT_FILE));
        let mut of_user = Table::new();
        for (path, is_project) in [(Some(folder.join(FILE)), false), (of_project, true)] {
            let Some(path) = path else { continue };
            let Some(table) = table(&path, is_project)? else {
                continue;
            };
            for key in leaves(&table) {
                origins.insert(key, Origin::File(path.clone()));
            }
            if !is_project {
                of_user = table.clone();
            }
            merge(&mut merged, table);
        }
        for (key, default) in flat(&serde_json::to_value(Config::default())?) {
            let Some(name) = variable(&key) else { continue };
            if let Some(text) = var(&name).filter(|text| !text.trim().is_empty()) {
                for table in [&mut of_user, &mut merged] {
                    set(table, &key, value(text, &default));
                }
                config(&merged).map_err(|why| wrong_variable(&name, text, &why))?;
                origins.insert(key, Origin::Variable(name));
            }
        }
        Ok(Self {
            global: config(&of_user)?.storage,
            config: config(&merged)?,
            origins,
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

/// The variable that overrides a key: `SESSION_SEARCH_RETRIEVAL_MAX_RESULTS`. An endpoint's
/// have names of their own.
pub fn variable(key: &str) -> Option<String> {
    let name = || format!("SESSION_SEARCH_{}", key.replace('.', "_").to_uppercase());
    (!key.starts_with("remote.")).then(name)
}

fn wrong_variable(name: &str, text: &str, why: &anyhow::Error) -> anyhow::Error {
    anyhow!(
        "the variable {name} is `{text}`: {why}\nhint: docs/configuration.md has the values; unset {name} to do without it"
    )
}

/// True for a key that a project may decide.
fn is_of_projects(key: &str) -> bool {
    OF_PROJECTS.contains(&key.split('.').next().unwrap_or_default())
}

/// The values of a tree by their path: those at the top first.
fn flat(value: &Value) -> Vec<(String, Value)> {
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

/// A file's table; none where there is no file.
fn table(path: &Path, is_project: bool) -> Result<Option<Table>> {
    // Reading a pipe would wait for ever.
    if fs_err::metadata(path).is_ok_and(|meta| !meta.is_file()) {
        bail!("{} is no file\nhint: move it away", path.display());
    }
    let text = match fs_err::read_to_string(path) {
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
        text => text?,
    };
    parse(&text, path)?; // for the line of a mistake
    let table: Table = text.parse()?;
    let other = table.keys().find(|key| !is_of_projects(key));
    if let (true, Some(key)) = (is_project, other) {
        bail!(
            "{}: `{key}` cannot be decided by a project\nhint: put it into your own configuration; docs/configuration.md has the keys",
            path.display()
        );
    }
    Ok(Some(table))
}

fn config(merged: &Table) -> Result<Config> {
    let wrong = |e: toml::de::Error| anyhow!("{}", in_words(e.message()));
    merged.clone().try_into().map_err(wrong)
}

/// Paths of the values in a table.
fn leaves(table: &Table) -> Vec<String> {
    let value = serde_json::to_value(table).unwrap_or_default();
    flat(&value).into_iter().map(|(key, _)| key).collect()
}

fn merge(into: &mut Table, from: Table) {
    for (key, value) in from {
        match (into.get_mut(&key), value) {
            (Some(toml::Value::Table(old)), toml::Value::Table(new)) => merge(old, new),
            (_, value) => drop(into.insert(key, value)),
        }
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
