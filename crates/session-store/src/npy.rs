//! The `.npy` format, version 1.0, for two-dimensional `<f2` arrays in C order.
//!
//! Reference: NEP 1, "A Simple File Format for NumPy Arrays". The header is
//! padded to 128 bytes whatever the number of rows, so that the count can be
//! rewritten in place, and the data that follows is aligned to 64 bytes.

/// Bytes before the data.
pub(crate) const HEADER_BYTES: usize = 128;

const MAGIC: &[u8; 8] = b"\x93NUMPY\x01\x00";

/// The header of an array of `rows` × `dims` half floats.
pub(crate) fn header(rows: u64, dims: usize) -> [u8; HEADER_BYTES] {
    let text = format!("{{'descr': '<f2', 'fortran_order': False, 'shape': ({rows}, {dims}), }}");
    let mut out = [b' '; HEADER_BYTES];
    out[..8].copy_from_slice(MAGIC);
    out[8..10].copy_from_slice(&118u16.to_le_bytes());
    out[10..10 + text.len()].copy_from_slice(text.as_bytes());
    out[HEADER_BYTES - 1] = b'\n';
    out
}

/// True when `bytes` begin with a header of ours for rows of `dims`.
pub(crate) fn is_header(bytes: &[u8], dims: usize) -> bool {
    let text = String::from_utf8_lossy(bytes.get(10..HEADER_BYTES).unwrap_or_default());
    bytes.starts_with(MAGIC) && text.contains("'<f2'") && text.contains(&format!(", {dims}), }}"))
}

/// Bytes of one row.
pub(crate) fn row_bytes(dims: usize) -> u64 {
    dims as u64 * 2
}

/// Where a row lies in the file.
pub(crate) fn row_offset(row: u64, dims: usize) -> u64 {
    HEADER_BYTES as u64 + row * row_bytes(dims)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_have_one_length() {
        for rows in [0, 7, u64::MAX] {
            let header = header(rows, 1024);
            assert_eq!(header.len() % 64, 0);
            assert!(is_header(&header, 1024) && !is_header(&header, 256));
        }
        assert!(!is_header(b"", 1) && !is_header(&[0; 200], 1));
    }
}
