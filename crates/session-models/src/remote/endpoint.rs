//! Configuration of an OpenAI-compatible embeddings endpoint.

use crate::{ModelError, UserDirectories};
use session_files::private;
use std::collections::HashMap;
use std::fmt;

/// Token limit of a text where none is configured: any embedding model accepts it.
const DEFAULT_MAX_TOKENS: usize = 512;

/// Maximum length of `.env` in bytes.
const MAX_ENV_BYTES: u64 = 64 << 10;

/// A validated OpenAI-compatible embeddings endpoint.
#[derive(Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// URL that texts are posted to.
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
        write!(f, "{} at {}", self.model, self.url)
    }
}

/// The settings of an endpoint, as variables or files give them, not yet validated.
#[derive(Clone, Default)]
pub struct EndpointSettings {
    /// `EMBEDDINGS_URL`.
    pub url: Option<String>,
    /// `EMBEDDINGS_API_KEY`.
    pub api_key: Option<String>,
    /// `EMBEDDINGS_MODEL`.
    pub model: Option<String>,
    /// `EMBEDDINGS_MAX_TOKENS`.
    pub max_tokens: Option<String>,
}

impl EndpointSettings {
    /// Reads the settings from variables. Blank ones are ignored.
    pub fn from_variables(var: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| var(name).filter(|value| !value.trim().is_empty());
        Self {
            url: set("EMBEDDINGS_URL"),
            api_key: set("EMBEDDINGS_API_KEY"),
            model: set("EMBEDDINGS_MODEL"),
            max_tokens: set("EMBEDDINGS_MAX_TOKENS"),
        }
    }

    /// Reads the settings from `.env` in the configuration directory.
    ///
    /// An `.env` in the working directory is ignored: a cloned repository must not decide
    /// where a history is sent to.
    ///
    /// # Errors
    /// [`ModelError::InvalidEndpoint`] when the file exists and cannot be parsed.
    pub fn from_env_file(directories: &UserDirectories) -> Result<Self, ModelError> {
        let path = directories.config.join(".env");
        let invalid = |error: dotenvy::Error| ModelError::InvalidEndpoint {
            reason: format!("{}: {error}", path.display()),
        };
        let Some(text) = private::read(&path, MAX_ENV_BYTES)? else {
            return Ok(Self::default());
        };
        let parsed = dotenvy::Iter::new(text.as_slice()).collect::<Result<_, _>>();
        let vars: HashMap<String, String> = parsed.map_err(invalid)?;
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

    /// Validates the settings. Returns `None` where no URL is set.
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
        let model = self
            .model
            .ok_or_else(|| invalid("EMBEDDINGS_MODEL does not say which model"))?;
        let tokens = self
            .max_tokens
            .map_or(Ok(DEFAULT_MAX_TOKENS), |text| text.trim().parse());
        let max_tokens = tokens.ok().filter(|tokens| *tokens >= 8);
        Ok(Some(Endpoint {
            url: embeddings_url(&url),
            api_key: self.api_key,
            model,
            max_tokens: max_tokens.ok_or_else(|| {
                invalid("EMBEDDINGS_MAX_TOKENS is not a whole number of 8 or more")
            })?,
        }))
    }
}

fn embeddings_url(url: &str) -> String {
    let url = url.trim_end_matches('/');
    match url.ends_with("/embeddings") {
        true => url.to_owned(),
        false => format!("{url}/embeddings"),
    }
}
