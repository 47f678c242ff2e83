//! From a working directory to the project that it belongs to.

use crate::file;
use session_core::{SessionMeta, text};
use session_files::resolve_links;
use std::path::Path;

/// Most bytes of a path or the name of a branch that are kept.
pub(crate) const PATH_LIMIT: usize = 2048;
/// Most bytes of a path that are taken from the input of a tool.
pub(crate) const INPUT_PATH_LIMIT: usize = 4096;
const GIT_FILE_LIMIT: u64 = 4096;

/// Returns the main checkout of the git worktree that `cwd` lies in, or `None` if
/// `cwd` is no worktree. A worktree that is gone is known by its place:
/// `<project>/.claude/worktrees/<name>` or `<project>/.worktrees/<name>`.
pub fn project_root(cwd: &str) -> Option<String> {
    root_by_name(cwd)
        .or_else(|| root_on_disk(cwd))
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

fn root_on_disk(cwd: &str) -> Option<String> {
    if is_network_path(cwd) || !Path::new(cwd).is_absolute() {
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

/// Returns a file's path from the root, where it is relative to a working directory; one on a drive of Windows as the
/// directory is written. By text: the history may be of another system.
pub(crate) fn path_from(cwd: Option<&str>, path: String) -> String {
    if let Some(path) = cwd.and_then(|cwd| drive_path(cwd, &path)) {
        return path;
    }
    let cwd = cwd.filter(|_| is_relative(&path));
    let Some((cwd, separator)) = cwd.and_then(with_separator) else {
        return path;
    };
    let mut names: Vec<&str> = cwd.split(separator).collect();
    for name in path.split(['/', separator]) {
        match name {
            "" | "." => {}
            ".." if names.len() > 1 => drop(names.pop()),
            name => names.push(name),
        }
    }
    names.join(&separator.to_string())
}

/// Returns a path on a drive with backslashes, where the working directory has them: programs for Windows take `D:/a` for
/// `D:\a`, and the shell that comes with Git writes `/d/a`.
fn drive_path(cwd: &str, path: &str) -> Option<String> {
    with_separator(cwd).filter(|(_, separator)| *separator == '\\')?;
    let (drive, rest) = match path.as_bytes() {
        [b'/', drive, b'/', ..] | [drive, b':', b'/', ..] if drive.is_ascii_alphabetic() => {
            (char::from(*drive), &path[2..])
        }
        _ => return None,
    };
    let known = cwd.chars().next();
    let known = known.filter(|known| known.eq_ignore_ascii_case(&drive));
    let drive = known.unwrap_or(drive.to_ascii_uppercase());
    Some(format!("{drive}:{}", rest.replace('/', r"\")))
}

/// Returns a path from a folder, which may itself be relative; an absolute path as it is.
pub(crate) fn path_in(folder: &str, path: String) -> String {
    match folder {
        "" => path,
        folder if with_separator(folder).is_some() => path_from(Some(folder), path),
        folder if is_relative(&path) => format!("{folder}/{path}"),
        _ => path,
    }
}

fn is_relative(path: &str) -> bool {
    !path.starts_with(['/', '\\', '~']) && !path.contains(':')
}

/// Returns an absolute path without its last separator, and what separates its names.
fn with_separator(path: &str) -> Option<(&str, char)> {
    let separator = match path.as_bytes() {
        [b'/', ..] => '/',
        [_, b':', b'\\', ..] => '\\',
        _ => return None,
    };
    Some((path.trim_end_matches(separator), separator))
}

#[cfg(test)]
mod tests {
    use super::{path_from, project_root};
    use fs_err as fs;

    #[test]
    fn a_relative_path_is_one_from_the_working_directory() {
        let cases = [
            ("/home/ann/app", "src/main.rs", "/home/ann/app/src/main.rs"),
            ("/home/ann/app", "./notes.txt", "/home/ann/app/notes.txt"),
            ("/home/ann/app/", "../other/a.rs", "/home/ann/other/a.rs"),
            ("/", "../../a.rs", "/a.rs"),
            (r"C:\work", "src/a.rs", r"C:\work\src\a.rs"),
            (r"C:\work", r"..\b\a.rs", r"C:\b\a.rs"),
            ("/home/ann/app", "/etc/hosts", "/etc/hosts"),
            ("/home/ann/app", "~/notes.txt", "~/notes.txt"),
            ("/home/ann/app", r"C:\work\a.rs", r"C:\work\a.rs"),
            (r"C:\app", "C:/app/a.rs", r"C:\app\a.rs"),
            (r"c:\work", "/C/work/src/a.rs", r"c:\work\src\a.rs"),
            (r"C:\work", "/d/a.rs", r"D:\a.rs"),
            (r"C:\work", "/tmp/a.rs", "/tmp/a.rs"),
            ("/d/app", "/d/app/a.rs", "/d/app/a.rs"),
            ("app", "a.rs", "a.rs"),
            ("", "a.rs", "a.rs"),
        ];
        for (cwd, path, whole) in cases {
            assert_eq!(path_from(Some(cwd), path.to_owned()), whole, "{cwd} {path}");
        }
        assert_eq!(path_from(None, "a.rs".to_owned()), "a.rs");
    }

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
        for folder in ["fix/src", "relative", "app/vendor/lib"] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        let write = |path: &str, text: &str| fs::write(at(path), text).unwrap();
        for name in ["fix", "relative"] {
            let kept = at("app/.git/worktrees").join(name);
            fs::create_dir_all(&kept).unwrap();
            let back = at(name).join(".git").display().to_string();
            fs::write(kept.join("gitdir"), format!("{back}\n")).unwrap();
            fs::write(kept.join("commondir"), "../..\n").unwrap();
        }
        let gitdir = format!("gitdir: {}\n", at("app/.git/worktrees/fix").display());
        write("fix/.git", &gitdir);
        write("relative/.git", "gitdir: ../app/.git/worktrees/relative\n");
        write("app/vendor/lib/.git", "gitdir: ../../.git/modules/lib\n");

        let app = at("app").to_str().unwrap().to_owned();
        assert_eq!(root("fix"), Some(app.clone()));
        assert_eq!(root("fix/src"), Some(app.clone()));
        assert_eq!(root("relative"), Some(app));
        assert_eq!(root("app/vendor/lib"), None, "a submodule");
        assert_eq!(root("app"), None, "the main checkout");
    }

    /// An archive that was unpacked brings such files.
    #[test]
    fn a_worktree_that_its_repository_does_not_know_is_none() {
        let home = tempfile::tempdir().unwrap();
        let at = |path: &str| home.path().join(path);
        let kept = "app/.git/worktrees/fix";
        for folder in [kept, "fix", "archive/own/.git/worktrees/fix", "archive/sub"] {
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
    }
}
