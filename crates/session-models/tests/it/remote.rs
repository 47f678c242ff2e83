//! Tests of the model behind an endpoint that fails.

use crate::endpoint_server::{
    EmbeddingsRequest, EndpointReply, EndpointResponse, EndpointServer, reply_with_body,
    reply_with_json, reply_with_status, reply_with_vectors, vector,
};
use crate::tiny_model::Home;
use serde_json::json;
use session_embed::Embedder;
use session_models::{EndpointSettings, ModelError, ModelState, RemoteEmbedder, WaitListener};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub fn endpoint_settings(url: &str) -> EndpointSettings {
    EndpointSettings {
        url: Some(url.to_owned()),
        api_key: Some("secret".to_owned()),
        model: Some("tiny".to_owned()),
        max_tokens: Some("64".to_owned()),
    }
}

fn open(home: &Home, server: &EndpointServer) -> Result<RemoteEmbedder, ModelError> {
    let endpoint = endpoint_settings(&server.url())
        .into_endpoint()
        .unwrap()
        .unwrap();
    let waits = WaitListener::default();
    let model = RemoteEmbedder::open(&endpoint, &home.directories(), &waits)?;
    Ok(model.with_initial_backoff(Duration::from_millis(1)))
}

/// Opens a model on an endpoint that tells its dimension, and replies with `reply` from then on.
fn endpoint_with(
    reply: impl Fn(&EmbeddingsRequest) -> EndpointReply + Send + Sync + 'static,
) -> (Home, EndpointServer, RemoteEmbedder) {
    let home = Home::new();
    let server = EndpointServer::start(move |request| match request.texts[0].as_str() {
        "dimensions" => reply_with_vectors(request),
        _ => reply(request),
    });
    let model = open(&home, &server).unwrap();
    server.take_requests();
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
fn assert_vector_of(found: Option<&Vec<f32>>, text: &str) {
    let expected = vector(text);
    let length = expected.iter().map(|x| x * x).sum::<f32>().sqrt();
    let found = found.unwrap_or_else(|| panic!("`{text}` failed"));
    for (found, expected) in found.iter().zip(&expected) {
        assert!((found - expected / length).abs() < 1e-6, "`{text}`");
    }
}

#[test]
fn vectors_are_in_the_order_of_the_texts_and_have_unit_length() {
    let (_home, server, model) = endpoint_with(reply_with_vectors);
    let texts = texts(100);
    for (found, text) in embed(&model, &texts).iter().zip(&texts) {
        assert_vector_of(found.as_ref(), text);
    }
    let requests = server.take_requests();
    assert!((4..10).contains(&requests.len()), "{}", requests.len());
    for request in requests {
        assert_eq!(
            (
                request.path.as_str(),
                request.model.as_str(),
                request.key.as_deref()
            ),
            ("/v1/embeddings", "tiny", Some("Bearer secret"))
        );
    }
    assert_vector_of(Some(&model.embed_query("docker").unwrap()), "docker");
    assert!(model.try_embed_documents(&[]).unwrap().is_empty());
}

#[test]
fn an_empty_text_has_a_zero_vector_and_is_not_sent() {
    let (_home, server, model) = endpoint_with(reply_with_vectors);
    let found = model.try_embed_documents(&["", "a", " \n"]).unwrap();
    assert_eq!(found[0], Some(vec![0.0; 3]));
    assert_eq!(found[2], Some(vec![0.0; 3]));
    assert_vector_of(found[1].as_ref(), "a");
    assert_eq!(model.embed_query("").unwrap(), [0.0; 3]);
    assert_eq!(server.take_requests().len(), 1);
}

#[test]
fn a_long_text_is_truncated_to_the_token_limit() {
    let (_home, server, model) = endpoint_with(reply_with_vectors);
    let (ascii, wide) = ("x".repeat(1000), "灯".repeat(1000));
    model.try_embed_documents(&[&ascii, &wide]).unwrap();
    let requests = server.take_requests();
    let lengths: Vec<usize> = requests[0]
        .texts
        .iter()
        .map(|t| t.chars().count())
        .collect();
    assert_eq!(lengths, [192, 64]);
}

/// No vector would hold a part that it cut off.
#[test]
fn a_document_that_fills_the_window_is_sent_whole() {
    let (_home, server, model) = endpoint_with(reply_with_vectors);
    let document = "x".repeat(model.max_document_bytes());
    model.try_embed_documents(&[&document]).unwrap();
    assert_eq!(server.take_requests()[0].texts, [document]);
}

#[test]
fn a_busy_server_gets_a_retry() {
    let failures: [fn() -> EndpointReply; 4] = [
        || reply_with_status(429, "Retry-After: 0\r\n"),
        || reply_with_status(500, ""),
        || reply_with_status(503, "Retry-After: Wed, 21 Oct 2015 07:28:00 GMT\r\n"),
        || None,
    ];
    for failure in failures {
        let (_home, _server, model) = endpoint_with(move |request| {
            if request.number < 2 {
                failure()
            } else {
                reply_with_vectors(request)
            }
        });
        assert_vector_of(embed(&model, &texts(1))[0].as_ref(), "0 x");
    }
}

#[test]
fn a_failed_text_does_not_affect_the_others() {
    let failures: [fn() -> EndpointReply; 5] = [
        || reply_with_status(400, ""),
        || reply_with_status(413, ""),
        || reply_with_status(500, ""),
        || reply_with_body("{\"data\": ["),
        || reply_with_json(&json!({"data": []})),
    ];
    for failure in failures {
        let (_home, _server, model) = endpoint_with(move |request| {
            let has_bad_text = request.texts.iter().any(|text| text.starts_with("7 "));
            if has_bad_text {
                failure()
            } else {
                reply_with_vectors(request)
            }
        });
        let texts = texts(40);
        let found = embed(&model, &texts);
        assert!(found[7].is_none());
        for n in (0..40).filter(|n| *n != 7) {
            assert_vector_of(found[n].as_ref(), &texts[n]);
        }
        let all: Vec<&str> = texts.iter().map(String::as_str).collect();
        assert!(model.embed_documents(&all).is_err());
    }
}

#[test]
fn an_invalid_response_is_an_error() {
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
        let (_home, _server, model) = endpoint_with(move |_| reply_with_json(&answer));
        assert!(model.try_embed_documents(&["a"]).is_err(), "{shown}");
        assert!(model.embed_query("a").is_err(), "{shown}");
    }
}

#[test]
fn a_fatal_status_ends_the_requests() {
    for code in [401, 403, 404, 301] {
        let (_home, server, model) =
            endpoint_with(move |_| reply_with_status(code, "Location: http://127.0.0.1:1/\r\n"));
        let texts = texts(500);
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let error = model.try_embed_documents(&texts).unwrap_err().to_string();
        assert!(error.contains(&format!("status {code}")), "{error}");
        assert!(!error.contains("secret"), "{error}");
        assert!(server.take_requests().len() <= 4);
    }
}

#[test]
fn a_server_that_is_down_does_not_get_each_text() {
    let (_home, server, model) = endpoint_with(|_| reply_with_status(500, ""));
    let texts = texts(32);
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    assert!(model.try_embed_documents(&texts).is_err());
    assert!(server.take_requests().len() <= 12);
}

/// A text that an endpoint never takes stays out; it is no failure of the endpoint.
#[test]
fn texts_that_the_endpoint_refuses_are_left_out() {
    for code in [400, 413, 422] {
        let (_home, _server, model) = endpoint_with(move |_| reply_with_status(code, ""));
        for n in [1, 2, 6, 40] {
            assert_eq!(embed(&model, &texts(n)), vec![None; n], "{code}");
        }
    }
    let (_home, server, model) = endpoint_with(|request| {
        let is_refused = |text: &String| text.len() < 8;
        if request.texts.iter().any(is_refused) {
            reply_with_status(400, "")
        } else {
            reply_with_vectors(request)
        }
    });
    let found = embed(&model, &texts(32));
    assert_eq!(found.iter().flatten().count(), 27);
    assert!(server.take_requests().len() <= 34);
}

#[test]
fn an_endpoint_that_refuses_each_text_is_an_error() {
    let home = Home::new();
    let server = EndpointServer::start(|request| match request.number {
        0 => reply_with_vectors(request),
        _ => reply_with_status(400, ""),
    });
    let model = open(&home, &server).unwrap();
    let texts = texts(32);
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let error = model.try_embed_documents(&texts).unwrap_err().to_string();
    assert!(error.contains("status 400"), "{error}");
    assert!(server.take_requests().len() <= 8);
}

#[test]
fn the_words_of_the_server_are_told_with_a_hint() {
    for (code, hint) in [
        (401, "key is right"),
        (404, "address and its model"),
        (429, "too many requests"),
        (500, "error of its own"),
        (400, "the endpoint runs"),
    ] {
        let (_home, _server, model) = endpoint_with(move |_| {
            let body = json!({"error": {"message": "no lamp for secret\nat all"}});
            reply_with_json(&body).map(|reply| EndpointResponse {
                status: code,
                ..reply
            })
        });
        let error = model.embed_query("a").unwrap_err();
        let text = error.to_string();
        let expected = format!("status {code}: no lamp for ***");
        assert!(text.ends_with(&expected), "{text}");
        assert!(error.hint().unwrap().contains(hint), "{code}");
    }
}

/// A server that is busy or stalls is waited for up to minutes.
#[test]
fn a_long_wait_is_told_once() {
    let stall = |request: &EmbeddingsRequest| {
        std::thread::sleep(Duration::from_millis(300));
        reply_with_vectors(request)
    };
    let busy = |request: &EmbeddingsRequest| match request.number {
        0..4 => reply_with_status(429, "Retry-After: 1\r\n"),
        _ => reply_with_vectors(request),
    };
    let check = |reply: fn(&EmbeddingsRequest) -> EndpointReply, patience_ms, reason: &str| {
        let (home, server, _) = endpoint_with(reply);
        let told = Arc::new(Mutex::new(Vec::new()));
        let log = told.clone();
        let waits = WaitListener::new(move |text| log.lock().unwrap().push(text.to_owned()));
        let endpoint = endpoint_settings(&server.url()).into_endpoint();
        let endpoint = endpoint.unwrap().unwrap();
        let model = RemoteEmbedder::open(&endpoint, &home.directories(), &waits).unwrap();
        let model = model.with_wait_patience(Duration::from_millis(patience_ms));
        embed(&model, &texts(100));
        let told = told.lock().unwrap();
        assert_eq!(told.len(), 1, "{told:?}");
        let expected = format!("waiting for {}/embeddings: {reason}", server.url());
        assert!(told[0].starts_with(&expected), "{told:?}");
    };
    check(stall, 100, "no answer for 0.1 s; a request may take 120 s");
    // The patience is no longer than the server's delay, and longer than an answer on a busy machine takes.
    check(busy, 1_000, "status 429; it is asked again in 1 s");
}

/// Other models can answer a search, so a user does not wait for a retry.
#[test]
fn a_query_is_sent_once() {
    let (_home, server, model) = endpoint_with(|_| reply_with_status(503, "Retry-After: 0\r\n"));
    let error = model.embed_query("docker").unwrap_err().to_string();
    assert!(error.contains("status 503"), "{error}");
    assert_eq!(server.take_requests().len(), 1);
}

#[test]
fn vectors_of_another_dimension_are_an_error() {
    let (_home, _server, model) = endpoint_with(|_| {
        reply_with_json(&json!({"data": [{"index": 0, "embedding": [1.0, 2.0]}]}))
    });
    let error = model.try_embed_documents(&["a"]).unwrap_err().to_string();
    assert!(error.contains("2 numbers, not 3 as before"), "{error}");
    assert!(
        error.contains("`session-search model use remote`"),
        "{error}"
    );
}

#[test]
fn another_dimension_is_learnt_anew() {
    let (home, server) = (
        Home::new(),
        EndpointServer::start(|request| match request.number {
            0 => reply_with_vectors(request),
            _ => reply_with_json(&json!({"data": [{"index": 0, "embedding": [1.0, 2.0]}]})),
        }),
    );
    let endpoint = endpoint_settings(&server.url()).into_endpoint().unwrap();
    let catalogue = || home.catalogue().with_endpoint(Ok(endpoint.clone()));
    let dims = || catalogue().find_spec("remote").unwrap().dims;
    catalogue().relearn_endpoint().unwrap();
    assert_eq!(dims(), 3);
    let before = catalogue().find_spec("remote").unwrap().fingerprint();
    let model = catalogue().load("remote").unwrap();
    assert!(model.embed_query("a").is_err());
    assert!(catalogue().check_opens("remote").is_err());
    assert_eq!(dims(), 3); // what is checked stays
    catalogue().relearn_endpoint().unwrap();
    assert_eq!(dims(), 2);
    assert_eq!(
        catalogue()
            .load("remote")
            .unwrap()
            .embed_query("a")
            .unwrap()
            .len(),
        2
    );
    catalogue().check_opens("remote").unwrap();
    let after = catalogue().find_spec("remote").unwrap().fingerprint();
    assert_ne!(before, after);
}

#[test]
fn the_dimension_is_requested_once_and_cached() {
    let (home, server) = (Home::new(), EndpointServer::start(reply_with_vectors));
    let endpoint = endpoint_settings(&server.url())
        .into_endpoint()
        .unwrap()
        .unwrap();
    let catalogue = || home.catalogue().with_endpoint(Ok(Some(endpoint.clone())));
    let spec =
        |catalogue: &session_models::Catalogue| catalogue.find_spec("remote").unwrap().clone();
    assert_eq!(spec(&catalogue()).dims, 0);
    assert_eq!(
        catalogue().model_state(&spec(&catalogue())),
        ModelState::Remote
    );
    assert!(server.take_requests().is_empty());
    let model = catalogue().load("remote").unwrap();
    assert_eq!((model.spec().dims, server.take_requests().len()), (3, 1));
    let again = catalogue().load("remote").unwrap();
    assert!(server.take_requests().is_empty());
    assert_eq!(again.spec(), &spec(&catalogue()));
    catalogue().verify("remote", &()).unwrap();
    assert_eq!(server.take_requests().len(), 1);
    for refused in [
        catalogue().remove("remote"),
        catalogue().import("remote", &home.path(""), &()),
    ] {
        assert!(matches!(refused, Err(ModelError::RemoteHasNoFiles)));
    }
}

#[test]
fn url_and_model_change_the_fingerprint() {
    let home = Home::new();
    let fingerprint = |url: &str, model: &str, key: &str| {
        let settings = EndpointSettings {
            model: Some(model.to_owned()),
            api_key: Some(key.to_owned()),
            ..endpoint_settings(url)
        };
        let catalogue = home.catalogue().with_endpoint(settings.into_endpoint());
        catalogue.find_spec("remote").unwrap().fingerprint()
    };
    let one = fingerprint("http://a", "m", "k");
    assert_eq!(fingerprint("http://a/embeddings", "m", "other"), one);
    assert_ne!(fingerprint("http://b", "m", "k"), one);
    assert_ne!(fingerprint("http://a", "n", "k"), one);
}

#[test]
fn an_absent_server_is_an_error_with_its_url() {
    let home = Home::new();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let catalogue = home
        .catalogue()
        .with_endpoint(endpoint_settings(&url).into_endpoint());
    let error = catalogue.load("remote").err().unwrap();
    assert!(error.to_string().contains(&url), "{error}");
    assert!(error.hint().unwrap().contains("model use all-minilm-l6-v2"));
}
