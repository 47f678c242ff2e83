//! A memory with its frontmatter, and the draft of a new one.

use crate::content::draft::MAX_CUES;
use crate::content::frontmatter_time::FrontmatterTime;
use crate::text::secret_text::TextMut;
use crate::triggers::Triggers;
use crate::trust::Trust;
use serde::{Deserialize, Serialize};
use session_core::TurnRange;
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// The most lines and bytes of a memory that can be shown and trusted.
const MAX_REVIEW_LINES: usize = 200;
const REVIEW_BYTES: usize = 16 << 10;

/// The end of the second in an id: `mem-20260110-091500`.
const SECOND_END: usize = 19;

/// The kind of a memory.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum MemoryKind {
    /// A decision that was made.
    Decision,
    /// A fault that is known.
    KnownIssue,
    /// A fact about the project.
    #[default]
    Context,
    /// A preference of the user.
    Preference,
    /// A task that is open.
    Todo,
}

impl MemoryKind {
    /// All kinds, in the order of lists.
    pub const ALL: [Self; 5] = [
        Self::Decision,
        Self::KnownIssue,
        Self::Context,
        Self::Preference,
        Self::Todo,
    ];

    /// Returns the name for people and models.
    pub fn label(self) -> &'static str {
        match self {
            Self::Decision => "decision",
            Self::KnownIssue => "known issue",
            Self::Context => "context",
            Self::Preference => "preference",
            Self::Todo => "todo",
        }
    }

    /// Returns the name in files, options and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::KnownIssue => "known-issue",
            kind => kind.label(),
        }
    }

    /// Finds the kind of a name as people and models type it: `known-issue`, `known issue`,
    /// `Known_Issue`.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.trim().to_lowercase().replace(['-', '_'], " ");
        Self::ALL.into_iter().find(|kind| kind.label() == name)
    }
}

/// The importance of a memory, in ascending order.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Importance {
    /// A memory that comes last in a block.
    Low,
    /// A memory as most are.
    #[default]
    Normal,
    /// A memory that comes first in a block, and is in the context sheet.
    High,
}

impl Importance {
    /// All importances, the highest first.
    pub const ALL: [Self; 3] = [Self::High, Self::Normal, Self::Low];

    /// Returns the name.
    pub fn label(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Normal => "normal",
            Self::High => "high",
        }
    }

    /// Finds the importance of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|i| i.label() == name.trim().to_lowercase())
    }
}

/// The state of a memory, which is the directory of its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MemoryState {
    /// The memory is searched and injected.
    Active,
    /// The memory is searched on request.
    Archive,
    /// The memory is deleted and can be restored.
    Trash,
}

impl MemoryState {
    /// All states, in the order in which an id is looked up.
    pub const ALL: [Self; 3] = [Self::Active, Self::Archive, Self::Trash];

    /// Returns the name of the directory.
    pub fn directory_name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Archive => "archive",
            Self::Trash => "trash",
        }
    }
}

/// The scope of a memory: one project, or all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MemoryScope {
    /// One project.
    Project,
    /// All projects of this user.
    Global,
}

impl MemoryScope {
    /// Returns the name.
    pub fn label(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Global => "global",
        }
    }
}

/// The session or the import that a memory comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemorySource {
    /// The agent of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The full id of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The session's turns, counted from 0: `3-5`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns: Option<String>,
    /// The format of the import.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<String>,
    /// The file of the import, and the section in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
}

impl MemorySource {
    /// Returns the source of a memory that was saved from turns of a session.
    pub fn from_turns(agent: &str, session: &str, turns: &TurnRange) -> Self {
        Self {
            agent: Some(agent.to_owned()),
            session: Some(session.to_owned()),
            turns: Some(turns.to_string()),
            ..Self::default()
        }
    }

    /// Returns all texts. All fields are named, so that a new one cannot be forgotten.
    pub(crate) fn texts_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let Self {
            agent,
            session,
            turns,
            imported,
            origin,
        } = self;
        let texts = [agent, session, turns, imported, origin];
        texts.into_iter().flatten()
    }

    /// Returns the numbers of the session's turns; `None` if there are none.
    pub fn turn_range(&self) -> Option<RangeInclusive<u32>> {
        let turns: TurnRange = self.turns.as_deref()?.parse().ok()?;
        Some(turns.0)
    }
}

/// The frontmatter of a memory's file. Keys that are not listed here are the user's, and are kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Frontmatter {
    /// `mem-YYYYMMDD-HHMMSS`, with `-2` and so on where that was taken.
    pub id: String,
    /// The topic, on one line.
    pub topic: String,
    /// The kind.
    #[serde(default)]
    pub kind: MemoryKind,
    /// The importance.
    #[serde(default)]
    pub importance: Importance,
    /// The tags, without `#`.
    #[serde(
        default,
        deserialize_with = "crate::text::string_list::deserialize_string_list"
    )]
    pub tags: Vec<String>,
    /// The keywords of lists, indexes and the skill.
    #[serde(
        default,
        deserialize_with = "crate::text::string_list::deserialize_string_list"
    )]
    pub keywords: Vec<String>,
    /// The cues: prompts for which the memory helps, which are searched, too.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "crate::text::string_list::deserialize_string_list"
    )]
    pub cues: Vec<String>,
    /// The user's prompts in the turns that it comes from, which stand in for cues where none is written.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "crate::text::string_list::deserialize_string_list"
    )]
    pub prompts: Vec<String>,
    /// The triggers: files, commands and errors for which the memory matters.
    #[serde(
        default,
        skip_serializing_if = "Triggers::is_empty",
        deserialize_with = "crate::triggers::deserialize_triggers"
    )]
    pub when: Triggers,
    /// The time of saving.
    pub created: FrontmatterTime,
    /// The time of the last change; `None` in a file that was never changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated: Option<FrontmatterTime>,
    /// The id of the memory that replaces it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
    /// The session or the import that it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<MemorySource>,
}

impl Frontmatter {
    /// Returns true where another memory replaces it.
    pub fn is_superseded(&self) -> bool {
        self.superseded_by.is_some()
    }

    /// Returns all texts. All fields are named, so that a new one cannot be forgotten.
    pub(crate) fn texts_mut(&mut self) -> impl Iterator<Item = TextMut<'_>> {
        let Self {
            id: _,
            topic,
            kind: _,
            importance: _,
            tags,
            keywords,
            cues,
            prompts,
            when,
            created: _,
            updated: _,
            superseded_by: _,
            source,
        } = self;
        let lists = [cues, prompts, keywords, tags].into_iter().flatten();
        let source = source.iter_mut().flat_map(MemorySource::texts_mut);
        let texts = std::iter::once(topic).chain(lists).chain(source);
        texts.map(TextMut::Prose).chain(when.texts_mut())
    }

    /// Returns the time of the last change, or of saving.
    pub(crate) fn last_change(&self) -> FrontmatterTime {
        self.updated.unwrap_or(self.created)
    }

    /// Returns the cues that prompts are compared with, at most [`MAX_CUES`]: a repository may write any number.
    pub(crate) fn effective_cues(&self) -> &[String] {
        let cues = if self.cues.is_empty() {
            &self.prompts
        } else {
            &self.cues
        };
        &cues[..cues.len().min(MAX_CUES)]
    }
}

/// A memory that was read from its file.
#[derive(Debug, Clone, PartialEq)]
pub struct Memory {
    /// The frontmatter.
    pub front: Frontmatter,
    /// The text after the frontmatter: key information as a list, then notes.
    pub body: String,
    /// The whole text of the file with LF at the ends of its lines, for its hash and for an editor: it may hold secrets.
    pub raw_text: String,
    /// The text of the file without secrets, where it was read for output and holds some.
    pub redacted_text: Option<String>,
    /// The path of the file.
    pub path: PathBuf,
    /// The state.
    pub state: MemoryState,
    /// The scope.
    pub scope: MemoryScope,
    /// The trust, which decides whether it may be injected.
    pub trust: Trust,
}

impl Memory {
    /// Returns true if it was saved from this session.
    pub fn was_saved_in(&self, session: &str) -> bool {
        let own = self.front.source.as_ref();
        own.is_some_and(|source| source.session.as_deref() == Some(session))
    }

    /// Returns the text of the file as it is printed.
    pub fn text(&self) -> &str {
        self.redacted_text.as_deref().unwrap_or(&self.raw_text)
    }

    /// Returns the id.
    pub fn id(&self) -> &str {
        &self.front.id
    }

    /// Returns true if one of these has its scope and its id, whatever their states.
    pub fn is_among(&self, others: &[Self]) -> bool {
        let mut others = others.iter();
        others.any(|other| other.scope == self.scope && other.id() == self.id())
    }

    /// Returns the time of the last change, or of saving.
    pub fn updated(&self) -> FrontmatterTime {
        self.front.last_change()
    }

    /// Returns the id in its order: the number that tells memories of one second apart is compared as a number.
    pub(crate) fn id_order(&self) -> (&str, u64) {
        let id = self.id();
        let split = id
            .rsplit_once('-')
            .filter(|(second, _)| second.len() == SECOND_END);
        let number = split.and_then(|(second, number)| Some((second, number.parse().ok()?)));
        number.unwrap_or((id, 1))
    }

    /// Reads the key information: the lists in the body before the first heading.
    pub fn key_info(&self) -> Vec<String> {
        crate::content::key_info::read_items(&self.body)
    }

    /// Returns the key information, or else the body, on one line.
    pub fn summary(&self) -> String {
        let items = self.key_info();
        let text = if items.is_empty() {
            self.body.clone()
        } else {
            items.join("; ")
        };
        session_core::text::collapse_whitespace(&text)
    }

    /// Returns the text that is embedded: topic, body, tags and keywords.
    pub(crate) fn embedding_text(&self) -> String {
        let front = &self.front;
        let labels = [front.tags.join(" "), front.keywords.join(" ")].join(" ");
        let body = session_core::text::collapse_whitespace(&self.body);
        format!("{}\n{body}\n{}", front.topic, labels.trim())
    }

    /// Returns the text that is searched by terms: the embedding text and the cues.
    pub(crate) fn lexical_text(&self) -> String {
        format!(
            "{}\n{}",
            self.embedding_text(),
            self.front.effective_cues().join("\n")
        )
    }

    /// Returns true if the file is short enough to be read whole on a terminal before it is trusted.
    pub fn is_reviewable(&self) -> bool {
        self.raw_text.lines().count() <= MAX_REVIEW_LINES && self.raw_text.len() <= REVIEW_BYTES
    }

    /// Returns the day of the id, in the time zone where it was saved: `2026-01-10`.
    pub fn day(&self) -> String {
        let digits = self
            .id()
            .strip_prefix("mem-")
            .and_then(|rest| rest.get(..8));
        match digits.filter(|d| d.bytes().all(|b| b.is_ascii_digit())) {
            Some(d) => format!("{}-{}-{}", &d[..4], &d[4..6], &d[6..8]),
            None => self.front.created.day(),
        }
    }
}
