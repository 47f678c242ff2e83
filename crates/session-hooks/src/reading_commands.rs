//! Command lines that only read: nothing is lost where they run before a memory about their files is read.

use session_core::shell::{
    CommandPart, InPlaceEditor, InnerLine, git_subcommand, split_command_parts,
};
use session_core::text::file_name;
use std::borrow::Cow;

/// Programs that write no file, whatever their arguments.
const READERS: [&str; 37] = [
    "[",
    "ag",
    "basename",
    "bat",
    "cat",
    "cd",
    "cmp",
    "column",
    "cut",
    "diff",
    "dirname",
    "du",
    "echo",
    "egrep",
    "false",
    "fgrep",
    "file",
    "grep",
    "head",
    "jq",
    "less",
    "ls",
    "md5sum",
    "more",
    "nl",
    "printf",
    "pwd",
    "realpath",
    "rg",
    "sha256sum",
    "stat",
    "tail",
    "test",
    "tr",
    "true",
    "wc",
    "which",
];
/// The options with which `find` writes, or begins a program.
const FIND_ACTIONS: [&str; 5] = ["-delete", "-exec", "-ok", "-fprint", "-fls"];
/// The subcommands of git that write none, without this option.
const GIT_READERS: [&str; 10] = [
    "blame",
    "describe",
    "diff",
    "grep",
    "log",
    "ls-files",
    "rev-parse",
    "shortlog",
    "show",
    "status",
];
const GIT_OUTPUT: &str = "--output";
/// The deepest line within lines that is looked at.
const MAX_DEPTH: usize = 4;

/// Returns true for a command line of which each command only reads.
pub(crate) fn only_reads(command: &str) -> bool {
    only_reads_within(command, MAX_DEPTH)
}

fn only_reads_within(line: &str, depth: usize) -> bool {
    let parts = split_command_parts(line);
    let mut commands = parts.iter().filter(|part| !part.text.trim().is_empty());
    commands.all(|simple| {
        // A line within quotes is not split.
        let has_inner_line = simple.source.contains('`') || simple.source.contains("$(");
        !has_inner_line && !writes_file(simple) && is_reader(simple, depth)
    })
}

fn is_reader(simple: &CommandPart<'_>, depth: usize) -> bool {
    let words: Vec<Cow<'_, str>> = simple.program_words().collect();
    let mut words = words.iter().map(AsRef::as_ref);
    let Some(program) = words.next().map(file_name) else {
        return true;
    };
    if let Some(inner) = InnerLine::find(simple) {
        return depth > 0 && !inner.is_remote && only_reads_within(&inner.text, depth - 1);
    }
    let arguments: Vec<&str> = words.collect();
    let has_option = |options: &[&str]| {
        let mut given = arguments.iter();
        given.any(|word| options.iter().any(|option| word.starts_with(option)))
    };
    match program {
        "git" => {
            let subcommand = git_subcommand(arguments.iter().copied());
            let is_reading = subcommand.is_some_and(|name| GIT_READERS.contains(&name));
            is_reading && !has_option(&[GIT_OUTPUT])
        }
        "sed" => !InPlaceEditor::SED.is_in_place(arguments.into_iter()),
        "sort" => !arguments.into_iter().any(sorts_into_file),
        // Its second operand is a file that it writes, and a number may be the value of an option or the first operand.
        "uniq" => arguments.iter().all(|word| word.starts_with('-')),
        "find" => !has_option(&FIND_ACTIONS),
        _ => READERS.contains(&program),
    }
}

/// Returns true for an option of `sort` that may name its output: `-o`, also among other letters, and the beginnings of
/// `--output`.
fn sorts_into_file(option: &str) -> bool {
    let letters = option.strip_prefix('-').unwrap_or_default();
    match letters.strip_prefix('-') {
        Some(name) => name.starts_with('o'),
        None => letters.contains('o'),
    }
}

/// Returns true for a command that redirects its output into a file: not to another stream, and not to `/dev/null`.
fn writes_file(simple: &CommandPart<'_>) -> bool {
    let mut redirections = simple.redirections.iter();
    redirections.any(|at| !is_stream(&simple.text[at + 1..]))
}

/// Returns true for what follows the `>` of a redirection that writes no file.
fn is_stream(rest: &str) -> bool {
    let target = rest.trim_start_matches(['>', ' ']);
    let stream = target.strip_prefix('&');
    let is_number = |stream: &str| stream.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    stream.is_some_and(is_number) || target.starts_with("/dev/null")
}

#[cfg(test)]
mod tests {
    use super::only_reads;

    #[test]
    fn reading_is_told_from_writing() {
        for command in [
            "cat db/1.sql",
            "cd db && ls -la | head -3",
            "git -C web diff HEAD~1 -- a.ts | cat",
            "grep -rn \"a > b\" src 2>/dev/null",
            "sed -n '1,60p' src/main.go 2>&1 | wc -l",
            "find db -name '*.sql' | xargs -n 1 grep -l price",
            "bash -lc 'cat db/1.sql'",
            "LC_ALL=C sort db/1.sql >/dev/null",
            "cat db/1.sql > '/dev/null' # a > b",
            "sed -nE -e 's/-i/i/p' db/1.sql",
            "sort -u -k2 db/1.sql | uniq -c",
        ] {
            assert!(only_reads(command), "{command}");
        }
        for command in [
            "psql -f db/1.sql",
            "cat a > db/1.sql",
            "cat a >> db/1.sql",
            "cat a >| db/1.sql",
            "cat a &> db/1.sql",
            "sed -i s/a/b/ db/1.sql",
            "sed -Ei s/a/b/ db/1.sql",
            "sed -ni.bak 1p db/1.sql",
            "sed --in-place=.bak 1d db/1.sql",
            "sort -uo db/1.sql db/1.sql",
            "sort db/1.sql --out=db/1.sql",
            "uniq a db/1.sql",
            "awk '{ print > \"db/1.sql\" }' a",
            "xxd -r a db/1.sql",
            "tree -o db/1.sql",
            "find db -name '*.sql' -delete",
            "find db | xargs rm",
            "git checkout db/1.sql",
            "git diff --output=db/1.sql",
            "cat \"$(rm db/1.sql)\"",
            "cat $(rm db/1.sql)",
            "bash -c 'rm db/1.sql'",
            "ssh host cat db/1.sql",
            "cat db/1.sql && make",
            "cat a | tee db/1.sql",
        ] {
            assert!(!only_reads(command), "{command}");
        }
    }
}
