//! Keywords of saved memories in the skill's description, so that an agent
//! knows what there is to recall. By choice: `skill sync` begins it and `--off`
//! ends it; in between, each change of a memory keeps the user's own skill current. A project's has
//! the keywords of that moment.

use crate::command::skill::manifest::Manifest;
use crate::command::skill::place::Place;
use crate::command::skill::{Report, apply, files, plan, report};
use anyhow::Result;
use session_memory::{
    DirectoryRecords, MemoryStore, StorageLocation, memory_directories, most_common_keywords,
};
use session_sources::Env;

/// Most keywords in a description.
const MOST: usize = 15;

/// Begins or ends it in every place that has the skill, and says how they are.
///
/// # Errors
/// When a file cannot be read or written.
pub fn all(
    env: &Env,
    records: &DirectoryRecords,
    is_on: bool,
    dry_run: bool,
) -> Result<Vec<Report>> {
    let mut reports = Vec::new();
    for place in Place::all(env)? {
        let mut manifest = Manifest::read(&place);
        if !manifest.files.is_empty() {
            manifest.keywords = is_on.then(|| active_keywords(env, &place, records));
            reports.push(bring(&place, manifest, dry_run)?);
        }
    }
    Ok(reports)
}

/// Keeps current what was begun: after memories have changed.
///
/// # Errors
/// As [`all`].
pub fn follow(env: &Env, records: &DirectoryRecords) -> Result<()> {
    for place in Place::all(env)? {
        let mut manifest = Manifest::read(&place);
        let now = manifest
            .keywords
            .is_some()
            .then(|| active_keywords(env, &place, records));
        if now != manifest.keywords {
            manifest.keywords = now;
            bring(&place, manifest, false)?;
        }
    }
    Ok(())
}

/// What the active memories are about: the project's for its skill, the global
/// ones for the user's.
fn active_keywords(env: &Env, place: &Place, records: &DirectoryRecords) -> Vec<String> {
    let location = match place.project {
        Some(_) => StorageLocation::ProjectOnly,
        None => StorageLocation::GlobalOnly,
    };
    let Ok(places) = memory_directories(place.project.as_ref(), &env.home, location) else {
        return Vec::new();
    };
    // A description is read at the beginning of each session: none of it is a stranger's.
    let memories = MemoryStore::new(places, records.clone()).list_trusted();
    files::plain(&most_common_keywords(&memories, 2 * MOST))
}

fn bring(place: &Place, manifest: Manifest, dry_run: bool) -> Result<Report> {
    let steps = plan::of(place, &manifest)?;
    let keywords = manifest.keywords.clone();
    let done = apply::install(place, manifest, &steps, dry_run, &mut |_| Ok(false))?;
    Ok(Report {
        keywords,
        ..report(place, &steps, &done)
    })
}
