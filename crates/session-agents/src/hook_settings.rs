//! The hook in Claude Code's settings, and in Codex' file of hooks, which has the same shape.

use crate::agent::Agent;
use crate::error::{Result, SettingsResult};
use crate::hook_event::HookEvent;
use crate::hook_invocation::{ARGUMENTS, COMMAND, HookInvocation, HookShell};
use crate::settings_file::{SettingsChange, SettingsFile};
use crate::settings_text::{SettingsText, list_under, object_under, remove_property};
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode};
use jsonc_parser::json;
use serde_json::Value;
use std::collections::HashSet;
use std::path::Path;

pub(crate) const HOOKS: &str = "hooks";
const DISABLED: &str = "disableAllHooks";
/// Seconds after which an agent stops waiting for the hook.
const TIMEOUT_S: i32 = 5;

/// Our hook, as settings have it for one event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledHook {
    /// The event that it answers.
    pub event: HookEvent,
    /// Its command.
    pub command: HookInvocation,
    /// The tools for which it is run, as its settings name them; `None` for all.
    pub matcher: Option<String>,
}

impl SettingsFile {
    /// Reads for which events the hook is installed.
    ///
    /// # Errors
    /// When the file cannot be read, or is not a JSON object.
    pub fn installed_hooks(&self) -> Result<Vec<InstalledHook>> {
        let text = self.read()?.unwrap_or_default();
        SettingsText::parse(&text).map_err(|e| self.error(e))?;
        Ok(find_hooks(&text, self.hook_shell()))
    }

    /// Reads whether the settings turn all hooks off; `None` if they do not say.
    ///
    /// # Errors
    /// When the file cannot be read, or is not a JSON object.
    pub(crate) fn disables_hooks(&self) -> Result<Option<bool>> {
        let text = self.read()?.unwrap_or_default();
        let settings = SettingsText::parse(&text).map_err(|e| self.error(e))?;
        let value = settings.object.get(DISABLED);
        Ok(value.and_then(|value| value.to_serde_value()?.as_bool()))
    }

    /// Plans to install a program as the hook for some events. Events that have it already keep it with its settings; the
    /// command of another program is replaced.
    ///
    /// # Errors
    /// When the file cannot be read, is not a JSON object, or has a value of another type where
    /// hooks belong.
    pub fn plan_hook(&self, program: &Path, events: &[HookEvent]) -> Result<SettingsChange> {
        let command = HookInvocation::new(program, self.hook_shell());
        self.plan(|text| add_hook(text, self.agent(), &command, events))
    }

    /// Plans to remove the hook from all events.
    ///
    /// # Errors
    /// When the file cannot be read, or is not a JSON object.
    pub fn plan_hook_removal(&self) -> Result<SettingsChange> {
        let shell = self.hook_shell();
        self.plan_undo(|text| remove_hook(text, shell), self.hook_adder()?)
    }

    /// Returns a function that adds the installed hooks to another text, in their order, which several installations may
    /// have made.
    fn hook_adder(&self) -> Result<impl Fn(&str) -> SettingsResult<String>> {
        let agent = self.agent();
        let text = self.read()?.unwrap_or_default();
        let installed = self.installed_hooks()?;
        let mut events: Vec<HookEvent> = installed.iter().map(|hook| hook.event).collect();
        let order = list_event_keys(&text);
        events.sort_by_key(|event| order.iter().position(|key| key == event.name()));
        let command = installed.into_iter().next().map(|hook| hook.command);
        Ok(move |text: &str| {
            let add = |text: String, event: &HookEvent| match &command {
                Some(command) => add_hook(&text, agent, command, &[*event]),
                None => Ok(text),
            };
            events.iter().try_fold(text.to_owned(), add)
        })
    }

    /// Plans as [`SettingsFile::plan_hook_removal`]. If the file holds nothing else, it is removed.
    pub(crate) fn plan_hook_file_removal(&self) -> Result<SettingsChange> {
        let remove = |text: &str| {
            let rest = remove_hook(text, self.hook_shell())?;
            let is_left_empty = rest != text && SettingsText::parse(&rest)?.is_empty();
            Ok(if is_left_empty { String::new() } else { rest })
        };
        self.plan_undo(remove, self.hook_adder()?)
    }
}

fn add_hook(
    text: &str,
    agent: Agent,
    command: &HookInvocation,
    events: &[HookEvent],
) -> SettingsResult<String> {
    let before = find_hooks(text, command.shell());
    let count = |event| before.iter().filter(|hook| hook.event == event).count();
    let is_wanted = |event: &HookEvent| events.contains(event) || count(*event) > 0;
    let wanted: Vec<HookEvent> = HookEvent::ALL.into_iter().filter(is_wanted).collect();
    let runs_program = |hook: &InstalledHook| hook.command.program() == command.program();
    if wanted.iter().all(|event| count(*event) == 1) && before.iter().all(runs_program) {
        return Ok(text.to_owned());
    }
    let settings = SettingsText::parse(text)?;
    let hooks = object_under(&settings.object, HOOKS)?;
    for event in wanted {
        let name = event.name();
        let groups = list_under(&hooks, name, format!("{HOOKS}.{name}"))?;
        match count(event) {
            0 => append_hook(&groups, agent, command, event),
            _ => update_hooks(&groups, command),
        }
    }
    settings.format_checked()
}

fn append_hook(groups: &CstArray, agent: Agent, command: &HookInvocation, event: HookEvent) {
    groups.ensure_multiline();
    let property = |name: &str, value: CstInputValue| (name.to_owned(), value);
    let arguments = command.arguments().map(|words| words.to_vec().into());
    let properties = [
        Some(property("type", "command".into())),
        Some(property(COMMAND, command.command().into())),
        arguments.map(|words| property(ARGUMENTS, words)),
        Some(property("timeout", TIMEOUT_S.into())),
    ];
    let properties: Vec<_> = properties.into_iter().flatten().collect();
    let hook = vec![CstInputValue::Object(properties)];
    groups.append(match event.matcher(agent) {
        Some(tools) => json!({"matcher": tools, "hooks": hook}),
        None => json!({"hooks": hook}),
    });
}

/// Sets the command of our first hook for each matcher in the groups of an event, and removes our others. The
/// matcher and the timeout of the first stay, and its command where that runs the same program.
fn update_hooks(groups: &CstArray, command: &HookInvocation) {
    let mut matchers = HashSet::new();
    for group in groups.elements() {
        let Some(GroupHooks { own, others }) = GroupHooks::split(&group, command.shell()) else {
            continue;
        };
        let mut own = own.into_iter();
        if own.len() > 0 && matchers.insert(read_matcher(&group)) {
            own.next()
                .iter()
                .for_each(|first| set_command(first, command));
        } else if others.is_empty() && own.len() > 0 {
            group.remove();
            continue;
        }
        own.for_each(CstNode::remove);
    }
}

fn set_command(hook: &CstNode, command: &HookInvocation) {
    let old = serde_json::from_str(&hook.to_string()).unwrap_or_default();
    let old = HookInvocation::read(&old, command.shell());
    let runs_program = old.is_some_and(|old| old.program() == command.program());
    let Some(hook) = hook.as_object().filter(|_| !runs_program) else {
        return;
    };
    if let Some(property) = hook.get(COMMAND) {
        property.set_value(command.command().into());
        remove_property(&hook, ARGUMENTS);
        if let Some(words) = command.arguments() {
            hook.append(ARGUMENTS, words.to_vec().into());
        }
    }
}

fn remove_hook(text: &str, shell: HookShell) -> SettingsResult<String> {
    let settings = SettingsText::parse(text)?;
    let hooks = settings.object.object_value(HOOKS);
    let Some(hooks) = hooks.filter(|_| !find_hooks(text, shell).is_empty()) else {
        return Ok(text.to_owned());
    };
    for event in HookEvent::ALL {
        if let Some(groups) = hooks.array_value(event.name()) {
            remove_from_groups(&groups, shell);
            if groups.elements().is_empty() {
                remove_property(&hooks, event.name());
            }
        }
    }
    if hooks.properties().is_empty() {
        remove_property(&settings.object, HOOKS);
    }
    settings.format_checked()
}

/// Removes our commands from the groups of an event, and each group that had no other.
fn remove_from_groups(groups: &CstArray, shell: HookShell) {
    for group in groups.elements() {
        let Some(GroupHooks { own, others }) = GroupHooks::split(&group, shell) else {
            continue;
        };
        match (own.is_empty(), others.is_empty()) {
            (true, _) => {}
            (false, true) => group.remove(),
            (false, false) => own.into_iter().for_each(CstNode::remove),
        }
    }
}

/// Returns the tools for which a group is run; `None` if it names none.
fn read_matcher(group: &CstNode) -> Option<String> {
    let group: Value = serde_json::from_str(&group.to_string()).ok()?;
    parse_matcher(&group)
}

fn parse_matcher(group: &Value) -> Option<String> {
    Some(group["matcher"].as_str()?.to_owned())
}

/// The hooks in a group of an event.
struct GroupHooks {
    /// Those that run this program.
    own: Vec<CstNode>,
    others: Vec<CstNode>,
}

impl GroupHooks {
    /// Splits the hooks of a group; `None` if it has no list of hooks.
    fn split(group: &CstNode, shell: HookShell) -> Option<Self> {
        let hooks = group.as_object()?.array_value(HOOKS)?.elements();
        let is_own = |hook: &CstNode| is_own_node(hook, shell);
        let (own, others) = hooks.into_iter().partition(is_own);
        Some(Self { own, others })
    }
}

fn is_own_node(hook: &CstNode, shell: HookShell) -> bool {
    let hook = serde_json::from_str(&hook.to_string());
    hook.is_ok_and(|hook| HookInvocation::read(&hook, shell).is_some())
}

fn find_hooks(text: &str, shell: HookShell) -> Vec<InstalledHook> {
    let settings: Value = serde_json::from_str(text).unwrap_or_default();
    let find = |event: HookEvent| {
        let groups = settings[HOOKS][event.name()].as_array();
        let groups = groups.into_iter().flatten();
        groups
            .flat_map(|group| find_hooks_in_group(group, event, shell))
            .collect::<Vec<_>>()
    };
    HookEvent::ALL.into_iter().flat_map(find).collect()
}

fn find_hooks_in_group(group: &Value, event: HookEvent, shell: HookShell) -> Vec<InstalledHook> {
    let hooks = group[HOOKS].as_array().into_iter().flatten();
    let commands = hooks.filter_map(|hook| HookInvocation::read(hook, shell));
    let hook = |command| InstalledHook {
        event,
        command,
        matcher: parse_matcher(group),
    };
    commands.map(hook).collect()
}

/// Lists the keys of `hooks` in their order.
fn list_event_keys(text: &str) -> Vec<String> {
    let settings = SettingsText::parse(text).ok();
    let hooks = settings.and_then(|settings| settings.object.object_value(HOOKS));
    let properties = hooks.map(|hooks| hooks.properties()).unwrap_or_default();
    let names = properties
        .into_iter()
        .filter_map(|property| property.name());
    names.filter_map(|name| name.decoded_value().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hook_event::{CLAUDE_TOOLS, TOOLS};

    const COMMAND: &str = "/opt/bin/session-search hook run";
    const OTHERS: &str = "{\n  \"model\": \"x\",\n  \"hooks\": {\n    \"UserPromptSubmit\": [\n      {\n        \"hooks\": [\n          { \"type\": \"command\", \"command\": \"mine\" }\n        ]\n      }\n    ]\n  },\n  \"a\": 1.0\n}\n";

    /// Reads a command line as settings hold one.
    fn read_line(line: &str, shell: HookShell) -> HookInvocation {
        HookInvocation::read(&serde_json::json!({ "command": line }), shell).unwrap()
    }

    fn add_hook(text: &str, line: &str, events: &[HookEvent]) -> SettingsResult<String> {
        super::add_hook(
            text,
            Agent::Claude,
            &read_line(line, HookShell::Posix),
            events,
        )
    }

    fn remove_hook(text: &str) -> SettingsResult<String> {
        super::remove_hook(text, HookShell::Posix)
    }

    fn find_hooks(text: &str) -> Vec<InstalledHook> {
        super::find_hooks(text, HookShell::Posix)
    }

    fn add_and_remove(text: &str, events: &[HookEvent]) {
        let new = add_hook(text, COMMAND, events).unwrap();
        let found: Vec<HookEvent> = find_hooks(&new).iter().map(|hook| hook.event).collect();
        assert_eq!(found, events, "{new}");
        assert_eq!(add_hook(&new, COMMAND, events).unwrap(), new);
        let back = remove_hook(&new).unwrap();
        assert!(find_hooks(&back).is_empty());
        let value = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        if !text.is_empty() {
            assert_eq!(value(&back), value(text));
        }
        assert_eq!(remove_hook(&back).unwrap(), back);
    }

    #[test]
    fn the_hook_is_added_and_removed_without_another_change() {
        use HookEvent::{PreCompact, SessionStart, UserPromptSubmit};
        for text in [
            "",
            "{}",
            "{\"a\": 1}",
            OTHERS,
            &OTHERS.replace('\n', "\r\n"),
            "{\n\t\"z\": [1,\n2]\n}",
        ] {
            add_and_remove(text, &[UserPromptSubmit]);
            add_and_remove(text, &[UserPromptSubmit, SessionStart, PreCompact]);
            add_and_remove(text, &HookEvent::ALL);
        }
        let new = add_hook(OTHERS, COMMAND, &[UserPromptSubmit]).unwrap();
        assert_eq!(remove_hook(&new).unwrap(), OTHERS);
    }

    #[test]
    fn only_tools_that_a_memory_may_be_about_are_matched() {
        let new = add_hook("", COMMAND, &HookEvent::default_for(Agent::Claude)).unwrap();
        let settings: Value = serde_json::from_str(&new).unwrap();
        let matcher = |event: &str| settings[HOOKS][event][0]["matcher"].clone();
        assert_eq!(matcher("PreToolUse"), CLAUDE_TOOLS);
        assert_eq!(matcher("PostToolUseFailure"), Value::Null);
    }

    #[test]
    fn the_line_of_codex_names_no_tool_that_it_lacks() {
        let command = read_line(COMMAND, HookShell::Posix);
        let events = HookEvent::default_for(Agent::Codex);
        let new = super::add_hook("", Agent::Codex, &command, &events).unwrap();
        let settings: Value = serde_json::from_str(&new).unwrap();
        assert_eq!(settings[HOOKS]["PreToolUse"][0]["matcher"], TOOLS);
        assert!(!new.contains("PowerShell"), "{new}");
    }

    #[test]
    fn another_program_replaces_the_old_one_for_every_event() {
        let old = add_hook(OTHERS, "/old/session-search hook run", &HookEvent::ALL).unwrap();
        let new = add_hook(&old, COMMAND, &[HookEvent::UserPromptSubmit]).unwrap();
        assert!(!new.contains("/old/"), "{new}");
        assert_eq!(find_hooks(&new).len(), HookEvent::ALL.len());
        let twice = add_hook("", "/old/session-search hook run", &[HookEvent::PreCompact]).unwrap();
        let group = "{\"hooks\": [{\"command\": \"/x/session-search-v0.1.0 hook run\"}]}";
        let twice = twice.replace("\"PreCompact\": [", &format!("\"PreCompact\": [{group},"));
        let new = add_hook(&twice, COMMAND, &[]).unwrap();
        assert_eq!(find_hooks(&new).len(), 1, "{new}");
        assert_eq!(find_hooks(&new)[0].command.to_string(), COMMAND);
        let edited = old.replace("hook run", "hook run || true");
        assert_eq!(find_hooks(&edited).len(), HookEvent::ALL.len());
        assert!(find_hooks(&remove_hook(&edited).unwrap()).is_empty());
    }

    #[test]
    fn a_hook_whose_arguments_stand_apart_is_found_kept_and_removed() {
        let hook = r#"{"type": "command", "command": "/opt/my bin/session-search", "args": ["hook", "run"]}"#;
        let old = format!("{{\"hooks\": {{\"PreToolUse\": [{{\"hooks\": [{hook}]}}]}}}}");
        let line = find_hooks(&old)[0].command.to_string();
        assert_eq!(line, "'/opt/my bin/session-search' hook run");
        assert_eq!(
            add_hook(&old, &line, &[HookEvent::PreToolUse]).unwrap(),
            old
        );
        let new = add_hook(&old, COMMAND, &[HookEvent::PreToolUse]).unwrap();
        assert_eq!(find_hooks(&new).len(), 1, "{new}");
        assert_eq!(find_hooks(&new)[0].command.to_string(), COMMAND);
        assert!(!new.contains("args"), "{new}");
        assert!(find_hooks(&remove_hook(&old).unwrap()).is_empty());
        for other in [
            old.replace("session-search", "other"),
            old.replace("\"run\"", "7"),
        ] {
            assert!(find_hooks(&other).is_empty(), "{other}");
        }
    }

    #[test]
    fn on_windows_claude_code_gets_the_arguments_apart_and_no_line_for_its_shell() {
        let shell = HookShell::new(Agent::Claude, true);
        let program = r"C:\Users\ann\bin\session-search.exe";
        let command = HookInvocation::new(Path::new(program), shell);
        let events = [HookEvent::UserPromptSubmit, HookEvent::PreToolUse];
        let new = super::add_hook(OTHERS, Agent::Claude, &command, &events).unwrap();
        let settings: Value = serde_json::from_str(&new).unwrap();
        let hook = serde_json::json!({
            "type": "command", "command": program, "args": ["hook", "run"], "timeout": TIMEOUT_S,
        });
        assert_eq!(settings[HOOKS]["PreToolUse"][0][HOOKS][0], hook);
        assert_eq!(
            super::add_hook(&new, Agent::Claude, &command, &events).unwrap(),
            new
        );
        assert_eq!(super::remove_hook(&new, shell).unwrap(), OTHERS);
        // What an earlier version wrote: the shell takes its backslashes away.
        let old = super::add_hook(
            OTHERS,
            Agent::Claude,
            &read_line(&format!("{program} hook run"), shell),
            &events,
        );
        let mended = super::add_hook(&old.unwrap(), Agent::Claude, &command, &events).unwrap();
        let settings: Value = serde_json::from_str(&mended).unwrap();
        assert_eq!(settings[HOOKS]["PreToolUse"][0][HOOKS][0], hook, "{mended}");
        assert_eq!(super::find_hooks(&mended, shell).len(), events.len());
        let quoted = read_line(&format!("'{program}' hook run"), shell);
        let kept = super::add_hook(OTHERS, Agent::Claude, &quoted, &events).unwrap();
        assert_eq!(
            super::add_hook(&kept, Agent::Claude, &command, &events).unwrap(),
            kept,
            "it works"
        );
    }

    #[test]
    fn what_the_user_set_of_a_hook_stays() {
        let old = "{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"Edit\", \"hooks\": [{\"command\": \"timeout 9 /old/session-search hook run\", \"timeout\": 9}]}]}}";
        let new = add_hook(old, COMMAND, &[HookEvent::PreToolUse]).unwrap();
        assert_eq!(
            new,
            old.replace("timeout 9 /old/session-search hook run", COMMAND)
        );
        let edited = new.replace(COMMAND, &format!("timeout 9 {COMMAND} || true"));
        let again = add_hook(&edited, COMMAND, &[HookEvent::PreToolUse]).unwrap();
        assert_eq!(again, edited, "the same program");
        let group =
            "{\"matcher\": \"Bash\", \"hooks\": [{\"command\": \"/old/session-search hook run\"}]}";
        let two = edited.replace("\"PreToolUse\": [", &format!("\"PreToolUse\": [{group}, "));
        let again = add_hook(&two, COMMAND, &[HookEvent::PreToolUse]).unwrap();
        assert_eq!(find_hooks(&again).len(), 2, "each has its tools: {again}");
    }

    #[test]
    fn settings_of_another_shape_are_refused() {
        for text in [
            "[]",
            "{\"hooks\": {}, \"hooks\": {\"Stop\": []}}",
            "\u{feff}{}",
            "{",
            "// x\n{}",
            "{\"hooks\": 3}",
            "{\"hooks\": {\"UserPromptSubmit\": {}}}",
        ] {
            let new = add_hook(text, COMMAND, &[HookEvent::UserPromptSubmit]);
            assert!(new.is_err(), "{text}");
        }
    }
}
