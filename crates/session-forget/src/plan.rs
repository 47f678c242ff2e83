//! What a request forgets, and the items that keep it out of the index.

use crate::entry_items::EntryItems;
use crate::exclusions::{PROMPT_PERIOD_MS, item};
use crate::matched_line::first_line;
use crate::records::ForgetError;
use session_store::{Reader, SessionId, SessionRow, TurnId, TurnRow};
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// Shortest prompt by which a history of prompts is searched: `yes` is everybody's.
const MIN_PROMPT_BYTES: usize = 20;

/// A turn that is to be forgotten, with its session, which stays.
#[derive(Debug, Clone)]
pub struct PlannedTurn {
    /// The session of the turn.
    pub session: SessionRow,
    /// The turn.
    pub turn: TurnRow,
    /// Its line that the pattern matches first, from shortly before the match on; else the first line of its prompt.
    pub text: String,
}

/// A title that is to be forgotten, with the session to which it was given, which stays.
#[derive(Debug, Clone)]
pub struct PlannedTitle {
    /// The session of the title.
    pub session: SessionRow,
    /// The title.
    pub title: String,
}

/// A turn that is meant, with its line that the pattern matches.
pub(crate) struct MeantTurn {
    pub(crate) turn: TurnRow,
    pub(crate) matched_line: Option<String>,
}

/// The turns that a plan forgets.
pub(crate) struct ForgottenTurns {
    /// The sessions that are forgotten whole.
    pub(crate) sessions: BTreeSet<SessionId>,
    /// The turns of the plan, also of these sessions.
    pub(crate) named: BTreeSet<TurnId>,
    /// Their copies in sessions that stay.
    pub(crate) copies: BTreeSet<TurnId>,
}

/// The sessions and turns that a request finds.
#[derive(Debug, Clone, Default)]
pub struct ForgetPlan {
    /// Whole sessions, with those that they and the named turns started.
    pub sessions: Vec<SessionRow>,
    /// Turns of other sessions.
    pub turns: Vec<PlannedTurn>,
    /// Given titles of sessions that stay.
    pub titles: Vec<PlannedTitle>,
    /// Number of titles that match, of messages that no session of the index holds.
    pub unheld_titles: usize,
    /// Copies of these turns in sessions that stay.
    pub copies: usize,
    /// Turns in all.
    pub turn_count: usize,
    /// Items for the records, not yet hashed.
    items: EntryItems,
}

impl ForgetPlan {
    /// Returns true when there is nothing to forget.
    pub fn is_empty(&self) -> bool {
        self.sessions.is_empty() && self.turns.is_empty() && self.title_count() == 0
    }

    /// Returns the number of titles.
    pub fn title_count(&self) -> usize {
        self.titles.len() + self.unheld_titles
    }

    /// Returns the items for the records, not yet hashed.
    pub(crate) fn items(&self) -> &EntryItems {
        &self.items
    }

    /// Returns the sessions that are to be forgotten whole, and those of each turn.
    pub fn affected_sessions(&self) -> impl Iterator<Item = &SessionRow> {
        let of_turns = self.turns.iter().map(|planned| &planned.session);
        let of_titles = self.titles.iter().map(|planned| &planned.session);
        self.sessions.iter().chain(of_turns).chain(of_titles)
    }

    /// Returns the agents' ids of the sessions that are to be forgotten whole or in part.
    pub fn session_uids(&self) -> BTreeSet<&str> {
        let sessions = self.affected_sessions();
        sessions.map(|session| session.uid.as_str()).collect()
    }

    /// Returns true where turns of a session are to be forgotten; `None` for all of them.
    pub fn forgets(&self, uid: &str, turns: Option<RangeInclusive<u32>>) -> bool {
        let is_meant = |turn: &TurnRow| turns.as_ref().is_none_or(|t| t.contains(&turn.index));
        let is_planned =
            |planned: &PlannedTurn| planned.session.uid == uid && is_meant(&planned.turn);
        self.sessions.iter().any(|session| session.uid == uid) || self.turns.iter().any(is_planned)
    }

    /// Adds a title that was given to a session that stays.
    pub(crate) fn add_title(&mut self, session: SessionRow, title: String) {
        self.items.add_decisive(item::title_item(&title));
        self.titles.push(PlannedTitle { session, title });
    }

    /// Adds a title of a message that no session of the index holds.
    pub(crate) fn add_unheld_title(&mut self, title: &str) {
        self.items.add_decisive(item::title_item(title));
        self.unheld_titles += 1;
    }

    /// Adds a whole session with the copies of its turns.
    pub(crate) fn add_session(
        &mut self,
        index: &Reader,
        session: &SessionRow,
        all: &[SessionRow],
    ) -> Result<(), ForgetError> {
        self.items
            .add_decisive(item::session_item(&session.source, &session.uid));
        self.add_parent(session);
        for turn in index.turns(session.id)? {
            let prompt = index.content(turn.id)?.typed_prompt().to_owned();
            self.add_copies(index, &turn, &prompt, all)?;
            self.turn_count += 1;
        }
        self.sessions.push(session.clone());
        Ok(())
    }

    /// Adds the file of a session that has no other.
    pub(crate) fn add_file(
        &mut self,
        index: &Reader,
        session: &SessionRow,
    ) -> Result<(), ForgetError> {
        if let Some(file) = index.file(session.file)? {
            self.items.add_shared(item::file_item(&file.path));
        }
        Ok(())
    }

    /// Adds a turn of a session that stays, with its copies.
    pub(crate) fn add_turn(
        &mut self,
        index: &Reader,
        session: &SessionRow,
        meant: MeantTurn,
        all: &[SessionRow],
    ) -> Result<(), ForgetError> {
        let MeantTurn { turn, matched_line } = meant;
        let item = item::turn_item(&session.uid, turn.index, turn.started_ms);
        self.items.add_decisive(item);
        self.items
            .add_containing(item::session_item(&session.source, &session.uid));
        self.add_parent(session);
        let prompt = index.content(turn.id)?.typed_prompt().to_owned();
        if !prompt.trim().is_empty() {
            let position = item::position_item(&session.uid, turn.index);
            self.items.add_shared(position);
            let by_prompt = item::turn_prompt_item(&session.uid, turn.index, &prompt);
            self.items.add_decisive(by_prompt);
        }
        self.turn_count += 1;
        self.add_copies(index, &turn, &prompt, all)?;
        self.turns.push(PlannedTurn {
            text: matched_line.unwrap_or_else(|| first_line(&prompt)),
            session: session.clone(),
            turn,
        });
        Ok(())
    }

    /// Adds the session that a subagent belongs to, with which it is forgotten.
    fn add_parent(&mut self, session: &SessionRow) {
        if let Some(parent) = &session.parent {
            self.items
                .add_containing(item::session_item(&session.source, parent));
        }
    }

    /// Adds what keeps copies of a turn out: those that the index knows by their places, others by what copies have
    /// in common.
    fn add_copies(
        &mut self,
        index: &Reader,
        turn: &TurnRow,
        prompt: &str,
        all: &[SessionRow],
    ) -> Result<(), ForgetError> {
        for copy in index.turn_copies(turn.id)? {
            let Some(copy) = index.turn(copy)?.filter(|copy| copy.id != turn.id) else {
                continue;
            };
            let session = all.iter().find(|session| session.id == copy.session);
            let item = session.map(|s| item::turn_item(&s.uid, copy.index, copy.started_ms));
            item.into_iter()
                .for_each(|item| self.items.add_decisive(item));
        }
        self.add_dedup_keys(index, turn, prompt)
    }

    fn add_dedup_keys(
        &mut self,
        index: &Reader,
        turn: &TurnRow,
        prompt: &str,
    ) -> Result<(), ForgetError> {
        let keys = index.dedup_keys(turn.id)?;
        if let Some(key) = keys.prompt_time {
            self.items.add_decisive(item::prompt_time_item(key));
        }
        if let Some(origin) = keys.origin {
            self.items.add_shared(item::origin_item(origin));
            self.items.add_decisive(item::copy_item(origin, prompt));
        }
        if prompt.trim().len() >= MIN_PROMPT_BYTES {
            self.add_prompt(turn, prompt);
        }
        Ok(())
    }

    /// Adds what keeps a prompt out that a history of prompts has at about the same time.
    fn add_prompt(&mut self, turn: &TurnRow, prompt: &str) {
        match turn.started_ms.map(|at| at.div_euclid(PROMPT_PERIOD_MS)) {
            Some(period) => {
                let about =
                    (period - 1..=period + 1).map(|at| item::prompt_period_item(prompt, at));
                about.for_each(|item| self.items.add_shared(item));
            }
            None => self.items.add_shared(item::prompt_item(prompt)),
        }
    }

    /// Lists the turns to be forgotten, and their copies.
    pub(crate) fn list_turns(&self, index: &Reader) -> Result<ForgottenTurns, ForgetError> {
        let mut named: BTreeSet<TurnId> =
            self.turns.iter().map(|planned| planned.turn.id).collect();
        for session in &self.sessions {
            named.extend(index.turns(session.id)?.iter().map(|turn| turn.id));
        }
        let mut copies = BTreeSet::new();
        for turn in &named {
            copies.extend(index.turn_copies(*turn)?);
        }
        copies.retain(|copy| !named.contains(copy));
        let sessions = self.sessions.iter().map(|session| session.id).collect();
        Ok(ForgottenTurns {
            sessions,
            named,
            copies,
        })
    }
}
