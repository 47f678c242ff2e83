//! Tests of downloads from a hub that fails.

use crate::hub_server::{DownloadFault, HubFault, HubServer, sha256};
use crate::tiny_model::{Home, description, files, list_tree, write};
use session_models::{FileProgress, HubConfig, ModelError, ModelState};
use std::time::Duration;

pub const WEIGHTS: &str = "weights/table.bin";

pub fn hub(home: &Home, server: &HubServer) -> HubConfig {
    HubConfig {
        initial_backoff: Duration::from_millis(1),
        ..HubConfig::from_environment(&home.path(""), |name| {
            (name == "HF_ENDPOINT").then(|| server.endpoint())
        })
    }
}

pub fn pull(home: &Home, server: &HubServer) -> Result<(), ModelError> {
    home.catalogue().pull("tiny", &hub(home, server), &())
}

/// Collects notes.
#[derive(Default)]
struct Notes(std::sync::Mutex<Vec<String>>);

impl FileProgress for Notes {
    fn note(&self, text: &str) {
        self.0.lock().unwrap().push(text.to_owned());
    }
}

impl Notes {
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

/// A project can set the variable that names the hub.
#[test]
fn a_hub_that_is_not_the_public_one_is_named() {
    let (home, server) = (Home::with_description(), HubServer::start(files(1.0)));
    let notes = Notes::default();
    let pull = |hub: &HubConfig| home.catalogue().pull("tiny", hub, &notes);
    pull(&hub(&home, &server)).unwrap();
    let endpoint = server.endpoint();
    let note = format!("note: the model hub is {endpoint}, not https://huggingface.co");
    assert_eq!(notes.take(), [note]);
    pull(&hub(&home, &server)).unwrap(); // no hub is asked
    assert!(notes.take().is_empty());
    let forged = HubConfig::from_environment(&home.path(""), |name| {
        (name == "HF_ENDPOINT").then(|| "http://a\nhint: x".to_owned())
    });
    assert_eq!(forged.endpoint, "http://a hint: x");
}

pub fn state(home: &Home) -> ModelState {
    let catalogue = home.catalogue();
    catalogue.model_state(catalogue.find_spec("tiny").unwrap())
}

/// Asserts that the model is installed as it was served, and verifies.
#[track_caller]
pub fn assert_installed(home: &Home) {
    assert_eq!(state(home), ModelState::Installed);
    home.catalogue().verify("tiny", &()).unwrap();
    for (path, content) in files(1.0) {
        let here = fs_err::read(home.directories().model_dir("tiny").join(path)).unwrap();
        assert!(here == content, "{path}");
    }
}

#[test]
fn a_model_is_downloaded_and_verifies() {
    let (home, server) = (Home::with_description(), HubServer::start(files(1.0)));
    pull(&home, &server).unwrap();
    assert_installed(&home);
    let left = list_tree(&home.directories().models_dir());
    let names = |part: &str| {
        left.iter()
            .any(|path| path.to_string_lossy().contains(part))
    };
    assert!(!names(".partial") && !names(".hub"), "{left:?}");
    assert!(
        server
            .take_requests()
            .iter()
            .all(|request| request.ends_with(" -"))
    );
}

#[test]
fn an_intact_model_is_not_downloaded_again() {
    let (home, server) = (Home::with_description(), HubServer::start(files(1.0)));
    pull(&home, &server).unwrap();
    server.take_requests();
    pull(&home, &server).unwrap();
    assert!(server.take_requests().is_empty());
    write(
        &home.directories().model_dir("tiny").join(WEIGHTS),
        b"damaged",
    );
    pull(&home, &server).unwrap();
    assert_installed(&home);
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_a_downloaded_model() {
    use std::os::unix::fs::PermissionsExt;
    let (home, server) = (Home::with_description(), HubServer::start(files(1.0)));
    pull(&home, &server).unwrap();
    for path in list_tree(&home.directories().models_dir()) {
        let mode = fs_err::metadata(&path).unwrap().permissions().mode() & 0o777;
        let expected = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode, expected, "{}", path.display());
    }
}

#[test]
fn an_interrupted_download_is_resumed_at_once() {
    for failure in [
        DownloadFault::Drop(10),
        DownloadFault::Truncate(10),
        DownloadFault::Status(503),
    ] {
        let (home, server) = (Home::with_description(), HubServer::start(files(1.0)));
        server.fail_downloads(WEIGHTS, &[failure, failure]);
        pull(&home, &server).unwrap_or_else(|error| panic!("{failure:?}: {error}"));
        assert_installed(&home);
        let requests = server.take_requests();
        let resumed = requests
            .iter()
            .any(|request| request.contains("bytes=20- "));
        assert_eq!(
            resumed,
            failure != DownloadFault::Status(503),
            "{requests:?}"
        );
    }
}

#[test]
fn a_later_run_resumes_a_failed_download() {
    let (home, server) = (Home::with_description(), HubServer::start(files(1.0)));
    server.fail_downloads(
        WEIGHTS,
        &[
            DownloadFault::Drop(30),
            DownloadFault::Drop(0),
            DownloadFault::Drop(0),
        ],
    );
    let error = pull(&home, &server).unwrap_err();
    let ModelError::Interrupted { file, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!(file, WEIGHTS);
    assert!(error.hint().unwrap().contains("goes on from there"));
    assert_eq!(state(&home), ModelState::Incomplete);
    server.take_requests();
    pull(&home, &server).unwrap();
    assert_installed(&home);
    assert!(
        server
            .take_requests()
            .iter()
            .any(|request| request.contains("bytes=30-"))
    );
}

#[test]
fn a_stalled_download_times_out() {
    let (home, server) = (Home::with_description(), HubServer::start(files(1.0)));
    server.fail_downloads(WEIGHTS, &[DownloadFault::Stall(30)]);
    let impatient = HubConfig {
        idle_timeout: Duration::from_secs(2),
        ..hub(&home, &server)
    };
    let pulled = home.catalogue().pull("tiny", &impatient, &());
    let error = pulled.unwrap_err();
    let ModelError::Interrupted { file, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!(file, WEIGHTS);
    let message = error.to_string();
    assert!(message.contains("nothing came for 2 s"), "{message}");
}

#[test]
fn a_hub_without_range_requests_is_supported() {
    let (home, server) = (Home::with_description(), HubServer::start(files(1.0)));
    server.fail_downloads(WEIGHTS, &[DownloadFault::Drop(30), DownloadFault::NoRange]);
    pull(&home, &server).unwrap();
    assert_installed(&home);
}

#[test]
fn a_file_that_differs_from_its_etag_is_rejected() {
    let (home, server) = (Home::with_description(), HubServer::start(files(1.0)));
    let [(path, content), _] = files(1.0);
    let stated = sha256(b"another");
    server.serve_with_etag(path, content.clone(), &stated);
    let error = pull(&home, &server).unwrap_err();
    let message = error.to_string();
    assert!(
        message.contains(&stated) && message.contains(&sha256(&content)),
        "{message}"
    );
    assert!(!state(&home).is_available());
    server.serve(path, content);
    pull(&home, &server).unwrap();
    assert_installed(&home);
}

#[test]
fn a_file_that_differs_from_its_pin_is_rejected() {
    let (home, server) = (Home::new(), HubServer::start(files(2.0)));
    let pins = files(1.0).map(|(_, content)| sha256(&content));
    let text = description("tiny", [Some(&pins[0]), Some(&pins[1])]);
    home.add_description("tiny", &text);
    let error = pull(&home, &server).unwrap_err();
    assert!(error.to_string().contains(&pins[0]), "{error}");
    server.serve(WEIGHTS, files(1.0)[0].1.clone());
    pull(&home, &server).unwrap();
    assert_installed(&home);
}

#[test]
fn files_that_do_not_open_are_deleted() {
    let (home, server) = (Home::with_description(), HubServer::start(files(1.0)));
    server.serve(WEIGHTS, b"no table".to_vec());
    let error = pull(&home, &server).unwrap_err();
    assert!(matches!(error, ModelError::Open { .. }), "{error}");
    assert_eq!(state(&home), ModelState::Absent);
}

#[test]
fn a_file_that_the_hub_lacks_is_named() {
    let (home, server) = (
        Home::with_description(),
        HubServer::start(files(1.0).into_iter().take(1)),
    );
    let error = pull(&home, &server).unwrap_err();
    let ModelError::HubStatus { url, status: 404 } = &error else {
        panic!("{error}");
    };
    assert!(
        url.ends_with("/ann/tiny/resolve/main/vocabulary.bin"),
        "{url}"
    );
    server.serve("vocabulary.bin", files(1.0)[1].1.clone());
    pull(&home, &server).unwrap();
    assert_installed(&home);
}

#[test]
fn without_a_network_the_error_comes_soon_and_has_a_hint() {
    let home = Home::with_description();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let nobody = |endpoint: String| HubConfig {
        idle_timeout: Duration::from_millis(400),
        ..HubConfig::from_environment(&home.path(""), |name| {
            (name == "HF_ENDPOINT").then(|| endpoint.clone())
        })
    };
    let check = |endpoint: String| {
        let pulled = home.catalogue().pull("tiny", &nobody(endpoint), &());
        let error = pulled.unwrap_err();
        assert!(
            matches!(error, ModelError::HubUnreachable { .. }),
            "{error}"
        );
        assert!(error.hint().unwrap().contains("model import"));
    };
    check(format!("http://{address}")); // accepts connections and sends nothing
    drop(listener);
    check(format!("http://{address}"));
    check("http://no-such-host.invalid".to_owned());
    check("no address".to_owned());
}

#[test]
fn offline_sends_no_request() {
    let (home, server) = (Home::with_description(), HubServer::start(files(1.0)));
    let offline = HubConfig {
        offline: true,
        ..hub(&home, &server)
    };
    let notes = Notes::default();
    let error = home.catalogue().pull("tiny", &offline, &notes);
    let error = error.unwrap_err();
    assert!(notes.take().is_empty());
    assert!(matches!(error, ModelError::Offline { .. }), "{error}");
    assert!(error.hint().unwrap().contains("model import tiny"));
    assert!(server.take_requests().is_empty());
}

/// `HF_HOME` names the cache of the hub's programs: downloads are stored there, too, and files
/// there are used.
#[test]
fn files_in_the_hub_cache_are_used() {
    let (home, server) = (Home::with_description(), HubServer::start(files(1.0)));
    let cache = home.path("hf");
    let hub = |offline: bool| HubConfig {
        offline,
        ..HubConfig::from_environment(&home.path(""), |name| match name {
            "HF_ENDPOINT" => Some(server.endpoint()),
            "HF_HOME" => Some(cache.to_string_lossy().into_owned()),
            _ => None,
        })
    };
    home.catalogue().pull("tiny", &hub(false), &()).unwrap();
    assert_installed(&home);
    let blob = sha256(&files(1.0)[0].1);
    assert!(
        cache
            .join("hub/models--ann--tiny/blobs")
            .join(blob)
            .is_file()
    );
    home.catalogue().remove("tiny").unwrap();
    server.take_requests();
    home.catalogue().pull("tiny", &hub(true), &()).unwrap();
    assert_installed(&home);
    assert!(server.take_requests().is_empty());
}

#[test]
fn the_hub_follows_the_environment() {
    let hub = |vars: &[(&str, &str)]| {
        HubConfig::from_environment(std::path::Path::new("/h"), |name| {
            let found = vars.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    };
    let default = hub(&[]);
    assert_eq!(default.endpoint, "https://huggingface.co");
    assert!(default.cache.ends_with(".cache/huggingface/hub") && !default.into_cache);
    assert!(!default.offline && default.token.is_none());
    let other = hub(&[
        ("HF_ENDPOINT", "https://mirror.example/"),
        ("HF_HUB_OFFLINE", "True"),
        ("HF_TOKEN", "secret"),
        ("HF_HOME", "/hf"),
    ]);
    assert_eq!(other.endpoint, "https://mirror.example");
    assert!(other.offline && other.into_cache);
    assert_eq!(other.token.as_deref(), Some("secret"));
    assert!(!hub(&[("HF_HUB_OFFLINE", "0")]).offline);
}

#[test]
fn a_token_is_sent() {
    let (home, server) = (Home::with_description(), HubServer::start(files(1.0)));
    let hub = HubConfig {
        token: Some("secret".to_owned()),
        ..hub(&home, &server)
    };
    home.catalogue().pull("tiny", &hub, &()).unwrap();
    assert!(
        server
            .take_requests()
            .iter()
            .any(|request| request.ends_with("Bearer secret"))
    );
}

#[test]
fn the_hint_follows_the_status() {
    let (home, server) = (Home::with_description(), HubServer::start(files(1.0)));
    let cases = [
        (401, "HF_TOKEN"),
        (404, "`repo`, `revision` and `files`"),
        (429, "too many requests"),
        (500, "try again later"),
        (503, "try again later"),
    ];
    for (status, hint) in cases {
        server.set_fault(Some(HubFault::Status(status)));
        let error = pull(&home, &server).unwrap_err();
        assert!(error.hint().unwrap().contains(hint), "{error}");
    }
}

#[test]
fn what_an_answer_lacks_is_said() {
    let (home, server) = (Home::with_description(), HubServer::start(files(1.0)));
    server.set_fault(Some(HubFault::NoEtag));
    let error = pull(&home, &server).unwrap_err();
    let message = error.to_string();
    assert!(
        message.ends_with("cannot be used: it has no ETag"),
        "{message}"
    );
    assert!(error.hint().unwrap().contains("names a model hub"));
}

#[test]
fn a_hub_that_knows_no_ranges_is_supported() {
    let (home, server) = (Home::with_description(), HubServer::start(files(1.0)));
    server.set_fault(Some(HubFault::NoRange));
    pull(&home, &server).unwrap();
    assert_installed(&home);
}

/// The files that a failed pull leaves are readable to their owner alone.
#[cfg(unix)]
#[test]
fn only_the_owner_can_read_what_a_failed_download_leaves() {
    use std::os::unix::fs::PermissionsExt;
    let (home, server) = (Home::with_description(), HubServer::start(files(1.0)));
    server.serve("vocabulary.bin", b"damaged".to_vec());
    let failures = [3, 0, 0].map(DownloadFault::Drop);
    server.fail_downloads("vocabulary.bin", &failures);
    pull(&home, &server).unwrap_err();
    let left = list_tree(&home.directories().models_dir());
    assert!(
        left.iter().any(|path| path.ends_with("refs/main")),
        "{left:?}"
    );
    for path in left.iter().filter(|path| !path.is_symlink()) {
        let mode = fs_err::metadata(path).unwrap().permissions().mode() & 0o777;
        let expected = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode, expected, "{}", path.display());
    }
}
