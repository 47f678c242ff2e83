//! `cursor-memory`: a Markdown file a day with a section for each session, and an
//! index of keywords.

use super::Format;
use super::section::{Section, is_one_of, items, sections};
use crate::draft::clean_tag;
use crate::error::{MemoryError, Result};
use crate::file::FILES;
use crate::keywords;
use crate::memory::{Front, Importance, Kind, Source, State};
use crate::moment::Moment;
use crate::store::Imported;
use crate::writing::RAW_LIMIT;
use jiff::Zoned;
use jiff::civil::{Date, Time};
use serde::Deserialize;
use session_files::Dir;
use std::path::Path;

/// The folder of days.
const DAILY: &str = "daily";
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
pub(super) fn read(folder: &Dir, now: &Zoned) -> Result<Vec<Imported>> {
    let mut days = folder.names(Path::new(DAILY), FILES)?;
    days.retain(|name| Path::new(name).extension().is_some_and(|end| end == "md"));
    let index = folder.read_text(Path::new("index/keywords.json"), RAW_LIMIT)?;
    if days.is_empty() && index.is_none() {
        return Err(MemoryError::NothingToImport {
            path: folder.path().to_owned(),
            what: "there is neither `daily/*.md` nor `index/keywords.json`".to_owned(),
        });
    }
    let mut index: Index = match index.as_deref().map(serde_json::from_str) {
        Some(Err(e)) => {
            return Err(MemoryError::NothingToImport {
                path: folder.path().to_owned(),
                what: format!("`index/keywords.json` cannot be read: {e}"),
            });
        }
        Some(Ok(read)) => read,
        None => Index::default(),
    };
    let mut found = Vec::new();
    for name in days {
        let name = Path::new(&name);
        let day = name.file_stem().unwrap_or_default().to_string_lossy();
        let text = folder.read_text(&Path::new(DAILY).join(name), RAW_LIMIT)?;
        let text = text.unwrap_or_default();
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
        found.push(of_session(day, &notes, None, now));
    }
    for (place, section) in all.iter().enumerate() {
        let number = number(section.heading).unwrap_or(place + 1);
        let of_it = |e: &&mut Entry| !e.is_used && e.date == day && e.session == number;
        let entry = index.entries.iter_mut().find(of_it);
        let entry = entry.map(|entry| {
            entry.is_used = true;
            &*entry
        });
        let mut imported = of_session(day, section, entry, now);
        let same = |other: &&Section<'_>| other.heading == section.heading;
        let before = all.iter().take(place).filter(same).count();
        if let (1.., Some(source)) = (before, imported.front.source.as_mut()) {
            let origin = source.origin.get_or_insert_default();
            origin.push_str(&format!(" ({})", before + 1));
        }
        found.push(imported);
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

fn of_session(day: &str, section: &Section<'_>, entry: Option<&Entry>, now: &Zoned) -> Imported {
    let (head, parts) = sections(section.text, 3);
    let named = |names: &[&str]| parts.iter().find(|s| is_one_of(s.heading, names));
    let first = || head.lines().find(|l| !l.trim().is_empty());
    let topic = named(&TOPIC)
        .map(|s| clean(s.text))
        .filter(|t| !t.is_empty());
    let topic = topic
        .or_else(|| entry.map(|e| e.summary.clone()).filter(|s| !s.is_empty()))
        .or_else(|| first().map(str::to_owned))
        .unwrap_or_else(|| format!("{day} {}", section.heading));
    let info = named(&INFO).map(|s| items(s.text)).unwrap_or_default();
    let (tag_lines, _) = tag_lines(named(&TAGS).map_or("", |s| s.text));
    let tags = tags(&tag_lines, entry);
    let words = entry.map(|e| e.keywords.clone()).unwrap_or_default();
    let place = match section.heading {
        "" => "before the first session",
        heading => heading,
    };
    let origin = format!("daily/{day}.md, {place}");
    let created = created(day, section.heading, now);
    let mut imported = imported(topic, created, origin, &info, tags, words);
    let notes = notes(section.heading, head, &parts);
    imported.body = format!("{}\n{notes}", crate::body::list(&info));
    imported.body = imported.body.trim().to_owned();
    imported
}

/// Text without the rule at its end.
fn clean(text: &str) -> String {
    text.trim().trim_end_matches("---").trim().to_owned()
}

/// All that is no topic, key information or tag.
fn notes(heading: &str, head: &str, parts: &[Section<'_>]) -> String {
    let mut notes = String::new();
    if !head.trim_matches(['-', '\n', ' ']).is_empty() {
        notes.push_str(&format!("## {heading}\n\n{}\n", clean(head)));
    }
    let (mut topics, mut infos, mut tags) = (0, 0, 0);
    for part in parts {
        let is = |names: &[&str], met: &mut usize| {
            *met += usize::from(is_one_of(part.heading, names));
            *met == 1 && is_one_of(part.heading, names)
        };
        let rest = match () {
            () if is(&TOPIC, &mut topics) => continue,
            () if is(&INFO, &mut infos) => beside_items(part.text),
            () if is(&TAGS, &mut tags) => clean(&tag_lines(part.text).1),
            () => format!("## {}\n\n{}", part.heading, clean(part.text)),
        };
        if !rest.is_empty() {
            notes.push_str(&format!("\n{rest}\n"));
        }
    }
    notes
}

/// What stands beside the items of a list; nothing where the whole is one item.
fn beside_items(text: &str) -> String {
    match crate::body::items(text).is_empty() {
        true => String::new(),
        false => clean(&crate::body::with_items(text, &[])),
    }
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
            cues: Vec::new(),
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

/// The lines of a section that are tags, and the others: where some have a `#`
/// those, else the first.
fn tag_lines(text: &str) -> (String, String) {
    let is_marked = |line: &str| line.trim_start_matches(['-', '*', ' ']).starts_with('#');
    let any = text.lines().any(is_marked);
    let first = text.lines().position(|line| !line.trim().is_empty());
    let (tags, others): (Vec<_>, Vec<_>) =
        text.lines().enumerate().partition(|(n, line)| match any {
            true => is_marked(line),
            false => Some(*n) == first,
        });
    let joined = |lines: Vec<(usize, &str)>| {
        lines
            .into_iter()
            .map(|l| l.1)
            .collect::<Vec<_>>()
            .join("\n")
    };
    (joined(tags), joined(others))
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
