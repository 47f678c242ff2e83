//! Titles that the user gave: `session_index.jsonl` has a line for each naming, the last one counts.
//! Where it has none for a thread, the database of threads may.

use crate::file;
use crate::json::record;
use crate::lenient_json::LenientText;
use crate::sqlite::{SourceDatabase, stored_columns};
use crate::turn_writer::session_title;
use memchr::memmem;
use rusqlite::params;
use serde::Deserialize;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

const FILE_NAME: &str = "session_index.jsonl";

/// Bytes of its end that are read.
const LIMIT: u64 = 4 * 1024 * 1024;
/// Most bytes of a name in the database.
const MAX_NAME_BYTES: u32 = 64 * 1024;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct IndexLine<'a> {
    #[serde(borrow)]
    id: LenientText<'a>,
    #[serde(borrow)]
    thread_name: LenientText<'a>,
}

/// Returns the title that was given to a thread, for a rollout below the folder with the index.
pub(super) fn given_title(rollout: &Path, thread: &str) -> Option<String> {
    let is_root = |name: &str| name == "sessions" || name == "archived_sessions";
    let mut folders = rollout.ancestors().skip(1);
    let sessions = folders.find(|folder| {
        folder
            .file_name()
            .and_then(|n| n.to_str())
            .is_some_and(is_root)
    })?;
    listed_title(&sessions.with_file_name(FILE_NAME), thread)
        .or_else(|| stored_title(sessions.parent()?, thread))
}

fn listed_title(index: &Path, thread: &str) -> Option<String> {
    let content = read_end(index).ok()?;
    let lines = content.rsplit(|byte| *byte == b'\n');
    let mut of_thread = lines.filter(|line| memmem::find(line, thread.as_bytes()).is_some());
    of_thread.find_map(|line| name(line, thread))
}

/// Returns the name of a thread in `state_<version>.sqlite`, whose `title` is the first prompt.
fn stored_title(root: &Path, thread: &str) -> Option<String> {
    let name = SourceDatabase::open(&newest_state(root)?, |database| {
        let columns = stored_columns(database, "threads")?;
        if !["id", "name"]
            .iter()
            .all(|column| columns.contains(*column))
        {
            return Ok(None);
        }
        let sql =
            "SELECT CASE WHEN octet_length(name) <= ?2 THEN name END FROM threads WHERE id = ?1";
        let name: Option<String> =
            database.query_row(sql, params![thread, MAX_NAME_BYTES], |row| row.get(0))?;
        Ok(name)
    });
    session_title(&name.ok()?.1?)
}

fn newest_state(root: &Path) -> Option<PathBuf> {
    let version = |path: &Path| -> Option<u32> {
        let name = path.file_name()?.to_str()?.strip_prefix("state_")?;
        name.strip_suffix(".sqlite")?.parse().ok()
    };
    let files = fs_err::read_dir(root).ok()?.flatten();
    let files = files.map(|entry| entry.path());
    let newest = files.filter_map(|path| Some((version(&path)?, path))).max();
    newest.map(|(_, path)| path)
}

fn name(line: &[u8], thread: &str) -> Option<String> {
    let mut repaired = String::new();
    let line: IndexLine<'_> = record(line, &mut repaired)?;
    let is_own = line.id.get() == Some(thread);
    session_title(line.thread_name.get().filter(|_| is_own)?)
}

fn read_end(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = file::open(path)?;
    let size = file.metadata()?.len();
    file.seek(SeekFrom::Start(size.saturating_sub(LIMIT)))?;
    let mut content = Vec::new();
    file.take(LIMIT).read_to_end(&mut content)?;
    Ok(content)
}
