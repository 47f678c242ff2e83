//! The home directory, from which everything else is found.

use crate::project::{REPOSITORY, has_entry, repositories_around, resolve_links};
use std::path::{Component, Path, PathBuf};

/// The variable that names the home directory.
pub const HOME_VARIABLE: &str = if cfg!(windows) { "USERPROFILE" } else { "HOME" };

/// Returns the user's home directory: `HOME` (`USERPROFILE` on Windows), unless that is no absolute path, leads through the process's own
/// state, or lies in the repository around `directory` or in a worktree of it. A project can set variables, and `HOME=.`
/// would make its files the user's own, as the folder above it would where the repository has the name of one of the folders
/// that are `opened` below a home directory. Then it is the one of the system's user database.
pub fn home_directory(directory: &Path, opened: &[PathBuf]) -> Option<PathBuf> {
    let named = std::env::home_dir().filter(|home| !home.as_os_str().is_empty());
    match named {
        Some(home) if is_trusted(&home, directory, opened) => Some(home),
        _ => current_user_home(),
    }
}

fn is_trusted(home: &Path, directory: &Path, opened: &[PathBuf]) -> bool {
    let climbs = home.components().any(|part| part == Component::ParentDir);
    let is_special = home.starts_with("/proc") || home.starts_with("/dev");
    let is_plain = home.is_absolute() && !climbs && !is_special;
    let lies_in_repository = || {
        let real = resolve_links(home);
        let repositories = repositories_around(directory);
        repositories.iter().any(|root| real.starts_with(root))
    };
    let is_strange = || lies_in_repository() || find_cloned_folder(home, opened).is_some();
    // The user database may be on another machine: it is asked last.
    is_plain && (!is_strange() || current_user_home().as_deref() == Some(home))
}

/// Returns the first of the folders that are `opened` below a home directory, or of those on the way, that is a repository.
pub fn find_cloned_folder(home: &Path, opened: &[PathBuf]) -> Option<PathBuf> {
    let below = opened.iter().flat_map(|path| path.ancestors());
    let mut below = below.filter(|at| !at.as_os_str().is_empty());
    let found = below.find(|at| has_entry(&home.join(at), REPOSITORY))?;
    Some(home.join(found))
}

/// Returns the home directory by the user database.
#[cfg(unix)]
fn current_user_home() -> Option<PathBuf> {
    let user = nix::unistd::User::from_uid(nix::unistd::geteuid())
        .ok()
        .flatten()?;
    Some(user.dir)
}

/// Returns the directory of the user's profile.
#[cfg(windows)]
fn current_user_home() -> Option<PathBuf> {
    known_folders::get_known_folder_path(known_folders::KnownFolder::Profile)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_home_in_the_repository_at_hand_is_not_trusted() {
        let folder = tempfile::tempdir().unwrap();
        let real = fs_err::canonicalize(folder.path()).unwrap();
        fs_err::create_dir_all(real.join("clone/.git")).unwrap();
        fs_err::create_dir_all(real.join("clone/in/home/.claude")).unwrap();
        let clone = real.join("clone/in");
        for home in [
            ".",
            "in",
            "/proc/self/cwd",
            "/proc/self/cwd/in",
            "/dev/fd/3",
            "/tmp/../proc/self/cwd",
        ] {
            assert!(!is_trusted(Path::new(home), &clone, &[]), "{home}");
        }
        assert!(!is_trusted(&real.join("clone/in/home"), &clone, &[]));
        assert!(!is_trusted(&real.join("clone"), &clone, &[]));
        assert!(is_trusted(&real, &clone, &[]));
        assert!(
            is_trusted(&real.join("clone/in/home"), &real, &[]),
            "from elsewhere"
        );
    }

    #[test]
    fn a_home_whose_folders_are_clones_is_not_trusted() {
        let folder = tempfile::tempdir().unwrap();
        let real = fs_err::canonicalize(folder.path()).unwrap();
        for path in [
            "src/.config/.git",
            "deep/.lamp/data/.git",
            "own/.config",
            "own/.git",
        ] {
            fs_err::create_dir_all(real.join(path)).unwrap();
        }
        let opened = [".config/lamp", ".lamp/data/sessions"].map(PathBuf::from);
        let is_trusted = |home: &str| is_trusted(&real.join(home), &real, &opened);
        assert!(!is_trusted("src") && !is_trusted("deep"));
        assert!(
            is_trusted("own"),
            "what marks the home itself marks none of them"
        );
    }
}
