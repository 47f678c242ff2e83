//! The note that a session goes on in another.

use crate::session_ids::SessionIds;
use crate::times::format_minute;
use session_store::SessionRow;

/// Formats that a session goes on in another one, and until when.
pub fn format_continuation(
    session: &SessionRow,
    continuation: &SessionRow,
    ids: &SessionIds<'_>,
) -> String {
    let (id, next) = (ids.short_id(session), ids.short_id(continuation));
    let end = format_minute(continuation.ended_ms);
    format!("{next} repeats all turns of {id} and goes on from it, until {end}")
}
