//! Completions and man pages.

use crate::environment::TestEnvironment;

#[test]
fn every_shell_learns_the_commands() {
    let env = TestEnvironment::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = env.run(&["completions", shell]).succeeded().stdout();
        for word in ["search", "resume", "exclude-session"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    env.run(&["completions", "tcsh"]).exits(2);
}

#[cfg(unix)]
#[test]
fn bash_takes_its_completions() {
    let env = TestEnvironment::new();
    let script = env.path("completions.bash");
    let text = env.run(&["completions", "bash"]).succeeded().stdout();
    fs_err::write(&script, text).unwrap();
    let Ok(checked) = std::process::Command::new("bash")
        .arg("-n")
        .arg(&script)
        .output()
    else {
        return; // no bash here
    };
    assert!(checked.status.success(), "{checked:?}");
    let folder = env.path("files");
    fs_err::create_dir(&folder).unwrap();
    fs_err::write(folder.join("a page.html"), "").unwrap();
    let complete = |words: &str| {
        let asked = format!(
            "source \"$0\"; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1));
             _session__search session-search \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD - 1]}}\"; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        );
        let mut bash = std::process::Command::new("bash");
        bash.arg("-c").arg(asked).arg(&script).current_dir(&folder);
        let found = bash.output().unwrap();
        String::from_utf8(found.stdout).unwrap()
    };
    for (words, expected) in [
        ("session-search mem", "memory"),
        ("session-search memory sa", "save"),
        ("session-search search --sou", "--source"),
        ("session-search export --format mark", "markdown"),
        ("session-search search --source = cl", "claude"),
        ("session-search export --output a", "a page.html"),
        ("session-search search --file a", "a page.html"),
        // The word as it is: no files are listed.
        ("session-search search --depth a", "a"),
    ] {
        let offered = complete(words);
        assert!(
            offered.lines().any(|line| line == expected),
            "{words}: {offered}"
        );
    }
}

#[test]
fn the_page_and_those_of_the_commands() {
    let env = TestEnvironment::new();
    let page = env.run(&["man"]).succeeded().stdout();
    assert!(page.contains(".TH session-search 1"), "{page}");
    let folder = env.path("man1");
    env.run(&["man", "--to", folder.to_str().unwrap()])
        .succeeded();
    for name in ["session-search.1", "session-search-search.1"] {
        let page = fs_err::read_to_string(folder.join(name)).unwrap();
        assert!(page.contains(".SH NAME"), "{name}");
    }
}

#[test]
fn a_folder_that_cannot_be_is_an_error() {
    let env = TestEnvironment::new();
    let file = env.path("file");
    fs_err::write(&file, "").unwrap();
    env.run(&["man", "--to", file.to_str().unwrap()]).exits(2);
}
