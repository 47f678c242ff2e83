//! JSON whose strings are safe to print: for terminals and for models alike.

use crate::text::sanitize_text;
use serde::Serialize;
use serde_json::ser::{CharEscape, Formatter, PrettyFormatter, Serializer};
use std::io::{self, Write};

/// Formats a value as JSON on several lines, its strings [sanitized](sanitize_text).
///
/// # Errors
/// When the value cannot be serialised.
pub fn format_pretty(value: &impl Serialize) -> serde_json::Result<String> {
    write_to_string(value, SafeFormatter::new(PrettyFormatter::new()))
}

/// Returns the same on one line.
///
/// # Errors
/// As [`format_pretty`].
pub fn format_compact(value: &impl Serialize) -> serde_json::Result<String> {
    write_to_string(value, SafeFormatter::new(serde_json::ser::CompactFormatter))
}

/// Formats a value as JSON on several lines that keeps its strings to the byte: what is not printable
/// stands as an escape (`\u202e`). For what another program reads back.
///
/// # Errors
/// As [`format_pretty`].
pub fn format_lossless(value: &impl Serialize) -> serde_json::Result<String> {
    let json = serde_json::to_string_pretty(value)?;
    let mut out = String::with_capacity(json.len());
    let mut rest = json.as_str();
    let is_plain = |c: char| c.is_ascii() && c != '\u{7f}';
    while let Some(at) = rest.find(|c| !is_plain(c)) {
        let (head, tail) = rest.split_at(at);
        let end = tail.find(is_plain).unwrap_or(tail.len());
        let (run, tail) = tail.split_at(end);
        out.push_str(head);
        if sanitize_text(run) == run {
            out.push_str(run)
        } else {
            out.extend(run.encode_utf16().map(|unit| format!("\\u{unit:04x}")))
        }
        rest = tail;
    }
    out.push_str(rest);
    Ok(out)
}

/// Writes a value as [`format_pretty`] formats it, without holding the document in memory.
///
/// # Errors
/// When the value cannot be serialised, or `out` cannot be written.
pub fn write_pretty(value: &impl Serialize, out: impl Write) -> serde_json::Result<()> {
    let formatter = SafeFormatter::new(PrettyFormatter::new());
    value.serialize(&mut Serializer::with_formatter(out, formatter))
}

fn write_to_string<F: Formatter>(
    value: &impl Serialize,
    formatter: SafeFormatter<F>,
) -> serde_json::Result<String> {
    let mut out = Vec::new();
    value.serialize(&mut Serializer::with_formatter(&mut out, formatter))?;
    Ok(String::from_utf8_lossy(&out).into_owned())
}

/// A formatter whose strings hold nothing that a terminal obeys or nobody sees. serde gives a
/// string in parts, between characters that JSON escapes: a string is gathered and written at its
/// end.
struct SafeFormatter<F> {
    inner: F,
    text: String,
    in_string: bool,
}

impl<F> SafeFormatter<F> {
    fn new(inner: F) -> Self {
        Self {
            inner,
            text: String::new(),
            in_string: false,
        }
    }
}

/// Numbers that are keys stand within a string.
macro_rules! numbers {
    ($($write:ident: $number:ty),*) => {$(
        fn $write<W: ?Sized + Write>(&mut self, out: &mut W, value: $number) -> io::Result<()> {
            if self.in_string {
Ok(self.text.push_str(&value.to_string()))
} else {
self.inner.$write(out, value)
}
        }
    )*};
}

impl<F: Formatter> Formatter for SafeFormatter<F> {
    numbers!(write_bool: bool, write_i8: i8, write_i16: i16, write_i32: i32, write_i64: i64, write_i128: i128);
    numbers!(write_u8: u8, write_u16: u16, write_u32: u32, write_u64: u64, write_u128: u128);
    numbers!(write_f32: f32, write_f64: f64);

    fn begin_string<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.text.clear();
        self.in_string = true;
        Ok(())
    }

    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        _: &mut W,
        part: &str,
    ) -> io::Result<()> {
        self.text.push_str(part);
        Ok(())
    }

    fn write_char_escape<W: ?Sized + Write>(
        &mut self,
        _: &mut W,
        escape: CharEscape,
    ) -> io::Result<()> {
        self.text.push(match escape {
            CharEscape::Quote => '"',
            CharEscape::ReverseSolidus => '\\',
            CharEscape::Solidus => '/',
            CharEscape::Backspace => '\u{8}',
            CharEscape::FormFeed => '\u{c}',
            CharEscape::LineFeed => '\n',
            CharEscape::CarriageReturn => '\r',
            CharEscape::Tab => '\t',
            CharEscape::AsciiControl(byte) => byte.into(),
        });
        Ok(())
    }

    fn end_string<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.in_string = false;
        serde_json::to_writer(out, &sanitize_text(&self.text)).map_err(io::Error::from)
    }

    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.inner.begin_array(out)
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.inner.end_array(out)
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.inner.begin_array_value(out, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.inner.end_array_value(out)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.inner.begin_object(out)
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.inner.end_object(out)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.inner.begin_object_key(out, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.inner.begin_object_value(out)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.inner.end_object_value(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    #[test]
    fn strings_are_printable_and_all_else_is_as_serde_writes_it() {
        let value = json!({"a\u{202e}": ["x\u{1b}]52;c;cm0=\u{7}y\n\"\\", 1, null, true], "b": {}, "c": []});
        let safe = json!({"a": ["xy\n\"\\", 1, null, true], "b": {}, "c": []});
        assert_eq!(
            format_pretty(&value).unwrap(),
            serde_json::to_string_pretty(&safe).unwrap()
        );
        assert_eq!(format_compact(&value).unwrap(), safe.to_string());
        let numbers = std::collections::BTreeMap::from([(7, 0.5), (8, 1.0)]);
        assert_eq!(format_compact(&numbers).unwrap(), r#"{"7":0.5,"8":1.0}"#);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

        #[test]
        fn what_is_lossless_reads_back_and_shows_nothing_unsafe(text in "(\\PC|[\u{0}-\u{1f}\u{7f}]|[\u{200b}-\u{206f}]|[\u{e0000}-\u{e007f}]){0,30}") {
            let json = format_lossless(&text).unwrap();
            prop_assert_eq!(sanitize_text(&json), json.as_str());
            prop_assert_eq!(serde_json::from_str::<Value>(&json).unwrap(), Value::from(text));
        }
    }
}
