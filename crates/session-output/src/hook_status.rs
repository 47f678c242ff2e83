//! The hook as settings have it.

use crate::layout::sanitize_line;
use serde::{Serialize, Serializer};
use session_agents::{Agent, UnmatchedTools};

/// Whose settings hold a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum HookScope {
    /// The user's, for all projects.
    User,
    /// The project's, for all who work in it.
    Project,
    /// The user's own in a project.
    Local,
}

impl HookScope {
    /// Returns the scope that `--project` chooses.
    pub fn from_flag(project: bool) -> Self {
        if project { Self::Project } else { Self::User }
    }

    /// Returns the name, as JSON has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
            Self::Local => "local",
        }
    }
}

/// The hook in one settings file, as `docs/cli.md` describes it.
#[derive(Serialize)]
pub struct JsonHookStatus {
    /// The agent.
    #[serde(serialize_with = "serialize_name")]
    pub agent: Agent,
    /// The settings file.
    pub path: String,
    /// Whose settings they are.
    pub scope: HookScope,
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

fn serialize_name<S: Serializer>(agent: &Agent, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(agent.name())
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

/// Formats the hook of one settings file: whose it is and whether it works, then the file and the events.
pub fn format_hook_status(status: &JsonHookStatus) -> String {
    let state = match (status.events.is_empty(), status.works) {
        (true, _) => "not installed",
        (false, true) => "works",
        (false, false) => "does not work",
    };
    let (agent, scope) = (status.agent.title(), status.scope.name());
    let path = sanitize_line(&status.path);
    let events = (!status.events.is_empty()).then(|| format!("\n    {}", status.events.join(", ")));
    let unmatched = status.unmatched_tools.iter();
    let unmatched = unmatched.map(|it| format!("\n    {}", format_unmatched_tools(it)));
    format!(
        "{agent}, {scope}: {state}\n    {path}{}{}{}",
        events.unwrap_or_default(),
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
    let has_chosen_events = status.agent.has_chosen_events();
    let event = status.events.first().filter(|_| has_chosen_events);
    let event = event.map_or(String::new(), |event| format!(" --event {event}"));
    let command = format!(
        "`session-search hook install --agent {}{event}",
        status.agent.name()
    );
    match status.scope {
        HookScope::Local => "correct that file".to_owned(),
        HookScope::Project => format!("{command} --project` repairs it"),
        HookScope::User => format!("{command}` repairs it"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(events: &[&'static str], works: bool) -> JsonHookStatus {
        JsonHookStatus {
            agent: Agent::ALL[0],
            path: "/home/ann/settings.json".to_owned(),
            scope: HookScope::Project,
            events: events.to_vec(),
            command: (!events.is_empty()).then(|| "/gone/session-search hook run".to_owned()),
            works,
            disabled_by: None,
            unmatched_tools: Vec::new(),
        }
    }

    #[test]
    fn whose_hook_it_is_and_whether_it_works_comes_first() {
        let first_lines = |status: &JsonHookStatus| {
            let text = format_hook_status(status);
            let agent = status.agent.title();
            assert!(text.starts_with(agent), "{text}");
            text[agent.len()..].to_owned()
        };
        assert_eq!(
            first_lines(&status(&[], false)),
            ", project: not installed\n    /home/ann/settings.json"
        );
        assert_eq!(
            first_lines(&status(&["SessionStart", "Stop"], true)),
            ", project: works\n    /home/ann/settings.json\n    SessionStart, Stop"
        );
        let dead = first_lines(&status(&["Stop"], false));
        assert!(
            dead.starts_with(", project: does not work\n") && dead.contains("is not there"),
            "{dead}"
        );
        let json = serde_json::to_value(status(&[], false)).unwrap();
        assert_eq!(json["agent"], Agent::ALL[0].name());
        assert_eq!(json["scope"], "project");
    }
}
