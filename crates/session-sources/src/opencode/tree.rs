//! The tree of JSON files that OpenCode kept before 1.2, and that it leaves
//! where it is when it moves the sessions to a database.

use super::database::Database;
use super::history::{MessageStorage, MessageVisitor};
use super::lenient_field::{self, LenientField};
use super::locate;
use super::message::{Header, StoredMessage};
use super::meta::{self, OpenCodeProject, SessionRecord};
use super::part::PartContent;
use crate::file::{self, entries_if_there, is_absence};
use crate::folder_walk::{cannot_be_listed, folder_cannot_be_listed};
use crate::session_signature::SessionSignature;
use crate::session_storage::StoredSession;
use crate::storage_error::{BAD_JSON, SIZE_LIMIT, SkippedCounts, StorageError, TOO_LONG};
use fs_err as fs;
use serde::Deserialize;
use serde_json::value::RawValue;
use session_core::{ReadDetail, TurnSpan};
use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};

/// A `storage` folder. Ids come from the paths: OpenCode moved files between
/// folders without rewriting them.
#[derive(Debug)]
pub(super) struct JsonTree {
    root: PathBuf,
}

/// The session files of a tree.
#[derive(Default)]
struct SessionFiles {
    /// The id and the path of each, with the project of its folder.
    by_project: Vec<(String, Vec<(String, PathBuf)>)>,
    /// A folder of others could not be listed.
    is_incomplete: bool,
}

#[derive(Deserialize)]
struct SessionFile<'a> {
    #[serde(borrow, rename = "parentID")]
    parent: Option<&'a RawValue>,
    #[serde(borrow)]
    title: Option<&'a RawValue>,
    #[serde(borrow)]
    directory: Option<&'a RawValue>,
    #[serde(default)]
    time: LenientField<SessionTimes>,
    #[serde(borrow)]
    revert: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
struct SessionTimes {
    #[serde(default)]
    created: LenientField<i64>,
    #[serde(default)]
    updated: LenientField<i64>,
}

#[derive(Deserialize)]
struct ProjectFile<'a> {
    #[serde(borrow)]
    worktree: Option<&'a RawValue>,
    #[serde(borrow)]
    sandboxes: Option<&'a RawValue>,
}

const FIELD_LIMIT: usize = 16 * 1024;

impl JsonTree {
    /// Returns the tree in a folder, which need not exist.
    pub(super) fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
        }
    }

    /// Returns the sessions that a database in the same data folder holds, too. The next refresh tries a database again that
    /// its agent has locked.
    fn database_sessions(
        &self,
        skipped: &mut SkippedCounts,
    ) -> Result<HashSet<String>, StorageError> {
        let mut found = HashSet::new();
        let folder = self.root.parent();
        for path in folder.map_or(Ok(Vec::new()), locate::databases_in)? {
            match Database::open(&path).and_then(|database| database.session_ids()) {
                Ok(sessions) => found.extend(sessions),
                Err(error @ (StorageError::Locked | StorageError::Restless)) => {
                    skipped.add_unread(format!("its database could not be compared: {error}"));
                }
                Err(_) => {}
            }
        }
        Ok(found)
    }

    /// Returns the session files. A project whose folder cannot be listed costs itself.
    fn session_files(&self, skipped: &mut SkippedCounts) -> io::Result<SessionFiles> {
        let mut found = SessionFiles::default();
        for (project, folder) in entries(&self.root.join("session"))? {
            match json_files(&folder) {
                Ok(files) if files.is_empty() => {}
                Ok(files) => found.by_project.push((project, files)),
                Err(error) => {
                    skipped.add_unread(folder_cannot_be_listed(&folder, &error));
                    found.is_incomplete = true;
                }
            }
        }
        Ok(found)
    }

    /// Notes the sessions with messages that are not among those `listed`: their files may be where nothing could be
    /// listed.
    fn keep_unlisted(
        &self,
        listed: impl Fn(&str) -> bool,
        skipped: &mut SkippedCounts,
    ) -> io::Result<()> {
        let messages = match entries(&self.root.join("message")) {
            Err(error) if is_absence(&error) => return Ok(()),
            messages => messages?,
        };
        let unlisted = messages.iter().filter(|(session, _)| !listed(session));
        unlisted.for_each(|(session, _)| skipped.keep_unlisted(session));
        Ok(())
    }

    fn project(&self, id: &str, skipped: &mut SkippedCounts) -> OpenCodeProject {
        let path = self.root.join("project").join(format!("{id}.json"));
        let json = if path.is_file() {
            read(&path, skipped).ok().flatten()
        } else {
            None
        };
        let file: Option<ProjectFile<'_>> = json.as_deref().and_then(|j| parse(j, skipped));
        OpenCodeProject {
            id: Some(id.to_owned()),
            worktree: file
                .as_ref()
                .and_then(|f| lenient_field::string(f.worktree, FIELD_LIMIT)),
            sandboxes: file
                .and_then(|f| f.sandboxes)
                .map(|raw| raw.get().to_owned()),
        }
    }

    fn session(
        &self,
        id: &str,
        path: &Path,
        project: &OpenCodeProject,
        skipped: &mut SkippedCounts,
    ) -> Result<Option<StoredSession>, StorageError> {
        let json = read(path, skipped)?;
        let file: Option<SessionFile<'_>> = json.as_deref().and_then(|json| parse(json, skipped));
        let Some(file) = file else {
            return Ok(None);
        };
        let times = file.time.0.unwrap_or_default();
        let stored = SessionRecord {
            id: id.to_owned(),
            parent: lenient_field::string(file.parent, FIELD_LIMIT),
            title: lenient_field::string(file.title, FIELD_LIMIT),
            directory: lenient_field::string(file.directory, FIELD_LIMIT),
            project: project.clone(),
        };
        Ok(Some(StoredSession {
            meta: stored.meta(),
            created: times.created.0.unwrap_or_default(),
            signature: self.signature(id, path, times.updated.0.unwrap_or_default())?,
        }))
    }

    /// Returns the latest change, in milliseconds, of the session file, the folder of
    /// messages, each message file and each message's folder of parts; and how
    /// many messages there are. Parts are not counted: their folder changes
    /// when one comes or goes, and the message is rewritten when it is complete.
    fn signature(&self, id: &str, path: &Path, updated: i64) -> io::Result<SessionSignature> {
        let folder = self.root.join("message").join(id);
        let mut newest = updated.max(path_mtime_ms(path)).max(path_mtime_ms(&folder));
        let messages = json_files(&folder)?;
        for (message, file) in &messages {
            let parts = self.root.join("part").join(message);
            newest = newest.max(path_mtime_ms(file)).max(path_mtime_ms(&parts));
        }
        Ok(SessionSignature {
            changed_ms: newest,
            messages: messages.len() as u64,
            ..SessionSignature::default()
        })
    }

    /// Returns the messages of a session in order, without their parts.
    fn headers(
        &self,
        session: &str,
        skipped: &mut SkippedCounts,
    ) -> Result<Vec<(String, Header)>, StorageError> {
        let mut headers = Vec::new();
        for (id, path) in json_files(&self.root.join("message").join(session))? {
            headers.extend(header(&path, skipped)?.map(|header| (id, header)));
        }
        headers.sort_by(|(a, x): &(String, Header), (b, y)| (x.created, a).cmp(&(y.created, b)));
        Ok(headers)
    }

    fn parts(
        &self,
        message: &str,
        detail: ReadDetail,
        skipped: &mut SkippedCounts,
    ) -> Result<Vec<PartContent>, StorageError> {
        let mut parts = Vec::new();
        let files = json_files(&self.root.join("part").join(message));
        for (_, path) in skip_forbidden(files, skipped)? {
            parts.extend(part(&path, detail, skipped)?);
        }
        Ok(parts)
    }
}

impl MessageStorage for JsonTree {
    fn list_sessions(
        &self,
        skipped: &mut SkippedCounts,
    ) -> Result<Vec<StoredSession>, StorageError> {
        let in_database = self.database_sessions(skipped)?;
        let mut sessions = HashMap::new();
        let files = self.session_files(skipped)?;
        for (project, files) in files.by_project {
            let project = self.project(&project, skipped);
            for (id, path) in files {
                if in_database.contains(&id) || sessions.contains_key(&id) {
                    continue;
                }
                match self.session(&id, &path, &project, skipped) {
                    Ok(session) => sessions.extend(session.map(|session| (id, session))),
                    Err(error) => skipped.add_unlisted(&id, &error),
                }
            }
        }
        if files.is_incomplete {
            let is_listed = |id: &str| in_database.contains(id) || sessions.contains_key(id);
            self.keep_unlisted(is_listed, skipped)?;
        }
        Ok(sessions.into_values().collect())
    }

    fn find_reverted(&self, session: &str) -> Option<String> {
        let name = format!("{session}.json");
        let projects = entries(&self.root.join("session")).ok()?;
        let mut files = projects.into_iter().map(|(_, folder)| folder.join(&name));
        let path = files.find(|path| path.is_file())?;
        let json = read(&path, &mut SkippedCounts::default()).ok()??;
        let file: SessionFile<'_> = serde_json::from_str(&json).ok()?;
        meta::reverted_from(file.revert?.get())
    }

    fn visit_messages(
        &self,
        session: &str,
        span: TurnSpan,
        detail: ReadDetail,
        skipped: &mut SkippedCounts,
        visit: &mut MessageVisitor<'_>,
    ) -> Result<(), StorageError> {
        let headers = self.headers(session, skipped)?;
        for ((id, header), ordinal) in headers.into_iter().zip(0..span.end) {
            if ordinal < span.start {
                continue;
            }
            let parts = self.parts(&id, detail, skipped)?;
            if visit(StoredMessage {
                id,
                ordinal,
                header,
                parts,
            })
            .is_break()
            {
                break;
            }
        }
        Ok(())
    }
}

fn header(path: &Path, skipped: &mut SkippedCounts) -> Result<Option<Header>, StorageError> {
    let json = read(path, skipped)?;
    Ok(json.and_then(|json| counted(Header::decode(&json), skipped)))
}

fn part(
    path: &Path,
    detail: ReadDetail,
    skipped: &mut SkippedCounts,
) -> Result<Option<PartContent>, StorageError> {
    let json = read(path, skipped)?;
    Ok(json.and_then(|json| counted(PartContent::decode(&json, detail), skipped)?))
}

fn parse<'a, T: Deserialize<'a>>(json: &'a str, skipped: &mut SkippedCounts) -> Option<T> {
    counted(serde_json::from_str(json), skipped)
}

fn counted<T>(decoded: Result<T, serde_json::Error>, skipped: &mut SkippedCounts) -> Option<T> {
    if decoded.is_err() {
        skipped.add(BAD_JSON);
    }
    decoded.ok()
}

/// Returns a file's text, which may be empty or half written. A file that is too long or may not be read is counted as
/// skipped.
///
/// # Errors
/// When reading it failed.
fn read(path: &Path, skipped: &mut SkippedCounts) -> Result<Option<String>, StorageError> {
    use std::io::ErrorKind::{InvalidInput, NotFound, PermissionDenied};
    match file::read_limited(path, u64::from(SIZE_LIMIT) + 1) {
        Ok(bytes) if bytes.len() > SIZE_LIMIT as usize => {
            skipped.add(TOO_LONG);
            Ok(None)
        }
        Ok(bytes) => Ok(Some(String::from_utf8(bytes).unwrap_or_else(|error| {
            String::from_utf8_lossy(error.as_bytes()).into_owned()
        }))),
        Err(error) if matches!(error.kind(), NotFound | InvalidInput | PermissionDenied) => {
            skipped.add(&format!("file cannot be read: {}", error.kind()));
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

/// Returns the `.json` files of a folder, by name. A folder that is not there is empty.
fn json_files(folder: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    let mut files = Vec::new();
    for entry in entries_if_there(folder)? {
        let name = entry.file_name();
        let id = name.to_str().and_then(|name| name.strip_suffix(".json"));
        files.extend(id.map(|id| (id.to_owned(), entry.path())));
    }
    files.sort();
    Ok(files)
}

/// Returns none for the files of a folder that nobody lets us list: it costs itself, as a file does in [`read`].
fn skip_forbidden(
    listed: io::Result<Vec<(String, PathBuf)>>,
    skipped: &mut SkippedCounts,
) -> io::Result<Vec<(String, PathBuf)>> {
    match listed {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            skipped.add(&format!("folder of parts {}", cannot_be_listed(&error)));
            Ok(Vec::new())
        }
        listed => listed,
    }
}

/// Returns what is in a folder, by name.
fn entries(folder: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().into_string().ok();
        entries.extend(name.map(|name| (name, entry.path())));
    }
    entries.sort();
    Ok(entries)
}

fn path_mtime_ms(path: &Path) -> i64 {
    fs::metadata(path).map_or(0, |file| file::mtime_ns(&file) / 1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Another error says nothing of what is in the folder: the session is tried again.
    #[test]
    fn a_folder_of_parts_that_nobody_lets_us_list_costs_itself() {
        let mut skipped = SkippedCounts::default();
        let mut list = |kind: io::ErrorKind| skip_forbidden(Err(kind.into()), &mut skipped);
        assert_eq!(list(io::ErrorKind::PermissionDenied).unwrap(), []);
        list(io::ErrorKind::TimedOut).unwrap_err();
        let warnings = skipped.warnings(Path::new("/h")).map(|it| it.reason);
        assert_eq!(
            warnings.collect::<Vec<_>>(),
            ["folder of parts cannot be listed: permission denied"]
        );
    }
}
