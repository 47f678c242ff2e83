//! Fenced code in Markdown.

/// Follows the fences of a Markdown text line by line. A fence is a line of at least three `` ` `` or
/// `~`, also behind the mark of a list item or a quote; it ends at a line with as many of the same
/// (CommonMark 0.31, section 4.5).
#[derive(Debug, Default, Clone)]
pub struct CodeFences {
    open: Option<String>,
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
        let line = line.trim();
        let closes = |open: &String| fence(line) == Some(line) && line.starts_with(open.as_str());
        match &self.open {
            None => {
                self.open = fence(without_block_marks(line)).map(str::to_owned);
                match self.open {
                    Some(_) => FencedLine::Fence,
                    None => FencedLine::Text,
                }
            }
            Some(open) if closes(open) => {
                self.open = None;
                FencedLine::Fence
            }
            Some(_) => FencedLine::Code,
        }
    }

    /// Returns the fence that would end the code that is open.
    pub fn open_fence(&self) -> Option<&str> {
        self.open.as_deref()
    }
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
}
