//! Finding what a user asks to forget.

use crate::entry_items::EntryItems;
use crate::exclusions::{PROMPT_PERIOD_MS, item};
use crate::matched_line::{find_matched_line, first_line};
use crate::records::ForgetError;
use regex::Regex;
use session_store::{
    FileId, GivenTitle, Reader, SessionId, SessionRow, TurnId, TurnRow, with_subagents,
};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

/// A session, or a range of its turns, that a user asks to forget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForgetTarget {
    /// The session.
    pub session: SessionId,
    /// Its turns, from 0; `None` for all of it.
    pub turns: Option<RangeInclusive<u32>>,
}

/// A user's request to forget: named sessions and turns, or all that meet the conditions.
#[derive(Debug, Clone, Default)]
pub struct ForgetRequest {
    /// Named sessions and turns.
    pub targets: Vec<ForgetTarget>,
    /// Sessions that meet all conditions on sessions; `None` where no condition is given.
    pub sessions: Option<Vec<SessionId>>,
    /// Turns whose text matches, and titles that do, of those sessions or of all.
    pub pattern: Option<Regex>,
}

#[cfg(test)]
impl From<ForgetTarget> for ForgetRequest {
    fn from(target: ForgetTarget) -> Self {
        Self {
            targets: vec![target],
            ..Self::default()
        }
    }
}

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

/// A turn that is meant, with its line that the pattern matches.
struct MeantTurn {
    turn: TurnRow,
    matched_line: Option<String>,
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

/// A title that is to be forgotten, with the session to which it was given, which stays.
#[derive(Debug, Clone)]
pub struct PlannedTitle {
    /// The session of the title.
    pub session: SessionRow,
    /// The title.
    pub title: String,
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
}

impl ForgetRequest {
    /// Finds the sessions and turns that are meant, what subagents did for them, and their copies.
    ///
    /// # Errors
    /// When the index fails.
    pub fn plan(&self, index: &Reader) -> Result<ForgetPlan, ForgetError> {
        let all = index.sessions()?;
        let mut whole = self.whole_sessions();
        whole.extend(self.sessions_started_in_turns(index, &all)?);
        add_namesakes(&mut whole, &all);
        let whole = with_subagents(&whole, &all);
        let alone = sessions_alone_in_file(&all);
        let mut plan = ForgetPlan::default();
        for session in &all {
            if whole.contains(&session.id) {
                plan.add_session(index, session, &all)?;
                if alone.contains_key(&session.id) {
                    plan.add_file(index, session)?;
                }
                continue;
            }
            for meant in self.find_turns(index, session)? {
                plan.add_turn(index, session, meant, &all)?;
            }
        }
        let turns = plan.list_turns(index)?;
        for GivenTitle { session, title } in self.planned_titles(index, &turns, &alone)? {
            let stays = |row: &&SessionRow| row.id == session && !whole.contains(&session);
            if let Some(session) = all.iter().find(stays) {
                plan.items.add_decisive(item::title_item(&title));
                let session = session.clone();
                plan.titles.push(PlannedTitle { session, title });
            }
        }
        for title in self.matching_unheld_titles(index)? {
            plan.items.add_decisive(item::title_item(&title));
            plan.unheld_titles += 1;
        }
        plan.copies = turns.copies.len();
        Ok(plan)
    }

    /// Returns true where the pattern is looked for in a session.
    pub(crate) fn is_searched(&self, session: SessionId) -> bool {
        let sessions = self.sessions.as_ref();
        sessions.is_none_or(|sessions| sessions.contains(&session))
    }

    fn whole_sessions(&self) -> BTreeSet<SessionId> {
        let targets = self.targets.iter();
        let targets = targets.filter(|target| target.turns.is_none());
        let named = targets.map(|target| target.session);
        let by_condition = self
            .sessions
            .iter()
            .flatten()
            .filter(|_| self.pattern.is_none());
        named.chain(by_condition.copied()).collect()
    }

    /// Returns the sessions that named turns started: the subagents of their sessions that began after such a turn and
    /// before the next one. The index does not hold which call started a session.
    fn sessions_started_in_turns(
        &self,
        index: &Reader,
        all: &[SessionRow],
    ) -> Result<Vec<SessionId>, ForgetError> {
        let mut started = Vec::new();
        for target in &self.targets {
            let parent = all.iter().find(|row| row.id == target.session);
            let (Some(range), Some(parent)) = (&target.turns, parent) else {
                continue;
            };
            let turns = index.turns(parent.id)?;
            let children = all.iter().filter(|row| is_child(row, parent));
            let in_range = children.filter(|child| {
                let turn = find_starting_turn(&turns, child);
                turn.is_some_and(|turn| range.contains(&turn.index))
            });
            started.extend(in_range.map(|child| child.id));
        }
        Ok(started)
    }

    fn find_turns(
        &self,
        index: &Reader,
        session: &SessionRow,
    ) -> Result<Vec<MeantTurn>, ForgetError> {
        let targets: Vec<_> = self
            .targets
            .iter()
            .filter(|target| target.session == session.id)
            .collect();
        let searched = self.pattern.as_ref();
        let searched = searched.filter(|_| self.is_searched(session.id));
        if targets.is_empty() && searched.is_none() {
            return Ok(Vec::new());
        }
        let contents = match searched {
            Some(_) => index.contents(session.id)?,
            None => Vec::new(),
        };
        let turns = index.turns(session.id)?.into_iter().enumerate();
        // One that was forgotten keeps its number, and nothing else.
        let turns = turns.filter(|(_, turn)| !turn.is_blank());
        let find_line = |at: usize| {
            let content = &contents.get(at)?.content;
            let mut texts = content.searched_texts();
            texts.find_map(|text| find_matched_line(text, searched?))
        };
        let meant = turns.filter_map(|(at, turn)| {
            let in_range = |target: &&ForgetTarget| {
                let turns = target.turns.as_ref();
                turns.is_some_and(|turns| turns.contains(&turn.index))
            };
            let matched_line = find_line(at);
            let is_meant = matched_line.is_some() || targets.iter().any(in_range);
            is_meant.then_some(MeantTurn { turn, matched_line })
        });
        Ok(meant.collect())
    }
}

impl ForgetPlan {
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

    fn add_session(
        &mut self,
        index: &Reader,
        session: &SessionRow,
        all: &[SessionRow],
    ) -> Result<(), ForgetError> {
        self.items
            .add_decisive(item::session_item(&session.source, &session.uid));
        self.add_parent(session);
        for turn in index.turns(session.id)? {
            let prompt = index.content(turn.id)?.prompt;
            self.add_copies(index, &turn, &prompt, all)?;
            self.turn_count += 1;
        }
        self.sessions.push(session.clone());
        Ok(())
    }

    /// Adds the file of a session that has no other.
    fn add_file(&mut self, index: &Reader, session: &SessionRow) -> Result<(), ForgetError> {
        if let Some(file) = index.file(session.file)? {
            self.items.add_shared(item::file_item(&file.path));
        }
        Ok(())
    }

    fn add_turn(
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
        let prompt = index.content(turn.id)?.prompt;
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
    fn list_turns(&self, index: &Reader) -> Result<ForgottenTurns, ForgetError> {
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

/// Shortest prompt by which a history of prompts is searched: `yes` is everybody's.
const MIN_PROMPT_BYTES: usize = 20;

/// Returns the sessions whose file has no other. A history of prompts is the file of many, though the index may have one of them.
fn sessions_alone_in_file(all: &[SessionRow]) -> BTreeMap<SessionId, &SessionRow> {
    let mut count_by_file: BTreeMap<FileId, usize> = BTreeMap::new();
    for session in all {
        *count_by_file.entry(session.file).or_default() += 1;
    }
    let is_alone =
        |row: &&SessionRow| !row.prompts_only && count_by_file.get(&row.file) == Some(&1);
    let alone = all.iter().filter(is_alone);
    alone.map(|row| (row.id, row)).collect()
}

fn is_child(session: &SessionRow, parent: &SessionRow) -> bool {
    session.source == parent.source && session.parent.as_deref() == Some(&*parent.uid)
}

/// Returns the last turn that began before a session did; `None` where times are missing.
fn find_starting_turn<'t>(turns: &'t [TurnRow], session: &SessionRow) -> Option<&'t TurnRow> {
    let started = session.started_ms?;
    let before = turns
        .iter()
        .filter(|turn| turn.started_ms.is_some_and(|at| at <= started));
    before.max_by_key(|turn| (turn.started_ms, turn.index))
}

/// Adds the sessions that have the id of one of these in another file: the records hold an id.
fn add_namesakes(sessions: &mut BTreeSet<SessionId>, all: &[SessionRow]) {
    let named = all.iter().filter(|row| sessions.contains(&row.id));
    let named: BTreeSet<(&str, &str)> = named.map(|row| (&*row.source, &*row.uid)).collect();
    let namesakes = all
        .iter()
        .filter(|row| named.contains(&(&*row.source, &*row.uid)));
    sessions.extend(namesakes.map(|row| row.id));
}

#[cfg(test)]
mod tests {
    use super::*;
    use session_core::{SessionMeta, SourceName, Turn, TurnSpan};
    use session_store::{KnownTurns, Writer};

    /// Inserts a session with a turn for each time.
    fn insert(writer: &mut Writer, uid: &str, parent: Option<&str>, times: &[i64]) {
        let source = SourceName::new("claude");
        let file = writer.upsert_file(&source, uid).unwrap();
        let meta = SessionMeta {
            id: uid.into(),
            parent: parent.map(str::to_owned),
            ..SessionMeta::default()
        };
        let session = writer
            .open_session(file, &source, &meta, KnownTurns::Replace)
            .unwrap();
        for (index, time) in (0..).zip(times) {
            let turn = Turn {
                index,
                prompt: format!("How is the lantern of {uid} lit?"),
                started_ms: Some(*time),
                span: TurnSpan { start: 0, end: 9 },
                ..Turn::default()
            };
            writer.add_turn(session, &turn).unwrap();
        }
    }

    #[test]
    fn what_a_turn_had_subagents_do_is_forgotten_with_it() {
        let directory = tempfile::tempdir().unwrap();
        let mut writer = Writer::open(directory.path()).unwrap();
        insert(&mut writer, "harbour", None, &[1000, 2000, 3000]);
        for (uid, parent, time) in [
            ("agent-first", "harbour", 1500),
            ("agent-second", "harbour", 2000),
            ("agent-of-agent", "agent-second", 2600),
            ("agent-late", "harbour", 9000),
            ("agent-other", "kiln", 2500),
        ] {
            insert(&mut writer, uid, Some(parent), &[time]);
        }
        let index = writer.reader().unwrap();
        let all = index.sessions().unwrap();
        let session = all.iter().find(|row| row.uid == "harbour").unwrap().id;
        let forgotten = |turns: RangeInclusive<u32>| {
            let request = ForgetRequest::from(ForgetTarget {
                session,
                turns: Some(turns),
            });
            let plan = request.plan(index).unwrap();
            let uids: Vec<String> = plan.sessions.into_iter().map(|row| row.uid).collect();
            (uids, plan.turns.len(), plan.turn_count)
        };
        let owned = |uids: &[&str]| uids.iter().map(|uid| (*uid).to_owned()).collect::<Vec<_>>();
        assert_eq!(forgotten(0..=0), (owned(&["agent-first"]), 1, 2));
        let second = owned(&["agent-second", "agent-of-agent"]);
        assert_eq!(forgotten(1..=1), (second, 1, 3));
        assert_eq!(forgotten(2..=2), (owned(&["agent-late"]), 1, 2));
        assert_eq!(forgotten(7..=7), (owned(&[]), 0, 0));
    }
}
