//! The sessions of a project, in any worktree of its repository.

use session_files::Project;
use session_store::SessionRow;
use std::path::{Path, PathBuf};

/// The directories by which the sessions of a project are told. The index names of a session in a worktree the
/// main checkout, too.
pub(crate) struct ProjectDirectories {
    root: PathBuf,
    main: PathBuf,
}

impl ProjectDirectories {
    /// Finds the directories of a project.
    pub(crate) fn new(project: &Project) -> Self {
        Self {
            root: project.root().to_owned(),
            main: project.main_root(),
        }
    }

    /// Returns true for a session in the project.
    pub(crate) fn has(&self, session: &SessionRow) -> bool {
        let mut directories = [&session.project, &session.cwd].into_iter().flatten();
        directories.any(|at| {
            let at = Path::new(at);
            at.starts_with(&self.root) || at.starts_with(&self.main)
        })
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
        for directory in [&git, &home.path().join("fix")] {
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
            let directories = ProjectDirectories::new(&project);
            assert!(directories.has(&session("shop/src", None)), "{root}");
            assert!(directories.has(&session("fix", Some("shop"))), "{root}");
            assert!(directories.has(&session("gone", Some("shop"))), "{root}");
            assert!(!directories.has(&session("shop2", None)), "{root}");
        }
    }
}
