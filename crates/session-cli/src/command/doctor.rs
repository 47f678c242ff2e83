//! `doctor`: what is wrong with the index, the histories and the agents' settings, and what to do.

use crate::CommandOutcome;
use crate::args::DoctorArgs;
use crate::memories::ProjectMemories;
use crate::output::terminal_width;
use crate::output::{self, json, notes};
use crate::shared::{lock_wait, refreshed_index};
use anyhow::Result;
use session_agents::MergedSettings;
use session_config::{Home, current_directory_or_home};
use session_doctor::{
    DoctorCheck, DoctorFinding, DoctorFix, FindingSeverity, close_permissions, examine,
    examine_configuration, examine_memories,
};
use session_indexer::RefreshMode;
use session_output::{JsonDoctor, describe_fix, error_hint, format_findings};
use session_query::SearchEngine;
use std::collections::{BTreeMap, BTreeSet};

/// Runs the command.
pub fn run(args: &DoctorArgs) -> Result<CommandOutcome> {
    let home = Home::from_process()?;
    let mut findings = examine_all(&home)?;
    let fixes = if args.fix {
        apply_fixes(&findings, &home)
    } else {
        AppliedFixes::default()
    };
    if fixes != AppliedFixes::default() {
        findings = examine_all(&home)?;
        findings.extend(fixes.failures);
    }
    if args.json {
        json::print(&JsonDoctor {
            findings: &findings,
            fixed: &fixes.made,
        })?;
    } else {
        for fix in &fixes.made {
            notes::print_line(describe_fix(*fix))?;
        }
        output::print(format_findings(&findings, terminal_width()))?;
    }
    let is_well = findings
        .iter()
        .all(|finding| finding.severity < FindingSeverity::Problem);
    Ok(CommandOutcome::from_health(is_well))
}

/// Runs all checks, that of this project's memories last.
fn examine_all(home: &Home) -> Result<Vec<DoctorFinding>> {
    let folder = current_directory_or_home()?;
    let settings = MergedSettings::for_directory(&home.env, &folder)?;
    let mut findings = examine(home, &settings);
    findings.extend(examine_configuration(home, &folder));
    let memories = ProjectMemories::for_directory(&folder)?;
    findings.extend(examine_memories(&memories.store));
    Ok(findings)
}

/// The fixes that were made, and a finding for each that failed.
#[derive(Default, PartialEq)]
struct AppliedFixes {
    made: BTreeSet<DoctorFix>,
    failures: Vec<DoctorFinding>,
}

/// Makes each fix that a finding asks for. One that fails keeps no other from being made.
fn apply_fixes(findings: &[DoctorFinding], home: &Home) -> AppliedFixes {
    let wanted = findings.iter();
    let wanted = wanted.filter_map(|finding| Some((finding.fix?, finding.check)));
    let mut fixes = AppliedFixes::default();
    for (fix, check) in wanted.collect::<BTreeMap<_, _>>() {
        match apply(fix, home) {
            Ok(()) => drop(fixes.made.insert(fix)),
            Err(error) => fixes.failures.push(describe_failure(check, &error)),
        }
    }
    fixes
}

fn describe_failure(check: DoctorCheck, error: &anyhow::Error) -> DoctorFinding {
    let hint = error_hint(error.as_ref()).map(Into::into);
    DoctorFinding::failed_fix(check, &format!("{error:#}"), hint)
}

fn apply(fix: DoctorFix, home: &Home) -> Result<()> {
    match fix {
        DoctorFix::Permissions => Ok(close_permissions(&home.index_directory)?),
        DoctorFix::Refresh => refresh_index(home, RefreshMode::Changes),
        DoctorFix::Rebuild => refresh_index(home, RefreshMode::Full),
        DoctorFix::Purge => {
            lock_wait::open_writer(home)?.purge()?;
            Ok(())
        }
    }
}

/// Brings the index up to date, and notes what was removed or put aside.
fn refresh_index(home: &Home, mode: RefreshMode) -> Result<()> {
    let engine = SearchEngine::new(home.clone())?;
    refreshed_index::note_refresh(&refreshed_index::refresh_index(&engine, mode)?)
}
