//! A name that is written in snake case here and in camel case there.

use crate::library::{Library, QUERY, cosine};
use session_search::SearchRequest;

#[test]
fn a_name_in_the_other_case_goes_before_its_words() {
    let mut library = Library::new();
    let words = "Please use provider detection as we did before.";
    library.say("words", &[(words, Some(cosine(0.8)))]);
    library.say(
        "camel",
        &[("Mend useProviderDetection.", Some(cosine(0.1)))],
    );
    for n in 0..9 {
        library.say(
            &format!("other{n}"),
            &[("Paint the gate.", Some(cosine(0.2)))],
        );
    }
    let find = |query: &str| {
        let found = library.search(&SearchRequest::new(query), Some(QUERY));
        found.hits[0].session.uid.clone()
    };
    for query in ["use_provider_detection", "where is USE_PROVIDER_DETECTION"] {
        assert_eq!(find(query), "camel", "{query}");
    }
    assert_eq!(find("\"use provider detection\""), "words");
}
