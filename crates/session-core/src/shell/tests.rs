use super::*;
use proptest::prelude::*;

fn programs(command: &str) -> Vec<String> {
    let heads = find_pipe_heads(command);
    let programs = heads.iter().filter_map(|head| find_program(&head.text));
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
fn the_value_of_an_option_of_git_is_no_subcommand() {
    for arguments in [
        "commit -m x",
        "-C app -c user.name=ann commit",
        "--git-dir log commit",
        "--no-pager --work-tree . --namespace push commit",
        "--git-dir=app/.git commit",
    ] {
        let subcommand = git_subcommand(arguments.split(' '));
        assert_eq!(subcommand, Some("commit"), "{arguments}");
    }
    assert_eq!(git_subcommand(["--git-dir", "log"]), None);
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
fn an_escaped_quote_ends_no_quote_that_begins_with_a_dollar() {
    let commit = r"git commit -m $'Don\'t leak' && terraform apply";
    assert_eq!(programs(commit).join(" "), "git terraform");
    assert_eq!(programs(r"cat $'it\'s' && rm x").join(" "), "cat rm");
    assert_eq!(programs(r"echo $'a\\' && rm x").join(" "), "echo rm");
}

#[test]
fn each_heredoc_of_a_line_is_skipped() {
    for (script, expected) in [
        (
            "cat <<EOF > a && cat <<EOF > b\nit's\nEOF\nisn't; rm x\nEOF\nmake > out.log",
            "cat cat make",
        ),
        (
            "diff <<A - b; cat <<-B\nrm x\nA\nrm y\n\tB\nls",
            "diff cat ls",
        ),
        ("cat <<A; cat <<B\nrm x\nB\nA\nrm y\nB\nls", "cat cat ls"),
        ("cat <<A && cat $((1 << 2))\nrm x\nA\nls", "cat cat ls"),
    ] {
        assert_eq!(programs(script).join(" "), expected, "{script}");
    }
    let parts = split_command_parts("bash <<A; sh <<B 3<<C\nmake\nA\nls\nB\nwc\nC\nls");
    let texts: Vec<_> = parts.iter().map(|part| part.heredoc).collect();
    assert_eq!(texts, [Some("make\n"), Some("wc\n"), None]);
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

fn words(command: &str) -> Vec<Vec<String>> {
    let parts = split_command_parts(command);
    let words = parts.iter().map(|part| part.words().map(Cow::into_owned));
    words.map(Iterator::collect).collect()
}

#[test]
fn words_are_those_of_a_shell() {
    for (command, expected) in [
        (
            "tee \"my file.txt\" my_file.txt",
            &["tee", "my file.txt", "my_file.txt"][..],
        ),
        ("a\\ b 'c\td'\"e\n_\" _", &["a b", "c\tde\n_", "_"]),
        ("sed -i '' \"\" x=''", &["sed", "-i", "", "", "x="]),
        (
            "grep \"\\.rs\\$ \\\"é \\\nb\" it\\'s",
            &["grep", "\\.rs$ \"é b", "it's"],
        ),
        (
            "cat <<< 'a b' > \"c d\" # 'e f'",
            &["cat", "a b", ">", "c d"],
        ),
        (
            r#"echo $'it\'s\ta "\\"' x$'\n\x41\?' $'' $'a;b'"#,
            &["echo", "it's\ta \"\\\"", "x\n\\x41?", "", "a;b"],
        ),
        // A process id, a dollar, and one in the quotes before.
        (
            r#"$$'a\' \$'b\' \\$'c d' "$"'e\' '$''f g'"#,
            &["$$a\\", "$b\\", "\\c d", "$e\\", "$f g"],
        ),
    ] {
        assert_eq!(words(command), [expected], "{command}");
    }
    assert_eq!(
        words("ls '';(a ' ')"),
        [&["ls", ""][..], &[], &["a", " "], &[]]
    );
}

#[test]
fn a_word_has_its_white_space_in_any_range() {
    let parts = split_command_parts("sudo -u 'a b' X=1 'my tool' 'c d' > 'e f'");
    let [part] = &parts[..] else {
        panic!("{parts:?}");
    };
    let program: Vec<_> = part.plain_words().collect();
    assert_eq!(program, ["my tool", "c d"]);
    let target = part.redirections[0] + 2;
    assert_eq!(part.unquote(target..part.text.len()), "e f");
    assert_eq!(part.unquote(target..target + 1), "e");
    assert_eq!(part.unquote(0..4), "sudo");
}

#[test]
fn a_line_within_a_command_has_its_quotes() {
    for (command, line) in [
        (
            "sudo bash -lc 'cd web && cat \"a b\"'",
            "cd web && cat \"a b\"",
        ),
        ("eval 'make db' \"x  y\"", "make db x  y"),
        ("xargs -n 1 rm 'a b'", "rm 'a b'"),
        ("ssh -p 22 ann@host 'df -h'", "df -h"),
        ("bash <<E\nmake\nE", "make\n"),
    ] {
        let inner = InnerLine::find(&split_command_parts(command)[0]);
        assert_eq!(inner.unwrap().text, line, "{command}");
    }
    let run = |command| find_run_commands(&split_command_parts(command)[0]);
    assert_eq!(
        run("find . -exec ls {} + -name a -ok rm {} \\;"),
        ["ls '{}'", "rm '{}'"]
    );
    assert_eq!(run("poetry run pytest 'a b'"), ["pytest 'a b'"]);
    assert_eq!(run("make all"), [""; 0]);
}

#[test]
fn files_are_edited_in_place_by_option_alone() {
    let edited = |arguments: &[&'static str]| InPlaceEditor::SED.edited(arguments.iter().copied());
    assert_eq!(edited(&["-i", "", "1d", "a b"]), ["a b"]);
    assert_eq!(edited(&["-i", "_", "a"]), ["a"]);
    assert_eq!(edited(&["1d", "a"]), [""; 0]);
    assert!(InPlaceEditor::PERL.is_in_place(["-pi", "-e", "1", "a"].into_iter()));
}

/// Returns a word as `$'…'`.
fn ansi_c_quote(word: &str) -> String {
    let escaped = word.replace('\\', r"\\").replace('\'', r"\'");
    format!("$'{}'", escaped.replace('\n', r"\n"))
}

proptest! {
    #[test]
    fn words_in_ansi_c_quotes_are_read_back(
        given in prop::collection::vec("[ab_\\- \t\n'\"\\\\$`;|&>()#*=é]{0,6}", 1..6)
    ) {
        let quoted: Vec<String> = given.iter().map(|word| ansi_c_quote(word)).collect();
        let command = quoted.join(" ");
        prop_assert_eq!(words(&command), [given], "{}", command);
    }

    #[test]
    fn quoted_words_are_read_back(
        given in prop::collection::vec("[ab_\\- \t\n'\"\\\\$`;|&>()#*=é]{0,6}", 1..6)
    ) {
        let command = shlex::try_join(given.iter().map(String::as_str)).unwrap();
        prop_assert_eq!(words(&command), [given], "{}", command);
    }

    #[test]
    fn words_without_quotes_are_those_of_the_text(command in "[ab_=é \\-<>;|&$(#\n]{0,40}") {
        for part in split_command_parts(&command) {
            let text: Vec<&str> = part.text.split_whitespace().collect();
            prop_assert_eq!(part.words().collect::<Vec<_>>(), text);
            let program: Vec<&str> = words_from_program(&part.text).collect();
            prop_assert_eq!(part.program_words().collect::<Vec<_>>(), program);
        }
    }

    #[test]
    fn any_command_has_as_many_words_as_its_text(command in ".{0,40}|[ab '\"\\\\<>;\n]{0,40}") {
        for part in split_command_parts(&command) {
            prop_assert_eq!(part.words().count(), part.text.split_whitespace().count());
        }
    }
}
