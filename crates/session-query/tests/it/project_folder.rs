//! Projects that are typed as a path.

use session_query::parse_project;
use session_search::ProjectPattern;

#[test]
fn names_and_paths_are_parts() {
    for typed in ["homelab", "/home/ann/app", "..app", ""] {
        let part = ProjectPattern::Part(typed.to_owned());
        assert_eq!(parse_project(typed), part);
    }
}
