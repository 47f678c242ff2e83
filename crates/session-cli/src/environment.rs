//! Variables that a project can set, by its settings of an agent or by a tool as direnv, and what
//! they may not name.

use session_core::text::printable;
use session_files::{Project, is_below};
use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Variables that say where something is read or written. Some are lists, with commas.
const PATHS: [&str; 11] = [
    "SESSION_SEARCH_CONFIG",
    "SESSION_SEARCH_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_CACHE_HOME",
    "XDG_STATE_HOME",
    "CLAUDE_CONFIG_DIR",
    "OPENCODE_DB",
    "HF_HOME",
    "HF_HUB_CACHE",
    "HF_ENDPOINT",
];
/// Variables that name a program to be run.
const PROGRAMS: [&str; 3] = ["PAGER", "VISUAL", "EDITOR"];

/// The root of what lies around a directory, whoever owns it.
pub fn root_at(directory: &Path, home: &Path) -> Option<PathBuf> {
    match Project::find(directory, home) {
        Ok(project) => project.map(|project| project.root().to_owned()),
        Err(unowned) => Some(unowned.root),
    }
}

/// Takes away the variables that name something in the project at hand; returns their names,
/// sorted.
pub fn refuse(
    vars: &mut HashMap<String, String>,
    home: &Path,
    directory: &Path,
) -> Vec<&'static str> {
    let Some(root) = root_at(directory, home) else {
        return Vec::new();
    };
    let at = |word: &str| match word.strip_prefix("~/") {
        Some(rest) => home.join(rest),
        None => directory.join(word),
    };
    let names = |name: &&&str| {
        let Some(value) = vars.get(**name) else {
            return false;
        };
        match PROGRAMS.contains(*name) {
            true => runs_below(value, &root, at, vars.get("PATH")),
            false => {
                let parts = value.split(',').map(str::trim).filter(|p| !p.is_empty());
                let paths = parts.map(|part| part.strip_prefix("file://").unwrap_or(part));
                let mut paths = paths.filter(|path| !path.contains("://"));
                paths.any(|path| is_below(&at(path), &root))
            }
        }
    };
    let refused: Vec<&str> = PATHS
        .iter()
        .chain(&PROGRAMS)
        .filter(names)
        .copied()
        .collect();
    for name in &refused {
        vars.remove(*name);
    }
    refused
}

/// True for a command line of which a word lies in a directory, or whose program is found there.
fn runs_below(
    command: &str,
    root: &Path,
    at: impl Fn(&str) -> PathBuf,
    search: Option<&String>,
) -> bool {
    let separators = |c: char| c.is_whitespace() || "'\"=;|&()`$<>".contains(c);
    let mut words = command.split(separators).filter(|word| !word.is_empty());
    let program = words.clone().next().unwrap_or_default();
    let folders = search.map(std::env::split_paths).into_iter().flatten();
    let found = || {
        let mut candidates = folders.map(|folder| folder.join(program));
        candidates.find(|path| path.is_file())
    };
    let is_path = |word: &&str| word.contains(['/', '\\']) || word.starts_with('.');
    // Arguments as `s/a/b/` are no paths: something has to be there.
    let lies_below = |path: PathBuf| path.exists() && is_below(&path, root);
    words.any(|word| is_path(&word) && lies_below(at(word)))
        || (!is_path(&program) && found().is_some_and(|path| is_below(&path, root)))
}

/// A variable that names a program, unless the project at hand chose it.
pub fn program(name: &str) -> Option<String> {
    let home = crate::home::Home::unconfigured().ok()?;
    let value = home.env.get(name).map(str::to_owned);
    value.filter(|value| !value.trim().is_empty())
}

/// Says which variables are left out. That it cannot be said changes nothing.
pub fn note_refused() {
    let Ok(home) = crate::home::Home::unconfigured() else {
        return;
    };
    for name in &home.refused {
        let _ = writeln!(
            anstream::stderr(),
            "note: the variable {} is left out, since it names something in this project",
            printable(name)
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_project_names_in_itself_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let real = fs_err::canonicalize(folder.path()).unwrap();
        for path in ["home", "p/.git", "p/bin", "p/in", "out"] {
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
            let refused = refuse(&mut vars, &real.join("home"), &real.join("p/in"));
            assert_eq!(!refused.is_empty(), is_refused, "{name}={value}");
            assert_eq!(!vars.contains_key(name), is_refused, "{name}={value}");
        };
        check("SESSION_SEARCH_HOME", "index", true);
        check("SESSION_SEARCH_HOME", "../../out/index", false);
        check("SESSION_SEARCH_CONFIG", "ROOT/p/.claude", true);
        check("XDG_CONFIG_HOME", "ROOT/out", false);
        check("CLAUDE_CONFIG_DIR", "ROOT/out, ROOT/p/in", true);
        check("OPENCODE_DB", "~/x.db", false);
        check("HF_ENDPOINT", "file://ROOT/p/hub", true);
        check("HF_ENDPOINT", "https://hub.example", false);
        check("EDITOR", "./edit.sh", true);
        check("EDITOR", "vim -u ROOT/p/vimrc", true);
        check("EDITOR", "vim", false);
        check("EDITOR", "sed -i s/a/b/", false);
        check("EDITOR", "sh -c 'ROOT/p/x'", true);
        check("PAGER", "less -R", true); // found by PATH in the project
        check("PAGER", "/usr/bin/more", false);
    }
}
