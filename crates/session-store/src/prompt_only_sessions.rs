//! Links sessions of which an agent keeps the prompts alone to their transcripts.

use crate::error::Result;
use crate::file_session::FileSession;
use crate::id::{FileId, SessionId, TurnId};
use crate::prepared_turn::PreparedTurn;
use crate::replacement::LOST;
use crate::row::GONE;
use crate::sql::Statements;
use crate::titles::can_title_session;
use crate::writer::Writer;
use rusqlite::params;
use session_core::paste::{moved_paste_keys, unmarked_paste_key};
use session_core::slash_command::is_built_in_command;
use session_core::{SessionMeta, Turn, TurnSpan};
use std::ops::RangeInclusive;

/// Greatest time between a prompt's entry in a history of prompts and in its transcript, in
/// milliseconds: it may have waited for a hook or in a queue.
const SKEW_MS: i64 = 5 * 60 * 1000;

/// A turn by its time.
struct TimedTurn {
    id: TurnId,
    session: SessionId,
    source: String,
    started_ms: i64,
}

/// SQL for a session `s` of which the agent keeps the prompts alone, [`PROMPTS_ONLY`](crate::row::PROMPTS_ONLY). The index
/// `sessions_prompts` has the same expression, for which alone SQLite uses it.
const PROMPT_SESSION: &str = "s.gone & 2";
/// SQL for any other session.
const TRANSCRIPT: &str = "NOT (s.gone & 2)";

/// Says which prompts of a session of a history of prompts another file has: they are not stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Supersession {
    /// No file has the session.
    None,
    /// Those up to the end of the session, whose file is gone.
    UpTo(EndedSession),
    /// All: the file that has the session is there.
    Whole,
}

/// A session whose file is gone, with the time of its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndedSession {
    session: SessionId,
    ended_ms: i64,
}

impl Writer {
    /// Tells which prompts of a session of a history of prompts another file has. `gone_files` are files that are no longer
    /// on disk, and not yet marked so.
    ///
    /// # Errors
    /// When the database fails.
    pub fn find_supersession(
        &mut self,
        file: FileId,
        source: &str,
        meta: &SessionMeta,
        gone_files: &[FileId],
    ) -> Result<Supersession> {
        if !meta.prompts_only {
            return Ok(Supersession::None);
        }
        self.begin()?;
        self.write_session_counts()?;
        let mut find = self.db().prepare_cached(&format!(
            "SELECT s.id, s.file, s.gone & {GONE} OR f.gone, s.ended_ms FROM sessions s JOIN files f ON f.id = s.file
             WHERE s.uid = ?1 AND s.source = ?2 AND s.file <> ?3 ORDER BY s.ended_ms"
        ))?;
        let mut others = find.query(params![meta.id, source, file])?;
        let mut supersession = Supersession::None;
        while let Some(other) = others.next()? {
            let is_gone = other.get(2)? || gone_files.contains(&other.get(1)?);
            let (session, ended_ms): (_, Option<i64>) = (other.get(0)?, other.get(3)?);
            supersession = match ended_ms.filter(|_| is_gone) {
                Some(ended_ms) => Supersession::UpTo(EndedSession { session, ended_ms }),
                None => return Ok(Supersession::Whole),
            };
        }
        Ok(supersession)
    }

    /// Adds a prompt of a history of prompts to its session, where it came after the end of that: its transcript was deleted
    /// before it was read again. It is stored as a turn that the transcript lost. Returns true if it was added.
    ///
    /// # Errors
    /// When the database fails.
    pub fn add_later_prompt(
        &mut self,
        ended: &EndedSession,
        prompt: &mut PreparedTurn,
    ) -> Result<bool> {
        let turn = &mut prompt.turn;
        let is_later = turn.started_ms.is_some_and(|ms| ms > ended.ended_ms);
        if !is_later || !is_for_agent(turn) {
            return Ok(false);
        }
        let select = "SELECT coalesce(max(idx) + 1, 0) FROM turns WHERE session = ?1";
        turn.index = self
            .db()
            .single(select, [ended.session], |row| row.get(0))?;
        let start = LOST.cast_unsigned();
        turn.span = TurnSpan {
            start,
            end: start + 1,
        };
        self.add_prepared_turn(ended.session, prompt)?;
        Ok(true)
    }

    /// Gives an [adoptable](FileSession::find_adoptable) session to the file of its transcript. Returns true when there was
    /// one: its turns are to be replaced.
    pub(crate) fn adopt_session(&self, transcript: FileSession<'_>) -> Result<bool> {
        let db = self.db();
        // Not for each session: a change of a foreign key makes FTS5 write its words to disk.
        let Some(session) = transcript.find_adoptable(db)? else {
            return Ok(false);
        };
        let update = "UPDATE sessions SET file = ?1 WHERE id = ?2";
        db.run(update, params![transcript.file, session])?;
        Ok(true)
    }

    /// Makes each prompt without a transcript a copy of the turn of a transcript that holds
    /// the same words at about the same time: old histories of prompts do not say of which
    /// session a prompt is. To be called before a commit that follows turns of these times.
    ///
    /// # Errors
    /// When the database fails.
    pub fn link_prompt_copies(&mut self, times: RangeInclusive<i64>) -> Result<()> {
        self.begin()?;
        let prompts = self.turns_at(widen_by_skew(&times), PROMPT_SESSION)?;
        let (Some(first), Some(last)) = (prompts.first(), prompts.last()) else {
            return Ok(());
        };
        let times = first.started_ms..=last.started_ms;
        let turns = self.turns_at(widen_by_skew(&times), TRANSCRIPT)?;
        for prompt in &prompts {
            if let Some(owner) = self.find_transcript_turn(prompt, &turns)? {
                self.make_copy(prompt, owner)?;
            }
        }
        Ok(())
    }

    /// Returns the turns of sessions of one kind that are no copies and began in a time, in the order of their times.
    fn turns_at(&self, times: RangeInclusive<i64>, kind: &str) -> Result<Vec<TimedTurn>> {
        let select = format!(
            "SELECT t.id, t.session, s.source, t.started_ms FROM sessions s CROSS JOIN turns t ON t.session = s.id
             WHERE {kind} AND s.started_ms <= ?2 AND s.ended_ms >= ?1
               AND t.started_ms BETWEEN ?1 AND ?2 AND t.owner IS NULL ORDER BY t.started_ms, t.id",
        );
        self.db()
            .rows(&select, [times.start(), times.end()], |row| {
                Ok(TimedTurn {
                    id: row.get(0)?,
                    session: row.get(1)?,
                    source: row.get(2)?,
                    started_ms: row.get(3)?,
                })
            })
    }

    /// Returns the transcript's turn with a prompt's text and about its time.
    fn find_transcript_turn(
        &self,
        prompt: &TimedTurn,
        turns: &[TimedTurn],
    ) -> Result<Option<TurnId>> {
        let times = widen_by_skew(&(prompt.started_ms..=prompt.started_ms));
        let from = turns.partition_point(|turn| turn.started_ms < *times.start());
        let near = turns.iter().skip(from);
        let near = near.take_while(|turn| times.contains(&turn.started_ms));
        let mut near = near.filter(|turn| turn.source == prompt.source).peekable();
        if near.peek().is_none() {
            return Ok(None); // most prompts
        }
        let content = self.content(prompt.id)?;
        let prompt = content.typed_prompt();
        // The one has pastes behind the typed words, an older transcript where they were typed.
        let keys = moved_paste_keys(prompt);
        for turn in near {
            let content = self.content(turn.id)?;
            let turn_prompt = content.typed_prompt();
            let has_key = |key| keys.contains(&key);
            let is_moved =
                || !keys.is_empty() && unmarked_paste_key(turn_prompt).is_some_and(has_key);
            if turn_prompt == prompt || is_moved() {
                return Ok(Some(turn.id));
            }
        }
        Ok(None)
    }

    /// Makes a prompt, and the copies of it, copies of a transcript's turn.
    fn make_copy(&mut self, prompt: &TimedTurn, owner: TurnId) -> Result<()> {
        self.delete_words(prompt.id)?;
        let update = "UPDATE turns SET owner = ?2 WHERE id = ?1";
        self.db().run(update, [prompt.id, owner])?;
        let update = "UPDATE turns SET owner = ?2 WHERE owner = ?1";
        self.db().run(update, [prompt.id, owner])?;
        self.index_title(prompt.session)?;
        self.bump_revision(prompt.session)
    }
}

/// Returns true for a prompt that its agent would have got; of a forgotten one nothing is left.
fn is_for_agent(turn: &Turn) -> bool {
    !turn.prompt.trim().is_empty()
        && can_title_session(turn.kind, &turn.prompt)
        && !is_built_in_command(&turn.prompt)
}

/// Returns the times with those before and after that a skew allows.
fn widen_by_skew(times: &RangeInclusive<i64>) -> RangeInclusive<i64> {
    times.start().saturating_sub(SKEW_MS)..=times.end().saturating_add(SKEW_MS)
}
