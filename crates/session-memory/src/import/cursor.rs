//! `cursor-memory`: a Markdown file a day with a section for each session, and an
//! index of keywords.

use super::Format;
use super::section::{Section, is_one_of, items, sections};
use crate::disk;
use crate::error::{MemoryError, Result};
use crate::keywords;
use crate::memory::{Front, Importance, Kind, Source, State};
use crate::moment::Moment;
use crate::store::{Imported, clean_tag};
use jiff::Zoned;
use jiff::civil::{Date, Time};
use serde::Deserialize;
use std::path::Path;

const TOPIC: [&str; 4] = ["主题", "topic", "subject", "title"];
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
struct Index {
    entries: Vec<Entry>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Entry {
    id: String,
    date: String,
    session: usize,
    keywords: Vec<String>,
    summary: String,
    tags: Vec<String>,
    #[serde(skip)]
    is_used: bool,
}

/// Reads the folder that holds `daily` and `index`.
pub(super) fn read(folder: &Path, now: &Zoned) -> Result<Vec<Imported>> {
    let days = disk::files(&folder.join("daily"), ".md");
    let index = disk::read(&folder.join("index").join("keywords.json"))?;
    if days.is_empty() && index.is_none() {
        return Err(MemoryError::NothingToImport {
            path: folder.to_owned(),
            what: "there is neither `daily/*.md` nor `index/keywords.json`".to_owned(),
        });
    }
    let index = index.and_then(|text| serde_json::from_str::<Index>(&text).ok());
    let mut index = index.unwrap_or_default();
    let mut found = Vec::new();
    for path in days {
        let day = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let text = disk::read(&path)?.unwrap_or_default();
        found.extend(of_day(&day, &text, &mut index, now));
    }
    let left = index.entries.iter().filter(|entry| !entry.is_used);
    found.extend(left.filter_map(|entry| of_entry(entry, now)));
    Ok(found)
}

fn of_day(day: &str, text: &str, index: &mut Index, now: &Zoned) -> Vec<Imported> {
    let (head, all) = sections(text, 2);
    let mut found = Vec::new();
    let head = head
        .lines()
        .filter(|line| !line.starts_with("# "))
        .collect::<Vec<_>>()
        .join("\n");
    if !head.trim_matches(['-', '\n', ' ']).is_empty() {
        let notes = Section {
            heading: "",
            text: &head,
        };
        found.push(of_session(day, 0, &notes, None, now));
    }
    for (place, section) in all.iter().enumerate() {
        let number = number(section.heading).unwrap_or(place + 1);
        let of_it = |e: &&mut Entry| !e.is_used && e.date == day && e.session == number;
        let entry = index.entries.iter_mut().find(of_it);
        let entry = entry.map(|entry| {
            entry.is_used = true;
            &*entry
        });
        found.push(of_session(day, number, section, entry, now));
    }
    found
}

/// The first number in `Session 1 - 10:30:45`.
fn number(heading: &str) -> Option<usize> {
    let begin = heading.find(|c: char| c.is_ascii_digit())?;
    let digits: String = heading[begin..]
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    digits.parse().ok()
}

fn of_session(
    day: &str,
    number: usize,
    section: &Section<'_>,
    entry: Option<&Entry>,
    now: &Zoned,
) -> Imported {
    let (head, parts) = sections(section.text, 3);
    let named = |names: &[&str]| {
        parts
            .iter()
            .find(|s| is_one_of(s.heading, names))
            .map(|s| s.text)
    };
    let clean = |text: &str| text.trim().trim_end_matches("---").trim().to_owned();
    let first = || {
        head.lines()
            .find(|l| !l.trim().is_empty())
            .map(str::to_owned)
    };
    let topic = named(&TOPIC).map(clean).filter(|t| !t.is_empty());
    let topic = topic.or_else(|| entry.map(|e| e.summary.clone()).filter(|s| !s.is_empty()));
    let topic = topic
        .or_else(first)
        .unwrap_or_else(|| format!("{day} {}", section.heading));
    let info = named(&INFO).map(items).unwrap_or_default();
    let tags = tags(named(&TAGS).unwrap_or_default(), entry);
    let mut notes = String::new();
    if !head.trim_matches(['-', '\n', ' ']).is_empty() {
        notes.push_str(&format!("## {}\n\n{}\n", section.heading, clean(head)));
    }
    let is_known = |s: &&Section<'_>| {
        [&TOPIC[..], &INFO, &TAGS]
            .iter()
            .any(|n| is_one_of(s.heading, n))
    };
    for other in parts.iter().filter(|s| !is_known(s)) {
        notes.push_str(&format!(
            "\n## {}\n\n{}\n",
            other.heading,
            clean(other.text)
        ));
    }
    let words = entry.map(|e| e.keywords.clone()).unwrap_or_default();
    let created = created(day, section.heading, now);
    let origin = format!(
        "daily/{day}.md, {}",
        match section.heading {
            "" => "before the first session",
            heading => heading,
        }
    );
    let mut imported = imported(topic, created, origin, &info, tags, words);
    imported.body = format!("{}\n{notes}", crate::body::list(&info))
        .trim()
        .to_owned();
    debug_assert!(number < usize::MAX);
    imported
}

/// What the index alone has.
fn of_entry(entry: &Entry, now: &Zoned) -> Option<Imported> {
    let topic = match entry.summary.trim() {
        "" => entry.keywords.join(" "),
        summary => summary.to_owned(),
    };
    if topic.is_empty() {
        return None;
    }
    let created = created(&entry.date, "", now);
    let info = vec![topic.clone()];
    let origin = format!("index/keywords.json, {}", entry.id);
    let mut imported = imported(
        topic,
        created,
        origin,
        &info,
        tags("", Some(entry)),
        entry.keywords.clone(),
    );
    imported.body = crate::body::list(&info);
    Some(imported)
}

fn imported(
    topic: String,
    created: Moment,
    origin: String,
    info: &[String],
    tags: Vec<String>,
    words: Vec<String>,
) -> Imported {
    let topic = session_core::text::one_line(&topic);
    let keywords = match words.is_empty() {
        true => keywords::of(&topic, info, &tags),
        false => words,
    };
    Imported {
        front: Front {
            id: String::new(),
            topic,
            kind: Kind::Context,
            importance: Importance::Normal,
            tags,
            keywords,
            created,
            updated: Some(created),
            superseded_by: None,
            source: Some(Source {
                imported: Some(Format::CursorMemory.name().to_owned()),
                origin: Some(origin),
                ..Source::default()
            }),
        },
        body: String::new(),
        text: None,
        raw: None,
        state: State::Active,
    }
}

/// The tags of a section and of the index, each once.
fn tags(text: &str, entry: Option<&Entry>) -> Vec<String> {
    let own = text.split(|c: char| c.is_whitespace() || c == ',' || c == '，');
    let of_index = entry
        .into_iter()
        .flat_map(|entry| entry.tags.iter().map(String::as_str));
    let mut out: Vec<String> = Vec::new();
    for tag in own.chain(of_index).map(clean_tag) {
        if !tag.is_empty() && !tag.starts_with("--") && !out.contains(&tag) {
            out.push(tag);
        }
    }
    out
}

/// The day, and the time in `Session 1 - 10:30:45`.
fn created(day: &str, heading: &str, now: &Zoned) -> Moment {
    let time = heading
        .rsplit(['-', ' ', '—'])
        .map(str::trim)
        .find_map(|part| part.parse::<Time>().ok());
    let date = day.parse::<Date>().unwrap_or_else(|_| now.date());
    let at = date.to_datetime(time.unwrap_or(Time::midnight()));
    let at = at
        .to_zoned(now.time_zone().clone())
        .unwrap_or_else(|_| now.clone());
    Moment(at.timestamp())
}
