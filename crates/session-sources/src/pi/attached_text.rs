//! Prompts with the text of files: `pi @notes.md "Why?"` sends `<file name="/a/notes.md">…</file>` before the words.

use memchr::memmem;

/// How a file begins; `">` follows its path.
const OPEN: &str = "<file name=\"";
/// How it ends.
const CLOSE: &str = "</file>\n";
/// How it ends where another one follows.
const NEXT: &str = "</file>\n<file name=\"";
/// Most files that are looked for: the text of one may look like many.
const MAX_FILES: usize = 100;

/// A prompt, taken apart.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct AttachedText<'t> {
    /// Paths of the files.
    pub paths: Vec<&'t str>,
    /// The typed words.
    pub words: &'t str,
}

impl<'t> AttachedText<'t> {
    /// Splits a prompt behind its last file: the text of a file may hold the end of one, too.
    pub(super) fn split(prompt: &'t str) -> Self {
        let typed = Self {
            words: prompt,
            ..Self::default()
        };
        let Some(begun) = prompt.strip_prefix(OPEN) else {
            return typed;
        };
        match memmem::rfind(begun.as_bytes(), CLOSE.as_bytes()) {
            Some(end) => Self {
                paths: file_paths(&begun[..end]),
                words: &begun[end + CLOSE.len()..],
            },
            None => typed,
        }
    }
}

fn file_paths(files: &str) -> Vec<&str> {
    let files = files.split(NEXT).take(MAX_FILES);
    let paths = files.filter_map(|file| Some(file.split_once("\">")?.0));
    paths.filter(|path| !path.contains('\n')).collect()
}

#[cfg(test)]
mod tests {
    use super::AttachedText;

    #[test]
    fn words_stand_behind_the_files() {
        let xliff =
            "<file name=\"/a/b.xlf\">\n<xliff>\n <file>oil\n </file>\n</xliff>\n\n</file>\n";
        let image = "<file name=\"/a/c d.png\"></file>\n";
        let hinted = "<file name=\"/a/e.png\">[Image: 9x9]\n[resized]</file>\n";
        for (prompt, paths, words) in [
            (
                format!("{xliff}Why?\n\nNow."),
                vec!["/a/b.xlf"],
                "Why?\n\nNow.",
            ),
            (
                format!("{image}{xliff}Why?"),
                vec!["/a/c d.png", "/a/b.xlf"],
                "Why?",
            ),
            (
                format!("{hinted}{image}"),
                vec!["/a/e.png", "/a/c d.png"],
                "",
            ),
            ("Why </file>\nnot?".into(), vec![], "Why </file>\nnot?"),
            (
                "<file name=\"x\"> is a tag?".into(),
                vec![],
                "<file name=\"x\"> is a tag?",
            ),
            (String::new(), vec![], ""),
        ] {
            assert_eq!(AttachedText::split(&prompt), AttachedText { paths, words });
        }
    }

    #[test]
    fn a_file_may_look_like_many() {
        let files = "<file name=\"/a\"></file>\n".repeat(10_000);
        assert_eq!(AttachedText::split(&files).paths.len(), super::MAX_FILES);
    }
}
