//! The name of a command that a shell did not find, in whatever words the shell says so.

/// Shells whose lines end with `not found` alone: `sh: 1: docker: not found`.
const TERSE_SHELLS: [&str; 4] = ["sh", "dash", "ash", "busybox"];

/// Returns the command that the line says a shell did not find: `bash: line 3: docker: command not found`,
/// `zsh: command not found: docker`, `sh: 1: docker: not found`, `fish: Unknown command: docker`.
pub(crate) fn find_missing_command(line: &str) -> Option<&str> {
    let line = line.trim();
    let parts: Vec<&str> = line.split(": ").map(str::trim).collect();
    let name = match *parts.as_slice() {
        [.., "command not found" | "Unknown command", name] | [.., name, "command not found"] => {
            name
        }
        [shell, .., name, "not found"] if is_terse_shell(shell) => name,
        _ => return None,
    };
    let is_word = !name.is_empty() && !name.contains(char::is_whitespace);
    is_word.then_some(name)
}

fn is_terse_shell(path: &str) -> bool {
    // A login shell has a hyphen before its name.
    let name = path
        .rsplit('/')
        .next()
        .unwrap_or(path)
        .trim_start_matches('-');
    TERSE_SHELLS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_shell_names_the_command_that_it_did_not_find() {
        for line in [
            "docker: command not found",
            "bash: docker: command not found",
            "/bin/bash: line 12: docker: command not found",
            "./deploy.sh: line 3: docker: command not found",
            "zsh: command not found: docker",
            "(eval):1: command not found: docker",
            "command not found: docker",
            "sh: 1: docker: not found",
            "/bin/sh: docker: not found",
            "fish: Unknown command: docker",
        ] {
            assert_eq!(find_missing_command(line), Some("docker"), "{line}");
        }
    }

    #[test]
    fn what_else_is_not_found_is_no_command() {
        for line in [
            "error: package docker: not found",
            "fatal: repository 'https://a.example/b.git/' not found",
            "npm error: command not found: no such script",
            "command not found: ",
            ": command not found",
        ] {
            assert_eq!(find_missing_command(line), None, "{line}");
        }
    }
}
