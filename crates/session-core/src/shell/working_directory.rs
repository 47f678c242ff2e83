//! The directory in which each simple command of a command line runs, as far as its text tells.

use super::{CommandPart, Operator, find_cd_target};
use crate::path_join::join_path;
use std::borrow::Cow;

/// Programs that change the directory for the commands after them.
const DIRECTORY_CHANGERS: [&str; 3] = ["cd", "pushd", "popd"];

/// Words before such a program after which it still changes the directory of its shell.
const SHELL_PREFIXES: [&str; 2] = ["command", "builtin"];
/// Options of a `cd` that change nothing of where it leads.
const CD_OPTIONS: [&str; 3] = ["--", "-L", "-P"];

/// Programs whose failure is no error: what follows them may not run.
const TESTS: [&str; 3] = ["test", "[", "[["];

/// Characters of a word in whose place a shell puts something else.
const EXPANDED: &str = "$*?{}`!";

/// The most bytes of a directory that is followed: `PATH_MAX` of Linux.
const MAX_PATH_BYTES: usize = 4096;

/// The most open subshells of which the directory is followed.
const MAX_SUBSHELLS: usize = 32;

/// The directory after the simple commands that were read. A `cd` is taken to succeed; one that may not run, and one
/// within a block or a pipe, leaves the directory unknown.
#[derive(Debug)]
pub struct WorkingDirectory {
    /// From the first directory of the command line; `None` if it is not known.
    path: Option<String>,
    /// The directories that were changed to as they are written, without those of closed subshells.
    changes: Vec<String>,
    /// The shells outside of each open parenthesis.
    subshells: Vec<OuterShell>,
    /// Open `if`, `for`, `{` and the like.
    blocks: usize,
    /// A `)` ends a pattern of a `case`, so that parentheses do not pair.
    has_case: bool,
    /// The operator before the next command.
    operator: Operator,
    list: CommandList,
}

/// The state of a shell while a subshell runs, to which the closing parenthesis returns.
#[derive(Debug)]
struct OuterShell {
    path: Option<String>,
    /// The number of its changes.
    changes: usize,
    blocks: usize,
    list: CommandList,
}

/// Facts about the commands that `&&`, `||` and pipes join.
#[derive(Debug, Default)]
struct CommandList {
    changes_directory: bool,
    /// True after `||`.
    has_alternative: bool,
    has_test: bool,
}

impl WorkingDirectory {
    /// Returns the directory in which a command line begins.
    pub fn at_start() -> Self {
        Self {
            path: Some(String::new()),
            changes: Vec::new(),
            subshells: Vec::new(),
            blocks: 0,
            has_case: false,
            operator: Operator::End,
            list: CommandList::default(),
        }
    }

    /// Returns the directory in which the command after those that were read runs, from the first one on: `""` for that one
    /// itself, `None` if it is not known. `~` is not expanded.
    pub fn path(&self) -> Option<&str> {
        // The first `cd` of `cd a || echo x` may have failed.
        let may_differ = self.list.changes_directory && self.list.has_alternative;
        self.path.as_deref().filter(|_| !may_differ)
    }

    /// Returns the text that names this directory, also where it is not known: `$DIR/src`. Equal texts are taken for one
    /// directory. `None` for the first one.
    pub fn written_path(&self) -> Option<String> {
        let join = |from: String, to: &String| join_path(&from, to.clone());
        let path = self.changes.iter().fold(String::new(), join);
        Some(remove_dots(&path)).filter(|path| !path.is_empty())
    }

    /// Reads the next simple command.
    pub fn read(&mut self, part: &CommandPart<'_>) {
        let is_blank = part.text.trim().is_empty();
        if is_blank && part.operator == Operator::End && self.is_continued() {
            return;
        }
        self.read_keywords(&part.text);
        let words = part.program_words();
        let words = words.skip_while(|word| word == SHELL_PREFIXES[1]);
        let words = words.filter(|word| !CD_OPTIONS.contains(&&**word));
        let words: Vec<Cow<'_, str>> = words.take(3).collect();
        let program: &str = words.first().map(AsRef::as_ref).unwrap_or_default();
        if DIRECTORY_CHANGERS.contains(&program) {
            self.change(&words, part);
        }
        self.list.has_test |= TESTS.contains(&program);
        self.read_operator(part.operator);
    }

    /// Changes the directory as a simple command of these words does.
    fn change(&mut self, words: &[Cow<'_, str>], part: &CommandPart<'_>) {
        let target = named_directory(words).filter(|_| self.surely_runs(part));
        let from = self.path.take();
        let path = from.zip(target).map(|(from, to)| {
            let path = join_path(&from, to.to_owned());
            // That of a relative one depends on where the line begins.
            if path.starts_with('/') {
                remove_dots(&path)
            } else {
                path
            }
        });
        self.path = path.filter(|path| path.len() <= MAX_PATH_BYTES);
        if !self.takes_back(words) {
            // A `cd` alone goes to the home directory.
            let written = words.get(1).map_or("~", AsRef::as_ref);
            self.changes.push(written.to_owned());
        }
        self.list.changes_directory = true;
    }

    /// Takes the last change of this shell back, as `popd` and `cd -` do; false for other words, or if it has none.
    fn takes_back(&mut self, words: &[Cow<'_, str>]) -> bool {
        let goes_back = words
            .iter()
            .take(2)
            .any(|word| ["popd", "-"].contains(&&**word));
        let outer = self.subshells.last().map_or(0, |outer| outer.changes);
        goes_back && self.changes.len() > outer && self.changes.pop().is_some()
    }

    /// Returns true if a line end does not end the list.
    fn is_continued(&self) -> bool {
        use Operator::{And, Or, Pipe};
        matches!(self.operator, And | Or | Pipe)
    }

    fn read_keywords(&mut self, text: &str) {
        for word in text.split_whitespace() {
            match word {
                "if" | "while" | "until" | "{" => self.blocks += 1,
                "fi" | "done" | "esac" | "}" => self.blocks = self.blocks.saturating_sub(1),
                "then" | "else" | "elif" | "do" | "!" => {}
                "for" | "select" | "function" | "case" => {
                    self.blocks += 1;
                    self.has_case |= word == "case";
                    return;
                }
                _ => return,
            }
        }
    }

    /// Returns true for a command that changes the directory of the commands after it.
    fn surely_runs(&self, part: &CommandPart<'_>) -> bool {
        let is_changer = |word: &&str| DIRECTORY_CHANGERS.contains(word);
        let mut prefixes = part
            .text
            .split_whitespace()
            .take_while(|word| !is_changer(word));
        let is_piped = self.operator == Operator::Pipe || part.operator == Operator::Pipe;
        let may_not_run = self.list.has_alternative || self.list.has_test;
        let is_nested = self.blocks > 0 || self.has_case;
        !is_piped
            && !may_not_run
            && !is_nested
            && prefixes.all(|word| SHELL_PREFIXES.contains(&word))
    }

    fn read_operator(&mut self, operator: Operator) {
        self.operator = operator;
        match operator {
            Operator::Open => self.open_subshell(),
            Operator::Close => self.close_subshell(),
            Operator::Or => self.list.has_alternative = true,
            Operator::Background | Operator::End if self.blocks == 0 => {
                // The list ran in a shell of its own.
                if operator == Operator::Background && self.list.changes_directory {
                    self.path = None;
                }
                self.list = CommandList::default();
            }
            _ => {}
        }
    }

    fn open_subshell(&mut self) {
        let is_followed = self.subshells.len() < MAX_SUBSHELLS;
        let inner = self.path().filter(|_| is_followed).map(str::to_owned);
        self.subshells.push(OuterShell {
            path: std::mem::replace(&mut self.path, inner),
            changes: self.changes.len(),
            blocks: std::mem::take(&mut self.blocks),
            list: std::mem::take(&mut self.list),
        });
    }

    fn close_subshell(&mut self) {
        let Some(outer) = self.subshells.pop() else {
            return;
        };
        let inner = std::mem::replace(&mut self.path, outer.path);
        if self.has_case && self.path != inner {
            self.path = None;
        }
        self.changes.truncate(outer.changes);
        self.blocks = outer.blocks;
        self.list = outer.list;
    }
}

/// Returns the directory that a `cd` changes to, where its text names it.
fn named_directory<'w>(words: &'w [Cow<'_, str>]) -> Option<&'w str> {
    let target: &str = find_cd_target(words)?.as_ref();
    let is_expanded = |c: char| EXPANDED.contains(c) || c.is_control();
    (!target.contains(is_expanded) && !target.starts_with('-')).then_some(target)
}

/// Returns a path without `.`, without `/` at its end, and without the names that `..` leaves.
fn remove_dots(path: &str) -> String {
    let root = if path.starts_with('/') { "/" } else { "" };
    let mut names: Vec<&str> = Vec::new();
    for name in path.split('/') {
        let leaves_name = names.last().is_some_and(|last| *last != "..");
        match name {
            "" | "." => {}
            ".." if leaves_name => drop(names.pop()),
            ".." if !root.is_empty() => {}
            name => names.push(name),
        }
    }
    format!("{root}{}", names.join("/"))
}

#[cfg(test)]
mod tests {
    use super::super::split_command_parts;
    use super::*;

    /// Returns the directory of the `make` in a command line.
    fn directory_of_make(command: &str) -> WorkingDirectory {
        let mut directory = WorkingDirectory::at_start();
        let parts = split_command_parts(command);
        let is_make =
            |part: &&CommandPart<'_>| part.program_words().next().as_deref() == Some("make");
        for part in parts.iter().take_while(|part| !is_make(part)) {
            directory.read(part);
        }
        directory
    }

    #[test]
    fn a_directory_is_followed_through_a_command_line() {
        for (command, expected) in [
            ("make", ""),
            ("cd a && make", "a"),
            ("# build\ncd a && make", "a"),
            ("npm ci && cd a && make", "a"),
            ("export A=1; set -e; cd a; cd b; ls; make", "a/b"),
            ("cd a && ls && cd .. && make", "a/.."),
            ("cd a || exit 1\nmake", "a"),
            ("cd 'my app' && make", "my app"),
            ("cd 2024 && make", "2024"),
            ("cd 'C:\\shop\\web' && cd src && make", "C:\\shop\\web\\src"),
            ("cd ~/shop && cd src && make", "~/shop/src"),
            ("if ls; then make; fi", ""),
            ("(cd a && make)", "a"),
            ("(cd a && ls); make", ""),
            ("cd a; (cd b; make)", "a/b"),
            ("cd a; (cd b && cd $D); make", "a"),
            ("R=$(cd .. && pwd); make", ""),
            ("(cd a && ls) && make", ""),
            ("(cd a; ls) | cat; make", ""),
            ("cd a || (ls; exit 1); make", "a"),
            ("for d in a b; do (cd $d && ls); done; make", ""),
            ("test -d a && (cd a && make)", "a"),
        ] {
            let directory = directory_of_make(command);
            assert_eq!(directory.path(), Some(expected), "{command}");
        }
    }

    #[test]
    fn a_directory_is_unknown_where_the_text_does_not_tell() {
        for command in [
            "cd $D && make",
            "cd - && make",
            "cd && make",
            "pushd a; make",
            "cd $D; cd /a && make",
            "cd a && popd && make",
            "cd a || (make)",
            "(cd $D && make)",
            "(cd a & make)",
            "(cd a; case b in c) ls;; esac; make)",
            "(cd a; case b in c) ls;; esac); make",
            "{ cd a; make; }",
            "cd a | cat; make",
            "cd a & make",
            "cd a || make",
            "test -d a && cd a; make",
            "for d in a b; do cd a; done; make",
        ] {
            assert_eq!(directory_of_make(command).path(), None, "{command}");
        }
        let long = format!("{} make", "cd a;".repeat(MAX_PATH_BYTES));
        assert_eq!(directory_of_make(&long).path(), None);
    }

    #[test]
    fn an_unknown_directory_has_a_text() {
        for (command, expected) in [
            ("make", None),
            ("cd a && make", Some("a")),
            ("cd /a/ && make", Some("/a")),
            ("cd / && make", Some("/")),
            ("cd && make", Some("~")),
            ("cd \"$D\" && cd b && make", Some("$D/b")),
            ("(cd a && make)", Some("a")),
            ("cd -- a && make", Some("a")),
            ("cd -P a; make", Some("a")),
            ("(cd b && ls); ( cd a; make )", Some("a")),
            ("test -d a && cd a && make", Some("a")),
            ("cd b; ls; cd ../a && make", Some("a")),
            ("cd b; ls; cd ../..; make", Some("..")),
            ("(cd b && ls); make", None),
            ("cd b; ls; cd ..; make", None),
            ("ls ); cd a; make", Some("a")),
            ("cd a; ls; cd -; make", None),
            ("cd a && pushd b && ls && popd && make", Some("a")),
            ("cd - && make", Some("-")),
            ("cd a; (popd; ls); make", Some("a")),
        ] {
            let written = directory_of_make(command).written_path();
            assert_eq!(written.as_deref(), expected, "{command}");
        }
    }
}
