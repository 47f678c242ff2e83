//! Writes turns and indexes each once over all copies of a history.

use crate::copies::Ownership;
use crate::error::Result;
use crate::frames::frame::{content_json, parse_content};
use crate::id::{SessionId, SessionTurn, TurnId};
use crate::prepared_turn::{PreparedTurn, PreparedWords, StoredForms, TurnPreparer};
use crate::reader::Reader;
use crate::row::prompt_kind_to_db;
use crate::sql::Statements;
use crate::titles::can_title_session;
use crate::turn_keys::TurnHashes;
use crate::writer::Writer;
use rusqlite::params;
use session_core::{Turn, TurnContent, text, title};

/// A turn that is to be stored in a session.
#[derive(Clone, Copy)]
pub(crate) struct DeliveredTurn<'t> {
    pub(crate) session: SessionId,
    pub(crate) turn: &'t Turn,
    pub(crate) hashes: TurnHashes,
}

/// A stored turn with its content and dedup keys.
struct StoredTurn {
    id: TurnId,
    content: TurnContent,
    hashes: TurnHashes,
}

/// The form from which a new turn is indexed.
enum IndexedForm<'c> {
    Content(&'c TurnContent),
    Prepared {
        words: &'c mut PreparedWords,
        /// The session's title is indexed with an earlier turn.
        has_title: bool,
    },
}

impl Reader {
    /// Returns the title to index with a turn: its session's, if the turn is the first that is
    /// not a copy, else none. A session without a title has the head of the turn's prompt.
    pub(crate) fn indexed_title(&self, id: TurnId, content: &TurnContent) -> Result<String> {
        let select = "SELECT coalesce(s.title, s.given_title) FROM turns t JOIN sessions s ON s.id = t.session
             WHERE t.id = ?1 AND NOT EXISTS
               (SELECT 1 FROM turns u WHERE u.session = t.session AND u.idx < t.idx AND u.owner IS NULL)";
        let found: Option<Option<String>> = self.db.first(select, [id], |row| row.get(0))?;
        Ok(match found {
            None => String::new(),
            Some(Some(title)) => text::compose(&title).into_owned(),
            Some(None) => title::prompt_title(content.indexed_prompt()),
        })
    }
}

impl Writer {
    /// Stores a turn, or, where it [continues](Turn::continues) one, appends to
    /// it, and indexes its words. A turn that another one already holds (by
    /// origin, or by time and prompt) is stored as its copy and not indexed.
    ///
    /// # Errors
    /// When the database fails.
    pub fn add_turn(&mut self, session: SessionId, turn: &Turn) -> Result<()> {
        let delivered = DeliveredTurn {
            session,
            turn,
            hashes: TurnHashes::from_turn(turn),
        };
        self.store_turn(delivered, |writer, known| match known {
            Some(known) => writer.change_turn(&known, delivered),
            None => {
                let content = TurnContent::from_turn(turn);
                let id = writer.insert_turn(delivered, &content_json(&content)?)?;
                let form = IndexedForm::Content(&content);
                writer.index_new_turn(id, delivered, form)?;
                Ok(true)
            }
        })
    }

    /// Stores a turn as [`Writer::add_turn`] does, and takes its words.
    ///
    /// # Errors
    /// When the database fails.
    pub fn add_prepared_turn(
        &mut self,
        session: SessionId,
        prepared: &mut PreparedTurn,
    ) -> Result<()> {
        let PreparedTurn { turn, forms } = prepared;
        let Some(StoredForms {
            json,
            hashes,
            words,
        }) = forms
        else {
            return self.add_turn(session, turn);
        };
        let delivered = DeliveredTurn {
            session,
            turn,
            hashes: *hashes,
        };
        self.store_turn(delivered, |writer, known| match known {
            Some(known) => {
                let are_stale = writer.are_words_stale(&known.content, known.id, &words.words)?;
                writer.replace_turn(&known, delivered, &parse_content(json), are_stale)
            }
            None => {
                let id = writer.insert_turn(delivered, json)?;
                let has_title = writer
                    .session_progress
                    .new_session
                    .is_titled_before(session, turn.index);
                let form = IndexedForm::Prepared { words, has_title };
                writer.index_new_turn(id, delivered, form)?;
                Ok(true)
            }
        })
    }

    /// Calls `store` with the turn that is stored at the position of a new one, if any, between what is done for each turn.
    /// `store` returns false when neither words nor dedup keys changed.
    fn store_turn(
        &mut self,
        delivered: DeliveredTurn<'_>,
        store: impl FnOnce(&mut Self, Option<StoredTurn>) -> Result<bool>,
    ) -> Result<()> {
        let DeliveredTurn { session, turn, .. } = delivered;
        self.begin_turn()?;
        self.count_replaced_turn(session, turn);
        let is_shifted = self.make_room_before_lost(delivered)?;
        let known = self.stored_turn(session, turn.index)?;
        let begun = known.as_ref().filter(|_| turn.continues);
        let begun = begun.map(|known| self.reader.turn(known.id)).transpose()?;
        // What continues an excluded turn is excluded, too, and does not date its session.
        let is_excluded = begun.flatten().is_some_and(|row| row.is_excluded());
        if !is_excluded {
            let changed = store(self, known)?;
            self.update_session(session, turn, changed)?;
        }
        if is_shifted {
            self.renew_after_shift(session)
        } else {
            Ok(())
        }
    }

    /// Returns what prepares turns for [`Writer::add_prepared_turn`].
    pub fn turn_preparer(&self) -> TurnPreparer {
        TurnPreparer::new(self.pending.words.terms())
    }

    /// Replaces a stored turn, or appends to it.
    fn change_turn(&mut self, known: &StoredTurn, delivered: DeliveredTurn<'_>) -> Result<bool> {
        let turn = delivered.turn;
        let content = if turn.continues {
            let mut content = known.content.clone();
            content.append(turn);
            content
        } else {
            TurnContent::from_turn(turn)
        };
        self.replace_turn(known, delivered, &content, false)
    }

    /// Updates a stored turn and its words; returns false when neither they nor its
    /// dedup keys changed. Stale words are those of the same content as an earlier version indexed it.
    fn replace_turn(
        &mut self,
        known: &StoredTurn,
        delivered: DeliveredTurn<'_>,
        content: &TurnContent,
        are_words_stale: bool,
    ) -> Result<bool> {
        let DeliveredTurn { session, turn, .. } = delivered;
        self.session_progress.new_session.note_change(session);
        self.titles.known_openings.remove(session);
        let changed = self.update_turn(known, delivered, content)? || are_words_stale;
        if changed {
            self.reindex_turn(known.id, session, content)?;
            self.reindex_copies(known.id)?;
        }
        let typed = known.content.typed_prompt();
        if typed != content.typed_prompt() {
            self.renew_title_of(session, typed)?;
        }
        if turn.continues && change_came_or_went(&known.content, content) {
            self.renew_title_after_change(session)?;
        }
        Ok(changed)
    }

    /// Counts a turn of a session whose turns are replaced.
    fn count_replaced_turn(&mut self, session: SessionId, turn: &Turn) {
        if let Some(replacing) = self
            .session_progress
            .replacing
            .as_mut()
            .filter(|r| r.session == session)
        {
            replacing.turns = replacing.turns.max(turn.index + 1);
        }
    }

    fn stored_turn(&self, session: SessionId, index: u32) -> Result<Option<StoredTurn>> {
        if self.session_progress.new_session.is_beyond(session, index) {
            return Ok(None);
        }
        let select =
            "SELECT origin, prompt_time, leaf, id FROM turns WHERE session = ?1 AND idx = ?2";
        let db = self.db();
        let known = db.first(select, params![session, index], |row| {
            Ok((row.get(3)?, TurnHashes::from_row(row)?))
        })?;
        let Some((id, hashes)) = known else {
            return Ok(None);
        };
        let content = self.content(id)?;
        Ok(Some(StoredTurn {
            id,
            content,
            hashes,
        }))
    }

    fn insert_turn(&mut self, delivered: DeliveredTurn<'_>, json: &[u8]) -> Result<TurnId> {
        let DeliveredTurn {
            session,
            turn,
            hashes,
        } = delivered;
        let frame = self.pending.frames.open_with_space(&self.reader, session)?;
        let insert =
            "INSERT INTO turns(session, idx, kind, started_ms, ended_ms, branch, start, stop,
               origin, prompt_time, leaf, frame)
             VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
        let id = self.db().insert(
            insert,
            params![
                session,
                turn.index,
                prompt_kind_to_db(turn.kind),
                turn.started_ms,
                turn.ended_ms,
                turn.branch,
                turn.span.start.cast_signed(),
                turn.span.end.cast_signed(),
                hashes.dedup_keys.origin,
                hashes.dedup_keys.prompt_time,
                hashes.leaf,
                frame
            ],
        )?;
        let id = TurnId::new(id);
        self.set_turn_session(id, session)?;
        self.pending.frames.insert(id, json);
        Ok(id)
    }

    /// Updates the row and the content of a stored turn; returns false when neither
    /// its words nor its dedup keys changed.
    fn update_turn(
        &mut self,
        known: &StoredTurn,
        delivered: DeliveredTurn<'_>,
        content: &TurnContent,
    ) -> Result<bool> {
        let DeliveredTurn { turn, hashes, .. } = delivered;
        let keys_changed = !turn.continues && hashes.dedup_keys != known.hashes.dedup_keys;
        if turn.continues {
            self.extend_row(known.id, turn, hashes.leaf)?;
        } else {
            self.replace_row(known.id, turn, hashes)?;
        }
        self.update_turn_keys(known.id, known.hashes)?;
        if known.content == *content {
            return Ok(keys_changed);
        }
        self.pending
            .frames
            .replace(&self.reader, known.id, content)?;
        Ok(true)
    }

    /// Updates the row of a turn by what continues it.
    fn extend_row(&self, id: TurnId, turn: &Turn, leaf: Option<i64>) -> Result<()> {
        let update = "UPDATE turns SET stop = max(stop, ?2), leaf = coalesce(?3, leaf),
               ended_ms = max(coalesce(ended_ms, ?4), coalesce(?4, ended_ms)), branch = coalesce(?5, branch)
             WHERE id = ?1";
        let end = turn.span.end.cast_signed();
        let values = params![id, end, leaf, turn.ended_ms, turn.branch];
        self.db().run(update, values)
    }

    /// Updates the row of a turn that was delivered as a whole again.
    fn replace_row(&self, id: TurnId, turn: &Turn, hashes: TurnHashes) -> Result<()> {
        let update = "UPDATE turns SET stop = ?2, leaf = coalesce(?3, leaf), kind = ?4, started_ms = ?5,
               ended_ms = ?6, branch = ?7, start = ?8, origin = ?9, prompt_time = ?10 WHERE id = ?1";
        self.db().run(
            update,
            params![
                id,
                turn.span.end.cast_signed(),
                hashes.leaf,
                prompt_kind_to_db(turn.kind),
                turn.started_ms,
                turn.ended_ms,
                turn.branch,
                turn.span.start.cast_signed(),
                hashes.dedup_keys.origin,
                hashes.dedup_keys.prompt_time
            ],
        )
    }

    /// Indexes a turn again. When it becomes a copy or ceases to be one, its session's
    /// title may be indexed with another turn.
    pub(crate) fn reindex_turn(
        &mut self,
        id: TurnId,
        session: SessionId,
        content: &TurnContent,
    ) -> Result<()> {
        self.session_progress.new_session.note_change(session);
        let was_copy = self.is_copy(id)?;
        self.delete_words(id)?;
        let keys = self.reader.dedup_keys(id)?;
        let alike = self.owners_alike(id, keys)?;
        let ownership = self.find_ownership(session, content, alike)?;
        self.set_owner(id, ownership.owner())?;
        let is_copy = ownership.owner().is_some();
        if let Ownership::OwnerOf(copies) = ownership {
            self.index_owner(id, IndexedForm::Content(content), copies)?;
        }
        if is_copy != was_copy {
            self.index_title(session)?;
        }
        Ok(())
    }

    /// Indexes a turn that was just inserted as [`Writer::reindex_turn`] does, and notes whether it is a copy.
    fn index_new_turn(
        &mut self,
        id: TurnId,
        delivered: DeliveredTurn<'_>,
        form: IndexedForm<'_>,
    ) -> Result<()> {
        let DeliveredTurn {
            session,
            turn,
            hashes,
        } = delivered;
        // Before its own keys are there, which would be found.
        let alike = self.owners_alike(id, hashes.dedup_keys)?;
        self.add_turn_keys(id, hashes)?;
        let ownership = match (alike.is_empty(), &form) {
            (true, _) => Ownership::OwnerOf(Vec::new()),
            (_, IndexedForm::Content(content)) => self.find_ownership(session, content, alike)?,
            (_, IndexedForm::Prepared { .. }) => {
                self.find_ownership(session, &self.content(id)?, alike)?
            }
        };
        let is_copy = match ownership {
            Ownership::CopyOf(owner) => self.set_owner(id, Some(owner)).map(|()| true),
            Ownership::OwnerOf(copies) => {
                let has_copies = !copies.is_empty();
                self.index_owner(id, form, copies)?;
                // One of theirs may own it: its session gave them other ranks.
                Ok(has_copies && self.is_copy(id)?)
            }
        }?;
        self.session_progress
            .new_session
            .note_turn(session, turn.index, id, is_copy);
        Ok(())
    }

    /// Indexes the words of a turn that is no copy, and again its copies and theirs.
    fn index_owner(
        &mut self,
        id: TurnId,
        form: IndexedForm<'_>,
        copies: Vec<SessionTurn>,
    ) -> Result<()> {
        match form {
            IndexedForm::Content(content) => self.insert_words(id, content)?,
            IndexedForm::Prepared { words, has_title } => {
                self.insert_prepared_words(id, words, has_title)?;
            }
        }
        self.reindex_turns(&copies)?;
        for copy in copies {
            self.reindex_copies(copy.turn)?;
        }
        Ok(())
    }

    /// Indexes again the copies of a turn that changed or is deleted.
    pub(crate) fn reindex_copies(&mut self, owner: TurnId) -> Result<()> {
        let select = "SELECT id, session FROM turns WHERE owner = ?1 ORDER BY id";
        let db = self.db();
        let copies: Vec<SessionTurn> = db.rows(select, [owner], SessionTurn::from_row)?;
        self.reindex_turns(&copies)
    }

    /// Indexes stored turns again, each of which may have another owner now.
    fn reindex_turns(&mut self, turns: &[SessionTurn]) -> Result<()> {
        for &SessionTurn { turn, session } in turns {
            let content = self.content(turn)?;
            self.reindex_turn(turn, session, &content)?;
            self.bump_revision(session)?;
        }
        Ok(())
    }

    /// Deletes a turn, of which other turns may be copies that stay.
    pub(crate) fn delete_owner(&mut self, id: TurnId) -> Result<()> {
        self.delete_turn(id)?;
        self.reindex_copies(id)
    }

    /// Deletes a turn with its content and words.
    pub(crate) fn delete_turn(&mut self, id: TurnId) -> Result<()> {
        self.delete_words(id)?;
        self.pending.frames.delete(&self.reader, id)?;
        let hashes = self.reader.turn_hashes(id)?;
        let delete = "DELETE FROM turns WHERE id = ?1";
        self.db().run(delete, [id])?;
        self.clear_turn_columns(id)?;
        self.update_turn_keys(id, hashes)
    }

    fn update_session(&mut self, session: SessionId, turn: &Turn, changed: bool) -> Result<()> {
        self.count_turn(session, turn, changed)?;
        if !turn.continues && can_title_session(turn.kind, &turn.prompt) {
            self.store_first_prompt(session, turn)
        } else {
            self.queue_work_title(session);
            Ok(())
        }
    }
}

/// Returns true if one of two contents of a turn has a change that can name a session, and the other has none.
fn change_came_or_went(before: &TurnContent, after: &TurnContent) -> bool {
    let has_change = |content| title::change_title(std::iter::once(content)).is_some();
    before.runs != after.runs && has_change(before) != has_change(after)
}
