//! The time for which Claude Code keeps its history, shortened and taken back.

use super::*;

/// Claude Code deletes what is older when it starts next.
#[test]
fn no_undo_shortens_the_time_for_which_a_history_is_kept() {
    let user = SetupFixture::new();
    let mine = "{\"cleanupPeriodDays\": 90}";
    fs_err::write(user.home.path().join(SETTINGS), mine).unwrap();
    let deletes = "deletes those that are older than";
    let (_, output) = user.consent_to_setup(&kept_history(365));
    assert!(!output.contains(deletes), "{output}");
    for _ in 0..2 {
        let output = user.undo_setup(&[Agent::Claude]);
        let kept = "`cleanupPeriodDays` stays at 365 in ";
        let hint = "hint: `session-search setup --keep-history 90` ";
        assert!(output.contains(kept) && output.contains(hint), "{output}");
        assert!(user.file(SETTINGS).unwrap().contains("365"), "{output}");
    }
    let (_, output) = user.consent_to_setup(&kept_history(1));
    let (before, _) = output.split_once("\"cleanupPeriodDays\": 365").unwrap();
    let told = format!("for 365 days so far. When it starts next, it {deletes} 1 day.");
    assert!(before.contains(&told), "{output}");
    user.undo_setup(&[]);
    assert_eq!(user.file(SETTINGS).as_deref(), Some(mine));
}

#[test]
fn a_retention_that_is_no_plain_number_is_shortened_with_a_warning_and_comes_back() {
    for (value, kept) in [
        ("1000.0", "1000"),
        ("1e3", "1000"),
        ("99999999999", "4294967295"),
    ] {
        let user = SetupFixture::new();
        let mine = format!("{{\"cleanupPeriodDays\": {value}}}");
        fs_err::write(user.home.path().join(SETTINGS), &mine).unwrap();
        let (_, output) = user.consent_to_setup(&kept_history(30));
        let told = format!("keeps transcripts for {kept} days so far.");
        assert!(output.contains(&told), "{output}");
        let output = user.undo_setup(&[]);
        assert_eq!(user.file(SETTINGS), Some(mine), "{output}");
    }
}

/// The option takes no such value.
#[test]
fn a_value_that_the_user_alone_can_write_is_named() {
    for value in ["0", "\"abc\"", "null", "-1", "90.5"] {
        let user = SetupFixture::new();
        let mine = format!("{{\"cleanupPeriodDays\": {value}}}");
        fs_err::write(user.home.path().join(SETTINGS), &mine).unwrap();
        user.consent_to_setup(&kept_history(365));
        let output = user.undo_setup(&[]);
        let hint = format!("hint: `\"cleanupPeriodDays\": {value}` in that file makes it");
        assert!(output.contains(&hint), "{output}");
        fs_err::write(user.home.path().join(SETTINGS), &mine).unwrap();
        let output = user.undo_setup(&[]);
        assert!(!output.contains("cleanupPeriodDays"), "{output}");
        assert!(!user.has_record(), "{output}");
    }
}

/// As the hint of undo says.
#[test]
fn a_retention_that_is_what_it_was_is_forgotten_without_a_note() {
    let user = SetupFixture::new();
    let mine = "{\"cleanupPeriodDays\": 90}";
    fs_err::write(user.home.path().join(SETTINGS), mine).unwrap();
    user.consent_to_setup(&kept_history(365));
    user.undo_setup(&[]);
    user.consent_to_setup(&kept_history(90));
    assert!(user.has_record());
    let output = user.undo_setup(&[]);
    assert!(!output.contains("cleanupPeriodDays"), "{output}");
    assert_eq!(user.file(SETTINGS).as_deref(), Some(mine));
    assert!(!user.has_record(), "{output}");
}
