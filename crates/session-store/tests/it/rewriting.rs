//! Texts that are stored are rewritten, with all that is derived from them.

use crate::support::{
    Index, deliver, documents, embed, failed, found, has_vector, meta, model, turn,
};
use session_core::{ErrorSignature, Progress, SessionMeta, Turn, TurnContent};
use session_store::{Reader, RewrittenCounts, SessionId, StoredTextRewriter, Writer};
use std::cell::RefCell;

/// Replaces one word by another.
struct WordRewriter;

impl WordRewriter {
    fn rewrite(text: &mut String) -> bool {
        let before = text.clone();
        *text = text.replace("lantern", "kiln");
        *text != before
    }
}

impl StoredTextRewriter for WordRewriter {
    fn rewrite_content(&self, content: &mut TurnContent) -> bool {
        let lists = [&mut content.commands, &mut content.errors];
        let texts = lists.into_iter().flatten().chain([&mut content.prompt]);
        texts.fold(false, |any, text| any | Self::rewrite(text))
    }

    fn rewrite_session(&self, session: &mut SessionMeta) -> bool {
        let texts = [
            &mut session.title,
            &mut session.branch,
            &mut session.project,
        ];
        let texts = texts.into_iter().flatten();
        texts.fold(false, |any, text| any | Self::rewrite(text))
    }

    fn rewrite_title(&self, title: &mut String) -> bool {
        Self::rewrite(title)
    }
}

fn rewrite(writer: &mut Writer) -> RewrittenCounts {
    writer.rewrite_stored_texts(&WordRewriter, &|_| {}).unwrap()
}

fn lantern_turn(index: u32) -> Turn {
    Turn {
        branch: Some("fix/lantern".into()),
        parts: vec![failed("make lantern", "error: no lantern here")],
        ..turn(index, "How is the lantern lit?", &[])
    }
}

fn described(id: &str) -> SessionMeta {
    SessionMeta {
        title: Some("The lantern".into()),
        branch: Some("fix/lantern".into()),
        project: Some("/w/lantern".into()),
        ..meta(id)
    }
}

/// A session, one that repeats its turn, and one without the word.
fn filled() -> (Index, Writer) {
    let index = Index::new();
    let mut writer = index.writer();
    let lamp = Turn {
        leaf: Some("titled".into()),
        ..turn(1, "And the lamp?", &["It hangs."])
    };
    deliver(&mut writer, &described("a"), &[lantern_turn(0)]);
    deliver(&mut writer, &meta("b"), &[lantern_turn(0), lamp]);
    deliver(
        &mut writer,
        &meta("c"),
        &[turn(0, "Where is the oil?", &["Here."])],
    );
    writer.store_external_title("titled", "A lantern").unwrap();
    writer.apply_external_titles().unwrap();
    embed(&mut writer);
    writer.commit().unwrap();
    (index, writer)
}

/// Everything that an index says of its sessions, as text.
fn described_index(index: &Reader) -> String {
    let sessions = index.sessions().unwrap();
    let describe = |id: SessionId| {
        let (turns, contents) = (index.turns(id).unwrap(), index.contents(id).unwrap());
        format!("{turns:?} {contents:?}")
    };
    let turns: String = sessions.iter().map(|row| describe(row.id)).collect();
    format!("{sessions:?} {turns} {:?}", index.given_titles().unwrap())
}

#[test]
fn what_is_derived_from_a_text_is_derived_from_the_new_one() {
    let (index, mut writer) = filled();
    let counts = RewrittenCounts {
        turns: 2,
        sessions: 2,
    };
    assert_eq!(rewrite(&mut writer), counts);
    let reader = index.reader();
    let text = described_index(&reader);
    assert!(!text.contains("lantern"), "{text}");
    assert!(found(&reader, "lantern").is_empty());
    // By the first session, and by the title of the second, whose first turn is a copy.
    assert_eq!(found(&reader, "kiln").len(), 2);
    let signature = |line| ErrorSignature::new(line).unwrap();
    let with_error = |line| reader.turns_with_error(signature(line)).unwrap().len();
    assert_eq!(with_error("error: no lantern here"), 0);
    assert_eq!(with_error("error: no kiln here"), 1);
    reader.verify_thoroughly().unwrap();
}

#[test]
fn a_copy_that_comes_later_is_known_by_the_new_prompt() {
    let (index, mut writer) = filled();
    rewrite(&mut writer);
    let copy = Turn {
        prompt: "How is the kiln lit?".into(),
        parts: vec![failed("make kiln", "error: no kiln here")],
        ..lantern_turn(0)
    };
    deliver(&mut writer, &meta("d"), &[copy]);
    writer.commit().unwrap();
    assert_eq!(found(&index.reader(), "kiln").len(), 2, "no turn more");
}

#[test]
fn vectors_of_what_has_no_changed_text_stay() {
    let (index, mut writer) = filled();
    let model = model(&mut writer);
    writer.commit().unwrap();
    let reader = index.reader();
    let sessions = reader.sessions().unwrap();
    let texts: Vec<_> = sessions
        .iter()
        .map(|row| documents(&reader, row.id))
        .collect();
    rewrite(&mut writer);
    let reader = index.reader();
    for (row, documents) in sessions.iter().zip(&texts) {
        for document in documents {
            let is_kept = has_vector(&reader, &model, row.id, &document.text);
            let is_unchanged = !document.text.contains("lantern");
            assert_eq!(is_kept, is_unchanged, "{}: {}", row.uid, document.text);
        }
    }
    let pending = reader.pending_sessions(&[model.id]).unwrap();
    assert_eq!(pending.len(), 2);
}

#[test]
fn a_second_time_changes_nothing() {
    let (index, mut writer) = filled();
    rewrite(&mut writer);
    assert!(index.reader().is_purge_pending().unwrap());
    writer.purge().unwrap();
    let before = described_index(&index.reader());
    assert_eq!(rewrite(&mut writer), RewrittenCounts::default());
    assert!(!index.reader().is_purge_pending().unwrap());
    assert_eq!(described_index(&index.reader()), before);
}

#[test]
fn progress_reaches_the_end() {
    let (_index, mut writer) = filled();
    let told = RefCell::new(Vec::new());
    let progress = |Progress { done, total }| told.borrow_mut().push((done, total));
    writer
        .rewrite_stored_texts(&WordRewriter, &progress)
        .unwrap();
    assert_eq!(*told.borrow(), [(1, 1)]);
}
