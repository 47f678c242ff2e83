//! The words by which turns are found, with their session's title in one of them.

use crate::error::Result;
use crate::id::{SessionId, TurnId};
use crate::prepared_turn::PreparedWords;
use crate::sql::Statements;
use crate::word_index::TurnWords;
use crate::word_search::lexical;
use crate::writer::{MigrationProgress, Writer};
use session_core::{Progress, TurnContent};

impl Writer {
    /// Deletes the words of a turn, and the signatures of its errors.
    pub(crate) fn delete_words(&mut self, id: TurnId) -> Result<()> {
        self.set_turn_tokens(id, 0)?;
        self.session_progress.new_session.forget_title();
        let deleted = self.pending.words.delete(&self.reader, id);
        self.note_failure(deleted)?;
        self.delete_error_signatures(id)
    }

    /// Indexes the words of a turn, and the signatures of its errors.
    pub(crate) fn insert_words(&mut self, id: TurnId, content: &TurnContent) -> Result<()> {
        self.insert_error_signatures(id, &content.failure_signatures())?;
        let title = self.reader.indexed_title(id, content)?;
        let texts = lexical::indexed_texts(content, &title);
        let words = TurnWords::new(self.pending.words.tokenizer()?, &texts)?;
        self.insert_turn_words(id, words)
    }

    /// Indexes the words of all turns that are not copies in an empty table.
    pub(crate) fn index_all_words(&mut self, progress: MigrationProgress<'_>) -> Result<()> {
        self.pending.frames.flush(&self.reader)?;
        let sessions = self.session_ids()?;
        for (done, session) in (0..).zip(&sessions) {
            for stored in self.reader.contents_without_copies(*session)? {
                self.insert_words(stored.turn, &stored.content)?;
            }
            let total = sessions.len() as u64;
            let done = done + 1;
            progress(Progress { done, total });
        }
        Ok(())
    }

    /// Returns the numbers of all sessions by their rows: a repair may have no blocks of them.
    fn session_ids(&self) -> Result<Vec<SessionId>> {
        let select = "SELECT id FROM sessions ORDER BY id";
        self.db().rows(select, [], |row| row.get(0))
    }

    /// Indexes the words of a stored turn as they were prepared, where no title is indexed with it.
    pub(crate) fn insert_prepared_words(
        &mut self,
        id: TurnId,
        prepared: &mut PreparedWords,
        has_title: bool,
    ) -> Result<()> {
        let PreparedWords { words, signatures } = prepared;
        let has_own_title = || -> Result<bool> {
            let title = self.reader.indexed_title(id, &self.content(id)?)?;
            Ok(!title.is_empty())
        };
        if (!has_title && has_own_title()?) || !self.pending.words.accepts(words) {
            return self.insert_words(id, &self.content(id)?);
        }
        self.insert_error_signatures(id, signatures)?;
        self.insert_turn_words(id, words.take())
    }

    /// Indexes the words of a turn. One without any, such as a forgotten one, is no document: it would count in the mean
    /// length of turns.
    fn insert_turn_words(&mut self, id: TurnId, words: TurnWords) -> Result<()> {
        self.set_turn_tokens(id, words.tokens())?;
        if words.tokens() == 0 {
            return Ok(());
        }
        let inserted = self.pending.words.insert(&self.reader, id, words);
        self.note_failure(inserted)
    }

    /// Indexes a session's first two own turns again: the title is indexed with the
    /// first that is not a copy, and may have been with the second.
    pub(crate) fn index_title(&mut self, session: SessionId) -> Result<()> {
        let select =
            "SELECT id FROM turns WHERE session = ?1 AND owner IS NULL ORDER BY idx LIMIT 2";
        let first: Vec<TurnId> = self.db().rows(select, [session], |row| row.get(0))?;
        for id in first {
            self.delete_words(id)?;
            let content = self.content(id)?;
            self.insert_words(id, &content)?;
        }
        Ok(())
    }
}
