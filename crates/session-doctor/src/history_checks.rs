//! Checks of the agents' histories: what is found, and what will be deleted.

use crate::finding::DoctorFinding;
use session_agents::{HistoryRetention, MergedSettings};
use session_config::Home;
use session_core::{DOCS_URL, SourceName};
use session_display::pluralize;
use session_sources::{Listing, Source, sources};
use session_store::Problem;

/// Days ahead for which deletions are counted.
const DAYS_AHEAD: u32 = 7;

/// The histories of one agent, as they are on the disk now.
pub(crate) struct LocatedHistory {
    source: SourceName,
    listing: Listing,
}

/// Locates the histories of all agents.
pub(crate) fn locate_histories(home: &Home) -> Vec<LocatedHistory> {
    let locate = |source: &&dyn Source| LocatedHistory {
        source: source.name(),
        listing: source.locate(&home.env),
    };
    sources().iter().map(locate).collect()
}

/// Returns true where a directory could not be listed, which [`check_sources`] reports.
pub(crate) fn is_listed_problem(problem: &Problem, histories: &[LocatedHistory]) -> bool {
    let mut warnings = histories.iter().flat_map(|it| &it.listing.warnings);
    warnings.any(|warning| {
        warning.path.to_string_lossy() == problem.path && warning.reason == problem.reason
    })
}

/// Checks which histories there are.
pub(crate) fn check_sources(histories: &[LocatedHistory]) -> Vec<DoctorFinding> {
    let mut findings = Vec::new();
    for LocatedHistory {
        source: name,
        listing,
    } in histories
    {
        if !listing.locations.is_empty() {
            findings.push(DoctorFinding::ok(
                "histories",
                format!("{} of {name}", pluralize(listing.locations.len(), "file")),
            ));
        }
        for warning in &listing.warnings {
            let found = format!("`{}`: {}", warning.path.display(), warning.reason);
            findings.push(DoctorFinding::problem(
                "histories",
                found,
                "see that it can be read, or correct the variable that names it",
            ));
        }
    }
    if findings.is_empty() {
        let hint = format!(
            "{DOCS_URL}/sources.md says where they are looked for, and which variables name other folders"
        );
        findings.push(DoctorFinding::note("histories", "there are none", hint));
    }
    findings
}

/// Checks how long transcripts are kept, and counts those that are deleted within a week.
pub(crate) fn check_retention(home: &Home, settings: &MergedSettings) -> Option<DoctorFinding> {
    let HistoryRetention { days, vanishing } =
        HistoryRetention::read(&home.env, settings, DAYS_AHEAD)?;
    let kept = format!("transcripts are deleted after {days} days");
    Some(match vanishing {
        0 => DoctorFinding::ok("retention", kept),
        n => DoctorFinding::note(
            "retention",
            format!("{kept}: {n} go within a week"),
            "the index keeps their words; `session-search setup` keeps the transcripts for longer",
        ),
    })
}
