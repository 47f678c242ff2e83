//! The items of the records of what was forgotten, one kind each: texts that are hashed.

/// Returns the item of a session by its agent and id.
pub(crate) fn session_item(source: &str, id: &str) -> String {
    format!("session {source} {id}")
}

/// Returns the item of a history file.
pub(crate) fn file_item(path: &str) -> String {
    format!("file {path}")
}

/// Returns the item of a turn by its position and its start: another turn may come to stand there.
pub(crate) fn turn_item(session: &str, index: u32, started_ms: Option<i64>) -> String {
    match started_ms {
        Some(started) => format!("turn {session} {index} {started}"),
        None => format!("turn {session} {index}"),
    }
}

/// Returns the item of a turn by its position and its prompt: where an agent notes no times, a start is the last
/// change of the file.
pub(crate) fn turn_prompt_item(session: &str, index: u32, prompt: &str) -> String {
    format!("place {session} {index} {}", prompt.trim())
}

/// Returns the item of the position of a turn that the records hold by its prompt.
pub(crate) fn position_item(session: &str, index: u32) -> String {
    format!("place {session} {index}")
}

/// Returns the item of a turn by its time and prompt.
pub(crate) fn prompt_time_item(key: i64) -> String {
    format!("time {key}")
}

/// Returns the item of a turn by its origin; with [`copy_item`] it is sure.
pub(crate) fn origin_item(key: i64) -> String {
    format!("origin {key}")
}

/// Returns the item of a turn by its origin and prompt.
pub(crate) fn copy_item(origin: i64, prompt: &str) -> String {
    format!("copy {origin} {}", prompt.trim())
}

/// Returns the item of a title that was given to a session, of whichever session.
pub(crate) fn title_item(title: &str) -> String {
    format!("title {}", title.trim())
}

/// Returns the item of a prompt of a history of prompts, at whichever time.
pub(crate) fn prompt_item(prompt: &str) -> String {
    format!("prompt {}", prompt.trim())
}

/// Returns the item of the [key](session_core::paste::unmarked_paste_key) of a prompt with pastes, within minutes of its turn:
/// a history of prompts has the pastes at other positions.
pub(crate) fn paste_key_item(key: &str, period: i64) -> String {
    format!("pastes at {period} {key}")
}

/// Returns the item of a prompt of a history of prompts, which notes it within minutes of its turn.
pub(crate) fn prompt_period_item(prompt: &str, period: i64) -> String {
    format!("prompt at {period} {}", prompt.trim())
}
