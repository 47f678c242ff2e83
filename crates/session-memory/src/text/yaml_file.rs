//! Markdown with YAML frontmatter: split, joined, and changed key by key, so that the user's
//! other keys and comments are kept.

use crate::error::DamagedFile;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use session_core::text::strip_byte_order_mark;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

const FENCE: &str = "---";
/// The most events that aliases of a frontmatter expand to.
const MAX_ALIAS_EVENTS: usize = 1_000;
/// The longest frontmatter, in bytes.
const MAX_BYTES: usize = 1 << 18;

/// The frontmatter and the body of a file.
pub(crate) struct MemoryFileParts<'a> {
    /// The YAML, without the fences.
    pub(crate) yaml: &'a str,
    /// The text after the second fence and one blank line.
    pub(crate) body: &'a str,
}

/// Splits a file at the fences of its frontmatter.
///
/// # Errors
/// When it does not begin with a fence, or has no second one.
pub(crate) fn split_file<'a>(
    text: &'a str,
    path: &Path,
) -> Result<MemoryFileParts<'a>, DamagedFile> {
    let damage = |line: usize, reason: &str| DamagedFile {
        path: path.to_owned(),
        line: Some(line),
        reason: reason.to_owned(),
        hint: None,
    };
    let text = strip_byte_order_mark(text);
    let mut at = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let is_fence = line.trim_end() == FENCE;
        match (number, is_fence) {
            (0, false) => return Err(damage(1, "no `---` begins the frontmatter")),
            (0, true) => {}
            (_, true) => {
                let head = text.find('\n').map_or(0, |n| n + 1);
                let body = &text[at + line.len()..];
                let body = body.strip_prefix("\r\n").or(body.strip_prefix('\n'));
                return Ok(MemoryFileParts {
                    yaml: &text[head..at],
                    body: body.unwrap_or(&text[at + line.len()..]),
                });
            }
            _ if at > MAX_BYTES => break,
            _ => {}
        }
        at += line.len();
    }
    let lines = text.lines().count().max(1);
    Err(damage(lines, "no second `---` ends the frontmatter"))
}

/// Parses YAML, and expands few aliases: a repository writes a file of a kilobyte that would expand to millions.
pub(crate) fn parse_yaml<T: DeserializeOwned>(yaml: &str) -> Result<T, serde_saphyr::Error> {
    let alias_limits = serde_saphyr::alias_limits! { max_total_replayed_events: MAX_ALIAS_EVENTS };
    serde_saphyr::from_str_with_options(yaml, serde_saphyr::options! { alias_limits: alias_limits })
}

/// Joins YAML and a body to a file.
pub(crate) fn join_file(yaml: &str, body: &str) -> String {
    let yaml = yaml.trim_end();
    format!("{FENCE}\n{yaml}\n{FENCE}\n\n{}\n", body.trim_end())
}

/// Sets or removes a key of YAML, and keeps all other lines.
///
/// # Errors
/// When the YAML is written so that the key cannot be replaced alone.
pub(crate) fn set_key(
    yaml: &str,
    key: &str,
    value: Option<&impl Serialize>,
) -> Result<String, String> {
    let new = match value {
        Some(value) => {
            let map = BTreeMap::from([(key, value)]);
            serde_saphyr::to_string(&map).map_err(|e| e.to_string())?
        }
        None => String::new(),
    };
    let lines: Vec<&str> = yaml.lines().collect();
    let old = find_key_lines(&lines, key);
    let mut out: Vec<&str> = lines[..old.start].to_vec();
    out.extend(new.trim_end().lines());
    out.extend(&lines[old.end..]);
    let changed = out.join("\n") + "\n";
    let is_set = read_key(&changed, key) == value.and_then(|v| serde_json::to_value(v).ok());
    if is_set && read_other_keys(yaml, key) == read_other_keys(&changed, key) {
        Ok(changed)
    } else {
        Err(format!(
            "the key `{key}` stands where it cannot be changed alone"
        ))
    }
}

/// Returns the lines of a key and its value; `None` if no line begins with the key.
pub(crate) fn extract_key(yaml: &str, key: &str) -> Option<String> {
    let lines: Vec<&str> = yaml.lines().collect();
    let found = &lines[find_key_lines(&lines, key)];
    (!found.is_empty()).then(|| found.join("\n"))
}

/// Finds the lines of a key and its value; an empty range at the end where there is no such key.
fn find_key_lines(lines: &[&str], key: &str) -> Range<usize> {
    let is_key = |line: &&str| {
        let rest = line.strip_prefix(key);
        rest.is_some_and(|rest| rest.trim_start().starts_with(':'))
    };
    let begin = lines.iter().position(is_key).unwrap_or(lines.len());
    let belongs = |line: &&&str| {
        line.starts_with([' ', '\t']) || line.starts_with("- ") || **line == "-" || line.is_empty()
    };
    // A comment belongs to the list that goes on below it.
    let more = lines.iter().skip(begin + 1);
    let more = more.take_while(|line| belongs(line) || line.starts_with('#'));
    let more: Vec<&&str> = more.collect();
    let more = more.iter().rposition(belongs).map_or(0, |at| at + 1);
    begin..(begin + 1 + more).min(lines.len())
}

/// Reads the value of one key.
fn read_key(yaml: &str, key: &str) -> Option<Value> {
    let mut all: Map<String, Value> = parse_yaml(yaml).ok()?;
    all.remove(key)
}

/// Reads all keys but one, to verify that they are kept.
fn read_other_keys(yaml: &str, but: &str) -> Option<Map<String, Value>> {
    let mut all: Map<String, Value> = parse_yaml(yaml).ok()?;
    all.remove(but);
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINE: &str = "id: mem-20260110-091500\ntopic: \"Pool\" # mine\nmood: [calm,\n  blue]\n# a comment\ntags:\n- a\n- b\ncreated: 2026-01-10\nzeal: {x: 1}\n";

    #[test]
    fn a_key_changes_and_all_else_is_kept() {
        let changed = set_key(MINE, "tags", Some(&["c"])).unwrap();
        assert_eq!(changed, MINE.replace("- a\n- b\n", "- c\n"));
        let changed = set_key(MINE, "superseded_by", Some(&"mem-1")).unwrap();
        assert_eq!(changed, format!("{MINE}superseded_by: mem-1\n"));
        assert_eq!(
            set_key(&changed, "superseded_by", None::<&str>.as_ref()).unwrap(),
            MINE
        );
        let changed = set_key(MINE, "mood", None::<&str>.as_ref()).unwrap();
        assert_eq!(changed, MINE.replace("mood: [calm,\n  blue]\n", ""));
    }

    #[test]
    fn a_comment_inside_a_list_ends_with_it() {
        let yaml = "id: mem-1\ncues:\n- a\n# between\n- b # after\n\n- c\n# below\nzeal: 1\n";
        let changed = set_key(yaml, "cues", Some(&["x"])).unwrap();
        assert_eq!(changed, "id: mem-1\ncues:\n- x\n# below\nzeal: 1\n");
    }

    #[test]
    fn a_key_in_flow_style_is_refused() {
        let flow = "{id: mem-1, topic: t, created: 2026-01-10}\n";
        assert!(set_key(flow, "topic", Some(&"u")).is_err());
    }
}
