//! The sessions of a project, in any worktree of its repository.

use session_config::find_memory_project;
use session_files::{Project, path_below};
use session_sources::is_network_path;
use session_store::SessionRow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

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
        let project = self.resolve_below(directory);
        let project = project.and_then(|real| find_memory_project(&real, self.home).ok().flatten());
        let is_own = project.is_some_and(|project| project.identity() == self.identity);
        self.known.borrow_mut().insert(directory.to_owned(), is_own);
        is_own
    }

    /// Returns a directory in the project by its path without links; `None` for one elsewhere. A history may name it by a
    /// link, in another case on macOS, and without the prefix of a resolved path on Windows. On a network it is not looked
    /// for: the answer could take long.
    fn resolve_below(&self, directory: &str) -> Option<PathBuf> {
        let path = Path::new(directory);
        let roots = [&self.root, &self.main];
        if roots.iter().any(|root| path.starts_with(root)) {
            return Some(path.to_owned());
        }
        if is_network_path(directory) || !path.is_absolute() {
            return None;
        }
        let roots = &roots[..1 + usize::from(self.root != self.main)];
        let mut roots = roots.iter();
        roots.find_map(|root| Some(root.join(path_below(path, root)?)))
    }
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
    fn a_session_that_named_the_folder_by_a_link_is_one_of_the_project() {
        let home = home();
        let path = |name: &str| home.path().join(name);
        fs_err::create_dir(path("tools")).unwrap();
        for (to, link) in [("shop", "link"), ("tools", "shop/out")] {
            fs_err::os::unix::fs::symlink(path(to), path(link)).unwrap();
        }
        let project = Project::find(&path("shop"), home.path()).unwrap().unwrap();
        let directories = ProjectDirectories::new(&project, home.path());
        let has = |cwd: &str| {
            directories.has(&SessionRow {
                cwd: Some(path(cwd).to_str().unwrap().to_owned()),
                ..SessionRow::default()
            })
        };
        assert!(has("link") && has("link/src/gone") && has("shop/src"));
        assert!(!has("link/vendor/lib") && !has("link2"));
        assert!(!has("tools") && !has("shop/out"));
        let network = SessionRow {
            cwd: Some(format!("/{}", path("link").display())),
            ..SessionRow::default()
        };
        assert!(
            !directories.has(&network),
            "a path on a network is not followed"
        );
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
