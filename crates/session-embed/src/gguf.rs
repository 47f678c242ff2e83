//! GGUF files, read in place: names and places of tensors, and the numbers that
//! describe the model. The rule is `docs/gguf.md` of the ggml project; versions
//! 2 and 3, little endian, tensors of `F32` and `Q8_0`.
//!
//! Opening a file reads what stands before the tensors, and no tensor.

use crate::EmbedError;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

/// Numbers in a block of `Q8_0`.
pub const BLOCK: usize = 32;
/// Bytes of a block of `Q8_0`: a scale, which is an `f16`, and an `i8` a number.
pub const BLOCK_BYTES: usize = 2 + BLOCK;
/// Where tensors start when the file does not say it: at multiples of this.
const ALIGNMENT: u64 = 32;

/// An open file.
#[derive(Debug, Clone)]
pub struct Gguf {
    bytes: Cow<'static, [u8]>,
    numbers: BTreeMap<String, f64>,
    tensors: BTreeMap<String, Tensor>,
}

/// Where a matrix lies in a file. A vector is a matrix of one row.
#[derive(Debug, Clone)]
pub struct Tensor {
    /// What its bytes mean.
    pub form: Form,
    /// How many rows it has.
    pub rows: usize,
    /// Length of a row.
    pub columns: usize,
    range: Range<usize>,
}

/// How numbers are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `f32`.
    F32,
    /// Blocks of 32 `i8` with a scale.
    Q8_0,
}

impl Gguf {
    /// Opens a file.
    ///
    /// # Errors
    /// [`EmbedError::File`] when it is not such a file, ends early, or has
    /// tensors of a form that is not known.
    pub fn open(bytes: impl Into<Cow<'static, [u8]>>) -> Result<Self, EmbedError> {
        let bytes = bytes.into();
        let mut reader = Reader { rest: &bytes };
        if reader.take(4)? != b"GGUF" || !matches!(reader.u32()?, 2 | 3) {
            return Err(error("it does not start as GGUF 2 or 3 does"));
        }
        let (tensors, values) = (reader.u64()?, reader.u64()?);
        let numbers = reader.numbers(values)?;
        let placed = reader.placed(tensors)?;
        let alignment = numbers
            .get("general.alignment")
            .map_or(ALIGNMENT, |&a| a as u64);
        let head = (bytes.len() - reader.rest.len()) as u64;
        let start = head.checked_next_multiple_of(alignment.max(1));
        let tensors = placed
            .into_iter()
            .map(|(name, info)| Ok((name, info.tensor(start, bytes.len())?)))
            .collect::<Result<_, EmbedError>>()?;
        Ok(Self {
            bytes,
            numbers,
            tensors,
        })
    }

    /// A number of the description.
    ///
    /// # Errors
    /// [`EmbedError::File`] when there is none of this name.
    pub fn number(&self, name: &str) -> Result<f64, EmbedError> {
        let number = self.numbers.get(name).copied();
        number.ok_or(error("it lacks a number that describes the model"))
    }

    /// A tensor of this size.
    ///
    /// # Errors
    /// [`EmbedError::File`] when there is none of this name, or it has another
    /// size.
    pub fn tensor(&self, name: &str, rows: usize, columns: usize) -> Result<Tensor, EmbedError> {
        let tensor = self.tensors.get(name).ok_or(error("it lacks a tensor"))?;
        if (tensor.rows, tensor.columns) != (rows, columns) {
            return Err(error("a tensor has another size than the model's"));
        }
        Ok(tensor.clone())
    }

    /// The numbers of a tensor of one row, copied.
    ///
    /// # Errors
    /// [`EmbedError::File`] as for [`Gguf::tensor`].
    pub fn vector(&self, name: &str, columns: usize) -> Result<Vec<f32>, EmbedError> {
        let tensor = self.tensor(name, 1, columns)?;
        let mut vector = vec![0.0; columns];
        self.add_row(&tensor, 0, &mut vector);
        Ok(vector)
    }

    /// The bytes of a row of a tensor; none beyond its end.
    #[inline]
    pub fn row(&self, tensor: &Tensor, row: usize) -> &[u8] {
        let len = tensor.form.row_bytes(tensor.columns).unwrap_or(0);
        let bytes = self.bytes.get(tensor.range.clone()).unwrap_or_default();
        let at = row.saturating_mul(len);
        bytes.get(at..at.saturating_add(len)).unwrap_or_default()
    }

    /// Adds the numbers of a row to `sum`.
    pub fn add_row(&self, tensor: &Tensor, row: usize, sum: &mut [f32]) {
        let row = self.row(tensor, row);
        match tensor.form {
            Form::F32 => floats(row).zip(sum).for_each(|(x, sum)| *sum += x),
            Form::Q8_0 => blocks(row)
                .zip(sum.chunks_mut(BLOCK))
                .for_each(|(block, sum)| {
                    let (scale, quants) = block;
                    let quants = quants.iter().map(|&byte| f32::from(byte as i8));
                    quants.zip(sum).for_each(|(q, sum)| *sum += scale * q);
                }),
        }
    }
}

/// The numbers of a row of `F32`.
pub fn floats(row: &[u8]) -> impl Iterator<Item = f32> {
    let (fours, _) = row.as_chunks();
    fours.iter().map(|four| f32::from_le_bytes(*four))
}

/// Scale and numbers (`i8`) of each block of a row of `Q8_0`.
pub fn blocks(row: &[u8]) -> impl Iterator<Item = (f32, &[u8; BLOCK])> {
    let (blocks, _) = row.as_chunks::<BLOCK_BYTES>();
    blocks.iter().filter_map(|block| {
        let (scale, quants) = block.split_first_chunk()?;
        Some((
            f16_to_f32(u16::from_le_bytes(*scale)),
            quants.first_chunk()?,
        ))
    })
}

/// The value of an `f16`, subnormal ones included, but for infinities and NaN,
/// which become large numbers. No branches.
#[inline(always)]
pub fn f16_to_f32(bits: u16) -> f32 {
    /// 2¹¹², the difference of the exponents' offsets.
    const REBIAS: f32 = f32::from_bits((127 + 112) << 23);
    let magnitude = f32::from_bits(u32::from(bits & 0x7fff) << 13) * REBIAS;
    f32::from_bits(magnitude.to_bits() | u32::from(bits & 0x8000) << 16)
}

impl Form {
    fn row_bytes(self, columns: usize) -> Option<usize> {
        match self {
            Self::F32 => columns.checked_mul(4),
            Self::Q8_0 if columns.is_multiple_of(BLOCK) => {
                (columns / BLOCK).checked_mul(BLOCK_BYTES)
            }
            Self::Q8_0 => None,
        }
    }
}

/// What a file says of a tensor.
struct Info {
    sizes: Vec<u64>,
    kind: u32,
    offset: u64,
}

impl Info {
    fn tensor(self, start: Option<u64>, end: usize) -> Result<Tensor, EmbedError> {
        let form = match self.kind {
            0 => Form::F32,
            8 => Form::Q8_0,
            _ => return Err(error("it has tensors that are neither F32 nor Q8_0")),
        };
        self.placed(form, start)
            .filter(|tensor| tensor.range.end <= end)
            .ok_or(error("a tensor lies outside of it"))
    }

    fn placed(&self, form: Form, start: Option<u64>) -> Option<Tensor> {
        let (columns, rows) = self.sizes.split_first()?;
        let rows = rows
            .iter()
            .try_fold(1_u64, |all, &rows| all.checked_mul(rows))?;
        let (rows, columns) = (usize::try_from(rows).ok()?, usize::try_from(*columns).ok()?);
        let at = usize::try_from(start?.checked_add(self.offset)?).ok()?;
        let len = form.row_bytes(columns)?.checked_mul(rows)?;
        Some(Tensor {
            form,
            rows,
            columns,
            range: at..at.checked_add(len)?,
        })
    }
}

/// What is not read yet.
struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn numbers(&mut self, count: u64) -> Result<BTreeMap<String, f64>, EmbedError> {
        let mut numbers = BTreeMap::new();
        for _ in 0..count {
            let name = self.string()?;
            let kind = self.u32()?;
            if let Some(number) = self.value(kind)? {
                numbers.insert(name, number);
            }
        }
        Ok(numbers)
    }

    fn placed(&mut self, count: u64) -> Result<Vec<(String, Info)>, EmbedError> {
        let mut placed = Vec::new();
        for _ in 0..count {
            let name = self.string()?;
            let sizes = (0..self.u32()?)
                .map(|_| self.u64())
                .collect::<Result<_, _>>()?;
            let (kind, offset) = (self.u32()?, self.u64()?);
            placed.push((
                name,
                Info {
                    sizes,
                    kind,
                    offset,
                },
            ));
        }
        Ok(placed)
    }

    /// Reads a value; gives it when it is a number.
    fn value(&mut self, kind: u32) -> Result<Option<f64>, EmbedError> {
        match kind {
            8 => self.string().map(|_| None),
            9 => self.array().map(|()| None),
            _ => self.scalar(kind).map(Some),
        }
    }

    fn scalar(&mut self, kind: u32) -> Result<f64, EmbedError> {
        Ok(match kind {
            0 | 7 => f64::from(u8::from_le_bytes(self.array_of()?)),
            1 => f64::from(i8::from_le_bytes(self.array_of()?)),
            2 => f64::from(u16::from_le_bytes(self.array_of()?)),
            3 => f64::from(i16::from_le_bytes(self.array_of()?)),
            4 => f64::from(u32::from_le_bytes(self.array_of()?)),
            5 => f64::from(i32::from_le_bytes(self.array_of()?)),
            6 => f64::from(f32::from_le_bytes(self.array_of()?)),
            10 => u64::from_le_bytes(self.array_of()?) as f64,
            11 => i64::from_le_bytes(self.array_of()?) as f64,
            12 => f64::from_le_bytes(self.array_of()?),
            _ => return Err(error("it has a value of an unknown kind")),
        })
    }

    /// Reads over an array; of arrays of arrays there are none.
    fn array(&mut self) -> Result<(), EmbedError> {
        let (kind, count) = (self.u32()?, self.u64()?);
        for _ in 0..count {
            match kind {
                8 => self.string().map(drop)?,
                _ => self.scalar(kind).map(drop)?,
            }
        }
        Ok(())
    }

    fn string(&mut self) -> Result<String, EmbedError> {
        let len = self.u64()?;
        let bytes = self.take(usize::try_from(len).unwrap_or(usize::MAX))?;
        Ok(String::from_utf8_lossy(bytes).into_owned())
    }

    fn u32(&mut self) -> Result<u32, EmbedError> {
        Ok(u32::from_le_bytes(self.array_of()?))
    }

    fn u64(&mut self) -> Result<u64, EmbedError> {
        Ok(u64::from_le_bytes(self.array_of()?))
    }

    fn array_of<const N: usize>(&mut self) -> Result<[u8; N], EmbedError> {
        let (array, rest) = self
            .rest
            .split_first_chunk()
            .ok_or(error("it ends early"))?;
        self.rest = rest;
        Ok(*array)
    }

    fn take(&mut self, len: usize) -> Result<&'a [u8], EmbedError> {
        let (taken, rest) = self
            .rest
            .split_at_checked(len)
            .ok_or(error("it ends early"))?;
        self.rest = rest;
        Ok(taken)
    }
}

fn error(reason: &'static str) -> EmbedError {
    EmbedError::File {
        file: "GGUF file",
        reason,
    }
}
