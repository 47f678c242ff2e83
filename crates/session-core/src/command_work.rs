//! Which commands do the same work, however their output is shown.

use crate::shell::{
    CommandPart, Operator, ProgramEffect, find_plain_words, find_program, skip_leading_options,
    split_command_parts,
};
use crate::text::file_name;

/// The simple commands of a command line that do its work: without those that change the folder or show
/// output, without redirections and variables. `cd app && make all 2>&1 | tail` is `make all`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandWork(Vec<SimpleWork>);

/// The work of a simple command.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct SimpleWork {
    /// Its words, with the program's name alone and without redirections and heredocs.
    words: String,
    /// The input of its program: `SELECT 1;` of `psql <<EOF`, `a.sql` of `psql < a.sql` and `cat a.sql | psql`.
    input: Option<String>,
}

impl CommandWork {
    /// Reads a command line; `None` if it only shows something.
    pub fn new(command: &str) -> Option<Self> {
        let parts = split_command_parts(command);
        let has_work = parts.iter().any(does_work);
        // A `sed -i` before a `make` need not be repeated with it.
        let is_work = |simple: &CommandPart<'_>| {
            if has_work {
                does_work(simple)
            } else {
                changes_files(simple)
            }
        };
        let mut work = Vec::new();
        let mut piped = None;
        for simple in &parts {
            let input = named_input(simple).or(piped.take());
            let is_piped = simple.operator == Operator::Pipe;
            if is_work(simple) {
                let simple = SimpleWork::new(simple, input);
                piped = is_piped.then(|| simple.words.clone());
                work.push(simple);
            } else if is_piped {
                piped = input.or_else(|| printed_input(simple));
            }
        }
        work.sort();
        work.dedup();
        (!work.is_empty()).then_some(Self(work))
    }

    /// Returns the name of each simple command: its program with its subcommand or script, `cargo test`.
    pub fn command_names(&self) -> impl Iterator<Item = String> {
        self.0
            .iter()
            .map(|simple| name_with_subcommand(&simple.words))
    }

    /// Returns true if one of its programs is one of the other's. Those that run the scripts of a package are one.
    pub fn shares_program(&self, other: &Self) -> bool {
        let mut programs = self.programs();
        programs.any(|own| other.programs().any(|program| program == own))
    }

    fn programs(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(SimpleWork::script_program)
    }

    /// Returns true if the other command line does all of this work. Inputs are compared only where both have one.
    pub fn is_done_by(&self, other: &Self) -> bool {
        let is_done = |own: &SimpleWork| other.0.iter().any(|other| own.is_done_by(other));
        self.0.iter().all(is_done)
    }
}

/// Programs that read messages: the text of a commit is none of the work.
const MESSAGE_READERS: [&str; 2] = ["git", "gh"];

impl SimpleWork {
    fn new(simple: &CommandPart<'_>, input: Option<String>) -> Self {
        let words = find_plain_words(simple).into_iter();
        let mut words: Vec<&str> = words.map(|word| &simple.text[word]).collect();
        words.retain(|word| !is_heredoc_argument(word));
        if let Some(program) = words.first_mut() {
            *program = file_name(program);
        }
        let is_message = words.first().is_some_and(|it| MESSAGE_READERS.contains(it));
        Self {
            words: words.join(" "),
            input: input.filter(|_| !is_message),
        }
    }

    fn is_done_by(&self, other: &Self) -> bool {
        let inputs = self.input.as_ref().zip(other.input.as_ref());
        self.words == other.words && inputs.is_none_or(|(own, other)| own == other)
    }

    /// Returns the program; of those that run the scripts of a package always the same.
    fn script_program(&self) -> &str {
        let program = self.words.split(' ').next().unwrap_or_default();
        if SCRIPT_RUNNERS.contains(&program) {
            SCRIPT_RUNNERS[0]
        } else {
            program
        }
    }
}

/// Returns true if the work of a command line is in a heredoc, also in one of which [`CommandWork`] knows nothing:
/// `psql <<EOF`, `cat <<EOF | psql`, `git commit -m "$(cat <<EOF`. Not `cat > a.c <<EOF`, after which something else is run.
pub fn reads_heredoc(command: &str) -> bool {
    let reads = |part: &CommandPart<'_>| {
        let is_read = part.operator == Operator::Pipe || does_work(part);
        is_read && part.source.contains(HEREDOC)
    };
    // Most commands need not be parsed.
    command.contains(HEREDOC) && split_command_parts(command).iter().any(reads)
}

/// The beginning of a heredoc, or of a string for the standard input.
const HEREDOC: &str = "<<";

/// Returns true if the exit code of a command line is not that of its work: `make | tail`, `make || true`.
pub(crate) fn hides_exit_code(command: &str) -> bool {
    let commands = split_command_parts(command);
    let last = commands
        .iter()
        .rfind(|simple| find_program(&simple.text).is_some());
    last.is_some_and(|simple| !does_work(simple))
}

/// Programs that run the scripts of a package.
const SCRIPT_RUNNERS: [&str; 7] = ["npm", "pnpm", "yarn", "bun", "npx", "pnpx", "bunx"];

/// Subcommands that another one follows.
const LEADING_SUBCOMMANDS: [&str; 4] = ["compose", "exec", "migrate", "run"];

fn name_with_subcommand(simple: &str) -> String {
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

/// Returns true for a simple command whose failure is worth a cure. Its output into a file is none: `cat > a.c` prepares a
/// later command. All of git is, also what it shows: it may fail of its repository.
fn does_work(simple: &CommandPart<'_>) -> bool {
    ProgramEffect::classify(simple) == ProgramEffect::Works
        || find_program(&simple.text) == Some("git")
}

fn changes_files(simple: &CommandPart<'_>) -> bool {
    ProgramEffect::classify(simple) == ProgramEffect::Changes
}

/// Returns what a simple command reads by its own words: a heredoc, a here-string or the name of a file. `None` for `<&3`, whose
/// source is not known, and for `/dev/null`.
fn named_input(simple: &CommandPart<'_>) -> Option<String> {
    if let Some(heredoc) = simple.heredoc {
        return Some(heredoc.to_owned());
    }
    let redirection = simple.input_redirections.first().copied();
    let behind = simple.text.get(simple.here_string.or(redirection)?..)?;
    let word = behind.trim_start_matches('<').split_whitespace().next()?;
    let is_none = word.starts_with('&') || word == "/dev/null";
    (!is_none).then(|| strip_current_directory(word).to_owned())
}

/// Returns what a simple command gives to the one behind its pipe, if its words say that: the text of `echo`, the files of `cat`.
fn printed_input(simple: &CommandPart<'_>) -> Option<String> {
    let words = find_plain_words(simple).into_iter();
    let mut words = words.map(|word| &simple.text[word]);
    let is_printer = ["cat", "echo", "printf"].contains(&words.next()?);
    let printed: Vec<&str> = words.map(strip_current_directory).collect();
    (is_printer && !printed.is_empty()).then(|| printed.join(" "))
}

/// Returns `a` of `./a`.
fn strip_current_directory(path: &str) -> &str {
    path.strip_prefix("./").unwrap_or(path)
}

/// Returns true for an argument whose text is in a heredoc: `"$(cat <<EOF`.
fn is_heredoc_argument(word: &str) -> bool {
    word.contains("$(") && word.contains(HEREDOC)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(command: &str) -> Option<String> {
        let work = CommandWork::new(command)?;
        let words: Vec<String> = work.0.into_iter().map(|simple| simple.words).collect();
        Some(words.join("; "))
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
            (
                "find src -exec cc -c {} +; sed -i s/a/b/ a",
                Some("find src -exec cc -c {} +"),
            ),
            ("cd app && sed -i s/a/b/ a", Some("sed -i s/a/b/ a")),
            (". ./deploy.sh; make", Some("make")),
            ("source ./deploy.sh", Some("source ./deploy.sh")),
            (
                "npx vitest -t 'Auth > logs in' 2>&1 >log <in",
                Some("vitest -t Auth_>_logs_in"),
            ),
            (
                "node -e '[1].map(x => x)'; ssh quay \"uptime 2>&1\"",
                Some("node -e [1].map(x_=>_x); ssh quay uptime_2>&1"),
            ),
            ("make>log all &> /dev/null", Some("make all")),
            (
                "git commit -am \"$(cat <<'EOF'\nAdd <b> -> a\nEOF\n)\" --no-verify",
                Some("git commit -am --no-verify"),
            ),
            ("awk -f a.awk b > c", Some("awk -f a.awk b")),
            ("cat > a.c <<E\nint a;\nE\nmake | tee log", Some("make")),
            (". ./env.sh && git status", Some("git status")),
            ("cd app && grep -rn error . | head", None),
            ("find . -exec grep -n error {} +", None),
            ("ls | xargs sed -n 1p; stat a; command -v lamp", None),
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
            "make; sed -i s/a/b/ log",
            "(make\n) | tee log",
        ] {
            assert!(hides_exit_code(hidden), "{hidden}");
        }
        for open in ["make", "cd app && make", "cat x | python3 -", ""] {
            assert!(!hides_exit_code(open), "{open}");
        }
    }

    #[test]
    fn the_heredoc_of_a_program_is_its_work() {
        let does = |one: &str, other: &str| {
            let read = |command| CommandWork::new(command).unwrap();
            read(one).is_done_by(&read(other))
        };
        let python = |script: &str| format!("python3 - <<EOF\n{script}\nEOF");
        let piped = |script: &str| format!("cat <<EOF | ssh quay bash -s | tail\n{script}\nEOF");
        for command in [python, piped] {
            let same = format!("cd app\n{}\nls", command("print(1)"));
            assert!(does(&command("print(1)"), &same), "{same}");
            assert!(!does(&command("print(1)"), &command("print(2)")));
        }
        assert!(!does("cat a.py | python3 -", &python("print(1)")));
        let commit = |text: &str| format!("git commit -F - <<EOF\n{text}\nEOF");
        assert!(does(&commit("Add the lamp"), &commit("Light the lamp")));
        let lamp = "cat > lamp.c <<EOF\nint oil;\nEOF\nmake lamp";
        assert!(does(lamp, "make lamp"), "`make` reads none");
    }

    #[test]
    fn other_input_is_other_work() {
        let does = |one: &str, other: &str| {
            let read = |command| CommandWork::new(command).unwrap();
            read(one).is_done_by(&read(other))
        };
        for (one, other) in [
            ("patch -p1 < a.patch", "patch -p1 < b.patch"),
            ("mysql pier <a.sql", "mysql pier <b.sql"),
            ("psql <<< 'SELECT oil'", "psql <<< 'SELECT 1'"),
            ("echo 'SELECT oil' | psql", "echo 'SELECT 1' | psql"),
            ("cat a.sql | psql", "cat b.sql | psql"),
            ("psql <<< 'SELECT oil'", "python3 dump.py | psql"),
        ] {
            assert!(does(one, &format!("cd app; {one} 2>&1 | tail")), "{one}");
            assert!(!does(one, other), "{one}");
        }
        for (one, other) in [
            ("make lamp < /dev/null", "make lamp"),
            ("python3 t.py 0<&-", "python3 t.py <&3"),
            ("cat a.sql | psql 2>&1", "cat a.sql 2>/dev/null | psql"),
            ("cat a.sql | psql", "psql < ./a.sql"),
            (
                "make | tail -5 | python3 sum.py",
                "make | tee log | python3 sum.py",
            ),
            ("printf 'y\\n' | make", "make"),
            ("npm init", "yes | npm init"),
        ] {
            assert!(does(one, other), "{one}");
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
