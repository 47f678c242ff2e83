//! The project whose memories and settings a directory uses.

use crate::layers::PROJECT_FILE;
use session_files::{Project, REPOSITORY, UnownedRoot};
use session_memory::{has_memories, settings_directory};
use std::path::Path;

/// Finds the project whose memories and settings a directory uses: that of [`Project::find`], or the nearest one around it
/// that has memories, in the same repository, where its own root has neither memories nor settings of this program. Agents
/// make such a root: Claude Code writes `.claude` where it was started once a permission is granted for good.
///
/// # Errors
/// As [`Project::find`]. A project around it whose root is not the user's alone is left out.
pub fn find_memory_project(from: &Path, home: &Path) -> Result<Option<Project>, UnownedRoot> {
    let nearest = Project::find(from, home)?;
    Ok(nearest.map(|nearest| find_with_memories(&nearest, home).unwrap_or(nearest)))
}

/// Finds the project around one that has the memories which it lacks; `None` if it is a project of its own.
fn find_with_memories(nearest: &Project, home: &Path) -> Option<Project> {
    let has_settings = exists(nearest, &settings_directory().join(PROJECT_FILE));
    if has_settings || is_repository(nearest) || has_memories(nearest, home) {
        return None;
    }
    let around = std::iter::successors(Some(nearest.clone()), |inner| find_around(inner, home));
    let around: Vec<Project> = around.skip(1).collect();
    around.last().filter(|outermost| is_repository(outermost))?;
    around
        .into_iter()
        .find(|project| has_memories(project, home))
}

/// Finds the next project around one, up to the root of its repository.
fn find_around(inner: &Project, home: &Path) -> Option<Project> {
    if is_repository(inner) {
        return None;
    }
    Project::find_owned(inner.root().parent()?, home)
}

fn is_repository(project: &Project) -> bool {
    exists(project, Path::new(REPOSITORY))
}

fn exists(project: &Project, path: &Path) -> bool {
    fs_err::symlink_metadata(project.root().join(path)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    const MEMORIES: &str = ".claude/data/session-search/memories";

    /// Makes directories in a home, and returns the root that a directory in it uses.
    struct Tree(tempfile::TempDir);

    impl Tree {
        fn new(directories: &[&str]) -> Self {
            let tree = Self(tempfile::tempdir().unwrap());
            for directory in directories {
                fs_err::create_dir_all(tree.path(directory)).unwrap();
            }
            tree
        }

        fn path(&self, path: &str) -> PathBuf {
            session_files::resolve_links(self.0.path()).join(path)
        }

        fn root(&self, from: &str) -> Option<PathBuf> {
            let found = find_memory_project(&self.path(from), &self.path("")).unwrap();
            found.map(|project| project.root().to_owned())
        }
    }

    #[test]
    fn an_agents_folder_without_memories_uses_those_of_its_repository() {
        let memories = |root: &str| format!("{root}/{MEMORIES}");
        let tree = Tree::new(&[
            "shop/.git",
            &memories("shop"),
            "shop/api/.claude",
            "shop/api/src",
            "shop/api/v2/.claude/skills",
            "shop/web/.claude",
            "shop/own/.claude/skills",
            &memories("shop/own"),
            "shop/own/in/.claude",
            "shop/vendor/.git",
            "shop/vendor/lib/.claude",
            "notes/.claude",
            &memories("notes"),
            "notes/app/.claude",
            "bare/.git",
            "bare/api/.claude",
        ]);
        fs_err::write(tree.path("shop/web/.claude/session-search.toml"), "").unwrap();
        for (from, root) in [
            ("shop/api", "shop"),
            ("shop/api/src", "shop"),
            ("shop/api/v2", "shop"),
            ("shop/own", "shop/own"),
            ("shop/own/in", "shop/own"),
            // It has settings of its own.
            ("shop/web", "shop/web"),
            // Another repository.
            ("shop/vendor/lib", "shop/vendor/lib"),
            ("shop/vendor", "shop/vendor"),
            // No repository.
            ("notes/app", "notes/app"),
            // No memories.
            ("bare/api", "bare/api"),
        ] {
            assert_eq!(tree.root(from), Some(tree.path(root)), "{from}");
        }
        assert_eq!(tree.root(""), None);
    }

    /// Settings are often kept in a repository that is the home directory itself.
    #[test]
    fn the_home_directory_lends_no_memories() {
        let tree = Tree::new(&[".git", MEMORIES, "plans/.claude"]);
        assert_eq!(tree.root("plans"), Some(tree.path("plans")));
    }

    #[test]
    fn a_worktree_uses_the_memories_of_its_main_checkout() {
        let memories = format!("main/{MEMORIES}");
        let tree = Tree::new(&["main/.git/worktrees/side", &memories, "side/api/.claude"]);
        let git = tree.path("main/.git/worktrees/side");
        let link = format!("gitdir: {}\n", git.display());
        fs_err::write(tree.path("side/.git"), link).unwrap();
        let back = tree.path("side/.git").display().to_string();
        fs_err::write(git.join("gitdir"), back).unwrap();
        fs_err::write(git.join("commondir"), "../..\n").unwrap();
        assert_eq!(tree.root("side/api"), Some(tree.path("side")));
    }

    #[cfg(unix)]
    #[test]
    fn a_root_that_others_can_write_lends_no_memories() {
        use std::os::unix::fs::PermissionsExt;
        let memories = format!("shop/{MEMORIES}");
        let tree = Tree::new(&["shop/.git", &memories, "shop/api/.claude"]);
        let shop = tree.path("shop");
        fs_err::set_permissions(&shop, std::fs::Permissions::from_mode(0o777)).unwrap();
        assert_eq!(tree.root("shop/api"), Some(tree.path("shop/api")));
    }
}
