//! Prose in the columns of a terminal.

use crate::layout::wrap_around_addresses;
use session_core::{CodeFences, FencedLine};
use unicode_width::UnicodeWidthStr;

/// Fewest columns that prose is wrapped to behind the marks of a list or a quote.
const MIN_COLUMNS: usize = 20;

/// Wraps the lines of Markdown prose to `width` columns, the first one behind `begin` columns. Code, tables and lines that
/// begin with four spaces stay as they are; list items keep their indentation.
pub(crate) fn wrap_prose(text: &str, begin: usize, width: usize) -> String {
    let mut fences = CodeFences::default();
    let begins = std::iter::once(begin).chain(std::iter::repeat(0));
    let lines = text.split('\n').zip(begins);
    let wrapped = lines.map(|(line, begin)| {
        if fences.classify(line) == FencedLine::Text && is_wrappable(line) {
            wrap_line(line, width.saturating_sub(begin))
        } else {
            line.to_owned()
        }
    });
    wrapped.collect::<Vec<_>>().join("\n")
}

/// Returns false for indented code and the row of a table.
fn is_wrappable(line: &str) -> bool {
    !line.starts_with("    ") && !line.starts_with('\t') && !line.trim_start().starts_with('|')
}

fn wrap_line(line: &str, columns: usize) -> String {
    if line.width() <= columns {
        return line.to_owned();
    }
    let (marks, words) = line.split_at(block_marks_length(line));
    let columns = columns.saturating_sub(marks.width()).max(MIN_COLUMNS);
    let mut lines = wrap_around_addresses(words, columns).into_iter();
    let mut out = format!("{marks}{}", lines.next().unwrap_or_default());
    // A quote goes on with its mark, an item of a list below its words.
    let hanging = marks.replace(|c| c != '>', " ");
    lines.for_each(|line| out.push_str(&format!("\n{hanging}{line}")));
    out
}

/// Returns how many bytes the indentation and the marks of quotes and of a list item take at the beginning of a line.
fn block_marks_length(line: &str) -> usize {
    let mut rest = line.trim_start_matches(' ');
    while let Some(quoted) = rest.strip_prefix('>') {
        rest = quoted.trim_start_matches(' ');
    }
    rest = strip_list_mark(rest).unwrap_or(rest);
    line.len() - rest.len()
}

/// Returns what stands behind the mark of a list item; `None` if there is no mark.
fn strip_list_mark(line: &str) -> Option<&str> {
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let behind = if number.len() < line.len() {
        number.strip_prefix(['.', ')'])
    } else {
        line.strip_prefix(['-', '*', '+'])
    };
    let words = behind?.trim_start_matches(' ');
    (words.len() < behind?.len()).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_wrapped_and_its_blocks_keep_their_shape() {
        let text = "\
Hang the lantern at the harbour gate.
- trim the wick of the lantern first
  1. then light it before it is dark
> the keeper said that it burns

| a table | of a row that is wide |
    indented code that is much wider
```
code in a fence that is much wider
```
See https://lamps.example/wicks/trimmed for it.
fits  as it  is";
        insta::assert_snapshot!(wrap_prose(text, 0, 24), @r"
        Hang the lantern at the
        harbour gate.
        - trim the wick of the
          lantern first
          1. then light it before
             it is dark
        > the keeper said that
        > it burns

        | a table | of a row that is wide |
            indented code that is much wider
        ```
        code in a fence that is much wider
        ```
        See
        https://lamps.example/wicks/trimmed
        for it.
        fits  as it  is
        ");
    }

    #[test]
    fn the_first_line_stands_behind_what_is_before_it() {
        let text = "hang the lantern at the gate";
        assert_eq!(wrap_prose(text, 5, 30), "hang the lantern at the\ngate");
        assert_eq!(wrap_prose(text, 0, 30), text);
    }
}
