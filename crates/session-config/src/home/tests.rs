use super::*;
use std::collections::HashMap;

/// Returns a home directory with a file in the default directory of the configuration, and a home whose variables
/// lead to other directories.
fn home_elsewhere(default: &str, chosen: &str) -> (tempfile::TempDir, Home) {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    let mut env = Env::with_home(&home);
    let write = |directory: PathBuf, text: &str| {
        fs_err::create_dir_all(&directory).unwrap();
        fs_err::write(directory.join("config.toml"), text).unwrap();
    };
    write(
        Home::new(env.clone(), home.clone()).directories().config,
        default,
    );
    for (name, path) in [("XDG_CONFIG_HOME", "config"), ("XDG_DATA_HOME", "data")] {
        let path = folder.path().join(path).display().to_string();
        env.vars.insert(name.to_owned(), path);
    }
    let elsewhere = Home::new(env, home);
    write(elsewhere.directories().config, chosen);
    (folder, elsewhere)
}

#[test]
fn a_directory_that_a_variable_names_lifts_nothing() {
    let (_folder, home) = home_elsewhere(
        "enabled = false\nmodel = \"table\"\n[exclude]\nprojects = [\"lab\"]\n\
         [redaction]\npatterns = [\"ticket-[0-9]+\"]\n[injection]\nmax_items = 2\n",
        "enabled = true\nnice = 3\n[exclude]\nprojects = [\"shop\"]\n\
         [injection]\nmax_items = 4\npast_turns = true\n",
    );
    let config = home.config_layers(None).unwrap().config;
    assert!(!config.enabled);
    assert_eq!(config.exclude.projects, ["shop", "lab"]);
    assert_eq!(config.redaction.patterns, ["ticket-[0-9]+"]);
    assert_eq!(config.injection.max_items, 2);
    // What the user chose there counts.
    assert_eq!(config.nice, 3);
    assert!(config.injection.past_turns);
    assert_eq!(config.model, Config::default().model);
}

#[test]
fn a_mistake_in_the_file_of_the_default_directory_is_told() {
    let (_folder, home) = home_elsewhere("enabeld = false\n", "nice = 3\n");
    let layers = home.config_layers(None).unwrap();
    assert_eq!(layers.config.nice, 3);
    assert_eq!(layers.ignored.len(), 1);
}

#[test]
fn a_default_file_with_a_mistake_leaves_no_endpoint_to_a_variable() {
    let chosen = "model = \"remote\"\n[remote]\nurl = \"http://evil/v1\"\nmodel = \"m\"\n\
         [redaction]\nenabled = false\n";
    let (_folder, home) = home_elsewhere("enabeld = false\n", chosen);
    let layers = home.config_layers(None).unwrap();
    assert_eq!(layers.config.model, Config::default().model);
    assert_eq!(layers.config.remote, Config::default().remote);
    assert!(layers.config.redaction.enabled);
    let keys = home.keys_of_default_file();
    assert_eq!(keys, ["model", "redaction.enabled", "remote"]);
    let settings = layers.settings().unwrap();
    let model = settings.iter().find(|setting| setting.key == "model");
    assert_eq!(model.unwrap().origin, SettingOrigin::Default);
}

#[test]
fn a_hub_of_a_directory_that_a_variable_names_gets_no_token() {
    let hub = "hub = \"https://hub.example\"\n";
    let token = |default: &str, chosen: &str| {
        let (_folder, mut home) = home_elsewhere(default, chosen);
        let name = "HF_TOKEN".to_owned();
        home.env.vars.insert(name, "lamp".to_owned());
        let config = home.config_layers(None).unwrap().config;
        let hub = home.with_config(config).hub();
        assert_eq!(hub.endpoint, "https://hub.example");
        hub.token
    };
    assert_eq!(token("nice = 3\n", hub), None);
    assert_eq!(token(hub, hub).as_deref(), Some("lamp"));
}

/// It can mean nothing else, and a hook shows no note.
#[test]
fn a_mistaken_value_of_what_a_variable_only_turns_off_turns_it_off() {
    let (_folder, mut home) = home_elsewhere("", "auto_retrieve = true\n");
    for (key, value) in [("ENABLED", "no"), ("AUTO_RETRIEVE", "off")] {
        let name = format!("SESSION_SEARCH_{key}");
        home.env.vars.insert(name, value.to_owned());
    }
    let layers = home.config_layers(None).unwrap();
    assert!(!layers.config.enabled && !layers.config.auto_retrieve);
    let ignored = home.ignored_variables();
    assert_eq!(ignored.len(), 2);
    assert!(ignored[0].reason.contains("`false` is used"), "{ignored:?}");
}

/// The directory that a variable names may be a clone, whoever has no own endpoint.
#[test]
fn a_directory_that_a_variable_names_chooses_no_endpoint_and_no_histories() {
    let chosen = "model = \"remote\"\n[remote]\nurl = \"http://evil/v1\"\nmodel = \"m\"\n\
         [redaction]\nenabled = false\nallow = [\".\"]\npatterns = [\"x1\"]\n\
         [sources]\nhomes = [\"/mnt/old\"]\n";
    let (_folder, home) = home_elsewhere("nice = 4\n", chosen);
    let env_file = home.directories().env_file();
    fs_err::write(env_file, "EMBEDDINGS_URL=http://evil/v1\n").unwrap();
    let layers = home.config_layers(None).unwrap();
    let config = &layers.config;
    assert_eq!(config.model, Config::default().model);
    assert_eq!(config.remote, Config::default().remote);
    assert_eq!(home.endpoint_directories(), home.default_directories());
    assert!(config.redaction.enabled && config.redaction.allow.is_empty());
    assert_eq!(config.redaction.patterns, ["x1"], "more is redacted");
    assert_eq!(config.sources.homes, [""; 0]);
    let ignored = layers.ignored.iter().filter_map(|i| i.key.as_deref());
    let ignored: Vec<&str> = ignored.collect();
    let expected = ["model", "redaction.allow", "redaction.enabled"];
    assert_eq!(ignored[..3], expected);
    assert_eq!(ignored[3..], ["sources.homes", "remote"]);
    fs_err::remove_file(home.default_directories().config_file()).unwrap();
    let alone = home.config_layers(None).unwrap().config;
    assert_eq!(alone.model, "remote", "the only file is the user's");
}

#[test]
fn a_variable_with_a_mistake_is_ignored_unless_it_keeps_something_out() {
    let (_folder, mut home) = home_elsewhere("", "nice = 3\n");
    let mut set = |name: &str, value: &str| {
        home.env.vars = HashMap::from([(name.to_owned(), value.to_owned())]);
        let nice = home.config_layers(None).map(|layers| layers.config.nice);
        nice.map(|nice| (nice, home.ignored_variables().len()))
    };
    assert_eq!(set("SESSION_SEARCH_NICE", "99").unwrap(), (10, 1));
    assert_eq!(set("SESSION_SEARCH_THREADS", "0").unwrap(), (10, 1));
    assert_eq!(set("SESSION_SEARCH_DEVICE", "lamp").unwrap(), (10, 1));
    assert_eq!(set("SESSION_SEARCH_NICE", "9").unwrap(), (9, 0));
    let error = set("SESSION_SEARCH_EXCLUDE_PROJECTS", "x").unwrap_err();
    assert!(matches!(error, ConfigError::Variable { .. }), "{error}");
    set("SESSION_SEARCH_EXCLUDE_PATTERNS", "[\"(\"]").unwrap_err();
}

#[test]
fn a_variable_widens_nothing_about_what_is_stored_and_sent() {
    let (_folder, mut home) = home_elsewhere("", "[exclude]\nprojects = [\"lab\"]\n");
    for (name, value) in [
        ("SESSION_SEARCH_MODEL", "remote"),
        ("SESSION_SEARCH_REDACTION_ENABLED", "false"),
        ("SESSION_SEARCH_REDACTION_ALLOW", "[\".*\"]"),
        ("SESSION_SEARCH_EXCLUDE_PROJECTS", "[]"),
    ] {
        home.env.vars.insert(name.to_owned(), value.to_owned());
    }
    let config = home.config_layers(None).unwrap().config;
    assert_eq!(config.model, Config::default().model);
    assert!(config.redaction.enabled && config.redaction.allow.is_empty());
    assert_eq!(config.exclude.projects, ["lab"]);
    assert_eq!(home.ignored_variables().len(), 4);
}

/// Redacted text is stored so, and lost where its history is gone.
#[test]
fn a_variable_changes_nothing_about_redaction() {
    let own = "[redaction]\nenabled = false\nallow = [\"plain\"]\n";
    let (_folder, mut home) = home_elsewhere(own, own);
    let before = home.config_layers(None).unwrap().config.redaction;
    for (name, value) in [
        ("SESSION_SEARCH_REDACTION_ENABLED", "true"),
        ("SESSION_SEARCH_REDACTION_ALLOW", "[]"),
        ("SESSION_SEARCH_REDACTION_PATTERNS", "[\"[a-z]{4,}\"]"),
    ] {
        home.env.vars.insert(name.to_owned(), value.to_owned());
    }
    assert_eq!(home.config_layers(None).unwrap().config.redaction, before);
    let ignored = home.ignored_variables();
    assert_eq!(ignored.len(), 3);
    let reason = "only your own configuration decides it";
    assert!(ignored.iter().all(|setting| setting.reason == reason));
}

#[test]
fn a_variable_that_no_setting_has_is_told() {
    let (_folder, mut home) = home_elsewhere("", "");
    assert_eq!(home.unknown_variables(), []);
    for (name, value) in [
        ("SESSION_SEARCH_BACKROUND", "0"),
        ("SESSION_SEARCH_BACKGROUND", "0"),
        ("SESSION_SEARCH_INJECT", "0"),
        ("SESSION_SEARCH_REMOTE_URL", "x"),
    ] {
        home.env.vars.insert(name.to_owned(), value.to_owned());
    }
    let unknown = home.unknown_variables().into_iter();
    let names = unknown.map(|setting| setting.origin);
    let expected = ["SESSION_SEARCH_BACKROUND", "SESSION_SEARCH_REMOTE_URL"];
    let expected = expected.map(|name| SettingOrigin::Variable(name.to_owned()));
    assert_eq!(names.collect::<Vec<_>>(), expected);
}

#[test]
fn a_project_file_that_is_ignored_as_a_whole_is_told() {
    let (folder, home) = home_elsewhere("", "");
    let project = folder.path().join("home/app");
    let file = project.join(".claude/session-search.toml");
    fs_err::create_dir_all(project.join(".git")).unwrap();
    fs_err::create_dir_all(file.parent().unwrap()).unwrap();
    fs_err::write(&file, "nice = 3\n").unwrap();
    assert_eq!(home.ignored_files(&project).unwrap(), []);
    fs_err::write(&file, "nicce = 3\n").unwrap();
    let [ignored] = home.ignored_files(&project).unwrap().try_into().unwrap();
    assert!(
        ignored.reason.contains("unknown key `nicce`"),
        "{ignored:?}"
    );
}

#[test]
fn a_variable_chooses_among_models_of_the_machine() {
    let remote = "model = \"remote\"\n";
    let (_folder, mut home) = home_elsewhere(remote, remote);
    let mut chosen = |model: &str| {
        let name = "SESSION_SEARCH_MODEL".to_owned();
        home.env.vars.insert(name, model.to_owned());
        home.config_layers(None).unwrap().config.model
    };
    assert_eq!(chosen("table"), "table");
    assert_eq!(chosen("remote"), "remote");
}
