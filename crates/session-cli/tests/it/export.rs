//! A session as one file. What it looks like is tested in session-export.

use crate::claude::ClaudeTranscript;
use crate::environment::TestEnvironment;
use crate::history::{DOCKER, small};
use serde_json::Value;
use std::path::Path;

/// The name of Docker's session by its title.
const NAME: &str = "docker-bridge-dns-a1000000";

fn read(path: &Path) -> String {
    fs_err::read_to_string(path).unwrap()
}

#[test]
fn a_session_is_printed_in_each_format() {
    let env = small();
    let print = |args: &[&str]| {
        env.run(&[&["export", "a1"], args].concat())
            .succeeded()
            .stdout()
    };
    let page = print(&[]);
    assert!(page.starts_with("<!DOCTYPE html>"), "{page}");
    assert_eq!(print(&["--format", "html"]), page);
    let show = |format| env.run(&["show", "a1", "--format", format]).stdout();
    assert_eq!(print(&["--format", "markdown"]), show("markdown"));
    assert_eq!(print(&["--format", "json"]), show("json"));
    assert_eq!(print(&["--json"]), show("json"));
}

#[test]
fn json_without_turns_is_the_document_of_show() {
    let env = small();
    let none = |command| env.run(&[command, "a1:99", "--json"]).exits(1).stdout();
    assert!(none("show").contains("\"shown\": []"), "{}", none("show"));
    assert_eq!(none("export"), none("show"));
    let to_stdout = env.run(&["export", "a1:99", "--json", "-o", "-"]);
    assert_eq!(to_stdout.exits(1).stdout(), none("show"));
    let file = env.path("none.json");
    let ran = env.run(&["export", "a1:99", "-o", file.to_str().unwrap()]);
    ran.exits(1);
    assert!(!file.exists());
}

#[test]
fn a_file_has_the_format_of_its_name() {
    let env = small();
    let folder = env.path("out");
    fs_err::create_dir(&folder).unwrap();
    for (name, begin) in [
        ("a.html", "<!DOCTYPE html>"),
        ("b.md", "# Docker bridge DNS"),
        ("c.json", "{"),
    ] {
        let path = folder.join(name);
        let ran = env.run(&["export", DOCKER, "-o", path.to_str().unwrap()]);
        assert_eq!(ran.succeeded().stdout(), "");
        assert!(read(&path).starts_with(begin), "{name}");
    }
    let folder = folder.to_str().unwrap();
    env.run(&["export", DOCKER, "-o", folder]).succeeded();
    env.run(&["export", DOCKER, "-o", folder, "--format", "markdown"])
        .succeeded();
    let named = |end: &str| read(&Path::new(folder).join(format!("{NAME}.{end}")));
    assert!(named("html").contains("<h1 dir=\"auto\">Docker bridge DNS</h1>"));
    assert!(named("md").starts_with("# Docker"));
    let ran = env.run(&["export", DOCKER, "-o", "out.pdf"]).exits(2);
    assert!(ran.stderr().contains("--format"), "{ran}");
}

#[test]
fn a_range_of_turns_is_exported_or_none_with_exit_code_1() {
    let env = small();
    let shown = |id: &str| -> Vec<Value> {
        let json = env.json(&["export", id]);
        let turns = json["shown"].as_array().unwrap();
        turns.iter().map(|turn| turn["turn"].clone()).collect()
    };
    assert_eq!(shown("a1"), [0, 1]);
    assert_eq!(shown("a1:1"), [1]);
    assert_eq!(shown("a1:0-9"), [0, 1]);
    let path = env.path("none.html");
    let ran = env.run(&["export", "a1:7-9", "-o", path.to_str().unwrap()]);
    assert!(ran.exits(1).stderr().contains("its turns are 0 to 1"));
    assert!(!path.exists());
    env.run(&["export", "zz"]).exits(2);
    env.run(&["export", "a1:9-5"]).exits(2);
}

#[test]
fn a_file_is_replaced_where_that_is_meant() {
    let env = small();
    let path = env.path("kept.html");
    fs_err::write(&path, "mine").unwrap();
    let args = ["export", "a1", "-o", path.to_str().unwrap()];
    let ran = env.run(&args).exits(2);
    assert!(ran.stderr().contains("hint: --force replaces it"), "{ran}");
    assert_eq!(read(&path), "mine");
    env.run(&[&args[..], &["--force"]].concat()).succeeded();
    assert!(read(&path).contains("Docker bridge DNS"));
    let names = fs_err::read_dir(path.parent().unwrap()).unwrap();
    let left = names.filter(|entry| {
        let name = entry.as_ref().unwrap().file_name();
        name.to_string_lossy().starts_with(".new-")
    });
    assert_eq!(left.count(), 0);
}

#[cfg(unix)]
#[test]
fn a_file_is_its_owners_alone_and_no_link_in_a_repository_is_followed() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let env = small();
    let path = env.path("new.html");
    fs_err::write(&path, "mine").unwrap();
    fs_err::set_permissions(&path, PermissionsExt::from_mode(0o644)).unwrap();
    env.run(&["export", "a1", "--force", "-o", path.to_str().unwrap()])
        .succeeded();
    let mode = fs_err::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let clone = env.path("clone");
    fs_err::create_dir_all(clone.join(".git")).unwrap();
    symlink(&path, clone.join("page.html")).unwrap();
    let before = read(&path);
    let link = clone.join("page.html");
    for force in [&["--force"][..], &[]] {
        let args = ["export", "a1:0", "-o", link.to_str().unwrap()];
        env.run(&[&args[..], force].concat()).exits(2);
        assert_eq!(read(&path), before);
    }
}

/// The history has the secret, and nothing that is exported has it.
#[test]
fn secrets_are_redacted_in_each_format() {
    let id = "5ec0e700-0000-4000-8000-000000000002";
    let key = "w4kilnq9zr2tinker";
    let transcript = ClaudeTranscript::new(id, "/home/ann/boiler")
        .user(&format!("Deploy with API_KEY={key}"))
        .bash(
            &format!("API_KEY={key} ./deploy"),
            &format!("api_key: \"{key}\""),
        )
        .assistant(&format!("The key is `api_key: \"{key}\"`."));
    let env = TestEnvironment::indexed(&[transcript]);
    for format in ["html", "markdown", "json"] {
        let out = env.run(&["export", id, "--format", format]).succeeded();
        let out = out.stdout();
        assert!(out.contains("[redacted:") && !out.contains(key), "{out}");
    }
}

#[test]
fn a_name_that_is_no_file_says_what_to_name() {
    let env = small();
    let refused = |path: &str, said: &str| {
        let ran = env.run(&["export", "a1", "-o", path]).exits(2);
        assert!(ran.stderr().contains(said), "{ran}");
        assert!(!ran.stderr().contains("--force"), "{ran}");
    };
    let missing = env.path("missing/");
    refused(missing.to_str().unwrap(), "there is no folder `");
    #[cfg(unix)]
    {
        let ran = env.run(&["export", "a1", "-o", "/dev/null", "--format", "html"]);
        let said = "is not a regular file\nhint: name one, or `-`";
        assert!(ran.exits(2).stderr().contains(said));
    }
    let folder = env.path("page.html");
    fs_err::create_dir(&folder).unwrap();
    let folder = folder.to_str().unwrap();
    let ran = env.run(&["memory", "export", "--to", folder]).exits(2);
    let said = format!("error: `{folder}` is a folder\nhint: name a file\n");
    assert_eq!(ran.stderr(), said);
    let ran = env.run(&["memory", "import", folder]).exits(2);
    assert_eq!(ran.stderr(), said);
}

#[test]
fn a_missing_parent_directory_is_refused() {
    let env = small();
    let missing = env.path("mis typed");
    let name = missing.to_str().unwrap();
    let said =
        format!("error: there is no folder `{name}`\nhint: `mkdir -p '{name}'` creates it\n");
    let path = missing.join("page.html");
    let path = path.to_str().unwrap();
    for command in [
        &["export", "a1", "-o", path][..],
        &["memory", "export", "-o", path],
        &["memory", "export", "--to", path],
        &["man", "--output", path],
    ] {
        assert_eq!(env.run(command).exits(2).stderr(), said, "{command:?}");
        assert!(!missing.exists(), "{command:?}");
    }
}

#[test]
fn a_dash_is_stdout() {
    let env = small();
    let export = |args: &[&str]| env.run(&[&["export", "a1"], args].concat()).succeeded();
    assert_eq!(export(&["-o", "-"]).stdout(), export(&[]).stdout());
    let memories = env.run(&["memory", "export", "--to", "-"]).succeeded();
    assert!(memories.stdout().starts_with('{'), "{memories}");
}

#[test]
fn a_format_beside_a_name_of_another_is_noted() {
    let env = small();
    let path = env.path("page.md");
    let ran = env.run(&["export", "a1", "-o", path.to_str().unwrap(), "--json"]);
    let said = ran.succeeded().stderr();
    assert!(said.contains("page.md holds JSON, as was asked"), "{said}");
    assert!(read(&path).starts_with('{'));
}

#[cfg(unix)]
#[test]
fn no_page_of_html_goes_to_a_terminal() {
    let env = small();
    let export = |more: &[&str]| {
        let mut command = env.command();
        command.args(["export", "a1"]).args(more);
        crate::pty::on_terminal(command, "")
    };
    let refused = export(&[]);
    assert!(refused.contains("hint: `-o .` writes a file"), "{refused}");
    assert!(!refused.contains("<html"), "{refused}");
    assert!(export(&["-o", "-"]).contains("<html"));
    assert!(export(&["--format", "markdown"]).contains("# "));
}
