//! Sessions in blocks, for a query, which reads them all: from a row of sixteen columns SQLite takes a microsecond.

use crate::error::Result;
use crate::id::{FileId, SessionId};
use crate::reader::Reader;
use crate::row::{GONE, PROMPTS_ONLY, REPEATED, SessionRow, UNNAMED_FORK};
use crate::sql::Statements;
use crate::titles::TitleCandidates;
use crate::writer::Writer;
use rusqlite::{Row, params};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

/// Sessions of a block: it is written again when one of them changes.
const BLOCK_SESSIONS: u64 = 64;

const COLUMNS: &str = "id, file, source, uid, parent, coalesce(title, given_title), cwd, coalesce(project, cwd), \
    branch, forked_from, started_ms, ended_ms, turns, gone, coalesce(rest, first_prompt, work)";

/// A session in a block, which is a list of these in postcard's format.
#[derive(Serialize, Deserialize)]
struct BlockSession<'a> {
    id: i64,
    file: i64,
    source: &'a str,
    uid: &'a str,
    parent: Option<&'a str>,
    /// The title that was given to it.
    title: Option<&'a str>,
    cwd: Option<&'a str>,
    project: Option<&'a str>,
    branch: Option<&'a str>,
    forked_from: Option<&'a str>,
    started_ms: Option<i64>,
    ended_ms: Option<i64>,
    turns: u32,
    /// As in `sessions`.
    gone: i64,
    /// The title that its first prompt gives.
    by_prompt: Option<&'a str>,
}

impl<'a> BlockSession<'a> {
    /// Borrows a row of [`COLUMNS`].
    fn from_row(row: &'a Row<'_>) -> rusqlite::Result<Self> {
        let text = |column| -> rusqlite::Result<_> { Ok(row.get_ref(column)?.as_str_or_null()?) };
        Ok(Self {
            id: row.get(0)?,
            file: row.get(1)?,
            source: text(2)?.unwrap_or_default(),
            uid: text(3)?.unwrap_or_default(),
            parent: text(4)?,
            title: text(5)?,
            cwd: text(6)?,
            project: text(7)?,
            branch: text(8)?,
            forked_from: text(9)?,
            started_ms: row.get(10)?,
            ended_ms: row.get(11)?,
            turns: row.get(12)?,
            gone: row.get(13)?,
            by_prompt: text(14)?,
        })
    }

    fn unpack(
        self,
        gone_files: &FxHashSet<FileId>,
        elsewhere: &FxHashSet<FileId>,
    ) -> TitleCandidates {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        let file = FileId::new(self.file);
        let session = SessionRow {
            id: SessionId::new(self.id),
            file,
            source: self.source.to_owned(),
            uid: self.uid.to_owned(),
            parent: owned(self.parent),
            title: owned(self.title),
            cwd: owned(self.cwd),
            project: owned(self.project),
            branch: owned(self.branch),
            forked_from: owned(self.forked_from),
            is_unnamed_fork: self.gone & UNNAMED_FORK != 0,
            started_ms: self.started_ms,
            ended_ms: self.ended_ms,
            turns: self.turns,
            gone: self.gone & GONE != 0 || gone_files.contains(&file),
            prompts_only: self.gone & PROMPTS_ONLY != 0,
            is_elsewhere: elsewhere.contains(&file),
            is_repeated: self.gone & REPEATED != 0,
        };
        TitleCandidates {
            session,
            by_prompt: owned(self.by_prompt),
        }
    }
}

/// Returns the block that a session stands in.
pub(crate) fn block_of_session(session: i64) -> u64 {
    session.cast_unsigned() / BLOCK_SESSIONS
}

impl Reader {
    /// Reads all sessions, by number.
    pub(crate) fn read_session_blocks(&self) -> Result<Vec<TitleCandidates>> {
        let gone = "SELECT id FROM files WHERE gone";
        let gone: FxHashSet<FileId> = self.db.rows(gone, [], |row| row.get(0))?;
        let elsewhere = self.files_elsewhere()?;
        let find = "SELECT block, sessions FROM session_blocks ORDER BY block";
        let mut find = self.db.prepare_cached(find)?;
        let mut blocks = find.query([])?;
        let mut sessions = Vec::new();
        while let Some(block) = blocks.next()? {
            let number = block.get::<_, i64>(0)?.cast_unsigned();
            let blob = block.get_ref(1)?.as_blob().unwrap_or_default();
            let packed: Vec<BlockSession<'_>> = postcard::from_bytes(blob)
                .map_err(|_| self.corrupt("a block of sessions cannot be read"))?;
            // A session in two blocks would be found twice.
            if packed
                .iter()
                .any(|session| block_of_session(session.id) != number)
            {
                return Err(self.corrupt(format!("block {number} has sessions of another one")));
            }
            sessions.extend(
                packed
                    .into_iter()
                    .map(|session| session.unpack(&gone, &elsewhere)),
            );
        }
        Ok(sessions)
    }
}

/// Writes a block of sessions as their rows are.
pub(crate) fn write_session_block(index: &Reader, block: u64) -> Result<()> {
    let select = format!("SELECT {COLUMNS} FROM sessions WHERE id >= ?1 AND id < ?2 ORDER BY id");
    let mut find = index.db.prepare_cached(&select)?;
    let first = (block * BLOCK_SESSIONS).cast_signed();
    let mut rows = find.query([first, first + BLOCK_SESSIONS.cast_signed()])?;
    let failed = |error: postcard::Error| index.corrupt(error.to_string());
    let (mut count, mut packed) = (0usize, Vec::new());
    while let Some(row) = rows.next()? {
        count += 1;
        let session = BlockSession::from_row(row)?;
        packed = postcard::to_extend(&session, packed).map_err(failed)?;
    }
    let mut list = postcard::to_allocvec(&count).map_err(failed)?;
    list.extend(packed);
    let write = "INSERT OR REPLACE INTO session_blocks(block, sessions) VALUES(?1, ?2)";
    index.db.run(write, params![block.cast_signed(), list])
}

impl Writer {
    /// Deletes the blocks of all sessions, and marks them to be written anew.
    pub(crate) fn mark_all_sessions(&self) -> Result<()> {
        self.db().execute("DELETE FROM session_blocks", [])?;
        let last = "SELECT coalesce(max(id), 0) FROM sessions";
        let last = self.db().query_row(last, [], |row| row.get(0))?;
        let all = 0..=block_of_session(last);
        self.pending
            .changed_rows
            .with(|stale| stale.sessions.extend(all));
        Ok(())
    }
}
