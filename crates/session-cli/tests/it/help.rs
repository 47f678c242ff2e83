//! The manual: the help of each command.

use crate::environment::{TestEnvironment, redact_snapshots};
use insta::assert_snapshot;

fn help(command: &[String]) -> String {
    TestEnvironment::new()
        .run(&[command, &["--help".to_owned()]].concat())
        .succeeded()
        .stdout()
}

/// The commands that a help lists.
fn listed(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|l| *l != "Commands:").skip(1);
    let names = lines.take_while(|l| !l.is_empty());
    let names = names.filter_map(|l| l.strip_prefix("  ")?.split(' ').next());
    let names = names.filter(|name| !name.is_empty() && *name != "help");
    names.map(str::to_owned).collect()
}

/// Every command that there is, and those below it. `docs/cli.md` has the options of each, which a test of the parser
/// compares; how a help looks is shown by two.
#[test]
fn help_of_each_command() {
    let _redactions = redact_snapshots();
    let mut left = vec![Vec::new()];
    while let Some(command) = left.pop() {
        let said = help(&command);
        for name in listed(&said) {
            left.push([command.clone(), vec![name]].concat());
        }
        let file = [&["help".to_owned()], &command[..]].concat().join("-");
        if ["help", "help-search"].contains(&file.as_str()) {
            assert_snapshot!(file, said);
        }
    }
}

#[test]
fn what_all_commands_take_stands_last() {
    let said = help(&["resume".to_owned()]);
    let options = said
        .lines()
        .filter_map(|line| line.trim().strip_prefix("--"));
    let names: Vec<&str> = options.filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(names, ["fork", "print", "json", "quiet"], "{said}");
}

#[test]
fn no_command_is_an_error() {
    let ran = TestEnvironment::new().run(&[""; 0]).exits(2);
    assert_eq!(ran.stdout(), "");
    assert_snapshot!(ran.stderr(), @r"
    error: no command is given, and the picker needs a terminal
    hint: `session-search search QUERY` prints what it finds, `session-search --help` lists the commands
    ");
}

/// The words of an example, as a shell reads them.
fn words(line: &str) -> Vec<String> {
    let parts = line.split('"').enumerate();
    let words = |(n, part): (usize, &str)| match n % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect(),
        _ => vec![part.to_owned()],
    };
    parts.flat_map(words).collect()
}

#[test]
fn the_example_of_memory_finds_what_it_saves() {
    let env = TestEnvironment::unconfigured();
    let said = help(&["memory".to_owned()]).replace(" \\\n", " ");
    let run = |command: &str| {
        let line = said.lines().find(|line| line.contains(command));
        env.run(&words(line.unwrap())[1..]).succeeded()
    };
    run(" memory save ");
    let found = run(" memory search ").stdout();
    assert!(found.contains("Requests time out under load"), "{found}");
}

#[test]
fn a_query_without_a_command_is_told_the_search() {
    let env = TestEnvironment::new();
    let said = env.run(&["docker", "bridge"]).exits(2).stderr();
    let tip = "tip: to search for it, run 'session-search search \"docker bridge\"'";
    assert!(said.contains(tip), "{said}");
    let said = env.run(&["memory", "docker"]).exits(2).stderr();
    assert!(!said.contains("to search for it"), "{said}");
}

#[test]
fn a_value_is_refused_in_words_of_a_person() {
    let env = TestEnvironment::new();
    for (command, reason) in [
        (
            &["search", "x", "--limit", "-1"][..],
            "not a whole number from 1 on",
        ),
        (&["search", "x", "--days", "abc"], "not a number of days"),
        (
            &["setup", "--keep-history", "abc"],
            "not a number of days from 1 to 36500",
        ),
        (&["forget", "--undo", "abc"], "not the number of an entry"),
        (
            &["memory", "save", "--kind", "hunch"],
            "[possible values: decision, known-issue, context, preference, todo]",
        ),
    ] {
        let said = env.run(command).exits(2).stderr();
        assert!(said.contains(reason) && !said.contains("tip:"), "{said}");
    }
    let said = env.run(&["memory", "save"]).exits(2).stderr();
    assert!(said.contains("hint: give --topic and --info"), "{said}");
}

#[test]
fn completions_offer_the_names_that_options_take() {
    let env = TestEnvironment::new();
    let script = env.run(&["completions", "bash"]).succeeded().stdout();
    for names in [
        "decision known-issue context preference todo",
        "high normal low",
    ] {
        assert!(
            script.contains(&format!("compgen -W \"{names}\"")),
            "{names}"
        );
    }
    assert!(script.contains("compgen -W \"claude "));
}
