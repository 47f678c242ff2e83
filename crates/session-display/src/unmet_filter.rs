//! The message that no turn meets a filter.

use crate::columns::fit_line;
use crate::note::Note;
use crate::similarity::{MIN_SIMILARITY, name_similarity};
use crate::times::format_minute;
use crate::unknown_project::{format_unknown_project, format_unknown_project_and_others};
use session_search::{FilterCondition, UnmetClause};
use session_store::SessionRow;
use std::slice;

/// Most columns of a value.
const MAX_COLUMNS: usize = 80;
/// Most branches or agents that a hint names.
const MAX_NAMES: usize = 5;

/// Formats that no session is of a project, or that no turn of the history meets another filter, and what to give instead: of
/// the branches or agents of the history the nearest. `None` for alternatives and for what is negated.
pub fn format_unmet_clause(unmet: &UnmetClause, sessions: &[SessionRow]) -> Option<Note> {
    format_unknown_project(slice::from_ref(&unmet.clause), sessions)
        .or_else(|| format_unmet_filter(unmet))
}

/// Formats the same for a client that cannot run commands: with the names of the projects that are nearest.
pub fn format_unmet_clause_and_others(
    unmet: &UnmetClause,
    sessions: &[SessionRow],
) -> Option<Note> {
    format_unknown_project_and_others(slice::from_ref(&unmet.clause), sessions)
        .or_else(|| format_unmet_filter(unmet))
}

fn format_unmet_filter(unmet: &UnmetClause) -> Option<Note> {
    let UnmetClause {
        clause,
        names,
        newest_ms,
    } = unmet;
    let [condition] = clause.conditions.as_slice() else {
        return None;
    };
    let (mut found, hint) = describe_unmet(condition).filter(|_| !clause.negated)?;
    if let FilterCondition::Time { since_ms, .. } = condition
        && let Some(newest_ms) = newest_ms.filter(|newest| Some(*newest) < *since_ms)
    {
        let newest = format_minute(Some(newest_ms));
        found += &format!("; the newest began at {newest}");
    }
    let named = match condition {
        FilterCondition::Branch(wanted) => format_names(&find_near_branches(wanted, names)),
        FilterCondition::Agent(_) => {
            format_names(&names.iter().map(String::as_str).collect::<Vec<_>>())
        }
        _ => None,
    };
    let hint = named.unwrap_or_else(|| hint.to_owned());
    Some(Note::new(found).with_hint(hint))
}

/// Formats which names there are; `None` if there is none.
fn format_names(names: &[&str]) -> Option<String> {
    let quote = |name: &&str| format!("`{}`", fit_line(name, MAX_COLUMNS));
    let named: Vec<String> = names.iter().take(MAX_NAMES).map(quote).collect();
    let verb = match named.as_slice() {
        [] => return None,
        [_] => "is",
        _ => "are",
    };
    let more = match names.len().saturating_sub(MAX_NAMES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!("there {verb} {}{more}", named.join(", ")))
}

/// Returns the branches that hold what was typed, in their order; where none does, those that are spelled nearly so,
/// the most similar first.
fn find_near_branches<'b>(wanted: &str, branches: &'b [String]) -> Vec<&'b str> {
    let names = || branches.iter().map(String::as_str);
    let part = wanted.to_lowercase();
    let holding: Vec<&str> = names()
        .filter(|name| name.to_lowercase().contains(&part))
        .collect();
    if !holding.is_empty() {
        return holding;
    }
    let scored = names().map(|name| (name_similarity(wanted, name), name));
    let mut near: Vec<(f64, &str)> = scored
        .filter(|(score, _)| *score >= MIN_SIMILARITY)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    near.into_iter().map(|(_, name)| name).collect()
}

fn describe_unmet(condition: &FilterCondition) -> Option<(String, &'static str)> {
    let time = |at: i64| format_minute(Some(at));
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
        FilterCondition::Time { since_ms, until_ms } => {
            let since = since_ms.map(|at| format!(" at {} or later", time(at)));
            let until = until_ms.map(|at| format!(" before {}", time(at)));
            let ends: Vec<String> = since.into_iter().chain(until).collect();
            let hint = match (since_ms, until_ms) {
                (Some(_), None) => "give an earlier time",
                (None, Some(_)) => "give a later time",
                _ => "give a longer time",
            };
            (format!("no turn began{}", ends.join(" and")), hint)
        }
        FilterCondition::Project(_) | FilterCondition::Turns { .. } => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use session_search::FilterClause;

    fn format(clause: FilterClause, names: &[String]) -> Option<Note> {
        format_unmet_filter(&UnmetClause {
            clause,
            names: names.to_vec(),
            newest_ms: None,
        })
    }

    #[test]
    fn a_filter_that_no_turn_meets_is_named() {
        let branch = FilterClause::new(FilterCondition::Branch("nope".into()));
        assert_eq!(
            format(branch.clone(), &[]).unwrap().to_string(),
            "no turn is on the branch `nope`\nhint: give the whole name of a branch, or leave it out"
        );
        let file = FilterClause::new(FilterCondition::File("nope.rs".into()));
        let note = format(file, &[]).unwrap();
        assert_eq!(note.text, "no turn names a file with `nope.rs` in its path");
        let agent = FilterClause::new(FilterCondition::Agent("cursor".into()));
        let agents = ["cursor-cli", "pi"].map(str::to_owned);
        assert_eq!(
            format(agent, &agents).unwrap().to_string(),
            "no session is of cursor\nhint: there are `cursor-cli`, `pi`"
        );
        let negated = FilterClause {
            negated: true,
            ..branch
        };
        assert_eq!(format(negated, &[]), None);
    }

    #[test]
    fn a_time_is_told_with_its_open_end() {
        let format = |condition| {
            let note = format(FilterClause::new(condition), &[]).unwrap();
            note.to_string()
        };
        let day = 86_400_000;
        let since = format(FilterCondition::since(day));
        assert!(since.starts_with("no turn began at 1970-01-0") && since.contains(" or later\n"));
        assert!(since.ends_with("hint: give an earlier time"), "{since}");
        let until = format(FilterCondition::until(day));
        assert!(until.starts_with("no turn began before 1970-01-0"));
        assert!(until.ends_with("hint: give a later time"), "{until}");
        let both = format(FilterCondition::Time {
            since_ms: Some(day),
            until_ms: Some(2 * day),
        });
        assert!(both.contains(" or later and before 1970-01-0"), "{both}");
        assert!(both.ends_with("hint: give a longer time"), "{both}");
    }

    #[test]
    fn the_newest_turn_is_told_where_it_began_before_the_time() {
        let format = |condition, newest_ms| {
            let unmet = UnmetClause {
                clause: FilterClause::new(condition),
                names: Vec::new(),
                newest_ms: Some(newest_ms),
            };
            format_unmet_filter(&unmet).unwrap().text
        };
        let day = 86_400_000;
        let since = format(FilterCondition::since(3 * day), day);
        assert!(
            since.contains("or later; the newest began at 1970-01-0"),
            "{since}"
        );
        let until = format(FilterCondition::until(day), 2 * day);
        assert!(!until.contains("newest"), "{until}");
    }

    #[test]
    fn the_branches_near_to_what_was_typed_are_named() {
        let branches = ["feat/Phase-12-mfa", "main", "phase-12.1", "fix/lamp"].map(str::to_owned);
        let format = |wanted: &str, branches: &[String]| {
            let clause = FilterClause::new(FilterCondition::Branch(wanted.to_owned()));
            format(clause, branches).unwrap().to_string()
        };
        assert_eq!(
            format("phase-12", &branches),
            "no turn is on the branch `phase-12`\nhint: there are `feat/Phase-12-mfa`, `phase-12.1`"
        );
        assert!(format("mian", &branches).ends_with("hint: there is `main`"));
        assert!(format("fix/lmap", &branches).ends_with("hint: there is `fix/lamp`"));
        assert!(
            format("zebra", &branches)
                .ends_with("give the whole name of a branch, or leave it out")
        );
        let many: Vec<String> = (0..7).map(|n| format!("phase-{n}")).collect();
        assert!(format("phase", &many).ends_with("`phase-3`, `phase-4` and 2 more"));
    }
}
