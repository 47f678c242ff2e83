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
            Self::Brief(root) => Ok(write(&mut wait_for_writer(root)?)?),
        }
    }
}

fn wait_for_writer(root: &Path) -> Result<Writer, StoreError> {
    let began = Instant::now();
    loop {
        drop(Reader::open(root)?); // never made anew where it has been deleted
        match Writer::open(root) {
            Err(StoreError::Locked { .. }) if began.elapsed() < PATIENCE => {
                std::thread::sleep(Duration::from_millis(10));
            }
            other => return other,
        }
    }
}
