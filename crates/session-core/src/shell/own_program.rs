//! Which commands run this program.

use super::program_effect::is_copied;
use super::{
    CommandPart, InnerLine, ProgramEffect, find_pipe_heads, find_program, find_run_commands,
};

/// The name of this program.
const NAME: &str = "session-search";
/// The deepest line within lines that is looked at.
const MAX_DEPTH: usize = 4;

/// Returns true for a name of this program: `session-search`, `session-search-v0.1.0` and `session-search-0.1.0`, with
/// `.exe` or without.
pub fn is_own_program_name(name: &str) -> bool {
    let name = name.strip_suffix(".exe").unwrap_or(name);
    let Some(rest) = name.strip_prefix(NAME) else {
        return false;
    };
    let version = rest.strip_prefix("-v").or(rest.strip_prefix('-'));
    rest.is_empty()
        || version.is_some_and(|version| version.starts_with(|c: char| c.is_ascii_digit()))
}

/// Returns true for a command line that runs this program, also by a runner (`uvx`) or a shell (`bash -lc`), and no other
/// but those that prepare or show something.
pub(crate) fn runs_only_own_program(command: &str) -> bool {
    runs_only_own_within(command, MAX_DEPTH)
}

fn runs_only_own_within(command: &str, depth: usize) -> bool {
    if !command.contains(NAME) {
        return false; // most need not be parsed
    }
    let mut runs_own = false;
    for head in find_pipe_heads(command) {
        if is_own(&head, depth) {
            runs_own = true;
        } else if ProgramEffect::classify(&head) > ProgramEffect::Shows || is_copied(&head) {
            return false;
        }
    }
    runs_own
}

/// Returns true for a simple command that is this program, or gives a line to another that runs only this one.
fn is_own(simple: &CommandPart<'_>, depth: usize) -> bool {
    if find_program(&simple.text).is_some_and(is_own_program_name) {
        return true;
    }
    let Some(depth) = depth.checked_sub(1) else {
        return false;
    };
    let inner = InnerLine::find(simple).map(|inner| inner.text);
    // A word of this name may be an option's value, as a project's is: that with the most options counts.
    let line = inner.or_else(|| find_run_commands(simple).pop());
    line.is_some_and(|line| runs_only_own_within(&line, depth))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_the_program_are_known_by_their_names() {
        for own in [
            "session-search",
            "session-search.exe",
            "session-search-v0.1.0",
            "session-search-0.2.0-rc.1",
        ] {
            assert!(is_own_program_name(own), "{own}");
        }
        for other in [
            "session-search-tools",
            "session-search-v",
            "session-searcher",
            "x",
        ] {
            assert!(!is_own_program_name(other), "{other}");
        }
    }

    #[test]
    fn a_line_of_this_program_alone_is_known_whatever_runs_it() {
        for own in [
            "cd /tmp && session-search search docker",
            "timeout 20 session-search search oil",
            "bash -lc \"session-search search oil | head\"",
            "uvx --from session-search-cli session-search search oil",
            "pipx run session-search search oil",
            "/opt/bin/session-search-v0.1.0 search oil",
            "NO_COLOR=1 ~/.cargo/bin/session-search status",
            "session-search search 'a; b && make' --json | jq .",
            "ls; date && session-search status | grep -c oil",
            "ls 2>/dev/null; session-search status > status.txt",
            "time session-search search oil",
            "env NO_COLOR=1 nice -n 5 session-search search oil",
            "find . -name '*.jsonl' -exec session-search show {} \\;",
            "xargs -n 1 session-search show < ids.txt",
        ] {
            assert!(runs_only_own_program(own), "{own}");
        }
        for other in [
            "bash -lc 'make session-search'",
            "bash -lc 'session-search status && make deploy'",
            "git clone https://x.y/session-search",
            "cargo build -p session-search",
            "session-search commands deploy; cd /srv/app && make deploy",
            "git commit -m 'docs\n\nsession-search is in them' && git push",
            "make || session-search search make",
            "sed -i s/a/b/ lamp.c; session-search search lamp",
            "grep oil lamp.c; session-search search lamp",
            "echo oil > lamp.txt && session-search search lamp",
            "session-search search it\\'s foo; make deploy",
            "test -f oil && session-search search oil",
            "uv run --project session-search pytest -q",
            "npm exec -w session-search jest",
            "pnpm --filter session-search build",
            "yarn --cwd session-search build",
            "bun run --cwd session-search build",
            "docker compose run --rm -e X session-search make",
        ] {
            assert!(!runs_only_own_program(other), "{other}");
        }
    }
}
