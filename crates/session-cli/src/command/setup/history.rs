//! How long Claude Code keeps its history: `cleanupPeriodDays` in its settings.

use crate::args::SetupArgs;
use crate::command::setup::Outcome;
use crate::command::setup::change;
use crate::command::setup::prompt::Prompt;
use anyhow::{Context, Error, Result, anyhow};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use session_files::Beneath;
use session_sources::Env;
use std::path::PathBuf;

const KEY: &str = "cleanupPeriodDays";
/// What Claude Code does where its settings say nothing.
const USUAL_DAYS: &str = "30";

/// The settings, of which one is looked at.
#[derive(Deserialize)]
struct Settings<'a> {
    #[serde(
        borrow,
        default,
        rename = "cleanupPeriodDays",
        deserialize_with = "written"
    )]
    days: Option<&'a RawValue>,
}

/// A value as it is written, `null` included.
fn written<'de, D: Deserializer<'de>>(
    from: D,
) -> std::result::Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(from).map(Some)
}

/// The folder of Claude Code's configuration, whether it exists or not.
pub fn folder(env: &Env) -> PathBuf {
    let named = env
        .get("CLAUDE_CONFIG_DIR")
        .and_then(|list| list.split(',').next());
    match named.map(str::trim).filter(|name| !name.is_empty()) {
        Some(name) => env.path(name),
        None => env.home.join(".claude"),
    }
}

/// Takes the step.
///
/// # Errors
/// When the settings are no JSON object, or cannot be written.
pub fn step(args: &SetupArgs, env: &Env, prompt: &mut Prompt<'_>) -> Result<Outcome> {
    let folder = folder(env);
    if args.keep_history.is_none() && (!prompt.asks || !folder.is_dir()) {
        return Ok(Outcome::Skipped);
    }
    let file = Beneath::of_user(&folder.join("settings.json"))?;
    let old = file.read_text(change::LIMIT)?;
    let wrong = |error: Error| {
        let path = file.path();
        let path = path.display();
        anyhow!("{path} cannot be changed: {error}\nhint: correct it first")
    };
    let now = days(old.as_deref().unwrap_or("{}")).map_err(wrong)?;
    let Some(days) = wanted(args, now.as_deref(), prompt)? else {
        return Ok(Outcome::Skipped);
    };
    if now.as_deref() == Some(days.to_string().as_str()) {
        return Ok(Outcome::Unchanged);
    }
    let new = with(old.as_deref().unwrap_or_default(), days).map_err(wrong)?;
    change::make(&file, old.as_deref(), &new, prompt)
}

fn wanted(args: &SetupArgs, now: Option<&str>, prompt: &mut Prompt<'_>) -> Result<Option<u32>> {
    if args.keep_history.is_some() {
        return Ok(args.keep_history);
    }
    let now = now.unwrap_or(USUAL_DAYS);
    prompt.say(&format!(
        "\nClaude Code deletes its history after {now} days. What was indexed stays searchable, but a\ntranscript that is gone cannot be taken up again."
    ))?;
    let answer = prompt.ask("Keep it for how many days? [leave it]")?;
    Ok(answer
        .and_then(|days| days.parse().ok())
        .filter(|days| (1..=36500).contains(days)))
}

/// What settings say now.
fn days(text: &str) -> Result<Option<String>> {
    let settings: Settings<'_> = serde_json::from_str(text)?;
    Ok(settings.days.map(|days| days.get().to_owned()))
}

/// The settings with that many days, to the byte as they were but for this.
fn with(text: &str, days: u32) -> Result<String> {
    if text.trim().is_empty() {
        return Ok(format!("{{\n  \"{KEY}\": {days}\n}}\n"));
    }
    let settings: Settings<'_> = serde_json::from_str(text)?;
    if let Some(old) = settings.days {
        // The value is a part of the text, so its place is where it lies.
        let at = old.get().as_ptr() as usize - text.as_ptr() as usize;
        let (head, tail) = (&text[..at], &text[at + old.get().len()..]);
        return Ok(format!("{head}{days}{tail}"));
    }
    let (head, tail) = text.split_once('{').context("no object")?;
    let first = tail.trim_start();
    let space = &tail[..tail.len() - first.len()];
    Ok(match first.starts_with('}') {
        true => format!("{head}{{\n  \"{KEY}\": {days}\n{first}"),
        false => format!(
            "{head}{{{space}\"{KEY}\": {days},{}{first}",
            match space {
                "" => " ",
                space => space,
            }
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    #[test]
    fn all_else_stays_to_the_byte() {
        let check = |old: &str, new: &str| assert_eq!(with(old, 365).unwrap(), new);
        check("", "{\n  \"cleanupPeriodDays\": 365\n}\n");
        check("{}", "{\n  \"cleanupPeriodDays\": 365\n}");
        check(
            "{\n    \"z\": 1.0,\n    \"a\": {\"cleanupPeriodDays\": 3}\n}\n",
            "{\n    \"cleanupPeriodDays\": 365,\n    \"z\": 1.0,\n    \"a\": {\"cleanupPeriodDays\": 3}\n}\n",
        );
        check(
            "{\"z\": \"{é\",\n\t\"cleanupPeriodDays\" :30 , \"a\": []}",
            "{\"z\": \"{é\",\n\t\"cleanupPeriodDays\" :365 , \"a\": []}",
        );
        check(
            "{\"cleanupPeriodDays\": null}",
            "{\"cleanupPeriodDays\": 365}",
        );
        check("{\"a\":1}", "{\"cleanupPeriodDays\": 365, \"a\":1}");
    }

    #[test]
    fn what_is_no_object_is_left_alone() {
        for text in ["[]", "{", "{\"a\": 1} x", "// {}", "3", "{\"a\": 1,}"] {
            assert!(with(text, 365).is_err(), "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

        #[test]
        fn only_the_key_changes(keys in proptest::collection::btree_map("[a-z{}\"é]{0,6}|cleanupPeriodDays", any::<i32>(), 0..5), pretty: bool, days in 1u32..1000) {
            let old = json!(keys);
            let text = if pretty { serde_json::to_string_pretty(&old).unwrap() } else { old.to_string() };
            let new: Value = serde_json::from_str(&with(&text, days).unwrap()).unwrap();
            let mut expected = old;
            expected["cleanupPeriodDays"] = json!(days);
            prop_assert_eq!(new, expected);
        }
    }
}
