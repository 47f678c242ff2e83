//! The project that a directory belongs to, and the trust in its root.

use crate::dir::Dir;
use crate::error::Result;
use crate::unowned_root::{UnownedReason, UnownedRoot};
use std::path::{Component, Path, PathBuf};

/// Name of the directory that holds what agents' tools keep, in a project and in the home directory.
pub const AGENT_DIRECTORY: &str = ".claude";
/// Name of the directory, or in a worktree the file, of a repository.
pub const REPOSITORY: &str = ".git";
/// Most bytes of the files that tie a worktree to its repository.
const GIT_LINK_LIMIT: u64 = 4096;

/// The project that a directory belongs to. Its root belongs to this user and nobody else can
/// write there; its content may be anybody's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    root: PathBuf,
}

impl Project {
    /// Finds the project of a directory: the nearest one above it, or itself, with `.claude` or
    /// `.git`. The search ends at the home directory, which is none. The error is for a root
    /// that is not the user's alone; a root further up does not take its place.
    ///
    /// # Errors
    /// [`UnownedRoot`].
    pub fn find(from: &Path, home: &Path) -> std::result::Result<Option<Self>, UnownedRoot> {
        let (from, home) = (resolve_links(from), resolve_links(home));
        let mut directories = from.ancestors().take_while(|at| *at != home);
        match directories.find(|at| is_root(at)) {
            None => Ok(None),
            Some(root) => check_owner(root).map(|()| {
                Some(Self {
                    root: root.to_owned(),
                })
            }),
        }
    }

    /// Finds the project of a directory as [`Project::find`] does; none whose root is not the user's alone.
    pub fn find_owned(from: &Path, home: &Path) -> Option<Self> {
        Self::find(from, home).ok().flatten()
    }

    /// Returns the root, without links in its path.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Opens the root. All access to the project's files is made beneath it.
    ///
    /// # Errors
    /// When it is gone, or cannot be opened.
    pub fn open(&self) -> Result<Dir> {
        Dir::open(&self.root)
    }

    /// Returns a name for the project that all worktrees of a repository share: the path of the common
    /// git directory, and where the root lies in its worktree.
    pub fn identity(&self) -> PathBuf {
        let top = self.root.ancestors().find(|at| has_entry(at, REPOSITORY));
        let Some((top, common)) = top.and_then(|top| Some((top, common_git_directory(top)?)))
        else {
            return self.root.clone();
        };
        match self.root.strip_prefix(top) {
            Ok(inner) if !inner.as_os_str().is_empty() => common.join(inner),
            _ => common,
        }
    }

    /// Returns the root in the main checkout of the repository: the root itself where it lies in no worktree, or where
    /// the repository has no checkout beside its worktrees.
    pub fn main_root(&self) -> PathBuf {
        let identity = self.identity();
        let git = identity.ancestors().find(|at| at.ends_with(REPOSITORY));
        let main = git.and_then(|git| {
            let inner = identity.strip_prefix(git).ok()?;
            Some(git.parent()?.join(inner))
        });
        main.unwrap_or_else(|| self.root.clone())
    }
}

/// A path below a root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootedPath {
    /// The root, without links.
    pub root: PathBuf,
    /// The path from there, by its name.
    pub relative: PathBuf,
}

/// Splits a path at the outermost directory with `.claude` or `.git` around it, whoever owns that directory: its files
/// may be a stranger's. The home directory, and what lies above it, is none. `..` is resolved by name, so that opening
/// the path beneath the root refuses links.
pub fn split_at_outermost_root(path: &Path, home: &Path) -> Option<RootedPath> {
    let path = normalize_lexically(path).ok()?;
    let home = resolve_links(home);
    let below_home = |at: &&Path| !home.starts_with(resolve_links(at));
    let root = path
        .ancestors()
        .take_while(below_home)
        .filter(|at| is_root(at))
        .last()?;
    let relative = path.strip_prefix(root).ok()?.to_owned();
    let root = resolve_links(root);
    Some(RootedPath { root, relative })
}

/// Returns the repositories around a directory, and the main checkouts and worktrees of each, without links.
pub(crate) fn repositories_around(directory: &Path) -> Vec<PathBuf> {
    let directory = std::path::absolute(directory).map(|path| resolve_links(&path));
    let directory = directory.unwrap_or_default();
    let around = directory.ancestors().filter(|at| has_entry(at, REPOSITORY));
    let with_others = |at: &Path| {
        let common = common_git_directory(at);
        let others = common.as_deref().map(checkouts).unwrap_or_default();
        std::iter::once(at.to_owned()).chain(others)
    };
    around.flat_map(with_others).collect()
}

/// Most worktrees of a repository that are looked at.
const MAX_WORKTREES: usize = 256;

/// Returns the main checkout of a repository, by its common git directory, and its worktrees.
fn checkouts(common: &Path) -> Vec<PathBuf> {
    let main = common.parent().filter(|_| common.ends_with(REPOSITORY));
    let kept = fs_err::read_dir(common.join("worktrees"));
    let kept = kept.into_iter().flatten().flatten().take(MAX_WORKTREES);
    let worktree = |kept: fs_err::DirEntry| {
        let back = kept.path().join(read_git_file(&kept.path(), "gitdir")?);
        let top = resolve_links(back.parent()?);
        // What is no worktree of this repository may be claimed by one that was unpacked.
        (common_git_directory(&top)? == common).then_some(top)
    };
    let worktrees = kept.filter_map(worktree);
    main.map(Path::to_owned)
        .into_iter()
        .chain(worktrees)
        .collect()
}

/// Returns a path from the root of the file system, `..` resolved by the names alone: whatever links there are,
/// it is judged and opened as the same.
///
/// # Errors
/// When there is no current directory to begin from.
pub fn normalize_lexically(path: &Path) -> std::io::Result<PathBuf> {
    let mut out = PathBuf::new();
    for component in std::path::absolute(path)?.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(out.pop()),
            part => out.push(part),
        }
    }
    Ok(out)
}

/// Returns the part of a path below a root whose own path has no links. The path may lead there by a link. `None` if
/// it lies elsewhere.
pub fn path_below(path: &Path, root: &Path) -> Option<PathBuf> {
    if let Ok(inside) = path.strip_prefix(root) {
        return Some(inside.to_owned());
    }
    let existing = path.ancestors().find_map(|part| {
        let real = fs_err::canonicalize(part).ok()?;
        Some(real.join(path.strip_prefix(part).ok()?))
    });
    Some(existing?.strip_prefix(root).ok()?.to_owned())
}

/// Returns true for a path that lies below a root once its links are followed, whether or not something
/// is there. The root is a path without links.
pub fn is_below(path: &Path, root: &Path) -> bool {
    let Ok(path) = std::path::absolute(path) else {
        return false;
    };
    path.ancestors()
        .find_map(|part| fs_err::canonicalize(part).ok())
        .is_some_and(|real| real.starts_with(root))
}

/// Returns a path with all links followed, as it is where it leads nowhere.
pub fn resolve_links(path: &Path) -> PathBuf {
    fs_err::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

fn is_root(directory: &Path) -> bool {
    has_entry(directory, AGENT_DIRECTORY) || has_entry(directory, REPOSITORY)
}

pub(crate) fn has_entry(directory: &Path, name: &str) -> bool {
    fs_err::symlink_metadata(directory.join(name)).is_ok()
}

/// Returns the git directory that all worktrees of a repository have in common. A `.git` file is trusted
/// where the directory that it names points back to it, which a repository cannot arrange by
/// its content.
pub fn common_git_directory(top: &Path) -> Option<PathBuf> {
    let link = top.join(REPOSITORY);
    if fs_err::symlink_metadata(&link).ok()?.is_dir() {
        return fs_err::canonicalize(link).ok();
    }
    let named = read_git_file(top, REPOSITORY)?;
    let own = top.join(named.strip_prefix("gitdir:")?.trim());
    let back = own.join(read_git_file(&own, "gitdir")?);
    let common = own.join(read_git_file(&own, "commondir")?);
    let common = fs_err::canonicalize(common).ok()?;
    // Where git itself keeps worktrees: a folder beside them can claim anything.
    let is_worktree = resolve_links(&own).parent() == Some(&common.join("worktrees"));
    (is_worktree && resolve_links(&back) == resolve_links(&link)).then_some(common)
}

/// Reads a line that git keeps in a file.
fn read_git_file(directory: &Path, name: &str) -> Option<String> {
    let text = Dir::open(directory).ok()?;
    let text = text.read_text(Path::new(name), GIT_LINK_LIMIT).ok()??;
    Some(text.trim().to_owned())
}

/// Returns an error where the root, or the directory that marks it, is not this user's alone.
fn check_owner(root: &Path) -> std::result::Result<(), UnownedRoot> {
    let marks = [AGENT_DIRECTORY, REPOSITORY].map(|mark| root.join(mark));
    for path in [root.to_owned()].into_iter().chain(marks) {
        if let Some(reason) = find_unowned_reason(&path) {
            return Err(UnownedRoot { path, reason });
        }
    }
    Ok(())
}

#[cfg(unix)]
fn find_unowned_reason(path: &Path) -> Option<UnownedReason> {
    use std::os::unix::fs::MetadataExt;
    let meta = fs_err::symlink_metadata(path).ok()?;
    // The mode of a link means nothing, and it is not followed anyway.
    let mode = if meta.is_symlink() { 0 } else { meta.mode() };
    let user = nix::unistd::geteuid().as_raw();
    judge_access(user, meta.uid(), mode, || is_own_group(meta.gid()))
}

/// Returns true for a group that is its user's alone, as many systems make one: of the same number or name.
/// Everybody may be in another group that a user is in.
#[cfg(unix)]
fn is_own_group(group: u32) -> bool {
    use nix::unistd::{Gid, Group, Uid, User};
    let user = nix::unistd::geteuid().as_raw();
    let name = || {
        Group::from_gid(Gid::from_raw(group))
            .ok()
            .flatten()
            .map(|group| group.name)
    };
    let own = || {
        User::from_uid(Uid::from_raw(user))
            .ok()
            .flatten()
            .map(|user| user.name)
    };
    group == user || name().is_some_and(|name| own() == Some(name))
}

#[cfg(not(unix))]
fn find_unowned_reason(_: &Path) -> Option<UnownedReason> {
    None // access lists are the system's matter there
}

/// Returns why a file of this owner, group and mode is not its user's alone.
#[cfg(unix)]
fn judge_access(
    user: u32,
    owner: u32,
    mode: u32,
    is_own_group: impl Fn() -> bool,
) -> Option<UnownedReason> {
    match mode {
        _ if owner != user => Some(UnownedReason::OtherOwner),
        mode if mode & 0o002 != 0 => Some(UnownedReason::WritableByAll),
        mode if mode & 0o020 != 0 && !is_own_group() => Some(UnownedReason::WritableByGroup),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_root_is_its_users_alone() {
        use UnownedReason::{OtherOwner, WritableByAll, WritableByGroup};
        let check = |owner, is_own_group, mode| judge_access(1000, owner, mode, || is_own_group);
        assert_eq!(check(1000, false, 0o755), None);
        assert_eq!(check(1000, true, 0o775), None, "the user's own group");
        assert_eq!(check(1000, false, 0o775), Some(WritableByGroup));
        assert_eq!(check(1000, true, 0o777), Some(WritableByAll));
        assert_eq!(check(1000, true, 0o1777), Some(WritableByAll));
        assert_eq!(check(0, true, 0o755), Some(OtherOwner));
    }

    struct Tree(tempfile::TempDir);

    impl Tree {
        fn new(directories: &[&str]) -> Self {
            let tree = Self(tempfile::tempdir().unwrap());
            for path in directories {
                fs_err::create_dir_all(tree.path(path)).unwrap();
            }
            tree
        }

        fn path(&self, path: &str) -> PathBuf {
            resolve_links(self.0.path()).join(path)
        }

        fn root(&self, from: &str) -> Option<String> {
            let found = Project::find(&self.path(from), &self.path("home")).unwrap();
            let root = found?.root.strip_prefix(self.path("")).unwrap().to_owned();
            Some(root.to_string_lossy().replace('\\', "/"))
        }
    }

    #[test]
    fn the_nearest_mark_is_the_root_and_home_ends_the_search() {
        let tree = Tree::new(&[
            "home/.claude",
            "home/a/.git/x",
            "home/a/b/c",
            "home/d/.claude",
            "home/d/e/.git",
            "home/f",
            "out/.claude",
            "out/in/.git",
        ]);
        assert_eq!(tree.root("home/a/b/c").as_deref(), Some("home/a"));
        assert_eq!(tree.root("home/d/e").as_deref(), Some("home/d/e"));
        assert_eq!(tree.root("home/d").as_deref(), Some("home/d"));
        assert_eq!(tree.root("home/f"), None);
        assert_eq!(tree.root("home"), None);
        assert_eq!(tree.root("out/in").as_deref(), Some("out/in"));
    }

    #[cfg(unix)]
    #[test]
    fn a_root_that_all_can_write_is_refused_and_none_above_takes_its_place() {
        use std::os::unix::fs::PermissionsExt;
        let tree = Tree::new(&["mine/.git", "mine/open/.claude", "mine/open/in"]);
        let open = tree.path("mine/open");
        fs_err::set_permissions(&open, std::fs::Permissions::from_mode(0o777)).unwrap();
        let refused = Project::find(&open.join("in"), &tree.path("home")).unwrap_err();
        assert_eq!(refused.reason, UnownedReason::WritableByAll);
        assert_eq!(refused.path, open);
        for way in ["chmod o-w", "metadata,umask=22"] {
            assert!(refused.hint().contains(way), "{way}");
        }
    }

    fn worktree(tree: &Tree, back: &str) -> Project {
        let own = tree.path("main/.git/worktrees/side");
        fs_err::write(
            tree.path("side/.git"),
            format!("gitdir: {}\n", own.display()),
        )
        .unwrap();
        fs_err::write(own.join("gitdir"), tree.path(back).display().to_string()).unwrap();
        fs_err::write(own.join("commondir"), "../..\n").unwrap();
        let found = Project::find(&tree.path("side"), &tree.path("home"));
        found.unwrap().unwrap()
    }

    #[test]
    fn worktrees_share_an_identity_where_git_says_so_at_both_ends() {
        let tree = Tree::new(&["main/.git/worktrees/side", "side"]);
        let main = Project::find(&tree.path("main"), &tree.path("home"));
        let main = main.unwrap().unwrap();
        assert_eq!(worktree(&tree, "side/.git").identity(), main.identity());
        assert_eq!(
            worktree(&tree, "other/.git").identity(),
            tree.path("side"),
            "what points to a repository that does not know it stands for itself"
        );
    }

    #[test]
    fn a_repository_has_its_worktrees_around_it() {
        let tree = Tree::new(&["main/.git/worktrees/side", "main/in", "side", "other"]);
        worktree(&tree, "side/.git");
        for from in ["main/in", "side"] {
            let found = repositories_around(&tree.path(from));
            assert!(found.contains(&tree.path("main")), "{from}: {found:?}");
            assert!(found.contains(&tree.path("side")), "{from}: {found:?}");
        }
        assert!(!repositories_around(&tree.path("other")).contains(&tree.path("main")));
    }

    /// An archive that is unpacked may claim the home folder as a worktree of its own.
    #[test]
    fn a_claimed_worktree_is_none() {
        let tree = Tree::new(&["main/.git/worktrees/side", "side", "other"]);
        for claimed in ["other/.git", "main/other/.git"] {
            worktree(&tree, claimed);
            let found = repositories_around(&tree.path("main"));
            assert_eq!(found, [tree.path("main"), tree.path("main")], "{claimed}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_path_counts_where_its_links_lead() {
        let tree = Tree::new(&["p/.git", "p/in", "elsewhere"]);
        let project = Project::find(&tree.path("p"), &tree.path("home"));
        let project = project.unwrap().unwrap();
        let link = |to: &str, at: &str| {
            fs_err::os::unix::fs::symlink(tree.path(to), tree.path(at)).unwrap();
        };
        link("p/in", "elsewhere/into");
        link("elsewhere", "p/out");
        let contains = |path: &str| is_below(&tree.path(path), project.root());
        assert!(contains("p/in/new"));
        assert!(contains("elsewhere/into/new/file"));
        assert!(!contains("p/out/file"));
        assert!(!contains("elsewhere/file"));
    }

    #[test]
    fn the_outermost_root_is_that_of_the_path_by_its_name() {
        let tree = Tree::new(&[
            "home/.claude",
            "home/a/.git",
            "home/a/b/.claude",
            "home/c",
            "out/.git",
        ]);
        let of = |path: &str| {
            let RootedPath { root, relative } =
                split_at_outermost_root(&tree.path(path), &tree.path("home"))?;
            let root = root.strip_prefix(tree.path("")).unwrap().to_owned();
            Some(format!("{} {}", root.display(), relative.display()).replace('\\', "/"))
        };
        assert_eq!(of("home/a/b/file").as_deref(), Some("home/a b/file"));
        assert_eq!(of("home/a/b/../../c/../a/x").as_deref(), Some("home/a x"));
        assert_eq!(of("home/a/../c/file"), None);
        assert_eq!(of("home/file"), None);
        assert_eq!(of("out/new/file").as_deref(), Some("out new/file"));
    }
}
