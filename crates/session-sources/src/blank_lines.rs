//! Outputs of calls without the blank lines around them.

/// Returns a text without the space at its end and the blank lines at its beginning. The first line keeps its indentation:
/// of code, and of lines with numbers, it is the only one that would lose it.
pub(crate) fn trim_blank_lines(text: &str) -> &str {
    let text = text.trim_end();
    let blank = text.len() - text.trim_start().len();
    let first_line = text[..blank].rfind('\n').map_or(0, |at| at + 1);
    &text[first_line..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_keeps_its_indentation() {
        for (text, trimmed) in [
            ("     1\ta\n     2\tb\n", "     1\ta\n     2\tb"),
            ("\n \n\t  fn a() {\n\t  }\n\n", "\t  fn a() {\n\t  }"),
            ("a", "a"),
            (" \u{3000}ä ", " \u{3000}ä"),
            (" \n\t ", ""),
            ("", ""),
        ] {
            assert_eq!(trim_blank_lines(text), trimmed, "{text:?}");
        }
    }
}
