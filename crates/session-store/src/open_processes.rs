//! Other processes that have the index open.

use crate::directory;
use std::path::Path;

/// A process that has the database open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenProcess {
    /// Its number.
    pub pid: u32,
    /// Its name, where the system tells it.
    pub name: String,
}

/// Finds the other processes of this user that have the database open. Only Linux tells which.
pub fn find_open_processes(root: &Path) -> Vec<OpenProcess> {
    find_processes_with(&directory::database_path(root))
}

/// Finds the other processes of this user that have a file open. Only Linux tells which.
pub(crate) fn find_processes_with(file: &Path) -> Vec<OpenProcess> {
    let Ok(file) = fs_err::canonicalize(file) else {
        return Vec::new();
    };
    let entries = fs_err::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let others = pids.filter(|pid: &u32| *pid != std::process::id());
    let open = others.filter(|pid| has_open(*pid, &file));
    open.map(|pid| OpenProcess {
        pid,
        name: process_name(pid),
    })
    .collect()
}

fn has_open(pid: u32, path: &Path) -> bool {
    let files = fs_err::read_dir(format!("/proc/{pid}/fd"));
    let mut files = files.into_iter().flatten().flatten();
    files.any(|file| fs_err::read_link(file.path()).is_ok_and(|target| target == path))
}

fn process_name(pid: u32) -> String {
    let name = fs_err::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    name.trim().to_owned()
}
