//! Contents come back as they were written, whatever frames they share.

use crate::support::{Index, SOURCE, deliver, filled, meta, text, turn};
use proptest::prelude::*;
use session_core::{KnownTurns, Turn, TurnContent};
use session_store::{Reader, Writer};

#[derive(Debug, Clone)]
enum Step {
    /// A session says more: a new turn of this many bytes.
    Says(usize, usize),
    /// Its last turn grows by as much.
    Grows(usize, usize),
    /// It is delivered anew with its first turns only.
    Shrinks(usize, usize),
    Commits,
}

/// Lengths of which three fill a frame, or a thousand, or one.
fn bytes() -> impl Strategy<Value = usize> {
    prop_oneof![0..200_usize, 40_000..60_000_usize, 130_000..150_000_usize]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..3_usize, bytes()).prop_map(|(s, n)| Step::Says(s, n)),
        2 => (0..3_usize, bytes()).prop_map(|(s, n)| Step::Grows(s, n)),
        1 => (0..3_usize, 0..4_usize).prop_map(|(s, n)| Step::Shrinks(s, n)),
        2 => Just(Step::Commits),
    ]
}

/// Words that hardly shrink, other ones each time.
fn words(seed: &mut u64, bytes: usize) -> String {
    let mut next = || {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        format!("{:x} ", *seed >> 24)
    };
    let mut words = String::new();
    while words.len() < bytes {
        words += &next();
    }
    words
}

/// Sessions as they ought to be, and the index.
struct Twin {
    sessions: [Vec<Turn>; 3],
    writer: Writer,
    seed: u64,
}

impl Twin {
    fn take(&mut self, step: &Step) {
        match *step {
            Step::Says(session, bytes) => {
                let index = u32::try_from(self.sessions[session].len()).unwrap();
                let said = words(&mut self.seed, bytes);
                let mut says = turn(index, &format!("Turn {index} of {session}"), &[&said]);
                // No turn is a copy of another's.
                says.origin = Some(format!("{session}-{index}-{}", self.seed));
                self.sessions[session].push(says.clone());
                self.add(session, &says);
            }
            Step::Grows(session, bytes) => self.grow(session, bytes),
            Step::Shrinks(session, length) => {
                self.sessions[session].truncate(length);
                let turns = self.sessions[session].clone();
                deliver(&mut self.writer, &meta(&session.to_string()), &turns);
            }
            Step::Commits => self.writer.commit().unwrap(),
        }
    }

    fn grow(&mut self, session: usize, bytes: usize) {
        let said = text(&words(&mut self.seed, bytes));
        let Some(last) = self.sessions[session].last_mut() else {
            return;
        };
        let mut more = last.clone();
        last.parts.push(said.clone());
        more.continues = true;
        more.parts = vec![said];
        self.add(session, &more);
    }

    fn add(&mut self, session: usize, turn: &Turn) {
        let path = format!("/h/{session}.jsonl");
        let file = self.writer.upsert_file(SOURCE, &path).unwrap();
        let meta = meta(&session.to_string());
        let session = self
            .writer
            .open_session(file, SOURCE, &meta, KnownTurns::Keep);
        self.writer.add_turn(session.unwrap(), turn).unwrap();
    }

    fn check(&self, index: &Reader) {
        for session in index.sessions().unwrap() {
            let number: usize = session.uid.parse().unwrap();
            let expected: Vec<_> = self.sessions[number]
                .iter()
                .map(TurnContent::from_turn)
                .collect();
            let turns = index.turns(session.id).unwrap();
            let one_by_one: Vec<_> = turns.iter().map(|t| index.content(t.id).unwrap()).collect();
            assert_eq!(one_by_one, expected);
            let together = index.session_contents(session.id).unwrap().turns;
            let together: Vec<_> = together.into_iter().map(|turn| turn.content).collect();
            assert_eq!(together, expected);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn contents_round_trip(steps in proptest::collection::vec(step(), 1..25)) {
        let index = Index::new();
        let mut twin = Twin { sessions: Default::default(), writer: index.writer(), seed: 7 };
        steps.iter().for_each(|step| twin.take(step));
        twin.writer.commit().unwrap();
        twin.check(&index.reader());
    }
}

#[test]
fn records_have_the_contents_of_the_wanted_turns() {
    let (_index, reader) = filled(&["Light the lamp", "Oil the gate", "Mend the kettle"]);
    let session = reader.sessions().unwrap()[0].id;
    let records = |wanted: &[u32]| -> Vec<(u32, String)> {
        let records = reader.turn_records(session, |turn| wanted.contains(&turn.index));
        let records = records.unwrap().into_iter();
        records
            .map(|turn| (turn.row.index, turn.content.prompt))
            .collect()
    };
    let named = |index: u32, prompt: &str| (index, prompt.to_owned());
    assert_eq!(
        records(&[0, 2]),
        [named(0, "Light the lamp"), named(2, "Mend the kettle")]
    );
    assert_eq!(records(&[]), []);
}
