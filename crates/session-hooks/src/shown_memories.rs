//! The memories that a command shows to the agent that runs it.

/// The beginning of a command that shows a memory.
const SHOW: &str = "session-search memory show ";
/// The option by which it shows the conversation in the memory's place.
const RAW: &str = "--raw";
/// The quotes that a form of a command keeps.
const QUOTES: [char; 2] = ['"', '\''];
/// The most memories of a line.
const MAX_SHOWN: usize = 20;

/// Finds the ids of the memories that a line shows, of which these are the simple commands in their forms.
pub(crate) fn find_shown_memories(commands: &[String]) -> Vec<&str> {
    let shows = commands.iter().filter_map(|line| line.strip_prefix(SHOW));
    let mut ids: Vec<&str> = shows.filter_map(find_id).take(MAX_SHOWN).collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// Finds the id among the arguments: the only word that is no option.
fn find_id(arguments: &str) -> Option<&str> {
    let is_id = |word: &&str| !word.starts_with('-') && !word.contains(['>', '<', '$']);
    let mut words = arguments.split_whitespace();
    let is_raw = words.clone().any(|word| word == RAW);
    let id = words.find(is_id).filter(|_| !is_raw)?;
    Some(id.trim_matches(QUOTES))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_forms::command_lines;

    #[test]
    fn ids_are_found_in_each_command_of_a_line() {
        for (line, ids) in [
            ("session-search memory show mem-1", &["mem-1"][..]),
            (
                "cd app && ~/.local/bin/session-search memory show --json 'mem-1' | jq . ; session-search memory show 2 2>&1",
                &["2", "mem-1"],
            ),
            ("session-search memory show mem-1 --raw", &[]),
            ("session-search memory list", &[]),
            ("echo session-search memory show mem-1", &[]),
        ] {
            assert_eq!(find_shown_memories(&command_lines(line)), ids, "{line}");
        }
    }
}
