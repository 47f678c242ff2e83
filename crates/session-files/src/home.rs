//! The home directory, from which everything else is found.

use crate::project::{repositories_around, resolve_links};
use std::path::{Component, Path, PathBuf};

/// The variable that names the home directory.
pub const HOME_VARIABLE: &str = if cfg!(windows) { "USERPROFILE" } else { "HOME" };

/// Returns the user's home directory: `HOME` (`USERPROFILE` on Windows), unless that is no absolute path, leads through the process's own
/// state, or lies in the repository around `directory` or in a worktree of it. A project can set variables, and `HOME=.`
/// would make its files the user's own. Then it is the one of the system's user database.
pub fn home_directory(directory: &Path) -> Option<PathBuf> {
    let named = std::env::home_dir().filter(|home| !home.as_os_str().is_empty());
    match named {
        Some(home) if is_trusted(&home, directory) => Some(home),
        _ => current_user_home(),
    }
}

fn is_trusted(home: &Path, directory: &Path) -> bool {
    let climbs = home.components().any(|part| part == Component::ParentDir);
    let is_special = home.starts_with("/proc") || home.starts_with("/dev");
    let is_plain = home.is_absolute() && !climbs && !is_special;
    let lies_in_repository = || {
        let real = resolve_links(home);
        let repositories = repositories_around(directory);
        repositories.iter().any(|root| real.starts_with(root))
    };
    is_plain && (!lies_in_repository() || current_user_home().as_deref() == Some(home))
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
            assert!(!is_trusted(Path::new(home), &clone), "{home}");
        }
        assert!(!is_trusted(&real.join("clone/in/home"), &clone));
        assert!(!is_trusted(&real.join("clone"), &clone));
        assert!(is_trusted(&real, &clone));
        assert!(
            is_trusted(&real.join("clone/in/home"), &real),
            "from elsewhere"
        );
    }
}
