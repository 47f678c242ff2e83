//! The tools whose calls an installed hook never sees.

use crate::agent::Agent;
use crate::hook_event::HookEvent;
use crate::hook_settings::InstalledHook;
use serde::Serialize;

/// The tool that Claude Code has on Windows alone.
const WINDOWS_TOOL: &str = "PowerShell";

/// The tools that the hook answers at an event and its settings leave out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnmatchedTools {
    /// The event.
    pub event: HookEvent,
    /// The names of the tools.
    pub tools: Vec<&'static str>,
}

/// Finds the tools of an agent that no matcher of its installed hooks names, by event. A regular expression is taken for
/// one that names all.
pub fn find_unmatched_tools(agent: Agent, hooks: &[InstalledHook]) -> Vec<UnmatchedTools> {
    let unmatched = HookEvent::ALL.into_iter().filter_map(|event| {
        let own: Vec<&InstalledHook> = hooks.iter().filter(|hook| hook.event == event).collect();
        let matcher = event.matcher(agent).filter(|_| !own.is_empty())?;
        let tools = matcher
            .split('|')
            .filter(|tool| cfg!(windows) || *tool != WINDOWS_TOOL);
        let is_left_out = |tool: &&str| !own.iter().any(|hook| is_matched(hook, tool));
        let tools: Vec<&'static str> = tools.filter(is_left_out).collect();
        (!tools.is_empty()).then_some(UnmatchedTools { event, tools })
    });
    unmatched.collect()
}

fn is_matched(hook: &InstalledHook, tool: &str) -> bool {
    let matcher = hook.matcher.as_deref().unwrap_or_default();
    let is_list = |c: char| c.is_alphanumeric() || "_|".contains(c);
    matcher.is_empty() || !matcher.chars().all(is_list) || matcher.split('|').any(|it| it == tool)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hook_invocation::{HookInvocation, HookShell};
    use std::path::Path;

    fn hook(event: HookEvent, matcher: Option<&str>) -> InstalledHook {
        InstalledHook {
            event,
            command: HookInvocation::new(Path::new("session-search"), HookShell::Posix),
            matcher: matcher.map(str::to_owned),
        }
    }

    #[test]
    fn tools_that_no_matcher_names_are_found() {
        let find = |matchers: &[&str]| {
            let hooks = matchers.iter();
            let hooks = hooks.map(|it| hook(HookEvent::PreToolUse, Some(it)));
            find_unmatched_tools(Agent::Claude, &hooks.collect::<Vec<_>>())
        };
        let narrow = find(&["Bash|Edit", "Grep|Glob"]);
        assert_eq!(narrow[0].event, HookEvent::PreToolUse);
        let left_out = |tools: &[&'static str]| {
            let mut tools = tools.to_vec();
            tools.retain(|tool| *tool != WINDOWS_TOOL);
            tools
        };
        assert_eq!(
            left_out(&narrow[0].tools),
            ["Read", "MultiEdit", "Write", "NotebookEdit", "Agent"]
        );
        assert_eq!(narrow[0].tools.contains(&WINDOWS_TOOL), cfg!(windows));
        let matcher = HookEvent::PreToolUse.matcher(Agent::Claude).unwrap();
        for all in ["", "*", ".*", matcher] {
            assert_eq!(find(&["Bash", all]), []);
        }
        let of_codex = HookEvent::PreToolUse.matcher(Agent::Codex).unwrap();
        assert_eq!(find(&[of_codex]).is_empty(), !cfg!(windows));
        let codex = [hook(HookEvent::PreToolUse, Some(of_codex))];
        assert_eq!(find_unmatched_tools(Agent::Codex, &codex), []);
        assert_eq!(find(&[]), []);
        let others = [
            hook(HookEvent::SessionStart, Some("startup")),
            hook(HookEvent::PreToolUse, None),
        ];
        assert_eq!(find_unmatched_tools(Agent::Claude, &others), []);
    }
}
