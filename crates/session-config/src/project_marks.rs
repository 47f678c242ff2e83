//! Tells the directories of projects, whose files a stranger may have written, from those of the user.

use session_files::{ROOT_MARKS, SETTING_MARKS, is_workspace, normalize_lexically, resolve_links};
use std::path::{Path, PathBuf};

/// Most entries of a directory that are looked through for such a file.
const MAX_ENTRIES: usize = 512;

/// Returns the outermost directory with something that may set variables, as the root of a project that has no other
/// mark of one: an unpacked archive. The home directory, and what lies above it, is none.
pub(crate) fn unmarked_root(directory: &Path, home: &Path) -> Option<PathBuf> {
    let directory = fs_err::canonicalize(directory).ok()?;
    let home = resolve_links(home);
    let below = directory.ancestors().take_while(|at| !home.starts_with(at));
    below
        .filter(|at| find_mark(at, &[], SETTING_MARKS.iter()).is_some())
        .last()
        .map(Path::to_owned)
}

/// Returns true for a path that lies by its name in a project, wherever the command runs. A link outside of projects is
/// the user's, wherever it leads. A directory right in the home directory whose name begins with a dot is the user's,
/// also where it is a repository: that of their settings. The paths `own` mark nothing.
pub(crate) fn lies_in_project(path: &Path, own: &[PathBuf], home: &Path) -> bool {
    normalize_lexically(path).is_err() || find_project_mark(path, None, own, home).is_some()
}

/// Finds what marks the project that a path lies in by its name: the nearest mark above it, and below the directory `clear`,
/// where one is given that lies in no project.
pub(crate) fn find_project_mark(
    path: &Path,
    clear: Option<&Path>,
    own: &[PathBuf],
    home: &Path,
) -> Option<PathBuf> {
    let path = normalize_lexically(path).ok()?;
    let clear = clear.and_then(|at| normalize_lexically(at).ok());
    let home = resolve_links(home);
    let below = path
        .ancestors()
        .take_while(|at| Some(*at) != clear.as_deref());
    let mut below =
        below.take_while(|at| !home.starts_with(resolve_links(at)) && !is_dot_directory(at, &home));
    below.find_map(|at| find_mark(at, own, ROOT_MARKS.iter().chain(&SETTING_MARKS)))
}

/// Returns true for a directory right in the home directory, whose path has no links, with a name that begins with a dot.
pub(crate) fn is_dot_directory(path: &Path, home: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    let is_hidden = name.as_encoded_bytes().starts_with(b".");
    is_hidden
        && path
            .parent()
            .is_some_and(|parent| resolve_links(parent) == *home)
}

/// Finds one of some marks in a directory, other than the paths `own`, or what sets the variables of a workspace.
fn find_mark<'m>(
    directory: &Path,
    own: &[PathBuf],
    marks: impl Iterator<Item = &'m &'m str>,
) -> Option<PathBuf> {
    let is_there = |mark: &PathBuf| !own.contains(mark) && fs_err::symlink_metadata(mark).is_ok();
    let mut marks = marks.map(|mark| directory.join(mark));
    marks.find(is_there).or_else(|| find_workspace(directory))
}

fn find_workspace(directory: &Path) -> Option<PathBuf> {
    let entries = fs_err::read_dir(directory).into_iter().flatten().flatten();
    let mut paths = entries.take(MAX_ENTRIES).map(|entry| entry.path());
    paths.find(|path| is_workspace(&path.to_string_lossy()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use session_models::ENV_FILE;

    #[test]
    fn a_path_in_a_project_is_known_by_its_name_alone() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs_err::canonicalize(folder.path()).unwrap();
        for path in [
            "clone/.git",
            "clone/config",
            "archive/.envrc/x",
            "agent/.claude",
            "open/config/.env",
            "account/.codex",
            "gem/.gemini",
            "clone/gem/.gemini",
            "mixed/.gemini",
            "mixed/.codex",
            "home/dotfiles/.git",
            "home/.config/.git",
            "home/.config/editor/plugin/.git",
            "home/work/clone/.git",
        ] {
            fs_err::create_dir_all(root.join(path)).unwrap();
        }
        fs_err::write(root.join("side.git"), "").unwrap();
        let is_in = |path: &str, own: &str| {
            let path = root.join(path);
            lies_in_project(&path, &[path.join(own)], &root.join("home"))
        };
        let is_refused = |path: &str| is_in(path, ENV_FILE);
        for path in [
            "clone",
            "clone/config",
            "clone/missing/index",
            "archive/config",
            "agent/.claude",
            "account/.codex",
            "home/dotfiles/config",
            "home/.config/editor/plugin/config",
            "home/work/clone/config",
        ] {
            assert!(is_refused(path), "{path}");
        }
        for path in [
            "home",
            "home/.config/session-search",
            "home/.local/share",
            "home/work/index",
            "open/config",
            "elsewhere",
        ] {
            assert!(!is_refused(path), "{path}");
        }
        for path in ["agent/.claude", "account/.codex"] {
            assert!(!is_in(path, ""), "{path}");
        }
        assert!(is_in("clone/.claude", ""));
        let gemini = ".gemini";
        assert!(!is_in("gem", gemini) && is_in("gem", ""));
        for path in ["clone/gem", "mixed", "gem/sub", "gem/.gemini", "account"] {
            assert!(is_in(path, gemini), "{path}");
        }
        let around = unmarked_root(&root.join("gem"), &root.join("home"));
        assert_eq!(around, Some(root.join("gem")), "a command that runs there");
    }

    #[cfg(unix)]
    #[test]
    fn a_worktree_is_a_project_and_a_link_of_the_user_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs_err::canonicalize(folder.path()).unwrap();
        for path in ["home", "worktree", "dotfiles/.git", "dotfiles/config"] {
            fs_err::create_dir_all(root.join(path)).unwrap();
        }
        fs_err::write(root.join("worktree/.git"), "gitdir: elsewhere").unwrap();
        let config = root.join("home/settings");
        std::os::unix::fs::symlink(root.join("dotfiles/config"), &config).unwrap();
        let home = root.join("home");
        assert!(lies_in_project(&root.join("worktree/config"), &[], &home));
        assert!(!lies_in_project(&config, &[], &home));
    }

    #[test]
    fn settings_of_editors_and_tools_mark_a_project() {
        for mark in [
            ".zed",
            ".idea",
            ".devcontainer",
            "flake.nix",
            "devenv.nix",
            "mise.local.toml",
            "shop.code-workspace",
        ] {
            let folder = tempfile::tempdir().unwrap();
            let root = fs_err::canonicalize(folder.path()).unwrap();
            for path in ["home", "shop/src"] {
                fs_err::create_dir_all(root.join(path)).unwrap();
            }
            fs_err::write(root.join("shop").join(mark), "").unwrap();
            let found = unmarked_root(&root.join("shop/src"), &root.join("home"));
            assert_eq!(found, Some(root.join("shop")), "{mark}");
        }
    }
}
