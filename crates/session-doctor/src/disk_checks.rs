//! Checks of the index's directory: owner, mode, links, space.

use crate::finding::{DoctorCheck, DoctorFinding, DoctorFix};
use rustix::fs::{Access, access};
use session_display::format_size;
use session_store::{index_directories, is_index_directory, private_paths, written_paths};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The free space below which the disk is a problem, in bytes.
const MIN_FREE: u64 = 200 << 20;

/// The advice for a path that cannot be written.
const OWN_PATH: &str = "see that it is yours and its disk not read-only";

/// Checks who can read and write the index, whether this user can write there and in the folder of what is forgotten, and
/// the free space of its disk.
pub(crate) fn check_disk(root: &Path, data: &Path) -> Vec<DoctorFinding> {
    let mut findings = check_permissions(root);
    findings.extend(check_writable(root));
    findings.extend(check_records(data));
    findings.extend(check_space(root));
    findings
}

/// Checks that the index is this user's, and that nobody else can read or write it.
fn check_permissions(root: &Path) -> Vec<DoctorFinding> {
    let mut findings = check_links(root);
    if !root.exists() {
        return findings;
    }
    let user = effective_user();
    let owner = check_owner(root, user);
    let modes = describe_open_paths(&find_open_paths(root, user));
    if owner.is_none() && modes.is_none() && is_index_directory(root) {
        let found = "the index is readable to its owner alone";
        findings.push(DoctorFinding::ok(DoctorCheck::Permissions, found));
    }
    findings.extend(owner);
    findings.extend(modes);
    findings
}

fn effective_user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Names the index, or the first path in it, that belongs to another user.
fn check_owner(root: &Path, user: u32) -> Option<DoctorFinding> {
    if fs_err::metadata(root).is_ok_and(|found| found.uid() != user) {
        return Some(DoctorFinding::problem(
            DoctorCheck::Permissions,
            format!("`{}` belongs to another user", root.display()),
            "set SESSION_SEARCH_HOME to a folder of your own",
        ));
    }
    let foreign = find_foreign_paths(root, user);
    Some(DoctorFinding::problem(
        DoctorCheck::Permissions,
        name_first(&foreign, "belongs to another user")?,
        "make it yours with `sudo chown`, or remove it with `sudo rm -r` where its name ends with `.old`; a command under `sudo` may have made it",
    ))
}

/// Says something of the first path, with the number of the others; `None` if there is none.
fn name_first(paths: &[PathBuf], what: &str) -> Option<String> {
    let first = paths.first()?.display();
    Some(match paths.len() - 1 {
        0 => format!("`{first}` {what}"),
        more => format!("`{first}` {what}, and {more} more in the index"),
    })
}

/// Lists the paths of the index that another user owns, those in its directories among them. Links are not followed.
fn find_foreign_paths(root: &Path, user: u32) -> Vec<PathBuf> {
    if !is_index_directory(root) {
        return Vec::new();
    }
    let mut paths = private_paths(root);
    for directory in index_directories(root) {
        collect_entries(&directory, &mut paths);
    }
    paths.retain(|path| fs_err::symlink_metadata(path).is_ok_and(|found| found.uid() != user));
    paths
}

/// Adds all that lies below a directory. What cannot be listed is left out: its directory is another user's.
fn collect_entries(directory: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs_err::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            collect_entries(&path, paths);
        }
        paths.push(path);
    }
}

/// Notes that the directory of the index, or one in it, is a link.
fn check_links(root: &Path) -> Vec<DoctorFinding> {
    let is_link =
        |path: &PathBuf| fs_err::symlink_metadata(path).is_ok_and(|found| found.is_symlink());
    let directories = if is_index_directory(root) {
        index_directories(root)
    } else {
        Vec::new()
    };
    let links = std::iter::once(root.to_owned()).chain(directories);
    let note = |path: PathBuf| {
        DoctorFinding::note(
            DoctorCheck::Permissions,
            format!("`{}` is a link", path.display()),
            "see that its target is yours alone",
        )
    };
    links.filter(is_link).map(note).collect()
}

/// Describes the paths that are open to others by the first one; `None` if there is none.
fn describe_open_paths(open: &[PathBuf]) -> Option<DoctorFinding> {
    let found = name_first(open, "is open to others")?;
    let hint = "`session-search doctor --fix` closes them";
    let problem = DoctorFinding::problem(DoctorCheck::Permissions, found, hint);
    Some(problem.fixed_by(DoctorFix::Permissions))
}

/// Lists the user's own paths of the index that others can read or write; links are not followed. The directory itself
/// may hold other things, and may be readable.
fn find_open_paths(root: &Path, user: u32) -> Vec<PathBuf> {
    let is_open = |path: &Path, rights: u32| {
        fs_err::symlink_metadata(path).is_ok_and(|found| {
            let is_own = found.uid() == user && !found.is_symlink();
            is_own && found.permissions().mode() & rights != 0
        })
    };
    let mut open = Vec::new();
    if !is_index_directory(root) {
        return open;
    }
    if is_open(root, 0o022) {
        open.push(root.to_owned());
    }
    let private = private_paths(root).into_iter();
    open.extend(private.filter(|path| is_open(path, 0o077)));
    open
}

/// Closes the index to others.
///
/// # Errors
/// When a mode cannot be set.
pub fn close_permissions(root: &Path) -> std::io::Result<()> {
    for path in find_open_paths(root, effective_user()) {
        let mode = fs_err::metadata(&path)?.permissions().mode();
        fs_err::set_permissions(&path, PermissionsExt::from_mode(mode & 0o700))?;
    }
    Ok(())
}

/// Checks that the index, or the folder that will hold it, can be read and written.
fn check_writable(root: &Path) -> Option<DoctorFinding> {
    let folder = nearest_directory(root)?;
    let mut paths = std::iter::once(folder.to_owned()).chain(written_paths(root));
    let refused = paths.find(|path| is_refused(path))?;
    Some(DoctorFinding::problem(
        DoctorCheck::Permissions,
        format!("`{}` cannot be read and written", refused.display()),
        format!("{OWN_PATH}, or set SESSION_SEARCH_HOME to another folder"),
    ))
}

/// Checks that `forget` can keep its records in the folder of the user's data.
fn check_records(data: &Path) -> Option<DoctorFinding> {
    let folder = nearest_directory(data)?;
    is_refused(folder).then(|| {
        DoctorFinding::problem(
            DoctorCheck::Forget,
            format!(
                "`{}` cannot be read and written, and `forget` keeps its records there",
                folder.display()
            ),
            OWN_PATH,
        )
    })
}

/// Returns a directory, or the nearest one above it that exists.
fn nearest_directory(path: &Path) -> Option<&Path> {
    path.ancestors().find(|path| path.exists())
}

/// Returns true for a path that exists and that this user may not read or write, or not enter.
fn is_refused(path: &Path) -> bool {
    let needed = if path.is_dir() {
        Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK
    } else {
        Access::READ_OK | Access::WRITE_OK
    };
    path.exists() && access(path, needed).is_err()
}

/// Checks the free space of the index's disk.
fn check_space(root: &Path) -> Option<DoctorFinding> {
    let existing = nearest_directory(root)?;
    let disk = rustix::fs::statvfs(existing).ok()?;
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    let found = format!("{} are free on the disk of the index", format_size(free));
    Some(if free < MIN_FREE {
        DoctorFinding::problem(
            DoctorCheck::Disk,
            found,
            "free some, or set SESSION_SEARCH_HOME to a folder on another",
        )
    } else {
        DoctorFinding::ok(DoctorCheck::Disk, found)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes all rights to a path away, and returns whether a check finds that. No mode keeps root out.
    fn is_found_without_rights(path: &Path, check: impl Fn() -> bool) -> bool {
        let set = |mode| fs_err::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
        set(0o700);
        assert!(!check(), "{path:?}");
        set(0o000);
        let is_found = check();
        set(0o700);
        is_found || effective_user() == 0
    }

    #[test]
    fn what_cannot_be_written_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("index");
        let is_found = || check_writable(&root).is_some();
        assert!(!is_found(), "it will be made");
        fs_err::create_dir(&root).unwrap();
        for name in ["lock", "index.db", "embedding.lock"] {
            fs_err::write(root.join(name), "").unwrap();
        }
        fs_err::create_dir(root.join("queries")).unwrap();
        for name in ["", "lock", "index.db", "embedding.lock", "queries"] {
            assert!(
                is_found_without_rights(&root.join(name), is_found),
                "{name}"
            );
        }
        let data = folder.path().join("data");
        let is_found = || check_records(&data.join("session-search")).is_some();
        fs_err::create_dir(&data).unwrap();
        assert!(is_found_without_rights(&data, is_found));
    }

    /// Makes an index with a matrix, as far as its paths go.
    fn index_with_matrix(folder: &Path) -> PathBuf {
        let root = folder.join("index");
        fs_err::create_dir_all(root.join("vectors/f00d")).unwrap();
        for name in ["lock", "index.db", "vectors/f00d/turn.0.npy"] {
            fs_err::write(root.join(name), "").unwrap();
        }
        root
    }

    #[test]
    fn paths_of_another_user_are_named_and_not_closed() {
        let folder = tempfile::tempdir().unwrap();
        let root = index_with_matrix(folder.path());
        let path = |name: &str| root.join(name);
        let user = effective_user();
        assert_eq!(find_foreign_paths(&root, user), [] as [PathBuf; 0]);
        fs_err::create_dir(root.join("vectors.old")).unwrap();
        let all = [
            "index.db",
            "lock",
            "vectors",
            "vectors.old",
            "vectors/f00d/turn.0.npy",
            "vectors/f00d",
        ];
        assert_eq!(find_foreign_paths(&root, user + 1), all.map(path));
        let files = [path("index.db"), path("lock")];
        for file in &files {
            fs_err::set_permissions(file, PermissionsExt::from_mode(0o644)).unwrap();
        }
        for directory in ["vectors", "vectors.old"] {
            let directory = path(directory);
            fs_err::set_permissions(directory, PermissionsExt::from_mode(0o700)).unwrap();
        }
        assert_eq!(find_open_paths(&root, user), files);
        assert_eq!(find_open_paths(&root, user + 1), [] as [PathBuf; 0]);
    }

    #[test]
    fn an_index_with_a_path_of_another_user_is_not_well() {
        let folder = tempfile::tempdir().unwrap();
        let root = index_with_matrix(folder.path());
        close_permissions(&root).unwrap();
        let found = || check_permissions(&root).remove(0).found;
        assert_eq!(found(), "the index is readable to its owner alone");
        // Root alone gives files away.
        if effective_user() == 0 {
            let matrices = root.join("vectors/f00d");
            std::os::unix::fs::lchown(&matrices, Some(1), None).unwrap();
            let expected = format!("`{}` belongs to another user", matrices.display());
            assert_eq!(found(), expected);
            assert_eq!(check_permissions(&root).len(), 1);
        }
    }

    #[test]
    fn links_in_the_directory_of_an_index_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("index");
        fs_err::create_dir(&root).unwrap();
        assert_eq!(check_links(&root), []);
        let names = ["vectors", "injection"].map(|name| root.join(name));
        for path in &names {
            std::os::unix::fs::symlink(folder.path(), path).unwrap();
        }
        let found = |path: &PathBuf| format!("`{}` is a link", path.display());
        let links = check_links(&root).into_iter().map(|finding| finding.found);
        assert_eq!(links.collect::<Vec<_>>(), names.each_ref().map(found));
        fs_err::create_dir(root.join("notes")).unwrap();
        assert_eq!(check_links(&root), [], "it is no index");
    }
}
