//! Words of letters and digits, read 16 bytes at once.

/// Bytes that are looked at.
const HEAD_BYTES: usize = 16;

/// Returns true for an ASCII character that is no letter or digit.
pub fn is_separator(byte: &u8) -> bool {
    byte.is_ascii() && !byte.is_ascii_alphanumeric()
}

/// The first 16 bytes of the word that a text begins with: what stands before the first [separator](is_separator).
///
/// To go through a word byte by byte takes longer than to look up what it means: its end is a branch that
/// the CPU seldom predicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WordHead {
    /// Its length in bytes. A word whose head has [`WordHead::MAX_LEN`] bytes may go on.
    pub len: usize,
    /// Its bytes, the first lowest, and zeros. No other head has the same.
    pub bytes: u128,
}

impl WordHead {
    /// The greatest length.
    pub const MAX_LEN: usize = HEAD_BYTES;

    /// Reads the head of the word that a text begins with.
    #[inline]
    pub fn up_to_separator(text: &[u8]) -> Self {
        let head = HeadBytes::new(text);
        head.up_to(head.separators())
    }

    /// Returns the length of the whole word, with which `text` begins.
    #[inline]
    pub fn whole_len(self, text: &[u8]) -> usize {
        if self.len < Self::MAX_LEN {
            return self.len;
        }
        text.iter().position(is_separator).unwrap_or(text.len())
    }
}

/// The first bytes of a text, the first lowest; zeros where it is shorter.
#[derive(Clone, Copy)]
struct HeadBytes(u128);

impl HeadBytes {
    #[inline]
    fn new(text: &[u8]) -> Self {
        let mut head = [0; HEAD_BYTES];
        match text.first_chunk() {
            Some(whole) => head = *whole,
            None => head[..text.len()].copy_from_slice(text),
        }
        Self(u128::from_le_bytes(head))
    }

    /// Returns the highest bit of each byte that is a separator.
    #[inline]
    fn separators(self) -> u128 {
        // No sum reaches the next byte: each is of two numbers below 0x80.
        let low = self.0 & every(0x7f);
        let small = low | every(0x20);
        let letters = (small + every(0x80 - b'a')) & !(small + every(0x7f - b'z'));
        let digits = (low + every(0x80 - b'0')) & !(low + every(0x7f - b'9'));
        !(letters | digits | self.0) & every(0x80)
    }

    /// Returns the bytes before the first of these highest bits.
    #[inline]
    fn up_to(self, ends: u128) -> WordHead {
        let first = ends & ends.wrapping_neg();
        WordHead {
            len: (ends.trailing_zeros() / 8) as usize,
            bytes: self.0 & (first >> 7).wrapping_sub(1),
        }
    }
}

/// Returns a number of 16 times the same byte.
const fn every(byte: u8) -> u128 {
    u128::from_le_bytes([byte; HEAD_BYTES])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read_bytewise(text: &[u8], is_part: impl Fn(u8) -> bool) -> WordHead {
        let head = text.iter().take(HEAD_BYTES);
        let word: Vec<u8> = head.copied().take_while(|byte| is_part(*byte)).collect();
        let mut bytes = [0; HEAD_BYTES];
        bytes[..word.len()].copy_from_slice(&word);
        WordHead {
            len: word.len(),
            bytes: u128::from_le_bytes(bytes),
        }
    }

    proptest! {
        #[test]
        fn a_word_ends_before_the_first_other_byte(text in prop::collection::vec(prop_oneof![any::<u8>(), b'0'..b'z'], 0..20)) {
            let separated = read_bytewise(&text, |byte| byte.is_ascii_alphanumeric() || !byte.is_ascii());
            let head = WordHead::up_to_separator(&text);
            prop_assert_eq!(head, separated);
            let end = text.iter().position(is_separator).unwrap_or(text.len());
            prop_assert_eq!(head.whole_len(&text), end);
        }
    }

    #[test]
    fn every_byte_is_told() {
        for byte in 0..=u8::MAX {
            let text = [byte; 17];
            let is_joined = byte.is_ascii_alphanumeric() || !byte.is_ascii();
            let head = WordHead::up_to_separator(&text);
            assert_eq!(head.len == HEAD_BYTES, is_joined);
        }
    }
}
