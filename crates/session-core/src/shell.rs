//! A command line taken apart as far as it takes to see which programs it runs.

mod arguments;
mod awk_script;
mod heredoc;
mod in_place;
mod inner_line;
mod option_ends;
mod own_program;
mod parser;
mod program_effect;
mod runners;
mod subcommands;
mod working_directory;

use self::parser::split;
use crate::text::{ceil_char_boundary, clip, file_name};
use std::borrow::Cow;

pub(crate) use self::arguments::find_plain_words;
pub use self::in_place::InPlaceEditor;
pub use self::inner_line::InnerLine;
pub use self::option_ends::{MAX_LEADING_OPTIONS, option_ends};
pub use self::own_program::is_own_program_name;
pub(crate) use self::own_program::runs_only_own_program;
pub use self::parser::{CommandPart, Operator};
pub use self::program_effect::{ProgramEffect, may_write};
pub use self::runners::find_run_commands;
pub use self::subcommands::git_subcommand;
pub(crate) use self::subcommands::skip_leading_options;
pub use self::working_directory::WorkingDirectory;

/// Words that another program is named after.
const WRAPPERS: [&str; 21] = [
    "sudo", "doas", "nice", "ionice", "time", "timeout", "env", "nohup", "command", "exec", "npx",
    "bunx", "if", "then", "else", "elif", "while", "until", "do", "!", "{",
];
/// Those whose operand before the program is a number: `timeout 5m ls`.
const WITH_NUMBER: [&str; 1] = ["timeout"];
/// The options of such a program whose value may be the next word.
struct ValueOptions {
    program: &'static str,
    /// Options of one letter.
    letters: &'static str,
    /// Long options.
    names: &'static [&'static str],
}

const VALUE_OPTIONS: [ValueOptions; 7] = [
    ValueOptions::new(
        "sudo",
        "ughpCDRTUrta",
        &[
            "user",
            "group",
            "host",
            "prompt",
            "close-from",
            "chdir",
            "chroot",
            "command-timeout",
            "other-user",
            "role",
            "type",
        ],
    ),
    ValueOptions::new("doas", "uCa", &[]),
    ValueOptions::new("nice", "n", &["adjustment"]),
    ValueOptions::new("ionice", "cn", &["class", "classdata"]),
    ValueOptions::new("timeout", "sk", &["signal", "kill-after"]),
    ValueOptions::new("env", "uC", &["unset", "chdir"]),
    ValueOptions::new("exec", "a", &[]),
];

impl ValueOptions {
    const fn new(
        program: &'static str,
        letters: &'static str,
        names: &'static [&'static str],
    ) -> Self {
        Self {
            program,
            letters,
            names,
        }
    }

    /// Returns true for an option whose value is the next word: `-u`, `-nu`, `--user`; not `-upg` and
    /// `--user=pg`.
    fn takes_next(&self, word: &str) -> bool {
        if let Some(name) = word.strip_prefix("--") {
            return self.names.contains(&name);
        }
        let options = word.strip_prefix('-').unwrap_or_default();
        let first = options.find(|c| self.letters.contains(c));
        first.is_some_and(|at| at + 1 == options.len())
    }
}

/// Words that end what such words began.
const ENDS: [&str; 4] = ["fi", "done", "}", "esac"];

/// Returns the program that a pipe begins with, without its folder.
pub(crate) fn find_program(pipe: &str) -> Option<&str> {
    let program = words_from_program(pipe).next()?;
    (!ENDS.contains(&program)).then(|| file_name(program))
}

/// Returns the words of a simple command from its program on, without variables and programs such as
/// `sudo` before it.
pub fn words_from_program(simple: &str) -> impl Iterator<Item = &str> {
    let mut options: Option<&ValueOptions> = None;
    let mut takes_number = false;
    let mut is_value = false;
    let leads = move |word: &&str| {
        let was_value = std::mem::take(&mut is_value);
        if let Some(wrapper) = wrapper(word).filter(|_| !was_value) {
            options = VALUE_OPTIONS.iter().find(|own| own.program == wrapper);
            takes_number = WITH_NUMBER.contains(&wrapper);
            return true;
        }
        is_value = !was_value && options.is_some_and(|options| options.takes_next(word));
        if was_value
            || word.starts_with('-')
            || word.contains('=')
            || is_number_or_redirection(word)
        {
            return true;
        }
        std::mem::take(&mut takes_number) && word.starts_with(|c: char| c.is_ascii_digit())
    };
    simple.split_whitespace().skip_while(leads)
}

/// Returns true for `2` and `2>/dev/null`: the number of a branch of `case`, and a redirection before a program.
fn is_number_or_redirection(word: &str) -> bool {
    let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < word.len() && (rest.is_empty() || rest.starts_with(['>', '<']))
}

/// The most programs of a simple command that another one is named after.
const MAX_WRAPPED: usize = 8;

/// Returns a simple command from each of the first programs on that another one is named after, such as `npx`, and from its
/// own program on.
pub fn split_wrapped_commands(simple: &str) -> Vec<String> {
    let words: Vec<&str> = simple.split_whitespace().collect();
    let program = words.len() - words_from_program(simple).count();
    let wrappers = (0..program).filter(|at| wrapper(words[*at]).is_some());
    let starts = wrappers.take(MAX_WRAPPED).chain([program]);
    starts.map(|at| words[at..].join(" ")).collect()
}

/// Returns the directory that a simple command of these words changes to: `app` of `cd app`.
pub fn find_cd_target<W: AsRef<str>>(words: impl IntoIterator<Item = W>) -> Option<W> {
    let mut words = words.into_iter();
    let is_cd = words.next()?.as_ref() == "cd";
    words.next().filter(|_| is_cd && words.next().is_none())
}

/// Returns the name of a program that another one is named after: `sudo`, `/usr/bin/sudo`.
fn wrapper(word: &str) -> Option<&str> {
    let name = if word.starts_with('/') {
        file_name(word)
    } else {
        word
    };
    WRAPPERS.contains(&name).then_some(name)
}

/// Returns the simple commands of a command line with which its pipes begin.
pub(crate) fn find_pipe_heads(command: &str) -> Vec<CommandPart<'_>> {
    let mut parts = split_command_parts(command);
    let mut is_piped = false;
    parts.retain(|part| !std::mem::replace(&mut is_piped, part.operator == Operator::Pipe));
    parts
}

/// Splits a command line into its simple commands, without quotes, comments and the texts of heredocs;
/// space inside quotes is `_`.
pub fn split_simple_commands(command: &str) -> Vec<String> {
    let parts = split_command_parts(command).into_iter();
    parts.map(|part| part.text).collect()
}

/// Splits a command line into its simple commands, without the texts of heredocs. `;`, `&&`, `||`, `&`, pipes, line ends
/// and parentheses separate them where no quote is open.
pub fn split_command_parts(command: &str) -> Vec<CommandPart<'_>> {
    split(command)
}

/// Bytes of a long command that are kept of its beginning, of the names in its middle, and
/// of its end.
const HEAD_BYTES: usize = 2_000;
const NAMES_BYTES: usize = 400;
const TAIL_BYTES: usize = 600;

/// Abridges a command for the index. Of one over 2,600 bytes it keeps the head, the tail and, of each
/// simple command between them, the program and its subcommands (`gh pr create`), each once.
pub(crate) fn abridge_command(command: &str) -> Cow<'_, str> {
    let command = command.trim();
    if command.len() <= HEAD_BYTES + TAIL_BYTES {
        return Cow::Borrowed(command);
    }
    let head = clip(command, HEAD_BYTES);
    let tail = last_bytes(command, TAIL_BYTES);
    let names = names_between(command, head, tail);
    Cow::Owned(format!(
        "{}\n…\n{names}…\n{}",
        head.trim_end(),
        tail.trim_start()
    ))
}

/// Returns the names of the simple commands that neither the head nor the tail shows, a line each.
fn names_between(command: &str, head: &str, tail: &str) -> String {
    let mut names = String::new();
    for simple in split_simple_commands(command) {
        let name = command_name(&simple);
        let is_shown = |text: &str| text.contains(&name);
        let fits = names.len() + name.len() < NAMES_BYTES;
        if fits && !is_shown(head) && !is_shown(tail) && !names.lines().any(|have| have == name) {
            names.push_str(&name);
            names.push('\n');
        }
    }
    names
}

/// Returns the program of a simple command with at most two subcommands.
fn command_name(simple: &str) -> String {
    let Some(program) = find_program(simple) else {
        return String::new();
    };
    let plain = |word: &&str| word.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
    let is_subcommand = |word: &&str| plain(word) && !word.starts_with('-');
    let words = words_from_program(simple).skip(1);
    let subcommands = words.take_while(is_subcommand).take(2);
    let name: Vec<&str> = std::iter::once(program).chain(subcommands).collect();
    clip(&name.join(" "), 80).to_owned()
}

/// Returns true for text that every shell reads as one word, unquoted, and no program as an option: ASCII letters, digits,
/// `-`, `_` and `.`, with no `-` in front. It is what agents make ids of.
pub fn is_plain_word(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    !text.is_empty() && !text.starts_with('-') && text.chars().all(is_plain)
}

/// Returns at most the last `limit` bytes of a text.
fn last_bytes(text: &str, limit: usize) -> &str {
    &text[ceil_char_boundary(text, text.len().saturating_sub(limit))..]
}

#[cfg(test)]
mod tests;
