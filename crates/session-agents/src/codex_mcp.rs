//! This program's MCP server in Codex' configuration, which is TOML.

use crate::error::{SettingsError, SettingsResult};
use crate::mcp_config::{SERVER_ARGUMENT, SERVER_NAME, is_own_server};
use session_files::keep_line_ends;
use toml_edit::visit_mut::{VisitMut, visit_table_mut};
use toml_edit::{DocumentMut, InlineTable, Item, Table, TableLike, Value};

const SERVERS: &str = "mcp_servers";

/// Finds the server's command line.
///
/// # Errors
/// When the text is not TOML, or the server is another program's.
pub(crate) fn find_server(text: &str) -> SettingsResult<Option<Vec<String>>> {
    match find_entry(&parse(text)?) {
        Some(entry) => {
            let command = own_command(entry);
            command.map(Some).ok_or_else(|| SettingsError::OtherServer {
                key: format!("{SERVERS}.{SERVER_NAME}"),
            })
        }
        None => Ok(None),
    }
}

/// Returns true if the server is this program's and `enabled` is false.
pub(crate) fn is_disabled(text: &str) -> bool {
    let document = parse(text).unwrap_or_default();
    let entry = find_entry(&document).filter(|entry| own_command(*entry).is_some());
    let enabled = entry.and_then(|entry| entry.get("enabled")?.as_bool());
    enabled == Some(false)
}

/// Returns true if the server has more than this program writes, and Codex itself: how its tools are approved.
pub(crate) fn is_users_server(text: &str) -> bool {
    let document = parse(text).unwrap_or_default();
    let is_known = |key: &str| ["command", "args", "tools"].contains(&key);
    let entry = find_entry(&document);
    entry.is_some_and(|entry| entry.iter().any(|(key, _)| !is_known(key)))
}

/// Registers a program as the server: at the end of the text, so that what is there stays as it
/// is written.
///
/// # Errors
/// As [`find_server`], and when `mcp_servers` is not a table.
pub(crate) fn add_server(text: &str, program: &str) -> SettingsResult<String> {
    if let Some(command) = find_server(text)? {
        let is_current = command.first().is_some_and(|old| old == program);
        return if is_current {
            Ok(text.to_owned())
        } else {
            replace_program(text, program)
        };
    }
    let mut document = parse(text)?;
    let new = match document.get_mut(SERVERS) {
        Some(Item::Value(Value::InlineTable(servers))) => {
            servers.insert(SERVER_NAME, inline_entry(program));
            keep_line_ends(text, &document.to_string()).into_owned()
        }
        None | Some(Item::Table(_)) => append_entry(text, program),
        Some(_) => {
            return Err(SettingsError::WrongType {
                key: SERVERS.to_owned(),
                expected: "a table",
            });
        }
    };
    parse(&new)?;
    Ok(new)
}

/// Removes the server with all that belongs to it.
///
/// # Errors
/// When the text is not TOML.
pub(crate) fn remove_server(text: &str) -> SettingsResult<String> {
    let mut document = parse(text)?;
    let is_own = find_entry(&document).is_some_and(|entry| own_command(entry).is_some());
    let servers = document.get_mut(SERVERS).and_then(Item::as_table_like_mut);
    let Some(servers) = servers.filter(|_| is_own) else {
        return Ok(text.to_owned());
    };
    let removed = servers.remove(SERVER_NAME);
    if servers.is_empty() && is_implicit(document.get(SERVERS)) {
        document.remove(SERVERS);
    }
    if let Some(Item::Table(removed)) = &removed {
        keep_comments(&mut document, removed);
    }
    let new = keep_line_ends(text, &document.to_string()).into_owned();
    parse(&new)?;
    Ok(new)
}

fn parse(text: &str) -> SettingsResult<DocumentMut> {
    text.parse()
        .map_err(|error: toml_edit::TomlError| SettingsError::Toml(error.message().to_owned()))
}

fn find_entry(document: &DocumentMut) -> Option<&dyn TableLike> {
    let servers = document.get(SERVERS)?.as_table_like()?;
    servers.get(SERVER_NAME)?.as_table_like()
}

fn own_command(entry: &dyn TableLike) -> Option<Vec<String>> {
    let program = entry.get("command")?.as_str()?.to_owned();
    let arguments = entry.get("args")?.as_array()?.iter();
    let arguments = arguments.map(|argument| argument.as_str().map(str::to_owned));
    let command: Vec<String> = [Some(program)]
        .into_iter()
        .chain(arguments)
        .collect::<Option<_>>()?;
    is_own_server(&command).then_some(command)
}

fn replace_program(text: &str, program: &str) -> SettingsResult<String> {
    let mut document = parse(text)?;
    let servers = document.get_mut(SERVERS).and_then(Item::as_table_like_mut);
    let entry = servers.and_then(|servers| servers.get_mut(SERVER_NAME));
    let command = entry.and_then(|entry| entry.as_table_like_mut()?.get_mut("command"));
    if let Some(old) = command.and_then(Item::as_value_mut) {
        let decor = old.decor().clone();
        *old = Value::from(program);
        *old.decor_mut() = decor;
    }
    Ok(keep_line_ends(text, &document.to_string()).into_owned())
}

fn append_entry(text: &str, program: &str) -> String {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let end = if text.is_empty() || text.ends_with('\n') {
        ""
    } else {
        newline
    };
    let blank = if text.trim().is_empty() { "" } else { newline };
    let program = Value::from(program);
    [
        format!("{text}{end}{blank}[{SERVERS}.{SERVER_NAME}]"),
        format!("command = {program}"),
        format!("args = [\"{SERVER_ARGUMENT}\"]"),
        String::new(),
    ]
    .join(newline)
}

fn inline_entry(program: &str) -> Value {
    let mut entry = InlineTable::new();
    entry.insert("command", program.into());
    entry.insert("args", Value::from_iter([SERVER_ARGUMENT]));
    entry.into()
}

fn is_implicit(servers: Option<&Item>) -> bool {
    servers
        .and_then(Item::as_table)
        .is_some_and(Table::is_implicit)
}

/// Puts the comments above a removed table before the next one, or at the end of the document: they
/// may belong to anything.
fn keep_comments(document: &mut DocumentMut, removed: &Table) {
    let prefix = removed.decor().prefix().and_then(|raw| raw.as_str());
    let comments = prefix.unwrap_or_default();
    if comments.trim().is_empty() {
        return;
    }
    let comments = strip_blank_line(comments);
    let position = removed.position();
    let mut next = NextTable {
        after: position,
        first: None,
    };
    next.visit_document_mut(document);
    match next.first {
        Some(first) => Prepend {
            position: first,
            comments,
        }
        .visit_document_mut(document),
        None => {
            let trailing = document.trailing().as_str().unwrap_or_default().to_owned();
            document.set_trailing(format!("{comments}{trailing}"));
        }
    }
}

/// Removes one blank line at the end of comments: the one before a table's header.
fn strip_blank_line(comments: &str) -> &str {
    let blanks = ["\r\n\r\n", "\n\n"].map(|blank| comments.strip_suffix(blank).map(|_| blank));
    let blank = blanks.into_iter().flatten().next();
    blank.map_or(comments, |blank| {
        &comments[..comments.len() - blank.len() / 2]
    })
}

/// Finds the first table behind a position.
struct NextTable {
    after: Option<isize>,
    first: Option<isize>,
}

impl VisitMut for NextTable {
    fn visit_table_mut(&mut self, table: &mut Table) {
        let position = table
            .position()
            .filter(|position| Some(*position) > self.after);
        if let Some(position) = position {
            self.first = Some(self.first.map_or(position, |first| first.min(position)));
        }
        visit_table_mut(self, table);
    }
}

/// Puts comments before the table at a position.
struct Prepend<'a> {
    position: isize,
    comments: &'a str,
}

impl VisitMut for Prepend<'_> {
    fn visit_table_mut(&mut self, table: &mut Table) {
        if table.position() == Some(self.position) && !table.is_implicit() {
            let old = table.decor().prefix().and_then(|raw| raw.as_str());
            let prefix = format!("{}{}", self.comments, old.unwrap_or_default());
            table.decor_mut().set_prefix(prefix);
        }
        visit_table_mut(self, table);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PROGRAM: &str = "/opt/my bin/session-search";
    const BLOCK: &str = "[mcp_servers.session-search]\ncommand = \"/opt/my bin/session-search\"\nargs = [\"mcp\"]\n";

    fn add_and_remove(old: &str) -> String {
        let new = add_server(old, PROGRAM).unwrap();
        let found = find_server(&new).unwrap().unwrap();
        assert_eq!(found, [PROGRAM, SERVER_ARGUMENT], "{new}");
        assert_eq!(add_server(&new, PROGRAM).unwrap(), new);
        remove_server(&new).unwrap()
    }

    #[test]
    fn the_server_comes_last_and_goes_without_another_change() {
        assert_eq!(add_server("", PROGRAM).unwrap(), BLOCK);
        let old =
            "# mine\nmodel = \"x\" # why\n\n[mcp_servers.other]\ncommand = \"y\"\n\n# the end\n";
        assert_eq!(add_server(old, PROGRAM).unwrap(), format!("{old}\n{BLOCK}"));
        for text in [
            "",
            old,
            "# only a comment\n",
            "a = 1\r\n\r\n# last\r\n",
            "[mcp_servers]\n",
            "mcp_servers.other.command = \"y\"\n",
            "[[list]]\na = 1\n",
        ] {
            assert_eq!(add_and_remove(text), text, "{text}");
        }
    }

    #[test]
    fn a_table_of_servers_on_one_line_gets_another_entry() {
        let old = "mcp_servers = { other = { command = \"y\" } }\nmodel = \"x\"\n";
        let back = add_and_remove(old);
        assert!(back.contains("other = { command = \"y\" }"), "{back}");
        assert!(back.ends_with("model = \"x\"\n"), "{back}");
    }

    #[test]
    fn comments_above_the_server_and_tables_below_it_are_told_apart() {
        let text = format!(
            "a = 1\n\n# about b\n\n{BLOCK}\n[mcp_servers.session-search.tools.search]\napproval_mode = \"approve\"\n\n[b]\nc = 2\n"
        );
        let back = remove_server(&text).unwrap();
        assert!(!back.contains("session-search"), "{back}");
        assert!(back.contains("# about b\n\n[b]\nc = 2\n"), "{back}");
    }

    #[test]
    fn another_program_replaces_the_old_one_and_keeps_its_settings() {
        let old = "[mcp_servers.session-search]\ncommand = \"/old/session-search\" # here\nargs = [\"mcp\"]\nenabled = false\n";
        let new = add_server(old, PROGRAM).unwrap();
        assert_eq!(new, old.replace("/old/session-search", PROGRAM));
        assert!(is_disabled(&new));
        assert!(!is_disabled(&new.replace("false", "true")));
        assert!(!is_disabled(&new.replace("\nargs = [\"mcp\"]", "")));
    }

    #[test]
    fn a_server_of_another_program_is_left_alone() {
        let text = "[mcp_servers.session-search]\ncommand = \"uvx\"\nargs = [\"session-search\"]\n";
        let refused = add_server(text, PROGRAM);
        assert!(matches!(refused, Err(SettingsError::OtherServer { .. })));
        assert_eq!(remove_server(text).unwrap(), text);
    }

    #[test]
    fn texts_of_another_shape_are_refused() {
        let deep = format!("a = {}{}", "[".repeat(9000), "]".repeat(9000));
        for text in [
            "a",
            "mcp_servers = 3\n",
            "[[mcp_servers]]\n",
            "[a]\n[a]\n",
            &deep,
        ] {
            assert!(add_server(text, PROGRAM).is_err(), "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

        #[test]
        fn every_byte_of_the_rest_stays(lines in proptest::collection::vec(
            prop_oneof!["# [a-z \\[\\]\"]{0,8}", Just(String::new()), "[a-z]{1,3} = [0-9]{1,3}", "\\[[a-z]{4}\\]", "\\[mcp_servers\\.[a-z]{3}\\]"], 0..8)) {
            let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
            // A blank line at the end is the one before the server.
            prop_assume!(parse(&text).is_ok() && !text.ends_with("\n\n") && text != "\n");
            prop_assert_eq!(add_and_remove(&text), text);
        }
    }
}
