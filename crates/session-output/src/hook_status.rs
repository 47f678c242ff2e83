//! The hook as settings have it.

use crate::layout::safe_line;
use serde::Serialize;

/// The hook in one settings file, as `docs/cli.md` describes it.
#[derive(Serialize)]
pub struct JsonHookStatus {
    /// The agent: `claude`, `opencode` or `codex`.
    pub agent: &'static str,
    /// The settings file.
    pub path: String,
    /// Whose settings: `user` or `project`.
    pub scope: &'static str,
    /// The events that the hook answers.
    pub events: Vec<&'static str>,
    /// Its command line.
    pub command: Option<String>,
    /// True where the program of the command line is there.
    pub works: bool,
}

/// Formats the hook of one settings file.
pub fn format_hook_status(status: &JsonHookStatus) -> String {
    let events = match status.events.is_empty() {
        true => "not installed".to_owned(),
        false => status.events.join(", "),
    };
    let missing = match (&status.command, status.works) {
        (Some(command), false) => format!(
            "\n    its program is not there: {}; `session-search hook install --agent {}` mends it",
            safe_line(command),
            status.agent,
        ),
        _ => String::new(),
    };
    format!(
        "{:<8} {}: {events}{missing}",
        status.scope,
        safe_line(&status.path)
    )
}
