//! Environment variables of the user, without those that lead into the project.

use crate::output::notes;
use session_config::{Home, SettingOrigin};
use session_core::text::printable;
use std::io::Write;

/// Returns the program that a variable names, unless the variable leads into the project.
pub fn program(variable: &str) -> Option<String> {
    Home::unconfigured().ok()?.program(variable)
}

/// Notes which variables are left out, and which the process removed at its start. A failure to note it
/// changes nothing.
pub fn note_refused(removed: &[&str]) {
    for name in removed {
        let _ = writeln!(
            notes::stderr(),
            "note: the variable {name} is left out, since it names no time zone by its name or rule"
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
