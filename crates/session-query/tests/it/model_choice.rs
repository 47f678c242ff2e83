//! Taking a model into use writes the user's configuration, or nothing.

use session_config::Home;
use session_query::{QueryError, use_endpoint, use_model};
use session_sources::Env;
use session_test::endpoint_server::{EndpointServer, reply_with_status, reply_with_vectors};
use tempfile::TempDir;

fn home() -> (TempDir, Home) {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("index");
    let home = Home::new(Env::with_home(directory.path()), root);
    (directory, home)
}

/// Returns the text of the configuration, empty where there is none.
fn configuration(home: &Home) -> String {
    fs_err::read_to_string(home.directories().config.join("config.toml")).unwrap_or_default()
}

#[test]
fn only_a_model_that_is_here_is_taken_into_use() {
    let (_directory, home) = home();
    let catalogue = home.catalogue().unwrap();
    for name in ["qwen3-embedding-0.6b", "no-such-model"] {
        let refused = use_model(&home, &catalogue, name);
        assert!(matches!(refused, Err(QueryError::Model(_))), "{name}");
        assert_eq!(configuration(&home), "");
    }
    use_model(&home, &catalogue, "table").unwrap();
    assert_eq!(configuration(&home), "model = \"table\"\n");
}

/// Where a variable names another directory, what is written there would not count.
#[test]
fn an_endpoint_is_written_only_where_it_counts() {
    let (directory, mut home) = home();
    let default = home.directories().config;
    fs_err::create_dir_all(&default).unwrap();
    fs_err::write(default.join("config.toml"), "nice = 4\n").unwrap();
    let elsewhere = directory.path().join("xdg").display().to_string();
    home.env
        .vars
        .insert("XDG_CONFIG_HOME".to_owned(), elsewhere);
    let server = EndpointServer::start(reply_with_vectors);
    let url = server.url();
    let decided = |error: QueryError| {
        let is_decided = matches!(
            error,
            QueryError::Model(session_models::ModelError::DecidedElsewhere { .. })
        );
        assert!(is_decided, "{error}");
    };
    decided(use_endpoint(&home, &url, "e5").unwrap_err());
    let catalogue = home.catalogue().unwrap();
    decided(use_model(&home, &catalogue, "remote").unwrap_err());
    assert_eq!(configuration(&home), "");
    use_model(&home, &catalogue, "table").unwrap();
    let same = format!("model = \"remote\"\n[remote]\nurl = \"{url}\"\nmodel = \"e5\"\n");
    fs_err::write(default.join("config.toml"), same).unwrap();
    use_endpoint(&home, &url, "e5").unwrap();
    assert!(configuration(&home).starts_with("model = \"remote\"\n"));
}

#[test]
fn an_endpoint_is_taken_into_use_with_its_model() {
    let (_directory, home) = home();
    let refused = use_endpoint(&home, "file:///etc/passwd", "e5");
    assert!(matches!(refused, Err(QueryError::Model(_))));
    assert_eq!(configuration(&home), "");
    let refusing = EndpointServer::start(|_| reply_with_status(401, ""));
    let refused = use_endpoint(&home, &refusing.url(), "e5");
    assert!(matches!(refused, Err(QueryError::Model(_))));
    assert_eq!(configuration(&home), "");
    let server = EndpointServer::start(reply_with_vectors);
    let url = server.url();
    use_endpoint(&home, &url, "e5").unwrap();
    let text = configuration(&home);
    let written: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    let url = format!("url = \"{url}\"");
    let table = ["[remote]", &url, "model = \"e5\""];
    assert_eq!(written[0], "model = \"remote\"");
    assert_eq!(written[1..], table);
}
