//! The session that a command is run from. An agent that searches for earlier work has the words of
//! its own session in its context: the search leaves them out.
use session_sources::{Caller, Env, Source, sources};
use session_store::SessionRow;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Longest time since the last record of a session that is in progress. An agent writes a tool call
/// down before it runs it, and the call may take minutes.
const MAX_IDLE: Duration = Duration::from_secs(15 * 60);

/// The calling process, with what tells which session it belongs to.
#[derive(Debug, Clone, Copy)]
pub struct CallingProcess<'a> {
    /// Its environment.
    pub env: &'a Env,
    /// Its working directory.
    pub directory: &'a Path,
    /// Its user sits at a terminal. They may have an agent's variables, too: from a shell in an
    /// agent's editor.
    pub is_interactive: bool,
    /// The name that an agent gave itself as the client of a server. It stays while the agent goes from
    /// one session to another, which the variables do not show.
    pub client: Option<&'a str>,
    /// The present time.
    pub now: SystemTime,
}

impl CallingProcess<'_> {
    /// Finds the sessions that the process works for: mostly none, sometimes one, and one per agent
    /// where one agent started another. An agent that names no session is in the one that was
    /// written last in the working directory.
    pub fn find_sessions<'s>(&self, all: &'s [SessionRow]) -> Vec<&'s SessionRow> {
        let callers = sources()
            .iter()
            .filter_map(|source| Some((*source, source.agent().caller(self.env)?)));
        let mut found: Vec<&SessionRow> = callers
            .filter_map(|(source, caller)| match caller {
                Caller::Session(id) => find_named(source, &id, all),
                Caller::Unnamed if self.is_interactive => None,
                Caller::Unnamed => self.find_latest(source.name(), all),
            })
            .collect();
        let clients = sources().iter().map(|source| source.name());
        let clients = clients.filter(|source| self.is_client(source));
        for session in clients.filter_map(|source| self.find_latest(source, all)) {
            if !found.iter().any(|known| known.id == session.id) {
                found.push(session);
            }
        }
        found
    }

    /// Returns true if the client is this agent, or one of its programs: `name` or `name-code`.
    fn is_client(&self, source: &str) -> bool {
        let rest = self.client.and_then(|name| name.strip_prefix(source));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    }

    fn find_latest<'s>(&self, source: &str, all: &'s [SessionRow]) -> Option<&'s SessionRow> {
        all.iter()
            .filter(|session| session.source == source && session.parent.is_none())
            .filter(|session| self.is_in_progress(session) && self.is_inside(session))
            .max_by_key(|session| session.ended_ms)
    }

    fn is_in_progress(&self, session: &SessionRow) -> bool {
        let ended = session.ended_ms.and_then(|ms| u64::try_from(ms).ok());
        let now = self.now.duration_since(UNIX_EPOCH);
        ended
            .zip(now.ok())
            .is_some_and(|(ended, now)| now.abs_diff(Duration::from_millis(ended)) <= MAX_IDLE)
    }

    /// Returns true if the working directory lies in one of the session's.
    fn is_inside(&self, session: &SessionRow) -> bool {
        let directories = [&session.cwd, &session.project];
        let mut directories = directories.into_iter().flatten();
        directories.any(|directory| self.directory.starts_with(directory))
    }
}

/// Returns the session that an agent knows by an id, of several files of it the latest.
fn find_named<'s>(source: &dyn Source, id: &str, all: &'s [SessionRow]) -> Option<&'s SessionRow> {
    all.iter()
        .filter(|session| session.source == source.name() && source.own_id(&session.uid) == id)
        .max_by_key(|session| session.ended_ms)
}
