//! Compresses bytes with zstd.

use std::cell::{Cell, RefCell};
use std::io::Result;
use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::CParameter;

thread_local! {
    /// One per thread, because setting up its tables takes as long as compressing a turn.
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
    /// Memory for the next frame, because fresh memory costs as much as decompressing into it.
    static MEMORY: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// A third of the size; level 6 takes thrice the time for 5 % more.
const LEVEL: i32 = 3;

/// Most bytes that are decompressed: a frame that claims more is damaged.
const MAX_CONTENT_BYTES: usize = 1 << 28;

/// Most bytes of memory that a thread keeps for the next frame.
const MAX_KEPT_BYTES: usize = 1 << 20;

/// Compresses bytes to one zstd frame with a checksum, which a damaged one does not match.
pub(crate) fn compress(bytes: &[u8]) -> Result<Vec<u8>> {
    COMPRESSOR.with_borrow_mut(|made| match made {
        Some(compressor) => compressor.compress(bytes),
        None => made.insert(new_compressor()?).compress(bytes),
    })
}

fn new_compressor() -> Result<Compressor<'static>> {
    let mut compressor = Compressor::new(LEVEL)?;
    compressor.set_parameter(CParameter::ChecksumFlag(true))?;
    Ok(compressor)
}

/// Decompresses a frame of [`compress`]. Returns no bytes for a damaged frame.
pub(crate) fn decompress(frame: &[u8]) -> Vec<u8> {
    let mut raw = Vec::new();
    decompress_into(frame, &mut raw);
    raw
}

/// Decompresses a frame of [`compress`] for `read`: to no bytes where it is damaged.
pub(crate) fn with_decompressed<T>(frame: &[u8], read: impl FnOnce(&[u8]) -> T) -> T {
    let mut raw = MEMORY.take();
    decompress_into(frame, &mut raw);
    let result = read(&raw);
    raw.clear();
    raw.shrink_to(MAX_KEPT_BYTES);
    MEMORY.set(raw);
    result
}

fn decompress_into(frame: &[u8], raw: &mut Vec<u8>) {
    raw.clear();
    raw.reserve_exact(claimed_bytes(frame));
    DECOMPRESSOR.with_borrow_mut(|made| {
        if made.is_none() {
            *made = Decompressor::new().ok();
        }
        let decompressed = made
            .as_mut()
            .map(|made| made.decompress_to_buffer(frame, raw));
        if !matches!(decompressed, Some(Ok(_))) {
            raw.clear();
        }
    });
}

/// Returns the bytes that a frame claims to hold, 0 where it claims none or too many.
fn claimed_bytes(frame: &[u8]) -> usize {
    let claimed = zstd::zstd_safe::get_frame_content_size(frame);
    let claimed = claimed.ok().flatten().unwrap_or_default();
    let possible = usize::try_from(claimed).ok();
    possible
        .filter(|bytes| *bytes <= MAX_CONTENT_BYTES)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_with_any_flipped_bit_has_no_bytes() {
        let text = b"The lantern is lit at dusk, and put out at dawn.".repeat(3);
        let frame = compress(&text).unwrap();
        assert_eq!(decompress(&frame), text);
        for bit in 0..frame.len() * 8 {
            let mut damaged = frame.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            let read = decompress(&damaged);
            assert!(read.is_empty() || read == text, "bit {bit}");
        }
    }
}
