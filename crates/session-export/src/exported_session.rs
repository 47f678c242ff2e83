//! A session and those of its turns that are exported.

use session_core::TurnAddress;
use session_core::text::shorten_words;
use session_display::{SessionIds, format_minute, sanitize_line};
use session_redact::Redactor;
use session_search::{Exchange, read_exchanges};
use session_store::{Reader, SessionRow, StoreError, TurnRow};
use std::borrow::Cow;
use std::ops::RangeInclusive;

/// A session with its turns, all or a range of them.
pub struct ExportedSession<'a> {
    row: &'a SessionRow,
    turns: ExportedTurns<'a>,
    /// The id in the addresses of its turns.
    id: String,
}

/// Where the turns are read.
enum ExportedTurns<'a> {
    Read(&'a [Exchange]),
    Indexed {
        index: &'a Reader,
        rows: Vec<TurnRow>,
        redactor: &'a Redactor,
    },
}

/// A line of the table of contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OutlineEntry {
    /// Position in the session, from 0.
    pub(crate) turn: u32,
    /// The beginning of its prompt.
    pub(crate) label: String,
}

/// Most turns that are in memory at once.
const BATCH_TURNS: usize = 256;
/// Most bytes of a transcript that they span, unless one turn is longer.
const BATCH_BYTES: u64 = 16 << 20;
/// Longest label in a table of contents, in bytes.
const LABEL_BYTES: usize = 120;

impl<'a> ExportedSession<'a> {
    /// Makes one of turns that were read, and redacted where that is wanted.
    pub fn new(row: &'a SessionRow, exchanges: &'a [Exchange]) -> Self {
        let turns = ExportedTurns::Read(exchanges);
        let id = row.uid.clone();
        Self { row, turns, id }
    }

    /// Opens the turns in `range`, from 0, that exist. They are read when they are written, as
    /// [`session_search::read_exchanges`] reads them, in batches of at most 16 MiB of a transcript.
    ///
    /// # Errors
    /// When the index fails.
    pub fn open(
        index: &'a Reader,
        row: &'a SessionRow,
        range: &RangeInclusive<u32>,
        redactor: &'a Redactor,
    ) -> Result<Self, StoreError> {
        let mut rows = index.turns(row.id)?;
        rows.retain(|turn| range.contains(&turn.index));
        let turns = ExportedTurns::Indexed {
            index,
            rows,
            redactor,
        };
        let id = row.uid.clone();
        Ok(Self { row, turns, id })
    }

    /// Shortens the id in the addresses of turns to what names the session among all. It stays whole where the short one is
    /// the index's own number, which means nothing on another machine.
    #[must_use]
    pub fn with_short_id(self, ids: &SessionIds<'_>) -> Self {
        let short = ids.short_id(self.row);
        if self.row.uid.starts_with(&short) {
            Self { id: short, ..self }
        } else {
            self
        }
    }

    /// Returns the address of a turn on one line.
    pub(crate) fn turn_address(&self, turn: u32) -> String {
        make_address(&self.id, turn)
    }

    /// Returns the session.
    pub(crate) fn row(&self) -> &'a SessionRow {
        self.row
    }

    /// Returns the working directory of the session, redacted as its turns are.
    pub(crate) fn folder(&self) -> Option<Cow<'a, str>> {
        let folder = self.row.cwd.as_deref()?;
        Some(match self.turns {
            ExportedTurns::Read(_) => folder.into(),
            ExportedTurns::Indexed { redactor, .. } => redactor.redact(folder),
        })
    }

    /// Returns how many turns are exported.
    pub fn len(&self) -> usize {
        match &self.turns {
            ExportedTurns::Read(exchanges) => exchanges.len(),
            ExportedTurns::Indexed { rows, .. } => rows.len(),
        }
    }

    /// Returns true when no turn is exported.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Calls `visit` with each turn in order, until it fails.
    pub(crate) fn try_for_each<E: From<StoreError>>(
        &self,
        mut visit: impl FnMut(&Exchange) -> Result<(), E>,
    ) -> Result<(), E> {
        match &self.turns {
            ExportedTurns::Read(exchanges) => exchanges.iter().try_for_each(visit),
            ExportedTurns::Indexed {
                index,
                rows,
                redactor,
            } => split_batches(rows).try_for_each(|batch| {
                let exchanges = read_exchanges(index, self.row, batch, redactor)?;
                exchanges.iter().try_for_each(&mut visit)
            }),
        }
    }

    /// Returns the table of contents.
    pub(crate) fn read_outline(&self) -> Result<Vec<OutlineEntry>, StoreError> {
        let entry = |turn, started_ms, prompt: &str| OutlineEntry {
            turn,
            label: make_label(prompt).unwrap_or_else(|| format_minute(started_ms)),
        };
        match &self.turns {
            ExportedTurns::Read(exchanges) => Ok(exchanges
                .iter()
                .map(|e| entry(e.turn.index, e.turn.started_ms, &e.turn.prompt))
                .collect()),
            ExportedTurns::Indexed {
                index,
                rows,
                redactor,
            } => {
                let indexed = |row: &TurnRow| {
                    let mut prompt = index.content(row.id)?.prompt;
                    redactor.redact_in_place(&mut prompt);
                    Ok(entry(row.index, row.started_ms, &prompt))
                };
                rows.iter().map(indexed).collect()
            }
        }
    }
}

/// Returns the address of a turn of a session on one line.
pub(crate) fn make_address(id: &str, turn: u32) -> String {
    sanitize_line(&TurnAddress::new(id, turn).to_string())
}

/// Returns the first line of a prompt that says something.
fn make_label(prompt: &str) -> Option<String> {
    let line = prompt
        .lines()
        .map(sanitize_line)
        .find(|line| !line.is_empty())?;
    Some(shorten_words(&line, LABEL_BYTES).into_owned())
}

/// Splits turns into batches that fit into memory.
fn split_batches(mut rows: &[TurnRow]) -> impl Iterator<Item = &[TurnRow]> {
    std::iter::from_fn(move || {
        let mut bytes = 0;
        let fits = |row: &&TurnRow| {
            bytes += row.span.end.saturating_sub(row.span.start);
            bytes <= BATCH_BYTES
        };
        let count = rows.iter().take(BATCH_TURNS).take_while(fits).count();
        let (batch, rest) = rows.split_at(count.max(1).min(rows.len()));
        rows = rest;
        (!batch.is_empty()).then_some(batch)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use session_core::TurnSpan;

    #[test]
    fn a_batch_has_so_many_bytes_or_one_turn() {
        let row = |bytes| TurnRow {
            span: TurnSpan {
                start: 5,
                end: 5 + bytes,
            },
            ..TurnRow::default()
        };
        let rows = [1, BATCH_BYTES - 1, 1, BATCH_BYTES + 1, 2, 3].map(row);
        let sizes: Vec<usize> = split_batches(&rows).map(<[TurnRow]>::len).collect();
        assert_eq!(sizes, [2, 1, 1, 2]);
        let many = vec![row(1); BATCH_TURNS + 1];
        let sizes: Vec<usize> = split_batches(&many).map(<[TurnRow]>::len).collect();
        assert_eq!(sizes, [BATCH_TURNS, 1]);
        assert_eq!(split_batches(&[]).count(), 0);
    }

    #[test]
    fn a_turn_has_the_shortest_address_that_means_something_elsewhere() {
        let session = |uid: &str| SessionRow {
            uid: uid.into(),
            ..SessionRow::default()
        };
        let sessions = [session("a1b2c3d4-0000"), session("7e; rm -r")];
        let ids = SessionIds::new(&sessions);
        let exported = |row| ExportedSession::new(row, &[]);
        let [plain, odd] = &sessions;
        assert_eq!(exported(plain).turn_address(7), "a1b2c3d4-0000:7");
        let address = |row| exported(row).with_short_id(&ids).turn_address(7);
        assert_eq!(address(plain), "a1b2c3d4:7");
        assert_eq!(address(odd), "7e; rm -r:7");
    }

    #[test]
    fn a_label_is_one_short_line() {
        assert_eq!(make_label("\n \u{202e}Fix  it\nnow"), Some("Fix it".into()));
        assert_eq!(make_label(" \n"), None);
        let long = make_label(&"word ".repeat(99)).unwrap();
        assert!(
            long.ends_with("word…") && long.len() <= LABEL_BYTES + 3,
            "{long}"
        );
    }
}
