//! Nothing beneath a root leads out of it, waits, or is read without a limit.
#![cfg(unix)]

use proptest::prelude::*;
use session_files::{ConfinedFile, Dir, Durability, FileError, Lock, private};
use session_test::files::make_fifo as fifo;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// A root, and beside it a directory that nothing may touch.
struct World {
    folder: tempfile::TempDir,
}

const SECRET: &str = "secret";

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["root", "outside"] {
            fs_err::create_dir(folder.path().join(name)).unwrap();
        }
        fs_err::write(folder.path().join("outside/file"), SECRET).unwrap();
        Self { folder }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn root(&self) -> Dir {
        Dir::open(&self.path("root")).unwrap()
    }

    fn link(&self, to: &str, at: &str) {
        symlink(to, self.path(at)).unwrap();
    }

    fn outside_is_as_before(&self) -> bool {
        let names = fs_err::read_dir(self.path("outside")).unwrap().count();
        names == 1 && fs_err::read_to_string(self.path("outside/file")).unwrap() == SECRET
    }
}

#[test]
fn a_link_in_any_component_is_refused() {
    let world = World::new();
    world.link("../outside", "root/away");
    world.link("../outside/file", "root/file");
    world.link("inner", "root/within");
    fs_err::create_dir(world.path("root/inner")).unwrap();
    fs_err::write(world.path("root/inner/file"), "mine").unwrap();
    let root = world.root();
    for path in ["away/file", "file", "within/file"] {
        let path = Path::new(path);
        let refused = |result: Result<(), FileError>| {
            assert!(
                matches!(result, Err(FileError::Link(_))),
                "{path:?}: {result:?}"
            );
        };
        refused(root.read(path, 100).map(drop));
        refused(root.write(path, b"x", Durability::Durable));
        refused(root.append(path).map(drop));
    }
    let away = Path::new("away/file");
    for result in [
        root.remove(away).map(drop),
        root.names(Path::new("away"), 10).map(drop),
        root.rename(Path::new("inner/file"), Path::new("away/new")),
        root.create_directory(Path::new("away/new")).map(drop),
    ] {
        assert!(matches!(result, Err(FileError::Link(_))), "{result:?}");
    }
    assert!(world.outside_is_as_before());
    assert!(
        root.remove(Path::new("file")).unwrap(),
        "the link itself goes"
    );
    assert!(world.outside_is_as_before());
}

#[test]
fn a_path_never_leaves_its_root() {
    let world = World::new();
    let absolute = world.path("outside/file");
    for path in [
        Path::new("../outside/file"),
        Path::new("a/../../outside/file"),
        &absolute,
        Path::new(""),
        Path::new(".."),
    ] {
        let read = world.root().read(path, 100);
        assert!(
            matches!(read, Err(FileError::Outside(_))),
            "{path:?}: {read:?}"
        );
        let written = world.root().write(path, b"x", Durability::Durable);
        assert!(written.is_err(), "{path:?}");
    }
    assert!(world.outside_is_as_before());
}

#[test]
fn fifos_devices_and_directories_are_no_files() {
    let world = World::new();
    fifo(&world.path("root/fifo"));
    world.link("/dev/zero", "root/zero");
    fs_err::create_dir(world.path("root/folder")).unwrap();
    let root = world.root();
    for name in ["fifo", "zero", "folder"] {
        let read = root.read(Path::new(name), 100);
        let is_refused = matches!(read, Err(FileError::NotRegular(_) | FileError::Link(_)));
        assert!(is_refused, "{name}: {read:?}");
        assert!(
            root.write(Path::new(name), b"x", Durability::Cached)
                .is_err(),
            "{name}"
        );
        assert!(Lock::try_lock(&root, name).is_err(), "{name}");
    }
    assert!(matches!(
        Dir::open(Path::new("/dev"))
            .unwrap()
            .read(Path::new("zero"), 100),
        Err(FileError::NotRegular(_))
    ));
}

#[test]
fn a_file_that_is_to_be_changed_is_utf_8() {
    let world = World::new();
    let path = world.path("root/settings.json");
    let [text, bytes] = [&b"caf\xef\xbf\xbd"[..], b"caf\xe9"];
    let file = ConfinedFile::new(&world.path("root"), Path::new("settings.json"));
    fs_err::write(&path, bytes).unwrap();
    assert_eq!(file.read_text(10).unwrap().unwrap().as_bytes(), text);
    for refused in [file.read_utf8(10), private::read_utf8(&path, 10)] {
        assert!(matches!(refused, Err(FileError::NotUtf8(_))), "{refused:?}");
    }
    let lossy = str::from_utf8(text).unwrap();
    let replaced = file.replace(Some(lossy), "new", 10);
    assert!(
        matches!(replaced, Err(FileError::Changed(_))),
        "{replaced:?}"
    );
    fs_err::write(world.path("root/settings.json.backup"), bytes).unwrap();
    let backup = file.back_up(lossy).unwrap();
    assert_eq!(fs_err::read(backup).unwrap(), text);
    assert_eq!(
        file.read_backups(10).unwrap(),
        [lossy],
        "the other is no text"
    );
}

#[test]
fn no_more_than_the_limit_is_read_and_listed() {
    let world = World::new();
    let huge = fs_err::File::create(world.path("root/huge")).unwrap();
    huge.set_len(1 << 40).unwrap(); // sparse
    for name in ["a", "b", "c"] {
        fs_err::write(world.path("root").join(name), name).unwrap();
    }
    let root = world.root();
    let read = root.read(Path::new("huge"), 1 << 20);
    assert!(
        matches!(read, Err(FileError::TooLarge { limit, .. }) if limit == 1 << 20),
        "{read:?}"
    );
    assert_eq!(
        root.read(Path::new("a"), 1).unwrap().as_deref(),
        Some(&b"a"[..])
    );
    assert_eq!(root.names(Path::new(""), 2).unwrap().len(), 2);
    assert_eq!(root.read(Path::new("none/at/all"), 1).unwrap(), None);
    assert!(root.names(Path::new("none"), 2).unwrap().is_empty());
}

#[test]
fn a_write_is_private_keeps_a_mode_and_leaves_nothing_beside() {
    let world = World::new();
    let root = world.root();
    let mode = |path: &str| {
        fs_err::metadata(world.path(path))
            .unwrap()
            .permissions()
            .mode()
            & 0o777
    };
    root.write(Path::new("a/b/file"), b"one", Durability::Durable)
        .unwrap();
    assert_eq!(mode("root/a"), 0o700);
    assert_eq!(mode("root/a/b/file"), 0o600);
    let shared = std::fs::Permissions::from_mode(0o644);
    fs_err::set_permissions(world.path("root/a/b/file"), shared).unwrap();
    root.write(Path::new("a/b/file"), b"two", Durability::Cached)
        .unwrap();
    assert_eq!(mode("root/a/b/file"), 0o644);
    assert_eq!(
        root.names(Path::new("a/b"), 9).unwrap(),
        ["file"],
        "no temporary file"
    );
}

#[test]
fn a_rename_replaces_nothing() {
    let world = World::new();
    let root = world.root();
    for name in ["a", "b"] {
        root.write(Path::new(name), name.as_bytes(), Durability::Durable)
            .unwrap();
    }
    let taken = root.rename(Path::new("a"), Path::new("b"));
    assert!(matches!(taken, Err(FileError::Exists(_))), "{taken:?}");
    root.rename(Path::new("a"), Path::new("new/c")).unwrap();
    assert_eq!(
        root.read(Path::new("new/c"), 9).unwrap().as_deref(),
        Some(&b"a"[..])
    );
    assert!(root.rename(Path::new("a"), Path::new("d")).is_err());
    assert!(
        !root.remove_if_empty(Path::new("new")).unwrap(),
        "it is not empty"
    );
    root.remove(Path::new("new/c")).unwrap();
    assert!(root.remove_if_empty(Path::new("new")).unwrap());
}

/// Managers of settings keep them elsewhere and put links in their place.
#[test]
fn the_users_own_paths_may_be_links() {
    let world = World::new();
    world.link("outside", "home");
    world.link("file", "outside/settings");
    let path = world.path("home/settings");
    assert_eq!(
        private::read_text(&path, 100).unwrap().as_deref(),
        Some(SECRET)
    );
    private::write(&path, b"new").unwrap();
    assert_eq!(
        fs_err::read_to_string(world.path("outside/file")).unwrap(),
        "new"
    );
    assert!(path.is_symlink());
    assert_eq!(
        private::read(&world.path("none/at/all"), 100).unwrap(),
        None
    );
    fifo(&world.path("home/fifo"));
    assert!(private::read(&world.path("home/fifo"), 100).is_err());
}

#[test]
fn a_write_removes_what_killed_writers_left_beside_the_file() {
    let world = World::new();
    let day_ago = SystemTime::now() - Duration::from_secs(25 * 60 * 60);
    let leave = |name: &str, is_old| {
        let file = fs_err::File::create(world.path("root").join(name)).unwrap();
        if is_old {
            file.file().set_modified(day_ago).unwrap();
        }
    };
    let names = || world.root().names(Path::new(""), 9).unwrap();
    let others = [".new-ab-1-0", ".new-notes", "settings"];
    let confined = ConfinedFile::new(&world.path("root"), Path::new("settings"));
    let path = world.path("root/settings");
    let writes: [&dyn Fn(); 3] = [
        &|| private::write(&path, b"{}").unwrap(),
        &|| confined.write("{}").unwrap(),
        &|| confined.replace(Some("{}"), "{ }", 9).unwrap(),
    ];
    for write in writes {
        leave(".new-1f-2a-0", true);
        leave(".new-ab-1-0", false);
        leave(".new-notes", true);
        write();
        assert_eq!(names(), others);
    }
}

#[test]
fn a_backup_is_kept_once_and_none_is_removed() {
    let world = World::new();
    let file = ConfinedFile::new(&world.path("root"), Path::new("a/settings"));
    let of = |n: usize| world.path(&format!("root/a/settings.backup.{n}"));
    let first = file.back_up("1").unwrap();
    assert_eq!(first, world.path("root/a/settings.backup"));
    fs_err::write(of(1_763_000_000_001), "mine").unwrap();
    assert_eq!(file.back_up("2").unwrap(), of(1_763_000_000_002));
    assert_eq!(file.back_up("1").unwrap(), first);
    assert_eq!(file.back_up("3").unwrap(), of(1_763_000_000_003));
    assert_eq!(file.read_backups(9).unwrap(), ["3", "2", "mine", "1"]);
}

/// Names of a small tree in which links lead everywhere.
fn relative_path() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        Just("a"),
        Just("b"),
        Just("up"),
        Just("away"),
        Just(".."),
        Just("."),
        Just("file")
    ];
    prop::collection::vec(part, 1..5).prop_map(|parts| parts.join("/"))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn whatever_the_path_the_outside_is_neither_read_nor_changed(path in relative_path(), other in relative_path()) {
        let world = World::new();
        fs_err::create_dir_all(world.path("root/a/b")).unwrap();
        for (to, at) in [("../../..", "root/a/b/up"), ("..", "root/up"), ("../outside", "root/away"), ("../../outside", "root/a/away"), ("../../outside/file", "root/a/file")] {
            world.link(to, at);
        }
        let root = world.root();
        let (path, other) = (Path::new(&path), Path::new(&other));
        let read = root.read_text(path, 100);
        prop_assert!(!matches!(read, Ok(Some(text)) if text == SECRET));
        let _ = root.write(path, b"x", Durability::Cached);
        let _ = root.rename(path, other);
        let _ = root.append(other);
        let _ = root.create_directory(other);
        let _ = root.remove(path);
        let _ = root.remove_if_empty(other);
        prop_assert!(world.outside_is_as_before());
    }
}
