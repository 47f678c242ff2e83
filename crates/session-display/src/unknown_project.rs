//! The message that no project has the name that was typed.

use crate::columns::{fit_line, sanitize_line};
use crate::note::Note;
use crate::plural::pluralize;
use crate::session_label::project_label;
use crate::similarity::{MIN_SIMILARITY, name_similarity};
use session_core::text::file_name;
use session_search::{FilterClause, FilterCondition, ProjectPattern};
use session_store::SessionRow;
use std::collections::BTreeSet;

/// Most columns of a name that is unknown.
const MAX_COLUMNS: usize = 80;
/// Most projects that are named, and most columns of a name.
const MAX_NEAREST: usize = 5;
const MAX_NAME_COLUMNS: usize = 40;

/// Formats that no session is of a project that the filters name, with the project whose name is spelled
/// nearly so, or what lists all. `None` if each project that they name has a session.
pub fn format_unknown_project(clauses: &[FilterClause], all: &[SessionRow]) -> Option<Note> {
    format_unknown(clauses, all, |_| {
        "`session-search status` lists the projects".to_owned()
    })
}

/// Formats the same for a client that cannot run that command: with the names of the projects that are nearest.
pub fn format_unknown_project_and_others(
    clauses: &[FilterClause],
    all: &[SessionRow],
) -> Option<Note> {
    format_unknown(clauses, all, |wanted| format_nearest_projects(wanted, all))
}

fn format_unknown(
    clauses: &[FilterClause],
    all: &[SessionRow],
    format_others: impl Fn(&str) -> String,
) -> Option<Note> {
    let wanted = clauses
        .iter()
        .find_map(|clause| find_unknown_project(clause, all))?;
    let hint = format_same_name(wanted, all.iter()).unwrap_or_else(|| {
        match find_most_similar_project(wanted, all) {
            Some(name) => format!("there is `{}`", sanitize_line(name)),
            None => format_others(wanted),
        }
    });
    let wanted = fit_line(wanted, MAX_COLUMNS);
    let text = format!("no project has `{wanted}` in its name or path");
    Some(Note::new(text).with_hint(hint))
}

/// Formats that other folders have the name of a folder in the filters: after a project was moved, only its latest sessions
/// are of its present folder. `None` if there are none.
pub fn format_project_elsewhere(clauses: &[FilterClause], all: &[SessionRow]) -> Option<String> {
    let mut wanted = clauses.iter().filter(|clause| !clause.negated);
    wanted.find_map(|clause| {
        let [FilterCondition::Project(pattern)] = clause.conditions.as_slice() else {
            return None;
        };
        let (ProjectPattern::Part(name) | ProjectPattern::Folder(name)) = pattern;
        format_same_name(name, all.iter().filter(|row| !pattern.matches(row)))
    })
}

fn format_nearest_projects(wanted: &str, all: &[SessionRow]) -> String {
    let names: BTreeSet<&str> = all.iter().map(project_label).collect();
    let mut names = Vec::from_iter(names);
    names.sort_by(|a, b| name_similarity(wanted, b).total_cmp(&name_similarity(wanted, a)));
    let nearest = names.iter().take(MAX_NEAREST);
    let nearest: Vec<String> = nearest
        .map(|name| format!("`{}`", fit_line(name, MAX_NAME_COLUMNS)))
        .collect();
    match names.len() {
        0 => "there is no project yet".to_owned(),
        1..=MAX_NEAREST => format!("the projects are {}", nearest.join(", ")),
        count => format!("the nearest of {count} names are {}", nearest.join(", ")),
    }
}

fn find_unknown_project<'c>(clause: &'c FilterClause, all: &[SessionRow]) -> Option<&'c str> {
    let [FilterCondition::Project(pattern)] = clause.conditions.as_slice() else {
        return None;
    };
    let (ProjectPattern::Part(name) | ProjectPattern::Folder(name)) = pattern;
    let is_known = clause.negated || all.iter().any(|row| pattern.matches(row));
    (!is_known).then_some(name)
}

/// Formats that a folder's name is that of a project in other folders: a clone that was moved, or on another machine. `None`
/// where there is none.
fn format_same_name<'r>(
    folder: &str,
    others: impl Iterator<Item = &'r SessionRow>,
) -> Option<String> {
    let name = file_name(folder);
    let count = others.filter(|row| project_label(row) == name).count();
    if count == 0 {
        return None;
    }
    let sessions = pluralize(count, "session");
    Some(format!(
        "there is `{}` in other folders, with {sessions}; write this name in place of the folder",
        sanitize_line(name)
    ))
}

fn find_most_similar_project<'a>(wanted: &str, all: &'a [SessionRow]) -> Option<&'a str> {
    let scored = all.iter().map(|row| {
        (
            name_similarity(wanted, project_label(row)),
            project_label(row),
        )
    });
    let near = scored.filter(|(score, _)| *score >= MIN_SIMILARITY);
    near.max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_that_was_moved_is_named_beside_its_new_folder() {
        let session = |path: &str| SessionRow {
            project: Some(path.into()),
            ..SessionRow::default()
        };
        let all = ["/Users/ann.old/work/app", "/home/ann/code/app", "/srv/app2"].map(session);
        let format = |pattern: ProjectPattern| {
            let clause = FilterClause::new(FilterCondition::Project(pattern));
            format_project_elsewhere(&[clause], &all)
        };
        let here = || "/home/ann/code/app".to_owned();
        let hint = "there is `app` in other folders, with 1 session; write this name in place of the folder";
        assert_eq!(format(ProjectPattern::Folder(here())).unwrap(), hint);
        assert_eq!(format(ProjectPattern::Part(here())).unwrap(), hint);
        assert_eq!(format(ProjectPattern::Part("app".to_owned())), None);
        assert_eq!(format(ProjectPattern::Folder("/srv/app2".to_owned())), None);
    }

    #[test]
    fn a_misspelled_project_is_named_with_the_one_that_is_there() {
        let session = |path: &str| SessionRow {
            project: Some(path.into()),
            ..SessionRow::default()
        };
        let all = [
            session("/home/ann/cipher-box"),
            session("/home/ann/homelab"),
        ];
        let format = |name: &str, negated: bool| {
            let part = ProjectPattern::Part(name.to_owned());
            let clause = FilterClause {
                negated,
                ..FilterClause::new(FilterCondition::Project(part))
            };
            format_unknown_project(&[clause], &all).map(|note| note.to_string())
        };
        assert_eq!(
            format("cypher-box", false).unwrap(),
            "no project has `cypher-box` in its name or path\nhint: there is `cipher-box`"
        );
        assert_eq!(
            format("nowhere", false).unwrap(),
            "no project has `nowhere` in its name or path\nhint: `session-search status` lists the projects"
        );
        let folder = ProjectPattern::Folder("/Users/ann/homelab".to_owned());
        let clause = FilterClause::new(FilterCondition::Project(folder));
        assert_eq!(
            format_unknown_project(&[clause], &all).unwrap().to_string(),
            "no project has `/Users/ann/homelab` in its name or path\nhint: there is `homelab` in other folders, with 1 session; write this name in place of the folder"
        );
        let part = ProjectPattern::Part("nowhere".to_owned());
        let clauses = [FilterClause::new(FilterCondition::Project(part))];
        assert_eq!(
            format_unknown_project_and_others(&clauses, &all)
                .unwrap()
                .to_string(),
            "no project has `nowhere` in its name or path\nhint: the projects are `cipher-box`, `homelab`"
        );
        let long = format(&"x".repeat(700), false).unwrap();
        assert!(long.len() < 200, "{long}");
        assert_eq!(format("cipher", false), None);
        assert_eq!(format("nowhere", true), None);
    }
}
