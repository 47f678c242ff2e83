//! Finding what a user asks to forget.

use crate::entry::ForgetReason;
use crate::error::ForgetError;
use crate::matched_line::find_matched_line;
use crate::plan::{ForgetPlan, MeantTurn, PlanBuilder};
use regex::Regex;
use session_store::{FileId, GivenTitle, Reader, SessionId, SessionRow, TurnRow, with_subagents};
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

/// The sessions that meet conditions on sessions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MatchingSessions {
    /// Their numbers.
    pub ids: BTreeSet<SessionId>,
    /// Whether their project is a condition; else their time alone is one.
    pub is_by_project: bool,
}

/// A user's request to forget: named sessions and turns, or all that meet the conditions.
#[derive(Debug, Clone, Default)]
pub struct ForgetRequest {
    /// Named sessions and turns.
    pub targets: Vec<ForgetTarget>,
    /// Sessions that meet all conditions on sessions; `None` if no condition is given.
    pub sessions: Option<MatchingSessions>,
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
        let mut targets: BTreeMap<SessionId, Vec<&ForgetTarget>> = BTreeMap::new();
        for target in &self.targets {
            targets.entry(target.session).or_default().push(target);
        }
        let mut builder = PlanBuilder::new(index, &all);
        for session in &all {
            if whole.contains(&session.id) {
                builder.add_session(session)?;
                if alone.contains_key(&session.id) {
                    builder.add_file(session)?;
                }
                continue;
            }
            let targets = targets.get(&session.id).map_or(&[][..], Vec::as_slice);
            for meant in self.find_turns(index, session, targets)? {
                builder.add_turn(session, meant)?;
            }
        }
        let turns = builder.take_turns();
        for GivenTitle { session, title } in self.planned_titles(index, &turns, &alone)? {
            let stays = |row: &&SessionRow| !whole.contains(&row.id);
            if let Some(session) = builder.session(session).filter(stays) {
                builder.add_title(session.clone(), title);
            }
        }
        for title in self.matching_unheld_titles(index, &alone)? {
            builder.add_unheld_title(&title);
        }
        builder.build(&turns.copies)
    }

    /// Returns the reason under which the records note what a plan of this request forgets.
    pub fn reason(&self, plan: &ForgetPlan) -> ForgetReason {
        match &self.sessions {
            _ if self.pattern.is_some() => ForgetReason::Match,
            Some(sessions) if sessions.is_by_project => ForgetReason::Project,
            Some(_) => ForgetReason::Before,
            None if plan.sessions.is_empty() => ForgetReason::Turns,
            None => ForgetReason::Session,
        }
    }

    /// Returns true if the pattern is looked for in a session.
    pub(crate) fn is_searched(&self, session: SessionId) -> bool {
        let sessions = self.sessions.as_ref();
        sessions.is_none_or(|sessions| sessions.ids.contains(&session))
    }

    fn whole_sessions(&self) -> BTreeSet<SessionId> {
        let targets = self.targets.iter();
        let targets = targets.filter(|target| target.turns.is_none());
        let named = targets.map(|target| target.session);
        let by_condition = self
            .sessions
            .iter()
            .flat_map(|sessions| &sessions.ids)
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

    /// Finds the turns of a session that are meant; `targets` are those in the session.
    fn find_turns(
        &self,
        index: &Reader,
        session: &SessionRow,
        targets: &[&ForgetTarget],
    ) -> Result<Vec<MeantTurn>, ForgetError> {
        let searched = self.pattern.as_ref();
        let searched = searched.filter(|_| self.is_searched(session.id));
        if targets.is_empty() && searched.is_none() {
            return Ok(Vec::new());
        }
        let is_in_range = |turn: &TurnRow| {
            let mut ranges = targets.iter().filter_map(|target| target.turns.as_ref());
            ranges.any(|turns| turns.contains(&turn.index))
        };
        // One that was forgotten keeps its number, and nothing else.
        let may_be_meant =
            |turn: &TurnRow| !turn.is_excluded() && (searched.is_some() || is_in_range(turn));
        let turns = index.turn_records(session.id, may_be_meant)?.into_iter();
        let meant = turns.filter_map(|turn| {
            let find_line = |text: &str| find_matched_line(text, searched?);
            let matched_line = turn.content.searched_texts().find_map(find_line);
            let is_meant = matched_line.is_some() || is_in_range(&turn.row);
            is_meant.then_some(MeantTurn { turn, matched_line })
        });
        Ok(meant.collect())
    }
}

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

/// Returns the last turn that began before a session did; `None` if times are missing.
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
    use crate::test_index::{self, turn};
    use session_core::{SessionMeta, Turn};
    use session_store::Writer;

    /// Inserts a session with a turn for each time.
    fn insert(writer: &mut Writer, uid: &str, parent: Option<&str>, times: &[i64]) {
        let meta = SessionMeta {
            id: uid.into(),
            parent: parent.map(str::to_owned),
            ..SessionMeta::default()
        };
        let prompt = format!("How is the lantern of {uid} lit?");
        let turns = (0..).zip(times).map(|(index, time)| Turn {
            started_ms: Some(*time),
            ..turn(index, &prompt)
        });
        test_index::insert(writer, &meta, &turns.collect::<Vec<_>>());
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
