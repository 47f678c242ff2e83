//! The commands of a line in the forms in which a trigger may name them.

use crate::triggers::command_runners::find_run_commands;
use session_core::shell::{
    CommandPart, split_command_parts, split_wrapped_commands, words_from_program,
};
use session_core::text::file_name;

/// The most simple commands of a line that are compared.
const MAX_COMMANDS: usize = 50;
/// The most lines, those within a line included: of `sh -c 'sh -c …'` the first ones.
const MAX_LINES: usize = 8;
/// The most forms of a command without options before its subcommand, and before that of a group.
const MAX_LEADING_OPTIONS: usize = 8;
/// The commands that take a subcommand, with options before it.
const COMMAND_GROUPS: [&str; 8] = [
    "docker compose",
    "podman compose",
    "gh issue",
    "gh pr",
    "gh release",
    "gh repo",
    "gh run",
    "gh workflow",
];
/// The program that other versions name as a subcommand of `docker`.
const DOCKER_COMPOSE: &str = "docker-compose";
/// The program that runs a line on another machine.
const REMOTE_SHELL: &str = "ssh";
/// The programs that run the word after `-c` as a line.
const SHELLS: [&str; 8] = ["sh", "bash", "zsh", "dash", "ksh", "fish", "su", "runuser"];
/// The options of one letter whose value is the next word.
const XARGS_VALUES: &str = "adEILnPs";
const SSH_VALUES: &str = "BbcDEeFIiJLlmOopQRSWw";

/// A line that a command gives to another program to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InnerLine {
    /// The line.
    pub text: String,
    /// Another machine runs it: its paths are none of this one.
    pub is_remote: bool,
}

impl InnerLine {
    /// Finds the line that a simple command gives to `sh -c`, `eval`, `xargs` or `ssh`, and the text that a shell reads as a
    /// heredoc. Backticks are not looked at: most are those of Markdown in a text.
    pub fn find(simple: &CommandPart<'_>) -> Option<Self> {
        let words = program_words(simple);
        let (program, rest) = words.split_first()?;
        let program = program.as_str();
        let text = match program {
            shell if SHELLS.contains(&shell) => match shell_line(rest) {
                Some(line) => line.clone(),
                None => shell_script(simple)?.to_owned(),
            },
            "eval" => rest.join(" "),
            "xargs" => {
                let run = skip_options(rest, XARGS_VALUES).iter().map(String::as_str);
                shlex::try_join(run).ok()?
            }
            REMOTE_SHELL => {
                let (_host, run) = skip_options(rest, SSH_VALUES).split_first()?;
                run.join(" ")
            }
            _ => return None,
        };
        let is_remote = program == REMOTE_SHELL;
        (!text.trim().is_empty()).then_some(Self { text, is_remote })
    }
}

/// Returns a command line, the lines within it and their simple commands, each in the forms in which a glob may name
/// it.
pub fn command_lines(command: &str) -> Vec<String> {
    let mut lines = vec![command.to_owned()];
    let mut forms = collect_forms(&mut lines, |_| true);
    forms.extend(lines);
    forms.sort();
    forms.dedup();
    forms
}

/// Returns the forms of those simple commands of some lines that are wanted, and adds the lines within them to the lines.
pub fn collect_forms(
    lines: &mut Vec<String>,
    is_wanted: fn(&CommandPart<'_>) -> bool,
) -> Vec<String> {
    let mut forms = Vec::new();
    let mut at = 0;
    while let Some(line) = lines.get(at).cloned() {
        let mut parts = split_command_parts(&line);
        parts.retain(is_wanted);
        for simple in parts.iter().take(MAX_COMMANDS) {
            forms.extend(command_forms(simple.text.trim()));
            forms.extend(command_forms(simple.source.trim()));
            let inner = InnerLine::find(simple).map(|inner| inner.text);
            let inner = inner.into_iter().chain(find_run_commands(simple));
            let room = MAX_LINES.saturating_sub(lines.len());
            lines.extend(inner.take(room));
        }
        at += 1;
    }
    forms
}

/// Returns the words of a simple command as a shell makes them.
pub fn shell_words(simple: &CommandPart<'_>) -> Vec<String> {
    shlex::split(simple.source)
        .unwrap_or_else(|| simple.text.split_whitespace().map(str::to_owned).collect())
}

/// Returns the words of a simple command from its program on, with the program's name alone.
pub(crate) fn program_words(simple: &CommandPart<'_>) -> Vec<String> {
    let mut words = shell_words(simple);
    let before = simple.text.split_whitespace().count() - words_from_program(&simple.text).count();
    words.drain(..before.min(words.len()));
    if let Some(program) = words.first_mut() {
        *program = file_name(program).to_owned();
    }
    words
}

/// Returns the line that a shell of these arguments runs: the word after an option such as `-c` or `-lc`.
fn shell_line(arguments: &[String]) -> Option<&String> {
    let is_command = |word: &String| {
        let letters = word.strip_prefix('-');
        letters.is_some_and(|letters| !letters.starts_with('-') && letters.ends_with('c'))
    };
    let mut words = arguments.iter().skip_while(|word| !is_command(word));
    words.by_ref().next();
    words.find(|word| *word != "--")
}

/// Returns the heredoc that a shell reads its commands from: it has no file of commands.
fn shell_script<'c>(simple: &CommandPart<'c>) -> Option<&'c str> {
    let is_file = |word: &str| !word.starts_with('-') && !word.contains('>');
    let mut arguments = words_from_program(&simple.text).skip(1);
    simple.heredoc.filter(|_| !arguments.any(is_file))
}

/// Returns the words behind leading options; `with_value` has the letters of those whose value is the next word.
fn skip_options<'w>(words: &'w [String], with_value: &str) -> &'w [String] {
    let mut rest = words;
    while let Some((word, after)) = rest.split_first().filter(|(word, _)| word.starts_with('-')) {
        let takes_next = word.len() == 2 && word.ends_with(|c| with_value.contains(c));
        rest = if takes_next {
            after.get(1..).unwrap_or_default()
        } else {
            after
        };
    }
    rest
}

/// Returns the forms in which a glob may name a simple command: as it is, from each program on that its own is named
/// after, such as `npx`, with its program's name alone, and without options before the subcommand.
fn command_forms(simple: &str) -> Vec<String> {
    let mut forms = vec![simple.to_owned()];
    forms.extend(split_wrapped_commands(simple));
    let mut named: Vec<&str> = words_from_program(simple).collect();
    if let Some(program) = named.first_mut() {
        *program = file_name(program);
    }
    forms.push(named.join(" "));
    forms.extend(without_leading_options(&named));
    if named.first() == Some(&DOCKER_COMPOSE) {
        named.splice(..1, ["docker", "compose"]);
        forms.push(named.join(" "));
        forms.extend(without_leading_options(&named));
    }
    forms
}

/// Returns a command without the options before its subcommand, and before that of a group: `git web push` and `git push`
/// of `git -C web push`, `gh pr merge` of `gh pr -R o/r merge`. None where it has no such options.
fn without_leading_options(words: &[&str]) -> Vec<String> {
    let Some((program, rest)) = words.split_first() else {
        return Vec::new();
    };
    let ends = option_ends(rest);
    let later = ends.iter().filter_map(|end| end.split_first());
    let later = later.map(|(subcommand, rest)| (format!("{program} {subcommand}"), rest));
    let later = later.filter(|(group, _)| COMMAND_GROUPS.contains(&group.as_str()));
    let later = later.flat_map(|(group, rest)| {
        let ends = shorter_ends(option_ends(rest), rest);
        ends.map(move |end| format!("{group} {}", end.join(" ")))
    });
    let first = shorter_ends(ends.clone(), rest).map(|end| format!("{program} {}", end.join(" ")));
    first.chain(later).take(MAX_LEADING_OPTIONS).collect()
}

fn shorter_ends<'w>(
    ends: Vec<&'w [&'w str]>,
    words: &[&str],
) -> impl Iterator<Item = &'w [&'w str]> {
    let count = words.len();
    ends.into_iter().filter(move |end| end.len() < count)
}

/// Returns the words from each one on at which leading options may end, since the word after an option may be its value:
/// `web push` and `push` of `-C web push`. All words where they begin with none.
pub(crate) fn option_ends<W: AsRef<str>>(words: &[W]) -> Vec<&[W]> {
    let is_option = |word: &W| word.as_ref().starts_with(['-', '+']);
    let has_option = |words: &[W]| words.first().is_some_and(is_option);
    let mut ends = Vec::new();
    if !words.is_empty() && !has_option(words) {
        ends.push(words);
    }
    let mut rest = words;
    while ends.len() < MAX_LEADING_OPTIONS && has_option(rest) {
        let options = rest.iter().take_while(|word| is_option(word)).count();
        let [last, after @ ..] = &rest[options - 1..] else {
            break;
        };
        let last = last.as_ref();
        let may_have_value = last.starts_with('-') && !last.contains('=');
        let without_value = after.get(usize::from(may_have_value)..);
        let new = [Some(after), without_value].into_iter().flatten();
        ends.extend(new.filter(|end| !end.is_empty() && !has_option(end)));
        rest = without_value.unwrap_or_default();
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_form(command: &str, form: &str) {
        let lines = command_lines(command);
        assert!(lines.iter().any(|line| line == form), "{form}: {lines:?}");
    }

    #[test]
    fn a_command_has_the_forms_in_which_it_is_named() {
        for (command, form) in [
            (
                "cd x && psql -c \"DROP TABLE a\"",
                "psql -c \"DROP TABLE a\"",
            ),
            ("sudo psql -c 'DROP TABLE a'", "psql -c 'DROP TABLE a'"),
            ("DB=x npx prisma migrate dev", "npx prisma migrate dev"),
            ("sudo npx prisma migrate", "prisma migrate"),
        ] {
            assert_form(command, form);
        }
    }

    #[test]
    fn options_before_a_subcommand_may_be_left_out() {
        for (command, form) in [
            ("git -C web push origin", "git push origin"),
            ("git --no-pager log -3", "git log -3"),
            ("npm --prefix web install x", "npm install x"),
            ("terraform -chdir=infra apply", "terraform apply"),
            (
                "kubectl -n prod --context=a delete pod",
                "kubectl delete pod",
            ),
            ("cargo +nightly test", "cargo test"),
            ("docker --debug run x", "docker run x"),
            ("git -C web --no-pager push origin", "git push origin"),
            ("git -c a=b --no-pager push", "git push"),
            ("npm --prefix web --silent install", "npm install"),
            ("docker compose -f dev.yml up -d", "docker compose up -d"),
            ("docker -D compose -p x up -d", "docker compose up -d"),
            ("docker-compose up -d", "docker compose up -d"),
            ("docker-compose -f dev.yml up -d", "docker compose up -d"),
            ("gh pr -R o/r merge 3", "gh pr merge 3"),
        ] {
            assert_form(command, form);
        }
        for command in ["ls -l", "git checkout -b feature main"] {
            assert_eq!(command_lines(command), [command]);
        }
    }

    #[test]
    fn a_line_that_another_program_runs_is_taken_apart() {
        for (command, form) in [
            ("bash -lc 'cd web && npm install'", "npm install"),
            ("sudo sh -c \"terraform apply\" x", "terraform apply"),
            ("bash -o pipefail -c 'make db'", "make db"),
            ("eval \"make db\"", "make db"),
            ("ls | xargs -n 1 -0 rm -r", "rm -r"),
            (
                "ssh -p 22 ann@host 'systemctl restart web'",
                "systemctl restart web",
            ),
            ("bash -c -- 'make db'", "make db"),
            ("su - postgres -c 'make db'", "make db"),
            ("sh -c \"bash -c 'make db'\"", "make db"),
            ("sudo bash <<'EOF'\ncd web\nmake db\nEOF", "make db"),
            ("bash -s 2>&1 << E | tail\nmake db\nE", "make db"),
        ] {
            assert_form(command, form);
        }
        for text in [
            "git commit -m 'say `make db`'",
            "echo `make db`",
            "cat >x <<E\nmake db\nE",
            "bash x.sh <<E\nmake db\nE",
        ] {
            let lines = command_lines(text);
            assert!(!lines.iter().any(|line| line == "make db"), "{lines:?}");
        }
    }

    #[test]
    fn lines_within_lines_end_somewhere() {
        let mut line = "make".to_owned();
        for _ in 0..20 {
            line = format!("sh -c {}", shlex::try_quote(&line).unwrap());
        }
        let has_line = |lines: &[String], text: &str| lines.iter().any(|form| form == text);
        let inner = |line: &str| {
            let parts = split_command_parts(line);
            InnerLine::find(&parts[0]).unwrap().text
        };
        let nested = std::iter::successors(Some(line.clone()), |line| Some(inner(line)));
        let nested: Vec<String> = nested.take(MAX_LINES + 1).collect();
        let lines = command_lines(&line);
        assert!(has_line(&lines, &nested[MAX_LINES - 1]), "{lines:?}");
        assert!(!has_line(&lines, &inner(&nested[MAX_LINES])), "{lines:?}");
        let many: String = (0..99).map(|n| format!("sh -c run{n}; ")).collect();
        let inner = command_lines(&many).into_iter();
        let inner = inner.filter(|form| form.starts_with("run")).count();
        assert_eq!(inner, MAX_LINES - 1);
    }
}
