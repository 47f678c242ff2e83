//! Titles that were given to sessions, where one is excluded.

use crate::error::ForgetError;
use crate::exclusions::Exclusions;
use crate::item;
use session_sources::{Cursor, CursorRedaction, Source, find_source};
use session_store::{FileRow, Reader, SessionId, StoreError, Writer};
use std::collections::HashSet;
use std::path::Path;

impl Exclusions {
    /// Returns true when a title that an agent or a user gave to a session is not to be kept.
    pub fn excludes_title(&self, title: &str) -> bool {
        self.has_forgotten_title(title) || self.rules_exclude_text(title)
    }

    fn has_forgotten_title(&self, title: &str) -> bool {
        self.records.holds(&item::title_item(title))
    }

    /// Returns a cursor of a history without excluded titles, and without the facts of forgotten sessions by which their
    /// next prompts would be numbered.
    pub fn redact_cursor(&self, source: &dyn Source, at: &Path, cursor: &Cursor) -> Cursor {
        let name = source.name();
        let redaction = CursorRedaction {
            excludes_title: &|title| self.excludes_title(title),
            excludes_session: &|session| self.excludes_session(name, session),
            ..CursorRedaction::none()
        };
        source.redact_cursor(at, cursor, &redaction)
    }

    /// Returns a cursor of a history of one session without its titles: its first turn is left out.
    pub fn redact_cursor_titles(&self, source: &dyn Source, at: &Path, cursor: &Cursor) -> Cursor {
        let redaction = CursorRedaction {
            excludes_title: &|_| true,
            ..CursorRedaction::none()
        };
        source.redact_cursor(at, cursor, &redaction)
    }

    /// Returns a cursor of a history of one session without its branch: its last turn is left out.
    pub fn redact_cursor_branch(&self, source: &dyn Source, at: &Path, cursor: &Cursor) -> Cursor {
        let redaction = CursorRedaction {
            excludes_branch: true,
            ..CursorRedaction::none()
        };
        source.redact_cursor(at, cursor, &redaction)
    }

    /// Removes what is excluded from the cursors that an index keeps.
    pub(crate) fn redact_cursors(&self, writer: &mut Writer) -> Result<(), ForgetError> {
        if self.is_empty() {
            return Ok(());
        }
        let without_branch = writer.reader()?.files_with_excluded_last_turn()?;
        let redact = |file: &FileRow, cursor: &str| {
            let cursor = Cursor(cursor.to_owned());
            let at = Path::new(&file.path);
            let redact = |source: &dyn Source| {
                let redacted = self.redact_cursor(source, at, &cursor);
                if without_branch.contains(&file.id) {
                    self.redact_cursor_branch(source, at, &redacted)
                } else {
                    redacted
                }
            };
            // That of an agent of another version is deleted: its history is read from the beginning.
            let redacted = find_source(&file.source).map(redact).unwrap_or_default();
            (redacted != cursor).then_some(redacted.0)
        };
        Ok(writer.edit_cursors(redact)?)
    }

    /// Deletes the excluded titles of an index; returns how many sessions had one.
    pub(crate) fn delete_titles(&self, writer: &mut Writer) -> Result<usize, ForgetError> {
        if self.is_empty() {
            return Ok(0);
        }
        writer.delete_external_titles(|title| self.excludes_title(title))?;
        let kept = self.kept_sessions(writer.reader()?)?;
        let sessions = writer.delete_given_titles(|given| {
            let is_forgotten = self.has_forgotten_title(&given.title);
            is_forgotten
                || (!kept.contains(&given.session) && self.rules_exclude_text(&given.title))
        })?;
        self.delete_unheld_titles(writer)?;
        Ok(sessions)
    }

    /// Returns the sessions that the settings leave as they are.
    fn kept_sessions(&self, index: &Reader) -> Result<HashSet<SessionId>, ForgetError> {
        let mut kept = HashSet::new();
        if !self.keeps_unrecoverable {
            return Ok(kept);
        }
        for session in index.sessions()? {
            if self.keeps_session(index, &session)? {
                kept.insert(session.id);
            }
        }
        Ok(kept)
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
    use crate::test_index::{self, titled, turn};
    use session_core::FileStamp;
    use session_sources::{CollectingSink, Env, sources};

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
        let mut found = CollectingSink::default();
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

    fn excluding(pattern: &str) -> Exclusions {
        let settings = ExcludeSettings {
            patterns: vec![pattern.into()],
            ..ExcludeSettings::default()
        };
        Exclusions::new(ForgottenRecords::default(), &settings).unwrap()
    }

    /// Inserts a session with a title.
    fn insert(writer: &mut Writer, path: &str) {
        let meta = titled(path, &format!("Harbour {path}"));
        test_index::insert(writer, &meta, &[turn(0, "How is the lantern lit?")]);
    }

    fn mark_gone(writer: &mut Writer, path: &str) {
        let file = writer.upsert_file("claude", path).unwrap();
        writer.mark_file_gone(file).unwrap();
    }

    fn given_titles(writer: &mut Writer) -> Vec<String> {
        let titles = writer.reader().unwrap().given_titles().unwrap();
        titles.into_iter().map(|given| given.title).collect()
    }

    /// A project can set variables, and what is gone cannot be read again.
    #[test]
    fn what_variables_exclude_leaves_titles_of_sessions_whose_history_is_gone() {
        let home = tempfile::tempdir().unwrap();
        let mut writer = Writer::open(home.path()).unwrap();
        let there = home.path().join("there");
        fs_err::write(&there, "").unwrap();
        insert(&mut writer, there.to_str().unwrap());
        insert(&mut writer, "gone");
        mark_gone(&mut writer, "gone");
        let by_variable = excluding("Harbour").keeping_unrecoverable();
        assert_eq!(by_variable.apply(&mut writer).unwrap().titles, 1);
        assert_eq!(given_titles(&mut writer), ["Harbour gone"]);
        assert_eq!(excluding("Harbour").apply(&mut writer).unwrap().titles, 1);
        assert_eq!(given_titles(&mut writer), [""; 0]);
    }

    /// Its user may have given it, and nothing gives it again.
    #[test]
    fn a_session_without_its_first_turn_keeps_its_title_where_its_history_is_gone() {
        let home = tempfile::tempdir().unwrap();
        let mut writer = Writer::open(home.path()).unwrap();
        let there = home.path().join("there");
        fs_err::write(&there, "").unwrap();
        insert(&mut writer, there.to_str().unwrap());
        insert(&mut writer, "marked");
        insert(&mut writer, "gone");
        mark_gone(&mut writer, "marked");
        let removed = excluding("lantern").apply(&mut writer).unwrap();
        assert_eq!((removed.turns, removed.titles), (3, 1));
        assert_eq!(
            given_titles(&mut writer),
            ["Harbour marked", "Harbour gone"]
        );
    }
}
