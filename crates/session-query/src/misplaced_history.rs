//! A history that a variable hides.

use session_sources::{Env, Source, sources};
use std::path::PathBuf;

/// A variable that names no folder that exists, while the agent's usual folder has a history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MisplacedHistory {
    /// The variable.
    pub variable: &'static str,
    /// Its value.
    pub value: String,
    /// A file of the history.
    pub file: PathBuf,
}

/// Finds a history that is not read because of a variable. An agent's usual folder is listed for it.
pub fn find_misplaced_history(env: &Env) -> Option<MisplacedHistory> {
    sources()
        .iter()
        .find_map(|source| find_hidden_by_variable(*source, env))
}

fn find_hidden_by_variable(source: &dyn Source, env: &Env) -> Option<MisplacedHistory> {
    let variable = *source.agent().variables.first()?;
    let value = env.get(variable)?;
    let mut folders = value.split(',').map(|folder| env.path(folder.trim()));
    if folders.any(|folder| folder.exists()) {
        return None;
    }
    let listing = source.locate(&env.clone().var(variable, ""));
    Some(MisplacedHistory {
        variable,
        value: value.to_owned(),
        file: listing.locations.into_iter().next()?.path,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_is_named_where_it_hides_a_history() {
        let home = tempfile::tempdir().unwrap();
        let env = Env::with_home(home.path());
        let gone = home.path().join("gone");
        let misled = env
            .clone()
            .var("CLAUDE_CONFIG_DIR", &gone.to_string_lossy());
        assert_eq!(find_misplaced_history(&misled), None, "there is none");
        let project = home.path().join(".claude/projects/-home-ann-app");
        fs_err::create_dir_all(&project).unwrap();
        let file = project.join("a1000000-0000-4000-8000-000000000001.jsonl");
        fs_err::write(&file, "{}\n").unwrap();
        assert_eq!(find_misplaced_history(&env), None);
        let found = find_misplaced_history(&misled).unwrap();
        assert_eq!((found.variable, found.file), ("CLAUDE_CONFIG_DIR", file));
        fs_err::create_dir(&gone).unwrap();
        assert_eq!(find_misplaced_history(&misled), None, "a folder is there");
    }
}
