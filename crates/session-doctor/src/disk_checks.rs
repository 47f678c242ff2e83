//! Checks of the index's directory: owner, mode, links, space.

use crate::finding::{DoctorFinding, DoctorFix};
use session_display::format_size;
use session_store::{database_path, index_directories, is_index_directory, private_paths};
use std::path::{Path, PathBuf};

/// The free space below which the disk is a problem, in bytes.
const MIN_FREE: u64 = 200 << 20;

/// Checks who can read and write the index, and the free space of its disk.
pub(crate) fn check_disk(root: &Path) -> Vec<DoctorFinding> {
    let mut findings = check_permissions(root);
    findings.extend(check_writable(root));
    findings.extend(check_space(root));
    findings
}

/// Checks that nobody else can read or write the index.
fn check_permissions(root: &Path) -> Vec<DoctorFinding> {
    use std::os::unix::fs::MetadataExt;
    let mut findings = check_links(root);
    let Ok(found) = std::fs::metadata(root) else {
        return findings;
    };
    let is_foreign = found.uid() != rustix::process::geteuid().as_raw();
    let owner = is_foreign.then(|| {
        DoctorFinding::problem(
            "permissions",
            format!("`{}` belongs to another user", root.display()),
            "set SESSION_SEARCH_HOME to a folder of your own",
        )
    });
    let closed = || {
        let found = "the index is readable to its owner alone";
        (!is_foreign && is_index_directory(root)).then(|| DoctorFinding::ok("permissions", found))
    };
    let modes = describe_open_paths(&find_open_paths(root)).or_else(closed);
    findings.extend(owner);
    findings.extend(modes);
    findings
}

/// Notes that the directory of the index, or one in it, is a link.
fn check_links(root: &Path) -> Vec<DoctorFinding> {
    let is_link =
        |path: &PathBuf| std::fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink());
    let directories = if is_index_directory(root) {
        index_directories(root)
    } else {
        Vec::new()
    };
    let links = std::iter::once(root.to_owned()).chain(directories);
    let note = |path: PathBuf| {
        DoctorFinding::note(
            "permissions",
            format!("`{}` is a link", path.display()),
            "see that its target is yours alone",
        )
    };
    links.filter(is_link).map(note).collect()
}

/// Describes the paths that are open to others by the first one; `None` where there is none.
fn describe_open_paths(open: &[PathBuf]) -> Option<DoctorFinding> {
    let first = open.first()?;
    let others = match open.len() - 1 {
        0 => String::new(),
        more => format!(", and {more} more in the index"),
    };
    let found = format!("`{}` is open to others{others}", first.display());
    let hint = "`session-search doctor --fix` closes them";
    let problem = DoctorFinding::problem("permissions", found, hint);
    Some(problem.fixed_by(DoctorFix::Permissions))
}

/// Lists the paths of the index that others can read or write; links are not followed. The directory itself
/// may hold other things, and may be readable.
fn find_open_paths(root: &Path) -> Vec<PathBuf> {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| {
        std::fs::symlink_metadata(path)
            .map(|found| (found.permissions().mode(), found.is_symlink()))
    };
    let mut open = Vec::new();
    if !is_index_directory(root) {
        return open;
    }
    if mode(root).is_ok_and(|(mode, is_link)| !is_link && mode & 0o022 != 0) {
        open.push(root.to_owned());
    }
    for path in private_paths(root) {
        if mode(&path).is_ok_and(|(mode, is_link)| !is_link && mode & 0o077 != 0) {
            open.push(path);
        }
    }
    open
}

/// Closes the index to others.
///
/// # Errors
/// When a mode cannot be set.
pub fn close_permissions(root: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    for path in find_open_paths(root) {
        let mode = std::fs::metadata(&path)?.permissions().mode();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode & 0o700))?;
    }
    Ok(())
}

/// Checks that the index, or the folder that will hold it, can be written.
fn check_writable(root: &Path) -> Option<DoctorFinding> {
    use rustix::fs::{Access, access};
    let folder = root.ancestors().find(|path| path.exists())?;
    let database = database_path(root);
    let paths = [folder, &database];
    let refused = paths
        .into_iter()
        .filter(|path| path.exists())
        .find(|path| access(*path, Access::WRITE_OK).is_err())?;
    Some(DoctorFinding::problem(
        "permissions",
        format!("`{}` cannot be written", refused.display()),
        "see that it is yours and its disk not read-only, or set SESSION_SEARCH_HOME to another folder",
    ))
}

/// Checks the free space of the index's disk.
fn check_space(root: &Path) -> Option<DoctorFinding> {
    let existing = root.ancestors().find(|path| path.exists())?;
    let disk = rustix::fs::statvfs(existing).ok()?;
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    let found = format!("{} are free on the disk of the index", format_size(free));
    Some(if free < MIN_FREE {
        DoctorFinding::problem(
            "disk",
            found,
            "free some, or set SESSION_SEARCH_HOME to a folder on another",
        )
    } else {
        DoctorFinding::ok("disk", found)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn what_cannot_be_written_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("index");
        assert!(check_writable(&root).is_none(), "it will be made");
        std::fs::create_dir(&root).unwrap();
        let set = |mode| std::fs::set_permissions(&root, PermissionsExt::from_mode(mode)).unwrap();
        set(0o700);
        assert!(check_writable(&root).is_none());
        set(0o500);
        // No mode keeps root out.
        let is_root = rustix::process::geteuid().is_root();
        assert_eq!(check_writable(&root).is_none(), is_root);
        set(0o700);
    }

    #[test]
    fn links_in_the_directory_of_an_index_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("index");
        std::fs::create_dir(&root).unwrap();
        assert_eq!(check_links(&root), []);
        let names = ["vectors", "injection"].map(|name| root.join(name));
        for path in &names {
            std::os::unix::fs::symlink(folder.path(), path).unwrap();
        }
        let found = |path: &PathBuf| format!("`{}` is a link", path.display());
        let links = check_links(&root).into_iter().map(|finding| finding.found);
        assert_eq!(links.collect::<Vec<_>>(), names.each_ref().map(found));
        std::fs::create_dir(root.join("notes")).unwrap();
        assert_eq!(check_links(&root), [], "it is no index");
    }
}
