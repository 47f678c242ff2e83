//! Hashes texts to keys, by BLAKE3.

/// Returns 63 bits of a text's BLAKE3, a key for look-ups.
pub(crate) fn text_hash(text: &str) -> i64 {
    short_hash(&blake3::hash(text.as_bytes())).cast_signed() & i64::MAX
}

/// Returns the first 64 bits of a hash, the lowest byte first.
pub(crate) fn short_hash(hash: &blake3::Hash) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|i| hash.as_bytes()[i]))
}
