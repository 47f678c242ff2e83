//! Tests of the catalogue: bundled models, descriptions, directories.

use crate::tiny_model::{Home, description};
use session_models::{Catalogue, ModelError, ModelState};

#[test]
fn bundled_models_are_always_available() {
    let home = Home::new();
    let catalogue = home.catalogue();
    let mut bundled = vec!["table"];
    if cfg!(feature = "minilm") {
        bundled.push("all-minilm-l6-v2");
    }
    for name in bundled {
        let spec = catalogue.find_spec(name).unwrap();
        assert_eq!(catalogue.model_state(spec), ModelState::Bundled);
        assert_eq!(catalogue.size_bytes(spec), spec.bytes);
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
fn of_models_that_cannot_be_loaded_the_chosen_one_alone_is_read_for_a_query() {
    let home = Home::with_description();
    let names = |chosen: &str| -> Vec<String> {
        let catalogue = Catalogue::open_loadable(home.directories(), chosen).unwrap();
        let bundled = |name: &String| ["table", "all-minilm-l6-v2"].contains(&name.as_str());
        let names = catalogue.specs().map(|spec| spec.name.clone());
        names.filter(|name| !bundled(name)).collect()
    };
    assert_eq!(names("table"), ["tiny"]);
    assert_eq!(names("gte-small"), ["gte-small", "tiny"]);
    fs_err::create_dir_all(home.directories().model_dir("bge-small-en-v1.5")).unwrap();
    assert_eq!(names("table"), ["bge-small-en-v1.5", "tiny"]);
}

#[test]
fn reading_states_creates_no_directory() {
    let home = Home::new();
    let catalogue = home.catalogue();
    for spec in catalogue.specs() {
        catalogue.model_state(spec);
    }
    assert!(crate::tiny_model::list_tree(&home.path("")).is_empty());
}

#[test]
fn a_user_description_adds_a_model() {
    let home = Home::with_description();
    let catalogue = home.catalogue();
    let spec = catalogue.find_spec("tiny").unwrap();
    assert_eq!(catalogue.model_state(spec), ModelState::Absent);
    assert_eq!(catalogue.size_bytes(spec), Some(500));
    let error = catalogue.load("tiny").err().unwrap();
    assert_eq!(
        error.to_string(),
        "the model `tiny` is not here: `weights/table.bin`, `vocabulary.bin` missing"
    );
    assert!(error.hint().unwrap().contains("model pull tiny"), "{error}");
}

#[test]
fn an_unknown_name_is_an_error_that_says_how_to_list_the_known_ones() {
    let error = Home::with_description()
        .catalogue()
        .load("tini")
        .err()
        .unwrap();
    assert_eq!(error.to_string(), "there is no model `tini`");
    let hint = error.hint().unwrap();
    assert!(hint.contains("model list"), "{hint}");
}

#[test]
fn an_invalid_description_does_not_affect_the_others() {
    let good = description("tiny", [None; 2]);
    let check = |text: &str, reason: &str| {
        let home = Home::with_description();
        home.add_description("zz", text);
        let catalogue = home.catalogue();
        assert!(catalogue.find_spec("tiny").is_ok());
        let [error] = catalogue.configuration_errors() else {
            panic!("{:?}", catalogue.configuration_errors());
        };
        let message = error.to_string().replace('\\', "/");
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
        check(&named(name).replace('\u{1b}', "\\u001b"), "is not a name");
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
        check(&other.replace("weights/table.bin", path), "is not a path");
    }
    for name in ["/etc", "../x", "a/../../x", "a?b", "a b", "a\\u0007"] {
        let other = good.replace("\"tiny\"", "\"zz\"");
        check(&other.replace("ann/tiny", name), "is not a `repo`");
        check(&other.replace("main", name), "is not a `revision`");
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
fn a_scale_that_distinguishes_nothing_is_refused() {
    let good = description("zz", [None; 2]);
    let check = |scale: &str, reason: &str| {
        let home = Home::new();
        let scale = format!("cosine = {{ {scale} }}");
        let before = "cosine = { unrelated = 0.3, related = 0.6, per_word = 0.0 }";
        home.add_description("zz", &good.replace(before, &scale));
        let catalogue = home.catalogue();
        let errors = catalogue.configuration_errors().iter();
        let errors: Vec<String> = errors.map(ToString::to_string).collect();
        assert!(
            errors.len() == 1 && errors[0].contains(reason),
            "{scale}: {errors:?}"
        );
    };
    let range = "not from -1 to 1";
    for value in ["nan", "inf", "-inf", "1.5"] {
        check(
            &format!("unrelated = {value}, related = 0.6, per_word = 0.0"),
            range,
        );
        check(
            &format!("unrelated = 0.3, related = {value}, per_word = 0.0"),
            range,
        );
        check(
            &format!("unrelated = 0.3, related = 0.6, per_word = {value}"),
            range,
        );
    }
    let order = "must be above `unrelated`";
    check("unrelated = 0.6, related = 0.6, per_word = 0.0", order);
    check("unrelated = 0.6, related = 0.3, per_word = 0.0", order);
    let rest = "unrelated = 0.3, related = 0.6, per_word = 0.0";
    check(&format!("{rest}, mean = nan"), range);
    check(
        &format!("{rest}, deviation = 0.0"),
        "`deviation` of `cosine`",
    );
    check(
        &format!("{rest}, deviation = nan"),
        "`deviation` of `cosine`",
    );
    check(&format!("{rest}, weight = -1.0"), "`weight` of `cosine`");
    check(&format!("{rest}, weight = inf"), "`weight` of `cosine`");
}

/// Reading another would not end, or fill the memory.
#[cfg(unix)]
#[test]
fn only_small_regular_files_are_descriptions() {
    let home = Home::with_description();
    let path = |name: &str| home.directories().descriptions_dir().join(name);
    session_test::files::make_fifo(&path("a.toml"));
    fs_err::create_dir(path("b.toml")).unwrap();
    let large = fs_err::File::create(path("c.toml")).unwrap();
    large.set_len(1 << 40).unwrap();
    std::os::unix::fs::symlink("/dev/zero", path("d.toml")).unwrap();
    let catalogue = home.catalogue();
    assert!(catalogue.find_spec("tiny").is_ok());
    let errors = catalogue.configuration_errors().iter();
    let errors: Vec<String> = errors.map(ToString::to_string).collect();
    let reasons = [
        "not a regular file",
        "not a regular file",
        "larger than",
        "not a regular file",
    ];
    assert_eq!(errors.len(), reasons.len(), "{errors:?}");
    for (error, reason) in errors.iter().zip(reasons) {
        assert!(error.contains(reason), "{error}");
    }
    let env_file = home.directories().config.join(".env");
    session_test::files::make_fifo(&env_file);
    let settings = session_models::EndpointSettings::from_env_file(&home.directories());
    assert!(
        settings
            .err()
            .unwrap()
            .to_string()
            .contains("not a regular file")
    );
}

#[cfg(not(windows))]
#[test]
fn directories_follow_the_environment() {
    use session_models::UserDirectories;
    use std::path::Path;

    let directories = |vars: &[(&str, &str)]| {
        UserDirectories::from_environment(Path::new("/h"), |name| {
            let found = vars.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    };
    let check = |vars: &[(&str, &str)], config: &str, data: &str| {
        let found = directories(vars);
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
