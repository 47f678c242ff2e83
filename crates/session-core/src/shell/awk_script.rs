//! Whether an argument of `awk` lets it do more than show its input.

/// The options with which it reads a script from a file, or edits files in place.
const SCRIPT_OPTIONS: [&str; 6] = ["-f", "--file", "-i", "--include", "-E", "--exec"];
/// What runs a command in a script.
const COMMAND_CALLS: [&str; 2] = ["system(", "| getline"];
/// The statements that may print into a file or a command.
const PRINT: &str = "print";
/// The beginning of the names of the streams, as a script writes them.
const STREAMS: &str = "\"/dev/std";

/// Returns true for an option that names a script, and for a script that may write a file or run a command.
pub(super) fn is_writing_script(argument: &str) -> bool {
    let has = |texts: &[&str]| texts.iter().any(|text| argument.contains(text));
    let is_option = |option: &&str| argument.starts_with(option);
    let printed = argument.split_once(PRINT).map(|(_, printed)| printed);
    SCRIPT_OPTIONS.iter().any(is_option) || has(&COMMAND_CALLS) || printed.is_some_and(redirects)
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
            '>' if after.trim_start_matches(['>', ' ']).starts_with(STREAMS) => {}
            '>' | '|' if depth <= 0 => return true,
            _ => {}
        }
    }
    false
}
