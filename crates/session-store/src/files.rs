//! Stores history files: the cursor and stamp of each, and its problems.

use crate::Reader;
use crate::error::Result;
use crate::frames::codec::{compress, decompress};
use crate::id::{FileId, SessionId};
use crate::row::{GONE, PROMPTS_ONLY};
use crate::sql::Statements;
use crate::writer::Writer;
use rusqlite::{Row, params};
use serde::Serialize;
use session_core::FileStamp;
use std::collections::BTreeMap;

/// A history file in the index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileRow {
    /// Number in the index.
    pub id: FileId,
    /// Agent.
    pub source: String,
    /// Path.
    pub path: String,
    /// Its size, time and inode when it was read to its end; all zero before.
    pub stamp: FileStamp,
    /// No longer on disk: what was indexed stays.
    pub gone: bool,
}

/// Something that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HistoryProblem {
    /// File or directory.
    pub path: String,
    /// The reason.
    pub reason: String,
    /// Byte offset of its first occurrence.
    pub offset: Option<u64>,
    /// Times that it was met.
    pub count: u64,
    /// The whole file or directory is unread, so that an answer may lack what it holds.
    #[serde(skip)]
    pub is_unread_path: bool,
}

/// The step in which a problem was met, which says when it is deleted. The database holds its number.
#[derive(Debug, Clone, Copy)]
enum ProblemKind {
    /// Reading the content of a file: until the file is read anew.
    Read = 0,
    /// Listing: until the next list.
    Listing = 1,
    /// Reading a file of which a part could not be read now: until the next try.
    Unread = 2,
    /// As [`Self::Listing`], of a path at which there is nothing to be read.
    ListingNotice = 3,
    /// As [`Self::Unread`], of a file that could not be read at all or not to its end.
    UnreadFile = 4,
}

/// The kinds of listing.
const OF_LISTING: &[ProblemKind] = &[ProblemKind::Listing, ProblemKind::ListingNotice];
/// The kinds of reading that hold until the next try.
const UNTIL_NEXT_TRY: &[ProblemKind] = &[ProblemKind::Unread, ProblemKind::UnreadFile];
/// The kinds of files and directories that are unread as a whole.
const OF_UNREAD_PATHS: &[ProblemKind] = &[ProblemKind::Listing, ProblemKind::UnreadFile];

/// Returns the condition that is met by the problems of these kinds.
fn is_one_of(kinds: &[ProblemKind]) -> String {
    let numbers = kinds.iter().map(|kind| (*kind as i64).to_string());
    format!("kind IN ({})", numbers.collect::<Vec<_>>().join(", "))
}

/// Is met by a problem of a file that is not gone: those of one that is are kept for when it is back.
const OF_PRESENT_FILES: &str =
    "NOT EXISTS (SELECT 1 FROM files f WHERE f.path = problems.path AND f.gone)";

/// Returns what stands for the path of a file where a model failed. No history has such a path.
fn model_failure_path(model: &str) -> String {
    format!("model `{model}`")
}

/// Returns the model whose failure a problem is.
fn failed_model(path: &str) -> Option<&str> {
    path.strip_prefix("model `")?.strip_suffix('`')
}

const COLUMNS: &str = "id, source, path, size, mtime_ns, inode, gone";

fn file_row(row: &Row<'_>) -> rusqlite::Result<FileRow> {
    Ok(FileRow {
        id: row.get(0)?,
        source: row.get(1)?,
        path: row.get(2)?,
        stamp: stamp(row, 3)?,
        gone: row.get(6)?,
    })
}

/// Reads size, time and inode from a column on.
pub(crate) fn stamp(row: &Row<'_>, first: usize) -> rusqlite::Result<FileStamp> {
    Ok(FileStamp {
        size: row.get::<_, i64>(first)?.cast_unsigned(),
        mtime_ns: row.get(first + 1)?,
        inode: row.get::<_, i64>(first + 2)?.cast_unsigned(),
    })
}

impl Reader {
    /// Returns all history files.
    ///
    /// # Errors
    /// When the database fails.
    pub fn files(&self) -> Result<Vec<FileRow>> {
        self.db
            .rows(&format!("SELECT {COLUMNS} FROM files"), [], file_row)
    }

    /// Returns a history file, if the index has it.
    ///
    /// # Errors
    /// When the database fails.
    pub fn file(&self, id: FileId) -> Result<Option<FileRow>> {
        let select = format!("SELECT {COLUMNS} FROM files WHERE id = ?1");
        self.db.first(&select, [id], file_row)
    }

    /// Returns the path of the history of a session that was not listed by the last refresh, while the session was in it
    /// when it was read last.
    ///
    /// # Errors
    /// When the database fails.
    pub fn unlisted_history(&self, session: SessionId) -> Result<Option<String>> {
        let select = "SELECT f.path FROM sessions s JOIN files f ON f.id = s.file
             WHERE s.id = ?1 AND f.gone AND NOT s.gone & ?2";
        let values = params![session, GONE | PROMPTS_ONLY];
        self.db.first(select, values, |row| row.get(0))
    }

    /// Returns the history files that hold a session, or held it.
    ///
    /// # Errors
    /// When the database fails.
    pub fn files_of_session(&self, source: &str, uid: &str) -> Result<Vec<FileId>> {
        let select = "SELECT file FROM sessions WHERE uid = ?1 AND source = ?2";
        self.db.rows(select, [uid, source], |row| row.get(0))
    }

    /// Returns the cursor of a history file, if one was stored.
    ///
    /// # Errors
    /// When the database fails.
    pub fn cursor(&self, file: FileId) -> Result<Option<String>> {
        let select = "SELECT cursor FROM cursors WHERE file = ?1";
        Ok(self
            .db
            .first(select, [file], |row| {
                Ok(decompress(row.get_ref(0)?.as_blob()?))
            })?
            .map(|c| String::from_utf8_lossy(&c).into_owned()))
    }

    /// Returns all problems of histories, by path.
    ///
    /// # Errors
    /// When the database fails.
    pub fn problems(&self) -> Result<Vec<HistoryProblem>> {
        let mut problems = self.query_problems(OF_PRESENT_FILES)?;
        problems.retain(|problem| failed_model(&problem.path).is_none());
        Ok(problems)
    }

    /// Counts the files and directories of histories that are unread as a whole.
    ///
    /// # Errors
    /// When the database fails.
    pub fn unread_paths(&self) -> Result<usize> {
        let count = format!(
            "SELECT count(DISTINCT path) FROM problems WHERE {} AND {OF_PRESENT_FILES}",
            is_one_of(OF_UNREAD_PATHS)
        );
        let count: i64 = self.db.single(&count, [], |row| row.get(0))?;
        Ok(usize::try_from(count).unwrap_or_default())
    }

    /// Returns why models could not embed, by name.
    ///
    /// # Errors
    /// When the database fails.
    pub fn model_failures(&self) -> Result<BTreeMap<String, String>> {
        let unread = self.query_problems(&is_one_of(&[ProblemKind::Unread]))?;
        let failures = unread.into_iter().filter_map(|problem| {
            let model = failed_model(&problem.path)?.to_owned();
            Some((model, problem.reason))
        });
        Ok(failures.collect())
    }

    /// Returns the problems of listing the histories.
    ///
    /// # Errors
    /// When the database fails.
    pub fn listing_problems(&self) -> Result<Vec<HistoryProblem>> {
        self.query_problems(&is_one_of(OF_LISTING))
    }

    /// Returns the problems that meet a condition, by path.
    fn query_problems(&self, condition: &str) -> Result<Vec<HistoryProblem>> {
        let select = format!(
            "SELECT path, reason, offset, count, {} FROM problems WHERE {condition} ORDER BY path, reason",
            is_one_of(OF_UNREAD_PATHS)
        );
        self.db.rows(&select, [], |row| {
            Ok(HistoryProblem {
                path: row.get(0)?,
                reason: row.get(1)?,
                offset: row.get::<_, Option<i64>>(2)?.map(i64::cast_unsigned),
                count: row.get::<_, i64>(3)?.cast_unsigned(),
                is_unread_path: row.get(4)?,
            })
        })
    }
}

impl Writer {
    /// Returns the number of a history file, inserted if its path is new.
    ///
    /// # Errors
    /// When the database fails.
    pub fn upsert_file(&mut self, source: &str, path: &str) -> Result<FileId> {
        self.begin()?;
        let select = "SELECT id FROM files WHERE path = ?1";
        if let Some(id) = self.db().first(select, [path], |row| row.get(0))? {
            let back = "UPDATE files SET gone = 0 WHERE id = ?1";
            self.db().run(back, [id])?;
            return Ok(id);
        }
        let insert = "INSERT INTO files(source, path) VALUES(?1, ?2)";
        let values = params![source, path];
        Ok(FileId::new(self.db().insert(insert, values)?))
    }

    /// Records the cursor up to which a file was read, and its stamp: a default one until it was read to its end.
    ///
    /// # Errors
    /// When the database fails.
    pub fn checkpoint(&mut self, file: FileId, cursor: &str, stamp: FileStamp) -> Result<()> {
        self.begin()?;
        self.finish_replacement_unless_unfinished()?;
        let update = "UPDATE files SET size = ?2, mtime_ns = ?3, inode = ?4 WHERE id = ?1";
        self.db().run(
            update,
            params![
                file,
                stamp.size.cast_signed(),
                stamp.mtime_ns,
                stamp.inode.cast_signed()
            ],
        )?;
        let insert = "INSERT OR REPLACE INTO cursors(file, cursor) VALUES(?1, ?2)";
        let values = params![file, compress(cursor.as_bytes())?];
        self.db().run(insert, values)
    }

    /// Replaces the cursors of which `edit`, given its file and the cursor, returns another text.
    ///
    /// # Errors
    /// When the database fails.
    pub fn edit_cursors(&mut self, edit: impl Fn(&FileRow, &str) -> Option<String>) -> Result<()> {
        self.begin()?;
        for file in self.reader.files()? {
            let cursor = self.reader.cursor(file.id)?;
            if let Some(edited) = cursor.and_then(|cursor| edit(&file, &cursor)) {
                self.request_purge()?;
                let update = "UPDATE cursors SET cursor = ?2 WHERE file = ?1";
                let values = params![file.id, compress(edited.as_bytes())?];
                self.db().run(update, values)?;
            }
        }
        Ok(())
    }

    /// Marks a file that is no longer on disk. A session of it is deleted where a file that is on disk holds all of its
    /// turns; a file without any session left is deleted, too. Problems of a marked file stay, and are not listed.
    ///
    /// # Errors
    /// When the database fails.
    pub fn mark_file_gone(&mut self, file: FileId) -> Result<()> {
        self.begin()?;
        self.db()
            .run("UPDATE files SET gone = 1 WHERE id = ?1", [file])?;
        self.delete_copied_sessions(file)
    }

    /// Changes the path of a file and of its problems.
    ///
    /// # Errors
    /// When the database fails.
    pub fn rename_file(&mut self, file: FileId, path: &str) -> Result<()> {
        self.begin()?;
        let wrong = "UPDATE OR REPLACE problems SET path = ?2 WHERE path = (SELECT path FROM files WHERE id = ?1)";
        self.db().run(wrong, params![file, path])?;
        let update = "UPDATE files SET path = ?2, gone = 0 WHERE id = ?1";
        self.db().run(update, params![file, path])
    }

    /// Begins to read a file from its start: deletes its problems and marks its
    /// sessions as gone until they are read again. Returns those that were not.
    ///
    /// # Errors
    /// When the database fails.
    pub fn begin_full_read(&mut self, file: FileId, path: &str) -> Result<Vec<SessionId>> {
        self.begin()?;
        let delete = "DELETE FROM problems WHERE path = ?1 AND kind = ?2";
        self.db()
            .run(delete, params![path, ProblemKind::Read as i64])?;
        let select = format!("SELECT id FROM sessions WHERE file = ?1 AND NOT gone & {GONE}");
        let held: Vec<SessionId> = self.db().rows(&select, [file], |row| row.get(0))?;
        // A row a statement: before one that may change several and fail half-way, FTS5 writes the words that it holds.
        let update = format!("UPDATE sessions SET gone = gone | {GONE} WHERE id = ?1");
        held.iter()
            .try_for_each(|id| self.db().run(&update, [id]))?;
        Ok(held)
    }

    /// Takes back that sessions are gone: their file could not be read to its end.
    ///
    /// # Errors
    /// When the database fails.
    pub fn unmark_sessions_gone(&mut self, sessions: &[SessionId]) -> Result<()> {
        self.begin()?;
        let update = format!("UPDATE sessions SET gone = gone & ~{GONE} WHERE id = ?1");
        let mut sessions = sessions.iter();
        sessions.try_for_each(|id| self.db().run(&update, [id]))
    }

    /// Deletes the cursors of all files, so that the next refresh reads all of
    /// them again. What the index holds stays until then; keys and blocks, which no check reads, are made anew.
    ///
    /// # Errors
    /// When the database fails.
    pub fn reset_cursors(&mut self) -> Result<()> {
        self.reader()?;
        self.begin()?;
        self.db().execute_batch(
            "UPDATE files SET mtime_ns = 0, inode = 0;
             DELETE FROM cursors; DELETE FROM problems;",
        )?;
        self.mark_all_files()?;
        self.mark_all_sessions()?;
        self.renew_turn_keys()?;
        self.renew_turn_blocks()?;
        self.renew_owner_blocks()?;
        self.commit()
    }

    /// Records a problem within a file, until the file is read anew.
    ///
    /// # Errors
    /// When the database fails.
    pub fn record_problem(&mut self, problem: &HistoryProblem) -> Result<()> {
        self.begin()?;
        self.insert_problem(problem, ProblemKind::Read)
    }

    /// Replaces the problems of listing the histories.
    ///
    /// # Errors
    /// When the database fails.
    pub fn replace_listing_problems(&mut self, problems: &[HistoryProblem]) -> Result<()> {
        self.begin()?;
        let delete = format!("DELETE FROM problems WHERE {}", is_one_of(OF_LISTING));
        self.db().run(&delete, [])?;
        problems.iter().try_for_each(|problem| {
            let kind = match problem.is_unread_path {
                true => ProblemKind::Listing,
                false => ProblemKind::ListingNotice,
            };
            self.insert_problem(problem, kind)
        })
    }

    /// Records why a file, or a part of it, could not be read; deleted at the next try.
    ///
    /// # Errors
    /// When the database fails.
    pub fn record_unreadable(&mut self, problem: &HistoryProblem) -> Result<()> {
        self.begin()?;
        let kind = match problem.is_unread_path {
            true => ProblemKind::UnreadFile,
            false => ProblemKind::Unread,
        };
        self.insert_problem(problem, kind)
    }

    /// Deletes the records of why a file, or a part of it, could not be read.
    ///
    /// # Errors
    /// When the database fails.
    pub fn clear_unreadable(&mut self, path: &str) -> Result<()> {
        self.begin()?;
        let is_deleted = is_one_of(UNTIL_NEXT_TRY);
        let delete = format!("DELETE FROM problems WHERE path = ?1 AND {is_deleted}");
        self.db().run(&delete, [path])
    }

    /// Replaces the failure that is recorded of a model, for the next commit.
    ///
    /// # Errors
    /// When the database fails.
    pub fn replace_model_failure(&mut self, model: &str, reason: Option<&str>) -> Result<()> {
        let path = model_failure_path(model);
        self.clear_unreadable(&path)?;
        match reason {
            Some(reason) => self.record_unreadable(&HistoryProblem {
                path,
                reason: reason.to_owned(),
                offset: None,
                count: 1,
                is_unread_path: false,
            }),
            None => Ok(()),
        }
    }

    fn insert_problem(&self, problem: &HistoryProblem, kind: ProblemKind) -> Result<()> {
        let offset = problem.offset.map(u64::cast_signed);
        let count = problem.count.cast_signed();
        let insert =
            "INSERT INTO problems(path, reason, kind, offset, count) VALUES(?1, ?2, ?3, ?4, ?5)
             ON CONFLICT DO UPDATE SET count = count + excluded.count";
        self.db().run(
            insert,
            params![problem.path, problem.reason, kind as i64, offset, count],
        )
    }
}
