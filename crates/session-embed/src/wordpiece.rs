//! BERT's uncased tokenizer: clean, split ideographs off, strip accents, lower
//! case, split at white space and punctuation, then WordPiece.
//!
//! Its ids are those of the reference implementation (the `tokenizers` crate
//! with the `tokenizer.json` of an uncased BERT), without `[CLS]` and `[SEP]`
//! around the text. A special token spelt out in a text, as `[SEP]`, is read
//! as that token, as the reference does.

use crate::EmbedError;
use crate::categories::{is_accent, is_dropped, is_ideograph, is_punctuation, is_space};
use crate::vocabulary::{PIECE_LIMIT, PieceHash, PiecePosition, TokenVocabulary};
use unicode_normalization::char::decompose_canonical;

/// Words of more characters are unknown.
const WORD_CHARS: usize = 100;

const UNKNOWN: &str = "[UNK]";
const SPECIAL: [&str; 5] = ["[PAD]", UNKNOWN, "[CLS]", "[SEP]", "[MASK]"];

/// The lower-case letter or digit of each byte that is an ASCII one, else 0.
const PLAIN: [u8; 256] = plain_table();

/// A tokenizer over a [`TokenVocabulary`].
#[derive(Debug, Clone)]
pub struct WordPiece {
    vocabulary: TokenVocabulary,
    unknown: u32,
    /// Ids of the words of one ASCII character, punctuation above all.
    ascii: [u32; 128],
}

impl WordPiece {
    /// Creates a tokenizer over `vocabulary`.
    ///
    /// # Errors
    /// [`EmbedError::File`] when the vocabulary has no `[UNK]`.
    pub fn new(vocabulary: TokenVocabulary) -> Result<Self, EmbedError> {
        let Some(unknown) = vocabulary.id(UNKNOWN) else {
            return Err(EmbedError::File {
                file: "vocabulary",
                reason: "it has no `[UNK]`",
            });
        };
        let word = |c: usize| vocabulary.id(std::str::from_utf8(&[c as u8]).unwrap_or_default());
        let ascii = std::array::from_fn(|c| word(c).unwrap_or(unknown));
        Ok(Self {
            vocabulary,
            unknown,
            ascii,
        })
    }

    /// Returns the tokens.
    pub fn vocabulary(&self) -> &TokenVocabulary {
        &self.vocabulary
    }

    /// Replaces `ids` by those of the first `limit` tokens of `text`.
    pub fn encode(&self, text: &str, limit: usize, ids: &mut Vec<u32>) {
        ids.clear();
        self.append(text, limit, ids);
        ids.truncate(limit);
    }

    /// Appends the tokens of `text`, at least those up to `limit` ids in all.
    pub(crate) fn append(&self, text: &str, limit: usize, ids: &mut Vec<u32>) {
        let mut encoding = WordPieceEncoder {
            wordpiece: self,
            word: WordBuffer::new(),
            ids,
        };
        let mut rest = encoding.push_plain(text);
        while let Some(c) = rest.chars().next() {
            rest = match encoding.push_special(rest) {
                Some(after) => after,
                None => {
                    encoding.push_raw(c);
                    rest.get(c.len_utf8()..).unwrap_or_default()
                }
            };
            if encoding.ids.len() >= limit {
                break;
            }
            rest = encoding.push_plain(rest);
        }
        encoding.end_word();
    }

    /// Returns the token of an ASCII character that is a word.
    #[inline]
    pub(crate) fn ascii_id(&self, byte: u8) -> u32 {
        let id = self.ascii.get(usize::from(byte));
        id.copied().unwrap_or(self.unknown)
    }

    /// Returns the special token that `text` begins with.
    #[inline]
    pub(crate) fn special_token(&self, text: &str) -> Option<&'static str> {
        if !text.starts_with('[') {
            return None;
        }
        SPECIAL.into_iter().find(|token| text.starts_with(token))
    }
}

const fn plain_table() -> [u8; 256] {
    let mut plain = [0; 256];
    let mut byte = 0;
    while byte < 128 {
        if (byte as u8).is_ascii_alphanumeric() {
            plain[byte] = (byte as u8).to_ascii_lowercase();
        }
        byte += 1;
    }
    plain
}

/// A word under way, normalized.
struct WordBuffer {
    bytes: [u8; WORD_CHARS * 4],
    len: usize,
    chars: usize,
    hash: PieceHash,
}

impl WordBuffer {
    const fn new() -> Self {
        Self {
            bytes: [0; WORD_CHARS * 4],
            len: 0,
            chars: 0,
            hash: PieceHash::new(PiecePosition::First),
        }
    }

    fn clear(&mut self) {
        (self.len, self.chars, self.hash) = (0, 0, PieceHash::new(PiecePosition::First));
    }

    /// Appends a character; those beyond the limit are only counted.
    #[inline]
    fn push(&mut self, c: char) {
        self.chars += 1;
        if self.chars <= WORD_CHARS {
            c.encode_utf8(&mut [0; 4])
                .bytes()
                .for_each(|byte| self.push_byte(byte));
        }
    }

    /// Appends the letters and digits that `text` begins with, and returns how many there were.
    #[inline]
    fn push_plain(&mut self, text: &[u8]) -> usize {
        let mut hash = self.hash;
        let mut taken = 0;
        let room = self.bytes.get_mut(self.len..).unwrap_or_default();
        for (to, &byte) in room.iter_mut().zip(text) {
            *to = PLAIN[usize::from(byte)];
            if *to == 0 {
                break;
            }
            hash = hash.with(*to);
            taken += 1;
        }
        self.hash = hash;
        self.len += taken;
        self.chars += taken;
        taken
    }

    #[inline]
    fn push_byte(&mut self, byte: u8) {
        if let Some(to) = self.bytes.get_mut(self.len) {
            *to = byte;
            self.len += 1;
            self.hash = self.hash.with(byte);
        }
    }
}

/// A text under way.
struct WordPieceEncoder<'a> {
    wordpiece: &'a WordPiece,
    word: WordBuffer,
    ids: &'a mut Vec<u32>,
}

impl WordPieceEncoder<'_> {
    /// Pushes the letters and digits that `text` begins with, and returns the rest.
    #[inline]
    fn push_plain<'t>(&mut self, text: &'t str) -> &'t str {
        let taken = self.word.push_plain(text.as_bytes());
        text.get(taken..).unwrap_or_default()
    }

    /// Pushes the special token that `text` begins with, and returns the text after it.
    #[inline]
    fn push_special<'t>(&mut self, text: &'t str) -> Option<&'t str> {
        let token = self.wordpiece.special_token(text)?;
        let id = self.wordpiece.vocabulary.id(token)?;
        self.end_word();
        self.ids.push(id);
        text.get(token.len()..)
    }

    /// Pushes a character of the text that is no ASCII letter or digit.
    #[inline]
    fn push_raw(&mut self, c: char) {
        match c {
            ' ' | '\n' => self.end_word(),
            c if c.is_ascii_punctuation() => self.push_single_char_word(c),
            c => self.push_rare(c),
        }
    }

    /// Pushes a character whose class is looked up in the tables.
    fn push_rare(&mut self, c: char) {
        if is_space(c) {
            self.end_word();
        } else if is_ideograph(c) {
            self.end_word();
            self.normalize_char(c);
            self.end_word();
        } else if !is_dropped(c) {
            self.normalize_char(c);
        }
    }

    /// Strips the accents of a character and lowers its case.
    fn normalize_char(&mut self, c: char) {
        decompose_canonical(c, |part| {
            if !is_accent(part) {
                part.to_lowercase()
                    .for_each(|lower| self.push_normal_char(lower));
            }
        });
    }

    /// Pushes a normalized character.
    fn push_normal_char(&mut self, c: char) {
        if c.is_whitespace() {
            self.end_word();
        } else if is_punctuation(c) {
            self.push_single_char_word(c);
        } else {
            self.word.push(c);
        }
    }

    /// Pushes a character that is a word.
    #[inline]
    fn push_single_char_word(&mut self, c: char) {
        self.end_word();
        if let Some(&id) = self.wordpiece.ascii.get(c as usize) {
            self.ids.push(id);
        } else {
            self.word.push(c);
            self.end_word();
        }
    }

    #[inline]
    fn end_word(&mut self) {
        let known = self.ids.len();
        if self.word.chars == 0 {
            return;
        }
        if self.word.chars > WORD_CHARS || !self.split_into_pieces() {
            self.ids.truncate(known);
            self.ids.push(self.wordpiece.unknown);
        }
        self.word.clear();
    }

    /// Takes the longest piece that is known, again and again, until the end
    /// of the word or a part that is not known. Whether it got to the end.
    #[inline]
    fn split_into_pieces(&mut self) -> bool {
        let vocabulary = &self.wordpiece.vocabulary;
        let mut rest = &self.word.bytes[..self.word.len];
        if let Some(id) = vocabulary.find(PiecePosition::First, rest, self.word.hash) {
            self.ids.push(id);
            return true;
        }
        let mut position = PiecePosition::First;
        while !rest.is_empty()
            && let Some((id, len)) = vocabulary.longest_piece(position, rest)
        {
            self.ids.push(id);
            rest = &rest[len..];
            position = PiecePosition::Later;
        }
        rest.is_empty()
    }
}

impl TokenVocabulary {
    /// Returns the longest token that `rest` of a word starts with, and its length.
    fn longest_piece(&self, position: PiecePosition, rest: &[u8]) -> Option<(u32, usize)> {
        let rest = &rest[..rest.len().min(self.longest())];
        let mut hashes = [PieceHash::new(position); PIECE_LIMIT];
        let mut hash = PieceHash::new(position);
        for (prefix, &byte) in hashes.iter_mut().zip(rest) {
            hash = hash.with(byte);
            *prefix = hash;
        }
        (1..=rest.len()).rev().find_map(|len| {
            let id = self.find(position, &rest[..len], hashes[len - 1])?;
            Some((id, len))
        })
    }
}
