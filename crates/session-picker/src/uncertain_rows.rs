//! Rows with text about whose columns terminals disagree.

use ratatui::buffer::{Buffer, Cell, CellDiffOption};
use unicode_width::UnicodeWidthStr;

/// The screen as it was drawn last, to find rows that have to be written whole.
///
/// Only cells that change are written, at the columns where this program expects them. Terminals give other columns to some wide
/// letters, combining marks and emoji: there, what was expected to be overwritten stays.
#[derive(Debug, Default)]
pub(crate) struct UncertainRows {
    drawn: Buffer,
}

impl UncertainRows {
    /// Marks the rows of the next screen that are to be written whole, and returns them. Each is to be erased before: it has
    /// changed, and held or holds text of uncertain width.
    pub(crate) fn mark_rows(&mut self, next: &mut Buffer) -> Vec<u16> {
        let columns = usize::from(next.area.width).max(1);
        let mut marked = Vec::new();
        if self.drawn.area == next.area {
            let rows = self.drawn.content.chunks(columns);
            let rows = rows.zip(next.content.chunks_mut(columns));
            for (y, (drawn, next)) in (next.area.y..).zip(rows) {
                if drawn != next && (is_uncertain(drawn) || is_uncertain(next)) {
                    marked.push(y);
                }
            }
        }
        self.drawn.clone_from(next);
        for y in &marked {
            let start = usize::from(y - next.area.y) * columns;
            let cells = &mut next.content[start..start + columns];
            cells.iter_mut().for_each(|cell| {
                cell.set_diff_option(CellDiffOption::AlwaysUpdate);
            });
        }
        marked
    }

    /// Forgets the screen: all of it is cleared and written anew.
    pub(crate) fn clear(&mut self) {
        self.drawn = Buffer::default();
    }
}

/// Returns true for cells with wide text or clusters of several characters.
fn is_uncertain(row: &[Cell]) -> bool {
    let is_uncertain = |symbol: &str| {
        !symbol.is_ascii() && (symbol.width() != 1 || symbol.chars().nth(1).is_some())
    };
    row.iter().any(|cell| is_uncertain(cell.symbol()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_uncertain_width_are_written_whole_when_they_change() {
        let mut rows = UncertainRows::default();
        let mut check = |lines: [&str; 4], expected: &[u16]| {
            // The last row makes all screens as wide.
            let [a, b, c, d] = lines;
            let mut next = Buffer::with_lines([a, b, c, d, "--------"]);
            let marked = rows.mark_rows(&mut next);
            let is_whole = |y: &u16| next[(0, *y)].diff_option == CellDiffOption::AlwaysUpdate;
            assert_eq!((0..5).filter(is_whole).collect::<Vec<u16>>(), marked);
            assert_eq!(marked, expected, "{lines:?}");
        };
        // The first screen is written whole.
        check(["हिन्दी", "ไม่", "🇩🇪", "│é…a"], &[]);
        check(["हिन्दी", "ไม่", "🇩🇪", "│é…b"], &[]);
        check(["abc", "ไม่ a", "🇩🇪", "│é…b"], &[0, 1]);
        check(["abd", "ไม่ a", "猫", "👩‍💻"], &[2, 3]);
        rows.clear();
        let mut next = Buffer::with_lines(["猫", "", "", "", "--------"]);
        assert!(rows.mark_rows(&mut next).is_empty());
    }
}
