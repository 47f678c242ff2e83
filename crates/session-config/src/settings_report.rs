//! Every setting in effect, with its origin and the variable that would override it.

use crate::config::EndpointConfig;
use crate::error::{ConfigError, Result};
use crate::home::Home;
use crate::layers::{IgnoredSetting, Setting, SettingOrigin, variable_name};
use serde_json::Value;
use session_files::Project;
use session_models::{EndpointSettings, without_credentials};

/// The key of the endpoint's address, and the variable of it that is not used.
const URL: (&str, &str) = ("remote.url", "EMBEDDINGS_URL");
/// The key of the most tokens that the endpoint reads, and its variable.
const TOKENS: (&str, &str) = ("remote.max_tokens", "EMBEDDINGS_MAX_TOKENS");
/// Keys of the endpoint, and the variables that stand for them.
const REMOTE: [(&str, &str); 4] = [
    URL,
    ("remote.api_key", "EMBEDDINGS_API_KEY"),
    ("remote.model", "EMBEDDINGS_MODEL"),
    TOKENS,
];
/// The key whose value is not shown.
const SECRET: &str = "remote.api_key";

/// Keys whose value may hold a password, which is not shown.
const ADDRESSES: [&str; 2] = [URL.0, "hub"];

/// The settings in effect, and those that were ignored.
#[derive(Debug, Clone)]
pub struct SettingsReport {
    /// Every key, keys outside of tables first.
    pub settings: Vec<ReportedSetting>,
    /// Settings of a project or of variables that were ignored.
    pub ignored: Vec<IgnoredSetting>,
}

/// A key of the configuration in effect, with the variable that would override it.
#[derive(Debug, Clone, PartialEq)]
pub struct ReportedSetting {
    /// The key, its value and its origin; a secret reads `(set)`.
    pub setting: Setting,
    /// The variable, if there is one.
    pub variable: Option<String>,
}

impl SettingsReport {
    /// Reads the layers of a user's and a project's configuration, and the `.env` of the endpoint.
    ///
    /// # Errors
    /// When the user's configuration has a mistake.
    pub fn read(home: &Home, project: Option<&Project>) -> Result<Self> {
        let layers = home.config_layers(project)?;
        let file = EndpointSettings::from_env_file(&home.folders())?;
        let settings = layers.settings()?.into_iter();
        let settings = settings.map(|setting| resolve(setting, home, &file));
        let settings: Vec<ReportedSetting> = settings.collect();
        let mut reported = settings.iter().map(|reported| &reported.setting);
        let has_endpoint = file.url.is_some() || layers.config.remote.url.is_some();
        reported.try_for_each(|setting| check_tokens(setting, has_endpoint))?;
        let mut ignored = layers.ignored;
        ignored.extend(address_by_variable(home, &file, &layers.config.remote));
        Ok(Self { settings, ignored })
    }
}

/// Refuses a number of tokens by which no text could be sent to the endpoint.
fn check_tokens(setting: &Setting, has_endpoint: bool) -> Result<()> {
    let is_wrong = setting.key == TOKENS.0 && setting.value.is_string();
    match is_wrong && has_endpoint {
        false => Ok(()),
        true => Err(ConfigError::Variable {
            name: TOKENS.1.to_owned(),
            value: setting.value.as_str().unwrap_or_default().to_owned(),
            message: "expected a whole number".to_owned(),
        }),
    }
}

/// Parses what a variable says; a text that is no number stands for itself.
fn parse_value(key: &str, text: &str) -> Value {
    let number = text.trim().parse::<u64>().ok();
    let number = number.filter(|_| key == TOKENS.0);
    number.map_or_else(|| Value::from(text), Value::from)
}

/// Returns an endpoint's address that stands in a variable alone.
fn address_by_variable(
    home: &Home,
    file: &EndpointSettings,
    configured: &EndpointConfig,
) -> Option<IgnoredSetting> {
    let (key, variable) = URL;
    let url = home.env.get(variable)?;
    let own = file.url.as_ref().or(configured.url.as_ref());
    (own.map(String::as_str) != Some(url)).then(|| IgnoredSetting {
        key: Some(key.to_owned()),
        value: Value::from(without_credentials(url)),
        origin: SettingOrigin::Variable(variable.to_owned()),
        reason: "an endpoint is used where your own configuration names its address".to_owned(),
    })
}

/// Adds what `.env` and the variables of the endpoint say to a setting of the layers.
fn resolve(setting: Setting, home: &Home, file: &EndpointSettings) -> ReportedSetting {
    let Setting { key, value, origin } = setting;
    let remote = REMOTE.iter().find(|(name, _)| *name == key);
    let remote = remote.map(|(_, variable)| *variable);
    // An address counts by a file alone; what else it needs by a variable, too, where none says.
    let remote_variable = remote.filter(|name| *name != URL.1 && value.is_null());
    let given = remote_variable.and_then(|name| Some((name, home.env.get(name)?)));
    let (value, origin) = match (in_file(file, &key), given) {
        (Some(text), _) => {
            let path = home.folders().config.join(".env");
            (parse_value(&key, text), SettingOrigin::File(path))
        }
        (None, Some((name, text))) => (
            parse_value(&key, text),
            SettingOrigin::Variable(name.to_owned()),
        ),
        (None, None) => (value, origin),
    };
    let value = match (key.as_str(), value.as_str()) {
        (SECRET, _) if !value.is_null() => Value::from("(set)"),
        (key, Some(url)) if ADDRESSES.contains(&key) => Value::from(without_credentials(url)),
        _ => value,
    };
    ReportedSetting {
        variable: variable_name(&key).or_else(|| remote.map(str::to_owned)),
        setting: Setting { key, value, origin },
    }
}

/// Returns the value of a key in `.env`.
fn in_file<'a>(file: &'a EndpointSettings, key: &str) -> Option<&'a str> {
    match key {
        "remote.url" => file.url.as_deref(),
        "remote.api_key" => file.api_key.as_deref(),
        "remote.model" => file.model.as_deref(),
        "remote.max_tokens" => file.max_tokens.as_deref(),
        _ => None,
    }
}
