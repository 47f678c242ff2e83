//! Session metadata.

use super::lenient_field::LenientField;
use crate::project::project_root;
use serde::Deserialize;
use session_core::SessionMeta;
use std::path::Path;

/// A session as its row, or its file, says.
#[derive(Debug, Default)]
pub(super) struct SessionRecord {
    pub(super) id: String,
    pub(super) parent: Option<String>,
    pub(super) title: Option<String>,
    pub(super) directory: Option<String>,
    pub(super) project: OpenCodeProject,
}

/// The project that a session belongs to.
#[derive(Debug, Clone, Default)]
pub(super) struct OpenCodeProject {
    pub(super) id: Option<String>,
    /// The main checkout; `/` outside of any repository.
    pub(super) worktree: Option<String>,
    /// Git worktrees of it, as a JSON array of paths.
    pub(super) sandboxes: Option<String>,
}

impl SessionRecord {
    /// Returns the session as all sources describe one.
    pub(super) fn meta(self) -> SessionMeta {
        let cwd = self.directory.filter(|d| !d.is_empty());
        let project = cwd.as_deref().and_then(|cwd| {
            project_root(cwd).or_else(|| self.project.root_of(cwd).map(str::to_owned))
        });
        SessionMeta {
            id: self.id,
            parent: self.parent.filter(|p| !p.is_empty()),
            title: self.title.filter(|title| is_given(title)),
            cwd,
            project,
            branch: None,
            forked_from: None,
            is_unnamed_fork: false,
            prompts_only: false,
        }
    }
}

impl OpenCodeProject {
    /// Returns the main checkout, when `directory` lies in one of its worktrees.
    /// Clones share a project, too, but are no sandboxes of it.
    fn root_of(&self, directory: &str) -> Option<&str> {
        let root = self
            .worktree
            .as_deref()
            .filter(|root| !root.is_empty() && *root != "/")?;
        if self.id.as_deref() == Some("global") || Path::new(directory).starts_with(root) {
            return None;
        }
        let sandboxes: Vec<String> = serde_json::from_str(self.sandboxes.as_deref()?).ok()?;
        sandboxes
            .iter()
            .any(|s| !s.is_empty() && Path::new(directory).starts_with(s))
            .then_some(root)
    }
}

/// The fields of `session.revert`.
#[derive(Deserialize)]
struct Revert {
    #[serde(default, rename = "messageID")]
    message: LenientField<String>,
}

/// Returns the first message that was undone, from the JSON of `session.revert`.
pub(super) fn reverted_from(json: &str) -> Option<String> {
    let revert: Revert = serde_json::from_str(json).ok()?;
    revert.message.0.filter(|id| !id.is_empty())
}

/// Returns true for a title that was given: until a model names it, a session is called `New session - <ISO time>`.
fn is_given(title: &str) -> bool {
    let time = ["New session - ", "Child session - "]
        .iter()
        .find_map(|p| title.strip_prefix(p));
    let placeholder =
        time.is_some_and(|t| t.ends_with('Z') && t.starts_with(|c: char| c.is_ascii_digit()));
    !placeholder && !title.trim().is_empty()
}
