//! How a turn's content lies in the database, and the numbers that identify it.

use session_core::{Turn, TurnContent};

/// About 40 % of the size; higher levels take twice the time for 5 % more.
const LEVEL: i32 = 1;

/// Content as a zstd frame of its JSON.
pub(crate) fn pack(content: &TurnContent) -> std::io::Result<Vec<u8>> {
    zstd::bulk::compress(&serde_json::to_vec(content)?, LEVEL)
}

/// What [`pack`] made. A damaged blob gives an empty content: it costs itself.
pub(crate) fn unpack(blob: &[u8]) -> TurnContent {
    zstd::stream::decode_all(blob)
        .ok()
        .and_then(|json| serde_json::from_slice(&json).ok())
        .unwrap_or_default()
}

/// A text as a number, for look-ups: 63 bits of its BLAKE3.
pub(crate) fn hash(text: &str) -> i64 {
    let bytes = blake3::hash(text.as_bytes());
    let first: [u8; 8] = std::array::from_fn(|i| bytes.as_bytes()[i]);
    i64::from_le_bytes(first) & i64::MAX
}

/// The number of a prompt and its time: the same in every copy of a history,
/// also where copies have new ids.
pub(crate) fn moment(turn: &Turn) -> Option<i64> {
    let at = turn.started_ms?;
    Some(hash(&format!("{at}\n{}", turn.prompt)))
}
