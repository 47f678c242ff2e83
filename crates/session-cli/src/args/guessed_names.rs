//! Names of options and commands that other programs have, and those that do it here.

use clap::Command;

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
    let longs = || {
        let shown = command.get_arguments().filter(|arg| !arg.is_hide_set());
        shown.filter_map(clap::Arg::get_long)
    };
    let mut guesses = list_guesses(typed);
    let guessed = guesses.find_map(|guess| longs().find(|long| *long == guess));
    let wrong = if typed.len() < LONG_NAME { 1 } else { 2 };
    guessed.or_else(|| find_similar(longs(), typed, wrong))
}

/// Finds the command below another that is meant by a name, with the names of those above it: `memory save`.
pub fn find_meant_command(command: &Command, typed: &str) -> Option<String> {
    let names = command.get_subcommands().map(Command::get_name);
    let exists = |path: &&str| {
        let mut names = path.split(' ');
        let found = names.try_fold(command, |above, name| above.find_subcommand(name));
        found.is_some()
    };
    let meant = list_guesses(typed).find(exists);
    // With two letters wrong it may as well be a word of a query.
    let meant = meant.or_else(|| find_similar(names, typed, 1));
    meant.map(str::to_owned)
}

/// Iterates over what may be meant by a name.
fn list_guesses(typed: &str) -> impl Iterator<Item = &'static str> {
    let rows = GUESSES
        .iter()
        .filter(move |(names, _)| names.contains(&typed));
    rows.flat_map(|(_, meant)| meant.iter().copied())
}

/// Finds the name of which another has at most so many letters wrong.
fn find_similar<'c>(
    names: impl Iterator<Item = &'c str>,
    typed: &str,
    wrong: usize,
) -> Option<&'c str> {
    let distances = names.map(|name| (strsim::damerau_levenshtein(name, typed), name));
    let near = distances.filter(|(distance, _)| *distance <= wrong);
    near.min().map(|(_, name)| name)
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
            (&[][..], "remember", Some("memory save")),
            (&[], "find", Some("search")),
            (&[], "delete", Some("forget")),
            (&[], "list", None),
            (&[], "digets", Some("digest")),
            (&[], "docker", None),
            (&["memory"], "add", Some("save")),
            (&["memory"], "rm", Some("delete")),
            (&["memory"], "restore", Some("activate")),
            (&["memory"], "grep", Some("search")),
            (&["model"], "delete", Some("remove")),
            (&["model"], "ls", Some("list")),
        ] {
            let command = find(path);
            assert_eq!(
                find_meant_command(&command, typed).as_deref(),
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
