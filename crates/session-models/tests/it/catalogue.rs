//! Which models there are.

use crate::tiny::{Home, description};
use session_models::{Folders, ModelError, State};
use std::path::Path;

#[test]
fn the_models_of_the_binary_are_always_here() {
    let home = Home::new();
    let catalogue = home.catalogue();
    let mut bundled = vec!["table"];
    if cfg!(feature = "minilm") {
        bundled.push("all-minilm-l6-v2");
    }
    for name in bundled {
        let spec = catalogue.spec(name).unwrap();
        assert_eq!(catalogue.state(spec), State::Bundled);
        assert_eq!(catalogue.bytes(spec), spec.bytes);
        let model = catalogue.load(name).unwrap();
        assert_eq!(model.spec(), spec);
        catalogue.verify(name, &()).unwrap();
        assert!(matches!(
            catalogue.remove(name),
            Err(ModelError::Bundled { .. })
        ));
    }
}

#[test]
fn looking_makes_no_folder() {
    let home = Home::new();
    let catalogue = home.catalogue();
    for spec in catalogue.specs() {
        catalogue.state(spec);
    }
    assert!(crate::tiny::tree(&home.path("")).is_empty());
}

#[test]
fn a_model_of_ones_own_is_one_file() {
    let home = Home::described();
    let catalogue = home.catalogue();
    let spec = catalogue.spec("tiny").unwrap();
    assert_eq!(catalogue.state(spec), State::Absent);
    assert_eq!(catalogue.bytes(spec), Some(500));
    let error = catalogue.load("tiny").err().unwrap();
    assert_eq!(
        error.to_string(),
        "the model `tiny` is not here: `weights/table.bin`, `vocabulary.bin` missing"
    );
    assert!(error.hint().unwrap().contains("model pull tiny"), "{error}");
}

#[test]
fn an_unknown_name_is_told_the_known_ones() {
    let error = Home::described().catalogue().load("tini").err().unwrap();
    assert_eq!(error.to_string(), "there is no model `tini`");
    let hint = error.hint().unwrap();
    assert!(hint.contains("table, tiny"), "{hint}");
}

#[test]
fn a_description_that_cannot_be_used_costs_itself_alone() {
    let good = description("tiny", [None; 2]);
    let check = |text: &str, reason: &str| {
        let home = Home::described();
        home.describe("zz", text);
        let catalogue = home.catalogue();
        assert!(catalogue.spec("tiny").is_ok());
        let [broken] = catalogue.broken() else {
            panic!("{:?}", catalogue.broken());
        };
        let message = broken.to_string();
        assert!(
            message.contains("models/zz.toml") && message.contains(reason),
            "{message}"
        );
    };
    check("", "missing field `name`");
    check("dims = ", "line 1");
    check(&good, "there is another model `tiny`");
    check(
        &good.replace("\"tiny\"", "\"table\""),
        "another model `table`",
    );
    let named = |name: &str| good.replace("\"tiny\"", &format!("\"{name}\""));
    for name in [
        "", ".", "..", "a/b", "../a", "remote", "Ann", "a b", "-\u{1b}[",
    ] {
        check(&named(name).replace('\u{1b}', "\\u001b"), "is no name");
    }
    for path in [
        "",
        "/etc/passwd",
        "../x",
        "a/../../x",
        "C:\\\\x",
        "installed.json",
        "a?b",
    ] {
        let other = good.replace("\"tiny\"", "\"zz\"");
        check(&other.replace("weights/table.bin", path), "is no path");
    }
    let other = description("zz", [Some("12ab"), None]);
    check(&other, "the sha256 of `weights/table.bin` is not one");
    let other = good.replace("\"tiny\"", "\"zz\"");
    check(
        &other.replace("dims = 4", "dims = 0"),
        "`dims` must be above 0",
    );
    check(
        &other.replace("\"table\"", "\"mamba\""),
        "unknown variant `mamba`",
    );
    check(
        &other.replace("\"table\"", "\"remote\""),
        "unknown variant `remote`",
    );
}

#[test]
fn folders_are_where_the_variables_say() {
    let folders = |vars: &[(&str, &str)]| {
        Folders::of(Path::new("/h"), |name| {
            let found = vars.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    };
    let check = |vars: &[(&str, &str)], config: &str, data: &str| {
        let found = folders(vars);
        assert_eq!(
            (found.config.as_path(), found.data.as_path()),
            (Path::new(config), Path::new(data)),
            "{vars:?}"
        );
    };
    let (config, data) = (
        "/h/.config/session-search",
        "/h/.local/share/session-search",
    );
    check(&[], config, data);
    check(
        &[("XDG_CONFIG_HOME", ""), ("XDG_DATA_HOME", "relative")],
        config,
        data,
    );
    check(&[("XDG_CONFIG_HOME", "/c")], "/c/session-search", data);
    check(&[("XDG_DATA_HOME", "/d")], config, "/d/session-search");
    check(
        &[
            ("XDG_CONFIG_HOME", "/c"),
            ("SESSION_SEARCH_CONFIG", "/mine"),
        ],
        "/mine",
        data,
    );
}
