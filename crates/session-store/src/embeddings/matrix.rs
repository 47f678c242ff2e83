//! Stores matrices of vectors on disk: the writer appends rows, readers map the files.

use crate::directory;
use crate::embeddings::npy;
use crate::embeddings::quantized_row::{QuantizedQuery, QuantizedRow, row_bytes};
use crate::error::{Result, StoreError};
use crate::id::ModelId;
use crate::model::{DocumentKind, ModelRow};
use crate::old_databases::{rename_file_to_old, rename_to_old};
use memmap2::Mmap;
#[cfg(target_os = "linux")]
use memmap2::{Advice, UncheckedAdvice};
use rayon::prelude::*;
use session_files::private;
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::io::{BufWriter, ErrorKind, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A matrix, whatever its generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct MatrixId {
    pub(crate) model: ModelId,
    pub(crate) kind: DocumentKind,
}

/// Returns the path of the matrix of a model and kind.
pub(crate) fn matrix_path(root: &Path, model: &ModelRow, kind: DocumentKind) -> PathBuf {
    let name = format!("{}.{}.npy", kind.name(), model.generation(kind));
    directory::vectors_path(root)
        .join(&model.fingerprint)
        .join(name)
}

/// Creates the directory of a model's matrices. What lies at its path, or at that of all vectors, and is no directory is
/// renamed to `….old`.
fn create_model_directory(root: &Path, model: &ModelRow) -> Result<()> {
    let vectors = directory::vectors_path(root);
    rename_file_to_old(root, directory::VECTORS)?;
    rename_file_to_old(&vectors, &model.fingerprint)?;
    Ok(private::create_directory(
        &vectors.join(&model.fingerprint),
    )?)
}

/// Renames the directory of a model's matrices, or that of all vectors where nothing in it can be looked at: a command
/// that ran as another user made it.
fn rename_denied_to_old(root: &Path, model: &ModelRow) -> Result<()> {
    let vectors = directory::vectors_path(root);
    match fs_err::symlink_metadata(vectors.join(&model.fingerprint)) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            rename_to_old(root, directory::VECTORS)
        }
        _ => rename_to_old(&vectors, &model.fingerprint),
    }
}

fn is_denied(error: &StoreError) -> bool {
    matches!(error, StoreError::Io(error) if error.kind() == ErrorKind::PermissionDenied)
}

/// Returns true for the name of a matrix, of any model and generation.
pub(crate) fn is_matrix_name(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    let mut kinds = DocumentKind::ALL.into_iter();
    name.ends_with(".npy") && kinds.any(|kind| name.starts_with(kind.name()))
}

/// Deletes the matrices in a directory that are not in `kept`, then the directory if it is empty. A file that cannot be
/// deleted, as on Windows one that is mapped, stays until old generations are deleted again.
pub(crate) fn delete_matrices_except(directory: &Path, kept: &HashSet<PathBuf>) {
    for entry in fs_err::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|ext| ext == "npy") && !kept.contains(&path) {
            // An empty directory may have taken its place.
            let _ = fs_err::remove_file(&path).or_else(|_| fs_err::remove_dir(&path));
        }
    }
    let _ = std::fs::remove_dir(directory);
}

/// Deletes the matrices below a directory, and each directory that has nothing else. What cannot be deleted is another
/// user's, and `doctor` names it.
pub(crate) fn delete_matrices_recursively(directory: &Path) {
    for entry in fs_err::read_dir(directory).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            delete_matrices_recursively(&entry.path());
        } else if is_matrix_name(&entry.file_name()) {
            let _ = fs_err::remove_file(entry.path());
        }
    }
    let _ = fs_err::remove_dir(directory);
}

/// All vectors of a model for one kind of documents, mapped into memory. Rows are unit
/// vectors of `dims` components, 8 bits each.
#[derive(Clone)]
pub struct VectorMatrix {
    map: Option<Arc<Mmap>>,
    rows: usize,
    dims: usize,
}

/// The dot products of a query with the rows of a matrix.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RowProducts {
    /// In the order of rows; 0 for one that is not finite, of a damaged row.
    pub products: Vec<f32>,
    /// The variance of what the rounding of the rows adds to the product with a query of unit length, on average.
    pub rounding_variance: f64,
}

/// The sum of the variances of the rounding of some rows.
#[derive(Debug, Clone, Copy, Default)]
struct RoundingSum {
    sum: f64,
    rows: u32,
}

impl RoundingSum {
    /// Adds the variance of a row; a damaged one has none.
    fn add(&mut self, variance: Option<f32>) {
        if let Some(variance) = variance {
            self.sum += f64::from(variance);
            self.rows += 1;
        }
    }

    /// Returns the mean over all rows, summed in the order of `blocks`; 0 without rows.
    fn mean(blocks: &[Self]) -> f64 {
        let sum: f64 = blocks.iter().map(|block| block.sum).sum();
        let rows: f64 = blocks.iter().map(|block| f64::from(block.rows)).sum();
        sum / rows.max(1.0)
    }
}

/// Rows scored by one thread at a time.
const BLOCK_ROWS: usize = 4096;

/// Bytes of a matrix from which a process does not keep what it has read: below them, one that stays open
/// answers the next query sooner.
#[cfg(target_os = "linux")]
const MAX_RESIDENT_BYTES: usize = 32 << 20;

/// Says whether a block of rows is about to be read, or was.
#[derive(Debug, Clone, Copy)]
enum BlockUse {
    Begins,
    Ends,
}

impl VectorMatrix {
    pub(crate) fn open(root: &Path, model: &ModelRow, kind: DocumentKind) -> Result<Self> {
        let (rows, dims) = (model.rows(kind), model.dims);
        if rows == 0 {
            return Ok(Self {
                map: None,
                rows: 0,
                dims,
            });
        }
        let path = matrix_path(root, model, kind);
        let damaged =
            |what: &str| StoreError::corrupt(root, format!("`{}` {what}", path.display()));
        let unopened = |error: std::io::Error| match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => damaged("is missing"),
            // Nobody but its owner can change that, and its vectors can be made again.
            ErrorKind::PermissionDenied => damaged("may not be read"),
            _ => error.into(),
        };
        let metadata = fs_err::metadata(&path).map_err(unopened)?;
        // Before it is opened: a FIFO would wait for a writer.
        if !metadata.is_file() {
            return Err(damaged("is no file"));
        }
        let file = fs_err::File::open(&path).map_err(unopened)?;
        // SAFETY: the file is ours and append-only: rows that the database
        // counts are never rewritten or cut, a new generation is a new file.
        let map = unsafe { Mmap::map(file.file()) }?;
        if (map.len() as u64) < npy::row_offset(rows as u64, dims) {
            return Err(damaged("is shorter than the index says"));
        }
        if !npy::is_header(&map, dims) {
            return Err(damaged("is not a matrix of this model"));
        }
        Ok(Self {
            map: Some(Arc::new(map)),
            rows,
            dims,
        })
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of components of a row.
    pub fn dims(&self) -> usize {
        self.dims
    }

    /// Computes the dot product of each row with `query`, which has `dims`
    /// components. For unit vectors that is the cosine.
    pub fn dot(&self, query: &[f32]) -> RowProducts {
        let query = &QuantizedQuery::new(query);
        let mut products = vec![0.0; self.rows];
        let variances: Vec<RoundingSum> = if self.rows <= BLOCK_ROWS {
            vec![self.dot_rows(0, query, &mut products)] // not worth starting threads
        } else {
            let blocks = products.par_chunks_mut(BLOCK_ROWS).enumerate();
            let dot_rows = |(block, products)| self.dot_rows(block * BLOCK_ROWS, query, products);
            blocks.map(dot_rows).collect()
        };
        RowProducts {
            rounding_variance: RoundingSum::mean(&variances),
            products,
        }
    }

    /// Computes the products of a block of rows, and returns the variances of their rounding.
    fn dot_rows(&self, first: usize, query: &QuantizedQuery, products: &mut [f32]) -> RoundingSum {
        self.advise_rows(first, products.len(), BlockUse::Begins);
        let mut variances = RoundingSum::default();
        for (product, row) in products.iter_mut().zip(first..) {
            let row = self.quantized_row(row);
            let dot = row.dot(query);
            *product = if dot.is_finite() { dot } else { 0.0 };
            variances.add(row.rounding_variance());
        }
        self.advise_rows(first, products.len(), BlockUse::Ends);
        variances
    }

    /// Tells the system that a block of a large matrix is about to be read, or was: it maps the block at
    /// once rather than page by page, and a process does not hold what it reads once a query. The file stays
    /// in the system's cache.
    #[cfg(target_os = "linux")]
    fn advise_rows(&self, first: usize, count: usize, usage: BlockUse) {
        let Some(map) = self
            .map
            .as_deref()
            .filter(|map| map.len() > MAX_RESIDENT_BYTES)
        else {
            return;
        };
        let [start, end] = [first, first + count].map(|row| {
            let offset = npy::row_offset(row as u64, self.dims);
            usize::try_from(offset).unwrap_or(usize::MAX).min(map.len())
        });
        let length = end.saturating_sub(start);
        // Either fails on older systems, where nothing is lost but time.
        let _ = match usage {
            BlockUse::Begins => map.advise_range(Advice::PopulateRead, start, length),
            // SAFETY: the map is of a file and never written to: pages that are dropped are read again.
            BlockUse::Ends => unsafe {
                map.unchecked_advise_range(UncheckedAdvice::DontNeed, start, length)
            },
        };
    }

    /// Other systems map pages as they are read.
    #[cfg(not(target_os = "linux"))]
    fn advise_rows(&self, first: usize, count: usize, usage: BlockUse) {
        let _ = (&self.map, first, count, usage);
    }

    /// Returns the first row that is not a unit vector: the file is damaged there.
    pub(crate) fn first_damaged_row(&self) -> Option<usize> {
        (0..self.rows).find(|row| !self.is_unit(*row))
    }

    /// Returns true when a row has length 1, but for the rounding of its components. A damaged row
    /// seldom has.
    pub fn is_unit(&self, row: usize) -> bool {
        let squares = self.row(row).iter().map(|x| x * x).sum::<f32>();
        (0.96..1.04).contains(&squares)
    }

    /// Returns one row as `dims` single floats.
    pub fn row(&self, row: usize) -> Vec<f32> {
        self.quantized_row(row).dequantize()
    }

    fn quantized_row(&self, row: usize) -> QuantizedRow<'_> {
        QuantizedRow::new(self.row_bytes(row))
    }

    /// Returns rows as they are stored.
    pub(crate) fn rows_bytes(&self, rows: Range<usize>) -> &[u8] {
        let bytes = self.map.as_deref().map(|map| &**map).unwrap_or_default();
        let [start, end] = [rows.start, rows.end].map(|row| {
            usize::try_from(npy::row_offset(row as u64, self.dims)).unwrap_or(usize::MAX)
        });
        bytes.get(start..end).unwrap_or_default()
    }

    /// Returns one row as it is stored.
    pub(crate) fn row_bytes(&self, row: usize) -> &[u8] {
        self.rows_bytes(row..row.saturating_add(1))
    }
}

/// Bytes of rows that are written at once.
const APPENDER_BYTES: usize = 64 << 10;

/// The open matrices of a writer.
#[derive(Default)]
pub(crate) struct MatrixAppenders {
    files: HashMap<MatrixId, MatrixAppender>,
}

struct MatrixAppender {
    /// Written where it is sought: rows that were appended since are then read from it, too.
    file: BufWriter<fs_err::File>,
    rows: u64,
    dims: usize,
}

impl MatrixAppenders {
    /// Appends a row as it is stored after the last one and returns its number. Bytes that a killed
    /// writer left there are overwritten.
    pub(crate) fn append_row(
        &mut self,
        root: &Path,
        model: &ModelRow,
        kind: DocumentKind,
        row: &[u8],
    ) -> Result<u64> {
        let appender = match self.files.entry(model.matrix_id(kind)) {
            std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::hash_map::Entry::Vacant(new) => {
                new.insert(MatrixAppender::open(root, model, kind)?)
            }
        };
        appender.append_row(row)
    }

    /// Reads a row as it is stored, committed or appended since.
    pub(crate) fn read_row(
        &mut self,
        root: &Path,
        model: &ModelRow,
        kind: DocumentKind,
        row: u64,
    ) -> Result<Vec<u8>> {
        match self.files.get_mut(&model.matrix_id(kind)) {
            Some(appender) => appender.read_row(row),
            None => MatrixAppender::open(root, model, kind)?.read_row(row),
        }
    }

    /// Returns the row count of a matrix with uncommitted rows, if any were appended.
    pub(crate) fn rows(&self, matrix: MatrixId) -> Option<u64> {
        self.files.get(&matrix).map(|appender| appender.rows)
    }

    /// Writes the headers of the open matrices, syncs and closes them, and returns which they are.
    pub(crate) fn flush(&mut self) -> Result<Vec<MatrixId>> {
        let mut written = Vec::with_capacity(self.files.len());
        for (matrix, mut appender) in self.files.drain() {
            appender.write_header_and_sync()?;
            written.push(matrix);
        }
        Ok(written)
    }
}

impl MatrixAppender {
    fn open(root: &Path, model: &ModelRow, kind: DocumentKind) -> Result<Self> {
        // Rows that are lost must not be made up of zeros.
        VectorMatrix::open(root, model, kind)?;
        let mut file = match Self::open_file(root, model, kind) {
            // Nothing in it counts.
            Err(error) if is_denied(&error) && model.is_without_rows() => {
                rename_denied_to_old(root, model)?;
                Self::open_file(root, model, kind)?
            }
            opened => opened?,
        };
        let (rows, dims) = (model.rows(kind) as u64, model.dims);
        file.set_len(npy::row_offset(rows, dims))?;
        file.seek(SeekFrom::End(0))?;
        let file = BufWriter::with_capacity(APPENDER_BYTES, file);
        Ok(Self { file, rows, dims })
    }

    /// Opens the file of a matrix, made anew where it has no row.
    fn open_file(root: &Path, model: &ModelRow, kind: DocumentKind) -> Result<fs_err::File> {
        let path = matrix_path(root, model, kind);
        create_model_directory(root, model)?;
        if model.rows(kind) == 0 {
            // What a model left there that the index no longer has may be mapped: it is not cut.
            let _ = fs_err::remove_file(&path);
        }
        Ok(private::open(&path)?)
    }

    fn append_row(&mut self, row: &[u8]) -> Result<u64> {
        debug_assert_eq!(row.len(), row_bytes(self.dims));
        self.file.write_all(row)?;
        self.rows += 1;
        Ok(self.rows - 1)
    }

    fn read_row(&mut self, row: u64) -> Result<Vec<u8>> {
        let mut bytes = vec![0; row_bytes(self.dims)];
        self.file
            .seek(SeekFrom::Start(npy::row_offset(row, self.dims)))?;
        let read = self.file.get_mut().read_exact(&mut bytes);
        self.file.seek(SeekFrom::End(0))?;
        read?;
        Ok(bytes)
    }

    fn write_header_and_sync(&mut self) -> Result<()> {
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(&npy::header(self.rows, self.dims))?;
        self.file.flush()?;
        Ok(self.file.get_ref().sync_data()?)
    }
}
