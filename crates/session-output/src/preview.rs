//! The lines of a hit that show why it was found, with the words that match.

use crate::layout::INDENT;
use crate::style::{MATCH, paint};
use session_display::{Preview, PreviewPart};

/// Returns at most two indented lines, the words that match in bold.
pub(crate) fn format_preview(preview: &Preview, width: usize) -> String {
    let lines = preview.wrap_parts(width.saturating_sub(INDENT));
    let painted = |line: &Vec<PreviewPart>| line.iter().map(paint_part).collect::<String>();
    let lines = lines.iter();
    lines
        .map(|line| format!("{:INDENT$}{}\n", "", painted(line)))
        .collect()
}

fn paint_part(part: &PreviewPart) -> String {
    if part.is_match {
        paint(MATCH, &part.text)
    } else {
        part.text.clone()
    }
}
