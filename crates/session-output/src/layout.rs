//! Lays out session text in columns.

use crate::style::{FAINT, paint};
use anstyle::Style;
use session_display::{truncate_to_columns, wrap_lines};
use unicode_width::UnicodeWidthStr;

/// Indentation of the lines of a hit after its first one, in columns.
pub(crate) const INDENT: usize = 4;
/// Columns between two fields.
pub(crate) const GAP: usize = 3;

/// A styled text in a row of texts.
pub(crate) struct LineField {
    style: Style,
    text: String,
    min_width: usize,
}

impl LineField {
    /// Makes a field that is cut only where a whole line is too short for it.
    pub(crate) fn whole(style: Style, text: impl Into<String>) -> Self {
        Self {
            style,
            text: text.into(),
            min_width: usize::MAX,
        }
    }

    /// Makes a field that may be cut to `min_width` columns rather than begin a line.
    pub(crate) fn cut_to(style: Style, text: impl Into<String>, min_width: usize) -> Self {
        Self {
            min_width,
            ..Self::whole(style, text)
        }
    }
}

/// Lays out fields side by side from a column on. One for which there is no room
/// begins an indented line.
pub(crate) fn lay_out_fields(fields: &[LineField], column: usize, width: usize) -> String {
    let mut out = " ".repeat(column);
    let mut used = column;
    for (n, field) in fields.iter().enumerate() {
        let gap = if n == 0 { 0 } else { GAP };
        if field.text.width().min(field.min_width) + used + gap <= width {
            out.push_str(&" ".repeat(gap));
            used += gap;
        } else if n > 0 {
            out.push('\n');
            out.push_str(&" ".repeat(INDENT));
            used = INDENT;
        }
        let text = truncate_to_columns(&field.text, width.saturating_sub(used));
        used += text.width();
        out.push_str(&paint(field.style, text));
    }
    out.push('\n');
    out
}

/// The column of the names of rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NameColumn {
    /// Columns before a name.
    pub(crate) indent: usize,
    /// Columns of a name with the space behind it. One that is wider has one space there.
    pub(crate) width: usize,
}

impl NameColumn {
    /// Returns how many columns of so many are left beside it for the values.
    pub(crate) fn value_width(self, width: usize) -> usize {
        width.saturating_sub(self.indent + self.width)
    }

    /// Lays out a name, and beside it the lines of its value; nothing where it has none.
    pub(crate) fn lay_out_row(
        self,
        name: &str,
        lines: impl IntoIterator<Item = impl std::fmt::Display>,
    ) -> String {
        let indent = " ".repeat(self.indent);
        let width = self.width.saturating_sub(1);
        let names = std::iter::once(name).chain(std::iter::repeat(""));
        let rows = names.zip(lines).map(|(name, line)| {
            let name = paint(FAINT, format!("{name:<width$} "));
            format!("{indent}{name}{line}\n")
        });
        rows.collect()
    }
}

/// Formats below a list how many of its entries its limit leaves out; empty where it has all.
pub(crate) fn format_limit_note(count: usize, limit: usize) -> String {
    match count.saturating_sub(limit) {
        0 => String::new(),
        more => {
            let note = format!("and {more} more; --limit shows them");
            format!("\n{}\n", paint(FAINT, note))
        }
    }
}

/// Folds a line to `width` columns; all lines but the first are indented.
pub(crate) fn wrap_hanging(text: &str, width: usize) -> String {
    let indent = " ".repeat(INDENT);
    let first = wrap_lines(text, width).next().unwrap_or_default();
    let rest = text.get(first.len()..).unwrap_or_default().trim_start();
    let rest =
        wrap_lines(rest, width.saturating_sub(INDENT)).map(|line| format!("{indent}{line}\n"));
    format!("{first}\n{}", rest.collect::<String>())
}

/// Folds a line as [`wrap_lines`] does. A web address that is wider stands whole on a line of its own, so that a terminal
/// opens it.
pub(crate) fn wrap_around_addresses(text: &str, columns: usize) -> Vec<String> {
    let is_wide_address = |word: &&str| word.contains("://") && word.width() > columns;
    let Some(address) = text.split(' ').find(is_wide_address) else {
        return wrap_lines(text, columns).map(str::to_owned).collect();
    };
    let (before, after) = text.split_once(address).unwrap_or((text, ""));
    let mut lines: Vec<String> = wrap_lines(before.trim_end(), columns)
        .map(str::to_owned)
        .collect();
    lines.push(address.to_owned());
    lines.extend(wrap_around_addresses(after.trim_start(), columns));
    lines
}

/// The first line of an entry of a list.
pub(crate) struct TitledLine {
    /// The fields of the entry.
    pub(crate) fields: Vec<LineField>,
    /// Its title.
    pub(crate) title: LineField,
}

impl TitledLine {
    /// Returns the fields with the title as the last one.
    pub(crate) fn into_fields(self) -> Vec<LineField> {
        let Self { mut fields, title } = self;
        fields.push(title);
        fields
    }

    /// Returns true if the title fits beside the fields.
    fn fits(&self, width: usize) -> bool {
        let fields = self.fields.iter().map(|field| field.text.width() + GAP);
        let title = self.title.text.width().min(self.title.min_width);
        fields.sum::<usize>() + title <= width
    }
}

/// Lays out the first lines of a list's entries. Titles have one place in a list: beside the fields where there is room in
/// all entries, else below them.
pub(crate) fn lay_out_titled(
    lines: impl Iterator<Item = TitledLine>,
    width: usize,
) -> impl Iterator<Item = String> {
    let lines: Vec<TitledLine> = lines.collect();
    let is_beside = lines.iter().all(|line| line.fits(width));
    lines.into_iter().map(move |line| {
        if is_beside {
            return lay_out_fields(&line.into_fields(), 0, width);
        }
        let TitledLine { fields, title } = line;
        lay_out_fields(&fields, 0, width) + &lay_out_fields(&[title], INDENT, width)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_of_a_list_have_one_place() {
        let plain = Style::new();
        let check = |titles: [&str; 2], expected: &str| {
            let lines = titles.map(|title| TitledLine {
                fields: vec![LineField::whole(plain, "abcdefgh")],
                title: LineField::cut_to(plain, title, 12),
            });
            let text: String = lay_out_titled(lines.into_iter(), 20).collect();
            assert_eq!(anstream::adapter::strip_str(&text).to_string(), expected);
        };
        check(["Oil", "Lamp"], "abcdefgh   Oil\nabcdefgh   Lamp\n");
        check(
            ["Oil", "Hang the lamp"],
            "abcdefgh\n    Oil\nabcdefgh\n    Hang the lamp\n",
        );
    }

    #[test]
    fn a_name_that_is_wider_than_its_column_has_a_space_behind_it() {
        let column = NameColumn {
            indent: 1,
            width: 5,
        };
        let row = |name| column.lay_out_row(name, ["a", "b"]);
        let plain = |text: String| anstream::adapter::strip_str(&text).to_string();
        assert_eq!(plain(row("wick")), " wick a\n      b\n");
        assert_eq!(plain(row("lantern")), " lantern a\n      b\n");
    }

    #[test]
    fn all_lines_but_the_first_are_indented() {
        assert_eq!(wrap_hanging("light the lamp", 20), "light the lamp\n");
        assert_eq!(
            wrap_hanging("light the lamp before dark", 14),
            "light the lamp\n    before\n    dark\n"
        );
    }

    #[test]
    fn a_wide_address_stands_whole_on_a_line() {
        let wrapped = wrap_around_addresses("see https://lamps.example/wicks for more of it", 12);
        let expected = ["see", "https://lamps.example/wicks", "for more of", "it"];
        assert_eq!(wrapped, expected);
        assert_eq!(
            wrap_around_addresses("see a://b too", 8),
            ["see", "a://b", "too"]
        );
    }

    #[test]
    fn a_field_without_room_begins_a_line() {
        let plain = Style::new();
        let check = |fields: &[LineField], expected: &str| {
            let text = anstream::adapter::strip_str(&lay_out_fields(fields, 0, 20)).to_string();
            assert_eq!(text, expected);
        };
        let [a, b] = ["abcdefgh", "a title of some length"];
        let whole = |text| LineField::whole(plain, text);
        check(&[whole(a), whole(a)], "abcdefgh   abcdefgh\n");
        check(
            &[whole(a), whole("abcdefghij")],
            "abcdefgh\n    abcdefghij\n",
        );
        check(&[whole(a), whole(b)], "abcdefgh\n    a title of some…\n");
        check(
            &[whole(a), LineField::cut_to(plain, b, 8)],
            "abcdefgh   a title…\n",
        );
        check(
            &[whole(a), LineField::cut_to(plain, b, 12)],
            "abcdefgh\n    a title of some…\n",
        );
    }
}
