//! The commands of a line in the forms in which a trigger may name them.

use session_core::shell::{
    CommandPart, split_command_parts, split_wrapped_commands, words_from_program,
};
use session_core::text::file_name;

/// The most simple commands of a line that are compared.
const MAX_COMMANDS: usize = 50;
/// The most lines within a line: of `sh -c 'sh -c …'` the first ones.
const MAX_INNER_LINES: usize = 8;
/// The programs that run the word after `-c` as a line.
const SHELLS: [&str; 6] = ["sh", "bash", "zsh", "dash", "ksh", "fish"];
/// The options of one letter whose value is the next word.
const XARGS_VALUES: &str = "adEILnPs";
const SSH_VALUES: &str = "BbcDEeFIiJLlmOopQRSWw";

/// A command line: one that a tool runs, or one that it gives to another program to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommandLine {
    pub(crate) text: String,
    /// Another machine runs it: its paths are none of this one.
    pub(crate) is_remote: bool,
}

impl CommandLine {
    /// Returns a line and, after it, the lines that it gives to `sh -c`, `eval`, `xargs`, `ssh` or between backticks.
    pub(crate) fn with_inner_lines(line: &str) -> Vec<Self> {
        let mut lines = vec![Self {
            text: line.to_owned(),
            is_remote: false,
        }];
        let mut at = 0;
        while at < lines.len() && lines.len() < MAX_INNER_LINES {
            let inner = lines[at].inner_lines();
            let room = MAX_INNER_LINES - lines.len();
            lines.extend(inner.into_iter().take(room));
            at += 1;
        }
        lines
    }

    fn inner_lines(&self) -> Vec<Self> {
        let parts = split_command_parts(&self.text);
        let of_programs = parts.iter().take(MAX_COMMANDS).filter_map(find_inner_line);
        let in_backticks = self.text.split('`').skip(1).step_by(2).map(|text| Self {
            text: text.to_owned(),
            is_remote: false,
        });
        let inner = of_programs.chain(in_backticks);
        inner
            .map(|line| Self {
                is_remote: line.is_remote || self.is_remote,
                ..line
            })
            .collect()
    }

    /// Returns the line and its simple commands, each in the forms in which a glob may name it.
    fn forms(self) -> Vec<String> {
        let mut forms = Vec::new();
        for simple in split_command_parts(&self.text).iter().take(MAX_COMMANDS) {
            forms.extend(command_forms(simple.text.trim()));
            forms.extend(command_forms(simple.source.trim()));
        }
        forms.push(self.text);
        forms
    }
}

/// Returns a command line, the lines within it and their simple commands, each in the forms in which a glob may name
/// it.
pub(crate) fn command_lines(command: &str) -> Vec<String> {
    let lines = CommandLine::with_inner_lines(command).into_iter();
    let mut forms: Vec<String> = lines.flat_map(CommandLine::forms).collect();
    forms.sort();
    forms.dedup();
    forms
}

/// Returns the words of a simple command as a shell makes them.
pub(crate) fn shell_words(simple: &CommandPart<'_>) -> Vec<String> {
    shlex::split(simple.source)
        .unwrap_or_else(|| simple.text.split_whitespace().map(str::to_owned).collect())
}

/// Returns the line that a simple command gives to another program to run.
fn find_inner_line(simple: &CommandPart<'_>) -> Option<CommandLine> {
    let words = shell_words(simple);
    let count = words_from_program(&simple.text).count();
    let (program, rest) = words[words.len().saturating_sub(count)..].split_first()?;
    let line = |text: String, is_remote| CommandLine { text, is_remote };
    match file_name(program) {
        shell if SHELLS.contains(&shell) => {
            let is_command = |word: &String| {
                let letters = word.strip_prefix('-');
                letters.is_some_and(|letters| !letters.starts_with('-') && letters.ends_with('c'))
            };
            let at = rest.iter().position(is_command)?;
            Some(line(rest.get(at + 1)?.clone(), false))
        }
        "eval" => Some(line(rest.join(" "), false)),
        "xargs" => {
            let run = skip_options(rest, XARGS_VALUES).iter().map(String::as_str);
            Some(line(shlex::try_join(run).ok()?, false))
        }
        "ssh" => {
            let (_host, run) = skip_options(rest, SSH_VALUES).split_first()?;
            Some(line(run.join(" "), true))
        }
        _ => None,
    }
    .filter(|line| !line.text.trim().is_empty())
}

/// Returns the words behind leading options; `with_value` has the letters of those whose value is the next word.
fn skip_options<'w>(words: &'w [String], with_value: &str) -> &'w [String] {
    let mut rest = words;
    while let Some((word, after)) = rest.split_first().filter(|(word, _)| word.starts_with('-')) {
        let takes_next = word.len() == 2 && word.ends_with(|c| with_value.contains(c));
        rest = match takes_next {
            true => after.get(1..).unwrap_or_default(),
            false => after,
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
    forms
}

/// Returns a command without the options between its program and its first other word, once with and once without
/// the word after each option, which may be its value: `git push` of `git -C web push`. None where it has no such options.
fn without_leading_options(words: &[&str]) -> Vec<String> {
    let Some((program, rest)) = words.split_first() else {
        return Vec::new();
    };
    let is_option = |word: &str| word.starts_with(['-', '+']);
    let without = |takes_value: bool| {
        let mut rest = rest;
        while let Some((option, after)) = rest.split_first().filter(|(word, _)| is_option(word)) {
            let may_have_value = takes_value && option.starts_with('-') && !option.contains('=');
            let has_value = may_have_value && after.first().is_some_and(|word| !is_option(word));
            rest = &after[usize::from(has_value)..];
        }
        rest
    };
    let has_options = rest.first().is_some_and(|word| is_option(word));
    let shorter = [without(false), without(true)].into_iter();
    let shorter = shorter.filter(|rest| has_options && !rest.is_empty());
    shorter
        .map(|rest| format!("{program} {}", rest.join(" ")))
        .collect()
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
        ] {
            assert_form(command, form);
        }
        assert_eq!(command_lines("ls -l"), ["ls -l"]);
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
            ("echo `git push`", "git push"),
            ("sh -c \"bash -c 'make db'\"", "make db"),
        ] {
            assert_form(command, form);
        }
        let remote = CommandLine::with_inner_lines("ssh host \"sh -c 'cat a.sql'\"");
        let texts = remote
            .iter()
            .map(|line| (line.text.as_str(), line.is_remote));
        let expected = [
            ("ssh host \"sh -c 'cat a.sql'\"", false),
            ("sh -c 'cat a.sql'", true),
            ("cat a.sql", true),
        ];
        assert!(texts.eq(expected), "{remote:?}");
    }

    #[test]
    fn lines_within_lines_end_somewhere() {
        let mut line = "make".to_owned();
        for _ in 0..20 {
            line = format!("sh -c {}", shlex::try_quote(&line).unwrap());
        }
        assert_eq!(CommandLine::with_inner_lines(&line).len(), MAX_INNER_LINES);
        let many = "sh -c a; ".repeat(99);
        assert_eq!(CommandLine::with_inner_lines(&many).len(), MAX_INNER_LINES);
    }
}
