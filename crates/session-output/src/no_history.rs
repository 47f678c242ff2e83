//! The message that this machine has no history.

use crate::layout::sanitize_line;
use session_core::DOCS_URL;
use session_core::text::{join_alternatives, path_line};
use session_display::{Note, pluralize};
use session_query::MisplacedHistory;
use session_sources::{Env, agents};
use session_store::Problem;

/// Formats that there is no history, where it was looked for and what helps; or which could not be read.
/// `is_excluding` is true where something was forgotten, or is excluded by the configuration; `misplaced` is a history
/// that a variable hides.
pub fn format_no_history(
    env: &Env,
    is_excluding: bool,
    misplaced: Option<&MisplacedHistory>,
    problems: &[Problem],
) -> Note {
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
    let hint = match misplaced {
        Some(misplaced) => format_misplaced(misplaced),
        None => format!(
            "try `session-search demo`, or add --or-demo to a search; {DOCS_URL}/sources.md says where histories are looked for"
        ),
    };
    Note::new(format!("no {titles} history in `{folder}`")).with_hint(hint)
}

/// Formats that so many places could not be read, and why the first one was not.
fn format_unreadable(first: &Problem, count: usize) -> Note {
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
        let text = format_no_history(&env, false, None, &[]).to_string();
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
        let text = format_no_history(&env, false, Some(&misplaced), &[]).to_string();
        assert!(
            text.contains("hint: CLAUDE_CONFIG_DIR names `/srv/`, which does not exist"),
            "{text}"
        );
    }

    #[test]
    fn a_history_that_cannot_be_read_is_named() {
        let env = Env::with_home(Path::new("/home/ann"));
        let problem = |path: &str, reason: &str| Problem {
            path: path.to_owned(),
            reason: reason.to_owned(),
            offset: None,
            count: 1,
        };
        let folder = problem(
            "/home/ann/.claude/projects",
            "cannot be listed: permission denied",
        );
        assert_eq!(
            format_no_history(&env, false, None, std::slice::from_ref(&folder)).to_string(),
            "no history was found, and 1 place could not be read: /home/ann/.claude/projects: cannot be listed: permission denied\nhint: `session-search status` lists them"
        );
        let file = problem("/a.jsonl", "failed to open file `/a.jsonl`: refused");
        let text = format_no_history(&env, true, None, &[file, folder]).to_string();
        assert!(
            text.starts_with("no history was found, and 2 places could not be read: first failed to open file `/a.jsonl`: refused\n"),
            "{text}"
        );
    }
}
