//! Values of a column in a statement that inserts rows: `INSERT INTO users (name, password) VALUES ('ann', '…')`.

use session_core::text::{clip, floor_char_boundary};
use std::ops::Range;

/// Longest list of columns on each side of a name, in bytes.
const COLUMNS_BYTES: usize = 500;
/// Longest list of rows, in bytes.
const ROWS_BYTES: usize = 4096;

/// Returns the quoted values of the column that stands at a range of a text; none where no rows are inserted there.
pub(crate) fn inserted_values(text: &str, column: &Range<usize>) -> Vec<Range<usize>> {
    let values = || {
        let number = column_number(&text[..column.start])?;
        let rows = after_columns(&text[column.end..])?;
        Some((number, rows))
    };
    let Some((number, rows)) = values() else {
        return Vec::new();
    };
    let start = text.len() - rows.len();
    let fields = quoted_fields(clip(rows, ROWS_BYTES)).into_iter();
    let of_column = fields.filter(|field| field.column == number);
    of_column
        .map(|field| start + field.range.start..start + field.range.end)
        .collect()
}

/// Returns how many columns stand before a name, since the bracket that opens their list.
fn column_number(before: &str) -> Option<usize> {
    let from = floor_char_boundary(before, before.len().saturating_sub(COLUMNS_BYTES));
    let (_, columns) = before[from..].rsplit_once('(')?;
    (!columns.contains([')', ';', '\''])).then(|| columns.matches(',').count())
}

/// Returns the rows behind the rest of a list of columns and `VALUES`.
fn after_columns(after: &str) -> Option<&str> {
    let is_closing = |c: char| c.is_whitespace() || "\"`]\\".contains(c);
    let is_listed = after.trim_start_matches(is_closing).starts_with([',', ')']);
    // Few names of secrets stand in a list.
    let end = is_listed.then(|| clip(after, COLUMNS_BYTES).find([')', '\'']))??;
    let rest = after[end..].strip_prefix(')')?.trim_start();
    let (word, rows) = rest.split_at_checked("values".len())?;
    word.eq_ignore_ascii_case("values").then_some(rows)
}

/// A value in single quotes within a row.
struct QuotedField {
    column: usize,
    range: Range<usize>,
}

/// Returns the quoted fields of rows, each in brackets. Two quotes within a field end one and begin another.
fn quoted_fields(rows: &str) -> Vec<QuotedField> {
    let mut fields = Vec::new();
    let (mut depth, mut column) = (0_usize, 0);
    let mut opening = None;
    for (at, byte) in rows.bytes().enumerate() {
        match (byte, opening) {
            (b'\'', None) if depth > 0 => opening = Some(at + 1),
            (b'\'', Some(start)) => {
                let range = start..at;
                fields.push(QuotedField { column, range });
                opening = None;
                if rows[at + 1..].starts_with(|c: char| c.is_alphanumeric()) {
                    break;
                }
            }
            (_, Some(_)) => {}
            (b'(', None) if depth == 0 => (depth, column) = (1, 0),
            (b'(', None) => depth += 1,
            (b')', None) => depth = depth.saturating_sub(1),
            (b',', None) if depth == 1 => column += 1,
            (_, None) if depth == 0 && byte != b',' && !byte.is_ascii_whitespace() => break,
            _ => {}
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inserted(text: &str) -> Vec<&str> {
        let start = text.find("password").unwrap();
        let values = inserted_values(text, &(start..start + "password".len()));
        values.into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn the_values_of_a_column_are_read_from_each_row() {
        let rows = "VALUES ('ann', 'a1', now()), (f('x', 'y'), 'b,(2', 3) RETURNING ('c', 'd')";
        for columns in [
            "(name, password, seen)",
            "(`name`,`password`,`seen`)",
            "(name,\n  \"password\",\n  seen)\n",
        ] {
            assert_eq!(
                inserted(&format!("INSERT INTO users {columns} {rows}")),
                ["a1", "b,(2"]
            );
        }
        assert_eq!(inserted("(password) values('é1')"), ["é1"]);
        assert_eq!(inserted("(password) VALUES ($1, 'x')"), [""; 0]);
    }

    #[test]
    fn what_inserts_no_rows_has_no_column() {
        for text in [
            "login(password, 'x') VALUES ('a1')",
            "(f('a'), password) VALUES ('b', 'a1')",
            "(password text) VALUES ('a1')",
            "password) VALUES ('a1')",
            "(password) FROM ('a1')",
            "(password)",
        ] {
            assert_eq!(inserted(text), [""; 0], "{text}");
        }
    }
}
