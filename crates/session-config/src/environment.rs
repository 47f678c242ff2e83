//! Environment variables that may not be trusted. A project can set variables, by its settings of an
//! agent or with a tool such as direnv: none of them may lead into it, nor into another project.

use crate::home::Home;
use crate::path_variables::{
    names_session_folder, opened_folders, opened_in_home, own_mark, own_settings, path_variables,
};
use crate::project_marks::{find_project_mark, is_dot_directory, lies_in_project, unmarked_root};
use crate::refresh_environment::usual_folder;
use session_core::text::path_line;
use session_files::{
    HOME_VARIABLE, ProgramSearch, find_cloned_folder, home_directory, is_below,
    normalize_lexically, resolve_links, split_at_outermost_root,
};
use session_models::ENV_FILE;
use session_sources::{Env, agents};
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

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
            let name = name.into_string();
            let name = name.map(|name| fold_name(name, cfg!(windows)));
            match (name, value.into_string()) {
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

/// Returns the name by which a variable is looked for: Windows has `PATH` as `Path`, and takes both for one.
fn fold_name(name: String, is_windows: bool) -> String {
    if is_windows {
        name.to_uppercase()
    } else {
        name
    }
}

/// Returns true for a variable that this program looks at.
fn is_used(name: &str) -> bool {
    name.starts_with(OWN_PREFIX)
        || PROGRAMS.contains(&name)
        || path_variables().any(|variable| variable == name)
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
    let [path, endings] = ["PATH", "PATHEXT"].map(|name| vars.get(name).map(String::as_str));
    let search = ProgramSearch::new(path, endings);
    let is_set = |name: &&'static str| vars.contains_key(*name);
    let value = |name: &str| vars.get(name).map_or("", String::as_str);
    let paths = path_variables().filter(is_set);
    let paths = paths.filter(|name| around.refuses_path(name, value(name)));
    let programs = PROGRAMS.into_iter().filter(is_set);
    let programs = programs.filter(|name| around.refuses_program(value(name), &search));
    let refused: Vec<&'static str> = paths.chain(programs).collect();
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
    let home = home_directory(&directory, &opened_in_home()).unwrap_or_default();
    let explain_path = || Surroundings::new(&home, &directory).explain_path(name, value);
    let in_project = match explain_unusable(name, value) {
        Some(reason) => return reason.to_owned(),
        None if name == HOME_VARIABLE => explain_home(Path::new(value)).or_else(explain_path),
        None => explain_path(),
    };
    let path = in_project.unwrap_or_else(|| "it names a path in a project".to_owned());
    format!("{path}, and a project may not choose it")
}

/// Formats which folder below a home directory is a repository; `None` if none is.
fn explain_home(home: &Path) -> Option<String> {
    let clone = find_cloned_folder(home, &opened_in_home())?;
    let clone = path_line(&clone);
    Some(format!("it leads to `{clone}`, a repository"))
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

/// Returns true for a path that lies in the project around a directory, or in any other one.
pub(crate) fn leads_into_project(path: &Path, home: &Path, directory: &Path) -> bool {
    let own = [path.join(ENV_FILE)];
    Surroundings::new(home, directory).lies_in_project(path, &own)
}

/// Returns true for an absolute path that means the same in every process and at every time: without `..`, and
/// not below `/proc` or `/dev`.
fn is_stable(path: &str) -> bool {
    // `~//proc` would be joined to `/proc`.
    let in_home = path.starts_with("~/") && !path.starts_with("~//");
    let path = Path::new(path);
    let climbs = path.components().any(|part| part == Component::ParentDir);
    let is_special = path.starts_with("/proc") || path.starts_with("/dev");
    (in_home || path.is_absolute()) && !climbs && !is_special
}

/// A path of an entry of a variable that lies in a project.
struct RefusedPath {
    path: PathBuf,
    /// False for a folder that is opened below the path which the entry names.
    is_named: bool,
    /// The mark of the project; `None` if the path is known by the root around the directory alone.
    mark: Option<PathBuf>,
}

/// Returns the marks of projects that the path of a variable, and the folders that are opened below it, may have of their own.
fn own_marks(name: &str, named: &Path) -> Vec<PathBuf> {
    let owner = std::iter::once(own_mark(name, named));
    let settings = own_settings(name).map(|settings| named.join(settings));
    let below = opened_folders(name).into_iter();
    let below = below.map(|folder| named.join(folder).join(ENV_FILE));
    owner.chain(settings).chain(below).collect()
}

/// Returns a folder below a path, or what is above the outermost link on the way to it: where the path is in no project, that link
/// is the user's, wherever it leads.
fn before_link(path: &Path, folder: PathBuf) -> PathBuf {
    let is_link = |at: &&Path| !at.as_os_str().is_empty() && path.join(at).is_symlink();
    let outermost = folder.ancestors().filter(is_link).last();
    let before = outermost.map(|link| link.parent().unwrap_or(link).to_owned());
    before.unwrap_or(folder)
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
        let is_refused = || self.find_refused(name, entry).is_some();
        match name {
            "HF_ENDPOINT" => !is_address(entry),
            _ => !is_stable(entry) || self.is_too_wide(name, entry) || is_refused(),
        }
    }

    /// Finds the path in a project among the one that an entry names and the folders that are opened below it. What is used
    /// without the variable, too, is not judged.
    fn find_refused(&self, name: &str, entry: &str) -> Option<RefusedPath> {
        let named = self.resolve(entry);
        if usual_folder(name, &Env::with_home(self.home)).as_ref() == Some(&named) {
            return None;
        }
        let own = own_marks(name, &named);
        let judge = |path: PathBuf, is_named: bool, is_at_hand: bool| {
            let clear = (!is_named).then_some(&*named);
            let mark = find_project_mark(&path, clear, &own, self.home);
            let is_refused = is_at_hand || mark.is_some() || normalize_lexically(&path).is_err();
            is_refused.then_some(RefusedPath {
                path,
                is_named,
                mark,
            })
        };
        let is_at_hand = self.lies_below(&named);
        judge(named.clone(), true, is_at_hand).or_else(|| {
            let real = resolve_links(&named);
            let mut below = self.judged_folders(name, &named).into_iter();
            below.find_map(|folder| {
                let is_at_hand = self.is_named_below(&real.join(&folder));
                judge(named.join(folder), false, is_at_hand)
            })
        })
    }

    /// Returns the folders below the path of a variable by which that is judged, too. A folder of settings right in the home
    /// folder holds no clones, but settings that the user may keep in repositories.
    fn judged_folders(&self, name: &str, named: &Path) -> Vec<PathBuf> {
        if is_dot_directory(named, &resolve_links(self.home)) {
            Vec::new()
        } else {
            let opened = opened_folders(name).into_iter();
            let outside = opened.map(|folder| before_link(named, folder));
            outside.collect()
        }
    }

    /// Returns true for a path that lies by its name in the project around the directory.
    fn is_named_below(&self, path: &Path) -> bool {
        let root = self.root.as_ref();
        root.is_some_and(|root| path.starts_with(root))
    }

    /// Returns true for a folder of sessions that holds the home folder: what lies there is no agent's.
    fn is_too_wide(&self, name: &str, entry: &str) -> bool {
        let is_above_home =
            || resolve_links(self.home).starts_with(resolve_links(&self.resolve(entry)));
        names_session_folder(name) && is_above_home()
    }

    /// Returns what is left of a list without the entries that are refused; `None` if nothing is, and for a variable
    /// that is no list.
    fn keep_entries(&self, name: &str, value: &str) -> Option<String> {
        let kept = list_parts(value).filter(|entry| !self.refuses_entry(name, entry));
        let kept: Vec<&str> = kept.collect();
        (LISTS.contains(&name) && !kept.is_empty()).then(|| kept.join(","))
    }

    /// Formats which path of a list lies in a project, and the mark of that project, or that it is the home folder; `None`
    /// where none does.
    fn explain_path(&self, name: &str, value: &str) -> Option<String> {
        list_parts(value).find_map(|part| {
            if self.is_too_wide(name, part) {
                return Some("it names the home folder, or one above it".to_owned());
            }
            let refused = self.find_refused(name, part)?;
            let verb = if refused.is_named {
                "names"
            } else {
                "leads to"
            };
            let path = path_line(&refused.path);
            let project = match (refused.mark, &self.root) {
                (Some(mark), _) => format!("a project, which `{}` marks", path_line(&mark)),
                (None, Some(root)) => format!("the project `{}`", path_line(root)),
                (None, None) => "a project".to_owned(),
            };
            Some(format!("it {verb} `{path}` in {project}"))
        })
    }

    /// Returns true for a command line with a word that names a file of a project, or whose program is found by its name
    /// in the project around the directory. Who can set `PATH` chooses programs anyway.
    fn refuses_program(&self, command: &str, search: &ProgramSearch) -> bool {
        let separators = |c: char| c.is_whitespace() || "'\"=;|&()`$<>".contains(c);
        let mut words = command.split(separators).filter(|word| !word.is_empty());
        let program = words.clone().next().unwrap_or_default();
        let found = || search.candidates(program).find(|path| path.is_file());
        let is_path = |word: &str| word.contains(['/', '\\']) || word.starts_with('.');
        let is_in_search = || {
            let folder = Path::new(program).parent();
            folder.is_some_and(|folder| search.has_directory(folder))
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
        path.exists() && self.lies_in_project(&path, &[path.join(ENV_FILE)])
    }

    /// Returns true for a path in the project around the directory, or in any other one.
    fn lies_in_project(&self, path: &Path, own: &[PathBuf]) -> bool {
        self.lies_below(path) || lies_in_project(path, own, self.home)
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
mod tests;
