//! Cuts the long strings of a JSON line while it streams by.

/// Bytes kept of one string.
const STRING_LIMIT: usize = 64 * 1024;
/// Longest part of a word that a cut takes back, in bytes.
const WORD_BYTES: usize = 512;
/// Longest line after the cuts.
const LINE_LIMIT: usize = 8 * 1024 * 1024;

/// Copies a JSON line byte by byte, but of each string only the first 64 KiB
/// and how much was left out.
#[derive(Debug, Default)]
pub(super) struct Elider {
    out: Vec<u8>,
    state: ElideState,
    /// Bytes kept and left out of the string at hand.
    kept: usize,
    left_out: usize,
    /// The unit before this one is the first half of a surrogate pair.
    after_high: bool,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum ElideState {
    #[default]
    Outside,
    Inside,
    /// After a backslash.
    Escape,
    /// In `\uXXXX`, so many digits to come; true while it may be `\uD8..` to
    /// `\uDB..`.
    Digits(u8, bool),
}

impl Elider {
    pub(super) fn clear(&mut self) {
        let mut out = std::mem::take(&mut self.out);
        out.clear();
        *self = Self {
            out,
            ..Self::default()
        };
    }

    /// Returns true if nothing of the line has come.
    pub(super) fn is_empty(&self) -> bool {
        self.out.is_empty()
    }

    /// Returns the line, unless it is too long even so.
    pub(super) fn line(&self) -> Option<&[u8]> {
        (self.out.len() <= LINE_LIMIT).then_some(&self.out)
    }

    pub(super) fn push(&mut self, byte: u8) {
        if self.out.len() > LINE_LIMIT {
            return;
        }
        match self.state {
            ElideState::Outside => self.scan_outside(byte),
            ElideState::Inside => self.scan_string(byte),
            ElideState::Escape => self.escape(byte),
            ElideState::Digits(left, high) => self.scan_digit(byte, left, high),
        }
    }

    fn scan_outside(&mut self, byte: u8) {
        self.out.push(byte);
        if byte == b'"' {
            (self.state, self.kept, self.left_out) = (ElideState::Inside, 0, 0);
        }
    }

    fn scan_string(&mut self, byte: u8) {
        match byte {
            b'"' => return self.end_string(),
            b'\\' => self.state = ElideState::Escape,
            _ => {}
        }
        let starts_unit = byte & 0xC0 != 0x80 && !self.after_high;
        let full = self.left_out > 0 || (starts_unit && self.kept >= STRING_LIMIT);
        if byte != b'\\' {
            self.after_high = false;
        }
        self.push_or_count(byte, full);
    }

    fn escape(&mut self, byte: u8) {
        self.state = if byte == b'u' {
            ElideState::Digits(4, true)
        } else {
            ElideState::Inside
        };
        self.after_high = false;
        self.push_or_count(byte, self.left_out > 0);
    }

    fn scan_digit(&mut self, byte: u8, left: u8, high: bool) {
        let high = high
            && match left {
                4 => matches!(byte, b'd' | b'D'),
                3 => matches!(byte, b'8' | b'9' | b'a'..=b'b' | b'A'..=b'B'),
                _ => true,
            };
        self.after_high = left == 1 && high;
        self.state = if left == 1 {
            ElideState::Inside
        } else {
            ElideState::Digits(left - 1, high)
        };
        self.push_or_count(byte, self.left_out > 0);
    }

    fn push_or_count(&mut self, byte: u8, leave_out: bool) {
        if leave_out {
            self.left_out += 1;
        } else {
            self.kept += 1;
            self.out.push(byte);
        }
    }

    fn end_string(&mut self) {
        if self.left_out > 0 {
            self.remove_last_word();
            let note = format!(" … {} bytes left out", self.left_out);
            self.out.extend_from_slice(note.as_bytes());
        }
        self.out.push(b'"');
        self.state = ElideState::Outside;
        self.after_high = false;
    }
}

impl Elider {
    /// Removes the part of a word at the cut: a part of a key would no longer be known as one.
    fn remove_last_word(&mut self) {
        let tail = self.out.len() - self.kept.min(WORD_BYTES);
        if let Some(at) = self.out[tail..].iter().rposition(|byte| *byte == b' ') {
            self.out.truncate(tail + at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Elider, STRING_LIMIT};
    use proptest::prelude::*;

    fn elided(json: &str) -> String {
        let mut elider = Elider::default();
        json.bytes().for_each(|byte| elider.push(byte));
        String::from_utf8(elider.line().unwrap().to_vec()).unwrap()
    }

    #[test]
    fn short_strings_pass() {
        let json = r#"{"a\"b":["\\","\ud83d\ude00",1,null,"ü"]}"#;
        assert_eq!(elided(json), json);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        /// Wherever the cut falls, what is left is valid JSON and a prefix.
        #[test]
        fn cuts_leave_valid_json(
            lead in 0usize..16,
            unit in prop::sample::select(vec!["a", "ü", "😀", r"\n", r"\u00fc", r"\ud83d\ude00", r"\\", r#"\""#]),
        ) {
            let body = format!("{}{}", "a".repeat(lead), unit.repeat(STRING_LIMIT / unit.len() + 20));
            let json = format!(r#"["{body}","z"]"#);
            let read: Vec<String> = serde_json::from_str(&elided(&json)).unwrap();
            let whole: Vec<String> = serde_json::from_str(&json).unwrap();
            let (kept, note) = read[0].split_once(" … ").unwrap();
            prop_assert!(whole[0].starts_with(kept));
            prop_assert!(note.ends_with(" bytes left out"));
            prop_assert_eq!(&read[1], "z");
        }
    }
}
