//! Environment variables of the user, without those that lead into the project.

use crate::output::notes;
use session_config::{Home, RemovedVariable, SettingOrigin};
use session_core::text::printable;
use std::io::Write;
use std::sync::OnceLock;

/// Returns the program that a variable names, unless the variable leads into the project.
pub fn program(variable: &str) -> Option<String> {
    Home::unconfigured().ok()?.program(variable)
}

/// The variables that the process removed at its start.
static REMOVED: OnceLock<Vec<RemovedVariable>> = OnceLock::new();

/// Remembers the variables that the process removed at its start; once.
pub fn remember_removed(variables: Vec<RemovedVariable>) {
    let _ = REMOVED.set(variables);
}

/// Returns the variables that the process removed at its start.
pub fn removed() -> &'static [RemovedVariable] {
    REMOVED.get().map_or(&[], Vec::as_slice)
}

/// Notes which variables are left out. A failure to note it changes nothing.
pub fn note_refused() {
    for variable in removed().iter().filter(|removed| removed.changes_times()) {
        let name = variable.name;
        let _ = writeln!(
            notes::stderr(),
            "note: the variable {name} is left out, since it names no time zone by its name, its rule or the system's folder"
        );
    }
    let Ok(home) = Home::unconfigured() else {
        return;
    };
    for name in &home.refused {
        let _ = writeln!(
            notes::stderr(),
            "note: the variable {} is left out, since it names something in this project, or no whole path outside of /dev and /proc",
            printable(name)
        );
    }
    for setting in home.ignored_variables() {
        if let SettingOrigin::Variable(name) = setting.origin {
            let reason = setting.reason;
            let _ = writeln!(
                notes::stderr(),
                "note: the variable {name} is left out: {reason}"
            );
        }
    }
}
