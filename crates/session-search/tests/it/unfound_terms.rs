//! Terms that no session holds.

use crate::library::{Library, QUERY};
use session_search::SearchRequest;

#[test]
fn the_id_of_a_session_is_told_apart() {
    let mut library = Library::new();
    library.say("2095544c-9d0f", &[("The error of the importer.", None)]);
    let unfound = |query: &str| {
        let found = library.search(&SearchRequest::new(query), Some(QUERY));
        found.explanation.unfound
    };
    for id in ["2095544c", "2095544c-9d0f", "209554", "2095544C"] {
        let told = unfound(&format!("error {id}"));
        assert_eq!(told.session_ids, [id]);
        assert_eq!(told.missing, [id], "it is no text of a turn");
    }
    assert_eq!(unfound("error 2095544d").session_ids, [""; 0]);
}
