//! Where an endpoint is, as its user says.

use crate::{Folders, ModelError};
use std::collections::HashMap;
use std::fmt;
use std::io::ErrorKind;

/// Tokens that any embedding model reads.
const MAX_TOKENS: usize = 512;

/// An OpenAI-compatible endpoint.
#[derive(Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Address that texts are posted to.
    pub url: String,
    /// Sent as a bearer token.
    pub api_key: Option<String>,
    /// Name of the model there.
    pub model: String,
    /// Tokens of a text that are sent.
    pub max_tokens: usize,
}

/// Without the key, which is nobody's business.
impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.model, self.url)
    }
}

/// What is configured of an endpoint.
#[derive(Clone, Default)]
pub struct Given {
    /// `EMBEDDINGS_URL`.
    pub url: Option<String>,
    /// `EMBEDDINGS_API_KEY`.
    pub api_key: Option<String>,
    /// `EMBEDDINGS_MODEL`.
    pub model: Option<String>,
    /// `EMBEDDINGS_MAX_TOKENS`.
    pub max_tokens: Option<String>,
}

impl Given {
    /// What variables say.
    pub fn by(var: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| var(name).filter(|value| !value.trim().is_empty());
        Self {
            url: set("EMBEDDINGS_URL"),
            api_key: set("EMBEDDINGS_API_KEY"),
            model: set("EMBEDDINGS_MODEL"),
            max_tokens: set("EMBEDDINGS_MAX_TOKENS"),
        }
    }

    /// What the file `.env` in the configuration folder says. One in the
    /// working directory is not looked at: a repository that somebody unpacked
    /// must not say where a history is sent to.
    ///
    /// # Errors
    /// When the file is there and cannot be read.
    pub fn by_file(folders: &Folders) -> Result<Self, ModelError> {
        let path = folders.config.join(".env");
        let wrong = |error: dotenvy::Error| ModelError::Endpoint {
            reason: format!("{}: {error}", path.display()),
        };
        let file = match fs_err::File::open(&path) {
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Self::default()),
            file => file?,
        };
        let read = dotenvy::Iter::new(std::io::BufReader::new(file)).collect::<Result<_, _>>();
        let vars: HashMap<String, String> = read.map_err(wrong)?;
        Ok(Self::by(|name| vars.get(name).cloned()))
    }

    /// This, and where it says nothing, the other.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            url: self.url.or(other.url),
            api_key: self.api_key.or(other.api_key),
            model: self.model.or(other.model),
            max_tokens: self.max_tokens.or(other.max_tokens),
        }
    }

    /// The endpoint; none where no address is given.
    ///
    /// # Errors
    /// [`ModelError::Endpoint`] when something else is missing or cannot be.
    pub fn endpoint(self) -> Result<Option<Endpoint>, ModelError> {
        let wrong = |reason: &str| ModelError::Endpoint {
            reason: reason.to_owned(),
        };
        let Some(url) = self.url else {
            return Ok(None);
        };
        if !url.starts_with("http://") && !url.starts_with("https://") {
            return Err(wrong(
                "its address begins with neither http:// nor https://",
            ));
        }
        let model = self
            .model
            .ok_or_else(|| wrong("EMBEDDINGS_MODEL does not say which model"))?;
        let tokens = self
            .max_tokens
            .map_or(Ok(MAX_TOKENS), |text| text.trim().parse());
        let max_tokens = tokens.ok().filter(|tokens| *tokens >= 8);
        Ok(Some(Endpoint {
            url: posted_to(&url),
            api_key: self.api_key,
            model,
            max_tokens: max_tokens
                .ok_or_else(|| wrong("EMBEDDINGS_MAX_TOKENS is no whole number from 8 on"))?,
        }))
    }
}

fn posted_to(url: &str) -> String {
    let url = url.trim_end_matches('/');
    match url.ends_with("/embeddings") {
        true => url.to_owned(),
        false => format!("{url}/embeddings"),
    }
}
