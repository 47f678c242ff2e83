//! The projects that a typed name or path means.

use session_config::Home;
use session_core::is_project_named;
use session_search::ProjectPattern;
use session_sources::project_root;
use session_store::SessionRow;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// Parses a project as it is typed: `.` is that of the current folder, which for a git worktree is its
/// main checkout; a path that begins with a `.` is a folder, which no session is of where it is gone; all else is a name or
/// part of a path, in which `~/` is the home folder: a shell leaves it in `--project=~/app`.
pub fn parse_project(typed: &str) -> ProjectPattern {
    match parse_folder(typed) {
        ProjectPattern::Folder(folder) => {
            ProjectPattern::Folder(project_root(&folder).unwrap_or(folder))
        }
        part @ ProjectPattern::Part(_) => part,
    }
}

/// Returns the folder that is typed as a project, as `.` is, where the home folder is or lies in it: as a project it would
/// have the sessions of all.
pub fn find_folder_of_all(typed: &str) -> Option<String> {
    let ProjectPattern::Folder(folder) = parse_project(typed) else {
        return None;
    };
    let home = Home::unconfigured().ok()?.env.home;
    let home = fs_err::canonicalize(home).ok()?;
    let home = strip_verbatim_prefix(&home.to_string_lossy());
    let has_home = Path::new(&home).starts_with(&folder);
    has_home.then_some(folder)
}

/// Parses a project as [`parse_project`] does, but a worktree stands for itself alone.
fn parse_folder(typed: &str) -> ProjectPattern {
    let is_relative =
        matches!(typed, "." | "..") || typed.starts_with("./") || typed.starts_with("../");
    if !is_relative {
        return ProjectPattern::Part(resolve_home(typed).into_owned());
    }
    // `.` in a folder that was deleted is no part of a path: nearly all have one with a dot.
    let found = fs_err::canonicalize(typed);
    ProjectPattern::Folder(found.map_or(typed.to_owned(), |path| {
        strip_verbatim_prefix(&path.to_string_lossy())
    }))
}

/// Resolves `~` and `~/` as a shell does.
fn resolve_home(typed: &str) -> Cow<'_, str> {
    join_home(typed, || Some(Home::unconfigured().ok()?.env.home))
}

fn join_home(typed: &str, find_home: impl FnOnce() -> Option<PathBuf>) -> Cow<'_, str> {
    let below = typed.strip_prefix('~');
    let below = below.filter(|below| below.is_empty() || below.starts_with(['/', '\\']));
    let joined = below.and_then(|below| Some(format!("{}{below}", find_home()?.display())));
    joined.map_or(Cow::Borrowed(typed), Cow::Owned)
}

/// Returns the sessions of a project that is typed as for [`parse_project`], but a worktree stands for itself alone. A
/// project of that name or path goes before those of whose path it is a part: `app` is not also `app-secret`.
pub(crate) fn find_project_sessions<'s>(typed: &str, all: &'s [SessionRow]) -> Vec<&'s SessionRow> {
    let named = resolve_home(typed);
    let exact: Vec<&SessionRow> = all.iter().filter(|row| is_named(row, &named)).collect();
    match parse_folder(typed) {
        ProjectPattern::Part(_) if !exact.is_empty() => exact,
        pattern => all.iter().filter(|row| pattern.matches(row)).collect(),
    }
}

fn is_named(session: &SessionRow, typed: &str) -> bool {
    let path = session.project.as_deref().or(session.cwd.as_deref());
    path.is_some_and(|path| is_project_named(path, typed))
}

/// Returns a path of Windows without the verbatim prefix that resolving adds and agents do not write: `\\?\C:\app` is `C:\app`,
/// `\\?\UNC\server\share\app` is `\\server\share\app`.
fn strip_verbatim_prefix(path: &str) -> String {
    match path.strip_prefix(r"\\?\UNC\") {
        Some(share) => format!(r"\\{share}"),
        None => path.strip_prefix(r"\\?\").unwrap_or(path).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tests run in the folder of their crate.
    #[test]
    fn a_relative_path_is_a_folder() {
        let folder = |typed: &str| match parse_folder(typed) {
            ProjectPattern::Folder(folder) => folder,
            part @ ProjectPattern::Part(_) => panic!("{part:?}"),
        };
        assert!(folder(".").ends_with("session-query"));
        assert!(folder("./src").ends_with("src"));
        assert!(folder("..").ends_with("crates"));
    }

    #[test]
    fn a_tilde_is_the_home_folder() {
        let join = |typed| join_home(typed, || Some(PathBuf::from("/home/ann"))).into_owned();
        for (typed, path) in [
            ("~/code/app", "/home/ann/code/app"),
            ("~", "/home/ann"),
            ("~ann/app", "~ann/app"),
            ("app~", "app~"),
        ] {
            assert_eq!(join(typed), path);
        }
        assert_eq!(join_home("~/app", || None), "~/app");
        let home = Home::unconfigured().unwrap().env.home;
        let session = SessionRow {
            cwd: Some(format!("{}/code/app", home.display())),
            ..SessionRow::default()
        };
        assert!(parse_project("~/code/app").matches(&session));
        let found = find_project_sessions("~/code/app", std::slice::from_ref(&session));
        assert_eq!(found, [&session]);
    }

    #[test]
    fn paths_of_windows_are_those_that_agents_write() {
        for (path, expected) in [
            (r"\\?\C:\work\app", r"C:\work\app"),
            (r"\\?\UNC\server\share\app", r"\\server\share\app"),
            (r"\\server\share\app", r"\\server\share\app"),
            ("/srv/app", "/srv/app"),
        ] {
            assert_eq!(strip_verbatim_prefix(path), expected);
        }
    }

    #[test]
    fn a_relative_path_that_is_not_there_is_no_part_of_a_path() {
        let session = SessionRow {
            cwd: Some("/w/v1.2/nowhere".to_owned()),
            ..SessionRow::default()
        };
        for typed in ["./nowhere", "../nowhere/."] {
            assert!(!parse_project(typed).matches(&session), "{typed}");
            assert!(find_project_sessions(typed, std::slice::from_ref(&session)).is_empty());
        }
    }

    #[test]
    fn a_whole_name_goes_before_parts_of_one() {
        let session = |project: &str| SessionRow {
            project: Some(project.to_owned()),
            cwd: Some(format!("{project}/src")),
            ..SessionRow::default()
        };
        let all = ["/w/app", "/w/app-secret", "/w/MyApp"].map(session);
        let found = |typed| {
            let found = find_project_sessions(typed, &all).into_iter();
            found
                .filter_map(|row| row.project.as_deref())
                .collect::<Vec<_>>()
        };
        for typed in ["app", "App", "/w/app", "/w/app/"] {
            assert_eq!(found(typed), ["/w/app"], "{typed}");
        }
        assert_eq!(found("myapp"), ["/w/MyApp"]);
        assert_eq!(found("ap"), ["/w/app", "/w/app-secret", "/w/MyApp"]);
        assert_eq!(found("secret"), ["/w/app-secret"]);
    }
}
