//! The permission rule by which Claude Code loads the skill without asking.
//!
//! A skill with `allowed-tools` is loaded only after a question; without that line the user is
//! asked about each of its commands. The rule is meant for the user's own skill. Without that one,
//! the rule would allow a project's skill of the same name: so uninstalling the skill removes it.

use crate::error::{Result, SettingsResult};
use crate::settings_file::{SettingsChange, SettingsFile};
use crate::settings_text::{SettingsText, list_under, object_under, remove_property};
use crate::skill_plan::WriteMode;
use serde_json::Value;
use session_sources::Env;
use std::path::PathBuf;

const PERMISSIONS: &str = "permissions";

/// The skill that a rule is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SkillOrigin {
    /// The skill in the user's directory of skills.
    User,
    /// The skill of the plugin.
    Plugin,
}

impl SkillOrigin {
    const ALL: [Self; 2] = [Self::User, Self::Plugin];

    /// Returns the rule as settings have it.
    fn rule(self) -> &'static str {
        match self {
            Self::User => "Skill(session-search)",
            Self::Plugin => "Skill(session-search:session-search)",
        }
    }
}

/// A list of permission rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleList {
    /// Tools that run without a question.
    Allow,
    /// Tools that run after a question.
    Ask,
    /// Tools that never run.
    Deny,
}

impl RuleList {
    const ALL: [Self; 3] = [Self::Allow, Self::Ask, Self::Deny];

    fn key(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

impl SettingsFile {
    /// Reads which list holds the rule for a skill. Settings that cannot be parsed hold none.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn skill_rule(&self, skill: SkillOrigin) -> Result<Option<RuleList>> {
        Ok(find_rule(&self.read()?.unwrap_or_default(), skill))
    }

    /// Plans to allow a skill.
    ///
    /// # Errors
    /// When the file cannot be read, or `permissions.allow` in it is not a list.
    pub fn plan_skill_rule(&self, skill: SkillOrigin) -> Result<SettingsChange> {
        self.plan(|text| add_rule(text, skill))
    }

    /// Plans to remove the rules that allow either skill.
    ///
    /// # Errors
    /// When the file cannot be read, or is not a JSON object.
    pub fn plan_rule_removal(&self) -> Result<SettingsChange> {
        self.plan_rule_removals(&SkillOrigin::ALL)
    }

    fn plan_rule_removals(&self, skills: &[SkillOrigin]) -> Result<SettingsChange> {
        let text = self.read()?.unwrap_or_default();
        let is_allowed = |skill: &&SkillOrigin| find_rule(&text, **skill) == Some(RuleList::Allow);
        let allowed: Vec<SkillOrigin> = skills.iter().filter(is_allowed).copied().collect();
        let change = |text: &str, edit: fn(&str, SkillOrigin) -> SettingsResult<String>| {
            let mut skills = allowed.iter();
            skills.try_fold(text.to_owned(), |text, skill| edit(&text, *skill))
        };
        self.plan_undo(
            |text| change(text, remove_rule),
            |text| change(text, add_rule),
        )
    }
}

/// Removes the rule that allows the skill from the user's settings; returns their path where the
/// rule was there. In a [dry run](WriteMode::DryRun) nothing is written.
///
/// # Errors
/// When the settings cannot be read or written.
pub fn revoke_skill_rule(env: &Env, mode: WriteMode) -> Result<Option<PathBuf>> {
    let settings = SettingsFile::for_user(env)?;
    if settings.skill_rule(SkillOrigin::User)? != Some(RuleList::Allow) {
        return Ok(None);
    }
    if mode == WriteMode::Write {
        settings.plan_rule_removals(&[SkillOrigin::User])?.write()?;
    }
    Ok(Some(settings.path()))
}

fn find_rule(text: &str, skill: SkillOrigin) -> Option<RuleList> {
    let settings: Value = serde_json::from_str(text).ok()?;
    let has_rule = |list: &RuleList| {
        let rules = settings[PERMISSIONS][list.key()].as_array();
        rules.is_some_and(|rules| rules.iter().any(|rule| rule == skill.rule()))
    };
    RuleList::ALL.into_iter().find(has_rule)
}

fn add_rule(text: &str, skill: SkillOrigin) -> SettingsResult<String> {
    let settings = SettingsText::parse(text)?;
    let permissions = object_under(&settings.object, PERMISSIONS)?;
    let path = format!("{PERMISSIONS}.{}", RuleList::Allow.key());
    let allowed = list_under(&permissions, RuleList::Allow.key(), path)?;
    allowed.ensure_multiline();
    allowed.append(skill.rule().into());
    settings.format_checked()
}

/// Removes the rules that allow either skill.
///
/// # Errors
/// When the text is not a JSON object.
pub(crate) fn remove_rules(text: &str) -> SettingsResult<String> {
    let mut skills = SkillOrigin::ALL.into_iter();
    skills.try_fold(text.to_owned(), |text, skill| remove_rule(&text, skill))
}

/// Removes the rule from those that allow, and the list and the object that are empty then.
fn remove_rule(text: &str, skill: SkillOrigin) -> SettingsResult<String> {
    if find_rule(text, skill) != Some(RuleList::Allow) {
        return Ok(text.to_owned());
    }
    let settings = SettingsText::parse(text)?;
    let Some(permissions) = settings.object.object_value(PERMISSIONS) else {
        return Ok(text.to_owned());
    };
    let Some(allowed) = permissions.array_value(RuleList::Allow.key()) else {
        return Ok(text.to_owned());
    };
    let is_rule = |text: &str| serde_json::from_str::<Value>(text).is_ok_and(|v| v == skill.rule());
    for rule in allowed.elements() {
        if is_rule(&rule.to_string()) {
            rule.remove();
        }
    }
    if allowed.elements().is_empty() {
        remove_property(&permissions, RuleList::Allow.key());
    }
    if permissions.properties().is_empty() {
        remove_property(&settings.object, PERMISSIONS);
    }
    settings.format_checked()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_is_added_and_removed_without_another_change() {
        for text in [
            "",
            "{}\n",
            "{\n  \"model\": \"x\",\n  \"permissions\": {\n    \"allow\": [\n      \"Bash(ls:*)\"\n    ],\n    \"deny\": []\n  }\n}\n",
            "{\"permissions\": {\"defaultMode\": \"plan\"}, \"a\": 1.0}",
        ] {
            let new = add_rule(text, SkillOrigin::User).unwrap();
            assert_eq!(
                find_rule(&new, SkillOrigin::User),
                Some(RuleList::Allow),
                "{new}"
            );
            let back = remove_rule(&new, SkillOrigin::User).unwrap();
            let value = |text: &str| serde_json::from_str::<Value>(text).unwrap();
            let old = if text.is_empty() { "{}" } else { text };
            assert_eq!(value(&back), value(old), "{new}");
        }
    }

    #[test]
    fn the_list_that_holds_the_rule_is_found() {
        let settings = |list: RuleList| {
            format!(
                "{{\"permissions\": {{\"{}\": [\"{}\"]}}}}",
                list.key(),
                SkillOrigin::User.rule()
            )
        };
        for list in RuleList::ALL {
            assert_eq!(find_rule(&settings(list), SkillOrigin::User), Some(list));
        }
        let other = "{\"permissions\": {\"allow\": [\"Skill(x)\"]}}";
        assert_eq!(find_rule(other, SkillOrigin::User), None);
        assert_eq!(find_rule("[]", SkillOrigin::User), None);
        let user = settings(RuleList::Allow);
        assert_eq!(find_rule(&user, SkillOrigin::Plugin), None);
    }

    #[test]
    fn settings_of_another_shape_are_refused() {
        for text in [
            "[]",
            "{",
            "{\"permissions\": []}",
            "{\"permissions\": {\"allow\": {}}}",
        ] {
            assert!(add_rule(text, SkillOrigin::User).is_err(), "{text}");
        }
    }
}
