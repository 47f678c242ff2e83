//! Names whose values are secrets: `DB_PASSWORD`, `apiKey`, `client-secret`.

use session_core::text::normalize_searchable;

/// Words that the name of a secret holds, lower case.
const KEYWORDS: [&str; 16] = [
    "pass",
    "pwd",
    " pw",
    "_pw",
    "pw=",
    "pw:",
    "`pw`",
    "secret",
    "token",
    "key",
    "credential",
    "_auth",
    "kennwort",
    "psk",
    "clave",
    "seed",
];

/// How far a name makes its value a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SecretName {
    /// A password: people choose them.
    Password,
    /// A key, token or secret: machines make them.
    Generated,
    /// Something that ends in `KEY`: only what can be nothing else is a secret.
    Weak,
}

/// Endings of a single word.
const PASSWORDS: [&str; 7] = [
    "password",
    "passwd",
    "pwd",
    "passphrase",
    "passwort",
    "kennwort",
    "passcode",
];
/// Names of passwords in other languages, lower case, each a keyword as well.
const PHRASES: [&str; 23] = [
    "รหัสผ่าน",
    "كلمة المرور",
    "كلمة السر",
    "पासवर्ड",
    "ｐａｓｓｗｏｒｄ",
    "mot de passe",
    "mật khẩu",
    "senha",
    "hasło",
    "şifre",
    "wachtwoord",
    "lösenord",
    "пароля",
    "סיסמה",
    "口令",
    "密钥",
    "密鑰",
    "contraseña",
    "пароль",
    "パスワード",
    "密码",
    "密碼",
    "비밀번호",
];
/// Those whose first letter is not ASCII, as a line begins with them: keywords are looked for in either case of ASCII alone.
const CAPITALIZED: [&str; 3] = ["Пароль", "Пароля", "Şifre"];
/// Words between such a name and its value that are written without a space: `密码是：`.
const COPULAS: [char; 6] = ['是', '为', '為', 'は', '는', '은'];
/// Words before `key` that make it a secret.
const KEY_KINDS: [&str; 36] = [
    "api",
    "access",
    "secret",
    "private",
    "encryption",
    "encrypt",
    "signing",
    "sign",
    "account",
    "shared",
    "preshared",
    "storage",
    "master",
    "auth",
    "service",
    "license",
    "licence",
    "webhook",
    "session",
    "admin",
    "app",
    "application",
    "jwt",
    "deploy",
    "hmac",
    "aes",
    "cipher",
    "root",
    "instrumentation",
    "subscription",
    "integration",
    "write",
    "ingest",
    "server",
    "consumer",
    "fernet",
];
/// Words before `seed` that make it a secret; `2fa` is split.
const SEED_KINDS: [&str; 5] = ["otp", "totp", "hotp", "mfa", "fa"];
/// Words after the secret one that do not change what it is.
const SUFFIXES: [&str; 28] = [
    "prod",
    "production",
    "dev",
    "development",
    "staging",
    "stage",
    "live",
    "test",
    "testing",
    "value",
    "string",
    "text",
    "raw",
    "plain",
    "new",
    "old",
    "current",
    "default",
    "primary",
    "secondary",
    "main",
    "b64",
    "base64",
    "env",
    "override",
    "confirm",
    "confirmation",
    "again",
];
/// Words with which a name means something else.
const OTHERS: [&str; 36] = [
    "max",
    "min",
    "next",
    "page",
    "continuation",
    "sync",
    "cancel",
    "cancellation",
    "csrf",
    "xsrf",
    "eos",
    "bos",
    "pad",
    "unk",
    "sep",
    "cls",
    "mask",
    "stop",
    "special",
    "public",
    "pub",
    "foreign",
    "primary",
    "partition",
    "sort",
    "cache",
    "num",
    "count",
    "has",
    "is",
    "show",
    "hide",
    "forgot",
    "reset",
    "idempotency",
    "dedup",
];

/// Returns the words and phrases that the name of a secret holds: where one stands, a name is read
/// around it.
pub(crate) fn keywords() -> impl Iterator<Item = &'static str> {
    KEYWORDS.into_iter().chain(PHRASES).chain(CAPITALIZED)
}

/// Returns the length of the name that a text begins with, of those with spaces or marks, in either case of ASCII.
pub(crate) fn phrase_length(text: &str) -> Option<usize> {
    let is_marked = |phrase: &str| phrase.contains(|c: char| !c.is_alphanumeric());
    let found = PHRASES.iter().find(|phrase| {
        let begin = text.get(..phrase.len());
        begin.is_some_and(|begin| begin.eq_ignore_ascii_case(phrase)) && is_marked(phrase)
    });
    found.map(|phrase| phrase.len())
}

/// Returns the length of the name that a text begins with, of those in languages without spaces, with its copula, where
/// that and a value of ASCII follow: `パスワードはXk9`.
pub(crate) fn length_before_copula(text: &str) -> Option<usize> {
    let phrase = PHRASES.iter().find(|phrase| text.starts_with(**phrase))?;
    let rest = text[phrase.len()..].trim_start_matches(COPULAS);
    let length = text.len() - rest.len();
    (length > phrase.len() && rest.starts_with(|c: char| c.is_ascii_graphic())).then_some(length)
}

/// Returns true for a name that ends in the copula behind which its value stands.
pub(crate) fn ends_in_copula(name: &str) -> bool {
    name.ends_with(COPULAS)
}

/// Returns the name of one of the secrets that a list is named after: `password` of `passwords`. Tokens may be parts of texts.
pub(crate) fn name_of_listed(name: &str) -> Option<&str> {
    let one = name.strip_suffix(['s', 'S'])?;
    (!one.eq_ignore_ascii_case("token") && is_secret_name(one)).then_some(one)
}

/// Returns what the name of a value says of it, if it is that of a secret.
pub(crate) fn classify_name(name: &str) -> Option<SecretName> {
    let lower = name.to_lowercase();
    // Languages without spaces name what it is the password of before it: `数据库密码`.
    let phrase = lower.trim_end_matches(COPULAS);
    if PHRASES.iter().any(|known| phrase.ends_with(known)) {
        return Some(SecretName::Password);
    }
    // Ruby on Rails: no other name ends in `base`.
    if lower.ends_with("secret_key_base") {
        return Some(SecretName::Generated);
    }
    let words = split_words(name);
    let end = words.iter().rposition(|word| !is_suffix(word))?;
    let words = words.get(..=end)?;
    let (last, before) = words.split_last()?;
    if before.iter().any(|word| OTHERS.contains(&word.as_str())) {
        return None;
    }
    let previous = before.last().map(String::as_str);
    classify_words(last, previous, name)
}

fn classify_words(last: &str, previous: Option<&str>, name: &str) -> Option<SecretName> {
    let ends_in = |ends: &[&str]| ends.iter().any(|end| last.ends_with(end));
    let is_pass = (last == "pass" && (previous.is_some() || name != "PASS"))
        || last == "dbpass"
        || last == "pw"
        // Spanish, and the end of an English word.
        || last == "clave";
    // A program, which is followed by the name of a file.
    let is_program = last == "htpasswd";
    if (ends_in(&PASSWORDS) && !is_program) || is_pass {
        return Some(SecretName::Password);
    }
    if (last == "phrase" || last == "word") && previous == Some("pass") {
        return Some(SecretName::Password);
    }
    if ends_in(&[
        "secret",
        "token",
        "apikey",
        "accesskey",
        "secretkey",
        "privatekey",
        "authkey",
    ]) || last == "credential"
        || last == "psk"
    {
        return Some(SecretName::Generated);
    }
    if last == "seed" && previous.is_some_and(|kind| SEED_KINDS.contains(&kind)) {
        return Some(SecretName::Generated);
    }
    if last == "auth" && previous.is_some() && is_constant(name) {
        return Some(SecretName::Password);
    }
    let is_key = last == "key";
    match previous {
        Some(kind) if is_key && KEY_KINDS.contains(&kind) => Some(SecretName::Generated),
        Some(_) if is_key && is_constant(name) => Some(SecretName::Weak),
        _ => None,
    }
}

/// Returns true for the name of a secret, composed or not, also with invisible characters.
pub(crate) fn is_secret_name(name: &str) -> bool {
    classify_name(&normalize_searchable(name)).is_some()
}

/// Fewest letters of an option behind one dash: fewer are several options, or one with its value.
const MIN_OPTION_LETTERS: usize = 4;

/// Returns the name of an option, behind two dashes or one: `--password`, `-password`. In `-psecret` the value is joined.
pub(crate) fn option_name(written: &str) -> Option<&str> {
    let name = written.strip_prefix('-')?;
    let is_joined = || name.strip_prefix('p').is_some_and(is_secret_name);
    // A user, or an object of PowerShell.
    let is_user = || name.eq_ignore_ascii_case("credential");
    let is_one_dash = || name.len() >= MIN_OPTION_LETTERS && !is_joined() && !is_user();
    name.strip_prefix('-')
        .or_else(|| is_one_dash().then_some(name))
}

/// Returns true for a character that names are made of.
pub(crate) fn is_name_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '-'
}

/// Returns true if a name is counted in the text behind it, and is no name: `token count: 286`.
pub(crate) fn is_measured(rest: &str) -> bool {
    const MEASURES: [&str; 4] = [" count", " counts", " limit", " usage"];
    let mut after = MEASURES.iter().filter_map(|word| rest.strip_prefix(word));
    after.any(|rest| !rest.starts_with(is_name_part))
}

/// Returns true for a name as environment variables have it: `DB_PASSWORD`.
pub(crate) fn is_constant(name: &str) -> bool {
    name.contains(|c: char| c.is_ascii_uppercase()) && !name.contains(|c: char| c.is_lowercase())
}

fn is_suffix(word: &str) -> bool {
    SUFFIXES.contains(&word) || word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Splits a name at `_`, `-` and changes of case, in lower case.
pub(crate) fn split_words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut before: Option<char> = None;
    for c in name.chars() {
        let begins = before.is_some_and(|before| {
            (before.is_lowercase() && c.is_uppercase())
                || (before.is_ascii_digit() != c.is_ascii_digit() && !word.is_empty())
        });
        if begins || !c.is_alphanumeric() {
            words.extend(Some(std::mem::take(&mut word)).filter(|word| !word.is_empty()));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        before = Some(c);
    }
    words.extend(Some(word).filter(|word| !word.is_empty()));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_known_by_their_last_words() {
        for name in [
            "DB_PASSWORD",
            "password",
            "PGPASSWORD",
            "mysqlRootPassword",
            "smtp_pass",
            "passphrase",
            "DB_PASSWORD_PROD",
            "password2",
            "пароль",
        ] {
            assert_eq!(classify_name(name), Some(SecretName::Password), "{name}");
        }
        for name in [
            "apiKey",
            "api_key",
            "X-Api-Key",
            "client_secret",
            "SECRET_KEY",
            "_authToken",
            "githubToken",
            "jwt-secret",
            "AWS_SECRET_ACCESS_KEY",
            "SECRET_KEY_BASE",
            "PresharedKey",
            "psk",
        ] {
            assert_eq!(classify_name(name), Some(SecretName::Generated), "{name}");
        }
        assert_eq!(classify_name("OPENAI_KEY"), Some(SecretName::Weak));
        for name in [
            "max_tokens",
            "token_count",
            "tokens",
            "password_hash",
            "passwordField",
            "primary_key",
            "cache_key",
            "key",
            "keyboard",
            "monkey",
            "next_page_token",
            "publicKey",
            "secretName",
            "tokenizer",
            "compass",
            "bypass",
            "csrf_token",
            "forgot_password",
            "item_key",
            "secrets",
            "key_base",
            "htpasswd",
            "pskContext",
        ] {
            assert_eq!(classify_name(name), None, "{name}");
        }
    }
}
