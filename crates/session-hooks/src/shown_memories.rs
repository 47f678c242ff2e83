//! The memories that a command shows to the agent that runs it.

use session_core::shell::{
    Operator, is_own_program_name, split_simple_commands, words_from_program,
};
use session_core::text::file_name;
use session_memory::{collect_forms, command_lines};

/// The name of this program.
const OWN_NAME: &str = "session-search";
/// The beginning of a command that shows a memory.
const SHOW: &str = "session-search memory show ";
/// The option by which it shows the conversation in the memory's place.
const RAW: &str = "--raw";
/// The quotes that a form of a command keeps.
const QUOTES: [char; 2] = ['"', '\''];
/// The most memories of a line.
const MAX_SHOWN: usize = 20;

/// Finds the ids of the memories that a command line shows. What is written into a file or another program is not shown.
pub(crate) fn find_shown_memories(command: &str) -> Vec<String> {
    if !command.contains(OWN_NAME) {
        return Vec::new();
    }
    let mut lines = vec![command.to_owned()];
    let forms = collect_forms(&mut lines, |part| part.operator != Operator::Pipe);
    let ids = forms
        .iter()
        .filter_map(|form| find_id(form.strip_prefix(SHOW)?));
    let mut ids: Vec<String> = ids.collect();
    ids.sort_unstable();
    ids.dedup();
    ids.truncate(MAX_SHOWN);
    ids
}

/// Returns true for a command line that runs this program, also within quotes: its output may contain any memory.
pub(crate) fn runs_this_program(command: &str) -> bool {
    let is_own = |line: &String| {
        let program = words_from_program(line).next();
        program.is_some_and(|program| is_own_program_name(file_name(program)))
    };
    let unquoted = || split_simple_commands(&command.replace(QUOTES, ";"));
    command.contains(OWN_NAME)
        && (command_lines(command).iter().any(is_own) || unquoted().iter().any(is_own))
}

/// Finds the id among the arguments: the only word that is no option.
fn find_id(arguments: &str) -> Option<String> {
    let is_id = |word: &&str| !word.starts_with('-') && !word.contains(['>', '<', '$']);
    let mut words = arguments.split_whitespace();
    let is_elsewhere = words.clone().any(|word| word == RAW || hides_output(word));
    let id = words.find(is_id).filter(|_| !is_elsewhere)?;
    Some(id.trim_matches(QUOTES).to_owned())
}

/// Returns true for a redirection of the output into a file, also into `/dev/null`: `>x`, `&>`; not `2>&1`.
fn hides_output(word: &str) -> bool {
    let redirection = word.split_once('>');
    redirection.is_some_and(|(stream, target)| stream != "2" && !target.starts_with('&'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_commands_are_known_in_what_runs_them() {
        for line in [
            "session-search memory list",
            "cd x && bash -lc 'session-search show a1 | cat'",
            "timeout 20 ~/.local/bin/session-search memory list",
            "session-search.exe memory list",
            "uvx --from session-search-cli session-search memory list",
            "echo \"$(session-search memory list)\"",
            "python3 -c 'import os; os.system(\"session-search memory list\")'",
        ] {
            assert!(runs_this_program(line), "{line}");
        }
        for line in [
            "cd ~/session-search && make",
            "git clone https://x.y/session-search",
        ] {
            assert!(!runs_this_program(line), "{line}");
        }
    }

    #[test]
    fn ids_are_found_in_each_command_of_a_line() {
        for (line, ids) in [
            ("session-search memory show mem-1", &["mem-1"][..]),
            (
                "cd app && ~/.local/bin/session-search memory show --json 'mem-1' ; session-search memory show 2 2>&1",
                &["2", "mem-1"],
            ),
            ("session-search memory show mem-1 --raw", &[]),
            (
                "bash -c 'session-search memory show mem-1 2>/dev/null'",
                &["mem-1"],
            ),
            ("session-search memory show mem-1 > /tmp/x.md", &[]),
            ("session-search memory show mem-1 >x 2>&1; ls", &[]),
            ("session-search memory show mem-1 | head -3", &[]),
            (
                "bash -lc 'ls; session-search memory show mem-1 | wc; session-search memory show 2'",
                &["2"],
            ),
            ("session-search memory list", &[]),
            ("echo session-search memory show mem-1", &[]),
        ] {
            assert_eq!(find_shown_memories(line), ids, "{line}");
        }
    }
}
