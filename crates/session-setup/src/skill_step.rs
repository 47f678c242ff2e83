//! The skill, as `skill install` writes it for the user's Claude Code.

use crate::change::print_written;
use crate::dialog::ConsentDialog;
use crate::error::Result;
use crate::options::SkillChoice;
use crate::outcome::StepOutcome;
use crate::setup::Setup;
use session_agents::{
    Agent, SettingsFile, SkillAction, SkillFilePlan, SkillLocation, SkillPlan, WriteMode,
};
use session_core::text::{path_line, sanitize_text};
use session_output::format_diff;

impl Setup<'_, '_> {
    /// Runs the step. An edited file is shown, and kept unless the user is asked about it and consents to its
    /// replacement; then it is kept in a backup.
    ///
    /// # Errors
    /// When a file cannot be read or written.
    pub(crate) fn run_skill_step(&mut self) -> Result<StepOutcome> {
        let (options, env) = (self.options, &self.home.env);
        let is_offered = self.dialog.is_interactive && Agent::Claude.is_present(env);
        let is_left_out = options.skill == SkillChoice::LeaveOut;
        if is_left_out || !(options.wants_skill() || is_offered) {
            return Ok(StepOutcome::Skipped);
        }
        if let Some(plugin) = SettingsFile::for_user(env)?.enabled_plugin()? {
            let plugin = sanitize_text(&plugin).into_owned();
            self.dialog
                .print(&format!("\nThe plugin `{plugin}` brings the skill."))?;
            return Ok(StepOutcome::Unchanged);
        }
        let mut plan = SkillPlan::read(SkillLocation::for_user(Agent::Claude, env))?;
        if plan.is_current() {
            return Ok(StepOutcome::Unchanged);
        }
        let directory = plan.location.directory();
        let shown = path_line(&directory);
        self.dialog
            .print(&format!("\nThe skill for agents goes to {shown}."))?;
        if !self.dialog.confirm("Install it?")? {
            return Ok(StepOutcome::without_consent(self.dialog));
        }
        for file in plan.edited_files() {
            file.overwrite = confirm_overwrite(file, self.dialog)?;
        }
        let report = plan.apply(SkillAction::Install, WriteMode::Write)?;
        if report.has_written_files() {
            print_written(&directory, self.dialog)?;
        }
        if !report.has_kept_files() {
            return Ok(StepOutcome::Written);
        }
        self.dialog.print(
            "files that you edited are kept; `session-search skill install --force` replaces them",
        )?;
        Ok(StepOutcome::Skipped)
    }
}

fn confirm_overwrite(file: &SkillFilePlan, dialog: &mut ConsentDialog<'_>) -> Result<bool> {
    let path = path_line(&file.path());
    dialog.print(&format!("\n{path} was edited:"))?;
    dialog.print_verbatim(&format_diff(&file.diff()))?;
    // `--yes` consents to what is this program's.
    Ok(dialog.is_interactive && dialog.confirm("Replace it?")?)
}
