//! GGUF files, read in place: names and places of tensors, and the values that
//! describe the model. The rule is `docs/gguf.md` of the ggml project; versions
//! 2 and 3, little endian, tensors of `F32`, `F16`, `BF16` and `Q8_0`.
//!
//! Opening a file reads what stands before the tensors, and no tensor.

mod list;
mod reader;

pub use list::List;

use crate::EmbedError;
use crate::source::Source;
use crate::tensor::{Form, Tensor, Weights};
use reader::Reader;
use std::collections::BTreeMap;
use std::ops::Range;

/// Where tensors start when the file does not say it: at multiples of this.
const ALIGNMENT: u64 = 32;

/// An open file.
#[derive(Debug)]
pub struct Gguf {
    source: Source,
    values: BTreeMap<String, Value>,
    places: BTreeMap<String, Place>,
}

/// A value of the description.
#[derive(Debug, Clone)]
enum Value {
    /// Any number or truth value.
    Number(f64),
    /// A string.
    Text(String),
    /// An array.
    List(List),
}

/// Where a tensor lies.
#[derive(Debug, Clone)]
struct Place {
    form: Form,
    rows: usize,
    columns: usize,
    range: Range<usize>,
}

impl Gguf {
    /// Opens a file.
    ///
    /// # Errors
    /// [`EmbedError::File`] when it is not such a file, ends early, or has
    /// tensors of a form that is not known.
    pub fn open(source: impl Into<Source>) -> Result<Self, EmbedError> {
        let source = source.into();
        let bytes = source.whole().clone();
        let mut reader = Reader::new(&bytes);
        if reader.take(4)? != b"GGUF" || !matches!(reader.u32()?, 2 | 3) {
            return Err(error("it does not start as GGUF 2 or 3 does"));
        }
        let (tensors, values) = (reader.u64()?, reader.u64()?);
        let values = reader.values(values)?;
        let infos = reader.infos(tensors)?;
        let alignment = match values.get("general.alignment") {
            Some(Value::Number(alignment)) => *alignment as u64,
            _ => ALIGNMENT,
        };
        let start = (reader.at() as u64).checked_next_multiple_of(alignment.max(1));
        let places = infos
            .into_iter()
            .map(|(name, info)| Ok((name, info.place(start, bytes.len())?)))
            .collect::<Result<_, EmbedError>>()?;
        Ok(Self {
            source,
            values,
            places,
        })
    }

    /// A number of the description.
    ///
    /// # Errors
    /// [`EmbedError::File`] when there is none of this name.
    pub fn number(&self, name: &str) -> Result<f64, EmbedError> {
        match self.values.get(name) {
            Some(Value::Number(number)) => Ok(*number),
            _ => Err(error("it lacks a number that describes the model")),
        }
    }

    /// A string of the description; empty when there is none of this name.
    pub fn text(&self, name: &str) -> &str {
        match self.values.get(name) {
            Some(Value::Text(text)) => text,
            _ => "",
        }
    }

    /// An array of the description.
    ///
    /// # Errors
    /// [`EmbedError::File`] when there is none of this name.
    pub fn list(&self, name: &str) -> Result<&List, EmbedError> {
        match self.values.get(name) {
            Some(Value::List(list)) => Ok(list),
            _ => Err(error("it lacks an array that describes the model")),
        }
    }
}

impl Weights for Gguf {
    fn find(&self, name: &str) -> Result<Tensor, EmbedError> {
        let place = self.places.get(name).ok_or(error("it lacks a tensor"))?;
        let bytes = self.source.part(place.range.clone())?;
        Tensor::new(place.form, place.rows, place.columns, bytes)
            .ok_or(error("a tensor lies outside of it"))
    }

    fn kind(&self) -> &'static str {
        FILE
    }
}

/// What a file says of a tensor.
struct Info {
    sizes: Vec<u64>,
    kind: u32,
    offset: u64,
}

impl Info {
    fn place(self, start: Option<u64>, end: usize) -> Result<Place, EmbedError> {
        let form = match self.kind {
            0 => Form::F32,
            1 => Form::F16,
            8 => Form::Q8_0,
            30 => Form::Bf16,
            _ => {
                return Err(error(
                    "it has tensors that are neither F32, F16, BF16 nor Q8_0",
                ));
            }
        };
        self.placed(form, start)
            .filter(|place| place.range.end <= end)
            .ok_or(error("a tensor lies outside of it"))
    }

    fn placed(&self, form: Form, start: Option<u64>) -> Option<Place> {
        let (columns, rows) = self.sizes.split_first()?;
        let rows = rows
            .iter()
            .try_fold(1_u64, |all, &rows| all.checked_mul(rows))?;
        let (rows, columns) = (usize::try_from(rows).ok()?, usize::try_from(*columns).ok()?);
        let at = usize::try_from(start?.checked_add(self.offset)?).ok()?;
        let len = form.row_bytes(columns)?.checked_mul(rows)?;
        Some(Place {
            form,
            rows,
            columns,
            range: at..at.checked_add(len)?,
        })
    }
}

const FILE: &str = "GGUF file";

fn error(reason: &'static str) -> EmbedError {
    EmbedError::File { file: FILE, reason }
}
