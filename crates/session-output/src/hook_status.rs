//! The hook as settings have it.

use session_agents::{HookScope, HookStatus, UnmatchedTools};
use session_config::{Setting, SettingOrigin};
use session_core::text::path_line;
use session_display::sanitize_line;

/// Formats of which calls the hook never learns, and why.
pub fn format_unmatched_tools(unmatched: &UnmatchedTools) -> String {
    let UnmatchedTools { event, tools } = unmatched;
    let tools = tools.join(", ");
    format!("the `matcher` of {event} leaves out {tools}")
}

/// The keys that switch injection off.
const INJECTION_SWITCHES: [&str; 2] = ["enabled", "auto_retrieve"];

/// Formats which of the settings switches injection off, and where it is set; `None` where none does.
pub fn format_injection_switch(settings: &[Setting]) -> Option<String> {
    let is_off =
        |one: &&Setting| INJECTION_SWITCHES.contains(&one.key.as_str()) && one.value == false;
    let Setting { key, origin, .. } = settings.iter().find(is_off)?;
    let origin = match origin {
        SettingOrigin::Default => "the defaults".to_owned(),
        SettingOrigin::File(path) => path_line(path),
        SettingOrigin::Variable(name) => name.clone(),
    };
    Some(format!(
        "`{key} = false` in {origin}: the hook injects nothing"
    ))
}

/// Formats the hook of one settings file: whose it is and whether it works, then the file and the events.
pub fn format_hook_status(status: &HookStatus) -> String {
    let state = match (status.events.is_empty(), status.works) {
        (true, _) => "not installed",
        (false, true) => "works",
        (false, false) if status.awaits_trust => "installed, not trusted yet",
        (false, false) => "does not work",
    };
    let (agent, scope) = (status.agent.title(), status.scope);
    let path = path_line(&status.path);
    let events: Vec<&str> = status.events.iter().map(|event| event.name()).collect();
    let events = (!events.is_empty()).then(|| format!("\n    {}", events.join(", ")));
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
fn describe_failure(status: &HookStatus) -> String {
    if let Some(error) = &status.configuration_error {
        let lines = error.lines().map(sanitize_line);
        let lines = lines.map(|line| format!("\n    {line}"));
        return format!("\n    it prints nothing:{}", lines.collect::<String>());
    }
    match (&status.command, &status.disabled_by) {
        (Some(_), _) if status.works => String::new(),
        (Some(_), _) if status.awaits_trust => format!(
            "\n    {} skips it until you trust it: it asks when it starts, and by /hooks",
            status.agent.title()
        ),
        (Some(_), Some(path)) => format!(
            "\n    `disableAllHooks` turns it off; remove that key from\n    {}",
            path_line(path)
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
fn describe_remedy(status: &HookStatus) -> String {
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
    use session_agents::{Agent, HookEvent};

    fn status(events: &[HookEvent], works: bool) -> HookStatus {
        HookStatus {
            agent: Agent::ALL[0],
            path: "/home/ann/settings.json".into(),
            scope: HookScope::Project,
            events: events.to_vec(),
            command: (!events.is_empty()).then(|| "/gone/session-search hook run".to_owned()),
            works,
            awaits_trust: false,
            configuration_error: None,
            disabled_by: None,
            unmatched_tools: Vec::new(),
        }
    }

    #[test]
    fn what_switches_injection_off_is_named_with_where_it_is_set() {
        let setting = |key: &str, value: bool, origin| Setting {
            key: key.to_owned(),
            value: value.into(),
            origin,
        };
        let file = || SettingOrigin::File("/home/ann/config.toml".into());
        let others = [
            setting("enabled", true, file()),
            setting("auto_save", false, SettingOrigin::Default),
        ];
        assert_eq!(format_injection_switch(&others), None);
        assert_eq!(
            format_injection_switch(&[setting("enabled", false, file())]).unwrap(),
            "`enabled = false` in /home/ann/config.toml: the hook injects nothing"
        );
        let variable = SettingOrigin::Variable("SESSION_SEARCH_AUTO_RETRIEVE".into());
        assert_eq!(
            format_injection_switch(&[setting("auto_retrieve", false, variable)]).unwrap(),
            "`auto_retrieve = false` in SESSION_SEARCH_AUTO_RETRIEVE: the hook injects nothing"
        );
    }

    #[test]
    fn whose_hook_it_is_and_whether_it_works_comes_first() {
        let first_lines = |status: &HookStatus| {
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
            first_lines(&status(
                &[HookEvent::SessionStart, HookEvent::PreCompact],
                true
            )),
            ", project: works\n    /home/ann/settings.json\n    SessionStart, PreCompact"
        );
        let dead = first_lines(&status(&[HookEvent::PreCompact], false));
        assert!(
            dead.starts_with(", project: does not work\n") && dead.contains("is not there"),
            "{dead}"
        );
        let error = "config.toml, line 3: no value\nhint: give one";
        let mistaken = status(&[HookEvent::PreCompact], true).with_configuration_error(Some(error));
        let expected = ", project: does not work\n    /home/ann/settings.json\n    PreCompact\n    it prints nothing:\n    config.toml, line 3: no value\n    hint: give one";
        assert_eq!(first_lines(&mistaken), expected);
        let waiting = first_lines(&HookStatus {
            awaits_trust: true,
            ..status(&[HookEvent::PreCompact], false)
        });
        assert!(
            waiting.starts_with(", project: installed, not trusted yet\n")
                && waiting.ends_with("it asks when it starts, and by /hooks"),
            "{waiting}"
        );
    }
}
