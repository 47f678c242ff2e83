//! Titles of sessions that have none of their own, or one that many have.

use crate::support::{Index, bash, deliver, meta, turn};
use session_core::{SessionMeta, ToolCall, Turn, TurnPart};
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
    assert!(writer.is_purge_pending().unwrap());
    let reader = writer.reader().unwrap();
    assert!(reader.unheld_titles().unwrap().is_empty());
    assert_eq!(reader.given_titles().unwrap().len(), 2);
}
