//! The format `conversation-memory`: a directory for each memory, with a summary and the whole
//! conversation.

use super::section::{find_labelled, is_one_of, list_items, split_sections, split_words};
use super::{FoundMemories, ImportFormat};
use crate::content::frontmatter_time::FrontmatterTime;
use crate::content::imported_memory::ImportedMemory;
use crate::content::memory::{Frontmatter, MemorySource, MemoryState};
use crate::content::memory_id::is_valid_id;
use crate::error::{MemoryError, Result};
use crate::storage::directory_writer::MAX_CONVERSATION_BYTES;
use crate::storage::memory_file::{FILE_LIMIT, MAX_FILES};
use crate::trust::Trust;
use jiff::Zoned;
use jiff::civil::DateTime;
use session_files::Dir;
use std::path::Path;

/// The default path below a project's root.
pub(super) const DEFAULT_PATH: &str = ".claude/data/conversation-memory";

/// Titles of summaries.
const TITLES: [&str; 6] = [
    "conversation memory",
    "对话记忆",
    "memory",
    "记忆",
    "memory summary",
    "记忆摘要",
];
/// Headings of key information.
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
/// Headings and labels of keywords.
const KEYWORDS: [&str; 3] = ["keywords", "关键词", "关键字"];
const TIME: [&str; 5] = ["time", "时间", "created", "创建时间", "date"];
const SESSION: [&str; 2] = ["sessionid", "session id"];

/// Reads the directory that holds `memories`, or is it.
pub(super) fn read(root: &Dir, now: &Zoned) -> Result<FoundMemories> {
    let inner = root.directory(Path::new("memories"))?;
    let memories = inner.as_ref().unwrap_or(root);
    let mut found = FoundMemories::default();
    for state in [MemoryState::Active, MemoryState::Archive] {
        for name in memories.names(Path::new(state.directory_name()), MAX_FILES)? {
            let path = Path::new(state.directory_name()).join(&name);
            // A file there belongs to something else.
            if let Ok(Some(directory)) = memories.directory(&path) {
                match read_memory(&directory, &name.to_string_lossy(), state, now) {
                    Ok(memory) => found.memories.extend(memory),
                    Err(error) => found.skipped.push(error),
                }
            }
        }
    }
    if found.memories.is_empty() && found.skipped.is_empty() {
        Err(MemoryError::NothingToImport {
            format: ImportFormat::ConversationMemory,
            path: root.path().to_owned(),
            what: "there is no `active/mem-*` or `archive/mem-*` with a summary.md".to_owned(),
        })
    } else {
        Ok(found)
    }
}

fn read_memory(
    directory: &Dir,
    name: &str,
    state: MemoryState,
    now: &Zoned,
) -> Result<Option<ImportedMemory>> {
    let summary = directory.read_text(Path::new("summary.md"), FILE_LIMIT)?;
    let raw = read_raw(directory)?;
    if summary.is_none() && raw.is_none() {
        return Ok(None);
    }
    let summary = summary.unwrap_or_default();
    let ParsedSummary {
        topic,
        key_info,
        keywords,
    } = ParsedSummary::parse(&summary, name);
    let source = MemorySource {
        session: find_labelled(&summary, &SESSION).map(str::to_owned),
        imported: Some(ImportFormat::ConversationMemory.name().to_owned()),
        origin: Some(format!("{}/{name}", state.directory_name())),
        ..MemorySource::default()
    };
    let created = find_created(name, &summary, now);
    let front = Frontmatter {
        id: if is_valid_id(name) {
            name.to_owned()
        } else {
            String::new()
        },
        keywords,
        ..Frontmatter::imported(&topic, created, source)
    };
    Ok(Some(ImportedMemory {
        front,
        body: write_body(&summary, &key_info),
        text: None,
        raw,
        state,
        trust: Trust::Own,
        scope: None,
    }))
}

/// The parts of a summary that become fields of a memory.
struct ParsedSummary {
    topic: String,
    key_info: Vec<String>,
    keywords: Vec<String>,
}

impl ParsedSummary {
    /// Parses a summary; the topic of one without any is the name of its directory.
    fn parse(summary: &str, name: &str) -> Self {
        let titles = split_sections(summary, 1).sections;
        let heading = titles.first().map(|s| s.heading).unwrap_or_default();
        let parts = split_sections(summary, 2).sections;
        let named = |names: &[&str]| {
            parts
                .iter()
                .find(|s| is_one_of(s.heading, names))
                .map(|s| s.text)
        };
        let topic = named(&TOPIC).map(str::trim).filter(|t| !t.is_empty());
        let topic = topic.or(topic_of_title(heading)).unwrap_or(name);
        let info: Vec<String> = parts
            .iter()
            .filter(|s| is_one_of(s.heading, &INFO))
            .flat_map(|s| list_items(s.text))
            .collect();
        let keywords = named(&KEYWORDS)
            .or_else(|| find_labelled(summary, &KEYWORDS))
            .map(split_words);
        Self {
            topic: topic.to_owned(),
            key_info: info,
            keywords: keywords.unwrap_or_default(),
        }
    }
}

/// Returns the key information as a list, and after it the summary without its title.
fn write_body(summary: &str, info: &[String]) -> String {
    let rest = match summary.split_once('\n') {
        Some((first, rest)) if first.starts_with("# ") => rest.trim(),
        _ => summary.trim(),
    };
    let list = crate::content::key_info::write_list(info);
    let body = format!("{list}\n# Imported summary\n\n{rest}\n");
    body.trim().to_owned()
}

/// Returns the part of a title after `Conversation Memory:`, or the whole title.
fn topic_of_title(heading: &str) -> Option<&str> {
    let text = match heading.split_once([':', '：']) {
        Some((label, text)) if is_one_of(label, &TITLES) => text,
        _ => heading,
    };
    Some(text.trim()).filter(|text| !text.is_empty())
}

/// Returns the time in the summary, or else that of the directory's name.
fn find_created(name: &str, summary: &str, now: &Zoned) -> FrontmatterTime {
    let civil = |text: &str| {
        text.trim()
            .replace(' ', "T")
            .replace('/', "-")
            .parse::<DateTime>()
            .ok()
    };
    let stated = find_labelled(summary, &TIME).and_then(civil);
    let digits: String = name.chars().filter(char::is_ascii_digit).collect();
    let named = || DateTime::strptime("%Y%m%d%H%M%S", digits.get(..14)?).ok();
    let at = stated.or_else(named).unwrap_or_else(|| now.datetime());
    let at = at
        .to_zoned(now.time_zone().clone())
        .unwrap_or_else(|_| now.clone());
    FrontmatterTime(at.timestamp())
}

/// Reads the conversation and the messages beside the summary.
fn read_raw(directory: &Dir) -> Result<Option<String>> {
    let conversation = directory.read_text(Path::new("conversation.md"), MAX_CONVERSATION_BYTES)?;
    let messages = directory.read_text(Path::new("messages.json"), MAX_CONVERSATION_BYTES)?;
    let messages = messages.map(|text| format!("```json\n{}\n```\n", text.trim_end()));
    Ok(match (conversation, messages) {
        (Some(text), Some(messages)) => Some(format!("{}\n\n{messages}", text.trim_end())),
        (text, messages) => text.or(messages),
    })
}
