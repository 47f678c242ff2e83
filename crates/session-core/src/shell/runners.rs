//! Programs that run the command in their own arguments: `poetry run pytest`, `find -exec`, `doppler run -- make`.

use super::CommandPart;
use super::inner_line::named_words;
use super::option_ends::option_ends;

/// The word that a command follows, in the arguments of most programs.
const END_OF_OPTIONS: &str = "--";
/// A program that has files behind that word.
const GIT: &str = "git";
/// The option behind which Python is given a module, which is named as its program is.
const MODULE_OPTION: &str = "-m";
/// The options of `nix` that a command follows.
const NIX_OPTIONS: [&str; 2] = ["-c", "--command"];
/// The actions of `find` that run a command, and the words that end it.
const FIND_ACTIONS: [&str; 4] = ["-exec", "-execdir", "-ok", "-okdir"];
const ACTION_ENDS: [&str; 2] = [";", "+"];
/// The programs that run another one where they have no subcommand of its name.
const PACKAGE_MANAGERS: [&str; 2] = ["pnpm", "yarn"];
/// Their subcommands that are programs, too, or that take a package, which may be named as its program is.
const OWN_SUBCOMMANDS: [&str; 23] = [
    "add", "create", "env", "exec", "global", "import", "info", "init", "install", "link", "ln",
    "ls", "patch", "remove", "rm", "run", "test", "unlink", "up", "update", "upgrade", "view",
    "why",
];

/// A program that runs a command, as it is called.
struct Runner {
    program: &'static str,
    /// The subcommand, of one word or more.
    verbs: &'static [&'static str],
    /// The arguments before the command: a container, a folder.
    operands: usize,
}

impl Runner {
    const fn new(program: &'static str, verbs: &'static [&'static str], operands: usize) -> Self {
        Self {
            program,
            verbs,
            operands,
        }
    }

    /// Returns the commands that may be meant, since the word after an option may be its value.
    fn find_commands<'w>(&self, arguments: &'w [String]) -> Vec<&'w [String]> {
        let mut starts = vec![arguments];
        for verb in self.verbs {
            let after = |words: &'w [String]| {
                let (first, rest) = words.split_first()?;
                (first == verb).then_some(rest)
            };
            let ends = starts.into_iter().flat_map(option_ends);
            starts = ends.filter_map(after).collect();
        }
        let ends = starts.into_iter().flat_map(option_ends);
        let commands: Vec<&[String]> = ends
            .filter_map(|words| words.get(self.operands..))
            .collect();
        if commands.iter().any(|words| self.has_subcommand(words)) {
            return Vec::new();
        }
        commands
    }

    /// Returns true if the program has a subcommand of the first word's name: `pnpm rm lodash` removes no file.
    fn has_subcommand(&self, words: &[String]) -> bool {
        let is_own = |word: &String| OWN_SUBCOMMANDS.contains(&word.as_str());
        self.verbs.is_empty()
            && PACKAGE_MANAGERS.contains(&self.program)
            && words.first().is_some_and(is_own)
    }
}

const RUNNERS: [Runner; 35] = [
    Runner::new("poetry", &["run"], 0),
    Runner::new("uv", &["run"], 0),
    Runner::new("uvx", &[], 0),
    Runner::new("pipx", &["run"], 0),
    Runner::new("pipenv", &["run"], 0),
    Runner::new("pdm", &["run"], 0),
    Runner::new("hatch", &["run"], 0),
    Runner::new("npm", &["exec"], 0),
    Runner::new("pnpm", &["exec"], 0),
    Runner::new("pnpm", &["dlx"], 0),
    Runner::new("yarn", &["exec"], 0),
    Runner::new("yarn", &["dlx"], 0),
    Runner::new("corepack", &[], 0),
    Runner::new("bundle", &["exec"], 0),
    Runner::new("watch", &[], 0),
    Runner::new("parallel", &[], 0),
    Runner::new("direnv", &["exec"], 1),
    Runner::new("docker", &["exec"], 1),
    Runner::new("docker", &["run"], 1),
    Runner::new("docker", &["compose", "exec"], 1),
    Runner::new("docker", &["compose", "run"], 1),
    Runner::new("docker-compose", &["exec"], 1),
    Runner::new("docker-compose", &["run"], 1),
    Runner::new("podman", &["exec"], 1),
    Runner::new("podman", &["run"], 1),
    Runner::new("bun", &["x"], 0),
    Runner::new("bun", &["run"], 0),
    Runner::new("mise", &["x"], 0),
    Runner::new("mise", &["exec"], 0),
    Runner::new("stdbuf", &[], 0),
    Runner::new("setsid", &[], 0),
    Runner::new("unbuffer", &[], 0),
    Runner::new("flock", &[], 1),
    Runner::new("pnpm", &[], 0),
    Runner::new("yarn", &[], 0),
];

/// Finds the commands in the arguments of a simple command that its program may run.
pub fn find_run_commands(simple: &CommandPart<'_>) -> Vec<String> {
    let words = named_words(simple);
    let Some((program, arguments)) = words.split_first() else {
        return Vec::new();
    };
    let own = match program.as_str() {
        "find" => find_actions(arguments),
        "nix" => {
            let options = NIX_OPTIONS.into_iter();
            let commands = options.filter_map(|option| after_word(arguments, option));
            commands.collect()
        }
        python if python.starts_with("python") => find_module(arguments).into_iter().collect(),
        program => {
            let runners = RUNNERS.iter().filter(|runner| runner.program == program);
            let commands = runners.flat_map(|runner| runner.find_commands(arguments));
            commands.collect::<Vec<_>>()
        }
    };
    let separated = after_word(arguments, END_OF_OPTIONS).filter(|_| program != GIT);
    let commands = own.into_iter().chain(separated);
    let commands =
        commands.filter(|words| words.first().is_some_and(|word| !word.starts_with('-')));
    let lines = commands.map(|words| shlex::try_join(words.iter().map(String::as_str)));
    lines.filter_map(Result::ok).collect()
}

fn after_word<'w>(words: &'w [String], word: &str) -> Option<&'w [String]> {
    let at = words.iter().position(|other| other == word)?;
    Some(&words[at + 1..])
}

fn find_actions(arguments: &[String]) -> Vec<&[String]> {
    let is_action = |word: &String| FIND_ACTIONS.contains(&word.as_str());
    let is_end = |word: &String| ACTION_ENDS.contains(&word.as_str());
    let mut actions = Vec::new();
    let mut rest = arguments;
    while let Some(at) = rest.iter().position(is_action) {
        let action = &rest[at + 1..];
        let end = action.iter().position(is_end).unwrap_or(action.len());
        actions.push(&action[..end]);
        rest = &action[end..];
    }
    actions
}

/// Returns the module that Python runs, with its arguments; none where a script comes before it.
fn find_module(arguments: &[String]) -> Option<&[String]> {
    let has_options = arguments.first()?.starts_with('-');
    after_word(arguments, MODULE_OPTION).filter(|_| has_options)
}
