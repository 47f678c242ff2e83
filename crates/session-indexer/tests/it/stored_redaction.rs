//! Rules of redaction that come after the histories were read are applied to all that an index holds.

use crate::embedder::Buckets;
use crate::home::{Home, prompts, session_id, title, turns, word};
use crate::state::{dump, found, texts};
use rusqlite::Connection;
use session_core::{ErrorSignature, Progress};
use session_indexer::{
    ReadPolicy, RefreshOptions, RefreshOutcome, RefreshProgress, RefreshStage, refresh,
};
use session_redact::{RedactionSettings, Redactor};
use session_store::{DocumentKind, RewrittenCounts, cache_query_vector};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// One word of the word index, whose bytes would be found as they are.
const SECRET: &str = "zq8lanternw7xk9";
const REDACTED: &str = "Why does [redacted:custom] not start on my machine?";

fn with_patterns(patterns: &[&str]) -> Redactor {
    let settings = RedactionSettings {
        patterns: patterns.iter().map(|text| (*text).to_owned()).collect(),
        ..RedactionSettings::default()
    };
    Redactor::new(&settings).unwrap()
}

fn options<'o>(home: &Home, redactor: &Redactor) -> RefreshOptions<'o> {
    RefreshOptions {
        policy: ReadPolicy {
            redactor: redactor.clone(),
            ..ReadPolicy::default()
        },
        ..home.options()
    }
}

fn refresh_by(home: &Home, redactor: &Redactor) -> RefreshOutcome {
    refresh(&options(home, redactor)).unwrap()
}

/// Turns of session 0, of which the first has the secret in each text.
fn turns_with_secret(count: usize) -> String {
    turns(0, 0, count).replace(&word(0, 0), SECRET)
}

fn title_with_secret() -> String {
    title(&format!("Mend {SECRET} now"))
}

/// A home with two sessions, of which the second repeats the first turn of the first one, and a history of prompts.
fn home_with_histories() -> Home {
    let home = Home::new();
    home.write(0, (turns_with_secret(2) + &title_with_secret()).as_bytes());
    home.write(1, (turns_with_secret(1) + &turns(1, 1, 1)).as_bytes());
    home.write_prompts(&prompts(2, 1).replace(&word(2, 0), SECRET));
    home
}

fn remove_histories(home: &Home) {
    remove_histories_by(home, &Redactor::default());
}

fn remove_histories_by(home: &Home, redactor: &Redactor) {
    (0..2).for_each(|n| fs_err::remove_file(home.transcript(n)).unwrap());
    home.remove_prompts();
    refresh_by(home, redactor);
}

/// All bytes of the index's files, its contents and cursors unpacked.
fn decoded(home: &Home) -> String {
    let index = home.reader();
    let mut all = dump(&index);
    for file in index.files().unwrap() {
        all.push_str(&index.cursor(file.id).unwrap().unwrap_or_default());
    }
    for entry in fs_err::read_dir(home.root()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            all.push_str(&String::from_utf8_lossy(&fs_err::read(path).unwrap()));
        }
    }
    all
}

#[test]
fn a_pattern_that_comes_later_leaves_what_reading_by_it_would_have_stored() {
    let redactor = with_patterns(&[SECRET]);
    let (later, at_once) = (home_with_histories(), home_with_histories());
    later.refresh();
    let outcome = refresh_by(&later, &redactor);
    assert_eq!((outcome.files_read, outcome.redacted.sessions), (0, 1));
    assert_eq!(outcome.redacted.turns, 3, "with a copy and a prompt");
    refresh_by(&at_once, &redactor);
    let (later, at_once) = (later.reader(), at_once.reader());
    assert_eq!(dump(&later), dump(&at_once));
    assert_eq!(texts(&later), texts(&at_once));
    for query in [SECRET, "custom", "machine", "mend now", "refused"] {
        assert_eq!(found(&later, query), found(&at_once, query), "{query}");
    }
    later.verify_thoroughly().unwrap();
}

#[test]
fn sessions_whose_history_is_gone_are_redacted_and_no_trace_is_left() {
    let home = home_with_histories();
    home.refresh();
    remove_histories(&home);
    assert!(decoded(&home).contains(SECRET));
    let redactor = with_patterns(&[SECRET]);
    let outcome = refresh_by(&home, &redactor);
    assert_eq!(outcome.redacted.turns, 3);
    assert!(!decoded(&home).contains(SECRET));
    let index = home.reader();
    assert!(!index.is_purge_pending().unwrap());
    assert!(found(&index, SECRET).is_empty());
    assert_eq!(found(&index, &word(0, 1)).len(), 1, "the rest stays");
    let sessions = index.sessions().unwrap();
    let first = sessions.iter().find(|s| s.uid == session_id(0)).unwrap();
    assert_eq!(first.title.as_deref(), Some("Mend [redacted:custom] now"));
    assert_eq!(
        index.contents(first.id).unwrap()[0].content.prompt,
        REDACTED
    );
    index.verify_thoroughly().unwrap();
}

#[test]
fn signatures_and_vectors_of_what_is_redacted_go_with_it() {
    let home = home_with_histories();
    let model = Buckets::new("buckets");
    refresh(&home.options_with(&model)).unwrap();
    let rows = || {
        let index = home.reader();
        let model = index.models().unwrap().remove(0);
        let count = |kind| index.matrix(&model, kind).unwrap().rows();
        DocumentKind::ALL.map(count)
    };
    let before = rows();
    let has_error = |line: &str| {
        let index = home.reader();
        let sessions = index.sessions().unwrap();
        let first = sessions.iter().find(|s| s.uid == session_id(0)).unwrap();
        let turn = index.turns(first.id).unwrap()[0].session_turn();
        let signature = ErrorSignature::new(line).unwrap();
        index.turns_with_error(signature).unwrap().contains(&turn)
    };
    let line = format!("error: {SECRET} refused");
    assert!(has_error(&line));
    cache_query_vector(&home.root(), "f00d", SECRET, &[1.0]).unwrap();
    let outcome = refresh(&RefreshOptions {
        embedder: Some(&model),
        ..options(&home, &with_patterns(&[SECRET]))
    });
    assert!(outcome.unwrap().embedded > 0);
    assert!(!has_error(&line) && has_error("error: [redacted:custom] refused"));
    assert_eq!(
        rows(),
        before,
        "no row of the text that was replaced is left"
    );
    assert!(!home.root().join("queries").exists());
}

#[test]
fn the_bundled_rules_redact_an_index_that_notes_none() {
    let home = Home::new();
    let leaked = turns(0, 0, 1).replace("Why does", "DB_PASSWORD=correct-horse-9 why does");
    home.write(0, leaked.as_bytes());
    refresh_by(&home, &Redactor::off());
    fs_err::remove_file(home.transcript(0)).unwrap();
    assert!(decoded(&home).contains("correct-horse-9"));
    let db = Connection::open(home.root().join("index.db")).unwrap();
    let delete = "DELETE FROM settings WHERE key = 'redaction_rules'";
    assert_eq!(db.execute(delete, []).unwrap(), 1);
    drop(db);
    assert_eq!(home.refresh().redacted.turns, 1);
    assert!(!decoded(&home).contains("correct-horse-9"));
    assert_eq!(home.refresh().redacted, RewrittenCounts::default());
}

#[test]
fn nothing_is_written_where_the_rules_are_those_of_before() {
    let home = home_with_histories();
    let redactor = with_patterns(&[SECRET]);
    refresh_by(&home, &redactor);
    let index = home.reader();
    let version = index.data_version().unwrap();
    refresh_by(&home, &redactor);
    assert_eq!(index.data_version().unwrap(), version);
    // Rules that find nothing more are noted, and leave all as it is.
    let before = dump(&index);
    let outcome = refresh_by(&home, &with_patterns(&[SECRET, "kiln-[0-9]+"]));
    assert_eq!(outcome.redacted, RewrittenCounts::default());
    assert_eq!(dump(&home.reader()), before);
}

#[test]
fn what_was_indexed_while_redaction_was_off_is_redacted_once_it_is_on() {
    let home = home_with_histories();
    let redactor = with_patterns(&[SECRET]);
    refresh_by(&home, &redactor);
    let off = Redactor::off();
    let more = turns(0, 2, 1).replace(&word(0, 2), SECRET);
    home.write(
        0,
        (turns_with_secret(2) + &title_with_secret() + &more).as_bytes(),
    );
    let outcome = refresh_by(&home, &off);
    assert_eq!(outcome.redacted, RewrittenCounts::default());
    assert!(decoded(&home).contains(SECRET));
    remove_histories_by(&home, &off);
    assert!(refresh_by(&home, &redactor).redacted.turns > 0);
    assert!(!decoded(&home).contains(SECRET));
}

/// Panics when a refresh has redacted the first part of the index.
struct Killer;

impl RefreshProgress for Killer {
    fn report(&self, stage: RefreshStage, _: Progress) {
        assert!(stage != RefreshStage::Redacting, "killed");
    }
}

#[test]
fn a_killed_refresh_is_taken_up_by_the_next() {
    let home = home_with_histories();
    home.refresh();
    remove_histories(&home);
    let redactor = with_patterns(&[SECRET]);
    let killed = catch_unwind(AssertUnwindSafe(|| {
        let progress = &Killer;
        refresh(&RefreshOptions {
            progress,
            ..options(&home, &redactor)
        })
    }));
    assert!(killed.is_err());
    assert!(home.reader().is_purge_pending().unwrap());
    let outcome = refresh_by(&home, &redactor);
    assert_eq!(outcome.redacted, RewrittenCounts::default(), "it was done");
    assert!(!decoded(&home).contains(SECRET));
    assert!(!home.reader().is_purge_pending().unwrap());
}

#[test]
fn a_full_refresh_leaves_no_trace_of_what_it_replaces() {
    let home = Home::new();
    home.write(0, turns_with_secret(2).as_bytes());
    home.refresh();
    assert!(decoded(&home).contains(SECRET));
    // Masked in the history, at the same length and time.
    let masked = "x".repeat(SECRET.len());
    home.write(0, turns_with_secret(2).replace(SECRET, &masked).as_bytes());
    assert_eq!(home.refresh().files_read, 0, "nothing tells it");
    home.refresh_fully();
    let index = home.reader();
    assert!(!index.is_purge_pending().unwrap());
    assert_eq!(found(&index, &masked).len(), 1);
    drop(index);
    assert!(!decoded(&home).contains(SECRET));
}
