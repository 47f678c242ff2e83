//! The permission by which Claude Code loads the skill without asking.

use crate::change::confirm_and_write;
use crate::error::{Result, SetupError};
use crate::history_step::holds_only_own;
use crate::options::SkillChoice;
use crate::outcome::StepOutcome;
use crate::setup::Setup;
use crate::setup_record::SetupRecord;
use session_agents::{RuleList, SettingsFile, SkillOrigin, has_user_skill};

const EXPLANATION: &str = "
Claude Code asks before it loads the skill, since the skill may run searches without a question. A rule in its settings lets it load this one unasked:";

impl Setup<'_, '_> {
    /// Runs the step; `skill` is the outcome of the skill's step.
    ///
    /// # Errors
    /// When there is no skill to allow, or the settings cannot be changed.
    pub(crate) fn run_permission_step(&mut self, skill: StepOutcome) -> Result<StepOutcome> {
        let (options, env) = (self.options, &self.home.env);
        if !(options.allow_skill || self.dialog.is_interactive) {
            return Ok(StepOutcome::Skipped);
        }
        let settings = SettingsFile::for_user(env)?;
        let ruled = match settings.enabled_plugin()? {
            Some(_) => SkillOrigin::Plugin,
            None => SkillOrigin::User,
        };
        let has_skill = has_user_skill(env);
        let is_installed = has_skill || ruled == SkillOrigin::Plugin;
        let is_offered =
            self.dialog.is_interactive && is_installed && options.skill != SkillChoice::LeaveOut;
        if !(options.allow_skill || is_offered) {
            return Ok(StepOutcome::Skipped);
        }
        match (
            is_installed || skill == StepOutcome::Wanted,
            options.wants_skill(),
        ) {
            (true, _) => self.allow_skill(&settings, ruled),
            (false, true) => Ok(StepOutcome::Skipped),
            (false, false) => Err(SetupError::NoSkill),
        }
    }

    fn allow_skill(&mut self, settings: &SettingsFile, ruled: SkillOrigin) -> Result<StepOutcome> {
        match settings.skill_rule(ruled)? {
            Some(RuleList::Allow) => Ok(StepOutcome::Unchanged),
            Some(RuleList::Ask | RuleList::Deny) => Ok(StepOutcome::Skipped),
            None => {
                let mut change = settings.plan_skill_rule(ruled)?;
                if holds_only_own(settings, &SetupRecord::open(&self.home.directories().data)?)? {
                    change = change.without_backup();
                }
                self.dialog.print(EXPLANATION)?;
                confirm_and_write(&change, self.dialog)
            }
        }
    }
}
