//! The directory in which each simple command of a command line runs, as far as its text tells.

use super::is_literal;
use crate::project::{PATH_LIMIT, path_in};
use session_core::shell::{CommandPart, Operator, find_cd_target};
use std::borrow::Cow;

/// Programs that change the directory for the commands after them.
const DIRECTORY_CHANGERS: [&str; 3] = ["cd", "pushd", "popd"];

/// Words before such a program after which it still changes the directory of its shell.
const SHELL_PREFIXES: [&str; 2] = ["command", "builtin"];

/// Programs whose failure is no error: what follows them may not run.
const TESTS: [&str; 3] = ["test", "[", "[["];

/// The directory after the simple commands that were read. A `cd` is taken to succeed; one that may not run, and one
/// within a block, a pipe or a subshell, leaves the directory unknown.
pub(super) struct WorkingDirectory {
    /// From the first directory of the command line; `None` if it is not known.
    path: Option<String>,
    /// Open parentheses.
    subshells: usize,
    /// Open `if`, `for`, `{` and the like.
    blocks: usize,
    /// A `)` ends a pattern of a `case`, so that parentheses do not pair.
    has_case: bool,
    /// The operator before the next command.
    operator: Operator,
    list: CommandList,
}

/// Facts about the commands that `&&`, `||` and pipes join.
#[derive(Default)]
struct CommandList {
    changes_directory: bool,
    /// True after `||`.
    has_alternative: bool,
    has_test: bool,
}

impl WorkingDirectory {
    pub(super) fn new() -> Self {
        Self {
            path: Some(String::new()),
            subshells: 0,
            blocks: 0,
            has_case: false,
            operator: Operator::End,
            list: CommandList::default(),
        }
    }

    /// Returns the directory in which the command after those that were read runs.
    pub(super) fn path(&self) -> Option<&str> {
        // The first `cd` of `cd a || echo x` may have failed.
        let may_differ = self.list.changes_directory && self.list.has_alternative;
        self.path.as_deref().filter(|_| !may_differ)
    }

    /// Reads the next simple command.
    pub(super) fn read(&mut self, part: &CommandPart<'_>) {
        let is_blank = part.text.trim().is_empty();
        if is_blank && part.operator == Operator::End && self.is_continued() {
            return;
        }
        self.read_keywords(&part.text);
        let words = part.program_words();
        let words = words.skip_while(|word| word == SHELL_PREFIXES[1]);
        let words: Vec<Cow<'_, str>> = words.take(3).collect();
        let program: &str = words.first().map(AsRef::as_ref).unwrap_or_default();
        if DIRECTORY_CHANGERS.contains(&program) {
            let target = changed_directory(&words);
            let target = target.filter(|_| self.surely_runs(part));
            self.path = self
                .path
                .take()
                .zip(target)
                .map(|(from, to)| path_in(&from, to.to_owned()));
            self.list.changes_directory = true;
        }
        self.list.has_test |= TESTS.contains(&program);
        self.read_operator(part.operator);
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
        let is_nested = self.subshells > 0 || self.blocks > 0 || self.has_case;
        !is_piped
            && !may_not_run
            && !is_nested
            && prefixes.all(|word| SHELL_PREFIXES.contains(&word))
    }

    fn read_operator(&mut self, operator: Operator) {
        self.operator = operator;
        match operator {
            Operator::Open => self.subshells += 1,
            Operator::Close => self.subshells = self.subshells.saturating_sub(1),
            Operator::Or => self.list.has_alternative = true,
            Operator::Background | Operator::End if self.subshells == 0 && self.blocks == 0 => {
                // The list ran in a shell of its own.
                if operator == Operator::Background && self.list.changes_directory {
                    self.path = None;
                }
                self.list = CommandList::default();
            }
            _ => {}
        }
    }
}

/// Returns the directory that a `cd` changes to, where its text names it.
fn changed_directory<'w>(words: &'w [Cow<'_, str>]) -> Option<&'w str> {
    let target: &str = find_cd_target(words)?.as_ref();
    let is_named = is_literal(target) && !target.starts_with('-') && target.len() <= PATH_LIMIT;
    is_named.then_some(target)
}
