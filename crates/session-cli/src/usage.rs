//! The answer to arguments that cannot be parsed.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use session_output::quote_query;
use std::ffi::OsString;
use std::process::ExitCode;

/// Prints the help, or why the arguments cannot be parsed. Agents take exit code 2 of a hook for "block this
/// prompt", and a newer plugin may call an older program: to `hook run` a wrong argument is no failure.
pub fn report_usage_error(mut error: clap::Error, typed: &[OsString]) -> ExitCode {
    if error.use_stderr() && is_hook_run(typed) {
        return ExitCode::SUCCESS;
    }
    if let Some(tip) = search_tip(&error, typed) {
        let tips = ContextValue::StyledStrs(vec![tip.into()]);
        error.insert(ContextKind::Suggested, tips);
    }
    error.exit()
}

/// Returns true for the arguments of `hook run`, with whatever options.
fn is_hook_run(typed: &[OsString]) -> bool {
    let mut words = list_words(typed);
    words.next().is_some_and(|word| word == "hook") && words.any(|word| word == "run")
}

/// Returns the search that somebody meant who typed a query where a command is expected.
fn search_tip(error: &clap::Error, typed: &[OsString]) -> Option<String> {
    let words: Vec<&str> = list_words(typed).filter_map(|word| word.to_str()).collect();
    let unknown = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(word)) => word,
        _ => return None,
    };
    let is_first =
        error.kind() == ErrorKind::InvalidSubcommand && words.first() == Some(&unknown.as_str());
    is_first.then(|| {
        let query = quote_query(&words.join(" "));
        format!("to search for it, run 'session-search search {query}'")
    })
}

/// Iterates over the arguments that are no options.
fn list_words(typed: &[OsString]) -> impl Iterator<Item = &OsString> {
    let is_word = |argument: &&OsString| !argument.to_string_lossy().starts_with('-');
    typed.iter().skip(1).filter(is_word)
}
