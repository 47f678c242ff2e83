//! Titles of sessions that have none of their own.

use crate::codec::text_hash;
use crate::error::Result;
use crate::id::{SessionId, TurnId};
use crate::new_session::NewSession;
use crate::reader::Reader;
use crate::row::SessionRow;
use crate::writer::Writer;
use rusqlite::{OptionalExtension, params};
use rustc_hash::FxHashMap;
use session_core::text::sanitize_text;
use session_core::title::PromptOpening;
use session_core::{PromptKind, Turn, TurnContent, noise, title};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::mem::take;

/// Changes since the last commit that may change titles.
#[derive(Default)]
pub(crate) struct PendingTitles {
    /// Sessions whose first prompt came or went, by the hash of its [`PromptOpening::template_key`].
    templates: BTreeMap<i64, BTreeSet<SessionId>>,
    /// Sessions with turns whose prompt says nothing.
    sessions: BTreeSet<SessionId>,
}

/// Openings that the writer has met, so that they are not read and unpacked again for each commit.
#[derive(Default)]
pub(crate) struct KnownOpenings {
    by_session: FxHashMap<SessionId, PromptOpening>,
    bytes: usize,
}

impl KnownOpenings {
    /// Most bytes of openings that are kept.
    const MAX_BYTES: usize = 4 << 20;
    /// Beside its texts.
    const ENTRY_BYTES: usize = 64;

    fn insert(&mut self, session: SessionId, opening: PromptOpening) {
        self.bytes += opening.bytes() + Self::ENTRY_BYTES;
        if self.bytes > Self::MAX_BYTES {
            *self = Self::default();
        }
        self.by_session.insert(session, opening);
    }

    /// Forgets the opening of a session, one of whose turns changes.
    pub(crate) fn remove(&mut self, session: SessionId) {
        self.by_session.remove(&session);
    }
}

/// The prompt that titles a session, its title, and the index of its turn in the session.
struct TitlePrompt {
    turn: u32,
    prompt: String,
    title: String,
}

/// Turns that are looked at for what was done.
const MAX_WORK_TURNS: usize = 100;
/// Sessions of one template whose prompts are compared: reading them takes 40 µs each.
const MAX_COMPARED: usize = 500;

impl Writer {
    /// Keeps the first prompt of a session that can be its title. A later one takes its place only where the kept one
    /// [needs a context](noise::needs_context) and the later one does not.
    pub(crate) fn store_first_prompt(&mut self, session: SessionId, turn: &Turn) -> Result<()> {
        if self.new_session.has_first_prompt(session) {
            return Ok(());
        }
        let title = title::prompt_title(&turn.prompt);
        let is_last = !noise::needs_context(&title);
        match self.first_prompt(session)? {
            Some(kept) if !noise::needs_context(&kept) => {
                self.new_session.note_first_prompt(session);
                return Ok(());
            }
            Some(_) if !is_last => return Ok(()),
            Some(_) => self.delete_opening(session)?,
            None => {}
        }
        self.set_first_prompt(session, &title)?;
        if is_last {
            self.new_session.note_first_prompt(session);
        }
        self.insert_opening(session, turn.index, &turn.prompt)
    }

    /// Returns the title that the first prompt of a session gives.
    fn first_prompt(&self, session: SessionId) -> Result<Option<String>> {
        let find = "SELECT first_prompt FROM sessions WHERE id = ?1";
        let mut find = self.reader.db.prepare_cached(find)?;
        Ok(find.query_row([session], |row| row.get(0))?)
    }

    fn set_first_prompt(&self, session: SessionId, title: &str) -> Result<()> {
        let update = "UPDATE sessions SET first_prompt = ?2, rest = NULL WHERE id = ?1";
        let mut update = self.reader.db.prepare_cached(update)?;
        update.execute(params![session, title])?;
        Ok(())
    }

    pub(crate) fn insert_opening(
        &mut self,
        session: SessionId,
        index: u32,
        prompt: &str,
    ) -> Result<()> {
        let opening = PromptOpening::new(prompt);
        let Some(template) = opening.template_key().map(text_hash) else {
            return Ok(());
        };
        self.reader
            .db
            .prepare_cached("INSERT INTO openings(session, template, turn) VALUES(?1, ?2, ?3)")?
            .execute(params![session, template, index])?;
        self.pending_titles.note(template, session);
        Ok(())
    }

    /// Finds the openings of all sessions, and those that are named by what was done: of an index
    /// that was written before these were kept.
    pub(crate) fn find_openings(&mut self) -> Result<()> {
        let mut find = self
            .reader
            .db
            .prepare("SELECT id, first_prompt IS NOT NULL FROM sessions WHERE turns > 0")?;
        let sessions: Vec<(SessionId, bool)> = find
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<rusqlite::Result<_>>()?;
        drop(find);
        for (session, has_prompt) in sessions {
            match has_prompt {
                true => self.find_opening(session)?,
                false => self.queue_work_title(session),
            }
        }
        Ok(())
    }

    fn find_opening(&mut self, session: SessionId) -> Result<()> {
        match self.find_title_prompt(session)? {
            Some(found) => self.insert_opening(session, found.turn, &found.prompt),
            None => Ok(()),
        }
    }

    /// Finds the title that the first prompt of a session gives once more.
    pub(crate) fn renew_opening(&mut self, session: SessionId) -> Result<()> {
        self.clear_first_prompt(session)?;
        let Some(found) = self.find_title_prompt(session)? else {
            self.queue_work_title(session);
            return Ok(());
        };
        self.set_first_prompt(session, &found.title)?;
        self.insert_opening(session, found.turn, &found.prompt)
    }

    /// Renews the opening of a session where this prompt, which its turn has no longer, gave the title: a prompt that waited was
    /// withdrawn, or goes after another one.
    pub(crate) fn renew_title_of(&mut self, session: SessionId, prompt: &str) -> Result<()> {
        let first = self.first_prompt(session)?;
        match first.is_some_and(|first| first == title::prompt_title(prompt)) {
            true => self.renew_opening(session),
            false => Ok(()),
        }
    }

    /// Finds the first prompt of a session that can be its title: the one that [`Writer::store_first_prompt`] keeps.
    fn find_title_prompt(&self, session: SessionId) -> Result<Option<TitlePrompt>> {
        let mut first = None;
        for turn in self.reader.turns(session)? {
            if turn.kind == PromptKind::None {
                continue;
            }
            let prompt = self.content(turn.id)?.prompt;
            if !can_title_session(turn.kind, &prompt) {
                continue;
            }
            let (turn, title) = (turn.index, title::prompt_title(&prompt));
            let needs_context = noise::needs_context(&title);
            let found = TitlePrompt {
                turn,
                prompt,
                title,
            };
            if !needs_context {
                return Ok(Some(found));
            }
            first.get_or_insert(found);
        }
        Ok(first)
    }

    /// Notes that a session has a turn that may name it by what was done in it.
    pub(crate) fn queue_work_title(&mut self, session: SessionId) {
        self.pending_titles.sessions.insert(session);
    }

    /// Forgets the first prompt of a session and what follows from it.
    pub(crate) fn clear_first_prompt(&mut self, session: SessionId) -> Result<()> {
        self.new_session = NewSession::default();
        self.delete_opening(session)?;
        self.reader
            .db
            .prepare_cached(
                "UPDATE sessions SET first_prompt = NULL, rest = NULL, work = NULL WHERE id = ?1",
            )?
            .execute([session])?;
        Ok(())
    }

    /// Deletes the opening of a session, whose title others of its template may share.
    fn delete_opening(&mut self, session: SessionId) -> Result<()> {
        self.known_openings.remove(session);
        let mut find = self
            .reader
            .db
            .prepare_cached("SELECT template FROM openings WHERE session = ?1")?;
        let template: Option<i64> = find.query_row([session], |row| row.get(0)).optional()?;
        drop(find);
        if let Some(template) = template {
            self.pending_titles.note(template, session);
        }
        self.reader
            .db
            .prepare_cached("DELETE FROM openings WHERE session = ?1")?
            .execute([session])?;
        Ok(())
    }

    /// Gives their titles to the sessions that were written to, and to those that share a template
    /// with one of them.
    pub(crate) fn update_titles(&mut self) -> Result<()> {
        let pending_titles = take(&mut self.pending_titles);
        for (template, changed) in pending_titles.templates {
            self.update_template_titles(template, &changed)?;
        }
        for session in pending_titles.sessions {
            self.update_work_title(session)?;
        }
        Ok(())
    }

    /// Compares the sessions of a template that changed with others that have it: in parts, so that
    /// a session more does not read all.
    fn update_template_titles(
        &mut self,
        template: i64,
        changed: &BTreeSet<SessionId>,
    ) -> Result<()> {
        let mut find = self.reader.db.prepare_cached(
            "SELECT o.session, t.id FROM openings o JOIN turns t ON t.session = o.session AND t.idx = o.turn
             WHERE o.template = ?1 ORDER BY o.session",
        )?;
        let found: Vec<(SessionId, TurnId)> = find
            .query_map([template], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<rusqlite::Result<_>>()?;
        drop(find);
        for end in (0..found.len())
            .step_by(MAX_COMPARED)
            .map(|n| n + MAX_COMPARED)
        {
            let end = end.min(found.len());
            let part = found.get(end.saturating_sub(MAX_COMPARED)..end);
            let part = part.unwrap_or_default();
            // One that went changed those that are left.
            let is_among =
                |session: &SessionId| part.binary_search_by_key(session, |of| of.0).is_ok();
            if changed.iter().any(is_among) || found.len() <= MAX_COMPARED {
                self.update_rest_titles(part)?;
            }
        }
        Ok(())
    }

    /// Names sessions by what differs in the prompts of these turns of theirs.
    fn update_rest_titles(&mut self, turns: &[(SessionId, TurnId)]) -> Result<()> {
        let openings: Vec<PromptOpening> = match turns.len() {
            1 => vec![PromptOpening::default()],
            _ => turns
                .iter()
                .map(|(session, turn)| self.opening(*session, *turn))
                .collect::<Result<_>>()?,
        };
        // One by one: see `Writer::reader`.
        let mut update = self
            .reader
            .db
            .prepare_cached("UPDATE sessions SET rest = ?2 WHERE id = ?1 AND rest IS NOT ?2")?;
        for ((session, _), title) in turns.iter().zip(title::template_titles(&openings)) {
            update.execute(params![session, title])?;
        }
        Ok(())
    }

    /// Returns the opening of a session, whose first prompt is that of a turn.
    fn opening(&mut self, session: SessionId, turn: TurnId) -> Result<PromptOpening> {
        if let Some(known) = self.known_openings.by_session.get(&session) {
            return Ok(known.clone());
        }
        let opening = PromptOpening::new(&self.content(turn)?.prompt);
        self.known_openings.insert(session, opening.clone());
        Ok(opening)
    }

    fn update_work_title(&self, session: SessionId) -> Result<()> {
        let mut find = self
            .reader
            .db
            .prepare_cached("SELECT first_prompt IS NULL FROM sessions WHERE id = ?1")?;
        if !find.query_row([session], |row| row.get(0))? {
            return Ok(());
        }
        let turns = self.reader.turns(session)?.into_iter().take(MAX_WORK_TURNS);
        let contents: Vec<TurnContent> = turns
            .map(|turn| self.content(turn.id))
            .collect::<Result<_>>()?;
        self.reader
            .db
            .prepare_cached("UPDATE sessions SET work = ?2 WHERE id = ?1")?
            .execute(params![session, title::work_title(contents.iter())])?;
        Ok(())
    }
}

/// True when a prompt may stand for its session's title: a bare `/clear` may not.
pub(crate) fn can_title_session(kind: PromptKind, prompt: &str) -> bool {
    match kind {
        PromptKind::Typed | PromptKind::Model => !noise::is_noise(prompt),
        PromptKind::Command => !noise::is_noise(prompt) && prompt.contains(char::is_whitespace),
        PromptKind::None => false,
    }
}

impl PendingTitles {
    fn note(&mut self, template: i64, session: SessionId) {
        self.templates.entry(template).or_default().insert(session);
    }
}

/// So many sessions of one title, with different first prompts, are not told apart by it.
const MIN_SHARED: usize = 3;

/// A session with the title that was given to it, and the one that its first prompt gives.
pub(crate) struct TitleCandidates {
    pub(crate) session: SessionRow,
    pub(crate) by_prompt: Option<String>,
}

impl Reader {
    /// All sessions, by number.
    ///
    /// # Errors
    /// When the database fails.
    pub fn sessions(&self) -> Result<Vec<SessionRow>> {
        Ok(choose_titles(self.read_session_blocks()?))
    }
}

/// Sessions with the title that tells each best from the others.
fn choose_titles(mut all: Vec<TitleCandidates>) -> Vec<SessionRow> {
    for named in &mut all {
        let is_blank = |title: &mut String| sanitize_text(title).trim().is_empty();
        let _ = named.session.title.take_if(is_blank);
    }
    let common = common_titles(&all);
    let is_common: Vec<bool> = all
        .iter()
        .map(|named| {
            let given = named.session.title.as_deref();
            given.is_none_or(|title| common.contains(title))
        })
        .collect();
    for (named, is_common) in all.iter_mut().zip(is_common) {
        if is_common && named.by_prompt.is_some() {
            named.session.title = named.by_prompt.take();
        }
    }
    all.into_iter().map(|named| named.session).collect()
}

/// Given titles that [`MIN_SHARED`] sessions have whose first prompts are not all the same.
fn common_titles(all: &[TitleCandidates]) -> BTreeSet<String> {
    let mut having: HashMap<&str, Vec<Option<&str>>> = HashMap::new();
    for named in all {
        if let Some(title) = &named.session.title {
            let prompts = having.entry(title).or_default();
            prompts.push(named.by_prompt.as_deref());
        }
    }
    let is_common = |prompts: &[Option<&str>]| {
        let different: BTreeSet<&str> = prompts.iter().copied().flatten().collect();
        prompts.len() >= MIN_SHARED && different.len() > 1
    };
    let common = having.iter().filter(|(_, prompts)| is_common(prompts));
    common.map(|(title, _)| (*title).to_owned()).collect()
}
