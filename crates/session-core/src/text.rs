//! Small, pure text functions for every crate.

use std::borrow::Cow;
use std::collections::HashSet;
use std::path::Path;
use unicode_normalization::char::is_combining_mark;

mod byte_chunks;
mod camel_case;
mod char_filter;
mod compose;
mod escape_tags;
mod glossary;
mod markdown;
mod sanitize_text;
mod word_cache;
mod word_head;

pub(crate) use camel_case::has_hump;
pub use camel_case::{camel_case_parts, join_name_parts, split_camel_case_name, to_snake_case};
pub use char_filter::{
    FilteredChar, FilteredChars, filter_chars, filtered_chars, fold_word, folded_chars,
};
pub use compose::{compose, normalize_searchable};
pub use escape_tags::escape_tags;
pub use glossary::{GlossarySegment, segment_by_glossary, translate_to_english};
pub use markdown::{code_span_end, escape_markdown};
pub use sanitize_text::sanitize_text;
pub use word_cache::WordCache;
pub use word_head::{WordHead, is_separator};

/// Returns a text without the byte order mark that some editors write before it.
pub fn strip_byte_order_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// Returns the last character boundary at or before a byte offset, as `str::floor_char_boundary` of Rust 1.91 does.
pub fn floor_char_boundary(text: &str, offset: usize) -> usize {
    let mut boundary = offset.min(text.len());
    while !text.is_char_boundary(boundary) {
        boundary -= 1;
    }
    boundary
}

/// Returns the first character boundary at or behind a byte offset, as `str::ceil_char_boundary` of Rust 1.91 does.
pub fn ceil_char_boundary(text: &str, offset: usize) -> usize {
    let mut boundary = offset.min(text.len());
    while !text.is_char_boundary(boundary) {
        boundary += 1;
    }
    boundary
}

/// Cuts `text` to at most `limit` bytes at a character boundary.
pub fn clip(text: &str, limit: usize) -> &str {
    &text[..floor_char_boundary(text, limit)]
}

/// Longest part of a word that [`clip_words`] removes, in bytes.
const MAX_CLIPPED_WORD_BYTES: usize = 512;

/// Cuts `text` to at most `limit` bytes at the end of a word: a part of a key or password would not be recognized as a secret.
/// A word that is longer than 512 bytes is cut within.
pub fn clip_words(text: &str, limit: usize) -> &str {
    let cut = clip(text, limit);
    if cut.len() == text.len() || text[cut.len()..].starts_with(char::is_whitespace) {
        return cut;
    }
    let end = cut
        .rfind(char::is_whitespace)
        .filter(|end| cut.len() - end <= MAX_CLIPPED_WORD_BYTES);
    end.map_or(cut, |end| &cut[..end])
}

/// Cuts `text` as [`clip_words`] does, and appends `…` where it cuts.
pub fn shorten_words(text: &str, limit: usize) -> Cow<'_, str> {
    let kept = clip_words(text, limit);
    if kept.len() == text.len() {
        return kept.into();
    }
    format!("{}…", kept.trim_end()).into()
}

/// Joins words as a sentence has alternatives: `a, b or c`.
pub fn join_alternatives<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    let words: Vec<&str> = words.into_iter().collect();
    match words.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

/// Joins all runs of white space to one space: a text on one line.
pub fn collapse_whitespace(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(4096));
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// Formats a path on one printable line: a stranger chooses the names of files.
pub fn path_line(path: &Path) -> String {
    sanitize_text(&path.to_string_lossy()).replace(['\n', '\t'], " ")
}

/// Returns a word without the punctuation around it.
pub(crate) fn trim_punctuation(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

/// Returns the last component of a path, whichever system wrote it.
pub fn file_name(path: &str) -> &str {
    let path = path.trim_end_matches(['/', '\\']);
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Returns the character bigrams of scripts that are written without spaces, each once: what turns still hold of a phrase whose
/// words are inflected or in another order. Combining marks are ignored, as in the word index.
pub fn character_bigrams(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().filter(|c| !is_combining_mark(*c)).collect();
    let pairs = chars.windows(2);
    let unspaced = pairs.filter(|pair| pair.iter().all(|c| is_unspaced(*c)));
    let mut seen = HashSet::new();
    let new = unspaced.filter(|pair| seen.insert(*pair));
    new.map(|pair| pair.iter().collect()).collect()
}

/// Returns true for a mark of a sentence that is of no Latin script, which no space follows: `useMemo、useEffect`.
pub fn is_foreign_mark(c: char) -> bool {
    "，。、；：！？（）「」『』【】《》،؛؟".contains(c)
}

/// Returns true for a character of a script without spaces, or of Korean: Han, Hiragana, Katakana, Bopomofo, Hangul, Thai, Lao, Khmer, Myanmar.
pub fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c),
        0x0E01..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x3005..=0x3007 | 0x3041..=0x30FF
        | 0x3105..=0x312F | 0xAC00..=0xD7A3 | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pair_of_characters_is_returned_once_in_order() {
        let characters = || (0..20_000).filter_map(|n| char::from_u32(0x4E00 + n));
        let text: String = characters().chain(characters()).collect();
        let pairs = character_bigrams(&text);
        let expected: Vec<char> = characters().take(3).collect();
        assert_eq!(pairs.len(), 20_000);
        assert_eq!(pairs[1], expected[1..].iter().collect::<String>());
    }

    #[test]
    fn han_is_found_by_parts() {
        assert_eq!(character_bigrams("超时了 ab超时"), ["超时", "时了"]);
        assert_eq!(character_bigrams("กินน้ำ"), ["กน", "นน", "นำ"]);
        assert_eq!(file_name("C:\\a\\b.rs"), "b.rs");
        assert_eq!(file_name("/"), "");
        assert_eq!(clip("añb", 2), "a");
    }

    #[test]
    fn what_is_cut_off_is_marked_behind_a_word() {
        assert_eq!(shorten_words("light the lamp", 14), "light the lamp");
        assert_eq!(shorten_words("light the lamp", 13), "light the…");
        assert_eq!(shorten_words("light \n the lamp", 9), "light…");
        assert_eq!(shorten_words("lamplight", 4), "lamp…");
    }

    #[test]
    fn one_byte_order_mark_is_no_text() {
        assert_eq!(strip_byte_order_mark("\u{feff}añb"), "añb");
        assert_eq!(strip_byte_order_mark("a\u{feff}"), "a\u{feff}");
    }

    #[test]
    fn offsets_within_a_character_are_moved_to_its_ends() {
        let text = "añb";
        let floors: Vec<usize> = (0..6).map(|at| floor_char_boundary(text, at)).collect();
        let ceils: Vec<usize> = (0..6).map(|at| ceil_char_boundary(text, at)).collect();
        assert_eq!(floors, [0, 1, 1, 3, 4, 4]);
        assert_eq!(ceils, [0, 1, 3, 3, 4, 4]);
    }

    #[test]
    fn a_path_is_printed_on_one_line() {
        let path = Path::new("/home/ann/a\nhint: b\u{202e}\u{1b}[31m/c.rs");
        assert_eq!(path_line(path), "/home/ann/a hint: b/c.rs");
        let path = Path::new("/home/ann/two  spaces");
        assert_eq!(
            path_line(path),
            "/home/ann/two  spaces",
            "it names the file"
        );
    }

    #[test]
    fn words_are_joined_as_in_a_sentence() {
        assert_eq!(join_alternatives([]), "");
        assert_eq!(join_alternatives(["a"]), "a");
        assert_eq!(join_alternatives(["a", "b"]), "a or b");
        assert_eq!(join_alternatives(["a", "b", "c"]), "a, b or c");
    }
}
