//! The ends of heredocs, and where they stand.

use super::parser::{AFTER_WORD, UnreadText};

/// The line that ends a heredoc.
pub(super) struct HeredocEnd {
    delimiter: String,
    /// True for `<<-`, which leaves out tabs before it.
    strips_tabs: bool,
}

impl HeredocEnd {
    fn is_at(&self, line: &str) -> bool {
        let line = line.trim_end_matches(['\n', '\r']);
        let tabs: &[char] = if self.strips_tabs { &['\t'] } else { &[] };
        line.trim_start_matches(tabs) == self.delimiter
    }

    /// Returns the length of a text up to this line; `None` if no line is it.
    pub(super) fn body_len(&self, text: &str) -> Option<usize> {
        let mut len = 0;
        for line in text.split_inclusive('\n') {
            if self.is_at(line) {
                return Some(len);
            }
            len += line.len();
        }
        None
    }
}

impl UnreadText<'_> {
    /// Reads the delimiter of a heredoc after its `<<`; `None` for a shift within an expression, `1 << 4`.
    pub(super) fn read_heredoc_end(&mut self) -> Option<HeredocEnd> {
        let strips_tabs = self.next_if_eq('-').is_some();
        while self.next_if(is_blank).is_some() {}
        self.peek().filter(|c| !c.is_ascii_digit())?;
        let mut delimiter = String::new();
        while let Some(c) = self.next_if(|c| !c.is_whitespace() && !AFTER_WORD.contains(c)) {
            match c {
                '\'' | '"' => {
                    while let Some(c) = self.next_if(|inner| inner != c && inner != '\n') {
                        delimiter.push(c);
                    }
                    self.next_if_eq(c);
                }
                '\\' => delimiter.extend(self.next_if(|c| c != '\n')),
                c => delimiter.push(c),
            }
        }
        Some(HeredocEnd {
            delimiter,
            strips_tabs,
        })
    }
}

fn is_blank(c: char) -> bool {
    c == ' ' || c == '\t'
}

/// Returns the length of a heredoc from its second `<` to the line that ends it; `None` if no line does.
pub(super) fn heredoc_len(text: &str) -> Option<usize> {
    let (first, body) = text.split_once('\n')?;
    let end = UnreadText(first.strip_prefix('<')?).read_heredoc_end()?;
    let body = end.body_len(body).filter(|_| !end.delimiter.is_empty())?;
    Some(first.len() + 1 + body)
}
