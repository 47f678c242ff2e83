//! Sessions and their turns as users name them.

use anyhow::{Result, bail};
use session_core::{SessionReference, TurnRange};
use std::ops::RangeInclusive;

/// A session or some of its turns, as a user names them: `ID`, `ID:7` or `ID:5-9`, or as a [`SessionReference`] has them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionArgument {
    /// The session's id or its beginning.
    pub session: String,
    /// The turns; `None` where the session alone is named.
    pub turns: Option<RangeInclusive<u32>>,
}

impl SessionArgument {
    /// Parses what a user typed.
    pub fn parse(typed: &str) -> Result<Self> {
        let reference = SessionReference::parse(typed);
        let session = reference.id.to_owned();
        let Some(turns) = reference.turns else {
            return Ok(Self {
                session,
                turns: None,
            });
        };
        if turns.is_empty() {
            bail!(
                "`{typed}` ends before its turn\nhint: write ID:7 or ID:5-9, counted from 0, or ID alone"
            );
        }
        if reference.names_turns_twice() {
            bail!("`{typed}` names turns twice\nhint: write ID:7 or ID:5-9, counted from 0");
        }
        match turns.parse::<TurnRange>() {
            Ok(TurnRange(turns)) => Ok(Self {
                session,
                turns: Some(turns),
            }),
            Err(error) => {
                bail!("{error}\nhint: write ID:7 or ID:5-9, counted from 0")
            }
        }
    }

    /// Returns the turns that are named: all where the session alone is.
    pub fn turn_range(&self) -> RangeInclusive<u32> {
        self.turns.clone().unwrap_or(0..=u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_ranges_are_split() {
        let parse = |typed: &str| {
            let parsed = SessionArgument::parse(typed).unwrap();
            assert_eq!(parsed.session, "a1");
            parsed.turn_range()
        };
        assert_eq!(parse("a1"), 0..=u32::MAX);
        assert_eq!(parse("a1:7"), 7..=7);
        assert_eq!(parse("a1:5-9"), 5..=9);
        let error = SessionArgument::parse("a1:").unwrap_err().to_string();
        assert!(
            error.starts_with("`a1:` ends before its turn\nhint: write "),
            "{error}"
        );
        let error = SessionArgument::parse("a1:14:2").unwrap_err().to_string();
        assert!(
            error.starts_with("`a1:14:2` names turns twice\nhint: write "),
            "{error}"
        );
        assert_eq!(parse("`a1:7`"), 7..=7);
        let transcript = SessionArgument::parse("~/history/a7da6a22.jsonl:7").unwrap();
        assert_eq!(
            (transcript.session.as_str(), transcript.turn_range()),
            ("a7da6a22", 7..=7)
        );
        for bad in ["a1:", "a1:9-5", "a1:x", "a1:-3"] {
            assert!(SessionArgument::parse(bad).is_err(), "{bad}");
        }
    }
}
