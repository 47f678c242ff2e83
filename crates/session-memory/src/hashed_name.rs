//! File names of what is identified by a path or an id of any characters.

/// The characters of a name: 128 bits of BLAKE3 in hex.
const NAME_CHARS: usize = 32;

/// Returns the file name, without extension, of what `bytes` identify.
pub(crate) fn hash_name(bytes: &[u8]) -> String {
    let mut name = blake3::hash(bytes).to_hex().to_string();
    name.truncate(NAME_CHARS);
    name
}

/// Returns true for a name that [`hash_name`] may have returned.
pub(crate) fn is_hashed_name(name: &str) -> bool {
    name.len() == NAME_CHARS && name.bytes().all(|b| b.is_ascii_hexdigit())
}
