//! The notation in which a turn of a session, or a range of its turns, is named: `ID:TURN`.

use crate::turn_range::parse_turn_range;
use std::error::Error;
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// The address of a turn, or of a range of turns, in a session: `a1b2c3d4:7`, `a1b2c3d4:5-9`.
///
/// ```
/// use session_core::{TurnAddress, TurnRange};
/// assert_eq!(TurnAddress::new("a1b2c3d4", 7).to_string(), "a1b2c3d4:7");
/// let address: TurnAddress<TurnRange> = "a1b2c3d4:5-9".parse()?;
/// assert_eq!(address.turn.0, 5..=9);
/// # Ok::<(), session_core::TurnAddressError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TurnAddress<T = u32> {
    /// The session's id, or as much of its beginning as names it.
    pub session: String,
    /// The turn's number in its session, from 0, or a range of such numbers.
    pub turn: T,
}

impl<T> TurnAddress<T> {
    /// Creates the address of `turn` in the session with this id.
    pub fn new(session: impl Into<String>, turn: T) -> Self {
        Self {
            session: session.into(),
            turn,
        }
    }
}

impl<T: fmt::Display> fmt::Display for TurnAddress<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.session, self.turn)
    }
}

impl<T: FromStr> FromStr for TurnAddress<T> {
    type Err = TurnAddressError;

    fn from_str(text: &str) -> Result<Self, TurnAddressError> {
        let (session, turn) = text
            .rsplit_once(':')
            .ok_or_else(|| TurnAddressError::NoTurn(text.to_owned()))?;
        match turn.parse() {
            Ok(turn) => Ok(Self::new(session, turn)),
            Err(_) => Err(TurnAddressError::InvalidTurn(turn.to_owned())),
        }
    }
}

/// An inclusive range of the turns of a session, from 0: `7`, `5-9`, or `5-` for turn 5 and all that follow.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TurnRange(pub RangeInclusive<u32>);

impl fmt::Display for TurnRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (*self.0.start(), *self.0.end()) {
            (first, last) if first == last => write!(f, "{first}"),
            (first, u32::MAX) => write!(f, "{first}-"),
            (first, last) => write!(f, "{first}-{last}"),
        }
    }
}

impl FromStr for TurnRange {
    type Err = TurnAddressError;

    fn from_str(text: &str) -> Result<Self, TurnAddressError> {
        let range = parse_turn_range(text).map(Self);
        range.ok_or_else(|| TurnAddressError::InvalidTurn(text.to_owned()))
    }
}

/// The reason why a text is not the address of turns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnAddressError {
    /// The text has no `:` that a turn follows; it may be the id of a session.
    NoTurn(String),
    /// The text after the `:` is neither a turn nor a range of turns.
    InvalidTurn(String),
}

impl fmt::Display for TurnAddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoTurn(text) => write!(f, "`{text}` names no turn of a session"),
            Self::InvalidTurn(turn) => write!(f, "`{turn}` is not a turn or a range of turns"),
        }
    }
}

impl Error for TurnAddressError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_parsed_as_it_is_displayed() {
        for text in ["a1:0", "a1:7", "#12:7", "a:b:7"] {
            let address: TurnAddress = text.parse().unwrap();
            assert_eq!(address.to_string(), text);
        }
        for text in ["a1:7", "a1:5-9", "a1:5-", ":5"] {
            let address: TurnAddress<TurnRange> = text.parse().unwrap();
            assert_eq!(address.to_string(), text);
        }
    }

    #[test]
    fn what_is_no_address_is_told_apart() {
        let parse = |text: &str| text.parse::<TurnAddress<TurnRange>>().unwrap_err();
        assert_eq!(parse("a1"), TurnAddressError::NoTurn("a1".into()));
        assert_eq!(parse("a1:"), TurnAddressError::InvalidTurn(String::new()));
        assert_eq!(parse("a1:9-5"), TurnAddressError::InvalidTurn("9-5".into()));
    }
}
