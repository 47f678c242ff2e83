//! Examines the index, the histories and the agents' settings, and says what to do.
//!
//! [`examine`] returns [`DoctorFinding`]s, each with the check that it is from, how serious it is, and what
//! helps; it writes nothing. [`examine_memories`] does so for the memories of a project. Where this program can repair something, the finding names a [`DoctorFix`], which the
//! caller applies: each may be applied twice. [`close_permissions`] is one of them.
//!
//! ```
//! use session_agents::MergedSettings;
//! use session_config::Home;
//! use session_doctor::{FindingSeverity, examine};
//! use session_sources::Env;
//!
//! let user = tempfile::tempdir().unwrap();
//! let env = Env::with_home(user.path());
//! let home = Home::new(env, user.path().join("index"));
//! let settings = MergedSettings::new(&home.env, None)?;
//! let findings = examine(&home, &settings);
//! assert!(findings.iter().any(|f| f.check == "index" && f.severity == FindingSeverity::Note));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod agent_checks;
mod config_checks;
mod content_checks;
#[cfg_attr(not(unix), path = "no_disk_checks.rs")]
mod disk_checks;
mod finding;
mod history_checks;
mod index_checks;
mod memory_checks;
mod model_checks;

pub use config_checks::examine_configuration;
pub use disk_checks::close_permissions;
pub use finding::{DoctorFinding, DoctorFix, FindingSeverity};
pub use memory_checks::examine_memories;

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
