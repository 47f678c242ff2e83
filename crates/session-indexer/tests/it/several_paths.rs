//! Files to which several paths lead.

use crate::embedder::Buckets;
use crate::home::{Home, say, touch, turns};
use crate::state::numbered_dump;
use session_indexer::{RefreshOptions, RefreshOutcome, refresh};
use session_sources::Env;
use session_store::FileRow;
use std::path::Path;

/// A link leads to the home, and one program knows the home by it.
#[test]
fn a_home_is_the_same_by_whatever_path() {
    let home = Home::with_two_sessions();
    say(&home.database(), "ses_a", 1, "user", "Where is the quay?");
    home.refresh();
    // What the index alone holds stays, too.
    home.write(0, turns(0, 0, 1).as_bytes());
    touch(&home.transcript(0), 50);
    let own = home.env().home;
    let link = own.join("link");
    std::os::unix::fs::symlink(&own, &link).unwrap();
    let model = Buckets::new("b");
    let refresh_from = |path: &Path| {
        let options = RefreshOptions {
            env: Env::with_home(path),
            ..home.options_with(&model)
        };
        refresh(&options).unwrap()
    };
    refresh_from(&own);
    let before = numbered_dump(&home.reader());
    for path in [&link, &own, &link] {
        let outcome = refresh_from(path);
        assert_eq!(outcome, RefreshOutcome::default());
        assert_eq!(numbered_dump(&home.reader()), before);
        let files = home.reader().files().unwrap();
        let is_below = |file: &FileRow| Path::new(&file.path).starts_with(path);
        assert!(files.len() == 3 && files.iter().all(is_below), "{files:?}");
    }
}

/// A mount shows a folder at two paths, as hard links show files.
#[test]
fn a_file_at_two_paths_is_one() {
    let home = Home::with_two_sessions();
    let file = home.transcript(0);
    let folder = file.parent().unwrap().with_file_name("-a-mount");
    fs_err::create_dir(&folder).unwrap();
    let other = folder.join(file.file_name().unwrap());
    fs_err::hard_link(&file, &other).unwrap();
    assert_eq!(home.refresh(), RefreshOutcome::default());
    for count in 3..5 {
        home.write(0, turns(0, 0, count).as_bytes());
        let outcome = home.refresh();
        let read = (outcome.files_read, outcome.turns, outcome.files_gone);
        assert_eq!(read, (1, 1, 0));
        assert_eq!(home.refresh(), RefreshOutcome::default());
        assert_eq!(home.gone(), [false; 2]);
    }
    for path in [other, file] {
        fs_err::remove_file(path).unwrap();
        assert_eq!(home.refresh().files_read, 0);
    }
    assert_eq!(home.gone(), [true, false]);
}
