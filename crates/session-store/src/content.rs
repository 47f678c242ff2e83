//! How bytes are compressed, and the numbers that identify texts.

use session_core::Turn;
use std::cell::RefCell;
use zstd::bulk::Compressor;

thread_local! {
    /// Kept, because to set its tables up takes as long as to compress a turn.
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
}

/// A third of the size; level 6 takes thrice the time for 5 % more.
const LEVEL: i32 = 3;

/// More than any content has: a frame that claims more is damaged.
const GREATEST: usize = 1 << 28;

/// Bytes as a zstd frame.
pub(crate) fn deflate(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    COMPRESSOR.with_borrow_mut(|made| match made {
        Some(compressor) => compressor.compress(bytes),
        None => made.insert(Compressor::new(LEVEL)?).compress(bytes),
    })
}

/// What [`deflate`] made. A damaged frame gives no bytes.
pub(crate) fn inflate(frame: &[u8]) -> Vec<u8> {
    let size = zstd::zstd_safe::get_frame_content_size(frame)
        .ok()
        .flatten();
    let size = size.and_then(|size| usize::try_from(size).ok());
    match size.filter(|size| *size <= GREATEST) {
        Some(size) => zstd::bulk::decompress(frame, size).unwrap_or_default(),
        None => Vec::new(),
    }
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
