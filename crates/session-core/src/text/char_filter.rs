//! The character filter of the word index: letters that are typed in several ways become one.
//!
//! FTS5's tokenizer folds case, and the accents of Latin letters that Unicode decomposes. It knows nothing of the
//! letters here, and takes the vowel signs of Arabic and Hebrew for the ends of words.

use super::byte_chunks::any_byte;
use super::is_unspaced;
use std::borrow::Cow;
use std::str::CharIndices;
use unicode_normalization::char::{
    compose, decompose_canonical, decompose_compatible, is_combining_mark,
};

/// A character of a filtered text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilteredChar {
    /// The offset of the character that it stands for, in bytes of the text that was filtered.
    pub start: usize,
    /// The character.
    pub c: char,
}

/// Returns a text as the word index cuts it into words: [filtered](filtered_chars), and with spaces around each
/// character of scripts that are written without them, so that parts of a sentence are found.
pub fn filter_chars(text: &str) -> Cow<'_, str> {
    if !may_change(text) || !text.chars().any(|c| is_unspaced(c) || is_filtered(c)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() * 2);
    for FilteredChar { c, .. } in filtered_chars(text) {
        if is_unspaced(c) {
            out.extend([' ', c, ' ']);
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Returns the characters of a text, filtered: none for a sign that is left out, two for `ß`, one for a kana of half
/// width with its mark.
pub fn filtered_chars(text: &str) -> FilteredChars<'_> {
    FilteredChars {
        chars: text.char_indices(),
        second: None,
    }
}

/// Returns the characters of a text as the word index folds words: filtered, in lower case, Latin letters without
/// accents.
pub fn folded_chars(text: &str) -> impl Iterator<Item = FilteredChar> {
    filtered_chars(text).flat_map(|FilteredChar { start, c }| {
        let ascii = c.is_ascii().then(|| c.to_ascii_lowercase());
        let other =
            (!c.is_ascii()).then(|| c.to_lowercase().filter(is_letter).map(without_accents));
        let small = ascii.into_iter().chain(other.into_iter().flatten());
        small.map(move |c| FilteredChar { start, c })
    })
}

/// Returns a text as the word index folds words.
pub fn fold_word(text: &str) -> String {
    if text.is_ascii() {
        text.to_ascii_lowercase()
    } else {
        folded_chars(text).map(|folded| folded.c).collect()
    }
}

/// Returns false for a mark of a Latin letter: the small letter of `İ` has its dot behind it.
fn is_letter(c: &char) -> bool {
    !('\u{300}'..='\u{36F}').contains(c)
}

/// Returns a Latin letter without its accents.
fn without_accents(c: char) -> char {
    let is_latin = matches!(u32::from(c), 0xC0..0x250 | 0x1E00..0x1F00);
    match is_latin.then(|| without_marks(c)) {
        Some(FoldedChar::Char(base)) => base,
        _ => c,
    }
}

/// The characters of a text, filtered.
#[derive(Debug, Clone)]
pub struct FilteredChars<'t> {
    chars: CharIndices<'t>,
    /// The second letter of the one that was returned last.
    second: Option<FilteredChar>,
}

impl FilteredChars<'_> {
    /// Reads the next character and what follows it that is not left out.
    fn read(&mut self) -> Option<FilteredChar> {
        for (start, c) in self.chars.by_ref() {
            let c = match fold(c) {
                FoldedChar::Same | FoldedChar::VoicingMark(_) => c,
                FoldedChar::Char(c) => c,
                FoldedChar::Two([first, second]) => {
                    self.second = Some(FilteredChar { start, c: second });
                    first
                }
                FoldedChar::Nothing => continue,
            };
            return Some(FilteredChar { start, c });
        }
        None
    }

    /// Composes a kana of half width with the mark that follows it, behind signs that are left out.
    fn compose_voiced(&mut self, c: char) -> char {
        let mut rest = self.chars.clone();
        let mut next = rest.by_ref().map(|(_, next)| fold(next));
        let mark = next.find(|next| *next != FoldedChar::Nothing);
        let voiced = match mark {
            Some(FoldedChar::VoicingMark(mark)) => compose(c, mark),
            _ => None,
        };
        if voiced.is_some() {
            self.chars = rest;
        }
        voiced.unwrap_or(c)
    }
}

impl Iterator for FilteredChars<'_> {
    type Item = FilteredChar;

    fn next(&mut self) -> Option<FilteredChar> {
        if let Some(second) = self.second.take() {
            return Some(second);
        }
        let mut filtered = self.read()?;
        if is_kana(filtered.c) {
            filtered.c = self.compose_voiced(filtered.c);
        }
        Some(filtered)
    }
}

/// The result of folding a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FoldedChar {
    Same,
    Char(char),
    Two([char; 2]),
    Nothing,
    /// The mark of a kana of half width, which stands behind it.
    VoicingMark(char),
}

fn is_filtered(c: char) -> bool {
    fold(c) != FoldedChar::Same
}

/// Returns false for a text that certainly has no character which changes, nor one of a script without spaces.
fn may_change(text: &str) -> bool {
    // Latin letters begin with C3 to C5, Greek with CE, other scripts higher; dashes, quotes and symbols, U+2000 to
    // U+2FFF, with E2.
    any_byte(text.as_bytes(), |byte| byte >= 0xC3 && byte != 0xE2)
}

fn fold(c: char) -> FoldedChar {
    match u32::from(c) {
        0..0xC0 => FoldedChar::Same,
        0xC0..0x180 => fold_latin(c),
        // Greek and Arabic letters with a sign have two forms; Arabic ones are written with and without it.
        0x3C2 => FoldedChar::Char('σ'),
        0x370..=0x3FF | 0x1F00..=0x1FFF | 0x622..=0x626 => without_marks(c),
        0x401 => FoldedChar::Char('Е'),
        0x451 => FoldedChar::Char('е'),
        0x591..=0x5BD | 0x5BF | 0x5C1..=0x5C2 | 0x5C4..=0x5C5 | 0x5C7 => FoldedChar::Nothing,
        0x610..=0x61A | 0x640 | 0x64B..=0x65F | 0x670 => FoldedChar::Nothing,
        0x629..=0x671 | 0x6A9..=0x6F9 => fold_arabic(c),
        0xFB00..=0xFB02 | 0xFB05..=0xFB06 => fold_ligature(c),
        0xFF01..=0xFF5E => FoldedChar::Char(char::from_u32(u32::from(c) - 0xFEE0).unwrap_or(c)),
        0xFF66..=0xFF9F => fold_half_width(c),
        _ => FoldedChar::Same,
    }
}

/// Folds the Latin letters that Unicode does not decompose.
fn fold_latin(c: char) -> FoldedChar {
    match c {
        'ß' => FoldedChar::Two(['s', 's']),
        'æ' | 'Æ' => FoldedChar::Two(['a', 'e']),
        'œ' | 'Œ' => FoldedChar::Two(['o', 'e']),
        'ø' | 'Ø' => FoldedChar::Char('o'),
        'đ' | 'Đ' => FoldedChar::Char('d'),
        'ħ' | 'Ħ' => FoldedChar::Char('h'),
        'ı' => FoldedChar::Char('i'),
        'ł' | 'Ł' => FoldedChar::Char('l'),
        _ => FoldedChar::Same,
    }
}

/// Folds the ligatures of two letters, which the text of a PDF has.
fn fold_ligature(c: char) -> FoldedChar {
    let mut letters = Vec::new();
    decompose_compatible(c, |letter| letters.push(letter));
    match letters.as_slice() {
        [first, second] => FoldedChar::Two([*first, *second]),
        _ => FoldedChar::Same,
    }
}

/// Folds Arabic letters that end a word in two forms, those of Persian, and digits.
fn fold_arabic(c: char) -> FoldedChar {
    FoldedChar::Char(match u32::from(c) {
        0x629 => '\u{647}',
        0x649 | 0x6CC => '\u{64A}',
        0x671 => '\u{627}',
        0x6A9 => '\u{643}',
        digit @ 0x660..=0x669 => ascii_digit(digit - 0x660),
        digit @ 0x6F0..=0x6F9 => ascii_digit(digit - 0x6F0),
        _ => return FoldedChar::Same,
    })
}

fn is_kana(c: char) -> bool {
    ('\u{30A1}'..='\u{30FE}').contains(&c)
}

fn ascii_digit(value: u32) -> char {
    char::from_digit(value, 10).unwrap_or('0')
}

fn without_marks(c: char) -> FoldedChar {
    let mut base = None;
    decompose_canonical(c, |part| {
        if !is_combining_mark(part) {
            base.get_or_insert(part);
        }
    });
    match base {
        Some(base) if base != c => FoldedChar::Char(base),
        _ => FoldedChar::Same,
    }
}

fn fold_half_width(c: char) -> FoldedChar {
    let mut wide = c;
    decompose_compatible(c, |part| wide = part);
    if is_combining_mark(wide) {
        FoldedChar::VoicingMark(wide)
    } else {
        FoldedChar::Char(wide)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn letters_that_are_typed_in_several_ways_become_one() {
        for (typed, filtered) in [
            ("Größe, Cœur, Ærø, łącze", "Grösse, Coeur, aero, lącze"),
            ("bağlantı kısa", "bağlanti kisa"),
            ("Ёлка и счёт, й ї", "Елка и счет, й ї"),
            ("Σύνδεσης ΐ ᾄ", "Συνδεσησ ι α"),
            ("أَحْمَد إعادة مبنى ـــ ٤٢", "احمد اعاده مبني  42"),
            ("فارسی ک ۴۲", "فارسي ك 42"),
            ("שָׁלוֹם", "שלום"),
            ("ｄｏｃｋｅｒ：４２", "docker:42"),
            ("ﾃﾞｰﾀﾍﾞｰｽ", " デ  ー  タ  ベ  ー  ス "),
            ("ｶ\u{64E}ﾞ", " ガ "),
            ("ab 文字c", "ab  文  字 c"),
            ("ﬁx the oﬀset, ﬂag", "fix the offset, flag"),
        ] {
            assert_eq!(filter_chars(typed), filtered, "{typed}");
        }
        for same in ["plain ascii", "naïve café — “quoted”", "Привет, мир"] {
            assert!(matches!(filter_chars(same), Cow::Borrowed(_)), "{same}");
        }
    }

    #[test]
    fn a_folded_word_has_no_case_nor_accents() {
        assert_eq!(
            fold_word("Größe İSTANBUL Ёлку Йод Ночь"),
            "grosse istanbul елку йод ночь"
        );
        assert_eq!(fold_word("Mẫu conexões"), "mau conexoes");
    }

    #[test]
    fn each_character_knows_where_it_stands() {
        let starts: Vec<(usize, char)> = filtered_chars("ßﾃﾞx")
            .map(|filtered| (filtered.start, filtered.c))
            .collect();
        assert_eq!(starts, [(0, 's'), (0, 's'), (2, 'デ'), (8, 'x')]);
    }

    proptest! {
        #[test]
        fn a_filtered_text_stays_as_it_is(text in "([a-zßłЁאَشｶカﾞﾟ文 ]{0,12}|\\PC{0,12})") {
            let filtered = |text: &str| filtered_chars(text).map(|filtered| filtered.c).collect::<String>();
            let once = filtered(&text);
            prop_assert_eq!(&once, &filtered(&once));
            prop_assert!(may_change(&text) || once == text);
        }
    }
}
