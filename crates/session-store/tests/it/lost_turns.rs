//! Histories that are cut off, go on, and are put back.

use crate::support::{Index, SOURCE, found, meta, turn};
use proptest::prelude::*;
use session_core::{FileStamp, KnownTurns, Turn};
use session_store::{Reader, UndeliveredTurns, Writer};

/// A change of a history.
#[derive(Debug, Clone)]
enum HistoryStep {
    /// It loses its end.
    Cut(usize),
    /// It goes on with so many turns.
    Grow(usize),
    /// An earlier state of it is put back.
    Restore(usize),
}

fn history_step() -> impl Strategy<Value = HistoryStep> {
    prop_oneof![
        (0..6usize).prop_map(HistoryStep::Cut),
        (1..4usize).prop_map(HistoryStep::Grow),
        (0..9usize).prop_map(HistoryStep::Restore),
    ]
}

/// A history, and what the index should hold of it: turns by number.
#[derive(Debug, Default)]
struct History {
    held: Vec<u32>,
    lost: Vec<u32>,
    earlier: Vec<Vec<u32>>,
    next: u32,
}

impl History {
    fn take(&mut self, step: &HistoryStep, writer: &mut Writer) {
        self.earlier.push(self.held.clone());
        match step {
            HistoryStep::Cut(count) => {
                let kept = self.held.iter().take(*count).copied().collect();
                self.read_anew(kept, writer);
            }
            HistoryStep::Grow(count) => {
                let first = self.held.len();
                self.held.extend((self.next..).take(*count));
                self.next += *count as u32;
                deliver(writer, &self.held, first);
            }
            HistoryStep::Restore(state) => {
                let state = self.earlier[state % self.earlier.len()].clone();
                self.read_anew(state, writer);
            }
        }
    }

    /// Reads it from its beginning. What was shorter before has lost nothing.
    fn read_anew(&mut self, state: Vec<u32>, writer: &mut Writer) {
        let beyond = self.held.get(state.len()..).unwrap_or_default().to_vec();
        self.lost.retain(|number| !state.contains(number));
        self.lost.splice(0..0, beyond);
        self.held = state;
        deliver(writer, &self.held, 0);
    }
}

fn word(number: u32) -> String {
    format!("topic{number}")
}

fn turn_of(number: u32, index: usize) -> Turn {
    Turn {
        started_ms: Some(1000 * i64::from(number)),
        origin: Some(format!("origin {number}")),
        ..turn(index as u32, &format!("Where is {}?", word(number)), &[])
    }
}

/// Delivers the turns from an index on; all of them as those of a history that lost what lies beyond.
fn deliver(writer: &mut Writer, history: &[u32], first: usize) {
    let file = writer.upsert_file(SOURCE, "/h/a.jsonl").unwrap();
    let stored = match first {
        0 => KnownTurns::Replace,
        _ => KnownTurns::Keep,
    };
    let session = writer
        .open_session(file, SOURCE, &meta("a"), stored)
        .unwrap();
    writer.set_undelivered_turns(UndeliveredTurns::Keep);
    for (index, number) in history.iter().enumerate().skip(first) {
        writer.add_turn(session, &turn_of(*number, index)).unwrap();
    }
    writer
        .checkpoint(file, "end", FileStamp::default())
        .unwrap();
    writer.commit().unwrap();
}

/// Checks that a session has the turns of its history, then those that it lost, each once.
fn check(index: &Reader, history: &History) {
    let session = index.sessions().unwrap().remove(0);
    let turns = index.turns(session.id).unwrap();
    let prompts = turns
        .iter()
        .map(|turn| index.content(turn.id).unwrap().prompt);
    let all: Vec<u32> = [&*history.held, &*history.lost].concat();
    let wanted = all
        .iter()
        .map(|number| format!("Where is {}?", word(*number)));
    assert_eq!(prompts.collect::<Vec<_>>(), wanted.collect::<Vec<_>>());
    let indexes: Vec<u32> = turns.iter().map(|turn| turn.index).collect();
    assert_eq!(indexes, (0..all.len() as u32).collect::<Vec<_>>());
    assert_eq!(session.turns as usize, all.len());
    for number in all {
        assert_eq!(found(index, &word(number)).len(), 1, "{number}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn turns_that_a_history_lost_stand_after_those_that_it_holds(
        steps in prop::collection::vec(history_step(), 1..12),
    ) {
        let index = Index::new();
        let mut writer = index.writer();
        let mut history = History::default();
        history.take(&HistoryStep::Grow(3), &mut writer);
        for step in &steps {
            history.take(step, &mut writer);
            check(&index.reader(), &history);
        }
    }
}
