//! Doing what was planned, a file at a time.

use crate::command::skill::manifest::{Manifest, hash};
use crate::command::skill::place::{Place, SKILL};
use crate::command::skill::plan::{State, Step};
use anyhow::Result;
use serde::Serialize;

/// What was done with a file; what would be, where nothing is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Done {
    Written,
    Unchanged,
    /// It was edited, and is left as it is.
    Kept,
    Removed,
}

/// Whether what somebody edited may go. Asked once a file.
pub type MayReplace<'a> = &'a mut dyn FnMut(&Step) -> Result<bool>;

/// Brings the files of a place to those of this program. `manifest` is what the
/// steps were planned by.
///
/// # Errors
/// When a file cannot be written or removed.
pub fn install(
    place: &Place,
    mut manifest: Manifest,
    steps: &[Step],
    dry_run: bool,
    may_replace: MayReplace<'_>,
) -> Result<Vec<Done>> {
    Manifest::check(place)?;
    let wanted = |step: &Step| {
        Ok(match step.state {
            State::Current => Done::Unchanged,
            State::Absent | State::Older => Done::Written,
            State::Obsolete => Done::Removed,
            State::Edited if step.new.is_some() && may_replace(step)? => Done::Written,
            State::Edited => Done::Kept,
        })
    };
    let all = each(steps, dry_run, wanted, |step, done| {
        note(&mut manifest, step, done);
    })?;
    if !dry_run {
        env!("CARGO_PKG_VERSION").clone_into(&mut manifest.version);
        manifest.write(place)?;
    }
    Ok(all)
}

/// Removes the files of a place, and the folders that are empty then.
///
/// # Errors
/// When a file cannot be removed.
pub fn uninstall(
    place: &Place,
    mut manifest: Manifest,
    steps: &[Step],
    dry_run: bool,
    may_replace: MayReplace<'_>,
) -> Result<Vec<Done>> {
    Manifest::check(place)?;
    let wanted = |step: &Step| {
        Ok(match step.state {
            State::Absent => Done::Unchanged,
            State::Edited if !may_replace(step)? => Done::Kept,
            _ => Done::Removed,
        })
    };
    let all = each(steps, dry_run, wanted, |step, _| {
        manifest.files.remove(&step.name);
    })?;
    if !dry_run {
        manifest.write(place)?;
        for folder in [format!("{SKILL}/references"), SKILL.to_owned()] {
            place.file(&folder).remove_if_empty()?;
        }
    }
    Ok(all)
}

/// Does with each file what is wanted, and notes it at once.
fn each(
    steps: &[Step],
    dry_run: bool,
    mut wanted: impl FnMut(&Step) -> Result<Done>,
    mut note: impl FnMut(&Step, Done),
) -> Result<Vec<Done>> {
    let mut all = Vec::new();
    for step in steps {
        let done = wanted(step)?;
        if !dry_run {
            take(step, done)?;
            note(step, done);
        }
        all.push(done);
    }
    Ok(all)
}

fn take(step: &Step, done: Done) -> Result<()> {
    match (done, &step.new) {
        (Done::Written, Some(new)) => {
            if let (State::Edited, Some(old)) = (step.state, &step.old) {
                step.file.back_up(old)?;
            }
            Ok(step.file.write(new)?)
        }
        (Done::Removed, _) => {
            step.file.remove()?;
            Ok(())
        }
        _ => Ok(()),
    }
}

fn note(manifest: &mut Manifest, step: &Step, done: Done) {
    match (done, &step.new) {
        (Done::Written | Done::Unchanged, Some(new)) => {
            manifest.files.insert(step.name.clone(), hash(new));
        }
        (Done::Removed, _) => {
            manifest.files.remove(&step.name);
        }
        _ => {}
    }
}
