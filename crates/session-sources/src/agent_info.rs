//! Facts about an agent besides how to read it.

use crate::path_pattern::{PathPattern, is_like};
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
    /// Paths of sessions that it resumes, in its own folder as it makes it, with one `*` in a name for any text:
    /// `sessions/*.jsonl`. By these the folder above a session is known.
    pub session_paths: &'static [&'static str],
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
            session_paths: &[],
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

    /// Returns the folder that its first variable names where it is not set; `None` for any other name.
    pub fn usual_folder(&self, variable: &str, env: &Env) -> Option<PathBuf> {
        let is_first = self.variables.first() == Some(&variable);
        let own = self.default_folder(env).filter(|_| is_first)?;
        self.named_folder(&own).map(Path::to_owned)
    }

    /// Returns the folders of its sessions, and its own one, below what its first variable names.
    pub fn folders_in_variable(&self) -> impl Iterator<Item = PathBuf> {
        self.inner_folders(self.folder_in_variable)
    }

    /// Returns the folders of its sessions, and its own ones, below a home folder.
    pub fn folders_in_home(&self) -> impl Iterator<Item = PathBuf> {
        let folders = self.folders.iter();
        folders.flat_map(|folder| self.inner_folders(folder))
    }

    /// Returns one of its own folders, and those in it that hold sessions.
    fn inner_folders(&self, own: &'static str) -> impl Iterator<Item = PathBuf> {
        let holding = self.session_paths.iter().map(move |path| {
            let (names, _) = PathPattern::new(path).split_literal();
            Path::new(own).join(names.join("/"))
        });
        std::iter::once(PathBuf::from(own)).chain(holding)
    }

    /// Returns the folder in which the agent looks without its variable.
    fn default_folder(&self, env: &Env) -> Option<PathBuf> {
        let first = self.folders.first();
        first.map(|default| env.home.join(default))
    }

    /// Returns the folder that the first variable names, of one of the agent.
    fn named_folder<'p>(&self, own: &'p Path) -> Option<&'p Path> {
        if self.folder_in_variable.is_empty() {
            Some(own)
        } else {
            own.parent()
        }
    }

    /// Returns true for a history in one of the agent's folders, or below what one of its variables names.
    pub fn names_history(&self, env: &Env, history: &Path) -> bool {
        let folders = self.history_folders(env).into_iter();
        let named = self.variables.iter().filter_map(|name| env.get(name));
        let mut paths = folders
            .map(|folder| folder.path)
            .chain(named.map(|value| env.path(value)));
        paths.any(|path| history.starts_with(path))
    }

    /// Returns the variables by which the agent finds a history that is read now, and without those that would lead it
    /// elsewhere.
    pub fn folder_variables(&self, env: &Env, history: &Path) -> Vec<FolderVariable> {
        let is_own = self.find_own_folder(history).is_some();
        let leads_elsewhere = |name: &&'static str| {
            let value = env.get(name);
            is_own && value.is_some_and(|value| !history.starts_with(env.path(value)))
        };
        let others = self.variables.iter().copied().skip(1);
        let unset = others.filter(leads_elsewhere);
        let unset = unset.map(|name| FolderVariable { name, folder: None });
        let first = self.folder_variable(env, history).into_iter();
        first.chain(unset).collect()
    }

    /// Returns the first variable, for a history that lies in another of the agent's folders than the one that it looks in
    /// by itself; `None` if it needs none. Of a list in the variable it takes no part.
    fn folder_variable(&self, env: &Env, history: &Path) -> Option<FolderVariable> {
        let variable = *self.variables.first()?;
        let folders = self.history_folders(env);
        let holds = |folder: &&HistoryFolder| history.starts_with(&folder.path);
        let folder = &folders.iter().find(holds)?.path;
        let is_found = match env.get(variable) {
            Some(value) => Path::new(value) == folder,
            None => folders.first().is_some_and(|first| first.path == *folder),
        };
        (!is_found).then(|| FolderVariable {
            name: variable,
            folder: (!self.is_default_folder(folder, env)).then(|| folder.clone()),
        })
    }

    /// Returns the variables by which the agent finds a history in a folder that nothing names now: its first one, and
    /// without those that would lead it elsewhere. `None` if the path is not one that the agent makes below the
    /// first one, since another variable may have named it.
    pub fn unlisted_folder_variables(
        &self,
        env: &Env,
        history: &Path,
    ) -> Option<Vec<FolderVariable>> {
        let (&first, others) = self.variables.split_first()?;
        let folder = self.find_own_folder(history)?;
        let is_default = self.is_default_folder(folder, env);
        let named = self.named_folder(folder)?;
        let is_set = |name: &&'static str| env.get(name).is_some();
        let unset = is_default.then_some(first).into_iter();
        let unset = unset.chain(others.iter().copied()).filter(is_set);
        let unset = unset.map(|name| FolderVariable { name, folder: None });
        let set = (!is_default).then(|| FolderVariable {
            name: first,
            folder: Some(named.to_owned()),
        });
        Some(unset.chain(set).collect())
    }

    /// Returns the folder of the agent above a session, by the names on the way.
    fn find_own_folder<'p>(&self, session: &'p Path) -> Option<&'p Path> {
        let mut paths = self.session_paths.iter();
        let folder = paths.find_map(|path| strip_pattern(session, path))?;
        folder.ends_with(self.folder_in_variable).then_some(folder)
    }

    /// Returns true for the folder in which the agent looks without its variable. To name it is not the same: Claude Code
    /// keeps its account in another file then.
    fn is_default_folder(&self, folder: &Path, env: &Env) -> bool {
        self.default_folder(env)
            .is_some_and(|default| default == folder)
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

/// A variable as an agent needs it to find a history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderVariable {
    /// Its name.
    pub name: &'static str,
    /// The folder that it names; `None` if it must not be set.
    pub folder: Option<PathBuf>,
}

/// Returns the folder below which a path is as a pattern describes it.
fn strip_pattern<'p>(path: &'p Path, pattern: &str) -> Option<&'p Path> {
    let mut names = pattern.rsplit('/');
    names.try_fold(path, |path, pattern| {
        let name = path.file_name()?.to_str()?;
        path.parent().filter(|_| is_like(pattern, name))
    })
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
    fn a_variable_that_leads_from_a_history_is_unset() {
        let agent = AgentInfo {
            folders: &[".lamp"],
            variables: &["LAMP_DIR", "LAMP_DB"],
            session_paths: &["lamp.db"],
            ..AgentInfo::new("lamp", "Lamp")
        };
        let needs = |db: &str, history: &str| -> Vec<String> {
            let env = Env::with_home(Path::new("/home/ann")).var("LAMP_DB", db);
            let variables = agent.folder_variables(&env, Path::new(history));
            variables.iter().map(describe).collect()
        };
        let own = "/home/ann/.lamp/lamp.db";
        assert_eq!(needs("/srv/other.db", own), ["-u LAMP_DB"]);
        assert_eq!(needs(own, own), [""; 0]);
        assert_eq!(needs("/srv/other.db", "/srv/other.db"), [""; 0]);
    }

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
            variable.map(|variable| describe(&variable))
        };
        let named = |folder: &str| Some(format!("LAMP_DIR={folder}"));
        assert_eq!(needs(env(""), "/home/ann/.lamp/a"), None);
        let second = "/home/ann/.config/lamp";
        assert_eq!(needs(env(""), "/home/ann/.config/lamp/a"), named(second));
        assert_eq!(needs(env("/srv/x"), "/srv/x/a"), None);
        assert_eq!(needs(env("/srv/x, /srv/y"), "/srv/x/a"), named("/srv/x"));
        assert_eq!(needs(env("~/y"), "/home/ann/y/a"), named("/home/ann/y"));
        assert_eq!(needs(env(""), "/srv/x/a"), None, "nobody knows");
        let list = env("/srv/x, ~/.lamp");
        let unset = Some("-u LAMP_DIR".to_owned());
        assert_eq!(needs(list, "/home/ann/.lamp/a"), unset);
    }

    /// Formats a variable as an argument of `env`.
    fn describe(variable: &FolderVariable) -> String {
        match &variable.folder {
            Some(folder) => format!("{}={}", variable.name, folder.display()),
            None => format!("-u {}", variable.name),
        }
    }

    /// Returns the variables by which an agent finds a session that is not listed.
    fn find_unlisted(agent: &str, env: &Env, history: &str) -> Option<Vec<String>> {
        let agent = crate::find_source(agent).unwrap().agent();
        let variables = agent.unlisted_folder_variables(env, Path::new(history))?;
        Some(variables.iter().map(describe).collect())
    }

    #[test]
    fn a_folder_that_nothing_names_is_told_by_the_path() {
        let env = Env::with_home(Path::new("/home/ann"));
        for (agent, history, expected) in [
            (
                "codex",
                "/srv/work/sessions/2026/07/31/rollout-a.jsonl",
                "CODEX_HOME=/srv/work",
            ),
            (
                "codex",
                "/srv/sessions/archived_sessions/rollout-a.jsonl.zst",
                "CODEX_HOME=/srv/sessions",
            ),
            (
                "claude",
                "/srv/projects/x/projects/-app/a.jsonl",
                "CLAUDE_CONFIG_DIR=/srv/projects/x",
            ),
            (
                "claude",
                "/home/ann/.config/claude/projects/-app/a.jsonl",
                "CLAUDE_CONFIG_DIR=/home/ann/.config/claude",
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
            let found = find_unlisted(agent, &env, history);
            assert_eq!(found.as_deref(), Some(&[expected.to_owned()][..]));
        }
    }

    #[test]
    fn the_folders_of_sessions_are_those_before_the_first_wildcard() {
        let agent = AgentInfo {
            folders: &[".config/lamp"],
            variables: &["XDG_LAMP"],
            folder_in_variable: "lamp",
            session_paths: &["talks/*/*.jsonl", "lamp*.db", "old/storage"],
            ..AgentInfo::new("lamp", "Lamp")
        };
        let expected =
            |own: &str| ["", "talks", "", "old/storage"].map(|at| Path::new(own).join(at));
        let found: Vec<PathBuf> = agent.folders_in_variable().collect();
        assert_eq!(found, expected("lamp"));
        let found: Vec<PathBuf> = agent.folders_in_home().collect();
        assert_eq!(found, expected(".config/lamp"));
    }

    #[test]
    fn a_folder_that_another_variable_may_have_named_is_not_told() {
        let env = Env::with_home(Path::new("/home/ann"));
        for (agent, history) in [
            ("codex", "/srv/work/a.jsonl"),
            ("claude", "/srv/projects/a.jsonl"),
            ("cursor-cli", "/srv/.cursor/projects/a.jsonl"),
            ("opencode", "/srv/src/opencode/dev.db"),
            ("opencode", "/srv/src/opencode.db"),
            ("pi", "/srv/sessions/team/a.jsonl"),
            ("pi", "/srv/pi-sessions/a.jsonl"),
        ] {
            assert_eq!(find_unlisted(agent, &env, history), None, "{history}");
        }
    }

    #[test]
    fn variables_that_lead_the_agent_elsewhere_are_unset() {
        let env = |name: &str| Env::with_home(Path::new("/home/ann")).var(name, "/srv/x");
        let words = |words: &[&str]| Some(words.iter().map(|word| (*word).to_owned()).collect());
        let claude = "/home/ann/.claude/projects/-app/a.jsonl";
        for (agent, set, history, expected) in [
            (
                "claude",
                "CLAUDE_CONFIG_DIR",
                claude,
                &["-u CLAUDE_CONFIG_DIR"][..],
            ),
            ("claude", "CODEX_HOME", claude, &[]),
            (
                "opencode",
                "OPENCODE_DB",
                "/srv/data/opencode/opencode.db",
                &["-u OPENCODE_DB", "XDG_DATA_HOME=/srv/data"],
            ),
        ] {
            let found = find_unlisted(agent, &env(set), history);
            assert_eq!(found, words(expected), "{set} {history}");
        }
    }
}
