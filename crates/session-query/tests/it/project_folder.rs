//! Projects that are typed as a path.

use session_query::{find_project_sessions, read_project};
use session_search::ProjectPattern;
use session_store::SessionRow;

#[test]
fn names_and_paths_are_parts() {
    for typed in ["homelab", "/home/ann/app", "..app", ""] {
        let part = ProjectPattern::Part(typed.to_owned());
        assert_eq!(read_project(typed), part);
    }
}

#[test]
fn a_relative_path_that_is_not_there_is_no_part_of_a_path() {
    let session = SessionRow {
        cwd: Some("/w/v1.2/nowhere".to_owned()),
        ..SessionRow::default()
    };
    for typed in ["./nowhere", "../nowhere/."] {
        assert!(!read_project(typed).matches(&session), "{typed}");
        assert!(find_project_sessions(typed, std::slice::from_ref(&session)).is_empty());
    }
}

#[test]
fn a_whole_name_goes_before_parts_of_one() {
    let session = |project: &str| SessionRow {
        project: Some(project.to_owned()),
        cwd: Some(format!("{project}/src")),
        ..SessionRow::default()
    };
    let all = ["/w/app", "/w/app-secret", "/w/MyApp"].map(session);
    let found = |typed| {
        let found = find_project_sessions(typed, &all).into_iter();
        found
            .filter_map(|row| row.project.as_deref())
            .collect::<Vec<_>>()
    };
    for typed in ["app", "App", "/w/app", "/w/app/"] {
        assert_eq!(found(typed), ["/w/app"], "{typed}");
    }
    assert_eq!(found("myapp"), ["/w/MyApp"]);
    assert_eq!(found("ap"), ["/w/app", "/w/app-secret", "/w/MyApp"]);
    assert_eq!(found("secret"), ["/w/app-secret"]);
}
