//! History files and their problems.

use crate::support::{Index, SOURCE, deliver, meta, turn};
use session_store::{FileId, FileStamp, Problem, Writer};

fn problem(path: &str, reason: &str, count: u64) -> Problem {
    Problem {
        path: path.into(),
        reason: reason.into(),
        offset: Some(7),
        count,
    }
}

fn reasons(writer: &mut Writer) -> Vec<String> {
    let problems = writer.reader().unwrap().problems().unwrap().into_iter();
    problems
        .map(|p| format!("{} {}x {}", p.path, p.count, p.reason))
        .collect()
}

#[test]
fn a_file_is_known_by_its_path() {
    let index = Index::new();
    let mut writer = index.writer();
    let file = writer.upsert_file(&SOURCE, "/h/a.jsonl").unwrap();
    assert_eq!(writer.upsert_file(&SOURCE, "/h/a.jsonl").unwrap(), file);
    assert_ne!(writer.upsert_file(&SOURCE, "/h/b.jsonl").unwrap(), file);
    let stamp = FileStamp {
        size: u64::MAX,
        mtime_ns: -1,
        inode: u64::MAX - 1,
    };
    writer.checkpoint(file, "here", stamp).unwrap();
    writer.commit().unwrap();
    let row = index.reader().file(file).unwrap().unwrap();
    assert_eq!(row.stamp, stamp);
    assert_eq!(
        index.reader().cursor(file).unwrap().as_deref(),
        Some("here")
    );
    assert_eq!(index.reader().cursor(FileId::new(99)).unwrap(), None);
    assert_eq!((row.path.as_str(), row.gone), ("/h/a.jsonl", false));
    assert_eq!(index.reader().file(FileId::new(99)).unwrap(), None);
}

#[test]
fn a_vanished_file_leaves_its_sessions_marked_until_it_is_back() {
    let index = Index::new();
    let mut writer = index.writer();
    let asked = turn(0, "Where is the port configured?", &[]);
    let session = deliver(&mut writer, &meta("a"), &[asked]);
    let file = writer.reader().unwrap().sessions().unwrap()[0].file;
    let gone = |writer: &mut Writer| writer.reader().unwrap().sessions().unwrap()[0].gone;
    writer
        .record_problem(&problem("/h/a.jsonl", "bad line", 1))
        .unwrap();
    writer.mark_file_gone(file).unwrap();
    assert!(gone(&mut writer));
    assert_eq!(reasons(&mut writer), [""; 0], "it no longer matters");
    assert_eq!(writer.reader().unwrap().turns(session).unwrap().len(), 1);
    writer.upsert_file(&SOURCE, "/h/a.jsonl").unwrap();
    assert!(!gone(&mut writer));
    writer.mark_session_gone(file, "a").unwrap();
    assert!(gone(&mut writer));
    writer
        .open_session(file, &SOURCE, &meta("a"), false)
        .unwrap();
    assert!(!gone(&mut writer));
    writer.begin_full_read(file, "/h/a.jsonl").unwrap();
    assert!(gone(&mut writer), "until it is met again");
}

#[test]
fn each_kind_of_problem_has_its_time() {
    let index = Index::new();
    let mut writer = index.writer();
    let file = writer.upsert_file(&SOURCE, "/h/a").unwrap();
    writer
        .record_problem(&problem("/h/a", "bad line", 2))
        .unwrap();
    writer
        .record_problem(&problem("/h/a", "bad line", 1))
        .unwrap();
    writer
        .record_unreadable(&problem("/h/a", "locked", 1))
        .unwrap();
    writer
        .replace_listing_problems(&[problem("/h", "no access", 1)])
        .unwrap();
    let all = ["/h 1x no access", "/h/a 3x bad line", "/h/a 1x locked"];
    assert_eq!(reasons(&mut writer), all);
    writer.clear_unreadable("/h/a").unwrap();
    assert_eq!(reasons(&mut writer), all[..2]);
    writer.replace_listing_problems(&[]).unwrap();
    assert_eq!(reasons(&mut writer), all[1..2]);
    writer.begin_full_read(file, "/h/a").unwrap();
    assert_eq!(reasons(&mut writer), [""; 0]);
}
