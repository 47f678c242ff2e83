//! Tests of the settings of an endpoint.

use crate::remote::endpoint_settings;
use crate::tiny_model::{Home, write};
use session_models::{EndpointSettings, ModelError};

#[test]
fn invalid_settings_are_errors() {
    let check = |settings: EndpointSettings, reason: &str| {
        let error = settings.into_endpoint().unwrap_err();
        assert!(error.to_string().contains(reason), "{error}");
        assert!(error.hint().unwrap().contains("EMBEDDINGS_URL"));
    };
    let valid = || endpoint_settings("http://localhost");
    check(
        endpoint_settings("localhost:8080"),
        "neither http:// nor https://",
    );
    check(
        EndpointSettings {
            model: None,
            ..valid()
        },
        "no model is named",
    );
    for tokens in ["0", "-1", "many", ""] {
        let max_tokens = Some(tokens.to_owned());
        check(
            EndpointSettings {
                max_tokens,
                ..valid()
            },
            "EMBEDDINGS_MAX_TOKENS",
        );
    }
    assert!(
        EndpointSettings {
            url: None,
            ..valid()
        }
        .into_endpoint()
        .unwrap()
        .is_none()
    );
    let endpoint = valid().into_endpoint().unwrap().unwrap();
    assert!(!format!("{endpoint:?}").contains("secret"));
    let error = Home::new().catalogue().load("remote").err().unwrap();
    assert!(
        matches!(error, ModelError::InvalidEndpoint { .. }),
        "{error}"
    );
}

#[test]
fn a_password_in_an_address_is_not_shown() {
    for (url, shown) in [
        ("http://host:1/v1", "http://host:1/v1/embeddings"),
        ("https://ann:p@ss@host/v1/", "https://host/v1/embeddings"),
        ("http://ann@host/v1?at=…", "http://host/v1/embeddings?at=…"),
    ] {
        let endpoint = endpoint_settings(url).into_endpoint().unwrap().unwrap();
        assert_eq!(endpoint.shown_url(), shown);
        assert!(!format!("{endpoint:?}").contains("ann"));
    }
}

#[test]
fn the_environment_overrides_the_file() {
    let home = Home::new();
    let file = home.directories().config.join(".env");
    write(
        &file,
        b"# mine\nEMBEDDINGS_URL=http://file\nexport EMBEDDINGS_MODEL=\"of file\"\n",
    );
    let from_file = || EndpointSettings::from_env_file(&home.directories()).unwrap();
    let url = EndpointSettings::from_variables(|name| {
        (name == "EMBEDDINGS_URL").then(|| "http://var".to_owned())
    });
    let endpoint = url.or_from(from_file()).into_endpoint().unwrap().unwrap();
    assert_eq!(
        (endpoint.url.as_str(), endpoint.model.as_str()),
        ("http://var/embeddings", "of file")
    );
    let error = |text: &[u8]| {
        write(&file, text);
        let read = EndpointSettings::from_env_file(&home.directories());
        read.err().unwrap().to_string()
    };
    let said = error(b"EMBEDDINGS_URL=http://file\nEMBEDDINGS_API_KEY: sk-secret\n");
    assert!(said.contains(".env: line 2 is not NAME=VALUE"), "{said}");
    assert!(!said.contains("sk-secret"), "{said}");
    let said = error(b"# mine\n\nEMBEDDINGS_API_KEY='sk-secret\nx");
    assert!(
        said.contains("line 3") && !said.contains("secret"),
        "{said}"
    );
    let said = error(b"export EMBEDDINGS_API_KEY=sk$secret\n");
    assert!(
        said.contains("line 1: the value of EMBEDDINGS_API_KEY holds `$`"),
        "{said}"
    );
    write(&file, b"EMBEDDINGS_API_KEY='sk$secret'\nOTHER=$HOME\n");
    assert_eq!(from_file().api_key.as_deref(), Some("sk$secret"));
    fs_err::remove_file(&file).unwrap();
    assert!(from_file().into_endpoint().unwrap().is_none());
}
