//! Files of unusual kinds and times.

use std::path::Path;
use std::time::SystemTime;

/// Sets when a file or directory was modified.
pub fn set_modified(path: &Path, time: SystemTime) {
    let file = open_for_attributes(path).unwrap();
    file.file().set_modified(time).unwrap();
}

#[cfg(not(windows))]
fn open_for_attributes(path: &Path) -> std::io::Result<fs_err::File> {
    fs_err::File::open(path)
}

#[cfg(windows)]
fn open_for_attributes(path: &Path) -> std::io::Result<fs_err::File> {
    use fs_err::os::windows::fs::OpenOptionsExt;
    const FILE_WRITE_ATTRIBUTES: u32 = 0x100;
    const FILE_FLAG_BACKUP_SEMANTICS: u32 = 0x0200_0000; // opens directories, too
    let mut options = fs_err::OpenOptions::new();
    options.access_mode(FILE_WRITE_ATTRIBUTES);
    options.custom_flags(FILE_FLAG_BACKUP_SEMANTICS).open(path)
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

/// Replaces a file by one that cannot be read from its beginning on, as on a failing disk.
#[cfg(target_os = "linux")]
pub fn make_unreadable(path: &Path) {
    fs_err::remove_file(path).unwrap();
    // The first page of a process is never there.
    fs_err::os::unix::fs::symlink("/proc/self/mem", path).unwrap();
}

/// Puts a link that leads to itself where a directory should be: it is there, and cannot be listed.
#[cfg(unix)]
pub fn make_unlistable(path: &Path) {
    fs_err::os::unix::fs::symlink(path, path).unwrap();
}

/// Makes a named pipe and the directories above it. Whoever opens the pipe waits for the other end.
#[cfg(unix)]
pub fn make_fifo(path: &Path) {
    fs_err::create_dir_all(path.parent().unwrap()).unwrap();
    let status = std::process::Command::new("mkfifo").arg(path).status();
    assert!(status.unwrap().success());
}
