//! Sessions of which the history of prompts is all that is left.

use crate::home::{Home, prompts, session_id, touch, turns, word};
use crate::state::found;
use serde_json::Value;

/// The sessions with their turns, and whether only their prompts are known.
fn sessions(home: &Home) -> Vec<(String, u32, bool)> {
    let mut rows = home.reader().sessions().unwrap();
    rows.sort_by(|a, b| a.uid.cmp(&b.uid));
    let told = rows.into_iter().map(|s| (s.uid, s.turns, s.prompts_only));
    told.collect()
}

fn answers(home: &Home) -> usize {
    found(&home.reader(), "gives").len()
}

#[test]
fn only_sessions_without_a_transcript_appear() {
    let home = Home::new();
    home.write(0, turns(0, 0, 2).as_bytes());
    home.write_prompts(&(prompts(0, 2) + &prompts(1, 3)));
    home.refresh();
    assert_eq!(
        sessions(&home),
        [(session_id(0), 2, false), (session_id(1), 3, true)]
    );
    assert_eq!(home.gone(), [false, false]);
    let reader = home.reader();
    assert_eq!(found(&reader, &word(1, 2)), [(session_id(1), 2)].into());
    assert_eq!(found(&reader, &word(0, 1)), [(session_id(0), 1)].into());
}

#[test]
fn a_transcript_that_was_indexed_wins_when_it_has_vanished() {
    let home = Home::new();
    home.write(0, turns(0, 0, 2).as_bytes());
    home.refresh();
    fs_err::remove_file(home.transcript(0)).unwrap();
    home.write_prompts(&prompts(0, 2));
    home.refresh();
    assert_eq!(sessions(&home), [(session_id(0), 2, false)]);
    assert_eq!((home.gone(), answers(&home)), (vec![true], 2));
}

#[test]
fn prompts_after_the_end_of_a_transcript_that_has_vanished_are_added_to_its_session() {
    let home = Home::new();
    home.write(0, turns(0, 0, 2).as_bytes());
    home.write_prompts(&prompts(0, 2));
    home.refresh();
    fs_err::remove_file(home.transcript(0)).unwrap();
    for count in [3, 5] {
        home.write_prompts(&prompts(0, count));
        home.refresh();
        let turns = u32::try_from(count).unwrap();
        assert_eq!(sessions(&home), [(session_id(0), turns, false)]);
        let last = found(&home.reader(), &word(0, count - 1));
        assert_eq!(last, [(session_id(0), turns - 1)].into());
        assert_eq!((home.gone(), answers(&home)), (vec![true], 2));
    }
    home.refresh_fully();
    assert_eq!(sessions(&home), [(session_id(0), 5, false)]);
    assert_eq!(found(&home.reader(), &word(0, 2)).len(), 1);

    home.write(0, turns(0, 0, 4).as_bytes());
    home.refresh();
    assert_eq!(sessions(&home), [(session_id(0), 5, false)]);
    assert_eq!((home.gone(), answers(&home)), (vec![false], 4));
    for turn in 0..5 {
        let at = u32::try_from(turn).unwrap();
        let found = found(&home.reader(), &word(0, turn));
        assert_eq!(found, [(session_id(0), at)].into());
    }
}

#[test]
fn commands_of_the_program_are_not_added_to_a_session_whose_transcript_has_vanished() {
    let home = Home::new();
    home.write(0, turns(0, 0, 2).as_bytes());
    home.refresh();
    fs_err::remove_file(home.transcript(0)).unwrap();
    let lines = prompts(0, 4);
    let mut commands = lines.lines().skip(2).map(str::to_owned);
    let mut replace = |command: &str| {
        let line = commands.next().unwrap();
        let prompt = line.split('"').nth(3).unwrap().to_owned();
        line.replace(&prompt, command)
    };
    let commands = [replace("/model opus"), replace("/exit")].join("\n");
    assert!(commands.contains(r#""display":"/exit""#), "{commands}");
    home.write_prompts(&(prompts(0, 2) + &commands + "\n"));
    home.refresh();
    assert_eq!(sessions(&home), [(session_id(0), 2, false)]);
}

#[test]
fn prompts_after_the_end_of_a_rollout_that_has_vanished_are_added_to_its_thread() {
    let home = Home::new();
    let rollout = home.codex_rollout("Why is the harbour dark?");
    home.refresh();
    fs_err::remove_file(rollout).unwrap();
    let line = |at: u64, text: &str| {
        let line = serde_json::json!({"session_id": session_id(0), "ts": at, "text": text});
        format!("{line}\n")
    };
    // 2026-03-02T10:00 and a day later.
    let lines = [
        line(1_772_445_600, "Why is the harbour dark?"),
        line(1_772_532_000, "Hang the wombat lamp"),
    ];
    fs_err::write(home.codex_prompts(), lines.concat()).unwrap();
    home.refresh();
    assert_eq!(sessions(&home), [(session_id(0), 2, false)]);
    let found = found(&home.reader(), "wombat");
    assert_eq!(found, [(session_id(0), 1)].into());
}

#[test]
fn a_transcript_that_comes_back_takes_the_place_of_its_prompts() {
    let home = Home::new();
    home.write_prompts(&(prompts(0, 3) + &prompts(1, 1)));
    home.refresh();
    let number = home.reader().sessions().unwrap()[0].id;
    home.write(0, turns(0, 0, 2).as_bytes());
    home.refresh();
    assert_eq!(
        sessions(&home),
        [(session_id(0), 2, false), (session_id(1), 1, true)]
    );
    assert_eq!(home.reader().sessions().unwrap()[0].id, number);
    let reader = home.reader();
    assert_eq!(found(&reader, &word(0, 1)), [(session_id(0), 1)].into());
    assert_eq!(
        found(&reader, &word(0, 2)),
        [].into(),
        "no prompt is left over"
    );
    assert_eq!(answers(&home), 2);

    home.write_prompts(&(prompts(0, 3) + &prompts(1, 1) + &prompts(1, 2)));
    home.refresh();
    assert_eq!(
        sessions(&home),
        [(session_id(0), 2, false), (session_id(1), 3, true)]
    );
}

/// The transcript was listed before it held a turn, and its cursor kept.
#[test]
fn a_transcript_that_only_now_holds_turns_wins() {
    let home = Home::new();
    let head = "{\"type\":\"mode\",\"mode\":\"normal\"}\n";
    home.write(0, head.as_bytes());
    home.write_prompts(&prompts(0, 2));
    home.refresh();
    assert_eq!(sessions(&home), [(session_id(0), 2, true)]);
    home.write(0, (head.to_owned() + &turns(0, 0, 1)).as_bytes());
    home.refresh();
    assert_eq!(sessions(&home), [(session_id(0), 1, false)]);
    assert_eq!(found(&home.reader(), &word(0, 1)), [].into());
}

/// The same prompts as old versions wrote them: without the session's id.
fn unnamed(lines: &str) -> String {
    let lines = lines.lines().map(|line| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        line.as_object_mut().unwrap().remove("sessionId");
        format!("{line}\n")
    });
    lines.collect()
}

/// Where a word is found: in a session of prompts only, or of a transcript.
fn found_as_prompt(home: &Home, word: &str) -> Vec<bool> {
    let reader = home.reader();
    let rows = reader.sessions().unwrap();
    let is_prompt = |(uid, _): (String, u32)| rows.iter().any(|s| s.uid == uid && s.prompts_only);
    found(&reader, word).into_iter().map(is_prompt).collect()
}

#[test]
fn prompts_without_an_id_are_copies_of_what_a_transcript_tells() {
    let home = Home::new();
    home.write(0, turns(0, 0, 1).as_bytes());
    home.write_prompts(&unnamed(&(prompts(0, 1) + &prompts(1, 1))));
    home.refresh();
    assert_eq!(found_as_prompt(&home, &word(0, 0)), [false]);
    assert_eq!(found_as_prompt(&home, &word(1, 0)), [true]);

    let later = turns(1, 0, 1).replace("T00:10", "T09:10");
    home.write(1, later.as_bytes());
    home.refresh();
    let both = found_as_prompt(&home, &word(1, 0));
    assert_eq!(both.len(), 2, "it was said again later");
    home.write(1, turns(1, 0, 1).as_bytes());
    touch(&home.transcript(1), 60);
    home.refresh();
    assert_eq!(found_as_prompt(&home, &word(1, 0)), [false]);
    home.refresh_fully();
    assert_eq!(found_as_prompt(&home, &word(1, 0)), [false]);
}

/// An old transcript has a paste where it was typed, and no tags.
#[test]
fn a_prompt_with_a_paste_is_a_copy_wherever_the_paste_stands() {
    let paste = "Lamp one\\nLamp two";
    for (display, prompt) in [
        ("[Pasted text #1 +2 lines] what?", format!("{paste} what?")),
        ("See:[Pasted text #1 +2 lines]", format!("See:{paste}")),
        ("See [Pasted text #1] there", format!("See {paste} there")),
    ] {
        let home = Home::new();
        let asked = format!("Why does {} not start on my machine?", word(0, 0));
        home.write(0, turns(0, 0, 1).replace(&asked, &prompt).as_bytes());
        let pasted = format!(r#""pastedContents":{{"1":{{"content":"{paste}"}}}}"#);
        let line = unnamed(&prompts(0, 1)).replace(&asked, display);
        let line = line.replace(r#""pastedContents":{}"#, &pasted);
        assert!(line.contains(paste), "{line}");
        home.write_prompts(&line);
        home.refresh();
        assert_eq!(found_as_prompt(&home, "lamp"), [false], "{display}");
    }
}

#[test]
fn a_prompt_with_words_in_another_order_is_no_copy() {
    for (prompt, other) in [
        (
            r"review PR 4821 of the harbour\nand merge it",
            r"review PR 4812 of the harbour\nand merge it",
        ),
        (
            r"oil the harbour lamp\nand\n\nmend the door\nof it",
            r"mend the door\nof it\n\noil the harbour lamp\nand",
        ),
    ] {
        let home = Home::new();
        let asked = format!("Why does {} not start on my machine?", word(0, 0));
        home.write(0, turns(0, 0, 1).replace(&asked, prompt).as_bytes());
        home.write_prompts(&unnamed(&prompts(0, 1)).replace(&asked, other));
        home.refresh();
        let mut hits = found_as_prompt(&home, "harbour");
        hits.sort_unstable();
        assert_eq!(hits, [false, true], "{other}");
    }
}

#[test]
fn prompts_in_many_refreshes_are_the_same_sessions() {
    let lines = prompts(0, 3) + &prompts(1, 2) + "no line\n" + &prompts(2, 1);
    let whole = Home::new();
    whole.write_prompts(&lines);
    whole.refresh();
    let home = Home::new();
    for end in (0..=lines.len()).step_by(37).chain([lines.len()]) {
        home.write_prompts(&lines[..end]);
        home.refresh();
    }
    assert_eq!(sessions(&home), sessions(&whole));
    assert_eq!(sessions(&home).len(), 3);
    let damage = |home: &Home| home.reader().problems().unwrap()[0].count;
    assert_eq!((damage(&home), damage(&whole)), (1, 1));
    assert_eq!(
        found(&home.reader(), "machine"),
        found(&whole.reader(), "machine")
    );
}

#[test]
fn a_full_read_and_a_deleted_history_keep_the_mark() {
    let home = Home::new();
    home.write(0, turns(0, 0, 1).as_bytes());
    home.write_prompts(&(prompts(0, 1) + &prompts(1, 2)));
    home.refresh();
    home.refresh_fully();
    let both = [(session_id(0), 1, false), (session_id(1), 2, true)];
    assert_eq!(sessions(&home), both);
    assert_eq!(home.gone(), [false, false]);

    home.write_prompts(&prompts(0, 1));
    home.refresh();
    assert_eq!(sessions(&home), both, "what was taken back stays, marked");
    assert_eq!(home.gone(), [false, true]);

    home.remove_prompts();
    home.refresh();
    assert_eq!(sessions(&home), both);
}
