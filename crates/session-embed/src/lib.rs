//! Text to unit vectors.
//!
//! An [`Embedder`] turns texts into vectors. The greater the dot product of two vectors,
//! the nearer are their texts in meaning. A [`ModelSpec`] describes the model, read from the
//! model's TOML in `models/` ([`read_specs_where`] lists them); its
//! [fingerprint](ModelSpec::fingerprint) keeps the vectors of two models apart.
//!
//! Two models lie inside the binary. [`open_bundled_table`] is a static table distilled
//! from a transformer, in which a text is the weighted sum of its tokens'
//! vectors ([`TableEmbedder`]). [`open_minilm`] is such a transformer, much better and
//! a thousand times slower ([`TransformerEmbedder`]). The files of both ([`TokenTable`],
//! [`TokenVocabulary`], weights) are used where they lie in the binary. So the first
//! vector of the table is there a fraction of a millisecond after the start, and that of
//! the transformer after a few milliseconds. [`WordPiece`] is the tokenizer.
//!
//! Other models have files of their own, which [`open`] opens. The large one is
//! Qwen3: a decoder with its tokenizer, [`Bpe`]. Its weights are mapped into memory;
//! weights of another format are quantized to `Q8_0`. A [`Device`] computes it.
//!
//! ```
//! let model = session_embed::open_bundled_table()?;
//! let answers = model.embed_documents(&[
//!     "Restart the containers with another DNS server.",
//!     "Knead the dough and bake it for an hour.",
//! ])?;
//! let query = ndarray::Array1::from(model.embed_query("docker cannot resolve host names")?);
//! let near = answers.dot(&query);
//! assert!(near[0] > near[1]);
//! # Ok::<(), session_embed::EmbedError>(())
//! ```

mod batch;
mod bert;
mod bpe;
mod bundled;
mod cached_words;
mod categories;
mod device;
mod embedder;
mod error;
mod file_bytes;
mod gguf;
mod hadamard;
mod header;
mod kernel;
mod layers;
mod open;
mod qwen3;
mod safetensors_file;
mod scripts;
mod spec;
mod stored_matrix;
mod sum;
mod table;
mod table_embedder;
mod transformer_embedder;
mod vector;
mod vocabulary;
mod wordpiece;

pub use bert::BERT_NAMES;
pub use bpe::Bpe;
#[cfg(feature = "minilm")]
pub use bundled::open_minilm;
pub use bundled::{open_bundled_table, read_specs_where};
pub use device::{Device, DeviceChoice, Precision};
pub use embedder::{Embedder, EmbeddingMatrix};
pub use error::EmbedError;
pub use open::{open, open_on};
pub use safetensors_file::{TensorName, TensorNames};
pub use scripts::Scripts;
pub use session_core::CosineScale;
pub use spec::{Architecture, ModelFile, ModelSpec, Pooling};
pub use table::{TableRow, TokenTable};
pub use table_embedder::TableEmbedder;
pub use transformer_embedder::TransformerEmbedder;
pub use vocabulary::TokenVocabulary;
pub use wordpiece::WordPiece;
