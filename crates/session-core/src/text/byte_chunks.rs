//! Vectorized scans for a byte, or a pair of bytes, 64 bytes at a time.

/// Bytes in a chunk.
const CHUNK_BYTES: usize = 64;

/// Returns true if the test is true of a byte.
#[inline]
pub(super) fn any_byte(bytes: &[u8], test: impl Fn(u8) -> bool) -> bool {
    let mut chunks = bytes.chunks(CHUNK_BYTES);
    chunks.any(|chunk| any(chunk.iter().map(|byte| test(*byte))))
}

/// Returns the offset of the first byte of which the test is true.
#[inline]
pub(super) fn position_of_byte(bytes: &[u8], test: impl Fn(u8) -> bool) -> Option<usize> {
    let mut chunks = bytes.chunks(CHUNK_BYTES);
    let chunk = chunks.position(|chunk| any(chunk.iter().map(|byte| test(*byte))))?;
    let start = chunk * CHUNK_BYTES;
    let mut rest = bytes[start..].iter();
    Some(start + rest.position(|byte| test(*byte))?)
}

/// Returns the offset of the first byte that forms with the next one a pair of which the test is true.
#[inline]
pub(super) fn position_of_pair(bytes: &[u8], test: impl Fn(u8, u8) -> bool) -> Option<usize> {
    let next = bytes.get(1..)?;
    let mut chunks = bytes.chunks(CHUNK_BYTES).zip(next.chunks(CHUNK_BYTES));
    let test_pair = |(byte, next): (&u8, &u8)| test(*byte, *next);
    let chunk = chunks.position(|(bytes, next)| any(bytes.iter().zip(next).map(test_pair)))?;
    let start = chunk * CHUNK_BYTES;
    let mut rest = bytes[start..].iter().zip(&next[start..]);
    Some(start + rest.position(test_pair)?)
}

/// Returns true if one of the results is. No early exit within a chunk, so that LLVM vectorizes the loop.
#[inline]
fn any(results: impl Iterator<Item = bool>) -> bool {
    results.fold(false, |any, result| any | result)
}
