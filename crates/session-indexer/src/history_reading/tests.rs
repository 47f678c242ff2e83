//! Histories that cannot be read to their end.

use super::*;
use crate::deadline::Deadline;
use crate::listed_histories::{ListedFile, ListedHistories};
use crate::read_policy::ReadPolicy;
use session_core::{FileStamp, KnownTurns, SessionMeta, Turn, TurnSpan};
use session_sources::{
    AgentInfo, Cursor, CursorRedaction, Env, IndexedSpan, Listing, Location, PathSession, Retry,
    ShownTurns, Sink, Source, Warning, WarningKind,
};
use session_store::Reader;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Mutex;
use tempfile::TempDir;

/// A step of a source in a read.
#[derive(Clone, Copy)]
enum Step {
    Session(&'static str),
    Titled(&'static str, &'static str),
    Turn(u32),
    BrokeOff(&'static str),
    Checkpoint(&'static str),
    Unread,
}

use Step::{BrokeOff, Checkpoint, Session, Titled, Unread};

/// A source that does the same in each read.
#[derive(Default)]
struct ScriptedSource {
    steps: Mutex<Vec<Step>>,
    /// The cursor from which it was to read last.
    from: Mutex<Option<Cursor>>,
}

static AGENT: AgentInfo = AgentInfo::new("claude", "Claude Code");

impl ScriptedSource {
    fn play(from: Option<&Cursor>, step: Step, sink: &mut dyn Sink) -> ControlFlow<()> {
        let open = |id: &str, title: Option<&str>, sink: &mut dyn Sink| {
            let meta = SessionMeta {
                id: id.to_owned(),
                title: title.map(str::to_owned),
                ..SessionMeta::default()
            };
            let known = from.map_or(KnownTurns::Replace, |_| KnownTurns::Keep);
            sink.session(&meta, known)
        };
        match step {
            Session(id) => open(id, None, sink),
            Titled(id, title) => open(id, Some(title), sink),
            Step::Turn(index) => sink.turn(turn(index)),
            BrokeOff(id) => sink.report_unread_session(id),
            Checkpoint(cursor) => sink.checkpoint(Cursor(cursor.to_owned())),
            Unread => {
                sink.warning(Warning {
                    path: "/h/a.jsonl".into(),
                    offset: None,
                    reason: "input/output error".to_owned(),
                    count: 1,
                    retry: Retry::NextRefresh,
                    kind: WarningKind::Unreadable,
                });
                ControlFlow::Continue(())
            }
        }
    }
}

impl Source for ScriptedSource {
    fn agent(&self) -> &'static AgentInfo {
        &AGENT
    }

    fn locate(&self, _: &Env) -> Listing {
        Listing::default()
    }

    fn read(&self, _: &Location, from: Option<&Cursor>, sink: &mut dyn Sink) {
        *self.from.lock().unwrap() = from.cloned();
        let steps = self.steps.lock().unwrap().clone();
        let mut steps = steps.into_iter();
        let _ = steps.try_for_each(|step| Self::play(from, step, sink));
    }

    fn show(&self, _: &Path, _: &SessionMeta, _: &[IndexedSpan]) -> ShownTurns {
        ShownTurns::default()
    }

    fn redact_cursor(&self, _: &Path, cursor: &Cursor, _: &CursorRedaction<'_>) -> Cursor {
        cursor.clone()
    }
}

fn turn(index: u32) -> Turn {
    let ms = Some(i64::from(index) * 1000);
    let start = u64::from(index) * 10;
    Turn {
        index,
        started_ms: ms,
        ended_ms: ms,
        span: TurnSpan {
            start,
            end: start + 9,
        },
        prompt: format!("Where is lamp {index}?"),
        ..Turn::default()
    }
}

/// An index of one history, which never changes.
struct OneHistory {
    index: TempDir,
    source: &'static ScriptedSource,
    /// The session of a file of one.
    session: Option<&'static str>,
}

impl OneHistory {
    fn new(session: Option<&'static str>) -> Self {
        Self {
            index: tempfile::tempdir().unwrap(),
            source: Box::leak(Box::default()),
            session,
        }
    }

    fn listed(&self) -> ListedHistories {
        let location = Location {
            path: "/h/a.jsonl".into(),
            stamp: FileStamp {
                size: 100,
                mtime_ns: 1,
                inode: 1,
            },
            path_session: PathSession {
                session: self.session.map(str::to_owned),
                parent: None,
            },
            continuations: Vec::new(),
        };
        ListedHistories {
            files: vec![ListedFile {
                source: self.source,
                location,
            }],
            continued: HashMap::new(),
            problems: Vec::new(),
        }
    }

    /// Reads the history where the index says that it has to.
    fn refresh(&self, steps: &[Step]) -> RefreshOutcome {
        *self.source.steps.lock().unwrap() = steps.to_vec();
        let mut writer = Writer::open(self.index.path()).unwrap();
        let policy = ReadPolicy::default();
        let reader = writer.reader().unwrap();
        let digests = reader.file_digests().unwrap();
        let changes = self.listed().compare(reader, &digests, &policy.exclusions);
        let reading = ReadOptions {
            deadline: Deadline::default(),
            policy: &policy,
            embedder: None,
        };
        let env = Env::with_home(self.index.path());
        let options = RefreshOptions::new(self.index.path(), &env);
        read_changes(&options, &mut writer, &changes.unwrap(), &reading).unwrap()
    }

    /// Lets the next refresh read from the beginning.
    fn reset(&self) {
        let mut writer = Writer::open(self.index.path()).unwrap();
        writer.reset_cursors().unwrap();
    }

    fn reader(&self) -> Reader {
        Reader::open(self.index.path()).unwrap()
    }

    fn problems(&self) -> usize {
        self.reader().problems().unwrap().len()
    }

    /// Returns all that the index has of the sessions and their turns.
    fn content(&self) -> String {
        let reader = self.reader();
        let told = reader.sessions().unwrap().into_iter().map(|session| {
            let turns = reader.turns(session.id).unwrap();
            let turns = turns.iter().map(|turn| (turn.index, turn.span));
            let (uid, title, gone) = (session.uid, session.title, session.gone);
            let counted = (session.turns, session.started_ms, session.ended_ms);
            let turns = turns.collect::<Vec<_>>();
            format!("{uid} {title:?} {gone} {counted:?} {turns:?}\n")
        });
        told.collect()
    }
}

#[test]
fn a_new_session_that_broke_off_is_read_again() {
    let history = OneHistory::new(Some("a"));
    let begun = [Session("a"), Step::Turn(0), Unread];
    for _ in 0..2 {
        assert_eq!(history.refresh(&begun).turns, 1);
        assert_eq!(history.problems(), 1);
    }
    let whole = [Session("a"), Step::Turn(0), Step::Turn(1), Checkpoint("2")];
    assert_eq!(history.refresh(&whole).turns, 2);
    assert_eq!(history.source.from.lock().unwrap().clone(), None);
    assert_eq!(history.problems(), 0);
    assert_eq!(history.refresh(&whole).files_read, 0, "it is as it was");
}

#[test]
fn a_session_that_breaks_off_keeps_what_the_index_has() {
    let history = OneHistory::new(Some("a"));
    let turns = [Step::Turn(0), Step::Turn(1), Step::Turn(2)];
    let whole = [&[Titled("a", "Lamps")], &turns[..], &[Checkpoint("3")]].concat();
    history.refresh(&whole);
    let before = history.content();
    // The title stands behind the error.
    let begun = [Session("a"), Step::Turn(0), Unread];
    let further = [Session("a"), Step::Turn(0), Checkpoint("1"), Unread];
    let nothing = [Unread];
    for broken in [&begun[..], &further, &nothing] {
        history.reset();
        for steps in [broken, &nothing] {
            history.refresh(steps);
            assert_eq!(history.content(), before);
        }
        assert_eq!(history.refresh(&whole).files_read, 1);
        assert_eq!(history.content(), before);
    }
}

#[test]
fn a_read_goes_on_behind_the_checkpoint_before_an_error() {
    let history = OneHistory::new(Some("a"));
    history.refresh(&[Session("a"), Step::Turn(0), Checkpoint("1"), Unread]);
    let rest = [Session("a"), Step::Turn(1), Checkpoint("2")];
    assert_eq!(history.refresh(&rest).turns, 1);
    let from = history.source.from.lock().unwrap().clone();
    assert_eq!(from, Some(Cursor("1".to_owned())));
    assert_eq!(history.reader().sessions().unwrap()[0].turns, 2);
}

/// As a history of prompts.
#[test]
fn no_session_of_a_file_that_broke_off_is_gone() {
    let history = OneHistory::new(None);
    let first = [Session("a"), Step::Turn(0)];
    let whole = [&first[..], &[Session("b"), Step::Turn(0), Checkpoint("2")]].concat();
    history.refresh(&whole);
    let before = history.content();
    history.reset();
    history.refresh(&[&first[..], &[Unread]].concat());
    assert_eq!(history.content(), before);
    history.refresh(&[&first[..], &[Checkpoint("1")]].concat());
    assert!(history.reader().sessions().unwrap()[1].gone);
}

/// As a database.
#[test]
fn a_session_that_cannot_be_read_is_not_gone_and_tried_again() {
    let history = OneHistory::new(None);
    let first = [Session("a"), Step::Turn(0)];
    let second = [Session("b"), Step::Turn(0), Step::Turn(1)];
    history.refresh(&[&first[..], &second, &[Checkpoint("2")]].concat());
    let before = history.content();
    let begun = [Session("b"), Step::Turn(0)];
    for begun in [&[][..], &begun] {
        history.reset();
        let broken = [&first[..], begun, &[BrokeOff("b"), Unread, Checkpoint("1")]];
        history.refresh(&broken.concat());
        assert_eq!(history.content(), before);
        assert_eq!(history.refresh(&[Checkpoint("1")]).files_read, 1);
    }
}

#[test]
fn a_file_that_gave_nothing_is_not_counted_as_read() {
    let history = OneHistory::new(Some("a"));
    let outcome = history.refresh(&[Unread]);
    assert_eq!((outcome.files_read, outcome.files_left), (0, 0));
    assert_eq!((outcome.unreadable_paths, history.problems()), (1, 1));
}
