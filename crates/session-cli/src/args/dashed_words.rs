//! Words that begin with a dash, before commands that take any word for a part of their query.

use super::Arguments;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory, Parser};
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
pub fn takes_any_word(typed: &[OsString]) -> bool {
    let all = build_command();
    let named = find_commands(&all, typed).last().copied();
    let mut operands = named.unwrap_or(&all).get_positionals();
    operands.any(clap::Arg::is_allow_hyphen_values_set)
}

/// Builds the command, with the arguments of all that stand below it.
fn build_command() -> Command {
    let mut all = Arguments::command();
    all.build();
    all
}

/// Finds the commands that the arguments name: `memory`, and `save` below it.
fn find_commands<'c>(all: &'c Command, typed: &[OsString]) -> Vec<&'c Command> {
    let is_option = |word: &&OsString| word.to_string_lossy().starts_with("--");
    let mut names = typed.iter().skip(1).skip_while(is_option);
    let below = |above: &&'c Command| above.find_subcommand(names.next()?);
    std::iter::successors(Some(all), below).skip(1).collect()
}

/// Parses the arguments. Of an option that was mistyped before the query the rest of them says little.
pub fn parse_arguments(typed: &[OsString]) -> Result<Arguments, clap::Error> {
    let parsed = Arguments::try_parse_from(typed);
    let is_suspect = match &parsed {
        Ok(arguments) => arguments.dashed_first_word().is_some(),
        Err(error) => error.kind() == ErrorKind::UnknownArgument,
    };
    match is_suspect.then(|| find_mistyped_option(typed)) {
        Some(Some(error)) => Err(error),
        _ => parsed,
    }
}

/// Returns the error of an option that was read as a word of the query: a mistyped one, or one of the commands beside that
/// of `memory`, which are easily taken for each other.
fn find_mistyped_option(typed: &[OsString]) -> Option<clap::Error> {
    let all = build_command();
    let strict = refuse_dashed_words(all.clone());
    let error = strict.try_get_matches_from(typed).err()?;
    let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let is_beside = || {
        let named = find_commands(&all, typed);
        let above = named.iter().rev().skip(1);
        let mut beside = above.flat_map(|above| above.get_subcommands());
        beside.any(|command| shows_option(command, unknown))
    };
    (suggests_meant_option(&error, typed) || is_beside()).then_some(error)
}

/// Returns true if an error suggests an option that the help shows, and that was typed with a wrong letter and no digit.
pub fn suggests_meant_option(error: &clap::Error, typed: &[OsString]) -> bool {
    let kinds = [ContextKind::InvalidArg, ContextKind::SuggestedArg];
    let [
        Some(ContextValue::String(unknown)),
        Some(ContextValue::String(suggested)),
    ] = kinds.map(|kind| error.get(kind))
    else {
        return false;
    };
    let all = build_command();
    let named = find_commands(&all, typed);
    strsim::damerau_levenshtein(unknown, suggested) == 1
        && !unknown.contains(|char: char| char.is_ascii_digit())
        && shows_option(named.last().unwrap_or(&&all), suggested)
}

/// Options of other programs, each with the one that does it here.
const OTHER_NAMES: [(&[&str], &str); 7] = [
    (&["--from", "--start", "--last"], "--since"),
    (&["--to", "--end"], "--until"),
    (&["--before", "--around"], "--context"),
    (&["--on", "--date", "--day"], "--when"),
    (&["--folder", "--dir", "--directory", "--cwd"], "--project"),
    (&["--top", "--n", "--max", "--count"], "--limit"),
    (&["--format", "--output"], "--json"),
];

/// Finds the option of the named command that another program calls so. The value of one that was read as a word may be what
/// is unknown: `files --max 5`.
pub fn find_option_by_other_name(typed: &[OsString], unknown: &str) -> Option<&'static str> {
    let all = build_command();
    let named = find_commands(&all, typed);
    let command = named.last().copied().unwrap_or(&all);
    let at = typed.iter().position(|word| word == unknown);
    let before = at.and_then(|at| typed.get(at.checked_sub(1)?)?.to_str());
    let is_name = |word: &str| word == unknown || Some(word) == before;
    let mut rows = OTHER_NAMES.iter();
    let (_, option) = rows.find(|(names, _)| names.iter().any(|name| is_name(name)))?;
    shows_option(command, option).then_some(*option)
}

/// Describes that the query begins with the option of another program, which is searched for as text.
pub fn describe_dashed_word(arguments: &Arguments, typed: &[OsString]) -> Option<String> {
    let word = arguments.dashed_first_word()?;
    let option = find_option_by_other_name(typed, word)?;
    Some(format!(
        "{word} is no option here, and is searched for as a word; see {option} in the help"
    ))
}

/// Returns true for a command that the help shows below the named one.
pub fn shows_command(typed: &[OsString], name: &str) -> bool {
    let all = build_command();
    let named = find_commands(&all, typed);
    let below = named.last().unwrap_or(&&all).get_subcommands();
    let mut shown = below.filter(|command| !command.is_hide_set());
    shown.any(|command| command.get_name() == name)
}

/// Returns a command that takes no word that looks like an option, nor do those below it.
fn refuse_dashed_words(command: Command) -> Command {
    let command = command.mut_args(|arg| match arg.is_positional() {
        true => arg.allow_hyphen_values(false),
        false => arg,
    });
    command.mut_subcommands(refuse_dashed_words)
}

/// Returns true for an option, with its dashes, that the help of a command shows.
fn shows_option(command: &Command, option: &str) -> bool {
    let mut shown = command.get_arguments().filter(|arg| !arg.is_hide_set());
    let long = option.strip_prefix("--");
    long.is_some_and(|long| shown.any(|arg| arg.get_long() == Some(long)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn a_mistyped_option_before_the_query_is_no_word_of_it() {
        for (line, meant) in [
            ("ss search --projct app docker", "--project"),
            ("ss search --limit 3 --jsn docker", "--json"),
            ("ss --quiet search --limt=5 docker", "--limit"),
            ("ss memory search --jsn pool", "--json"),
            ("ss files --jsn a.rs", "--json"),
        ] {
            let error = parse_arguments(&split(line)).unwrap_err();
            let suggested = error.get(ContextKind::SuggestedArg).unwrap().to_string();
            assert_eq!(suggested, meant, "{line}");
        }
        for line in [
            "ss search -- --projct docker",
            "ss search --projct",
            "ss search --no-verify commit",
            "ss search docker dns",
            "ss stats --json",
            "ss search --sort date docker",
            "ss search --filter flag of pnpm",
            "ss search --reject foo",
            "ss search --json5 parse",
            "ss search --branches all git",
            "ss search --form data of curl",
            "ss search --data urlencode",
            "ss search --last commit",
            "ss search --to stdout",
            "ss search --output json cargo",
            "ss search --date format",
            "ss search --dir tmp",
            "ss search --start server",
            "ss search --on conflict",
            "ss search --count rows",
            "ss search --top docker",
        ] {
            assert!(parse_arguments(&split(line)).is_ok(), "{line}");
        }
    }

    #[test]
    fn a_query_that_begins_with_the_option_of_another_program_has_a_note() {
        let describe = |line: &str| {
            let typed = split(line);
            describe_dashed_word(&parse_arguments(&typed).unwrap(), &typed)
        };
        for (line, word, option) in [
            ("ss search --format json docker", "--format", "--json"),
            ("ss search --from 2026-01 docker", "--from", "--since"),
        ] {
            let note = format!(
                "{word} is no option here, and is searched for as a word; see {option} in the help"
            );
            assert_eq!(describe(line).unwrap(), note);
        }
        for line in [
            "ss search --no-verify commit",
            "ss search --format",
            "ss stats --json",
        ] {
            assert_eq!(describe(line), None, "{line}");
        }
    }

    #[test]
    fn an_option_of_the_command_beside_it_is_no_word_either() {
        let error = parse_arguments(&split("ss memory search --kind decision npm")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UnknownArgument);
    }

    #[test]
    fn names_of_other_programs_work() {
        for line in [
            "ss search docker --after 2w --before yesterday",
            "ss search --repo app docker",
            "ss search docker --agent claude-code",
            "ss setup --agent OpenCode",
            "ss hook install --agent claude_code",
            "ss memory save --topic T --text I --type decision",
            "ss memory list --type decision",
            "ss memory export --to file.json",
            "ss forget --repo app",
            "ss find docker dns",
            "ss delete a1b2c3d4",
            "ss memory grep npm",
            "ss memory add --topic T --info I",
            "ss memory rm mem-1",
            "ss memory restore mem-1",
            "ss memory ls",
            "ss model delete bge-m3",
            "ss model ls",
            "ss skill remove",
            "ss hook remove",
        ] {
            if let Err(error) = parse_arguments(&split(line)) {
                panic!("{line}: {error}");
            }
        }
    }
}
