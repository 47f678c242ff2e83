//! Checks which histories of the agents are found, and which of them the agents will delete.

use crate::finding::{DoctorCheck, DoctorFinding};
use session_agents::{HistoryRetention, MergedSettings};
use session_config::{Home, explain_history_removals};
use session_core::DOCS_URL;
use session_display::pluralize;
use session_query::OtherHome;
use session_sources::{
    AgentInfo, Listing, Source, Warning, WarningKind, locate_in_all_homes, sources,
};
use session_store::HistoryProblem;
use std::collections::HashSet;

/// Days ahead for which deletions are counted.
const DAYS_AHEAD: u32 = 7;

/// The histories of one agent, as they are on the disk now.
pub(crate) struct LocatedHistory {
    agent: &'static AgentInfo,
    listing: Listing,
}

/// Locates the histories of all agents.
pub(crate) fn locate_histories(home: &Home) -> Vec<LocatedHistory> {
    let locate = |source: &&dyn Source| LocatedHistory {
        agent: source.agent(),
        listing: locate_in_all_homes(*source, &home.env, &|_, _| false),
    };
    sources().iter().map(locate).collect()
}

/// Returns true if a directory could not be listed, which [`check_sources`] reports.
pub(crate) fn is_listed_problem(problem: &HistoryProblem, histories: &[LocatedHistory]) -> bool {
    let mut warnings = histories.iter().flat_map(|it| &it.listing.warnings);
    warnings.any(|warning| {
        warning.path.to_string_lossy() == problem.path && warning.reason == problem.reason
    })
}

/// Checks which histories there are.
pub(crate) fn check_sources(histories: &[LocatedHistory]) -> Vec<DoctorFinding> {
    let mut findings = Vec::new();
    // A home that cannot be entered is met by each agent.
    let mut reported = HashSet::new();
    for LocatedHistory { agent, listing } in histories {
        if !listing.locations.is_empty() {
            let files = pluralize(listing.locations.len(), "file");
            findings.push(DoctorFinding::ok(
                DoctorCheck::Histories,
                format!("{files} of {}", agent.name),
            ));
        }
        let mut warnings: Vec<&Warning> = listing.warnings.iter().collect();
        warnings.retain(|warning| reported.insert((&warning.path, &warning.reason)));
        let described = warnings.into_iter();
        findings.extend(described.map(describe_warning));
    }
    if findings.is_empty() {
        let hint = format!(
            "{DOCS_URL}/sources.md says where they are looked for, and which variables name other folders"
        );
        findings.push(DoctorFinding::note(
            DoctorCheck::Histories,
            "there are none",
            hint,
        ));
    }
    findings
}

fn describe_warning(warning: &Warning) -> DoctorFinding {
    let found = format!("`{}`: {}", warning.path.display(), warning.reason);
    let hint = match warning.kind {
        WarningKind::EmptyVariableFolder => {
            let hint = "there is no session yet, or correct the variable that names it";
            return DoctorFinding::note(DoctorCheck::Histories, found, hint);
        }
        WarningKind::UnusableVariable => {
            "see that it can be read, or correct the variable that names it"
        }
        WarningKind::UnexpectedFolder => "move it away",
        WarningKind::Project => {
            "let the variable name a folder outside of projects, or move the repository away"
        }
        WarningKind::NonUtf8Name => "rename it",
        WarningKind::Unreadable | WarningKind::NotAFile => remedy(warning),
    };
    DoctorFinding::problem(DoctorCheck::Histories, found, hint)
}

/// Returns what helps where a file or folder cannot be read.
fn remedy(warning: &Warning) -> &'static str {
    if warning.path.is_symlink() && !warning.path.exists() {
        "it is a link that leads nowhere: remove it, or make what it leads to"
    } else {
        "see that it can be read"
    }
}

/// Notes which variables that name histories are left out.
pub(crate) fn check_history_variables(home: &Home) -> Vec<DoctorFinding> {
    let hint = "name a folder outside of projects, or make a link outside of them that leads there";
    let removed = explain_history_removals(home).into_iter();
    let note = |found| DoctorFinding::note(DoctorCheck::Histories, found, hint);
    removed.map(note).collect()
}

/// Checks that the homes of other machines are there and have histories.
pub(crate) fn check_homes(home: &Home) -> Vec<DoctorFinding> {
    let homes = OtherHome::all(&home.env);
    homes.iter().filter_map(check_other_home).collect()
}

fn check_other_home(home: &OtherHome) -> Option<DoctorFinding> {
    let path = home.path.display();
    if !home.exists {
        return Some(DoctorFinding::note(
            DoctorCheck::Histories,
            format!("the home folder `{path}` is not there"),
            "mount it, or remove it from `homes` in `[sources]` of the configuration; its sessions are found as they were read",
        ));
    }
    let found = home.describe_missing_history()?;
    Some(DoctorFinding::note(
        DoctorCheck::Histories,
        format!("the home folder `{path}`: {found}"),
        "correct `homes` in `[sources]` of the configuration",
    ))
}

/// Checks how long transcripts are kept, and counts those that are deleted within a week.
pub(crate) fn check_retention(home: &Home, settings: &MergedSettings) -> Option<DoctorFinding> {
    let HistoryRetention { days, vanishing } =
        HistoryRetention::read(&home.env, settings, DAYS_AHEAD)?;
    Some(describe_retention(days, vanishing))
}

fn describe_retention(days: u32, vanishing: usize) -> DoctorFinding {
    let kept = format!(
        "transcripts are deleted after {}",
        pluralize(days as usize, "day")
    );
    let found = match (days, vanishing) {
        (0, _) => "no transcripts are kept (`cleanupPeriodDays` is 0)".to_owned(),
        (_, 0) => return DoctorFinding::ok(DoctorCheck::Retention, kept),
        (_, n) => format!("{kept}: {n} go within a week"),
    };
    let hint =
        "the index keeps their words; `session-search setup` keeps the transcripts for longer";
    DoctorFinding::note(DoctorCheck::Retention, found, hint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::FindingSeverity;
    use session_sources::Retry;

    #[test]
    fn a_place_is_told_once_and_a_variable_where_it_names_it() {
        let warning = |reason: &str| Warning {
            path: "/mnt/laptop".into(),
            offset: None,
            reason: reason.to_owned(),
            count: 1,
            retry: Retry::FullRead,
            kind: WarningKind::Unreadable,
        };
        let locate = |source: &&dyn Source| LocatedHistory {
            agent: source.agent(),
            listing: Listing {
                warnings: vec![warning("cannot be listed: permission denied")],
                ..Listing::default()
            },
        };
        let histories: Vec<LocatedHistory> = sources().iter().map(locate).collect();
        let findings = check_sources(&histories);
        let hints = findings.iter().map(|finding| finding.hint.as_deref());
        let plain = "see that it can be read";
        assert_eq!(hints.collect::<Vec<_>>(), [Some(plain)]);
        let describe = |kind| {
            describe_warning(&Warning {
                kind,
                ..warning("in any words")
            })
        };
        for (kind, expected) in [
            (WarningKind::UnexpectedFolder, "move it away"),
            (WarningKind::NonUtf8Name, "rename it"),
        ] {
            assert_eq!(describe(kind).hint.as_deref(), Some(expected));
        }
        let project = describe(WarningKind::Project);
        assert!(project.hint.unwrap().contains("outside of projects"));
        let hint = describe(WarningKind::UnusableVariable).hint.unwrap();
        assert!(hint.ends_with("the variable that names it"), "{hint}");
        let empty = describe(WarningKind::EmptyVariableFolder);
        assert_eq!(empty.severity, FindingSeverity::Note);
    }

    #[test]
    fn transcripts_that_are_kept_for_no_day_are_told_without_a_count() {
        let found = |days, vanishing| describe_retention(days, vanishing).found;
        assert!(found(0, 4).starts_with("no transcripts are kept"));
        assert_eq!(found(1, 0), "transcripts are deleted after 1 day");
        let week = "transcripts are deleted after 30 days: 4 go within a week";
        assert_eq!(found(30, 4), week);
    }
}
