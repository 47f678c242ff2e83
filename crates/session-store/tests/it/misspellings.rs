//! Words that no turn holds, and those that were meant.

use crate::support::filled;
use session_store::WordCorrector;

#[test]
fn a_slip_of_the_finger_is_corrected_to_the_commonest_word() {
    let turns = [
        "the lanterns burn",
        "a lantern",
        "a lantana",
        "Schlüssel und лампа",
    ];
    let (_index, reader) = filled(&turns);
    let mut corrector = WordCorrector::new(&reader).unwrap();
    for (typed, meant) in [
        ("lnatern", "lantern"),
        ("latern", "lantern"),
        ("lanterrn", "lantern"),
        ("lamtern", "lantern"),
        ("lanters", "lanterns"),
        ("alntern", "lantern"),
        ("LANTERNSS", "lanterns"),
        ("lantena", "lantana"),
        ("schlusel", "schlussel"),
        ("ламба", "лампа"),
    ] {
        let found = corrector.correct(typed).unwrap();
        assert_eq!(found.as_deref(), Some(meant), "{typed}");
    }
}

#[test]
fn a_name_is_corrected_to_one_as_a_turn_spells_it() {
    let (_index, reader) = filled(&["renderLanternOil", "HTTPGate", "lamp_oilGauge"]);
    let mut corrector = WordCorrector::new(&reader).unwrap();
    for (typed, meant) in [
        ("renderLanternOli", "renderLanternOil"),
        ("renderLanterOil", "renderLanternOil"),
        ("RenderLantrenOil", "renderLanternOil"),
        ("renderLanterOnil", "renderLanternOil"),
        ("HttpGtae", "HTTPGate"),
        ("oilGuage", "oilGauge"),
    ] {
        let found = corrector.correct_name(typed).unwrap();
        assert_eq!(found.as_deref(), Some(meant), "{typed}");
    }
}

#[test]
fn a_name_of_which_turns_hold_each_word_stays() {
    let (_index, reader) = filled(&["openGate", "date", "openABook", "brook"]);
    let mut corrector = WordCorrector::new(&reader).unwrap();
    for typed in ["openDate", "openGates", "openBook", "openABrook"] {
        assert_eq!(corrector.correct_name(typed).unwrap(), None, "{typed}");
    }
    let found = corrector.correct_name("openGtae").unwrap();
    assert_eq!(found.as_deref(), Some("openGate"));
}

#[test]
fn no_word_is_made_up_from_a_stem() {
    let (_index, reader) = filled(&[
        "cheers, it grades well: a gradient",
        "grades of cheers, not declared",
    ]);
    let mut corrector = WordCorrector::new(&reader).unwrap();
    let gradient = corrector.correct("gradeint").unwrap();
    assert_eq!(gradient.as_deref(), Some("gradient"));
    for typed in ["cheese", "gradins", "nothing"] {
        assert_eq!(corrector.correct(typed).unwrap(), None, "{typed}");
    }
}

#[test]
fn what_is_no_slip_of_a_word_stays() {
    let (_index, reader) = filled(&["the lantern burns at a quay, done", "灯台的光"]);
    let mut corrector = WordCorrector::new(&reader).unwrap();
    for typed in [
        "santern",
        "lentarn",
        "qay",
        "lantern2",
        "lan-tern",
        "灯台的",
        "dónde",
        "",
        "l",
    ] {
        assert_eq!(corrector.correct(typed).unwrap(), None, "{typed}");
    }
}
