//! The answer to arguments that cannot be parsed.

use crate::args::{
    find_option_by_other_name, shows_command, suggests_meant_option, takes_any_word,
};
use crate::error::report_error;
use anyhow::Error;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use session_agents::Agent;
use session_core::{DOCS_URL, TurnRange};
use session_display::sanitize_line;
use session_output::{quote_query, quote_word};
use session_sources::find_source;
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

/// Words that are typed for a list of sessions, which is no command of its own.
const LISTING_WORDS: [&str; 5] = ["list", "ls", "sessions", "recent", "history"];

const LISTING_TIP: &str = "to list the newest sessions, run 'session-search search \"\"'";

const MEMORY_LISTING_TIP: &str = "to list the memories, run 'session-search memory list'";

const TAKEN_WORDS_TIP: &str = "to search for these words, write '--' before them";

/// Prints the help, or why the arguments cannot be parsed. Agents take exit code 2 of a hook for "block this
/// prompt", and a newer plugin may call an older program: to `hook run` a wrong argument is no failure.
pub fn report_usage_error(mut error: clap::Error, typed: &[OsString]) -> ExitCode {
    if error.use_stderr() && is_hook_run(typed) {
        return ExitCode::SUCCESS;
    }
    correct_tips(&mut error, typed);
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

/// Replaces suggestions that are only spelled alike by those that were meant.
fn correct_tips(error: &mut clap::Error, typed: &[OsString]) {
    if error.kind() == ErrorKind::UnknownArgument {
        // It shows an option that was neither typed nor meant.
        error.remove(ContextKind::Usage);
    }
    keep_similar_commands(error, typed);
    correct_word_tip(error, typed);
    let meant = command_tip(error, typed)
        .or_else(|| turn_tip(error, typed))
        .or_else(|| agent_tip(error));
    let tips: Vec<String> = match meant {
        Some(tip) => vec![tip],
        None => missing_query_tips(error, typed),
    };
    if !tips.is_empty() {
        error.remove(ContextKind::SuggestedArg);
        let tips = tips.into_iter().map(StyledStr::from).collect();
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
    }
}

/// Keeps of the commands that an error suggests those of the help with a letter wrong: with two it may as well be a word of
/// a query.
fn keep_similar_commands(error: &mut clap::Error, typed: &[OsString]) {
    let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidSubcommand) else {
        return;
    };
    let similar = match error.get(ContextKind::SuggestedSubcommand) {
        Some(ContextValue::Strings(names)) => names
            .iter()
            .filter(|name| strsim::damerau_levenshtein(name, unknown) == 1)
            .filter(|name| shows_command(typed, name))
            .cloned()
            .collect::<Vec<_>>(),
        _ => return,
    };
    if similar.is_empty() {
        error.remove(ContextKind::SuggestedSubcommand);
    } else {
        let similar = ContextValue::Strings(similar);
        error.insert(ContextKind::SuggestedSubcommand, similar);
    }
}

/// Keeps of an unknown option the suggestion of one that was meant, and says how it is searched for as a word, where the
/// command has a query: not how it is passed as a value (`-- --turn`).
fn correct_word_tip(error: &mut clap::Error, typed: &[OsString]) {
    let unknown = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(unknown)) if error.kind() == ErrorKind::UnknownArgument => {
            sanitize_line(unknown)
        }
        _ => return,
    };
    let is_for_value = |tip: &StyledStr| tip.to_string().starts_with("to pass ");
    let is_of_value = match error.get(ContextKind::Suggested) {
        Some(ContextValue::StyledStrs(tips)) => tips.iter().any(is_for_value),
        _ => error.get(ContextKind::SuggestedArg).is_some(),
    };
    if let Some(option) = find_option_by_other_name(typed, &unknown) {
        error.insert(
            ContextKind::SuggestedArg,
            ContextValue::String(option.to_owned()),
        );
    } else if !suggests_meant_option(error, typed) {
        error.remove(ContextKind::SuggestedArg);
    }
    if !is_of_value {
        return;
    }
    if takes_any_word(typed) {
        let tip = format!("to search for it as a word, write '--' before it: '-- {unknown}'");
        let tips = ContextValue::StyledStrs(vec![tip.into()]);
        error.insert(ContextKind::Suggested, tips);
    } else {
        error.remove(ContextKind::Suggested);
    }
}

/// Removes characters that a terminal would obey from the words that the error quotes: they may have been pasted.
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

/// Returns the search that somebody may have meant who typed its query where a command is expected.
fn command_tip(error: &clap::Error, typed: &[OsString]) -> Option<String> {
    let unknown = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(word)) if error.kind() == ErrorKind::InvalidSubcommand => word,
        _ => return None,
    };
    let words: Vec<&str> = list_words(typed).filter_map(|word| word.to_str()).collect();
    let is_first = words.first() == Some(&unknown.as_str());
    if !is_first || error.get(ContextKind::SuggestedSubcommand).is_some() {
        return None;
    }
    if words.len() == 1 && LISTING_WORDS.contains(&words[0]) {
        return Some(LISTING_TIP.to_owned());
    }
    let query = quote_query(&words.join(" "));
    Some(format!(
        "to search for it, run 'session-search search {query}'"
    ))
}

/// Returns what somebody meant who gave a search options alone: a search without words, or for those that an option took.
fn missing_query_tips(error: &clap::Error, typed: &[OsString]) -> Vec<String> {
    let missing = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::Strings(names)) => names.as_slice(),
        _ => &[],
    };
    let is_query = |name: &String| !name.starts_with('-');
    if error.kind() != ErrorKind::MissingRequiredArgument
        || !missing.iter().any(is_query)
        || !takes_any_word(typed)
    {
        return Vec::new();
    }
    let words: Vec<&str> = list_words(typed).filter_map(|word| word.to_str()).collect();
    let (listing, operands) = match words.as_slice() {
        ["search", operands @ ..] => (Some(LISTING_TIP), operands),
        ["memory", "search", operands @ ..] => (Some(MEMORY_LISTING_TIP), operands),
        operands => (None, operands.get(1..).unwrap_or_default()),
    };
    // A value with a digit is a number or a time, as the option takes it.
    let is_word = |operand: &&str| !operand.contains(|c: char| c.is_ascii_digit());
    let taken = operands.iter().any(is_word).then_some(TAKEN_WORDS_TIP);
    let tips = listing.into_iter().chain(taken);
    tips.map(str::to_owned).collect()
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

/// Returns how an agent is served that the command does not install into: `skill install --agent codex`, or one that has
/// histories here and nothing more, `--agent gemini`.
fn agent_tip(error: &clap::Error) -> Option<String> {
    let kinds = [ContextKind::InvalidArg, ContextKind::InvalidValue];
    let [
        Some(ContextValue::String(option)),
        Some(ContextValue::String(name)),
    ] = kinds.map(|kind| error.get(kind))
    else {
        return None;
    };
    let is_agent = option.starts_with("--agent ") && find_source(name).is_some();
    is_agent.then(|| match Agent::from_name(name) {
        Some(agent) => format!("it has no skill: 'session-search setup --agent {}' gives it instructions", agent.name()),
        None => format!("its history is searched, and nothing installs into it; {DOCS_URL}/mcp.md says how it gets the server"),
    })
}

/// Iterates over the arguments that are no options.
fn list_words(typed: &[OsString]) -> impl Iterator<Item = &OsString> {
    let is_word = |argument: &&OsString| !argument.to_string_lossy().starts_with('-');
    typed.iter().skip(1).filter(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::parse_arguments;

    fn tip(typed: &[&str]) -> Option<String> {
        let typed: Vec<OsString> = typed.iter().map(OsString::from).collect();
        let mut error = parse_arguments(&typed).unwrap_err();
        keep_similar_commands(&mut error, &typed);
        command_tip(&error, &typed).or_else(|| turn_tip(&error, &typed))
    }

    /// Returns all tips, as they are printed.
    fn tips(typed: &str) -> Vec<String> {
        let typed: Vec<OsString> = typed.split(' ').map(OsString::from).collect();
        let mut error = parse_arguments(&typed).unwrap_err();
        correct_tips(&mut error, &typed);
        let text = error.render().to_string();
        let tips = text
            .lines()
            .filter_map(|line| line.trim().strip_prefix("tip: "));
        tips.map(str::to_owned).collect()
    }

    #[test]
    fn what_is_only_spelled_alike_is_no_tip() {
        for (typed, tip) in [
            ("session-search --json search", "'search --json' exists"),
            (
                "session-search docker dns",
                "to search for it, run 'session-search search \"docker dns\"'",
            ),
            ("session-search memory docker", ""),
            (
                "session-search digets",
                "a similar subcommand exists: 'digest'",
            ),
            (
                "session-search list --json",
                "to list the newest sessions, run 'session-search search \"\"'",
            ),
            (
                "session-search search --json",
                "to list the newest sessions, run 'session-search search \"\"'",
            ),
            (
                "session-search search --after docker",
                "to list the newest sessions, run 'session-search search \"\"'\n\
                 to search for these words, write '--' before them",
            ),
            (
                "session-search memory search",
                "to list the memories, run 'session-search memory list'",
            ),
            (
                "session-search memory search --limit 3",
                "to list the memories, run 'session-search memory list'",
            ),
            (
                "session-search memory search --since npm",
                "to list the memories, run 'session-search memory list'\n\
                 to search for these words, write '--' before them",
            ),
            ("session-search search docker --compact", ""),
            (
                "session-search show ab --last",
                "to name turns, run 'session-search show ab:last'",
            ),
            (
                "session-search show ab --turn 5",
                "to name turns, run 'session-search show ab:5'",
            ),
        ] {
            assert_eq!(tips(typed).join("\n"), tip, "{typed}");
        }
        assert_eq!(
            tips("session-search staus"),
            ["some similar subcommands exist: 'stats', 'status'"]
        );
        let of_agent = tips("session-search setup --agent gemini");
        assert!(
            of_agent[0].starts_with("its history is searched")
                && of_agent[0].contains("docs/mcp.md"),
            "{of_agent:?}"
        );
        assert_eq!(tips("session-search setup --agent emacs"), [""; 0]);
        assert_eq!(tips("session-search --bogus search x"), [""; 0]);
        assert_eq!(tips("session-search show ab --zzz x"), [""; 0]);
    }

    #[test]
    fn an_option_that_is_none_may_be_a_word_of_a_query_or_a_mistyped_one() {
        let word =
            |option| format!("to search for it as a word, write '--' before it: '-- {option}'");
        for (typed, option) in [
            ("session-search search docker --zzz x", "--zzz"),
            ("session-search search docker --sort date", "--sort"),
            ("session-search search docker --watch", "--watch"),
            ("session-search memory search --kind decision npm", "--kind"),
        ] {
            assert_eq!(tips(typed), [word(option)], "{typed}");
        }
        let similar = |option| format!("a similar argument exists: '{option}'");
        for (typed, option, meant) in [
            ("session-search search docker --jsn", "--jsn", "--json"),
            (
                "session-search search docker --format json",
                "--format",
                "--json",
            ),
            ("session-search search docker --to 2w", "--to", "--until"),
        ] {
            assert_eq!(tips(typed), [similar(meant), word(option)], "{typed}");
        }
        for (typed, option) in [
            ("session-search stats --dys 3", "--days"),
            ("session-search stats --from feb", "--since"),
            ("session-search files --max 5", "--limit"),
            ("session-search show ab --before 5", "--context"),
            ("session-search digest --formt json", "--format"),
            ("session-search memory list --knd todo", "--kind"),
            ("session-search forget --projct app", "--project"),
        ] {
            assert_eq!(tips(typed), [similar(option)], "{typed}");
        }
        for typed in ["delte a1", "finds docker", "memory greb npm"] {
            let tips = tips(&format!("session-search {typed}"));
            assert!(!tips.join("\n").contains("similar"), "{tips:?}");
        }
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
            &["session-search", "sta\u{202e}ts\u{1b}[31m", ""][..],
            &["session-search", "--wrong\u{202e}", ""],
            &["session-search", "digest", "--\u{202e}"],
            &["session-search", "search", "x", "--zz\u{202e}"],
        ] {
            let typed: Vec<OsString> = typed.iter().map(OsString::from).collect();
            let mut error = parse_arguments(&typed).unwrap_err();
            correct_tips(&mut error, &typed);
            sanitize_context(&mut error);
            let text = error.render().to_string();
            assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
        }
    }
}
