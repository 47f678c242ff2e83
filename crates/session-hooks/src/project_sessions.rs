//! The sessions of a project, in any worktree of its repository.

use session_files::Project;
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
    known: RefCell<HashMap<PathBuf, bool>>,
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
        directories.any(|at| {
            let at = Path::new(at);
            (at.starts_with(&self.root) || at.starts_with(&self.main)) && self.is_own(at)
        })
    }

    fn is_own(&self, directory: &Path) -> bool {
        if let Some(is_own) = self.known.borrow().get(directory) {
            return *is_own;
        }
        let project = Project::find_owned(directory, self.home);
        let is_own = project.is_some_and(|project| project.identity() == self.identity);
        let directory = directory.to_owned();
        self.known.borrow_mut().insert(directory, is_own);
        is_own
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
