//! The command line as it was typed, before or after it is parsed.

use super::Arguments;
use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use session_display::sanitize_line;
use session_query::TypedQuery;
use std::ffi::OsString;

/// Rewrites the arguments `-n5` and `-n=5` as `-n 5`: of a command that takes any word for a
/// part of its query, they would be one. A filter such as `-project:app` is set off by a space, or it would
/// be an option. After `--` all is as it stands.
pub fn normalize_arguments(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let arguments: Vec<OsString> = arguments.collect();
    let is_short = |argument: &OsString| argument.to_string_lossy().starts_with("-n");
    let is_special = |argument: &OsString| is_short(argument) || is_negated_filter(argument);
    if !arguments.iter().any(is_special) || !takes_any_word(&arguments) {
        return arguments;
    }
    let mut out: Vec<OsString> = Vec::new();
    let mut is_literal = false;
    for argument in arguments {
        is_literal |= argument == "--";
        let number = argument.to_str().and_then(|text| text.strip_prefix("-n"));
        let number = number.map(|text| text.strip_prefix('=').unwrap_or(text));
        match number.filter(|n| !is_literal && n.parse::<u32>().is_ok()) {
            Some(number) => out.extend(["-n".into(), number.into()]),
            None if !is_literal && is_negated_filter(&argument) => {
                let mut word = OsString::from(" ");
                word.push(argument);
                out.push(word);
            }
            None => out.push(argument),
        }
    }
    out
}

/// Returns true for `-project:app`.
fn is_negated_filter(argument: &OsString) -> bool {
    let text = argument.to_string_lossy();
    let is_filter = || {
        let query = TypedQuery::parse(&text);
        !query.conditions.is_empty() || !query.invalid.is_empty()
    };
    text.starts_with('-') && is_filter()
}

/// Returns true for a command that takes words that look like options.
fn takes_any_word(arguments: &[OsString]) -> bool {
    let (command, _) = find_command(arguments);
    command
        .get_positionals()
        .any(clap::Arg::is_allow_hyphen_values_set)
}

/// Returns the command that is named, with its arguments.
fn find_command(arguments: &[OsString]) -> (clap::Command, &[OsString]) {
    let mut command = Arguments::command();
    command.build(); // defines the arguments of all commands
    let is_option = |word: &&OsString| word.to_string_lossy().starts_with("--");
    let mut rest = arguments.get(1..).unwrap_or_default();
    rest = &rest[rest.iter().take_while(is_option).count()..];
    while let [name, below @ ..] = rest {
        let Some(found) = command.find_subcommand(name) else {
            break;
        };
        command = found.clone();
        rest = below;
    }
    (command, rest)
}

/// Returns the error of an option that was mistyped before the query, where it was read as a word of it; `None` for
/// what is like no option, as options of other programs are, or stands alone.
pub fn find_mistyped_option(typed: &[OsString]) -> Option<clap::Error> {
    let (command, arguments) = find_command(typed);
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let argument = argument.to_str()?;
        if argument == "--" {
            return None;
        }
        let name = argument.split('=').next().unwrap_or_default();
        let Some(name) = name.strip_prefix("--") else {
            continue;
        };
        match command.get_arguments().find(|arg| is_named(arg, name)) {
            Some(arg) if arg.get_action().takes_values() && !argument.contains('=') => {
                arguments.next();
            }
            Some(_) => {}
            None if arguments.len() == 0 => return None,
            None => {
                let meant = find_similar(&command, name)?;
                return Some(make_unknown_option_error(&command, argument, meant));
            }
        }
    }
    None
}

fn is_named(arg: &clap::Arg, name: &str) -> bool {
    arg.get_long() == Some(name) || arg.get_all_aliases().is_some_and(|all| all.contains(&name))
}

/// Fewest letters of a name with two of them wrong that is taken for another one.
const LONG_NAME: usize = 6;

/// Finds the option of which a name has one letter wrong, or two where it is long.
fn find_similar<'c>(command: &'c clap::Command, name: &str) -> Option<&'c str> {
    let longs = command.get_arguments().filter(|arg| !arg.is_hide_set());
    let longs = longs.filter_map(clap::Arg::get_long);
    let distances = longs.map(|long| (strsim::damerau_levenshtein(long, name), long));
    let limit = if name.len() < LONG_NAME { 1 } else { 2 };
    let near = distances.filter(|(distance, _)| *distance <= limit);
    near.min().map(|(_, long)| long)
}

fn make_unknown_option_error(command: &clap::Command, typed: &str, meant: &str) -> clap::Error {
    let mut error = clap::Error::new(ErrorKind::UnknownArgument).with_cmd(command);
    let typed = sanitize_line(typed);
    let text = |text: &str| ContextValue::String(text.to_owned());
    error.insert(ContextKind::InvalidArg, text(&typed));
    error.insert(ContextKind::SuggestedArg, text(&format!("--{meant}")));
    let tip = format!("to search for it as a word, write '--' before it: '-- {typed}'");
    error.insert(
        ContextKind::Suggested,
        ContextValue::StyledStrs(vec![tip.into()]),
    );
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistyped_option_before_the_query_is_no_word_of_it() {
        let find = |line: &str| {
            let typed: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let error = find_mistyped_option(&typed)?;
            Some(error.get(ContextKind::SuggestedArg)?.to_string())
        };
        for (line, meant) in [
            ("ss search --projct app docker", "--project"),
            ("ss search --limit 3 --jsn docker", "--json"),
            ("ss --quiet search --limt=5 docker", "--limit"),
            ("ss memory search --jsn pool", "--json"),
            ("ss files --jsn a.rs", "--json"),
        ] {
            assert_eq!(find(line).as_deref(), Some(meant), "{line}");
        }
        for line in [
            "ss search -- --projct docker",
            "ss search --projct",
            "ss search --no-verify commit",
            "ss search --project --projct docker",
            "ss search docker dns",
            "ss stats --json",
        ] {
            assert_eq!(find(line), None, "{line}");
        }
    }
}
