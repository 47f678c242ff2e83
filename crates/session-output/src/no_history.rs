//! The message that this machine has no history.

use session_core::DOCS_URL;
use session_core::text::{join_alternatives, path_line};
use session_display::{Note, pluralize, sanitize_line};
use session_query::MisplacedHistory;
use session_sources::{Env, agents};
use session_store::HistoryProblem;

/// The histories of a home, where the index holds no session.
#[derive(Debug, Clone, Copy, Default)]
pub struct MissingHistory<'a> {
    /// Something was forgotten, or is excluded by the configuration.
    pub is_excluding: bool,
    /// A history that a variable hides.
    pub misplaced: Option<&'a MisplacedHistory>,
    /// Places that could not be read.
    pub problems: &'a [HistoryProblem],
    /// The agent of each file that was read, by its stable name.
    pub files: &'a [String],
    /// The reasons for which variables that name a history are left out.
    pub removed_variables: &'a [String],
}

/// Formats that there is no history, where it was looked for and what helps; or which could not be read.
pub fn format_no_history(env: &Env, missing: &MissingHistory<'_>) -> Note {
    let MissingHistory {
        is_excluding,
        misplaced,
        problems,
        ..
    } = *missing;
    if let Some(first) = problems.first() {
        return format_unreadable(first, problems.len());
    }
    let folder = path_line(&env.home);
    let titles = join_alternatives(agents().map(|agent| agent.title));
    if is_excluding {
        return Note::new(format!(
            "no {titles} history in `{folder}` but what was forgotten or is excluded"
        ))
        .with_hint("`session-search forget --list` shows what was forgotten, `session-search config` what is excluded");
    }
    if !missing.files.is_empty() {
        return format_unknown_form(missing.files);
    }
    let hint = match (misplaced, missing.removed_variables.first()) {
        (Some(misplaced), _) => format_misplaced(misplaced),
        (None, Some(removed)) => removed.clone(),
        (None, None) => format!(
            "try `session-search demo`, or add --or-demo to a search; {DOCS_URL}/sources.md says where histories are looked for"
        ),
    };
    Note::new(format!("no {titles} history in `{folder}`")).with_hint(hint)
}

/// Formats that files were read and no session was found in them: their agent may write a form that this version does
/// not know.
fn format_unknown_form(files: &[String]) -> Note {
    let counted = agents().filter_map(|agent| {
        let count = files.iter().filter(|file| *file == agent.name).count();
        (count > 0).then(|| format!("{} of {}", pluralize(count, "file"), agent.title))
    });
    let counted = counted.collect::<Vec<_>>().join(", ");
    Note::new(format!(
        "no history was found: in {counted} there is no prompt that this version reads"
    ))
    .with_hint(
        "a newer version may read what the agent writes now, if it is more than an empty session",
    )
}

/// Formats that so many places could not be read, and why the first one was not.
fn format_unreadable(first: &HistoryProblem, count: usize) -> Note {
    let (path, reason) = (sanitize_line(&first.path), sanitize_line(&first.reason));
    let first = if reason.contains(&path) {
        reason
    } else {
        format!("{path}: {reason}")
    };
    let (places, which) = (
        pluralize(count, "place"),
        if count > 1 { "first " } else { "" },
    );
    Note::new(format!(
        "no history was found, and {places} could not be read: {which}{first}"
    ))
    .with_hint("`session-search status` lists them")
}

fn format_misplaced(misplaced: &MisplacedHistory) -> String {
    format!(
        "{} names `{}`, which does not exist, while there is a history in `{}`: correct or unset the variable",
        misplaced.variable,
        sanitize_line(&misplaced.value),
        path_line(&misplaced.file)
    )
}

/// Formats that the index holds no session, where it was not brought up to date: there may be a history.
pub fn format_unread_history() -> Note {
    Note::new("the index holds no session, and --no-refresh reads none")
        .with_hint("run `session-search index`")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn a_variable_is_named_where_it_hides_a_history() {
        let env = Env::with_home(Path::new("/home/ann")).var("XDG_DATA_HOME", "/home/ann/data");
        let text = format_no_history(&env, &MissingHistory::default()).to_string();
        assert!(
            text.contains(
                " history in `/home/ann`\nhint: try `session-search demo`, or add --or-demo"
            ),
            "{text}"
        );
        assert!(!text.contains("XDG_DATA_HOME"), "{text}");
        let misplaced = MisplacedHistory {
            variable: "CLAUDE_CONFIG_DIR",
            value: "/srv/\u{1b}[31m".to_owned(),
            file: "/home/ann/.claude/projects/-app/a1.jsonl".into(),
        };
        let missing = MissingHistory {
            misplaced: Some(&misplaced),
            ..MissingHistory::default()
        };
        let text = format_no_history(&env, &missing).to_string();
        assert!(
            text.contains("hint: CLAUDE_CONFIG_DIR names `/srv/`, which does not exist"),
            "{text}"
        );
    }

    #[test]
    fn a_history_that_cannot_be_read_is_named() {
        let env = Env::with_home(Path::new("/home/ann"));
        let problem = |path: &str, reason: &str| HistoryProblem {
            path: path.to_owned(),
            reason: reason.to_owned(),
            offset: None,
            count: 1,
            is_unread_path: true,
        };
        let folder = problem(
            "/home/ann/.claude/projects",
            "cannot be listed: permission denied",
        );
        let format = |problems: &[HistoryProblem]| {
            let missing = MissingHistory {
                is_excluding: problems.len() > 1,
                problems,
                ..MissingHistory::default()
            };
            format_no_history(&env, &missing).to_string()
        };
        assert_eq!(
            format(std::slice::from_ref(&folder)),
            "no history was found, and 1 place could not be read: /home/ann/.claude/projects: cannot be listed: permission denied\nhint: `session-search status` lists them"
        );
        let file = problem("/a.jsonl", "failed to open file `/a.jsonl`: refused");
        let text = format(&[file, folder]);
        assert!(
            text.starts_with("no history was found, and 2 places could not be read: first failed to open file `/a.jsonl`: refused\n"),
            "{text}"
        );
    }

    #[test]
    fn files_without_a_session_are_counted() {
        let env = Env::with_home(Path::new("/home/ann"));
        let files = ["copilot", "codex", "codex"].map(str::to_owned);
        let missing = MissingHistory {
            files: &files,
            ..MissingHistory::default()
        };
        let text = format_no_history(&env, &missing).to_string();
        let expected = "in 2 files of Codex CLI, 1 file of Copilot CLI there is no prompt that this version reads\nhint: a newer version";
        assert!(text.contains(expected), "{text}");
    }

    #[test]
    fn a_variable_that_is_left_out_is_a_hint() {
        let env = Env::with_home(Path::new("/home/ann"));
        let removed = ["the variable CODEX_HOME is left out: it names `/srv/x`".to_owned()];
        let missing = MissingHistory {
            removed_variables: &removed,
            ..MissingHistory::default()
        };
        let text = format_no_history(&env, &missing).to_string();
        assert!(text.ends_with(&removed[0]), "{text}");
    }
}
