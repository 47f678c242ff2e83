//! The home directory, from which everything else is found.

use crate::project::{REPOSITORY, has_entry, repositories_around, resolve_links};
use std::path::{Component, Path, PathBuf};

/// The variable that names the home directory.
pub const HOME_VARIABLE: &str = if cfg!(windows) { "USERPROFILE" } else { "HOME" };

/// Returns the user's home directory: `HOME` (`USERPROFILE` on Windows), unless that is no absolute path, leads through the process's own
/// state, or lies in the repository around `directory` or in a worktree of it. A project can set variables, and `HOME=.`
/// would make its files the user's own, as the folder above it would where the repository has the name of one of the folders
/// that are `opened` below a home directory. Then it is the one of the system's user database, where that has one.
pub fn home_directory(directory: &Path, opened: &[PathBuf]) -> Option<PathBuf> {
    let named = std::env::home_dir().filter(|home| !home.as_os_str().is_empty());
    choose_home(named, current_user_home, |home| {
        lies_in_repository(home, directory) || find_cloned_folder(home, opened).is_some()
    })
}

/// Chooses between the home directory that the variable names and that of the user database, which may be on another machine:
/// it is asked last.
fn choose_home(
    named: Option<PathBuf>,
    find_entry: impl Fn() -> Option<PathBuf>,
    is_strange: impl Fn(&Path) -> bool,
) -> Option<PathBuf> {
    let Some(named) = named.filter(|home| is_plain(home)) else {
        return find_entry();
    };
    if !is_strange(&named) {
        return Some(named);
    }
    let names_other = |entry: &PathBuf| resolve_links(entry) != resolve_links(&named);
    let entry = find_entry().filter(|entry| is_home(entry) && names_other(entry));
    entry.or(Some(named))
}

/// Returns true for an absolute path that means the same in every process.
fn is_plain(home: &Path) -> bool {
    let climbs = home.components().any(|part| part == Component::ParentDir);
    let is_special = home.starts_with("/proc") || home.starts_with("/dev");
    home.is_absolute() && !climbs && !is_special
}

/// Returns true for a directory that may be somebody's: containers run users whose entry names `/`, or nothing that is there.
fn is_home(entry: &Path) -> bool {
    entry.parent().is_some() && entry.is_dir()
}

fn lies_in_repository(home: &Path, directory: &Path) -> bool {
    let real = resolve_links(home);
    let repositories = repositories_around(directory);
    repositories.iter().any(|root| real.starts_with(root))
}

/// Returns the first of the folders that are `opened` below a home directory, or of those on the way, that is a repository. What
/// is reached by a link is none: the user made that link.
pub fn find_cloned_folder(home: &Path, opened: &[PathBuf]) -> Option<PathBuf> {
    let is_linked = |path: &Path| nonempty_ancestors(path).any(|at| home.join(at).is_symlink());
    let mut below = opened.iter().flat_map(|path| nonempty_ancestors(path));
    let found = below.find(|at| has_entry(&home.join(at), REPOSITORY) && !is_linked(at))?;
    Some(home.join(found))
}

fn nonempty_ancestors(path: &Path) -> impl Iterator<Item = &Path> {
    path.ancestors().filter(|at| !at.as_os_str().is_empty())
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

    /// Returns true if a directory that the variable names is the home, though the user database has another one.
    fn is_trusted(home: &Path, directory: &Path, opened: &[PathBuf]) -> bool {
        let entry = tempfile::tempdir().unwrap();
        let find_entry = || Some(entry.path().to_owned());
        let chosen = choose_home(Some(home.to_owned()), find_entry, |home| {
            lies_in_repository(home, directory) || find_cloned_folder(home, opened).is_some()
        });
        chosen.as_deref() == Some(home)
    }

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

    #[test]
    fn a_home_stays_where_the_user_database_has_no_other_one() {
        let folder = tempfile::tempdir().unwrap();
        let named = folder.path().to_owned();
        let choose = |entry: Option<PathBuf>| {
            choose_home(Some(named.clone()), || entry.clone(), |_| true).unwrap()
        };
        let missing = named.join("missing");
        for entry in [None, Some("/".into()), Some(missing), Some(named.clone())] {
            assert_eq!(choose(entry.clone()), named, "{entry:?}");
        }
        let other = tempfile::tempdir().unwrap();
        assert_eq!(choose(Some(other.path().to_owned())), other.path());
        let relative = choose_home(Some(".".into()), || None, |_| false);
        assert_eq!(relative, None);
    }

    #[cfg(unix)]
    #[test]
    fn links_of_the_user_lead_to_their_own_folders() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let real = fs_err::canonicalize(folder.path()).unwrap();
        for path in ["home", "dotfiles/lamp/.git"] {
            fs_err::create_dir_all(real.join(path)).unwrap();
        }
        symlink(real.join("dotfiles/lamp"), real.join("home/.lamp")).unwrap();
        symlink(real.join("home"), real.join("link")).unwrap();
        let opened = [PathBuf::from(".lamp")];
        assert!(is_trusted(&real.join("home"), &real, &opened));
        let spelled = choose_home(
            Some(real.join("link")),
            || Some(real.join("home")),
            |_| true,
        );
        assert_eq!(spelled, Some(real.join("link")));
    }
}
