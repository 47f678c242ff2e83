//! Models from their files.

use crate::file_bytes::FileBytes;
use crate::{
    Architecture, Device, EmbedError, Embedder, ModelSpec, Precision, TableEmbedder, TokenTable,
    TokenVocabulary, TransformerEmbedder, WordPiece,
};
use std::path::{Path, PathBuf};

/// Opens a model whose files lie in a folder under the paths that its
/// description lists, or, for a model of one GGUF file, at `files` itself. It
/// computes on the best device there is.
///
/// A model of the architecture `table` takes two files, a [`TokenTable`] and a
/// [`TokenVocabulary`]; `bert` takes a GGUF file, or what
/// [`TransformerEmbedder::bert_from_folder`] says, and a [`TokenVocabulary`] (or a
/// `vocab.txt`); `qwen3` a GGUF file, or what [`TransformerEmbedder::qwen3`] says.
///
/// # Errors
/// [`EmbedError::Mismatch`] when the description lists no such files; the errors
/// of the model's own `new` or `open`.
pub fn open(spec: ModelSpec, files: &Path) -> Result<Box<dyn Embedder>, EmbedError> {
    open_on(Device::Auto, spec, files)
}

/// Opens a model as [`open`], on a device; a table is on the CPU whatever it says.
///
/// # Errors
/// Those of [`open`], and [`EmbedError::Device`] when there is no such device.
pub fn open_on(
    device: Device,
    spec: ModelSpec,
    files: &Path,
) -> Result<Box<dyn Embedder>, EmbedError> {
    let listed = ListedFiles { spec: &spec, files };
    Ok(match spec.architecture {
        Architecture::Table => {
            let table = TokenTable::open(fs_err::read(listed.find_file(&["table.bin"])?)?)?;
            let wordpiece = listed.open_wordpiece()?;
            Box::new(TableEmbedder::new(spec, wordpiece, table)?)
        }
        Architecture::Bert => {
            let path = listed.find_file(&[".gguf", ".safetensors"])?;
            let (weights, wordpiece) = (FileBytes::map(&path)?, listed.open_wordpiece()?);
            let precision = Precision::default();
            Box::new(if path.extension().is_some_and(|end| end == "gguf") {
                let weights = weights.as_bytes().clone();
                TransformerEmbedder::bert(spec, wordpiece, weights, device, precision)?
            } else {
                TransformerEmbedder::bert_from_folder(spec, wordpiece, files, device, precision)?
            })
        }
        Architecture::Qwen3 => {
            let files = listed
                .find_file(&[".gguf"])
                .unwrap_or_else(|_| files.to_owned());
            Box::new(TransformerEmbedder::qwen3(
                spec,
                &files,
                device,
                Precision::default(),
            )?)
        }
        Architecture::Remote => return Err(listed.mismatch("a server has no files")),
    })
}

/// The files that a description lists.
struct ListedFiles<'a> {
    spec: &'a ModelSpec,
    files: &'a Path,
}

impl ListedFiles<'_> {
    /// Returns the first file whose path ends so.
    fn find_file(&self, ends: &[&str]) -> Result<PathBuf, EmbedError> {
        let is_meant = |path: &str| ends.iter().any(|end| path.ends_with(end));
        let mut paths = self.spec.files.iter().map(|file| file.path.as_str());
        let path = paths.find(|path| is_meant(path));
        let path = path.ok_or_else(|| self.mismatch("it lists no file that such a model needs"))?;
        if self.files.is_file() {
            return Ok(self.files.to_owned());
        }
        Ok(self.files.join(path))
    }

    fn open_wordpiece(&self) -> Result<WordPiece, EmbedError> {
        let path = self.find_file(&["vocabulary.bin", "vocab.txt"])?;
        let bytes = match path.extension() {
            Some(extension) if extension == "txt" => {
                let text = fs_err::read_to_string(&path)?;
                TokenVocabulary::compile(&text.lines().collect::<Vec<_>>())?
            }
            _ => fs_err::read(&path)?,
        };
        WordPiece::new(TokenVocabulary::open(bytes)?)
    }

    fn mismatch(&self, reason: &'static str) -> EmbedError {
        EmbedError::Mismatch {
            model: self.spec.name.clone(),
            reason,
        }
    }
}
