//! Paths of triggers as they are kept: from the root of the project.

use crate::storage::memory_store::MemoryStore;
use session_files::path_below;
use std::path::{Path, PathBuf};

impl MemoryStore {
    /// Makes paths within the project relative to its root, as triggers are matched: in the checkout at hand and in the
    /// main one. A folder that is there gets the `/` by which a trigger means all that lies in it.
    pub(crate) fn make_relative(&self, paths: &mut [String]) {
        for directory in self.directories() {
            for path in &mut *paths {
                *path = relative_trigger(path.trim(), directory.project_roots());
            }
        }
    }
}

/// Returns the trigger of a path from the first of a project's roots that holds it, with `/` at the end where it is a
/// folder in any of them.
fn relative_trigger(path: &str, roots: &[PathBuf]) -> String {
    let typed = Path::new(path);
    let below = |root: &PathBuf| path_below(typed, root);
    let inside = typed.is_absolute().then(|| roots.iter().find_map(below));
    let end = if path.ends_with('/') { "/" } else { "" };
    let path = inside.flatten().map_or(path.to_owned(), |inside| {
        format!("/{}{end}", inside.display())
    });
    let below = path.trim_start_matches('/');
    let is_folder = || roots.iter().any(|root| root.join(below).is_dir());
    if !below.is_empty() && !below.ends_with('/') && is_folder() {
        path + "/"
    } else {
        path
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_kept_from_the_root_and_a_folder_ends_with_a_slash() {
        let home = tempfile::tempdir().unwrap();
        let home = fs_err::canonicalize(home.path()).unwrap();
        let root = home.join("shop");
        fs_err::create_dir_all(root.join("src/db")).unwrap();
        fs_err::write(root.join("src/a.rs"), "").unwrap();
        fs_err::os::unix::fs::symlink(&root, home.join("link")).unwrap();
        let worktree = root.join("trees/fix");
        fs_err::create_dir_all(worktree.join("src/api")).unwrap();
        let roots = [worktree, root];
        let home = home.display();
        for (typed, kept) in [
            (format!("{home}/shop/src/a.rs"), "/src/a.rs"),
            (format!("{home}/link/src/db"), "/src/db/"),
            (format!("{home}/shop/new/"), "/new/"),
            (format!("{home}/shop/trees/fix/src/a.rs"), "/src/a.rs"),
            (format!("{home}/shop/trees/fix/src/api"), "/src/api/"),
            ("src/db".to_owned(), "src/db/"),
            ("src/api".to_owned(), "src/api/"),
            ("src".to_owned(), "src/"),
            ("src/a.rs".to_owned(), "src/a.rs"),
            ("**/*.sql".to_owned(), "**/*.sql"),
            ("/".to_owned(), "/"),
        ] {
            assert_eq!(relative_trigger(&typed, &roots), kept, "{typed}");
        }
    }
}
