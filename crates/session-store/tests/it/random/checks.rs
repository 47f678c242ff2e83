//! Checks a reader against the sessions that were committed.

use super::{ANSWERS, SESSIONS, Session, Sessions, TOPICS, prompt, title_words, turn_at};
use crate::support::{ListedRow, documents, found, is_near, kind_of, vector, vector_rows};
use rusqlite::Connection;
use session_core::{Turn, TurnContent};
use session_store::{
    DocumentKind, FileId, ModelRow, Reader, SessionId, SessionRow, TurnId, TurnRow,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

pub(super) type Stored = BTreeMap<usize, (SessionRow, Vec<(TurnRow, TurnContent)>)>;

/// The index's sessions by their place in [`SESSIONS`], with their turns.
pub(super) fn stored(index: &Reader) -> Stored {
    let files: HashMap<FileId, String> = index
        .files()
        .unwrap()
        .into_iter()
        .map(|f| (f.id, f.path))
        .collect();
    let place = |row: &SessionRow| {
        let key = (files[&row.file].as_str(), row.uid.as_str());
        SESSIONS.iter().position(|s| *s == key).unwrap()
    };
    let rows = index.sessions().unwrap().into_iter();
    rows.map(|row| (place(&row), (row.clone(), turns(index, row.id))))
        .collect()
}

pub(super) fn turns(index: &Reader, session: SessionId) -> Vec<(TurnRow, TurnContent)> {
    let rows = index.turns(session).unwrap().into_iter();
    rows.map(|row| {
        let content = index.content(row.id).unwrap();
        (row, content)
    })
    .collect()
}

pub(super) fn check(index: &Reader, expected: &Sessions) {
    let stored = stored(index);
    let places: Vec<usize> = stored.keys().copied().collect();
    assert_eq!(places, expected.keys().copied().collect::<Vec<_>>());
    for (place, (row, turns)) in &stored {
        let title = title(&expected[place], expected);
        check_session(*place, row, turns, &expected[place], title);
    }
    let all: HashMap<TurnId, (Turn, &TurnRow)> = stored
        .iter()
        .flat_map(|(place, (_, turns))| {
            let history = expected[place].turns.iter().enumerate();
            history
                .zip(turns)
                .map(|((n, history), (row, _))| (row.id, (turn_at(*place, n, history), row)))
        })
        .collect();
    check_owners(&all);
    check_words(index, &stored, expected);
}

/// A session's title: its own, unless many have it that began with different prompts, else the
/// first prompt.
pub(super) fn title(session: &Session, all: &Sessions) -> Option<String> {
    let first = |session: &Session| session.turns.first().map(|history| prompt(history.topic));
    let alike: Vec<&Session> = all.values().filter(|s| s.title == session.title).collect();
    let prompts: BTreeSet<String> = alike.iter().filter_map(|s| first(s)).collect();
    let is_common = alike.len() > 2 && prompts.len() > 1;
    let own = session.title.map(title_words);
    if is_common {
        first(session).or(own)
    } else {
        own.or_else(|| first(session))
    }
}

pub(super) fn check_session(
    place: usize,
    row: &SessionRow,
    turns: &[(TurnRow, TurnContent)],
    session: &Session,
    title: Option<String>,
) {
    let wanted: Vec<Turn> = session
        .turns
        .iter()
        .enumerate()
        .map(|(n, s)| turn_at(place, n, s))
        .collect();
    assert_eq!(row.turns as usize, wanted.len());
    assert_eq!(row.title, title);
    assert_eq!(
        row.started_ms,
        wanted.iter().filter_map(|t| t.started_ms).min()
    );
    assert_eq!(row.ended_ms, wanted.iter().filter_map(|t| t.ended_ms).max());
    assert_eq!(turns.len(), wanted.len());
    for ((row, content), wanted) in turns.iter().zip(&wanted) {
        assert_eq!(*content, TurnContent::from_turn(wanted));
        assert_eq!(
            (row.index, row.started_ms, row.span),
            (wanted.index, wanted.started_ms, wanted.span)
        );
    }
}

pub(super) fn is_same(a: &Turn, b: &Turn) -> bool {
    a.origin == b.origin || (a.started_ms == b.started_ms && a.prompt == b.prompt)
}

/// A copy belongs to a turn that is none, and says nothing that it does not;
/// and no text stands twice.
pub(super) fn check_owners(all: &HashMap<TurnId, (Turn, &TurnRow)>) {
    for (turn, row) in all.values() {
        if let Some(owner) = row.owner {
            let (owner, its_row) = &all[&owner];
            assert_eq!(its_row.owner, None);
            assert!(is_same(turn, owner), "{turn:?} is no copy of {owner:?}");
            assert!(
                owner.parts.starts_with(&turn.parts),
                "{turn:?} is not in {owner:?}"
            );
            continue;
        }
        let twice = all.values().find(|(other, its_row)| {
            its_row.owner.is_none()
                && its_row.id != row.id
                && is_same(turn, other)
                && other.parts.starts_with(&turn.parts)
        });
        assert_eq!(twice, None, "{turn:?} stands twice");
    }
}

/// Each word finds the turns that hold it and are no copies; a title's, the
/// first such turn of its session.
pub(super) fn check_words(index: &Reader, stored: &Stored, expected: &Sessions) {
    let mut holders: HashMap<String, BTreeSet<TurnId>> = HashMap::new();
    for (place, (_, turns)) in stored {
        let owned = turns.iter().zip(&expected[place].turns);
        let mut own = owned
            .filter(|((row, _), _)| row.owner.is_none())
            .map(|((row, _), history)| (row.id, history))
            .peekable();
        if let (Some((id, _)), Some(title)) = (own.peek(), expected[place].title) {
            holders.entry(title_words(title)).or_default().insert(*id);
        }
        for (id, history) in own {
            let answers = ANSWERS[..history.answers].iter().chain(&["topic"]);
            for word in answers.map(|word| format!("{word}{}", history.topic)) {
                holders.entry(word).or_default().insert(id);
            }
        }
    }
    let words = ANSWERS
        .iter()
        .chain(&["topic", "headline"])
        .flat_map(|w| (0..TOPICS).map(move |n| format!("{w}{n}")));
    for word in words {
        let wanted: Vec<TurnId> = holders
            .remove(&word)
            .unwrap_or_default()
            .into_iter()
            .collect();
        assert_eq!(found(index, &word), wanted, "{word}");
    }
}

/// The blocks hold what the tables do.
pub(super) fn check_blocks(index: &Reader) {
    let db = Connection::open(index.root().join("index.db")).unwrap();
    let columns = index.turn_columns().unwrap();
    let mut find = db.prepare("SELECT id, session FROM turns").unwrap();
    let mut rows = find.query([]).unwrap();
    while let Some(row) = rows.next().unwrap() {
        let session = columns.session_of(TurnId::new(row.get(0).unwrap()));
        assert_eq!(session, Some(SessionId::new(row.get(1).unwrap())));
    }
    assert_eq!(turns_of_blocks(&db), turns_of_tables(&db));
    let listed = vector_rows(&db);
    for (model, kind) in index
        .models()
        .unwrap()
        .iter()
        .flat_map(|m| DocumentKind::ALL.map(|l| (m.id, l)))
    {
        let number = DocumentKind::ALL.iter().position(|l| *l == kind).unwrap() as i64;
        let is_of_matrix = |row: &&ListedRow| (row.model, row.level) == (model.into(), number);
        let rows = listed.iter().filter(is_of_matrix);
        let rows: Vec<_> = rows.map(|r| (r.row, r.session, r.turn)).collect();
        let owners = index.vector_owners(model, kind).unwrap();
        let owners = owners.rows().map(|o| {
            let turn = o.turn.map_or(0, i64::from);
            (o.row as i64, i64::from(o.session), turn)
        });
        assert_eq!(owners.collect::<Vec<_>>(), rows);
    }
}

/// Number, session and tokens of each turn.
pub(super) type TurnNumbers = Vec<(i64, i64, i64)>;

pub(super) fn turns_of_blocks(db: &Connection) -> TurnNumbers {
    let mut find = db.prepare("SELECT block, turns FROM turn_blocks").unwrap();
    let mut blocks = find.query([]).unwrap();
    let mut all = Vec::new();
    while let Some(block) = blocks.next().unwrap() {
        let first = block.get::<_, i64>(0).unwrap() * 512;
        let turns: Vec<u8> = block.get(1).unwrap();
        let number = |bytes: &[u8]| i64::from(u32::from_le_bytes(bytes.try_into().unwrap()));
        let turns = turns.chunks_exact(8).map(|pair| pair.split_at(4));
        let turns = turns.map(|(session, tokens)| (number(session), number(tokens)));
        all.extend(
            (first..)
                .zip(turns)
                .map(|(id, (session, tokens))| (id, session, tokens)),
        );
    }
    all.retain(|(_, session, _)| *session != 0);
    all.sort_unstable();
    all
}

pub(super) fn turns_of_tables(db: &Connection) -> TurnNumbers {
    let mut find = db
        .prepare("SELECT t.id, t.session, d.sz FROM turns t LEFT JOIN words_docsize d ON d.id = t.id ORDER BY t.id")
        .unwrap();
    let turns = find.query_map([], |row| {
        let sizes: Option<Vec<u8>> = row.get(2)?;
        // Less than 128 of each column.
        let tokens = sizes.iter().flatten().map(|size| i64::from(*size)).sum();
        Ok((row.get(0)?, row.get(1)?, tokens))
    });
    turns.unwrap().collect::<rusqlite::Result<_>>().unwrap()
}

/// The buckets hold an entry for each hash of a turn, and no other.
pub fn check_turn_keys(index: &Reader) {
    let db = Connection::open(index.root().join("index.db")).unwrap();
    let mut wanted = Vec::new();
    let mut find = db
        .prepare("SELECT id, origin, prompt_time, leaf FROM turns")
        .unwrap();
    let mut rows = find.query([]).unwrap();
    while let Some(row) = rows.next().unwrap() {
        let turn: u64 = row.get::<_, i64>(0).unwrap().cast_unsigned();
        let hashes = (1..4).filter_map(|column| row.get::<_, Option<i64>>(column).unwrap());
        let hashes = hashes.map(|hash| hash.cast_unsigned() << 1);
        wanted.extend(hashes.map(|bits| (bits >> 52, (bits << 12 >> 40 << 40) + turn)));
    }
    let mut find = db.prepare("SELECT bucket, keys FROM turn_keys").unwrap();
    let mut rows = find.query([]).unwrap();
    let mut stored = Vec::new();
    while let Some(row) = rows.next().unwrap() {
        let bucket = row.get::<_, i64>(0).unwrap().cast_unsigned() & 0xfff; // of some layer
        let keys: Vec<u8> = row.get(1).unwrap();
        let entries = keys.chunks_exact(8);
        let entries = entries.map(|bytes| u64::from_le_bytes(bytes.try_into().unwrap()));
        stored.extend(entries.map(|entry| (bucket, entry)));
    }
    wanted.sort_unstable();
    stored.sort_unstable();
    assert_eq!(stored, wanted);
}

/// A model is noted as complete exactly where the tables say so.
pub(super) fn check_completeness(index: &Reader, model: &ModelRow, pending: &BTreeSet<SessionId>) {
    let db = Connection::open(index.root().join("index.db")).unwrap();
    let select = "SELECT s.id FROM sessions s WHERE NOT EXISTS
        (SELECT 1 FROM embedded e WHERE e.model = ?1 AND e.session = s.id AND e.revision = s.revision)";
    let mut find = db.prepare(select).unwrap();
    let rows = find.query_map([i64::from(model.id)], |row| row.get(0).map(SessionId::new));
    let rows: BTreeSet<SessionId> = rows.unwrap().collect::<rusqlite::Result<_>>().unwrap();
    assert_eq!(*pending, rows);
    let has_pending = index.has_pending_sessions(&[model.id]).unwrap();
    assert_eq!(has_pending, !pending.is_empty());
}

/// As many dead rows are noted as there are.
pub(super) fn check_dead_rows(index: &Reader, model: &ModelRow) {
    let db = Connection::open(index.root().join("index.db")).unwrap();
    for kind in DocumentKind::ALL {
        let select = format!("SELECT {}_dead FROM models WHERE id = ?1", kind.name());
        let noted: i64 = db
            .query_row(&select, [i64::from(model.id)], |row| row.get(0))
            .unwrap();
        let live = index.vector_owners(model.id, kind).unwrap().count();
        assert_eq!(noted as usize + live, model.rows(kind));
    }
}

/// Sessions that are not pending have the vectors of their texts, and no others.
pub(super) fn check_vectors(index: &Reader) {
    let Some(model) = index.model("f00d").unwrap() else {
        return;
    };
    let pending: BTreeSet<SessionId> = index
        .pending_sessions(&[model.id])
        .unwrap()
        .iter()
        .map(|p| p.session)
        .collect();
    check_completeness(index, &model, &pending);
    check_dead_rows(index, &model);
    for kind in DocumentKind::ALL {
        let matrix = index.matrix(&model, kind).unwrap();
        assert_eq!(matrix.rows(), model.rows(kind));
        let mut rows: Vec<(SessionId, Option<TurnId>, Vec<f32>)> = index
            .vector_owners(model.id, kind)
            .unwrap()
            .rows()
            .map(|o| (o.session, o.turn, matrix.row(o.row)))
            .filter(|r| !pending.contains(&r.0))
            .collect();
        for session in index
            .sessions()
            .unwrap()
            .iter()
            .filter(|s| !pending.contains(&s.id))
        {
            let wanted = documents(index, session.id);
            for document in wanted.iter().filter(|d| kind_of(d) == kind) {
                let vector = vector(&document.text);
                if vector.iter().all(|x| *x == 0.0) {
                    continue;
                }
                let row = rows.iter().position(|r| {
                    (r.0, r.1) == (session.id, document.turn) && is_near(&r.2, &vector)
                });
                rows.swap_remove(row.unwrap_or_else(|| panic!("{document:?} has no vector")));
            }
        }
        assert_eq!(rows, [], "these stand for nothing");
    }
}
