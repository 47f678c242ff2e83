//! A text that may hold a secret.

use session_redact::{Redactor, replace_marks};

/// A text of a memory that may hold a secret.
pub(crate) enum TextMut<'a> {
    /// Prose.
    Prose(&'a mut String),
    /// A glob, in which any text stands for a secret: the brackets of a mark would be a class of characters.
    Glob(&'a mut String),
}

impl TextMut<'_> {
    /// Takes the text out, whatever it is.
    pub(crate) fn take(self) -> String {
        match self {
            Self::Prose(text) | Self::Glob(text) => std::mem::take(text),
        }
    }

    /// Replaces the secrets in it.
    pub(crate) fn redact(self, redactor: &Redactor) {
        match self {
            Self::Prose(text) => {
                redactor.redact_in_place(text);
            }
            Self::Glob(glob) => {
                redactor.redact_in_place(glob);
                *glob = replace_marks(glob, "*");
            }
        }
    }
}
