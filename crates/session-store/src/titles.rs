//! Makes titles for sessions that have none of their own.

mod choice;

pub(crate) use self::choice::TitleCandidates;
use crate::error::Result;
use crate::hash::text_hash;
use crate::id::{SessionId, SessionTurn};
use crate::new_session::NewSession;
use crate::sql::Statements;
use crate::writer::Writer;
use rusqlite::params;
use rustc_hash::FxHashMap;
use session_core::title::{PromptOpening, TemplateTitle};
use session_core::{PromptKind, Turn, TurnContent, prompt_content, title};
use std::collections::{BTreeMap, BTreeSet};
use std::mem::take;

/// Changes since the last commit that may change titles.
#[derive(Default)]
struct PendingTitles {
    /// Sessions whose first prompt came or went, by the hash of its [`PromptOpening::template_key`].
    templates: BTreeMap<i64, BTreeSet<SessionId>>,
    /// Sessions with turns that came.
    sessions: BTreeSet<SessionId>,
}

/// Data from which the writer makes titles at its next commit.
#[derive(Default)]
pub(crate) struct TitleUpdates {
    /// Changes since the last commit.
    pending: PendingTitles,
    pub(crate) known_openings: KnownOpenings,
}

/// The openings of sessions that the writer has met, so that they are not read and unpacked again for each commit.
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
        self.remove(session);
        let bytes = Self::entry_bytes(&opening);
        if self.bytes + bytes > Self::MAX_BYTES {
            *self = Self::default();
        }
        self.bytes += bytes;
        self.by_session.insert(session, opening);
    }

    fn entry_bytes(opening: &PromptOpening) -> usize {
        opening.bytes() + Self::ENTRY_BYTES
    }

    /// Forgets the opening of a session, one of whose turns changes.
    pub(crate) fn remove(&mut self, session: SessionId) {
        if let Some(opening) = self.by_session.remove(&session) {
            self.bytes -= Self::entry_bytes(&opening);
        }
    }
}

/// The prompt that titles a session, its title, and the index of its turn in the session.
struct TitlePrompt {
    turn: u32,
    prompt: String,
    title: String,
}

/// The texts from which the title of a session is chosen.
struct StoredTitles {
    first_prompt: Option<String>,
    work: Option<String>,
    /// The title that an agent or a user gave.
    given: Option<String>,
    /// The hash of the key of its template.
    template: Option<i64>,
    /// `sessions.rest` has a title that takes the place of that of its first prompt.
    has_rest: bool,
}

impl StoredTitles {
    /// Returns the title of what was changed in a session with prompts.
    fn change(&self) -> Option<&str> {
        let work = self.work.as_deref().filter(|work| !work.is_empty());
        work.filter(|_| self.first_prompt.is_some())
    }
}

/// `sessions.work` of a session with prompts for which the title of its change was looked for, and that has none.
/// Without prompts it is the title of what was done; else `NULL` where the first prompt says enough.
const NO_CHANGE: &str = "";
/// First character of a `sessions.rest` that replaces a given title, too.
const BEFORE_GIVEN: char = '\u{1}';

/// Turns that are looked at for what was done.
const MAX_WORK_TURNS: usize = 100;
/// Sessions of one template whose prompts are compared: reading them takes 40 µs each.
const MAX_COMPARED: usize = 500;

impl Writer {
    /// Keeps the first prompt of a session that can be its title. A later one takes its place only where it
    /// [names the subject better](prompt_content::names_subject_better), and no commit up to its turn says what the work is.
    pub(crate) fn store_first_prompt(&mut self, session: SessionId, turn: &Turn) -> Result<()> {
        self.queue_work_title(session);
        if self.session_progress.new_session.has_first_prompt(session) {
            return Ok(());
        }
        let title = title::prompt_title(&turn.prompt);
        match self.first_prompt(session)? {
            Some(kept) if !prompt_content::needs_context(&kept) => {
                self.session_progress.new_session.note_first_prompt(session);
                return Ok(());
            }
            Some(kept) if !prompt_content::names_subject_better(&title, &kept) => return Ok(()),
            Some(_) if self.has_change_up_to(session, turn)? => return Ok(()),
            Some(_) => self.delete_opening(session)?,
            None => {}
        }
        let needs_context = prompt_content::needs_context(&title);
        self.set_first_prompt(session, &title)?;
        self.set_work_title(session, needs_context.then_some(NO_CHANGE))?;
        if !needs_context {
            self.session_progress.new_session.note_first_prompt(session);
        }
        self.insert_opening(session, turn.index, &turn.prompt)
    }

    /// Returns true if the session has the title of a change that was made up to a turn, which is stored.
    fn has_change_up_to(&self, session: SessionId, turn: &Turn) -> Result<bool> {
        let stored = self.stored_titles(session)?;
        if stored.is_some_and(|stored| stored.change().is_some()) {
            return Ok(true);
        }
        let stored = self.reader.turns(session)?.into_iter();
        let until = stored.take_while(|stored| stored.index <= turn.index);
        let contents = until.map(|stored| self.content(stored.id));
        let contents: Vec<TurnContent> = contents.collect::<Result<_>>()?;
        Ok(title::change_title(contents.iter()).is_some())
    }

    /// Returns the title that the first prompt of a session gives.
    fn first_prompt(&self, session: SessionId) -> Result<Option<String>> {
        let find = "SELECT first_prompt FROM sessions WHERE id = ?1";
        self.db().single(find, [session], |row| row.get(0))
    }

    fn set_first_prompt(&self, session: SessionId, title: &str) -> Result<()> {
        let update = "UPDATE sessions SET first_prompt = ?2, rest = NULL WHERE id = ?1";
        self.db().run(update, params![session, title])
    }

    fn insert_opening(&mut self, session: SessionId, index: u32, prompt: &str) -> Result<()> {
        let opening = PromptOpening::new(prompt);
        let Some(template) = opening.template_key().map(text_hash) else {
            return Ok(());
        };
        let insert = "INSERT INTO openings(session, template, turn) VALUES(?1, ?2, ?3)";
        self.db().run(insert, params![session, template, index])?;
        self.titles.pending.note(template, session);
        Ok(())
    }

    /// Finds the title that the first prompt of a session gives once more.
    pub(crate) fn renew_opening(&mut self, session: SessionId) -> Result<()> {
        self.clear_first_prompt(session)?;
        let Some(found) = self.find_title_prompt(session)? else {
            self.queue_work_title(session);
            return Ok(());
        };
        self.set_first_prompt(session, &found.title)?;
        let needs_context = prompt_content::needs_context(&found.title);
        self.set_work_title(session, needs_context.then_some(NO_CHANGE))?;
        self.queue_work_title(session);
        self.insert_opening(session, found.turn, &found.prompt)
    }

    /// Renews the opening of a session where this prompt, which its turn has no longer, gave the title: a prompt that waited was
    /// withdrawn, or goes after another one.
    pub(crate) fn renew_title_of(&mut self, session: SessionId, prompt: &str) -> Result<()> {
        let first = self.first_prompt(session)?;
        if first.is_some_and(|first| first == title::prompt_title(prompt)) {
            self.renew_opening(session)
        } else {
            Ok(())
        }
    }

    /// Renews the opening of a session where a turn of it got or lost a change, so that another prompt gives the title.
    pub(crate) fn renew_title_after_change(&mut self, session: SessionId) -> Result<()> {
        let found = self.find_title_prompt(session)?.map(|found| found.title);
        if found == self.first_prompt(session)? {
            Ok(())
        } else {
            self.renew_opening(session)
        }
    }

    /// Finds the first prompt of a session that can be its title: the one that [`Writer::store_first_prompt`] keeps. While the
    /// session's turns are replaced, that of those which have come.
    fn find_title_prompt(&self, session: SessionId) -> Result<Option<TitlePrompt>> {
        let mut first: Option<TitlePrompt> = None;
        let mut contents = Vec::new();
        let replacing = self
            .session_progress
            .replacing
            .filter(|r| r.session == session);
        let end = replacing.map_or(u32::MAX, |replacing| replacing.turns);
        let turns = self.reader.turns(session)?.into_iter();
        for turn in turns.take_while(|turn| turn.index < end) {
            let content = self.content(turn.id)?;
            let prompt = content.typed_prompt().to_owned();
            contents.push(content);
            if !can_title_session(turn.kind, &prompt) {
                continue;
            }
            let title = title::prompt_title(&prompt);
            let is_better = first.as_ref().is_none_or(|kept| {
                prompt_content::names_subject_better(&title, &kept.title)
                    && title::change_title(contents.iter()).is_none()
            });
            let is_last = !prompt_content::needs_context(&title);
            if is_better {
                first = Some(TitlePrompt {
                    turn: turn.index,
                    prompt,
                    title,
                });
            }
            if is_better && is_last {
                break;
            }
        }
        Ok(first)
    }

    /// Notes that a session has a turn more, which may name it by what was done in it.
    pub(crate) fn queue_work_title(&mut self, session: SessionId) {
        self.titles.pending.sessions.insert(session);
    }

    /// Forgets the first prompt of a session and what follows from it.
    pub(crate) fn clear_first_prompt(&mut self, session: SessionId) -> Result<()> {
        self.session_progress.new_session = NewSession::default();
        self.delete_opening(session)?;
        let update =
            "UPDATE sessions SET first_prompt = NULL, rest = NULL, work = NULL WHERE id = ?1";
        self.db().run(update, [session])
    }

    /// Deletes the opening of a session, whose title others of its template may share.
    fn delete_opening(&mut self, session: SessionId) -> Result<()> {
        self.titles.known_openings.remove(session);
        let select = "SELECT template FROM openings WHERE session = ?1";
        let template: Option<i64> = self.db().first(select, [session], |row| row.get(0))?;
        if let Some(template) = template {
            self.titles.pending.note(template, session);
        }
        self.db()
            .run("DELETE FROM openings WHERE session = ?1", [session])
    }

    /// Gives their titles to the sessions that were written to, and to those that share a template
    /// with one of them.
    pub(crate) fn update_titles(&mut self) -> Result<()> {
        for session in take(&mut self.titles.pending.sessions) {
            self.update_work_title(session)?;
        }
        let pending = take(&mut self.titles.pending);
        for (template, changed) in pending.templates {
            self.update_template_titles(template, &changed)?;
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
        let select = "SELECT t.id, o.session FROM openings o
              JOIN turns t ON t.session = o.session AND t.idx = o.turn
             WHERE o.template = ?1 ORDER BY o.session";
        let found: Vec<SessionTurn> = self.db().rows(select, [template], SessionTurn::from_row)?;
        for end in (0..found.len())
            .step_by(MAX_COMPARED)
            .map(|n| n + MAX_COMPARED)
        {
            let end = end.min(found.len());
            let part = found.get(end.saturating_sub(MAX_COMPARED)..end);
            let part = part.unwrap_or_default();
            // One that went changed those that are left.
            let is_among = |session: &SessionId| {
                let found = part.binary_search_by_key(session, |turn| turn.session);
                found.is_ok()
            };
            if changed.iter().any(is_among) || found.len() <= MAX_COMPARED {
                self.update_rest_titles(part)?;
            }
        }
        Ok(())
    }

    /// Names sessions by what differs in the prompts of these turns of theirs.
    fn update_rest_titles(&mut self, turns: &[SessionTurn]) -> Result<()> {
        let openings: Vec<PromptOpening> = match turns.len() {
            1 => vec![PromptOpening::default()],
            _ => turns
                .iter()
                .map(|turn| self.opening(*turn))
                .collect::<Result<_>>()?,
        };
        let titles = title::template_titles(&openings);
        let mut holders: FxHashMap<&str, usize> = FxHashMap::default();
        for title in titles.iter().flatten() {
            *holders.entry(&title.title).or_default() += 1;
        }
        for (turn, title) in turns.iter().zip(&titles) {
            let is_shared = |title: &TemplateTitle<'_>| holders.get(&*title.title) > Some(&1);
            let is_shared = title.as_ref().is_some_and(is_shared);
            self.update_rest_title(turn.session, title.as_ref(), is_shared)?;
        }
        Ok(())
    }

    /// Names a session by what it changed, where that was looked for or others share its title without the template, else
    /// by that title.
    fn update_rest_title(
        &self,
        session: SessionId,
        title: Option<&TemplateTitle<'_>>,
        is_shared: bool,
    ) -> Result<()> {
        let Some(mut stored) = self.stored_titles(session)? else {
            return Ok(());
        };
        if is_shared && stored.work.is_none() {
            stored.work = Some(self.store_change_title(session)?);
        }
        let rest = stored.change().or(title.map(|title| &*title.title));
        let is_of_template = |given: &str| title.is_some_and(|title| title.is_of_template(given));
        let given = stored.given.as_deref();
        let is_given_left = given
            .is_some_and(|given| prompt_content::needs_context(given) || is_of_template(given));
        let rest = rest.map(|rest| {
            if is_given_left {
                format!("{BEFORE_GIVEN}{rest}")
            } else {
                rest.to_owned()
            }
        });
        // A row a statement: before one that may change several and fail half-way, FTS5 writes the words that it holds.
        let update = "UPDATE sessions SET rest = ?2 WHERE id = ?1 AND rest IS NOT ?2";
        self.db().run(update, params![session, rest])
    }

    /// Returns the opening of the session whose first prompt is that of a turn.
    fn opening(&mut self, SessionTurn { turn, session }: SessionTurn) -> Result<PromptOpening> {
        if let Some(known) = self.titles.known_openings.by_session.get(&session) {
            return Ok(known.clone());
        }
        let opening = PromptOpening::new(self.content(turn)?.typed_prompt());
        self.titles.known_openings.insert(session, opening.clone());
        Ok(opening)
    }

    /// Finds the title of what was done in a session, where its prompts do not say enough.
    fn update_work_title(&mut self, session: SessionId) -> Result<()> {
        let Some(stored) = self.stored_titles(session)? else {
            return Ok(()); // it was deleted since
        };
        if stored.first_prompt.is_none() {
            let title = title::work_title(self.work_contents(session)?.iter());
            return self.set_work_title(session, title.as_deref());
        }
        let given = stored.given.as_deref();
        let is_wanted = stored.work.is_some() || given.is_some_and(prompt_content::needs_context);
        if is_wanted {
            self.store_change_title(session)?;
        }
        // The given title may be another one than was compared with the template.
        let may_change = is_wanted || given.is_some() && stored.has_rest;
        match stored.template.filter(|_| may_change) {
            Some(template) => self.titles.pending.note(template, session),
            None if is_wanted => self.update_rest_title(session, None, false)?,
            None => {}
        }
        Ok(())
    }

    fn stored_titles(&self, session: SessionId) -> Result<Option<StoredTitles>> {
        let find =
            "SELECT first_prompt, work, coalesce(title, given_title), template, rest IS NOT NULL
             FROM sessions s LEFT JOIN openings o ON o.session = s.id WHERE s.id = ?1";
        self.db().first(find, [session], |row| {
            Ok(StoredTitles {
                first_prompt: row.get(0)?,
                work: row.get(1)?,
                given: row.get(2)?,
                template: row.get(3)?,
                has_rest: row.get(4)?,
            })
        })
    }

    /// Stores the title of what was changed in a session with prompts, and returns it.
    fn store_change_title(&self, session: SessionId) -> Result<String> {
        let title = title::change_title(self.work_contents(session)?.iter());
        let title = title.unwrap_or_else(|| NO_CHANGE.to_owned());
        self.set_work_title(session, Some(&title))?;
        Ok(title)
    }

    fn work_contents(&self, session: SessionId) -> Result<Vec<TurnContent>> {
        let turns = self.reader.turns(session)?.into_iter().take(MAX_WORK_TURNS);
        turns.map(|turn| self.content(turn.id)).collect()
    }

    fn set_work_title(&self, session: SessionId, title: Option<&str>) -> Result<()> {
        let update = "UPDATE sessions SET work = ?2 WHERE id = ?1 AND work IS NOT ?2";
        self.db().run(update, params![session, title])
    }
}

/// Returns true when a prompt may stand for its session's title: a bare `/clear` may not.
pub(crate) fn can_title_session(kind: PromptKind, prompt: &str) -> bool {
    match kind {
        PromptKind::Typed | PromptKind::Model => !prompt_content::lacks_content(prompt),
        PromptKind::Command => {
            !prompt_content::lacks_content(prompt) && prompt.contains(char::is_whitespace)
        }
        PromptKind::None => false,
    }
}

impl PendingTitles {
    fn note(&mut self, template: i64, session: SessionId) {
        self.templates.entry(template).or_default().insert(session);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_openings_count_the_bytes_of_those_that_are_kept() {
        let opening = PromptOpening::new("Where is the port configured?");
        let entry = KnownOpenings::entry_bytes(&opening);
        let mut known = KnownOpenings::default();
        let [first, second] = [1, 2].map(SessionId::new);
        for session in [first, first, second] {
            known.insert(session, opening.clone());
        }
        assert_eq!(known.bytes, 2 * entry);
        known.remove(first);
        known.remove(first);
        assert_eq!(known.bytes, entry);
        while known.bytes + entry <= KnownOpenings::MAX_BYTES {
            let next = i64::try_from(known.by_session.len()).unwrap();
            known.insert(SessionId::new(10 + next), opening.clone());
        }
        known.insert(first, opening);
        assert_eq!((known.bytes, known.by_session.len()), (entry, 1));
    }
}
