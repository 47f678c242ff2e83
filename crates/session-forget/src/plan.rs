//! The sessions, turns and titles that a request forgets, and the items that keep it out of the index.

use crate::counts::ContentCounts;
use crate::entry::EntryItems;
use crate::error::ForgetError;
use crate::exclusions::PROMPT_PERIOD_MS;
use crate::item;
use crate::matched_line::first_line;
use session_core::paste::unmarked_paste_key;
use session_store::{Reader, SessionId, SessionRow, TurnId, TurnRecord, TurnRow};
use std::collections::{BTreeSet, HashMap};
use std::mem;
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// Shortest prompt by which a history of prompts is searched: `yes` is everybody's.
const MIN_PROMPT_BYTES: usize = 20;
/// Shortest beginning of an id by which an address names a session.
const MIN_ID_BYTES: usize = 4;

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

/// A copy of a turn that is to be forgotten, in a session that stays.
#[derive(Debug, Clone)]
pub struct PlannedCopy {
    /// The session of the copy.
    pub session: SessionRow,
    /// The index of the copy in its session.
    pub index: u32,
}

/// A turn that is meant, with its line that the pattern matches.
pub(crate) struct MeantTurn {
    pub(crate) turn: TurnRecord,
    pub(crate) matched_line: Option<String>,
}

/// The turns that a plan forgets.
#[derive(Default)]
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
    /// Number of titles that match of no session of the index: of messages that none holds, and in a history of prompts whose
    /// sessions have transcripts.
    pub unheld_titles: usize,
    /// Copies of these turns in sessions that stay.
    pub copies: Vec<PlannedCopy>,
    /// Turns in all.
    pub turn_count: usize,
    /// Items for the records, not yet hashed.
    pub(crate) items: EntryItems,
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

    /// Returns what is forgotten: turns of the sessions included, copies in other sessions not, titles of sessions that stay.
    pub fn counts(&self) -> ContentCounts {
        ContentCounts {
            sessions: self.sessions.len(),
            turns: self.turn_count,
            titles: self.title_count(),
        }
    }

    /// Returns the sessions that are to be forgotten whole, and those of each turn, copy and title.
    fn affected_sessions(&self) -> impl Iterator<Item = &SessionRow> {
        let of_parts = self.parts().map(|part| part.session);
        let of_titles = self.titles.iter().map(|planned| &planned.session);
        self.sessions.iter().chain(of_parts).chain(of_titles)
    }

    /// Returns the agents' ids of the sessions that are to be forgotten whole or in part.
    #[cfg(test)]
    pub(crate) fn session_uids(&self) -> BTreeSet<&str> {
        let sessions = self.affected_sessions();
        sessions.map(|session| session.uid.as_str()).collect()
    }

    /// Returns the folders of the projects of these sessions that are there, each once.
    pub fn project_folders(&self) -> BTreeSet<PathBuf> {
        let sessions = self.affected_sessions();
        let folders = sessions.filter_map(|s| s.project.as_deref().or(s.cwd.as_deref()));
        let folders = folders.map(PathBuf::from);
        folders.filter(|folder| folder.is_dir()).collect()
    }

    /// Returns true if turns of a session are to be forgotten, also as copies; `None` for all of them.
    pub fn forgets(&self, uid: &str, turns: Option<RangeInclusive<u32>>) -> bool {
        let is_meant = |index: u32| turns.as_ref().is_none_or(|turns| turns.contains(&index));
        self.sessions.iter().any(|session| session.uid == uid)
            || self
                .parts()
                .any(|part| part.session.uid == uid && is_meant(part.index))
    }

    /// Returns true for the address of a session or turn that is to be forgotten: the beginning of the agent's id, or the
    /// index's number (`#7`), and behind a colon the index of the turn.
    pub fn forgets_address(&self, address: &str) -> bool {
        let (session, turn) = match address.rsplit_once(':') {
            Some((session, turn)) => (session, turn.parse().ok()),
            None => (address, None),
        };
        let is_named = |row: &SessionRow| match session.strip_prefix('#') {
            Some(number) => number == row.id.to_string(),
            None => session.len() >= MIN_ID_BYTES && row.uid.starts_with(session),
        };
        self.sessions.iter().any(is_named)
            || self
                .parts()
                .any(|part| is_named(part.session) && turn == Some(part.index))
    }

    /// Returns the turns and copies in sessions that stay.
    fn parts(&self) -> impl Iterator<Item = SessionPart<'_>> {
        let turns = self.turns.iter().map(|planned| SessionPart {
            session: &planned.session,
            index: planned.turn.index,
        });
        let copies = self.copies.iter().map(|copy| SessionPart {
            session: &copy.session,
            index: copy.index,
        });
        turns.chain(copies)
    }
}

/// A turn of a session that stays.
struct SessionPart<'p> {
    session: &'p SessionRow,
    index: u32,
}

/// Adds what a request finds to a plan.
pub(crate) struct PlanBuilder<'i> {
    index: &'i Reader,
    /// All sessions of the index.
    sessions: HashMap<SessionId, &'i SessionRow>,
    plan: ForgetPlan,
    /// The turns of the plan so far; copies may be turns of the plan, too.
    forgotten: ForgottenTurns,
}

impl<'i> PlanBuilder<'i> {
    /// Begins an empty plan; `all` are the sessions of the index.
    pub(crate) fn new(index: &'i Reader, all: &'i [SessionRow]) -> Self {
        Self {
            index,
            sessions: all.iter().map(|session| (session.id, session)).collect(),
            plan: ForgetPlan::default(),
            forgotten: ForgottenTurns::default(),
        }
    }

    /// Returns the plan, of whose turns these are the copies in sessions that stay.
    pub(crate) fn build(mut self, copies: &BTreeSet<TurnId>) -> Result<ForgetPlan, ForgetError> {
        for copy in copies {
            let turn = self.index.turn(*copy)?;
            let session = turn.as_ref().and_then(|turn| self.session(turn.session));
            if let Some((turn, session)) = turn.as_ref().zip(session) {
                let (session, index) = (session.clone(), turn.index);
                self.plan.copies.push(PlannedCopy { session, index });
            }
        }
        Ok(self.plan)
    }

    /// Returns a session of the index.
    pub(crate) fn session(&self, id: SessionId) -> Option<&'i SessionRow> {
        self.sessions.get(&id).copied()
    }

    /// Adds a title that was given to a session that stays.
    pub(crate) fn add_title(&mut self, session: SessionRow, title: String) {
        self.plan.items.decisive.insert(item::title_item(&title));
        self.plan.titles.push(PlannedTitle { session, title });
    }

    /// Adds a title of no session of the index, unless it is planned already.
    pub(crate) fn add_unheld_title(&mut self, title: &str) {
        let is_new = self.plan.items.decisive.insert(item::title_item(title));
        self.plan.unheld_titles += usize::from(is_new);
    }

    /// Adds a whole session with the copies of its turns.
    pub(crate) fn add_session(&mut self, session: &SessionRow) -> Result<(), ForgetError> {
        let item = item::session_item(&session.source, &session.uid);
        self.plan.items.decisive.insert(item);
        self.add_parent(session);
        self.forgotten.sessions.insert(session.id);
        for TurnRecord { row, content } in self.index.turn_records(session.id, |_| true)? {
            self.add_copies(&row, content.typed_prompt())?;
            self.plan.turn_count += 1;
        }
        self.plan.sessions.push(session.clone());
        Ok(())
    }

    /// Adds the file of a session that has no other.
    pub(crate) fn add_file(&mut self, session: &SessionRow) -> Result<(), ForgetError> {
        if let Some(file) = self.index.file(session.file)? {
            self.plan.items.shared.insert(item::file_item(&file.path));
        }
        Ok(())
    }

    /// Adds a turn of a session that stays, with its copies.
    pub(crate) fn add_turn(
        &mut self,
        session: &SessionRow,
        meant: MeantTurn,
    ) -> Result<(), ForgetError> {
        let MeantTurn { turn, matched_line } = meant;
        let TurnRecord { row, content } = turn;
        let prompt = content.typed_prompt();
        let EntryItems {
            decisive,
            shared,
            containing,
        } = &mut self.plan.items;
        decisive.insert(item::turn_item(&session.uid, row.index, row.started_ms));
        containing.insert(item::session_item(&session.source, &session.uid));
        if !prompt.trim().is_empty() {
            shared.insert(item::position_item(&session.uid, row.index));
            decisive.insert(item::turn_prompt_item(&session.uid, row.index, prompt));
        }
        self.add_parent(session);
        self.plan.turn_count += 1;
        self.add_copies(&row, prompt)?;
        self.plan.turns.push(PlannedTurn {
            text: matched_line.unwrap_or_else(|| first_line(prompt)),
            session: session.clone(),
            turn: row,
        });
        Ok(())
    }

    /// Adds the session that a subagent belongs to, with which it is forgotten.
    fn add_parent(&mut self, session: &SessionRow) {
        if let Some(parent) = &session.parent {
            let item = item::session_item(&session.source, parent);
            self.plan.items.containing.insert(item);
        }
    }

    /// Adds a turn and its copies, and what keeps the copies out: those that the index knows by their places, others by what
    /// copies have in common.
    fn add_copies(&mut self, turn: &TurnRow, prompt: &str) -> Result<(), ForgetError> {
        self.forgotten.named.insert(turn.id);
        for copy in self.index.turn_copies(turn.id)? {
            self.forgotten.copies.insert(copy);
            let Some(copy) = self.index.turn(copy)?.filter(|copy| copy.id != turn.id) else {
                continue;
            };
            if let Some(session) = self.session(copy.session) {
                let item = item::turn_item(&session.uid, copy.index, copy.started_ms);
                self.plan.items.decisive.insert(item);
            }
        }
        self.add_dedup_keys(turn, prompt)
    }

    fn add_dedup_keys(&mut self, turn: &TurnRow, prompt: &str) -> Result<(), ForgetError> {
        let keys = self.index.dedup_keys(turn.id)?;
        let items = &mut self.plan.items;
        if let Some(key) = keys.prompt_time {
            items.decisive.insert(item::prompt_time_item(key));
        }
        if let Some(origin) = keys.origin {
            items.shared.insert(item::origin_item(origin));
            items.decisive.insert(item::copy_item(origin, prompt));
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
                self.plan.items.shared.extend(about);
            }
            None => {
                self.plan.items.shared.insert(item::prompt_item(prompt));
            }
        }
        if let (Some(key), Some(at)) = (unmarked_paste_key(prompt), turn.started_ms) {
            let period = at.div_euclid(PROMPT_PERIOD_MS);
            let about = (period - 1..=period + 1).map(|at| item::paste_key_item(&key, at));
            self.plan.items.shared.extend(about);
        }
    }

    /// Takes the turns to be forgotten, and their copies.
    pub(crate) fn take_turns(&mut self) -> ForgottenTurns {
        let mut turns = mem::take(&mut self.forgotten);
        turns.copies.retain(|copy| !turns.named.contains(copy));
        turns
    }
}
