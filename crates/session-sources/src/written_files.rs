//! The files that a command of a shell writes: targets of redirections, files of `tee`, and those that `sed -i` and
//! `perl -i` edit in place.

use crate::project::PATH_LIMIT;
use session_core::shell::{
    CommandPart, InPlaceEditor, WorkingDirectory, split_command_parts, words_from_program,
};
use session_core::{ToolCall, join_path, text};
use std::borrow::Cow;

/// Most files of one command.
const MAX_FILES: usize = 100;

/// Most words of one command that are looked at.
const MAX_CANDIDATES: usize = 300;

/// Directories of files that belong to no project.
const OUTSIDE_PROJECTS: [&str; 8] = [
    "/dev/",
    "/proc/",
    "/tmp/",
    "/private/tmp/",
    "/var/tmp/",
    "/private/var/tmp/",
    "/var/folders/",
    "/private/var/folders/",
];

/// The directory of temporary files below the home of a user of Windows, in lower case.
const WINDOWS_TEMP: &str = "/appdata/local/temp/";

/// Adds the files that the command of a call writes. `directory` is the one that the call itself names, if any.
pub(crate) fn add_written_files(call: &mut ToolCall, directory: &str) {
    // Of a command of this program nothing is kept.
    let is_kept = |command: &&str| may_name_file(command) && call.kept_command().is_some();
    let command = call.command.as_deref().filter(is_kept);
    // PowerShell has another syntax.
    let Some(command) = command.filter(|_| call.name != "PowerShell") else {
        return;
    };
    for path in find_written_files(command) {
        let path = join_path(directory, path);
        if !call.files.contains(&path) {
            call.files.push(path);
        }
    }
}

/// Returns false for a command that surely writes no file: most are not taken apart.
fn may_name_file(command: &str) -> bool {
    let is_file = |(at, _): (usize, &str)| {
        let target = command[at + 1..].trim_start_matches(['>', '|', ' ']);
        !target.starts_with('&') && !target.starts_with("/dev/")
    };
    let edits = |word: &str| word.starts_with('-') && word.contains(['i', 'I']);
    command.match_indices('>').any(is_file)
        || command.contains("tee ")
        || ((command.contains("sed ") || command.contains("perl "))
            && command.split_ascii_whitespace().any(edits))
}

/// Returns the files that a command writes, from its first directory on.
fn find_written_files(command: &str) -> Vec<String> {
    let mut files = Vec::new();
    let mut directory = WorkingDirectory::at_start();
    let mut is_condition = false;
    let mut candidates = 0;
    for part in split_command_parts(command) {
        is_condition |= words_from_program(&part.text).next() == Some("[[");
        // A `>` of a condition compares.
        let words = if is_condition {
            Vec::new()
        } else {
            written_by(&part)
        };
        for word in words {
            candidates += 1;
            if files.len() == MAX_FILES || candidates > MAX_CANDIDATES {
                return files;
            }
            let path = path_from_directory(&directory, word);
            files
                .extend(path.filter(|path| path.len() <= PATH_LIMIT && !is_outside_projects(path)));
        }
        is_condition &= part.text.split_whitespace().all(|word| word != "]]");
        directory.read(&part);
    }
    files
}

/// Returns a path from a directory on; `None` for a relative one where the directory is not known, or is no literal
/// either.
fn path_from_directory(directory: &WorkingDirectory, path: String) -> Option<String> {
    let is_known = |directory: &&str| directory.is_empty() || is_literal(directory);
    match directory.path().filter(is_known) {
        Some(directory) => Some(join_path(directory, path)),
        None => Some(path).filter(|path| path.starts_with(['/', '~'])),
    }
}

fn is_outside_projects(path: &str) -> bool {
    let folded = path.replace('\\', "/").to_ascii_lowercase();
    OUTSIDE_PROJECTS.iter().any(|root| path.starts_with(root))
        || folded.contains(WINDOWS_TEMP)
        || text::file_name(&folded) == "nul"
}

/// Returns the words that may be files which a simple command writes.
fn written_by(part: &CommandPart<'_>) -> Vec<String> {
    let targets = redirection_targets(part).map(Cow::into_owned);
    let words = targets.chain(edited_operands(part));
    words.filter(|word| is_literal(word)).collect()
}

/// Returns the words after the `>` of a simple command.
fn redirection_targets<'p>(part: &'p CommandPart<'_>) -> impl Iterator<Item = Cow<'p, str>> {
    part.redirections.iter().filter_map(|at| {
        let (before, rest) = part.text.split_at_checked(*at)?;
        // The target of `>>` is that of its first `>`; `->` and `=>` are of a text.
        if before.ends_with(['>', '-', '=']) {
            return None;
        }
        let target = rest.trim_start_matches('>').trim_start_matches('|');
        let target = target.trim_start();
        let start = part.text.len() - target.len();
        let end = target.find(|c: char| c.is_whitespace() || "<>".contains(c));
        Some(part.unquote(start..start + end.unwrap_or(target.len())))
    })
}

/// Returns false for a word that is a stream, or in which a shell puts something in the place of a part.
fn is_literal(word: &str) -> bool {
    let is_replaced = |c: char| "$*?{}`!'\"\\".contains(c) || c.is_control();
    let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
    !is_number && !word.contains(is_replaced) && !word.starts_with(['&', '='])
}

/// Returns the operands of a simple command that its program writes.
fn edited_operands(part: &CommandPart<'_>) -> Vec<String> {
    let words: Vec<Cow<'_, str>> = part.plain_words().collect();
    let mut words = words.iter().map(AsRef::as_ref);
    let program = words.next().map(text::file_name).unwrap_or_default();
    let words = words.take_while(|word| !word.starts_with('<'));
    let operands: Vec<&str> = match program {
        "tee" => words.filter(|word| !word.starts_with('-')).collect(),
        "sed" | "gsed" => InPlaceEditor::SED.edited(words),
        "perl" => InPlaceEditor::PERL.edited(words),
        _ => Vec::new(),
    };
    operands.into_iter().map(str::to_owned).collect()
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
            ("(cd web && make > log) && echo x > a", "web/log | a"),
            ("(make; cd sub); echo x > a.txt", "a.txt"),
            (
                "make 2>&1 | tee -a logs/make.log | tail -5",
                "logs/make.log",
            ),
            (
                "echo x | sudo tee /etc/hosts a.conf > /dev/null",
                "/etc/hosts | a.conf",
            ),
            ("echo x | tee >/dev/null a.txt", "a.txt"),
            ("sed -i 2>/dev/null s/a/b/ f.txt", "f.txt"),
            ("cd /w/app/../lib && echo x > y", "/w/lib/y"),
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
            ("cat <<EOF\n  EOF\nx > a\nEOF\necho x > b", "b"),
            (
                "cat <<'END OF' > a; echo x > b\nx > c\nEND OF\necho x > d",
                "a | b | d",
            ),
            ("make > a/nul.txt; make > tmp/b", "a/nul.txt | tmp/b"),
            (
                "cd \"$DIR\" && echo x > a.txt > /home/ann/b.txt",
                "/home/ann/b.txt",
            ),
        ] {
            assert_eq!(files(command), expected, "{command}");
        }
    }

    #[test]
    fn a_file_has_the_white_space_of_its_quotes() {
        for (command, expected) in [
            ("tee \"my file.txt\" < my_file.txt", "my file.txt"),
            ("cat my_file.txt > 'my file.txt'", "my file.txt"),
            (
                "tee a\\ b \"c\"d_e '' <<< f.txt; sed -i '' 1d 'g h' i_j",
                "a b | cd_e | g h | i_j",
            ),
            (
                "cd 'my app' && make > \"out put.log\"; cd ../my_app && make > a",
                "my app/out put.log | my app/../my_app/a",
            ),
        ] {
            assert_eq!(files(command), expected, "{command}");
        }
    }

    #[test]
    fn a_file_is_in_the_directory_of_its_command() {
        for (command, expected) in [
            ("cd a || exit 1\necho x > b; cd c ||\n echo x > d", "a/b"),
            ("command cd a && cd b && make > c", "a/b/c"),
            (
                "cd a && make | tee b || echo x > c; (( d > e )) && echo x > f",
                "a/b | a/f",
            ),
            ("(make > a && cd b); make > c", "a | c"),
            (
                "cd a; if make; then echo x > b; fi; (make > c); $(make > d)",
                "a/b | a/c | a/d",
            ),
            ("if cd a; then echo x > /b; fi", "/b"),
        ] {
            assert_eq!(files(command), expected, "{command}");
        }
    }

    #[test]
    fn operands_are_files_where_each_reading_agrees() {
        for (command, expected) in [
            (
                "sed -l 5 -i 1d a; sed -nl5 -i 1d b; sed --line-length 5 -i 1d c",
                "a | b | c",
            ),
            (
                "sed -i bak 's/a/b/' a; sed -i .bak -e 1d b; sed -i old -e 1d c",
                "a | b | c",
            ),
            (
                "sed -I '' 's/a/b/' a; sed -I .bak 1d b; sed -e 1d -i '' c",
                "a | b | c",
            ),
            (
                "sed -e 1d -i Makefile; sed -e 1d -i .env; sed -i -- 1d -x",
                "Makefile | .env | -x",
            ),
            ("perl -I lib -mList::Util=first -pi -e 's/a/b/' a", "a"),
        ] {
            assert_eq!(files(command), expected, "{command}");
        }
    }

    #[test]
    fn what_is_no_file_of_a_project_is_left_out() {
        for command in [
            "make > /dev/null 2>&1; ls >&2; cat a > /tmp/x; cat b > $OUT; ls > *.txt; ls > `date`",
            "ssh host \"cat > x\"; bash -c 'echo > y'; echo 'a > b' # > c",
            "sed -n '1,60p' a.rs | grep -i x; perl -ne 'print if 1 > 0' b.pl",
            "tee <<< text.txt; pip install a>=1; [[ a > b ]]; if ! [[ $a > c ]]; then ls; fi; awk '$1 > 3' c; node -e 'x => y'",
            "session-search show 1f2e > out.md",
            "sed -i 's/a/b/'",
            "for d in a b; do cd $d && make > log.txt; cd ..; done; echo x > a.txt",
            "for d in a b; do make; cd $d; done; echo x > a.txt",
            "if cd sub; then echo x > a.txt; fi; echo x > b.txt",
            "cd sub & echo x > a.txt",
            "cd sub && make & echo x > a.txt",
            "cd sub && (make; ls) & echo x > a.txt",
            "cd sub | cat; echo x > a.txt",
            "make | cd sub; echo x > a.txt",
            "test -d sub && cd sub; echo x > a.txt",
            "make || cd sub; echo x > a.txt",
            "cd sub || { ls; echo x > a.txt; }",
            "f() { cd sub; }; f; echo x > a.txt",
            "case $x in a) cd sub;; esac; echo x > a.txt",
            "time cd sub; echo x > a.txt",
            "if [[ $a > b ]]; then ls; fi; ! [[ $a > b ]]; while [[ $a > limit ]]; do ls; done",
            "[[ $a && $b > c ]] && ls; [[ ( $a > b ) || $c > d ]]",
            "(( count > limit )); while ((a > b)); do ls; done",
            "make > /private/var/folders/x/a; make > /private/var/tmp/a; make > nul; make 2>NUL",
            "make > C:/Users/Ann/AppData/Local/Temp/a.txt; cd /c/users/ann/appdata/local/temp && make > a",
            "perl -mList::Util=first -ne 'print' a; perl -d:Profile a.pl b; perl -V:ivsize a b; perl a.pl -i b",
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

    #[test]
    fn files_of_a_long_command_are_limited() {
        let operands: String = (0..200_000).map(|at| format!(" a{at}")).collect();
        let found = files(&format!("sed -i s/a/b/{operands}"));
        assert_eq!(found.split(" | ").count(), MAX_FILES);
        assert_eq!(
            files(&format!("sed -i s/a/b/{}", operands.replace('a', "/tmp/"))),
            ""
        );
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
