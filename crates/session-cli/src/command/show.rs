//! `show`: level three.

use crate::Found;
use crate::args::ShowArgs;
use crate::command::{fresh, search};
use crate::home::Home;
use crate::models::Models;
use crate::output::{json, layout, show};
use anyhow::{Result, bail};
use session_core::text::printable;
use session_search::{Exchange, show as read};
use session_store::{Reader, SessionRow};
use std::io::Write;
use std::ops::RangeInclusive;

/// Runs the command.
///
/// # Errors
/// When the index fails, or the argument names nothing.
pub fn run(args: &ShowArgs) -> Result<Found> {
    let home = Home::from_process()?;
    fresh::before_search(&home, &Models::of(&home)?)?;
    let index = home.index()?;
    let all = index.sessions()?;
    let (session, exchanges) = turns_of(&args.id, &index, &all)?;
    print(args, &session, &exchanges, &all)
}

/// The session and those of its turns that `ID[:TURNS]` names.
///
/// # Errors
/// As [`run`].
pub fn turns_of(
    text: &str,
    index: &Reader,
    all: &[SessionRow],
) -> Result<(SessionRow, Vec<Exchange>)> {
    let (id, range) = turns(text)?;
    let session = search::one(all, id)?;
    let exchanges = read(index, &session, range)?;
    Ok((session, exchanges))
}

/// Prints turns of a session.
///
/// # Errors
/// When they cannot be written.
pub fn print(
    args: &ShowArgs,
    session: &SessionRow,
    exchanges: &[Exchange],
    all: &[SessionRow],
) -> Result<Found> {
    if exchanges.is_empty() {
        writeln!(
            anstream::stderr(),
            "session {} has no such turn\nhint: its turns are 0 to {}",
            printable(&session.uid),
            session.turns.saturating_sub(1)
        )?;
    }
    if args.json {
        json::print(&json::shown(session, exchanges))?;
    } else if !exchanges.is_empty() {
        text(session, exchanges, all, args.brief)?;
    }
    Ok(if exchanges.is_empty() {
        Found::Nothing
    } else {
        Found::Something
    })
}

fn text(
    session: &SessionRow,
    exchanges: &[Exchange],
    all: &[SessionRow],
    brief: bool,
) -> Result<()> {
    let (mut out, width) = (anstream::stdout().lock(), layout::width());
    write!(out, "{}", show::heading(session, all, width))?;
    for exchange in exchanges {
        write!(
            out,
            "{}",
            show::exchange(exchange, session.turns, brief, width)
        )?;
    }
    Ok(())
}

/// Splits `ID`, `ID:7`, `ID:5-9`.
fn turns(text: &str) -> Result<(&str, RangeInclusive<u32>)> {
    let Some((id, turns)) = text.split_once(':') else {
        return Ok((text, 0..=u32::MAX));
    };
    let (first, last) = turns.split_once('-').unwrap_or((turns, turns));
    match (first.trim().parse(), last.trim().parse()) {
        (Ok(first), Ok(last)) if first <= last => Ok((id, first..=last)),
        _ => bail!(
            "`{turns}` is not a turn or a range of turns\nhint: write ID:7 or ID:5-9, counted from 0"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_ranges_are_split() {
        assert_eq!(turns("a1").unwrap(), ("a1", 0..=u32::MAX));
        assert_eq!(turns("a1:7").unwrap(), ("a1", 7..=7));
        assert_eq!(turns("a1:5-9").unwrap(), ("a1", 5..=9));
        for bad in ["a1:", "a1:9-5", "a1:x", "a1:-3"] {
            assert!(turns(bad).is_err(), "{bad}");
        }
    }
}
