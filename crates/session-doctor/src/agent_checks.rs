//! Checks of what is installed in the agents.

use crate::finding::{DoctorCheck, DoctorFinding};
use session_agents::{
    Agent, AgentError, HookFile, InstalledHook, McpConfig, MergedSettings, SettingsError,
    SettingsFile, SkillLocation, has_user_skill, program_exists,
};
use session_config::Home;
use std::collections::BTreeSet;

/// Checks whether the hook is installed, whether its program is there, and whether Claude Code runs hooks; `others` are the
/// findings about the hooks of other agents.
pub(crate) fn check_hook(
    home: &Home,
    settings: &MergedSettings,
    others: &[DoctorFinding],
) -> Option<DoctorFinding> {
    let hooks = match settings.installed_hooks() {
        Ok(hooks) => hooks,
        Err(error) => {
            let found = error.full_message();
            return Some(DoctorFinding::problem(
                DoctorCheck::Hook,
                found,
                "correct the file",
            ));
        }
    };
    let plugin = enabled_plugin(home);
    if hooks.is_empty() && plugin.is_none() {
        return describe_missing_hook(home, others);
    }
    let mut installed = hooks.iter();
    let dead = installed.find(|hook| !hook.command.program_exists(&home.env));
    if let Some(hook) = dead {
        return Some(DoctorFinding::problem(
            DoctorCheck::Hook,
            format!("its program is not there: {}", hook.command),
            "`session-search hook status` says what repairs it",
        ));
    }
    if let Some(path) = settings.disabling_file() {
        return Some(DoctorFinding::note(
            DoctorCheck::Hook,
            format!("`disableAllHooks` in {} turns it off", path.display()),
            "remove that key",
        ));
    }
    let found = match plugin.filter(|_| hooks.is_empty()) {
        Some(plugin) => format!("brought by the plugin {plugin}"),
        None => {
            let (agent, events) = (MergedSettings::AGENT.name(), event_names(&hooks));
            format!("installed: {agent}, for {events}")
        }
    };
    Some(DoctorFinding::ok(DoctorCheck::Hook, found))
}

/// Returns the finding that Claude Code has no hook. If another agent has the hook, the finding names Claude Code, and
/// there is none if Claude Code is not used.
fn describe_missing_hook(home: &Home, others: &[DoctorFinding]) -> Option<DoctorFinding> {
    let agent = MergedSettings::AGENT;
    let found = match (others.is_empty(), agent.is_present(&home.env)) {
        (true, _) => "not installed".to_owned(),
        (false, true) => format!("not installed: {}", agent.name()),
        (false, false) => return None,
    };
    Some(DoctorFinding::ok(DoctorCheck::Hook, found))
}

/// Lists the events, each once: your settings and those of a project may both have the hook.
fn event_names(hooks: &[InstalledHook]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for hook in hooks {
        if !names.contains(&hook.event.name()) {
            names.push(hook.event.name());
        }
    }
    let commands: BTreeSet<String> = hooks.iter().map(|h| h.command.to_string()).collect();
    let all = match commands.len() {
        0 | 1 => String::new(),
        count => format!(" ({count} command lines, which all run)"),
    };
    names.join(", ") + &all
}

/// Checks the hooks of OpenCode and Codex that are installed, and whether their program is there.
pub(crate) fn check_other_hooks(home: &Home) -> Vec<DoctorFinding> {
    let others = Agent::ALL
        .into_iter()
        .filter(|agent| !agent.merges_settings());
    let checked = others.filter_map(|agent| check_other_hook(agent, home));
    checked.collect()
}

fn check_other_hook(agent: Agent, home: &Home) -> Option<DoctorFinding> {
    let file = HookFile::new(agent, &home.env, None).ok()?;
    let hook = match file.installed_hooks() {
        Ok(hooks) => hooks.into_iter().next()?,
        Err(error) => {
            let message = error.full_message();
            return Some(DoctorFinding::note(
                DoctorCheck::Hook,
                message,
                "correct the file",
            ));
        }
    };
    let name = agent.name();
    if hook.command.program_exists(&home.env) {
        let found = format!("installed: {name}");
        return Some(if file.awaits_trust(&home.env) {
            let found = format!("{found}, which skips it until you trust it");
            let hint = "start it and answer, or trust it by /hooks";
            DoctorFinding::note(DoctorCheck::Hook, found, hint)
        } else {
            DoctorFinding::ok(DoctorCheck::Hook, found)
        });
    }
    // Without an event others would be added.
    let event = if agent.has_chosen_events() {
        format!(" --event {}", hook.event)
    } else {
        String::new()
    };
    Some(DoctorFinding::problem(
        DoctorCheck::Hook,
        format!("its program for {name} is not there: {}", hook.command),
        format!("run `session-search hook install --agent {name}{event}`"),
    ))
}

/// Returns the name of the plugin in Claude Code.
fn enabled_plugin(home: &Home) -> Option<String> {
    let settings = SettingsFile::for_user(&home.env).ok()?;
    settings.enabled_plugin().ok().flatten()
}

/// Checks which MCP servers of OpenCode and Codex are this program, and whether it is there.
pub(crate) fn check_servers(home: &Home) -> Vec<DoctorFinding> {
    let configs = Agent::ALL
        .into_iter()
        .filter_map(|agent| Some((agent, McpConfig::for_user(agent, &home.env).ok()??)));
    let checked = configs.filter_map(|(agent, config)| match config.server_command() {
        Ok(command) => {
            let program = command?.into_iter().next()?;
            Some(check_server(agent, &config, &program, home))
        }
        Err(AgentError::Settings {
            reason: SettingsError::OtherServer { .. },
            ..
        }) => None,
        Err(error) => Some(DoctorFinding::note(
            DoctorCheck::Mcp,
            error.full_message(),
            "correct the file",
        )),
    });
    checked.collect()
}

fn check_server(agent: Agent, config: &McpConfig, program: &str, home: &Home) -> DoctorFinding {
    let name = agent.name();
    if !program_exists(program, &home.env) {
        return DoctorFinding::problem(
            DoctorCheck::Mcp,
            format!("its program for {name} is not there: {program}"),
            format!("run `session-search setup --agent {name}`"),
        );
    }
    match config.is_disabled() {
        Ok(true) => DoctorFinding::note(
            DoctorCheck::Mcp,
            format!("installed: {name}, and switched off"),
            format!("set its `enabled` to true in {}", config.path().display()),
        ),
        _ => DoctorFinding::ok(DoctorCheck::Mcp, format!("installed: {name}")),
    }
}

/// Checks where the skill is installed. Nothing is said where the only agent gets none.
pub(crate) fn check_skill(home: &Home) -> Option<DoctorFinding> {
    let installed = SkillLocation::all(&home.env, None)
        .into_iter()
        .filter(SkillLocation::has_skill);
    let labels: Vec<&str> = installed.map(|location| location.label()).collect();
    if let Some(plugin) = enabled_plugin(home) {
        return Some(if has_user_skill(&home.env) {
            DoctorFinding::note(
                DoctorCheck::Skill,
                format!("installed beside the plugin {plugin}, which brings it, too"),
                "run `session-search skill uninstall`",
            )
        } else {
            DoctorFinding::ok(
                DoctorCheck::Skill,
                format!("brought by the plugin {plugin}"),
            )
        });
    }
    let found = match labels.is_empty() {
        true if !Agent::default_for(&home.env).takes_skill() => return None,
        true => "not installed".to_owned(),
        false => format!("installed: {}", labels.join(", ")),
    };
    Some(DoctorFinding::ok(DoctorCheck::Skill, found))
}
