//! An entry of the records: one act of forgetting, and the items that it keeps out.

use crate::counts::ContentCounts;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashSet};

/// The reason for which something was forgotten.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ForgetReason {
    /// The user named sessions.
    Session,
    /// The user named turns.
    Turns,
    /// The user named a project.
    Project,
    /// The user gave a pattern.
    Match,
    /// The user gave a time.
    Before,
    /// A prompt begins or ends with [`MARKER`](crate::MARKER).
    Marker,
    /// A newer version of the program has another reason, of this name.
    #[serde(untagged)]
    Unknown(String),
}

impl ForgetReason {
    /// Returns the name of the reason in the records.
    pub fn name(&self) -> &str {
        match self {
            Self::Session => "session",
            Self::Turns => "turns",
            Self::Project => "project",
            Self::Match => "match",
            Self::Before => "before",
            Self::Marker => "marker",
            Self::Unknown(name) => name,
        }
    }
}

/// An entry that is to be added.
pub(crate) struct EntryDraft<'a> {
    /// Time, RFC 3339; empty for an entry of a marker.
    pub(crate) at: &'a str,
    pub(crate) reason: ForgetReason,
    /// Counts of what is deleted: turns of the sessions included, titles of sessions that stay.
    pub(crate) counts: ContentCounts,
}

/// One act of forgetting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForgottenEntry {
    /// Number of the entry, from 1.
    pub id: u32,
    /// Time, RFC 3339; empty for an entry of a marker: older versions read no file without it.
    pub at: String,
    /// Why it was forgotten.
    #[serde(rename = "what")]
    pub reason: ForgetReason,
    sessions: usize,
    turns: usize,
    /// Older files have none.
    #[serde(default)]
    titles: usize,
    /// Keyed hashes, in hex: first those that each keep something out alone.
    pub(crate) hashes: Vec<String>,
    /// Number of the hashes that each keep something out alone. Older files have none.
    #[serde(default)]
    decisive: usize,
    /// Keyed hashes of the sessions in which the turns and subagents are. Older files have none.
    #[serde(default)]
    containing: Vec<String>,
}

impl ForgottenEntry {
    /// Makes the entry of a number and of items, which `hash` hashes.
    pub(crate) fn new(
        id: u32,
        draft: &EntryDraft<'_>,
        items: &EntryItems,
        hash: impl Fn(&String) -> String,
    ) -> Self {
        let ContentCounts {
            sessions,
            turns,
            titles,
        } = draft.counts;
        Self {
            id,
            at: draft.at.to_owned(),
            reason: draft.reason.clone(),
            sessions,
            turns,
            titles,
            hashes: items.forgotten().map(&hash).collect(),
            decisive: items.decisive.len(),
            containing: items.containing.iter().map(&hash).collect(),
        }
    }

    /// Returns what was deleted: turns of the sessions included, copies in other sessions not, titles of sessions that stay.
    pub fn counts(&self) -> ContentCounts {
        ContentCounts {
            sessions: self.sessions,
            turns: self.turns,
            titles: self.titles,
        }
    }

    /// Returns true for an entry that a prompt's [`MARKER`](crate::MARKER) made.
    pub fn is_by_marker(&self) -> bool {
        self.reason == ForgetReason::Marker
    }

    /// Returns true if the entry keeps out some of what another one holds.
    pub(crate) fn covers(&self, other: &Self) -> bool {
        let decisive = other.hashes.iter().take(other.decisive);
        let mut decisive = decisive.chain(&other.containing);
        let held: HashSet<&String> = self.hashes.iter().collect();
        decisive.any(|hash| held.contains(hash))
    }

    /// Returns a hash of the entry, which no other has.
    pub(crate) fn fingerprint(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        self.update_hasher(&mut hasher);
        hasher.finalize().to_hex().to_string()
    }

    pub(crate) fn update_hasher(&self, hasher: &mut blake3::Hasher) {
        hasher.update(&self.id.to_le_bytes());
        self.hashes.iter().for_each(|hash| {
            hasher.update(hash.as_bytes());
        });
    }
}

/// The items of an entry, not yet hashed.
#[derive(Debug, Clone, Default)]
pub(crate) struct EntryItems {
    /// Items that each keep something out alone.
    pub(crate) decisive: BTreeSet<String>,
    /// Items that keep something out with another one only, or that turns may have in common.
    pub(crate) shared: BTreeSet<String>,
    /// The sessions in which the turns and subagents are: an entry that forgets one keeps these out, too. They are not forgotten
    /// with it.
    pub(crate) containing: BTreeSet<String>,
}

impl EntryItems {
    /// Returns the items that are forgotten, the decisive ones first.
    pub(crate) fn forgotten(&self) -> impl Iterator<Item = &String> {
        self.decisive.iter().chain(&self.shared)
    }
}

impl FromIterator<String> for EntryItems {
    /// Makes the items of an entry that are all decisive.
    fn from_iter<T: IntoIterator<Item = String>>(items: T) -> Self {
        Self {
            decisive: items.into_iter().collect(),
            ..Self::default()
        }
    }
}
