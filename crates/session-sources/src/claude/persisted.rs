//! Outputs too large for the transcript, kept beside it.

use crate::file;
use fs_err as fs;
use session_core::{TEXT_LIMIT, text};
use std::path::{Path, PathBuf};

const MARK: &str = "<persisted-output>";
const FOLDER: &str = "tool-results";
const SAVED_TO: &str = "Full output saved to: ";

/// The folder `<session>/tool-results` of one session. Nothing outside of it
/// is ever read: the path in a transcript is data.
#[derive(Debug, Clone, Default)]
pub(super) struct ToolResults(Option<PathBuf>);

/// An output that is kept beside the transcript.
pub(super) struct PersistedOutput {
    /// Its beginning, of more bytes than are kept.
    pub text: String,
    /// Count of the bytes that follow.
    pub unread: usize,
}

impl ToolResults {
    /// Returns the folder of the session that a transcript belongs to.
    pub(super) fn new_for(transcript: &Path) -> Self {
        let subagents = transcript
            .ancestors()
            .find(|folder| folder.ends_with("subagents"));
        let session = match subagents.and_then(Path::parent) {
            Some(session) => session.to_owned(),
            None => transcript.with_extension(""),
        };
        Self(Some(session.join(FOLDER)))
    }

    /// Returns the whole of an output of which the transcript keeps a preview.
    pub(super) fn whole(&self, output: &str) -> Option<PersistedOutput> {
        if !output.starts_with(MARK) {
            return None;
        }
        let path = output.split_once(SAVED_TO)?.1.lines().next()?.trim();
        let name = text::file_name(path);
        let folder = text::file_name(path.strip_suffix(name)?);
        (folder == FOLDER).then(|| self.read(name)).flatten()
    }

    fn read(&self, name: &str) -> Option<PersistedOutput> {
        let folder = self.0.as_ref()?;
        // The agent makes it. A link could lead anywhere, in the home of another machine for one.
        if !fs::symlink_metadata(folder).ok()?.is_dir() {
            return None;
        }
        let folder = fs::canonicalize(folder).ok()?;
        let file = fs::canonicalize(folder.join(name)).ok()?;
        if file.parent() != Some(&folder) || !file.is_file() {
            return None;
        }
        let bytes = file::read_limited(&file, TEXT_LIMIT as u64 + 4).ok()?;
        let size = usize::try_from(fs::metadata(&file).ok()?.len()).ok()?;
        Some(PersistedOutput {
            text: String::from_utf8_lossy(&bytes).into_owned(),
            unread: size.saturating_sub(bytes.len()),
        })
    }
}
