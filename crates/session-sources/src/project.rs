//! From a working directory to the project that it belongs to.

use crate::file;
use session_core::{SessionMeta, text};
use session_files::resolve_links;
use std::path::{Path, PathBuf};

/// Most bytes of a path or the name of a branch that are kept.
pub(crate) const PATH_LIMIT: usize = 2048;
/// Most bytes of a path that are taken from the input of a tool.
pub(crate) const INPUT_PATH_LIMIT: usize = 4096;
const GIT_FILE_LIMIT: u64 = 4096;
/// Names of the folders, or files, of a repository: of Git, Jujutsu, Mercurial and Sapling.
const REPOSITORIES: [&str; 4] = [".git", ".jj", ".hg", ".sl"];

/// Returns the main checkout of the git worktree that `cwd` lies in, or `None` if
/// `cwd` is no worktree. A worktree that is gone is known by its place in a repository:
/// `<project>/.claude/worktrees/<name>` or `<project>/.worktrees/<name>`. Users have such folders in other places, too,
/// with worktrees of any repository: `~/.worktrees`.
pub fn project_root(cwd: &str) -> Option<String> {
    root_on_disk(cwd)
        .or_else(|| root_by_name(cwd).filter(|root| may_be_repository(root)))
        .filter(|root| root != cwd)
}

/// Notes the directory that a session works in, and its project. An empty path says nothing.
pub(crate) fn set_directory(session: &mut SessionMeta, path: &str) {
    let path = text::clip(path, PATH_LIMIT);
    if !path.is_empty() {
        session.project = project_root(path);
        session.cwd = Some(path.to_owned());
    }
}

/// Returns the folder with the worktrees, of which `cwd` would be one by its name alone.
fn root_by_name(cwd: &str) -> Option<String> {
    let plain = cwd.replace('\\', "/");
    let end = ["/.claude/worktrees/", "/.worktrees/"]
        .iter()
        .filter_map(|folder| named_worktree(&plain, folder))
        .min()?;
    cwd.get(..end).map(str::to_owned)
}

/// Returns where `folder` begins in `path`, when a name follows it.
fn named_worktree(path: &str, folder: &str) -> Option<usize> {
    let at = path.find(folder).filter(|&at| at > 0)?;
    let name = path.get(at + folder.len()..)?.split('/').next()?;
    (!name.is_empty()).then_some(at)
}

/// Returns true for a folder in a repository, and for one that is not on this disk.
fn may_be_repository(root: &str) -> bool {
    let path = Path::new(root);
    if !is_local(root) || !path.exists() || is_bare_repository(path) {
        return true;
    }
    let is_there = |path: PathBuf| path.symlink_metadata().is_ok();
    path.ancestors()
        .any(|folder| REPOSITORIES.iter().any(|name| is_there(folder.join(name))))
}

/// Returns true for a folder that Git takes for a repository without a checkout.
fn is_bare_repository(folder: &Path) -> bool {
    folder.join("HEAD").is_file() && folder.join("objects").is_dir()
}

/// Returns true for an absolute path of this system that is worth a look.
fn is_local(path: &str) -> bool {
    !is_network_path(path) && Path::new(path).is_absolute()
}

fn root_on_disk(cwd: &str) -> Option<String> {
    if !is_local(cwd) {
        return None;
    }
    let cwd = Path::new(cwd);
    let (folder, git) = cwd
        .ancestors()
        .map(|folder| (folder, folder.join(".git")))
        .find(|(_, git)| git.symlink_metadata().is_ok())?;
    git.is_file().then(|| main_checkout(folder, &git)).flatten()
}

/// Reads `gitdir: /project/.git/worktrees/name`. A submodule's points into
/// `.git/modules` and is a project of its own. So is a folder that the repository does not know as its worktree: in an
/// archive the file may name any project of the user.
fn main_checkout(folder: &Path, git_file: &Path) -> Option<String> {
    let text = file::read_limited(git_file, GIT_FILE_LIMIT).ok()?;
    let gitdir = std::str::from_utf8(&text)
        .ok()?
        .lines()
        .find_map(|line| line.strip_prefix("gitdir:"))?
        .trim();
    if is_network_path(gitdir) {
        return None;
    }
    let gitdir = session_files::normalize_lexically(&folder.join(gitdir)).ok()?;
    let worktrees = gitdir.parent().filter(|p| p.ends_with(".git/worktrees"))?;
    let common = worktrees.parent()?;
    if session_files::common_git_directory(folder)? != resolve_links(common) {
        return None;
    }
    Some(common.parent()?.to_str()?.to_owned())
}

/// Returns true for `//host/share`, which is not worth a connection.
pub fn is_network_path(path: &str) -> bool {
    path.starts_with("//") || path.starts_with(r"\\")
}

#[cfg(test)]
mod tests {
    use super::*;
    use fs_err as fs;

    #[test]
    fn worktrees_are_known_by_name_when_they_are_gone() {
        let cases = [
            (
                "/home/ann/app/.claude/worktrees/fix-1",
                Some("/home/ann/app"),
            ),
            (
                "/home/ann/app/.claude/worktrees/fix-1/src",
                Some("/home/ann/app"),
            ),
            ("/home/ann/app/.worktrees/fix-1", Some("/home/ann/app")),
            (r"C:\work\app\.worktrees\fix-1", Some(r"C:\work\app")),
            ("/home/ann/app/.worktrees/", None),
            ("/home/ann/app/my.worktrees/x", None),
            ("/.worktrees/x", None),
            ("/home/ann/app", None),
            (r"\\host\share\app", None),
            ("", None),
        ];
        for (cwd, root) in cases {
            assert_eq!(project_root(cwd).as_deref(), root, "{cwd}");
        }
    }

    #[test]
    fn worktrees_are_known_by_their_git_file() {
        let home = tempfile::tempdir().unwrap();
        let at = |path: &str| home.path().join(path);
        let root = |path: &str| project_root(at(path).to_str().unwrap());
        for folder in ["fix/src", "app/vendor/lib"] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        let write = |path: &str, text: &str| fs::write(at(path), text).unwrap();
        add_worktree(&at("app"), &at("fix"));
        add_worktree(&at("app"), &at("relative"));
        write("relative/.git", "gitdir: ../app/.git/worktrees/relative\n");
        write("app/vendor/lib/.git", "gitdir: ../../.git/modules/lib\n");

        let app = at("app").to_str().unwrap().to_owned();
        assert_eq!(root("fix"), Some(app.clone()));
        assert_eq!(root("fix/src"), Some(app.clone()));
        assert_eq!(root("relative"), Some(app));
        assert_eq!(root("app/vendor/lib"), None, "a submodule");
        assert_eq!(root("app"), None, "the main checkout");
    }

    /// Makes a worktree of a repository as git does.
    fn add_worktree(repository: &Path, worktree: &Path) {
        let kept = repository.join(".git/worktrees");
        let kept = kept.join(worktree.file_name().unwrap());
        fs::create_dir_all(&kept).unwrap();
        fs::create_dir_all(worktree).unwrap();
        let back = worktree.join(".git").display().to_string();
        fs::write(kept.join("gitdir"), format!("{back}\n")).unwrap();
        fs::write(kept.join("commondir"), "../..\n").unwrap();
        fs::write(
            worktree.join(".git"),
            format!("gitdir: {}\n", kept.display()),
        )
        .unwrap();
    }

    /// `~/.worktrees/<repository>/<branch>` is a usual place.
    #[test]
    fn a_worktree_in_a_folder_of_worktrees_belongs_to_its_repository() {
        let home = tempfile::tempdir().unwrap();
        let at = |path: &str| home.path().join(path);
        let root = |path: &str| project_root(at(path).to_str().unwrap());
        let worktrees = [
            ("code/app", ".worktrees/app/fix"),
            ("code/app", "code/.worktrees/app-two"),
            ("code/bank", ".claude/worktrees/bank/three"),
            ("code/bank", "code/bank/.worktrees/four"),
        ];
        for (repository, worktree) in worktrees {
            add_worktree(&at(repository), &at(worktree));
        }
        fs::create_dir_all(at("code/app/tools")).unwrap();
        let path = |path: &str| at(path).to_str().map(str::to_owned);
        // In a home that is a repository of dotfiles, too.
        for dotfiles in [false, true] {
            if dotfiles {
                fs::create_dir(at(".git")).unwrap();
            }
            for (repository, worktree) in worktrees {
                assert_eq!(root(worktree), path(repository), "{worktree}");
            }
        }
        fs::remove_dir(at(".git")).unwrap();
        for (_, worktree) in worktrees {
            fs::remove_dir_all(at(worktree)).unwrap();
        }
        assert_eq!(root("code/bank/.worktrees/four"), path("code/bank"));
        let in_folder = root("code/app/tools/.worktrees/five");
        assert_eq!(in_folder, path("code/app/tools"));
        for (_, worktree) in &worktrees[..3] {
            assert_eq!(root(worktree), None, "nothing tells it: {worktree}");
        }
    }

    #[test]
    fn a_worktree_belongs_to_a_bare_repository_and_to_those_of_other_programs() {
        let home = tempfile::tempdir().unwrap();
        let at = |path: &str| home.path().join(path);
        for folder in [
            "bare/objects",
            "jj/.jj",
            "hg/.hg",
            "sl/.sl",
            "plain/objects",
        ] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        fs::write(at("bare/HEAD"), "ref: refs/heads/main\n").unwrap();
        let root = |name: &str| project_root(at(name).join(".worktrees/fix").to_str().unwrap());
        for name in ["bare", "jj", "hg", "sl"] {
            assert_eq!(root(name).as_deref(), at(name).to_str(), "{name}");
        }
        assert_eq!(root("plain"), None);
    }

    /// An archive that was unpacked brings such files.
    #[test]
    fn a_worktree_that_its_repository_does_not_know_is_none() {
        let home = tempfile::tempdir().unwrap();
        let at = |path: &str| home.path().join(path);
        let kept = "app/.git/worktrees/fix";
        for folder in [
            kept,
            "fix",
            "archive/own/.git/worktrees/fix",
            "archive/sub",
            "archive/.worktrees/fix",
        ] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        let write = |path: &str, text: &str| fs::write(at(path), text).unwrap();
        write(
            "app/.git/worktrees/fix/gitdir",
            &at("fix/.git").display().to_string(),
        );
        write("app/.git/worktrees/fix/commondir", "../..\n");
        for (file, gitdir) in [
            ("archive/sub/.git", "../../app/.git/worktrees/missing"),
            ("archive/sub/.git", "../../app/.git/worktrees/fix"),
            ("archive/sub/.git", "//host/share/app/.git/worktrees/fix"),
        ] {
            write(file, &format!("gitdir: {gitdir}\n"));
            let root = project_root(at("archive/sub").to_str().unwrap());
            assert_eq!(root, None, "{gitdir}");
        }
        let forged = at(kept).display().to_string();
        write(
            "archive/.worktrees/fix/.git",
            &format!("gitdir: {forged}\n"),
        );
        let root = project_root(at("archive/.worktrees/fix").to_str().unwrap());
        assert_eq!(root, None);
    }
}
