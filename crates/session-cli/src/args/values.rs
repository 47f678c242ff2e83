//! Values of options: numbers and names, refused in the words of a person.

use clap::builder::{PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser};
use clap::{Arg, Command, Error};
use session_memory::{Importance, MemoryKind};
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

/// Parses a number of days with a `d` behind it or without.
pub fn parse_age(text: &str) -> Result<u32, String> {
    let number = text.strip_suffix('d').unwrap_or(text);
    number
        .parse()
        .map_err(|_| "not a number of days, such as 14d".into())
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

/// Reads a value of a library's enum by its name, with a line of help where there is one.
pub fn named_values<T: Copy + Send + Sync + 'static>(
    all: &'static [T],
    name: fn(T) -> &'static str,
    help: fn(T) -> Option<&'static str>,
) -> impl TypedValueParser<Value = T> {
    let value = move |value: &T| {
        let named = PossibleValue::new(name(*value));
        match help(*value) {
            Some(help) => named.help(help),
            None => named,
        }
    };
    PossibleValuesParser::new(all.iter().map(value)).try_map(move |typed| {
        let mut all = all.iter().copied();
        all.find(|value| name(*value) == typed).ok_or("unknown")
    })
}

/// Reads a value by a function of its own, and offers names to completions.
#[derive(Clone)]
pub struct OfferedNames<T> {
    names: Vec<&'static str>,
    parse: fn(String) -> Result<T, String>,
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for OfferedNames<T> {
    type Value = T;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<T, Error> {
        let parser = StringValueParser::new().try_map(self.parse);
        parser.parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.names.iter().copied().map(PossibleValue::new)))
    }
}

/// Reads the name of an agent; the filter refuses one that is unknown.
pub fn agent_name_parser() -> OfferedNames<String> {
    OfferedNames {
        names: session_sources::agents().map(|agent| agent.name).collect(),
        parse: Ok,
    }
}

/// Reads the kind of a memory.
pub fn memory_kind_parser() -> OfferedNames<MemoryKind> {
    OfferedNames {
        names: MemoryKind::ALL.map(MemoryKind::name).to_vec(),
        parse: |text| {
            let refused = || format_refusal(&MemoryKind::ALL.map(MemoryKind::name));
            MemoryKind::from_name(&text).ok_or_else(refused)
        },
    }
}

/// Reads the importance of a memory.
pub fn memory_importance_parser() -> OfferedNames<Importance> {
    OfferedNames {
        names: Importance::ALL.map(Importance::label).to_vec(),
        parse: |text| {
            let refused = || format_refusal(&Importance::ALL.map(Importance::label));
            Importance::from_name(&text).ok_or_else(refused)
        },
    }
}

fn format_refusal(names: &[&str]) -> String {
    let names = names.iter().copied();
    format!("not {}", session_core::text::join_alternatives(names))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_that_is_offered_is_read() {
        for kind in MemoryKind::ALL {
            assert_eq!(MemoryKind::from_name(kind.name()), Some(kind));
        }
        for importance in Importance::ALL {
            assert_eq!(Importance::from_name(importance.label()), Some(importance));
        }
    }

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
}
