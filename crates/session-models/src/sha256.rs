//! SHA-256 hashes of files.

use crate::FileProgress;
use fs_err::File;
use sha2::{Digest, Sha256};
use std::io::{self, BufReader, Write};
use std::path::Path;

/// Bytes per read.
const BLOCK_BYTES: usize = 1 << 20;

/// Computes the SHA-256 of a file as 64 hexadecimal digits.
pub(crate) fn hash_file(path: &Path, progress: &dyn FileProgress) -> io::Result<String> {
    copy_and_hash(path, &mut io::sink(), progress)
}

/// Copies a file and returns the SHA-256 of the copied bytes as 64 hexadecimal digits.
pub(crate) fn copy_and_hash(
    from: &Path,
    to: &mut impl Write,
    progress: &dyn FileProgress,
) -> io::Result<String> {
    let mut writer = HashingWriter {
        to,
        hasher: Sha256::new(),
        progress,
    };
    let mut from = BufReader::with_capacity(BLOCK_BYTES, File::open(from)?);
    io::copy(&mut from, &mut writer)?;
    Ok(format!("{:x}", writer.hasher.finalize()))
}

/// A writer that hashes what it passes on, and advances the progress by it.
struct HashingWriter<'a, W> {
    to: &'a mut W,
    hasher: Sha256,
    progress: &'a dyn FileProgress,
}

impl<W: Write> Write for HashingWriter<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        self.progress.advance(written as u64);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}
