//! Which sessions a model has still to embed, and the batches in which their documents are stored.

use crate::support::{DIMS, Index, deliver, embed, meta, model, session as session_of, turn};
use crate::vectors::{axis, embedded, put, rows, stored};
use session_core::Turn;
use session_store::{DocumentExtent, ModelId, ModelRow, SessionId, Writer};

#[test]
fn sessions_are_pending_until_embedded_newest_first() {
    let index = Index::new();
    let mut writer = index.writer();
    let at = |time, words: &str| Turn {
        started_ms: Some(time),
        ended_ms: Some(time),
        ..turn(0, words, &[])
    };
    let old = deliver(
        &mut writer,
        &meta("a"),
        &[at(10, "The older question of all.")],
    );
    let new = deliver(
        &mut writer,
        &meta("b"),
        &[at(20, "The newer question of all.")],
    );
    let model = model(&mut writer);
    let pending = |writer: &mut Writer| -> Vec<SessionId> {
        let pending = writer
            .reader()
            .unwrap()
            .pending_sessions(&[model.id])
            .unwrap();
        pending.iter().map(|p| p.session).collect()
    };
    assert_eq!(pending(&mut writer), [new, old]);
    embed(&mut writer);
    assert_eq!(pending(&mut writer), []);
    assert_eq!(
        writer
            .reader()
            .unwrap()
            .embedded_sessions(model.id)
            .unwrap(),
        2
    );
    deliver(
        &mut writer,
        &meta("a"),
        &[at(10, "The older question of all.")],
    );
    assert_eq!(pending(&mut writer), [], "nothing changed");
    deliver(
        &mut writer,
        &meta("a"),
        &[at(10, "The older question, put better.")],
    );
    assert_eq!(pending(&mut writer), [old]);
    assert_eq!(
        writer
            .reader()
            .unwrap()
            .embedded_sessions(model.id)
            .unwrap(),
        1
    );
}

#[test]
fn a_partial_batch_leaves_its_session_pending() {
    let index = Index::new();
    let mut writer = index.writer();
    put(&mut writer, 1, &[embedded(1, "a", axis(0))]);
    let at = Turn {
        prompt: "Another question for the first session.".into(),
        ..turn(0, "", &[])
    };
    let session = i64::from(deliver(&mut writer, &meta("made-0"), &[at]));
    let (model, pending) = (model(&mut writer), session_of(&mut writer, session));
    let some = [embedded(2, "b", axis(1))];
    writer
        .store_documents(&model, pending, &some, DocumentExtent::Subset)
        .unwrap();
    writer.commit().unwrap();
    assert_eq!(
        rows(writer.reader().unwrap()),
        [(1, 1, axis(0)), (1, 2, axis(1))]
    );
    assert_eq!(
        writer
            .reader()
            .unwrap()
            .pending_sessions(&[model.id])
            .unwrap(),
        [pending]
    );
    put(
        &mut writer,
        session,
        &[stored(2, "b"), embedded(3, "c", axis(2))],
    );
    writer.commit().unwrap();
    assert_eq!(
        rows(writer.reader().unwrap()),
        [(1, 2, axis(1)), (1, 3, axis(2))]
    );
    assert_eq!(
        writer
            .reader()
            .unwrap()
            .pending_sessions(&[model.id])
            .unwrap(),
        []
    );
}

/// A vector that no part needs is orphaned with the last part, and one that an earlier part needs is not.
#[test]
fn the_documents_of_a_session_come_in_parts() {
    let index = Index::new();
    let mut writer = index.writer();
    let old = [embedded(1, "a", axis(0)), embedded(2, "b", axis(1))];
    put(&mut writer, 1, &old);
    writer.commit().unwrap();
    let (model, pending) = (model(&mut writer), session_of(&mut writer, 1));
    let parts = [
        ([stored(2, "b")], DocumentExtent::Slice),
        ([embedded(3, "c", axis(2))], DocumentExtent::Slice),
        ([embedded(4, "b", axis(1))], DocumentExtent::Complete),
    ];
    for (part, extent) in &parts {
        writer
            .store_documents(&model, pending, part, *extent)
            .unwrap();
        writer.commit().unwrap();
    }
    assert_eq!(
        rows(writer.reader().unwrap()),
        [(1, 2, axis(1)), (1, 3, axis(2)), (1, 4, axis(1))]
    );
    assert!(
        !writer
            .reader()
            .unwrap()
            .has_pending_sessions(&[model.id])
            .unwrap()
    );
}

/// A session one of whose parts could not be stored is embedded again.
#[test]
fn a_session_with_a_part_that_failed_is_still_pending() {
    let index = Index::new();
    let mut writer = index.writer();
    let (model, pending) = (model(&mut writer), session_of(&mut writer, 1));
    let parts = [
        ([stored(1, "a")], DocumentExtent::Slice),
        ([embedded(2, "b", axis(1))], DocumentExtent::Complete),
    ];
    for (part, extent) in &parts {
        writer
            .store_documents(&model, pending, part, *extent)
            .unwrap();
    }
    writer.commit().unwrap();
    assert!(
        writer
            .reader()
            .unwrap()
            .has_pending_sessions(&[model.id])
            .unwrap()
    );
}

#[test]
fn documents_of_an_old_revision_are_not_stored() {
    let index = Index::new();
    let mut writer = index.writer();
    let (model, before) = (model(&mut writer), session_of(&mut writer, 1));
    deliver(
        &mut writer,
        &meta("made-0"),
        &[turn(0, "A question that came meanwhile.", &[])],
    );
    let documents = [embedded(1, "a", axis(0))];
    writer
        .store_documents(&model, before, &documents, DocumentExtent::Complete)
        .unwrap();
    writer.commit().unwrap();
    assert_eq!(rows(writer.reader().unwrap()), []);
    let pending = writer
        .reader()
        .unwrap()
        .pending_sessions(&[model.id])
        .unwrap();
    assert!(pending.len() == 1 && pending[0].revision > before.revision);
}

#[test]
fn a_session_is_pending_for_models_together_until_one_has_it() {
    let index = Index::new();
    let mut writer = index.writer();
    put(&mut writer, 1, &[embedded(1, "a", axis(0))]);
    let old = model(&mut writer);
    let new = writer.add_model("beef", "other", DIMS).unwrap();
    let pending = session_of(&mut writer, 2);
    let documents = [embedded(2, "b", axis(3))];
    writer
        .store_documents(&new, pending, &documents, DocumentExtent::Complete)
        .unwrap();
    writer.commit().unwrap();
    let mut sessions = |models: &[ModelId]| -> Vec<i64> {
        let pending = writer.reader().unwrap().pending_sessions(models).unwrap();
        pending.iter().map(|p| p.session.into()).collect()
    };
    assert_eq!(sessions(&[old.id]), [2]);
    assert_eq!(sessions(&[new.id]), [1]);
    assert_eq!(sessions(&[old.id, new.id]), [0; 0]);
}

/// Embeds a session by a model, and notes where that was the last.
fn embed_by(writer: &mut Writer, model: &ModelRow, session: i64) {
    let find = writer.reader().unwrap().pending_sessions(&[model.id]);
    let pending = find.unwrap().into_iter();
    let pending = pending.filter(|p| i64::from(p.session) == session);
    for pending in pending {
        writer
            .store_documents(model, pending, &[], DocumentExtent::Complete)
            .unwrap();
    }
    writer.note_if_complete(model.id).unwrap();
    writer.commit().unwrap();
}

#[test]
fn a_changed_session_waits_for_each_model_that_had_all() {
    let index = Index::new();
    let mut writer = index.writer();
    let models = ["f00d", "beef", "cafe"].map(|of| writer.add_model(of, of, DIMS).unwrap());
    let [quick, slow, partial] = &models;
    for (number, name) in [(1, "a"), (2, "b")] {
        deliver(&mut writer, &meta(name), &[turn(0, name, &[])]);
        embed_by(&mut writer, quick, number);
        embed_by(&mut writer, slow, number);
    }
    embed_by(&mut writer, partial, 2);
    deliver(&mut writer, &meta("a"), &[turn(0, "two", &[])]);
    writer.commit().unwrap();
    let waiting = |writer: &mut Writer, models: &[&ModelRow]| -> Vec<i64> {
        let models: Vec<ModelId> = models.iter().map(|model| model.id).collect();
        let pending = writer.reader().unwrap().pending_sessions(&models).unwrap();
        pending.iter().map(|p| p.session.into()).collect()
    };
    assert_eq!(waiting(&mut writer, &[quick]), [1]);
    assert_eq!(waiting(&mut writer, &[partial]), [1]);
    embed_by(&mut writer, quick, 1);
    assert_eq!(waiting(&mut writer, &[slow]), [1]);
    assert_eq!(waiting(&mut writer, &[quick, slow]), [0; 0]);
    embed_by(&mut writer, slow, 1);
    assert_eq!(waiting(&mut writer, &[slow]), [0; 0]);
    assert_eq!(waiting(&mut writer, &[partial]), [1]);
    deliver(&mut writer, &meta("b"), &[turn(0, "three", &[])]);
    writer.delete_session(SessionId::new(2)).unwrap();
    assert_eq!(waiting(&mut writer, &[slow]), [0; 0]);
}

/// Who embeds beside the writer knows a session by its number and its revision.
#[test]
fn the_number_of_a_deleted_session_is_not_given_again() {
    let index = Index::new();
    let asked = [turn(0, "Where is the port configured?", &[])];
    let mut last = None;
    for uid in ["a", "b", "c"] {
        let mut writer = index.writer();
        let session = deliver(&mut writer, &meta(uid), &asked);
        writer.commit().unwrap();
        assert!(Some(session) > last, "{uid}");
        last = Some(session);
        writer.delete_session(session).unwrap();
        writer.commit().unwrap();
    }
}
