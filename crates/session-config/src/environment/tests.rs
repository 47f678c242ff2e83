use super::*;

#[test]
fn on_windows_the_case_of_a_name_does_not_count() {
    assert_eq!(fold_name("Path".to_owned(), true), "PATH");
    assert_eq!(fold_name("Path".to_owned(), false), "Path");
}

#[cfg(not(windows))] // its paths are none there
#[test]
fn the_reason_of_a_removal_is_told() {
    for (name, value, reason) in [
        ("SESSION_SEARCH_HOME", "/proc/x", "in /proc or /dev"),
        ("SESSION_SEARCH_HOME", "index", "a relative path"),
        ("XDG_DATA_HOME", "/nope/../home", "a path with `..`"),
        ("CLAUDE_CONFIG_DIR", "/srv/ok, x", "a relative path"),
        ("XDG_CONFIG_HOME", "/home/ann/app", "a path in a project"),
        ("HF_ENDPOINT", "file:///x", "no http or https address"),
        ("EDITOR", "./edit.sh", "a file of a project"),
    ] {
        let explanation = explain_removal(name, OsStr::new(value));
        assert!(
            explanation.contains(reason),
            "{name}={value}: {explanation}"
        );
    }
}

#[test]
fn the_path_in_a_project_and_its_mark_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let real = fs_err::canonicalize(folder.path()).unwrap();
    let clone = real.join("clone/.claude");
    for path in [&clone, &real.join("clone/.git"), &real.join("out/.claude")] {
        fs_err::create_dir_all(path).unwrap();
    }
    let list = format!(
        "{}, {}",
        real.join("out/.claude").display(),
        clone.display()
    );
    let explanation = explain_removal("CLAUDE_CONFIG_DIR", OsStr::new(&list));
    let mark = real.join("clone/.git");
    let (clone, mark) = (clone.display(), mark.display());
    let expected = format!("it names `{clone}` in a project, which `{mark}` marks");
    assert!(explanation.starts_with(&expected), "{explanation}");
}

#[cfg(not(windows))] // its paths are none there
#[test]
fn variables_that_lead_into_the_project_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    let real = fs_err::canonicalize(folder.path()).unwrap();
    let account = "account/.codex";
    let gem = "gem/.gemini";
    for path in [
        "home",
        "p/.git",
        "p/bin",
        "p/in/.claude",
        "out",
        account,
        gem,
    ] {
        fs_err::create_dir_all(real.join(path)).unwrap();
    }
    for file in ["p/bin/less", "p/in/edit.sh", "p/vimrc", "p/x"] {
        fs_err::write(real.join(file), "").unwrap();
    }
    let check = |name: &str, value: &str, is_refused: bool| {
        let value = value.replace("ROOT", &real.display().to_string());
        let path = format!("{}/p/bin:/usr/bin", real.display());
        let set = [(name, value.as_str()), ("PATH", &path)];
        let set = set.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let mut vars = HashMap::from(set);
        let refused = remove_untrusted(&mut vars, &real.join("home"), &real.join("p/in"));
        assert_eq!(!refused.is_empty(), is_refused, "{name}={value}");
        assert_eq!(!vars.contains_key(name), is_refused, "{name}={value}");
    };
    check("SESSION_SEARCH_HOME", "index", true);
    check("SESSION_SEARCH_HOME", "../../out/index", true);
    check("SESSION_SEARCH_HOME", "ROOT/out/index", false);
    check("SESSION_SEARCH_HOME", "x://index", true);
    check("XDG_DATA_HOME", "/proc/self/cwd/x://d", true);
    check("XDG_DATA_HOME", "/nope/../home/x", true);
    check("SESSION_SEARCH_CONFIG", "ROOT/p/.claude", true);
    check("XDG_CONFIG_HOME", "ROOT/out", false);
    check("CLAUDE_CONFIG_DIR", "ROOT/p/in, in", true);
    check("CODEX_HOME", "ROOT/out, ROOT/p/in", true);
    check("OPENCODE_DB", "~/x.db", false);
    check("OPENCODE_DB", "~//proc/self/cwd/x.db", true);
    check("CODEX_HOME", "ROOT/account/.codex", false);
    check("GEMINI_CLI_HOME", "ROOT/gem", false);
    check("CODEX_HOME", "ROOT/gem", true);
    check("GEMINI_CLI_HOME", "ROOT/p", true);
    check("HF_ENDPOINT", "file://ROOT/p/hub", true);
    check("HF_ENDPOINT", "https://hub.example", false);
    check("EDITOR", "./edit.sh", true);
    check("EDITOR", "vim -u ROOT/p/vimrc", true);
    check("EDITOR", "vim", false);
    check("EDITOR", "sh edit.sh", true);
    check("EDITOR", "sed -i s/a/b/", false);
    check("EDITOR", "sh -c 'ROOT/p/x'", true);
    check("PAGER", "less -R", true); // `PATH` finds it in the project
    check("HF_ENDPOINT", "conf", true);
    check("PAGER", "/usr/bin/more", false);
}

#[cfg(not(windows))] // its paths are none there
#[test]
fn of_a_list_the_bad_entries_are_removed_alone() {
    let folder = tempfile::tempdir().unwrap();
    let real = fs_err::canonicalize(folder.path()).unwrap();
    for path in ["home", "p/.git", "p/in", "out"] {
        fs_err::create_dir_all(real.join(path)).unwrap();
    }
    let out = real.join("out").display().to_string();
    let list = format!("{out}, {}/p/in,relative, ~/.claude", real.display());
    let name = "CLAUDE_CONFIG_DIR";
    let all = [(OsString::from(name), OsString::from(list))];
    let usable = UsableVariables::new(all.into_iter(), &real.join("home"), &real.join("p"));
    assert_eq!(usable.vars[name], format!("{out},~/.claude"));
    assert_eq!(usable.refused, [name]);
}

#[cfg(unix)]
#[test]
fn a_value_that_is_not_utf_8_is_refused_where_it_would_be_used() {
    use std::os::unix::ffi::OsStringExt;
    let bad = || OsString::from_vec(b"/srv/\xff".to_vec());
    let names = [
        "CLAUDE_CONFIG_DIR",
        "LESSOPEN",
        "SESSION_SEARCH_NICE",
        "PAGER",
    ];
    let all = names.map(|name| (OsString::from(name), bad()));
    let home = Path::new("/home/ann");
    let usable = UsableVariables::new(all.into_iter(), home, home);
    assert_eq!(
        usable.refused,
        ["CLAUDE_CONFIG_DIR", "PAGER", "SESSION_SEARCH_NICE"]
    );
    assert!(usable.vars.is_empty());
    assert_eq!(explain_removal("PAGER", &bad()), "its value is not UTF-8");
}

#[cfg(not(windows))] // its paths are none there
#[test]
fn variables_that_lead_into_another_project_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    let real = fs_err::canonicalize(folder.path()).unwrap();
    for path in [
        "home/.config/.git",
        "clone/.git",
        "worktree",
        "tools/.git",
        "tools/bin",
    ] {
        fs_err::create_dir_all(real.join(path)).unwrap();
    }
    for file in ["worktree/.git", "clone/pager", "tools/bin/edit"] {
        fs_err::write(real.join(file), "").unwrap();
    }
    let refuses = |name: &str, value: &str, directory: &str| {
        let value = value.replace("ROOT", &real.display().to_string());
        let path = format!("{}/tools/bin:/usr/bin", real.display());
        let set = [(name, value), ("PATH", path)];
        let mut vars = set
            .map(|(name, value)| (name.to_owned(), value))
            .into_iter()
            .collect();
        let home = real.join("home");
        !remove_untrusted(&mut vars, &home, &real.join(directory)).is_empty()
    };
    for directory in ["worktree", "home", "clone"] {
        assert!(refuses(
            "SESSION_SEARCH_CONFIG",
            "ROOT/clone/config",
            directory
        ));
        assert!(refuses("XDG_DATA_HOME", "ROOT/clone/new/data", directory));
        assert!(refuses(
            "SESSION_SEARCH_HOME",
            "ROOT/worktree/index",
            directory
        ));
        assert!(refuses("PAGER", "ROOT/clone/pager", directory));
        assert!(refuses("EDITOR", "vi -S ROOT/clone/pager", directory));
        assert!(!refuses("XDG_CONFIG_HOME", "ROOT/home/.config", directory));
        assert!(!refuses("EDITOR", "ROOT/tools/bin/edit", directory));
        assert!(!refuses("EDITOR", "edit", directory));
    }
    assert!(refuses("EDITOR", "ROOT/tools/bin/edit", "tools"));
}

#[test]
fn an_unpacked_archive_is_a_project() {
    let folder = tempfile::tempdir().unwrap();
    let real = fs_err::canonicalize(folder.path()).unwrap();
    for path in ["home/.config", "p/config", "p/src", "scratch/config"] {
        fs_err::create_dir_all(real.join(path)).unwrap();
    }
    fs_err::write(real.join("p/.envrc"), "").unwrap();
    let refuses = |directory: &str, config: &str| {
        let value = real.join(config).display().to_string();
        let mut vars = HashMap::from([("XDG_CONFIG_HOME".to_owned(), value)]);
        !remove_untrusted(&mut vars, &real.join("home"), &real.join(directory)).is_empty()
    };
    assert!(refuses("p", "p/config") && refuses("p/src", "p/config"));
    assert!(
        !refuses("scratch", "scratch/config"),
        "nothing sets variables there"
    );
    assert!(!refuses("p", "out"));
    assert!(!refuses("home", "home/.config"), "the home directory");
    assert!(!refuses("", "home/.config"), "what lies above it");
    assert!(!refuses("removed", "home/.config"));
}

/// A clone may have the name of any folder that is opened below the one above it.
#[cfg(not(windows))] // its paths are none there
#[test]
fn a_clone_with_the_name_of_a_folder_that_is_opened_removes_the_variable() {
    for name in path_variables() {
        for opened in opened_folders(name) {
            if opened.as_os_str().is_empty() {
                continue;
            }
            let folder = tempfile::tempdir().unwrap();
            let real = fs_err::canonicalize(folder.path()).unwrap();
            for path in ["home", "other/.git"] {
                fs_err::create_dir_all(real.join(path)).unwrap();
            }
            let clone = real.join("src").join(&opened);
            fs_err::create_dir_all(&clone).unwrap();
            let refuses = |directory: &Path| {
                let value = real.join("src").display().to_string();
                let mut vars = HashMap::from([(name.to_owned(), value)]);
                !remove_untrusted(&mut vars, &real.join("home"), directory).is_empty()
            };
            let message = format!("{name}: {}", opened.display());
            assert!(!refuses(&real.join("other")), "{message}");
            fs_err::create_dir(clone.join(".git")).unwrap();
            for directory in [clone.clone(), real.join("other"), real.clone()] {
                assert!(refuses(&directory), "{message}");
            }
            let reason = explain_removal(name, real.join("src").as_os_str());
            assert!(reason.starts_with("it leads to `"), "{message}: {reason}");
        }
    }
}

#[cfg(not(windows))] // its paths are none there
#[test]
fn what_is_opened_without_the_variable_and_its_own_settings_stay() {
    let folder = tempfile::tempdir().unwrap();
    let real = fs_err::canonicalize(folder.path()).unwrap();
    let home = real.join("home");
    for path in [
        "home/.config/session-search/.git",
        "home/.local/share/opencode/.git",
        "settings/session-search/.git",
        "open/session-search",
        "gem/.gemini",
        "settings2/opencode/.git",
        "settings3/opencode",
        "home/.xdg/session-search/.git",
        "home/.xdg/opencode",
    ] {
        fs_err::create_dir_all(real.join(path)).unwrap();
    }
    fs_err::create_dir_all(real.join("open/opencode")).unwrap();
    for file in [
        "open/session-search/.env",
        "open/opencode/opencode.json",
        "home/.xdg/opencode/opencode.json",
        "settings3/opencode.json",
        "gem/.gemini/.env",
    ] {
        fs_err::write(real.join(file), "").unwrap();
    }
    let refuses = |name: &str, value: &str| {
        let value = value.replace("ROOT", &real.display().to_string());
        let mut vars = HashMap::from([(name.to_owned(), value)]);
        !remove_untrusted(&mut vars, &home, &home).is_empty()
    };
    assert!(!refuses("XDG_CONFIG_HOME", "ROOT/home/.config"));
    assert!(!refuses("XDG_CONFIG_HOME", "~/.config"));
    assert!(!refuses("XDG_DATA_HOME", "ROOT/home/.local/share"));
    assert!(!refuses("XDG_CONFIG_HOME", "ROOT/open"));
    assert!(!refuses("GEMINI_CLI_HOME", "ROOT/gem"));
    assert!(refuses("XDG_CONFIG_HOME", "ROOT/settings"));
    assert!(refuses("XDG_CONFIG_HOME", "ROOT/settings2"));
    assert!(refuses("XDG_CONFIG_HOME", "ROOT/settings3"));
    // What the user keeps in a repository right below a folder of settings.
    assert!(!refuses("XDG_CONFIG_HOME", "~/.xdg"));
    assert!(refuses("XDG_CONFIG_HOME", "~/.xdg/session-search"));
}

/// Links from a folder of settings into a repository with all of them, also for a command that runs there.
#[cfg(unix)]
#[test]
fn settings_that_are_linked_into_a_repository_stay() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let real = fs_err::canonicalize(folder.path()).unwrap();
    let home = real.join("home");
    for path in ["home/xdg", "home/dotfiles/.git", "home/dotfiles/config/ss"] {
        fs_err::create_dir_all(real.join(path)).unwrap();
    }
    let dotfiles = home.join("dotfiles");
    symlink(dotfiles.join("config/ss"), home.join("xdg/session-search")).unwrap();
    symlink(dotfiles.join("config"), home.join(".config")).unwrap();
    symlink(dotfiles.join("config"), home.join("other")).unwrap();
    // A link to the repository itself, and one that a clone below the path has.
    symlink(&dotfiles, home.join("xdg/opencode")).unwrap();
    fs_err::create_dir_all(home.join("src/Cursor/.git")).unwrap();
    symlink(&dotfiles, home.join("src/Cursor/User")).unwrap();
    let around = Surroundings::new(&home, &dotfiles);
    let refuses = |value: &str| around.refuses_path("XDG_CONFIG_HOME", value);
    assert!(!refuses("~/xdg") && !refuses("~/.config"));
    assert!(refuses("~/dotfiles/config") && refuses("~/src"));
    assert!(refuses("~/other"), "it leads into the project at hand");
    let explained = around.explain_path("XDG_CONFIG_HOME", "~/other").unwrap();
    let (other, root) = (home.join("other"), dotfiles.display());
    let expected = format!("it names `{}` in the project `{root}`", other.display());
    assert_eq!(explained, expected);
}

/// Each file of the user with the right name would be a session there.
#[cfg(not(windows))] // its paths are none there
#[test]
fn no_folder_of_sessions_holds_the_home_folder() {
    let folder = tempfile::tempdir().unwrap();
    let real = fs_err::canonicalize(folder.path()).unwrap();
    let home = real.join("home");
    fs_err::create_dir_all(home.join("talks")).unwrap();
    let refuses = |value: &Path| {
        let name = "PI_CODING_AGENT_SESSION_DIR".to_owned();
        let mut vars = HashMap::from([(name, value.display().to_string())]);
        !remove_untrusted(&mut vars, &home, &home).is_empty()
    };
    assert!(refuses(&home) && refuses(&real) && refuses(Path::new("/")));
    assert!(refuses(Path::new("~/")));
    assert!(!refuses(&home.join("talks")));
    let reason = explain_removal("PI_CODING_AGENT_SESSION_DIR", OsStr::new("/"));
    assert!(
        reason.starts_with("it names the home folder, or"),
        "{reason}"
    );
}
