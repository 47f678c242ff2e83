//! Arrays of the description, read when they are asked for.

use super::error;
use super::reader::Reader;
use crate::EmbedError;
use bytes::Bytes;

/// An array that was read over once, and so is whole.
#[derive(Debug, Clone)]
pub struct List {
    kind: u32,
    count: u64,
    bytes: Bytes,
}

impl List {
    pub fn new(kind: u32, count: u64, bytes: Bytes) -> Self {
        Self { kind, count, bytes }
    }

    /// Its strings.
    ///
    /// # Errors
    /// [`EmbedError::File`] when it has others than UTF-8.
    pub fn texts(&self) -> Result<Vec<&str>, EmbedError> {
        if self.kind != 8 {
            return Err(error("an array has others than strings"));
        }
        let mut reader = Reader::new(&self.bytes);
        let text = |_| {
            let text = str::from_utf8(reader.text()?);
            text.map_err(|_| error("an array has a string that is not UTF-8"))
        };
        (0..self.count).map(text).collect()
    }

    /// Its numbers.
    ///
    /// # Errors
    /// [`EmbedError::File`] when it has others.
    pub fn numbers(&self) -> Result<Vec<f64>, EmbedError> {
        let mut reader = Reader::new(&self.bytes);
        (0..self.count).map(|_| reader.scalar(self.kind)).collect()
    }
}
