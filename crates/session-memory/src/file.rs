//! The file of a memory: where it lies, what its name says, and reading it.

use crate::error::Damage;
use crate::frontmatter as yaml;
use crate::memory::{Memory, Scope, State};
use crate::place::Place;
use crate::record::{FolderRecord, KnownBy};
use crate::trust::Trust;
use session_files::Dir;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// How the names of memories' files end.
pub(crate) const ENDING: &str = ".md";
/// Most bytes of a memory.
pub(crate) const FILE_LIMIT: u64 = 256 << 10;
/// Most files of a state that are looked at.
pub(crate) const FILES: usize = 5000;
/// Most names of a folder that are looked at.
const NAMES: usize = 50_000;
/// Longest id, in bytes.
const ID: usize = 100;

/// Where the file of a memory lies that stands so, in its folder.
pub(crate) fn relative(state: State, id: &str) -> PathBuf {
    Path::new(state.folder()).join(format!("{id}{ENDING}"))
}

/// What is wrong with a folder or a file that is there and cannot be read.
pub(crate) fn unreadable(path: &Path, error: &dyn std::fmt::Display) -> Damage {
    Damage {
        path: path.to_owned(),
        line: 1,
        reason: error.to_string(),
    }
}

/// True for a name that an id may have: `mem-`, then letters, digits, `-`, `_` and `.` of ASCII.
pub(crate) fn is_valid_id(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let rest = text.strip_prefix("mem-");
    rest.is_some_and(|rest| !rest.is_empty() && rest.chars().all(is_plain)) && text.len() <= ID
}

/// True for a whole id of our own, `mem-` left out or not: it stands for no longer one.
pub(crate) fn is_id(text: &str) -> bool {
    let digits = |part: &str, most: usize| {
        (1..=most).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit())
    };
    let mut parts = text.strip_prefix("mem-").unwrap_or(text).split('-');
    let day = parts.next().is_some_and(|p| p.len() == 8 && digits(p, 8));
    let time = parts.next().is_some_and(|p| p.len() == 6 && digits(p, 6));
    day && time && parts.next().is_none_or(|p| digits(p, 9)) && parts.next().is_none()
}

/// Ids of the memories that stand so, sorted, and what is wrong with the folder or with names
/// in it. Those that are known come first where there are too many.
pub(crate) fn ids(dir: &Dir, record: &FolderRecord, state: State) -> (Vec<String>, Vec<Damage>) {
    let folder = dir.path().join(state.folder());
    let names = match dir.names(Path::new(state.folder()), NAMES) {
        Ok(names) => names,
        Err(error) => return (Vec::new(), vec![unreadable(&folder, &error)]),
    };
    let (mut ids, mut damaged) = told_apart(&folder, &names);
    ids.extend(
        record
            .ids()
            .filter(|id| dir.exists(&relative(state, id)))
            .map(str::to_owned),
    );
    ids.sort();
    ids.dedup();
    if ids.len() > FILES || names.len() == NAMES {
        let reason = format!("it holds more than {FILES} files; the others are left out");
        damaged.push(unreadable(&folder, &reason));
        ids.sort_by_key(|id| !record.knows(id));
        ids.truncate(FILES);
        ids.sort();
    }
    (ids, damaged)
}

/// Names that are ids, and those of memories that are none.
fn told_apart(folder: &Path, names: &[OsString]) -> (Vec<String>, Vec<Damage>) {
    let (mut ids, mut damaged) = (Vec::new(), Vec::new());
    for name in names {
        let text = name.to_string_lossy();
        match text.strip_suffix(ENDING).filter(|_| !text.starts_with('.')) {
            None => {}
            Some(id) if is_valid_id(id) => ids.push(id.to_owned()),
            Some(_) => {
                let reason = "its name is no id as mem-20260110-091500";
                damaged.push(unreadable(&folder.join(name), &reason));
            }
        }
    }
    (ids, damaged)
}

/// Reads a memory's file. The file's name is its id, whatever the file says. `None` where there
/// is no such file.
pub(crate) fn read(
    place: &Place,
    dir: &Dir,
    record: &FolderRecord,
    state: State,
    id: &str,
) -> std::result::Result<Option<Memory>, Damage> {
    let relative = relative(state, id);
    let path = place.folder.join(&relative);
    let text = dir.read_text(&relative, FILE_LIMIT);
    let Some(text) = text.map_err(|error| unreadable(&path, &error))? else {
        return Ok(None);
    };
    parsed(place, record, state, id, text).map(Some)
}

/// Reads a memory whose content is trusted; `None` for another, which is not parsed, and not even
/// read where its length tells.
pub(crate) fn read_trusted(
    place: &Place,
    dir: &Dir,
    record: &FolderRecord,
    id: &str,
) -> Option<Memory> {
    let relative = relative(State::Active, id);
    let is_own = place.scope == Scope::Global;
    if !is_own && !record.knows_length(id, dir.length(&relative)?) {
        return None;
    }
    let text = dir.read_text(&relative, FILE_LIMIT).ok()??;
    let is_given = trust(place, record, State::Active, id, &text).is_given();
    let memory = is_given.then(|| parsed(place, record, State::Active, id, text))?;
    memory.ok()
}

fn parsed(
    place: &Place,
    record: &FolderRecord,
    state: State,
    id: &str,
    text: String,
) -> std::result::Result<Memory, Damage> {
    let path = place.folder.join(relative(state, id));
    let parts = yaml::split(&text, &path)?;
    let mut front = yaml::read(parts.yaml, &path)?;
    id.clone_into(&mut front.id);
    Ok(Memory {
        trust: trust(place, record, state, id, &text),
        front,
        body: parts.body.to_owned(),
        path,
        state,
        scope: place.scope,
        text,
    })
}

fn trust(place: &Place, record: &FolderRecord, state: State, id: &str, text: &str) -> Trust {
    if place.scope == Scope::Global {
        return Trust::Own;
    }
    let known = match state {
        State::Trash => record.once_known(id, text),
        State::Active | State::Archive => record.known(id, text),
    };
    match known {
        Some(KnownBy::User) => Trust::Own,
        Some(KnownBy::Trust) => Trust::Trusted,
        None if record.knows(id) => Trust::Changed,
        None => Trust::Waiting,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_plain() {
        for id in ["mem-20260110-091500", "mem-20260110-091500-2", "mem-a_b.c"] {
            assert!(is_valid_id(id), "{id}");
        }
        let long = format!("mem-{}", "a".repeat(97));
        for id in [
            "mem-",
            "note",
            "mem-a b",
            "mem-a\nb",
            "mem-\u{1b}[31m",
            "mem-é",
            "mem-a/b",
            "mem-\u{202e}x",
            &long,
        ] {
            assert!(!is_valid_id(id), "{id}");
        }
    }
}
