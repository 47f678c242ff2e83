//! Fenced code in Markdown.

/// Follows the fences of a Markdown text line by line. A fence is a line of at least three `` ` `` or
/// `~`, also behind the mark of a list item or a quote; it ends at a line with as many of the same, or with the
/// quote that it stands in (CommonMark 0.31, sections 4.5 and 5.1).
#[derive(Debug, Default, Clone)]
pub struct CodeFences {
    open: Option<OpenFence>,
}

/// A fence whose code has not ended.
#[derive(Debug, Clone)]
struct OpenFence {
    marks: String,
    /// The number of quotes that it stands in.
    quotes: usize,
}

/// The class of a line of Markdown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FencedLine {
    /// A line outside of code.
    Text,
    /// A line of code.
    Code,
    /// A fence.
    Fence,
}

impl CodeFences {
    /// Classifies the next line.
    pub fn classify(&mut self, line: &str) -> FencedLine {
        if let Some(open) = &self.open
            && let Some(line) = strip_quotes(line, open.quotes)
        {
            let line = line.trim();
            let closes = fence(line) == Some(line) && line.starts_with(&open.marks);
            if closes {
                self.open = None;
                return FencedLine::Fence;
            }
            return FencedLine::Code;
        }
        self.open = OpenFence::new(line);
        match self.open {
            Some(_) => FencedLine::Fence,
            None => FencedLine::Text,
        }
    }

    /// Returns the fence that would end the code that is open behind the text; code in a quote ends with it.
    pub fn open_fence(&self) -> Option<&str> {
        let open = self.open.as_ref().filter(|open| open.quotes == 0);
        open.map(|open| open.marks.as_str())
    }
}

impl OpenFence {
    fn new(line: &str) -> Option<Self> {
        let line = line.trim();
        let code = without_block_marks(line);
        let before = line.get(..line.len() - code.len())?;
        Some(Self {
            marks: fence(code)?.to_owned(),
            quotes: before.matches('>').count(),
        })
    }
}

/// Returns a line without the marks of `count` quotes, which may stand in the items of lists; `None` if it has
/// fewer marks.
fn strip_quotes(line: &str, count: usize) -> Option<&str> {
    (0..count).try_fold(line, |line, _| line.trim_start().strip_prefix('>'))
}

fn without_block_marks(line: &str) -> &str {
    line.trim_start_matches(|c: char| "-*+> .".contains(c) || c.is_ascii_digit())
}

/// Returns the marks of a fence at the beginning of a line; `` ```ls``` `` is none.
fn fence(line: &str) -> Option<&str> {
    let marks = ['`', '~'].map(|mark| line.len() - line.trim_start_matches(mark).len());
    let (marks, rest) = line.split_at(marks[0].max(marks[1]));
    let is_code = marks.starts_with('`') && rest.contains('`');
    (marks.len() >= 3 && !is_code).then_some(marks)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes(text: &str) -> String {
        let mut fences = CodeFences::default();
        let class = |line| match fences.classify(line) {
            FencedLine::Text => 't',
            FencedLine::Code => 'c',
            FencedLine::Fence => 'f',
        };
        text.lines().map(class).collect()
    }

    #[test]
    fn fences_end_at_as_many_of_the_same_marks() {
        assert_eq!(classes("a\n```rust\n# b\n```\nc"), "tfcft");
        assert_eq!(classes("~~~~\n```\n~~~\n~~~~\na"), "fccft");
        assert_eq!(
            classes("- ```bash\n  ls\n  ```\n1. ```\n   x\n   ```"),
            "fcffcf"
        );
        assert_eq!(classes("```ls``` lists\n# a"), "tt");
        assert_eq!(classes("```\n```rust\n```"), "fcf");
    }

    #[test]
    fn fences_end_within_and_with_their_quote() {
        assert_eq!(classes("> ```\n> a\n> ```\n> b\nc"), "fcftt");
        assert_eq!(classes("> ```\n> a\nb"), "fct");
        assert_eq!(classes("> ```\n> a\n```\nb\n```"), "fcfcf");
        assert_eq!(classes("> > ```\n> > a\n>> ```\n> b"), "fcft");
        assert_eq!(classes("- > ```\n  > a\n  > ```\nb"), "fcft");
        assert_eq!(classes("```\n> ```\na\n```\nb"), "fccft");
    }
}
