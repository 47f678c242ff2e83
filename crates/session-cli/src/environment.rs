//! Environment variables of the user, without those that lead into the project.

use crate::output::notes::print_note;
use session_config::{Home, RemovedVariable, SettingOrigin, explain_removal};
use session_core::text::path_line;
use session_files::HOME_VARIABLE;
use std::sync::OnceLock;

/// Returns the program that a variable names, unless the variable leads into the project.
pub fn find_program(variable: &str) -> Option<String> {
    Home::unconfigured().ok()?.program(variable)
}

/// The variables that the process removed at its start.
static REMOVED: OnceLock<Vec<RemovedVariable>> = OnceLock::new();

/// Remembers the variables that the process removed at its start; once.
pub fn remember_removed(variables: Vec<RemovedVariable>) {
    let _ = REMOVED.set(variables);
}

/// Returns the variables that the process removed at its start.
pub fn removed_variables() -> &'static [RemovedVariable] {
    REMOVED.get().map_or(&[], Vec::as_slice)
}

/// Notes which variables are left out. A failure to note it changes nothing.
pub fn note_refused() {
    for variable in removed_variables()
        .iter()
        .filter(|removed| removed.changes_times())
    {
        let name = variable.name;
        let _ = print_note(format!(
            "the variable {name} is left out, since it names no time zone by its name, its rule or the system's folder"
        ));
    }
    let Ok(home) = Home::unconfigured() else {
        return;
    };
    for name in &home.refused {
        let _ = print_note(format_removal(name, &home));
    }
    let decided = home.keys_of_default_file();
    if !decided.is_empty() {
        let [own, default] = [home.directories(), home.endpoint_directories()]
            .map(|at| path_line(&at.config_file()));
        let keys = decided.join("`, `");
        let _ = print_note(format!(
            "only `{default}` decides `{keys}`; what `{own}` says of it is left out"
        ));
    }
    for setting in home
        .ignored_variables()
        .into_iter()
        .chain(home.unknown_variables())
    {
        let reason = setting.full_reason();
        if let SettingOrigin::Variable(name) = setting.origin {
            let _ = print_note(format!("the variable {name} is left out: {reason}"));
        }
    }
}

/// Notes which variables with authorities are left out: TLS may fail without them. A failure to note it changes nothing.
pub fn note_removed_authorities() {
    let removed = removed_variables().iter();
    for variable in removed.filter(|removed| removed.changes_authorities()) {
        let name = variable.name;
        let _ = print_note(format!(
            "the variable {name} is left out, since it leads into a project, or to nothing that has authorities for TLS"
        ));
    }
}

/// Formats why a variable is left out, and what is used in its place.
fn format_removal(name: &str, home: &Home) -> String {
    let reason = explain_removal(name, &std::env::var_os(name).unwrap_or_default());
    // A list loses single entries and keeps the others. HOME keeps its value, though it is not used.
    if let Some(kept) = home.env.get(name).filter(|_| name != HOME_VARIABLE) {
        let kept = path_line(kept.as_ref());
        return format!("of the variable {name} only `{kept}` is used: {reason}");
    }
    let instead = match name {
        "SESSION_SEARCH_HOME" => format!("the index is in `{}`", path_line(&home.index_directory)),
        "SESSION_SEARCH_CONFIG" => {
            let directory = home.directories().config;
            format!("the configuration is in `{}`", path_line(&directory))
        }
        HOME_VARIABLE => format!("the home folder is `{}`", path_line(&home.env.home)),
        _ => "the default is used".to_owned(),
    };
    format!("the variable {name} is left out: {reason}; {instead}")
}
