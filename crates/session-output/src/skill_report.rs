//! The state of an installed skill, or what was done to it.

use crate::layout::{fit_line, sanitize_line};
use session_agents::{SkillFileReport, SkillReport};
use session_display::pluralize;

/// Most columns of a version: a project's manifest may hold any text.
const VERSION_COLUMNS: usize = 20;

/// Formats a report on one line where all files have the same state or outcome, else on one line
/// per file.
pub fn format_skill_report(report: &SkillReport) -> String {
    let version = report.version.as_deref();
    let version = version.map(|version| format!(" {}", fit_line(version, VERSION_COLUMNS)));
    let directory = report.directory.to_string_lossy();
    let scope = match report.scope {
        "project" => ", project",
        _ => "",
    };
    let mut out = format!(
        "{}  {}{scope}{}",
        sanitize_line(&directory),
        report.agent,
        version.unwrap_or_default()
    );
    let words: Vec<&str> = report.files.iter().map(describe_file).collect();
    let common = words
        .first()
        .filter(|first| words.iter().all(|w| w == *first));
    match common {
        Some(word) => out.push_str(&format!(": {}, {word}\n", pluralize(words.len(), "file"))),
        None => out.push('\n'),
    }
    for (file, word) in report.files.iter().zip(&words).filter(|_| common.is_none()) {
        out.push_str(&format!(
            "  {word:<10} {}\n",
            sanitize_line(&relative_path(file))
        ));
    }
    if let Some(keywords) = &report.keywords {
        let keywords = match keywords.is_empty() {
            true => "none yet: no memory has any".to_owned(),
            false => keywords.join(", "),
        };
        out.push_str(&format!("  keywords   {}\n", sanitize_line(&keywords)));
    }
    out
}

fn describe_file(file: &SkillFileReport) -> &'static str {
    match file.outcome {
        Some(outcome) => outcome.name(),
        None => file.state.name(),
    }
}

/// Returns a file's path relative to the skill's directory.
fn relative_path(file: &SkillFileReport) -> String {
    match file.name.strip_prefix("skills/session-search/") {
        Some(name) => name.to_owned(),
        None => format!("../../{}", file.name),
    }
}
