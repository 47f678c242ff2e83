//! The syntax between the name of a secret and its value: quotes, separators, types, options, verbs.

use std::ops::Range;

#[cfg(test)]
thread_local! {
    /// Bytes of values that this thread read.
    pub(crate) static BYTES_READ: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Counts the bytes that are read of a value, which a test limits: each of many names may be read with all that follows it.
pub(crate) fn count_bytes_read(bytes: usize) {
    #[cfg(test)]
    BYTES_READ.set(BYTES_READ.get() + bytes);
    #[cfg(not(test))]
    let _ = bytes;
}

/// Longest type between a name and its value, in bytes.
const TYPE_BYTES: usize = 40;
/// Longest value in quotes, in bytes.
pub(crate) const VALUE_BYTES: usize = 4096;
/// Longest way in a sentence from a name to its value, in bytes.
pub(crate) const CLAUSE_BYTES: usize = 60;

/// Fields of an object that hold its value.
pub(crate) const VALUE_FIELDS: [&str; 3] = ["value", "plain", "plaintext"];
/// Longest way in an object to the field that holds its value, in bytes.
const OBJECT_BYTES: usize = 120;

/// Quotes as HTML writes them.
const QUOTE_ENTITIES: [&str; 4] = ["&quot;", "&#34;", "&#39;", "&#x27;"];

/// Skips the quote, escaped or not, and the brackets that close a name.
pub(crate) fn skip_closing(rest: &str) -> &str {
    let inner = rest.trim_start_matches('\\');
    let after = inner.strip_prefix(['"', '\'', '`']);
    let mut entities = QUOTE_ENTITIES.iter().chain(&["**"]);
    let after = after.or_else(|| entities.find_map(|entity| rest.strip_prefix(entity)));
    let after = after.unwrap_or(rest);
    after.strip_prefix([']', ')']).unwrap_or(after)
}

pub(crate) fn trim_blanks(text: &str) -> &str {
    text.trim_start_matches([' ', '\t'])
}

/// Returns what follows `=` (in an address `%3D`), `:`, `=>` or `:=`, also behind a type: `: string = `.
pub(crate) fn after_separator(rest: &str) -> Option<&str> {
    if let Some(value) = ["=>", ":=", "?=", "%3D", "%3d"]
        .iter()
        .find_map(|mark| rest.strip_prefix(mark))
    {
        return Some(value);
    }
    if let Some(value) = rest.strip_prefix('=') {
        return (!value.starts_with(['=', '~'])).then_some(value);
    }
    let value = rest.strip_prefix([':', '：', '＝'])?;
    if value.starts_with(':') {
        return None;
    }
    // The end of bold type: `**Password:** …`.
    let value = value.strip_prefix("**").unwrap_or(value);
    Some(after_type(value).unwrap_or(value))
}

/// Returns what is assigned behind a type: ` &str = "…"`.
fn after_type(value: &str) -> Option<&str> {
    let (of_type, _) = session_core::text::clip(value, TYPE_BYTES + 1).split_once('=')?;
    let assigned = value.get(of_type.len() + 1..)?;
    let is_type = of_type
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || " &<>[]|?_'.".contains(c))
        && of_type.ends_with(' ')
        && of_type.trim().contains(|c: char| c.is_ascii_alphabetic());
    (is_type && !assigned.starts_with(['=', '>'])).then_some(assigned)
}

/// Returns true for a value that ends at white space, not within a list or a call.
pub(crate) fn ends_with_its_line(value: &str) -> bool {
    let window = session_core::text::clip(value, VALUE_BYTES);
    let token = window.split(char::is_whitespace).next().unwrap_or_default();
    count_bytes_read(token.len());
    !token.ends_with([',', ';', ')', ']', '}']) && !token.contains(['(', ')', '{', ','])
}

/// Returns what follows the field `value` behind the field with the name: `name: DB_PASSWORD`, then `value: …`.
pub(crate) fn after_value_field(rest: &str) -> Option<&str> {
    let is_between = |c: char| c.is_whitespace() || "\"'\\,-+".contains(c);
    let field = rest.trim_start_matches(is_between);
    let field = field.strip_prefix(['v', 'V'])?.strip_prefix("alue")?;
    let between = rest.len() - field.len();
    let value = trim_blanks(skip_closing(field))
        .strip_prefix([':', '='])
        .filter(|_| between <= CLAUSE_BYTES)?;
    Some(trim_blanks(value))
}

/// Returns the field that holds the value in an object behind a name: `{"type": "string", "value": …`.
pub(crate) fn after_object_field(value: &str) -> Option<&str> {
    let object = value.trim_start().strip_prefix('{')?;
    let fields = session_core::text::clip(object, OBJECT_BYTES);
    let fields = &fields[..fields.find(['{', '}']).unwrap_or(fields.len())];
    let ends = VALUE_FIELDS.iter().flat_map(|name| {
        let begins_name =
            |at: usize| !fields[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let found = fields
            .match_indices(name)
            .filter(move |(at, _)| begins_name(*at));
        found.map(|(at, name)| at + name.len())
    });
    let mut values =
        ends.filter_map(|end| trim_blanks(skip_closing(&object[end..])).strip_prefix([':', '=']));
    values.next().map(trim_blanks)
}

/// Returns what follows the bracket that opens a list of strings behind a name: `": [`.
pub(crate) fn after_list_opening(rest: &str) -> Option<&str> {
    const OPENINGS: [&str; 4] = ["[", "vec![", "&[", "[]string{"];
    let value = after_separator(trim_blanks(skip_closing(rest)))?.trim_start();
    let mut lists = OPENINGS
        .iter()
        .filter_map(|opening| value.strip_prefix(opening));
    lists.find(|list| opening_quote(list.trim_start()).is_some())
}

/// Returns the ranges of the strings that a list begins with.
pub(crate) fn quoted_items(list: &str) -> Vec<Range<usize>> {
    let window = session_core::text::clip(list, VALUE_BYTES);
    let mut items = Vec::new();
    let mut rest = window;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
        let Some(quote) = opening_quote(rest) else {
            return items;
        };
        let inner = &rest[quote.len()..];
        // A class of a regular expression: `["']`.
        if inner.starts_with("']") || inner.starts_with("\"]") {
            return items;
        }
        let length = closing_quote(inner, quote).unwrap_or_default();
        let Some(behind) = inner[length..].strip_prefix(quote) else {
            return items;
        };
        let start = window.len() - inner.len();
        items.push(start..start + length);
        rest = behind;
    }
}

/// Returns the value of an option behind a name: `secret set DB_PASSWORD --body …`.
pub(crate) fn after_option(rest: &str) -> Option<&str> {
    const OPTIONS: [&str; 7] = [
        "--body",
        "--value",
        "--secret-string",
        "--data",
        "--string",
        "--from-literal",
        "-b",
    ];
    let rest = trim_blanks(rest);
    let value = OPTIONS
        .iter()
        .find_map(|option| rest.strip_prefix(option))?;
    value.strip_prefix([' ', '=']).map(trim_blanks)
}

/// Returns true for an argument of OpenSSL that says where a password is, and is none: `env:KEY_PASSWORD`.
pub(crate) fn names_source(argument: &str) -> bool {
    let argument = argument.trim_start_matches(['"', '\'']);
    let mut sources = ["env:", "file:", "fd:"].iter();
    sources.any(|source| argument.starts_with(source))
}

/// Returns the value behind a name in XML, in a call or in an attribute.
pub(crate) fn after_markup(rest: &str) -> Option<&str> {
    let value = [",", "\" value="]
        .iter()
        .find_map(|mark| rest.strip_prefix(mark))?;
    Some(trim_blanks(value))
}

/// Returns the text of the element behind the one with the name, in property lists and the files of Hadoop:
/// `<key>Password</key><string>…`.
pub(crate) fn after_name_element(rest: &str) -> Option<&str> {
    const ELEMENTS: [(&str, &str); 2] = [("</key>", "<string>"), ("</name>", "<value>")];
    let mut values = ELEMENTS.iter().filter_map(|(close, open)| {
        let next = rest.strip_prefix(close)?.trim_start();
        next.strip_prefix(open)
    });
    values.next()
}

/// Returns what may be the value in a sentence, `the password to the boiler is …`, behind each verb of the clause.
pub(crate) fn after_copulas(rest: &str, clause_bytes: usize) -> impl Iterator<Item = &str> {
    const COPULAS: [&str; 16] = [
        " is now ", " is: ", " is ", " was ", " ist ", " lautet ", " war ", " est ", " es ", " è ",
        " é ", " to ", " auf ", " = ", ": ", " für ",
    ];
    let clause = session_core::text::clip(rest, clause_bytes);
    let end = clause
        .find(['\n', '.', ',', ';', '!', '?', '('])
        .unwrap_or(clause.len());
    let clause = clause.get(..end).unwrap_or_default();
    let ends = COPULAS.iter().flat_map(|copula| {
        clause
            .match_indices(copula)
            .map(|(at, _)| at + copula.len())
    });
    let mut ends: Vec<usize> = ends.collect();
    ends.sort_unstable();
    ends.into_iter()
        .filter_map(|at| rest.get(at..))
        .map(trim_blanks)
}

/// Skips the letters before the quote of a literal: `b"…"` of Python and Rust, `r"…"`, `@"…"` of C#.
pub(crate) fn skip_literal_prefix(value: &str) -> &str {
    const PREFIXES: [&str; 7] = ["br", "rb", "b", "r", "u", "B", "@"];
    let mut literals = PREFIXES
        .iter()
        .filter_map(|prefix| value.strip_prefix(prefix));
    literals
        .find(|literal| literal.starts_with(['"', '\'', '\\']) && opening_quote(literal).is_some())
        .unwrap_or(value)
}

/// Returns the quote that opens a value, with its escapes.
pub(crate) fn opening_quote(value: &str) -> Option<&str> {
    let mut entities = QUOTE_ENTITIES.iter();
    if let Some(entity) = entities.find(|entity| value.starts_with(*entity)) {
        return value.get(..entity.len());
    }
    let escapes = value.len() - value.trim_start_matches('\\').len();
    let quote = value[escapes..]
        .chars()
        .next()
        .filter(|c| "\"'`".contains(*c))?;
    value.get(..escapes + quote.len_utf8())
}

/// Returns the length of a quoted value: up to the same quote with as many escapes, on the same line.
pub(crate) fn closing_quote(inner: &str, quote: &str) -> Option<usize> {
    let line = inner.find('\n').unwrap_or(inner.len());
    let line = &inner[..line];
    let is_escaped =
        |at: usize| quote.len() == 1 && line[..at].ends_with('\\') && !line[..at].ends_with("\\\\");
    let end = line
        .match_indices(quote)
        .map(|(at, _)| at)
        .find(|at| !is_escaped(*at));
    end.or(Some(line.len())).filter(|length| *length > 0)
}

/// Most lines of a value in quotes.
const MAX_LINES: usize = 32;

/// Returns the length of a quoted value of several lines, each one word, with its quote behind the last.
pub(crate) fn multiline_length(inner: &str, quote: &str) -> Option<usize> {
    let is_part = |line: &str| {
        count_bytes_read(line.len());
        !line.is_empty() && !line.trim_end().contains(char::is_whitespace)
    };
    let mut length = 0;
    for (number, line) in inner.split('\n').take(MAX_LINES).enumerate() {
        if number > 0
            && let Some((last, behind)) = line.split_once(quote)
        {
            let is_end = behind.is_empty()
                || behind.starts_with(|c: char| c.is_whitespace() || ",;)}]".contains(c));
            return (is_end && (last.is_empty() || is_part(last))).then_some(length + last.len());
        }
        // First what ends the search of a line of many quotes early.
        if line.contains(quote) || line.contains(['"', '\'']) || !is_part(line) {
            return None;
        }
        length += line.len() + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_stands_behind_a_short_type() {
        assert_eq!(after_type(" &str = \"x\""), Some(" \"x\""));
        let longest = format!(" {} ", "a".repeat(TYPE_BYTES - 2));
        assert_eq!(after_type(&format!("{longest}= x")), Some(" x"));
        assert_eq!(after_type(&format!(" {longest}= x")), None);
        assert_eq!(after_type(" é&str = x"), None);
    }
}
