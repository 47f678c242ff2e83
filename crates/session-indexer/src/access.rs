//! Two ways to the store: with the writer in hand, or taking it when needed.

use crate::refresh::IndexError;
use session_store::{Reader, StoreError, Writer};
use std::path::Path;
use std::time::{Duration, Instant};

/// How the store is reached.
pub(crate) enum Access<'a> {
    /// Through the writer, which others wait for meanwhile.
    Held(&'a mut Writer),
    /// By its folder: the writer is taken for each write, and given back.
    Brief(&'a Path),
}

/// How long to wait for another process that is writing.
const PATIENCE: Duration = Duration::from_secs(60);

impl Access<'_> {
    /// Reads.
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

    /// Writes; what is written has to commit by itself.
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
            Err(error) if error.is_locked() && began.elapsed() < PATIENCE => {
                if let Some(waits) = waits.take() {
                    waits();
                }
                std::thread::sleep(Duration::from_millis(10));
            }
            other => return other,
        }
    }
}
