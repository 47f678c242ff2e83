//! Which turns of a session are shown, and from where in the first of them.

use crate::turn_address::{TurnAddressError, TurnRange};
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// Fewest turns of a range that follows another.
const FOLLOWING_TURNS: u32 = 3;

/// A [`TurnRange`] that may begin within its first turn: `5+8400-9` from the 8,400th character of turn 5 on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnWindow {
    /// The turns.
    pub turns: TurnRange,
    /// Characters of the first turn that are left out.
    pub offset: usize,
}

impl From<RangeInclusive<u32>> for TurnWindow {
    fn from(turns: RangeInclusive<u32>) -> Self {
        Self {
            turns: TurnRange(turns),
            offset: 0,
        }
    }
}

impl TurnWindow {
    /// All turns.
    pub const ALL: Self = Self {
        turns: TurnRange::ALL,
        offset: 0,
    };

    /// Returns a turn and the one that follows it, of a session with `count` turns.
    pub fn with_next_turn(turn: u32, count: u32) -> Self {
        let last = turn.saturating_add(1).min(count.saturating_sub(1));
        Self::from(turn..=last.max(turn))
    }

    /// Returns the first turn.
    pub fn first(&self) -> u32 {
        *self.turns.0.start()
    }

    /// Returns the last turn.
    pub fn last(&self) -> u32 {
        *self.turns.0.end()
    }

    /// Returns the turns that it means in a session with `count` turns, as [`TurnRange::resolve`] does.
    pub fn resolve(&self, count: u32) -> Self {
        Self {
            turns: TurnRange(self.turns.resolve(count)),
            offset: self.offset,
        }
    }

    /// Returns what is left of it from a turn on.
    pub fn rest_window_from(&self, first: u32) -> Self {
        Self {
            turns: TurnRange(first..=self.last()),
            offset: if first == self.first() {
                self.offset
            } else {
                0
            },
        }
    }

    /// Returns as many turns that follow, of a session with `count` turns: at least three.
    pub fn following_window(&self, count: u32) -> Self {
        let first = self.last().saturating_add(1);
        let steps = (self.last() - self.first()).max(FOLLOWING_TURNS - 1);
        let last = first.saturating_add(steps).min(count.saturating_sub(1));
        Self::from(first..=last)
    }
}

impl FromStr for TurnWindow {
    type Err = TurnAddressError;

    fn from_str(typed: &str) -> Result<Self, TurnAddressError> {
        let invalid = || TurnAddressError::InvalidTurn(typed.to_owned());
        let (first, last) = split_range(typed);
        let (first, offset) = first.split_once('+').unwrap_or((first, "0"));
        let turns = format!("{first}{last}").parse();
        Ok(Self {
            turns: turns.map_err(|_| invalid())?,
            offset: offset.trim().parse().map_err(|_| invalid())?,
        })
    }
}

impl fmt::Display for TurnWindow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.offset == 0 {
            return write!(f, "{}", self.turns);
        }
        let turns = self.turns.to_string();
        let (first, last) = split_range(&turns);
        write!(f, "{first}+{}{last}", self.offset)
    }
}

/// Splits a range before the `-` within it.
fn split_range(text: &str) -> (&str, &str) {
    text.split_at(text.find('-').unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_parsed_as_it_is_printed() {
        for text in [
            "7", "5-9", "5+8400-9", "5+8400", "5+8400-", "0-", "last", "last+9",
        ] {
            assert_eq!(text.parse::<TurnWindow>().unwrap().to_string(), text);
        }
        for bad in ["", "x", "9-5", "-3", "5+x", "1-2-3"] {
            assert!(bad.parse::<TurnWindow>().is_err(), "{bad}");
        }
        assert_eq!(TurnWindow::with_next_turn(0, 1).to_string(), "0");
        assert_eq!(TurnWindow::with_next_turn(4, 12).to_string(), "4-5");
        let range = |text: &str| text.parse::<TurnWindow>().unwrap();
        assert_eq!(range("last").resolve(12).to_string(), "11");
        assert_eq!(range("5-9").resolve(12), range("5-9"));
        assert_eq!(range("5").following_window(12).to_string(), "6-8");
        assert_eq!(range("2-8").following_window(12).to_string(), "9-11");
    }
}
