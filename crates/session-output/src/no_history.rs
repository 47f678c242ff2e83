//! That this machine has no history.

use crate::layout::safe_line;
use session_sources::{Env, agents, join_words};

/// Formats that there is no history, where it was looked for and what helps. `is_excluding` is true where something
/// was forgotten, or is excluded by the configuration.
pub fn format_no_history(env: &Env, is_excluding: bool) -> String {
    let folder = safe_line(&env.home.to_string_lossy());
    let titles = join_words(agents().map(|agent| agent.title), "or");
    if is_excluding {
        return format!(
            "no {titles} history in `{folder}` but what was forgotten or is excluded\nhint: `session-search forget --list` shows what was forgotten, `session-search config` what is excluded"
        );
    }
    let set = history_variables().find_map(|name| Some((name, env.get(name)?)));
    let looked = match set {
        Some((name, value)) => format!(
            ", where {name} is `{}`\nhint: correct or unset it",
            safe_line(value)
        ),
        None => format!(
            "\nhint: try `session-search demo`, or set {}",
            join_words(history_variables(), "or")
        ),
    };
    format!("no {titles} history in `{folder}`{looked}")
}

/// Formats that the index holds no session, where it was not brought up to date: there may be a history.
pub fn format_unread_history() -> &'static str {
    "the index holds no session, and --no-refresh reads none\nhint: run `session-search index`"
}

/// Returns the variables that name the folders of histories, one of each agent.
fn history_variables() -> impl Iterator<Item = &'static str> {
    agents().filter_map(|agent| agent.variables.first().copied())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn a_variable_that_leads_elsewhere_is_named() {
        let env = Env::with_home(Path::new("/home/ann"));
        let text = format_no_history(&env, false);
        assert!(text.contains(" history in `/home/ann`\nhint: try `session-search demo`"));
        let variable = history_variables().next().unwrap();
        let text = format_no_history(&env.var(variable, "/srv/\u{1b}[31m"), false);
        assert!(text.ends_with("\nhint: correct or unset it"), "{text}");
        assert!(
            text.contains(variable) && !text.contains('\u{1b}'),
            "{text}"
        );
    }
}
