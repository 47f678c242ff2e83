//! A sentence as it was said finds who said it.

use crate::library::{Library, QUERY, cosine, ids};
use session_search::SearchRequest;

/// One word of it is wrong, and the others are everyday words that others say more often.
#[test]
fn who_said_a_sentence_is_first() {
    let mut library = Library::new();
    library.say(
        "said",
        &[(
            "In the end we only have to approve the plan once a month, he told us.",
            Some(cosine(0.1)),
        )],
    );
    for n in 0..4 {
        let said = format!("Approve the plan of month {n}: approve it, or plan it for a month.");
        library.say(&format!("near{n}"), &[(&said, Some(cosine(0.9)))]);
    }
    for query in [
        "we only have to approve it once a month",
        "we only have to approve the plan once a week",
        "only have to approve the plan once a month",
    ] {
        let found = library.search(&SearchRequest::new(query), Some(QUERY));
        assert_eq!(ids(&found)[0], "said", "{query}");
    }
    let other = "a month of the plan, to approve only once, we have";
    let found = library.search(&SearchRequest::new(other), Some(QUERY));
    assert_ne!(ids(&found)[0], "said");
}
