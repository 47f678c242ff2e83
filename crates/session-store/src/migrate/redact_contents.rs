//! Redacts what an index holds: the step to format 6.

use crate::dedup_keys::hash_prompt_time;
use crate::error::Result;
use crate::given_titles::ExternalTitle;
use crate::id::SessionId;
use crate::row::TurnRow;
use crate::sql::Statements;
use crate::writer::{MigrationProgress, Writer};
use rusqlite::params;
use session_core::{Progress, TurnContent};
use session_redact::Redactor;

/// Columns of `sessions` with text that a user or an agent wrote.
const TITLES: [&str; 5] = ["title", "given_title", "first_prompt", "rest", "work"];

impl Writer {
    /// Redacts all texts. What held a secret is embedded again; everything else stays as it was.
    pub(crate) fn redact_all(&mut self, progress: MigrationProgress<'_>) -> Result<()> {
        let redactor = self.redactor.clone();
        let sessions = self.session_ids()?;
        for (done, session) in (0..).zip(&sessions) {
            self.redact_session(&redactor, *session)?;
            let total = sessions.len() as u64;
            let done = done + 1;
            progress(Progress { done, total });
        }
        self.redact_external_titles(&redactor)?;
        self.delete_cursors_with_secrets(&redactor)?;
        self.request_purge()
    }

    fn redact_session(&mut self, redactor: &Redactor, session: SessionId) -> Result<()> {
        let mut found = self.redact_titles(redactor, session)?;
        let contents = self.reader.contents(session)?;
        let turns = self.reader.turns(session)?;
        for (turn, stored) in turns.into_iter().zip(contents) {
            let mut content = stored.content;
            if redactor.redact_content(&mut content) {
                self.replace_content(&turn, &content)?;
                found = true;
            }
        }
        if found {
            self.renew_opening(session)?;
            self.orphan_session_rows(session)?;
            self.bump_revision(session)?;
        }
        Ok(())
    }

    /// Replaces the content of a turn and the key by which copies of its prompt are found.
    fn replace_content(&mut self, turn: &TurnRow, content: &TurnContent) -> Result<()> {
        self.pending
            .frames
            .replace(&self.reader, turn.id, content)?;
        let key = hash_prompt_time(turn.started_ms, content.typed_prompt());
        let hashes = self.reader.turn_hashes(turn.id)?;
        let update = "UPDATE turns SET prompt_time = ?2 WHERE id = ?1";
        self.db().run(update, params![turn.id, key])?;
        self.update_turn_keys(turn.id, hashes)
    }

    fn redact_titles(&self, redactor: &Redactor, session: SessionId) -> Result<bool> {
        let mut found = false;
        for column in TITLES {
            let select = format!("SELECT {column} FROM sessions WHERE id = ?1");
            let text: Option<Option<String>> =
                self.db().first(&select, [session], |row| row.get(0))?;
            let Some(mut text) = text.flatten() else {
                continue;
            };
            if redactor.redact_in_place(&mut text) {
                let update = format!("UPDATE sessions SET {column} = ?2 WHERE id = ?1");
                self.db().run(&update, params![session, text])?;
                found = true;
            }
        }
        Ok(found)
    }

    fn redact_external_titles(&self, redactor: &Redactor) -> Result<()> {
        for ExternalTitle { leaf, mut title } in self.reader.external_titles()? {
            if redactor.redact_in_place(&mut title) {
                let update = "UPDATE titles SET title = ?2 WHERE leaf = ?1";
                self.db().run(update, params![leaf, title])?;
            }
        }
        Ok(())
    }

    /// Deletes cursors that hold a secret, in a title: their files are read again.
    fn delete_cursors_with_secrets(&mut self, redactor: &Redactor) -> Result<()> {
        for file in self.reader.files()? {
            let cursor = self.reader.cursor(file.id)?.unwrap_or_default();
            if redactor.redact(&cursor) != cursor {
                self.delete_cursor(file.id)?;
            }
        }
        Ok(())
    }
}
