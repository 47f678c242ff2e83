//! Environment variables that may not be trusted. A project can set variables, by its settings of an
//! agent or with a tool such as direnv: none of them may lead into it, nor into another project.

use crate::home::Home;
use crate::project_marks::{PathOwner, find_project_mark, lies_in_project, unmarked_root};
use session_core::text::path_line;
use session_files::{home_directory, is_below, split_at_outermost_root};
use session_sources::agents;
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

/// Variables that name a path or an address, beside those of the agents; some are lists with commas.
const PATHS: &[&str] = &[
    "SESSION_SEARCH_CONFIG",
    "SESSION_SEARCH_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_CACHE_HOME",
    "XDG_STATE_HOME",
    #[cfg(windows)]
    "LOCALAPPDATA",
    "CODEX_HOME",
    "HF_HOME",
    "HF_HUB_CACHE",
    "HF_ENDPOINT",
];
/// Variables that are lists: of them an entry is removed alone.
const LISTS: [&str; 1] = ["CLAUDE_CONFIG_DIR"];
/// The beginning of the names of the program's own variables.
pub(crate) const OWN_PREFIX: &str = "SESSION_SEARCH_";
/// Variables that name a program.
const PROGRAMS: [&str; 3] = ["PAGER", "VISUAL", "EDITOR"];

/// The variables of a process that this program can use.
pub(crate) struct UsableVariables {
    /// Values by name.
    pub(crate) vars: HashMap<String, String>,
    /// Names of the variables that were removed, or of which an entry was.
    pub(crate) refused: Vec<String>,
}

impl UsableVariables {
    /// Leaves out variables that are not UTF-8, and what [`remove_untrusted`] removes.
    pub(crate) fn new(
        all: impl Iterator<Item = (OsString, OsString)>,
        home: &Path,
        directory: &Path,
    ) -> Self {
        let (mut vars, mut refused) = (HashMap::new(), Vec::new());
        for (name, value) in all {
            match (name.into_string(), value.into_string()) {
                (Ok(name), Ok(value)) => drop(vars.insert(name, value)),
                (Ok(name), Err(_)) if is_used(&name) => refused.push(name),
                _ => {}
            }
        }
        refused.sort();
        let untrusted = remove_untrusted(&mut vars, home, directory);
        refused.extend(untrusted.into_iter().map(str::to_owned));
        Self { vars, refused }
    }
}

/// Returns true for a variable that this program looks at.
fn is_used(name: &str) -> bool {
    let mut of_agents = agents().flat_map(|agent| agent.variables);
    name.starts_with(OWN_PREFIX)
        || PATHS.contains(&name)
        || PROGRAMS.contains(&name)
        || of_agents.any(|variable| *variable == name)
}

/// Removes the variables that name something in the project around a directory or in any other project, and those that
/// name a relative path, which would depend on the directory; of a list the entries that do. Returns the names of these
/// variables.
pub(crate) fn remove_untrusted(
    vars: &mut HashMap<String, String>,
    home: &Path,
    directory: &Path,
) -> Vec<&'static str> {
    let around = Surroundings::new(home, directory);
    let search = vars.get("PATH").cloned().unwrap_or_default();
    let is_set = |name: &&&'static str| vars.contains_key(**name);
    let value = |name: &str| vars.get(name).map_or("", String::as_str);
    let of_agents = agents().flat_map(|agent| agent.variables);
    let of_agents = of_agents.filter(|name| !PATHS.contains(name));
    let paths = PATHS.iter().chain(of_agents).filter(is_set);
    let paths = paths.filter(|name| around.refuses_path(name, value(name)));
    let programs = PROGRAMS.iter().filter(is_set);
    let programs = programs.filter(|name| around.refuses_program(value(name), &search));
    let refused: Vec<&'static str> = paths.chain(programs).copied().collect();
    let kept = refused
        .iter()
        .map(|name| around.keep_entries(name, value(name)));
    let kept: Vec<Option<String>> = kept.collect();
    for (name, kept) in refused.iter().zip(kept) {
        match kept {
            Some(list) => drop(vars.insert((*name).to_owned(), list)),
            None => drop(vars.remove(*name)),
        }
    }
    refused
}

/// Formats the reason for which a variable with this value is removed, as half a sentence. Of the value no more is repeated than the path in a
/// project: it may hold a key.
pub fn explain_removal(name: &str, value: &OsStr) -> String {
    let Some(value) = value.to_str() else {
        return "its value is not UTF-8".to_owned();
    };
    let directory = std::env::current_dir().unwrap_or_default();
    let home = home_directory(&directory).unwrap_or_default();
    let in_project = match explain_unusable(name, value) {
        Some(reason) => return reason.to_owned(),
        None => Surroundings::new(&home, &directory).explain_project_path(name, value),
    };
    let path = in_project.unwrap_or_else(|| "it names a path in a project".to_owned());
    format!("{path}, and a project may not choose it")
}

/// Formats for each variable that would name a folder of histories why it, or an entry of it, is left out.
pub fn explain_history_removals(home: &Home) -> Vec<String> {
    let names_histories =
        |name: &&String| agents().any(|agent| agent.variables.contains(&name.as_str()));
    let explain = |name: &String| {
        let reason = explain_removal(name, &std::env::var_os(name).unwrap_or_default());
        let part = home.env.get(name).map_or("", |_| "an entry of ");
        format!("{part}the variable {name} is left out: {reason}")
    };
    let removed = home.refused.iter().filter(names_histories);
    removed.map(explain).collect()
}

/// Returns the reason for which a variable cannot be used in any directory; `None` for one with paths that are the same everywhere.
fn explain_unusable(name: &str, value: &str) -> Option<&'static str> {
    let mut parts = list_parts(value);
    let reason = match parts.find(|part| !is_stable(part)) {
        _ if name == "HF_ENDPOINT" => "it names no http or https address",
        _ if PROGRAMS.contains(&name) => "it names a file of a project",
        Some(path) if path.starts_with("/proc") || path.starts_with("/dev") => {
            "it names a path in /proc or /dev, where nothing is kept"
        }
        Some(path) if !path.starts_with("~/") && !Path::new(path).is_absolute() => {
            "it names a relative path, which depends on the current folder"
        }
        Some(_) => "it names a path with `..`",
        None => return None,
    };
    Some(reason)
}

/// Returns the entries of a list with commas.
fn list_parts(value: &str) -> impl Iterator<Item = &str> {
    let parts = value.split(',').map(str::trim);
    parts.filter(|part| !part.is_empty())
}

/// Returns the owner of the directory that a variable names.
fn path_owner(name: &str) -> PathOwner {
    let mut agents = agents();
    match agents.find(|agent| agent.variables.contains(&name)) {
        Some(agent) if agent.variables.first() == Some(&name) => {
            PathOwner::Agent(agent.folder_in_variable)
        }
        Some(_) => PathOwner::Agent(""),
        None => PathOwner::Program,
    }
}

/// Returns true for a path that lies in the project around a directory, or in any other one.
pub(crate) fn leads_into_project(path: &Path, home: &Path, directory: &Path) -> bool {
    Surroundings::new(home, directory).lies_in_project(path, PathOwner::Program)
}

/// Returns true for an absolute path that means the same in every process and at every time: without `..`, and
/// not below `/proc` or `/dev`.
fn is_stable(path: &str) -> bool {
    let (in_home, path) = (path.starts_with("~/"), Path::new(path));
    let climbs = path.components().any(|part| part == Component::ParentDir);
    let is_special = path.starts_with("/proc") || path.starts_with("/dev");
    (in_home || path.is_absolute()) && !climbs && !is_special
}

/// The surroundings of a directory.
struct Surroundings<'a> {
    home: &'a Path,
    directory: &'a Path,
    /// The outermost root around the directory, marked or not.
    root: Option<PathBuf>,
}

impl<'a> Surroundings<'a> {
    fn new(home: &'a Path, directory: &'a Path) -> Self {
        let root = split_at_outermost_root(directory, home).map(|split| split.root);
        Self {
            home,
            directory,
            root: root.or_else(|| unmarked_root(directory, home)),
        }
    }

    fn refuses_path(&self, name: &str, value: &str) -> bool {
        list_parts(value).any(|part| self.refuses_entry(name, part))
    }

    fn refuses_entry(&self, name: &str, entry: &str) -> bool {
        let is_address = |part: &str| part.starts_with("https://") || part.starts_with("http://");
        match name {
            "HF_ENDPOINT" => !is_address(entry),
            _ => !is_stable(entry) || self.lies_in_project(&self.resolve(entry), path_owner(name)),
        }
    }

    /// Returns what is left of a list without the entries that are refused; `None` where nothing is, and for a variable
    /// that is no list.
    fn keep_entries(&self, name: &str, value: &str) -> Option<String> {
        let kept = list_parts(value).filter(|entry| !self.refuses_entry(name, entry));
        let kept: Vec<&str> = kept.collect();
        (LISTS.contains(&name) && !kept.is_empty()).then(|| kept.join(","))
    }

    /// Formats which path of a list lies in a project, and the mark of that project; `None` where no mark is above any.
    fn explain_project_path(&self, name: &str, value: &str) -> Option<String> {
        let owner = path_owner(name);
        list_parts(value).find_map(|part| {
            let mark = find_project_mark(&self.resolve(part), owner, self.home)?;
            let (path, mark) = (path_line(Path::new(part)), path_line(&mark));
            Some(format!(
                "it names `{path}` in a project, which `{mark}` marks"
            ))
        })
    }

    /// Returns true for a command line with a word that names a file of a project, or whose program `PATH`
    /// finds in the project around the directory. Who can set `PATH` chooses programs anyway.
    fn refuses_program(&self, command: &str, search: &str) -> bool {
        let separators = |c: char| c.is_whitespace() || "'\"=;|&()`$<>".contains(c);
        let mut words = command.split(separators).filter(|word| !word.is_empty());
        let program = words.clone().next().unwrap_or_default();
        let found = || {
            let mut candidates = std::env::split_paths(search).map(|at| at.join(program));
            candidates.find(|path| path.is_file())
        };
        let is_path = |word: &str| word.contains(['/', '\\']) || word.starts_with('.');
        let is_in_search = || {
            let folder = Path::new(program).parent();
            std::env::split_paths(search).any(|at| Some(at.as_path()) == folder)
        };
        let is_refused = |word: &str| match word == program {
            true if !is_path(word) => false,
            // A package manager may keep its programs in a repository.
            true if is_in_search() => self.lies_below(&self.resolve(word)),
            _ => self.names_file_of_project(word),
        };
        words.any(is_refused)
            || (!is_path(program) && found().is_some_and(|path| self.lies_below(&path)))
    }

    /// Returns true for a word that names an existing file of a project: an argument such as `s/a/b/` is not a path.
    fn names_file_of_project(&self, word: &str) -> bool {
        let path = self.resolve(word);
        path.exists() && self.lies_in_project(&path, PathOwner::Program)
    }

    /// Returns true for a path in the project around the directory, or in any other one.
    fn lies_in_project(&self, path: &Path, owner: PathOwner) -> bool {
        self.lies_below(path) || lies_in_project(path, owner, self.home)
    }

    fn lies_below(&self, path: &Path) -> bool {
        let root = self.root.as_ref();
        root.is_some_and(|root| is_below(path, root))
    }

    fn resolve(&self, word: &str) -> PathBuf {
        match word.strip_prefix("~/") {
            Some(rest) => self.home.join(rest),
            None => self.directory.join(word),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(not(windows))] // its paths are none there
    #[test]
    fn the_reason_of_a_removal_is_told() {
        for (name, value, reason) in [
            ("SESSION_SEARCH_HOME", "/proc/x", "in /proc or /dev"),
            ("SESSION_SEARCH_HOME", "index", "a relative path"),
            ("XDG_DATA_HOME", "/nope/../home", "a path with `..`"),
            ("CLAUDE_CONFIG_DIR", "/srv/ok, x", "a relative path"),
            ("XDG_CONFIG_HOME", "/home/ann/app", "a path in a project"),
            ("HF_ENDPOINT", "file:///x", "no http or https address"),
            ("EDITOR", "./edit.sh", "a file of a project"),
        ] {
            let explanation = explain_removal(name, OsStr::new(value));
            assert!(
                explanation.contains(reason),
                "{name}={value}: {explanation}"
            );
        }
    }

    #[test]
    fn the_path_in_a_project_and_its_mark_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let real = fs_err::canonicalize(folder.path()).unwrap();
        let clone = real.join("clone/.claude");
        for path in [&clone, &real.join("clone/.git"), &real.join("out/.claude")] {
            fs_err::create_dir_all(path).unwrap();
        }
        let list = format!(
            "{}, {}",
            real.join("out/.claude").display(),
            clone.display()
        );
        let explanation = explain_removal("CLAUDE_CONFIG_DIR", OsStr::new(&list));
        let mark = real.join("clone/.git");
        let (clone, mark) = (clone.display(), mark.display());
        let expected = format!("it names `{clone}` in a project, which `{mark}` marks");
        assert!(explanation.starts_with(&expected), "{explanation}");
    }

    #[cfg(not(windows))] // its paths are none there
    #[test]
    fn variables_that_lead_into_the_project_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let real = fs_err::canonicalize(folder.path()).unwrap();
        let account = "account/.codex";
        let gem = "gem/.gemini";
        for path in [
            "home",
            "p/.git",
            "p/bin",
            "p/in/.claude",
            "out",
            account,
            gem,
        ] {
            fs_err::create_dir_all(real.join(path)).unwrap();
        }
        for file in ["p/bin/less", "p/in/edit.sh", "p/vimrc", "p/x"] {
            fs_err::write(real.join(file), "").unwrap();
        }
        let check = |name: &str, value: &str, is_refused: bool| {
            let value = value.replace("ROOT", &real.display().to_string());
            let path = format!("{}/p/bin:/usr/bin", real.display());
            let set = [(name, value.as_str()), ("PATH", &path)];
            let set = set.map(|(name, value)| (name.to_owned(), value.to_owned()));
            let mut vars = HashMap::from(set);
            let refused = remove_untrusted(&mut vars, &real.join("home"), &real.join("p/in"));
            assert_eq!(!refused.is_empty(), is_refused, "{name}={value}");
            assert_eq!(!vars.contains_key(name), is_refused, "{name}={value}");
        };
        check("SESSION_SEARCH_HOME", "index", true);
        check("SESSION_SEARCH_HOME", "../../out/index", true);
        check("SESSION_SEARCH_HOME", "ROOT/out/index", false);
        check("SESSION_SEARCH_HOME", "x://index", true);
        check("XDG_DATA_HOME", "/proc/self/cwd/x://d", true);
        check("XDG_DATA_HOME", "/nope/../home/x", true);
        check("SESSION_SEARCH_CONFIG", "ROOT/p/.claude", true);
        check("XDG_CONFIG_HOME", "ROOT/out", false);
        check("CLAUDE_CONFIG_DIR", "ROOT/p/in, in", true);
        check("CODEX_HOME", "ROOT/out, ROOT/p/in", true);
        check("OPENCODE_DB", "~/x.db", false);
        check("CODEX_HOME", "ROOT/account/.codex", false);
        check("GEMINI_CLI_HOME", "ROOT/gem", false);
        check("CODEX_HOME", "ROOT/gem", true);
        check("GEMINI_CLI_HOME", "ROOT/p", true);
        check("HF_ENDPOINT", "file://ROOT/p/hub", true);
        check("HF_ENDPOINT", "https://hub.example", false);
        check("EDITOR", "./edit.sh", true);
        check("EDITOR", "vim -u ROOT/p/vimrc", true);
        check("EDITOR", "vim", false);
        check("EDITOR", "sh edit.sh", true);
        check("EDITOR", "sed -i s/a/b/", false);
        check("EDITOR", "sh -c 'ROOT/p/x'", true);
        check("PAGER", "less -R", true); // `PATH` finds it in the project
        check("HF_ENDPOINT", "conf", true);
        check("PAGER", "/usr/bin/more", false);
    }

    #[cfg(not(windows))] // its paths are none there
    #[test]
    fn of_a_list_the_bad_entries_are_removed_alone() {
        let folder = tempfile::tempdir().unwrap();
        let real = fs_err::canonicalize(folder.path()).unwrap();
        for path in ["home", "p/.git", "p/in", "out"] {
            fs_err::create_dir_all(real.join(path)).unwrap();
        }
        let out = real.join("out").display().to_string();
        let list = format!("{out}, {}/p/in,relative, ~/.claude", real.display());
        let name = "CLAUDE_CONFIG_DIR";
        let all = [(OsString::from(name), OsString::from(list))];
        let usable = UsableVariables::new(all.into_iter(), &real.join("home"), &real.join("p"));
        assert_eq!(usable.vars[name], format!("{out},~/.claude"));
        assert_eq!(usable.refused, [name]);
    }

    #[cfg(unix)]
    #[test]
    fn a_value_that_is_not_utf_8_is_refused_where_it_would_be_used() {
        use std::os::unix::ffi::OsStringExt;
        let bad = || OsString::from_vec(b"/srv/\xff".to_vec());
        let names = [
            "CLAUDE_CONFIG_DIR",
            "LESSOPEN",
            "SESSION_SEARCH_NICE",
            "PAGER",
        ];
        let all = names.map(|name| (OsString::from(name), bad()));
        let home = Path::new("/home/ann");
        let usable = UsableVariables::new(all.into_iter(), home, home);
        assert_eq!(
            usable.refused,
            ["CLAUDE_CONFIG_DIR", "PAGER", "SESSION_SEARCH_NICE"]
        );
        assert!(usable.vars.is_empty());
        assert_eq!(explain_removal("PAGER", &bad()), "its value is not UTF-8");
    }

    #[cfg(not(windows))] // its paths are none there
    #[test]
    fn variables_that_lead_into_another_project_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let real = fs_err::canonicalize(folder.path()).unwrap();
        for path in [
            "home/.config/.git",
            "clone/.git",
            "worktree",
            "tools/.git",
            "tools/bin",
        ] {
            fs_err::create_dir_all(real.join(path)).unwrap();
        }
        for file in ["worktree/.git", "clone/pager", "tools/bin/edit"] {
            fs_err::write(real.join(file), "").unwrap();
        }
        let refuses = |name: &str, value: &str, directory: &str| {
            let value = value.replace("ROOT", &real.display().to_string());
            let path = format!("{}/tools/bin:/usr/bin", real.display());
            let set = [(name, value), ("PATH", path)];
            let mut vars = set
                .map(|(name, value)| (name.to_owned(), value))
                .into_iter()
                .collect();
            let home = real.join("home");
            !remove_untrusted(&mut vars, &home, &real.join(directory)).is_empty()
        };
        for directory in ["worktree", "home", "clone"] {
            assert!(refuses(
                "SESSION_SEARCH_CONFIG",
                "ROOT/clone/config",
                directory
            ));
            assert!(refuses("XDG_DATA_HOME", "ROOT/clone/new/data", directory));
            assert!(refuses(
                "SESSION_SEARCH_HOME",
                "ROOT/worktree/index",
                directory
            ));
            assert!(refuses("PAGER", "ROOT/clone/pager", directory));
            assert!(refuses("EDITOR", "vi -S ROOT/clone/pager", directory));
            assert!(!refuses("XDG_CONFIG_HOME", "ROOT/home/.config", directory));
            assert!(!refuses("EDITOR", "ROOT/tools/bin/edit", directory));
            assert!(!refuses("EDITOR", "edit", directory));
        }
        assert!(refuses("EDITOR", "ROOT/tools/bin/edit", "tools"));
    }

    #[test]
    fn an_unpacked_archive_is_a_project() {
        let folder = tempfile::tempdir().unwrap();
        let real = fs_err::canonicalize(folder.path()).unwrap();
        for path in ["home/.config", "p/config", "p/src", "scratch/config"] {
            fs_err::create_dir_all(real.join(path)).unwrap();
        }
        fs_err::write(real.join("p/.envrc"), "").unwrap();
        let refuses = |directory: &str, config: &str| {
            let value = real.join(config).display().to_string();
            let mut vars = HashMap::from([("XDG_CONFIG_HOME".to_owned(), value)]);
            !remove_untrusted(&mut vars, &real.join("home"), &real.join(directory)).is_empty()
        };
        assert!(refuses("p", "p/config") && refuses("p/src", "p/config"));
        assert!(
            !refuses("scratch", "scratch/config"),
            "nothing sets variables there"
        );
        assert!(!refuses("p", "out"));
        assert!(!refuses("home", "home/.config"), "the home directory");
        assert!(!refuses("", "home/.config"), "what lies above it");
        assert!(!refuses("removed", "home/.config"));
    }
}
