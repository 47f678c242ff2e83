//! The model `remote` behind an OpenAI-compatible endpoint. Texts leave the machine only where
//! the user configured an endpoint and chose this model.

mod batch;
mod client;
mod dims_cache;
mod endpoint;
mod error_text;
mod wait_listener;

pub use endpoint::{
    ENDPOINT_API_KEY_VARIABLE, ENDPOINT_MAX_TOKENS_VARIABLE, ENDPOINT_MODEL_VARIABLE,
    ENDPOINT_URL_VARIABLE, Endpoint, EndpointSettings, without_credentials,
};
pub use wait_listener::WaitListener;

use crate::model_description::REMOTE_MODEL;
use crate::{ModelError, UserDirectories};
use client::{EndpointClient, KNOWN_TEXT, RequestError, RequestPolicy};
use session_embed::{
    Architecture, CosineScale, EmbedError, Embedder, EmbeddingMatrix, ModelFile, ModelSpec,
    Pooling, Scripts,
};
use std::time::Duration;

/// Describes the model behind an endpoint. `dims` is 0 until a request has told it.
pub(crate) fn remote_spec(endpoint: &Endpoint, directories: &UserDirectories) -> ModelSpec {
    ModelSpec {
        name: REMOTE_MODEL.to_owned(),
        title: format!("{} at {}", endpoint.model, endpoint.shown_url()),
        architecture: Architecture::Remote,
        repo: endpoint.shown_url(),
        revision: String::new(),
        dims: dims_cache::read_cached_dims(endpoint, directories).unwrap_or(0),
        max_tokens: endpoint.max_tokens,
        pooling: Pooling::Mean,
        instruction: String::new(),
        document_prefix: String::new(),
        scripts: Scripts::default(),
        // The scale of the bundled models: this one is not measured.
        cosine: CosineScale {
            unrelated: 0.40,
            related: 0.66,
            per_word: 0.0,
            mean: 0.20,
            deviation: 0.09,
            weight: 0.7,
        },
        licence: "unknown".to_owned(),
        bytes: None,
        files: vec![ModelFile {
            path: endpoint.model.clone(),
            sha256: None,
        }],
    }
}

/// The embedder behind an endpoint.
pub struct RemoteEmbedder {
    spec: ModelSpec,
    client: EndpointClient,
}

impl RemoteEmbedder {
    /// Opens the embedder. The first time, requests one embedding to learn the dimension of the
    /// vectors, and caches it.
    ///
    /// # Errors
    /// [`ModelError::Open`] when the request fails.
    pub fn open(
        endpoint: &Endpoint,
        directories: &UserDirectories,
        waits: &WaitListener,
    ) -> Result<Self, ModelError> {
        let spec = remote_spec(endpoint, directories);
        match spec.dims {
            0 => Self::open_anew(endpoint, directories, waits),
            _ => Ok(Self {
                spec,
                client: EndpointClient::new(endpoint, waits),
            }),
        }
    }

    /// Opens the embedder as if it were the first time: the server may run another model now.
    ///
    /// # Errors
    /// [`ModelError::Open`] when the request fails.
    pub fn open_anew(
        endpoint: &Endpoint,
        directories: &UserDirectories,
        waits: &WaitListener,
    ) -> Result<Self, ModelError> {
        let mut spec = remote_spec(endpoint, directories);
        let client = EndpointClient::new(endpoint, waits);
        let vectors = client.embed(&[KNOWN_TEXT], None, RequestPolicy::BATCH);
        let vectors = vectors.map_err(|error| ModelError::Open {
            name: spec.name.clone(),
            cause: client.to_embed_error(&error),
        })?;
        spec.dims = vectors.first().map_or(0, Vec::len);
        dims_cache::write_cached_dims(endpoint, directories, spec.dims)?;
        Ok(Self { spec, client })
    }

    /// Checks that the endpoint answers with vectors of the known dimension. Asks once, and caches nothing.
    ///
    /// # Errors
    /// [`ModelError::Open`] when the request fails.
    pub fn check_answers(
        endpoint: &Endpoint,
        directories: &UserDirectories,
    ) -> Result<(), ModelError> {
        let client = EndpointClient::new(endpoint, &WaitListener::default());
        let dims = dims_cache::read_cached_dims(endpoint, directories);
        let policy = RequestPolicy::for_check(&endpoint.url);
        let answer = client.embed(&[KNOWN_TEXT], dims, policy);
        answer.map(drop).map_err(|error| ModelError::Open {
            name: REMOTE_MODEL.to_owned(),
            cause: client.to_embed_error(&error),
        })
    }

    /// Sets how long a delay or a time without an answer may be before the listener is notified.
    #[must_use]
    pub fn with_wait_patience(mut self, patience: Duration) -> Self {
        self.client.wait_patience = patience;
        self
    }

    /// Sets the delay before the second attempt of a request.
    #[must_use]
    pub fn with_initial_backoff(mut self, backoff: Duration) -> Self {
        self.client.initial_backoff = backoff;
        self
    }
}

impl Embedder for RemoteEmbedder {
    fn spec(&self) -> &ModelSpec {
        &self.spec
    }

    /// As many as `truncate` leaves of ASCII.
    fn max_document_bytes(&self) -> usize {
        max_ascii_bytes(&self.spec)
    }

    /// Fails when a single text fails, because a matrix has a row for each text.
    fn embed_documents(&self, texts: &[&str]) -> Result<EmbeddingMatrix, EmbedError> {
        let mut matrix = EmbeddingMatrix::zeros((texts.len(), self.spec.dims));
        let vectors = self.try_embed_documents(texts)?;
        for (mut row, vector) in matrix.outer_iter_mut().zip(vectors) {
            let vector = vector.ok_or_else(|| {
                let error = RequestError::invalid_response("a text has none");
                self.client.to_embed_error(&error)
            })?;
            row.assign(&ndarray::ArrayView1::from(&vector));
        }
        Ok(matrix)
    }

    fn try_embed_documents(&self, texts: &[&str]) -> Result<Vec<Option<Vec<f32>>>, EmbedError> {
        let truncated: Vec<&str> = texts
            .iter()
            .map(|text| truncate(text, &self.spec))
            .collect();
        batch::embed_in_batches(&self.client, &truncated, self.spec.dims)
            .map_err(|error| self.client.to_embed_error(&error))
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let text = truncate(text, &self.spec);
        if text.is_empty() {
            return Ok(vec![0.0; self.spec.dims]);
        }
        let policy = RequestPolicy::for_query(&self.spec.repo);
        let vectors = self
            .client
            .embed(&[text], Some(self.spec.dims), policy)
            .map_err(|error| self.client.to_embed_error(&error))?;
        Ok(vectors.into_iter().next().unwrap_or_default())
    }
}

/// Returns the ASCII characters that are taken for `max_tokens` tokens.
fn max_ascii_bytes(spec: &ModelSpec) -> usize {
    spec.max_tokens.saturating_mul(3)
}

/// Truncates a text to about `max_tokens` tokens. The endpoint's tokenizer is unknown: a token
/// is estimated as three ASCII characters or one other character.
fn truncate<'a>(text: &'a str, spec: &ModelSpec) -> &'a str {
    let budget = max_ascii_bytes(spec);
    let mut used = 0;
    let end = text.char_indices().find(|(_, c)| {
        used += if c.is_ascii() { 1 } else { 3 };
        used > budget
    });
    end.map_or(text, |(at, _)| &text[..at]).trim()
}
