//! The segments that are written here are those that FTS5 would have written.

use super::pending_words::WordLimits;
use super::segment_rows::StoredSegment;
use super::word_sorter::{WordBatch, WordSorter};
use super::*;
use crate::Writer;
use crate::error::StoreError;
use crate::id::TurnId;
use crate::schema::words_table;
use proptest::prelude::*;
use rusqlite::{Connection, params};

/// An index beside a table that FTS5 filled by `INSERT`.
struct Pair {
    _home: tempfile::TempDir,
    ours: Writer,
    theirs: Connection,
}

type Texts = [String; COLUMNS];

/// A term, a turn, a column and an offset.
type Instance = (String, i64, String, i64);

impl Pair {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let mut ours = Writer::open(home.path()).unwrap();
        ours.begin().unwrap();
        let theirs = Connection::open_in_memory().unwrap();
        theirs.execute_batch(&words_table()).unwrap();
        for db in [&ours.reader.db, &theirs] {
            let vocabulary =
                "CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, words, instance)";
            db.execute_batch(vocabulary).unwrap();
        }
        Self {
            _home: home,
            ours,
            theirs,
        }
    }

    /// Sorts few words at once.
    fn sorting(large_leaves: u32) -> Self {
        let mut pair = Self::new();
        pair.ours.pending.words.limits = WordLimits {
            batch_bytes: 300,
            batches: 5,
            large_leaves,
        };
        pair
    }

    fn insert(&mut self, turn: i64, texts: &Texts) {
        self.delete(turn);
        let words = TurnWords::new(self.ours.pending.words.tokenizer().unwrap(), texts).unwrap();
        let writer = &mut self.ours;
        writer
            .pending
            .words
            .insert(&writer.reader, TurnId::new(turn), words)
            .unwrap();
        let insert = "INSERT INTO words(rowid, answer, prompt, title, commands, paths, errors, parts) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        let [a, b, c, d, e, f, g] = texts;
        self.theirs
            .execute(insert, params![turn, a, b, c, d, e, f, g])
            .unwrap();
    }

    fn delete(&mut self, turn: i64) {
        self.ours.delete_words(TurnId::new(turn)).unwrap();
        self.theirs
            .execute("DELETE FROM words WHERE rowid = ?1", [turn])
            .unwrap();
    }

    fn flush(&mut self) {
        self.ours.pending.words.flush(&self.ours.reader).unwrap();
    }

    fn check(&mut self) {
        self.flush();
        let check = "INSERT INTO words(words) VALUES('integrity-check')";
        self.ours.reader.db.execute_batch(check).unwrap();
        assert_eq!(instances(&self.ours.reader.db), instances(&self.theirs));
        assert_eq!(sizes(&self.ours.reader.db), sizes(&self.theirs));
        let averages = "SELECT block FROM words_data WHERE id = 1";
        // Of a turn that was inserted and deleted at once FTS5 leaves eight zeros, which say as much as no byte.
        let averages = |db: &Connection| -> Vec<u8> {
            let mut block: Vec<u8> = db.query_row(averages, [], |row| row.get(0)).unwrap();
            block.resize(block.len().max(8), 0);
            block
        };
        self.theirs
            .execute_batch("INSERT INTO words(words) VALUES('flush')")
            .unwrap();
        assert_eq!(averages(&self.ours.reader.db), averages(&self.theirs));
    }

    fn segments(&self) -> u32 {
        let count = "SELECT count(DISTINCT segid) FROM words_idx";
        self.ours
            .reader
            .db
            .query_row(count, [], |row| row.get(0))
            .unwrap()
    }
}

fn instances(db: &Connection) -> Vec<Instance> {
    let select = "SELECT term, doc, col, offset FROM vocabulary ORDER BY term, doc, col, offset";
    let mut find = db.prepare(select).unwrap();
    let rows = find.query_map([], |row| {
        Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
    });
    rows.unwrap().collect::<rusqlite::Result<_>>().unwrap()
}

fn sizes(db: &Connection) -> Vec<(i64, Vec<u8>)> {
    let mut find = db
        .prepare("SELECT id, sz FROM words_docsize ORDER BY id")
        .unwrap();
    let rows = find.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
    rows.unwrap().collect::<rusqlite::Result<_>>().unwrap()
}

fn texts(prompt: &str, answer: &str) -> Texts {
    let mut texts = Texts::default();
    texts[0] = prompt.to_owned();
    texts[1] = answer.to_owned();
    texts
}

#[derive(Debug, Clone)]
enum Step {
    Insert(i64, Texts),
    Delete(i64),
    Flush,
    Optimize,
}

fn text() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        4 => "[a-c]{1,3}",
        2 => "[A-Za-z0-9_'./-]{0,12}",
        1 => "\\PC{0,6}",
        1 => Just("Überprüfungen naïve—café’s ½x e\u{301}a \u{0} ß ﬁx".to_owned()),
        1 => "[a-z]{60,70}",
    ];
    prop::collection::vec(word, 0..8).prop_map(|words| words.join(" "))
}

fn step() -> impl Strategy<Value = Step> {
    let turn = 1..12i64;
    let texts = prop::array::uniform7(text());
    prop_oneof![
        6 => (turn.clone(), texts).prop_map(|(turn, texts)| Step::Insert(turn, texts)),
        2 => turn.prop_map(Step::Delete),
        3 => Just(Step::Flush),
        1 => Just(Step::Optimize),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_segment_is_what_fts5_writes(
        steps in prop::collection::vec(step(), 1..40),
        sorts in prop::option::of(1..4u32),
    ) {
        let mut pair = sorts.map_or_else(Pair::new, Pair::sorting);
        for step in &steps {
            match step {
                Step::Insert(turn, texts) => pair.insert(*turn, texts),
                Step::Delete(turn) => pair.delete(*turn),
                Step::Flush => pair.flush(),
                Step::Optimize => {
                    pair.flush();
                    let optimize = "INSERT INTO words(words) VALUES('optimize')";
                    pair.ours.reader.db.execute_batch(optimize).unwrap();
                }
            }
        }
        pair.check();
    }
}

#[test]
fn lists_of_common_terms_span_many_leaves() {
    let mut pair = Pair::new();
    for turn in 1..3_000 {
        let rare = format!("rare{} the", turn % 700);
        pair.insert(
            turn,
            &texts(&"the of ".repeat(usize::try_from(turn).unwrap() % 9), &rare),
        );
        if turn % 1_000 == 0 {
            pair.flush();
        }
    }
    pair.insert(3_000, &texts(&"one ".repeat(40_000), &"x ".repeat(30_000)));
    pair.delete(77);
    pair.delete(2_999);
    pair.check();
    for query in ["the", "\"of the\"", "rare5 AND the", "one", "the NOT rare7"] {
        let select = "SELECT group_concat(rowid) FROM words WHERE words MATCH ?1";
        let found = |db: &Connection| -> Option<String> {
            db.query_row(select, [query], |row| row.get(0)).unwrap()
        };
        assert_eq!(found(&pair.ours.reader.db), found(&pair.theirs), "{query}");
    }
}

#[test]
fn batches_become_one_segment() {
    let mut pair = Pair::new();
    pair.ours.pending.words.limits.batch_bytes = 100_000;
    for turn in 1..3_000 {
        let prompt = "the of ".repeat(usize::try_from(turn).unwrap() % 9);
        let answer = format!("rare{} the t{turn}", turn % 700);
        pair.insert(turn, &texts(&prompt, &answer));
    }
    pair.flush();
    assert_eq!(pair.segments(), 1);
    pair.check();
}

#[test]
fn a_turn_that_is_being_sorted_can_be_replaced() {
    let mut pair = Pair::new();
    pair.ours.pending.words.limits.batch_bytes = 10_000;
    pair.insert(7, &texts("from an earlier segment", ""));
    pair.flush();
    for turn in 1..3_000 {
        let answer = format!("rare{} the t{turn}", turn % 700);
        pair.insert(turn, &texts("the of", &answer));
        if turn % 500 == 0 {
            pair.insert(turn / 2, &texts(&format!("again {turn}"), "the"));
            pair.delete(turn / 3);
        }
        if turn == 2_000 {
            pair.delete(250);
        }
    }
    pair.insert(300, &texts(&"one ".repeat(40_000), &"x ".repeat(30_000)));
    pair.check();
}

#[test]
fn batches_may_come_in_any_order_of_turns() {
    let mut pair = Pair::new();
    pair.ours.pending.words.limits.batch_bytes = 20_000;
    for n in 0..3_000 {
        let turn = 1 + n * 1_013 % 3_001;
        let answer = format!("rare{} the t{turn}", turn % 700);
        pair.insert(turn, &texts(&"the of ".repeat(3), &answer));
    }
    pair.flush();
    assert_eq!(pair.segments(), 1);
    pair.check();
}

#[test]
fn many_batches_are_several_segments() {
    let mut pair = Pair::sorting(1);
    for turn in 1..100 {
        pair.insert(turn, &texts(&format!("the t{turn}"), &"x ".repeat(50)));
    }
    pair.flush();
    assert!((2..20).contains(&pair.segments()), "{}", pair.segments());
    pair.check();
}

#[test]
fn words_that_cannot_be_sorted_are_no_segment() {
    let mut pair = Pair::new();
    let words = TurnWords::new(
        pair.ours.pending.words.tokenizer().unwrap(),
        &texts("one", ""),
    )
    .unwrap();
    let sorter = WordSorter::start(pair._home.path().join("missing")).unwrap();
    for turn in 1..4 {
        sorter.push(WordBatch {
            terms: words.terms.clone(),
            turns: [(TurnId::new(turn), words.clone())].into(),
        });
    }
    let mut segment = StoredSegment::new(&pair.ours.reader.db, 1);
    assert!(matches!(
        sorter.finish(&mut segment),
        Err(StoreError::Io(_))
    ));
    assert_eq!(pair.segments(), 0);
}

#[test]
fn nothing_is_committed_after_words_were_lost() {
    let mut pair = Pair::new();
    pair.ours.pending.words.limits.batch_bytes = 10;
    pair.insert(1, &texts("one", ""));
    fs_err::remove_dir_all(pair._home.path()).unwrap();
    pair.insert(2, &texts("two", ""));
    assert!(matches!(pair.ours.commit(), Err(StoreError::Io(_))));
    assert!(matches!(pair.ours.commit(), Err(StoreError::Failed)));
    assert!(matches!(pair.ours.begin(), Err(StoreError::Failed)));
}

#[test]
fn the_index_of_a_list_has_levels() {
    let mut pair = Pair::new();
    // A leaf a turn, and numbers far apart: the list takes a page of index each 700 leaves.
    let number = |turn: i64| turn << 36;
    let mut words = |texts: Texts| {
        TurnWords::new(pair.ours.pending.words.tokenizer().unwrap(), &texts).unwrap()
    };
    let common = words(texts("", &"a ".repeat(4_050)));
    let both = words(texts("rare", "a"));
    let writer = &mut pair.ours;
    for turn in 1..1_600 {
        let words = if turn % 400 == 0 { &both } else { &common };
        let turn = TurnId::new(number(turn));
        writer
            .pending
            .words
            .insert(&writer.reader, turn, words.clone())
            .unwrap();
    }
    pair.flush();
    let db = &pair.ours.reader.db;
    db.execute_batch("INSERT INTO words(words) VALUES('integrity-check')")
        .unwrap();
    let indexes = "SELECT count(*) FROM words_data WHERE id >> 36 & 1";
    let indexes: u32 = db.query_row(indexes, [], |row| row.get(0)).unwrap();
    assert!(indexes > 2, "{indexes}");
    let mut find = db
        .prepare("SELECT rowid FROM words WHERE words MATCH 'a rare' ORDER BY rowid")
        .unwrap();
    let found: rusqlite::Result<Vec<i64>> = find.query_map([], |row| row.get(0)).unwrap().collect();
    assert_eq!(found.unwrap(), [400, 800, 1_200].map(number));
}

#[test]
fn small_segments_are_merged_as_they_come() {
    let mut pair = Pair::new();
    for turn in 1..400 {
        let answer: String = (0..300).map(|n| format!("w{} ", n * turn)).collect();
        pair.insert(turn, &texts("the same", &answer));
        pair.flush();
    }
    assert!(pair.segments() < 30, "{}", pair.segments());
    pair.check();
}

#[test]
fn a_full_table_of_terms_is_replaced() {
    let mut pair = Pair::new();
    for turn in 1..5 {
        let answer: String = (0..100_000).map(|n| format!("t{turn}x{n} ")).collect();
        let words = TurnWords::new(
            pair.ours.pending.words.tokenizer().unwrap(),
            &texts("same", &answer),
        );
        let writer = &mut pair.ours;
        let turn = TurnId::new(turn);
        writer
            .pending
            .words
            .insert(&writer.reader, turn, words.unwrap())
            .unwrap();
    }
    pair.flush();
    assert_eq!(pair.segments(), 1, "of both tables");
    for (query, turns) in [("same", "1,2,3,4"), ("t1x5", "1"), ("t4x99999", "4")] {
        let select = "SELECT group_concat(rowid) FROM words WHERE words MATCH ?1";
        let db = &pair.ours.reader.db;
        let found: String = db.query_row(select, [query], |row| row.get(0)).unwrap();
        assert_eq!(found, turns, "{query}");
    }
}
