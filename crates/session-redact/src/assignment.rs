//! Values that are assigned to the names of secrets.

use crate::columns::inserted_values;
use crate::name::{
    SecretName, classify_name, ends_in_copula, is_constant, is_measured, is_name_part,
    length_before_copula, name_of_listed, option_name, phrase_length,
};
use crate::redactor::OPENING;
use crate::rule::SecretMatch;
use crate::shared_name::{is_numbered_directory, is_numbered_part, is_working_directory};
use crate::value::{self, ValueContext};
use crate::value_end::bare_length;
use crate::value_syntax::{
    CLAUSE_BYTES, VALUE_BYTES, after_copulas, after_list_opening, after_markup, after_name_element,
    after_object_field, after_option, after_separator, after_value_field, closing_quote,
    count_bytes_read, ends_with_its_line, multiline_length, names_source, opening_quote,
    quoted_items, skip_closing, skip_literal_prefix, trim_blanks,
};
use session_core::text::{ceil_char_boundary, floor_char_boundary};
use std::ops::Range;

/// Longest name, in bytes.
const NAME_BYTES: usize = 80;
/// Bytes of a value without quotes that is no secret, from which no names are looked for in it: each of many names in one
/// long word would be read with all that follows it.
const LONG_VALUE_BYTES: usize = 256;
/// Most bytes between a name and its value where only the value shows that it is a secret: no word stands between.
const CLOSE_BYTES: usize = 9;

/// A name of a secret in a text.
struct NamedSecret<'t> {
    text: &'t str,
    range: Range<usize>,
    name: SecretName,
}

/// A value behind a name.
struct AssignedValue {
    range: Range<usize>,
    context: ValueContext,
}

impl AssignedValue {
    /// Returns true for a value in which no other name is looked for, though it is no secret.
    fn is_skipped(&self) -> bool {
        self.context != ValueContext::Quoted && self.range.len() > LONG_VALUE_BYTES
    }
}

/// Finds the secrets that are assigned to names around `offsets`, where words of such names stand.
pub(crate) fn find_assigned<'r>(text: &str, offsets: &[usize], found: &mut Vec<SecretMatch<'r>>) {
    let mut end = 0;
    for offset in offsets.iter().copied() {
        // Of `mot de passe` the keyword within comes first.
        if offset < end && phrase_length(&text[offset..]).is_none() {
            continue;
        }
        let Some(range) = name_around(text, offset) else {
            continue;
        };
        end = range.end;
        let Some(named) = NamedSecret::new(text, range) else {
            continue;
        };
        let kind = named.kind();
        if let Some(list) = named.list() {
            let secrets = named.secrets_of_list(list);
            end = secrets.last().map_or(end, |range| range.end);
            found.extend(secrets.into_iter().map(|range| SecretMatch { range, kind }));
            continue;
        }
        let inserted = named.secrets_among(inserted_values(text, &named.range));
        let inserted = inserted.into_iter();
        found.extend(inserted.map(|range| SecretMatch { range, kind }));
        let Some(value) = named.value() else { continue };
        let is_secret = named.is_secret(&value);
        if is_secret || value.is_skipped() {
            end = value.range.end;
        }
        if is_secret {
            found.push(SecretMatch {
                range: value.range,
                kind,
            });
        }
    }
}

/// Classifies a name of two words: `API key`, `access token`.
fn classify_words_before(text: &str, range: &Range<usize>) -> Option<SecretName> {
    let before = text[..range.start].strip_suffix(' ')?;
    let start = before
        .rfind(|c: char| !c.is_alphanumeric())
        .map_or(0, |at| at + 1);
    let word = before.get(start..).filter(|word| !word.is_empty())?;
    let name = format!("{word}_{}", &text[range.clone()]);
    // A vendor: `the Heroku API key`, `Datadog key`.
    let is_vendor = word.len() >= 4 && word.starts_with(char::is_uppercase);
    classify_name(&name).or_else(|| classify_name(&name.to_uppercase()).filter(|_| is_vendor))
}

/// Returns the name that stands around an offset, unless it is too long for one.
fn name_around(text: &str, offset: usize) -> Option<Range<usize>> {
    let offset = offset + usize::from(text[offset..].starts_with(['"', '`', ' ']));
    let (start, length) = (name_start(text, offset)?, name_length(&text[offset..])?);
    // An escaped line break before a name: `\nPASSWORD=`.
    let escaped = text[..start].ends_with('\\') && text[start..].starts_with(['n', 't', 'r']);
    let start = start + usize::from(escaped && start < offset);
    let range = start..offset + length;
    (range.len() <= NAME_BYTES && !range.is_empty()).then_some(range)
}

/// Returns where the name begins that an offset stands in, unless that is too far: a text of one word and
/// many keywords is not read from its beginning for each.
fn name_start(text: &str, offset: usize) -> Option<usize> {
    // One byte makes a name too long; another may be the letter of an escape before it.
    let from = floor_char_boundary(text, offset.saturating_sub(NAME_BYTES + 2));
    let window = &text[from..offset];
    let name = window.len() - window.trim_end_matches(is_name_part).len();
    (name < window.len() || from == 0).then_some(offset - name)
}

/// Returns the length of the rest of a name, unless it is too long.
fn name_length(after: &str) -> Option<usize> {
    if let Some(length) = phrase_length(after).or_else(|| length_before_copula(after)) {
        return Some(length);
    }
    let window = &after[..ceil_char_boundary(after, NAME_BYTES + 1)];
    match window.find(|c: char| !is_name_part(c)) {
        None if window.len() < after.len() => None,
        length => Some(length.unwrap_or(window.len())),
    }
}

impl<'t> NamedSecret<'t> {
    /// Returns the name at a range of a text, if it is that of a secret and stands where a name would.
    fn new(text: &'t str, range: Range<usize>) -> Option<Self> {
        let word = text[range.clone()].trim_start_matches('-');
        let of_list = || {
            let one = name_of_listed(word)?;
            after_list_opening(&text[range.end..]).and_then(|_| classify_name(one))
        };
        let name = classify_name(word)
            .or_else(|| classify_words_before(text, &range))
            .or_else(of_list)?;
        let (before, after) = (&text[..range.start], &text[range.end..]);
        // What replaced a secret names its kind.
        let is_mark = before.ends_with(OPENING);
        // A part of a colon-separated name: `arn:aws:secretsmanager:eu-west-1:1234:secret:db`.
        let is_part = before.ends_with(':') && after.starts_with(':');
        (!is_mark && !is_part).then_some(Self { text, range, name })
    }

    fn written_name(&self) -> &'t str {
        &self.text[self.range.clone()]
    }

    /// Returns the text before the name.
    fn before(&self) -> &'t str {
        &self.text[..self.range.start]
    }

    /// Returns the text behind the name.
    fn after(&self) -> &'t str {
        &self.text[self.range.end..]
    }

    /// Returns the text behind the bracket that opens a list of values.
    fn list(&self) -> Option<&'t str> {
        // A part of a program: `renderPass = ["…"]`.
        let is_part = |name: &str| name.to_lowercase().ends_with("pass");
        let list = after_list_opening(self.after())?;
        (!is_part(self.written_name())).then_some(list)
    }

    /// Returns the longest way in a sentence to the value: `the RSA key fingerprint is …` speaks of no key.
    fn clause_bytes(&self) -> usize {
        match self.name {
            SecretName::Weak => CLOSE_BYTES,
            SecretName::Password | SecretName::Generated => CLAUSE_BYTES,
        }
    }

    fn kind(&self) -> &'static str {
        match self.name {
            SecretName::Password => "password",
            SecretName::Generated | SecretName::Weak => "secret",
        }
    }

    /// Returns the secrets among the strings of a list.
    fn secrets_of_list(&self, list: &str) -> Vec<Range<usize>> {
        let start = self.text.len() - list.len();
        let items = quoted_items(list).into_iter();
        self.secrets_among(items.map(|item| start + item.start..start + item.end))
    }

    /// Returns those of quoted values that are secrets.
    fn secrets_among(&self, ranges: impl IntoIterator<Item = Range<usize>>) -> Vec<Range<usize>> {
        let context = ValueContext::Quoted;
        let values = ranges.into_iter();
        let values = values.map(|range| AssignedValue { range, context });
        let secrets = values.filter(|value| self.is_secret(value));
        secrets.map(|value| value.range).collect()
    }

    /// Returns the value that is assigned to the name, if any is.
    fn value(&self) -> Option<AssignedValue> {
        let rest = self.after();
        let after_name = skip_closing(rest);
        let blank = trim_blanks(after_name);
        if let Some(value) = after_separator(blank) {
            if let Some(value) = after_object_field(value) {
                return self.read_quoted_only(value);
            }
            // A field of YAML on the next line.
            let nested = after_value_field(value).filter(|_| trim_blanks(value).starts_with('\n'));
            return self.read_value(nested.unwrap_or(value), nested.unwrap_or(blank));
        }
        if ends_in_copula(self.written_name()) {
            let value = trim_blanks(rest).trim_start_matches(['「', '『']);
            return self.read(value, ValueContext::Prose);
        }
        if let Some(value) = self.element_text(after_name) {
            return Some(value);
        }
        if let Some(value) = after_name.strip_prefix('(').filter(|_| after_name == rest) {
            return self.read_quoted_only(value);
        }
        if let Some(value) = after_value_field(rest) {
            return self.read_value(value, value);
        }
        if let Some(value) = after_markup(after_name).filter(|_| after_name != rest) {
            return self.read_quoted_only(value);
        }
        if let Some(value) = after_option(after_name) {
            return self.read(value, ValueContext::Literal);
        }
        let argument = self.argument().filter(|_| after_name == rest);
        argument.or_else(|| self.value_in_clause())
    }

    /// Returns the argument of an option. Behind one dash a line of a diff or a sentence may go on.
    fn argument(&self) -> Option<AssignedValue> {
        option_name(self.written_name())?;
        let is_long = self.written_name().starts_with("--");
        let value = trim_blanks(self.after());
        // The next option.
        if value == self.after() || value.starts_with("--") || names_source(value) {
            return None;
        }
        if is_long {
            return self.read(value, ValueContext::Literal);
        }
        let value = self.read(value, ValueContext::Prose);
        value.filter(|value| self.is_secret(value) && !self.is_word_of_text(value))
    }

    /// Returns true for a word behind one dash where a diff, a list or a sentence goes on: `-password reset_v2 page`.
    fn is_word_of_text(&self, value: &AssignedValue) -> bool {
        let word = self.text[value.range.clone()].trim_end_matches(char::is_numeric);
        let behind = self.text[value.range.end..].strip_prefix(' ');
        let begins_line = self.before().is_empty() || self.before().ends_with('\n');
        value.context == ValueContext::Prose
            && value::is_wordlike(word)
            && (begins_line
                || self.written_name().eq_ignore_ascii_case("-pass")
                || behind.is_some_and(|behind| behind.starts_with(char::is_alphabetic)))
    }

    /// Returns the value that the clause behind the name says, if any: `password is …`.
    fn value_in_clause(&self) -> Option<AssignedValue> {
        let rest = self.after();
        // A verb more often than a name: `pass it to …`.
        if self.written_name().eq_ignore_ascii_case("pass") || is_measured(rest) {
            return None;
        }
        // Where a secret was replaced, the rest of the clause is of something else.
        let is_quote = |c: char| "\"'`\\".contains(c);
        let mut values = after_copulas(rest, self.clause_bytes())
            .take_while(|value| !value.trim_start_matches(is_quote).starts_with(OPENING))
            .filter_map(|value| self.read(value, ValueContext::Prose));
        values.find(|value| {
            value::is_secret(&self.text[value.range.clone()], self.name, value.context)
        })
    }

    /// Reads a value behind `=` or `:`.
    fn read_value(&self, value: &str, separated: &str) -> Option<AssignedValue> {
        let name = self.written_name();
        let is_adjacent =
            separated.len() == self.text.len() - self.range.end && separated.starts_with('=');
        let is_literal = is_adjacent
            && !value.starts_with(' ')
            && (is_constant(name) || name.starts_with('-') || self.is_parameter());
        // A quote says where the value ends.
        let is_bare = || !value.starts_with([' ', '"', '\'', '`', '\\']);
        let is_property = || is_adjacent && is_bare() && ends_with_its_line(value);
        let is_prose = !name.is_ascii()
            || (separated.starts_with(':')
                && name.starts_with(char::is_uppercase)
                && !is_constant(name));
        let context = match (is_literal, is_prose) {
            (true, _) => ValueContext::Literal,
            (_, true) => ValueContext::Prose,
            _ if is_property() || self.is_field(value.trim_start()) => ValueContext::Field,
            _ => ValueContext::Bare,
        };
        self.read(trim_blanks(value), context)
    }

    /// Returns true if the value is a secret.
    fn is_secret(&self, value: &AssignedValue) -> bool {
        let text = &self.text[value.range.clone()];
        value::is_secret(text, self.name, value.context)
            && !self.is_of_another_thing(value)
            && !self.is_variable_in_list(value)
            && (!self.is_vague() || value::is_strong(text))
    }

    /// Returns true if the name alone hardly tells that a value follows: `pw` in a text, a copula.
    fn is_vague(&self) -> bool {
        let name = self.written_name();
        let is_separated = self.after().starts_with(['=', ':', '：', '＝']);
        !is_separated && (name.eq_ignore_ascii_case("pw") || ends_in_copula(name))
    }

    /// Returns true for a variable in a list of fields of code: `privateKey: ed25519Seed,`. People choose passwords as such.
    fn is_variable_in_list(&self, value: &AssignedValue) -> bool {
        value.context == ValueContext::Bare
            && self.name != SecretName::Password
            && self.text[value.range.end..].starts_with(',')
            && value::is_camel_case_variable(&self.text[value.range.clone()])
    }

    /// Returns true for the value of another thing that is called so. A field of a connection string is a password.
    fn is_of_another_thing(&self, value: &AssignedValue) -> bool {
        let (name, text) = (self.written_name(), &self.text[value.range.clone()]);
        let is_numbered = match value.context {
            ValueContext::Bare => is_numbered_directory(name, text) || is_numbered_part(name, text),
            ValueContext::Field => is_numbered_part(name, text),
            _ => false,
        };
        is_numbered || (!self.is_parameter() && is_working_directory(name, text))
    }

    /// Returns true if a field begins the line and its value, without a comma or semicolon, ends it.
    fn is_field(&self, value: &str) -> bool {
        if !self.opens_line() {
            return false;
        }
        let line = value
            .split(['\n', '#'])
            .next()
            .unwrap_or_default()
            .trim_end();
        !line.ends_with([',', ';', '{', '(', '|']) && !line.contains(' ')
    }

    /// Returns true if nothing but the marks of a diff, a list or a line's number stands before the name.
    fn opens_line(&self) -> bool {
        let before = self
            .before()
            .trim_end_matches(|c| "-+> │|0123456789→\t".contains(c))
            .trim_end_matches(|c: char| c.is_whitespace() && c != '\n');
        before.is_empty() || before.ends_with('\n')
    }

    /// Returns true if the name stands in a URL's query or in a connection string.
    fn is_parameter(&self) -> bool {
        self.before().ends_with(['?', '&', ';'])
    }

    /// Returns the text of an XML element of this name: `<password>…<`.
    fn element_text(&self, rest: &str) -> Option<AssignedValue> {
        let is_element = self.before().ends_with('<');
        let text = rest.strip_prefix('>').filter(|_| is_element);
        let text = text.or_else(|| after_name_element(rest))?;
        let length = text.find(['<', '\n'])?;
        let start = self.text.len() - text.len();
        (length > 0).then(|| AssignedValue {
            range: start..start + length,
            context: ValueContext::Quoted,
        })
    }

    fn read_quoted_only(&self, value: &str) -> Option<AssignedValue> {
        opening_quote(skip_literal_prefix(value))?;
        let value = self.read(value, ValueContext::Bare)?;
        (value.context == ValueContext::Quoted).then_some(value)
    }

    /// Reads a value: in its quotes, else up to where it ends in its context.
    fn read(&self, value: &str, context: ValueContext) -> Option<AssignedValue> {
        let value = skip_literal_prefix(value);
        let start = self.text.len() - value.len();
        let window = session_core::text::clip(value, VALUE_BYTES);
        if let Some(quote) = opening_quote(window) {
            // A command whose output is assigned.
            if quote == "`" && context == ValueContext::Literal {
                return None;
            }
            let inner = &window[quote.len()..];
            let length = multiline_length(inner, quote).or_else(|| closing_quote(inner, quote))?;
            let begin = start + quote.len();
            let context = match context {
                ValueContext::Literal => ValueContext::Literal,
                _ => ValueContext::Quoted,
            };
            return Some(AssignedValue {
                range: begin..begin + length,
                context,
            });
        }
        let length = bare_length(value, context, !self.is_parameter());
        count_bytes_read(length);
        let kept = match context {
            ValueContext::Prose => value[..length]
                .trim_end_matches(['.', ',', '!', '?', ':', '*'])
                .len(),
            _ => value[..length].trim_end_matches(['.', '\\']).len(),
        };
        // An escaped line break ends a value inside a string.
        let escape = value[..kept].find("\\n").unwrap_or(kept);
        Some(AssignedValue {
            range: start..start + escape,
            context,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::RuleSet;
    use crate::value_syntax::BYTES_READ;
    use proptest::prelude::*;

    /// Each of many names in one word would be read with all that follows it.
    #[test]
    fn a_long_word_of_names_is_read_once() {
        for name in [
            "secret=",
            "pwd=",
            "secret(",
            "api_key=",
            "password=x",
            "token:",
            "password=\"",
            "password=\\\"",
            "password=`",
        ] {
            for end in ["", " "] {
                let word = name.repeat(4000 / name.len()) + end;
                let keywords = RuleSet::bundled().find_keywords(&word);
                BYTES_READ.set(0);
                find_assigned(&word, &keywords.names, &mut Vec::new());
                let read = BYTES_READ.get();
                assert!(read <= 4 * word.len(), "{name}: {read} of {}", word.len());
            }
        }
    }

    /// The same as [`name_around`], from the beginning of the text to its end.
    fn name_in_whole_text(text: &str, offset: usize) -> Option<Range<usize>> {
        let (before, after) = text.split_at(offset);
        let mut start = before.trim_end_matches(is_name_part).len();
        let escaped = before[..start].ends_with('\\') && text[start..].starts_with(['n', 't', 'r']);
        start += usize::from(escaped && start < offset);
        let end = text.len() - after.trim_start_matches(is_name_part).len();
        (end - start <= NAME_BYTES && end > start).then_some(start..end)
    }

    /// The same as [`NamedSecret::opens_line`], by the line as a whole.
    fn opens_whole_line(text: &str, start: usize) -> bool {
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let before = text[line_start..start].trim_start();
        before.chars().all(|c| "-+> │|0123456789→\t".contains(c))
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(4_000) })]

        #[test]
        fn a_name_is_the_same_within_a_window(
            before in "(\\\\n|[ é])?([a-z_é]{0,4}|[a-z_é]{60,90})",
            after in "([a-z_é]{0,4}|[a-z_é]{60,90})([ é=].{0,4})?",
            far in 0_usize..2,
        ) {
            let text = format!("{}{before}key{after}{}", "é ".repeat(far * 60), " é".repeat(far * 60));
            let offset = far * 180 + before.len();
            prop_assert_eq!(name_around(&text, offset), name_in_whole_text(&text, offset));
        }

        #[test]
        fn a_line_is_opened_by_what_stands_before_the_name(before in "[-+>│0-9→\\t \\r\\n\u{a0}a]{0,12}") {
            let text = format!("{before}key");
            let named = NamedSecret { text: &text, range: before.len()..text.len(), name: SecretName::Weak };
            prop_assert_eq!(named.opens_line(), opens_whole_line(&text, before.len()));
        }
    }
}
