//! The report of `status`: sessions, models, freshness.

use crate::layout::{INDENT, NameColumn};
use crate::style::{FAILED, TITLE, paint};
use crate::units::{format_sources, format_time_left};
use serde::Serialize;
use session_core::text::path_line;
use session_display::{fit_line, format_minute, format_size, pluralize, sanitize_line, wrap_lines};
use session_query::{IndexStatus, ModelStatus, OtherHome, ProjectSessions, VectorVersions};
use session_store::{FORMAT_VERSION, HistoryProblem};
use std::borrow::Cow;
use std::path::Path;
use std::time::Duration;

/// The column of the rows' names.
const NAMES: NameColumn = NameColumn {
    indent: 0,
    width: 10,
};
/// Most projects that are named.
const MAX_PROJECTS: usize = 10;
/// Most columns of a project's name.
const PROJECT_COLUMNS: usize = 32;

/// The status of an index and where it lies.
pub struct StatusReport<'a> {
    /// The directory of the index.
    pub root: &'a Path,
    /// The status.
    pub status: &'a IndexStatus,
}

impl<'a> StatusReport<'a> {
    /// Formats the status for a terminal of so many columns.
    pub fn format(&self, width: usize) -> String {
        let mut out = format!("{}\n", paint(TITLE, "STATUS"));
        for (name, value) in status_rows(self.root, self.status) {
            out.push_str(&format_row(name, &value, width));
        }
        out + &format_problems(&self.status.problems, width)
    }

    /// Returns the status as JSON.
    pub fn to_json(&self) -> JsonStatus<'a> {
        JsonStatus {
            index: self.root.display().to_string(),
            format: FORMAT_VERSION,
            status: self.status,
        }
    }
}

/// The status of an index, as `docs/cli.md` describes it.
#[derive(Serialize)]
pub struct JsonStatus<'a> {
    index: String,
    format: u32,
    #[serde(flatten)]
    status: &'a IndexStatus,
}

/// A space at which no line ends. Session text has none once it is made safe.
const GLUE: char = '\u{a0}';

/// Formats a name, and beside it a value over as many lines as it takes.
fn format_row(name: &str, value: &str, width: usize) -> String {
    let lines = wrap_lines(value, NAMES.value_width(width));
    NAMES.lay_out_row(name, lines.map(|line| line.replace(GLUE, " ")))
}

fn status_rows(root: &Path, status: &IndexStatus) -> Vec<(&'static str, String)> {
    let mut rows = vec![("history", format_history(status))];
    if status.subagents > 0 {
        let sessions = pluralize(status.subagents, "session");
        rows.push((
            "",
            format!("{sessions} of subagents, found with --subagents"),
        ));
    }
    if status.gone > 0 {
        let sessions = pluralize(status.gone, "session");
        let words = format!(
            "{sessions} whose history is gone, or in a folder that no variable names now: still found"
        );
        rows.push(("", words));
    }
    if status.prompts_only > 0 {
        let sessions = pluralize(status.prompts_only, "session");
        let words = format!("{sessions} with prompts only: the transcript was deleted");
        rows.push(("", words));
    }
    rows.extend(status.homes.iter().map(format_home));
    rows.extend(format_projects(&status.project_sessions).map(|text| ("projects", text)));
    rows.extend(status.models.iter().map(|m| ("model", format_model(m))));
    rows.extend(
        status
            .old_versions
            .iter()
            .map(|old| ("", format_old_versions(old, &status.models))),
    );
    rows.push((
        "updated",
        format!(
            "{}: {}",
            format_minute(status.updated_ms),
            format_freshness(status)
        ),
    ));
    let writer = status.writer.as_ref();
    rows.extend(writer.map(|writer| ("", writer.to_string())));
    let (root, size) = (path_line(root), format_size(status.bytes));
    rows.push(("index", format!("{root} ({size}, format {FORMAT_VERSION})")));
    rows
}

/// Formats what the next search looks at.
fn format_freshness(status: &IndexStatus) -> String {
    const EXCLUSIONS: &str = "what is forgotten or excluded";
    let files = pluralize(status.changed, "file");
    match (status.changed, status.exclusions_changed) {
        (0, false) => "up to date".to_owned(),
        (0, true) => format!("{EXCLUSIONS} changed since; the next search applies it"),
        (_, false) => format!("{files} changed since; the next search looks at them"),
        (_, true) => {
            format!("{files} and {EXCLUSIONS} changed since; the next search looks at them")
        }
    }
}

fn format_history(status: &IndexStatus) -> String {
    format!(
        "{}{}, {}, {}",
        pluralize(status.sessions, "session"),
        format_sources(&status.sources),
        pluralize(usize::try_from(status.turns).unwrap_or(usize::MAX), "turn"),
        pluralize(status.projects, "project")
    )
}

/// Formats a home of another machine.
fn format_home(home: &OtherHome) -> (&'static str, String) {
    let missing = if home.exists {
        home.describe_missing_history()
    } else {
        Some("not there: its sessions are found as they were read".to_owned())
    };
    let missing = missing.map(|missing| format!(" ({})", sanitize_line(&missing)));
    let path = path_line(&home.path);
    ("home", format!("{path}{}", missing.unwrap_or_default()))
}

/// Formats the projects with the most sessions; `None` if there is none.
fn format_projects(projects: &[ProjectSessions]) -> Option<String> {
    let named = projects.iter().take(MAX_PROJECTS);
    let named = named.map(|project| {
        let name = fit_line(&distinct_name(project, projects), PROJECT_COLUMNS);
        format!("{name}{GLUE}{}", project.sessions)
    });
    let named = named.collect::<Vec<_>>().join(", ");
    match projects.len().saturating_sub(MAX_PROJECTS) {
        _ if projects.is_empty() => None,
        0 => Some(named),
        more => Some(format!("{named} and {more} more (--json lists all)")),
    }
}

/// Returns the name of a project, behind that of its parent folder where another project has the same name.
fn distinct_name<'a>(project: &'a ProjectSessions, all: &[ProjectSessions]) -> Cow<'a, str> {
    let is_namesake =
        |other: &ProjectSessions| other.name == project.name && other.path != project.path;
    let parent = Path::new(&project.path).parent().and_then(Path::file_name);
    match parent.filter(|_| all.iter().any(is_namesake)) {
        Some(parent) => format!("{}/{}", parent.to_string_lossy(), project.name).into(),
        None => project.name.as_str().into(),
    }
}

fn format_model(m: &ModelStatus) -> String {
    let of = pluralize(m.all_sessions, "session");
    let vectors = pluralize(m.vectors, "vector");
    // Before its first vector the dimensions are not known.
    let dims = (m.dims > 0).then(|| format!("{} dims", m.dims));
    let in_use = m.in_use.then(|| "in use".to_owned());
    let properties: Vec<String> = dims.into_iter().chain(in_use).collect();
    let running = if m.running { ", working now" } else { "" };
    let left = m.seconds_left.map(Duration::from_secs);
    let left = left.map(|left| format!(", {}", format_time_left(left)));
    let failure = m.failure.as_ref();
    let failure = failure.map(|reason| format!("; {}", sanitize_line(reason)));
    format!(
        "{} ({}): {} of {of}, {vectors}{running}{}{}",
        sanitize_line(&m.name),
        properties.join(", "),
        m.sessions,
        left.unwrap_or_default(),
        failure.unwrap_or_default()
    )
}

/// Formats how many versions of a model are replaced, and what deletes their vectors: of a model that is not in use, those of
/// its present version, too.
fn format_old_versions(old: &VectorVersions, models: &[ModelStatus]) -> String {
    let is_used = |model: &ModelStatus| model.in_use && model.name == old.name;
    let present = if models.iter().any(is_used) {
        ""
    } else {
        " and those above, which switching back to it would use"
    };
    let name = sanitize_line(&old.name);
    let versions = pluralize(old.versions, "other version");
    let size = format_size(old.bytes);
    format!(
        "{versions} of {name}, {size} of vectors: `session-search model remove {name} --vectors` deletes them{present}"
    )
}

fn format_problems(problems: &[HistoryProblem], width: usize) -> String {
    if problems.is_empty() {
        return String::new();
    }
    let count = pluralize(problems.len(), "place");
    let mut out = format!(
        "\n{}\n",
        paint(FAILED, format!("{count} could not be read"))
    );
    for p in problems {
        out.push_str(&format!(
            "  {}\n",
            fit_line(&p.path, width.saturating_sub(2))
        ));
        for line in wrap_lines(&format_reason(p), width.saturating_sub(INDENT)) {
            out.push_str(&format!("    {line}\n"));
        }
    }
    out
}

fn format_reason(p: &HistoryProblem) -> String {
    let times = match p.count {
        0 | 1 => String::new(),
        n => format!(" ({n} times)"),
    };
    let at = p.offset.map(|at| format!(", first at byte {at}"));
    format!(
        "{}{times}{}",
        fit_line(&p.reason, 200),
        at.unwrap_or_default()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn ten_projects_are_named() {
        let project = |n: usize| ProjectSessions {
            name: format!("p{n}"),
            path: format!("/home/ann/p{n}"),
            sessions: 20 - n,
        };
        let projects: Vec<ProjectSessions> = (0..12).map(project).collect();
        let text = format_projects(&projects).unwrap().replace(GLUE, " ");
        assert!(text.starts_with("p0 20, p1 19, "), "{text}");
        assert!(
            text.ends_with(", p9 11 and 2 more (--json lists all)"),
            "{text}"
        );
        assert_eq!(format_projects(&[]), None);
    }

    #[test]
    fn projects_of_one_name_have_their_parent_folders() {
        let project = |path: &str| ProjectSessions {
            name: path.rsplit('/').next().unwrap().into(),
            path: path.into(),
            sessions: 3,
        };
        let paths = ["/home/ann/app", "/home/ann/old/app", "/home/ann/lamps"];
        let text = format_projects(&paths.map(project)).unwrap();
        assert_eq!(text.replace(GLUE, " "), "ann/app 3, old/app 3, lamps 3");
    }

    #[test]
    fn no_line_ends_between_a_project_and_its_count() {
        let project = |name: &str| ProjectSessions {
            name: name.into(),
            path: format!("/home/ann/{name}"),
            sessions: 4,
        };
        let projects = format_projects(&["lanterns", "skills"].map(project)).unwrap();
        let text = format_row("", &projects, NAMES.width + 18);
        assert_eq!(
            anstream::adapter::strip_str(&text).to_string(),
            format!("{0}lanterns 4,\n{0}skills 4\n", " ".repeat(NAMES.width))
        );
    }

    #[test]
    fn exclusions_that_are_not_applied_are_no_fresh_index() {
        let format = |changed, exclusions_changed| {
            format_freshness(&IndexStatus {
                changed,
                exclusions_changed,
                ..IndexStatus::default()
            })
        };
        assert_eq!(format(0, false), "up to date");
        assert_eq!(
            format(0, true),
            "what is forgotten or excluded changed since; the next search applies it"
        );
        assert_eq!(
            format(1, true),
            "1 file and what is forgotten or excluded changed since; the next search looks at them"
        );
    }

    fn two_versions(name: &str) -> VectorVersions {
        VectorVersions {
            name: name.into(),
            versions: 2,
            bytes: 1_400_000,
        }
    }

    #[test]
    fn what_is_gone_or_changed_has_a_row() {
        let status = IndexStatus {
            bytes: 2_500_000,
            sessions: 3,
            turns: 12,
            projects: 1,
            project_sessions: vec![ProjectSessions {
                name: "app".into(),
                path: "/home/ann/app".into(),
                sessions: 3,
            }],
            sources: BTreeMap::from([("claude".to_owned(), 3)]),
            gone: 1,
            homes: vec![OtherHome {
                path: "/mnt/old/home/ann".into(),
                ..OtherHome::default()
            }],
            changed: 2,
            models: vec![
                ModelStatus {
                    name: "table".into(),
                    dims: 64,
                    vectors: 15,
                    sessions: 3,
                    all_sessions: 3,
                    in_use: false,
                    running: false,
                    seconds_left: None,
                    failure: Some("http://lamps gave no vectors: status 401".into()),
                },
                ModelStatus {
                    name: "minilm".into(),
                    dims: 0,
                    vectors: 0,
                    sessions: 0,
                    all_sessions: 3,
                    in_use: true,
                    running: true,
                    seconds_left: Some(2_400),
                    failure: None,
                },
            ],
            old_versions: vec![two_versions("minilm"), two_versions("remote")],
            ..IndexStatus::default()
        };
        let report = StatusReport {
            root: Path::new("/home/ann/index"),
            status: &status,
        };
        let text = anstream::adapter::strip_str(&report.format(80)).to_string();
        let text = text.replace(&format!("format {FORMAT_VERSION}"), "format N");
        insta::assert_snapshot!(text, @r#"
        STATUS
        history   3 sessions (claude 3), 12 turns, 1 project
                  1 session whose history is gone, or in a folder that no variable names
                  now: still found
        home      /mnt/old/home/ann (not there: its sessions are found as they were
                  read)
        projects  app 3
        model     table (64 dims): 3 of 3 sessions, 15 vectors; http://lamps gave no
                  vectors: status 401
        model     minilm (in use): 0 of 3 sessions, 0 vectors, working now, about 40
                  minutes left
                  2 other versions of minilm, 1.4 MB of vectors: `session-search model
                  remove minilm --vectors` deletes them
                  2 other versions of remote, 1.4 MB of vectors: `session-search model
                  remove remote --vectors` deletes them and those above, which switching
                  back to it would use
        updated   no date: 2 files changed since; the next search looks at them
        index     /home/ann/index (2.5 MB, format N)
        "#);
    }
}
