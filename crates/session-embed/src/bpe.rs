//! Byte-level BPE, Qwen's tokenizer: text to token ids, as the `tokenizers`
//! crate does it, and built in a tenth of the time, which counts in a query
//! that opens the model.
//!
//! A text is divided at added tokens (`<|endoftext|>`), composed (NFC), divided
//! into [words](words); a word's bytes are tokens, of which neighbours are
//! merged by the order of the list of merges.

mod gguf;
mod json;
mod merge;
mod words;

use crate::EmbedError;
use aho_corasick::{AhoCorasick, MatchKind};
use merge::Merger;
use std::borrow::Cow;
use std::collections::HashMap;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};
use words::split_words;

/// The merges by the pair of ids that they merge.
type MergeTable = HashMap<(u32, u32), MergeRule>;

/// A merge of two tokens.
#[derive(Debug, Clone, Copy)]
struct MergeRule {
    /// The index in the list of merges.
    rank: u32,
    /// The id of the merged token.
    merged: u32,
}

/// A tokenizer.
#[derive(Debug, Clone)]
pub struct Bpe {
    /// The id of each byte.
    bytes: [u32; 256],
    merges: MergeTable,
    added: AhoCorasick,
    /// The id of each pattern.
    added_ids: Vec<u32>,
    /// The greatest id, plus one.
    len: usize,
    end: u32,
}

/// The parts that a tokenizer is built from. Tokens are written as BPE's files write
/// them, a character a byte.
struct BpeParts<'a> {
    vocabulary: HashMap<Cow<'a, str>, u32>,
    merges: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    /// Tokens that are found in texts as they are.
    added: Vec<(Cow<'a, str>, u32)>,
}

/// The token that ends every text: its vector is the text's.
const END: &str = "<|endoftext|>";

impl Bpe {
    /// Appends the ids of a text, up to `limit`.
    pub fn encode(&self, text: &str, limit: usize, ids: &mut Vec<u32>) {
        let mut merger = Merger::default();
        let most = ids.len() + limit;
        let mut from = 0;
        for found in self.added.find_iter(text) {
            self.encode_plain(&text[from..found.start()], most, &mut merger, ids);
            ids.push(self.added_ids[found.pattern()]);
            from = found.end();
            if ids.len() >= most {
                break;
            }
        }
        self.encode_plain(&text[from..], most, &mut merger, ids);
        ids.truncate(most);
    }

    /// Returns the id of the token that ends a text.
    pub fn end_id(&self) -> u32 {
        self.end
    }

    /// Returns the number of ids: the greatest one plus one.
    #[expect(clippy::len_without_is_empty, reason = "no tokenizer is empty")]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Appends the ids of a part of a text between added tokens.
    fn encode_plain(&self, text: &str, most: usize, merger: &mut Merger, ids: &mut Vec<u32>) {
        let text = match is_nfc_quick(text.chars()) {
            IsNormalized::Yes => Cow::Borrowed(text),
            _ => Cow::Owned(text.nfc().collect()),
        };
        for word in split_words(&text) {
            if ids.len() >= most {
                return;
            }
            merger.merge(self, word, ids);
        }
    }

    fn build(parts: &BpeParts<'_>) -> Result<Self, EmbedError> {
        let id = |token: &str| parts.vocabulary.get(token).copied();
        let mut bytes = [0; 256];
        for (byte, to) in (0..=u8::MAX).zip(&mut bytes) {
            let token = byte_to_char(byte).to_string();
            *to = id(&token).ok_or(error("it has no token for a byte"))?;
        }
        let end = parts.added.iter().find(|(token, _)| token == END);
        let (_, end) = end.ok_or(error("it has no `<|endoftext|>`"))?;
        let ids = parts.vocabulary.values();
        let ids = ids.chain(parts.added.iter().map(|(_, id)| id));
        Ok(Self {
            bytes,
            merges: parts.build_merge_table()?,
            added: AhoCorasick::builder()
                .match_kind(MatchKind::LeftmostLongest)
                .build(parts.added.iter().map(|(token, _)| token.as_bytes()))
                .map_err(|_| error("its added tokens are too many"))?,
            added_ids: parts.added.iter().map(|(_, id)| *id).collect(),
            len: ids.max().map_or(0, |&id| id as usize + 1),
            end: *end,
        })
    }
}

impl BpeParts<'_> {
    fn build_merge_table(&self) -> Result<MergeTable, EmbedError> {
        let mut merges = HashMap::with_capacity(self.merges.len());
        let mut merged = String::new();
        for (rank, (left, right)) in (0..).zip(&self.merges) {
            merged.clear();
            merged.push_str(left);
            merged.push_str(right);
            let id = |token: &str| self.vocabulary.get(token).copied();
            let (Some(left), Some(right), Some(id)) = (id(left), id(right), id(&merged)) else {
                return Err(error("it merges tokens that it does not have"));
            };
            merges.insert((left, right), MergeRule { rank, merged: id });
        }
        Ok(merges)
    }
}

/// Splits a merge of two tokens with a space between them.
fn split_merge(merge: &str) -> Result<(Cow<'_, str>, Cow<'_, str>), EmbedError> {
    let (left, right) = merge
        .split_once(' ')
        .ok_or(error("a merge is not of two tokens"))?;
    Ok((left.into(), right.into()))
}

/// Returns the character by which BPE's files write a byte: printable characters of Latin-1 as they are,
/// the others, in their order, as those from U+0100 on.
fn byte_to_char(byte: u8) -> char {
    let is_plain = |byte: u8| matches!(byte, b'!'..=b'~' | 0xA1..=0xAC | 0xAE..);
    if is_plain(byte) {
        return char::from(byte);
    }
    let before = (0..byte).filter(|&byte| !is_plain(byte)).count() as u32;
    char::from_u32(0x100 + before).unwrap_or_default()
}

fn error(reason: &'static str) -> EmbedError {
    EmbedError::File {
        file: "tokenizer",
        reason,
    }
}
