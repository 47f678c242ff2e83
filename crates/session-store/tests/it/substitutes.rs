//! Terms that no turn holds, and names that are written in two ways.

use crate::support::{Index, deliver, failed, filled, meta, prompts, turn};
use session_core::{Query, Turn};
use session_store::SubstituteKind;

#[test]
fn the_beginning_of_a_longer_name_finds_it() {
    let turns = ["mend useLanternOil", "mend the lanternfish", "a quay"];
    let (_index, reader) = filled(&turns);
    for query in ["useLantern", "uselantern", "use_lantern", "useLanternOi"] {
        assert_eq!(prompts(&reader, query), [turns[0]], "{query}");
    }
    for query in ["qu", "\"lanternf\"", "lanterns.rs", "anternfish"] {
        assert_eq!(prompts(&reader, query), [""; 0], "{query}");
    }
}

#[test]
fn a_word_that_some_turn_holds_is_not_completed() {
    let (_index, reader) = filled(&["a lamp", "a lampshade"]);
    assert_eq!(prompts(&reader, "lamp"), ["a lamp"]);
    assert_eq!(prompts(&reader, "lampsh"), ["a lampshade"]);
}

#[test]
fn the_beginning_of_a_hash_counts_as_the_hash() {
    let hash = "787ad70021687990369249bc2183c7691c0f5d39";
    let turns = [format!("it is in {hash}"), "a quay".to_owned()];
    let (_index, reader) = filled(&[&turns[0], &turns[1]]);
    for query in ["787ad70", "787AD700", hash] {
        let found = reader.search_lexical(&Query::new(query), 9, |_| Ok(true));
        let found = found.unwrap();
        assert_eq!(found.terms[0].postings().count(), 1, "{query}");
        assert!((found.idf_share(found.turns[0].id) - 1.0).abs() < 1e-6);
    }
    assert_eq!(prompts(&reader, "7870021").len(), 0);
}

#[test]
fn words_in_a_row_are_a_term_where_a_turn_holds_them() {
    let (_index, reader) = filled(&["the red lamp burns", "a lamp, red as a quay", "a quay"]);
    let terms = |query: &str| {
        let found = reader.search_lexical(&Query::new(query), 9, |_| Ok(true));
        let terms = found.unwrap().terms.into_iter();
        terms.map(|term| term.term).collect::<Vec<_>>()
    };
    assert_eq!(terms("red lamp"), ["red", "lamp", "red lamp"]);
    assert_eq!(terms("quay lamp"), ["quay", "lamp"]);
    assert_eq!(terms("lamp"), ["lamp"]);
}

#[test]
fn the_words_of_a_name_stand_for_it_where_a_turn_holds_most_of_them() {
    let turns = [
        "mend LampWickOilService",
        "the lamp burns, the service waits",
        "a quay",
        "a lamp, a service",
        "a lamp",
    ];
    let (_index, reader) = filled(&turns);
    let find = |query: &str| {
        let found = reader.search_lexical(&Query::new(query), 9, |_| Ok(true));
        found.unwrap()
    };
    let found = find("LampOilService");
    assert_eq!(found.turns.len(), 1);
    assert_eq!(found.terms[0].substitute(), Some(SubstituteKind::NameWords));
    let share = found.idf_share(found.turns[0].id);
    assert!((share - 0.45).abs() < 1e-6, "{share}");
    let added = find("LampOilStoveService");
    let share = added.idf_share(added.turns[0].id);
    assert!((0.1..0.4).contains(&share), "{share}");
    let of_path = find("Lamp/WickOil.rs");
    assert_eq!(of_path.turns.len(), 1);
    for query in [
        "LampStove",
        "quayStoveWick",
        "lamp/OilStove",
        "/home/ann/lamp/a.rs",
    ] {
        assert_eq!(prompts(&reader, query), [""; 0], "{query}");
    }
}

#[test]
fn words_that_signs_join_stand_for_what_no_turn_holds() {
    let turns = [
        "set LAMP_MODE to night",
        "6.0.3 of the oilcan",
        "the night, a quay",
        "https://lamp.example.com/night?mode=oil",
        "an oilcan with 6 wicks, 0 of 3 burn",
    ];
    let (_index, reader) = filled(&turns);
    for (query, found) in [
        ("LAMP_MODE=night", &turns[..1]),
        ("mode=night", &turns[..1]),
        ("LAMP_MODE:night", &turns[..1]),
        ("oilcan@6.0.3", &turns[1..2]),
        ("oilcan@6.0.4", &[]),
        ("quay+oilcan", &[]),
        ("night?mode=oil", &turns[3..4]),
    ] {
        let mut prompts = prompts(&reader, query);
        prompts.truncate(1);
        assert_eq!(prompts, found, "{query}");
    }
    for query in ["\"LAMP_MODE of=night\"", "12:30", "c++"] {
        assert_eq!(prompts(&reader, query), [""; 0], "{query}");
    }
}

#[test]
fn the_words_of_a_compound_stand_for_it() {
    let turns = [
        "die Verbindung zur Datenbank",
        "eine Datenbank",
        "die Rechnung steht in der Liste",
        "elastic or search",
    ];
    let (_index, reader) = filled(&turns);
    let compound = "Datenbankverbindung";
    for query in [compound, "größe Datenbankverbindung"] {
        assert_eq!(prompts(&reader, query), [turns[0]], "{query}");
    }
    // Nothing shows that the words themselves are no names.
    for query in [
        "Rechnungsliste",
        "Elasticsearch",
        "dónde está elasticsearch",
        "warum ist nicht elasticsearch",
        "\"Datenbankverbindung\"",
    ] {
        assert_eq!(prompts(&reader, query), [""; 0], "{query}");
    }
    let found = reader.search_lexical(&Query::new(compound), 9, |_| Ok(true));
    let found = found.unwrap();
    let kind = found.terms[0].substitute();
    assert_eq!(kind, Some(SubstituteKind::CompoundWords));
}

#[test]
fn what_stands_for_a_term_counts_less_than_the_term() {
    let (_index, reader) = filled(&["a lanternfish", "a quay"]);
    let share = |query: &str| {
        let found = reader.search_lexical(&Query::new(query), 9, |_| Ok(true));
        let found = found.unwrap();
        found.idf_share(found.turns[0].id)
    };
    assert!((share("lanternfish") - 1.0).abs() < 1e-6);
    assert!(share("lanternf") < 0.5);
}

#[test]
fn a_name_is_found_in_snake_kebab_and_camel_case() {
    let turns = [
        "mend lantern_oil_tank",
        "mend lanternOilTank",
        "LANTERN_OIL_TANK=1",
    ];
    let (_index, reader) = filled(&turns);
    for query in ["lantern_oil_tank", "lantern-oil-tank", "LANTERN_OIL_TANK"] {
        assert_eq!(prompts(&reader, query).len(), 3, "{query}");
    }
    let (_index, reader) = filled(&[turns[0], turns[2], "a quay"]);
    assert_eq!(prompts(&reader, "lanternOilTank").len(), 2);
}

#[test]
fn an_error_with_other_numbers_is_the_same_error() {
    let index = Index::new();
    let mut writer = index.writer();
    let printed = "error: corrupt patch at line 43";
    let parts = vec![failed("git apply lamp.patch", printed)];
    let failed = Turn {
        parts,
        ..turn(1, "apply it", &[])
    };
    let said = turn(0, "line 12 of the corrupt zip has an error, patch it", &[]);
    deliver(&mut writer, &meta("a"), &[said, failed]);
    writer.commit().unwrap();
    let found = |query: &str| prompts(&index.reader(), query).remove(0);
    assert_eq!(found("error: corrupt patch at line 12"), "apply it");
    assert_eq!(found(printed), "apply it");
}
