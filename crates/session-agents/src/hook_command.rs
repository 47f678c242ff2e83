//! The command line that an agent runs as our hook.

use crate::own_program::is_own_program;
use crate::shell_quote::quote_exact_word;
use session_sources::Env;
use std::path::Path;

/// The arguments that make the program answer a hook.
const ARGUMENTS: [&str; 2] = ["hook", "run"];
/// Commands that may stand before the program, with their numbers and variables.
const WRAPPERS: [&str; 4] = ["timeout", "env", "nice", "exec"];

/// Formats the command line that runs a program as the hook, quoted for a POSIX shell.
pub(crate) fn hook_command(program: &Path) -> String {
    let quoted = quote_program(&program.to_string_lossy());
    format!("{quoted} {}", ARGUMENTS.join(" "))
}

/// Quotes a word as [`quote_exact_word`] does. On Windows a path without spaces stays as it is: cmd.exe knows no single quotes.
fn quote_program(word: &str) -> String {
    let is_bare = cfg!(windows) && !word.contains(char::is_whitespace);
    if is_bare {
        word.to_owned()
    } else {
        quote_exact_word(word)
    }
}

/// Joins words to a command line, quoted as in [`hook_command`].
pub(crate) fn join_words(words: &[String]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| quote_program(word)).collect();
    quoted.join(" ")
}

/// Returns true where the program of a hook's command line exists and can be run, as a shell would find it.
pub fn hook_program_exists(command: &str, env: &Env) -> bool {
    find_program(command).is_some_and(|program| program_exists(&program, env))
}

/// Returns true where a program exists and can be run, as a shell would find it.
pub fn program_exists(program: &str, env: &Env) -> bool {
    let home = env.home.to_string_lossy();
    let program = match program.strip_prefix("~/") {
        Some(rest) => format!("{home}/{rest}"),
        None => program.replace("${HOME}", &home).replace("$HOME", &home),
    };
    if program.contains(['/', '\\']) {
        return is_executable(Path::new(&program));
    }
    let path = env.get("PATH").unwrap_or_default();
    std::env::split_paths(path).any(|directory| is_executable(&directory.join(&program)))
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let metadata = fs_err::metadata(path);
    metadata.is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}

/// Returns the program of a command line that is our hook: a version of this program, followed by
/// `hook run`, and preceded by nothing but variables and wrappers such as `timeout`.
pub(crate) fn find_program(command: &str) -> Option<String> {
    let words = split_words(command)?;
    find_program_word(&words).map(str::to_owned)
}

/// Returns the program as [`find_program`] does, from the words of a command line.
pub(crate) fn find_program_word(words: &[String]) -> Option<&str> {
    let at = words.iter().position(|word| is_own_program(word))?;
    let is_hook = words.get(at + 1..at + 3)? == ARGUMENTS;
    let may_precede = |word: &String| {
        let is_number = word
            .chars()
            .all(|c| c.is_ascii_digit() || ".smh".contains(c));
        is_number || word.contains('=') || WRAPPERS.contains(&&**word)
    };
    (is_hook && words[..at].iter().all(may_precede)).then(|| words[at].as_str())
}

fn split_words(command: &str) -> Option<Vec<String>> {
    if cfg!(windows) {
        // There a backslash separates directories.
        shlex::split(&command.replace('\\', "\\\\"))
    } else {
        shlex::split(command)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_quoted_for_a_shell() {
        let path = Path::new("/my apps/it's/session-search");
        let command = hook_command(path);
        assert_eq!(command, "\"/my apps/it's/session-search\" hook run");
        assert_eq!(find_program(&command).as_deref(), path.to_str());
        assert_eq!(
            hook_command(Path::new("/opt/bin/session-search")),
            "/opt/bin/session-search hook run"
        );
        if cfg!(windows) {
            return; // a backslash escapes nothing there
        }
        let wrapped =
            find_program("X=1 timeout 5 '/my apps/it'\\''s/session-search' hook run || true");
        assert_eq!(wrapped.as_deref(), path.to_str());
    }

    #[test]
    fn commands_of_others_are_not_the_hook() {
        for other in [
            "git -C ~/src/session-search hook run pre-commit",
            "cd ~/session-search && lefthook hook run pre-commit",
            "echo session-search hook run is off",
            "/opt/session-search-tools/notify hook run",
        ] {
            assert_eq!(find_program(other), None, "{other}");
        }
    }

    #[test]
    fn a_program_that_is_missing_or_not_executable_does_not_exist() {
        let home = tempfile::tempdir().unwrap();
        let env = Env::with_home(home.path());
        let program = home.path().join("session-search");
        assert!(!hook_program_exists(&hook_command(&program), &env));
        fs_err::write(&program, "").unwrap();
        let command = "\"$HOME/session-search\" hook run || true";
        assert!(cfg!(windows) || !hook_program_exists(command, &env));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs_err::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        assert!(hook_program_exists(command, &env));
        assert!(hook_program_exists("~/session-search hook run", &env));
        let env = env.var("PATH", &home.path().to_string_lossy());
        assert!(hook_program_exists("session-search hook run", &env));
    }
}
