//! Projects that are typed as a path.

use session_query::{read_folder, read_project};
use session_search::ProjectPattern;

#[test]
fn names_and_paths_are_parts() {
    for typed in ["homelab", "/home/ann/app", "./nowhere", "..app", ""] {
        let part = ProjectPattern::Part(typed.to_owned());
        assert_eq!(read_project(typed), part);
        assert_eq!(read_folder(typed), part);
    }
}

/// The tests run in the folder of their crate.
#[test]
fn a_relative_path_is_a_folder() {
    let folder = |typed: &str| match read_folder(typed) {
        ProjectPattern::Folder(folder) => folder,
        part => panic!("{part:?}"),
    };
    assert!(folder(".").ends_with("session-query"));
    assert!(folder("./src").ends_with("src"));
    assert!(folder("..").ends_with("crates"));
}
