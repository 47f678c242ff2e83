//! Models from the hub, which misbehaves.

use crate::hub::{StandIn, Trouble, sha256};
use crate::tiny::{Home, description, files, tree, write};
use session_models::{Hub, ModelError, State};
use std::time::{Duration, Instant};

const WEIGHTS: &str = "weights/table.bin";

fn hub(home: &Home, server: &StandIn) -> Hub {
    Hub {
        patience: Duration::from_millis(400),
        pause: Duration::from_millis(1),
        ..Hub::of(&home.path(""), |name| {
            (name == "HF_ENDPOINT").then(|| server.endpoint())
        })
    }
}

fn pull(home: &Home, server: &StandIn) -> Result<(), ModelError> {
    home.catalogue().pull("tiny", &hub(home, server), &())
}

fn state(home: &Home) -> State {
    let catalogue = home.catalogue();
    catalogue.state(catalogue.spec("tiny").unwrap())
}

/// That the model is here as it was served, and works.
#[track_caller]
fn is_whole(home: &Home) {
    assert_eq!(state(home), State::Installed);
    home.catalogue().verify("tiny", &()).unwrap();
    for (path, content) in files(1.0) {
        let here = fs_err::read(home.folders().model("tiny").join(path)).unwrap();
        assert!(here == content, "{path}");
    }
}

#[test]
fn a_model_comes_and_works() {
    let (home, server) = (Home::described(), StandIn::serving(files(1.0)));
    pull(&home, &server).unwrap();
    is_whole(&home);
    let left = tree(&home.folders().models());
    let names = |part: &str| {
        left.iter()
            .any(|path| path.to_string_lossy().contains(part))
    };
    assert!(!names(".partial") && !names(".hub"), "{left:?}");
    assert!(server.asked().iter().all(|asked| asked.ends_with(" -")));
}

#[test]
fn what_is_here_is_not_fetched_again() {
    let (home, server) = (Home::described(), StandIn::serving(files(1.0)));
    pull(&home, &server).unwrap();
    server.asked();
    pull(&home, &server).unwrap();
    assert!(server.asked().is_empty());
    write(&home.folders().model("tiny").join(WEIGHTS), b"damaged");
    pull(&home, &server).unwrap();
    is_whole(&home);
}

#[cfg(unix)]
#[test]
fn nobody_else_can_read_what_came() {
    use std::os::unix::fs::PermissionsExt;
    let (home, server) = (Home::described(), StandIn::serving(files(1.0)));
    pull(&home, &server).unwrap();
    for path in tree(&home.folders().models()) {
        let mode = fs_err::metadata(&path).unwrap().permissions().mode() & 0o777;
        let expected = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode, expected, "{}", path.display());
    }
}

#[test]
fn a_download_that_breaks_off_goes_on_at_once() {
    for trouble in [
        Trouble::Drop(10),
        Trouble::Truncate(10),
        Trouble::Status(503),
    ] {
        let (home, server) = (Home::described(), StandIn::serving(files(1.0)));
        server.trouble(WEIGHTS, &[trouble, trouble]);
        pull(&home, &server).unwrap_or_else(|error| panic!("{trouble:?}: {error}"));
        is_whole(&home);
        let asked = server.asked();
        let resumed = asked.iter().any(|asked| asked.contains("bytes=20- "));
        assert_eq!(resumed, trouble != Trouble::Status(503), "{asked:?}");
    }
}

#[test]
fn a_later_run_goes_on_where_one_gave_up() {
    let (home, server) = (Home::described(), StandIn::serving(files(1.0)));
    server.trouble(
        WEIGHTS,
        &[Trouble::Drop(30), Trouble::Drop(0), Trouble::Drop(0)],
    );
    let error = pull(&home, &server).unwrap_err();
    let ModelError::Interrupted { file, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!(file, WEIGHTS);
    assert!(error.hint().unwrap().contains("goes on from there"));
    assert_eq!(state(&home), State::Incomplete);
    server.asked();
    pull(&home, &server).unwrap();
    is_whole(&home);
    assert!(
        server
            .asked()
            .iter()
            .any(|asked| asked.contains("bytes=30-"))
    );
}

#[test]
fn a_hub_that_falls_silent_is_left_in_time() {
    let (home, server) = (Home::described(), StandIn::serving(files(1.0)));
    server.trouble(WEIGHTS, &[Trouble::Stall(30)]);
    let began = Instant::now();
    let error = pull(&home, &server).unwrap_err();
    assert!(began.elapsed() < Duration::from_secs(30));
    let message = error.to_string();
    assert!(message.contains("nothing came for 0.4 s"), "{message}");
}

#[test]
fn a_hub_that_knows_no_ranges_is_no_hindrance() {
    let (home, server) = (Home::described(), StandIn::serving(files(1.0)));
    server.trouble(WEIGHTS, &[Trouble::Drop(30), Trouble::NoRange]);
    pull(&home, &server).unwrap();
    is_whole(&home);
}

#[test]
fn a_file_that_is_not_what_the_hub_states_is_refused() {
    let (home, server) = (Home::described(), StandIn::serving(files(1.0)));
    let [(path, content), _] = files(1.0);
    let stated = sha256(b"another");
    server.serve_as(path, content.clone(), &stated);
    let error = pull(&home, &server).unwrap_err();
    let message = error.to_string();
    assert!(
        message.contains(&stated) && message.contains(&sha256(&content)),
        "{message}"
    );
    assert!(!state(&home).is_here());
    server.serve(path, content);
    pull(&home, &server).unwrap();
    is_whole(&home);
}

#[test]
fn a_file_that_is_not_the_pinned_one_is_refused() {
    let (home, server) = (Home::new(), StandIn::serving(files(2.0)));
    let pins = files(1.0).map(|(_, content)| sha256(&content));
    let text = description("tiny", [Some(&pins[0]), Some(&pins[1])]);
    home.describe("tiny", &text);
    let error = pull(&home, &server).unwrap_err();
    assert!(error.to_string().contains(&pins[0]), "{error}");
    server.serve(WEIGHTS, files(1.0)[0].1.clone());
    pull(&home, &server).unwrap();
    is_whole(&home);
}

#[test]
fn what_does_not_open_is_not_kept() {
    let (home, server) = (Home::described(), StandIn::serving(files(1.0)));
    server.serve(WEIGHTS, b"no table".to_vec());
    let error = pull(&home, &server).unwrap_err();
    assert!(matches!(error, ModelError::Open { .. }), "{error}");
    assert_eq!(state(&home), State::Absent);
}

#[test]
fn a_file_that_the_hub_has_not_is_named() {
    let (home, server) = (
        Home::described(),
        StandIn::serving(files(1.0).into_iter().take(1)),
    );
    let error = pull(&home, &server).unwrap_err();
    let ModelError::Refused { url, status: 404 } = &error else {
        panic!("{error}");
    };
    assert!(
        url.ends_with("/ann/tiny/resolve/main/vocabulary.bin"),
        "{url}"
    );
    server.serve("vocabulary.bin", files(1.0)[1].1.clone());
    pull(&home, &server).unwrap();
    is_whole(&home);
}

#[test]
fn without_a_network_it_fails_in_time_and_says_what_to_do() {
    let home = Home::described();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let nobody = |endpoint: String| Hub {
        patience: Duration::from_millis(400),
        ..Hub::of(&home.path(""), |name| {
            (name == "HF_ENDPOINT").then(|| endpoint.clone())
        })
    };
    let check = |endpoint: String| {
        let pulled = home.catalogue().pull("tiny", &nobody(endpoint), &());
        let error = pulled.unwrap_err();
        assert!(matches!(error, ModelError::Unreachable { .. }), "{error}");
        assert!(error.hint().unwrap().contains("model import"));
    };
    check(format!("http://{address}")); // it accepts, and says nothing
    drop(listener);
    check(format!("http://{address}"));
    check("http://no-such-host.invalid".to_owned());
    check("no address".to_owned());
}

#[test]
fn offline_nothing_is_asked() {
    let (home, server) = (Home::described(), StandIn::serving(files(1.0)));
    let offline = Hub {
        offline: true,
        ..hub(&home, &server)
    };
    let error = home.catalogue().pull("tiny", &offline, &()).unwrap_err();
    assert!(matches!(error, ModelError::Offline { .. }), "{error}");
    assert!(error.hint().unwrap().contains("model import tiny"));
    assert!(server.asked().is_empty());
}

/// `HF_HOME` says where the hub's programs keep what they download: we put it
/// there, too, and take what is there.
#[test]
fn what_the_hubs_programs_downloaded_is_taken() {
    let (home, server) = (Home::described(), StandIn::serving(files(1.0)));
    let cache = home.path("hf");
    let hub = |offline: bool| Hub {
        offline,
        ..Hub::of(&home.path(""), |name| match name {
            "HF_ENDPOINT" => Some(server.endpoint()),
            "HF_HOME" => Some(cache.to_string_lossy().into_owned()),
            _ => None,
        })
    };
    home.catalogue().pull("tiny", &hub(false), &()).unwrap();
    is_whole(&home);
    let blob = sha256(&files(1.0)[0].1);
    assert!(
        cache
            .join("hub/models--ann--tiny/blobs")
            .join(blob)
            .is_file()
    );
    home.catalogue().remove("tiny").unwrap();
    server.asked();
    home.catalogue().pull("tiny", &hub(true), &()).unwrap();
    is_whole(&home);
    assert!(server.asked().is_empty());
}

#[test]
fn variables_say_where_the_hub_is() {
    let of = |vars: &[(&str, &str)]| {
        Hub::of(std::path::Path::new("/h"), |name| {
            let found = vars.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    };
    let usual = of(&[]);
    assert_eq!(usual.endpoint, "https://huggingface.co");
    assert!(usual.cache.ends_with(".cache/huggingface/hub") && !usual.into_cache);
    assert!(!usual.offline && usual.token.is_none());
    let other = of(&[
        ("HF_ENDPOINT", "https://mirror.example/"),
        ("HF_HUB_OFFLINE", "True"),
        ("HF_TOKEN", "secret"),
        ("HF_HOME", "/hf"),
    ]);
    assert_eq!(other.endpoint, "https://mirror.example");
    assert!(other.offline && other.into_cache);
    assert_eq!(other.token.as_deref(), Some("secret"));
    assert!(!of(&[("HF_HUB_OFFLINE", "0")]).offline);
}

#[test]
fn a_token_is_sent() {
    let (home, server) = (Home::described(), StandIn::serving(files(1.0)));
    let hub = Hub {
        token: Some("secret".to_owned()),
        ..hub(&home, &server)
    };
    home.catalogue().pull("tiny", &hub, &()).unwrap();
    assert!(
        server
            .asked()
            .iter()
            .any(|asked| asked.ends_with("Bearer secret"))
    );
}
