//! The state of an installed skill, or what was done to it.

use session_agents::{SkillFileOutcome, SkillFileReport, SkillFileState, SkillReport, WriteMode};
use session_display::{fit_line, pluralize, sanitize_line};

/// Most columns of a version: a project's manifest may hold any text.
const VERSION_COLUMNS: usize = 20;

/// Fewest columns of the state of a file.
const WORD_COLUMNS: usize = 10;

/// Formats a report on one line where all files have the same state or outcome, else on one line
/// per file. The outcomes of a dry run would be.
pub fn format_skill_report(report: &SkillReport, mode: WriteMode) -> String {
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
    let words = report.files.iter().map(|it| describe_file(it, mode));
    let words: Vec<String> = words.collect();
    let common = words
        .first()
        .filter(|first| words.iter().all(|w| w == *first));
    match common {
        Some(word) => out.push_str(&format!(": {}, {word}\n", pluralize(words.len(), "file"))),
        None => out.push('\n'),
    }
    let columns = words.iter().map(|word| word.len()).max().unwrap_or(0);
    let columns = columns.max(WORD_COLUMNS);
    // The directory alone does not tell of what is not in it.
    let is_listed = |file: &SkillFileReport| common.is_none() || !is_in_directory(file);
    let files = report.files.iter().zip(&words);
    for (file, word) in files.filter(|(file, _)| is_listed(file)) {
        out.push_str(&format!(
            "  {word:<columns$} {}\n",
            sanitize_line(&relative_path(file))
        ));
    }
    if let Some(keywords) = &report.keywords {
        let keywords = if keywords.is_empty() {
            "none yet: no memory has any".to_owned()
        } else {
            keywords.join(", ")
        };
        out.push_str(&format!("  keywords   {}\n", sanitize_line(&keywords)));
    }
    out
}

fn describe_file(file: &SkillFileReport, mode: WriteMode) -> String {
    use SkillFileOutcome::{Removed, Unchanged, Written};
    match file.outcome {
        Some(outcome @ (Written | Removed)) if mode == WriteMode::DryRun => {
            format!("would be {outcome}")
        }
        Some(Unchanged) if file.state == SkillFileState::Absent => file.state.to_string(),
        Some(outcome) => outcome.to_string(),
        None => file.state.to_string(),
    }
}

/// The beginning of the names of files in the skill's directory.
const DIRECTORY: &str = "skills/session-search/";

fn is_in_directory(file: &SkillFileReport) -> bool {
    file.name.starts_with(DIRECTORY)
}

/// Returns a file's path relative to the skill's directory.
fn relative_path(file: &SkillFileReport) -> String {
    match file.name.strip_prefix(DIRECTORY) {
        Some(name) => name.to_owned(),
        None => format!("../../{}", file.name),
    }
}
