//! A model behind an OpenAI-compatible endpoint. Texts leave the machine: only
//! for whoever configured an endpoint and chose the model `remote`.

mod ask;
mod batch;
mod endpoint;
mod learnt;

pub use endpoint::{Endpoint, Given};

use crate::{Folders, ModelError};
use ask::{Asked, Client, Patience};
use session_embed::{
    Architecture, CosineScale, EmbedError, Embedder, Matrix, ModelFile, ModelSpec, Pooling, Scripts,
};
use std::time::Duration;

/// The description of what is behind an endpoint. `dims` is 0 as long as
/// nobody has asked.
pub fn spec(endpoint: &Endpoint, folders: &Folders) -> ModelSpec {
    ModelSpec {
        name: crate::description::REMOTE.to_owned(),
        title: format!("{} at {}", endpoint.model, endpoint.url),
        architecture: Architecture::Remote,
        repo: endpoint.url.clone(),
        revision: String::new(),
        dims: learnt::read(endpoint, folders).unwrap_or(0),
        max_tokens: endpoint.max_tokens,
        pooling: Pooling::Mean,
        instruction: String::new(),
        scripts: Scripts::default(),
        // Those of the models in the binary: nobody has measured this one.
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

/// The model behind an endpoint.
pub struct RemoteEmbedder {
    spec: ModelSpec,
    client: Client,
}

impl RemoteEmbedder {
    /// Makes it ready. Asks the endpoint once, the first time, how long its
    /// vectors are, and keeps the answer.
    ///
    /// # Errors
    /// [`ModelError::Open`] when it does not answer.
    pub fn open(endpoint: &Endpoint, folders: &Folders) -> Result<Self, ModelError> {
        let mut spec = spec(endpoint, folders);
        let client = Client::new(endpoint);
        if spec.dims == 0 {
            let vectors = client.embed(&["dimensions"], None, Patience::BATCH);
            let vectors = vectors.map_err(|asked| ModelError::Open {
                name: spec.name.clone(),
                why: client.error(&asked),
            })?;
            spec.dims = vectors.first().map_or(0, Vec::len);
            learnt::write(endpoint, folders, spec.dims)?;
        }
        Ok(Self { spec, client })
    }

    /// Waits that much longer or shorter between two tries.
    #[must_use]
    pub fn with_pause(mut self, pause: Duration) -> Self {
        self.client.pause = pause;
        self
    }
}

impl Embedder for RemoteEmbedder {
    fn spec(&self) -> &ModelSpec {
        &self.spec
    }

    /// Fails when a single text fails: a matrix has no place for that.
    fn embed_documents(&self, texts: &[&str]) -> Result<Matrix, EmbedError> {
        let mut matrix = Matrix::zeros((texts.len(), self.spec.dims));
        let vectors = self.try_embed_documents(texts)?;
        for (mut row, vector) in matrix.outer_iter_mut().zip(vectors) {
            let vector =
                vector.ok_or_else(|| self.client.error(&Asked::Rejected("a text".into())))?;
            row.assign(&ndarray::ArrayView1::from(&vector));
        }
        Ok(matrix)
    }

    fn try_embed_documents(&self, texts: &[&str]) -> Result<Vec<Option<Vec<f32>>>, EmbedError> {
        let cut: Vec<&str> = texts.iter().map(|text| cut(text, &self.spec)).collect();
        batch::embed(&self.client, &cut, self.spec.dims).map_err(|asked| self.client.error(&asked))
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let text = cut(text, &self.spec);
        if text.is_empty() {
            return Ok(vec![0.0; self.spec.dims]);
        }
        let patience = Patience::for_query(&self.spec.repo);
        let vectors = self
            .client
            .embed(&[text], Some(self.spec.dims), patience)
            .map_err(|asked| self.client.error(&asked))?;
        Ok(vectors.into_iter().next().unwrap_or_default())
    }
}

/// The beginning of a text that its model surely reads. Its tokenizer is not
/// here: three ASCII letters are taken for a token, and any other character.
fn cut<'a>(text: &'a str, spec: &ModelSpec) -> &'a str {
    let room = 3 * spec.max_tokens;
    let mut used = 0;
    let end = text.char_indices().find(|(_, c)| {
        used += if c.is_ascii() { 1 } else { 3 };
        used > room
    });
    end.map_or(text, |(at, _)| &text[..at]).trim()
}
