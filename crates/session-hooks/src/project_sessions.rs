//! The sessions of a project, in any worktree of its repository.

use session_config::find_memory_project;
use session_files::Project;
use session_store::SessionRow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

/// True where the file system takes names in another case for the same.
const IGNORES_CASE: bool = cfg!(any(target_os = "macos", windows));

/// The directories by which the sessions of a project are recognized. For a session in a worktree the index names the
/// main checkout, too.
pub(crate) struct ProjectDirectories<'h> {
    root: PathBuf,
    main: PathBuf,
    identity: PathBuf,
    home: &'h Path,
    /// The answers of [`Self::is_own`] by directory: sessions share few of them.
    known: RefCell<HashMap<String, bool>>,
}

impl<'h> ProjectDirectories<'h> {
    /// Finds the directories of a project.
    pub(crate) fn new(project: &Project, home: &'h Path) -> Self {
        Self {
            root: project.root().to_owned(),
            main: project.main_root(),
            identity: project.identity(),
            home,
            known: RefCell::default(),
        }
    }

    /// Returns true for a session in the project. A repository within its folder is a project of its own.
    pub(crate) fn has(&self, session: &SessionRow) -> bool {
        let mut directories = [&session.project, &session.cwd].into_iter().flatten();
        directories.any(|at| self.is_own(at))
    }

    fn is_own(&self, directory: &str) -> bool {
        if let Some(is_own) = self.known.borrow().get(directory) {
            return *is_own;
        }
        let project = self.find_below(directory);
        let project = project.and_then(|real| find_memory_project(&real, self.home).ok().flatten());
        let is_own = project.is_some_and(|project| project.identity() == self.identity);
        self.known.borrow_mut().insert(directory.to_owned(), is_own);
        is_own
    }

    /// Returns a directory that is written as one of the project; `None` for one elsewhere. A link that leads into the project
    /// now may have led elsewhere when the session ran, so none is followed.
    fn find_below(&self, directory: &str) -> Option<PathBuf> {
        let path = Path::new(directory);
        let mut roots = [&self.root, &self.main].into_iter();
        roots.find_map(|root| Some(root.join(strip_root(path, root, IGNORES_CASE)?)))
    }
}

/// Returns a path from a root on. The root is a resolved path: on Windows a history writes it without the prefix of one.
fn strip_root<'p>(path: &'p Path, root: &Path, ignores_case: bool) -> Option<&'p Path> {
    let mut parts = path.components();
    for expected in root.components() {
        let part = parts.next()?;
        if part != expected && !(ignores_case && fold(part) == fold(expected)) {
            return None;
        }
    }
    Some(parts.as_path())
}

fn fold(part: Component<'_>) -> String {
    let text = part.as_os_str().to_string_lossy().to_lowercase();
    text.strip_prefix(r"\\?\").unwrap_or(&text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a home directory with the repository `shop`, and its worktree `fix` beside it.
    fn home() -> tempfile::TempDir {
        let home = tempfile::tempdir().unwrap();
        let git = home.path().join("shop/.git/worktrees/fix");
        let worktree = home.path().join("fix/.git");
        let nested = home.path().join("shop/vendor/lib/.git");
        for directory in [&git, &home.path().join("fix"), &nested] {
            fs_err::create_dir_all(directory).unwrap();
        }
        fs_err::write(git.join("commondir"), "../..\n").unwrap();
        fs_err::write(git.join("gitdir"), format!("{}\n", worktree.display())).unwrap();
        fs_err::write(&worktree, format!("gitdir: {}\n", git.display())).unwrap();
        home
    }

    #[cfg(unix)]
    #[test]
    fn a_link_makes_no_session_one_of_the_project() {
        let temporary = home();
        let home = fs_err::canonicalize(temporary.path()).unwrap();
        let path = |name: &str| home.join(name);
        fs_err::create_dir(path("tools")).unwrap();
        for (to, link) in [("shop", "link"), ("tools", "shop/out")] {
            fs_err::os::unix::fs::symlink(path(to), path(link)).unwrap();
        }
        let project = Project::find(&path("shop"), &home).unwrap().unwrap();
        let directories = ProjectDirectories::new(&project, &home);
        let has = |cwd: &str| {
            directories.has(&SessionRow {
                cwd: Some(path(cwd).to_str().unwrap().to_owned()),
                ..SessionRow::default()
            })
        };
        assert!(has("shop") && has("shop/src/gone"));
        assert!(
            !has("link") && !has("link/src"),
            "it may have led elsewhere"
        );
        assert!(!has("tools") && !has("shop/out"));
    }

    #[test]
    fn a_root_is_known_in_another_case_where_the_file_system_does() {
        let strip = |path, ignores_case| {
            let stripped = strip_root(Path::new(path), Path::new("/Users/me/Shop"), ignores_case);
            stripped.map(|rest| rest.to_str().unwrap())
        };
        assert_eq!(strip("/users/ME/shop/Src", true), Some("Src"));
        assert_eq!(strip("/users/ME/shop/Src", false), None);
        assert_eq!(strip("/Users/me/Shop", false), Some(""));
        for path in ["/Users/me/Shop2", "/Users/me", "Shop", ""] {
            assert_eq!(strip(path, true), None, "{path}");
        }
        let prefixes = [r"\\?\C:", "c:"].map(|text| fold(Component::Normal(text.as_ref())));
        assert_eq!(prefixes[0], prefixes[1]);
    }

    #[test]
    fn a_worktree_has_the_sessions_of_its_repository() {
        let home = home();
        let home = fs_err::canonicalize(home.path()).unwrap();
        let path = |name: &str| home.join(name).to_str().unwrap().to_owned();
        let session = |cwd: &str, project: Option<&str>| SessionRow {
            cwd: Some(path(cwd)),
            project: project.map(path),
            ..SessionRow::default()
        };
        for root in ["shop", "fix"] {
            let project = Project::find(&home.join(root), &home).unwrap().unwrap();
            let directories = ProjectDirectories::new(&project, &home);
            assert!(directories.has(&session("shop/src", None)), "{root}");
            assert!(directories.has(&session("fix", Some("shop"))), "{root}");
            assert!(directories.has(&session("gone", Some("shop"))), "{root}");
            assert!(!directories.has(&session("shop2", None)), "{root}");
            assert!(
                !directories.has(&session("shop/vendor/lib", None)),
                "{root}"
            );
        }
    }
}
