//! Sessions in an index, for tests.

use session_core::{KnownTurns, SessionMeta, Turn, TurnSpan};
use session_store::{SessionId, Writer};

/// Inserts a session, whose history has its id as its path.
pub(crate) fn insert(writer: &mut Writer, meta: &SessionMeta, turns: &[Turn]) -> SessionId {
    let source = "pi";
    let file = writer.upsert_file(source, &meta.id).unwrap();
    let session = writer.open_session(file, source, meta, KnownTurns::Replace);
    let session = session.unwrap();
    for turn in turns {
        writer.add_turn(session, turn).unwrap();
    }
    session
}

/// Describes a session with a title.
pub(crate) fn titled(uid: &str, title: &str) -> SessionMeta {
    SessionMeta {
        id: uid.into(),
        title: Some(title.into()),
        ..SessionMeta::default()
    }
}

/// Returns a turn without a time.
pub(crate) fn turn(index: u32, prompt: &str) -> Turn {
    Turn {
        index,
        prompt: prompt.into(),
        span: TurnSpan { start: 0, end: 9 },
        ..Turn::default()
    }
}
