//! Notes with their hints, and the columns of a terminal that they fill.

use std::fmt;
use unicode_width::UnicodeWidthStr;

/// Columns before all lines but the first: session text at the beginning of a line could pass for a hint.
const INDENT: usize = 4;

/// A sentence beside an answer, or in place of one, with hints: what to do about it.
///
/// ```
/// use session_display::Note;
///
/// let note = Note::new("no project has `lamp` in its name or path").with_hint("there is `lamps`");
/// assert_eq!(
///     note.to_string(),
///     "no project has `lamp` in its name or path\nhint: there is `lamps`"
/// );
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Note {
    /// The statement, without a full stop.
    pub text: String,
    /// The ways out, a sentence each.
    pub hints: Vec<String>,
}

impl Note {
    /// Returns a note without hints.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            hints: Vec::new(),
        }
    }

    /// Adds a hint.
    pub fn with_hint(self, hint: impl Into<String>) -> Self {
        self.with_hints([hint])
    }

    /// Adds the hints that there are: of an error, one or none.
    pub fn with_hints(mut self, hints: impl IntoIterator<Item: Into<String>>) -> Self {
        self.hints.extend(hints.into_iter().map(Into::into));
        self
    }

    /// Returns its sentences: the text, then the hints.
    pub fn sentences(&self) -> Vec<String> {
        [&self.text]
            .into_iter()
            .chain(&self.hints)
            .cloned()
            .collect()
    }
}

impl From<String> for Note {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

/// Writes the text, and a line for each hint.
impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        self.hints
            .iter()
            .try_for_each(|hint| write!(f, "\nhint: {hint}"))
    }
}

/// Folds a sentence to lines of at most `columns`. What stands in backticks is to be copied and is not broken; a longer
/// word is left whole.
pub fn wrap_note(text: &str, columns: usize) -> String {
    let mut out = String::new();
    let mut used = 0;
    for word in split_copyable_words(text) {
        let fits = used + 1 + word.width() <= columns;
        match (used, fits) {
            (0, _) => {}
            (_, true) => {
                out.push(' ');
                used += 1;
            }
            (_, false) => {
                out.push_str(&format!("\n{}", " ".repeat(INDENT)));
                used = INDENT;
            }
        }
        out.push_str(word);
        used += word.width();
    }
    out
}

/// Splits a sentence at the spaces outside of backticks.
fn split_copyable_words(text: &str) -> impl Iterator<Item = &str> {
    let mut is_quoted = false;
    let words = text.split(move |c: char| {
        is_quoted ^= c == '`';
        c == ' ' && !is_quoted
    });
    words.filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::wrap_note;

    #[test]
    fn what_is_to_be_copied_is_not_broken() {
        let hint = "hint: name another, or `session-search status` lists the projects";
        let wrapped = "hint: name another, or\n    `session-search status`\n    lists the projects";
        assert_eq!(wrap_note(hint, 30), wrapped);
        assert_eq!(
            wrap_note("a_word_without_a_space b", 10),
            "a_word_without_a_space\n    b"
        );
        assert_eq!(wrap_note("", 10), "");
    }
}
