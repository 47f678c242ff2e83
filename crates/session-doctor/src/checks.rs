//! All checks, in the order of their findings.

use crate::finding::DoctorFinding;
use crate::{agent_checks, disk_checks, history_checks, index_checks, model_checks};
use session_agents::MergedSettings;
use session_config::Home;

/// Runs all checks, those of the index first. The settings are those that Claude Code merges where it is run.
pub fn examine(home: &Home, settings: &MergedSettings) -> Vec<DoctorFinding> {
    let histories = history_checks::locate_histories(home);
    let mut findings = index_checks::check_index(home, &histories);
    findings.extend(model_checks::check_model(home));
    findings.extend(disk_checks::check_disk(
        &home.index_directory,
        &home.directories().data,
    ));
    findings.extend(history_checks::check_sources(&histories));
    findings.extend(history_checks::check_history_variables(home));
    findings.extend(history_checks::check_homes(home));
    findings.extend(history_checks::check_retention(home, settings));
    let other_hooks = agent_checks::check_other_hooks(home);
    findings.extend(agent_checks::check_hook(home, settings, &other_hooks));
    findings.extend(other_hooks);
    findings.extend(agent_checks::check_skill(home));
    findings.extend(agent_checks::check_servers(home));
    findings
}
