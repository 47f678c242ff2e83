//! Names of types, functions and algorithms, which stand in code where a value would.

use crate::value::is_word;

/// Widths of types in bits: `Uint8`, `Float64`, `Sha256`. Not 24, which is a year: `Summer24`.
const WIDTHS: [&str; 12] = [
    "8", "16", "32", "64", "96", "128", "160", "192", "224", "256", "384", "512",
];
/// Words that have a digit behind them in such names, lower case. Behind another word it is of a password: `Welcome1`.
const NUMBERED_WORDS: [&str; 24] = [
    "argon", "auth", "base", "bcrypt", "blake", "fido", "float", "hmac", "html", "http", "int",
    "ipv", "kerberos", "oauth", "pbkdf", "saml", "scrypt", "sha", "tls", "uint", "utf", "uuid",
    "v", "version",
];

/// Returns true for a number that is the width of a type in bits.
pub(crate) fn is_width(number: &str) -> bool {
    WIDTHS.contains(&number)
}

/// Returns true for the name of a type or a function with widths or digits in it: `Uint8Array`, `OAuth2`. Other numbers are
/// of a password: `Welcome123`, `Dragon7`, `Blue7fish`.
pub(crate) fn is_type_name(value: &str) -> bool {
    // As seeds of one-time passwords are.
    let is_base32 = value.len() >= 16
        && value
            .bytes()
            .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
    let is_name = !is_base32
        && value.starts_with(char::is_uppercase)
        && value.chars().all(|c| c.is_alphanumeric() || c == '_');
    let words = value.split(|c: char| c.is_ascii_digit() || c == '_');
    is_name
        && has_numbers_of_type(value)
        && words
            .filter(|word| !word.is_empty())
            .all(|word| word.len() >= 3 && is_word(word))
}

/// Returns true if each number is a width, or a digit that stands before or behind an underscore, before a capital or behind
/// one of the [`NUMBERED_WORDS`]. The last of several at the end is a width: `Maria_1_Luis_2` is a password.
fn has_numbers_of_type(value: &str) -> bool {
    let mut rest = value;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, number) = rest.split_at(at);
        let after = number.trim_start_matches(|c: char| c.is_ascii_digit());
        let number = &number[..number.len() - after.len()];
        let ends_several = after.is_empty() && rest.len() < value.len();
        let is_part = || {
            before.ends_with('_')
                || after.starts_with(|c: char| c == '_' || c.is_uppercase())
                || is_numbered_word(before)
        };
        let is_digit = number.len() == 1;
        if !(if is_digit {
            is_part() && !ends_several
        } else {
            is_width(number)
        }) {
            return false;
        }
        rest = after;
    }
    true
}

/// Returns true if the last word of a name in camel case is one of the [`NUMBERED_WORDS`], or all of the name: `OAuth`, `UTF`.
fn is_numbered_word(name: &str) -> bool {
    let last = name
        .rfind(char::is_uppercase)
        .map_or(name, |at| &name[at..]);
    let is_known = |word: &str| NUMBERED_WORDS.contains(&word.to_lowercase().as_str());
    is_known(last) || is_known(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digit_in_the_name_of_a_type_stands_behind_a_known_word_or_before_a_capital() {
        for name in [
            "Argon2",
            "OAuth2",
            "ClientOAuth2",
            "Utf8",
            "UTF8",
            "Uint8Array",
            "Int8Sha256",
            "Sha1",
            "Sha3_256",
            "Base64Url512",
            "Argon2PasswordHasher",
            "Layer3Norm",
            "LoginV2",
            "Http2Error",
            "Blake3Hash",
            "Pbkdf2",
            "Ipv6",
            "Token",
            "PASSWORD_1",
        ] {
            assert!(is_type_name(name), "{name}");
        }
        for password in [
            "Welcome1",
            "Dragon7",
            "Secret8",
            "Blue7fish",
            "Blue7fish9xyzABC",
            "Hunter2xyz9",
            "Welcome123",
            "Natasha1",
            "BlueFish2",
            "Int8Fish7",
            "Maria_1_Luis_2",
            "Dragon8Auth1",
            "Tiger7Lion_9",
        ] {
            assert!(!is_type_name(password), "{password}");
        }
    }
}
