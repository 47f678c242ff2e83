//! The effect of a simple command: it prepares, shows, tests, searches, changes or does something else.

use super::arguments::Arguments;
use super::awk_script::is_writing_script;
use super::{
    CommandPart, InPlaceEditor, InnerLine, find_program, find_run_commands, git_subcommand,
    split_command_parts, words_from_program,
};
use crate::text::file_name;

/// The effect of a program with its options. That of a line is the greatest of its commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProgramEffect {
    /// It changes only the shell that runs it, or waits: `cd`, `export`, `source .venv/bin/activate`. So does a part without
    /// a program: `X=1`, `done`.
    Prepares,
    /// It prints texts or facts about files: `cat`, `ls`, `git log`.
    Shows,
    /// It answers by its exit code alone: `test -f a`.
    Tests,
    /// It fails if it finds nothing, or a difference: `grep`, `diff`.
    Searches,
    /// It changes files by an option of a program that shows them otherwise, or runs a script in the shell itself: `sed -i`,
    /// `find -delete`, `source ./deploy.sh`. Beside other work it prepares that.
    Changes,
    /// It does anything else, or nothing is known of it: `make`.
    Works,
}

/// The search for a program by a builtin of the shell.
const PROGRAM_LOOKUP: [&str; 2] = ["command", "-v"];
/// The deepest line within lines that is looked at.
const MAX_DEPTH: usize = 4;
/// The actions with which `find` changes files.
const FIND_CHANGES: [&str; 3] = ["-delete", "-fprint", "-fls"];
/// The option with which git writes what it shows into a file.
const GIT_OUTPUT: &str = "--output";
/// The beginnings of the options with which `git config` reads, and of those with which it changes what it is given the name of.
const CONFIG_READS: [&str; 3] = ["--get", "--list", "-l"];
const CONFIG_CHANGES: [&str; 4] = ["--edit", "-e", "--re", "--unset"];
/// The parts by which names of scripts that set variables are known: `activate`, `.env`, `nvm.sh`, `setup.bash`.
const ENVIRONMENT_NAMES: [&str; 6] = ["activate", "env", "nvm", "profile", "setup", "vars"];
/// Their end: `.bashrc`.
const ENVIRONMENT_SUFFIX: &str = "rc";
/// The names of scripts that surely do no more than that: each part of the name is one of these, or an ending of scripts.
const SURE_ENVIRONMENT_NAMES: [&str; 5] = ["activate", "bashrc", "env", "nvm", "zshrc"];
const SCRIPT_ENDINGS: [&str; 4] = ["bash", "fish", "sh", "zsh"];
/// The beginnings of the options with which `date` sets the clock.
const CLOCK_OPTIONS: [&str; 3] = ["-s", "-us", "--s"];
/// Files that keep nothing.
const DEVICES: [&str; 4] = ["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"];

impl ProgramEffect {
    /// Classifies a simple command by its program and options. The files into which its shell or `tee` writes what it prints
    /// do not count: see [`may_write`].
    pub fn classify(simple: &CommandPart<'_>) -> Self {
        Self::classify_within(simple, MAX_DEPTH)
    }

    fn classify_within(simple: &CommandPart<'_>, depth: usize) -> Self {
        if is_lookup(&simple.text) {
            return Self::Searches;
        }
        let Some(program) = find_program(&simple.text) else {
            return Self::Prepares;
        };
        let arguments = Arguments::new(simple);
        match program {
            "git" => Self::classify_git(&arguments),
            "find" => Self::classify_find(simple, &arguments, depth),
            "source" | "." => Self::classify_script(&arguments),
            _ if changes_files(program, &arguments) => Self::Changes,
            _ if runs_script(program, &arguments) => Self::Works,
            _ => Self::named(program).unwrap_or_else(|| Self::classify_inner(simple, depth)),
        }
    }

    /// Returns the effect of a program whatever its options, beside those that [`changes_files`] and [`runs_script`] know.
    fn named(program: &str) -> Option<Self> {
        Some(match program {
            ":" | "cd" | "exit" | "export" | "false" | "popd" | "pushd" | "set" | "sleep"
            | "true" | "unset" | "wait" => Self::Prepares,
            "awk" | "basename" | "bat" | "cat" | "column" | "cut" | "date" | "dirname" | "du"
            | "echo" | "file" | "fold" | "gawk" | "gsed" | "head" | "jq" | "less" | "ls"
            | "mawk" | "md5sum" | "more" | "nl" | "printf" | "pwd" | "realpath" | "sed"
            | "sha256sum" | "sort" | "stat" | "tail" | "tee" | "tr" | "tree" | "uniq" | "wc"
            | "xxd" => Self::Shows,
            "[" | "[[" | "test" => Self::Tests,
            "ag" | "cmp" | "diff" | "egrep" | "fgrep" | "grep" | "pgrep" | "rg" | "type"
            | "which" | "zgrep" => Self::Searches,
            _ => return None,
        })
    }

    fn classify_git(arguments: &Arguments<'_>) -> Self {
        match git_subcommand(arguments.iter()) {
            Some("config") if reads_settings(arguments) => Self::Searches,
            _ if arguments.any_starts_with(&[GIT_OUTPUT]) => Self::Works,
            Some("diff" | "grep") => Self::Searches,
            Some(
                "blame" | "describe" | "log" | "ls-files" | "rev-parse" | "shortlog" | "show"
                | "status",
            ) => Self::Shows,
            _ => Self::Works,
        }
    }

    /// Returns the greatest effect of the commands that `find` runs on the files.
    fn classify_find(simple: &CommandPart<'_>, arguments: &Arguments<'_>, depth: usize) -> Self {
        let own = if arguments.any_starts_with(&FIND_CHANGES) {
            Self::Changes
        } else {
            Self::Shows
        };
        let lines = find_run_commands(simple).into_iter();
        let effects = lines.map(|line| Self::classify_line(&line, depth));
        effects.fold(own, Self::max)
    }

    /// Classifies the script that the shell itself runs. Most set variables for what comes after them.
    fn classify_script(arguments: &Arguments<'_>) -> Self {
        let script = arguments.iter().next().map(file_name);
        let prepares = script.is_none_or(|script| {
            let script = script.to_ascii_lowercase();
            let has_name = |name: &&str| script.contains(*name);
            ENVIRONMENT_NAMES.iter().any(has_name) || script.ends_with(ENVIRONMENT_SUFFIX)
        });
        if prepares {
            Self::Prepares
        } else {
            Self::Changes
        }
    }

    /// Classifies a command by the line that it gives to another program on this machine.
    fn classify_inner(simple: &CommandPart<'_>, depth: usize) -> Self {
        let inner = InnerLine::find(simple).filter(|inner| !inner.is_remote);
        inner.map_or(Self::Works, |inner| Self::classify_line(&inner.text, depth))
    }

    /// Classifies a line within a command. What such a line writes is its work.
    fn classify_line(line: &str, depth: usize) -> Self {
        let Some(depth) = depth.checked_sub(1) else {
            return Self::Works;
        };
        let parts = split_command_parts(line);
        let effects = parts.iter().map(|part| {
            if is_plain_output(part) {
                Self::classify_within(part, depth)
            } else {
                Self::Works
            }
        });
        effects.max().unwrap_or(Self::Prepares)
    }
}

/// Returns true if a simple command may change a file, or run a program that may: unlike [`ProgramEffect`], by what its shell
/// does around it, too, and in doubt.
pub fn may_write(simple: &CommandPart<'_>) -> bool {
    ProgramEffect::classify(simple) >= ProgramEffect::Changes
        || !is_plain_output(simple)
        || runs_unknown_script(simple, MAX_DEPTH)
}

/// Returns true if the shell itself, or one that is given a line, runs a script that may do more than set variables.
fn runs_unknown_script(simple: &CommandPart<'_>, depth: usize) -> bool {
    if let Some("source" | ".") = find_program(&simple.text) {
        let arguments = Arguments::new(simple);
        let script = arguments.iter().next().map(file_name);
        return script.is_some_and(|script| !only_sets_variables(script));
    }
    InnerLine::find(simple).is_some_and(|inner| {
        depth.checked_sub(1).is_none_or(|depth| {
            let parts = split_command_parts(&inner.text);
            parts.iter().any(|part| runs_unknown_script(part, depth))
        })
    })
}

fn only_sets_variables(script: &str) -> bool {
    let parts = script.split(|c: char| !c.is_alphanumeric());
    let mut parts = parts.filter(|part| !part.is_empty());
    let is_known = parts
        .next()
        .is_some_and(|first| SURE_ENVIRONMENT_NAMES.contains(&first));
    is_known && parts.all(|part| SCRIPT_ENDINGS.contains(&part))
}

/// Returns true for words that only search for the program.
fn is_lookup(simple: &str) -> bool {
    let words: Vec<&str> = simple.split_whitespace().collect();
    let program = words.len() - words_from_program(simple).count();
    let mut before = words[..program].windows(PROGRAM_LOOKUP.len());
    before.any(|words| words == PROGRAM_LOOKUP)
}

/// Returns true for options with which a program that otherwise shows something changes files.
fn changes_files(program: &str, arguments: &Arguments<'_>) -> bool {
    match program {
        "sed" | "gsed" => InPlaceEditor::SED.is_in_place(arguments.iter()),
        "sort" => arguments.has_option('o', "o"),
        "date" => arguments.any_starts_with(&CLOCK_OPTIONS),
        "tree" => arguments.has_option('o', "output") || arguments.has_option('R', "output"),
        "uniq" | "xxd" => arguments.count_names() > 1,
        _ => false,
    }
}

/// Returns true for options with which a program that otherwise shows something runs a script, or checks files.
fn runs_script(program: &str, arguments: &Arguments<'_>) -> bool {
    match program {
        "awk" | "gawk" | "mawk" => arguments.iter().any(is_writing_script),
        // A check that fails is no search: its file is damaged.
        "md5sum" | "sha256sum" => arguments.has_option('c', "check"),
        _ => false,
    }
}

/// Returns true if `git config` reads: a name without a value, too.
fn reads_settings(arguments: &Arguments<'_>) -> bool {
    let mut words = arguments.iter();
    words.by_ref().find(|word| *word == "config");
    let words: Vec<&str> = words.collect();
    let has = |names: &[&str]| {
        let mut words = words.iter();
        words.any(|word| names.iter().any(|name| word.starts_with(name)))
    };
    let operands = words.iter().filter(|word| !word.starts_with('-')).count();
    has(&CONFIG_READS) || operands == 1 && !has(&CONFIG_CHANGES)
}

/// Returns true if the output of a simple command goes into no file, and its shell runs no line within its words.
fn is_plain_output(simple: &CommandPart<'_>) -> bool {
    let is_empty = simple.text.trim().is_empty();
    let has_inner_line = simple.source.contains('`') || simple.source.contains("$(");
    is_empty || !has_inner_line && !is_copied(simple)
}

/// Returns true if the output of a simple command is written into a file, by its shell or by `tee`.
pub(super) fn is_copied(simple: &CommandPart<'_>) -> bool {
    let mut redirections = simple.redirections.iter();
    let is_file = |word: &str| !word.starts_with('-') && !is_device(word);
    redirections.any(|at| !is_stream(&simple.text[at + 1..]))
        || find_program(&simple.text) == Some("tee") && Arguments::new(simple).iter().any(is_file)
}

/// Returns true for what follows the `>` of a redirection that writes no file.
fn is_stream(rest: &str) -> bool {
    let target = rest.trim_start_matches(['>', ' ']);
    let stream = target.strip_prefix('&');
    let is_number = |stream: &str| stream.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    stream.is_some_and(is_number) || is_device(target)
}

fn is_device(target: &str) -> bool {
    let is_longer =
        |rest: &str| rest.starts_with(|c: char| c.is_alphanumeric() || "/.-_".contains(c));
    let mut rests = DEVICES
        .iter()
        .filter_map(|device| target.strip_prefix(device));
    rests.any(|rest| !is_longer(rest))
}

#[cfg(test)]
mod tests {
    use super::{ProgramEffect, may_write};
    use crate::shell::split_command_parts;

    fn effects(command: &str) -> Vec<ProgramEffect> {
        let parts = split_command_parts(command);
        parts.iter().map(ProgramEffect::classify).collect()
    }

    fn assert_effects(expected: ProgramEffect, commands: &[&str]) {
        for command in commands {
            let effects = effects(command);
            assert_eq!(effects.iter().max(), Some(&expected), "{command}");
        }
    }

    #[test]
    fn a_program_has_one_effect() {
        assert_effects(
            ProgramEffect::Prepares,
            &["cd app", "X=1", "", "done", "sleep 5", "export A=1"],
        );
        assert_effects(
            ProgramEffect::Shows,
            &[
                "cat a",
                "/bin/ls -la",
                "sudo stat a",
                "git -C app log -3",
                "git status",
                "git rev-parse HEAD",
            ],
        );
        assert_effects(
            ProgramEffect::Tests,
            &["test -f a", "[ -d a ]", "[[ $a == b ]]"],
        );
        assert_effects(
            ProgramEffect::Searches,
            &[
                "grep -q oil a",
                "! rg oil",
                "command -v lamp",
                "if ! command -v sudo >/dev/null",
                "which lamp",
                "git grep oil",
                "git diff --quiet",
                "git config --get core.hooksPath",
                "git config user.name",
                "pgrep -f lamp",
            ],
        );
        assert_effects(
            ProgramEffect::Works,
            &[
                "make",
                "lamp grep",
                "rm a command -v b",
                "git commit -m x",
                "git config user.name Ann",
                "git config --unset user.name",
                "git diff --output=a",
                "ssh quay cat a",
            ],
        );
    }

    #[test]
    fn options_decide_what_a_program_does() {
        assert_effects(
            ProgramEffect::Shows,
            &[
                "sed -n '1,60p' a",
                "find . -name '*.c'",
                "find . -exec cat {} +",
                "sort -u -k2 a",
                "sort 2>/dev/null a",
                "uniq -c a",
                "uniq -f 1 a",
                "xxd -l 16 a",
                "tree -L 2",
                "date -Iseconds -d yesterday +%s",
                "awk -vi=3 -F: '/system/ { print i > \"/dev/stderr\" }' a",
                "awk '$3 > 5 { print $1 \">\" $2 }' a",
                "awk -F'|' '{ print (x > 5), $2 >= 3 || y > \"/dev/stderr\" }' a",
                "sha256sum a",
            ],
        );
        assert_effects(
            ProgramEffect::Changes,
            &[
                "sed -i s/a/b/ a",
                "sed -Ei.bak s/a/b/ a",
                "find . -name '*.c' -delete",
                "find . -exec sed -i s/a/b/ {} +",
                "sort -uo a a",
                "sort 2>/dev/null -o a a",
                "sort a --out=a",
                "uniq a b",
                "xxd -r a b",
                "tree -o a",
                "tree -R -H .",
                "date -s 2026-12-01",
            ],
        );
        assert_effects(
            ProgramEffect::Works,
            &[
                "find . -name '*.c' -exec cc -c {} +",
                "find . -exec grep -q oil {} \\; -exec rm {} \\;",
                "find . -exec sh -c 'cat \"$1\" > a' _ {} \\;",
                "awk -f gen.awk a > b",
                "awk '{ print > \"b\" }' a",
                "awk '{ printf \"%s>\", $1 | \"sh\" }' a",
                "awk '{ system(\"rm \" $1) }' a",
                "awk '{ system (\"rm \" $1) }' a",
                "awk 'BEGIN { \"rm a\"|getline }'",
                "awk 'BEGIN { \"rm a\" |& getline x }'",
                "awk '{ print > \"/dev/stdout/../a\" }' a",
                "gawk -ni inplace '{ print }' a",
                "gawk '@include \"a\"; { print }' a",
                "sha256sum -c sums",
            ],
        );
        assert_effects(
            ProgramEffect::Searches,
            &["find . -exec grep -l oil {} +", "ls | xargs -n 1 grep oil"],
        );
    }

    #[test]
    fn a_line_within_a_command_counts() {
        assert_effects(
            ProgramEffect::Searches,
            &[
                "bash -lc 'cd app && grep oil a | head'",
                "xargs xargs xargs xargs grep oil",
            ],
        );
        assert_effects(
            ProgramEffect::Works,
            &[
                "bash -lc 'cd app && make'",
                "bash -c 'cat a > b'",
                "ls | xargs cc",
                "eval \"$(lamp init)\"",
                "bash deploy.sh",
                "xargs xargs xargs xargs xargs ls",
            ],
        );
    }

    #[test]
    fn a_script_of_the_shell_prepares_or_changes_something() {
        assert_effects(
            ProgramEffect::Prepares,
            &[
                "source .venv/bin/activate",
                ". ./env.sh",
                ". ~/.bashrc",
                "source /opt/ros/humble/setup.bash",
                ". \"$NVM_DIR/nvm.sh\"",
            ],
        );
        assert_effects(
            ProgramEffect::Changes,
            &["source ./deploy.sh", ". ./a.sh", ". ./env/a.sh"],
        );
    }

    #[test]
    fn output_into_a_file_is_written_but_no_effect() {
        let writes = |command| split_command_parts(command).iter().any(may_write);
        for command in ["cat a > b", "ls | tee b", "cat \"$(ls)\"", "echo `ls`"] {
            assert!(writes(command), "{command}");
            assert_effects(ProgramEffect::Shows, &[command]);
        }
        for command in ["cat a > /dev/stdout/../../a", "ls | tee /dev/null.txt"] {
            assert!(writes(command), "{command}");
        }
        for command in ["cat a 2>&1 >/dev/null", "ls | tee /dev/stderr", "# `a`"] {
            assert!(!writes(command), "{command}");
        }
    }

    #[test]
    fn a_script_of_the_shell_may_write_but_one_of_a_sure_name() {
        let writes = |command| split_command_parts(command).iter().any(may_write);
        for command in [
            "source ./setup_db.sh a",
            ". scripts/profile_wipe.sh a",
            ". ./env_reset.sh",
            "source ./vars.sh",
            "bash -lc 'source ./setup.sh && cat a'",
        ] {
            assert!(writes(command), "{command}");
        }
        for command in [
            "source .venv/bin/activate",
            ". ./.env",
            ". \"$NVM_DIR/nvm.sh\"",
            "bash -lc 'source ~/.bashrc && cat a'",
        ] {
            assert!(!writes(command), "{command}");
        }
    }
}
