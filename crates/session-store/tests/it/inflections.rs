//! Words of other languages in other forms than a text has them.

use crate::support::{filled, prompts};
use session_core::Query;
use session_store::TurnId;

const TURNS: [&str; 9] = [
    "Die Rechnungen gehen als PDF heraus",
    "As conexões com o banco caem",
    "Połączenia z bazą są zrywane",
    "De tabellen zijn leeg",
    "Bağlantıların hepsi kapanıyor",
    "Η σύνδεση με τη βάση κόβεται",
    "تظهر الفواتير مشوهة",
    "הקבצים נעלמים מהתיקייה",
    "Очередь сообщений переполняется",
];

#[test]
fn a_word_is_found_in_its_other_forms() {
    let (_index, reader) = filled(&TURNS);
    for (query, at) in [
        ("Rechnung", 0),
        ("conexao", 1),
        ("połączenie", 2),
        ("polaczen", 2),
        ("tabel", 3),
        ("bağlantı", 4),
        ("συνδεσεις", 5),
        ("فواتير", 6),
        ("בתיקייה", 7),
        ("очередям", 8),
    ] {
        assert_eq!(prompts(&reader, query), [TURNS[at]], "{query}");
    }
}

#[test]
fn an_exact_term_has_no_other_forms() {
    let (_index, reader) = filled(&TURNS);
    for query in ["\"Rechnung\"", "rechnung_pdf", "Rechnung.pdf"] {
        assert_eq!(prompts(&reader, query), [""; 0], "{query}");
    }
}

#[test]
fn a_word_as_typed_goes_before_its_other_forms() {
    let (_index, reader) = filled(&["Rechnungen", "Rechnung", "Rechnungsbuch"]);
    assert_eq!(prompts(&reader, "Rechnung"), ["Rechnung", "Rechnungen"]);
    assert_eq!(prompts(&reader, "Rechnungen"), ["Rechnungen", "Rechnung"]);
    let found = reader.search_lexical(&Query::new("Rechnung"), 9, |_| Ok(true));
    let words = found.unwrap().terms.remove(0);
    assert_eq!(
        words.words().collect::<Vec<_>>(),
        ["Rechnung", "rechnungen"]
    );
    assert!(words.holds(TurnId::new(2)) && !words.holds(TurnId::new(1)));
}

#[test]
fn a_verb_and_the_noun_of_its_action_find_each_other() {
    let turns = [
        "Die Speicherung bricht ab",
        "la exportación falla",
        "Testowanie trwa",
        "il caricamento lento",
        "nahrávání souborů",
        "a validação falha",
        "uppdatering saknas",
        "yüklerken hata",
        "обновление стоит",
    ];
    let (_index, reader) = filled(&turns);
    for (query, at) in [
        ("speichern", 0),
        ("exportar", 1),
        ("testować", 2),
        ("caricare", 3),
        ("nahrávat", 4),
        ("validar", 5),
        ("uppdatera", 6),
        ("yükleme", 7),
        ("обновить", 8),
    ] {
        assert_eq!(prompts(&reader, query), [turns[at]], "{query}");
    }
}

#[test]
fn a_german_noun_of_action_is_no_english_verb() {
    let (_index, reader) = filled(&["handle the click", "die Stelle im Code"]);
    for query in ["Handlung", "welche Handlung", "Stellung"] {
        assert_eq!(prompts(&reader, query), [""; 0], "{query}");
    }
}

/// `fondation` and `fonder` are one in French alone: English has such endings, too.
#[test]
fn endings_of_french_that_english_has_count_in_a_query_of_another_language_alone() {
    let (_index, reader) = filled(&["le chargement", "the founder", "the closest"]);
    assert_eq!(prompts(&reader, "où charger"), ["le chargement"]);
    for query in ["charger", "foundation", "closet"] {
        assert_eq!(prompts(&reader, query), [""; 0], "{query}");
    }
}

#[test]
fn english_words_stay_apart() {
    let turns = [
        "the broker restarts",
        "it is broken",
        "a broke pipe",
        "the model",
        "dark mode",
        "once again",
        "against it",
    ];
    let (_index, reader) = filled(&turns);
    for (query, at) in [("broker", 0), ("model", 3), ("again", 5)] {
        assert_eq!(prompts(&reader, query), [turns[at]], "{query}");
    }
}

#[test]
fn of_an_english_query_only_words_that_no_turn_holds_have_other_forms() {
    let (_index, reader) = filled(&["a printer", "to print", TURNS[0]]);
    assert_eq!(prompts(&reader, "printer").len(), 2);
    assert_eq!(prompts(&reader, "where is the printer"), ["a printer"]);
    assert_eq!(prompts(&reader, "where is the Rechnung"), [TURNS[0]]);
}
