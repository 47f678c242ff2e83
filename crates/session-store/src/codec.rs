//! Compresses bytes with zstd and hashes texts to 63-bit keys.

use std::cell::RefCell;
use zstd::bulk::Compressor;

thread_local! {
    /// One per thread, because setting up its tables takes as long as compressing a turn.
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
}

/// A third of the size; level 6 takes thrice the time for 5 % more.
const LEVEL: i32 = 3;

/// Most bytes that are decompressed: a frame that claims more is damaged.
const MAX_CONTENT_BYTES: usize = 1 << 28;

/// Compresses bytes to one zstd frame.
pub(crate) fn compress(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    COMPRESSOR.with_borrow_mut(|made| match made {
        Some(compressor) => compressor.compress(bytes),
        None => made.insert(Compressor::new(LEVEL)?).compress(bytes),
    })
}

/// Decompresses a frame of [`compress`]. Returns no bytes for a damaged frame.
pub(crate) fn decompress(frame: &[u8]) -> Vec<u8> {
    let size = zstd::zstd_safe::get_frame_content_size(frame)
        .ok()
        .flatten();
    let size = size.and_then(|size| usize::try_from(size).ok());
    match size.filter(|size| *size <= MAX_CONTENT_BYTES) {
        Some(size) => zstd::bulk::decompress(frame, size).unwrap_or_default(),
        None => Vec::new(),
    }
}

/// Returns 63 bits of a text's BLAKE3, a key for look-ups.
pub(crate) fn text_hash(text: &str) -> i64 {
    let bytes = blake3::hash(text.as_bytes());
    let first: [u8; 8] = std::array::from_fn(|i| bytes.as_bytes()[i]);
    i64::from_le_bytes(first) & i64::MAX
}
