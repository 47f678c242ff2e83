//! The command line as it was typed, before or after it is parsed.

use super::Arguments;
use super::guessed_names::{
    find_meant_commands, find_meant_option, find_meant_option_before_query,
};
use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use session_core::text::join_alternatives;
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
    takes_dashed_words(&NamedCommand::find(arguments).command)
}

fn takes_dashed_words(command: &clap::Command) -> bool {
    let mut operands = command.get_positionals();
    operands.any(clap::Arg::is_allow_hyphen_values_set)
}

/// The command that the arguments name.
struct NamedCommand<'a> {
    command: clap::Command,
    /// The command that it stands below: `memory` of `memory save`.
    above: Option<clap::Command>,
    /// The options before its name.
    leading: &'a [OsString],
    /// Its arguments.
    arguments: &'a [OsString],
}

impl<'a> NamedCommand<'a> {
    fn find(typed: &'a [OsString]) -> Self {
        let mut command = Arguments::command();
        command.build(); // defines the arguments of all commands
        let is_option = |word: &&OsString| word.to_string_lossy().starts_with("--");
        let typed = typed.get(1..).unwrap_or_default();
        let (leading, mut rest) = typed.split_at(typed.iter().take_while(is_option).count());
        let mut above = None;
        while let [name, below @ ..] = rest {
            let Some(found) = command.find_subcommand(name) else {
                break;
            };
            let found = found.clone();
            above = Some(std::mem::replace(&mut command, found));
            rest = below;
        }
        Self {
            command,
            above,
            leading,
            arguments: rest,
        }
    }

    /// Finds what is meant by an option that the command does not have.
    fn find_meant(&self, name: &str) -> Option<MeantOption<'_>> {
        let own = find_meant_option(&self.command, name).map(MeantOption::Own);
        own.or_else(|| self.find_beside(name))
    }

    /// Finds what is meant by an option before the query that the command does not have, and a word behind it.
    fn find_meant_before_query(&self, name: &str, value: &str) -> Option<MeantOption<'_>> {
        let own = find_meant_option_before_query(&self.command, name, value);
        own.map(MeantOption::Own).or_else(|| self.find_beside(name))
    }

    /// Finds the commands beside this one that have an option. Those of the program do different work; those of `memory`
    /// are easily taken for each other.
    fn find_beside(&self, name: &str) -> Option<MeantOption<'_>> {
        let above = self.above.as_ref();
        let above = above.filter(|above| above.get_name() != PROGRAM)?;
        let beside = above
            .get_subcommands()
            .filter(|command| has_option(command, name));
        let names = beside.map(|command| format!("'{} {}'", above.get_name(), command.get_name()));
        let names: Vec<String> = names.collect();
        let names = join_alternatives(names.iter().map(String::as_str));
        (!names.is_empty()).then_some(MeantOption::Beside(names))
    }

    /// Returns true for an option that stands before the command's name.
    fn is_leading(&self, option: &str) -> bool {
        let name = option_name(option);
        let mut leading = self.leading.iter().filter_map(|word| word.to_str());
        leading.any(|word| option_name(word) == name)
    }

    /// Makes the error of an option that the command does not have.
    fn make_unknown_option_error(
        &self,
        typed: &str,
        meant: Option<&MeantOption<'_>>,
    ) -> clap::Error {
        let mut error = clap::Error::new(ErrorKind::UnknownArgument).with_cmd(&self.command);
        let may_be_word = takes_dashed_words(&self.command) && !self.is_leading(typed);
        let typed = sanitize_line(typed);
        let text = |text: &str| ContextValue::String(text.to_owned());
        error.insert(ContextKind::InvalidArg, text(&typed));
        let mut tips = Vec::new();
        match meant {
            Some(MeantOption::Own(name)) => {
                error.insert(ContextKind::SuggestedArg, text(&format!("--{name}")));
            }
            Some(MeantOption::Beside(names)) => {
                tips.push(format!("it is an option of {names}"));
            }
            None => {}
        }
        if may_be_word {
            tips.push(format!(
                "to search for it as a word, write '--' before it: '-- {typed}'"
            ));
        }
        if !tips.is_empty() {
            let tips = tips.into_iter().map(Into::into).collect();
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
        }
        error
    }
}

const PROGRAM: &str = env!("CARGO_BIN_NAME");

/// The meaning of an option that a command does not have.
enum MeantOption<'c> {
    /// Another option of the command.
    Own(&'c str),
    /// The same option of these commands beside it.
    Beside(String),
}

/// Returns the error of an option that was mistyped before the query, where it was read as a word of it; `None` for
/// what is like no option, as options of other programs are, or stands alone.
pub fn find_mistyped_option(typed: &[OsString]) -> Option<clap::Error> {
    let named = NamedCommand::find(typed);
    let mut arguments = named.arguments.iter();
    while let Some(argument) = arguments.next() {
        let argument = argument.to_str()?;
        if argument == "--" {
            return None;
        }
        let Some(name) = option_name(argument).strip_prefix("--") else {
            continue;
        };
        match named
            .command
            .get_arguments()
            .find(|arg| is_named(arg, name))
        {
            Some(arg) if arg.get_action().takes_values() && !argument.contains('=') => {
                arguments.next();
            }
            Some(_) => {}
            None if arguments.len() == 0 => return None,
            None => {
                let next = arguments.next().and_then(|word| word.to_str());
                let value = argument.split_once('=').map(|(_, value)| value);
                let value = value.or(next).unwrap_or_default();
                let meant = named.find_meant_before_query(name, value)?;
                return Some(named.make_unknown_option_error(argument, Some(&meant)));
            }
        }
    }
    None
}

/// Replaces the option that an error suggests, which is one that has some of the same letters, by the one that is meant.
pub fn correct_suggested_option(error: clap::Error, typed: &[OsString]) -> clap::Error {
    let unknown = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(unknown)) if error.kind() == ErrorKind::UnknownArgument => {
            unknown
        }
        _ => return error,
    };
    let name = option_name(unknown);
    let named = NamedCommand::find(typed);
    // An option that stands before its command has clap's tip, which says so.
    let is_unknown =
        |name: &&str| !named.command.has_subcommands() && !has_option(&named.command, name);
    let Some(name) = name.strip_prefix("--").filter(is_unknown) else {
        return error;
    };
    named.make_unknown_option_error(unknown, named.find_meant(name).as_ref())
}

/// Returns what may be meant by the name of a command that there is not, with the program and the names above it.
pub fn find_meant_command_lines(typed: &[OsString], unknown: &str) -> Vec<String> {
    let NamedCommand { command, .. } = NamedCommand::find(typed);
    let above = command.get_bin_name().unwrap_or(PROGRAM);
    let meant = find_meant_commands(&command, unknown).into_iter();
    meant.map(|meant| format!("{above} {meant}")).collect()
}

/// Returns an option without the value behind its `=`.
fn option_name(argument: &str) -> &str {
    argument.split('=').next().unwrap_or_default()
}

fn has_option(command: &clap::Command, name: &str) -> bool {
    command.get_arguments().any(|arg| is_named(arg, name))
}

fn is_named(arg: &clap::Arg, name: &str) -> bool {
    arg.get_long() == Some(name) || arg.get_all_aliases().is_some_and(|all| all.contains(&name))
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
            ("ss search --after 2026-02-01 coderabbit --json", "--since"),
            ("ss search --format json coderabbit", "--json"),
            ("ss search --repo cipher-box docker", "--project"),
            ("ss search --format=json coderabbit", "--json"),
            ("ss search --last yesterday docker", "--since"),
            ("ss search --on monday docker", "--when"),
            ("ss search --max 5 docker", "--limit"),
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
            "ss search --sort date docker",
            "ss search --format flag of cargo -n 1",
            "ss search --filter flag of pnpm",
            "ss search --reject foo",
            "ss search --json5 parse",
            "ss search --branches all git",
            "ss search --last commit",
            "ss search --from scratch docker",
            "ss search --end of file",
            "ss search --to stdout",
            "ss search --on conflict",
            "ss search --start server",
            "ss search --top level await",
            "ss search --max old space",
            "ss search --output json cargo",
            "ss search --count distinct",
            "ss search --directory listing nginx",
            "ss fix unexpected argument --format found",
        ] {
            let typed: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            assert!(find_mistyped_option(&typed).is_none(), "{line}");
        }
    }

    #[test]
    fn an_option_of_the_command_beside_it_is_no_word_either() {
        let typed = ["ss", "memory", "search", "--kind", "decision", "npm"].map(OsString::from);
        let error = find_mistyped_option(&typed).unwrap().to_string();
        for tip in [
            "tip: it is an option of 'memory save', 'memory list' or 'memory edit'",
            "'-- --kind'",
        ] {
            assert!(error.contains(tip), "{error}");
        }
    }
}
