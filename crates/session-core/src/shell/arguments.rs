//! The arguments of a simple command.

use super::{CommandPart, words_from_program};
use std::borrow::Cow;
use std::ops::Range;

/// The words after the program of a simple command, without redirections.
pub(super) struct Arguments<'p>(Vec<Cow<'p, str>>);

impl<'p> Arguments<'p> {
    pub(super) fn new(simple: &'p CommandPart<'_>) -> Self {
        Self(simple.plain_words().skip(1).collect())
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(AsRef::as_ref)
    }

    /// Returns true if one of them begins with one of these texts.
    pub(super) fn any_starts_with(&self, beginnings: &[&str]) -> bool {
        let begins = |word: &str| {
            beginnings
                .iter()
                .any(|beginning| word.starts_with(beginning))
        };
        self.iter().any(begins)
    }

    /// Returns true for an option of one letter, also among others, and for a long one that begins so.
    pub(super) fn has_option(&self, letter: char, beginning: &str) -> bool {
        let is_option = |word: &str| match word.strip_prefix('-') {
            Some(letters) => match letters.strip_prefix('-') {
                Some(name) => name.starts_with(beginning),
                None => letters.contains(letter),
            },
            None => false,
        };
        self.iter().any(is_option)
    }

    /// Counts those that are neither options nor numbers, which may be values of options.
    pub(super) fn count_names(&self) -> usize {
        let is_number = |word: &str| {
            word.bytes()
                .all(|byte| byte.is_ascii_hexdigit() || b"x+".contains(&byte))
                && word.starts_with(|c: char| c.is_ascii_digit() || c == '+')
        };
        let names = self
            .iter()
            .filter(|word| !word.starts_with('-') && !is_number(word));
        names.count()
    }
}

/// Finds the words of a simple command from its program on, without redirections and what it reads as a here-string, as
/// ranges of its text.
pub(crate) fn find_plain_words(simple: &CommandPart<'_>) -> Vec<Range<usize>> {
    let text = simple.text.as_str();
    let program = text.split_whitespace().count() - words_from_program(text).count();
    let mut end = 0;
    let mut is_target = false;
    let mut here_string = simple.here_string;
    let mut words = Vec::new();
    for (index, word) in text.split_whitespace().enumerate() {
        let start = text.len() - text[end..].trim_start().len();
        end = start + word.len();
        if here_string.take_if(|at| start >= *at).is_some() {
            continue;
        }
        let operator = find_redirection(simple, start, word);
        if index >= program && !is_target && operator > start {
            words.push(start..operator);
        }
        is_target = operator < end && word.ends_with(['>', '<', '|', '&']);
    }
    words
}

/// Returns the offset in the text at which a redirection within a word begins, with the number of its stream; that of the
/// word's end if it has none.
fn find_redirection(simple: &CommandPart<'_>, start: usize, word: &str) -> usize {
    let range = start..start + word.len();
    // Both lists are sorted, and may be long.
    let first = |offsets: &[usize]| {
        let at = offsets.partition_point(|at| *at < start);
        offsets.get(at).copied()
    };
    let operators = [&simple.redirections, &simple.input_redirections];
    let operators = operators.into_iter().filter_map(|offsets| first(offsets));
    let Some(at) = operators.filter(|at| range.contains(at)).min() else {
        return range.end;
    };
    let before = &simple.text[start..at];
    let is_stream = before == "&" || before.bytes().all(|byte| byte.is_ascii_digit());
    if is_stream { start } else { at }
}

#[cfg(test)]
mod tests {
    use super::Arguments;
    use crate::shell::split_command_parts;

    #[test]
    fn redirections_are_no_arguments() {
        for (command, expected) in [
            ("sudo -u ann cp a 'b c' > d", &["a", "b c"][..]),
            ("sort 2>/dev/null -o a <b", &["-o", "a"]),
            ("sort 2> /dev/null a &> b c", &["a", "c"]),
            ("sort a>b >| c d < e >> f", &["a", "d"]),
            ("sort a>b c<d e>f <g h", &["a", "c", "e", "h"]),
            ("awk '{ print > \"a\" }' b", &["{ print > \"a\" }", "b"]),
            ("curl -d '<a>' b<c '2>' d", &["-d", "<a>", "b", "2>", "d"]),
            ("X=1", &[]),
        ] {
            let parts = split_command_parts(command);
            let arguments = Arguments::new(&parts[0]);
            assert_eq!(arguments.iter().collect::<Vec<_>>(), expected, "{command}");
        }
    }
}
