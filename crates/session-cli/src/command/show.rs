//! `show`: prints turns of a session in full.

use crate::Found;
use crate::args::{ShowArgs, ShowFormat};
use crate::command::dialog::with_terminal;
use crate::command::filter;
use crate::command::refresh::{self, RefreshedIndex};
use crate::output::{json, notes, pager, width};
use anyhow::{Result, bail};
use session_config::Home;
use session_core::parse_turn_range;
use session_core::text::printable;
use session_display::short_id;
use session_export::{
    ExportedSession, ShownSession, TextLimit, make_brief, shown_session, write_markdown,
};
use session_output::{
    JsonItems, TERMINAL_LIMIT, TurnItemKind, format_exchange, format_items, format_no_items,
    format_session_heading, has_items,
};
use session_redact::Redactor;
use session_search::{Exchange, show as read};
use session_store::{Reader, SessionRow};
use std::io::{IsTerminal, Write};
use std::ops::RangeInclusive;

/// Runs the command.
///
/// # Errors
/// When the index fails, or the argument names nothing.
pub fn run(args: &ShowArgs) -> Result<Found> {
    if args.only.is_some() && args.format == ShowFormat::Markdown {
        bail!("--only prints text or JSON\nhint: leave --format markdown out");
    }
    let home = Home::from_process()?;
    let RefreshedIndex { index, all, .. } = refresh::index(&home)?;
    let redactor = match args.unredacted {
        true => consent_to_secrets(&home)?,
        false => home.config.redactor(),
    };
    let (session, mut exchanges) = turns_of(&args.id, args.context, &index, &all, &redactor)?;
    if args.brief && args.as_json() && args.only.is_none() {
        make_brief(&mut exchanges);
    }
    print(args, &session, &exchanges, &all)
}

/// Asks on the terminal whether secrets may be shown; returns the redactor that is left.
fn consent_to_secrets(home: &Home) -> Result<Redactor> {
    if !std::io::stdout().is_terminal() {
        bail!(
            "secrets are shown on a terminal, to its user\nhint: run `session-search show --unredacted` there, without a pipe"
        );
    }
    let is_meant = with_terminal(false, |dialog| {
        if !dialog.is_interactive {
            bail!("nobody can be asked whether secrets may be shown\nhint: run it on a terminal");
        }
        Ok(dialog.confirm("Show keys and passwords of this session?")?)
    })?;
    Ok(match is_meant {
        true => Redactor::off(),
        false => home.config.redactor(),
    })
}

/// The session and those of its turns that `ID[:TURNS]` names, with so many
/// before and after them.
///
/// # Errors
/// As [`run`].
pub fn turns_of(
    text: &str,
    context: u32,
    index: &Reader,
    all: &[SessionRow],
    redactor: &Redactor,
) -> Result<(SessionRow, Vec<Exchange>)> {
    let (id, range) = turns(text)?;
    let session = filter::find_session(all, id)?;
    let first = range.start().saturating_sub(context);
    let last = range.end().saturating_add(context);
    let exchanges = read(index, &session, first..=last, redactor)?;
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
        note_missing_turns(session)?;
    }
    if args.as_json() {
        print_json(args, session, exchanges)?;
    } else if !exchanges.is_empty() {
        pager::print(&text(args, session, exchanges, all)?, args.no_pager)?;
    }
    let has_none = |kind: &TurnItemKind| !exchanges.iter().any(|e| has_items(e, *kind));
    let missing = args.only.filter(has_none);
    if let Some(kind) = missing.filter(|_| !exchanges.is_empty()) {
        writeln!(notes::stderr(), "{}", format_no_items(kind))?;
    }
    Ok(match exchanges.is_empty() || missing.is_some() {
        true => Found::Nothing,
        false => Found::Something,
    })
}

/// Says that a session has no turn of the range that was asked for.
///
/// # Errors
/// When stderr cannot be written.
pub fn note_missing_turns(session: &SessionRow) -> Result<()> {
    let last = session.turns.saturating_sub(1);
    Ok(writeln!(
        notes::stderr(),
        "session {} has no such turn\nhint: its turns are 0 to {last}",
        printable(&session.uid)
    )?)
}

fn print_json(args: &ShowArgs, session: &SessionRow, exchanges: &[Exchange]) -> Result<()> {
    let Some(kind) = args.only else {
        return json::print(&shown_session(session, exchanges));
    };
    let things = exchanges.iter().map(|e| JsonItems::new(e, kind));
    json::print(&ShownSession::new(session, things.collect::<Vec<_>>()))
}

fn text(
    args: &ShowArgs,
    session: &SessionRow,
    exchanges: &[Exchange],
    all: &[SessionRow],
) -> Result<String> {
    if let Some(kind) = args.only {
        return Ok(format_items(exchanges, &short_id(session, all), kind));
    }
    let (limit, width) = (limit(args), width());
    if args.format == ShowFormat::Markdown {
        return markdown(session, exchanges, limit);
    }
    let turns = exchanges.iter();
    let turns = turns.map(|e| format_exchange(e, session.turns, limit, width));
    Ok(format_session_heading(session, all, width) + &turns.collect::<String>())
}

fn markdown(session: &SessionRow, exchanges: &[Exchange], limit: TextLimit) -> Result<String> {
    let mut out = Vec::new();
    write_markdown(&ExportedSession::new(session, exchanges), limit, &mut out)?;
    Ok(String::from_utf8(out)?)
}

/// Part of an output that is shown.
fn limit(args: &ShowArgs) -> TextLimit {
    match args.brief {
        true => TextLimit::BRIEF,
        false if args.full || !std::io::stdout().is_terminal() => TextLimit::with_lines(usize::MAX),
        false => TERMINAL_LIMIT,
    }
}

/// Splits `ID`, `ID:7`, `ID:5-9`.
pub fn turns(text: &str) -> Result<(&str, RangeInclusive<u32>)> {
    let Some((id, turns)) = text.split_once(':') else {
        return Ok((text, 0..=u32::MAX));
    };
    match parse_turn_range(turns) {
        Some(range) => Ok((id, range)),
        None => bail!(
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
