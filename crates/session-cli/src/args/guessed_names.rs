//! Names of options and commands that other programs have, and those that do it here.

use clap::Command;
use jiff::Zoned;
use session_query::known_agent;
use session_report::{TimeRange, TypedRange};

/// Names that are typed, with what may be meant by them: options and commands, the first that there is.
const GUESSES: [(&[&str], &[&str]); 16] = [
    (&["after", "from", "start", "last"], &["since"]),
    (&["before", "to", "end"], &["until", "context"]),
    (&["around"], &["context"]),
    (&["on", "date", "day"], &["when"]),
    (&["repo", "folder", "dir", "directory", "cwd"], &["project"]),
    (&["top", "n", "max", "count"], &["limit"]),
    (&["format", "output"], &["json"]),
    (&["out"], &["output"]),
    (&["type"], &["kind"]),
    (&["agent"], &["source"]),
    (&["text"], &["info", "match"]),
    (&["find", "query", "grep", "recall"], &["search", "match"]),
    (&["add", "remember"], &["save", "memory save"]),
    (
        &["rm", "remove", "delete"],
        &["delete", "remove", "uninstall", "forget"],
    ),
    (&["restore"], &["activate"]),
    (&["ls"], &["list"]),
];

/// Fewest letters of an option with two of them wrong that is taken for another one.
const LONG_NAME: usize = 6;

/// Finds the option of a command that is meant by a name: by another word for it, or with a letter or two wrong.
pub fn find_meant_option<'c>(command: &'c Command, typed: &str) -> Option<&'c str> {
    let wrong = if typed.len() < LONG_NAME { 1 } else { 2 };
    let guessed = find_guessed_option(command, typed);
    guessed.or_else(|| {
        find_similar(list_longs(command), typed, wrong)
            .into_iter()
            .min()
    })
}

/// Finds the option of a command that is meant by a name before a query, where it may as well be a word of it. The word
/// after another program's name has to be a value of the option; else one letter is wrong, and no digit.
pub fn find_meant_option_before_query<'c>(
    command: &'c Command,
    typed: &str,
    value: &str,
) -> Option<&'c str> {
    if list_guesses(typed).next().is_some() {
        return find_guessed_option(command, typed).filter(|meant| is_value(typed, meant, value));
    }
    let has_digit = typed.contains(|char: char| char.is_ascii_digit());
    let similar = find_similar(list_longs(command), typed, 1);
    similar.into_iter().min().filter(|_| !has_digit)
}

/// Returns true for a value that an option may have which another program's name stands for.
fn is_value(typed: &str, meant: &str, value: &str) -> bool {
    match (typed, meant) {
        (_, "since" | "until" | "when") => {
            TimeRange::parse(TypedRange::Within(value), Zoned::now).is_ok()
        }
        (_, "limit") => value.parse::<usize>().is_ok(),
        (_, "source") => known_agent(value).is_ok(),
        ("format", "json") => ["json", "text", "markdown"].contains(&value),
        ("repo" | "cwd", "project") => true,
        _ => false,
    }
}

fn find_guessed_option<'c>(command: &'c Command, typed: &str) -> Option<&'c str> {
    let longs: Vec<&str> = list_longs(command).collect();
    let mut guesses = list_guesses(typed);
    guesses.find_map(|guess| longs.iter().copied().find(|long| *long == guess))
}

/// Iterates over the long names of the options that the help of a command shows.
fn list_longs(command: &Command) -> impl Iterator<Item = &str> {
    let shown = command.get_arguments().filter(|arg| !arg.is_hide_set());
    shown.filter_map(clap::Arg::get_long)
}

/// Finds the command below another that is meant by a name, with the names of those above it: `memory save`. Several where
/// as few letters are wrong.
pub fn find_meant_commands(command: &Command, typed: &str) -> Vec<String> {
    let names = command.get_subcommands().map(Command::get_name);
    let exists = |path: &&str| {
        let mut names = path.split(' ');
        let found = names.try_fold(command, |above, name| above.find_subcommand(name));
        found.is_some()
    };
    let meant = list_guesses(typed).find(exists);
    // With two letters wrong it may as well be a word of a query.
    let meant = meant.map_or_else(|| find_similar(names, typed, 1), |meant| vec![meant]);
    meant.into_iter().map(str::to_owned).collect()
}

/// Iterates over what may be meant by a name.
fn list_guesses(typed: &str) -> impl Iterator<Item = &'static str> {
    let rows = GUESSES
        .iter()
        .filter(move |(names, _)| names.contains(&typed));
    rows.flat_map(|(_, meant)| meant.iter().copied())
}

/// Finds the names of which another has the fewest letters wrong, and at most so many.
fn find_similar<'c>(
    names: impl Iterator<Item = &'c str>,
    typed: &str,
    wrong: usize,
) -> Vec<&'c str> {
    let distances = names.map(|name| (strsim::damerau_levenshtein(name, typed), name));
    let mut near: Vec<_> = distances
        .filter(|(distance, _)| *distance <= wrong)
        .collect();
    let fewest = near.iter().map(|(distance, _)| *distance).min();
    near.retain(|(distance, _)| Some(*distance) == fewest);
    near.into_iter().map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Arguments;
    use clap::CommandFactory;

    fn find(path: &[&str]) -> Command {
        let mut all = Arguments::command();
        all.build();
        let found = path
            .iter()
            .try_fold(&all, |above, name| above.find_subcommand(name));
        found.unwrap().clone()
    }

    #[test]
    fn another_word_for_an_option_is_known_where_the_command_has_it() {
        for (path, typed, meant) in [
            (&["search"][..], "after", Some("since")),
            (&["search"], "before", Some("until")),
            (&["show"], "before", Some("context")),
            (&["digest"], "date", Some("when")),
            (&["stats"], "date", Some("when")),
            (&["files"], "repo", Some("project")),
            (&["search"], "top", Some("limit")),
            (&["search"], "format", Some("json")),
            (&["search"], "sort", None),
            (&["forget"], "query", Some("match")),
            (&["memory", "save"], "type", Some("kind")),
            (&["memory", "save"], "text", Some("info")),
            (&["memory", "search"], "type", None),
            (&["search"], "projct", Some("project")),
        ] {
            let command = find(path);
            assert_eq!(
                find_meant_option(&command, typed),
                meant,
                "{path:?} {typed}"
            );
        }
    }

    #[test]
    fn another_word_for_a_command_is_known_where_there_is_one() {
        for (path, typed, meant) in [
            (&[][..], "remember", &["memory save"][..]),
            (&[], "find", &["search"]),
            (&[], "delete", &["forget"]),
            (&[], "list", &[]),
            (&[], "digets", &["digest"]),
            (&[], "staus", &["stats", "status"]),
            (&[], "docker", &[]),
            (&["memory"], "add", &["save"]),
            (&["memory"], "rm", &["delete"]),
            (&["memory"], "restore", &["activate"]),
            (&["memory"], "grep", &["search"]),
            (&["model"], "delete", &["remove"]),
            (&["model"], "ls", &["list"]),
        ] {
            let command = find(path);
            assert_eq!(
                find_meant_commands(&command, typed),
                meant,
                "{path:?} {typed}"
            );
        }
    }

    #[test]
    fn no_guess_is_in_two_rows_for_the_same_meaning() {
        for (names, meant) in GUESSES {
            for name in names {
                let all: Vec<&str> = list_guesses(name).collect();
                let own = all.iter().filter(|guess| meant.contains(*guess));
                assert_eq!(own.count(), meant.len(), "{name}");
            }
        }
    }
}
