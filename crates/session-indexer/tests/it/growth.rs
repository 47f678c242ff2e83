//! Histories that grow: reading them in steps is reading them at once.

use crate::embedder::Buckets;
use crate::home::{Home, say, session_id, title, turns, word};
use crate::state::{dump, found, numbered_dump, texts, vectors};
use proptest::prelude::*;
use session_indexer::{RefreshOptions, RefreshOutcome, refresh};
use std::time::SystemTime;

/// A history of three transcripts and a database, the way it grows.
#[derive(Debug)]
struct Growth {
    contents: Vec<Vec<u8>>,
    /// At each step, how much there is of each transcript.
    steps: Vec<Vec<f64>>,
}

fn growth(is_fork: bool) -> impl Strategy<Value = Growth> {
    let counts = prop::collection::vec(0..5usize, 3);
    let step = prop::collection::vec(0.0..1.0f64, 3);
    (counts, prop::collection::vec(step, 1..4)).prop_map(move |(counts, steps)| {
        let mut contents: Vec<Vec<u8>> = counts
            .iter()
            .enumerate()
            .map(|(n, count)| (turns(n, 0, *count) + &title(&format!("headline{n}"))).into_bytes())
            .collect();
        if is_fork {
            // It repeats the first and goes on by itself.
            contents[2] = (turns(0, 0, counts[0]) + &turns(2, counts[0], 2)).into_bytes();
        }
        Growth { contents, steps }
    })
}

/// Indexes these histories in one full read.
fn fresh(growth: &Growth, model: &Buckets) -> Home {
    let home = Home::new();
    for (n, content) in growth.contents.iter().enumerate() {
        home.write(n, content);
    }
    converse(&home, growth.steps.len());
    run(&home, model);
    home
}

/// As much of a conversation with OpenCode as there is after some steps.
fn converse(home: &Home, steps: usize) {
    let db = home.database();
    for n in 0..steps {
        let at = n as i64 * 2 + 1;
        let words = format!("Where does harbour{n} keep its settings?");
        say(&db, "ses_a", at, "user", &words);
        say(
            &db,
            "ses_a",
            at + 1,
            "assistant",
            "In a file below the home folder.",
        );
    }
}

fn grown(growth: &Growth, model: &Buckets) -> Home {
    let home = Home::new();
    let mut lengths = vec![0; growth.contents.len()];
    for (step, shares) in growth.steps.iter().enumerate() {
        for (n, content) in growth.contents.iter().enumerate() {
            let length = (content.len() as f64 * shares[n]) as usize;
            lengths[n] = length.max(lengths[n]);
            home.write(n, &content[..lengths[n]]);
        }
        let db = home.database();
        let at = step as i64 * 2 + 1;
        let words = format!("Where does harbour{step} keep its settings?");
        say(&db, "ses_a", at, "user", &words);
        run(&home, model);
        say(
            &db,
            "ses_a",
            at + 1,
            "assistant",
            "In a file below the home folder.",
        );
    }
    for (n, content) in growth.contents.iter().enumerate() {
        home.write(n, content);
    }
    run(&home, model);
    home
}

fn run(home: &Home, model: &Buckets) {
    let options = home.options_with(model);
    assert!(refresh(&options).unwrap().is_complete());
    assert_eq!(
        refresh(&options).unwrap(),
        RefreshOutcome::default(),
        "nothing is left"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn reading_in_steps_is_reading_at_once(growth in growth(false)) {
        let model = Buckets::new("b");
        let homes = [fresh(&growth, &model), grown(&growth, &model)];
        let [whole, steps] = homes.each_ref().map(Home::reader);
        prop_assert_eq!(dump(&steps), dump(&whole));
        let fingerprint = model.fingerprint();
        prop_assert_eq!(vectors(&steps, &fingerprint), vectors(&whole, &fingerprint));
        for probe in ["topic0x0", "topic1x2", "journalctl", "refused", "harbour0", "headline1", "文字"] {
            prop_assert_eq!(found(&steps, probe), found(&whole, probe), "{}", probe);
        }
    }

    /// Which copy is the owner may depend on what came first; that each text is
    /// found once does not.
    #[test]
    fn forks_are_found_once_whatever_came_first(growth in growth(true)) {
        let model = Buckets::new("b");
        let homes = [fresh(&growth, &model), grown(&growth, &model)];
        let [whole, steps] = homes.each_ref().map(Home::reader);
        prop_assert_eq!(texts(&steps), texts(&whole));
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let index = |threads| {
        let home = Home::new();
        for n in 0..12 {
            home.write(n, turns(n, 0, 1 + n % 4).as_bytes());
        }
        // Copies of what an earlier and a later file say.
        home.write(5, (turns(9, 0, 2) + &turns(1, 0, 2)).as_bytes());
        converse(&home, 3);
        let options = RefreshOptions {
            threads,
            ..home.options()
        };
        assert_eq!(refresh(&options).unwrap().files_read, 13);
        numbered_dump(&home.reader())
    };
    let one = index(1);
    assert!(one.contains("harbour2"));
    for threads in [2, 8] {
        assert_eq!(index(threads), one, "{threads} threads");
    }
}

#[test]
fn a_file_that_has_grown_is_read_on() {
    let home = Home::new();
    home.write(0, turns(0, 0, 3).as_bytes());
    assert_eq!(home.refresh().turns, 3);
    home.write(0, turns(0, 0, 5).as_bytes());
    let outcome = home.refresh();
    assert_eq!(outcome.files_read, 1);
    assert!(
        outcome.turns <= 3,
        "the last known, perhaps, and the two new: {outcome:?}"
    );
    let place = (session_id(0), 4);
    assert_eq!(found(&home.reader(), &word(0, 4)), [place].into());
}

#[test]
fn where_nothing_changed_nothing_is_written() {
    let home = Home::new();
    home.write(0, turns(0, 0, 2).as_bytes());
    converse(&home, 1);
    let model = Buckets::new("b");
    run(&home, &model);
    let state = || -> Vec<(SystemTime, u64)> {
        ["index.db", "index.db-wal"]
            .iter()
            .filter_map(|name| fs_err::metadata(home.root().join(name)).ok())
            .map(|meta| (meta.modified().unwrap(), meta.len()))
            .collect()
    };
    let before = state();
    for _ in 0..3 {
        run(&home, &model);
    }
    assert_eq!(state(), before);
}

#[cfg(unix)]
#[test]
fn what_cannot_be_listed_is_recorded_once() {
    let home = Home::new();
    let projects = home.transcript(0).parent().unwrap().to_owned();
    let loop_path = projects.join(session_id(7));
    std::os::unix::fs::symlink(projects.parent().unwrap(), loop_path).unwrap();
    home.write(0, turns(0, 0, 1).as_bytes());
    let config = projects.ancestors().nth(2).unwrap().to_str().unwrap();
    // The same folder twice is one place.
    let env = home
        .env()
        .var("CLAUDE_CONFIG_DIR", &format!("{config},{config}"));
    let options = || RefreshOptions::new(&home.root(), &env);
    refresh(&options()).unwrap();
    let problems = home.reader().problems().unwrap();
    assert_eq!((problems.len(), problems[0].count), (1, 1), "{problems:?}");
    refresh(&options()).unwrap();
    assert_eq!(home.reader().problems().unwrap(), problems);
    assert!(
        session_indexer::discover(&env, &home.reader(), &session_forget::Exclusions::default())
            .unwrap()
            .is_empty()
    );
}

/// A line that puts a prompt into the queue of a session.
fn enqueue(text: &str) -> String {
    format!(
        "{{\"type\":\"queue-operation\",\"operation\":\"enqueue\",\"timestamp\":\"2026-01-15T10:00:00Z\",\"content\":\"{text}\"}}\n"
    )
}

#[test]
fn a_prompt_that_waits_is_found_until_it_is_taken_back() {
    let home = Home::new();
    let waits = turns(0, 0, 2) + &enqueue("Mind the lighthouse keeper");
    home.write(0, waits.as_bytes());
    home.refresh();
    let waiting = [(session_id(0), 2)].into();
    assert_eq!(found(&home.reader(), "lighthouse"), waiting);
    let popped = waits.clone() + "{\"type\":\"queue-operation\",\"operation\":\"popAll\"}\n";
    home.write(0, popped.as_bytes());
    home.refresh();
    assert_eq!(found(&home.reader(), "lighthouse"), [].into());
    assert_eq!(home.reader().sessions().unwrap()[0].turns, 2);
    assert_eq!(
        found(&home.reader(), &word(0, 1)),
        [(session_id(0), 1)].into()
    );
}

/// The text that came was another one, and a refresh saw the queue before it did.
#[test]
fn a_prompt_that_waits_before_all_turns_is_taken_back() {
    let home = Home::new();
    let waits = enqueue("Mind the lighthouse keeper");
    home.write(0, waits.as_bytes());
    home.refresh();
    let waiting = [(session_id(0), 0)].into();
    assert_eq!(found(&home.reader(), "lighthouse"), waiting);
    let dequeued = waits + "{\"type\":\"queue-operation\",\"operation\":\"dequeue\"}\n";
    home.write(0, dequeued.as_bytes());
    home.refresh();
    assert_eq!(found(&home.reader(), "lighthouse"), [].into());
    home.write(0, (dequeued + &turns(0, 0, 2)).as_bytes());
    home.refresh();
    assert_eq!(found(&home.reader(), "lighthouse"), [].into());
    assert_eq!(home.reader().sessions().unwrap()[0].turns, 2);
    let last = [(session_id(0), 1)].into();
    assert_eq!(found(&home.reader(), &word(0, 1)), last);
}

#[test]
fn a_prompt_that_waits_becomes_the_turn_that_it_opens() {
    let home = Home::new();
    let waits = turns(0, 0, 2) + &enqueue("Mind the lighthouse keeper");
    home.write(0, waits.as_bytes());
    home.refresh();
    let arrived =
        waits + "{\"type\":\"queue-operation\",\"operation\":\"dequeue\"}\n" + &turns(0, 2, 3);
    home.write(0, arrived.as_bytes());
    home.refresh();
    assert_eq!(
        found(&home.reader(), "lighthouse"),
        [].into(),
        "another text came"
    );
    assert_eq!(
        found(&home.reader(), &word(0, 2)),
        [(session_id(0), 2)].into()
    );
}
