//! Rules that keep out less than an earlier version of the program did by the same words.

use crate::error::ForgetError;
use crate::exclusions::Exclusions;
use session_core::path_matches;
use session_store::{Reader, SessionRow, Writer};
use std::collections::HashSet;

/// Key of the index's settings that is set while histories are to be read again that an earlier version kept out.
const NARROWED_SETTING: &str = "exclusions_narrowed";
/// The version of the rules for projects and paths that kept out what had a rule as any part of its path.
const PARTS_VERSION: u32 = 3;

impl Exclusions {
    /// Notes in an index that an earlier version applied rules to it that are in force still, and keep out less now. `applied`
    /// are the hashes of the rules that were applied.
    pub(crate) fn note_narrowed(
        &self,
        writer: &mut Writer,
        applied: &str,
    ) -> Result<(), ForgetError> {
        let earlier: HashSet<String> = self.path_rule_hashes(PARTS_VERSION).into_iter().collect();
        if applied
            .split_whitespace()
            .any(|rule| earlier.contains(rule))
        {
            writer.set_setting(NARROWED_SETTING, "1")?;
        }
        Ok(())
    }

    /// Returns true while histories are to be read again that an earlier version kept out by these rules.
    ///
    /// # Errors
    /// When the index fails.
    pub fn are_narrowed_in(&self, index: &Reader) -> Result<bool, ForgetError> {
        Ok(index.setting(NARROWED_SETTING)?.as_deref() == Some("1"))
    }

    /// Notes that those histories have been read again.
    ///
    /// # Errors
    /// When the index fails.
    pub fn clear_narrowed(writer: &mut Writer) -> Result<(), ForgetError> {
        writer.set_setting(NARROWED_SETTING, "")?;
        Ok(writer.commit()?)
    }

    /// Returns true for a session that an earlier version kept out, since a rule is any part of a path of it.
    ///
    /// # Errors
    /// When the index fails.
    pub fn once_excluded(&self, index: &Reader, session: &SessionRow) -> Result<bool, ForgetError> {
        let has_part = |path: &str, rules: &[String]| {
            let mut rules = rules.iter().filter(|rule| !rule.is_empty());
            rules.any(|rule| path_matches(path, rule))
        };
        let folders = [session.project.as_deref(), session.cwd.as_deref()];
        let mut folders = folders.into_iter().flatten();
        if folders.any(|folder| has_part(folder, &self.settings.projects)) {
            return Ok(true);
        }
        let file = index.file(session.file)?;
        Ok(file.is_some_and(|file| has_part(&file.path, &self.settings.paths)))
    }

    /// Returns true when the user's rules exclude a session of an index, by its project or the path of its history.
    ///
    /// # Errors
    /// When the index fails.
    pub fn rules_exclude_indexed(
        &self,
        index: &Reader,
        session: &SessionRow,
    ) -> Result<bool, ForgetError> {
        if self.rules_exclude_folders([session.project.as_deref(), session.cwd.as_deref()]) {
            return Ok(true);
        }
        self.rules_exclude_file_of(index, session)
    }

    /// Returns true when the user's rules exclude a session of an index by the path of its history.
    pub(crate) fn rules_exclude_file_of(
        &self,
        index: &Reader,
        session: &SessionRow,
    ) -> Result<bool, ForgetError> {
        if !self.has_path_rules() {
            return Ok(false);
        }
        let file = index.file(session.file)?;
        Ok(file.is_some_and(|file| self.rules_exclude_path(&file.path)))
    }
}
