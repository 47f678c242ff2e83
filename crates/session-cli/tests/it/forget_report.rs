//! The reports of `forget`: of what it would forget, and of what came back.

use crate::environment::TestEnvironment;
use crate::forget::{LAMP, WORD, kiln, lamp};
use insta::assert_snapshot;
use serde_json::json;

/// The history holds it: another entry keeps it out.
#[test]
fn an_undo_names_the_entry_that_still_keeps_it_out() {
    let env = TestEnvironment::indexed(&[lamp(), kiln()]);
    for target in [&format!("{LAMP}:0"), LAMP] {
        env.run(&["forget", target, "--yes"]).succeeded();
    }
    let undone = env.run(&["forget", "--undo", "1"]).succeeded();
    let said = "nothing came back: entry 2 still keeps it out\n";
    assert!(undone.stderr().ends_with(said), "{undone}");
    env.run(&["forget", "--undo", "2"]).succeeded();
    assert!(env.found(&[WORD]).contains(&LAMP.to_owned()));
    for target in [&format!("{LAMP}:0"), LAMP] {
        env.run(&["forget", target, "--yes"]).succeeded();
    }
    let undone = env.json(&["forget", "--undo", "4"]);
    assert_eq!(undone["kept_out_by"], json!([]), "{undone}");
    assert_eq!(
        (&undone["sessions"], &undone["turns"]),
        (&1.into(), &1.into())
    );
    let undone = env.json(&["forget", "--undo", "3"]);
    assert_eq!(undone["turns"], 1, "{undone}");
}

/// A pattern can be judged before it deletes.
#[test]
fn a_dry_run_shows_each_turn_with_its_title_and_what_matches() {
    let env = TestEnvironment::indexed(&[lamp().title("Light the harbour"), kiln()]);
    let planned = env.run(&["forget", "--match", "ten hours|[a-z]+box", "--dry-run"]);
    assert_snapshot!(planned, @r"
    exit code: 0
    ----- stdout -----
      #1:1  Light the harbour
        Every ten hours.
      #2:0  How hot does the kiln get under the gearbox?
        How hot does the kiln get under the gearbox?
    ----- stderr -----
    would forget 0 sessions, 2 turns
    ");
    let planned = env.json(&["forget", "--match", "ten hours", "--dry-run"]);
    let turn = json!({"session": LAMP, "turn": 1, "title": "Light the harbour", "text": "Every ten hours."});
    assert_eq!(planned["turn_list"], json!([turn]), "{planned}");
    let planned = env.json(&["forget", &format!("{LAMP}:1"), "--dry-run"]);
    let prompt = "And how often does the wick need a cut?";
    assert_eq!(planned["turn_list"][0]["text"], prompt, "{planned}");
}
