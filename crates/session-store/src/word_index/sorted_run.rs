//! Words of a batch of turns by term, in a file of their own, and their merge.

use super::doclists::TermTurns;
use crate::error::Result;
use crate::varint::{push_varint, read_varint};
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Seek, Write};
use std::ops::ControlFlow;
use std::path::Path;

/// Bytes of each file that are read or written at once.
const BUFFER_BYTES: usize = 64 << 10;

/// A file of terms in order of their bytes, each with its turns. Nobody else finds it, and the system
/// deletes it when it is closed, also by a kill.
///
/// An entry is the length of the term, that of the list (both `<u4`) and the last turn (`<u8`), followed by the term and the list.
pub(super) struct SortedRun(File);

impl SortedRun {
    /// Writes the lists of a batch.
    pub(super) fn write<'t>(
        directory: &Path,
        lists: impl Iterator<Item = TermTurns<'t>>,
    ) -> Result<Self> {
        let file = tempfile::tempfile_in(directory)?;
        let mut writer = BufWriter::with_capacity(BUFFER_BYTES, file);
        for list in lists {
            for part in [list.term, list.doclist] {
                let bytes = u32::try_from(part.len()).map_err(std::io::Error::other)?;
                writer.write_all(&bytes.to_le_bytes())?;
            }
            writer.write_all(&list.last_turn.to_le_bytes())?;
            writer.write_all(list.term)?;
            writer.write_all(list.doclist)?;
        }
        let mut file = writer
            .into_inner()
            .map_err(std::io::IntoInnerError::into_error)?;
        file.rewind()?;
        Ok(Self(file))
    }
}

/// Calls `each` with the terms of all runs in order, each once with its turns in all runs, until it breaks. No turn is in two
/// runs.
pub(super) fn merge_runs(
    runs: Vec<SortedRun>,
    mut each: impl FnMut(&[u8], &[u8]) -> ControlFlow<()>,
) -> Result<()> {
    let mut readers = BinaryHeap::new();
    for (number, run) in runs.into_iter().enumerate() {
        readers.extend(RunReader::begin(run, number)?);
    }
    let mut merged = MergedTerm::default();
    while let Some(mut reader) = readers.peek_mut() {
        if reader.term != merged.term {
            if merged.finish(&mut each).is_break() {
                return Ok(());
            }
            merged.term.clone_from(&reader.term);
        }
        merged.append(&reader);
        if !reader.advance()? {
            PeekMut::pop(reader);
        }
    }
    let _ = merged.finish(&mut each);
    Ok(())
}

/// The turns of a term as far as they were merged.
#[derive(Default)]
struct MergedTerm {
    term: Vec<u8>,
    doclist: Vec<u8>,
    last_turn: u64,
    /// All of them instead, in any order, where turns of a run came before some of an earlier one.
    entries: Vec<DoclistEntry>,
}

/// A turn of a list.
struct DoclistEntry {
    turn: u64,
    /// The size of its positions, and these.
    positions: Vec<u8>,
}

impl MergedTerm {
    fn append(&mut self, run: &RunReader) {
        let mut rest = run.doclist.as_slice();
        let first = read_varint(&mut rest).unwrap_or_default();
        if self.entries.is_empty() && (first > self.last_turn || self.doclist.is_empty()) {
            // The first turn of a list is whole: in a longer one it is the difference to the turn before.
            push_varint(&mut self.doclist, first - self.last_turn);
            self.doclist.extend_from_slice(rest);
            self.last_turn = run.last_turn;
            return;
        }
        if self.entries.is_empty() {
            self.entries.extend(entries(&self.doclist));
        }
        self.entries.extend(entries(&run.doclist));
    }

    /// Passes the list on, if there is one, and begins another.
    fn finish(&mut self, mut each: impl FnMut(&[u8], &[u8]) -> ControlFlow<()>) -> ControlFlow<()> {
        if !self.entries.is_empty() {
            self.put_in_order();
        }
        let flow = if self.doclist.is_empty() {
            ControlFlow::Continue(())
        } else {
            each(&self.term, &self.doclist)
        };
        self.doclist.clear();
        self.last_turn = 0;
        flow
    }

    fn put_in_order(&mut self) {
        self.entries.sort_unstable_by_key(|entry| entry.turn);
        self.doclist.clear();
        let mut before = 0;
        for entry in self.entries.drain(..) {
            push_varint(&mut self.doclist, entry.turn - before);
            self.doclist.extend(entry.positions);
            before = entry.turn;
        }
    }
}

/// Returns the turns of a list.
fn entries(mut doclist: &[u8]) -> impl Iterator<Item = DoclistEntry> {
    let mut turn = 0;
    std::iter::from_fn(move || {
        turn += read_varint(&mut doclist)?;
        let mut rest = doclist;
        let positions = read_varint(&mut rest)? / 2;
        let size = doclist.len() - rest.len();
        let bytes = size + usize::try_from(positions).ok()?;
        let positions = doclist.split_off(..bytes)?.to_vec();
        Some(DoclistEntry { turn, positions })
    })
}

/// A run that is read from its first term to the last.
struct RunReader {
    file: BufReader<File>,
    /// Its index among the runs.
    number: usize,
    /// The term at hand.
    term: Vec<u8>,
    doclist: Vec<u8>,
    last_turn: u64,
}

impl RunReader {
    /// Begins to read; returns none for a run without terms.
    fn begin(run: SortedRun, number: usize) -> Result<Option<Self>> {
        let mut reader = Self {
            file: BufReader::with_capacity(BUFFER_BYTES, run.0),
            number,
            term: Vec::new(),
            doclist: Vec::new(),
            last_turn: 0,
        };
        let has_term = reader.advance()?;
        Ok(has_term.then_some(reader))
    }

    /// Goes on to the next term; returns false at the end.
    fn advance(&mut self) -> Result<bool> {
        if self.file.fill_buf()?.is_empty() {
            return Ok(false);
        }
        let mut header = [0; 16];
        self.file.read_exact(&mut header)?;
        let [a, b, c, d, e, f, g, h, last_turn @ ..] = header;
        let lengths = [[a, b, c, d], [e, f, g, h]].map(u32::from_le_bytes);
        for (part, length) in [&mut self.term, &mut self.doclist].into_iter().zip(lengths) {
            part.resize(length as usize, 0);
            self.file.read_exact(part)?;
        }
        self.last_turn = u64::from_le_bytes(last_turn);
        Ok(true)
    }
}

/// The one with the least term is the greatest, of equals that of the earlier run.
impl Ord for RunReader {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_term = other.term.cmp(&self.term);
        by_term.then(other.number.cmp(&self.number))
    }
}

impl PartialOrd for RunReader {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for RunReader {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for RunReader {}
