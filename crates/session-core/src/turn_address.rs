//! The notation in which a turn of a session, or a range of its turns, is named: `ID:TURN`.

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

/// The number that stands for the last turn of a session.
const LAST_TURN: u32 = u32::MAX;
/// The name by which it is typed.
const LAST_NAME: &str = "last";

/// An inclusive range of the turns of a session, from 0: `7`, `5-9`, `5-` for turn 5 and all that follow, or `last` for the
/// last turn, whose number [`TurnRange::resolve`] fills in.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TurnRange(pub RangeInclusive<u32>);

impl fmt::Display for TurnRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (*self.0.start(), *self.0.end()) {
            (LAST_TURN, _) => f.write_str(LAST_NAME),
            (first, last) if first == last => write!(f, "{first}"),
            (first, LAST_TURN) => write!(f, "{first}-"),
            (first, last) => write!(f, "{first}-{last}"),
        }
    }
}

impl FromStr for TurnRange {
    type Err = TurnAddressError;

    fn from_str(text: &str) -> Result<Self, TurnAddressError> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let last = match last.trim() {
            "" => Some(LAST_TURN),
            last => parse_turn(last),
        };
        let ends = parse_turn(first.trim()).zip(last);
        match ends.filter(|(first, last)| first <= last) {
            Some((first, last)) => Ok(Self(first..=last)),
            None => Err(TurnAddressError::InvalidTurn(text.to_owned())),
        }
    }
}

fn parse_turn(text: &str) -> Option<u32> {
    match text {
        LAST_NAME => Some(LAST_TURN),
        text => text.parse().ok().filter(|turn| *turn < LAST_TURN),
    }
}

impl TurnRange {
    /// All turns.
    pub const ALL: Self = Self(0..=LAST_TURN);

    /// Returns the turns that it means in a session with `count` turns: `last` is the last of them.
    pub fn resolve(&self, count: u32) -> RangeInclusive<u32> {
        if *self.0.start() == LAST_TURN {
            let last = count.saturating_sub(1);
            return last..=last;
        }
        self.0.clone()
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
        for text in ["a1:7", "a1:5-9", "a1:5-", "a1:last", ":5"] {
            let address: TurnAddress<TurnRange> = text.parse().unwrap();
            assert_eq!(address.to_string(), text);
        }
    }

    #[test]
    fn turns_and_ranges_are_parsed() {
        for (text, range) in [
            ("7", Some(7..=7)),
            ("5-9", Some(5..=9)),
            (" 5 - 9 ", Some(5..=9)),
            ("5-", Some(5..=u32::MAX)),
            ("5-last", Some(5..=u32::MAX)),
            ("last", Some(u32::MAX..=u32::MAX)),
            ("", None),
            ("-3", None),
            ("9-5", None),
            ("last-5", None),
            ("x", None),
            ("1-2-3", None),
            ("4294967295", None),
            ("4294967296", None),
        ] {
            assert_eq!(text.parse().ok(), range.map(TurnRange), "{text}");
        }
    }

    #[test]
    fn the_last_turn_has_the_last_number() {
        let resolve = |text: &str, count| text.parse::<TurnRange>().unwrap().resolve(count);
        assert_eq!(resolve("last", 12), 11..=11);
        assert_eq!(resolve("last", 0), 0..=0);
        assert_eq!(resolve("5-9", 7), 5..=9);
    }

    #[test]
    fn what_is_no_address_is_told_apart() {
        let parse = |text: &str| text.parse::<TurnAddress<TurnRange>>().unwrap_err();
        assert_eq!(parse("a1"), TurnAddressError::NoTurn("a1".into()));
        assert_eq!(parse("a1:"), TurnAddressError::InvalidTurn(String::new()));
        assert_eq!(parse("a1:9-5"), TurnAddressError::InvalidTurn("9-5".into()));
    }
}
