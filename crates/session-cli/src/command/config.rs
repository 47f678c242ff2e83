//! `config`: what counts, and who said it.

use crate::Found;
use crate::args::ConfigArgs;
use crate::config::layers::{Layers, Origin, variable};
use crate::home::Home;
use crate::output::json;
use crate::output::style::{FAINT, paint};
use anyhow::Result;
use serde::Serialize;
use serde_json::Value;
use session_core::text::printable;
use session_memory::project_root;
use session_models::Given;
use std::io::Write;

/// Variables that override keys of the endpoint.
const REMOTE: [(&str, &str); 4] = [
    ("remote.url", "EMBEDDINGS_URL"),
    ("remote.api_key", "EMBEDDINGS_API_KEY"),
    ("remote.model", "EMBEDDINGS_MODEL"),
    ("remote.max_tokens", "EMBEDDINGS_MAX_TOKENS"),
];
const SECRET: &str = "remote.api_key";

#[derive(Serialize)]
struct Key {
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
    let root = project_root(&std::env::current_dir()?, &home.env.home);
    let layers = Layers::read(&home.folders().config, root.as_deref(), |name| {
        home.env.get(name)
    })?;
    let file = Given::by_file(&home.folders())?;
    let keys: Vec<Key> = layers
        .all()?
        .into_iter()
        .map(|all| key(all, &home, &file))
        .collect();
    if args.json {
        json::print(&serde_json::json!({ "keys": keys }))?;
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
    Ok(Found::Something)
}

fn key((key, value, origin): (String, Value, Origin), home: &Home, file: &Given) -> Key {
    let remote = REMOTE
        .iter()
        .find(|(name, _)| *name == key)
        .map(|(_, variable)| *variable);
    let given = remote.and_then(|name| Some((name, home.env.get(name)?)));
    let (value, origin) = match (given, in_file(file, &key)) {
        (Some((name, text)), _) => (Value::from(text), Origin::Variable(name.to_owned())),
        (None, Some(text)) => {
            let path = home.folders().config.join(".env");
            (Value::from(text), Origin::File(path))
        }
        (None, None) => (value, origin),
    };
    let value = match (key.as_str(), value.is_null()) {
        (SECRET, false) => Value::from("(set)"),
        _ => value,
    };
    let overriding = variable(&key).or_else(|| remote.map(str::to_owned));
    let (origin, from) = match origin {
        Origin::Default => ("default", None),
        Origin::File(path) => ("file", Some(path.display().to_string())),
        Origin::Variable(name) => ("variable", Some(name)),
    };
    Key {
        key,
        value: rounded(value),
        origin,
        from,
        variable: overriding,
    }
}

/// What `.env` says of a key.
fn in_file<'a>(file: &'a Given, key: &str) -> Option<&'a str> {
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
