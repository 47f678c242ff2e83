//! `show`: prints turns of a session in full.

use crate::CommandOutcome;
use crate::args::{SessionArgument, ShowArgs, ShowFormat};
use crate::command::dialog::with_terminal;
use crate::command::filter;
use crate::command::refresh::{self, RefreshedIndex};
use crate::output::{json, notes, pager, terminal_width};
use anyhow::{Result, bail};
use session_config::Home;
use session_core::TurnAddress;
use session_display::SessionIds;
use session_export::{
    ExportedSession, ShownSession, TextLimit, make_brief, make_shown_session, write_markdown,
};
use session_output::{
    ExchangeLayout, JsonItems, TERMINAL_LIMIT, TurnItemKind, format_exchange, format_items,
    format_no_items, format_session_heading, has_items, quote_word,
};
use session_redact::Redactor;
use session_search::{Exchange, read_exchanges as read};
use session_store::{Reader, SessionRow};
use std::io::{IsTerminal, Write};

/// Runs the command.
///
/// # Errors
/// When the index fails, or the argument names nothing.
pub fn run(args: &ShowArgs) -> Result<CommandOutcome> {
    if args.only.is_some() && args.format == ShowFormat::Markdown {
        bail!("--only prints text or JSON\nhint: leave --format markdown out");
    }
    let home = Home::from_process()?;
    let RefreshedIndex {
        index, sessions, ..
    } = refresh::open_index_with_sessions(&home, std::slice::from_ref(&args.id))?;
    let redactor = if args.unredacted {
        let named = SessionArgument::parse(&args.id)?;
        filter::find_session(&sessions, &named.session)?;
        consent_to_secrets(&home, &args.id)?
    } else {
        home.config.redactor()
    };
    let SessionExchanges {
        mut session,
        mut exchanges,
    } = read_turns(&args.id, args.context, &index, &sessions, &redactor)?;
    session.cwd = session
        .cwd
        .map(|folder| redactor.redact(&folder).into_owned());
    if args.brief && args.prints_json() && args.only.is_none() && !exchanges.is_empty() {
        let id = SessionIds::new(&sessions).short_id(&session);
        let left_out = make_brief(&session, &id, &mut exchanges);
        let address = left_out.map(|turns| TurnAddress::new(id, turns).to_string());
        let shown = make_shown_session(&session, &exchanges);
        json::print(&shown.with_turns_left_out(address))?;
        return Ok(CommandOutcome::Something);
    }
    print_exchanges(args, &session, &exchanges, &sessions)
}

/// Asks on the terminal whether secrets may be shown; returns the redactor that is left.
fn consent_to_secrets(home: &Home, id: &str) -> Result<Redactor> {
    if !std::io::stdout().is_terminal() {
        bail!(
            "secrets are shown on a terminal, to its user\nhint: run `session-search show {} --unredacted` there, without a pipe",
            quote_word(id)
        );
    }
    let is_meant = with_terminal(false, |dialog| {
        if !dialog.is_interactive {
            bail!("nobody can be asked whether secrets may be shown\nhint: run it on a terminal");
        }
        Ok(dialog.confirm("Show keys and passwords of this session?")?)
    })?;
    Ok(if is_meant {
        Redactor::off()
    } else {
        home.config.redactor()
    })
}

/// A session with turns of it that were read.
pub struct SessionExchanges {
    /// The session.
    pub session: SessionRow,
    /// The turns, in order.
    pub exchanges: Vec<Exchange>,
}

/// Reads the turns that `ID[:TURNS]` names, with `context` turns before and after them, and their session.
///
/// # Errors
/// As [`run`].
pub fn read_turns(
    argument: &str,
    context: u32,
    index: &Reader,
    sessions: &[SessionRow],
    redactor: &Redactor,
) -> Result<SessionExchanges> {
    let argument = SessionArgument::parse(argument)?;
    let session = filter::find_session(sessions, &argument.session)?;
    let range = argument.turn_range();
    let first = range.start().saturating_sub(context);
    let last = range.end().saturating_add(context);
    let exchanges = read(index, &session, first..=last, redactor)?;
    Ok(SessionExchanges { session, exchanges })
}

/// Prints turns of a session.
///
/// # Errors
/// When they cannot be written.
pub fn print_exchanges(
    args: &ShowArgs,
    session: &SessionRow,
    exchanges: &[Exchange],
    sessions: &[SessionRow],
) -> Result<CommandOutcome> {
    if exchanges.is_empty() {
        print_missing_turns(session, sessions)?;
    }
    if args.prints_json() {
        print_json(args, session, exchanges)?;
    } else if !exchanges.is_empty() {
        pager::print_paged(
            &format_exchanges(args, session, exchanges, sessions)?,
            args.no_pager,
        )?;
    }
    let has_none = |kind: &TurnItemKind| !exchanges.iter().any(|e| has_items(e, *kind));
    let missing = args.only.filter(has_none);
    if let Some(kind) = missing.filter(|_| !exchanges.is_empty()) {
        writeln!(notes::open_stderr(), "{}", format_no_items(kind))?;
    }
    let found = !exchanges.is_empty() && missing.is_none();
    Ok(CommandOutcome::from_found(found))
}

/// Prints that a session has no turn of the range that was asked for.
///
/// # Errors
/// When stderr cannot be written.
pub fn print_missing_turns(session: &SessionRow, sessions: &[SessionRow]) -> Result<()> {
    let text = format_missing_turns(session, sessions);
    Ok(writeln!(notes::open_stderr(), "{text}")?)
}

/// Formats that a session has no turn of the range that was asked for.
pub fn format_missing_turns(session: &SessionRow, sessions: &[SessionRow]) -> String {
    let id = SessionIds::new(sessions).short_id(session);
    let last = session.turns.saturating_sub(1);
    format!("session {id} has no such turn\nhint: its turns are 0 to {last}")
}

fn print_json(args: &ShowArgs, session: &SessionRow, exchanges: &[Exchange]) -> Result<()> {
    let Some(kind) = args.only else {
        return json::print(&make_shown_session(session, exchanges));
    };
    let things = exchanges.iter().map(|e| JsonItems::new(e, kind));
    json::print(&ShownSession::new(session, things.collect::<Vec<_>>()))
}

fn format_exchanges(
    args: &ShowArgs,
    session: &SessionRow,
    exchanges: &[Exchange],
    sessions: &[SessionRow],
) -> Result<String> {
    let ids = SessionIds::new(sessions);
    if let Some(kind) = args.only {
        return Ok(format_items(exchanges, &ids.short_id(session), kind));
    }
    let (limit, width) = (text_limit(args), terminal_width());
    if args.format == ShowFormat::Markdown {
        return format_markdown(session, exchanges, limit, &ids);
    }
    let layout = ExchangeLayout {
        id: &ids.short_id(session),
        turns: session.turns,
        limit,
        width,
    };
    let turns = exchanges.iter().map(|e| format_exchange(e, layout));
    Ok(format_session_heading(session, &ids, width) + &turns.collect::<String>())
}

fn format_markdown(
    session: &SessionRow,
    exchanges: &[Exchange],
    limit: TextLimit,
    ids: &SessionIds<'_>,
) -> Result<String> {
    let mut out = Vec::new();
    let session = ExportedSession::new(session, exchanges).with_short_id(ids);
    write_markdown(&session, limit, &mut out)?;
    Ok(String::from_utf8(out)?)
}

/// Returns the part of an output that is shown.
fn text_limit(args: &ShowArgs) -> TextLimit {
    match args.brief {
        true => TextLimit::BRIEF,
        false if args.full || !std::io::stdout().is_terminal() => TextLimit::with_lines(usize::MAX),
        false => TERMINAL_LIMIT,
    }
}
