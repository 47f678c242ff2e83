//! Titles of sessions that have none of their own, or one that many have.

use crate::support::{Index, SOURCE, bash, deliver, meta, turn};
use session_core::{KnownTurns, PromptKind, SessionMeta, ToolCall, Turn, TurnPart};
use session_store::{Reader, Writer};

const TEMPLATE: &str = "You review one file of the harbour control program for mistakes.";

fn titles(index: &Reader) -> Vec<Option<String>> {
    let sessions = index.sessions().unwrap();
    sessions.into_iter().map(|session| session.title).collect()
}

#[track_caller]
fn assert_titles(writer: &mut Writer, expected: &[Option<&str>]) {
    writer.commit().unwrap();
    let expected: Vec<Option<String>> = expected.iter().map(|t| t.map(str::to_owned)).collect();
    assert_eq!(titles(writer.reader().unwrap()), expected);
}

fn ask(writer: &mut Writer, id: &str, prompt: &str) {
    deliver(writer, &meta(id), &[turn(0, prompt, &[])]);
}

/// Delivers a turn that a session's history got since it was read.
fn append(writer: &mut Writer, id: &str, turn: &Turn) {
    let file = writer
        .upsert_file(SOURCE, &format!("/h/{id}.jsonl"))
        .unwrap();
    let session = writer
        .open_session(file, SOURCE, &meta(id), KnownTurns::Keep)
        .unwrap();
    writer.add_turn(session, turn).unwrap();
}

fn review(writer: &mut Writer, id: &str, file: &str) {
    ask(writer, id, &format!("{TEMPLATE}\n\n{file}"));
}

#[test]
fn sessions_of_one_template_are_named_by_what_differs() {
    let index = Index::new();
    let mut writer = index.writer();
    review(&mut writer, "a", "src/lamp.rs");
    review(&mut writer, "b", "src/gate.rs");
    let [a, b] = ["src/lamp.rs", "src/gate.rs"].map(|file| format!("{TEMPLATE} {file}"));
    assert_titles(&mut writer, &[Some(&a), Some(&b)]);
    review(&mut writer, "c", "src/gauge.rs");
    let all = ["… src/lamp.rs", "… src/gate.rs", "… src/gauge.rs"].map(Some);
    assert_titles(&mut writer, &all);
    drop(writer);
    assert_eq!(titles(&index.reader()), all.map(|t| t.map(str::to_owned)));
}

#[test]
fn a_template_ends_with_the_sessions_that_had_it() {
    let index = Index::new();
    let mut writer = index.writer();
    for (id, file) in [
        ("a", "src/lamp.rs"),
        ("b", "src/gate.rs"),
        ("c", "src/gauge.rs"),
    ] {
        review(&mut writer, id, file);
    }
    writer.commit().unwrap();
    ask(&mut writer, "c", "Oil the gate");
    let [a, b] = ["src/lamp.rs", "src/gate.rs"].map(|file| format!("{TEMPLATE} {file}"));
    assert_titles(&mut writer, &[Some(&a), Some(&b), Some("Oil the gate")]);
}

#[test]
fn only_the_first_prompt_that_says_something_names_a_session() {
    let index = Index::new();
    let mut writer = index.writer();
    let later = format!("{TEMPLATE} src/lamp.rs");
    let turns = [turn(0, "Oil the gate", &[]), turn(1, &later, &[])];
    deliver(&mut writer, &meta("a"), &turns);
    review(&mut writer, "b", "src/gate.rs");
    review(&mut writer, "c", "src/gauge.rs");
    let [b, c] = ["src/gate.rs", "src/gauge.rs"].map(|file| format!("{TEMPLATE} {file}"));
    assert_titles(&mut writer, &[Some("Oil the gate"), Some(&b), Some(&c)]);
}

#[test]
fn a_prompt_that_needs_a_context_names_a_session_where_no_other_does() {
    let index = Index::new();
    let mut writer = index.writer();
    let prompts = |writer: &mut Writer, id: &str, prompts: &[&str]| {
        let turns = prompts.iter().zip(0..);
        let turns: Vec<Turn> = turns
            .map(|(prompt, index)| turn(index, prompt, &[]))
            .collect();
        deliver(writer, &meta(id), &turns);
    };
    let moved = ["!git switch main", "ok lets get back to main"];
    prompts(&mut writer, "a", &moved);
    prompts(
        &mut writer,
        "b",
        &[moved[1], "3 please", "Oil the gate", "Hang the lamp"],
    );
    prompts(&mut writer, "c", &["Hang the lamp", moved[1]]);
    let [switched, oiled, hung] = [moved[0], "Oil the gate", "Hang the lamp"].map(Some);
    assert_titles(&mut writer, &[switched, oiled, hung]);
    let later = turn(2, "Fill the tank", &[]);
    append(&mut writer, "a", &later);
    assert_titles(&mut writer, &[Some("Fill the tank"), oiled, hung]);
}

#[test]
fn a_command_of_the_agent_names_a_session_where_no_prompt_does() {
    let index = Index::new();
    let mut writer = index.writer();
    let model = Turn {
        kind: PromptKind::Command,
        ..turn(0, "/model opus", &[])
    };
    deliver(&mut writer, &meta("a"), std::slice::from_ref(&model));
    let oil = turn(1, "[Image #1] Oil the gate", &[]);
    deliver(&mut writer, &meta("b"), &[model, oil]);
    assert_titles(&mut writer, &[Some("/model opus"), Some("Oil the gate")]);
}

fn commit_turn(index: u32, prompt: &str, subject: &str) -> Turn {
    Turn {
        parts: vec![bash(&format!("git commit -m '{subject}'"), "")],
        ..turn(index, prompt, &[])
    }
}

#[test]
fn a_session_whose_prompt_needs_a_context_is_named_by_its_commit() {
    let index = Index::new();
    let mut writer = index.writer();
    let moved = "ok lets get back to main";
    ask(&mut writer, "a", moved);
    let committed = commit_turn(1, "Oil the gate and hang the lamp", "Grease the gate");
    deliver(
        &mut writer,
        &meta("b"),
        &[turn(0, moved, &[]), committed.clone()],
    );
    let telling = commit_turn(0, "Oil the gate", "Grease the gate");
    deliver(&mut writer, &meta("c"), &[telling]);
    let [by_commit, oiled] = ["Grease the gate", "Oil the gate"].map(Some);
    assert_titles(&mut writer, &[Some(moved), by_commit, oiled]);
    append(&mut writer, "a", &turn(1, "Fill the tank", &[]));
    let filled = Some("Fill the tank");
    append(&mut writer, "a", &commit_turn(2, "ok", "Paint the tank"));
    append(
        &mut writer,
        "b",
        &turn(2, "Light the lamps in the tower", &[]),
    );
    assert_titles(&mut writer, &[filled, by_commit, oiled]);
    deliver(&mut writer, &meta("b"), &[turn(0, moved, &[])]);
    assert_titles(&mut writer, &[filled, Some(moved), oiled]);
    append(&mut writer, "b", &commit_turn(1, "ok", "Hang the lamp"));
    assert_titles(&mut writer, &[filled, Some("Hang the lamp"), oiled]);
}

#[test]
fn sessions_of_a_template_that_share_what_fills_it_are_named_by_their_commits() {
    let index = Index::new();
    let mut writer = index.writer();
    let task = |writer: &mut Writer, id: &str, file: &str, subject: &str| {
        let prompt = format!("{TEMPLATE}\n\n{file}");
        deliver(writer, &meta(id), &[commit_turn(0, &prompt, subject)]);
    };
    task(&mut writer, "a", "src/lamp.rs", "Hang the lamp");
    task(&mut writer, "b", "src/gate.rs", "Oil the gate");
    task(&mut writer, "c", "src/gauge.rs", "Read the gauge");
    let gauge = Some("… src/gauge.rs");
    assert_titles(
        &mut writer,
        &[Some("… src/lamp.rs"), Some("… src/gate.rs"), gauge],
    );
    task(&mut writer, "d", "src/lamp.rs", "Light the lamp");
    review(&mut writer, "e", "src/lamp.rs");
    let lamps = ["Hang the lamp", "Light the lamp", "… src/lamp.rs"].map(Some);
    let titles = [lamps[0], Some("… src/gate.rs"), gauge, lamps[1], lamps[2]];
    assert_titles(&mut writer, &titles);
}

#[test]
fn a_given_title_that_says_no_more_than_the_template_gives_way() {
    let index = Index::new();
    let mut writer = index.writer();
    let named = |writer: &mut Writer, id: &str, title: &str, file: &str| {
        let meta = SessionMeta {
            title: Some(title.to_owned()),
            ..meta(id)
        };
        let prompt = format!("{TEMPLATE} {file}");
        deliver(writer, &meta, &[turn(0, &prompt, &[])]);
    };
    named(
        &mut writer,
        "a",
        "Harbour program file review",
        "src/lamp.rs",
    );
    named(&mut writer, "b", "Reviewing the harbour", "src/gate.rs");
    let given = ["Harbour program file review", "Reviewing the harbour"].map(Some);
    assert_titles(&mut writer, &given);
    named(&mut writer, "c", "Gauge of the harbour", "src/gauge.rs");
    let gauge = Some("Gauge of the harbour");
    assert_titles(
        &mut writer,
        &[Some("… src/lamp.rs"), Some("… src/gate.rs"), gauge],
    );
    named(&mut writer, "a", "Lamp goes dark", "src/lamp.rs");
    assert_titles(
        &mut writer,
        &[Some("Lamp goes dark"), Some("… src/gate.rs"), gauge],
    );
}

#[test]
fn a_given_title_that_needs_a_context_gives_way_to_the_commit() {
    let index = Index::new();
    let mut writer = index.writer();
    let meta = SessionMeta {
        title: Some("Fix issue 6".to_owned()),
        ..meta("a")
    };
    let asked = turn(0, "Look at the lamp in the tower", &[]);
    deliver(&mut writer, &meta, std::slice::from_ref(&asked));
    assert_titles(&mut writer, &[Some("Fix issue 6")]);
    let committed = commit_turn(1, "ok", "Light the lamp");
    deliver(&mut writer, &meta, &[asked, committed]);
    assert_titles(&mut writer, &[Some("Light the lamp")]);
}

/// A long line for the shell has a template, too.
#[test]
fn the_template_of_a_prompt_that_names_no_session_any_more_is_forgotten() {
    let index = Index::new();
    let mut writer = index.writer();
    let shell = |part: &str| format!("!make --directory /home/ann/harbour --keep-going {part}");
    for (id, part) in [("a", "lamp"), ("b", "gate"), ("c", "gauge")] {
        ask(&mut writer, id, &shell(part));
    }
    assert_titles(&mut writer, &["… lamp", "… gate", "… gauge"].map(Some));
    append(&mut writer, "c", &turn(1, "Oil the gate", &[]));
    let [a, b] = [shell("lamp"), shell("gate")];
    assert_titles(&mut writer, &[Some(&a), Some(&b), Some("Oil the gate")]);
}

#[test]
fn sessions_whose_prompts_begin_with_an_address_keep_their_tasks() {
    let index = Index::new();
    let mut writer = index.writer();
    let issues = "https://github.com/ann/harbour-control-program/issues";
    for (id, task) in [
        ("a", "7340#note-9 Find the cause of the dark lamp"),
        ("b", "7340#note-9 Write to ann"),
        ("c", "7536 implement this request"),
    ] {
        ask(&mut writer, id, &format!("{issues}/{task}"));
    }
    let titles = [
        "issues/7340 Find the cause of the dark lamp",
        "issues/7340 Write to ann",
        "issues/7536 implement this request",
    ];
    assert_titles(&mut writer, &titles.map(Some));
}

#[test]
fn a_session_without_words_is_named_by_what_was_done() {
    let index = Index::new();
    let mut writer = index.writer();
    let edit = TurnPart::Call(ToolCall {
        name: "Edit".into(),
        files: vec!["/home/ann/app/src/lamp.rs".into()],
        ..ToolCall::default()
    });
    let work = |index, part| Turn {
        parts: vec![part],
        ..turn(index, "ok", &[])
    };
    let ran = work(0, bash("make lamp", ""));
    deliver(&mut writer, &meta("a"), std::slice::from_ref(&ran));
    assert_titles(&mut writer, &[Some("ran make lamp")]);
    deliver(
        &mut writer,
        &meta("a"),
        &[ran.clone(), work(1, edit.clone())],
    );
    assert_titles(&mut writer, &[Some("edited lamp.rs")]);
    let asked = turn(2, "Oil the gate", &[]);
    deliver(&mut writer, &meta("a"), &[ran, work(1, edit), asked]);
    assert_titles(&mut writer, &[Some("Oil the gate")]);
    deliver(&mut writer, &meta("a"), &[turn(0, "ok", &["Done."])]);
    assert_titles(&mut writer, &[None]);
}

#[test]
fn a_blank_title_gives_way_to_the_prompt() {
    let index = Index::new();
    let mut writer = index.writer();
    let blank = SessionMeta {
        title: Some(" \u{200b} ".to_owned()),
        ..meta("a")
    };
    let prompt = "Look at the lamp in the tower, please.";
    deliver(&mut writer, &blank, &[turn(0, prompt, &[])]);
    assert_titles(&mut writer, &[Some(prompt)]);
}

#[test]
fn a_title_that_many_sessions_have_gives_way_to_their_prompts() {
    let index = Index::new();
    let mut writer = index.writer();
    let named = |writer: &mut Writer, id: &str, prompt: &str| {
        let meta = SessionMeta {
            title: Some("Code review".into()),
            ..meta(id)
        };
        deliver(writer, &meta, &[turn(0, prompt, &[])]);
    };
    named(&mut writer, "a", "Oil the gate");
    named(&mut writer, "b", "Hang the lamp");
    assert_titles(&mut writer, &[Some("Code review"); 2]);
    named(&mut writer, "c", "ok");
    assert_titles(
        &mut writer,
        &[
            Some("Oil the gate"),
            Some("Hang the lamp"),
            Some("Code review"),
        ],
    );
    named(&mut writer, "b", "Oil the gate");
    // Copies of one conversation are not many conversations.
    assert_titles(&mut writer, &[Some("Code review"); 3]);
}

/// Prompts of a large template are compared in parts.
#[test]
fn a_session_more_of_a_large_template_is_named_as_the_others() {
    let index = Index::new();
    let mut writer = index.writer();
    for n in 0..501 {
        review(&mut writer, &format!("s{n:03}"), &format!("src/lamp{n}.rs"));
    }
    writer.commit().unwrap();
    review(&mut writer, "t", "src/gate.rs");
    writer.commit().unwrap();
    let titles = titles(writer.reader().unwrap());
    for (n, title) in titles.iter().take(501).enumerate() {
        assert_eq!(title.as_deref(), Some(&*format!("… src/lamp{n}.rs")));
    }
    assert_eq!(titles[501].as_deref(), Some("… src/gate.rs"));
}

#[test]
fn a_title_of_a_message_that_no_turn_holds_leaves_the_index() {
    let index = Index::new();
    let mut writer = index.writer();
    let held = Turn {
        leaf: Some("m9".into()),
        ..turn(0, "Where is the port configured?", &[])
    };
    let own = SessionMeta {
        title: Some("Ports".into()),
        ..meta("a")
    };
    deliver(&mut writer, &own, &[held]);
    for (leaf, title) in [("m9", "Harbour works"), ("m8", "The password of the gate")] {
        writer.store_external_title(leaf, title).unwrap();
    }
    writer.apply_external_titles().unwrap();
    writer.commit().unwrap();
    let reader = writer.reader().unwrap();
    let given = reader.given_titles().unwrap();
    let given: Vec<&str> = given.iter().map(|given| given.title.as_str()).collect();
    assert_eq!(
        given,
        ["Harbour works", "Ports"],
        "also where another one names it"
    );
    assert_eq!(
        reader.unheld_titles().unwrap(),
        ["The password of the gate"]
    );
    writer.delete_unheld_titles().unwrap();
    writer.commit().unwrap();
    assert!(writer.reader().unwrap().is_purge_pending().unwrap());
    let reader = writer.reader().unwrap();
    assert!(reader.unheld_titles().unwrap().is_empty());
    assert_eq!(reader.given_titles().unwrap().len(), 2);
}

#[test]
fn a_prompt_that_was_withdrawn_gives_no_title() {
    let index = Index::new();
    let mut writer = index.writer();
    let file = writer.upsert_file(SOURCE, "/h/a.jsonl").unwrap();
    let session = writer
        .open_session(file, SOURCE, &meta("a"), KnownTurns::Replace)
        .unwrap();
    writer
        .add_turn(session, &turn(0, "Repair the lantern first", &[]))
        .unwrap();
    writer.commit().unwrap();
    let title = || index.reader().sessions().unwrap()[0].title.clone();
    assert_eq!(title().as_deref(), Some("Repair the lantern first"));
    for prompt in ["Why is the harbour dark?", "Repair the lantern first"] {
        let at = u32::from(prompt.starts_with('R'));
        writer
            .open_session(file, SOURCE, &meta("a"), KnownTurns::Keep)
            .unwrap();
        writer.add_turn(session, &turn(at, prompt, &[])).unwrap();
        writer.commit().unwrap();
        assert_eq!(title().as_deref(), Some("Why is the harbour dark?"));
    }
}
