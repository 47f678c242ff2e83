//! Which commands do the same work, however their output is shown.

use crate::shell::{
    CommandPart, Operator, find_program, skip_leading_options, split_command_parts,
    split_simple_commands, words_from_program,
};
use crate::text::file_name;

/// The simple commands of a command line that do its work: without those that change the folder or show
/// output, without redirections and variables. `cd app && make all 2>&1 | tail` is `make all`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandWork(Vec<String>);

/// Programs that do no work of their own beside another: they prepare what comes after them, or show output as it is.
pub(crate) const PASSIVE_PROGRAMS: [&str; 20] = [
    "cd", "pushd", "popd", "export", "unset", "set", "echo", "printf", "true", "false", ":", "cat",
    "head", "tail", "wc", "jq", "sleep", "pwd", "test", "[",
];

/// Programs that run a script of the shell, or search, format and list.
const DISPLAY_PROGRAMS: [&str; 28] = [
    "source", ".", "exit", "[[", "grep", "egrep", "rg", "sed", "awk", "cut", "sort", "uniq", "tr",
    "tee", "less", "more", "ls", "find", "which", "type", "date", "column", "fold", "diff", "tree",
    "nl", "xxd", "wait",
];

impl CommandWork {
    /// Reads a command line; `None` if it only shows something.
    pub fn new(command: &str) -> Option<Self> {
        let mut work: Vec<String> = split_simple_commands(command)
            .iter()
            .filter(|simple| does_work(simple))
            .map(|simple| plain_words(simple))
            .collect();
        work.sort();
        work.dedup();
        (!work.is_empty()).then_some(Self(work))
    }

    /// Returns the name of each simple command: its program with its subcommand or script, `cargo test`.
    pub fn command_names(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|simple| command_name(simple))
    }

    /// Returns true if one of its programs is one of the other's. Those that run the scripts of a package are one.
    pub fn shares_program(&self, other: &Self) -> bool {
        let mut programs = self.0.iter().map(|simple| work_program(simple));
        programs.any(|program| other.0.iter().any(|simple| work_program(simple) == program))
    }

    /// Returns true if the other command line does all of this work.
    pub fn is_done_by(&self, other: &Self) -> bool {
        self.0.iter().all(|simple| other.0.contains(simple))
    }
}

/// Returns true if the work of a command line is in a heredoc, of which [`CommandWork`] knows nothing:
/// `psql <<EOF`, `cat <<EOF | psql`, `git commit -m "$(cat <<EOF`. Not `cat > a.c <<EOF`, after which something else is run.
pub fn reads_heredoc(command: &str) -> bool {
    let reads = |part: &CommandPart<'_>| {
        let is_read = part.operator == Operator::Pipe || does_work(&part.text);
        is_read && part.source.contains(HEREDOC)
    };
    // Most commands need not be parsed.
    command.contains(HEREDOC) && split_command_parts(command).iter().any(reads)
}

/// The beginning of a heredoc, or of a string for the standard input.
const HEREDOC: &str = "<<";

/// Returns true if the exit code of a command line is not that of its work: `make | tail`, `make || true`.
pub(crate) fn hides_exit_code(command: &str) -> bool {
    let commands = split_simple_commands(command);
    let last = commands
        .iter()
        .rfind(|simple| find_program(simple).is_some());
    last.is_some_and(|simple| !does_work(simple))
}

/// Programs that run the scripts of a package.
const SCRIPT_RUNNERS: [&str; 7] = ["npm", "pnpm", "yarn", "bun", "npx", "pnpx", "bunx"];

/// Returns the program of a simple command without redirections and variables.
fn work_program(simple: &str) -> &str {
    let program = simple.split(' ').next().unwrap_or_default();
    if SCRIPT_RUNNERS.contains(&program) {
        SCRIPT_RUNNERS[0]
    } else {
        program
    }
}

/// Subcommands that another one follows.
const LEADING_SUBCOMMANDS: [&str; 4] = ["compose", "exec", "migrate", "run"];

fn command_name(simple: &str) -> String {
    let words: Vec<&str> = simple.split(' ').collect();
    let mut name = words[0].to_owned();
    let mut rest = &words[1..];
    for _ in 0..2 {
        rest = skip_leading_options(&name, rest);
        let [word, after @ ..] = rest else { break };
        if word.starts_with(['-', '+']) {
            break;
        }
        name.push(' ');
        name.push_str(word);
        if !LEADING_SUBCOMMANDS.contains(word) {
            break;
        }
        rest = after;
    }
    name
}

pub(crate) fn does_work(simple: &str) -> bool {
    let program = find_program(simple);
    program.is_some_and(|program| {
        !PASSIVE_PROGRAMS.contains(&program) && !DISPLAY_PROGRAMS.contains(&program)
    })
}

/// Returns the words of a simple command, with the program's name alone and without redirections.
fn plain_words(simple: &str) -> String {
    let mut words = Vec::new();
    let mut is_target = false;
    for word in words_from_program(simple) {
        let is_redirection = word.contains(['>', '<']);
        if !is_redirection && !is_target {
            words.push(if words.is_empty() {
                file_name(word)
            } else {
                word
            });
        }
        is_target = is_redirection && word.ends_with(['>', '<']);
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(command: &str) -> Option<String> {
        CommandWork::new(command).map(|work| work.0.join("; "))
    }

    #[test]
    fn work_is_without_what_stands_beside_it() {
        for (command, expected) in [
            ("cd app && make all 2>&1 | tail -20", Some("make all")),
            (
                "X=1 timeout 60 /usr/bin/make all > log; cat log",
                Some("make all"),
            ),
            (
                "cargo fmt && cargo test -q || true",
                Some("cargo fmt; cargo test -q"),
            ),
            ("python3 a.py 'x y' 2> err", Some("python3 a.py x_y")),
            ("cd app && grep -rn error . | head", None),
            ("", None),
        ] {
            assert_eq!(work(command).as_deref(), expected, "{command}");
        }
    }

    #[test]
    fn work_may_be_done_beside_other_work() {
        let read = |command| CommandWork::new(command).unwrap();
        let (test, both) = (read("cargo test | tail"), read("cargo fmt; cargo test"));
        assert!(test.is_done_by(&both) && test.is_done_by(&test));
        assert!(!both.is_done_by(&test));
        assert!(!test.is_done_by(&read("cargo test -p a")));
    }

    #[test]
    fn work_of_one_program_may_differ() {
        let read = |command| CommandWork::new(command).unwrap();
        for (one, other, expected) in [
            ("git status", "cd app && git push | tail", true),
            ("npm run build", "pnpm build", true),
            ("git status", "pnpm test", false),
        ] {
            assert_eq!(read(one).shares_program(&read(other)), expected, "{one}");
        }
    }

    #[test]
    fn an_exit_code_is_hidden_by_what_comes_last() {
        for hidden in [
            "make | tail",
            "make || true",
            "make; echo $?",
            "(make\n) | tee log",
        ] {
            assert!(hides_exit_code(hidden), "{hidden}");
        }
        for open in ["make", "cd app && make", "cat x | python3 -", ""] {
            assert!(!hides_exit_code(open), "{open}");
        }
    }

    #[test]
    fn the_work_may_be_in_a_heredoc() {
        for script in [
            "psql -d pier <<EOF\nSELECT 1;\nEOF",
            "cd app && cat <<'EOF' | ssh quay bash -s\nuptime\nEOF",
            "git commit -m \"$(cat <<'EOF'\nAdd the lamp\nEOF\n)\"",
            "python3 - <<< 'print(1)'",
        ] {
            assert!(reads_heredoc(script), "{script}");
        }
        for plain in ["make", "cat > lamp.c <<EOF\nint oil;\nEOF\nmake lamp"] {
            assert!(!reads_heredoc(plain), "{plain}");
        }
    }

    #[test]
    fn names_are_programs_with_their_subcommands() {
        for (command, names) in [
            ("cd app && cargo test -p core 2>&1 | tail", "cargo test"),
            ("docker compose up -d", "docker compose up"),
            ("./scripts/deploy.sh prod", "deploy.sh prod"),
            ("PORT=1 npm run build && make", "make; npm run build"),
            ("pnpm -C services/billing vitest webhook", "pnpm vitest"),
            (
                "pnpm --filter api --silent exec vitest run",
                "pnpm exec vitest",
            ),
            ("git -C web --no-pager push origin", "git push"),
            ("docker -H ssh://quay ps -a", "docker ps"),
            ("docker compose -f dev.yml up -d", "docker compose up"),
            ("docker-compose -f dev.yml up -d", "docker-compose up"),
            ("kubectl -n prod get pods", "kubectl get"),
            ("make -C web -j 4 all", "make all"),
            ("cargo +nightly test", "cargo test"),
            ("terraform -chdir=infra apply", "terraform apply"),
            ("make -j4", "make"),
            ("npm run -s build", "npm run"),
            ("psql -h quay lamps", "psql"),
        ] {
            let work = CommandWork::new(command).unwrap();
            assert_eq!(work.command_names().collect::<Vec<_>>().join("; "), names);
        }
    }
}
