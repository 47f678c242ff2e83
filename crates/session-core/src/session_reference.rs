//! Sessions as people name them: by an id, or by a text with an id in it.

use crate::turn_address::{TurnAddress, TurnRange};
use crate::turn_window::TurnWindow;

/// Quotation marks and backticks that a text is pasted with.
const QUOTES: [char; 7] = ['`', '\'', '"', '“', '”', '‘', '’'];
/// Endings of the names of transcripts.
const TRANSCRIPT_ENDINGS: [&str; 3] = [".jsonl", ".json", ".jsonl.zst"];
/// Subcommands and options that an id follows in a command on a session.
const ID_WORDS: [&str; 8] = [
    "resume", "session", "fork", "show", "export", "forget", "-r", "-s",
];
/// Fewest characters of an id that stands in a longer text: a shorter word may be anything.
const MIN_ID_CHARS: usize = 8;
/// Lengths of the parts of a UUID.
const UUID_PARTS: [usize; 5] = [8, 4, 4, 4, 12];
/// Characters of a UUID.
const UUID_LEN: usize = 36;

/// The id of a session and its turns in a text that a person typed or pasted: an id, `ID:TURNS`, the path of a transcript, or
/// the command that resumes the session. Quotes around any of these are no part of it.
///
/// ```
/// use session_core::SessionReference;
/// let pasted = SessionReference::parse("`a1b2c3d4:5-9`");
/// assert_eq!((pasted.id, pasted.turns), ("a1b2c3d4", Some("5-9")));
/// assert_eq!(SessionReference::parse("~/history/a1b2c3d4.jsonl").id, "a1b2c3d4");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionReference<'a> {
    /// The session's id, or as much of its beginning as was given.
    pub id: &'a str,
    /// The text after the last `:` behind the id; `None` if there is none.
    pub turns: Option<&'a str>,
}

impl<'a> SessionReference<'a> {
    /// Parses a text. Any text is a reference: one that is nothing else is an id.
    pub fn parse(text: &'a str) -> Self {
        let text = trim_quotes(text);
        let text = find_id_word(text).map_or(text, trim_quotes);
        let is_turns = |turns: &str| !turns.contains(['/', '\\']);
        match text.rsplit_once(':') {
            Some((session, turns)) if is_turns(turns) => Self {
                id: find_transcript_id(trim_quotes(session)),
                turns: Some(turns),
            },
            _ => Self {
                id: find_transcript_id(text),
                turns: None,
            },
        }
    }

    /// Returns the id in a text that names a session or turns of it, `ID:7`, `ID:5-9` or `ID:5+8400-9`; a text with anything
    /// else behind its last `:` is returned whole.
    pub fn strip_turns(text: &'a str) -> &'a str {
        let reference = Self::parse(text);
        let is_window =
            |turns: &str| turns.trim().is_empty() || turns.parse::<TurnWindow>().is_ok();
        let names_turns = reference.turns.is_none_or(is_window);
        if names_turns && !reference.names_turns_twice() {
            reference.id
        } else {
            text
        }
    }

    /// Returns true if turns stand behind turns: `a1b2c3d4:14:2`.
    pub fn names_turns_twice(&self) -> bool {
        let address = self.id.parse::<TurnAddress<TurnRange>>();
        self.turns.is_some() && address.is_ok()
    }
}

fn trim_quotes(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || QUOTES.contains(&c))
}

/// Returns the word of a command that stands for a session, behind the last option or subcommand that says so.
fn find_id_word(text: &str) -> Option<&str> {
    let words: Vec<&str> = text.split([' ', '\t', '\n', '=']).collect();
    let names_id = |word: &str| {
        let name = word.strip_prefix("--").unwrap_or(word);
        ID_WORDS.contains(&name)
    };
    let find_behind = |at: usize| {
        let mut behind = words.get(at + 1..)?.iter().map(|word| trim_quotes(word));
        let word = behind.find(|word| !word.starts_with('-'))?;
        let word = word.trim_end_matches(';');
        let id = word.split_once(':').map_or(word, |(id, _)| id);
        is_id(trim_quotes(id)).then_some(word)
    };
    let mut places = (0..words.len()).rev().filter(|at| names_id(words[*at]));
    places.find_map(find_behind)
}

/// Returns true for a word in the form of an id: letters and digits, `-` and `_`.
fn is_id(word: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    word.len() >= MIN_ID_CHARS
        && word.chars().all(is_part)
        && word.contains(|c: char| c.is_ascii_digit())
}

/// Returns the id that the path of a transcript ends with, and any other text as it is. It is the UUID in the file's name, else
/// that name, or the folder's where the file has a name that every session's has (`ID/events.jsonl`).
fn find_transcript_id(text: &str) -> &str {
    let mut names = text.rsplit(['/', '\\']);
    let Some(stem) = names.next().and_then(strip_transcript_ending) else {
        return text;
    };
    let named = find_uuid(stem).or(Some(stem).filter(|stem| is_id(stem)));
    let folder = || names.next().filter(|name| is_id(name));
    named.or_else(folder).unwrap_or(text)
}

fn strip_transcript_ending(name: &str) -> Option<&str> {
    TRANSCRIPT_ENDINGS.iter().find_map(|ending| {
        let (stem, end) = name.split_at_checked(name.len().checked_sub(ending.len())?)?;
        (end.eq_ignore_ascii_case(ending) && !stem.is_empty()).then_some(stem)
    })
}

fn find_uuid(text: &str) -> Option<&str> {
    let starts = 0..text.len().saturating_sub(UUID_LEN - 1);
    let mut parts = starts.filter_map(|start| text.get(start..start + UUID_LEN));
    parts.find(|part| is_uuid(part))
}

/// Returns true for a UUID as it is written most often: five groups of hexadecimal digits.
pub fn is_uuid(text: &str) -> bool {
    let is_hex = |part: &str| part.bytes().all(|byte| byte.is_ascii_hexdigit());
    text.split('-').map(str::len).eq(UUID_PARTS) && text.split('-').all(is_hex)
}

#[cfg(test)]
mod tests {
    use super::*;

    const UUID: &str = "a7da6a22-0000-4000-8000-000000000001";

    #[test]
    fn an_id_is_found_in_what_is_pasted() {
        let check = |text: &str, id: &str, turns: Option<&str>| {
            assert_eq!(
                SessionReference::parse(text),
                SessionReference { id, turns },
                "{text}"
            );
        };
        for text in ["a7da6a22", "`a7da6a22`", "\"a7da6a22\"", " ‘a7da6a22’ "] {
            check(text, "a7da6a22", None);
        }
        check("`a7da6a22:4`", "a7da6a22", Some("4"));
        check("`a7da6a22`:5-9", "a7da6a22", Some("5-9"));
        check("a7da6a22:", "a7da6a22", Some(""));
        check("#12:7", "#12", Some("7"));
        for text in [
            "",
            "a/b",
            "agent --resume",
            "lamp --continue",
            "events.md",
            // No words but the beginnings of ids, in which a session that is not meant would be found.
            "c.json",
            "1.json",
            "x/e1/events.json",
            "please show e",
            "session c",
            "my session notes",
        ] {
            check(text, text, None);
        }
    }

    #[test]
    fn a_transcript_and_a_command_stand_for_their_session() {
        for text in [
            "{}.jsonl",
            "{}.JSON",
            "~/.agent/projects/x/{}.jsonl",
            "'/home/ann/my lamps/{}.jsonl'",
            r"C:\Users\ann\.agent\{}.jsonl",
            "/agent/2026/rollout-2026-01-15T10-00-00-{}.jsonl",
            "/agent/2026/rollout-2026-01-15T10-00-00-{}_2.jsonl.zst",
            "/agent/session-state/{}/events.jsonl",
            "agent --resume {}",
            "cd '/home/ann' && agent --session {} --fork",
            "agent resume \"{}\"",
            "cd '/home/ann/my session a' && agent --resume {}",
            "cd '/home/ann/TV show e1b2c3d4' && agent --resume={}; exit",
            "agent -r {}",
            "agent --resume --fork-session {}",
        ] {
            let pasted = text.replace("{}", UUID);
            let reference = SessionReference::parse(&pasted);
            assert_eq!((reference.id, reference.turns), (UUID, None), "{text}");
        }
        let subagent = format!("/projects/x/{UUID}/subagents/agent-a1b2.jsonl:3");
        let reference = SessionReference::parse(&subagent);
        assert_eq!((reference.id, reference.turns), ("agent-a1b2", Some("3")));
        assert_eq!(SessionReference::parse(".jsonl").id, ".jsonl");
        let shown = SessionReference::parse("session-search show a7da6a22:14 --brief");
        assert_eq!((shown.id, shown.turns), ("a7da6a22", Some("14")));
    }

    #[test]
    fn turns_are_no_part_of_an_id() {
        for (typed, id) in [
            ("a1b2c3d4:8", "a1b2c3d4"),
            ("a1b2c3d4:5-9", "a1b2c3d4"),
            ("a1b2c3d4:5+8400-9", "a1b2c3d4"),
            ("`a1b2c3d4`", "a1b2c3d4"),
            ("~/history/a1b2c3d4.jsonl", "a1b2c3d4"),
            ("a1b2c3d4:14:2", "a1b2c3d4:14:2"),
            ("a1b2c3d4", "a1b2c3d4"),
            ("a1b2c3d4:", "a1b2c3d4"),
            ("a1b2c3d4:x", "a1b2c3d4:x"),
            (":5", ""),
        ] {
            assert_eq!(SessionReference::strip_turns(typed), id, "{typed}");
        }
    }

    #[test]
    fn turns_behind_turns_are_told() {
        let is_twice = |text: &str| SessionReference::parse(text).names_turns_twice();
        assert!(is_twice("6b6f4218:14:2") && is_twice("6b6f4218:5-9:x"));
        assert!(!is_twice("6b6f4218:14") && !is_twice("a:b:7") && !is_twice("6b6f4218"));
    }
}
