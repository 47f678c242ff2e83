//! The commands of a line in the forms in which a trigger may name them.

use session_core::shell::{
    CommandPart, InnerLine, MAX_LEADING_OPTIONS, find_run_commands, option_ends,
    split_command_parts, split_wrapped_commands, words_from_program,
};
use session_core::text::file_name;

/// The most simple commands of a line that are compared.
const MAX_COMMANDS: usize = 50;
/// The most lines, those within a line included: of `sh -c 'sh -c …'` the first ones.
const MAX_LINES: usize = 8;
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
    #[test]
    fn a_command_within_another_ones_arguments_is_found() {
        for runner in [
            "poetry run",
            "uv run",
            "uv run --with x",
            "pnpm exec",
            "pnpm --dir web exec",
            "bundle exec",
            "corepack",
            "sudo corepack",
            "python -m",
            "python3 -W error -m",
            ".venv/bin/python3.12 -m",
            "docker exec -it -w /app web",
            "docker run --rm -v a:b img",
            "docker compose -f dev.yml exec -T api",
            "docker-compose run api",
            "kubectl exec -n shop web-0 --",
            "kubectl exec web-0 -c app --",
            "doppler run --",
            "aws-vault exec prod --",
            "dotenv -e .env --",
            "tox -e py --",
            "nix develop -c",
            "nix develop .#ci --command",
            "direnv exec .",
            "watch -n 1",
            "find . -name '*.py' -exec",
            "poetry run python -m",
            "docker exec web poetry run",
            "pnpm",
            "pnpm --dir web",
            "yarn",
            "bun x",
            "bun run",
            "mise x",
            "mise exec node@22 --",
            "stdbuf -oL",
            "setsid -w",
            "unbuffer",
            "flock -n /tmp/lock",
            "sudo stdbuf -o L",
        ] {
            let lines = command_lines(&format!("cd x && {runner} pytest -q 'a b'"));
            let is_found = lines.iter().any(|line| line == "pytest -q 'a b'");
            assert!(is_found, "{runner}: {lines:?}");
        }
        let lines = command_lines("find . -exec pytest -q {} \\; -print");
        assert!(
            lines.iter().any(|line| line == "pytest -q '{}'"),
            "{lines:?}"
        );
    }

    #[test]
    fn what_is_no_command_is_none() {
        for command in [
            "git checkout -- pytest",
            "python x.py -m pytest",
            "poetry add pytest",
            "docker exec pytest",
            "npm test -- --watch pytest",
            "pnpm -w add pytest",
        ] {
            let lines = command_lines(command);
            assert!(!lines.iter().any(|line| line == "pytest"), "{lines:?}");
        }
        for command in ["pnpm rm a", "pnpm --dir web rm a", "yarn rm a"] {
            let lines = command_lines(command);
            assert!(!lines.iter().any(|line| line == "rm a"), "{lines:?}");
        }
    }

    #[test]
    fn many_commands_within_a_line_end_somewhere() {
        let line = "docker exec -a ".repeat(2_000) + "pytest";
        assert!(command_lines(&line).len() < 300);
    }
}
