//! Every setting in effect, with its origin and the variable that would override it.

use crate::config::EndpointConfig;
use crate::error::{ConfigError, Result};
use crate::home::Home;
use crate::layers::{IgnoredSetting, Setting, SettingOrigin, variable_name};
use serde_json::Value;
use session_files::Project;
use session_models::{
    CONFIG_FILE, ENDPOINT_API_KEY_VARIABLE, ENDPOINT_MAX_TOKENS_VARIABLE, ENDPOINT_MODEL_VARIABLE,
    ENDPOINT_URL_VARIABLE, EndpointSettings, without_credentials,
};
use std::path::PathBuf;

/// A key of the endpoint, and its variable.
#[derive(Clone, Copy)]
struct EndpointKey {
    key: &'static str,
    variable: &'static str,
}

/// The address, whose variable alone is not used.
const URL: EndpointKey = EndpointKey {
    key: "remote.url",
    variable: ENDPOINT_URL_VARIABLE,
};
/// The key, whose value is not shown.
const API_KEY: EndpointKey = EndpointKey {
    key: "remote.api_key",
    variable: ENDPOINT_API_KEY_VARIABLE,
};
/// The name of the model.
const MODEL: EndpointKey = EndpointKey {
    key: "remote.model",
    variable: ENDPOINT_MODEL_VARIABLE,
};
/// The most tokens that the endpoint reads.
const MAX_TOKENS: EndpointKey = EndpointKey {
    key: "remote.max_tokens",
    variable: ENDPOINT_MAX_TOKENS_VARIABLE,
};
const ENDPOINT_KEYS: [EndpointKey; 4] = [URL, API_KEY, MODEL, MAX_TOKENS];

/// Keys whose value may hold a password, which is not shown.
const ADDRESSES: [&str; 2] = [URL.key, "hub"];

/// The settings in effect, and those that were ignored.
#[derive(Debug, Clone)]
pub struct SettingsReport {
    /// Every key, keys outside of tables first.
    pub settings: Vec<ReportedSetting>,
    /// Settings of a project or of variables that were ignored.
    pub ignored: Vec<IgnoredSetting>,
    /// The user's file, whether it is there or not.
    pub file: PathBuf,
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
        let file = EndpointSettings::from_env_file(&home.endpoint_directories())?;
        let settings = layers.settings()?.into_iter();
        let settings = settings.map(|setting| resolve(setting, home, &file));
        let settings: Vec<ReportedSetting> = settings.collect();
        let mut reported = settings.iter().map(|reported| &reported.setting);
        let has_endpoint = file.url.is_some() || layers.config.remote.url.is_some();
        reported.try_for_each(|setting| check_tokens(setting, has_endpoint))?;
        let mut ignored = layers.ignored;
        ignored.extend(home.unknown_variables());
        ignored.extend(address_by_variable(home, &file, &layers.config.remote));
        Ok(Self {
            settings,
            ignored,
            file: home.directories().config.join(CONFIG_FILE),
        })
    }
}

/// Refuses a number of tokens by which no text could be sent to the endpoint.
fn check_tokens(setting: &Setting, has_endpoint: bool) -> Result<()> {
    let is_wrong = setting.key == MAX_TOKENS.key && setting.value.is_string();
    if is_wrong && has_endpoint {
        Err(ConfigError::Variable {
            name: MAX_TOKENS.variable.to_owned(),
            value: setting.value.as_str().unwrap_or_default().to_owned(),
            message: "expected a whole number".to_owned(),
        })
    } else {
        Ok(())
    }
}

/// Parses the text of a variable or of `.env`; a text that is no number stands for itself.
fn parse_value(key: &str, text: &str) -> Value {
    let number = text.trim().parse::<u64>().ok();
    let number = number.filter(|_| key == MAX_TOKENS.key);
    number.map_or_else(|| Value::from(text), Value::from)
}

/// Returns the address of an endpoint that only a variable names, which is ignored.
fn address_by_variable(
    home: &Home,
    file: &EndpointSettings,
    configured: &EndpointConfig,
) -> Option<IgnoredSetting> {
    let EndpointKey { key, variable } = URL;
    let url = home.env.get(variable)?;
    let own = file.url.as_ref().or(configured.url.as_ref());
    (own.map(String::as_str) != Some(url)).then(|| IgnoredSetting {
        key: Some(key.to_owned()),
        value: Value::from(without_credentials(url)),
        origin: SettingOrigin::Variable(variable.to_owned()),
        reason: "an endpoint is used where your own configuration names its address".to_owned(),
        hint: None,
    })
}

/// Overrides a setting of the layers by `.env` and the variables of the endpoint, and hides secrets.
fn resolve(setting: Setting, home: &Home, file: &EndpointSettings) -> ReportedSetting {
    let Setting { key, value, origin } = setting;
    let mut endpoint_keys = ENDPOINT_KEYS.iter();
    let own_variable = endpoint_keys.find(|own| own.key == key);
    let own_variable = own_variable.map(|own| own.variable);
    // An address counts in a file alone, the other keys in a variable, too, where no file has them.
    let used_variable = own_variable.filter(|name| *name != URL.variable && value.is_null());
    let set = used_variable.and_then(|name| Some((name, home.env.get(name)?)));
    let (value, origin) = match (find_in_file(file, &key), set) {
        (Some(text), _) => {
            let path = home.endpoint_directories().env_file();
            (parse_value(&key, text), SettingOrigin::File(path))
        }
        (None, Some((name, text))) => (
            parse_value(&key, text),
            SettingOrigin::Variable(name.to_owned()),
        ),
        (None, None) => (value, origin),
    };
    let value = match (key.as_str(), value.as_str()) {
        (key, _) if key == API_KEY.key && !value.is_null() => Value::from("(set)"),
        (key, Some(url)) if ADDRESSES.contains(&key) => Value::from(without_credentials(url)),
        _ => value,
    };
    ReportedSetting {
        variable: variable_name(&key).or_else(|| own_variable.map(str::to_owned)),
        setting: Setting { key, value, origin },
    }
}

/// Returns the value of a key in `.env`.
fn find_in_file<'a>(file: &'a EndpointSettings, key: &str) -> Option<&'a str> {
    let values = [
        (URL, &file.url),
        (API_KEY, &file.api_key),
        (MODEL, &file.model),
        (MAX_TOKENS, &file.max_tokens),
    ];
    let found = values.into_iter().find(|(own, _)| own.key == key);
    found?.1.as_deref()
}
