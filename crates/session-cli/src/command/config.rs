//! `config`: what counts, and who said it.

use crate::Found;
use crate::args::ConfigArgs;
use crate::command::memory::note;
use crate::output::json;
use crate::output::layout::{line, safe_line};
use crate::output::style::{FAINT, paint};
use anyhow::Result;
use serde::Serialize;
use serde_json::Value;
use session_config::{
    ConfigLayers, EndpointConfig, Home, IgnoredSetting, Setting, SettingOrigin, variable_name,
};
use session_core::text::printable;
use session_files::Project;
use session_models::EndpointSettings;
use std::io::Write;

/// Variables that stand for keys of the endpoint; that of the address is not used.
const REMOTE: [(&str, &str); 4] = [
    ("remote.url", "EMBEDDINGS_URL"),
    ("remote.api_key", "EMBEDDINGS_API_KEY"),
    ("remote.model", "EMBEDDINGS_MODEL"),
    ("remote.max_tokens", "EMBEDDINGS_MAX_TOKENS"),
];
/// Columns of what was ignored: a repository chooses its length.
const COLUMNS: usize = 100;
const SECRET: &str = "remote.api_key";

#[derive(Serialize)]
struct JsonKey {
    key: String,
    value: Value,
    /// `default`, `file` or `variable`.
    origin: &'static str,
    /// The file, or the variable.
    from: Option<String>,
    /// The variable that would override it.
    variable: Option<String>,
}

/// Runs the command.
///
/// # Errors
/// When the configuration has a mistake.
pub fn run(args: &ConfigArgs) -> Result<Found> {
    let home = Home::unconfigured()?;
    let project = Project::find(&std::env::current_dir()?, &home.env.home);
    if let Err(unowned) = &project {
        note(&unowned.message())?;
    }
    let project = project.ok().flatten();
    let layers = ConfigLayers::read(&home.folders().config, project.as_ref(), |name| {
        home.env.get(name)
    })?;
    let file = EndpointSettings::from_env_file(&home.folders())?;
    let keys: Vec<JsonKey> = layers
        .settings()?
        .into_iter()
        .map(|setting| resolve_key(setting, &home, &file))
        .collect();
    let mut ignored: Vec<JsonIgnored> = layers.ignored.iter().map(JsonIgnored::from).collect();
    ignored.extend(address_by_variable(&home, &file, &layers.config.remote));
    if args.json {
        json::print(&serde_json::json!({ "keys": keys, "ignored": ignored }))?;
        return Ok(Found::Something);
    }
    let width = keys.iter().map(|key| key.key.len()).max().unwrap_or(0);
    for key in keys {
        let value = match &key.value {
            Value::Null => "unset".to_owned(),
            value => value.to_string(),
        };
        let from = key.from.as_deref().unwrap_or(key.origin);
        let name = format!("{:<width$}", key.key);
        let line = format!("{name}  {:<22}", printable(&value));
        writeln!(
            anstream::stdout(),
            "{line}  {}",
            paint(FAINT, printable(from))
        )?;
    }
    for setting in ignored {
        let what = match &setting.key {
            Some(key) => format!("{key} = {}", setting.value),
            None => "all of it".to_owned(),
        };
        let (what, from) = (line(&what, COLUMNS), safe_line(&setting.from));
        let reason = printable(&setting.reason).into_owned();
        writeln!(anstream::stdout(), "ignored: {what}  {from}: {reason}")?;
    }
    Ok(Found::Something)
}

/// A setting of a project or a variable that does not count.
#[derive(Serialize)]
struct JsonIgnored {
    /// None where it is a whole file.
    key: Option<String>,
    value: Value,
    /// The file, or the variable.
    from: String,
    reason: String,
}

impl From<&IgnoredSetting> for JsonIgnored {
    fn from(ignored: &IgnoredSetting) -> Self {
        Self {
            key: ignored.key.clone(),
            value: rounded(ignored.value.clone()),
            from: match &ignored.origin {
                SettingOrigin::Default => "default".to_owned(),
                SettingOrigin::File(path) => path.display().to_string(),
                SettingOrigin::Variable(name) => name.clone(),
            },
            reason: ignored.reason.clone(),
        }
    }
}

/// An endpoint's address that stands in a variable alone.
fn address_by_variable(
    home: &Home,
    file: &EndpointSettings,
    configured: &EndpointConfig,
) -> Option<JsonIgnored> {
    let (key, variable) = REMOTE[0];
    let url = home.env.get(variable)?;
    let own = file.url.as_ref().or(configured.url.as_ref());
    (own.map(String::as_str) != Some(url)).then(|| JsonIgnored {
        key: Some(key.to_owned()),
        value: Value::from(url),
        from: variable.to_owned(),
        reason: "an endpoint is used where your own configuration names its address".to_owned(),
    })
}

fn resolve_key(setting: Setting, home: &Home, file: &EndpointSettings) -> JsonKey {
    let Setting { key, value, origin } = setting;
    let remote = REMOTE
        .iter()
        .find(|(name, _)| *name == key)
        .map(|(_, variable)| *variable);
    // An address counts by a file alone; what else it needs by a variable, too, where none says.
    let remote_variable = remote.filter(|name| *name != REMOTE[0].1 && value.is_null());
    let given = remote_variable.and_then(|name| Some((name, home.env.get(name)?)));
    let (value, origin) = match (in_file(file, &key), given) {
        (Some(text), _) => {
            let path = home.folders().config.join(".env");
            (Value::from(text), SettingOrigin::File(path))
        }
        (None, Some((name, text))) => (Value::from(text), SettingOrigin::Variable(name.to_owned())),
        (None, None) => (value, origin),
    };
    let value = match (key.as_str(), value.is_null()) {
        (SECRET, false) => Value::from("(set)"),
        _ => value,
    };
    let overriding = variable_name(&key).or_else(|| remote.map(str::to_owned));
    let (origin, from) = match origin {
        SettingOrigin::Default => ("default", None),
        SettingOrigin::File(path) => ("file", Some(path.display().to_string())),
        SettingOrigin::Variable(name) => ("variable", Some(name)),
    };
    JsonKey {
        key,
        value: rounded(value),
        origin,
        from,
        variable: overriding,
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

/// A number as it was written: 0.95, not what a machine's shorter floats make of it.
fn rounded(value: Value) -> Value {
    match value.as_f64() {
        Some(number) if value.is_f64() => Value::from((number * 1e6).round() / 1e6),
        _ => value,
    }
}
