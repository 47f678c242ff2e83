//! The files by which a shell finds a program.

use std::path::{Path, PathBuf};

/// The endings that a program's name may leave out on Windows: those of `PATHEXT` that need no interpreter of their own.
const ENDINGS: [&str; 3] = [".exe", ".cmd", ".bat"];

/// The directories and the endings with which programs are looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramSearch {
    directories: Vec<PathBuf>,
    /// The ending that is added to a name; empty where none is.
    endings: Vec<String>,
}

impl ProgramSearch {
    /// Reads the values of `PATH` and `PATHEXT`, the latter of which Windows alone has.
    pub fn new(path: Option<&str>, endings: Option<&str>) -> Self {
        Self::for_system(path, endings, cfg!(windows))
    }

    fn for_system(path: Option<&str>, endings: Option<&str>, is_windows: bool) -> Self {
        Self {
            directories: std::env::split_paths(path.unwrap_or_default()).collect(),
            endings: if is_windows {
                read_endings(endings.unwrap_or_default())
            } else {
                Vec::new()
            },
        }
    }

    /// Lists the files that a program's name or path may mean, in the order in which a shell looks for them. On Windows a
    /// file without an ending is none: it is a script for another system, as npm puts one beside its `.cmd`.
    pub fn candidates(&self, program: &str) -> impl Iterator<Item = PathBuf> + use<> {
        let is_path = program.contains(['/', '\\']);
        let directories = if is_path {
            vec![PathBuf::new()]
        } else {
            self.directories.clone()
        };
        let names = self.complete_name(program);
        directories.into_iter().flat_map(move |directory| {
            let files = names.clone().into_iter();
            files.map(move |name| directory.join(name))
        })
    }

    /// Returns true for a directory of `PATH`.
    pub fn has_directory(&self, directory: &Path) -> bool {
        self.directories.iter().any(|known| known == directory)
    }

    /// Returns a name with each ending, or as it is where it has one already.
    fn complete_name(&self, name: &str) -> Vec<PathBuf> {
        let lower = name.to_lowercase();
        if self.endings.is_empty() || self.endings.iter().any(|ending| lower.ends_with(ending)) {
            vec![Path::new(name).to_owned()]
        } else {
            let endings = self.endings.iter();
            endings.map(|end| format!("{name}{end}").into()).collect()
        }
    }
}

/// Returns the [`ENDINGS`] in the order of a `PATHEXT`; all where it has none of them.
fn read_endings(list: &str) -> Vec<String> {
    let endings = list.split(';').map(|ending| ending.trim().to_lowercase());
    let known: Vec<String> = endings.filter(|it| ENDINGS.contains(&&**it)).collect();
    if known.is_empty() {
        ENDINGS.map(str::to_owned).to_vec()
    } else {
        known
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidates(program: &str, endings: Option<&str>, is_windows: bool) -> Vec<String> {
        let path = std::env::join_paths(["one", "two"]).unwrap();
        let search = ProgramSearch::for_system(path.to_str(), endings, is_windows);
        let files = search.candidates(program);
        let files = files.map(|file| file.to_str().unwrap().replace('\\', "/"));
        files.collect()
    }

    #[test]
    fn a_name_is_looked_for_in_each_directory_of_the_path() {
        assert_eq!(candidates("codex", None, false), ["one/codex", "two/codex"]);
        assert_eq!(candidates("/opt/codex", None, false), ["/opt/codex"]);
        let nowhere = ProgramSearch::for_system(Some(""), None, false);
        assert_eq!(
            nowhere.candidates("/opt/codex").count(),
            1,
            "a path needs no directory"
        );
    }

    #[test]
    fn on_windows_a_name_has_one_of_the_endings_that_the_system_can_start() {
        let default = Some(".COM;.EXE;.BAT;.CMD;.VBS");
        assert_eq!(
            candidates("codex", default, true),
            [
                "one/codex.exe",
                "one/codex.bat",
                "one/codex.cmd",
                "two/codex.exe",
                "two/codex.bat",
                "two/codex.cmd",
            ]
        );
        assert_eq!(
            candidates("Code.CMD", default, true),
            ["one/Code.CMD", "two/Code.CMD"]
        );
        let unset = candidates("C:\\bin\\codex", None, true);
        let expected = ["C:/bin/codex.exe", "C:/bin/codex.cmd", "C:/bin/codex.bat"];
        assert_eq!(unset, expected);
    }
}
