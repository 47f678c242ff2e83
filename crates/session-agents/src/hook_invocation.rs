//! The command that an agent runs as our hook.

use crate::agent::Agent;
use crate::own_program::is_own_program;
use crate::program_file::program_exists;
use crate::shell_quote::quote_exact_word;
use serde_json::Value;
use session_sources::Env;
use std::path::Path;

/// The key of a hook's command line, or of its program.
pub(crate) const COMMAND: &str = "command";
/// The key of the arguments of a program that Claude Code runs without a shell.
pub(crate) const ARGUMENTS: &str = "args";
/// The arguments that make the program answer a hook.
const HOOK_RUN: [&str; 2] = ["hook", "run"];
/// Commands that may stand before the program, with their numbers and variables.
const WRAPPERS: [&str; 4] = ["timeout", "env", "nice", "exec"];

/// The shell that runs the command lines of an agent's hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HookShell {
    /// A POSIX shell.
    Posix,
    /// That of Git, by which Claude Code runs lines on Windows. It takes the backslashes of a path away, so a program is
    /// written with its arguments apart: then no shell runs it.
    Git,
    /// PowerShell or cmd.exe, by which Codex runs lines on Windows. It knows no arguments apart.
    Windows,
}

impl HookShell {
    /// Returns the shell of an agent on this system.
    pub(crate) fn for_agent(agent: Agent) -> Self {
        Self::new(agent, cfg!(windows))
    }

    /// Returns the shell of an agent on Windows or another system.
    pub(crate) fn new(agent: Agent, is_windows: bool) -> Self {
        match agent {
            _ if !is_windows => Self::Posix,
            Agent::Claude => Self::Git,
            Agent::Codex | Agent::OpenCode => Self::Windows,
        }
    }

    /// Splits a command line into words, as the shell does; a word of Windows keeps its backslashes.
    fn split_words(self, line: &str) -> Option<Vec<String>> {
        match self {
            Self::Posix | Self::Git => shlex::split(line),
            Self::Windows => shlex::split(&line.replace('\\', r"\\")),
        }
    }

    /// Quotes a word as [`quote_exact_word`] does. On Windows a path without spaces stays as it is: cmd.exe knows no single
    /// quotes.
    fn quote(self, word: &str) -> String {
        let is_bare = self != Self::Posix && !word.contains(char::is_whitespace);
        if is_bare {
            word.to_owned()
        } else {
            quote_exact_word(word)
        }
    }
}

/// The command of a hook: a line for a shell, or a program whose arguments stand apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookInvocation {
    /// The line, or the program.
    command: String,
    arguments: Option<Vec<String>>,
    /// The program as it is looked for: in a line, as the shell reads it.
    program: String,
    shell: HookShell,
}

impl HookInvocation {
    /// Makes the command that runs a program as the hook.
    pub(crate) fn new(program: &Path, shell: HookShell) -> Self {
        let program = program.to_string_lossy().into_owned();
        if shell == HookShell::Git {
            return Self::without_shell(program, shell);
        }
        Self {
            command: format!("{} {}", shell.quote(&program), HOOK_RUN.join(" ")),
            arguments: None,
            program,
            shell,
        }
    }

    /// Makes the command that runs a program as the hook, with its arguments apart.
    pub(crate) fn without_shell(program: String, shell: HookShell) -> Self {
        Self {
            command: program.clone(),
            arguments: Some(HOOK_RUN.map(str::to_owned).to_vec()),
            program,
            shell,
        }
    }

    /// Reads the command of a hook in settings; `None` if it does not run this program.
    pub(crate) fn read(hook: &Value, shell: HookShell) -> Option<Self> {
        let command = hook[COMMAND].as_str()?.to_owned();
        let Some(words) = hook[ARGUMENTS].as_array() else {
            return Some(Self {
                program: find_program(&command, shell)?,
                command,
                arguments: None,
                shell,
            });
        };
        let words = words.iter().map(|word| word.as_str().map(str::to_owned));
        let arguments: Vec<String> = words.collect::<Option<_>>()?;
        let words = std::iter::once(&command).chain(&arguments);
        let words: Vec<String> = words.cloned().collect();
        Some(Self {
            program: words[find_program_at(&words)?].clone(),
            command,
            arguments: Some(arguments),
            shell,
        })
    }

    /// Returns the line, or the program where the arguments stand apart.
    pub(crate) fn command(&self) -> &str {
        &self.command
    }

    /// Returns the arguments that stand apart.
    pub(crate) fn arguments(&self) -> Option<&[String]> {
        self.arguments.as_deref()
    }

    /// Returns the program that is run, as the shell reads it.
    pub(crate) fn program(&self) -> &str {
        &self.program
    }

    /// Returns the shell that runs the line.
    pub(crate) fn shell(&self) -> HookShell {
        self.shell
    }

    /// Returns true if the program exists and can be run, as the shell would find it.
    pub fn program_exists(&self, env: &Env) -> bool {
        program_exists(&self.program, env)
    }
}

impl std::fmt::Display for HookInvocation {
    /// Writes the command line as it would be typed.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Some(arguments) = &self.arguments else {
            return f.write_str(&self.command);
        };
        f.write_str(&self.shell.quote(&self.command))?;
        let mut words = arguments.iter();
        words.try_for_each(|word| write!(f, " {}", self.shell.quote(word)))
    }
}

/// Returns the program of a command line that is our hook, as the shell reads it. A line whose backslashes the shell of Git
/// takes away is ours, too: its program is what is left of the path.
fn find_program(line: &str, shell: HookShell) -> Option<String> {
    let words = shell.split_words(line)?;
    let in_meant_words = || {
        let is_git = shell == HookShell::Git;
        let meant = is_git.then(|| HookShell::Windows.split_words(line))??;
        find_program_at(&meant)
    };
    let at = find_program_at(&words).or_else(in_meant_words)?;
    words.get(at).cloned()
}

/// Returns the position of our hook's program among the words of a command line: a version of this program, followed by
/// `hook run`, and preceded by nothing but variables and wrappers such as `timeout`.
fn find_program_at(words: &[String]) -> Option<usize> {
    let at = words.iter().position(|word| is_own_program(word))?;
    let is_hook = words.get(at + 1..at + 3)? == HOOK_RUN;
    let may_precede = |word: &String| {
        let is_number = word
            .chars()
            .all(|c| c.is_ascii_digit() || ".smh".contains(c));
        is_number || word.contains('=') || WRAPPERS.contains(&&**word)
    };
    (is_hook && words[..at].iter().all(may_precede)).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_program(line: &str, shell: HookShell) -> Option<String> {
        let command = HookInvocation::read(&serde_json::json!({ "command": line }), shell)?;
        Some(command.program().to_owned())
    }

    #[test]
    fn programs_are_quoted_for_a_shell() {
        let shell = HookShell::Posix;
        let path = "/my apps/it's/session-search";
        let line = HookInvocation::new(Path::new(path), shell).to_string();
        assert_eq!(line, "\"/my apps/it's/session-search\" hook run");
        assert_eq!(read_program(&line, shell).as_deref(), Some(path));
        let plain = HookInvocation::new(Path::new("/opt/bin/session-search"), shell);
        assert_eq!(plain.to_string(), "/opt/bin/session-search hook run");
        let wrapped = "X=1 timeout 5 '/my apps/it'\\''s/session-search' hook run || true";
        assert_eq!(read_program(wrapped, shell).as_deref(), Some(path));
    }

    #[test]
    fn on_windows_each_agent_is_given_what_it_can_start() {
        let path = Path::new(r"C:\Users\ann\session-search.exe");
        let claude = HookInvocation::new(path, HookShell::new(Agent::Claude, true));
        assert_eq!(claude.command(), path.to_str().unwrap());
        assert_eq!(claude.arguments().unwrap(), HOOK_RUN);
        let shell = HookShell::new(Agent::Codex, true);
        let codex = HookInvocation::new(path, shell);
        assert_eq!(codex.arguments(), None);
        let line = r"C:\Users\ann\session-search.exe hook run";
        assert_eq!(codex.command(), line);
        assert_eq!(read_program(line, shell).as_deref(), path.to_str());
    }

    #[test]
    fn a_line_runs_what_the_shell_makes_of_it() {
        let shell = HookShell::Git;
        let line = r"timeout 5 C:\Users\ann\session-search.exe hook run";
        let eaten = read_program(line, shell).unwrap();
        assert_eq!(eaten, "C:Usersannsession-search.exe");
        for works in [
            r"'C:\Users\ann\session-search.exe' hook run",
            r"C:\\Users\\ann\\session-search.exe hook run",
        ] {
            let program = read_program(works, shell).unwrap();
            assert_eq!(program, r"C:\Users\ann\session-search.exe", "{works}");
        }
        assert_eq!(read_program(line, HookShell::Posix), None);
    }

    #[test]
    fn commands_of_others_are_not_the_hook() {
        for other in [
            "git -C ~/src/session-search hook run pre-commit",
            "cd ~/session-search && lefthook hook run pre-commit",
            "echo session-search hook run is off",
            "/opt/session-search-tools/notify hook run",
        ] {
            assert_eq!(read_program(other, HookShell::Posix), None, "{other}");
            assert_eq!(read_program(other, HookShell::Git), None, "{other}");
        }
    }

    #[test]
    fn a_program_is_found_as_the_line_names_it() {
        let home = tempfile::tempdir().unwrap();
        let env = Env::with_home(home.path());
        let exists = |line: &str, env: &Env| {
            let hook = serde_json::json!({ "command": line });
            let command = HookInvocation::read(&hook, HookShell::Posix).unwrap();
            command.program_exists(env)
        };
        let line = "\"$HOME/session-search\" hook run || true";
        assert!(!exists(line, &env));
        let name = format!("session-search{}", std::env::consts::EXE_SUFFIX);
        let own = std::env::current_exe().unwrap();
        fs_err::copy(own, home.path().join(name)).unwrap();
        assert!(exists(line, &env) && exists("~/session-search hook run", &env));
        assert!(!exists("session-search hook run", &env));
        let env = env.var("PATH", &home.path().to_string_lossy());
        assert!(exists("session-search hook run", &env));
    }
}
