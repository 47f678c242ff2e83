//! A refresh that has little time does what it can, and says what is left.

use crate::embedder::Buckets;
use crate::home::{Home, session_id, turns, word};
use crate::state::{dump, found};
use session_indexer::{RefreshMode, RefreshOptions, RefreshOutcome, refresh};
use session_store::Writer;
use std::time::Duration;

const FILES: usize = 20;

fn in_no_time(home: &Home, model: &Buckets) -> RefreshOutcome {
    let options = RefreshOptions {
        budget: Some(Duration::ZERO),
        ..home.options_with(model)
    };
    refresh(&options).unwrap()
}

#[test]
fn an_empty_index_is_filled_whatever_time_that_takes() {
    let home = Home::new();
    for n in 0..FILES {
        home.write(n, turns(n, 0, 1).as_bytes());
    }
    let outcome = in_no_time(&home, &Buckets::new("b"));
    assert_eq!((outcome.files_read, outcome.is_complete()), (FILES, true));
}

#[test]
fn what_is_left_is_told_and_done_later() {
    let home = Home::new();
    home.write(0, turns(0, 0, 1).as_bytes());
    let model = Buckets::new("b");
    in_no_time(&home, &model);
    for n in 0..FILES {
        home.write(n, turns(n, 0, 2).as_bytes());
    }
    let first = in_no_time(&home, &model);
    // Each of the two threads reads one.
    assert_eq!((first.files_read, first.files_left), (2, FILES - 2));
    assert_eq!((first.embedded, first.is_complete()), (0, false));
    assert!(first.sessions_left > 0);

    for round in 2..=FILES / 2 {
        assert_eq!(in_no_time(&home, &model).files_left, FILES - 2 * round);
    }
    let rest = refresh(&home.options_with(&model)).unwrap();
    assert_eq!((rest.files_read, rest.is_complete()), (0, true));
    assert_eq!(found(&home.reader(), &word(FILES - 1, 1)).len(), 1);
}

/// Nobody who only searches would ever finish what a killed `forget` began.
#[test]
fn deleted_text_leaves_the_files_all_the_same() {
    let home = Home::new();
    for n in 0..2 {
        home.write(n, turns(n, 0, 1).as_bytes());
    }
    home.refresh();
    let forgotten = word(1, 0);
    fs_err::remove_file(home.transcript(1)).unwrap();
    let mut writer = Writer::open(&home.root()).unwrap();
    let sessions = writer.reader().unwrap().sessions().unwrap();
    let session = sessions.iter().find(|s| s.uid == session_id(1)).unwrap();
    writer.delete_session(session.id).unwrap();
    writer.commit().unwrap();
    drop(writer);
    assert!(home.reader().is_purge_pending().unwrap());

    in_no_time(&home, &Buckets::new("b"));
    assert!(!home.reader().is_purge_pending().unwrap());
    for entry in fs_err::read_dir(home.root()).unwrap() {
        let path = entry.unwrap().path();
        let bytes = if path.is_file() {
            fs_err::read(&path).unwrap()
        } else {
            Vec::new()
        };
        let mut windows = bytes.windows(forgotten.len());
        assert!(!windows.any(|w| w == forgotten.as_bytes()), "{path:?}");
    }
}

/// A transcript of more than one checkpoint's bytes.
fn large() -> Vec<u8> {
    let filler = serde_json::json!({"type": "progress", "data": "x".repeat(600_000)});
    let filler = format!("{filler}\n").repeat(30);
    let head = turns(0, 0, 3);
    format!("{head}{filler}{}{filler}{}", turns(0, 3, 1), turns(0, 4, 2)).into_bytes()
}

/// Not even within one file does a refresh go on for long.
#[test]
fn a_large_file_is_read_in_several_rounds() {
    let home = Home::new();
    home.write(1, turns(1, 0, 1).as_bytes());
    home.refresh();
    home.write(0, &large());
    let model = Buckets::new("b");
    let first = in_no_time(&home, &model);
    assert_eq!((first.files_read, first.files_left), (0, 1));
    assert!(first.turns > 0 && first.turns < 6, "{first:?}");
    assert!(
        found(&home.reader(), &word(0, 0)).len() == 1,
        "what was read is found"
    );
    let mut rounds = 1;
    while in_no_time(&home, &model).files_left > 0 {
        rounds += 1;
        assert!(rounds < 5, "each round gets on");
    }
    assert!(rounds > 1);

    let at_once = Home::new();
    at_once.write(1, turns(1, 0, 1).as_bytes());
    at_once.write(0, &large());
    at_once.refresh();
    assert_eq!(dump(&home.reader()), dump(&at_once.reader()));
}

/// As where a full refresh is killed. The history may be gone before the next one.
#[test]
fn a_session_that_is_read_again_in_part_keeps_its_other_turns() {
    let home = Home::new();
    home.write(0, &large());
    home.refresh();
    let before = dump(&home.reader());
    let options = RefreshOptions {
        mode: RefreshMode::Full,
        budget: Some(Duration::ZERO),
        ..home.options()
    };
    assert_eq!(refresh(&options).unwrap().files_left, 1);
    assert_eq!(found(&home.reader(), &word(0, 5)).len(), 1);
    home.refresh();
    assert_eq!(dump(&home.reader()), before);
}

/// A transcript may be packed: a gigabyte of line feeds takes a megabyte.
#[test]
fn blank_and_damaged_lines_do_not_keep_a_refresh() {
    let home = Home::new();
    home.write(1, turns(1, 0, 1).as_bytes());
    home.refresh();
    let useless = [vec![b'\n'; 1 << 20], b"no JSON\n".repeat(1 << 17)].concat();
    let (first, last) = (turns(0, 0, 1), turns(0, 1, 1));
    home.write(0, &[first.as_bytes(), &useless, last.as_bytes()].concat());
    let model = Buckets::new("b");
    let mut rounds = 1;
    while in_no_time(&home, &model).files_left > 0 {
        rounds += 1;
        assert!(rounds < 20, "each round gets on");
    }
    assert!(rounds > 2, "{rounds}");
    for turn in 0..2 {
        assert_eq!(found(&home.reader(), &word(0, turn)).len(), 1, "{turn}");
    }
    let problems = home.reader().problems().unwrap();
    assert_eq!((problems.len(), problems[0].count), (1, 1 << 17));
}

#[test]
fn what_was_wrong_is_told_though_time_was_up() {
    let home = Home::new();
    home.write(FILES, turns(FILES, 0, 1).as_bytes());
    home.refresh();
    for n in 0..FILES {
        home.write(n, format!("{{not json\n{}", turns(n, 0, 1)).as_bytes());
    }
    let model = Buckets::new("b");
    while in_no_time(&home, &model).files_left > 0 {}
    assert_eq!(home.reader().problems().unwrap().len(), FILES);
}
