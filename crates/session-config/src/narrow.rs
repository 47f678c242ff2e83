//! Which settings a project's file and the environment may narrow. A cloned repository chooses both,
//! so they may restrict what the user configured, and never extend it.

use serde_json::Value;

/// The direction in which others than the user's own file may change a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Narrowing {
    /// From true to false.
    Off,
    /// To a smaller number.
    Smaller,
    /// To a larger number.
    Larger,
    /// To more days; -1 stands for all.
    Longer,
    /// To fewer days; -1 stands for all.
    Shorter,
    /// Not at all.
    Never,
}

/// The keys about memories, and how each may be narrowed.
const KEYS: [(&str, Narrowing); 26] = [
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
    ("retrieval.max_candidates", Narrowing::Smaller),
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

/// Returns how a key about memories may be narrowed; `None` for any other key.
pub fn narrowing(key: &str) -> Option<Narrowing> {
    let found = KEYS.iter().find(|(name, _)| *name == key);
    found.map(|(_, narrowing)| *narrowing)
}

impl Narrowing {
    /// True where a value is as narrow as the user's own, or narrower.
    pub fn allows(self, own: &Value, other: &Value) -> bool {
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
            Self::Smaller => numbers.is_some_and(|(own, other)| other <= own),
            Self::Larger => numbers.is_some_and(|(own, other)| other >= own),
            Self::Longer => all_days.is_some_and(|(own, other)| other >= own),
            Self::Shorter => all_days.is_some_and(|(own, other)| other <= own),
            Self::Never => false,
        }
    }

    /// Returns why a value was ignored.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Off => "only your own configuration turns it on",
            Self::Smaller => "only your own configuration makes it larger",
            Self::Larger => "only your own configuration makes it smaller",
            Self::Longer => "only your own configuration makes it shorter",
            Self::Shorter => "only your own configuration makes it longer",
            Self::Never => "only your own configuration decides it",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::layers::flatten;
    use serde_json::json;

    #[test]
    fn narrowing_is_allowed_and_widening_is_not() {
        let check = |key: &str, own: Value, allowed: &[Value], refused: &[Value]| {
            let narrowing = narrowing(key).unwrap();
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
    }

    /// A key that is added to a table of memories needs an entry.
    #[test]
    fn every_key_of_memories_has_a_narrowing() {
        let all = flatten(&serde_json::to_value(Config::default()).unwrap());
        let of_memories = ["enabled", "auto_save", "auto_retrieve"];
        let tables = ["storage.", "retrieval.", "injection.", "hook."];
        for (key, _) in all {
            let wanted = of_memories.contains(&key.as_str())
                || tables.iter().any(|table| key.starts_with(table));
            assert_eq!(narrowing(&key).is_some(), wanted, "{key}");
        }
    }
}
