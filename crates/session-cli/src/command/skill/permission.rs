//! The rule in Claude Code's settings by which it loads the skill without asking.
//!
//! A skill with `allowed-tools` is loaded after a question alone; without that line each of its
//! commands is asked about. The rule is for the user's own skill: where that is gone, it would
//! let a project's skill of the same name in, so that `skill uninstall` removes it, too.

use crate::command::setup::{change, history, settings};
use anyhow::{Context, Result};
use serde_json::Value;
use session_files::Beneath;
use session_sources::Env;
use std::path::PathBuf;

const RULE: &str = "Skill(session-search)";

/// The lists of rules in `permissions`.
const LISTS: [&str; 3] = ["allow", "ask", "deny"];

/// The user's settings.
///
/// # Errors
/// When their folder is not one that can be written to safely.
pub fn settings_file(env: &Env) -> Result<Beneath> {
    let path = history::folder(env).join("settings.json");
    Ok(Beneath::of_user(&path)?)
}

/// Returns the list of settings that holds the rule: the user has decided it.
pub fn decided(text: &str) -> Option<&'static str> {
    let settings: Value = serde_json::from_str(text).ok()?;
    let holds = |list: &&&str| {
        let rules = settings["permissions"][**list].as_array();
        rules.is_some_and(|rules| rules.iter().any(|rule| rule == RULE))
    };
    LISTS.iter().find(holds).copied()
}

/// Adds the rule to those that allow; everything else stays to the byte.
///
/// # Errors
/// When the settings are no JSON object, or `permissions` in them is something else than it
/// should be.
pub fn with_rule(text: &str) -> Result<String> {
    let root = settings::parse(text)?;
    let object = root.object_value().context("they are no JSON object")?;
    let permissions = object
        .object_value_or_create("permissions")
        .context("`permissions` is no object")?;
    let allowed = permissions
        .array_value_or_create("allow")
        .context("`permissions.allow` is no list")?;
    allowed.ensure_multiline();
    allowed.append(RULE.into());
    settings::checked(&root)
}

/// Removes the rule from those that allow, and what is empty then.
fn without_rule(text: &str) -> Result<String> {
    let root = settings::parse(text)?;
    let object = root.object_value().context("they are no JSON object")?;
    let Some(permissions) = object.object_value("permissions") else {
        return Ok(text.to_owned());
    };
    let Some(allowed) = permissions.array_value("allow") else {
        return Ok(text.to_owned());
    };
    let is_rule = |text: &str| serde_json::from_str::<Value>(text).is_ok_and(|v| v == RULE);
    for rule in allowed.elements() {
        if is_rule(&rule.to_string()) {
            rule.remove();
        }
    }
    if allowed.elements().is_empty() {
        settings::remove(&permissions, "allow");
    }
    if permissions.properties().is_empty() {
        settings::remove(&object, "permissions");
    }
    settings::checked(&root)
}

/// Removes the rule from the user's settings, with the old ones kept beside; returns their path
/// where the rule was there. With `dry_run` nothing is written.
///
/// # Errors
/// When the settings cannot be read or written.
pub fn revoke(env: &Env, dry_run: bool) -> Result<Option<PathBuf>> {
    let file = settings_file(env)?;
    let Some(old) = file.read_text(change::LIMIT)? else {
        return Ok(None);
    };
    if decided(&old) != Some("allow") {
        return Ok(None);
    }
    if !dry_run {
        let new = without_rule(&old)?;
        file.back_up(&old)?;
        file.write(&new)?;
    }
    Ok(Some(file.path().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_comes_and_goes_and_all_else_stays() {
        for text in [
            "",
            "{}\n",
            "{\n  \"model\": \"x\",\n  \"permissions\": {\n    \"allow\": [\n      \"Bash(ls:*)\"\n    ],\n    \"deny\": []\n  }\n}\n",
            "{\"permissions\": {\"defaultMode\": \"plan\"}, \"a\": 1.0}",
        ] {
            let new = with_rule(text).unwrap();
            assert_eq!(decided(&new), Some("allow"), "{new}");
            let back = without_rule(&new).unwrap();
            let value = |text: &str| serde_json::from_str::<Value>(text).unwrap();
            let old = if text.is_empty() { "{}" } else { text };
            assert_eq!(value(&back), value(old), "{new}");
        }
    }

    #[test]
    fn what_the_user_decided_is_seen() {
        let settings = |list: &str| format!("{{\"permissions\": {{\"{list}\": [\"{RULE}\"]}}}}");
        for list in LISTS {
            assert_eq!(decided(&settings(list)), Some(list));
        }
        assert_eq!(
            decided("{\"permissions\": {\"allow\": [\"Skill(x)\"]}}"),
            None
        );
        assert_eq!(decided("[]"), None);
    }

    #[test]
    fn settings_of_another_shape_are_left_alone() {
        for text in [
            "[]",
            "{",
            "{\"permissions\": []}",
            "{\"permissions\": {\"allow\": {}}}",
        ] {
            assert!(with_rule(text).is_err(), "{text}");
        }
    }
}
