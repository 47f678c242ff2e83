//! What is to become of each file, before anything is done.

use crate::command::setup::change;
use crate::command::skill::files;
use crate::command::skill::manifest::Manifest;
use crate::command::skill::place::Place;
use anyhow::Result;
use serde::Serialize;
use session_files::Beneath;
use std::path::Path;

/// How a file in a place stands to that of this program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// It is not there.
    Absent,
    /// It is the same.
    Current,
    /// Another version of the program wrote it, and nobody touched it since.
    Older,
    /// Somebody edited it.
    Edited,
    /// An older version of the program wrote it; this one has no such file.
    Obsolete,
}

/// One file.
#[derive(Debug)]
pub struct Step {
    /// Below the agent's folder.
    pub name: String,
    pub file: Beneath,
    pub state: State,
    /// What is there.
    pub old: Option<String>,
    /// What this program has.
    pub new: Option<String>,
}

/// Every file that is there, or that this program would write.
///
/// # Errors
/// When a file cannot be read, or the skill is a link to somewhere else.
pub fn of(place: &Place, manifest: &Manifest) -> Result<Vec<Step>> {
    let files = files::of(
        place.agent,
        manifest.keywords.as_deref().unwrap_or_default(),
    );
    let mut steps = Vec::new();
    for (name, new) in files {
        steps.push(step(place, manifest, name, Some(new))?);
    }
    let known: Vec<String> = steps.iter().map(|step: &Step| step.name.clone()).collect();
    for name in manifest.files.keys().filter(|name| !known.contains(name)) {
        if is_below(name) {
            steps.push(step(place, manifest, name, None)?);
        }
    }
    steps.retain(|step| step.old.is_some() || step.new.is_some());
    Ok(steps)
}

fn step(place: &Place, manifest: &Manifest, name: &str, new: Option<String>) -> Result<Step> {
    let file = place.file(name);
    let old = file.read_text(change::LIMIT)?;
    let state = match (&old, &new) {
        (None, _) => State::Absent,
        (Some(old), Some(new)) if old == new => State::Current,
        (Some(old), new) if manifest.wrote(name, old) => match new {
            Some(_) => State::Older,
            None => State::Obsolete,
        },
        _ => State::Edited,
    };
    Ok(Step {
        name: name.to_owned(),
        file,
        state,
        old,
        new,
    })
}

/// A manifest lies where others may write; what it names must lie there, too.
fn is_below(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    let normal = |part| matches!(part, std::path::Component::Normal(_));
    name.starts_with("skills/session-search/") && parts.all(normal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_names_nothing_outside() {
        assert!(is_below("skills/session-search/references/json.md"));
        for name in [
            "/etc/passwd",
            "skills/session-search/../x",
            "settings.json",
            "../x",
        ] {
            assert!(!is_below(name), "{name}");
        }
    }
}
