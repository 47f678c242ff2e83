//! The settings that a project's file and the environment may narrow. A cloned repository chooses both,
//! so they may restrict what the user configured, and never extend it.

use serde_json::Value;
use session_models::REMOTE_MODEL;

/// The direction in which others than the user's own file may change a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Narrowing {
    /// From true to false.
    Off,
    /// From false to true.
    On,
    /// To a smaller number.
    Smaller,
    /// To a larger number.
    Larger,
    /// To more days; -1 stands for all.
    Longer,
    /// To fewer days; -1 stands for all.
    Shorter,
    /// To a list with more entries.
    More,
    /// To a list with fewer entries.
    Fewer,
    /// To a model that runs on this machine.
    Local,
    /// Not at all.
    Never,
}

/// The keys about memories, and how each may be narrowed.
const KEYS: [(&str, Narrowing); 25] = [
    ("enabled", Narrowing::Off),
    ("auto_save", Narrowing::Off),
    ("auto_retrieve", Narrowing::Off),
    ("storage.location", Narrowing::Never),
    ("storage.auto_archive", Narrowing::Off),
    ("storage.archive_above", Narrowing::Larger),
    ("storage.archive_after_days", Narrowing::Larger),
    ("storage.retention_days", Narrowing::Longer),
    ("retrieval.time_decay_rate", Narrowing::Smaller),
    ("retrieval.decay_floor", Narrowing::Smaller),
    ("retrieval.project_weight", Narrowing::Smaller),
    ("retrieval.global_weight", Narrowing::Smaller),
    ("retrieval.scope_days", Narrowing::Shorter),
    ("retrieval.max_results", Narrowing::Smaller),
    ("injection.min_score", Narrowing::Larger),
    ("injection.min_trigger_relevance", Narrowing::Larger),
    ("injection.max_items", Narrowing::Smaller),
    ("injection.item_chars", Narrowing::Smaller),
    ("injection.total_chars", Narrowing::Smaller),
    ("injection.overview_tokens", Narrowing::Smaller),
    ("injection.timeout_ms", Narrowing::Smaller),
    ("injection.past_turns", Narrowing::Off),
    ("injection.last_session", Narrowing::Off),
    ("hook.hold", Narrowing::Off),
    ("hook.agent_prompts", Narrowing::Off),
];

/// The keys about what is stored and sent, and how each may be narrowed. They hold for the index of all projects, so a
/// project's file changes none of them.
const PRIVACY_KEYS: [(&str, Narrowing); 7] = [
    ("model", Narrowing::Local),
    ("redaction.enabled", Narrowing::On),
    ("redaction.patterns", Narrowing::More),
    ("redaction.allow", Narrowing::Fewer),
    ("exclude.projects", Narrowing::More),
    ("exclude.paths", Narrowing::More),
    ("exclude.patterns", Narrowing::More),
];

/// Returns how a key about memories may be narrowed; `None` for any other key.
pub(crate) fn narrowing(key: &str) -> Option<Narrowing> {
    let found = KEYS.iter().find(|(name, _)| *name == key);
    found.map(|(_, narrowing)| *narrowing)
}

/// Returns how the second of two files of the user narrows a key; `None` for a key that the first decides alone.
pub(crate) fn narrowing_by_own_file(key: &str) -> Option<Narrowing> {
    narrowing(key).or_else(|| privacy_narrowing(key))
}

/// Returns how the file in the default directory narrows a key of the one in a directory that a variable names; `None`
/// for a key that the latter decides alone.
pub(crate) fn narrowing_by_second_file(key: &str) -> Option<Narrowing> {
    match key {
        // Who could add a folder could have its files indexed.
        "sources.homes" => Some(Narrowing::Fewer),
        _ => narrowing_by_own_file(key),
    }
}

/// Returns true for a key that decides what is read of histories, stored of them and sent. A variable, which a project
/// can set, may name the directory of another file: it decides none of them where the default one has a file.
pub(crate) fn decides_what_is_sent(key: &str) -> bool {
    let tables = ["redaction.", "sources."];
    key == "model" || tables.iter().any(|table| key.starts_with(table))
}

/// Returns true for a key that keeps something out of the index.
pub(crate) fn keeps_out(key: &str) -> bool {
    key.starts_with("exclude.")
}

/// Returns how a variable may narrow a key; `None` for a key that it decides freely.
///
/// Redacted text is stored so. A pattern of a variable, which a repository can set, would destroy text that is
/// lost where its history is gone.
pub(crate) fn narrowing_by_variable(key: &str) -> Option<Narrowing> {
    if key.starts_with("redaction.") {
        Some(Narrowing::Never)
    } else {
        narrowing_by_own_file(key)
    }
}

/// Returns the keys about what is stored and sent.
pub(crate) fn privacy_keys() -> impl Iterator<Item = &'static str> {
    PRIVACY_KEYS.iter().map(|(key, _)| *key)
}

/// Returns how a key about what is stored and sent may be narrowed; `None` for any other key.
pub(crate) fn privacy_narrowing(key: &str) -> Option<Narrowing> {
    let found = PRIVACY_KEYS.iter().find(|(name, _)| *name == key);
    found.map(|(_, narrowing)| *narrowing)
}

impl Narrowing {
    /// Returns true if a value is as narrow as the user's own, or narrower.
    pub(crate) fn allows(self, own: &Value, other: &Value) -> bool {
        let days = |value: &Value| match value.as_i64() {
            Some(-1) => Some(i64::MAX),
            days => days,
        };
        // Settings are `f32`: 0.36 as `f64` compares as smaller than itself.
        #[expect(clippy::cast_possible_truncation, reason = "kept as f32")]
        let number = |value: &Value| value.as_f64().map(|number| number as f32);
        let numbers = number(own).zip(number(other));
        let all_days = days(own).zip(days(other));
        match self {
            _ if own == other => true,
            Self::Off => other == &Value::Bool(false),
            Self::On => other == &Value::Bool(true),
            Self::More => is_subset(own, other),
            Self::Fewer => is_subset(other, own),
            Self::Local => other != REMOTE_MODEL,
            Self::Smaller => numbers.is_some_and(|(own, other)| other <= own),
            Self::Larger => numbers.is_some_and(|(own, other)| other >= own),
            Self::Longer => all_days.is_some_and(|(own, other)| other >= own),
            Self::Shorter => all_days.is_some_and(|(own, other)| other <= own),
            Self::Never => false,
        }
    }

    /// Returns the value that two files of the user narrow a key to, where the other narrows the value of
    /// the first.
    pub(crate) fn narrower(self, own: &Value, other: &Value) -> Option<Value> {
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let other = match self {
            Self::More => {
                let added = list(other).into_iter();
                let added = added.filter(|entry| !list(own).contains(entry));
                Value::Array(list(own).into_iter().chain(added).collect())
            }
            Self::Fewer => {
                let kept = list(own).into_iter();
                Value::Array(kept.filter(|entry| list(other).contains(entry)).collect())
            }
            // Which model of this machine it is says nothing of how wide it is.
            Self::Local if own != REMOTE_MODEL => return None,
            Self::Never => return None,
            _ => other.clone(),
        };
        (own != &other && self.allows(own, &other)).then_some(other)
    }

    /// Returns why a value was ignored.
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Self::Off => "only your own configuration turns it on",
            Self::On => "only your own configuration turns it off",
            Self::More => "only your own configuration removes an entry",
            Self::Fewer => "only your own configuration adds an entry",
            Self::Local => "only your own configuration chooses an endpoint",
            Self::Smaller => "only your own configuration makes it larger",
            Self::Larger => "only your own configuration makes it smaller",
            Self::Longer => "only your own configuration makes it shorter",
            Self::Shorter => "only your own configuration makes it longer",
            Self::Never => "only your own configuration decides it",
        }
    }
}

fn is_subset(part: &Value, whole: &Value) -> bool {
    let lists = part.as_array().zip(whole.as_array());
    lists.is_some_and(|(part, whole)| part.iter().all(|entry| whole.contains(entry)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::layers::{ConfigEntry, flatten};
    use serde_json::json;

    #[test]
    fn narrowing_is_allowed_and_widening_is_not() {
        let check = |key: &str, own: Value, allowed: &[Value], refused: &[Value]| {
            let narrowing = narrowing_by_own_file(key).unwrap();
            for value in allowed {
                assert!(narrowing.allows(&own, value), "{key} {own} to {value}");
            }
            for value in refused {
                assert!(!narrowing.allows(&own, value), "{key} {own} to {value}");
            }
        };
        check("enabled", json!(true), &[json!(false), json!(true)], &[]);
        check(
            "injection.past_turns",
            json!(false),
            &[json!(false)],
            &[json!(true)],
        );
        check(
            "injection.min_score",
            json!(0.36),
            &[json!(0.5), json!(1)],
            &[json!(0), json!(0.3)],
        );
        check(
            "injection.total_chars",
            json!(1000),
            &[json!(10)],
            &[json!(100_000)],
        );
        check(
            "storage.retention_days",
            json!(30),
            &[json!(31), json!(-1)],
            &[json!(0)],
        );
        check(
            "storage.retention_days",
            json!(-1),
            &[json!(-1)],
            &[json!(0), json!(10_000)],
        );
        check("retrieval.scope_days", json!(-1), &[json!(7)], &[]);
        check(
            "retrieval.scope_days",
            json!(7),
            &[json!(3)],
            &[json!(30), json!(-1)],
        );
        check(
            "storage.location",
            json!("project-first"),
            &[],
            &[json!("global-only")],
        );
        check("model", json!("a"), &[json!("b")], &[json!("remote")]);
        check("model", json!("remote"), &[json!("remote")], &[]);
        check("redaction.enabled", json!(false), &[json!(true)], &[]);
        check("redaction.enabled", json!(true), &[], &[json!(false)]);
        check(
            "exclude.projects",
            json!(["a"]),
            &[json!(["b", "a"])],
            &[json!([]), json!(["b"])],
        );
        check(
            "redaction.allow",
            json!(["a"]),
            &[json!([])],
            &[json!(["a", "b"])],
        );
    }

    #[test]
    fn the_narrower_of_two_values_counts() {
        let narrower = |key: &str, own: Value, other: Value| {
            let narrowing = narrowing_by_own_file(key).unwrap();
            narrowing.narrower(&own, &other)
        };
        assert_eq!(
            narrower("enabled", json!(true), json!(false)),
            Some(json!(false))
        );
        assert_eq!(narrower("enabled", json!(false), json!(true)), None);
        assert_eq!(
            narrower("exclude.paths", json!(["a", "b"]), json!(["b", "c"])),
            Some(json!(["a", "b", "c"]))
        );
        assert_eq!(narrower("exclude.paths", json!(["a"]), json!(["a"])), None);
        assert_eq!(
            narrower("redaction.allow", json!(["a", "b"]), json!(["b", "c"])),
            Some(json!(["b"]))
        );
        assert_eq!(narrower("model", json!("a"), json!("b")), None);
        assert_eq!(narrower("model", json!("a"), json!("remote")), None);
        assert_eq!(
            narrower("model", json!("remote"), json!("b")),
            Some(json!("b"))
        );
    }

    /// A key that is added to a table of memories needs an entry.
    #[test]
    fn every_key_of_memories_has_a_narrowing() {
        let all = flatten(&serde_json::to_value(Config::default()).unwrap());
        let of_memories = ["enabled", "auto_save", "auto_retrieve"];
        let tables = ["storage.", "retrieval.", "injection.", "hook."];
        for ConfigEntry { key, .. } in all {
            let wanted = of_memories.contains(&key.as_str())
                || tables.iter().any(|table| key.starts_with(table));
            assert_eq!(narrowing(&key).is_some(), wanted, "{key}");
        }
    }

    /// A key that is added to a table about what is stored needs an entry.
    #[test]
    fn every_key_of_privacy_has_a_narrowing() {
        for ConfigEntry { key, .. } in flatten(&serde_json::to_value(Config::default()).unwrap()) {
            let tables = ["redaction.", "exclude."];
            let wanted = key == "model" || tables.iter().any(|table| key.starts_with(table));
            assert_eq!(privacy_narrowing(&key).is_some(), wanted, "{key}");
        }
    }
}
