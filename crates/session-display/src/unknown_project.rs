//! That no project has the name that was typed.

use crate::columns::{fit_line, sanitize_line};
use crate::session_label::project_label;
use session_search::{FilterClause, FilterCondition, ProjectPattern};
use session_store::SessionRow;

/// Most columns of a name that is unknown.
const MAX_COLUMNS: usize = 80;
/// Least similarity, by Jaro and Winkler, of a name that is taken for another's misspelling.
const MIN_SIMILARITY: f64 = 0.85;

/// Formats that no session is of a project that the filters name, with the project whose name is spelled
/// nearly so, or what lists all. `None` where each project that they name has a session.
pub fn format_unknown_project(clauses: &[FilterClause], all: &[SessionRow]) -> Option<String> {
    let wanted = clauses
        .iter()
        .find_map(|clause| find_unknown_project(clause, all))?;
    let hint = match find_most_similar_project(wanted, all) {
        Some(name) => format!("there is `{}`", sanitize_line(name)),
        None => "`session-search status` lists the projects".to_owned(),
    };
    Some(format!(
        "no project has `{}` in its name or path\nhint: {hint}",
        fit_line(wanted, MAX_COLUMNS)
    ))
}

fn find_unknown_project<'c>(clause: &'c FilterClause, all: &[SessionRow]) -> Option<&'c str> {
    let [FilterCondition::Project(pattern)] = clause.any.as_slice() else {
        return None;
    };
    let (ProjectPattern::Part(name) | ProjectPattern::Folder(name)) = pattern;
    let is_known = clause.negated || all.iter().any(|row| pattern.matches(row));
    (!is_known).then_some(name)
}

fn find_most_similar_project<'a>(wanted: &str, all: &'a [SessionRow]) -> Option<&'a str> {
    let wanted = wanted.to_lowercase();
    let similarity = |name: &str| strsim::jaro_winkler(&wanted, &name.to_lowercase());
    let scored = all
        .iter()
        .map(|row| (similarity(project_label(row)), project_label(row)));
    let near = scored.filter(|(score, _)| *score >= MIN_SIMILARITY);
    near.max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

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
            format_unknown_project(&[clause], &all)
        };
        assert_eq!(
            format("cypher-box", false).unwrap(),
            "no project has `cypher-box` in its name or path\nhint: there is `cipher-box`"
        );
        assert_eq!(
            format("nowhere", false).unwrap(),
            "no project has `nowhere` in its name or path\nhint: `session-search status` lists the projects"
        );
        let long = format(&"x".repeat(700), false).unwrap();
        assert!(long.len() < 200, "{long}");
        assert_eq!(format("cipher", false), None);
        assert_eq!(format("nowhere", true), None);
    }
}
