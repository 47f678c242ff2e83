//! The model inside the binary.

use crate::{EmbedError, Embedder, ModelSpec, Table, TableEmbedder, Vocabulary, WordPiece};

static SPEC: &str = include_str!("../../../models/table.toml");
static TABLE: &[u8] = include_bytes!("../../../models/bundled/table.bin");
static VOCABULARY: &[u8] = include_bytes!("../../../models/bundled/vocabulary.bin");

/// The bundled static table, ready for use: no download, and next to no work,
/// since its files are used where they lie in the binary.
///
/// # Errors
/// None in a binary whose tests passed: they would say that the files in
/// `models/` do not fit together.
pub fn bundled() -> Result<Box<dyn Embedder>, EmbedError> {
    let wordpiece = WordPiece::new(Vocabulary::open(VOCABULARY)?)?;
    let table = Table::open(TABLE)?;
    Ok(Box::new(TableEmbedder::new(
        ModelSpec::from_toml(SPEC)?,
        wordpiece,
        table,
    )?))
}
