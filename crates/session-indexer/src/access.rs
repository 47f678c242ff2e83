//! Access to the writer: held throughout, or taken for each write.

use crate::refresh::IndexError;
use session_store::{Reader, StoreError, Writer};
use std::path::Path;
use std::time::{Duration, Instant};

/// Access to an index and its writer.
pub(crate) enum WriterAccess<'a> {
    /// The writer is held, and others wait for it meanwhile.
    Held(&'a mut Writer),
    /// The index in this folder is opened for each read, and its writer for each write.
    Brief(&'a Path),
}

/// Longest time to wait for another process that is writing the index.
pub const MAX_LOCK_WAIT: Duration = Duration::from_secs(60);

impl WriterAccess<'_> {
    /// Calls `read` with a reader of one state of the index.
    pub(crate) fn read<T, E>(
        &mut self,
        read: impl FnOnce(&Reader) -> Result<T, E>,
    ) -> Result<T, IndexError>
    where
        IndexError: From<E>,
    {
        match self {
            Self::Held(writer) => Ok(read(writer.reader()?)?),
            Self::Brief(root) => {
                let index = Reader::open(root)?;
                index.snapshot()?;
                Ok(read(&index)?)
            }
        }
    }

    /// Calls `write` with the writer; it has to commit what it writes.
    pub(crate) fn write<T>(
        &mut self,
        write: impl FnOnce(&mut Writer) -> Result<T, StoreError>,
    ) -> Result<T, IndexError> {
        match self {
            Self::Held(writer) => Ok(write(writer)?),
            Self::Brief(root) => Ok(write(&mut wait_for_writer(root, || {})?)?),
        }
    }
}

/// Opens an index for writing. While another process writes, waits for it, up to a minute; `waits` is called once then.
///
/// # Errors
/// When there is no index, or it cannot be written; [`StoreError::Locked`] after a minute.
pub fn wait_for_writer(root: &Path, waits: impl FnOnce()) -> Result<Writer, StoreError> {
    let began = Instant::now();
    let mut waits = Some(waits);
    loop {
        drop(Reader::open(root)?); // never made anew where it has been deleted
        match Writer::open(root) {
            Err(error) if error.is_locked() && began.elapsed() < MAX_LOCK_WAIT => {
                if let Some(waits) = waits.take() {
                    waits();
                }
                std::thread::sleep(Duration::from_millis(10));
            }
            other => return other,
        }
    }
}
