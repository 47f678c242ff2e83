//! Whatever is written, committed, dropped and written again: a reader sees
//! what was committed, and each text is found once.

mod checks;

use crate::support::{Index, SOURCE, embed, embed_in_slices, found, meta, model, text, turn};
pub use checks::check_turn_keys;
use checks::{check, check_blocks, check_vectors, turns};
use proptest::prelude::*;
use session_core::{FileStamp, KnownTurns, SessionMeta, Turn, TurnContent, TurnSpan};
use session_store::{PurgeOutcome, TurnId, TurnRow, Writer};
use std::collections::BTreeMap;

const TOPICS: u8 = 4;
const ANSWERS: [&str; 3] = ["alpha", "beta", "gamma"];

/// The dedup key that turns of one topic share, by which they are copies.
#[derive(Debug, Clone, Copy, PartialEq)]
enum CopyKey {
    Origin,
    PromptTime,
    Nothing,
}

/// A turn as it stands in a history.
#[derive(Debug, Clone, PartialEq)]
struct HistoryTurn {
    topic: u8,
    alike_by: CopyKey,
    /// How many of [`ANSWERS`] were given.
    answers: usize,
}

#[derive(Debug, Clone)]
enum Step {
    /// A session is read from its beginning once more.
    ReadAgain {
        session: usize,
        turns: Vec<HistoryTurn>,
    },
    /// A session has grown: answers to its last turn, and new turns.
    Grow {
        session: usize,
        answers: usize,
        turns: Vec<HistoryTurn>,
    },
    Title {
        session: usize,
        title: Option<u8>,
    },
    Embed,
    /// The same, each session in two parts.
    EmbedInParts,
    Commit,
    /// Matrices lose the rows that are dead.
    Purge,
    /// Keys and blocks are made anew.
    Renew,
    /// The writer dies.
    Die,
}

fn history_turn() -> impl Strategy<Value = HistoryTurn> {
    let alike_by = prop_oneof![
        Just(CopyKey::Origin),
        Just(CopyKey::PromptTime),
        Just(CopyKey::Nothing)
    ];
    (0..TOPICS, alike_by, 0..=ANSWERS.len()).prop_map(|(topic, alike_by, answers)| HistoryTurn {
        topic,
        alike_by,
        answers,
    })
}

fn step() -> impl Strategy<Value = Step> {
    let session = 0..SESSIONS.len();
    prop_oneof![
        4 => (session.clone(), prop::collection::vec(history_turn(), 0..5))
            .prop_map(|(session, turns)| Step::ReadAgain { session, turns }),
        4 => (session.clone(), 0..=2usize, prop::collection::vec(history_turn(), 0..3))
            .prop_map(|(session, answers, turns)| Step::Grow { session, answers, turns }),
        2 => (session, prop::option::of(0..3u8)).prop_map(|(session, title)| Step::Title { session, title }),
        2 => Just(Step::Embed),
        1 => Just(Step::EmbedInParts),
        4 => Just(Step::Commit),
        1 => Just(Step::Purge),
        1 => Just(Step::Renew),
        1 => Just(Step::Die),
    ]
}

/// File and id of each session. Two share a file, two an id.
const SESSIONS: [(&str, &str); 4] = [
    ("/h/a.jsonl", "a"),
    ("/h/b.db", "b"),
    ("/h/b.db", "c"),
    ("/h/d.jsonl", "a"),
];
/// The id of the session of which each is a fork; the last three may be forks of each other.
const FORKED_FROM: [Option<&str>; 4] = [None, Some("c"), Some("a"), Some("b")];

/// A session as it should be.
#[derive(Debug, Clone, Default, PartialEq)]
struct Session {
    title: Option<u8>,
    turns: Vec<HistoryTurn>,
}

type Sessions = BTreeMap<usize, Session>;

fn title_words(title: u8) -> String {
    format!("headline{title}")
}

fn prompt(topic: u8) -> String {
    format!("Please look once more at topic{topic} for me.")
}

/// Returns the turn at an index of a session as its history has it.
fn turn_at(session: usize, index: usize, history: &HistoryTurn) -> Turn {
    let answers: Vec<String> = ANSWERS[..history.answers]
        .iter()
        .map(|a| format!("{a}{}", history.topic))
        .collect();
    let answers: Vec<&str> = answers.iter().map(String::as_str).collect();
    let index = u32::try_from(index).unwrap();
    let unique = 10_000 + 1000 * session as i64 + 10 * i64::from(index);
    let (origin, time) = match history.alike_by {
        CopyKey::Origin => (format!("message {}", history.topic), unique),
        CopyKey::PromptTime => (format!("message of {unique}"), i64::from(history.topic)),
        CopyKey::Nothing => (format!("message of {unique}"), unique),
    };
    Turn {
        origin: Some(origin),
        started_ms: Some(time),
        ended_ms: Some(time + history.answers as i64),
        ..turn(index, &prompt(history.topic), &answers)
    }
}

fn meta_of(session: usize, state: &Session) -> SessionMeta {
    SessionMeta {
        title: state.title.map(title_words),
        forked_from: FORKED_FROM[session].map(str::to_owned),
        ..meta(SESSIONS[session].1)
    }
}

/// The index, and what it should hold.
struct Run {
    index: Index,
    writer: Option<Writer>,
    now: Sessions,
    committed: Sessions,
}

impl Run {
    fn new() -> Self {
        let index = Index::new();
        let writer = Some(index.writer());
        Self {
            index,
            writer,
            now: Sessions::new(),
            committed: Sessions::new(),
        }
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::ReadAgain { session, turns } => self.read_again(*session, turns),
            Step::Grow {
                session,
                answers,
                turns,
            } => self.grow(*session, *answers, turns),
            Step::Title { session, title } => {
                self.now.entry(*session).or_default().title = *title;
                self.write(*session, KnownTurns::Keep, &[]);
            }
            Step::Embed => self.embed(embed),
            Step::EmbedInParts => self.embed(embed_in_slices),
            Step::Commit => self.commit(),
            Step::Purge => {
                self.commit_by(|writer| assert_eq!(writer.purge().unwrap(), PurgeOutcome::Complete))
            }
            Step::Renew => self.commit_by(|writer| writer.reset_cursors().unwrap()),
            Step::Die => self.die(),
        }
    }

    fn read_again(&mut self, session: usize, turns: &[HistoryTurn]) {
        self.now.entry(session).or_default().turns = turns.to_vec();
        let turns: Vec<Turn> = turns
            .iter()
            .enumerate()
            .map(|(n, s)| turn_at(session, n, s))
            .collect();
        self.write(session, KnownTurns::Replace, &turns);
    }

    fn grow(&mut self, session: usize, answers: usize, added: &[HistoryTurn]) {
        let known = &mut self.now.entry(session).or_default().turns;
        let mut turns = Vec::new();
        let last = known.len().saturating_sub(1);
        if let Some(history) = known.last_mut() {
            let before = history.answers;
            history.answers = (before + answers).min(ANSWERS.len());
            let mut whole = turn_at(session, last, history);
            whole.continues = true;
            whole.prompt.clear();
            whole.parts.drain(..before);
            turns.push(whole);
        }
        for history in added {
            turns.push(turn_at(session, known.len(), history));
            known.push(history.clone());
        }
        self.write(session, KnownTurns::Keep, &turns);
    }

    fn write(&mut self, session: usize, stored: KnownTurns, turns: &[Turn]) {
        let writer = self.writer.as_mut().unwrap();
        let file = writer.upsert_file(SOURCE, SESSIONS[session].0).unwrap();
        let meta = meta_of(session, &self.now[&session]);
        let id = writer.open_session(file, SOURCE, &meta, stored).unwrap();
        for turn in turns {
            writer.add_turn(id, turn).unwrap();
        }
        writer.checkpoint(file, "x", FileStamp::default()).unwrap();
    }

    fn embed(&mut self, embed: fn(&mut Writer)) {
        let writer = self.writer.as_mut().unwrap();
        embed(writer);
        let model = model(writer);
        assert!(writer.note_if_complete(model.id).unwrap());
    }

    fn commit(&mut self) {
        self.commit_by(|writer| writer.commit().unwrap());
    }

    fn commit_by(&mut self, commit: impl FnOnce(&mut Writer)) {
        commit(self.writer.as_mut().unwrap());
        self.committed.clone_from(&self.now);
    }

    fn die(&mut self) {
        self.writer = None;
        self.now.clone_from(&self.committed);
        self.writer = Some(self.index.writer());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn readers_see_what_was_committed(steps in prop::collection::vec(step(), 1..24)) {
        let mut run = Run::new();
        for step in &steps {
            run.step(step);
            if matches!(step, Step::Commit | Step::Die) {
                let reader = run.index.reader();
                check(&reader, &run.committed);
                check_vectors(&reader);
                check_blocks(&reader);
                check_turn_keys(&reader);
            }
        }
        // The writer sees what it wrote itself.
        check(run.writer.as_mut().unwrap().reader().unwrap(), &run.now);
        embed(run.writer.as_mut().unwrap());
        run.commit();
        let reader = run.index.reader();
        check(&reader, &run.committed);
        check_vectors(&reader);
        check_blocks(&reader);
        check_turn_keys(&reader);
        reader.verify_thoroughly().unwrap();
        prop_assert_eq!(reader.damaged_contents().unwrap(), []);
        let model = model(run.writer.as_mut().unwrap());
        prop_assert_eq!(reader.pending_sessions(&[model.id]).unwrap(), []);
    }

    /// However a turn is cut in parts, its content and its place are the same.
    #[test]
    fn a_turn_may_be_delivered_in_pieces(
        answers in prop::collection::vec("[a-z ]{0,12}", 1..6),
        cut in any::<prop::sample::Index>(),
    ) {
        let answers: Vec<&str> = answers.iter().map(String::as_str).collect();
        let whole = turn(0, "Please say all of it in many pieces.", &answers);
        let cut = cut.index(answers.len() + 1);
        let head = Turn { parts: whole.parts[..cut].to_vec(), span: TurnSpan { start: 0, end: 4 }, ..whole.clone() };
        let tail = Turn { continues: true, prompt: String::new(), started_ms: None,
            parts: answers[cut..].iter().map(|a| text(a)).collect(), ..whole.clone() };
        prop_assert_eq!(stored_as(&[head, tail]), stored_as(&[whole]));
    }
}

fn stored_as(pieces: &[Turn]) -> (Vec<(TurnRow, TurnContent)>, Vec<TurnId>) {
    let index = Index::new();
    let mut writer = index.writer();
    let session = crate::support::deliver(&mut writer, &meta("a"), pieces);
    writer.commit().unwrap();
    (
        turns(writer.reader().unwrap(), session),
        found(writer.reader().unwrap(), "pieces"),
    )
}
