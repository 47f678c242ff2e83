//! Applies a plan for the skill, one file at a time.

use crate::error::Result;
use crate::settings_file::LOCK_TIMEOUT;
use crate::skill_location::{SKILL_DIRECTORY, SKILLS};
use crate::skill_manifest::SkillManifest;
use crate::skill_plan::{SkillAction, SkillFilePlan, SkillFileState, SkillPlan, WriteMode};
use crate::skill_report::{SkillFileOutcome, SkillReport};
use session_files::Lock;

impl SkillPlan {
    /// Applies the plan, and reports what was done with each file; in a [dry run](WriteMode::DryRun), what would be.
    ///
    /// # Errors
    /// When a file cannot be written or removed.
    pub fn apply(mut self, action: SkillAction, mode: WriteMode) -> Result<SkillReport> {
        SkillManifest::check_replaceable(&self.location)?;
        let _lock = self.lock(action, mode)?;
        let mut outcomes = Vec::new();
        for file in &self.files {
            let outcome = file.outcome(action);
            if mode == WriteMode::Write {
                file.carry_out(action, outcome)?;
                self.manifest.record(action, file, outcome);
            }
            outcomes.push(outcome);
        }
        if mode == WriteMode::Write {
            self.finish(action)?;
        }
        Ok(SkillReport::new(&self, &outcomes))
    }

    /// Locks the agent's directory, if something is to be written or removed there.
    fn lock(&self, action: SkillAction, mode: WriteMode) -> Result<Option<Lock>> {
        let has_files = action == SkillAction::Install || self.location.directory().is_dir();
        let lock = || self.location.file(SKILLS).lock(LOCK_TIMEOUT);
        let lock = (has_files && mode == WriteMode::Write).then(lock);
        Ok(lock.transpose()?)
    }

    fn finish(&mut self, action: SkillAction) -> Result<()> {
        if action == SkillAction::Install {
            env!("CARGO_PKG_VERSION").clone_into(&mut self.manifest.version);
        }
        self.manifest.write(&self.location)?;
        for file in &self.files {
            file.file.remove_temporary_files();
        }
        if action == SkillAction::Uninstall {
            for directory in [&format!("{SKILL_DIRECTORY}/references"), SKILL_DIRECTORY] {
                self.location.file(directory).remove_if_empty()?;
            }
            for file in &self.files {
                let directory = file.name.split('/').next().unwrap_or_default();
                // A link, which the user made, stays.
                let _ = self.location.file(directory).remove_if_empty();
            }
        }
        Ok(())
    }
}

impl SkillFilePlan {
    fn outcome(&self, action: SkillAction) -> SkillFileOutcome {
        match (action, self.state) {
            (SkillAction::Install, SkillFileState::Current)
            | (SkillAction::Uninstall, SkillFileState::Absent) => SkillFileOutcome::Unchanged,
            (SkillAction::Install, SkillFileState::Absent | SkillFileState::Older) => {
                SkillFileOutcome::Written
            }
            (_, SkillFileState::Edited) if !self.overwrite => SkillFileOutcome::Kept,
            (SkillAction::Install, SkillFileState::Edited) if self.bundled.is_some() => {
                SkillFileOutcome::Written
            }
            _ => SkillFileOutcome::Removed,
        }
    }

    /// Writes or removes the file. Installing leaves a backup of an edited one, be it that the skill no longer has it.
    fn carry_out(&self, action: SkillAction, outcome: SkillFileOutcome) -> Result<()> {
        let is_lost = [SkillFileOutcome::Written, SkillFileOutcome::Removed].contains(&outcome);
        let is_edited = self.state == SkillFileState::Edited && action == SkillAction::Install;
        if let Some(edited) = self.installed.as_ref().filter(|_| is_lost && is_edited) {
            self.file.back_up(edited)?;
        }
        match (outcome, &self.bundled) {
            (SkillFileOutcome::Written, Some(bundled)) => self.file.write(bundled)?,
            (SkillFileOutcome::Removed, _) => drop(self.file.remove()?),
            _ => {}
        }
        Ok(())
    }
}

impl SkillManifest {
    /// Records what was done with a file. After a removal a kept file belongs to the user.
    fn record(&mut self, action: SkillAction, file: &SkillFilePlan, outcome: SkillFileOutcome) {
        match (action, outcome, &file.bundled) {
            (SkillAction::Uninstall, ..) | (_, SkillFileOutcome::Removed, _) => {
                self.files.remove(&file.name);
            }
            (_, SkillFileOutcome::Written | SkillFileOutcome::Unchanged, Some(bundled)) => {
                self.insert(&file.name, bundled);
            }
            _ => {}
        }
    }
}
