//! Facts about an agent besides how to read it.

use crate::{Caller, Env, HistoryFolder};
use session_core::SessionMeta;
use std::path::{Path, PathBuf};

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
    /// The folder below the one that the first variable names, where that one is not its own: `.gemini`.
    pub folder_in_variable: &'static str,
    /// Folders in its own one that hold sessions: `sessions`. Empty where they lie in it.
    pub session_folders: &'static [&'static str],
    /// The command that takes a session up again, where `{id}` stands for the id of the session.
    /// Empty where it has none.
    pub resume: &'static [&'static str],
    /// The command that begins a new session as that one.
    pub fork: &'static [&'static str],
    /// Variables by which it gives the processes that it starts the id of the session.
    pub session_variables: &'static [&'static str],
    /// Variables by which it shows them that it is there.
    pub mark_variables: &'static [&'static str],
}

impl AgentInfo {
    /// Returns an agent without folders, commands and variables, to begin a description from.
    pub const fn new(name: &'static str, title: &'static str) -> Self {
        Self {
            name,
            title,
            folders: &[],
            variables: &[],
            folder_in_variable: "",
            session_folders: &[],
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

    /// Returns the variable, with its value, by which the agent finds a history that lies in another of its folders
    /// than the one that it looks in by itself; `None` where it needs none. Of a list in the variable it takes no part.
    pub fn folder_variable(&self, env: &Env, history: &Path) -> Option<(&'static str, PathBuf)> {
        let variable = *self.variables.first()?;
        let folders = self.history_folders(env);
        let holds = |folder: &&HistoryFolder| history.starts_with(&folder.path);
        let folder = &folders.iter().find(holds)?.path;
        let is_found = match env.get(variable) {
            Some(value) => Path::new(value) == folder,
            None => folders.first().is_some_and(|first| first.path == *folder),
        };
        (!is_found).then(|| (variable, folder.clone()))
    }

    /// Returns the variable, with its value, by which the agent finds a history in a folder that nothing names now; `None`
    /// where the path does not tell the folder.
    pub fn naming_variable(&self, history: &Path) -> Option<(&'static str, PathBuf)> {
        let variable = *self.variables.first()?;
        let mut folders = history.ancestors().skip(1);
        let folder = folders.find(|folder| self.is_own_folder(folder, history))?;
        let named = match self.folder_in_variable {
            "" => folder,
            _ => folder.parent()?,
        };
        Some((variable, named.to_owned()))
    }

    /// Returns true for the folder of the agent above a history, by the names on the way.
    fn is_own_folder(&self, folder: &Path, history: &Path) -> bool {
        let below = history.strip_prefix(folder).ok();
        let first = below.and_then(|below| below.iter().next()?.to_str());
        let is_session_folder = |first| self.session_folders.contains(&first);
        folder.ends_with(self.folder_in_variable)
            && (self.session_folders.is_empty() || first.is_some_and(is_session_folder))
    }

    /// Returns the program and arguments that take a session up again.
    pub(crate) fn resume_command(&self, session: &SessionMeta) -> Option<Vec<String>> {
        command(self.resume, session)
    }

    /// Returns the program and arguments that begin a new session as that one.
    pub(crate) fn fork_command(&self, session: &SessionMeta) -> Option<Vec<String>> {
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

/// Returns a command that names a session. None for a subagent's, for one of which only prompts are left,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_is_needed_where_the_agent_does_not_look_by_itself() {
        let agent = AgentInfo {
            folders: &[".lamp", ".config/lamp"],
            variables: &["LAMP_DIR"],
            ..AgentInfo::new("lamp", "Lamp")
        };
        let home = Path::new("/home/ann");
        let env = |value: &str| Env::with_home(home).var("LAMP_DIR", value);
        let needs = |env: Env, history: &str| {
            let variable = agent.folder_variable(&env, Path::new(history));
            variable.map(|(name, folder)| format!("{name}={}", folder.display()))
        };
        let named = |folder: &str| Some(format!("LAMP_DIR={folder}"));
        assert_eq!(needs(env(""), "/home/ann/.lamp/a"), None);
        let second = "/home/ann/.config/lamp";
        assert_eq!(needs(env(""), "/home/ann/.config/lamp/a"), named(second));
        assert_eq!(needs(env("/srv/x"), "/srv/x/a"), None);
        assert_eq!(needs(env("/srv/x, /srv/y"), "/srv/x/a"), named("/srv/x"));
        assert_eq!(needs(env("~/y"), "/home/ann/y/a"), named("/home/ann/y"));
        assert_eq!(needs(env(""), "/srv/x/a"), None, "nobody knows");
    }

    #[test]
    fn a_folder_that_nothing_names_is_told_by_the_path() {
        let named = |agent: &str, history: &str| {
            let agent = crate::find_source(agent).unwrap().agent();
            let variable = agent.naming_variable(Path::new(history));
            variable.map(|(name, folder)| format!("{name}={}", folder.display()))
        };
        for (agent, history, expected) in [
            (
                "codex",
                "/srv/work/sessions/2026/07/rollout-a.jsonl",
                "CODEX_HOME=/srv/work",
            ),
            (
                "codex",
                "/srv/sessions/archived_sessions/a.jsonl",
                "CODEX_HOME=/srv/sessions",
            ),
            (
                "claude",
                "/srv/projects/x/projects/-app/a.jsonl",
                "CLAUDE_CONFIG_DIR=/srv/projects/x",
            ),
            (
                "gemini",
                "/srv/gem/.gemini/tmp/tmp/chats/session-a.jsonl",
                "GEMINI_CLI_HOME=/srv/gem",
            ),
            (
                "copilot",
                "/srv/c/session-state/a/events.jsonl",
                "COPILOT_HOME=/srv/c",
            ),
            (
                "pi",
                "/srv/pi/sessions/--app--/a.jsonl",
                "PI_CODING_AGENT_DIR=/srv/pi",
            ),
            (
                "opencode",
                "/srv/data/opencode/opencode.db",
                "XDG_DATA_HOME=/srv/data",
            ),
        ] {
            assert_eq!(named(agent, history).as_deref(), Some(expected));
        }
        assert_eq!(named("codex", "/srv/work/a.jsonl"), None);
        assert_eq!(named("cursor-cli", "/srv/.cursor/projects/a.jsonl"), None);
    }
}
