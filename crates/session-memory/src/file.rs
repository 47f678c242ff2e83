//! The file of a memory: where it lies, what its name says, and reading it.

use crate::disk;
use crate::error::Damage;
use crate::frontmatter as yaml;
use crate::memory::{Memory, Scope, State};
use crate::place::Place;
use std::path::{Path, PathBuf};

/// How the names of memories' files end.
pub(crate) const ENDING: &str = ".md";
/// Largest file that is read as a memory, in bytes.
const FILE_LIMIT: u64 = 4 << 20;

/// Where the file of a memory lies that stands so.
pub(crate) fn file(place: &Place, state: State, id: &str) -> PathBuf {
    place
        .folder
        .join(state.folder())
        .join(format!("{id}{ENDING}"))
}

/// The id that a file's name is.
pub(crate) fn stem(path: &Path) -> String {
    path.file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// What is wrong with a folder that is there and cannot be read.
pub(crate) fn unreadable(folder: &Path, error: &std::io::Error) -> Damage {
    Damage {
        path: folder.to_owned(),
        line: 1,
        reason: error.to_string(),
    }
}

/// True for a whole id, `mem-` left out or not: it stands for no longer one.
pub(crate) fn is_id(text: &str) -> bool {
    let digits = |part: &str, most: usize| {
        (1..=most).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit())
    };
    let mut parts = text.strip_prefix("mem-").unwrap_or(text).split('-');
    let day = parts.next().is_some_and(|p| p.len() == 8 && digits(p, 8));
    let time = parts.next().is_some_and(|p| p.len() == 6 && digits(p, 6));
    day && time && parts.next().is_none_or(|p| digits(p, 9)) && parts.next().is_none()
}

/// Reads a memory's file. The file's name is its id, whatever the file says.
pub(crate) fn read(path: &Path, state: State, scope: Scope) -> std::result::Result<Memory, Damage> {
    let damage = |reason: String| Damage {
        path: path.to_owned(),
        line: 1,
        reason,
    };
    let meta = fs_err::metadata(path).map_err(|e| damage(e.to_string()))?;
    if !meta.is_file() {
        return Err(damage("this is no file".to_owned()));
    }
    if meta.len() > FILE_LIMIT {
        return Err(damage("the file is too large for a memory".to_owned()));
    }
    let text = disk::read(path)
        .map_err(|e| damage(e.to_string()))?
        .unwrap_or_default();
    let parts = yaml::split(&text, path)?;
    let mut front = yaml::read(parts.yaml, path)?;
    front.id = stem(path);
    Ok(Memory {
        front,
        body: parts.body.to_owned(),
        path: path.to_owned(),
        state,
        scope,
        text,
    })
}
