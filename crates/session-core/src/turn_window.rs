//! Which turns of a session are shown, and from where in the first of them.

use crate::turn_address::{TurnAddressError, TurnRange};
use std::fmt;
use std::str::FromStr;

/// Fewest turns of a range that follows another.
const FOLLOWING_TURNS: u32 = 3;

/// Turns of a session, counted from 0: `7`, `5-9`, `5-`, `last`, or `5+8400-9` from the 8,400th character of turn 5 on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TurnWindow {
    /// The first turn.
    pub first: u32,
    /// Characters of the first turn that are left out.
    pub offset: usize,
    /// The last turn.
    pub last: u32,
}

impl TurnWindow {
    /// All turns.
    pub const ALL: Self = Self {
        first: 0,
        offset: 0,
        last: u32::MAX,
    };

    /// Returns a turn and the one that follows it, of a session with `count` turns.
    pub fn with_next_turn(turn: u32, count: u32) -> Self {
        Self {
            first: turn,
            offset: 0,
            last: turn
                .saturating_add(1)
                .min(count.saturating_sub(1))
                .max(turn),
        }
    }

    /// Returns the turns that it means in a session with `count` turns, as [`TurnRange::resolve`] does.
    pub fn resolve(self, count: u32) -> Self {
        let range = TurnRange(self.first..=self.last).resolve(count);
        Self {
            first: *range.start(),
            offset: self.offset,
            last: *range.end(),
        }
    }

    /// Returns what is left of it from a turn on.
    pub fn rest_window_from(self, first: u32) -> Self {
        let offset = if first == self.first { self.offset } else { 0 };
        Self {
            first,
            offset,
            ..self
        }
    }

    /// Returns as many turns that follow, of a session with `count` turns: at least three.
    pub fn following_window(self, count: u32) -> Self {
        let first = self.last.saturating_add(1);
        let length = (self.last - self.first).max(FOLLOWING_TURNS - 1);
        Self {
            first,
            offset: 0,
            last: first.saturating_add(length).min(count.saturating_sub(1)),
        }
    }
}

impl FromStr for TurnWindow {
    type Err = TurnAddressError;

    fn from_str(typed: &str) -> Result<Self, TurnAddressError> {
        parse_window(typed).ok_or_else(|| TurnAddressError::InvalidTurn(typed.to_owned()))
    }
}

fn parse_window(text: &str) -> Option<TurnWindow> {
    let (first, last) = text.split_at(text.find('-').unwrap_or(text.len()));
    let (first, offset) = first.split_once('+').unwrap_or((first, "0"));
    let TurnRange(range) = format!("{first}{last}").parse().ok()?;
    Some(TurnWindow {
        first: *range.start(),
        offset: offset.trim().parse().ok()?,
        last: *range.end(),
    })
}

impl fmt::Display for TurnWindow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.first)?;
        if self.offset > 0 {
            write!(f, "+{}", self.offset)?;
        }
        match self.last {
            last if last == self.first => Ok(()),
            u32::MAX => write!(f, "-"),
            last => write!(f, "-{last}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_parsed_as_it_is_printed() {
        for text in ["7", "5-9", "5+8400-9", "5+8400", "0-"] {
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
