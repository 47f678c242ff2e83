//! Markers in prompts, by which a user keeps a session out.

use crate::exclusions::{marked_turns, records_path, refresh_excluding};
use crate::home::{Home, session_id, turns, word};
use crate::state::found;
use session_forget::{ExcludeSettings, ForgottenRecords, MARKER};

/// Typed words keep a session out, quotations and pastes within them do not.
#[test]
fn a_marker_in_a_paste_keeps_nothing_out() {
    let home = Home::new();
    let words = ["How is it oiled?", "What does it say?"];
    let paste = |n: usize| {
        let tag = r#"pasted_content id=\"1cb3\""#;
        let pasted = format!(r"{} <{tag}>A page.\n{MARKER}</{tag}>", words[n]);
        turns(n, 0, 1).replace("on my machine?", &pasted)
    };
    home.write(0, paste(0).as_bytes());
    home.write(1, paste(1).replace(words[1], MARKER).as_bytes());
    let outcome = refresh_excluding(&home, &ExcludeSettings::default()).unwrap();
    assert_eq!(outcome.marked_sessions, [session_id(1)]);
    let index = home.reader();
    assert_eq!(found(&index, &word(0, 0)).len(), 1);
    assert!(found(&index, &word(1, 0)).is_empty());
}

/// The cursor that is stored would pass the marker, which nothing reads again.
#[test]
fn a_marked_session_stays_out_where_its_mark_could_not_be_written() {
    let home = Home::new();
    home.write(0, marked_turns(0).as_bytes());
    home.write(1, turns(1, 0, 1).as_bytes());
    let settings = ExcludeSettings::default();
    let obstacle = records_path(&home).with_extension("lock");
    fs_err::create_dir(&obstacle).unwrap();
    refresh_excluding(&home, &settings).unwrap_err();
    fs_err::remove_dir(&obstacle).unwrap();
    refresh_excluding(&home, &settings).unwrap();
    let index = home.reader();
    assert!(found(&index, &word(0, 0)).is_empty());
    assert_eq!(found(&index, &word(1, 0)).len(), 1);
    let records = ForgottenRecords::open(&records_path(&home)).unwrap();
    assert_eq!(records.entries().len(), 1);
}

#[test]
fn a_marker_that_does_not_count_is_noticed() {
    let home = Home::new();
    let quoted = format!("and `{MARKER}`?");
    home.write(
        0,
        turns(0, 0, 1).replace("on my machine?", &quoted).as_bytes(),
    );
    home.write(1, turns(1, 0, 1).as_bytes());
    let settings = ExcludeSettings::default();
    let outcome = refresh_excluding(&home, &settings).unwrap();
    assert_eq!(outcome.uncounted_markers, [session_id(0)]);
    assert_eq!(outcome.marked_sessions, [""; 0]);
    assert_eq!(found(&home.reader(), &word(0, 0)).len(), 1);
    let again = refresh_excluding(&home, &settings).unwrap();
    assert_eq!(again.uncounted_markers, [""; 0]);
}
