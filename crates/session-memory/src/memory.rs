//! The nouns: a memory and what is said of it.

use crate::moment::Moment;
use crate::trust::Trust;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What a memory is about.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Something was decided.
    Decision,
    /// Something is known not to work.
    KnownIssue,
    /// How things are.
    #[default]
    Context,
    /// How somebody wants it.
    Preference,
    /// Something is to be done.
    Todo,
}

impl Kind {
    /// All kinds, as they are listed.
    pub const ALL: [Self; 5] = [
        Self::Decision,
        Self::KnownIssue,
        Self::Context,
        Self::Preference,
        Self::Todo,
    ];

    /// For people, and for models.
    pub fn label(self) -> &'static str {
        match self {
            Self::Decision => "decision",
            Self::KnownIssue => "known issue",
            Self::Context => "context",
            Self::Preference => "preference",
            Self::Todo => "todo",
        }
    }

    /// The kind of a name as people and models type it: `known-issue`,
    /// `known issue`, `Known_Issue`.
    pub fn named(name: &str) -> Option<Self> {
        let name = name.trim().to_lowercase().replace(['-', '_'], " ");
        Self::ALL.into_iter().find(|kind| kind.label() == name)
    }
}

/// How much a memory matters. The greater one matters more.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Importance {
    /// Needs a better match to be put before a prompt.
    Low,
    /// As most.
    #[default]
    Normal,
    /// Comes first, and is in the project's context sheet.
    High,
}

impl Importance {
    /// Its name.
    pub fn label(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Normal => "normal",
            Self::High => "high",
        }
    }

    /// The importance of a name.
    pub fn named(name: &str) -> Option<Self> {
        let all = [Self::Low, Self::Normal, Self::High];
        all.into_iter()
            .find(|i| i.label() == name.trim().to_lowercase())
    }
}

/// Where a memory stands in its life: the folder that its file is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Found by searches and put before prompts.
    Active,
    /// Found only where it is asked for.
    Archive,
    /// Deleted, and still there.
    Trash,
}

impl State {
    /// All states, in the order in which an id is looked up.
    pub const ALL: [Self; 3] = [Self::Active, Self::Archive, Self::Trash];

    /// Name of the folder.
    pub fn folder(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Archive => "archive",
            Self::Trash => "trash",
        }
    }
}

/// Whose memories: one project's, or this user's everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// One project's.
    Project,
    /// This user's, everywhere.
    Global,
}

impl Scope {
    /// Its name.
    pub fn label(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Global => "global",
        }
    }
}

/// Where a memory comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// The agent whose session it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Full id of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Its turns, counted from 0: `3-5`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns: Option<String>,
    /// The format that it was imported from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<String>,
    /// Where it stood there: the file, and the part of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
}

/// What stands in the frontmatter of a memory's file. Keys that are not listed
/// here are the user's, and stay.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Front {
    /// `mem-YYYYMMDD-HHMMSS`, with `-2` and so on where that was taken.
    pub id: String,
    /// What it is about, in a line.
    pub topic: String,
    /// What it is.
    #[serde(default)]
    pub kind: Kind,
    /// How much it matters.
    #[serde(default)]
    pub importance: Importance,
    /// The user's labels, without `#`.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Words by which it is recalled.
    #[serde(default)]
    pub keywords: Vec<String>,
    /// What somebody would type when it helps: it is found by these, too.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "crate::texts::texts"
    )]
    pub cues: Vec<String>,
    /// When it was saved.
    pub created: Moment,
    /// When it was changed last. A file without it was never changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated: Option<Moment>,
    /// The memory that replaces it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
    /// Where it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
}

/// A memory as it lies in its file.
#[derive(Debug, Clone, PartialEq)]
pub struct Memory {
    /// What stands in its frontmatter.
    pub front: Front,
    /// What follows: key information as a list, and whatever else.
    pub body: String,
    /// The whole file.
    pub text: String,
    /// The file.
    pub path: PathBuf,
    /// Its folder.
    pub state: State,
    /// Whose it is.
    pub scope: Scope,
    /// Whether it may be put before a prompt.
    pub trust: Trust,
}

impl Memory {
    /// True when it was saved from this session: its own words.
    pub fn is_of(&self, session: Option<&str>) -> bool {
        let own = self.front.source.as_ref();
        let own = own.and_then(|source| source.session.as_deref());
        own.is_some() && own == session
    }

    /// Its id.
    pub fn id(&self) -> &str {
        &self.front.id
    }

    /// When it was changed last, or saved.
    pub fn updated(&self) -> Moment {
        self.front.updated.unwrap_or(self.front.created)
    }

    /// Its key information: the lists in its body before the first heading.
    pub fn key_info(&self) -> Vec<String> {
        crate::body::items(&self.body)
    }

    /// What it says, on a line: its key information, else its body.
    pub fn summary(&self) -> String {
        let items = self.key_info();
        let text = match items.is_empty() {
            true => self.body.clone(),
            false => items.join("; "),
        };
        session_core::text::one_line(&text)
    }

    /// What it says: what is embedded, and compared with other memories.
    pub fn searched(&self) -> String {
        let front = &self.front;
        let labels = [front.tags.join(" "), front.keywords.join(" ")].join(" ");
        let body = session_core::text::one_line(&self.body);
        format!("{}\n{body}\n{}", front.topic, labels.trim())
    }

    /// What its words are looked for in: all that, and the cues.
    pub fn worded(&self) -> String {
        format!("{}\n{}", self.searched(), self.front.cues.join("\n"))
    }

    /// The day of its id, in the time zone where it was saved: `2026-01-10`.
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

/// A memory before it is saved.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub struct Draft {
    /// What it is about, in a line.
    pub topic: String,
    /// What is to be remembered.
    pub key_info: Vec<String>,
    /// Labels, with or without `#`.
    pub tags: Vec<String>,
    /// Words by which it is recalled; none: they are chosen.
    pub keywords: Vec<String>,
    /// What somebody would type when it helps.
    pub cues: Vec<String>,
    /// What it is.
    pub kind: Kind,
    /// How much it matters.
    pub importance: Importance,
    /// Markdown after the key information.
    #[serde(skip)]
    pub notes: String,
    /// Where it comes from.
    #[serde(skip)]
    pub source: Option<Source>,
    /// The text of the turns that it comes from, kept beside it.
    #[serde(skip)]
    pub raw: Option<String>,
}
