//! The 32 bytes that open the crate's binary files, all little endian:
//!
//! | bytes | what |
//! | --- | --- |
//! | 0..8 | magic, which names the kind of file |
//! | 8..12 | version of that format, `u32` |
//! | 12..24 | three sizes, `u32` each; what they count is the format's matter |
//! | 24..32 | the first 8 bytes of the BLAKE3 hash of all that follows |
//!
//! Opening a file looks at nothing but its header and length, so that a file
//! inside the binary costs no page faults. The checksum is for tests and for
//! files that came from elsewhere.

use crate::EmbedError;

pub(crate) const LEN: usize = 32;
const CHECKSUM_AT: usize = 24;

/// A kind of file.
pub(crate) struct FileFormat {
    pub name: &'static str,
    pub magic: &'static [u8; 8],
    pub version: u32,
}

impl FileFormat {
    /// Formats a whole file: header and body.
    pub(crate) fn write(&self, sizes: [u32; 3], body: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(LEN + body.len());
        bytes.extend_from_slice(self.magic);
        bytes.extend_from_slice(&self.version.to_le_bytes());
        sizes
            .iter()
            .for_each(|size| bytes.extend_from_slice(&size.to_le_bytes()));
        bytes.extend_from_slice(&checksum(body));
        bytes.extend_from_slice(body);
        bytes
    }

    /// Reads the three sizes from a file of this kind and version.
    pub(crate) fn read(&self, bytes: &[u8]) -> Result<[usize; 3], EmbedError> {
        if bytes.len() < LEN || !bytes.starts_with(self.magic) {
            return Err(self.error("it does not start as such a file does"));
        }
        if u32_at(bytes, 2) != Some(self.version) {
            return Err(self.error("its format has another version"));
        }
        Ok([3, 4, 5].map(|at| u32_at(bytes, at).unwrap_or_default() as usize))
    }

    /// Reads the whole file and compares its checksum.
    pub(crate) fn verify(&self, bytes: &[u8]) -> Result<(), EmbedError> {
        match (bytes.get(CHECKSUM_AT..LEN), bytes.get(LEN..)) {
            (Some(stored), Some(body)) if stored == checksum(body) => Ok(()),
            _ => Err(self.error("its content does not match its checksum")),
        }
    }

    pub(crate) fn error(&self, reason: &'static str) -> EmbedError {
        EmbedError::File {
            file: self.name,
            reason,
        }
    }
}

/// Returns the `index`th little-endian `u32` of `bytes`.
pub(crate) fn u32_at(bytes: &[u8], index: usize) -> Option<u32> {
    let four = bytes.get(index.checked_mul(4)?..)?.first_chunk()?;
    Some(u32::from_le_bytes(*four))
}

fn checksum(body: &[u8]) -> [u8; 8] {
    let mut first = [0; 8];
    first.copy_from_slice(&blake3::hash(body).as_bytes()[..8]);
    first
}
