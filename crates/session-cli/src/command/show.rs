//! `show`: prints turns of a session in full.

use crate::CommandOutcome;
use crate::args::{ShowArgs, ShowFormat};
use crate::output::{json, notes, pager, terminal_width};
use crate::shared::dialog::with_terminal;
use crate::shared::refreshed_index;
use anyhow::{Result, bail};
use session_config::Home;
use session_core::TurnAddress;
use session_display::{SessionIds, format_continuation};
use session_export::{
    BriefSession, ExportedSession, ShownSession, ShownTurn, TextLimit, make_brief,
    make_shown_session, write_markdown,
};
use session_output::{
    ExchangeLayout, JsonItems, TERMINAL_LIMIT, TurnItemKind, find_turn_with_items, format_exchange,
    format_items, format_no_items, format_session_heading, has_items, quote_word,
};
use session_query::{SessionArgument, Snapshot, find_continuation, find_session};
use session_redact::Redactor;
use session_search::{Exchange, read_exchanges, redact_session_row, unmark_unlisted};
use session_store::SessionRow;
use std::io::IsTerminal;

/// Runs the command.
pub fn run(args: &ShowArgs) -> Result<CommandOutcome> {
    if args.only.is_some() && args.format == ShowFormat::Markdown {
        bail!("--only prints text or JSON\nhint: leave --format markdown out");
    }
    let home = Home::from_process()?;
    let named = std::slice::from_ref(&args.id);
    let snapshot = refreshed_index::open_index_with_sessions(&home, named)?.snapshot;
    let redactor = if args.unredacted {
        let named = SessionArgument::parse(&args.id)?;
        find_session(&snapshot.sessions, &named.session)?;
        consent_to_secrets(&home, &args.id)?
    } else {
        home.config.redactor()
    };
    let mut turns = read_turns(&args.id, args.context, &snapshot, &redactor)?;
    let continuation = find_continuation(&snapshot.index, &turns.session, &snapshot.sessions)?;
    turns.continuation = continuation.cloned();
    redact_session_row(&snapshot.index, &mut turns.session, &redactor)?;
    let folder = turns.session.cwd.take();
    turns.session.cwd = folder.map(|folder| redactor.redact(&folder).into_owned());
    if args.brief && args.prints_json() && args.only.is_none() && !turns.exchanges.is_empty() {
        return turns.print_brief_json(&snapshot.sessions);
    }
    turns.print(args, &snapshot)
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
    /// The session that repeats all of them and goes on, if there is one and it was looked for.
    pub continuation: Option<SessionRow>,
}

/// Reads the turns that `ID[:TURNS]` names, with `context` turns before and after them, and their session.
pub fn read_turns(
    argument: &str,
    context: u32,
    snapshot: &Snapshot,
    redactor: &Redactor,
) -> Result<SessionExchanges> {
    let argument = SessionArgument::parse(argument)?;
    let mut session = find_session(&snapshot.sessions, &argument.session)?;
    unmark_unlisted(&snapshot.index, &mut session)?;
    let range = argument.turn_range(&session);
    let first = range.start().saturating_sub(context);
    let last = range.end().saturating_add(context);
    let mut rows = snapshot.index.turns(session.id)?;
    rows.retain(|row| (first..=last).contains(&row.index));
    let exchanges = read_exchanges(&snapshot.index, &session, &rows, redactor)?;
    Ok(SessionExchanges {
        session,
        exchanges,
        continuation: None,
    })
}

impl SessionExchanges {
    /// Prints the turns.
    pub fn print(&self, args: &ShowArgs, snapshot: &Snapshot) -> Result<CommandOutcome> {
        let (exchanges, sessions) = (&self.exchanges, &snapshot.sessions);
        if exchanges.is_empty() {
            let reason = format_missing_turns(&self.session, sessions);
            notes::print_reason_or_note(reason, args.prints_json())?;
        }
        if args.prints_json() {
            self.print_json(args)?;
        } else if !exchanges.is_empty() {
            pager::print_paged(&self.format(args, sessions)?, args.no_pager)?;
        }
        let has_none = |kind: &TurnItemKind| !exchanges.iter().any(|e| has_items(e, *kind));
        let missing = args.only.filter(has_none);
        if let (Some(kind), Some(first)) = (missing, exchanges.first()) {
            let index = &snapshot.index;
            let rows = index.turns(self.session.id)?;
            let read = |turn| index.content(turn);
            let last = find_turn_with_items(&rows, first.turn.index, kind, read)?;
            let id = SessionIds::new(sessions).short_id(&self.session);
            let last = last.map(|turn| TurnAddress::new(id, turn));
            let reason = format_no_items(kind, last.as_ref());
            notes::print_reason_or_note(reason, args.prints_json())?;
        }
        self.note_continuation(sessions)?;
        let found = !exchanges.is_empty() && missing.is_none();
        Ok(CommandOutcome::from_found(found))
    }

    /// Notes the session that goes on from this one.
    fn note_continuation(&self, sessions: &[SessionRow]) -> Result<()> {
        let ids = SessionIds::new(sessions);
        let format = |next| format_continuation(&self.session, next, &ids);
        notes::print_notes(self.continuation.iter().map(format))
    }

    fn print_json(&self, args: &ShowArgs) -> Result<()> {
        let Some(kind) = args.only else {
            return json::print(&self.to_shown());
        };
        let items = self.exchanges.iter();
        let items = items.map(|e| JsonItems::new(e, kind, item_limit(args)));
        let shown = ShownSession::new(&self.session, items.collect::<Vec<_>>());
        json::print(&shown.with_continuation(self.continuation.as_ref()))
    }

    fn to_shown(&self) -> ShownSession<'_, Vec<ShownTurn<'_>>> {
        make_shown_session(&self.session, &self.exchanges)
            .with_continuation(self.continuation.as_ref())
    }

    /// Prints the turns as JSON, shortened to what an agent reads at once.
    fn print_brief_json(mut self, sessions: &[SessionRow]) -> Result<CommandOutcome> {
        let id = SessionIds::new(sessions).short_id(&self.session);
        let session = BriefSession {
            row: &self.session,
            continuation: self.continuation.as_ref(),
        };
        let left_out = make_brief(session, &id, &mut self.exchanges);
        let address = left_out.map(|turns| TurnAddress::new(id, turns).to_string());
        json::print(&self.to_shown().with_turns_left_out(address))?;
        self.note_continuation(sessions)?;
        Ok(CommandOutcome::Found)
    }

    fn format(&self, args: &ShowArgs, sessions: &[SessionRow]) -> Result<String> {
        let ids = SessionIds::new(sessions);
        if let Some(kind) = args.only {
            let id = ids.short_id(&self.session);
            return Ok(format_items(&self.exchanges, &id, kind, item_limit(args)));
        }
        let (limit, width) = (text_limit(args), terminal_width());
        if args.format == ShowFormat::Markdown {
            return self.format_markdown(limit, &ids);
        }
        let layout = ExchangeLayout {
            id: &ids.short_id(&self.session),
            turns: self.session.turns,
            limit,
            width,
            wraps_prose: std::io::stdout().is_terminal(),
        };
        let turns = self.exchanges.iter().map(|e| format_exchange(e, layout));
        Ok(format_session_heading(&self.session, &ids, width) + &turns.collect::<String>())
    }

    fn format_markdown(&self, limit: TextLimit, ids: &SessionIds<'_>) -> Result<String> {
        let mut out = Vec::new();
        let session = ExportedSession::new(&self.session, &self.exchanges).with_short_id(ids);
        write_markdown(&session, limit, &mut out)?;
        Ok(String::from_utf8(out)?)
    }
}

/// Prints that a session has no turn of the range that was asked for.
pub fn print_missing_turns(session: &SessionRow, sessions: &[SessionRow]) -> Result<()> {
    let text = format_missing_turns(session, sessions);
    notes::print_reason(text)
}

/// Formats that a session has no turn of the range that was asked for.
pub fn format_missing_turns(session: &SessionRow, sessions: &[SessionRow]) -> String {
    let id = SessionIds::new(sessions).short_id(session);
    let last = session.turns.saturating_sub(1);
    format!("session {id} has no such turn\nhint: its turns are 0 to {last}")
}

/// Returns the part of a command or a diff that `--only` shows.
fn item_limit(args: &ShowArgs) -> Option<TextLimit> {
    args.brief.then_some(TextLimit::BRIEF)
}

/// Returns the part of an output that is shown.
fn text_limit(args: &ShowArgs) -> TextLimit {
    match args.brief {
        true => TextLimit::BRIEF,
        false if args.full || !std::io::stdout().is_terminal() => TextLimit::with_lines(usize::MAX),
        false => TERMINAL_LIMIT,
    }
}
