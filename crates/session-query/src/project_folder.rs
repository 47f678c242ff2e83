//! Projects as they are typed.

use session_search::ProjectPattern;
use session_sources::project_root;

/// Returns the project that is typed: `.` is that of the current folder, which for a git worktree is its
/// main checkout; a relative path is a folder where it exists; all else is a name or part of a path.
pub fn read_project(typed: &str) -> ProjectPattern {
    match read_folder(typed) {
        ProjectPattern::Folder(folder) => {
            ProjectPattern::Folder(project_root(&folder).unwrap_or(folder))
        }
        part @ ProjectPattern::Part(_) => part,
    }
}

/// As [`read_project`], but a worktree stands for itself alone.
pub fn read_folder(typed: &str) -> ProjectPattern {
    let is_relative =
        matches!(typed, "." | "..") || typed.starts_with("./") || typed.starts_with("../");
    match fs_err::canonicalize(typed) {
        Ok(path) if is_relative => ProjectPattern::Folder(plain(&path.to_string_lossy())),
        _ => ProjectPattern::Part(typed.to_owned()),
    }
}

/// Returns a path of Windows without the prefix that resolving adds and agents do not write.
fn plain(path: &str) -> String {
    path.strip_prefix(r"\\?\").unwrap_or(path).to_owned()
}
