//! The files that `sed -i` and `perl -i` edit in place.

use std::iter::Peekable;

/// The options of a program that edits files in place.
pub struct InPlaceEditor {
    /// Those whose value is a script: the rest of the word, or the next word.
    script: &'static str,
    /// Those with another value, there or in the next word.
    valued: &'static str,
    /// Those whose value, if any, is the rest of the word; `i` is one.
    attached: &'static str,
    /// Those that edit in place, beside `i`.
    in_place: &'static str,
    /// True where options may stand after operands.
    permutes: bool,
    /// True where the suffix of the backup may be the word after `-i`: `sed` of BSD and macOS.
    has_suffix_word: bool,
}

/// The arguments of an editor, as far as they are read.
#[derive(Default)]
struct EditorArguments<'w> {
    is_in_place: bool,
    has_script: bool,
    operands: Vec<&'w str>,
    /// The operand that may be the suffix of the backup.
    suffix: Option<usize>,
}

impl InPlaceEditor {
    /// `sed`, whose options are those of GNU and of BSD.
    pub const SED: Self = Self {
        script: "ef",
        valued: "I",
        attached: "i",
        in_place: "I",
        permutes: true,
        has_suffix_word: true,
    };
    /// `perl`.
    pub const PERL: Self = Self {
        script: "eE",
        valued: "I",
        attached: "iMmFCdDVx",
        in_place: "",
        permutes: false,
        has_suffix_word: false,
    };

    /// Returns the files among arguments that the program edits in place; none without `-i`.
    pub fn edited<'w>(&self, words: impl Iterator<Item = &'w str>) -> Vec<&'w str> {
        self.read_arguments(words).edited()
    }

    /// Returns true for arguments with which the program edits in place.
    pub fn is_in_place<'w>(&self, words: impl Iterator<Item = &'w str>) -> bool {
        self.read_arguments(words).is_in_place
    }

    fn read_arguments<'w>(&self, words: impl Iterator<Item = &'w str>) -> EditorArguments<'w> {
        let mut words = words.peekable();
        let mut arguments = EditorArguments::default();
        while let Some(word) = words.next() {
            match word.strip_prefix('-') {
                Some("-") => break,
                Some(option) => match option.strip_prefix('-') {
                    Some(name) => arguments.read_long(name, &mut words),
                    None => self.read_letters(option, &mut words, &mut arguments),
                },
                None => {
                    arguments.operands.push(word);
                    if !self.permutes {
                        break;
                    }
                }
            }
        }
        arguments.operands.extend(words);
        arguments
    }

    fn read_letters<'w>(
        &self,
        letters: &str,
        words: &mut Peekable<impl Iterator<Item = &'w str>>,
        arguments: &mut EditorArguments<'w>,
    ) {
        let has_value = |c: char| {
            self.script.contains(c) || self.valued.contains(c) || self.attached.contains(c)
        };
        let Some((at, letter)) = letters.char_indices().find(|(_, c)| has_value(*c)) else {
            // The length of a line in `sed` of GNU.
            if letters.ends_with('l') {
                words.next_if(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
            }
            return;
        };
        let is_last = at + letter.len_utf8() == letters.len();
        arguments.has_script |= self.script.contains(letter);
        arguments.is_in_place |= letter == 'i' || self.in_place.contains(letter);
        if is_last && !self.attached.contains(letter) {
            words.next();
        }
        if is_last && letter == 'i' && self.has_suffix_word {
            arguments.read_suffix(words);
        }
    }
}

impl<'w> EditorArguments<'w> {
    fn read_long(&mut self, name: &str, words: &mut impl Iterator<Item = &'w str>) {
        let is_script = name.starts_with("expression") || name.starts_with("file");
        self.is_in_place |= name.starts_with("in-place");
        self.has_script |= is_script;
        if (is_script || name.starts_with("line-length")) && !name.contains('=') {
            words.next();
        }
    }

    /// Reads the word after `-i` if it may be a suffix.
    fn read_suffix(&mut self, words: &mut Peekable<impl Iterator<Item = &'w str>>) {
        // An empty one, `''`.
        if words.next_if_eq(&"").is_some() {
            return;
        }
        if let Some(word) = words.next_if(|word| is_suffix(word)) {
            self.suffix = Some(self.operands.len());
            self.operands.push(word);
        }
    }

    /// Returns the operands that are files wherever the program is from.
    fn edited(mut self) -> Vec<&'w str> {
        if !self.is_in_place {
            return Vec::new();
        }
        // An editor without a file would wait for input.
        if let Some(at) = self.suffix.filter(|_| self.operands.len() > 1) {
            self.operands.remove(at);
        }
        let scripts = usize::from(!self.has_script).min(self.operands.len());
        self.operands.drain(..scripts);
        self.operands
    }
}

/// Returns true for `.bak` and `bak`; not for a script such as `1d`, `d`.
fn is_suffix(word: &str) -> bool {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_-~".contains(c);
    let is_word = word.len() > 1 && word.starts_with(|c: char| c.is_ascii_alphabetic());
    word == "~"
        || is_word && word.chars().all(is_name)
        || word.starts_with('.') && !word.contains('/')
}
