//! This program's MCP server in OpenCode's configuration, which is JSON with comments.

use crate::error::{SettingsError, SettingsResult};
use crate::mcp_config::{SERVER_ARGUMENT, SERVER_NAME, is_own_server};
use crate::settings_text::{SettingsText, object_under, remove_property};
use jsonc_parser::cst::{CstInputValue, CstObject, CstObjectProp};
use jsonc_parser::json;

const SERVERS: &str = "mcp";
const COMMAND: &str = "command";
const ENABLED: &str = "enabled";

/// Finds the server's command line.
///
/// # Errors
/// When the text is not an object, or the server is another program's.
pub(crate) fn find_server(text: &str) -> SettingsResult<Option<Vec<String>>> {
    let config = SettingsText::parse_with_comments(text)?;
    let servers = config.object.object_value(SERVERS);
    match servers.and_then(|servers| servers.get(SERVER_NAME)) {
        Some(server) => own_command(&server).map(Some).ok_or_else(other_server),
        None => Ok(None),
    }
}

/// Returns true if the server is this program's and `enabled` is false.
pub(crate) fn is_disabled(text: &str) -> bool {
    let config = SettingsText::parse_with_comments(text).ok();
    let servers = config.and_then(|config| config.object.object_value(SERVERS));
    let server = servers.and_then(|servers| servers.get(SERVER_NAME));
    let server = server.filter(|server| own_command(server).is_some());
    let value = server.and_then(|server| server.to_serde_value());
    value.is_some_and(|server| server[ENABLED] == false)
}

/// Returns true if the server has more than this program writes.
pub(crate) fn is_users_server(text: &str) -> bool {
    let config = SettingsText::parse_with_comments(text).ok();
    let servers = config.and_then(|config| config.object.object_value(SERVERS));
    let server = servers.and_then(|servers| own_server(&servers)?.to_serde_value());
    let is_known = |key: &String| ["type", COMMAND].contains(&key.as_str());
    let server = server.as_ref().and_then(serde_json::Value::as_object);
    server.is_some_and(|server| !server.keys().all(is_known))
}

/// Registers a program as the server.
///
/// # Errors
/// As [`find_server`], and when `mcp` is not an object.
pub(crate) fn add_server(text: &str, program: &str) -> SettingsResult<String> {
    let wanted = [program, SERVER_ARGUMENT];
    let found = find_server(text)?;
    if found.as_ref().is_some_and(|command| *command == wanted) {
        return Ok(text.to_owned());
    }
    let config = SettingsText::parse_with_comments(text)?;
    let servers = object_under(&config.object, SERVERS)?;
    match own_server(&servers) {
        Some(server) => set_command(&server, json!([program, SERVER_ARGUMENT])),
        None => {
            servers.ensure_multiline();
            servers.append(
                SERVER_NAME,
                json!({"type": "local", "command": [program, SERVER_ARGUMENT]}),
            );
        }
    }
    config.format_checked()
}

/// Removes the server, and the object of servers where it is empty then.
///
/// # Errors
/// When the text is not an object.
pub(crate) fn remove_server(text: &str) -> SettingsResult<String> {
    let config = SettingsText::parse_with_comments(text)?;
    let servers = config.object.object_value(SERVERS);
    let is_own = |servers: &CstObject| {
        let server = servers.get(SERVER_NAME);
        server.is_some_and(|server| own_command(&server).is_some())
    };
    let Some(servers) = servers.filter(is_own) else {
        return Ok(text.to_owned());
    };
    remove_property(&servers, SERVER_NAME);
    // A comment of the user in there stays with its object.
    if servers.children_exclude_trivia_and_tokens().is_empty() && !has_comment(&servers) {
        remove_property(&config.object, SERVERS);
    }
    config.format_checked()
}

fn has_comment(object: &CstObject) -> bool {
    object
        .children()
        .iter()
        .any(jsonc_parser::cst::CstNode::is_comment)
}

fn own_server(servers: &CstObject) -> Option<CstObject> {
    servers.get(SERVER_NAME)?.object_value()
}

fn set_command(server: &CstObject, command: CstInputValue) {
    match server.get(COMMAND) {
        Some(property) => property.set_value(command),
        None => drop(server.append(COMMAND, command)),
    }
}

/// Returns the command line of a server that is this program.
fn own_command(server: &CstObjectProp) -> Option<Vec<String>> {
    let server = server.to_serde_value()?;
    let words = server[COMMAND].as_array()?.iter();
    let words = words.map(|word| word.as_str().map(str::to_owned));
    words
        .collect::<Option<Vec<String>>>()
        .filter(|command| is_own_server(command))
}

fn other_server() -> SettingsError {
    SettingsError::OtherServer {
        key: format!("{SERVERS}.{SERVER_NAME}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    const PROGRAM: &str = "/opt/bin/session-search";

    fn value(text: &str) -> Value {
        let config = SettingsText::parse_with_comments(text).unwrap();
        config.object.to_serde_value().unwrap()
    }

    #[test]
    fn comments_and_other_servers_stay() {
        let old = "{\n  // mine\n  \"share\": \"disabled\", // why\n  \"mcp\": {\n    \"other\": { \"type\": \"local\", \"command\": [\"x\"], },\n  },\n  /* last */\n}\n";
        let new = add_server(old, PROGRAM).unwrap();
        for line in old.lines() {
            assert!(new.contains(line.trim_end_matches(',')), "{line}: {new}");
        }
        let found = find_server(&new).unwrap().unwrap();
        assert_eq!(found, [PROGRAM, SERVER_ARGUMENT]);
        assert_eq!(add_server(&new, PROGRAM).unwrap(), new);
        assert_eq!(remove_server(&new).unwrap(), old);
    }

    #[test]
    fn another_program_replaces_the_old_one_and_keeps_its_settings() {
        let old = "{\"mcp\": {\"session-search\": {\"command\": [\"/old/session-search\", \"mcp\"], \"enabled\": false}}}";
        let new = add_server(old, PROGRAM).unwrap();
        assert_eq!(new, old.replace("/old/session-search", PROGRAM));
        assert!(is_disabled(&new));
        assert!(!is_disabled(&new.replace("false", "true")));
        assert!(!is_disabled(&add_server("", PROGRAM).unwrap()));
    }

    #[test]
    fn a_server_of_another_program_is_left_alone() {
        for server in [
            "{\"command\": [\"uvx\", \"session-search\", \"mcp\"]}",
            "{\"type\": \"remote\", \"url\": \"https://example.org\"}",
            "3",
        ] {
            let text = format!("{{\"mcp\": {{\"session-search\": {server}}}}}");
            let refused = add_server(&text, PROGRAM);
            assert!(
                matches!(refused, Err(SettingsError::OtherServer { .. })),
                "{server}"
            );
            assert_eq!(remove_server(&text).unwrap(), text);
        }
    }

    #[test]
    fn texts_of_another_shape_are_refused() {
        let deep = format!("{{\"a\": {}{}}}", "[".repeat(9000), "]".repeat(9000));
        for text in [
            "[]",
            "{",
            "{mcp: {}}",
            "{\"mcp\": []}",
            "{'mcp': {}}",
            &deep,
        ] {
            assert!(add_server(text, PROGRAM).is_err(), "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

        #[test]
        fn only_the_server_changes(
            keys in proptest::collection::btree_map("[a-z{}/*\"é]{0,6}", any::<i32>(), 0..4),
            servers in proptest::option::of(proptest::collection::btree_map("[a-z/\"]{0,6}", any::<bool>(), 1..4)),
            is_pretty: bool,
            has_comment: bool,
        ) {
            let mut old = serde_json::json!(keys);
            if let Some(servers) = servers {
                old[SERVERS] = serde_json::json!(servers);
            }
            let text = if is_pretty { serde_json::to_string_pretty(&old).unwrap() } else { old.to_string() };
            let text = if has_comment { format!("// mine\n{text}\n/* end */") } else { text };
            let new = add_server(&text, PROGRAM).unwrap();
            prop_assert_eq!(find_server(&new).unwrap().unwrap(), [PROGRAM, SERVER_ARGUMENT]);
            prop_assert!(!has_comment || new.starts_with("// mine\n") && new.ends_with("\n/* end */"));
            let back = remove_server(&new).unwrap();
            prop_assert_eq!(value(&back), old);
        }
    }
}
