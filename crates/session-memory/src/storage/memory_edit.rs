//! A memory's text while the user's editor has it, in a private folder below the directory of the index: not in
//! `TMPDIR`, which a project may name. The edited text replaces the memory's file.

use crate::content::frontmatter_time::FrontmatterTime;
use crate::content::memory::{Frontmatter, Memory};
use crate::content::memory_change::set_front_key;
use crate::content::redaction::redact_file;
use crate::error::{MemoryError, Result};
use crate::storage::directory_records::ContentOrigin;
use crate::storage::directory_writer::{DirectoryWriter, UnwrittenMemory};
use crate::storage::memory_store::{MemoryStore, origin_of_trust};
use crate::text::yaml_file as yaml;
use jiff::Zoned;
use session_files::{Dir, private};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The directory of edits below that of the index.
const EDITS_DIRECTORY: &str = "memories/edits";
/// The end of the names of texts that could not be taken; they stay until their memory is removed for good.
const REJECTED: &str = ".rejected.md";
/// The age of an edit that a killed process left.
const MAX_AGE: Duration = Duration::from_secs(7 * 86_400);
/// The most bytes that are taken from the editor.
const MAX_BYTES: u64 = 256 << 10;
/// The most names of a directory that are read.
const MAX_NAMES: usize = 10_000;

/// A directory with the text of a memory for an editor, whose copies of it lie there, too. It is removed when this is
/// dropped.
#[derive(Debug)]
pub struct MemoryEdit {
    directory: PathBuf,
    file: PathBuf,
    before: String,
}

impl MemoryEdit {
    /// Writes the text, and removes the directories that killed processes left.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn begin(index_directory: &Path, memory: &Memory) -> Result<Self> {
        let edits = index_directory.join(EDITS_DIRECTORY);
        private::create_directory(&edits)?;
        remove_where(&edits, |path| path.is_dir() && is_older(path, MAX_AGE))?;
        let directory = edits.join(format!("{}.{}", memory.id(), std::process::id()));
        let file = directory.join(format!("{}.md", memory.id()));
        private::write(&file, memory.raw_text.as_bytes())?;
        Ok(Self {
            directory,
            file,
            before: memory.raw_text.clone(),
        })
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.file
    }

    /// Reads the text as the editor left it; `None` if it is as it was, or gone.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read(&self) -> Result<Option<String>> {
        let text = private::read_text(&self.file, MAX_BYTES)?;
        Ok(text.filter(|text| *text != self.before))
    }

    /// Keeps a text that cannot be taken, or the file as it is where there is none, and returns its path.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn reject(self, text: Option<&str>) -> Result<PathBuf> {
        let mut kept = self.directory.clone().into_os_string();
        kept.push(REJECTED);
        let kept = PathBuf::from(kept);
        match text {
            Some(text) => private::write(&kept, text.as_bytes())?,
            None => fs_err::rename(&self.file, &kept)?,
        }
        Ok(kept)
    }
}

impl Drop for MemoryEdit {
    fn drop(&mut self) {
        let _ = fs_err::remove_dir_all(&self.directory);
    }
}

/// The review of an edited text, which decides about its trust.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditReview {
    /// The user has seen the text: it becomes their own.
    Seen,
    /// A program edited the text: it keeps its trust.
    Unseen,
}

impl MemoryStore {
    /// Replaces a memory's file by an edited text.
    ///
    /// # Errors
    /// When the text is no memory, has another id, or the file has changed since it was read.
    pub fn replace(
        &self,
        memory: &Memory,
        text: &str,
        review: EditReview,
        now: &Zoned,
    ) -> Result<Memory> {
        let replaced = self.try_replace(memory, text, review, now);
        replaced.map_err(|error| self.redact_error(error))
    }

    fn try_replace(
        &self,
        memory: &Memory,
        text: &str,
        review: EditReview,
        now: &Zoned,
    ) -> Result<Memory> {
        let directory = self.directory_of(memory);
        let writer = DirectoryWriter::open(self, directory)?;
        let edited = Path::new("the edited text");
        let parts = yaml::split_file(text, edited)?;
        let front = Frontmatter::parse(parts.yaml, edited)?;
        // The file's name counts as the id, whatever its text says.
        let before = Frontmatter::parse(yaml::split_file(&memory.raw_text, edited)?.yaml, edited)?;
        if ![&before.id, &memory.front.id].contains(&&front.id) {
            return Err(MemoryError::refused("the id of a memory cannot be changed"));
        }
        let current = self.reread(directory, memory.state, memory.id());
        if current.map(|current| current.raw_text).ok().as_deref() != Some(memory.raw_text.as_str())
        {
            let reason = "the file was changed by somebody else meanwhile";
            return Err(MemoryError::refused(reason));
        }
        front.when.normalized()?;
        let redacted = redact_file(self.redactor(), parts.yaml, &front, parts.body)?;
        let yaml = set_front_key(&redacted.yaml, "updated", &FrontmatterTime::from(now))?;
        let text = yaml::join_file(&yaml, &redacted.body);
        let origin = match review {
            EditReview::Seen => Some(ContentOrigin::User),
            EditReview::Unseen => origin_of_trust(memory.trust),
        };
        writer.write_memories(&[UnwrittenMemory {
            id: memory.id().to_owned(),
            text,
            state: memory.state,
            origin,
            conversation: None,
        }])?;
        writer.finish();
        self.reread(directory, memory.state, memory.id())
    }
}

/// Removes what edits left of some memories.
///
/// # Errors
/// When a file cannot be removed.
pub(crate) fn remove_edits(index_directory: &Path, ids: &[&str]) -> Result<()> {
    remove_where(&index_directory.join(EDITS_DIRECTORY), |path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let mut rests = ids.iter().filter_map(|id| name.strip_prefix(id));
        rests.any(|rest| rest.starts_with('.'))
    })
}

/// Removes what a directory holds for which a condition holds, links as links.
fn remove_where(directory: &Path, is_wanted: impl Fn(&Path) -> bool) -> Result<()> {
    for path in list_names(directory)?
        .into_iter()
        .map(|name| directory.join(name))
    {
        let kind = fs_err::symlink_metadata(&path).map(|meta| meta.file_type());
        match kind {
            Ok(kind) if kind.is_dir() && is_wanted(&path) => fs_err::remove_dir_all(&path)?,
            Ok(kind) if !kind.is_dir() && is_wanted(&path) => fs_err::remove_file(&path)?,
            _ => {}
        }
    }
    Ok(())
}

/// Lists the names in a directory; none where it is none, or a link.
fn list_names(directory: &Path) -> Result<Vec<OsString>> {
    let is_directory = fs_err::symlink_metadata(directory).is_ok_and(|meta| meta.is_dir());
    if !is_directory {
        return Ok(Vec::new());
    }
    let opened = Dir::open_existing(directory)?;
    let names = opened.map(|opened| opened.names(Path::new(""), MAX_NAMES));
    Ok(names.transpose()?.unwrap_or_default())
}

fn is_older(path: &Path, age: Duration) -> bool {
    let changed = fs_err::metadata(path).and_then(|meta| meta.modified());
    let passed = changed.ok().and_then(|changed| changed.elapsed().ok());
    passed.is_some_and(|passed| passed > age)
}
