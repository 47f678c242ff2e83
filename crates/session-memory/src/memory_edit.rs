//! A memory's text while the user's editor has it, in a private file below the directory of the index: not in
//! `TMPDIR`, which a project may name.

use crate::error::Result;
use crate::memory::Memory;
use session_files::{Dir, private};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The directory of edits below that of the index.
const DIRECTORY: &str = "memories/edits";
/// The end of the names of texts that could not be taken; they stay until their memory is removed for good. Earlier
/// versions wrote them beside the index.
const REJECTED: &str = ".rejected.md";
/// The beginning of the names of the directories in which earlier versions gave texts to an editor.
const OLD_DIRECTORY: &str = ".tmp";
/// The age of an edit that a killed process left.
const MAX_AGE: Duration = Duration::from_secs(86_400);
/// The most bytes that are taken from the editor.
const MAX_BYTES: u64 = 256 << 10;
/// The most names of a directory that are read.
const MAX_NAMES: usize = 10_000;

/// A file with the text of a memory for an editor. It is removed when this is dropped.
#[derive(Debug)]
pub struct MemoryEdit {
    path: PathBuf,
    before: String,
}

impl MemoryEdit {
    /// Writes the file, and removes those that killed processes left.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn begin(index: &Path, memory: &Memory) -> Result<Self> {
        let directory = index.join(DIRECTORY);
        private::create_directory(&directory)?;
        let is_left = |path: &Path| !ends_with(path, REJECTED) && is_older(path, MAX_AGE);
        remove_where(&directory, is_left)?;
        let path = directory.join(format!("{}.{}.md", memory.id(), std::process::id()));
        private::write(&path, memory.text.as_bytes())?;
        Ok(Self {
            path,
            before: memory.text.clone(),
        })
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the text as the editor left it; `None` where it is as it was, or gone.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read(&self) -> Result<Option<String>> {
        let text = private::read_text(&self.path, MAX_BYTES)?;
        Ok(text.filter(|text| *text != self.before))
    }

    /// Keeps a text that cannot be taken, or the file as it is where there is none, and returns its path.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn reject(self, text: Option<&str>) -> Result<PathBuf> {
        let kept = self.path.with_extension(REJECTED.trim_start_matches('.'));
        match text {
            Some(text) => private::write(&kept, text.as_bytes())?,
            None => fs_err::rename(&self.path, &kept)?,
        }
        Ok(kept)
    }
}

impl Drop for MemoryEdit {
    fn drop(&mut self) {
        let _ = fs_err::remove_file(&self.path);
    }
}

/// Removes what edits left of some memories.
///
/// # Errors
/// When a file cannot be removed.
pub(crate) fn remove_edits(index: &Path, ids: &[&str]) -> Result<()> {
    let is_of = |path: &Path, mark: char| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let mut ids = ids.iter().filter_map(|id| name.strip_prefix(id));
        ids.any(|rest| rest.starts_with(mark))
    };
    remove_where(&index.join(DIRECTORY), |path| is_of(path, '.'))?;
    remove_where(index, |path| is_of(path, '-') && ends_with(path, REJECTED))?;
    for name in list_names(index)? {
        if name.to_string_lossy().starts_with(OLD_DIRECTORY) {
            remove_where(&index.join(name), |path| is_of(path, '.'))?;
        }
    }
    Ok(())
}

/// Removes the regular files of a directory, if it is one, for which a condition holds.
fn remove_where(directory: &Path, is_wanted: impl Fn(&Path) -> bool) -> Result<()> {
    for name in list_names(directory)? {
        let path = directory.join(name);
        let is_file = fs_err::symlink_metadata(&path).is_ok_and(|meta| meta.is_file());
        if is_file && is_wanted(&path) {
            fs_err::remove_file(&path)?;
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

fn ends_with(path: &Path, end: &str) -> bool {
    path.to_string_lossy().ends_with(end)
}

fn is_older(path: &Path, age: Duration) -> bool {
    let changed = fs_err::metadata(path).and_then(|meta| meta.modified());
    let passed = changed.ok().and_then(|changed| changed.elapsed().ok());
    passed.is_some_and(|passed| passed > age)
}
