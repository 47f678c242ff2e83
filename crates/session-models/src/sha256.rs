//! SHA-256 hashes of files.

use crate::FileProgress;
use fs_err::File;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::io::{ErrorKind, Read, Result, Write};
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
    copy_and_hash_stream(File::open(from)?, to, progress)
}

fn copy_and_hash_stream(
    mut from: impl Read,
    to: &mut impl Write,
    progress: &dyn FileProgress,
) -> Result<String> {
    let mut hasher = Sha256::new();
    let mut block = vec![0; BLOCK_BYTES];
    loop {
        let read = match from.read(&mut block) {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            read => read?,
        };
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

#[cfg(test)]
mod tests {
    use super::*;

    struct NoProgress;

    impl FileProgress for NoProgress {
        fn start_file(&self, _: &str, _: u64, _: u64) {}
        fn advance(&self, _: u64) {}
        fn note(&self, _: &str) {}
    }

    /// A stream whose every other read is interrupted by a signal.
    struct InterruptedStream {
        rest: &'static [u8],
        is_interrupted: bool,
    }

    impl Read for InterruptedStream {
        fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
            self.is_interrupted = !self.is_interrupted;
            if self.is_interrupted {
                Err(ErrorKind::Interrupted.into())
            } else {
                self.rest.read(buffer)
            }
        }
    }

    #[test]
    fn an_interrupted_read_is_tried_again() {
        let stream = InterruptedStream {
            rest: b"abc",
            is_interrupted: false,
        };
        let mut copied = Vec::new();
        let hash = copy_and_hash_stream(stream, &mut copied, &NoProgress).unwrap();
        assert_eq!(copied, b"abc");
        assert!(hash.starts_with("ba7816bf8f01cfea"), "{hash}");
    }
}
