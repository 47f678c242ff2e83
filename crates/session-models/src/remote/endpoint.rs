//! Configuration of an OpenAI-compatible embeddings endpoint.

use crate::{ModelError, UserDirectories};
use session_files::private;
use std::collections::HashMap;
use std::fmt;
use std::ops::RangeInclusive;
use ureq::http::Uri;

/// Token limit of a text where none is configured: any embedding model accepts it.
const DEFAULT_MAX_TOKENS: usize = 512;

/// The least and the greatest token limit of a text.
const TOKEN_LIMITS: RangeInclusive<usize> = 8..=1 << 20;

/// Maximum length of `.env` in bytes.
const MAX_ENV_BYTES: u64 = 64 << 10;

/// A validated OpenAI-compatible embeddings endpoint.
#[derive(Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// URL that texts are posted to. It may hold a password: [`Endpoint::shown_url`] is the one to show.
    pub url: String,
    /// Bearer token of the requests.
    pub api_key: Option<String>,
    /// Name of the model at the endpoint.
    pub model: String,
    /// Maximum number of tokens of a text.
    pub max_tokens: usize,
}

/// Omits the key, so that it gets into no log.
impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.model, self.shown_url())
    }
}

impl Endpoint {
    /// Returns the URL without the user, the password and the values of parameters that it may hold.
    pub fn shown_url(&self) -> String {
        without_credentials(&self.url)
    }

    /// Returns the texts that must not be shown: the key, and in the URL the password and long values of parameters.
    pub(super) fn secrets(&self) -> Vec<&str> {
        let rest = self.url.split_once("://").map(|(_, rest)| rest);
        let authority = rest.and_then(|rest| rest.split(['/', '?', '#']).next());
        let userinfo = authority.and_then(|authority| authority.rsplit_once('@'));
        let password = userinfo.and_then(|(userinfo, _)| userinfo.split_once(':'));
        let password = password.map(|(_, password)| password);
        let values = query_of(&self.url).into_iter().flat_map(parameters);
        let values = values.filter_map(|(_, value)| value);
        let values = values.filter(|value| value.len() >= MIN_SECRET_BYTES);
        let secrets = self.api_key.as_deref().into_iter().chain(password);
        let secrets = secrets.chain(values);
        secrets
            .map(str::trim)
            .filter(|secret| !secret.is_empty())
            .collect()
    }
}

/// Fewest bytes of a parameter's value that may be a key: `v1` is none.
const MIN_SECRET_BYTES: usize = 8;

/// Returns a URL without the user and the password that stand before its host, and without the values of its parameters,
/// which may be keys: `https://host/v1?api-version=…`.
pub fn without_credentials(url: &str) -> String {
    let (scheme, rest) = match url.split_once("://") {
        Some((scheme, rest)) => (format!("{scheme}://"), rest),
        None => (String::new(), url),
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let userinfo = authority.rfind('@').map_or(0, |at| at + 1);
    let (address, query) = match rest[userinfo..].split_once('?') {
        Some((address, query)) => (address, Some(query)),
        None => (&rest[userinfo..], None),
    };
    let shown = |(name, value): (&str, Option<&str>)| match value {
        Some(_) => format!("{name}=…"),
        None => "…".to_owned(),
    };
    let query = query.map(|query| parameters(query).map(shown).collect::<Vec<_>>());
    let query = query.map_or(String::new(), |query| format!("?{}", query.join("&")));
    format!("{scheme}{address}{query}")
}

fn query_of(url: &str) -> Option<&str> {
    url.split_once('?').map(|(_, query)| query)
}

/// Returns the names and values of a query.
fn parameters(query: &str) -> impl Iterator<Item = (&str, Option<&str>)> {
    let pairs = query.split(['&', '#']).filter(|pair| !pair.is_empty());
    pairs.map(|pair| match pair.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (pair, None),
    })
}

/// Variable of the address, which counts in a file alone.
pub const ENDPOINT_URL_VARIABLE: &str = "EMBEDDINGS_URL";
/// Variable of the key.
pub const ENDPOINT_API_KEY_VARIABLE: &str = "EMBEDDINGS_API_KEY";
/// Variable of the name of the model.
pub const ENDPOINT_MODEL_VARIABLE: &str = "EMBEDDINGS_MODEL";
/// Variable of the most tokens that the endpoint reads.
pub const ENDPOINT_MAX_TOKENS_VARIABLE: &str = "EMBEDDINGS_MAX_TOKENS";

/// The settings of an endpoint, as variables or files give them, not yet validated.
#[derive(Clone, Default)]
pub struct EndpointSettings {
    /// That of [`ENDPOINT_URL_VARIABLE`].
    pub url: Option<String>,
    /// That of [`ENDPOINT_API_KEY_VARIABLE`].
    pub api_key: Option<String>,
    /// That of [`ENDPOINT_MODEL_VARIABLE`].
    pub model: Option<String>,
    /// That of [`ENDPOINT_MAX_TOKENS_VARIABLE`].
    pub max_tokens: Option<String>,
}

impl EndpointSettings {
    /// Reads the settings from variables. Blank ones are ignored.
    pub fn from_variables(var: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| var(name).filter(|value| !value.trim().is_empty());
        Self {
            url: set(ENDPOINT_URL_VARIABLE),
            api_key: set(ENDPOINT_API_KEY_VARIABLE),
            model: set(ENDPOINT_MODEL_VARIABLE),
            max_tokens: set(ENDPOINT_MAX_TOKENS_VARIABLE),
        }
    }

    /// Reads the settings from `.env` in the configuration directory.
    ///
    /// An `.env` in the working directory is ignored: a cloned repository must not decide
    /// where a history is sent to.
    ///
    /// # Errors
    /// [`ModelError::InvalidEnvFile`] when the file exists and cannot be parsed, or a value holds a variable.
    pub fn from_env_file(directories: &UserDirectories) -> Result<Self, ModelError> {
        let path = directories.env_file();
        let Some(bytes) = private::read(&path, MAX_ENV_BYTES)? else {
            return Ok(Self::default());
        };
        let text = String::from_utf8_lossy(&bytes);
        let invalid = |reason: String| ModelError::InvalidEnvFile {
            path: path.clone(),
            reason,
        };
        if let Some((line, name)) = find_substitution(&text) {
            return Err(invalid(format!(
                "line {line}: the value of {name} holds `$`, which stands for a variable; put it between single quotes"
            )));
        }
        let parsed = dotenvy::Iter::new(bytes.as_slice()).collect::<Result<_, _>>();
        let vars: HashMap<String, String> =
            parsed.map_err(|error| invalid(describe_parse_error(&text, &error)))?;
        Ok(Self::from_variables(|name| vars.get(name).cloned()))
    }

    /// Fills the settings that are not set from `other`.
    #[must_use]
    pub fn or_from(self, other: Self) -> Self {
        Self {
            url: self.url.or(other.url),
            api_key: self.api_key.or(other.api_key),
            model: self.model.or(other.model),
            max_tokens: self.max_tokens.or(other.max_tokens),
        }
    }

    /// Validates the settings. Returns `None` if no URL is set.
    ///
    /// # Errors
    /// [`ModelError::InvalidEndpoint`] when another setting is missing or invalid.
    pub fn into_endpoint(self) -> Result<Option<Endpoint>, ModelError> {
        let invalid = |reason: &str| ModelError::InvalidEndpoint {
            reason: reason.to_owned(),
        };
        let Some(url) = self.url else {
            return Ok(None);
        };
        if !url.starts_with("http://") && !url.starts_with("https://") {
            return Err(invalid(
                "its address begins with neither http:// nor https://",
            ));
        }
        let has_host = |url: &Uri| url.host().is_some_and(|host| !host.is_empty());
        if !url.trim().parse().is_ok_and(|url| has_host(&url)) {
            return Err(invalid("its address is none"));
        }
        let model = self.model.ok_or_else(|| {
            invalid("no model is named: `model` in `[remote]`, or EMBEDDINGS_MODEL")
        })?;
        let tokens = self
            .max_tokens
            .map_or(Ok(DEFAULT_MAX_TOKENS), |text| text.trim().parse());
        let max_tokens = tokens.ok().filter(|tokens| TOKEN_LIMITS.contains(tokens));
        Ok(Some(Endpoint {
            url: embeddings_url(&url),
            api_key: self.api_key,
            model,
            max_tokens: max_tokens.ok_or_else(|| {
                invalid("its most tokens (`max_tokens`, EMBEDDINGS_MAX_TOKENS) are no whole number from 8 to 1048576")
            })?,
        }))
    }
}

/// Returns the URL of the requests: that of the API may be given, with a query.
fn embeddings_url(url: &str) -> String {
    let (path, query) = url.split_at(url.find('?').unwrap_or(url.len()));
    let path = path.trim_end_matches('/');
    if path.ends_with("/embeddings") {
        format!("{path}{query}")
    } else {
        format!("{path}/embeddings{query}")
    }
}

/// Finds a setting of the endpoint whose value a variable would be put into, and its line. A key with a `$` would be
/// another one without a word, and a project can set variables.
fn find_substitution(text: &str) -> Option<(usize, &str)> {
    let mut lines = text.lines().zip(1..);
    lines.find_map(|(line, number)| {
        let (name, value) = line.split_once('=')?;
        let name = name.trim().trim_start_matches("export ").trim();
        let value = value.trim_start();
        let is_substituted = value.replace("\\$", "").contains('$') && !value.starts_with('\'');
        (name.starts_with("EMBEDDINGS_") && is_substituted).then_some((number, name))
    })
}

/// Describes why `.env` cannot be parsed without the text of its lines, which may be a key.
fn describe_parse_error(text: &str, error: &dotenvy::Error) -> String {
    let dotenvy::Error::LineParse(wrong, _) = error else {
        return "it is not UTF-8 or cannot be read".to_owned();
    };
    let before = text.find(wrong.as_str()).map(|at| &text[..at]);
    let line = before.map_or(1, |before| before.matches('\n').count() + 1);
    format!("line {line} is not NAME=VALUE, or a quote in it is not closed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_and_the_password_are_secrets() {
        let secrets = |url: &str, key: Option<&str>| {
            let endpoint = Endpoint {
                url: url.to_owned(),
                api_key: key.map(str::to_owned),
                model: "m".to_owned(),
                max_tokens: 8,
            };
            endpoint.secrets().join(" ")
        };
        let url = "https://ann:p@ss@host/v1?at=a:b@c";
        assert_eq!(secrets(url, Some("sk-1")), "sk-1 p@ss");
        assert_eq!(secrets("http://ann@host/v1", Some(" ")), "");
        let url = "https://host/v1?api-version=1&key=QKEYsecret88";
        assert_eq!(secrets(url, None), "QKEYsecret88");
        assert_eq!(
            without_credentials(url),
            "https://host/v1?api-version=…&key=…"
        );
        assert_eq!(without_credentials("host:8080/v1"), "host:8080/v1");
    }
}
