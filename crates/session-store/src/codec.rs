//! Compresses bytes with zstd and hashes texts to 63-bit keys.

use std::cell::RefCell;
use std::io::Result;
use zstd::bulk::{Compressor, Decompressor};

thread_local! {
    /// One per thread, because setting up its tables takes as long as compressing a turn.
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    /// One per thread, because fresh memory costs as much as decompressing into it.
    static DECOMPRESSOR: RefCell<Option<FrameDecompressor>> = const { RefCell::new(None) };
}

/// A third of the size; level 6 takes thrice the time for 5 % more.
const LEVEL: i32 = 3;

/// Most bytes that are decompressed: a frame that claims more is damaged.
const MAX_CONTENT_BYTES: usize = 1 << 28;

/// Most bytes of memory that a thread keeps for the next frame.
const MAX_KEPT_BYTES: usize = 1 << 20;

/// Compresses bytes to one zstd frame.
pub(crate) fn compress(bytes: &[u8]) -> Result<Vec<u8>> {
    COMPRESSOR.with_borrow_mut(|made| match made {
        Some(compressor) => compressor.compress(bytes),
        None => made.insert(Compressor::new(LEVEL)?).compress(bytes),
    })
}

/// Decompresses a frame of [`compress`]. Returns no bytes for a damaged frame.
pub(crate) fn decompress(frame: &[u8]) -> Vec<u8> {
    with_decompressed(frame, <[u8]>::to_vec)
}

/// Decompresses a frame of [`compress`] for `read`: to no bytes where it is damaged.
pub(crate) fn with_decompressed<T>(frame: &[u8], read: impl FnOnce(&[u8]) -> T) -> T {
    DECOMPRESSOR.with_borrow_mut(|made| {
        if made.is_none() {
            *made = FrameDecompressor::new().ok();
        }
        let Some(decompressor) = made else {
            return read(&[]);
        };
        let result = read(decompressor.decompress(frame));
        decompressor.release_large();
        result
    })
}

struct FrameDecompressor {
    decompressor: Decompressor<'static>,
    raw: Vec<u8>,
}

impl FrameDecompressor {
    fn new() -> Result<Self> {
        Ok(Self {
            decompressor: Decompressor::new()?,
            raw: Vec::new(),
        })
    }

    fn decompress(&mut self, frame: &[u8]) -> &[u8] {
        self.raw.clear();
        self.raw.reserve(claimed_bytes(frame));
        if self
            .decompressor
            .decompress_to_buffer(frame, &mut self.raw)
            .is_err()
        {
            self.raw.clear();
        }
        &self.raw
    }

    /// Gives the memory of a large frame back.
    fn release_large(&mut self) {
        self.raw.clear();
        self.raw.shrink_to(MAX_KEPT_BYTES);
    }
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

/// Returns 63 bits of a text's BLAKE3, a key for look-ups.
pub(crate) fn text_hash(text: &str) -> i64 {
    let bytes = blake3::hash(text.as_bytes());
    let first: [u8; 8] = std::array::from_fn(|i| bytes.as_bytes()[i]);
    i64::from_le_bytes(first) & i64::MAX
}
