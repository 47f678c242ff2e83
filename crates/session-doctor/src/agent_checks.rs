//! Checks of what is installed in the agents.

use crate::finding::Finding;
use session_agents::{SettingsFile, SkillLocation, hook_program_exists};
use session_config::Home;

/// Checks whether the hook is installed, and whether its program is there.
pub(crate) fn check_hook(home: &Home) -> Option<Finding> {
    let settings = SettingsFile::for_user(&home.env).ok()?;
    let hooks = match settings.installed_hooks() {
        Ok(hooks) => hooks,
        Err(error) => {
            return Some(Finding::problem(
                "hook",
                error.to_string(),
                "correct the file",
            ));
        }
    };
    let Some(hook) = hooks.first() else {
        return Some(Finding::ok("hook", "not installed"));
    };
    let events: Vec<&str> = hooks.iter().map(|hook| hook.event.name()).collect();
    Some(match hook_program_exists(&hook.command, &home.env) {
        true => Finding::ok("hook", format!("installed for {}", events.join(", "))),
        false => Finding::problem(
            "hook",
            format!("its program is not there: {}", hook.command),
            "run `session-search hook install`",
        ),
    })
}

/// Checks where the skill is installed.
pub(crate) fn check_skill(home: &Home) -> Finding {
    let installed = SkillLocation::all(&home.env, None)
        .into_iter()
        .filter(SkillLocation::has_skill);
    let labels: Vec<&str> = installed.map(|location| location.label()).collect();
    match labels.is_empty() {
        true => Finding::ok("skill", "not installed"),
        false => Finding::ok("skill", format!("installed: {}", labels.join(", "))),
    }
}
