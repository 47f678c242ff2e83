//! The files that a command of a shell writes: targets of redirections, files of `tee`, and those that `sed -i` and
//! `perl -i` edit in place.

use crate::project::{PATH_LIMIT, path_in};
use session_core::shell::{CommandPart, find_cd_target, split_command_parts, words_from_program};
use session_core::{ToolCall, text};

/// Most files of one command.
const MAX_FILES: usize = 100;

/// Directories of files that belong to no project.
const OUTSIDE_PROJECTS: [&str; 6] = [
    "/dev/",
    "/proc/",
    "/tmp/",
    "/private/tmp/",
    "/var/tmp/",
    "/var/folders/",
];

/// Programs that change the directory for the commands after them.
const DIRECTORY_CHANGERS: [&str; 3] = ["cd", "pushd", "popd"];

/// Adds the files that the command of a call writes. `directory` is the one that the call itself names, if any.
pub(crate) fn add_written_files(call: &mut ToolCall, directory: &str) {
    // Of a command of this program nothing is kept.
    let is_kept = |command: &&str| may_write(command) && call.kept_command().is_some();
    let command = call.command.as_deref().filter(is_kept);
    // PowerShell has another syntax.
    let Some(command) = command.filter(|_| call.name != "PowerShell") else {
        return;
    };
    for path in find_written_files(command) {
        let path = path_in(directory, path);
        if !call.files.contains(&path) {
            call.files.push(path);
        }
    }
}

/// Returns false for a command that surely writes no file: most are not taken apart.
fn may_write(command: &str) -> bool {
    let is_file = |(at, _): (usize, &str)| {
        let target = command[at + 1..].trim_start_matches(['>', '|', ' ']);
        !target.starts_with('&') && !target.starts_with("/dev/")
    };
    let edits = |word: &str| word.starts_with('-') && word.contains('i');
    command.match_indices('>').any(is_file)
        || command.contains("tee ")
        || ((command.contains("sed ") || command.contains("perl "))
            && command.split_ascii_whitespace().any(edits))
}

/// Returns the files that a command writes, from its first directory on.
fn find_written_files(command: &str) -> Vec<String> {
    let mut files = Vec::new();
    let mut directory = Some(String::new());
    // After its end the directory is the one before it.
    let has_subshell = command.contains("(cd ") || command.contains("(pushd ");
    for part in split_command_parts(command) {
        if changes_directory(&part) {
            let target = changed_directory(&part).filter(|_| !has_subshell);
            directory = directory.zip(target).map(|(from, to)| path_in(&from, to));
            continue;
        }
        for path in written_by(&part) {
            let is_known = path.starts_with(['/', '~']) || directory.is_some();
            let path = path_in(directory.as_deref().unwrap_or_default(), path);
            let is_outside = OUTSIDE_PROJECTS.iter().any(|root| path.starts_with(root));
            if is_known && !is_outside && path.len() <= PATH_LIMIT && files.len() < MAX_FILES {
                files.push(path);
            }
        }
    }
    files
}

fn changes_directory(part: &CommandPart<'_>) -> bool {
    let first = part.text.split_whitespace().next();
    first.is_some_and(|word| DIRECTORY_CHANGERS.contains(&word))
}

/// Returns the directory that a `cd` changes to, where its text names it.
fn changed_directory(part: &CommandPart<'_>) -> Option<String> {
    let target = find_cd_target(&part.text).filter(|target| !target.starts_with('-'))?;
    typed_path(target, part.source).filter(|path| path.len() <= PATH_LIMIT)
}

/// Returns the paths of the files that a simple command writes.
fn written_by(part: &CommandPart<'_>) -> impl Iterator<Item = String> {
    let targets = redirection_targets(part).filter_map(|target| typed_path(target, part.source));
    // The word after `<<<` is the input of the program.
    let arguments = part.source.split("<<<").next().unwrap_or_default();
    let edited = edited_operands(part).into_iter();
    targets.chain(edited.filter_map(move |operand| typed_path(operand, arguments)))
}

/// Returns the words after the `>` of a simple command.
fn redirection_targets<'p>(part: &'p CommandPart<'_>) -> impl Iterator<Item = &'p str> {
    // Those of a condition compare.
    let is_condition = part.text.trim_start().starts_with("[[");
    let redirections = part.redirections.iter().filter(move |_| !is_condition);
    redirections.filter_map(|at| {
        let (before, rest) = part.text.split_at_checked(*at)?;
        // The target of `>>` is that of its first `>`; `->` and `=>` are of a text.
        if before.ends_with(['>', '-', '=']) {
            return None;
        }
        let target = rest.trim_start_matches('>').trim_start_matches('|');
        let target = target.split_whitespace().next()?;
        target.split(['<', '>']).next()
    })
}

/// Returns the path that a word of a simple command is, where the command's source has it as it is; spaces in quotes are
/// `_` in the word. None for a stream, and where a shell puts something in the place of a part.
fn typed_path(word: &str, source: &str) -> Option<String> {
    let is_replaced = |c: char| "$*?{}`!'\"\\".contains(c) || c.is_control();
    let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
    if is_number || word.contains(is_replaced) || word.starts_with(['&', '=']) {
        return None;
    }
    if source.contains(word) {
        return Some(word.to_owned());
    }
    let with_spaces = word.replace('_', " ");
    source.contains(&with_spaces).then_some(with_spaces)
}

/// Returns the operands of a simple command that its program writes.
fn edited_operands<'p>(part: &'p CommandPart<'_>) -> Vec<&'p str> {
    let arguments = match part.redirections.first() {
        Some(at) => without_stream(part.text.get(..*at).unwrap_or_default()),
        None => part.text.as_str(),
    };
    let mut words = words_from_program(arguments);
    let program = words.next().map(text::file_name).unwrap_or_default();
    let words = words.take_while(|word| !word.starts_with('<'));
    match program {
        "tee" => words.filter(|word| !word.starts_with('-')).collect(),
        "sed" | "gsed" => edited_in_place(words, "ef", ""),
        "perl" => edited_in_place(words, "eE", "MIFC"),
        _ => Vec::new(),
    }
}

/// Returns the text before a `>` without the number of its stream: `2` of `2>`.
fn without_stream(text: &str) -> &str {
    let rest = text.trim_end_matches(|c: char| c.is_ascii_digit() || c == '&');
    if rest.ends_with(char::is_whitespace) {
        rest
    } else {
        text
    }
}

/// Returns the files among the arguments of a program that edits them in place with `-i`; none without it. The first operand
/// is the script, unless an option of `script_letters` has it; those of `value_letters` have a value in the same word.
fn edited_in_place<'w>(
    words: impl Iterator<Item = &'w str>,
    script_letters: &str,
    value_letters: &str,
) -> Vec<&'w str> {
    let mut words = words.peekable();
    let (mut is_in_place, mut has_script) = (false, false);
    let mut operands = Vec::new();
    while let Some(word) = words.next() {
        let Some(option) = word.strip_prefix('-') else {
            operands.push(word);
            continue;
        };
        if let Some(name) = option.strip_prefix('-') {
            is_in_place |= name.starts_with("in-place");
            let is_script = name.starts_with("expression") || name.starts_with("file");
            has_script |= is_script;
            if is_script && !name.contains('=') {
                words.next();
            }
            continue;
        }
        let is_valued =
            |c: char| c == 'i' || script_letters.contains(c) || value_letters.contains(c);
        let Some((at, letter)) = option.char_indices().find(|(_, c)| is_valued(*c)) else {
            continue;
        };
        let takes_next = at + letter.len_utf8() == option.len();
        if letter == 'i' {
            is_in_place = true;
            // Where the suffix of the backup is a word of its own, it is that of macOS: `''` or `.bak`.
            if takes_next && !has_script {
                words.next_if(|word| is_suffix(word));
            }
        } else if script_letters.contains(letter) {
            has_script = true;
            if takes_next {
                words.next();
            }
        }
    }
    if !is_in_place {
        return Vec::new();
    }
    operands.drain(..usize::from(!has_script).min(operands.len()));
    operands
}

fn is_suffix(word: &str) -> bool {
    word == "_" || word.starts_with('.') && !word.contains('/')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn files(command: &str) -> String {
        let mut call = ToolCall {
            name: "Bash".into(),
            command: Some(command.into()),
            ..ToolCall::default()
        };
        add_written_files(&mut call, "");
        call.files.join(" | ")
    }

    #[test]
    fn files_are_found_where_a_shell_writes_them() {
        for (command, expected) in [
            (
                "cat >> a/b_test.go <<EOF\nx > y\nsed -i s/a/b/ z\nEOF",
                "a/b_test.go",
            ),
            (
                "cat <<'EOF'>lamp.txt\nit's > \"x\nEOF\necho x > y.txt",
                "lamp.txt | y.txt",
            ),
            ("sed -i '' s/x/y/ RemediateTab.tsx", "RemediateTab.tsx"),
            (
                "sed -i 's/a b/c/; s/d/e/' src/a.rs src/b.rs 2>&1",
                "src/a.rs | src/b.rs",
            ),
            ("sed -i.bak -E -e 's/a/b/' -e 's/c/d/' Makefile", "Makefile"),
            (
                "gsed --in-place --expression='s/a/b/' a.py 2>err.log",
                "err.log | a.py",
            ),
            (
                "perl -pi -e 's/a/b/' lib/a.pl && perl -0777 -i.orig -pe 's/c/d/' b.pl",
                "lib/a.pl | b.pl",
            ),
            (
                "cd /home/ann/app && cat > src/main.rs <<'EOF'\nfn main() {}\nEOF",
                "/home/ann/app/src/main.rs",
            ),
            (
                "cd web\nnpm run build > build.log 2>&1\ncd ..; echo ok >done.txt",
                "web/build.log | web/../done.txt",
            ),
            (
                "make 2>&1 | tee -a logs/make.log | tail -5",
                "logs/make.log",
            ),
            (
                "echo x | sudo tee /etc/hosts a.conf > /dev/null",
                "/etc/hosts | a.conf",
            ),
            ("cat <<EOF | tee .env.local\nA=1\nEOF", ".env.local"),
            (
                "make &> all.log; make >| again.log; ls 2> \"my notes.txt\"",
                "all.log | again.log | my notes.txt",
            ),
            (
                "for f in *.go; do sed -i 's/a/b/' \"$f\"; done; printf 'x\\n' >> \"CHANGES\"",
                "CHANGES",
            ),
            (
                "git commit -m \"$(cat <<'EOF'\nSay \"lamp\n> or -> valve > pump\nEOF\n)\" && echo x > y",
                "y",
            ),
            (
                "cd \"$DIR\" && echo x > a.txt > /home/ann/b.txt",
                "/home/ann/b.txt",
            ),
        ] {
            assert_eq!(files(command), expected, "{command}");
        }
    }

    #[test]
    fn what_is_no_file_of_a_project_is_left_out() {
        for command in [
            "(cd web && make) && echo x > a.txt",
            "make > /dev/null 2>&1; ls >&2; cat a > /tmp/x; cat b > $OUT; ls > *.txt; ls > `date`",
            "ssh host \"cat > x\"; bash -c 'echo > y'; echo 'a > b' # > c",
            "sed -n '1,60p' a.rs | grep -i x; perl -ne 'print if 1 > 0' b.pl",
            "tee <<< text.txt; pip install a>=1; [[ a > b ]]; awk '$1 > 3' c; node -e 'x => y'",
            "session-search show 1f2e > out.md",
            "sed -i 's/a/b/'",
        ] {
            assert_eq!(files(command), "", "{command}");
        }
    }

    #[test]
    fn files_are_from_the_directory_of_the_call() {
        let mut call = ToolCall {
            name: "Bash".into(),
            command: Some("cd src && echo x > a.rs; echo x > /b.rs".into()),
            files: vec!["web/src/a.rs".into()],
            ..ToolCall::default()
        };
        add_written_files(&mut call, "web");
        assert_eq!(call.files, ["web/src/a.rs", "/b.rs"]);
        call.files.clear();
        call.name = "PowerShell".into();
        add_written_files(&mut call, "web");
        assert_eq!(call.files, [""; 0]);
    }

    proptest! {
        #[test]
        fn any_command_has_paths_without_line_ends(
            words in prop::collection::vec("(sed|perl|tee|cat|cd|-i|-e|>|>>|2>&1|&>|<<E|<<<|E|\"|'|\\$\\(|\\)|\n| |;|a/b|é_|.{0,6})", 0..40)
        ) {
            let found = files(&words.join(" "));
            prop_assert!(!found.contains(['\n', '$', '*', '`']), "{found}");
            files(&words.concat());
        }
    }
}
