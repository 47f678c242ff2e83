//! Finds secrets in session text and replaces each by `[redacted:<kind>]`.
//!
//! A [`Redactor`] reads a text in one pass over the keywords of all rules and runs a rule only around the
//! keywords that it names. Three kinds of rules find secrets:
//!
//! - by format: the rules of gitleaks (`rules/gitleaks.toml`) and a few more (`rules/session-search.toml`),
//!   as regular expressions with a least Shannon entropy;
//! - by position: the password of a URL or an SQL statement, an `Authorization` header, a cookie, `curl -u`,
//!   what `echo` pipes into `passwd`;
//! - by name: the value that is assigned to a name such as `DB_PASSWORD`, `"api_key"` or `--token`, unless
//!   it is a placeholder, a type, a variable or a sentence.
//!
//! Redacting is idempotent, and a text without a secret comes back as it was. [`Redactor::redact_turn`]
//! redacts all texts of a turn as a source parsed it, before anything of it is stored.
//!
//! ```
//! use session_redact::{RedactionSettings, Redactor};
//!
//! let redactor = Redactor::new(&RedactionSettings::default()).unwrap();
//! let text = "export DB_PASSWORD='tr0ub4dor&3'; psql postgres://ann:s3cr3t@db/app";
//! assert_eq!(
//!     redactor.redact(text),
//!     "export DB_PASSWORD='[redacted:password]'; psql postgres://ann:[redacted:url-password]@db/app"
//! );
//! assert_eq!(redactor.redact("const password: string = props.password;"), "const password: string = props.password;");
//! ```

mod assignment;
mod columns;
mod content;
mod entropy;
mod keywords;
mod long_word;
mod name;
mod pattern;
mod placeholder;
mod redactor;
mod rule;
mod rules_fingerprint;
mod settings;
mod shared_name;
mod turn;
mod type_name;
mod value;
mod value_end;
mod value_syntax;
#[cfg(test)]
mod word_lengths;

pub use pattern::{
    LetterCase, PatternError, PatternFault, compile_selective_pattern, compile_selective_patterns,
};
pub use redactor::{Redactor, find_redacted_kinds, replace_marks};
pub use settings::RedactionSettings;
