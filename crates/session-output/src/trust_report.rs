//! Which memories of a repository are trusted, and what somebody reads before they are.

use crate::layout::sanitize_line;
use crate::memory_json::JsonMemories;
use crate::style::{TITLE, paint};
use serde::Serialize;
use session_core::text::sanitize_text;
use session_memory::{BlockItem, Memory, Trust};

/// The memories that became trusted, as `docs/cli.md` describes them.
#[derive(Serialize)]
pub struct JsonTrusted<'a> {
    trusted: usize,
    memories: &'a [String],
}

impl<'a> JsonTrusted<'a> {
    /// Returns the ids as they are printed.
    pub fn new(ids: &'a [String]) -> Self {
        Self {
            trusted: ids.len(),
            memories: ids,
        }
    }
}

/// The memories that are trusted and those that wait, as `docs/cli.md` describes it.
#[derive(Serialize)]
pub struct JsonTrustList<'a> {
    /// The trusted memories of all projects.
    pub projects: &'a [TrustedProject],
    /// Memories of the project at hand that wait.
    pub waiting: JsonMemories<'a>,
}

/// The trusted memories of a project.
#[derive(Serialize)]
pub struct TrustedProject {
    /// The directory of the project.
    pub folder: String,
    /// How many memories of it are trusted.
    pub trusted: usize,
}

impl JsonTrustList<'_> {
    /// Formats the list for a terminal, a line each.
    pub fn format(&self) -> String {
        let projects = self.projects.iter().map(|project| {
            let folder = sanitize_line(&project.folder);
            format!("{:>5} trusted  {folder}\n", project.trusted)
        });
        let waiting = self.waiting.0.iter().map(|memory| {
            let how = match memory.trust {
                Trust::Changed => "changed",
                _ => "waits",
            };
            let topic = sanitize_line(&memory.front.topic);
            format!("{how:>13}  {}  {topic}\n", memory.id())
        });
        projects.chain(waiting).collect()
    }
}

/// Formats the line that a prompt would get of a memory, and its whole file.
pub fn format_for_review(memory: &Memory) -> String {
    let how = match memory.trust {
        Trust::Changed => ", changed since it was known",
        _ => "",
    };
    let path = sanitize_line(&memory.path.to_string_lossy());
    let line = paint(TITLE, sanitize_line(&BlockItem::full_line(memory)));
    let mut out = format!("\n{path}{how}\n{line}\n");
    for line in sanitize_text(memory.text()).lines() {
        out.push_str(&format!("  | {line}\n"));
    }
    out
}
