//! Tests of downloads from a hub that means harm.

use crate::hub_server::{DownloadFault, HubFault, HubServer};
use crate::pull::{WEIGHTS, assert_installed, pull, state};
use crate::tiny_model::{Home, files, list_tree, write};
use session_models::ModelError;

/// Asserts that a pull fails because of the hub's answer, and changes nothing outside of the models' directory.
#[track_caller]
fn assert_refused(home: &Home, server: &HubServer, case: &str) {
    fs_err::create_dir_all(home.directories().models_dir()).unwrap();
    let outside = || {
        let mut all = list_tree(&home.path(""));
        all.retain(|path| !path.starts_with(home.directories().models_dir()));
        let read = |path: std::path::PathBuf| (fs_err::read(&path).ok(), path);
        all.into_iter().map(read).collect::<Vec<_>>()
    };
    let before = outside();
    let error = pull(home, server).unwrap_err();
    assert!(
        matches!(error, ModelError::InvalidHubAnswer { .. }),
        "{case}: {error}"
    );
    assert!(outside() == before, "{case}");
    assert!(!state(home).is_available(), "{case}");
}

/// The hub's own library makes paths of them.
#[test]
fn no_etag_and_no_commit_of_a_hub_leads_out_of_the_staging_directory() {
    let (home, server) = (Home::with_description(), HubServer::start(files(1.0)));
    write(&home.path(".bashrc"), b"mine");
    let home_file = home.path(".bashrc").to_string_lossy().into_owned();
    let new_file = home.path(".config/autostart/x");
    let new_file = new_file.to_string_lossy().into_owned();
    let up = "../".repeat(8);
    let names = [&home_file, &new_file, &up, "..", "a/b", "../../../../x", ""];
    let [(path, content), _] = files(1.0);
    for name in names {
        server.serve_with_etag(path, content.clone(), name);
        assert_refused(&home, &server, name);
    }
    server.serve(path, content);
    for name in names {
        server.set_fault(Some(HubFault::Commit(name.to_owned())));
        assert_refused(&home, &server, name);
    }
    server.set_fault(None);
    pull(&home, &server).unwrap();
    assert_installed(&home);
}

/// Returns the bytes of all files that a pull left.
fn staged_bytes(home: &Home) -> u64 {
    let staged = list_tree(&home.directories().models_dir()).into_iter();
    let lengths = staged.map(|path| fs_err::symlink_metadata(path).unwrap());
    lengths
        .filter(|meta| meta.is_file())
        .map(|meta| meta.len())
        .sum()
}

#[test]
fn a_body_without_end_is_cut_at_the_stated_length() {
    let (home, server) = (Home::with_description(), HubServer::start(files(1.0)));
    server.fail_downloads(WEIGHTS, &[DownloadFault::Endless]);
    assert_refused(&home, &server, "endless");
    assert_eq!(staged_bytes(&home), 0);
    pull(&home, &server).unwrap();
    assert_installed(&home);
}

/// The description states 500 bytes.
#[test]
fn a_file_far_beyond_the_described_size_is_not_downloaded() {
    let (home, server) = (Home::with_description(), HubServer::start(files(1.0)));
    server.set_fault(Some(HubFault::Length(1 << 30)));
    assert_refused(&home, &server, "too long");
    let requests = server.take_requests();
    let is_probe = |request: &String| request.contains(" bytes=0-0 ");
    assert!(requests.iter().all(is_probe), "{requests:?}");
}

#[test]
fn at_most_ten_redirects_are_followed() {
    let (home, server) = (Home::with_description(), HubServer::start(files(1.0)));
    for absolute in [false, true] {
        server.set_fault(Some(HubFault::RedirectLoop { absolute }));
        assert_refused(&home, &server, "redirects");
        let requests = server.take_requests().len();
        assert!((11..=12).contains(&requests), "{requests}");
    }
}
