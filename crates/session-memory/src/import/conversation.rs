//! `conversation-memory`: a folder for each memory with a summary and the whole
//! conversation.

use super::Format;
use super::section::{is_one_of, items, labelled, sections, words};
use crate::error::{MemoryError, Result};
use crate::file::{FILE_LIMIT, FILES, is_valid_id};
use crate::keywords;
use crate::memory::{Front, Importance, Kind, Source, State};
use crate::moment::Moment;
use crate::store::Imported;
use crate::writing::RAW_LIMIT;
use jiff::Zoned;
use jiff::civil::DateTime;
use session_files::Dir;
use std::path::Path;

/// Where it lies below a project's root.
pub(super) const PLACE: &str = ".claude/data/conversation-memory";

const TITLES: [&str; 6] = [
    "conversation memory",
    "对话记忆",
    "memory",
    "记忆",
    "memory summary",
    "记忆摘要",
];
const INFO: [&str; 10] = [
    "key decisions",
    "关键决策",
    "important conclusions",
    "重要结论",
    "conclusions",
    "结论",
    "key points",
    "要点",
    "key information",
    "关键信息",
];
const TOPIC: [&str; 4] = ["topic", "主题", "对话主题", "conversation topic"];
const WORDS: [&str; 3] = ["keywords", "关键词", "关键字"];
const TIME: [&str; 5] = ["time", "时间", "created", "创建时间", "date"];
const SESSION: [&str; 2] = ["sessionid", "session id"];

/// Reads the folder that holds `memories`, or that is it.
pub(super) fn read(folder: &Dir, now: &Zoned) -> Result<Vec<Imported>> {
    let inner = folder.directory(Path::new("memories"))?;
    let memories = inner.as_ref().unwrap_or(folder);
    let mut found = Vec::new();
    for state in [State::Active, State::Archive] {
        for name in memories.names(Path::new(state.folder()), FILES)? {
            let path = Path::new(state.folder()).join(&name);
            // What is no folder is something else's.
            if let Ok(Some(folder)) = memories.directory(&path) {
                found.extend(of_folder(&folder, &name.to_string_lossy(), state, now)?);
            }
        }
    }
    match found.is_empty() {
        true => Err(MemoryError::NothingToImport {
            path: folder.path().to_owned(),
            what: "there is no `active/mem-*` or `archive/mem-*` with a summary.md".to_owned(),
        }),
        false => Ok(found),
    }
}

fn of_folder(folder: &Dir, name: &str, state: State, now: &Zoned) -> Result<Option<Imported>> {
    let summary = folder.read_text(Path::new("summary.md"), FILE_LIMIT)?;
    let raw = raw(folder)?;
    if summary.is_none() && raw.is_none() {
        return Ok(None);
    }
    let summary = summary.unwrap_or_default();
    let (_, titles) = sections(&summary, 1);
    let heading = titles.first().map(|s| s.heading).unwrap_or_default();
    let (_, parts) = sections(&summary, 2);
    let named = |names: &[&str]| {
        parts
            .iter()
            .find(|s| is_one_of(s.heading, names))
            .map(|s| s.text)
    };
    let topic = named(&TOPIC).map(str::trim).filter(|t| !t.is_empty());
    let topic = topic.or(title(heading)).unwrap_or(name);
    let topic = session_core::text::one_line(topic);
    let info: Vec<String> = parts
        .iter()
        .filter(|s| is_one_of(s.heading, &INFO))
        .flat_map(|s| items(s.text))
        .collect();
    let words = named(&WORDS)
        .or_else(|| labelled(&summary, &WORDS))
        .map(words);
    let created = created(name, &summary, now);
    let rest = match summary.split_once('\n') {
        Some((first, rest)) if first.starts_with("# ") => rest.trim(),
        _ => summary.trim(),
    };
    let body = format!(
        "{}\n# Imported summary\n\n{rest}\n",
        crate::body::list(&info)
    );
    Ok(Some(Imported {
        front: Front {
            id: match is_valid_id(name) {
                true => name.to_owned(),
                false => String::new(),
            },
            keywords: words.unwrap_or_else(|| keywords::of(&topic, &info, &[])),
            cues: Vec::new(),
            topic,
            kind: Kind::Context,
            importance: Importance::Normal,
            tags: Vec::new(),
            created,
            updated: Some(created),
            superseded_by: None,
            source: Some(Source {
                session: labelled(&summary, &SESSION).map(str::to_owned),
                imported: Some(Format::ConversationMemory.name().to_owned()),
                origin: Some(format!("{}/{name}", state.folder())),
                ..Source::default()
            }),
        },
        body: body.trim().to_owned(),
        text: None,
        raw,
        state,
    }))
}

/// What follows `Conversation Memory:` in a title, or the whole of it.
fn title(heading: &str) -> Option<&str> {
    let text = match heading.split_once([':', '：']) {
        Some((label, text)) if is_one_of(label, &TITLES) => text,
        _ => heading,
    };
    Some(text.trim()).filter(|text| !text.is_empty())
}

/// The time that the summary states, else that of the folder's name.
fn created(name: &str, summary: &str, now: &Zoned) -> Moment {
    let civil = |text: &str| {
        text.trim()
            .replace(' ', "T")
            .replace('/', "-")
            .parse::<DateTime>()
            .ok()
    };
    let stated = labelled(summary, &TIME).and_then(civil);
    let digits: String = name.chars().filter(char::is_ascii_digit).collect();
    let named = || DateTime::strptime("%Y%m%d%H%M%S", digits.get(..14)?).ok();
    let at = stated.or_else(named).unwrap_or_else(|| now.datetime());
    let at = at
        .to_zoned(now.time_zone().clone())
        .unwrap_or_else(|_| now.clone());
    Moment(at.timestamp())
}

/// The conversation, and what else lies beside the summary.
fn raw(folder: &Dir) -> Result<Option<String>> {
    let conversation = folder.read_text(Path::new("conversation.md"), RAW_LIMIT)?;
    let messages = folder.read_text(Path::new("messages.json"), RAW_LIMIT)?;
    let messages = messages.map(|text| format!("```json\n{}\n```\n", text.trim_end()));
    Ok(match (conversation, messages) {
        (Some(text), Some(messages)) => Some(format!("{}\n\n{messages}", text.trim_end())),
        (text, messages) => text.or(messages),
    })
}
