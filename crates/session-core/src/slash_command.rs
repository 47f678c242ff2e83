//! Prompts that are slash commands of an agent: `/compact`.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Commands by which the programs of agents are configured, left and queried. Their arguments say nothing of the work;
/// those whose argument is a task are not among them: `/review`, `/plan`, `/init`.
const BUILT_IN: &str = "\
add-dir agents approvals auth bashes bug chat clear color compact compress config context copy cost directory doctor editor \
effort exit export extensions extra-usage fast feedback help hooks ide install-github-app keybindings login logout mcp \
memory model models new output-style passes permissions plugin plugins privacy-settings quit redo release-notes \
reload-plugins rename resume rewind sandbox sessions settings share skills stats status statusline tasks terminal-setup \
theme themes todos tools undo upgrade usage vim";

static BUILT_IN_COMMANDS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| BUILT_IN.split_whitespace().collect());

/// Returns the name of the slash command that a prompt begins with, without the slash. A path is none.
pub fn command_name(prompt: &str) -> Option<&str> {
    let name = prompt.split_whitespace().next()?.strip_prefix('/')?;
    (!name.is_empty() && !name.contains('/')).then_some(name)
}

/// Returns true for a slash command without arguments.
pub fn is_bare_command(prompt: &str) -> bool {
    command_name(prompt).is_some_and(|name| name.len() + 1 == prompt.trim().len())
}

/// Returns true for a command that an agent's program has itself, with or without arguments: `/model opus`.
pub fn is_built_in_command(prompt: &str) -> bool {
    command_name(prompt).is_some_and(|name| BUILT_IN_COMMANDS.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_command_has_a_name_alone() {
        for command in ["/clear", " /reload-plugins\n", "/lamp:plan"] {
            assert!(is_bare_command(command), "{command:?}");
        }
        for other in ["/review the gate", "/srv/lamp", "/", "", "clear", "!make"] {
            assert!(!is_bare_command(other), "{other:?}");
        }
    }

    #[test]
    fn a_command_of_a_user_is_not_built_in() {
        for command in ["/model opus", "/add-dir ../lib", "/exit"] {
            assert!(is_built_in_command(command), "{command:?}");
        }
        for other in [
            "/review the gate",
            "/lamp:plan 14",
            "/models.md",
            "model",
            "",
        ] {
            assert!(!is_built_in_command(other), "{other:?}");
        }
    }
}
