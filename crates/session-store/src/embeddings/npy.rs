//! The `.npy` format, version 1.0, for structured arrays of a scale and 8-bit components.
//!
//! Reference: NEP 1, "A Simple File Format for NumPy Arrays". The header is
//! padded to 128 bytes whatever the number of rows, so that the count can be
//! rewritten in place.

use crate::embeddings::quantized_row;

/// Bytes before the data.
const HEADER_BYTES: usize = 128;

const MAGIC: &[u8; 8] = b"\x93NUMPY\x01\x00";

/// Returns the type of a row as NumPy writes it.
fn row_type(dims: usize) -> String {
    format!("[('scale', '<f4'), ('components', '|i1', ({dims},))]")
}

/// Returns the header of an array of `rows` quantized vectors of `dims` components.
pub(crate) fn header(rows: u64, dims: usize) -> [u8; HEADER_BYTES] {
    let descr = row_type(dims);
    let text = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': ({rows},), }}");
    let mut out = [b' '; HEADER_BYTES];
    out[..8].copy_from_slice(MAGIC);
    out[8..10].copy_from_slice(&118u16.to_le_bytes());
    out[10..10 + text.len()].copy_from_slice(text.as_bytes());
    out[HEADER_BYTES - 1] = b'\n';
    out
}

/// Returns true when `bytes` begin with a header of ours for rows of `dims`.
pub(crate) fn is_header(bytes: &[u8], dims: usize) -> bool {
    let text = String::from_utf8_lossy(bytes.get(10..HEADER_BYTES).unwrap_or_default());
    bytes.starts_with(MAGIC) && text.contains(&row_type(dims))
}

/// Returns where a row lies in the file.
pub(crate) fn row_offset(row: u64, dims: usize) -> u64 {
    HEADER_BYTES as u64 + row * quantized_row::row_bytes(dims) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_have_one_length() {
        for rows in [0, 7, 1 << 40] {
            let header = header(rows, 1024);
            assert_eq!(header.len() % 64, 0);
            assert!(is_header(&header, 1024) && !is_header(&header, 256));
        }
        assert!(!is_header(b"", 1) && !is_header(&[0; 200], 1));
    }
}
