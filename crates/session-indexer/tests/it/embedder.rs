//! Models that need no weights.

use session_embed::{EmbedError, Embedder, EmbeddingMatrix, ModelSpec, Scripts};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

const DIMS: usize = 16;

/// Counts words in buckets. Fails when its texts run out.
pub struct Buckets {
    spec: ModelSpec,
    seed: u64,
    texts_left: AtomicUsize,
}

impl Buckets {
    pub fn new(name: &str) -> Self {
        Self::failing_after(name, usize::MAX)
    }

    /// One that reads no other script than Latin.
    pub fn of_latin(name: &str) -> Self {
        let mut model = Self::new(name);
        model.spec.scripts = Scripts::try_from(vec!["Latin".to_owned()]).unwrap();
        model
    }

    pub fn failing_after(name: &str, texts: usize) -> Self {
        let mut hasher = DefaultHasher::new();
        name.hash(&mut hasher);
        Self {
            spec: spec(name),
            seed: hasher.finish(),
            texts_left: AtomicUsize::new(texts),
        }
    }

    pub fn fingerprint(&self) -> String {
        self.spec.fingerprint()
    }

    fn vector(&self, text: &str) -> [f32; DIMS] {
        let mut vector = [0.0f32; DIMS];
        for word in text.split_whitespace() {
            let mut hasher = DefaultHasher::new();
            (self.seed, word).hash(&mut hasher);
            vector[(hasher.finish() % DIMS as u64) as usize] += 1.0;
        }
        let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt().max(1.0);
        vector.map(|x| x / length)
    }
}

fn spec(name: &str) -> ModelSpec {
    let toml = format!(
        r#"
        name = "{name}"
        title = "Counts words"
        architecture = "table"
        repo = "ann/{name}"
        revision = "1"
        dims = {DIMS}
        max_tokens = 64
        pooling = "mean"
        licence = "MIT"
        cosine = {{ unrelated = 0.1, related = 0.9, per_word = 0.0 }}
        files = [{{ path = "none", sha256 = "{name}" }}]
        "#
    );
    ModelSpec::from_toml(&toml).unwrap()
}

impl Embedder for Buckets {
    fn spec(&self) -> &ModelSpec {
        &self.spec
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<EmbeddingMatrix, EmbedError> {
        let left = self.texts_left.load(Ordering::Relaxed);
        let Some(left) = left.checked_sub(texts.len()) else {
            return Err(EmbedError::File {
                file: "token table",
                reason: "it has been eaten",
            });
        };
        self.texts_left.store(left, Ordering::Relaxed);
        let rows: Vec<f32> = texts.iter().flat_map(|t| self.vector(t)).collect();
        Ok(EmbeddingMatrix::from_shape_vec((texts.len(), DIMS), rows).unwrap())
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        Ok(self.vector(text).to_vec())
    }
}

/// A model during whose first computation something else happens.
pub struct Meanwhile<F> {
    model: Buckets,
    event: Mutex<Option<F>>,
}

impl<F: FnOnce() + Send> Meanwhile<F> {
    pub fn new(model: Buckets, event: F) -> Self {
        let event = Mutex::new(Some(event));
        Self { model, event }
    }
}

impl<F: FnOnce() + Send> Embedder for Meanwhile<F> {
    fn spec(&self) -> &ModelSpec {
        self.model.spec()
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<EmbeddingMatrix, EmbedError> {
        if let Some(event) = self.event.lock().unwrap().take() {
            event();
        }
        self.model.embed_documents(texts)
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.model.embed_query(text)
    }
}

/// A model that gives no vector of texts with this word.
pub struct Refusing {
    pub model: Buckets,
    pub word: String,
}

impl Embedder for Refusing {
    fn spec(&self) -> &ModelSpec {
        self.model.spec()
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<EmbeddingMatrix, EmbedError> {
        self.model.embed_documents(texts)
    }

    fn try_embed_documents(&self, texts: &[&str]) -> Result<Vec<Option<Vec<f32>>>, EmbedError> {
        let vectors = self.model.embed_documents(texts)?;
        let rows = vectors.outer_iter().zip(texts);
        Ok(rows
            .map(|(row, text)| (!text.contains(&self.word)).then(|| row.to_vec()))
            .collect())
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.model.embed_query(text)
    }
}
