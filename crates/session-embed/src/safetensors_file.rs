//! Safetensors of a model, in one file or several, under the names that
//! llama.cpp gives the same tensors.

use crate::EmbedError;
use crate::file_bytes::FileBytes;
use crate::stored_matrix::{MatrixSize, StoredMatrix, WeightFile, matrix_size};
use candle_core::quantized::GgmlDType;
use safetensors::tensor::{Dtype, SafeTensors, TensorInfo};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The open files of a model.
#[derive(Debug)]
pub(crate) struct Safetensors {
    names: TensorNames,
    files: Vec<FileBytes>,
    locations: BTreeMap<String, TensorLocation>,
}

/// The file, range and type of a tensor.
#[derive(Debug)]
struct TensorLocation {
    file: usize,
    dtype: GgmlDType,
    rows: usize,
    columns: usize,
    range: Range<usize>,
}

#[derive(Deserialize)]
struct ShardIndex {
    weight_map: BTreeMap<String, String>,
}

/// The names of an architecture's tensors in safetensors.
#[derive(Debug, Clone, Copy)]
pub struct TensorNames {
    /// A prefix of all of them in some files.
    pub prefix: &'static str,
    /// The prefix of a layer, before its number.
    pub layers: &'static str,
    /// The name of a part outside of layers in GGUF, and the one here.
    pub parts: &'static [(&'static str, &'static str)],
    /// As above, in a layer.
    pub layer_parts: &'static [(&'static str, &'static str)],
}

/// The two names of a tensor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TensorName {
    /// The name in GGUF.
    pub gguf: String,
    /// The name in the checkpoint of the model's authors.
    pub original: String,
}

impl TensorNames {
    /// Lists the names of each part, without the `.weight` or `.bias` at its end.
    pub fn list_parts(&self, layers: usize) -> Vec<TensorName> {
        let parts = self.parts.iter();
        let parts = parts.map(|(gguf, original)| TensorName {
            gguf: (*gguf).to_owned(),
            original: (*original).to_owned(),
        });
        let of_layers = (0..layers).flat_map(|at| {
            let parts = self.layer_parts.iter();
            parts.map(move |(gguf, original)| TensorName {
                gguf: format!("blk.{at}.{gguf}"),
                original: format!("{}{at}.{original}", self.layers),
            })
        });
        parts.chain(of_layers).collect()
    }

    /// Returns the name here of a tensor that is named as in GGUF.
    fn original(&self, name: &str) -> Option<String> {
        let (name, end) = name.rsplit_once('.')?;
        let (layer, part, parts) = match name.strip_prefix("blk.") {
            None => (String::new(), name, self.parts),
            Some(name) => {
                let (at, part) = name.split_once('.')?;
                (format!("{}{at}.", self.layers), part, self.layer_parts)
            }
        };
        let (_, theirs) = parts.iter().find(|(ours, _)| *ours == part)?;
        Some(format!("{layer}{theirs}.{end}"))
    }
}

impl Safetensors {
    /// Maps `model.safetensors` of a folder, or the files that its
    /// `model.safetensors.index.json` lists.
    ///
    /// # Errors
    /// [`EmbedError::Io`] when there is none, [`EmbedError::File`] when one is
    /// damaged.
    pub(crate) fn open(folder: &Path, names: TensorNames) -> Result<Self, EmbedError> {
        let mut opened = Self {
            names,
            files: Vec::new(),
            locations: BTreeMap::new(),
        };
        for path in paths(folder)? {
            opened.add(FileBytes::map(&path)?)?;
        }
        Ok(opened)
    }

    fn add(&mut self, source: FileBytes) -> Result<(), EmbedError> {
        let whole = source.as_bytes().clone();
        let (head, metadata) = SafeTensors::read_metadata(&whole)
            .map_err(|_| error("its head does not describe it"))?;
        let file = self.files.len();
        let start = head.saturating_add(8);
        for (name, info) in metadata.tensors() {
            if let Some(location) = locate(file, start, info) {
                let name = name.strip_prefix(self.names.prefix).unwrap_or(&name);
                self.locations.insert(name.to_owned(), location);
            }
        }
        self.files.push(source);
        Ok(())
    }
}

impl WeightFile for Safetensors {
    fn find(&self, name: &str) -> Result<StoredMatrix, EmbedError> {
        let location = self.names.original(name);
        let location = location.and_then(|name| self.locations.get(&name));
        let location = location.ok_or(error("it lacks a tensor, or has it in unknown numbers"))?;
        let source = self.files.get(location.file);
        let source = source.ok_or(error("it lacks a tensor"))?;
        let bytes = source.slice(location.range.clone())?;
        StoredMatrix::new(location.dtype, location.rows, location.columns, bytes)
            .ok_or(error("a tensor has another size than it says"))
    }

    fn kind(&self) -> &'static str {
        FILE
    }
}

/// Locates a tensor of a known type.
fn locate(file: usize, start: usize, info: &TensorInfo) -> Option<TensorLocation> {
    let dtype = match info.dtype {
        Dtype::F32 => GgmlDType::F32,
        Dtype::F16 => GgmlDType::F16,
        Dtype::BF16 => GgmlDType::BF16,
        _ => return None,
    };
    let MatrixSize { rows, columns } = matrix_size(&info.shape)?;
    let (from, to) = info.data_offsets;
    Some(TensorLocation {
        file,
        dtype,
        rows,
        columns,
        range: start.checked_add(from)?..start.checked_add(to)?,
    })
}

/// Returns the files of a model in a folder.
fn paths(folder: &Path) -> Result<Vec<PathBuf>, EmbedError> {
    let index = folder.join("model.safetensors.index.json");
    if !index.exists() {
        return Ok(vec![folder.join("model.safetensors")]);
    }
    let index: ShardIndex = serde_json::from_slice(&fs_err::read(index)?)
        .map_err(|_| error("its index is not JSON with a `weight_map`"))?;
    let names: BTreeSet<String> = index.weight_map.into_values().collect();
    let path = |name: String| match Path::new(&name).file_name() {
        Some(alone) if alone == name.as_str() => Ok(folder.join(name)),
        _ => Err(error("its index names a file of another folder")),
    };
    names.into_iter().map(path).collect()
}

const FILE: &str = "safetensors file";

fn error(reason: &'static str) -> EmbedError {
    EmbedError::File { file: FILE, reason }
}
