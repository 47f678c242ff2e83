//! Keeps the frames that were decompressed last.

use crate::frames::codec::decompress;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Most bytes of frames that are kept, packed and decompressed.
const MAX_KEPT_BYTES: usize = 1 << 20;

/// The frames that were decompressed last: sessions that are read one after the other share frames, and a query reads
/// some turns twice. What is packed tells whether it is still the one in the database.
#[derive(Default)]
pub(crate) struct LastFrames(Mutex<VecDeque<UnpackedFrame>>);

struct UnpackedFrame {
    packed: Vec<u8>,
    raw: Arc<Vec<u8>>,
}

impl UnpackedFrame {
    fn bytes(&self) -> usize {
        self.packed.len() + self.raw.len()
    }
}

impl LastFrames {
    /// Returns a packed frame decompressed.
    pub(crate) fn decompress(&self, packed: &[u8]) -> Arc<Vec<u8>> {
        if let Some(known) = self.find(packed) {
            return known;
        }
        let raw = Arc::new(decompress(packed));
        self.keep(UnpackedFrame {
            packed: packed.to_vec(),
            raw: Arc::clone(&raw),
        });
        raw
    }

    fn find(&self, packed: &[u8]) -> Option<Arc<Vec<u8>>> {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = last.iter().rev().find(|frame| frame.packed == packed)?;
        Some(Arc::clone(&known.raw))
    }

    fn keep(&self, frame: UnpackedFrame) {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.push_back(frame);
        while last.iter().map(UnpackedFrame::bytes).sum::<usize>() > MAX_KEPT_BYTES {
            last.pop_front();
        }
    }
}
