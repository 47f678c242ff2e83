//! The hook as settings have it.

use crate::layout::sanitize_line;
use serde::Serialize;
use session_agents::{Agent, UnmatchedTools};

/// The hook in one settings file, as `docs/cli.md` describes it.
#[derive(Serialize)]
pub struct JsonHookStatus {
    /// The agent: `claude`, `opencode` or `codex`.
    pub agent: &'static str,
    /// The settings file.
    pub path: String,
    /// Whose settings: `user`, `project`, or `local`, the user's own in a project.
    pub scope: &'static str,
    /// The events that the hook answers.
    pub events: Vec<&'static str>,
    /// Its command line.
    pub command: Option<String>,
    /// True where the program of the command line is there, and the agent runs hooks.
    pub works: bool,
    /// The settings that turn all hooks off.
    pub disabled_by: Option<String>,
    /// The tools that the hook answers and its settings leave out.
    pub unmatched_tools: Vec<JsonUnmatchedTools>,
}

/// Tools that settings leave out at an event.
#[derive(Serialize)]
pub struct JsonUnmatchedTools {
    /// The event.
    pub event: &'static str,
    /// The names of the tools.
    pub tools: Vec<&'static str>,
}

impl From<UnmatchedTools> for JsonUnmatchedTools {
    fn from(unmatched: UnmatchedTools) -> Self {
        Self {
            event: unmatched.event.name(),
            tools: unmatched.tools,
        }
    }
}

/// Formats of which calls the hook never learns, and why.
pub fn format_unmatched_tools(unmatched: &JsonUnmatchedTools) -> String {
    let JsonUnmatchedTools { event, tools } = unmatched;
    let tools = tools.join(", ");
    format!("the `matcher` of {event} leaves out {tools}")
}

/// Formats the hook of one settings file.
pub fn format_hook_status(status: &JsonHookStatus) -> String {
    let events = match status.events.is_empty() {
        true => "not installed".to_owned(),
        false => status.events.join(", "),
    };
    let path = sanitize_line(&status.path);
    let unmatched = status.unmatched_tools.iter();
    let unmatched = unmatched.map(|it| format!("\n    {}", format_unmatched_tools(it)));
    format!(
        "{:<8} {path}:\n    {events}{}{}",
        status.scope,
        unmatched.collect::<String>(),
        describe_failure(status)
    )
}

/// Formats why the hook does not work, and what helps.
fn describe_failure(status: &JsonHookStatus) -> String {
    match (&status.command, &status.disabled_by) {
        (Some(_), _) if status.works => String::new(),
        (Some(_), Some(path)) => format!(
            "\n    `disableAllHooks` turns it off; remove that key from\n    {}",
            sanitize_line(path)
        ),
        (Some(command), None) => format!(
            "\n    its program is not there: {}\n    {}",
            sanitize_line(command),
            describe_remedy(status)
        ),
        (None, _) => String::new(),
    }
}

/// Formats what gives the hook a program that is there. One event that it has is named: without any, others would
/// be added.
fn describe_remedy(status: &JsonHookStatus) -> String {
    let agent = Agent::from_name(status.agent).filter(|agent| agent.has_chosen_events());
    let event = agent.and(status.events.first());
    let event = event.map_or(String::new(), |event| format!(" --event {event}"));
    let command = format!(
        "`session-search hook install --agent {}{event}",
        status.agent
    );
    match status.scope {
        "local" => "correct that file".to_owned(),
        "project" => format!("{command} --project` repairs it"),
        _ => format!("{command}` repairs it"),
    }
}
