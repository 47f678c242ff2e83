//! SHA-256 hashes of files.

use crate::FileProgress;
use fs_err::File;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::io::{Read, Result, Write};
use std::path::Path;

/// Bytes per read.
const BLOCK_BYTES: usize = 1 << 20;

/// Computes the SHA-256 of a file as 64 hexadecimal digits.
pub fn hash_file(path: &Path, progress: &dyn FileProgress) -> Result<String> {
    copy_and_hash(path, &mut std::io::sink(), progress)
}

/// Copies a file and returns the SHA-256 of the copied bytes as 64 hexadecimal digits.
pub fn copy_and_hash(
    from: &Path,
    to: &mut impl Write,
    progress: &dyn FileProgress,
) -> Result<String> {
    let mut from = File::open(from)?;
    let mut hasher = Sha256::new();
    let mut block = vec![0; BLOCK_BYTES];
    loop {
        let read = from.read(&mut block)?;
        let Some(chunk) = block.get(..read).filter(|chunk| !chunk.is_empty()) else {
            return Ok(to_hex(&hasher.finalize()));
        };
        hasher.update(chunk);
        to.write_all(chunk)?;
        progress.advance(read as u64);
    }
}

fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}
