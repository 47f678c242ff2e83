//! Documents that come with the session that they are of.

use crate::support::{Index, deliver, meta, model, turn};
use crate::vectors::{axis, rows};
use session_core::Turn;
use session_store::{DocumentKind, ModelRow, NewDocument, NewDocuments, SessionId, Writer};

/// The documents of a session of two turns, as they come with it.
fn new_documents(title: Option<&str>) -> NewDocuments {
    let document = |turn, text: &str, vector: Vec<f32>| NewDocument::new(turn, text, &vector);
    NewDocuments {
        title: title.map(str::to_owned),
        turns: 2,
        documents: vec![
            document(None, "both", axis(2)),
            document(Some(0), "first", axis(0)),
            document(Some(1), "second", axis(1)),
        ],
    }
}

fn two_turns() -> [Turn; 2] {
    [
        turn(0, "Where is the lamp oil kept?", &["In the shed."]),
        turn(1, "And who trims the wick?", &["The keeper."]),
    ]
}

#[test]
fn documents_come_with_a_new_session() {
    let index = Index::new();
    let mut writer = index.writer();
    let model = model(&mut writer);
    let session = deliver(&mut writer, &meta("a"), &two_turns());
    let mut new = new_documents(meta("a").title.as_deref());
    assert!(
        writer
            .store_new_documents(&model, session, &mut new)
            .unwrap()
    );
    writer.commit().unwrap();
    let reader = index.reader();
    assert_eq!(rows(&reader), [(1, 1, axis(0)), (1, 2, axis(1))]);
    assert!(!reader.has_pending_sessions(&[model.id]).unwrap());
    let chunks = reader.vector_owners(model.id, DocumentKind::Chunk).unwrap();
    assert_eq!(chunks.rows().count(), 1);
}

/// They are left to be made from the index.
#[test]
fn documents_of_a_session_that_is_another_by_now_are_not_stored() {
    type Change = fn(&mut Writer, SessionId);
    let changes: [(&str, Change); 4] = [
        ("as it is", |_, _| {}),
        ("longer", |writer, session| {
            let more = turn(2, "Is the lamp lit at noon?", &["No."]);
            writer.add_turn(session, &more).unwrap();
        }),
        ("another turn", |writer, session| {
            let other = turn(1, "And who cleans the glass?", &["The keeper."]);
            writer.add_turn(session, &other).unwrap();
        }),
        ("another session", |writer, _| {
            deliver(
                writer,
                &meta("b"),
                &[turn(0, "Is the gate shut?", &["Yes."])],
            );
        }),
    ];
    for (what, change) in changes {
        for title in [meta("a").title, Some("Another title".to_owned())] {
            let index = Index::new();
            let mut writer = index.writer();
            let model = model(&mut writer);
            let session = deliver(&mut writer, &meta("a"), &two_turns());
            change(&mut writer, session);
            let mut new = new_documents(title.as_deref());
            let is_stored = writer
                .store_new_documents(&model, session, &mut new)
                .unwrap();
            let is_same = what == "as it is" && title == meta("a").title;
            assert_eq!(is_stored, is_same, "{what}, {title:?}");
            assert_eq!(is_pending(&mut writer, &model), !is_same);
        }
    }
}

fn is_pending(writer: &mut Writer, model: &ModelRow) -> bool {
    let index = writer.reader().unwrap();
    index.has_pending_sessions(&[model.id]).unwrap()
}

#[test]
fn documents_of_a_session_with_a_copy_are_not_stored() {
    let index = Index::new();
    let mut writer = index.writer();
    let model = model(&mut writer);
    let [first, second] = two_turns();
    let original = deliver(&mut writer, &meta("a"), &two_turns());
    let fork = deliver(&mut writer, &meta("b"), &[first, second]);
    assert_ne!(original, fork);
    let mut new = new_documents(meta("b").title.as_deref());
    assert!(!writer.store_new_documents(&model, fork, &mut new).unwrap());
}
