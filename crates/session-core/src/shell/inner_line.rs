//! A line that a command gives to another program to run: `sh -c`, `eval`, `xargs`, `ssh`.

use super::{CommandPart, words_from_program};
use crate::text::file_name;
use std::borrow::Cow;

/// The program that runs a line on another machine.
const REMOTE_SHELL: &str = "ssh";
/// The programs that run the word after `-c` as a line.
const SHELLS: [&str; 8] = ["sh", "bash", "zsh", "dash", "ksh", "fish", "su", "runuser"];
/// The options of one letter whose value is the next word.
const XARGS_VALUES: &str = "adEILnPs";
const SSH_VALUES: &str = "BbcDEeFIiJLlmOopQRSWw";

/// A line that a command gives to another program to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InnerLine {
    /// The line.
    pub text: String,
    /// Another machine runs it: its paths are none of this one.
    pub is_remote: bool,
}

impl InnerLine {
    /// Finds the line that a simple command gives to `sh -c`, `eval`, `xargs` or `ssh`, and the text that a shell reads as a
    /// heredoc. Backticks are not looked at: most are those of Markdown in a text.
    pub fn find(simple: &CommandPart<'_>) -> Option<Self> {
        let words = named_words(simple);
        let (program, rest) = words.split_first()?;
        let program = program.as_str();
        let text = match program {
            shell if SHELLS.contains(&shell) => match shell_line(rest) {
                Some(line) => line.clone(),
                None => shell_script(simple)?.to_owned(),
            },
            "eval" => rest.join(" "),
            "xargs" => {
                let run = skip_options(rest, XARGS_VALUES).iter().map(String::as_str);
                shlex::try_join(run).ok()?
            }
            REMOTE_SHELL => {
                let (_host, run) = skip_options(rest, SSH_VALUES).split_first()?;
                run.join(" ")
            }
            _ => return None,
        };
        let is_remote = program == REMOTE_SHELL;
        (!text.trim().is_empty()).then_some(Self { text, is_remote })
    }
}

/// Returns the words of a simple command from its program on, with the program's name alone.
pub(super) fn named_words(simple: &CommandPart<'_>) -> Vec<String> {
    let mut words: Vec<String> = simple.program_words().map(Cow::into_owned).collect();
    if let Some(program) = words.first_mut() {
        *program = file_name(program).to_owned();
    }
    words
}

/// Returns the line that a shell of these arguments runs: the word after an option such as `-c` or `-lc`.
fn shell_line(arguments: &[String]) -> Option<&String> {
    let is_command = |word: &String| {
        let letters = word.strip_prefix('-');
        letters.is_some_and(|letters| !letters.starts_with('-') && letters.ends_with('c'))
    };
    let mut words = arguments.iter().skip_while(|word| !is_command(word));
    words.by_ref().next();
    words.find(|word| *word != "--")
}

/// Returns the heredoc that a shell reads its commands from: it has no file of commands.
fn shell_script<'c>(simple: &CommandPart<'c>) -> Option<&'c str> {
    let is_file = |word: &str| !word.starts_with('-') && !word.contains('>');
    let mut arguments = words_from_program(&simple.text).skip(1);
    simple.heredoc.filter(|_| !arguments.any(is_file))
}

/// Returns the words behind leading options; `with_value` has the letters of those whose value is the next word.
fn skip_options<'w>(words: &'w [String], with_value: &str) -> &'w [String] {
    let mut rest = words;
    while let Some((word, after)) = rest.split_first().filter(|(word, _)| word.starts_with('-')) {
        let takes_next = word.len() == 2 && word.ends_with(|c| with_value.contains(c));
        rest = if takes_next {
            after.get(1..).unwrap_or_default()
        } else {
            after
        };
    }
    rest
}
