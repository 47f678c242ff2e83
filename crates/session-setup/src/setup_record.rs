//! The record of settings that `setup` wrote, by which it takes them back.

use crate::error::{Result, SetupError};
use serde::{Deserialize, Serialize};
use session_files::{ConfinedFile, FileError, private};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const FILE_NAME: &str = "setup.json";
/// Most bytes of the file.
const LIMIT: u64 = 1 << 20;

/// A setting that `setup` wrote where the user may have one of their own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WrittenSetting {
    /// The value before; `None` if there was none.
    pub(crate) before: Option<String>,
    /// The value that was written, or was to be: it is noted before it is written.
    pub(crate) written: String,
    /// The value that was written before that one. It is still there if the last one never was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) replaced: Option<String>,
}

impl WrittenSetting {
    /// Returns the present value if `setup` wrote it.
    pub(crate) fn find_written<'a>(&'a self, current: Option<&str>) -> Option<&'a str> {
        let written = [Some(&self.written), self.replaced.as_ref()];
        let mut written = written.into_iter().flatten().map(String::as_str);
        written.find(|written| current == Some(written))
    }
}

/// The settings that `setup` wrote, by name.
#[derive(Debug, Clone)]
pub(crate) struct SetupRecord {
    path: PathBuf,
    settings: BTreeMap<String, WrittenSetting>,
}

impl SetupRecord {
    /// Reads the record in the directory of the user's data; one without a file is empty.
    ///
    /// # Errors
    /// When the file cannot be read, or is damaged.
    pub(crate) fn open(data: &Path) -> Result<Self> {
        let path = data.join(FILE_NAME);
        let settings = match private::read_text(&path, LIMIT)? {
            Some(text) => {
                serde_json::from_str(&text).map_err(|error| SetupError::DamagedRecord {
                    path: path.clone(),
                    reason: error.to_string(),
                })?
            }
            None => BTreeMap::new(),
        };
        Ok(Self { path, settings })
    }

    /// Returns what is known of a setting.
    pub(crate) fn get(&self, name: &str) -> Option<&WrittenSetting> {
        self.settings.get(name)
    }

    /// Notes that a setting is to be written over `before`, so that undo knows it whenever this process is killed. Where
    /// `before` was written by `setup`, the value before that one is kept.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn add(&mut self, name: &str, before: Option<String>, written: &str) -> Result<()> {
        let known = self.settings.get(name);
        let known = known.filter(|known| known.find_written(before.as_deref()).is_some());
        let setting = match known {
            Some(known) => WrittenSetting {
                before: known.before.clone(),
                written: written.to_owned(),
                replaced: before,
            },
            None => WrittenSetting {
                before,
                written: written.to_owned(),
                replaced: None,
            },
        };
        self.settings.insert(name.to_owned(), setting);
        self.write()
    }

    /// Removes a setting, and the file with the last one.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn remove(&mut self, name: &str) -> Result<()> {
        match self.settings.remove(name) {
            Some(_) => self.write(),
            None => Ok(()),
        }
    }

    /// Writes it; one without settings has no file.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn write(&self) -> Result<()> {
        if self.settings.is_empty() {
            return Ok(ConfinedFile::for_user(&self.path)?.remove().map(drop)?);
        }
        let text = serde_json::to_string(&self.settings);
        let text = text.map_err(|error| FileError::Io(error.into()))?;
        Ok(private::write(&self.path, text.as_bytes())?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_before_the_first_of_several_writes_is_kept() {
        let directory = tempfile::tempdir().unwrap();
        let open = || SetupRecord::open(directory.path()).unwrap();
        let mut record = open();
        record.add("model", None, "a").unwrap();
        record.add("model", Some("a".into()), "b").unwrap();
        let setting = |before: Option<&str>, written: &str| WrittenSetting {
            before: before.map(str::to_owned),
            written: written.to_owned(),
            replaced: None,
        };
        let replaced = Some("a".into());
        let second = WrittenSetting {
            replaced,
            ..setting(None, "b")
        };
        assert_eq!(open().get("model"), Some(&second));
        // As if `b` had never been written.
        record.add("model", Some("a".into()), "d").unwrap();
        assert_eq!(open().get("model").unwrap().before, None);
        record.add("model", Some("mine".into()), "c").unwrap();
        assert_eq!(open().get("model"), Some(&setting(Some("mine"), "c")));
        record.remove("model").unwrap();
        assert_eq!(open().get("model"), None);
        assert_eq!(fs_err::read_dir(directory.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_damaged_record_is_named() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(FILE_NAME);
        fs_err::write(&path, "{\"model\": ").unwrap();
        let error = SetupRecord::open(directory.path()).unwrap_err().to_string();
        assert!(error.contains(&path.display().to_string()), "{error}");
    }
}
