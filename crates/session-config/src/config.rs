//! The configuration file. `docs/configuration.md` describes its keys.

use crate::error::{ConfigError, Result};
use crate::source_settings::SourceSettings;
use serde::de::{Error as _, Unexpected};
use serde::{Deserialize, Deserializer, Serialize};
use session_embed::Device;
use session_forget::{ExcludeSettings, Exclusions, ForgottenRecords};
use session_memory::{InjectionLimits, RetrievalSettings, StorageSettings};
use session_models::TABLE_MODEL;
use session_redact::{RedactionSettings, Redactor};
use std::num::NonZeroUsize;
use std::path::Path;

/// Most bytes of a configuration file.
pub(crate) const SIZE_LIMIT: u64 = 64 << 10;
/// Most threads that a user can ask for.
const MAX_THREADS: usize = 1024;

/// The keys of the configuration and their values. Every key has a default; a key that is not here
/// is an error.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The model that makes the vectors, by its name in `model list`.
    #[serde(deserialize_with = "required_text")]
    pub model: String,
    /// A process of its own embeds after a search.
    pub background: bool,
    /// The number of threads that embed; see [`Config::threads`].
    #[serde(deserialize_with = "thread_count")]
    threads: Option<NonZeroUsize>,
    /// Scheduling priority of that process: 0 to 19, the lowest.
    #[serde(deserialize_with = "priority")]
    pub nice: i8,
    /// The behaviour of that process while the machine is on battery power.
    pub on_battery: OnBattery,
    /// The device that a model runs on.
    pub device: Device,
    /// Address of the model hub, where that is not the public one.
    #[serde(deserialize_with = "optional_address")]
    pub hub: Option<String>,
    /// The endpoint behind the model `remote`.
    pub remote: EndpointConfig,
    /// Redaction of secrets.
    #[serde(deserialize_with = "redaction_settings")]
    pub redaction: RedactionSettings,
    /// The homes whose histories are read, beside the user's own.
    pub sources: SourceSettings,
    /// Exclusions from the index.
    #[serde(deserialize_with = "exclude_settings")]
    pub exclude: ExcludeSettings,
    /// Memories can be saved, found and injected into prompts.
    pub enabled: bool,
    /// Saving a memory is suggested after a conversation was compacted.
    pub auto_save: bool,
    /// Memories are injected into prompts.
    pub auto_retrieve: bool,
    /// The directories of memories, and the time for which they are kept.
    pub storage: StorageSettings,
    /// Settings of the ranking of memories.
    pub retrieval: RetrievalSettings,
    /// Settings of injection.
    pub injection: InjectionLimits,
    /// Settings of the hook.
    pub hook: HookSettings,
}

/// Settings of the hook in an agent: `[hook]` of the configuration.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct HookSettings {
    /// A call that may change something is denied once where a memory concerns it.
    pub hold: bool,
    /// The task of a subagent gets the memories that its prompt is like.
    pub agent_prompts: bool,
}

/// The behaviour of a background process while the machine is on battery power.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum OnBattery {
    /// It leaves the work to a later process.
    Pause,
    /// It runs.
    Run,
}

/// An OpenAI-compatible endpoint. Its address comes from here or from `.env` in the same directory,
/// never from the environment alone.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct EndpointConfig {
    /// URL, with or without `/embeddings` at its end.
    #[serde(deserialize_with = "optional_address")]
    pub url: Option<String>,
    /// Key that is sent as a bearer token.
    #[serde(deserialize_with = "secret_text")]
    pub api_key: Option<String>,
    /// Name of the model there.
    #[serde(deserialize_with = "optional_text")]
    pub model: Option<String>,
    /// Most tokens of a text that the model reads.
    #[serde(deserialize_with = "token_count")]
    pub max_tokens: Option<usize>,
}

impl EndpointConfig {
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
        let model = if cfg!(feature = "minilm") {
            "all-minilm-l6-v2"
        } else {
            TABLE_MODEL
        };
        Self {
            model: model.to_owned(),
            background: true,
            threads: None,
            nice: 10,
            on_battery: OnBattery::Pause,
            device: Device::Auto,
            hub: None,
            remote: EndpointConfig::default(),
            redaction: RedactionSettings::default(),
            sources: SourceSettings::default(),
            exclude: ExcludeSettings::default(),
            enabled: true,
            auto_save: false,
            auto_retrieve: true,
            storage: StorageSettings::default(),
            retrieval: RetrievalSettings::default(),
            injection: InjectionLimits::default(),
            hook: HookSettings::default(),
        }
    }
}

impl Config {
    /// Returns the number of threads that embed in the foreground: the configured one, at most one for each core; without
    /// it all cores.
    pub fn threads(&self) -> usize {
        let cores = count_cores();
        self.threads
            .map_or(cores, |threads| threads.get().min(cores))
    }

    /// Returns the number of threads that embed in the background: as [`Config::threads`], but half of the cores where
    /// none is configured.
    pub fn background_threads(&self) -> usize {
        match self.threads {
            Some(_) => self.threads(),
            None => (count_cores() / 2).max(1),
        }
    }

    /// Returns what redacts secrets; it is off where the user switched that off.
    pub fn redactor(&self) -> Redactor {
        // The patterns were compiled when the configuration was read.
        Redactor::new(&self.redaction).unwrap_or_default()
    }
}

fn count_cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

/// Parses a configuration file.
///
/// # Errors
/// For a mistake, with its line and key.
pub(crate) fn parse(text: &str, path: &Path) -> Result<Config> {
    refuse_listed_tables(text, path)?;
    toml::from_str(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        let line = text.get(..at).unwrap_or(text).matches('\n').count();
        let KeyLine { line, key } = find_key(text, line, error.message());
        ConfigError::Mistake {
            path: path.to_owned(),
            line: line + 1,
            key,
            message: rephrase(error.message()),
        }
    })
}

/// Refuses a list in the place of a table, of which the parser would take the values by their order.
fn refuse_listed_tables(text: &str, path: &Path) -> Result<()> {
    let Ok(table) = text.parse::<toml::Table>() else {
        return Ok(());
    };
    // Nearly always: no setting of the top level is a list.
    if !table.values().any(toml::Value::is_array) {
        return Ok(());
    }
    let is_list = |name: &&String| table.get(*name).is_some_and(toml::Value::is_array);
    let defaults = serde_json::to_value(Config::default())?;
    let defaults = defaults.as_object().into_iter().flatten();
    let mut tables = defaults.filter(|(_, value)| value.is_object());
    match tables.find_map(|(name, _)| Some(name).filter(is_list)) {
        None => Ok(()),
        Some(name) => Err(ConfigError::Mistake {
            path: path.to_owned(),
            line: find_line(text, name) + 1,
            message: format!("invalid type: a list, expected a table, which `[{name}]` begins"),
            key: Some(name.clone()),
        }),
    }
}

/// Returns the line that a key begins, counted from 0.
fn find_line(text: &str, key: &str) -> usize {
    let begins = |line: &str| {
        let rest = line.trim_start().trim_start_matches(['[', ' ', '"', '\'']);
        let rest = rest.strip_prefix(key);
        rest.is_some_and(|rest| rest.starts_with([' ', '\t', '=', ']', '"', '\'']))
    };
    text.lines().position(begins).unwrap_or(0)
}

/// The line of a mistake, counted from 0, and the key in it.
struct KeyLine {
    line: usize,
    key: Option<String>,
}

/// Finds the key of a mistake and its line. Where a table is checked as a whole, its first line is known, and the message
/// names the key.
fn find_key(text: &str, line: usize, message: &str) -> KeyLine {
    let key = |line: &str| Some(line.split_once('=')?.0.trim().to_owned());
    let lines = || text.lines().enumerate().skip(line);
    let is_header = lines()
        .next()
        .is_some_and(|(_, line)| line.trim().starts_with('['));
    let keys = lines().filter_map(|(n, line)| Some((n, key(line)?)));
    let named = |(_, key): &(usize, String)| message.contains(&format!(".{key} "));
    let mut keys = keys.filter(|_| is_header);
    let (line, key) = match keys.find(named) {
        Some((line, key)) => (line, Some(key)),
        None => (line, text.lines().nth(line).and_then(key)),
    };
    let key = key.map(|key| match find_table(text, line) {
        Some(table) => format!("{table}.{key}"),
        None => key,
    });
    KeyLine { line, key }
}

/// Finds the table that a line lies in.
fn find_table(text: &str, line: usize) -> Option<&str> {
    let lines: Vec<&str> = text.lines().take(line + 1).collect();
    let headers = lines.iter().rev().map(|line| line.trim());
    let mut names = headers.filter_map(|line| Some(line.strip_prefix('[')?.split_once(']')?.0));
    let name = names.next()?.trim().trim_matches(['"', '\'']);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    name.chars().all(is_plain).then_some(name)
}

/// Replaces Rust's names of types in an error of the parser by those that a user knows.
pub(crate) fn rephrase(message: &str) -> String {
    let mut words: Vec<&str> = message.split_whitespace().collect();
    while let Some(at) = words.iter().position(|word| *word == "struct") {
        words.splice(at..(at + 2).min(words.len()), ["a", "table"]);
    }
    let phrases = [
        ("expected i64", "expected a whole number"),
        ("expected f64", "expected a number"),
        ("expected a boolean", "expected true or false"),
        ("expected a string", "expected text"),
        ("expected a sequence", "expected a list"),
        ("unknown variant", "unknown value"),
        ("unknown field", "unknown key"),
        // A text without quotes: the parser takes its first letter for that of `true` or `false`.
        (
            "invalid boolean, expected `true`",
            "neither true, false nor text in double quotes",
        ),
        (
            "invalid boolean, expected `false`",
            "neither true, false nor text in double quotes",
        ),
    ];
    phrases.iter().fold(words.join(" "), |text, (rust, plain)| {
        text.replace(rust, plain)
    })
}

/// Reads the settings of exclusion, whose patterns have to be regular expressions.
fn exclude_settings<'de, D: Deserializer<'de>>(from: D) -> Result<ExcludeSettings, D::Error> {
    let settings = ExcludeSettings::deserialize(from)?;
    Exclusions::new(ForgottenRecords::default(), &settings).map_err(D::Error::custom)?;
    Ok(settings)
}

/// Reads the settings of redaction, whose patterns have to be regular expressions.
fn redaction_settings<'de, D: Deserializer<'de>>(from: D) -> Result<RedactionSettings, D::Error> {
    let settings = RedactionSettings::deserialize(from)?;
    Redactor::new(&settings).map_err(D::Error::custom)?;
    Ok(settings)
}

fn required_text<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    non_empty_text(from, "a name")
}

fn non_empty_text<'de, D: Deserializer<'de>>(from: D, expected: &str) -> Result<String, D::Error> {
    let text = String::deserialize(from)?;
    if text.trim().is_empty() {
        Err(D::Error::invalid_value(Unexpected::Str(&text), &expected))
    } else {
        Ok(text)
    }
}

fn optional_address<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    non_empty_text(from, "an address").map(Some)
}

fn optional_text<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    required_text(from).map(Some)
}

/// Reads a text that no error may repeat.
fn secret_text<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let text = optional_text(from);
    text.map_err(|_| D::Error::custom("expected a text in double quotes, not an empty one"))
}

fn whole_number<'de, D: Deserializer<'de>>(from: D, max: usize) -> Result<usize, D::Error> {
    let number = i64::deserialize(from)?;
    let expected = format!("a whole number from 1 to {max}");
    usize::try_from(number)
        .ok()
        .filter(|n| (1..=max).contains(n))
        .ok_or_else(|| D::Error::invalid_value(Unexpected::Signed(number), &expected.as_str()))
}

fn thread_count<'de, D: Deserializer<'de>>(from: D) -> Result<Option<NonZeroUsize>, D::Error> {
    whole_number(from, MAX_THREADS).map(NonZeroUsize::new)
}

fn token_count<'de, D: Deserializer<'de>>(from: D) -> Result<Option<usize>, D::Error> {
    whole_number(from, 1 << 20).map(Some)
}

fn priority<'de, D: Deserializer<'de>>(from: D) -> Result<i8, D::Error> {
    let number = i64::deserialize(from)?;
    let nice = i8::try_from(number).ok().filter(|n| (0..=19).contains(n));
    nice.ok_or_else(|| {
        D::Error::invalid_value(Unexpected::Signed(number), &"a whole number from 0 to 19")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By their order the values of a list would be those of other keys, and origins would not tell it.
    #[test]
    fn a_list_in_the_place_of_a_table_is_a_mistake() {
        for (text, name, line) in [
            ("nice = 1\nexclude = [[\"work\"]]\n", "exclude", 2),
            ("exclude = []\n", "exclude", 1),
            ("redaction = [false]\n", "redaction", 1),
            ("injection = [0.9]\n", "injection", 1),
            ("nice = 1\n\n[[remote]]\nurl = \"x\"\n", "remote", 3),
            ("\"sources\" = [[\"/mnt\"]]\n", "sources", 1),
        ] {
            let error = parse(text, Path::new("c.toml")).unwrap_err().to_string();
            let expected = format!(
                "`{name}` has an invalid value: a list, expected a table, which `[{name}]` begins (line {line} of c.toml)"
            );
            assert_eq!(error, expected);
        }
        parse("exclude.projects = []\n", Path::new("c.toml")).unwrap();
    }

    #[test]
    fn a_mistake_in_a_table_that_is_checked_whole_has_the_line_of_its_key() {
        for (text, (key, place)) in [
            (
                "nice = 1\n[exclude]\nprojects = []\npatterns = [\"[\"]\n",
                ("`[` in exclude.patterns is", "(line 4 of c.toml)"),
            ),
            (
                "[redaction]\npatterns = []\nallow = [\n  \"(\",\n]\n",
                ("`(` in redaction.allow is", "(line 3 of c.toml)"),
            ),
            (
                "[remote]\nmodel = \"m\"\n[ exclude ]\nprojects = 3\n",
                ("`exclude.projects` has", "(line 4 of c.toml)"),
            ),
            (
                "exclude = { patterns = [\"[\"] }\n",
                ("`exclude` has", "(line 1 of c.toml)"),
            ),
        ] {
            let error = parse(text, Path::new("c.toml")).unwrap_err().to_string();
            assert!(error.starts_with(key) && error.ends_with(place), "{error}");
        }
    }
}
