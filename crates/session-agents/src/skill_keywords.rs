//! Keywords of saved memories in the skill's description, so that a model knows what it can recall.
//!
//! The user turns them on and off ([`set_skill_keywords`]). While they are on, the user's own skill
//! follows each change of a memory ([`update_skill_keywords`]); a project's keeps the keywords of
//! the time at which they were turned on, without those of memories that were removed for good
//! ([`remove_lost_keywords`]). Files that somebody edited stay as they are ([`find_leftover_keywords`]).

use crate::error::Result;
use crate::settings_file::SIZE_LIMIT;
use crate::skill_files::{plain_keywords, read_keywords};
use crate::skill_location::SkillLocation;
use crate::skill_manifest::{SkillManifest, are_users_keywords};
use crate::skill_plan::{SkillAction, SkillPlan, WriteMode};
use crate::skill_report::SkillReport;
use std::path::PathBuf;

/// Puts keywords into every installed skill, or removes them from it where `keywords` returns
/// `None`; in a [dry run](WriteMode::DryRun) nothing is written.
///
/// # Errors
/// When a file cannot be read or written.
pub fn set_skill_keywords(
    locations: Vec<SkillLocation>,
    keywords: impl Fn(&SkillLocation) -> Option<Vec<String>>,
    mode: WriteMode,
) -> Result<Vec<SkillReport>> {
    let mut reports = Vec::new();
    for location in locations {
        let mut manifest = SkillManifest::read(&location);
        if !manifest.files.is_empty() {
            manifest.keywords = keywords(&location).map(|words| plain_keywords(&words));
            reports.push(write_keywords(location, manifest, mode)?);
        }
    }
    Ok(reports)
}

/// Updates the keywords of the skills that have some, after memories were changed.
///
/// # Errors
/// As [`set_skill_keywords`].
pub fn update_skill_keywords(
    locations: Vec<SkillLocation>,
    keywords: impl Fn(&SkillLocation) -> Vec<String>,
) -> Result<()> {
    for location in locations {
        if location.project.is_none() {
            replace_keywords(location, |location, _| plain_keywords(&keywords(location)))?;
        }
    }
    Ok(())
}

/// Removes the keywords of memories that were removed for good from the skills of a project, which otherwise keep theirs.
/// `keywords` returns all that memories have.
///
/// # Errors
/// As [`set_skill_keywords`].
pub fn remove_lost_keywords(
    locations: Vec<SkillLocation>,
    keywords: impl Fn(&SkillLocation) -> Vec<String>,
) -> Result<()> {
    for location in locations {
        if location.project.is_some() {
            replace_keywords(location, |location, old| {
                let left = keywords(location);
                let kept = old.iter().filter(|word| left.contains(word));
                kept.cloned().collect()
            })?;
        }
    }
    Ok(())
}

/// The keywords of removed memories in a description that nothing rewrites.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeftoverKeywords {
    /// They are in this file, which somebody edited.
    Edited(PathBuf),
    /// They are in a backup of this file.
    Backup(PathBuf),
}

/// Finds the keywords of removed memories in the skill's first files that were left as they are, and in backups of them.
/// `has_lost` returns true if one of the named words is of a removed memory alone. A file that cannot be read has none.
pub fn find_leftover_keywords(
    locations: &[SkillLocation],
    has_lost: impl Fn(&SkillLocation, &[&str]) -> bool,
) -> Vec<LeftoverKeywords> {
    let mut left = Vec::new();
    for location in locations {
        let file = location.first_file();
        let names_lost = |text: &String| has_lost(location, &read_keywords(text));
        let installed = file.read_text(SIZE_LIMIT).ok().flatten();
        if installed.iter().any(names_lost) {
            left.push(LeftoverKeywords::Edited(file.path()));
        }
        let backups = file.read_backups(SIZE_LIMIT).unwrap_or_default();
        if backups.iter().any(names_lost) {
            left.push(LeftoverKeywords::Backup(file.path()));
        }
    }
    left
}

/// Replaces the keywords of a skill that has some by what `change` makes of them, where that differs.
fn replace_keywords(
    location: SkillLocation,
    change: impl FnOnce(&SkillLocation, &[String]) -> Vec<String>,
) -> Result<()> {
    let mut manifest = SkillManifest::read_with_any_keywords(&location);
    let Some(old) = &manifest.keywords else {
        return Ok(());
    };
    let new = change(&location, old);
    // A process that was killed between the skill and its manifest leaves the new ones in the skill.
    let is_users = [old, &new].map(|words| are_users_keywords(&location, words));
    if !is_users.contains(&true) {
        return Ok(());
    }
    if new != *old {
        manifest.keywords = Some(new);
        write_keywords(location, manifest, WriteMode::Write)?;
    }
    Ok(())
}

fn write_keywords(
    location: SkillLocation,
    manifest: SkillManifest,
    mode: WriteMode,
) -> Result<SkillReport> {
    let keywords = manifest.keywords.clone();
    let plan = SkillPlan::with_manifest(location, manifest)?;
    Ok(SkillReport {
        keywords,
        ..plan.apply(SkillAction::Install, mode)?
    })
}
