//! Facts about an agent besides how to read it.

use crate::{Caller, Env, HistoryFolder};
use session_core::SessionMeta;

/// An agent, as data: its names, its folders, its commands.
#[derive(Debug)]
pub struct AgentInfo {
    /// The stable name, stored in the index and typed by users: never changes.
    pub name: &'static str,
    /// The name that its makers give it: `Claude Code`.
    pub title: &'static str,
    /// Folders below the home folder that hold its histories.
    pub folders: &'static [&'static str],
    /// Variables that name other places for them; the first one a list of folders with commas.
    pub variables: &'static [&'static str],
    /// The command that takes a session up again, where `{id}` stands for the id of the session.
    /// Empty where it has none.
    pub resume: &'static [&'static str],
    /// The command that begins a new session as that one.
    pub fork: &'static [&'static str],
    /// Variables by which it tells the processes that it starts the id of the session.
    pub session_variables: &'static [&'static str],
    /// Variables by which it tells them that it is there.
    pub mark_variables: &'static [&'static str],
}

impl AgentInfo {
    /// An agent without folders, commands and variables, to begin a description from.
    pub const fn new(name: &'static str, title: &'static str) -> Self {
        Self {
            name,
            title,
            folders: &[],
            variables: &[],
            resume: &[],
            fork: &[],
            session_variables: &[],
            mark_variables: &[],
        }
    }

    /// Returns its folders, or those that its first variable names.
    pub fn history_folders(&self, env: &Env) -> Vec<HistoryFolder> {
        HistoryFolder::list(env, self.variables.first().copied(), self.folders)
    }

    /// Returns the program and arguments that take a session up again.
    pub fn resume_command(&self, session: &SessionMeta) -> Option<Vec<String>> {
        command(self.resume, session)
    }

    /// Returns the program and arguments that begin a new session as that one.
    pub fn fork_command(&self, session: &SessionMeta) -> Option<Vec<String>> {
        command(self.fork, session)
    }

    /// Returns the session that started this process, by the variables: the first id that is set,
    /// else an unnamed one if there is a mark.
    pub fn caller(&self, env: &Env) -> Option<Caller> {
        let id = self.session_variables.iter().find_map(|name| env.get(name));
        let is_there = || {
            self.mark_variables
                .iter()
                .any(|name| env.get(name).is_some())
        };
        match id {
            Some(id) => Some(Caller::Session(id.to_owned())),
            None => is_there().then_some(Caller::Unnamed),
        }
    }
}

/// A command that names a session. None for a subagent's, for one of which only prompts are left,
/// and for an id that a program could take for an option.
fn command(words: &[&str], session: &SessionMeta) -> Option<Vec<String>> {
    let id = &session.id;
    let is_plain = id
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b));
    let is_own = is_plain && !id.is_empty() && !id.starts_with('-') && session.parent.is_none();
    let words = words.iter().map(|word| word.replace("{id}", id));
    let command: Vec<String> = words.collect();
    (is_own && !session.prompts_only && !command.is_empty()).then_some(command)
}

/// Joins words as a sentence has them: `a, b or c`.
pub fn join_words<'w>(words: impl IntoIterator<Item = &'w str>, conjunction: &str) -> String {
    let words: Vec<&str> = words.into_iter().collect();
    match words.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} {conjunction} {last}", others.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::join_words;

    #[test]
    fn words_are_joined_as_in_a_sentence() {
        assert_eq!(join_words([], "or"), "");
        assert_eq!(join_words(["a"], "or"), "a");
        assert_eq!(join_words(["a", "b"], "and"), "a and b");
        assert_eq!(join_words(["a", "b", "c"], "or"), "a, b or c");
    }
}
