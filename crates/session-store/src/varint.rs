//! SQLite's varints, as FTS5 writes them into its tables.

/// Reads varints: 7 bits a byte, the greatest first, the ninth byte whole.
pub(crate) fn read_varints(mut bytes: &[u8]) -> impl Iterator<Item = u64> + '_ {
    std::iter::from_fn(move || {
        let mut number = 0;
        for position in 0..9 {
            let (byte, rest) = bytes.split_first()?;
            bytes = rest;
            if position == 8 {
                return Some(number << 8 | u64::from(*byte));
            }
            number = number << 7 | u64::from(byte & 0x7f);
            if byte & 0x80 == 0 {
                break;
            }
        }
        Some(number)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_varint_has_seven_bits_a_byte_and_at_most_nine_bytes() {
        let bytes = [
            0x05, 0x81, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
        ];
        let read: Vec<u64> = read_varints(&bytes).collect();
        assert_eq!(read, [5, 128, u64::MAX]);
        assert_eq!(read_varints(&[0x81]).count(), 0, "cut off");
    }
}
