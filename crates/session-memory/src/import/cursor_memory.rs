//! The format `cursor-memory`: a Markdown file for each day with a section for each session, and an
//! index of keywords.

use super::section::{MarkdownSection, MarkdownSections, is_one_of, list_items, split_sections};
use super::{FoundMemories, ImportFormat};
use crate::content::draft::normalize_tag;
use crate::content::frontmatter_time::FrontmatterTime;
use crate::content::imported_memory::ImportedMemory;
use crate::content::memory::{Frontmatter, MemorySource, MemoryState};
use crate::error::{MemoryError, Result};
use crate::storage::directory_writer::MAX_CONVERSATION_BYTES;
use crate::storage::memory_file::MAX_FILES;
use crate::trust::Trust;
use jiff::Zoned;
use jiff::civil::{Date, Time};
use serde::Deserialize;
use session_files::Dir;
use std::path::Path;

/// The directory of days.
const DAILY: &str = "daily";
const TOPIC: [&str; 4] = ["主题", "topic", "subject", "title"];
/// Headings of key information.
const INFO: [&str; 6] = [
    "关键信息",
    "key information",
    "key info",
    "key points",
    "关键内容",
    "要点",
];
const TAGS: [&str; 3] = ["标签", "tags", "tag"];

#[derive(Default, Deserialize)]
#[serde(default)]
struct KeywordIndex {
    entries: Vec<IndexEntry>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct IndexEntry {
    id: String,
    date: String,
    session: usize,
    keywords: Vec<String>,
    summary: String,
    tags: Vec<String>,
    #[serde(skip)]
    is_used: bool,
}

/// Reads the directory that holds `daily` and `index`.
pub(super) fn read(root: &Dir, now: &Zoned) -> Result<FoundMemories> {
    let mut days = root.names(Path::new(DAILY), MAX_FILES)?;
    days.retain(|name| Path::new(name).extension().is_some_and(|end| end == "md"));
    let index = root.read_text(Path::new("index/keywords.json"), MAX_CONVERSATION_BYTES)?;
    if days.is_empty() && index.is_none() {
        return Err(MemoryError::NothingToImport {
            format: ImportFormat::CursorMemory,
            path: root.path().to_owned(),
            what: "there is neither `daily/*.md` nor `index/keywords.json`".to_owned(),
        });
    }
    let mut index: KeywordIndex = match index.as_deref().map(serde_json::from_str) {
        Some(Err(e)) => {
            return Err(MemoryError::NothingToImport {
                format: ImportFormat::CursorMemory,
                path: root.path().to_owned(),
                what: format!("`index/keywords.json` cannot be read: {e}"),
            });
        }
        Some(Ok(read)) => read,
        None => KeywordIndex::default(),
    };
    let mut found = FoundMemories::default();
    for name in days {
        let name = Path::new(&name);
        let day = name.file_stem().unwrap_or_default().to_string_lossy();
        match root.read_text(&Path::new(DAILY).join(name), MAX_CONVERSATION_BYTES) {
            Ok(text) => {
                let text = text.unwrap_or_default();
                let memories = read_day(&day, &text, &mut index, now);
                found.memories.extend(memories);
            }
            Err(error) => found.skipped.push(error.into()),
        }
    }
    let unused = index.entries.iter().filter(|entry| !entry.is_used);
    found
        .memories
        .extend(unused.filter_map(|entry| read_index_entry(entry, now)));
    Ok(found)
}

fn read_day(day: &str, text: &str, index: &mut KeywordIndex, now: &Zoned) -> Vec<ImportedMemory> {
    let MarkdownSections {
        head,
        sections: all,
    } = split_sections(text, 2);
    let mut found = Vec::new();
    let head = head
        .lines()
        .filter(|line| !line.starts_with("# "))
        .collect::<Vec<_>>()
        .join("\n");
    if !head.trim_matches(['-', '\n', ' ']).is_empty() {
        let notes = MarkdownSection {
            heading: "",
            text: &head,
        };
        found.push(read_session(day, &notes, None, now));
    }
    for (position, section) in all.iter().enumerate() {
        let number = find_number(section.heading).unwrap_or(position + 1);
        let is_of_section =
            |e: &&mut IndexEntry| !e.is_used && e.date == day && e.session == number;
        let entry = index.entries.iter_mut().find(is_of_section);
        let entry = entry.map(|entry| {
            entry.is_used = true;
            &*entry
        });
        let mut imported = read_session(day, section, entry, now);
        let same = |other: &&MarkdownSection<'_>| other.heading == section.heading;
        let before = all.iter().take(position).filter(same).count();
        if let (1.., Some(source)) = (before, imported.front.source.as_mut()) {
            let origin = source.origin.get_or_insert_default();
            origin.push_str(&format!(" ({})", before + 1));
        }
        found.push(imported);
    }
    found
}

/// Finds the first number in `Session 1 - 10:30:45`.
fn find_number(heading: &str) -> Option<usize> {
    let begin = heading.find(|c: char| c.is_ascii_digit())?;
    let digits: String = heading[begin..]
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    digits.parse().ok()
}

fn read_session(
    day: &str,
    section: &MarkdownSection<'_>,
    entry: Option<&IndexEntry>,
    now: &Zoned,
) -> ImportedMemory {
    let MarkdownSections {
        head,
        sections: parts,
    } = split_sections(section.text, 3);
    let named = |names: &[&str]| parts.iter().find(|s| is_one_of(s.heading, names));
    let topic = named(&TOPIC).map(|s| trim_rule(s.text));
    let topic = topic.filter(|topic| !topic.is_empty());
    let topic = topic
        .or_else(|| find_topic(head, entry))
        .unwrap_or_else(|| format!("{day} {}", section.heading));
    let info = named(&INFO).map(|s| list_items(s.text)).unwrap_or_default();
    let tag_section = split_tag_lines(named(&TAGS).map_or("", |s| s.text));
    let tags = collect_tags(&tag_section.tags, entry);
    let keywords = entry.map(|e| e.keywords.clone()).unwrap_or_default();
    let location = match section.heading {
        "" => "before the first session",
        heading => heading,
    };
    let origin = format!("daily/{day}.md, {location}");
    let created = created_at(day, section.heading, now);
    let mut imported = new_imported(NewImport {
        topic,
        created,
        origin,
        tags,
        keywords,
    });
    let notes = collect_notes(section.heading, head, &parts);
    imported.body = format!("{}\n{notes}", crate::content::key_info::write_list(&info));
    imported.body = imported.body.trim().to_owned();
    imported
}

/// Returns the topic of a session without a section of it: the summary in the index, else the first line.
fn find_topic(head: &str, entry: Option<&IndexEntry>) -> Option<String> {
    let summary = entry.map(|entry| entry.summary.clone());
    let first_line = || head.lines().find(|line| !line.trim().is_empty());
    summary
        .filter(|summary| !summary.is_empty())
        .or_else(|| first_line().map(str::to_owned))
}

/// Trims a text and the rule at its end.
fn trim_rule(text: &str) -> String {
    text.trim().trim_end_matches("---").trim().to_owned()
}

/// Collects the text that is no topic, key information or tag.
fn collect_notes(heading: &str, head: &str, parts: &[MarkdownSection<'_>]) -> String {
    let mut notes = String::new();
    if !head.trim_matches(['-', '\n', ' ']).is_empty() {
        notes.push_str(&format!("## {heading}\n\n{}\n", trim_rule(head)));
    }
    let (mut topics, mut infos, mut tags) = (0, 0, 0);
    for part in parts {
        // Only the first section of each heading was read.
        let is_first = |names: &[&str], count: &mut usize| {
            *count += usize::from(is_one_of(part.heading, names));
            *count == 1 && is_one_of(part.heading, names)
        };
        let rest = if is_first(&TOPIC, &mut topics) {
            continue;
        } else if is_first(&INFO, &mut infos) {
            text_beside_items(part.text)
        } else if is_first(&TAGS, &mut tags) {
            trim_rule(&split_tag_lines(part.text).others)
        } else {
            format!("## {}\n\n{}", part.heading, trim_rule(part.text))
        };
        if !rest.is_empty() {
            notes.push_str(&format!("\n{rest}\n"));
        }
    }
    notes
}

/// Returns the text beside the items of a list; nothing of a text without a list.
fn text_beside_items(text: &str) -> String {
    if crate::content::key_info::read_items(text).is_empty() {
        String::new()
    } else {
        trim_rule(&crate::content::key_info::replace_items(text, &[]))
    }
}

/// Reads an entry that the index alone has.
fn read_index_entry(entry: &IndexEntry, now: &Zoned) -> Option<ImportedMemory> {
    let topic = match entry.summary.trim() {
        "" => entry.keywords.join(" "),
        summary => summary.to_owned(),
    };
    if topic.is_empty() {
        return None;
    }
    let created = created_at(&entry.date, "", now);
    let info = vec![topic.clone()];
    let origin = format!("index/keywords.json, {}", entry.id);
    let mut imported = new_imported(NewImport {
        topic,
        created,
        origin,
        tags: collect_tags("", Some(entry)),
        keywords: entry.keywords.clone(),
    });
    imported.body = crate::content::key_info::write_list(&info);
    Some(imported)
}

/// The fields of a new memory that are known from its file.
struct NewImport {
    topic: String,
    created: FrontmatterTime,
    origin: String,
    tags: Vec<String>,
    keywords: Vec<String>,
}

fn new_imported(new: NewImport) -> ImportedMemory {
    let source = MemorySource {
        imported: Some(ImportFormat::CursorMemory.name().to_owned()),
        origin: Some(new.origin),
        ..MemorySource::default()
    };
    ImportedMemory {
        front: Frontmatter {
            tags: new.tags,
            keywords: new.keywords,
            ..Frontmatter::imported(&new.topic, new.created, source)
        },
        body: String::new(),
        text: None,
        raw: None,
        state: MemoryState::Active,
        trust: Trust::Own,
        scope: None,
    }
}

/// The lines of a section of tags.
struct TagLines {
    tags: String,
    others: String,
}

/// Separates the lines with a `#`, or else the first line, from the others.
fn split_tag_lines(text: &str) -> TagLines {
    let is_marked = |line: &str| line.trim_start_matches(['-', '*', ' ']).starts_with('#');
    let any = text.lines().any(is_marked);
    let first = text.lines().position(|line| !line.trim().is_empty());
    let (tags, others): (Vec<_>, Vec<_>) = text.lines().enumerate().partition(|(n, line)| {
        if any {
            is_marked(line)
        } else {
            Some(*n) == first
        }
    });
    let joined = |lines: Vec<(usize, &str)>| {
        lines
            .into_iter()
            .map(|l| l.1)
            .collect::<Vec<_>>()
            .join("\n")
    };
    TagLines {
        tags: joined(tags),
        others: joined(others),
    }
}

/// Collects the distinct tags of a section and of the index.
fn collect_tags(text: &str, entry: Option<&IndexEntry>) -> Vec<String> {
    let own = text.split(|c: char| c.is_whitespace() || c == ',' || c == '，');
    let of_index = entry
        .into_iter()
        .flat_map(|entry| entry.tags.iter().map(String::as_str));
    let mut out: Vec<String> = Vec::new();
    for tag in own.chain(of_index).map(normalize_tag) {
        if !tag.is_empty() && !tag.starts_with("--") && !out.contains(&tag) {
            out.push(tag);
        }
    }
    out
}

/// Returns the day with the time in `Session 1 - 10:30:45`, or its midnight.
fn created_at(day: &str, heading: &str, now: &Zoned) -> FrontmatterTime {
    let time = heading
        .rsplit(['-', ' ', '—'])
        .map(str::trim)
        .filter(|part| part.contains(':')) // `12` would be a time, too
        .find_map(|part| part.parse::<Time>().ok());
    let date = day.parse::<Date>().unwrap_or_else(|_| now.date());
    let at = date.to_datetime(time.unwrap_or(Time::midnight()));
    let at = at
        .to_zoned(now.time_zone().clone())
        .unwrap_or_else(|_| now.clone());
    FrontmatterTime(at.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_in_a_heading_is_no_time() {
        let now: Zoned = "2026-03-01T12:00:00+00:00[UTC]".parse().unwrap();
        for (heading, time) in [
            ("Session 1 - 10:30:45", "10:30:45"),
            ("Session 12 - refactor", "00:00:00"),
            ("Release 2025", "00:00:00"),
        ] {
            let created = created_at("2026-01-29", heading, &now).to_string();
            assert!(created.contains(time), "{heading}: {created}");
        }
    }
}
