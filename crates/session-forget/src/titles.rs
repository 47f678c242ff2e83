//! Titles that were given to sessions, where one is excluded.

use crate::error::ForgetError;
use crate::exclusions::Exclusions;
use crate::item;
use session_sources::{Cursor, CursorExclusions, Source, find_source};
use session_store::{FileRow, StoreError, Writer};
use std::path::Path;

impl Exclusions {
    /// Returns true when a title that an agent or a user gave to a session is not to be kept.
    pub fn excludes_title(&self, title: &str) -> bool {
        self.records.holds(&item::title_item(title)) || self.rules_exclude_text(title)
    }

    /// Returns a cursor of a history without what is excluded: titles, and what it remembers of forgotten sessions to
    /// number their next prompt.
    pub fn redact_cursor(&self, source: &dyn Source, at: &Path, cursor: &Cursor) -> Cursor {
        let name = source.name();
        let excluded = CursorExclusions {
            title: &|title| self.excludes_title(title),
            session: &|session| self.excludes_session(name, session),
        };
        source.redact_cursor(at, cursor, &excluded)
    }

    /// Returns a cursor of a history of one session without its titles: its first turn is left out.
    pub fn redact_cursor_titles(&self, source: &dyn Source, at: &Path, cursor: &Cursor) -> Cursor {
        let excluded = CursorExclusions {
            title: &|_| true,
            session: &|_| false,
        };
        source.redact_cursor(at, cursor, &excluded)
    }

    /// Removes what is excluded from the cursors that an index keeps.
    pub(crate) fn redact_cursors(&self, writer: &mut Writer) -> Result<(), ForgetError> {
        if self.is_empty() {
            return Ok(());
        }
        let redact = |file: &FileRow, cursor: &str| {
            let cursor = Cursor(cursor.to_owned());
            let redacted = match find_source(&file.source) {
                Some(source) => self.redact_cursor(source, Path::new(&file.path), &cursor),
                // An agent of another version: its history is read from the beginning.
                None => Cursor::default(),
            };
            (redacted != cursor).then_some(redacted.0)
        };
        Ok(writer.edit_cursors(redact)?)
    }

    /// Deletes the excluded titles of an index; returns how many sessions had one.
    pub(crate) fn delete_titles(&self, writer: &mut Writer) -> Result<usize, ForgetError> {
        if self.is_empty() {
            return Ok(0);
        }
        let sessions = writer.delete_given_titles(|title| self.excludes_title(title))?;
        self.delete_unheld_titles(writer)?;
        Ok(sessions)
    }

    /// Deletes the titles of messages that no indexed turn holds, which may be those of a forgotten session. To be
    /// called when all histories are read.
    ///
    /// # Errors
    /// When the index fails.
    pub fn delete_unheld_titles(&self, writer: &mut Writer) -> Result<(), StoreError> {
        if self.is_empty() {
            Ok(())
        } else {
            writer.delete_unheld_titles()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exclusions::ExcludeSettings;
    use crate::records::ForgottenRecords;
    use session_core::FileStamp;
    use session_sources::{Collected, Env, sources};

    #[test]
    fn excluded_titles_leave_the_cursors_of_an_index() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join(".claude/projects/-lab");
        fs_err::create_dir_all(&folder).unwrap();
        let lines = [
            r#"{"type":"user","uuid":"u1","cwd":"/lab","message":{"content":"Hello"}}"#,
            r#"{"type":"custom-title","customTitle":"The lab"}"#,
            r#"{"type":"ai-title","aiTitle":"Lamps"}"#,
        ];
        let name = "7a1e0c52-0000-4000-8000-000000000001.jsonl";
        fs_err::write(folder.join(name), lines.join("\n") + "\n").unwrap();
        let location = sources()[0].locate(&Env::with_home(home.path())).locations;
        let [location] = location.as_slice() else {
            panic!("{location:?}")
        };
        let mut found = Collected::default();
        sources()[0].read(location, None, &mut found);
        let cursor = found.cursor.unwrap().0;
        assert!(cursor.contains("The lab"), "{cursor}");

        let mut writer = Writer::open(&home.path().join("index")).unwrap();
        let files = [
            (sources()[0].name(), location.path.to_str().unwrap()),
            ("of-another-version", "/h/other.jsonl"),
        ];
        let files = files.map(|(source, path)| writer.upsert_file(source, path).unwrap());
        for file in files {
            writer
                .checkpoint(file, &cursor, FileStamp::default())
                .unwrap();
        }
        let settings = ExcludeSettings {
            patterns: vec!["lab".into()],
            ..ExcludeSettings::default()
        };
        let exclusions = Exclusions::new(ForgottenRecords::default(), &settings).unwrap();
        exclusions.redact_cursors(&mut writer).unwrap();
        let redacted = files.map(|file| writer.reader().unwrap().cursor(file).unwrap());
        let without_title = cursor.replace(r#""custom_title":"The lab","#, "");
        assert_eq!(redacted, [Some(without_title), Some(String::new())]);
    }
}
