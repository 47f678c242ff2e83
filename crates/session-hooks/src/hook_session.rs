//! The ids by which hooks name sessions.

use session_config::Home;
use session_memory::{ContextId, SessionStateFile};
use session_query::{SessionIdError, find_session};
use session_sources::find_source;
use session_store::SessionRow;
use std::path::Path;
use thiserror::Error;

/// The fewest characters of a whole id: those of agents with a hook have 30 or 36.
const WHOLE_ID_CHARS: usize = 30;

/// The reason why an id names no session that a hook could name.
#[derive(Debug, Error)]
#[error(transparent)]
pub struct HookSessionError(pub SessionIdError);

/// Returns the id by which hooks name a session that is named by its id or the beginning of it. A session may be so new
/// that the index does not have it: then its whole id names it.
///
/// # Errors
/// When no session or several of the index are named, and the id is no whole one.
pub fn find_hook_session_id(id: &str, home: &Home) -> Result<String, HookSessionError> {
    let sessions = home.index().and_then(|index| index.sessions());
    match find_session(&sessions.unwrap_or_default(), id) {
        Ok(session) => Ok(hook_session_id(&session).to_owned()),
        Err(_) if is_whole_session_id(id, &home.index_directory) => Ok(id.to_owned()),
        Err(error) => Err(HookSessionError(error)),
    }
}

/// Returns the id by which hooks name a session; for a subagent, that of its session.
fn hook_session_id(session: &SessionRow) -> &str {
    let uid = session.parent.as_ref().unwrap_or(&session.uid);
    find_source(&session.source).map_or(uid, |source| source.own_id(uid))
}

/// Returns true for an id that hooks named, or that is as long as a whole one: it may be of a session that is not
/// indexed yet.
fn is_whole_session_id(id: &str, index_directory: &Path) -> bool {
    let is_known = |context| SessionStateFile::new(index_directory, &context).exists();
    id.chars().count() >= WHOLE_ID_CHARS || ContextId::new(id, None).is_some_and(is_known)
}

#[cfg(test)]
mod tests {
    use super::*;
    use session_sources::Env;

    #[test]
    fn an_id_is_whole_where_a_hook_named_it_or_by_its_length() {
        let index_directory = tempfile::tempdir().unwrap();
        let is_whole = |id| is_whole_session_id(id, index_directory.path());
        assert!(is_whole("0b6c0f6e-5d2f-4b11-9c39-2f8d3b1c7a55"));
        assert!(!is_whole("0b6c0f6e"));
        let context = ContextId::new("0b6c0f6e", None).unwrap();
        let file = SessionStateFile::new(index_directory.path(), &context);
        file.record_injected(&["mem-1".to_owned()]).unwrap();
        assert!(is_whole("0b6c0f6e"));
    }

    /// There is no index yet.
    #[test]
    fn a_whole_id_names_a_session_that_is_not_indexed() {
        let directory = tempfile::tempdir().unwrap();
        let env = Env::with_home(directory.path());
        let home = Home::new(env, directory.path().join("index"));
        let find = |id| find_hook_session_id(id, &home).map_err(|error| error.to_string());
        let whole = "0b6c0f6e-5d2f-4b11-9c39-2f8d3b1c7a55";
        assert_eq!(find(whole).unwrap(), whole);
        let unknown = find("0b6c0f6e").unwrap_err();
        assert_eq!(unknown, "no session begins with `0b6c0f6e`");
    }

    #[test]
    fn a_subagent_is_named_by_its_session() {
        let mut session = SessionRow {
            uid: "a1".into(),
            source: "claude".into(),
            ..SessionRow::default()
        };
        assert_eq!(hook_session_id(&session), "a1");
        session.parent = Some("b2".into());
        assert_eq!(hook_session_id(&session), "b2");
    }
}
