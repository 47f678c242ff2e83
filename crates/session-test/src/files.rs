//! Files of unusual kinds and times.

use std::path::Path;
use std::time::SystemTime;

/// Sets when a file or directory was modified.
pub fn set_modified(path: &Path, time: SystemTime) {
    let file = fs_err::File::open(path).unwrap();
    file.file().set_modified(time).unwrap();
}

/// Sets when a directory and all below it were modified.
pub fn set_tree_modified(path: &Path, time: SystemTime) {
    if path.is_dir() {
        for entry in fs_err::read_dir(path).unwrap() {
            set_tree_modified(&entry.unwrap().path(), time);
        }
    }
    set_modified(path, time);
}

/// Makes a named pipe and the directories above it. Whoever opens the pipe waits for the other end.
#[cfg(unix)]
pub fn make_fifo(path: &Path) {
    fs_err::create_dir_all(path.parent().unwrap()).unwrap();
    let status = std::process::Command::new("mkfifo").arg(path).status();
    assert!(status.unwrap().success());
}
