//! Tells sessions whose histories lie in the home directories of other machines.

use crate::error::Result;
use crate::id::FileId;
use crate::reader::Reader;
use crate::sql::Statements;
use crate::writer::Writer;
use rustc_hash::FxHashSet;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

/// The setting with the user's own home and the others, where there are others.
const SETTING: &str = "other_homes";
/// Separates the directories in it: no path holds it.
const SEPARATOR: char = '\0';

/// Formats the setting for these homes.
fn format_homes(own: &Path, others: &[PathBuf]) -> String {
    let all = std::iter::once(own).chain(others.iter().map(PathBuf::as_path));
    let all = all.map(|home| home.to_string_lossy().into_owned());
    if others.is_empty() {
        String::new()
    } else {
        all.collect::<Vec<_>>().join(&SEPARATOR.to_string())
    }
}

impl Reader {
    /// Returns true if the index knows these homes of other machines and no more.
    ///
    /// # Errors
    /// When the database fails.
    pub fn has_other_homes(&self, own: &Path, others: &[PathBuf]) -> Result<bool> {
        Ok(self.setting(SETTING)?.unwrap_or_default() == format_homes(own, others))
    }

    /// Returns the history files in homes of other machines.
    pub(crate) fn files_elsewhere(&self) -> Result<FxHashSet<FileId>> {
        let homes = self.setting(SETTING)?.unwrap_or_default();
        let mut homes: Vec<(usize, &str)> = homes.split(SEPARATOR).enumerate().collect();
        // Of two homes of which one lies in the other, the inner one counts.
        homes.sort_by_key(|(_, home)| home.len());
        let mut elsewhere = FxHashSet::default();
        for (position, home) in homes.into_iter().filter(|(_, home)| !home.is_empty()) {
            let files = self.files_below(Path::new(home))?;
            match position {
                0 => elsewhere.retain(|file| !files.contains(file)),
                _ => elsewhere.extend(files),
            }
        }
        Ok(elsewhere)
    }

    fn files_below(&self, directory: &Path) -> Result<FxHashSet<FileId>> {
        let first = directory.join("").to_string_lossy().into_owned();
        // The first text behind all that begin so, in the order of bytes.
        let after_separator = char::from_u32(u32::from(MAIN_SEPARATOR) + 1).unwrap_or_default();
        let behind = format!(
            "{}{after_separator}",
            first.trim_end_matches(MAIN_SEPARATOR)
        );
        let select = "SELECT id FROM files WHERE path >= ?1 AND path < ?2";
        self.db.rows(select, [first, behind], |row| row.get(0))
    }
}

impl Writer {
    /// Notes the user's own home and those of other machines: sessions in these are
    /// [elsewhere](crate::SessionRow::is_elsewhere). Without effect where they are known.
    ///
    /// # Errors
    /// When the database fails.
    pub fn set_other_homes(&mut self, own: &Path, others: &[PathBuf]) -> Result<()> {
        if self.reader.has_other_homes(own, others)? {
            return Ok(());
        }
        self.set_setting(SETTING, &format_homes(own, others))
    }
}
