//! The parts of a text that a model reads, by the Unicode scripts of their characters.

use serde::Deserialize;
use std::borrow::Cow;
use unicode_script::{Script, UnicodeScript};

/// The Unicode scripts that a model reads. None named means all.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Vec<String>")]
pub struct Scripts(Vec<Script>);

/// The last character of the blocks that hold Latin letters and signs of no script alone.
const LATIN_EXTENDED_B: char = '\u{24F}';

/// Bytes that are looked at together.
const CHUNK_BYTES: usize = 64;

impl TryFrom<Vec<String>> for Scripts {
    type Error = String;

    fn try_from(names: Vec<String>) -> Result<Self, String> {
        let script = |name: &String| {
            let found = Script::from_full_name(name);
            found.ok_or_else(|| format!("`{name}` is no Unicode script; `Latin` is one"))
        };
        Ok(Self(names.iter().map(script).collect::<Result<_, _>>()?))
    }
}

impl Scripts {
    /// Returns the text with a space for each character of a script that the model does not read;
    /// nothing where no letter is left.
    pub fn blank_unreadable<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if self.0.is_empty() || self.reads_all(text) {
            return Cow::Borrowed(text);
        }
        let read = |c| if self.reads(c) { c } else { ' ' };
        let left: String = text.chars().map(read).collect();
        if left.contains(char::is_alphabetic) {
            Cow::Owned(left)
        } else {
            Cow::Borrowed("")
        }
    }

    /// Returns the share of a text's letters that the model reads, 0 to 1; 1 for a text without
    /// letters.
    #[expect(clippy::cast_precision_loss, reason = "letters of a query")]
    pub fn readable_letter_share(&self, text: &str) -> f32 {
        let letters: Vec<char> = text.chars().filter(|c| c.is_alphabetic()).collect();
        let read = letters.iter().filter(|c| self.reads(**c)).count();
        match letters.len() {
            0 => 1.0,
            all => read as f32 / all as f32,
        }
    }

    /// Returns true if the model reads all characters of a text, most of which are Latin.
    fn reads_all(&self, text: &str) -> bool {
        if !self.0.contains(&Script::Latin) {
            return text.chars().all(|c| self.reads(c));
        }
        let others = offsets_beyond_latin(text.as_bytes());
        let mut others = others.filter_map(|at| text.get(at..)?.chars().next());
        others.all(|c| self.reads(c))
    }

    /// Returns true for a character of a script that the model reads, and for one of no script
    /// alone: a digit, a sign, most punctuation.
    fn reads(&self, c: char) -> bool {
        if self.0.is_empty() || c <= LATIN_EXTENDED_B && self.0.contains(&Script::Latin) {
            return true;
        }
        // The long vowel mark of Katakana has no script of its own, but is used with two alone.
        let used_with = c.script_extension();
        let is_shared = used_with.is_common() || used_with.is_inherited();
        is_shared || self.0.iter().any(|s| used_with.contains_script(*s))
    }
}

/// Returns the offsets of the bytes that begin characters from U+0240 on.
fn offsets_beyond_latin(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let is_beyond = |byte: &u8| *byte >= 0xC9;
    // All bytes of a chunk, so that they are looked at together.
    let has_any = move |chunk: &[u8]| chunk.iter().fold(false, |any, byte| any | is_beyond(byte));
    let chunks = bytes.chunks(CHUNK_BYTES).zip((0..).step_by(CHUNK_BYTES));
    let chunks = chunks.filter(move |(chunk, _)| has_any(chunk));
    let offsets = chunks.flat_map(|(chunk, start)| chunk.iter().zip(start..));
    offsets
        .filter(move |(byte, _)| is_beyond(byte))
        .map(|(_, at)| at)
}
