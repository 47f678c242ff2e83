//! SQLite's varints, as FTS5 writes them into its tables.

/// Reads varints: 7 bits a byte, the greatest first, the ninth byte whole.
pub(crate) fn read_varints(mut bytes: &[u8]) -> impl Iterator<Item = u64> + '_ {
    std::iter::from_fn(move || read_varint(&mut bytes))
}

/// Takes a varint off the front; none where it is cut off.
pub(crate) fn read_varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for position in 0..9 {
        let byte = *bytes.split_off_first()?;
        if position == 8 {
            return Some(number << 8 | u64::from(byte));
        }
        number = number << 7 | u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            break;
        }
    }
    Some(number)
}

/// Returns the bytes that a number takes.
pub(crate) fn varint_bytes(number: u64) -> usize {
    let bits = (u64::BITS - number.leading_zeros()).max(1);
    bits.div_ceil(7).min(9) as usize
}

/// Appends a number.
pub(crate) fn push_varint(bytes: &mut Vec<u8>, number: u64) {
    if number < 0x80 {
        return bytes.push(number as u8);
    }
    let count = varint_bytes(number);
    if count == 9 {
        bytes.extend((1..9).rev().map(|n| (number >> (7 * n + 1)) as u8 | 0x80));
        bytes.push(number as u8);
        return;
    }
    bytes.extend((1..count).rev().map(|n| (number >> (7 * n)) as u8 | 0x80));
    bytes.push(number as u8 & 0x7f);
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

    #[test]
    fn what_is_written_is_read() {
        let edges = (0..64).flat_map(|bits| [(1 << bits) - 1, 1 << bits, u64::MAX >> bits]);
        for number in edges {
            let mut bytes = Vec::new();
            push_varint(&mut bytes, number);
            assert_eq!(bytes.len(), varint_bytes(number));
            assert_eq!(read_varint(&mut bytes.as_slice()), Some(number));
        }
    }
}
