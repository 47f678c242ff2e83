//! Sessions and their turns as users name them.

use anyhow::{Result, anyhow};
use session_core::{TurnAddress, TurnAddressError, TurnRange};
use std::ops::RangeInclusive;

/// A session or some of its turns, as a user names them: `ID`, `ID:7` or `ID:5-9`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionArgument {
    /// The session's id or its beginning.
    pub session: String,
    /// The turns; `None` where the session alone is named.
    pub turns: Option<RangeInclusive<u32>>,
}

impl SessionArgument {
    /// Parses what a user typed.
    ///
    /// # Errors
    /// When something follows a `:` that is neither a turn nor a range of turns.
    pub fn parse(typed: &str) -> Result<Self> {
        match typed.parse::<TurnAddress<TurnRange>>() {
            Ok(address) => Ok(Self {
                session: address.session,
                turns: Some(address.turn.0),
            }),
            Err(TurnAddressError::NoTurn(session)) => Ok(Self {
                session,
                turns: None,
            }),
            Err(TurnAddressError::InvalidTurn(turn)) if turn.is_empty() => Err(anyhow!(
                "`{typed}` ends before its turn\nhint: write ID:7 or ID:5-9, counted from 0, or ID alone"
            )),
            Err(error) => Err(anyhow!(
                "{error}\nhint: write ID:7 or ID:5-9, counted from 0"
            )),
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
        for bad in ["a1:", "a1:9-5", "a1:x", "a1:-3"] {
            assert!(SessionArgument::parse(bad).is_err(), "{bad}");
        }
    }
}
