//! The lines of a hit that show why it was found, with the words that match.

use crate::layout::INDENT;
use crate::style::{MATCH, paint};
use session_display::{Preview, PreviewPart};

/// Returns at most two indented lines, the words that match in bold.
pub fn format_preview(preview: &Preview, width: usize) -> String {
    let lines = preview.lines(width.saturating_sub(INDENT));
    let painted = |line: &Vec<PreviewPart>| line.iter().map(painted).collect::<String>();
    let lines = lines.iter();
    lines
        .map(|line| format!("{:INDENT$}{}\n", "", painted(line)))
        .collect()
}

fn painted(part: &PreviewPart) -> String {
    match part.is_match {
        true => paint(MATCH, &part.text),
        false => part.text.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_match_are_bold() {
        let part = |text: &str, is_match| PreviewPart {
            text: text.into(),
            is_match,
        };
        assert_eq!(
            painted(&part("lamp", true)),
            format!("{MATCH}lamp{MATCH:#}")
        );
        assert_eq!(painted(&part("lamp", false)), "lamp");
    }
}
