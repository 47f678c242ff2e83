//! Descriptions of all models, and two models, inside the binary.

#[cfg(feature = "minilm")]
use crate::{Device, Precision, TransformerEmbedder};
use crate::{
    EmbedError, Embedder, ModelSpec, TableEmbedder, TokenTable, TokenVocabulary, WordPiece,
};

/// The bundled table's description.
static TABLE_SPEC: &str = include_str!("../../../models/table.toml");
/// all-MiniLM-L6-v2's description.
static MINILM_SPEC: &str = include_str!("../../../models/all-minilm-l6-v2.toml");
/// Every description, by name. Adding a model is a file and a line here.
static SPECS: [&str; 19] = [
    MINILM_SPEC,
    include_str!("../../../models/arctic-embed-l.toml"),
    include_str!("../../../models/arctic-embed-m.toml"),
    include_str!("../../../models/arctic-embed-s.toml"),
    include_str!("../../../models/arctic-embed-xs.toml"),
    include_str!("../../../models/bge-base-en-v1.5.toml"),
    include_str!("../../../models/bge-large-en-v1.5.toml"),
    include_str!("../../../models/bge-small-en-v1.5.toml"),
    include_str!("../../../models/e5-base-v2.toml"),
    include_str!("../../../models/e5-large-v2.toml"),
    include_str!("../../../models/e5-small-v2.toml"),
    include_str!("../../../models/gte-base.toml"),
    include_str!("../../../models/gte-large.toml"),
    include_str!("../../../models/gte-small.toml"),
    include_str!("../../../models/qwen3-embedding-0.6b.toml"),
    include_str!("../../../models/qwen3-embedding-0.6b-q8.toml"),
    include_str!("../../../models/qwen3-embedding-4b-q8.toml"),
    include_str!("../../../models/qwen3-embedding-8b-q8.toml"),
    TABLE_SPEC,
];

static TABLE: &[u8] = include_bytes!("../../../models/bundled/table.bin");
static VOCABULARY: &[u8] = include_bytes!("../../../models/bundled/vocabulary.bin");
#[cfg(feature = "minilm")]
static MINILM: &[u8] = include_bytes!("../../../models/all-minilm-l6-v2-q8_0.gguf");

/// Opens the bundled static table, without a download and with next to no work,
/// since its files are used where they lie in the binary.
///
/// # Errors
/// None in a binary whose tests passed: they would say that the files in
/// `models/` do not fit together.
pub fn open_bundled_table() -> Result<Box<dyn Embedder>, EmbedError> {
    let wordpiece = WordPiece::new(TokenVocabulary::open(VOCABULARY)?)?;
    let table = TokenTable::open(TABLE)?;
    Ok(Box::new(TableEmbedder::new(
        ModelSpec::from_toml(TABLE_SPEC)?,
        wordpiece,
        table,
    )?))
}

/// Opens all-MiniLM-L6-v2, a small transformer: its weights are used
/// where they lie in the binary, too. Only in builds with the feature `minilm`.
///
/// # Errors
/// None in a binary whose tests passed, as for [`open_bundled_table`].
#[cfg(feature = "minilm")]
pub fn open_minilm() -> Result<Box<dyn Embedder>, EmbedError> {
    Ok(Box::new(TransformerEmbedder::bert(
        ModelSpec::from_toml(MINILM_SPEC)?,
        WordPiece::new(TokenVocabulary::open(VOCABULARY)?)?,
        MINILM,
        Device::Cpu,
        Precision::default(),
    )?))
}

/// Parses the descriptions of the models whose names are wanted, of those in the repository's `models/`: to parse one takes
/// 0.02 ms.
///
/// # Errors
/// None in a binary whose tests passed, as for [`open_bundled_table`].
pub fn read_specs_where(is_wanted: impl Fn(&str) -> bool) -> Result<Vec<ModelSpec>, EmbedError> {
    let wanted = SPECS.iter().filter(|text| is_wanted(parse_name(text)));
    wanted.map(|text| ModelSpec::from_toml(text)).collect()
}

/// Returns the name that a description states, without parsing it.
fn parse_name(description: &str) -> &str {
    let lines = description.lines();
    let mut names = lines.filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'));
    names.next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_without_parsing() {
        let names: Vec<&str> = SPECS.iter().map(|text| parse_name(text)).collect();
        let specs = read_specs_where(|_| true).unwrap();
        let parsed: Vec<&str> = specs.iter().map(|spec| spec.name.as_str()).collect();
        assert_eq!(names, parsed);
    }
}
