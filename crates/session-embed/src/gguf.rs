//! GGUF files: the values that describe a model and the locations of its
//! tensors, by candle's reader. Tensors stay where they lie; candle would copy
//! them.

use crate::EmbedError;
use crate::file_bytes::FileBytes;
use crate::stored_matrix::{MatrixSize, StoredMatrix, WeightFile, matrix_size, row_bytes};
use candle_core::quantized::gguf_file::{Content, TensorInfo, Value};
use std::io::Cursor;
use std::ops::Range;

/// An open file, with tensors of `F32`, `F16`, `BF16` and `Q8_0`.
#[derive(Debug)]
pub(crate) struct Gguf {
    source: FileBytes,
    content: Content,
}

impl Gguf {
    /// Opens a file. Reads what stands before the tensors, and no tensor.
    ///
    /// # Errors
    /// [`EmbedError::File`] when it is not such a file, or ends early.
    pub(crate) fn open(source: impl Into<FileBytes>) -> Result<Self, EmbedError> {
        let source = source.into();
        let bytes: &[u8] = source.as_bytes();
        // candle divides by the alignment, which may be zero.
        let read = std::panic::catch_unwind(|| Content::read(&mut Cursor::new(bytes)));
        let content = read.ok().and_then(Result::ok).ok_or(error(
            "it does not start as GGUF does, ends early, or has tensors of an unknown type",
        ))?;
        Ok(Self { source, content })
    }

    /// Returns a number of the description.
    ///
    /// # Errors
    /// [`EmbedError::File`] when there is none of this name.
    pub(crate) fn number(&self, name: &str) -> Result<f64, EmbedError> {
        let number = self.content.metadata.get(name).and_then(number);
        number.ok_or(error("it lacks a number that describes the model"))
    }

    /// Returns a string of the description; an empty one when there is none of
    /// this name.
    pub(crate) fn text(&self, name: &str) -> &str {
        match self.content.metadata.get(name) {
            Some(Value::String(text)) => text,
            _ => "",
        }
    }

    /// Returns an array of the description.
    ///
    /// # Errors
    /// [`EmbedError::File`] when there is none of this name.
    pub(crate) fn list(&self, name: &str) -> Result<&[Value], EmbedError> {
        match self.content.metadata.get(name) {
            Some(Value::Array(list)) => Ok(list),
            _ => Err(error("it lacks an array that describes the model")),
        }
    }

    fn range(&self, info: &TensorInfo, rows: usize, columns: usize) -> Option<Range<usize>> {
        let start = self.content.tensor_data_offset.checked_add(info.offset)?;
        let start = usize::try_from(start).ok()?;
        let len = row_bytes(info.ggml_dtype, columns)?.checked_mul(rows)?;
        Some(start..start.checked_add(len)?)
    }
}

/// Returns a value as a number, if it is one.
pub(crate) fn number(value: &Value) -> Option<f64> {
    Some(match *value {
        Value::U8(x) => f64::from(x),
        Value::I8(x) => f64::from(x),
        Value::U16(x) => f64::from(x),
        Value::I16(x) => f64::from(x),
        Value::U32(x) => f64::from(x),
        Value::I32(x) => f64::from(x),
        Value::U64(x) => x as f64,
        Value::I64(x) => x as f64,
        Value::F32(x) => f64::from(x),
        Value::F64(x) => x,
        Value::Bool(_) | Value::String(_) | Value::Array(_) => return None,
    })
}

impl WeightFile for Gguf {
    fn find(&self, name: &str) -> Result<StoredMatrix, EmbedError> {
        let info = self.content.tensor_infos.get(name);
        let info = info.ok_or(error("it lacks a tensor"))?;
        let outside = || error("a tensor lies outside of it");
        if row_bytes(info.ggml_dtype, 0).is_none() {
            let reason = "it has tensors that are neither F32, F16, BF16 nor Q8_0";
            return Err(error(reason));
        }
        let MatrixSize { rows, columns } = matrix_size(info.shape.dims()).ok_or_else(outside)?;
        let range = self.range(info, rows, columns).ok_or_else(outside)?;
        let bytes = self.source.slice(range)?;
        StoredMatrix::new(info.ggml_dtype, rows, columns, bytes).ok_or_else(outside)
    }

    fn kind(&self) -> &'static str {
        FILE
    }
}

const FILE: &str = "GGUF file";

fn error(reason: &'static str) -> EmbedError {
    EmbedError::File { file: FILE, reason }
}
