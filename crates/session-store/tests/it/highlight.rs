//! Words of a query in a text, as the index matches them.

use crate::support::{deliver, found, meta, turn};
use proptest::prelude::*;
use session_core::Query;
use session_store::find_term_ranges;

fn words(query: &str, text: &str) -> Vec<String> {
    let query = Query::new(query);
    let terms: Vec<&str> = query.terms.iter().map(|term| term.text.as_str()).collect();
    let found = find_term_ranges(&terms, &[text]).unwrap();
    let words = found[0].iter().map(|range| text[range.clone()].to_owned());
    words.collect()
}

#[track_caller]
fn check(query: &str, text: &str, expected: &[&str]) {
    assert_eq!(words(query, text), expected, "{query} in {text}");
}

#[test]
fn words_match_whatever_their_ending_accents_and_case() {
    check(
        "connecting lamps",
        "Connected, the LAMP connects.",
        &["Connected", "LAMP", "connects"],
    );
    check("cafe", "Das Café, le cafe\u{301}", &["Café", "cafe\u{301}"]);
    check("ÜBER", "uber über", &["uber", "über"]);
    check("lamp", "clamp", &[]);
    for (typed, written) in [
        ("strasse", "Straße"),
        ("елка", "Ёлка"),
        ("baglanti", "bağlantı"),
        ("σύνδεση", "ΣΥΝΔΕΣΗ"),
        ("كتاب", "كِتَاب"),
        ("docker", "ｄｏｃｋｅｒ"),
        ("データ", "ﾃﾞｰﾀ"),
    ] {
        check(typed, &format!("a {written}, b"), &[written]);
    }
    check("", "nothing", &[]);
}

#[test]
fn a_phrase_and_an_identifier_match_as_a_whole() {
    check(
        "\"docker bridge\"",
        "docker has a docker bridge",
        &["docker bridge"],
    );
    check(
        "src/main.rs",
        "In src/main.rs, not main.rs: fine",
        &["src/main.rs"],
    );
    check(
        "snake_case",
        "a snake_case snake case",
        &["snake_case", "snake case"],
    );
}

#[test]
fn scripts_without_spaces_match_by_their_runs() {
    check("连接池", "数据库连接池超时了", &["连接池"]);
    check("连接", "连接,连接 连 接", &["连接", "连接", "连 接"]);
    check("連接 lamp", "a lamp 連接b", &["lamp", "連接"]);
}

#[test]
fn a_match_splits_no_character_as_people_see_it() {
    check("हिन्दी", "यह हिन्दी है", &["हिन्दी"]);
    check("ไทย", "ภาษาไทยนี้", &["ไทย"]);
    check("lamp", "lamp\u{20dd} lamp", &["lamp\u{20dd}", "lamp"]);
}

#[test]
fn each_text_has_its_own_places_and_control_characters_count() {
    let texts = ["a lamp", "none", "\u{1}lamp\u{2}\n👨\u{200d}👩 lamp"];
    let found = find_term_ranges(&["lamp"], &texts).unwrap();
    let places: Vec<Vec<(usize, usize)>> = found
        .iter()
        .map(|ranges| ranges.iter().map(|r| (r.start, r.end)).collect())
        .collect();
    assert_eq!(places, [vec![(2, 6)], vec![], vec![(1, 5), (19, 23)]]);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    /// Where the index finds a text, something in it is marked, and the other way round.
    #[test]
    fn a_text_is_marked_where_the_index_finds_it(
        words in prop::collection::vec("(lamps?|Lámp|gate|gates|connect(ed|ing)?|灯塔|灯|[a-c]{1,2}|, )", 0..8),
        query in "(lamp|LAMPS|gating|connects|灯塔|塔|a|\"a b\"|lamp gate)",
    ) {
        let text = format!("The harbour has all of this and says: {}", words.join(" "));
        let index = crate::support::Index::new();
        let mut writer = index.writer();
        deliver(&mut writer, &meta("a"), &[turn(0, &text, &[])]);
        let is_found = !found(writer.reader().unwrap(), &query).is_empty();
        prop_assert_eq!(!self::words(&query, &text).is_empty(), is_found, "{} in {}", query, text);
    }
}
