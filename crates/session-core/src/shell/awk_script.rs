//! Whether an argument of `awk` lets it do more than show its input.

/// The options with which it reads a script from a file, edits files in place, or writes what it read.
const SCRIPT_OPTIONS: [&str; 6] = [
    "--dump-variables",
    "--exec",
    "--file",
    "--include",
    "--load",
    "--pr",
];
const SCRIPT_LETTERS: &str = "dEfilop";
/// The letters of the options whose value may follow in the same word.
const VALUE_LETTERS: &str = "eFv";
/// The words by which a script may run a command, or reads another script.
const COMMAND_CALLS: [&str; 3] = ["getline", "@include", "@load"];
/// The function that runs one.
const SYSTEM: &str = "system";
/// The statements that may print into a file or a command.
const PRINT: &str = "print";
/// The names of the streams, as a script writes them.
const STREAMS: [&str; 2] = ["\"/dev/stdout\"", "\"/dev/stderr\""];

/// Returns true for an option that names a script, and for a script that may write a file or run a command.
pub(super) fn is_writing_script(argument: &str) -> bool {
    let has = |texts: &[&str]| texts.iter().any(|text| argument.contains(text));
    let printed = argument.split_once(PRINT).map(|(_, printed)| printed);
    is_script_option(argument)
        || has(&COMMAND_CALLS)
        || calls_system(argument)
        || printed.is_some_and(redirects)
}

fn is_script_option(argument: &str) -> bool {
    let names_script = |option: &&str| argument.starts_with(option);
    let letters = argument.strip_prefix('-').unwrap_or_default();
    let mut letters = letters.chars().take_while(|c| !VALUE_LETTERS.contains(*c));
    let is_long = argument.starts_with("--");
    SCRIPT_OPTIONS.iter().any(names_script)
        || !is_long && letters.any(|letter| SCRIPT_LETTERS.contains(letter))
}

fn calls_system(script: &str) -> bool {
    let mut rests = script.split(SYSTEM).skip(1);
    rests.any(|rest| rest.trim_start().starts_with('('))
}

/// Returns true if a text has a `>` or `|` outside of strings and parentheses, in which they compare.
fn redirects(script: &str) -> bool {
    let mut depth = 0;
    let mut is_string = false;
    let mut rest = script.chars();
    while let Some(c) = rest.next() {
        let after = rest.as_str();
        match c {
            '\\' => drop(rest.next()),
            '"' => is_string = !is_string,
            _ if is_string => {}
            '(' => depth += 1,
            ')' => depth -= 1,
            '|' if after.starts_with('|') => drop(rest.next()),
            '>' if after.starts_with('=') => {}
            '>' if names_stream(after) => {}
            '>' | '|' if depth <= 0 => return true,
            _ => {}
        }
    }
    false
}

fn names_stream(after: &str) -> bool {
    let target = after.trim_start_matches(['>', ' ']);
    STREAMS.iter().any(|stream| target.starts_with(stream))
}
