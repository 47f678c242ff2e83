//! An index of this format, made once and kept: this program must read it as
//! long as [`FORMAT_VERSION`] stays.
//!
//! To make the sample of a new format, remove its folder and run this test with
//! `SESSION_SEARCH_WRITE_FIXTURES=1`.

use crate::support::{
    Index, bash, deliver, documents, embed, found, is_near, meta, prompts, turn, vector,
};
use session_core::{SessionMeta, Turn};
use session_store::{FORMAT_VERSION, Level, Reader, Writer};
use std::path::{Path, PathBuf};

const FILES: [&str; 3] = [
    "index.db",
    "vectors/f00d/session.0.npy",
    "vectors/f00d/turn.0.npy",
];

fn sample() -> PathBuf {
    let version = format!("fixtures/v{FORMAT_VERSION}");
    Path::new(env!("CARGO_MANIFEST_DIR")).join(version)
}

fn copy(from: &Path, to: &Path) {
    for file in FILES {
        fs_err::create_dir_all(to.join(file).parent().unwrap()).unwrap();
        fs_err::copy(from.join(file), to.join(file)).unwrap();
    }
}

fn turns() -> [Turn; 2] {
    let asked = Turn {
        origin: Some("u1".into()),
        parts: vec![bash("cargo test", "error[E0502]: cannot borrow")],
        branch: Some("main".into()),
        ..turn(0, "Why does the borrow checker refuse this loop?", &[])
    };
    let next = turn(
        1,
        "Then clone the names first.",
        &["Done, all tests pass:\n\n```\n3 passed\n```"],
    );
    [asked, next]
}

fn write_sample() {
    let index = Index::new();
    let mut writer = index.writer();
    let first = SessionMeta {
        title: Some("Borrow checker".into()),
        cwd: Some("/home/ann/app".into()),
        ..meta("7a1e0c52-0000-4000-8000-000000000001")
    };
    deliver(&mut writer, &first, &turns());
    let fork = meta("7a1e0c52-0000-4000-8000-000000000002");
    deliver(&mut writer, &fork, &turns()[..1]);
    embed(&mut writer);
    writer.commit().unwrap();
    writer.tidy().unwrap();
    drop(writer);
    copy(index.root(), &sample());
}

fn assert_sample(index: &Reader) {
    let sessions = index.sessions().unwrap();
    let titles = [0, 1].map(|n: usize| sessions[n].title.as_deref());
    let prompt = "Why does the borrow checker refuse this loop?";
    assert_eq!(titles, [Some("Borrow checker"), Some(prompt)]);
    assert_eq!(prompts(index, "E0502"), [prompt]);
    let copy = &index.turns(sessions[1].id).unwrap()[0];
    assert_eq!(copy.owner, found(index, "refuse").first().copied());
    assert_eq!(index.content(copy.id).unwrap().commands, ["cargo test"]);
    let model = index.model("f00d").unwrap().unwrap();
    let matrix = index.matrix(&model, Level::Turn).unwrap();
    for owner in index.owners(model.id, Level::Turn).unwrap() {
        let documents = documents(index, owner.session);
        let document = documents.iter().find(|d| d.turn == owner.turn).unwrap();
        assert!(is_near(&matrix.row(owner.row), &vector(&document.text)));
    }
    assert!(matrix.rows() > 0);
}

#[test]
fn an_index_of_this_format_is_read_and_written_on() {
    let asked_to = std::env::var_os("SESSION_SEARCH_WRITE_FIXTURES").is_some();
    if asked_to && !sample().exists() {
        write_sample();
    }
    let index = Index::new();
    copy(&sample(), index.root());
    assert_sample(&index.reader());
    let mut writer = Writer::open(index.root()).unwrap();
    deliver(
        &mut writer,
        &meta("c"),
        &[turn(0, "Where is the port configured?", &[])],
    );
    embed(&mut writer);
    writer.commit().unwrap();
    assert_sample(&index.reader());
    assert_eq!(found(&index.reader(), "port").len(), 1);
}
