//! The JSON of `forget`: what was forgotten, and the records.

use crate::forget_report::ForgetOutcome;
use serde::Serialize;
use session_forget::{ContentCounts, ForgetPlan, ForgottenEntry, PlannedTitle, PlannedTurn};
use session_memory::Memory;

/// The sessions and turns that were forgotten, as `docs/cli.md` describes them.
#[derive(Serialize)]
pub struct JsonForgotten<'a> {
    sessions: Vec<&'a str>,
    turns: usize,
    /// Titles of sessions that stay.
    titles: usize,
    /// Copies in sessions that stay.
    copies: usize,
    /// Memories that were saved from them.
    memories: Vec<&'a str>,
    dry_run: bool,
    /// Nothing is left in the files of the index.
    purged: bool,
    /// Turns of sessions that stay.
    turn_list: Vec<JsonForgottenTurn<'a>>,
    /// Titles of sessions that stay. A title of a message that no session holds is only counted.
    title_list: Vec<JsonForgottenTitle<'a>>,
}

#[derive(Serialize)]
struct JsonForgottenTurn<'a> {
    session: &'a str,
    turn: u32,
    title: Option<&'a str>,
    text: &'a str,
}

impl<'a> JsonForgottenTurn<'a> {
    fn new(planned: &'a PlannedTurn) -> Self {
        Self {
            session: &planned.session.uid,
            turn: planned.turn.index,
            title: planned.session.title.as_deref(),
            text: &planned.text,
        }
    }
}

#[derive(Serialize)]
struct JsonForgottenTitle<'a> {
    session: &'a str,
    title: &'a str,
}

impl<'a> JsonForgottenTitle<'a> {
    fn new(planned: &'a PlannedTitle) -> Self {
        Self {
            session: &planned.session.uid,
            title: &planned.title,
        }
    }
}

impl<'a> JsonForgotten<'a> {
    /// Returns a plan as it is printed, and what became of it.
    pub fn new(plan: &'a ForgetPlan, memories: &'a [Memory], outcome: ForgetOutcome) -> Self {
        let sessions = plan.sessions.iter();
        Self {
            sessions: sessions.map(|session| session.uid.as_str()).collect(),
            turns: plan.turn_count,
            titles: plan.title_count(),
            copies: plan.copies.len(),
            memories: memories.iter().map(Memory::id).collect(),
            dry_run: outcome == ForgetOutcome::Planned,
            purged: outcome.is_purged(),
            turn_list: plan.turns.iter().map(JsonForgottenTurn::new).collect(),
            title_list: plan.titles.iter().map(JsonForgottenTitle::new).collect(),
        }
    }
}

/// The records of what was forgotten, as `docs/cli.md` describes them.
#[derive(Serialize)]
pub struct JsonForgetRecords<'a> {
    forgotten: Vec<JsonForgetEntry<'a>>,
}

#[derive(Serialize)]
struct JsonForgetEntry<'a> {
    at: &'a str,
    id: u32,
    sessions: usize,
    turns: usize,
    titles: usize,
    what: &'a str,
}

impl<'a> JsonForgetRecords<'a> {
    /// Returns the entries as they are printed.
    pub fn new(entries: &'a [ForgottenEntry]) -> Self {
        let entry = |entry: &'a ForgottenEntry| {
            let ContentCounts {
                sessions,
                turns,
                titles,
            } = entry.counts();
            JsonForgetEntry {
                id: entry.id,
                at: &entry.at,
                what: entry.reason.name(),
                sessions,
                turns,
                titles,
            }
        };
        Self {
            forgotten: entries.iter().map(entry).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use session_store::PurgeOutcome;

    #[test]
    fn each_outcome_says_whether_deleted_text_is_left() {
        let plan = ForgetPlan::default();
        let outcomes = [
            (ForgetOutcome::Planned, true, false),
            (ForgetOutcome::Declined, false, false),
            (
                ForgetOutcome::NothingFound(PurgeOutcome::Complete),
                false,
                true,
            ),
            (
                ForgetOutcome::NothingFound(PurgeOutcome::Waiting),
                false,
                false,
            ),
            (
                ForgetOutcome::Forgotten(PurgeOutcome::Complete),
                false,
                true,
            ),
            (
                ForgetOutcome::Forgotten(PurgeOutcome::Waiting),
                false,
                false,
            ),
        ];
        for (outcome, dry_run, purged) in outcomes {
            let json = JsonForgotten::new(&plan, &[], outcome);
            assert_eq!(
                (json.dry_run, json.purged),
                (dry_run, purged),
                "{outcome:?}"
            );
        }
    }
}
