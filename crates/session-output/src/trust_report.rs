//! Which memories of a repository are trusted, and what somebody reads before they are.

use crate::memory_json::JsonMemories;
use crate::style::{TITLE, paint};
use serde::Serialize;
use session_core::text::{path_line, sanitize_text};
use session_display::sanitize_line;
use session_memory::{BlockItem, DirectoryRecord, Memory, Trust};

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
pub struct TrustListing<'a> {
    /// The trusted memories of all projects.
    projects: Vec<TrustedProject>,
    /// Memories of the project at hand that wait.
    waiting: JsonMemories<'a>,
}

/// The trusted memories of a project.
#[derive(Serialize)]
struct TrustedProject {
    /// The directory of the project.
    path: String,
    /// How many memories of it are trusted.
    trusted: usize,
}

impl<'a> TrustListing<'a> {
    /// Lists the projects of these records that have trusted memories, and the memories that wait.
    pub fn new(records: &[DirectoryRecord], waiting: &'a [Memory]) -> Self {
        let projects = records.iter().map(|record| TrustedProject {
            path: record.path.display().to_string(),
            trusted: record.count_trusted(),
        });
        Self {
            projects: projects.filter(|project| project.trusted > 0).collect(),
            waiting: JsonMemories(waiting),
        }
    }

    /// Returns true when nothing is trusted and nothing waits.
    pub fn is_empty(&self) -> bool {
        self.projects.is_empty() && self.waiting.0.is_empty()
    }

    /// Formats the list for a terminal, a line each.
    pub fn format(&self) -> String {
        let projects = self.projects.iter().map(|project| {
            let path = sanitize_line(&project.path);
            format!("{:>5} trusted  {path}\n", project.trusted)
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
    let path = path_line(&memory.path);
    let line = paint(TITLE, sanitize_line(&BlockItem::full_line(memory)));
    let mut out = format!("\n{path}{how}\n{line}\n");
    for line in sanitize_text(memory.text()).lines() {
        out.push_str(&format!("  | {line}\n"));
    }
    out
}
