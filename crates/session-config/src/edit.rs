//! Sets keys in the configuration file, everything else in it kept.

use crate::config::SIZE_LIMIT;
use crate::error::Result;
use session_core::text::strip_byte_order_mark;
use session_files::{ConfinedFile, keep_line_ends};
use session_models::CONFIG_FILE;
use std::path::Path;
use std::time::Duration;
use toml_edit::{DocumentMut, Item};

/// The longest time that a change waits for another process that writes the file.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// A key that is set to a text.
#[derive(Debug, Clone, Copy)]
pub struct Assignment<'a> {
    /// The table that the key belongs to, if it belongs to one.
    pub table: Option<&'a str>,
    /// The key.
    pub key: &'a str,
    /// Its value.
    pub value: &'a str,
}

/// Sets keys in the configuration file of a directory, all or none; both are created where they are missing.
///
/// # Errors
/// When the file is not UTF-8 or not TOML, or cannot be written.
pub fn set_keys(directory: &Path, assignments: &[Assignment<'_>]) -> Result<()> {
    let file = ConfinedFile::for_user(&directory.join(CONFIG_FILE))?;
    let _lock = file.lock(LOCK_TIMEOUT)?;
    let old = file.read_utf8(SIZE_LIMIT)?;
    let new = edit_text(old.as_deref().unwrap_or_default(), assignments)?;
    Ok(file.replace(old.as_deref(), &new, SIZE_LIMIT)?)
}

/// A key that was set to a text, and the text that it had before.
#[derive(Debug, Clone, Copy)]
pub struct RevertedKey<'a> {
    /// The assignment that is taken back.
    pub assignment: Assignment<'a>,
    /// The value before; `None` if it had none.
    pub before: Option<&'a str>,
}

/// Reads the text that a key has in the configuration file of a directory; `None` if it has none.
///
/// # Errors
/// When the file is not UTF-8 or not TOML.
pub fn read_key(directory: &Path, table: Option<&str>, key: &str) -> Result<Option<String>> {
    let file = ConfinedFile::for_user(&directory.join(CONFIG_FILE))?;
    let text = file.read_utf8(SIZE_LIMIT)?.unwrap_or_default();
    let document: DocumentMut = strip_byte_order_mark(&text).parse()?;
    let item = match table {
        Some(table) => document.get(table).and_then(|table| table.get(key)),
        None => document.get(key),
    };
    Ok(item.and_then(Item::as_str).map(str::to_owned))
}

/// Takes back keys of the configuration file that still have the assigned value: each gets the value that it had before,
/// or goes. A file of which nothing is left is removed.
///
/// # Errors
/// When the file is not UTF-8 or not TOML, or cannot be written.
pub fn revert_keys(directory: &Path, reverted: &[RevertedKey<'_>]) -> Result<()> {
    let file = ConfinedFile::for_user(&directory.join(CONFIG_FILE))?;
    let _lock = file.lock(LOCK_TIMEOUT)?;
    let Some(old) = file.read_utf8(SIZE_LIMIT)? else {
        return Ok(());
    };
    let mut document: DocumentMut = strip_byte_order_mark(&old).parse()?;
    for key in reverted {
        revert(&mut document, key);
    }
    let new = keep_line_ends(&old, &document.to_string()).into_owned();
    if new.trim().is_empty() {
        file.remove()?;
    } else {
        file.replace(Some(&old), &new, SIZE_LIMIT)?
    }
    Ok(())
}

fn revert(document: &mut DocumentMut, reverted: &RevertedKey<'_>) {
    let Assignment { table, key, value } = reverted.assignment;
    let parent = match table {
        Some(table) => document.get_mut(table).and_then(Item::as_table_like_mut),
        None => Some(document.as_table_mut() as &mut dyn toml_edit::TableLike),
    };
    let Some(parent) = parent else { return };
    if parent.get(key).and_then(Item::as_str) != Some(value) {
        return;
    }
    match reverted.before {
        Some(before) => {
            let before = Assignment {
                value: before,
                ..reverted.assignment
            };
            set(document, &before);
        }
        None => {
            parent.remove(key);
            let is_empty = parent.is_empty();
            if let Some(table) = table.filter(|_| is_empty) {
                document.remove(table);
            }
        }
    }
}

fn edit_text(text: &str, assignments: &[Assignment<'_>]) -> Result<String> {
    let mut document: DocumentMut = strip_byte_order_mark(text).parse()?;
    for assignment in assignments {
        set(&mut document, assignment);
    }
    Ok(keep_line_ends(text, &document.to_string()).into_owned())
}

fn set(document: &mut DocumentMut, assignment: &Assignment<'_>) {
    let Assignment { table, key, value } = *assignment;
    let item = match table {
        Some(table) => &mut document[table],
        None => document.as_item_mut(),
    };
    if item.is_none() {
        *item = toml_edit::table();
    }
    match item.get_mut(key).and_then(toml_edit::Item::as_value_mut) {
        Some(old) => {
            let decor = old.decor().clone();
            *old = value.into();
            *old.decor_mut() = decor;
        }
        None => item[key] = toml_edit::value(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(text: &str, table: Option<&str>, key: &str, value: &str) -> Result<String> {
        edit_text(text, &[Assignment { table, key, value }])
    }

    #[test]
    fn a_key_is_set_and_comments_stay() {
        let old = "# mine\nmodel = \"a\" # why\nnice = 5\n";
        let new = edit(old, None, "model", "b").unwrap();
        assert_eq!(new, "# mine\nmodel = \"b\" # why\nnice = 5\n");
        let new = edit(&new, Some("remote"), "url", "http://x").unwrap();
        assert!(new.ends_with("[remote]\nurl = \"http://x\"\n"), "{new}");
        assert!(edit("model =", None, "model", "b").is_err());
    }

    #[test]
    fn keys_are_taken_back_that_nobody_changed_since() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(CONFIG_FILE);
        let assignment = |table, key, value| Assignment { table, key, value };
        let model = assignment(None, "model", "b");
        let url = assignment(Some("remote"), "url", "http://x");
        let revert = |assignment, before| {
            revert_keys(directory.path(), &[RevertedKey { assignment, before }]).unwrap();
            fs_err::read_to_string(&path).ok()
        };
        for (old, before) in [
            ("# mine\nmodel = \"a\" # why\nnice = 5\n", Some("a")),
            ("nice = 5\n", None),
        ] {
            fs_err::write(&path, old).unwrap();
            set_keys(directory.path(), &[model, url]).unwrap();
            revert(url, None);
            let value = read_key(directory.path(), None, "model").unwrap();
            assert_eq!(value.as_deref(), Some("b"));
            let other = assignment(None, "model", "c");
            assert!(revert(other, before).unwrap().contains("model = \"b\""));
            assert_eq!(revert(model, before).unwrap(), old);
        }
        fs_err::remove_file(&path).unwrap();
        set_keys(directory.path(), &[model]).unwrap();
        assert_eq!(revert(model, None), None, "nothing is left of it");
        assert_eq!(read_key(directory.path(), None, "model").unwrap(), None);
    }

    /// Whoever keeps the file elsewhere and links to it keeps the link.
    #[cfg(unix)]
    #[test]
    fn a_linked_file_stays_linked_and_a_new_one_is_private() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        let model = Assignment {
            table: None,
            key: "model",
            value: "b",
        };
        fs_err::write(path("mine.toml"), "nice = 5\n").unwrap();
        fs_err::os::unix::fs::symlink(path("mine.toml"), path(CONFIG_FILE)).unwrap();
        set_keys(directory.path(), &[model]).unwrap();
        let text = fs_err::read_to_string(path("mine.toml")).unwrap();
        assert_eq!(text, "nice = 5\nmodel = \"b\"\n");
        assert!(path(CONFIG_FILE).is_symlink());
        let new = path("new");
        set_keys(&new, &[model]).unwrap();
        let mode = |path| fs_err::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(
            (mode(new.clone()), mode(new.join(CONFIG_FILE))),
            (0o700, 0o600)
        );
    }

    #[test]
    fn line_ends_and_a_byte_order_mark_stay() {
        let old = "\u{feff}# mine\r\nnice = 5\r\n";
        let new = edit(old, None, "model", "b").unwrap();
        assert_eq!(new, "\u{feff}# mine\r\nnice = 5\r\nmodel = \"b\"\r\n");
    }

    #[test]
    fn writers_at_once_do_not_mix_their_keys() {
        let directory = tempfile::tempdir().unwrap();
        let write = |value: &str| {
            let keys = ["url", "model"].map(|key| Assignment {
                table: Some("remote"),
                key,
                value,
            });
            set_keys(directory.path(), &keys).unwrap();
        };
        std::thread::scope(|threads| {
            for value in ["a", "b"] {
                threads.spawn(move || (0..20).for_each(|_| write(value)));
            }
        });
        let text = fs_err::read_to_string(directory.path().join(CONFIG_FILE)).unwrap();
        let values: Vec<&str> = text
            .lines()
            .filter_map(|line| Some(line.split_once('=')?.1))
            .collect();
        assert_eq!(values[0], values[1], "{text}");
    }
}
