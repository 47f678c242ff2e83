//! The words by which turns are found, with their session's title in one of them.

use crate::error::Result;
use crate::id::{SessionId, TurnId};
use crate::prepared_turn::PreparedWords;
use crate::sql::Statements;
use crate::word_index::{COLUMNS, TurnWords};
use crate::word_search::lexical;
use crate::writer::{MigrationProgress, Writer};
use session_core::{Progress, TurnContent, text};
use std::borrow::Cow;

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

    /// Returns true if a turn is indexed by another number of tokens than its words have, prepared without a title: an earlier
    /// version indexed the same content otherwise. A copy is indexed by none.
    pub(crate) fn are_words_stale(
        &mut self,
        content: &TurnContent,
        id: TurnId,
        words: &TurnWords,
    ) -> Result<bool> {
        let indexed = self.turn_tokens(id)?;
        if indexed == 0 || indexed == words.tokens() {
            return Ok(false);
        }
        let title = self.reader.indexed_title(id, content)?;
        let mut texts = [""; COLUMNS].map(Cow::from);
        texts[0] = text::filter_chars(&title);
        let title = TurnWords::new(self.pending.words.tokenizer()?, &texts)?;
        Ok(indexed != words.tokens() + title.tokens())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Reader;
    use session_core::{
        FileStamp, KnownTurns, Query, SessionMeta, ToolCall, Turn, TurnPart, TurnSpan,
    };

    const SIGNED: &str = "git commit -m x\nCo-Authored-By: Claude Opus <noreply@anthropic.com>";

    /// Delivers a session of one turn as a whole.
    fn deliver(writer: &mut Writer) {
        let call = ToolCall {
            name: "Bash".into(),
            command: Some(SIGNED.into()),
            ..ToolCall::default()
        };
        let turn = Turn {
            prompt: "Commit the lantern.".into(),
            span: TurnSpan { start: 0, end: 9 },
            parts: vec![TurnPart::Call(call)],
            ..Turn::default()
        };
        let meta = SessionMeta {
            id: "a".into(),
            title: Some("The harbour".into()),
            ..SessionMeta::default()
        };
        let file = writer.upsert_file("claude", "/h/a").unwrap();
        let session = writer.open_session(file, "claude", &meta, KnownTurns::Replace);
        let content = TurnContent::from_turn(&turn);
        let mut prepared = writer
            .turn_preparer()
            .prepare(turn, Some(&content))
            .unwrap();
        writer
            .add_prepared_turn(session.unwrap(), &mut prepared)
            .unwrap();
        writer.checkpoint(file, "", FileStamp::default()).unwrap();
        writer.commit().unwrap();
    }

    #[test]
    fn a_turn_is_indexed_again_where_an_earlier_version_indexed_it_otherwise() {
        let home = tempfile::tempdir().unwrap();
        let mut writer = Writer::open(home.path()).unwrap();
        let count = |query: &str| {
            let index = Reader::open(home.path()).unwrap();
            let found = index.search_lexical(&Query::new(query), 9, |_| Ok(true));
            found.unwrap().turns.len()
        };
        deliver(&mut writer);
        let id = TurnId::new(1);
        writer.begin_turn().unwrap();
        writer.delete_words(id).unwrap();
        let texts = ["", "", "", SIGNED, "", "", ""];
        let words = TurnWords::new(writer.pending.words.tokenizer().unwrap(), &texts).unwrap();
        writer.insert_turn_words(id, words).unwrap();
        writer.commit().unwrap();
        assert_eq!((count("opus"), count("lantern")), (1, 0));
        for _ in 0..2 {
            deliver(&mut writer);
            let counts = (count("opus"), count("lantern"), count("harbour"));
            assert_eq!(counts, (0, 1, 1));
        }
    }
}
