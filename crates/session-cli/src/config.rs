//! The configuration file. `docs/configuration.md` describes its keys.

pub mod layers;
mod narrow;

use anyhow::{Result, bail};
use serde::de::{Error as _, Unexpected};
use serde::{Deserialize, Deserializer, Serialize};
use session_files::private;
use session_memory::{InjectionSettings, RetrievalSettings, StorageSettings};
use std::num::NonZeroUsize;
use std::path::Path;
use toml_edit::DocumentMut;

/// Name of the file in the configuration folder.
pub const FILE: &str = "config.toml";

/// Most bytes of the file.
const LIMIT: u64 = 64 << 10;
/// Most threads that can be asked for.
const MOST_THREADS: usize = 1024;

/// What the user configured. Every key has a default; one that is not here is
/// an error.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The model that makes the vectors, by its name in `model list`.
    #[serde(deserialize_with = "text")]
    pub model: String,
    /// Make its vectors in a process of their own after a search.
    pub background: bool,
    /// Threads for embedding; see [`Config::threads`].
    #[serde(deserialize_with = "threads")]
    threads: Option<NonZeroUsize>,
    /// How much that process stands back for others: 0 to 19.
    #[serde(deserialize_with = "nice")]
    pub nice: i8,
    /// What it does on a machine that runs on its battery.
    pub on_battery: OnBattery,
    /// Where a model runs.
    pub device: Device,
    /// Address of the model hub, where that is not the public one.
    #[serde(deserialize_with = "some_text")]
    pub hub: Option<String>,
    /// The endpoint behind the model `remote`.
    pub remote: Remote,
    /// Memories are kept, found, and put before prompts.
    pub enabled: bool,
    /// Suggest to save a memory before a conversation is compacted.
    pub auto_save: bool,
    /// Put memories before prompts.
    pub auto_retrieve: bool,
    /// Where memories are kept, and for how long.
    pub storage: StorageSettings,
    /// How memories are ranked.
    pub retrieval: RetrievalSettings,
    /// What is put before prompts.
    pub injection: InjectionSettings,
}

/// What a background process does while a machine runs on its battery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum OnBattery {
    /// Leaves the work to a later one.
    Pause,
    /// Goes on.
    Run,
}

/// Where a model runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Device {
    /// On the GPU of a Mac if there is one, else on the CPU.
    Auto,
    /// On the CPU.
    Cpu,
    /// On the GPU of a Mac.
    Metal,
}

impl From<Device> for session_embed::Device {
    fn from(device: Device) -> Self {
        match device {
            Device::Auto => Self::Auto,
            Device::Cpu => Self::Cpu,
            Device::Metal => Self::Metal,
        }
    }
}

/// An OpenAI-compatible endpoint. Its address stands here or in `.env` beside it, never in the
/// environment alone.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Remote {
    /// Address, with or without `/embeddings` at its end.
    #[serde(deserialize_with = "some_text")]
    pub url: Option<String>,
    /// Key that is sent as a bearer token.
    #[serde(deserialize_with = "some_text")]
    pub api_key: Option<String>,
    /// Name of the model there.
    #[serde(deserialize_with = "some_text")]
    pub model: Option<String>,
    /// Tokens of a text that the model reads.
    #[serde(deserialize_with = "some_tokens")]
    pub max_tokens: Option<usize>,
}

impl Remote {
    /// Returns the settings of the endpoint.
    pub fn endpoint_settings(&self) -> session_models::EndpointSettings {
        session_models::EndpointSettings {
            url: self.url.clone(),
            api_key: self.api_key.clone(),
            model: self.model.clone(),
            max_tokens: self.max_tokens.map(|tokens| tokens.to_string()),
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        let model = match cfg!(feature = "minilm") {
            true => "all-minilm-l6-v2",
            false => "table",
        };
        Self {
            model: model.to_owned(),
            background: true,
            threads: None,
            nice: 10,
            on_battery: OnBattery::Pause,
            device: Device::Auto,
            hub: None,
            remote: Remote::default(),
            enabled: true,
            auto_save: false,
            auto_retrieve: true,
            storage: StorageSettings::default(),
            retrieval: RetrievalSettings::default(),
            injection: InjectionSettings::default(),
        }
    }
}

impl Config {
    /// Threads to embed with: all cores; half of them, at least one, in the
    /// background.
    #[allow(dead_code, reason = "for whatever embeds in the background")]
    pub fn threads(&self, in_background: bool) -> usize {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        match (self.threads, in_background) {
            (Some(threads), _) => threads.get(),
            (None, false) => cores,
            (None, true) => (cores / 2).max(1),
        }
    }
}

fn parse(text: &str, path: &Path) -> Result<Config> {
    let error = match toml::from_str(text) {
        Ok(config) => return Ok(config),
        Err(error) => error,
    };
    let at = error.span().map_or(0, |span| span.start);
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count();
    let key = text.lines().nth(line).and_then(|line| line.split_once('='));
    let key = key.map_or(String::new(), |(key, _)| format!(", key `{}`", key.trim()));
    bail!(
        "{}, line {}{key}: {}\nhint: docs/configuration.md has the keys and their values; text stands in double quotes",
        path.display(),
        line + 1,
        in_words(error.message())
    )
}

/// What the reader of a value says, in the words of its writer instead of Rust's.
fn in_words(message: &str) -> String {
    let mut words: Vec<&str> = message.split_whitespace().collect();
    while let Some(at) = words.iter().position(|word| *word == "struct") {
        words.splice(at..(at + 2).min(words.len()), ["a", "table"]);
    }
    let words = words.join(" ");
    let plain = [
        ("expected i64", "expected a whole number"),
        ("expected f64", "expected a number"),
        ("expected a boolean", "expected true or false"),
        ("expected a string", "expected text"),
        ("unknown variant", "unknown value"),
        ("unknown field", "unknown key"),
    ];
    plain
        .iter()
        .fold(words, |text, (rust, said)| text.replace(rust, said))
}

/// Sets a key in the file of a folder, and makes both if need be.
///
/// # Errors
/// When the file is no TOML, or cannot be written.
pub fn set(folder: &Path, table: Option<&str>, key: &str, value: &str) -> Result<()> {
    let path = folder.join(FILE);
    let text = private::read_text(&path, LIMIT)?.unwrap_or_default();
    let text = with(&text, table, key, value)?;
    Ok(private::write(&path, text.as_bytes())?)
}

/// The text of a configuration with a key set, everything else in it kept.
///
/// # Errors
/// When the text is no TOML.
fn with(text: &str, table: Option<&str>, key: &str, value: &str) -> Result<String> {
    let mut document: DocumentMut = text.parse()?;
    let item = match table {
        Some(table) => &mut document[table],
        None => document.as_item_mut(),
    };
    if item.is_none() {
        *item = toml_edit::table();
    }
    match item.get_mut(key).and_then(toml_edit::Item::as_value_mut) {
        Some(old) => {
            let decor = old.decor().clone();
            *old = value.into();
            *old.decor_mut() = decor;
        }
        None => item[key] = toml_edit::value(value),
    }
    Ok(document.to_string())
}

fn text<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let text = String::deserialize(from)?;
    match text.trim().is_empty() {
        true => Err(D::Error::invalid_value(Unexpected::Str(&text), &"a name")),
        false => Ok(text),
    }
}

fn some_text<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    text(from).map(Some)
}

fn whole<'de, D: Deserializer<'de>>(from: D, most: usize) -> Result<usize, D::Error> {
    let number = i64::deserialize(from)?;
    let expected = format!("a whole number from 1 to {most}");
    usize::try_from(number)
        .ok()
        .filter(|n| (1..=most).contains(n))
        .ok_or_else(|| D::Error::invalid_value(Unexpected::Signed(number), &expected.as_str()))
}

fn threads<'de, D: Deserializer<'de>>(from: D) -> Result<Option<NonZeroUsize>, D::Error> {
    whole(from, MOST_THREADS).map(NonZeroUsize::new)
}

fn some_tokens<'de, D: Deserializer<'de>>(from: D) -> Result<Option<usize>, D::Error> {
    whole(from, 1 << 20).map(Some)
}

fn nice<'de, D: Deserializer<'de>>(from: D) -> Result<i8, D::Error> {
    let number = i64::deserialize(from)?;
    let nice = i8::try_from(number).ok().filter(|n| (0..=19).contains(n));
    nice.ok_or_else(|| {
        D::Error::invalid_value(Unexpected::Signed(number), &"a whole number from 0 to 19")
    })
}
