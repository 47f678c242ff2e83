//! A model behind an endpoint, which misbehaves.

use crate::endpoint::{Answer, Asked, Endpoint, good, said, status, vector};
use crate::tiny::{Home, write};
use serde_json::json;
use session_embed::Embedder;
use session_models::{Given, ModelError, RemoteEmbedder, State};
use std::time::Duration;

fn given(url: &str) -> Given {
    Given {
        url: Some(url.to_owned()),
        api_key: Some("secret".to_owned()),
        model: Some("tiny".to_owned()),
        max_tokens: Some("64".to_owned()),
    }
}

fn open(home: &Home, server: &Endpoint) -> Result<RemoteEmbedder, ModelError> {
    let endpoint = given(&server.url()).endpoint().unwrap().unwrap();
    let model = RemoteEmbedder::open(&endpoint, &home.folders())?;
    Ok(model.with_pause(Duration::from_millis(1)))
}

/// A model that has learnt its dims from an endpoint that answers well, and
/// misbehaves from then on.
fn misbehaving(
    answer: impl Fn(&Asked) -> Answer + Send + Sync + 'static,
) -> (Home, Endpoint, RemoteEmbedder) {
    let home = Home::new();
    let server = Endpoint::answering(move |asked| match asked.texts[0].as_str() {
        "dimensions" => good(asked),
        _ => answer(asked),
    });
    let model = open(&home, &server).unwrap();
    server.asked();
    (home, server, model)
}

fn texts(n: usize) -> Vec<String> {
    (0..n).map(|n| format!("{n} x{}", "x".repeat(n))).collect()
}

fn embed(model: &RemoteEmbedder, texts: &[String]) -> Vec<Option<Vec<f32>>> {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    model.try_embed_documents(&texts).unwrap()
}

#[track_caller]
fn is_of(found: Option<&Vec<f32>>, text: &str) {
    let expected = vector(text);
    let length = expected.iter().map(|x| x * x).sum::<f32>().sqrt();
    let found = found.unwrap_or_else(|| panic!("`{text}` failed"));
    for (found, expected) in found.iter().zip(&expected) {
        assert!((found - expected / length).abs() < 1e-6, "`{text}`");
    }
}

#[test]
fn texts_keep_their_places_and_vectors_have_unit_length() {
    let (_home, server, model) = misbehaving(good);
    let texts = texts(100);
    for (found, text) in embed(&model, &texts).iter().zip(&texts) {
        is_of(found.as_ref(), text);
    }
    let asked = server.asked();
    assert!((4..10).contains(&asked.len()), "{}", asked.len());
    for asked in asked {
        assert_eq!(
            (
                asked.path.as_str(),
                asked.model.as_str(),
                asked.key.as_deref()
            ),
            ("/v1/embeddings", "tiny", Some("Bearer secret"))
        );
    }
    is_of(Some(&model.embed_query("docker").unwrap()), "docker");
    assert!(model.try_embed_documents(&[]).unwrap().is_empty());
}

#[test]
fn an_empty_text_has_nothing_in_it_and_is_not_sent() {
    let (_home, server, model) = misbehaving(good);
    let found = model.try_embed_documents(&["", "a", " \n"]).unwrap();
    assert_eq!(found[0], Some(vec![0.0; 3]));
    assert_eq!(found[2], Some(vec![0.0; 3]));
    is_of(found[1].as_ref(), "a");
    assert_eq!(model.embed_query("").unwrap(), [0.0; 3]);
    assert_eq!(server.asked().len(), 1);
}

#[test]
fn a_long_text_is_cut_to_what_the_model_reads() {
    let (_home, server, model) = misbehaving(good);
    let (ascii, wide) = ("x".repeat(1000), "灯".repeat(1000));
    model.try_embed_documents(&[&ascii, &wide]).unwrap();
    let asked = server.asked();
    let lengths: Vec<usize> = asked[0].texts.iter().map(|t| t.chars().count()).collect();
    assert_eq!(lengths, [192, 64]);
}

#[test]
fn a_busy_server_is_asked_again() {
    let troubles: [fn() -> Answer; 4] = [
        || status(429, "Retry-After: 0\r\n"),
        || status(500, ""),
        || status(503, "Retry-After: Wed, 21 Oct 2026 07:28:00 GMT\r\n"),
        || None,
    ];
    for trouble in troubles {
        let (_home, _server, model) = misbehaving(move |asked| {
            if asked.number < 2 {
                trouble()
            } else {
                good(asked)
            }
        });
        is_of(embed(&model, &texts(1))[0].as_ref(), "0 x");
    }
}

#[test]
fn a_text_that_fails_costs_itself_alone() {
    let troubles: [fn() -> Answer; 5] = [
        || status(400, ""),
        || status(413, ""),
        || status(500, ""),
        || Some((200, String::new(), "{\"data\": [".to_owned())),
        || Some(said(&json!({"data": []}))),
    ];
    for trouble in troubles {
        let (_home, _server, model) = misbehaving(move |asked| {
            let is_bad = asked.texts.iter().any(|text| text.starts_with("7 "));
            if is_bad { trouble() } else { good(asked) }
        });
        let texts = texts(40);
        let found = embed(&model, &texts);
        assert!(found[7].is_none());
        for n in (0..40).filter(|n| *n != 7) {
            is_of(found[n].as_ref(), &texts[n]);
        }
        let all: Vec<&str> = texts.iter().map(String::as_str).collect();
        assert!(model.embed_documents(&all).is_err());
    }
}

#[test]
fn an_answer_that_is_none_is_no_vector() {
    let answers = [
        json!({"data": [{"index": 0, "embedding": [0.0, 0.0, 0.0]}]}),
        json!({"data": [{"index": 0, "embedding": [1e300, 0.0, 0.0]}]}),
        json!({"data": [{"index": 1, "embedding": [1.0, 0.0, 0.0]}]}),
        json!({"data": [{"index": 0, "embedding": "AAAA"}]}),
        json!({"error": "no"}),
        json!([]),
    ];
    for answer in answers {
        let shown = answer.to_string();
        let (_home, _server, model) = misbehaving(move |_| Some(said(&answer)));
        assert!(model.try_embed_documents(&["a"]).is_err(), "{shown}");
        assert!(model.embed_query("a").is_err(), "{shown}");
    }
}

#[test]
fn who_is_refused_asks_no_more() {
    for code in [401, 403, 404, 301] {
        let (_home, server, model) =
            misbehaving(move |_| status(code, "Location: http://127.0.0.1:1/\r\n"));
        let texts = texts(500);
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let error = model.try_embed_documents(&texts).unwrap_err().to_string();
        assert!(error.contains(&format!("status {code}")), "{error}");
        assert!(!error.contains("secret"), "{error}");
        assert!(server.asked().len() <= 4);
    }
}

#[test]
fn a_server_that_is_down_is_not_asked_for_each_text() {
    let (_home, server, model) = misbehaving(|_| status(500, ""));
    let texts = texts(32);
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    assert!(model.try_embed_documents(&texts).is_err());
    assert!(server.asked().len() <= 12);
}

/// Other models can answer a search: nobody waits for a second try.
#[test]
fn a_query_is_sent_once() {
    let (_home, server, model) = misbehaving(|_| status(503, "Retry-After: 0\r\n"));
    let error = model.embed_query("docker").unwrap_err().to_string();
    assert!(error.contains("status 503"), "{error}");
    assert_eq!(server.asked().len(), 1);
}

#[test]
fn another_length_is_another_model() {
    let (_home, _server, model) = misbehaving(|_| {
        Some(said(
            &json!({"data": [{"index": 0, "embedding": [1.0, 2.0]}]}),
        ))
    });
    let error = model.try_embed_documents(&["a"]).unwrap_err().to_string();
    assert!(error.contains("2 numbers, not 3 as before"), "{error}");
}

#[test]
fn the_length_is_learnt_once_and_kept() {
    let (home, server) = (Home::new(), Endpoint::answering(good));
    let endpoint = given(&server.url()).endpoint().unwrap().unwrap();
    let catalogue = || home.catalogue().with_endpoint(Ok(Some(endpoint.clone())));
    let spec = |catalogue: &session_models::Catalogue| catalogue.spec("remote").unwrap().clone();
    assert_eq!(spec(&catalogue()).dims, 0);
    assert_eq!(catalogue().state(&spec(&catalogue())), State::Remote);
    assert!(server.asked().is_empty());
    let model = catalogue().load("remote").unwrap();
    assert_eq!((model.spec().dims, server.asked().len()), (3, 1));
    let again = catalogue().load("remote").unwrap();
    assert!(server.asked().is_empty());
    assert_eq!(again.spec(), &spec(&catalogue()));
    catalogue().verify("remote", &()).unwrap();
    assert_eq!(server.asked().len(), 1);
    for refused in [
        catalogue().remove("remote"),
        catalogue().import("remote", &home.path(""), &()),
    ] {
        assert!(matches!(refused, Err(ModelError::Remote)));
    }
}

#[test]
fn address_and_model_tell_vectors_apart() {
    let home = Home::new();
    let fingerprint = |url: &str, model: &str, key: &str| {
        let given = Given {
            model: Some(model.to_owned()),
            api_key: Some(key.to_owned()),
            ..given(url)
        };
        let catalogue = home.catalogue().with_endpoint(given.endpoint());
        catalogue.spec("remote").unwrap().fingerprint()
    };
    let one = fingerprint("http://a", "m", "k");
    assert_eq!(fingerprint("http://a/embeddings", "m", "other"), one);
    assert_ne!(fingerprint("http://b", "m", "k"), one);
    assert_ne!(fingerprint("http://a", "n", "k"), one);
}

#[test]
fn a_server_that_is_not_there_is_said() {
    let home = Home::new();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let catalogue = home.catalogue().with_endpoint(given(&url).endpoint());
    let error = catalogue.load("remote").err().unwrap();
    assert!(error.to_string().contains(&url), "{error}");
    assert!(error.hint().unwrap().contains("model use table"));
}

#[test]
fn what_is_configured_is_checked() {
    let check = |given: Given, reason: &str| {
        let error = given.endpoint().unwrap_err();
        assert!(error.to_string().contains(reason), "{error}");
        assert!(error.hint().unwrap().contains("EMBEDDINGS_URL"));
    };
    let good = || given("http://localhost");
    check(given("localhost:8080"), "neither http:// nor https://");
    check(
        Given {
            model: None,
            ..good()
        },
        "which model",
    );
    for tokens in ["0", "-1", "many", ""] {
        let max_tokens = Some(tokens.to_owned());
        check(
            Given {
                max_tokens,
                ..good()
            },
            "EMBEDDINGS_MAX_TOKENS",
        );
    }
    assert!(
        Given {
            url: None,
            ..good()
        }
        .endpoint()
        .unwrap()
        .is_none()
    );
    let endpoint = good().endpoint().unwrap().unwrap();
    assert!(!format!("{endpoint:?}").contains("secret"));
    let error = Home::new().catalogue().load("remote").err().unwrap();
    assert!(matches!(error, ModelError::Endpoint { .. }), "{error}");
}

#[test]
fn the_environment_goes_before_the_file() {
    let home = Home::new();
    let file = home.folders().config.join(".env");
    write(
        &file,
        b"# mine\nEMBEDDINGS_URL=http://file\nexport EMBEDDINGS_MODEL=\"of file\"\n",
    );
    let by_file = || Given::by_file(&home.folders()).unwrap();
    let url = Given::by(|name| (name == "EMBEDDINGS_URL").then(|| "http://var".to_owned()));
    let endpoint = url.or(by_file()).endpoint().unwrap().unwrap();
    assert_eq!(
        (endpoint.url.as_str(), endpoint.model.as_str()),
        ("http://var/embeddings", "of file")
    );
    write(&file, b"EMBEDDINGS_URL 'http://file\n");
    let error = Given::by_file(&home.folders()).err().unwrap().to_string();
    assert!(error.contains(".env"), "{error}");
    fs_err::remove_file(&file).unwrap();
    assert!(by_file().endpoint().unwrap().is_none());
}
