//! Databases with damaged pages and bad rows.

use crate::database::{greeting, prompts, warnings};
use crate::fixture::{
    Home, assistant, insert, insert_message, insert_part, read, render, session, text, user,
};
use fs_err as fs;
use insta::assert_snapshot;
use rusqlite::Connection;
use session_sources::CollectingSink;
use std::path::Path;

#[test]
fn a_damaged_page_costs_only_the_session_on_it() {
    let home = Home::new();
    let db = home.connect();
    for id in ["ses_a", "ses_b", "ses_c"] {
        let words = id.repeat(2000);
        insert(
            &db,
            &session(
                id,
                vec![user(vec![text("Hello.")]), assistant(vec![text(&words)])],
            ),
        );
    }
    db.close().unwrap();
    let whole = read(&home.database());
    damage_long_value(&home.database(), b"ses_bses_b");

    let found = read(&home.database());
    let answers: Vec<usize> = found
        .turns
        .iter()
        .map(|collected| collected.turn.parts.len())
        .collect();
    assert_eq!(
        (prompts(&found), answers),
        (vec!["Hello."; 3], vec![1, 0, 1])
    );
    assert_eq!(
        warnings(&found),
        "1x session could not be read: database is damaged"
    );
    let mut again = CollectingSink::default();
    crate::fixture::read_from(&home.database(), found.cursor.as_ref(), &mut again);
    let ids: Vec<&str> = again.sessions.iter().map(|s| s.id.as_str()).collect();
    assert_eq!(ids, ["ses_b"], "it is tried again");

    let db = Connection::open(home.database()).unwrap();
    db.execute("UPDATE session SET time_updated = 9999", [])
        .unwrap();
    let mut after = CollectingSink::default();
    crate::fixture::read_from(&home.database(), whole.cursor.as_ref(), &mut after);
    let ids: Vec<&str> = after.sessions.iter().map(|s| s.id.as_str()).collect();
    assert_eq!(
        ids,
        ["ses_a", "ses_c"],
        "what was read whole stays as it was"
    );
    assert_eq!(
        warnings(&after),
        "1x session could not be read: database is damaged"
    );
    let more = text("More.").to_string();
    insert_message(&db, "ses_b", "msg_b_09", 9000, r#"{"role":"user"}"#);
    insert_part(&db, "msg_b_09", "prt_b_09", 9000, &more);
    let mut grown = CollectingSink::default();
    crate::fixture::read_from(&home.database(), whole.cursor.as_ref(), &mut grown);
    assert!(prompts(&grown).contains(&"More."), "what is new is read");
}

#[test]
fn a_damaged_page_of_parts_costs_no_session_without_a_part_on_it() {
    let home = Home::new();
    let db = home.connect();
    db.execute_batch("CREATE INDEX part_message_idx ON part (message_id)")
        .unwrap();
    for id in ["ses_a", "ses_b", "ses_c"] {
        // Some pages of parts for each.
        let answers =
            (0..40).map(|n| assistant(vec![text(&format!("{id} {n} {}", "x".repeat(300)))]));
        let messages = std::iter::once(user(vec![text("Hello.")])).chain(answers);
        insert(&db, &session(id, messages.collect()));
    }
    db.close().unwrap();
    let mut bytes = fs::read(home.database()).unwrap();
    // A leaf of a table begins with 13; only parts hold these words.
    let holds = |page: &&mut [u8]| page[0] == 13 && page.windows(8).any(|w| w == b"ses_b 20");
    let page = bytes.chunks_mut(4096).find(holds).unwrap();
    page[..100].fill(0xff);
    fs::write(home.database(), bytes).unwrap();

    let found = read(&home.database());
    let ids: Vec<&str> = found.sessions.iter().map(|s| s.id.as_str()).collect();
    assert_eq!(ids, ["ses_a", "ses_b", "ses_c"], "{}", warnings(&found));
    let answers = |session: usize| found.turns[session].turn.parts.len();
    assert_eq!((answers(0), answers(2)), (40, 40));
    assert!((1..40).contains(&answers(1)), "{}", answers(1));
    assert_eq!(
        warnings(&found),
        "1x session could not be read: database is damaged"
    );
}

/// A page of a long value begins with the number of the next.
fn damage_long_value(database: &Path, begins_with: &[u8; 10]) {
    let mut bytes = fs::read(database).unwrap();
    let holds = |page: &&mut [u8]| page[4..].windows(10).take(6).any(|w| w == begins_with);
    let page = bytes.chunks_mut(4096).find(holds).unwrap();
    page[..4].fill(0xff);
    fs::write(database, bytes).unwrap();
}

#[test]
fn bad_rows_cost_only_themselves() {
    let home = Home::new();
    let db = home.connect();
    insert(&db, &greeting("ses_a"));
    insert_message(&db, "ses_a", "msg_a_03", 3000, "{\"role\":");
    insert_part(
        &db,
        "msg_a_03",
        "prt_lost",
        3000,
        &text("Lost.").to_string(),
    );
    insert_part(&db, "msg_a_01", "prt_1", 3000, "");
    insert_part(&db, "msg_a_01", "prt_2", 3000, "[1]");
    insert_part(
        &db,
        "msg_a_01",
        "prt_3",
        3000,
        &text("And good-bye.").to_string(),
    );
    insert_part(&db, "msg_a_01", "prt_4", 3000, "");
    db.execute(
        "UPDATE part SET data = zeroblob(67108865) WHERE id = 'prt_4'",
        [],
    )
    .unwrap();
    let found = read(&home.database());
    let turns: Vec<_> = found
        .turns
        .iter()
        .map(|collected| collected.turn.clone())
        .collect();
    assert_snapshot!(render(&turns), @"
    0 typed: Hello.
      text: Hi.
      text: And good-bye.
    ");
    assert_eq!(
        turns[0].span.end, 3,
        "the message that cannot be read has its place"
    );
    assert_snapshot!(warnings(&found), @"
    1x message or part is longer than 64 MB
    3x message or part is not valid JSON
    ");
}

#[test]
fn rows_of_any_types_cost_only_themselves() {
    let home = Home::new();
    let db = home.connect();
    insert(&db, &greeting("ses_a"));
    db.execute_batch(
        r#"INSERT INTO session VALUES (7, x'00ff', 3.5, NULL, x'80', 'soon', -1);
        INSERT INTO session VALUES ('ses_odd', NULL, NULL, NULL, NULL, NULL, NULL);
        INSERT INTO message VALUES ('m1', 'ses_odd', 1e300, NULL, 'not json'),
            ('m2', 'ses_odd', 2, 2, NULL), (NULL, 'ses_odd', 3, 3, x'ff');
        INSERT INTO part VALUES ('p1', 'm1', 'ses_odd', 1, 1, '[]'),
            ('p2', 'm2', 'ses_odd', 2, 2, '{"type":"text","text":7}');"#,
    )
    .unwrap();
    let found = read(&home.database());
    assert_eq!(prompts(&found), ["Hello."]);
    assert_eq!(warnings(&found), "4x message or part is not valid JSON");
}
