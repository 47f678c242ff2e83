//! That no turn meets a filter.

use crate::columns::fit_line;
use crate::times::format_minute;
use session_search::{FilterClause, FilterCondition};

/// Most columns of a value.
const MAX_COLUMNS: usize = 80;

/// Formats that no turn of the history meets a filter, and what to give instead. `None` for alternatives and for what is
/// negated.
pub fn format_unmet_filter(clause: &FilterClause) -> Option<String> {
    let [condition] = clause.any.as_slice() else {
        return None;
    };
    let (found, hint) = describe_unmet(condition).filter(|_| !clause.negated)?;
    Some(format!("{found}\nhint: {hint}"))
}

fn describe_unmet(condition: &FilterCondition) -> Option<(String, &'static str)> {
    let time = |at: &i64| format_minute(Some(*at));
    Some(match condition {
        FilterCondition::Branch(name) => (
            format!("no turn is on the branch `{}`", fit_line(name, MAX_COLUMNS)),
            "give the whole name of a branch, or leave it out",
        ),
        FilterCondition::File(part) => (
            format!(
                "no turn names a file with `{}` in its path",
                fit_line(part, MAX_COLUMNS)
            ),
            "give a shorter part of the path, or leave it out",
        ),
        FilterCondition::Agent(name) => (
            format!("no session is of {name}"),
            "name another agent, or leave it out",
        ),
        FilterCondition::SinceMs(at) => (
            format!("no turn began at {} or later", time(at)),
            "give an earlier time",
        ),
        FilterCondition::UntilMs(at) => (
            format!("no turn began before {}", time(at)),
            "give a later time",
        ),
        FilterCondition::Project(_) => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_that_no_turn_meets_is_named() {
        let branch = FilterClause::new(FilterCondition::Branch("nope".into()));
        assert_eq!(
            format_unmet_filter(&branch).unwrap(),
            "no turn is on the branch `nope`\nhint: give the whole name of a branch, or leave it out"
        );
        let file = FilterClause::new(FilterCondition::File("nope.rs".into()));
        let text = format_unmet_filter(&file).unwrap();
        assert!(text.starts_with("no turn names a file with `nope.rs` in its path\n"));
        let negated = FilterClause {
            negated: true,
            ..branch
        };
        assert_eq!(format_unmet_filter(&negated), None);
    }
}
