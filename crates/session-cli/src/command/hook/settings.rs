//! The hook in an agent's settings. Everything else there stays to the byte.

use super::event;
use crate::args::HookEvent;
use crate::command::setup::settings::{checked, parse, remove};
use anyhow::{Context, Result};
use jsonc_parser::cst::{CstArray, CstNode};
use jsonc_parser::json;
use serde_json::Value;
use std::path::Path;

/// What the command of our hook says to its program.
const OURS: &str = " hook run";
/// Seconds after which the agent itself gives the hook up.
const PATIENCE_S: i32 = 5;

/// The program as a shell takes it, with what makes it answer a hook.
pub fn command(program: &Path) -> String {
    let path = program.to_string_lossy();
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+:\\".contains(c);
    match path.chars().all(is_plain) {
        true => format!("{path}{OURS}"),
        false => format!("'{}'{OURS}", path.replace('\'', "'\\''")),
    }
}

/// True when the program of a command is there, as a shell would find it.
pub fn exists(command: &str, home: &Path) -> bool {
    let Some(program) = program(command) else {
        return false;
    };
    let home = home.to_string_lossy();
    let program = match program.strip_prefix("~/") {
        Some(rest) => format!("{home}/{rest}"),
        None => program.replace("${HOME}", &home).replace("$HOME", &home),
    };
    if program.contains(['/', '\\']) {
        return is_program(Path::new(&program));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| is_program(&folder.join(&program)))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let meta = fs_err::metadata(path);
    meta.is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

/// The program of a command that is ours: by its name, or this program's own, with what makes it
/// answer a hook behind it, and nothing but variables or a `timeout` before it.
fn program(command: &str) -> Option<String> {
    let words = words(command);
    let at = words.iter().position(|word| is_ours_by_name(word))?;
    let asks = words.get(at + 1..at + 3)? == ["hook", "run"];
    let leads = |word: &String| {
        let is_number = word
            .chars()
            .all(|c| c.is_ascii_digit() || ".smh".contains(c));
        is_number || word.contains('=') || ["timeout", "env", "nice", "exec"].contains(&&**word)
    };
    (asks && words[..at].iter().all(leads)).then(|| words[at].clone())
}

fn is_ours_by_name(word: &str) -> bool {
    let own = std::env::current_exe().ok();
    let own = own.as_deref().and_then(Path::file_name);
    let name = Path::new(word).file_name();
    let usual = ["session-search", "session-search.exe"];
    name.is_some_and(|name| own == Some(name) || usual.iter().any(|usual| name == *usual))
}

/// The words of a command line, without the quotes around them or parts of them.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut quote, mut open) = (vec![String::new()], None, false);
    let mut chars = command.chars();
    while let Some(c) = chars.next() {
        let last = words.len() - 1;
        match (quote, c) {
            (Some(begun), _) if c == begun => quote = None,
            (None, '\'' | '"') => (quote, open) = (Some(c), true),
            (None, '\\') if cfg!(unix) => words[last].extend(chars.next()),
            (None, _) if c.is_whitespace() => {
                if open || !words[last].is_empty() {
                    words.push(String::new());
                }
                open = false;
            }
            _ => words[last].push(c),
        }
    }
    words
}

/// Settings with the hook for some events, and for those that have it.
///
/// # Errors
/// When they are no JSON object, or `hooks` in them is something else than it
/// should be.
pub fn with(text: &str, command: &str, events: &[HookEvent]) -> Result<String> {
    let before = installed(text);
    let has = |e: &HookEvent| before.iter().any(|(name, _)| name == e.name());
    let wanted: Vec<(String, String)> = HookEvent::ALL
        .iter()
        .filter(|e| events.contains(e) || has(e))
        .map(|e| (e.name().to_owned(), command.to_owned()))
        .collect();
    if before == wanted {
        return Ok(text.to_owned());
    }
    let text = without(text)?;
    let root = parse(&text)?;
    let settings = root.object_value().context("they are no JSON object")?;
    let hooks = settings
        .object_value_or_create("hooks")
        .context("`hooks` is no object")?;
    for (name, command) in wanted {
        let groups = hooks.array_value_or_create(&name);
        let groups = groups.with_context(|| format!("`hooks.{name}` is no list"))?;
        groups.ensure_multiline();
        groups.append(json!({
            "hooks": [{"type": "command", "command": command, "timeout": PATIENCE_S}]
        }));
    }
    checked(&root)
}

/// Settings without the hook.
///
/// # Errors
/// When they are no JSON object.
pub fn without(text: &str) -> Result<String> {
    if text.trim().is_empty() || installed(text).is_empty() {
        parse(text)?;
        return Ok(text.to_owned());
    }
    let root = parse(text)?;
    let settings = root.object_value().context("they are no JSON object")?;
    let Some(hooks) = settings.object_value("hooks") else {
        return Ok(text.to_owned());
    };
    for event in HookEvent::ALL {
        if let Some(groups) = hooks.array_value(event.name()) {
            remove_from(&groups);
            if groups.elements().is_empty() {
                remove(&hooks, event.name());
            }
        }
    }
    if hooks.properties().is_empty() {
        remove(&settings, "hooks");
    }
    checked(&root)
}

/// Takes our commands out of the groups of an event, and groups that held
/// nothing else.
fn remove_from(groups: &CstArray) {
    for group in groups.elements() {
        let commands = group
            .as_object()
            .and_then(|group| group.array_value("hooks"));
        let Some(commands) = commands else { continue };
        let (ours, others): (Vec<CstNode>, Vec<CstNode>) = commands
            .elements()
            .into_iter()
            .partition(|hook| our_command(hook).is_some());
        match (ours.is_empty(), others.is_empty()) {
            (true, _) => {}
            (false, true) => group.remove(),
            (false, false) => ours.into_iter().for_each(CstNode::remove),
        }
    }
}

/// The events that the hook is installed for, and its command.
pub fn installed(text: &str) -> Vec<(String, String)> {
    let settings: Value = serde_json::from_str(text).unwrap_or_default();
    let mut found = Vec::new();
    for event in HookEvent::ALL {
        let groups = settings["hooks"][event.name()].as_array();
        let hooks = groups
            .into_iter()
            .flatten()
            .filter_map(|group| group["hooks"].as_array());
        let ours = hooks.flatten().filter_map(is_ours);
        found.extend(ours.map(|command| (event.name().to_owned(), command)));
    }
    debug_assert!(found.iter().all(|(name, _)| event(name).is_some()));
    found
}

fn our_command(hook: &CstNode) -> Option<String> {
    is_ours(&serde_json::from_str(&hook.to_string()).ok()?)
}

/// The command of a hook, if it is ours.
fn is_ours(hook: &Value) -> Option<String> {
    let command = hook["command"].as_str()?;
    program(command).map(|_| command.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMAND: &str = "/opt/bin/session-search hook run";
    const MINE: &str = "{\n  \"model\": \"x\",\n  \"hooks\": {\n    \"UserPromptSubmit\": [\n      {\n        \"hooks\": [\n          { \"type\": \"command\", \"command\": \"mine\" }\n        ]\n      }\n    ]\n  },\n  \"a\": 1.0\n}\n";

    fn round(text: &str, events: &[HookEvent]) {
        let new = with(text, COMMAND, events).unwrap();
        let names: Vec<String> = installed(&new)
            .into_iter()
            .map(|(event, _)| event)
            .collect();
        let expected: Vec<&str> = events.iter().map(|e| e.name()).collect();
        assert_eq!(names, expected, "{new}");
        assert_eq!(with(&new, COMMAND, events).unwrap(), new);
        let back = without(&new).unwrap();
        assert!(installed(&back).is_empty());
        let value = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        if !text.is_empty() {
            assert_eq!(value(&back), value(text));
        }
        assert_eq!(without(&back).unwrap(), back);
    }

    #[test]
    fn it_comes_and_goes_and_all_else_stays() {
        use HookEvent::{PreCompact, SessionStart, UserPromptSubmit};
        for text in [
            "",
            "{}",
            "{\"a\": 1}",
            MINE,
            &MINE.replace('\n', "\r\n"),
            "{\n\t\"z\": [1,\n2]\n}",
        ] {
            round(text, &[UserPromptSubmit]);
            round(text, &[UserPromptSubmit, SessionStart, PreCompact]);
        }
        assert_eq!(
            without(&with(MINE, COMMAND, &[UserPromptSubmit]).unwrap()).unwrap(),
            MINE
        );
    }

    #[test]
    fn another_program_takes_the_place_of_the_old_one() {
        let old = with(MINE, "/old/session-search hook run", &HookEvent::ALL).unwrap();
        let new = with(&old, COMMAND, &[HookEvent::UserPromptSubmit]).unwrap();
        assert!(!new.contains("/old/"), "{new}");
        assert_eq!(installed(&new).len(), HookEvent::ALL.len(), "none is lost");
        let edited = old.replace("hook run", "hook run || true");
        assert_eq!(installed(&edited).len(), HookEvent::ALL.len());
        assert!(installed(&without(&edited).unwrap()).is_empty());
    }

    #[test]
    fn what_is_no_object_is_left_alone() {
        for text in [
            "[]",
            "{",
            "// x\n{}",
            "{\"hooks\": 3}",
            "{\"hooks\": {\"UserPromptSubmit\": {}}}",
        ] {
            assert!(
                with(text, COMMAND, &[HookEvent::UserPromptSubmit]).is_err(),
                "{text}"
            );
        }
    }

    #[test]
    fn programs_are_quoted_for_a_shell() {
        let path = Path::new("/my apps/it's/session-search");
        let command = command(path);
        assert_eq!(command, "'/my apps/it'\\''s/session-search' hook run");
        let home = tempfile::tempdir().unwrap();
        assert!(!exists(&command, home.path()));
        for other in [
            "git -C ~/src/session-search hook run pre-commit",
            "cd ~/session-search && lefthook hook run pre-commit",
            "echo session-search hook run is off",
            "/opt/session-search-tools/notify hook run",
        ] {
            assert_eq!(program(other), None, "{other}");
        }
        let quoted = program("X=1 timeout 5 '/my apps/it'\\''s/session-search' hook run || true");
        assert_eq!(quoted.as_deref(), path.to_str());
        let program = home.path().join("session-search");
        fs_err::write(&program, "").unwrap();
        let ours = "\"$HOME/session-search\" hook run || true";
        assert!(cfg!(windows) || !exists(ours, home.path()), "not to be run");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs_err::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        assert!(exists(ours, home.path()));
    }
}
