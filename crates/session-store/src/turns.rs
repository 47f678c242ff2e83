//! Writing turns, each once over all copies of a history.

use crate::content::{hash, moment};
use crate::error::Result;
use crate::lexical;
use crate::row::kind_number;
use crate::titles::names_session;
use crate::writer::Writer;
use rusqlite::{OptionalExtension, params};
use session_core::{Turn, TurnContent, title};

/// A turn as it is stored.
struct Known {
    id: i64,
    content: TurnContent,
    identity: Identity,
}

/// What two turns share when one may be a copy of the other: either is enough.
#[derive(PartialEq, Eq)]
struct Identity {
    origin: Option<i64>,
    moment: Option<i64>,
}

impl Identity {
    fn of(turn: &Turn) -> Self {
        Self {
            origin: turn.origin.as_deref().map(hash),
            moment: moment(turn),
        }
    }
}

impl Writer {
    /// Stores a turn, or, where it [continues](Turn::continues) one, appends to
    /// it, and indexes its words. A turn that another one already holds (by
    /// origin, or by time and prompt) is stored as its copy and not indexed.
    ///
    /// # Errors
    /// When the database fails.
    pub fn add_turn(&mut self, session: i64, turn: &Turn) -> Result<()> {
        self.begin()?;
        self.count_replaced(session, turn);
        let known = self.known(session, turn.index)?;
        let content = match &known {
            Some(known) if turn.continues => {
                let mut content = known.content.clone();
                content.append(turn);
                content
            }
            _ => TurnContent::of(turn),
        };
        let changed = match known {
            Some(known) => self.change_turn(&known, session, turn, &content)?,
            None => {
                let id = self.insert_turn(session, turn, &content)?;
                self.settle(id, &content)?;
                true
            }
        };
        self.update_session(session, turn, changed)
    }

    /// Brings a stored turn and its words up to date; false when neither they
    /// nor what it may be a copy of did change.
    fn change_turn(
        &self,
        known: &Known,
        session: i64,
        turn: &Turn,
        content: &TurnContent,
    ) -> Result<bool> {
        let changed = self.update_turn(known, turn, content)?;
        if changed {
            self.settle_again(known.id, session, content)?;
            self.settle_copies(known.id)?;
        }
        Ok(changed)
    }

    fn count_replaced(&mut self, session: i64, turn: &Turn) {
        if let Some(replacing) = self.replacing.as_mut().filter(|r| r.session == session) {
            replacing.turns = replacing.turns.max(turn.index + 1);
        }
    }

    fn known(&self, session: i64, index: u32) -> Result<Option<Known>> {
        let mut find = self.db.prepare_cached(
            "SELECT id, origin, moment FROM turns WHERE session = ?1 AND idx = ?2",
        )?;
        let known = find.query_row(params![session, index], |row| {
            let identity = Identity {
                origin: row.get(1)?,
                moment: row.get(2)?,
            };
            Ok((row.get(0)?, identity))
        });
        let Some((id, identity)) = known.optional()? else {
            return Ok(None);
        };
        let content = self.content(id)?;
        Ok(Some(Known {
            id,
            content,
            identity,
        }))
    }

    fn insert_turn(&self, session: i64, turn: &Turn, content: &TurnContent) -> Result<i64> {
        let frame = self.frame_for(session)?;
        let mut insert = self.db.prepare_cached(
            "INSERT INTO turns(session, idx, kind, started_ms, ended_ms, branch, start, stop, origin, moment, leaf, frame)
             VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        )?;
        let Identity { origin, moment } = Identity::of(turn);
        let id = insert.insert(params![
            session,
            turn.index,
            kind_number(turn.kind),
            turn.started_ms,
            turn.ended_ms,
            turn.branch,
            turn.span.start.cast_signed(),
            turn.span.end.cast_signed(),
            origin,
            moment,
            turn.leaf.as_deref().map(hash),
            frame
        ])?;
        self.add_content(id, content)?;
        Ok(id)
    }

    /// Brings a stored turn up to date; false when neither its words nor its
    /// identity did change.
    fn update_turn(&self, known: &Known, turn: &Turn, content: &TurnContent) -> Result<bool> {
        let end = turn.span.end.cast_signed();
        let leaf = turn.leaf.as_deref().map(hash);
        self.db.prepare_cached(
            "UPDATE turns SET stop = CASE WHEN ?5 THEN max(stop, ?2) ELSE ?2 END, leaf = coalesce(?3, leaf), ended_ms = max(coalesce(ended_ms, ?4), coalesce(?4, ended_ms)), branch = coalesce(?6, branch) WHERE id = ?1",
        )?.execute(params![known.id, end, leaf, turn.ended_ms, turn.continues, turn.branch])?;
        let identity = Identity::of(turn);
        let is_other = !turn.continues && identity != known.identity;
        if !turn.continues {
            self.db.prepare_cached(
                "UPDATE turns SET kind = ?2, started_ms = ?3, ended_ms = ?4, branch = ?5, start = ?6, origin = ?7, moment = ?8 WHERE id = ?1",
            )?.execute(params![
                known.id, kind_number(turn.kind), turn.started_ms, turn.ended_ms, turn.branch,
                turn.span.start.cast_signed(), identity.origin, identity.moment
            ])?;
        }
        if known.content == *content {
            return Ok(is_other);
        }
        self.change_content(known.id, content)?;
        Ok(true)
    }

    /// Settles a turn that was settled before. When it becomes a copy or ceases
    /// to be one, its session's title may belong to another turn.
    fn settle_again(&self, id: i64, session: i64, content: &TurnContent) -> Result<()> {
        let was_copy = self
            .db
            .prepare_cached("SELECT owner IS NOT NULL FROM turns WHERE id = ?1")?
            .query_row([id], |row| row.get::<_, bool>(0))?;
        self.drop_words(id)?;
        if self.settle(id, content)? != was_copy {
            self.index_title(session)?;
        }
        Ok(())
    }

    /// Finds whether a turn, whose words are not indexed, is a copy, and indexes
    /// them if it is not.
    fn settle(&self, id: i64, content: &TurnContent) -> Result<bool> {
        let owner = self.owner(id, content)?;
        self.db
            .prepare_cached("UPDATE turns SET owner = ?2 WHERE id = ?1")?
            .execute(params![id, owner])?;
        if owner.is_none() {
            self.put_words(id, content)?;
        }
        Ok(owner.is_some())
    }

    fn owner(&self, id: i64, content: &TurnContent) -> Result<Option<i64>> {
        let mut find = self.db.prepare_cached(
            "SELECT t.id FROM turns t, (SELECT origin, moment FROM turns WHERE id = ?1) AS me
             WHERE t.owner IS NULL AND t.id <> ?1 AND (t.origin = me.origin OR t.moment = me.moment)",
        )?;
        let mut rows = find.query([id])?;
        while let Some(row) = rows.next()? {
            let other = row.get(0)?;
            if is_within(content, &self.content(other)?) {
                return Ok(Some(other));
            }
        }
        Ok(None)
    }

    /// Looks again at the copies of a turn that changed or goes.
    fn settle_copies(&self, owner: i64) -> Result<()> {
        let mut find = self
            .db
            .prepare_cached("SELECT id, session FROM turns WHERE owner = ?1 ORDER BY id")?;
        let copies: Vec<(i64, i64)> = find
            .query_map([owner], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<rusqlite::Result<_>>()?;
        for (id, session) in copies {
            self.settle_again(id, session, &self.content(id)?)?;
            self.touch(session)?;
        }
        Ok(())
    }

    pub(crate) fn drop_words(&self, id: i64) -> Result<()> {
        self.db
            .prepare_cached("DELETE FROM words WHERE rowid = ?1")?
            .execute([id])?;
        Ok(())
    }

    fn put_words(&self, id: i64, content: &TurnContent) -> Result<()> {
        lexical::insert(&self.db, id, content, &self.title_with(id, content)?)
    }

    /// What is indexed as the title with a turn: its session's, if it is the first that is
    /// not a copy. Where the session has none, the head of the turn's own prompt stands for it.
    fn title_with(&self, id: i64, content: &TurnContent) -> Result<String> {
        let mut find = self.db.prepare_cached(
            "SELECT coalesce(s.title, s.given_title) FROM turns t JOIN sessions s ON s.id = t.session
             WHERE t.id = ?1 AND NOT EXISTS
               (SELECT 1 FROM turns u WHERE u.session = t.session AND u.idx < t.idx AND u.owner IS NULL)",
        )?;
        let found: Option<Option<String>> = find.query_row([id], |row| row.get(0)).optional()?;
        Ok(match found {
            None => String::new(),
            Some(Some(title)) => title,
            Some(None) if lexical::is_left_out(&content.prompt) => String::new(),
            Some(None) => title::of_prompt(&content.prompt),
        })
    }

    /// Writes the words of a session's first turns again: the title is with the
    /// first that is not a copy, and may have been with the second.
    pub(crate) fn index_title(&self, session: i64) -> Result<()> {
        let mut find = self.db.prepare_cached(
            "SELECT id FROM turns WHERE session = ?1 AND owner IS NULL ORDER BY idx LIMIT 2",
        )?;
        let first: Vec<i64> = find
            .query_map([session], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        for id in first {
            self.drop_words(id)?;
            self.put_words(id, &self.content(id)?)?;
        }
        Ok(())
    }

    fn update_session(&mut self, session: i64, turn: &Turn, changed: bool) -> Result<()> {
        self.db.prepare_cached(
            "UPDATE sessions SET turns = max(turns, ?2),
               started_ms = min(coalesce(started_ms, ?3), coalesce(?3, started_ms)),
               ended_ms = max(coalesce(ended_ms, ?4), coalesce(?4, ended_ms)), revision = revision + ?5
             WHERE id = ?1",
        )?.execute(params![session, turn.index + 1, turn.started_ms, turn.ended_ms, changed])?;
        match !turn.continues && names_session(turn.kind, &turn.prompt) {
            true => self.put_first_prompt(session, turn),
            false => {
                self.note_work(session);
                Ok(())
            }
        }
    }

    /// Ends the replacement of a session: turns beyond the last that came go.
    pub(crate) fn finish_replacing(&mut self) -> Result<()> {
        let Some(done) = self.replacing.take() else {
            return Ok(());
        };
        let mut find = self
            .db
            .prepare_cached("SELECT id FROM turns WHERE session = ?1 AND idx >= ?2")?;
        let old: Vec<i64> = find
            .query_map(params![done.session, done.turns], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        drop(find);
        for &id in &old {
            self.drop_words(id)?;
            self.remove_content(id)?;
            self.db.execute("DELETE FROM turns WHERE id = ?1", [id])?;
            self.settle_copies(id)?;
        }
        if !old.is_empty() {
            self.orphan_session_rows(done.session)?;
            self.db.execute(
                "UPDATE sessions SET turns = ?2 WHERE id = ?1",
                params![done.session, done.turns],
            )?;
            self.touch(done.session)?;
        }
        Ok(())
    }
}

/// True when all that `copy` says is said by `whole`: a copy of a history may
/// have been made in the middle of a turn, before the user's replies in it.
fn is_within(copy: &TurnContent, whole: &TurnContent) -> bool {
    whole.prompt.starts_with(&copy.prompt)
        && whole.answer.starts_with(&copy.answer)
        && whole.commands.starts_with(&copy.commands)
        && whole.files.starts_with(&copy.files)
        && whole.errors.starts_with(&copy.errors)
}
