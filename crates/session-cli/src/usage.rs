//! The answer to arguments that cannot be parsed.

use crate::args::{correct_suggested_option, find_meant_command_lines};
use crate::error::report_error;
use anyhow::Error;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use session_core::TurnRange;
use session_core::text::join_alternatives;
use session_display::sanitize_line;
use session_output::{quote_query, quote_word};
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

/// Words that are typed for a list of sessions, which is no command of its own.
const LISTING_WORDS: [&str; 5] = ["list", "ls", "sessions", "recent", "history"];

const LISTING_TIP: &str = "to list the newest sessions, run 'session-search search \"\"'";

/// Prints the help, or why the arguments cannot be parsed. Agents take exit code 2 of a hook for "block this
/// prompt", and a newer plugin may call an older program: to `hook run` a wrong argument is no failure.
pub fn report_usage_error(error: clap::Error, typed: &[OsString]) -> ExitCode {
    if error.use_stderr() && is_hook_run(typed) {
        return ExitCode::SUCCESS;
    }
    let mut error = correct_suggested_option(error, typed);
    correct_tips(&mut error, typed);
    drop_value_tip(&mut error);
    sanitize_context(&mut error);
    let printed = error.print().and_then(|()| std::io::stdout().flush());
    match (error.use_stderr(), printed) {
        (true, _) => ExitCode::from(2),
        (false, Ok(())) => ExitCode::SUCCESS,
        (false, Err(failure)) => {
            report_error(&Error::new(failure).context("the help cannot be printed"))
        }
    }
}

/// Puts what was meant in place of what is spelled alike.
fn correct_tips(error: &mut clap::Error, typed: &[OsString]) {
    error.remove(ContextKind::SuggestedSubcommand);
    let tip = command_tip(error, typed)
        .or_else(|| turn_tip(error, typed))
        .or_else(|| listing_tip(error, typed));
    if let Some(tip) = tip {
        error.remove(ContextKind::SuggestedArg);
        let tips = ContextValue::StyledStrs(vec![tip.into()]);
        error.insert(ContextKind::Suggested, tips);
    }
}

/// Drops the advice to pass an unknown option as a value (`-- --turn`), which is not what was meant.
fn drop_value_tip(error: &mut clap::Error) {
    let Some(ContextValue::StyledStrs(tips)) = error.get(ContextKind::Suggested) else {
        return;
    };
    if tips
        .iter()
        .any(|tip| tip.to_string().starts_with("to pass "))
    {
        error.remove(ContextKind::Suggested);
    }
}

/// Takes from what was typed, which may be pasted, what would change how a terminal shows the error.
fn sanitize_context(error: &mut clap::Error) {
    let typed = error.context().filter_map(|(kind, value)| match value {
        ContextValue::String(text) => Some((kind, sanitize_line(text))),
        _ => None,
    });
    for (kind, text) in typed.collect::<Vec<_>>() {
        error.insert(kind, ContextValue::String(text));
    }
}

/// Returns true for the arguments of `hook run`, with whatever options.
fn is_hook_run(typed: &[OsString]) -> bool {
    let mut words = list_words(typed);
    words.next().is_some_and(|word| word == "hook") && words.any(|word| word == "run")
}

/// Returns the commands that somebody may have meant who named one that there is not, or typed a query where one is expected.
fn command_tip(error: &clap::Error, typed: &[OsString]) -> Option<String> {
    let unknown = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(word)) if error.kind() == ErrorKind::InvalidSubcommand => word,
        _ => return None,
    };
    let words: Vec<&str> = list_words(typed).filter_map(|word| word.to_str()).collect();
    let at = words.iter().position(|word| word == unknown)?;
    let later = words.get(at + 1..).unwrap_or_default();
    match find_meant_command_lines(typed, unknown).as_slice() {
        [line] if line.ends_with(" search") && !later.is_empty() => {
            let query = quote_query(&later.join(" "));
            Some(format!("to search for it, run '{line} {query}'"))
        }
        [] if at > 0 => None,
        [] if later.is_empty() && LISTING_WORDS.contains(&unknown.as_str()) => {
            Some(LISTING_TIP.to_owned())
        }
        [] => {
            let query = quote_query(&words.join(" "));
            Some(format!(
                "to search for it, run 'session-search search {query}'"
            ))
        }
        lines => {
            let lines: Vec<String> = lines.iter().map(|line| format!("'{line}'")).collect();
            let lines = join_alternatives(lines.iter().map(String::as_str));
            Some(format!("the command for it is {lines}"))
        }
    }
}

/// Returns the search without words that somebody meant who gave it filters alone.
fn listing_tip(error: &clap::Error, typed: &[OsString]) -> Option<String> {
    let is_search = list_words(typed)
        .next()
        .is_some_and(|word| word == "search");
    let is_without_query = error.kind() == ErrorKind::MissingRequiredArgument && is_search;
    is_without_query.then(|| LISTING_TIP.to_owned())
}

/// Returns the address that somebody meant who typed a turn beside the id of its session: `show ID 5`, `--turn 5`.
fn turn_tip(error: &clap::Error, typed: &[OsString]) -> Option<String> {
    let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let words: Vec<&str> = list_words(typed).filter_map(|word| word.to_str()).collect();
    let (command, operands) = words.split_first()?;
    let options = typed.iter().filter_map(|word| word.to_str());
    let mut options = options.filter(|word| word.starts_with("--turn"));
    let value = options.find_map(|word| Some(word.split_once('=')?.1));
    let is_turns = |word: &&str| word.parse::<TurnRange>().is_ok();
    let is_last = unknown == "--last";
    let is_option = is_last || unknown.starts_with("--turn");
    if error.kind() != ErrorKind::UnknownArgument
        || !["show", "export"].contains(command)
        || !(is_option || is_turns(&unknown.as_str()))
    {
        return None;
    }
    let turns = if is_last {
        "last"
    } else if is_option {
        value.or(operands.iter().copied().find(is_turns))?
    } else {
        unknown
    };
    let id = operands.iter().find(|word| **word != turns)?;
    let address = quote_word(&sanitize_line(&format!("{id}:{turns}")));
    Some(format!(
        "to name turns, run 'session-search {command} {address}'"
    ))
}

/// Iterates over the arguments that are no options.
fn list_words(typed: &[OsString]) -> impl Iterator<Item = &OsString> {
    let is_word = |argument: &&OsString| !argument.to_string_lossy().starts_with('-');
    typed.iter().skip(1).filter(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Arguments;
    use clap::Parser;

    fn tip(typed: &[&str]) -> Option<String> {
        let typed: Vec<OsString> = typed.iter().map(OsString::from).collect();
        let error = Arguments::try_parse_from(&typed).unwrap_err();
        command_tip(&error, &typed).or_else(|| turn_tip(&error, &typed))
    }

    /// Returns all tips, as they are printed.
    fn tips(typed: &str) -> Vec<String> {
        let typed: Vec<OsString> = typed.split(' ').map(OsString::from).collect();
        let error = Arguments::try_parse_from(&typed).unwrap_err();
        let mut error = correct_suggested_option(error, &typed);
        correct_tips(&mut error, &typed);
        drop_value_tip(&mut error);
        let text = error.render().to_string();
        let tips = text
            .lines()
            .filter_map(|line| line.trim().strip_prefix("tip: "));
        tips.map(str::to_owned).collect()
    }

    #[test]
    fn what_is_only_spelled_alike_is_no_tip() {
        for (typed, tip) in [
            (
                "session-search show --before 3 ab",
                "a similar argument exists: '--context'",
            ),
            (
                "session-search forget --query x",
                "a similar argument exists: '--match'",
            ),
            (
                "session-search digest --on x",
                "a similar argument exists: '--when'",
            ),
            (
                "session-search memory save --type x",
                "a similar argument exists: '--kind'",
            ),
            ("session-search --json search", "'search --json' exists"),
            (
                "session-search find docker dns",
                "to search for it, run 'session-search search \"docker dns\"'",
            ),
            (
                "session-search memory find npm",
                "to search for it, run 'session-search memory search \"npm\"'",
            ),
            (
                "session-search remember x",
                "the command for it is 'session-search memory save'",
            ),
            (
                "session-search memory restore x",
                "the command for it is 'session-search memory activate'",
            ),
            (
                "session-search list --json",
                "to list the newest sessions, run 'session-search search \"\"'",
            ),
            (
                "session-search search --limit 3",
                "to list the newest sessions, run 'session-search search \"\"'",
            ),
            (
                "session-search show ab --last",
                "to name turns, run 'session-search show ab:last'",
            ),
            (
                "session-search show ab --turn 5",
                "to name turns, run 'session-search show ab:5'",
            ),
        ] {
            assert_eq!(tips(typed), [tip], "{typed}");
        }
        assert_eq!(
            tips("session-search staus"),
            ["the command for it is 'session-search stats' or 'session-search status'"]
        );
        assert_eq!(tips("session-search --bogus search x"), [""; 0]);
        assert_eq!(tips("session-search show ab --sort x"), [""; 0]);
        let word = "to search for it as a word, write '--' before it: '-- --sort'";
        assert_eq!(tips("session-search search docker --sort x"), [word]);
    }

    #[test]
    fn what_was_meant_is_named() {
        let list = "to list the newest sessions, run 'session-search search \"\"'";
        assert_eq!(tip(&["session-search", "ls"]).unwrap(), list);
        assert_eq!(
            tip(&["session-search", "list", "docker"]).unwrap(),
            "to search for it, run 'session-search search \"list docker\"'"
        );
        for typed in [
            &["session-search", "show", "a1b2c3d4", "5"][..],
            &["session-search", "show", "a1b2c3d4", "--turn", "5"],
            &["session-search", "show", "a1b2c3d4", "--turn=5"],
            &[
                "session-search",
                "show",
                "--quiet",
                "--turn",
                "5",
                "a1b2c3d4",
            ],
        ] {
            assert_eq!(
                tip(typed).unwrap(),
                "to name turns, run 'session-search show a1b2c3d4:5'",
                "{typed:?}"
            );
        }
        assert_eq!(tip(&["session-search", "show", "a1", "b2"]), None);
        assert_eq!(
            tip(&["session-search", "search", "a1", "--turn", "5"]),
            None
        );
    }

    #[test]
    fn what_was_typed_cannot_change_a_terminal() {
        for typed in [
            ["session-search", "sta\u{202e}ts\u{1b}[31m", ""],
            ["session-search", "--wrong\u{202e}", ""],
            ["session-search", "digest", "--\u{202e}"],
        ] {
            let mut error = Arguments::try_parse_from(typed).unwrap_err();
            drop_value_tip(&mut error);
            sanitize_context(&mut error);
            let text = error.render().to_string();
            assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
        }
    }
}
