//! A command line taken apart as far as it takes to see which programs it runs.

use crate::shell_parser::{Separators, split};
use crate::text::{ceil_char_boundary, clip, file_name};
use std::borrow::Cow;

pub use crate::shell_parser::{CommandPart, Operator};

/// Words that another program is named after.
const WRAPPERS: [&str; 21] = [
    "sudo", "doas", "nice", "ionice", "time", "timeout", "env", "nohup", "command", "exec", "npx",
    "bunx", "if", "then", "else", "elif", "while", "until", "do", "!", "{",
];
/// Those whose operand before the program is a number: `timeout 5m ls`.
const WITH_NUMBER: [&str; 1] = ["timeout"];
/// The options of such a program whose value may be the next word.
struct ValueOptions {
    program: &'static str,
    /// Options of one letter.
    letters: &'static str,
    /// Long options.
    names: &'static [&'static str],
}

const VALUE_OPTIONS: [ValueOptions; 7] = [
    ValueOptions::new(
        "sudo",
        "ughpCDRTUrta",
        &[
            "user",
            "group",
            "host",
            "prompt",
            "close-from",
            "chdir",
            "chroot",
            "command-timeout",
            "other-user",
            "role",
            "type",
        ],
    ),
    ValueOptions::new("doas", "uCa", &[]),
    ValueOptions::new("nice", "n", &["adjustment"]),
    ValueOptions::new("ionice", "cn", &["class", "classdata"]),
    ValueOptions::new("timeout", "sk", &["signal", "kill-after"]),
    ValueOptions::new("env", "uC", &["unset", "chdir"]),
    ValueOptions::new("exec", "a", &[]),
];

impl ValueOptions {
    const fn new(
        program: &'static str,
        letters: &'static str,
        names: &'static [&'static str],
    ) -> Self {
        Self {
            program,
            letters,
            names,
        }
    }

    /// Returns true for an option whose value is the next word: `-u`, `-nu`, `--user`; not `-upg` and
    /// `--user=pg`.
    fn takes_next(&self, word: &str) -> bool {
        if let Some(name) = word.strip_prefix("--") {
            return self.names.contains(&name);
        }
        let options = word.strip_prefix('-').unwrap_or_default();
        let first = options.find(|c| self.letters.contains(c));
        first.is_some_and(|at| at + 1 == options.len())
    }
}

/// Words that end what such words began.
const ENDS: [&str; 4] = ["fi", "done", "}", "esac"];

/// Returns the program that a pipe begins with, without its folder.
pub(crate) fn find_program(pipe: &str) -> Option<&str> {
    let program = words_from_program(pipe).next()?;
    (!ENDS.contains(&program)).then(|| file_name(program))
}

/// Returns the words of a simple command from its program on, without variables and programs such as
/// `sudo` before it.
pub fn words_from_program(simple: &str) -> impl Iterator<Item = &str> {
    let mut options: Option<&ValueOptions> = None;
    let mut takes_number = false;
    let mut is_value = false;
    let leads = move |word: &&str| {
        let was_value = std::mem::take(&mut is_value);
        if let Some(wrapper) = wrapper(word).filter(|_| !was_value) {
            options = VALUE_OPTIONS.iter().find(|own| own.program == wrapper);
            takes_number = WITH_NUMBER.contains(&wrapper);
            return true;
        }
        is_value = !was_value && options.is_some_and(|options| options.takes_next(word));
        if was_value
            || word.starts_with('-')
            || word.contains('=')
            || is_number_or_redirection(word)
        {
            return true;
        }
        std::mem::take(&mut takes_number) && word.starts_with(|c: char| c.is_ascii_digit())
    };
    simple.split_whitespace().skip_while(leads)
}

/// Returns true for `2` and `2>/dev/null`: the number of a branch of `case`, and a redirection before a program.
fn is_number_or_redirection(word: &str) -> bool {
    let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < word.len() && (rest.is_empty() || rest.starts_with(['>', '<']))
}

/// The most programs of a simple command that another one is named after.
const MAX_WRAPPED: usize = 8;

/// Returns a simple command from each of the first programs on that another one is named after, such as `npx`, and from its
/// own program on.
pub fn split_wrapped_commands(simple: &str) -> Vec<String> {
    let words: Vec<&str> = simple.split_whitespace().collect();
    let program = words.len() - words_from_program(simple).count();
    let wrappers = (0..program).filter(|at| wrapper(words[*at]).is_some());
    let starts = wrappers.take(MAX_WRAPPED).chain([program]);
    starts.map(|at| words[at..].join(" ")).collect()
}

/// Options of git before its subcommand whose value is the next word.
const GIT_VALUE_OPTIONS: [&str; 2] = ["-C", "-c"];

/// Returns the subcommand among the arguments of git: `commit` of `-C app commit -m x`.
pub fn git_subcommand<'w>(arguments: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    let mut arguments = arguments.into_iter();
    loop {
        match arguments.next()? {
            option if GIT_VALUE_OPTIONS.contains(&option) => drop(arguments.next()),
            option if option.starts_with('-') => {}
            subcommand => return Some(subcommand),
        }
    }
}

/// Returns the directory that a simple command changes to: `app` of `cd app`.
pub fn find_cd_target(simple: &str) -> Option<&str> {
    let mut words = simple.split_whitespace();
    let is_cd = words.next() == Some("cd");
    words.next().filter(|_| is_cd && words.next().is_none())
}

/// Returns the name of a program that another one is named after: `sudo`, `/usr/bin/sudo`.
fn wrapper(word: &str) -> Option<&str> {
    let name = if word.starts_with('/') {
        file_name(word)
    } else {
        word
    };
    WRAPPERS.contains(&name).then_some(name)
}

/// Returns the pipes of a command line, which `;`, `&&`, `||`, `&`, line ends and parentheses separate
/// where no quote is open. Comments and the texts of heredocs are left out.
pub(crate) fn split_pipes(command: &str) -> Vec<String> {
    let parts = split(command, Separators::Commands).into_iter();
    parts.map(|part| part.text).collect()
}

/// Splits a command line into its simple commands, without quotes, comments and the texts of heredocs;
/// space inside quotes is `_`.
pub fn split_simple_commands(command: &str) -> Vec<String> {
    let parts = split_command_parts(command).into_iter();
    parts.map(|part| part.text).collect()
}

/// Splits a command line into its simple commands, without the texts of heredocs.
pub fn split_command_parts(command: &str) -> Vec<CommandPart<'_>> {
    split(command, Separators::CommandsAndPipes)
}

/// Bytes of a long command that are kept of its beginning, of the names in its middle, and
/// of its end.
const HEAD_BYTES: usize = 2_000;
const NAMES_BYTES: usize = 400;
const TAIL_BYTES: usize = 600;

/// Abridges a command for the index. Of one over 2,600 bytes it keeps the head, the tail and, of each
/// simple command between them, the program and its subcommands (`gh pr create`), each once.
pub(crate) fn abridge_command(command: &str) -> Cow<'_, str> {
    let command = command.trim();
    if command.len() <= HEAD_BYTES + TAIL_BYTES {
        return Cow::Borrowed(command);
    }
    let head = clip(command, HEAD_BYTES);
    let tail = last(command, TAIL_BYTES);
    let names = names_between(command, head, tail);
    Cow::Owned(format!(
        "{}\n…\n{names}…\n{}",
        head.trim_end(),
        tail.trim_start()
    ))
}

/// Returns the names of the simple commands that neither the head nor the tail shows, a line each.
fn names_between(command: &str, head: &str, tail: &str) -> String {
    let mut names = String::new();
    for simple in split_simple_commands(command) {
        let name = name(&simple);
        let is_shown = |text: &str| text.contains(&name);
        let fits = names.len() + name.len() < NAMES_BYTES;
        if fits && !is_shown(head) && !is_shown(tail) && !names.lines().any(|have| have == name) {
            names.push_str(&name);
            names.push('\n');
        }
    }
    names
}

/// Returns the program of a simple command with at most two subcommands.
fn name(simple: &str) -> String {
    let Some(program) = find_program(simple) else {
        return String::new();
    };
    let plain = |word: &&str| word.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
    let is_subcommand = |word: &&str| plain(word) && !word.starts_with('-');
    let words = words_from_program(simple).skip(1);
    let subcommands = words.take_while(is_subcommand).take(2);
    let name: Vec<&str> = std::iter::once(program).chain(subcommands).collect();
    clip(&name.join(" "), 80).to_owned()
}

/// Returns true for text that every shell reads as one word, unquoted, and no program as an option: ASCII letters, digits,
/// `-`, `_` and `.`, with no `-` in front. It is what agents make ids of.
pub fn is_plain_word(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    !text.is_empty() && !text.starts_with('-') && text.chars().all(is_plain)
}

/// Returns at most the last `limit` bytes of a text.
fn last(text: &str, limit: usize) -> &str {
    &text[ceil_char_boundary(text, text.len().saturating_sub(limit))..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn programs(command: &str) -> Vec<String> {
        let pipes = split_pipes(command);
        let programs = pipes.iter().filter_map(|pipe| find_program(pipe));
        programs.map(str::to_owned).collect()
    }

    #[test]
    fn programs_are_found_where_a_shell_finds_them() {
        for (command, expected) in [
            ("cd /x && /usr/bin/make all 2>&1 | head", "cd make"),
            ("make &> log; X=1 sudo ls |& wc", "make ls"),
            ("echo 'a; b' \"c && d \\\" e\" || true", "echo true"),
            ("(cd /x && ls) # rm; rm", "cd ls"),
            ("make \\\n  all\nls", "make ls"),
            ("cat <<'EOF' > x; ls\nrm -r y\nEOF\nwc x", "cat ls wc"),
            ("grep x <<< y; ls it\\'s; rm", "grep ls rm"),
            ("x=$(make a); y", "make y"),
            ("x=$((1<<20))\ny; z=$(( (1 + 2) << 3 )) w", "y w"),
            (
                "X='a b' timeout 5 ls; if true; then npx tsc; fi",
                "ls true tsc",
            ),
        ] {
            assert_eq!(programs(command).join(" "), expected, "{command}");
        }
    }

    #[test]
    fn the_value_of_an_option_is_no_program() {
        for command in [
            "sudo -u postgres psql",
            "sudo -nu postgres -- psql",
            "sudo -upostgres psql",
            "sudo --user postgres --group=db psql",
            "sudo -u sudo psql",
            "/usr/bin/sudo -S -p '' psql",
            "doas -u postgres /usr/bin/psql",
            "sudo -E env -u PGHOST nice -n 10 psql",
            "nice -10 psql",
            "timeout -s KILL 5 psql",
            "until ! sudo -n psql",
            "while psql",
        ] {
            assert_eq!(programs(command), ["psql"], "{command}");
        }
        assert_eq!(programs("nice -n"), [""; 0]);
    }

    #[test]
    fn the_name_of_a_program_may_begin_with_a_digit() {
        for (command, expected) in [
            ("7z x a.zip", "7z"),
            ("2to3 f.py; 2>/dev/null 7za l a.7z", "2to3 7za"),
            ("case $n in 1) 7z x a.zip;; esac", "case 7z"),
            ("X=1 sudo -u ann 7z x a.zip", "7z"),
            ("timeout 5m 7z x a.zip", "7z"),
            ("timeout -s KILL 5 nice -n 10 2to3 f.py", "2to3"),
            ("ionice -c 3 -n 7 7z x a.zip", "7z"),
            ("time 7z x a.zip", "7z"),
        ] {
            assert_eq!(programs(command).join(" "), expected, "{command}");
        }
    }

    #[test]
    fn simple_commands_end_at_pipes_too() {
        let commands = split_simple_commands("a 'x|y' >| f | b |& c; (d || e) & f");
        let names: Vec<&str> = commands.iter().filter_map(|c| find_program(c)).collect();
        assert_eq!(names, ["a", "b", "c", "d", "e", "f"]);
    }

    #[test]
    fn a_simple_command_has_its_source() {
        let command = "cd src && psql -c \"DROP TABLE 日\" | cat <<EOF; ls\nx; y\nEOF\n'a b'";
        let parts = split_command_parts(command);
        let sources: Vec<&str> = parts.iter().map(|part| part.source.trim()).collect();
        let expected = [
            "cd src",
            "psql -c \"DROP TABLE 日\"",
            "cat <<EOF",
            "ls",
            "'a b'",
        ];
        assert_eq!(sources, expected);
        assert_eq!(parts[1].text.trim(), "psql -c DROP_TABLE_日");
    }

    #[test]
    fn a_simple_command_has_its_heredoc() {
        for (script, expected) in [
            (
                "cd x\nsudo bash <<'EOF'\nmake\nls\nEOF\nwc",
                "sudo bash <<'EOF': make\nls\n",
            ),
            ("bash -s <<E && ls\nmake\nE\nls", "bash -s <<E: make\n"),
            ("bash <<E\nmake", "bash <<E: make"),
        ] {
            let parts = split_command_parts(script);
            let texts = parts.iter().filter_map(|part| {
                let source = part.source.trim();
                part.heredoc.map(|text| format!("{source}: {text}"))
            });
            assert_eq!(texts.collect::<Vec<_>>(), [expected], "{script}");
        }
    }

    #[test]
    fn redirections_are_outside_quotes() {
        let parts = split_command_parts("echo 'a > b' \\> c >> d 2>&1");
        let [part] = &parts[..] else {
            panic!("{parts:?}");
        };
        let rests: Vec<&str> = part
            .redirections
            .iter()
            .map(|at| &part.text[*at..])
            .collect();
        assert_eq!(rests, [">> d 2>&1", "> d 2>&1", ">&1"]);
    }

    #[test]
    fn a_quote_in_a_heredoc_ends_nothing() {
        let message = "git commit -m \"$(cat <<'EOF'\nSay \"x; rm -r y\nEOF\n)\" && ls";
        assert_eq!(programs(message).join(" "), "git ls");
        assert_eq!(programs("cat <<EOF>x\nrm '\nEOF\nls").join(" "), "cat ls");
        assert_eq!(programs("echo \"a << b\" && ls").join(" "), "echo ls");
        for delimiter in ["<<EOF", "<< EOF", "<< 'EOF'", "<<- EOF", "<<-\t\"EOF\""] {
            let script = format!("cat > x {delimiter}\n\nrm y\n\nEOF\nls");
            assert_eq!(programs(&script).join(" "), "cat ls", "{delimiter}");
            let message = format!("git commit -m \"$(cat {delimiter}\n\nrm \"y\nEOF\n)\"; ls");
            assert_eq!(programs(&message).join(" "), "git ls", "{delimiter}");
        }
        assert_eq!(
            programs("echo $((1 << 4))\nls\nmake").join(" "),
            "echo ls make"
        );
    }

    #[test]
    fn a_heredoc_ends_at_its_delimiter_alone() {
        for (script, expected) in [
            ("cat <<EOF\n  EOF\nrm y\nEOF\nls", "cat ls"),
            ("cat <<-EOF\n  EOF\nrm y\n\t\tEOF\nls", "cat ls"),
            ("cat <<EOF\n\tEOF\nrm y\nEOF\r\nls", "cat ls"),
            ("cat <<'END OF'; wc\nEND\nrm y\nEND OF\nls", "cat wc ls"),
            ("cat <<END-OF\nrm y\nEND-OF\nls", "cat ls"),
            ("(cat <<E\\F)\nrm y\nEF\nls", "cat ls"),
            ("cat <<EOF\nrm y", "cat"),
            (
                "git commit -m \"$(cat <<'END OF'\n  END OF\nrm \"y\nEND OF\n)\"; ls",
                "git ls",
            ),
        ] {
            assert_eq!(programs(script).join(" "), expected, "{script}");
        }
    }

    #[test]
    fn an_expression_is_no_subshell() {
        for (command, expected) in [
            ("(( count > limit )) && ls", "(( ls"),
            ("while (((a + b) << 2 > c)); do ls; done", "(( ls"),
            ("for ((i = 0; i < 9; i++)); do ls; done", "for ls"),
            ("((make); ls); ((a) || (b))", "make ls a b"),
            ("((make\nls", "make ls"),
            ("f () { ls; }; ( ) ; wc", "f ls wc"),
        ] {
            assert_eq!(programs(command).join(" "), expected, "{command}");
        }
    }

    #[test]
    fn a_command_is_named_from_each_wrapper_on() {
        let within = |command| split_wrapped_commands(command).join("|");
        let prisma = "npx prisma migrate|prisma migrate";
        assert_eq!(within("DB=x npx prisma migrate"), prisma);
        let sudo = format!("sudo npx prisma migrate|{prisma}");
        assert_eq!(within("sudo npx prisma migrate"), sudo);
        assert_eq!(within("ls -l"), "ls -l");
        let many = "sudo ".repeat(1_000) + "make";
        assert_eq!(split_wrapped_commands(&many).len(), MAX_WRAPPED + 1);
    }

    #[test]
    fn a_plain_word_needs_no_quotes() {
        for word in ["a1b2", "ses_0.x", "019f-aa"] {
            assert!(is_plain_word(word), "{word}");
        }
        for text in ["", "-rf", "x; touch y", "$(x)", "a`b`", "a\nb", "a:b", "é"] {
            assert!(!is_plain_word(text), "{text}");
        }
    }

    #[test]
    fn a_long_command_keeps_its_head_its_names_and_its_tail() {
        let fill = |n: usize| format!("echo '{}'", "x ".repeat(n));
        let command = format!(
            "make all && {}; git log --oneline | sort -u; {} && (gh pr create --fill); {}; kubectl apply",
            fill(1000),
            fill(500),
            fill(1000)
        );
        let kept = abridge_command(&command);
        assert!(kept.starts_with("make all && echo"), "{kept}");
        assert!(kept.ends_with("kubectl apply"), "{kept}");
        assert!(kept.contains("…\ngit log\nsort\ngh pr create\n…"), "{kept}");
        assert!(kept.len() < HEAD_BYTES + NAMES_BYTES + TAIL_BYTES + 20);
        let short = "é".repeat(1_300);
        assert_eq!(abridge_command(&short), short);
        assert!(
            abridge_command(&"é".repeat(1_400)).contains('…'),
            "cut between characters"
        );
    }
}
