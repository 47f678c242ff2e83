//! The permission by which Claude Code loads the skill without asking.

use crate::change::confirm_and_write;
use crate::dialog::SetupDialog;
use crate::error::{Result, SetupError};
use crate::history_step::holds_only_own;
use crate::options::{SetupOptions, SkillChoice};
use crate::outcome::StepOutcome;
use session_agents::{RuleList, SettingsFile, SkillOrigin, has_user_skill};
use session_config::{Home, SetupRecord};

const EXPLANATION: &str = "
Claude Code asks before it loads the skill, since the skill may run searches
without a question. A rule in its settings lets it load this one unasked:";

/// Runs the step; `skill` is the outcome of the skill's step.
///
/// # Errors
/// When there is no skill to allow, or the settings cannot be changed.
pub(crate) fn run(
    options: &SetupOptions,
    home: &Home,
    skill: StepOutcome,
    dialog: &mut SetupDialog<'_>,
) -> Result<StepOutcome> {
    if !(options.allow_skill || dialog.is_interactive) {
        return Ok(StepOutcome::Skipped);
    }
    let env = &home.env;
    let settings = SettingsFile::for_user(env)?;
    let ruled = match settings.enabled_plugin()? {
        Some(_) => SkillOrigin::Plugin,
        None => SkillOrigin::User,
    };
    let has_skill = has_user_skill(env);
    let is_installed = has_skill || ruled == SkillOrigin::Plugin;
    let is_offered =
        dialog.is_interactive && is_installed && options.skill != SkillChoice::LeaveOut;
    if !(options.allow_skill || is_offered) {
        return Ok(StepOutcome::Skipped);
    }
    match (
        is_installed || skill == StepOutcome::Wanted,
        options.wants_skill(),
    ) {
        (true, _) => allow_skill(&settings, ruled, home, dialog),
        (false, true) => Ok(StepOutcome::Skipped),
        (false, false) => Err(SetupError::NoSkill),
    }
}

fn allow_skill(
    settings: &SettingsFile,
    ruled: SkillOrigin,
    home: &Home,
    dialog: &mut SetupDialog<'_>,
) -> Result<StepOutcome> {
    match settings.skill_rule(ruled)? {
        Some(RuleList::Allow) => Ok(StepOutcome::Unchanged),
        Some(RuleList::Ask | RuleList::Deny) => Ok(StepOutcome::Skipped),
        None => {
            let mut change = settings.plan_skill_rule(ruled)?;
            if holds_only_own(settings, &SetupRecord::open(&home.folders().data)?)? {
                change = change.without_backup();
            }
            dialog.print(EXPLANATION)?;
            confirm_and_write(&change, dialog)
        }
    }
}
