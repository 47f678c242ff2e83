//! The session that a command is asked from. Its own words are no find: an
//! agent that looks for earlier work has them before it.

use crate::args::FilterArgs;
use crate::home::Home;
use crate::output::notes;
use anyhow::Result;
use session_core::SourceName;
use session_core::text::printable;
use session_sources::{Caller, sources};
use session_store::{SessionId, SessionRow};
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Longest silence of a session that is being written: an agent writes down a
/// call before it makes it, and a call may take its time.
const SILENCE: Duration = Duration::from_secs(15 * 60);

/// The sessions that this is asked from, unless they are wanted.
pub fn left_out<'a>(args: &FilterArgs, home: &Home, all: &'a [SessionRow]) -> Vec<&'a SessionRow> {
    match args.include_current || args.session.is_some() {
        true => Vec::new(),
        false => sessions(home, all),
    }
}

/// Their ids.
pub fn ids(sessions: &[&SessionRow]) -> Vec<String> {
    sessions.iter().map(|session| session.uid.clone()).collect()
}

/// The sessions that this process works for: mostly none, sometimes one, and
/// one of each agent where one was started by another. Where an agent does not
/// say which, it is the one that is being written in this folder; but not for
/// a person at a terminal, who may have an agent's variables, too.
fn sessions<'a>(home: &Home, all: &'a [SessionRow]) -> Vec<&'a SessionRow> {
    let callers = sources()
        .iter()
        .filter_map(|s| Some((s.name(), s.caller(&home.env)?)));
    callers
        .filter_map(|(source, caller)| match caller {
            Caller::Session(id) => named(&source, &id, all),
            Caller::Unnamed if std::io::stdin().is_terminal() => None,
            Caller::Unnamed => being_written(&source, all),
        })
        .collect()
}

fn named<'a>(source: &SourceName, id: &str, all: &'a [SessionRow]) -> Option<&'a SessionRow> {
    all.iter().find(|s| is_of(s, source) && s.uid == id)
}

fn is_of(session: &SessionRow, source: &SourceName) -> bool {
    SourceName(session.source.clone().into()) == *source
}

/// The agent's session in this folder, or in one that it lies in, that was
/// written last, if that was just now.
fn being_written<'a>(source: &SourceName, all: &'a [SessionRow]) -> Option<&'a SessionRow> {
    let here = std::env::current_dir().ok()?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    let is_fresh = |at: i64| {
        let at = Duration::from_millis(u64::try_from(at).unwrap_or(0));
        now.abs_diff(at) <= SILENCE
    };
    let is_here = |folder: &String| here.starts_with(Path::new(folder));
    all.iter()
        .filter(|s| is_of(s, source) && s.parent.is_none())
        .filter(|s| s.ended_ms.is_some_and(is_fresh))
        .filter(|s| [&s.cwd, &s.project].into_iter().flatten().any(is_here))
        .max_by_key(|s| s.ended_ms)
}

/// The numbers of these sessions and of the subagents that they started.
pub fn with_subagents(sessions: &[&SessionRow], all: &[SessionRow]) -> Vec<SessionId> {
    let is_one = |s: &SessionRow| {
        sessions
            .iter()
            .any(|one| one.id == s.id || s.parent.as_deref() == Some(&one.uid))
    };
    all.iter().filter(|s| is_one(s)).map(|s| s.id).collect()
}

/// Says which sessions are left out.
///
/// # Errors
/// When stderr cannot be written.
pub fn note(sessions: &[String]) -> Result<()> {
    for uid in sessions {
        let uid = printable(uid);
        writeln!(
            notes::stderr(),
            "note: this session, {uid}, is left out; --include-current finds it, too"
        )?;
    }
    Ok(())
}
