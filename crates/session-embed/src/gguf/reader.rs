//! What stands before the tensors, from the first byte on.

use super::{Info, List, Value, error};
use crate::EmbedError;
use bytes::Bytes;
use std::collections::BTreeMap;

/// What is not read yet.
pub struct Reader<'a> {
    all: &'a Bytes,
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub fn new(all: &'a Bytes) -> Self {
        Self { all, rest: all }
    }

    /// How many bytes were read.
    pub fn at(&self) -> usize {
        self.all.len() - self.rest.len()
    }

    pub fn values(&mut self, count: u64) -> Result<BTreeMap<String, Value>, EmbedError> {
        let mut values = BTreeMap::new();
        for _ in 0..count {
            let name = self.string()?.to_owned();
            let kind = self.u32()?;
            values.insert(name, self.value(kind)?);
        }
        Ok(values)
    }

    pub fn infos(&mut self, count: u64) -> Result<Vec<(String, Info)>, EmbedError> {
        let mut infos = Vec::new();
        for _ in 0..count {
            let name = self.string()?.to_owned();
            let sizes = (0..self.u32()?)
                .map(|_| self.u64())
                .collect::<Result<_, _>>()?;
            let (kind, offset) = (self.u32()?, self.u64()?);
            let info = Info {
                sizes,
                kind,
                offset,
            };
            infos.push((name, info));
        }
        Ok(infos)
    }

    fn value(&mut self, kind: u32) -> Result<Value, EmbedError> {
        Ok(match kind {
            8 => Value::Text(self.string()?.to_owned()),
            9 => Value::List(self.list()?),
            _ => Value::Number(self.scalar(kind)?),
        })
    }

    pub fn scalar(&mut self, kind: u32) -> Result<f64, EmbedError> {
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
    fn list(&mut self) -> Result<List, EmbedError> {
        let (kind, count) = (self.u32()?, self.u64()?);
        let start = self.at();
        for _ in 0..count {
            match kind {
                8 => self.text().map(drop)?,
                _ => self.scalar(kind).map(drop)?,
            }
        }
        let bytes = self.all.slice(start..self.at());
        Ok(List::new(kind, count, bytes))
    }

    fn string(&mut self) -> Result<&'a str, EmbedError> {
        str::from_utf8(self.text()?).map_err(|_| error("it has a name that is not UTF-8"))
    }

    pub fn text(&mut self) -> Result<&'a [u8], EmbedError> {
        let len = self.u64()?;
        self.take(usize::try_from(len).unwrap_or(usize::MAX))
    }

    pub fn u32(&mut self) -> Result<u32, EmbedError> {
        Ok(u32::from_le_bytes(self.array_of()?))
    }

    pub fn u64(&mut self) -> Result<u64, EmbedError> {
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

    pub fn take(&mut self, len: usize) -> Result<&'a [u8], EmbedError> {
        let (taken, rest) = self
            .rest
            .split_at_checked(len)
            .ok_or(error("it ends early"))?;
        self.rest = rest;
        Ok(taken)
    }
}
