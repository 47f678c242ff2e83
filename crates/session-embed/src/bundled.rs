//! What lies inside the binary: every model's description, and one model.

use crate::{EmbedError, Embedder, ModelSpec, Table, TableEmbedder, Vocabulary, WordPiece};

/// The bundled table's description.
static TABLE_SPEC: &str = include_str!("../../../models/table.toml");
/// Every description, by name. Adding a model is a file and a line here.
static SPECS: [&str; 1] = [TABLE_SPEC];

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
        ModelSpec::from_toml(TABLE_SPEC)?,
        wordpiece,
        table,
    )?))
}

/// The models that are known by name: those of the repository's `models/`.
///
/// # Errors
/// None in a binary whose tests passed, as for [`bundled`].
pub fn specs() -> Result<Vec<ModelSpec>, EmbedError> {
    SPECS
        .iter()
        .map(|text| ModelSpec::from_toml(text))
        .collect()
}
