//! SHA-256 of files.

use crate::Progress;
use fs_err::File;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::io::{Read, Result, Write};
use std::path::Path;

/// Bytes read at once.
const BLOCK: usize = 1 << 20;

/// The digest of a file as 64 hexadecimal digits.
pub fn of_file(path: &Path, progress: &dyn Progress) -> Result<String> {
    copy(path, &mut std::io::sink(), progress)
}

/// Copies a file and gives the digest of what was copied.
pub fn copy(from: &Path, to: &mut impl Write, progress: &dyn Progress) -> Result<String> {
    let mut from = File::open(from)?;
    let mut hash = Sha256::new();
    let mut block = vec![0; BLOCK];
    loop {
        let read = from.read(&mut block)?;
        let Some(part) = block.get(..read).filter(|part| !part.is_empty()) else {
            return Ok(hex(&hash.finalize()));
        };
        hash.update(part);
        to.write_all(part)?;
        progress.advance(read as u64);
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}
