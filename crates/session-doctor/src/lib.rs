//! Examines the index, the histories and the agents' settings, and says what to do.
//!
//! [`examine`] returns [`DoctorFinding`]s and writes nothing. A finding has its check, its severity, and what helps.
//! [`examine_memories`] returns those of a project's memories. If this program can repair something, the finding names a
//! [`DoctorFix`], which the caller applies, for example by [`close_permissions`]. To apply one twice does no harm.
//!
//! ```
//! use session_agents::MergedSettings;
//! use session_config::Home;
//! use session_doctor::{DoctorCheck, FindingSeverity, examine};
//! use session_sources::Env;
//!
//! let user = tempfile::tempdir().unwrap();
//! let env = Env::with_home(user.path());
//! let home = Home::new(env, user.path().join("index"));
//! let settings = MergedSettings::new(&home.env, None)?;
//! let findings = examine(&home, &settings);
//! assert!(findings.iter().any(|f| f.check == DoctorCheck::Index && f.severity == FindingSeverity::Note));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod agent_checks;
mod checks;
mod config_checks;
mod content_checks;
#[cfg_attr(not(unix), path = "no_disk_checks.rs")]
mod disk_checks;
mod finding;
mod history_checks;
mod index_checks;
mod memory_checks;
mod model_checks;

pub use checks::examine;
pub use config_checks::examine_configuration;
pub use disk_checks::close_permissions;
pub use finding::{DoctorCheck, DoctorFinding, DoctorFix, FindingSeverity};
pub use memory_checks::examine_memories;
