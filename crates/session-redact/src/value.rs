//! Values behind the name of a secret: a secret, or a placeholder, a type, a variable, a sentence.

use crate::entropy::shannon_entropy;
use crate::name::{SecretName, is_secret_name};
use crate::placeholder::is_placeholder;
use crate::type_name::{is_type_name, is_width};

/// How a value stands behind its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValueContext {
    /// In quotes.
    Quoted,
    /// Bare, in code, YAML or a list of fields.
    Bare,
    /// Bare, all that follows on the line of a field of YAML, TOML or properties.
    Field,
    /// Bare, in an environment assignment or after a flag: all of it is the value.
    Literal,
    /// In a sentence.
    Prose,
}

/// Returns true for letters with a digit and a symbol that hardly anything but a password has beside them.
pub(crate) fn is_complex(value: &str) -> bool {
    let is_symbol = |c: char| "!#^*~@&?".contains(c);
    // The mark that a template begins with is no symbol of its own.
    let inner = value.trim_start_matches(['$', '<', '%', '[', '*', '#', '{']);
    value.len() >= 8 && has_letter(inner) && has_digit(inner) && inner.contains(is_symbol)
}

/// Returns true for a value that is a password whatever its name says: with a digit and a symbol, or drawn at random.
pub(crate) fn is_strong(value: &str) -> bool {
    // Operators of code.
    is_complex(&value.replace(['*', '^', '&'], "")) || is_random_token(value)
}

/// Returns true if one line of a value of several is a secret.
fn has_secret_line(value: &str, name: SecretName, context: ValueContext) -> bool {
    // The parts of a path may begin with `n`.
    let is_path =
        value.contains("\\\\") || value.get(1..).is_some_and(|rest| rest.starts_with(":\\"));
    let mut lines = value.split('\n').flat_map(|line| line.split("\\n"));
    !is_path
        && lines.any(|line| {
            !line.contains(char::is_whitespace)
                && (name == SecretName::Generated || is_strong(line))
                && is_secret(line, name, context)
        })
}

/// Returns true for what stands where a secret would, and is none.
pub(crate) fn is_no_secret_by_position(value: &str) -> bool {
    is_placeholder(value) || is_reference(value) || is_variable(value) || value.chars().count() < 3
}

/// Returns true for the name of a secret in the place of one: `dbPassword`, `DB_PASSWORD`.
fn is_variable(value: &str) -> bool {
    let is_constant =
        value.contains('_') && value.chars().all(|c| c.is_ascii_uppercase() || c == '_');
    is_constant || (!has_digit(value) && is_wordlike(value) && is_secret_name(value))
}

/// Returns true for a member access, a call or a path of a name: `self.token`, `getToken()`.
fn is_reference(value: &str) -> bool {
    let is_name = |part: &str| {
        let part = part.trim_end_matches(['!', '?']);
        part.starts_with(|c: char| c.is_alphabetic() || "_$".contains(c)) && is_wordlike(part)
    };
    let is_access = value.contains('.') && value.split('.').all(is_name);
    is_access || value.contains("::") || value.contains('(') || value.contains("->")
}

/// Returns true for a name of words in camel case with at most one number: `ed25519Seed`.
pub(crate) fn is_camel_case_variable(value: &str) -> bool {
    let numbers = value.split(|c: char| !c.is_ascii_digit());
    let has_few_numbers = numbers.filter(|number| !number.is_empty()).count() <= 1;
    let mut words = value.split(|c: char| c.is_ascii_digit() || c.is_ascii_uppercase());
    let first = words.next().unwrap_or_default();
    let is_word = |rest: &str| rest.bytes().all(|byte| byte.is_ascii_lowercase());
    // A capital is followed by the rest of its word, a digit by another digit or by a capital.
    let has_short_word = value.as_bytes().windows(2).any(|pair| {
        pair[0].is_ascii_uppercase() && !pair[1].is_ascii_lowercase()
            || pair[0].is_ascii_digit() && pair[1].is_ascii_lowercase()
    });
    value.len() <= 30
        && first.len() >= 2
        && is_word(first)
        && words.all(is_word)
        && value.contains(|c: char| c.is_ascii_uppercase())
        && !value.ends_with(|c: char| c.is_ascii_uppercase())
        && has_few_numbers
        && !has_short_word
}

/// Returns true for a value of a cookie that identifies a session.
pub(crate) fn is_cookie_secret(value: &str) -> bool {
    value.len() >= 10
        && !value.contains(' ')
        && !is_placeholder(value)
        && has_digit(value)
        && has_letter(value)
        && !is_wordlike(value)
}

/// Returns true for a password as people choose them: letters with digits and symbols.
pub(crate) fn is_user_chosen_password(value: &str) -> bool {
    let has_symbol = value
        .chars()
        .any(|c| c.is_ascii_punctuation() && !"/.:_-,".contains(c));
    has_symbol
        && has_digit(value)
        && !is_fragment(value)
        && is_secret(value, SecretName::Password, ValueContext::Prose)
}

/// Returns true for a place in a file or an issue: `guide-v2.md#setup-3`, `my-repo#1234`.
fn is_fragment(value: &str) -> bool {
    let Some((page, fragment)) = trim_sentence_end(value).split_once('#') else {
        return false;
    };
    let is_fragment = |c: char| c.is_alphanumeric() || "_-".contains(c);
    is_page(page) && fragment.chars().all(is_fragment)
}

/// Returns true for a name in lower case of several parts, and for that of a file.
fn is_page(page: &str) -> bool {
    let file = page.rsplit_once('.');
    let is_file = file.is_some_and(|(_, extension)| extension.len() <= 4 && is_word(extension));
    let has_parts = || page.contains(['-', '_', '.']) && page.chars().all(is_lowercase_part);
    is_file || has_parts()
}

fn is_lowercase_part(c: char) -> bool {
    c.is_lowercase() || c.is_ascii_digit() || "_-.".contains(c)
}

fn trim_sentence_end(value: &str) -> &str {
    value.trim_end_matches(['.', ',', ';', ':', ')'])
}

/// Shortest value, in bytes, that is judged by its entropy: 99.99 % of 20 random letters and digits have 3.3 bits per byte
/// or more, which of shorter ones is not sure.
const MIN_RANDOM_BYTES: usize = 20;
/// Least entropy of a value with a digit whose name alone says little, in bits per byte: that of the rules for header
/// values in `rules/session-search.toml`. Digits alone, as of identifiers and times, have 2.95 on average.
const MIN_WEAKLY_NAMED_ENTROPY: f64 = 3.3;
/// Least entropy of a value without digits behind the name of a key, in bits per byte: lower, since the case of its
/// letters must be mixed, too.
const MIN_LETTERS_ENTROPY: f64 = 3.2;
/// Shortest generated value, in bytes: no service draws fewer for a key or token.
const MIN_GENERATED_BYTES: usize = 8;
/// Shortest generated value, in bytes, where less tells it from others: no mark around it, in a sentence, or no digit in
/// it, after a flag.
const MIN_UNMARKED_BYTES: usize = 12;

/// Returns true when a value behind the name of a secret is one.
pub(crate) fn is_secret(value: &str, name: SecretName, context: ValueContext) -> bool {
    if value.contains('\n') || value.contains("\\n") {
        return has_secret_line(value, name, context);
    }
    if is_placeholder(value)
        || is_location(value)
        || (context == ValueContext::Bare && is_variable(value))
    {
        return false;
    }
    if matches!(context, ValueContext::Bare | ValueContext::Field)
        && (is_reference(value) || is_expression(value) || is_type_name(value))
    {
        return false;
    }
    if context != ValueContext::Literal && is_reference(value) && !has_digit(value) {
        return false;
    }
    match name {
        SecretName::Password => is_password(value, context),
        SecretName::Generated => is_generated(value, context),
        SecretName::Weak => {
            value.len() >= MIN_RANDOM_BYTES
                && !is_wordlike(value)
                && shannon_entropy(value) >= MIN_WEAKLY_NAMED_ENTROPY
                && has_digit(value)
        }
    }
}

fn is_password(value: &str, context: ValueContext) -> bool {
    // A curly apostrophe joins the parts of a word as a hyphen does: `it’s`.
    let value = &value.replace('’', "-");
    let length = value.chars().count();
    let has_symbol = value
        .chars()
        .any(|c| !c.is_alphanumeric() && !c.is_whitespace() && !"_-.,:;'".contains(c));
    let is_complex = has_letter(value) && (has_digit(value) || has_symbol);
    let is_no_word = length >= 8 && !value.contains(char::is_whitespace) && !is_wordlike(value);
    let is_number = value.len() >= 6 && value.bytes().all(|byte| byte.is_ascii_digit());
    let is_phrase = context == ValueContext::Literal && has_mixed_word(value);
    if (is_sentence(value) && !is_phrase) || is_color(value) || length < 4 {
        return false;
    }
    match context {
        ValueContext::Prose => {
            is_complex && length >= 6 && (has_digit(value) || !is_wordlike(value))
        }
        ValueContext::Literal => {
            is_complex || is_number || (length >= 6 && !value.contains(char::is_whitespace))
        }
        ValueContext::Quoted => is_complex || is_number || is_no_word,
        ValueContext::Bare => {
            is_complex && (!is_numbered_name(value) || is_numbered_password(value))
        }
        ValueContext::Field => is_complex || is_no_word,
    }
}

/// Returns true for a color of CSS: `#16a34a`.
fn is_color(value: &str) -> bool {
    let digits = value.strip_prefix('#').unwrap_or_default();
    matches!(digits.len(), 3 | 4 | 6 | 8) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn is_generated(value: &str, context: ValueContext) -> bool {
    let min_bytes = match context {
        ValueContext::Prose => MIN_UNMARKED_BYTES,
        _ => MIN_GENERATED_BYTES,
    };
    if value.len() < min_bytes || value.contains(char::is_whitespace) || is_wordlike(value) {
        return false;
    }
    let is_long = value.len() >= MIN_RANDOM_BYTES
        && shannon_entropy(value) >= MIN_LETTERS_ENTROPY
        && is_mixed_case(value);
    let is_literal = context == ValueContext::Literal
        && value.len() >= MIN_UNMARKED_BYTES
        && !is_numbered_name(value);
    (has_digit(value) && has_letter(value) && !is_numbered_name(value)) || is_long || is_literal
}

/// Returns true for words that are joined by `-`, `_`, `.`, `/` or `:`, with numbers of up to four digits.
pub(crate) fn is_wordlike(value: &str) -> bool {
    let parts = value.split(['-', '_', '.', '/', ':', ' ', '+']);
    let is_number = |part: &str| part.len() <= 4 && part.bytes().all(|byte| byte.is_ascii_digit());
    let parts = parts.filter(|part| !part.is_empty());
    parts.clone().count() > 0 && parts.clone().all(|part| is_word(part) || is_number(part))
}

/// Returns true for letters in one case, or with a capital first, or in camel case of long words.
pub(crate) fn is_word(part: &str) -> bool {
    let letters = part.chars().all(char::is_alphabetic);
    let changes = part
        .chars()
        .zip(part.chars().skip(1))
        .filter(|(a, b)| a.is_lowercase() && b.is_uppercase())
        .count();
    let is_upper = part.chars().all(|c| !c.is_lowercase());
    letters && part.len() <= 30 && (is_upper || changes * 5 <= part.len())
}

/// Returns true for words with spaces between them.
fn is_sentence(value: &str) -> bool {
    let words = value.split_whitespace();
    let plain = |word: &str| {
        word.chars()
            .all(|c| c.is_alphabetic() || ".,!?:;'’…()-".contains(c))
    };
    words.clone().count() > 1
        && words.clone().filter(|word| plain(word)).count() * 2 > words.count()
}

/// Returns true for a word of digits and letters among others: `foo bar 9baz`.
fn has_mixed_word(value: &str) -> bool {
    let mut words = value.split(' ');
    words.any(|word| has_digit(word) && has_letter(word))
}

/// Returns true for a name with a number: `token1`, `key_2`.
pub(crate) fn is_numbered_name(value: &str) -> bool {
    let name = value.trim_end_matches(|c: char| c.is_ascii_digit());
    value.len() - name.len() <= 2
        && name.len() >= 3
        && name.chars().all(|c| c.is_alphabetic() || c == '_')
        && is_wordlike(name)
}

/// Returns true for a word with a number that hardly any variable has: behind a capital (`Welcome1`), or of two digits
/// behind a long word (`hunter22`), which is not the name of a secret or of a placeholder.
fn is_numbered_password(value: &str) -> bool {
    let word = value.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = &value[word.len()..];
    let is_capitalized = word.starts_with(char::is_uppercase) && value.len() >= 6;
    let is_long = word.starts_with(char::is_lowercase) && value.len() >= 8;
    word.chars().skip(1).all(char::is_lowercase)
        && (is_capitalized || (is_long && number.len() == 2 && !is_width(number)))
        && !is_placeholder(word)
        && !is_secret_name(word)
}

/// Returns true for a URL without credentials, and for a path.
fn is_location(value: &str) -> bool {
    let is_path = ["/", "./", "../", "~/", "C:\\"]
        .iter()
        .any(|start| value.starts_with(start))
        && !value.contains(['+', '=', ' '])
        && value[1..].contains(['/', '.', '\\']);
    is_path
        || (value.replace("\\\"", "").contains('\\') && !is_escaped_password(value))
        || value.contains("://")
        || (value.contains('/') && is_wordlike(&value.replace('#', "-")))
}

/// Returns true for a password with a backslash before a digit or a symbol, which begins no name of a file. Regular
/// expressions have classes and groups.
fn is_escaped_password(value: &str) -> bool {
    let escaped = value.split('\\').skip(1);
    let is_symbol = |part: &str| part.starts_with(|c: char| !c.is_alphabetic());
    escaped.clone().count() == 1
        && escaped.into_iter().all(is_symbol)
        && is_complex(value)
        && !value.contains(['(', '[', '+', '^'])
}

/// Returns true for code that computes a value. One that only begins as such is a password: `!Jtsd9gIbLtE`.
fn is_expression(value: &str) -> bool {
    let operand = value.trim_start_matches(['&', '*', '!', '?', '|', '=', '>', '+']);
    value.contains(['(', ')', '{', '}', '[', ']'])
        || (operand.len() < value.len() && !is_random_token(operand))
}

/// Returns true for letters of both cases with digits that are neither words nor a name of code.
pub(crate) fn is_random_token(value: &str) -> bool {
    value.len() >= 8
        && has_digit(value)
        && value.contains(|c: char| c.is_ascii_lowercase())
        && value.contains(|c: char| c.is_ascii_uppercase())
        && !value.contains(char::is_whitespace)
        && !is_reference(value)
        && !is_type_name(value)
        && !is_camel_case_variable(value)
        && !is_numbered_name(value)
        && !is_wordlike(value)
}

fn has_digit(value: &str) -> bool {
    value.bytes().any(|byte| byte.is_ascii_digit())
}

fn has_letter(value: &str) -> bool {
    value.chars().any(char::is_alphabetic)
}

/// Returns true for letters whose case changes within words, as nobody writes them.
fn is_mixed_case(value: &str) -> bool {
    let is_token = value.len() >= 16 && !value.contains(char::is_whitespace);
    let has_both = value.contains(|c: char| c.is_ascii_lowercase())
        && value.contains(|c: char| c.is_ascii_uppercase());
    is_token && has_both && !is_wordlike(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONTEXTS: [ValueContext; 5] = [
        ValueContext::Quoted,
        ValueContext::Bare,
        ValueContext::Field,
        ValueContext::Literal,
        ValueContext::Prose,
    ];

    #[test]
    fn a_word_with_any_apostrophe_is_no_password() {
        for word in ["I’ll", "it’s", "everything’s", "everything's", "l’adresse"] {
            for context in [ValueContext::Bare, ValueContext::Prose] {
                let is_secret = is_secret(word, SecretName::Password, context);
                assert!(!is_secret, "{word} {context:?}");
            }
        }
        for password in ["it’s9lives", "l’Adresse7!"] {
            let is_secret = is_secret(password, SecretName::Password, ValueContext::Quoted);
            assert!(is_secret, "{password}");
        }
    }

    #[test]
    fn a_color_is_no_password() {
        for context in CONTEXTS {
            for color in ["#ca8a04", "#16A34A", "#0f0", "#0f08", "#16a34aff"] {
                let is_secret = is_secret(color, SecretName::Password, context);
                assert!(!is_secret, "{color} {context:?}");
            }
            for password in ["#ca8a0", "#ca8a04g", "#ca8a04!", "ca8a04#f"] {
                let is_secret = is_secret(password, SecretName::Password, context);
                assert!(is_secret, "{password} {context:?}");
            }
        }
    }
}
