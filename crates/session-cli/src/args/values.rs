//! Values of options: numbers and names, refused in the words of a person.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Command};
use jiff::Zoned;
use session_memory::{Importance, MemoryKind};
use session_query::parse_agent;
use session_report::parse_whole_days;
use std::ffi::OsStr;

/// Parses the most items of a list.
pub fn parse_limit(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(limit) if limit > 0 => Ok(limit),
        _ => Err(refuse_number(text, "a whole number", 1, usize::MAX as u64)),
    }
}

/// Parses a count that may be 0.
pub fn parse_count(text: &str) -> Result<u32, String> {
    let refused = |_| refuse_number(text, "a whole number", 0, u32::MAX.into());
    text.parse().map_err(refused)
}

/// Parses a number of days.
pub fn parse_days(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(days) if days > 0 => Ok(days),
        _ => Err(refuse_number(text, "a number of days", 1, u32::MAX.into())),
    }
}

/// Says what was expected, to its end where a number lies beyond it.
fn refuse_number(text: &str, expected: &str, first: u64, last: u64) -> String {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number && text.bytes().any(|digit| digit != b'0') {
        format!("not {expected} from {first} to {last}")
    } else {
        format!("not {expected} from {first} on")
    }
}

/// Parses a time since which something was left alone, to whole days: a number of them, or a duration as of `--since`.
pub fn parse_age(text: &str) -> Result<u32, String> {
    let days = text.parse().ok();
    let days = days.or_else(|| parse_whole_days(text, Zoned::now));
    days.ok_or_else(|| "not a number of days or more, such as 14, 14d, 2w or 3mo".into())
}

/// Parses the level of a search.
pub fn parse_depth(text: &str) -> Result<u8, String> {
    let depth = text.parse().ok();
    let depth = depth.filter(|depth| (1..=2).contains(depth));
    depth.ok_or_else(|| "not 1 or 2".into())
}

/// Parses the number of an entry of `forget --list`.
pub fn parse_entry(text: &str) -> Result<u32, String> {
    let refused = |_| "not the number of an entry, as --list prints it".into();
    text.parse().map_err(refused)
}

/// Reads a value of a library's enum by its name; `describe` adds a line of help or other names.
pub fn named_values<T: Copy + Send + Sync + 'static>(
    all: &'static [T],
    name: fn(T) -> &'static str,
    describe: fn(T, PossibleValue) -> PossibleValue,
) -> impl TypedValueParser<Value = T> {
    let named = move |value: T| describe(value, PossibleValue::new(name(value)));
    let values = all.iter().copied();
    PossibleValuesParser::new(values.clone().map(named)).try_map(move |typed| {
        let mut values = values.clone();
        let is_named = |value: &T| named(*value).matches(&typed, true);
        values.find(is_named).ok_or("unknown")
    })
}

/// Reads the name of an agent. An empty one, as of an unset variable, is no filter.
pub fn agent_names() -> AnySpelling<PossibleValuesParser> {
    let names = session_sources::agents().map(|agent| PossibleValue::new(agent.name));
    let none = PossibleValue::new("").hide(true);
    AnySpelling(PossibleValuesParser::new(names.chain([none])))
}

/// Reads the name of an agent as its makers write it, too; the parser within takes the name alone.
#[derive(Debug, Clone)]
pub struct AnySpelling<P>(pub P);

impl<P: TypedValueParser> TypedValueParser for AnySpelling<P> {
    type Value = P::Value;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        typed: &OsStr,
    ) -> Result<P::Value, clap::Error> {
        let known = typed.to_str().and_then(|typed| parse_agent(typed).ok());
        let name = known.as_ref().map_or(typed, OsStr::new);
        self.0.parse_ref(command, arg, name)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        self.0.possible_values()
    }
}

/// Parses the weight of a list, from 0 to 1.
pub fn parse_weight(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(weight) if (0.0..=1.0).contains(&weight) => Ok(weight),
        _ => Err("not a number from 0 to 1".into()),
    }
}

/// Reads the kind of a memory.
pub fn memory_kinds() -> impl TypedValueParser<Value = MemoryKind> {
    named_values(
        &MemoryKind::ALL,
        MemoryKind::name,
        |kind, value| match kind {
            MemoryKind::KnownIssue => value.aliases(["known issue", "known_issue"]),
            _ => value,
        },
    )
}

/// Reads the importance of a memory.
pub fn importances() -> impl TypedValueParser<Value = Importance> {
    named_values(&Importance::ALL, Importance::label, |_, value| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_refused_in_words() {
        for text in ["abc", "0", "-1"] {
            assert_eq!(
                parse_days(text).unwrap_err(),
                "not a number of days from 1 on"
            );
        }
        assert_eq!(parse_depth("3").unwrap_err(), "not 1 or 2");
        assert_eq!(
            parse_entry("abc").unwrap_err(),
            "not the number of an entry, as --list prints it"
        );
        assert_eq!(
            parse_count("-1").unwrap_err(),
            "not a whole number from 0 on"
        );
        assert_eq!(
            parse_count("99999999999").unwrap_err(),
            "not a whole number from 0 to 4294967295"
        );
        assert_eq!(
            parse_limit("0").unwrap_err(),
            "not a whole number from 1 on"
        );
    }

    #[test]
    fn an_age_is_a_number_of_days_or_a_duration() {
        for (text, days) in [
            ("0", 0),
            ("14", 14),
            ("14d", 14),
            ("2w", 14),
            ("two weeks", 14),
        ] {
            assert_eq!(parse_age(text), Ok(days), "{text}");
        }
        for text in ["-1", "12h", "2026-01-15", "soon", ""] {
            let error = parse_age(text).unwrap_err();
            assert!(error.starts_with("not a number of days"), "{text}");
        }
    }
}
