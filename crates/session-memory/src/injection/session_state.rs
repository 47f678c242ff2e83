//! The state of a session: what was listed and injected in it, and its switch.

use crate::content::memory::Memory;
use crate::injection::block_fence::ShowCommand;
use crate::storage::directory_records::content_hash;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;

/// The most bytes of a session's state.
pub(crate) const MAX_STATE_BYTES: u64 = 512 << 10;
/// The characters of a hash that are compared to detect a change of a memory, or another directory.
const HASH_CHARS: usize = 8;

/// The state of a session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionState {
    /// Injection is switched off.
    pub off: bool,
    /// The ids of memories and turns that were injected.
    pub injected: BTreeSet<String>,
    /// The match of each memory with the last prompt that shows what the session is about, by id. Memories without a
    /// match are left out.
    pub matches: BTreeMap<String, f32>,
    /// A prompt that shows what the session is about was compared with the memories.
    pub is_compared: bool,
    /// The beginnings of the content hashes of memories that an overview was made of, or that were injected, by id.
    #[serde(rename = "listed")]
    pub content_hashes: BTreeMap<String, String>,
    /// The beginnings of the hashes of the directories that these lie in, by id: a memory of another project is not gone.
    pub directories: BTreeMap<String, String>,
    /// The ids of those of them for whose lines an overview had no room.
    #[serde(rename = "left_out")]
    pub without_line: BTreeSet<String>,
    /// An overview has named the command that shows a memory.
    pub is_command_known: bool,
    /// The ids of memories for which a call was denied, also of those that the reason had no room for: they deny no other
    /// one.
    #[serde(rename = "refused", alias = "denied_for")]
    pub denied_for: BTreeSet<String>,
    /// The ids of memories that are injected only since a call shows them: where it fails, they are forgotten.
    pub shown: BTreeSet<String>,
    /// The content hashes that these had before, by id; none for one that was not listed.
    pub hashes_before: BTreeMap<String, String>,
}

impl SessionState {
    /// Returns the ids of the memories that it knows from a line of an overview.
    pub(crate) fn known_topic_ids(&self) -> HashSet<String> {
        let ids = self.content_hashes.keys();
        let known = ids.filter(|id| !self.without_line.contains(*id));
        known.cloned().collect()
    }

    /// Returns the command that the agent knows from an overview.
    pub(crate) fn known_command(&self) -> Option<ShowCommand> {
        self.is_command_known.then_some(ShowCommand::Memory)
    }

    /// Returns true if a memory was injected as it is now.
    pub(crate) fn has_injected(&self, memory: &Memory) -> bool {
        let hash = self.content_hashes.get(memory.id());
        self.injected.contains(memory.id()) && hash.is_none_or(|hash| *hash == short_hash(memory))
    }

    /// Adds an injection, and returns those of its ids that are new. A memory that was injected with another content is
    /// new, too.
    pub(crate) fn add_injection(&mut self, injection: &InjectionRecord<'_>) -> Vec<String> {
        self.replace_matches(injection.matches);
        let memories = injection.memories.iter();
        memories.for_each(|memory| self.replace_older_content(memory));
        let ids = injection.ids.iter().cloned();
        ids.filter(|id| self.injected.insert(id.clone())).collect()
    }

    /// Adds the memories for which a call may be denied, and returns true if it is: one of them has denied none.
    pub(crate) fn add_denial(&mut self, ids: impl IntoIterator<Item = String>) -> bool {
        let before = self.denied_for.len();
        self.denied_for.extend(ids);
        self.denied_for.len() > before
    }

    /// Adds memories that a call shows to the agent.
    pub(crate) fn add_shown(&mut self, injection: &InjectionRecord<'_>) {
        let before = self.content_hashes.clone();
        let new = self.add_injection(injection);
        // What the agent knew before this call stays known where the call fails.
        self.shown.retain(|id| !injection.ids.contains(id));
        self.hashes_before.retain(|id, _| self.shown.contains(id));
        let known = new.iter().filter_map(|id| before.get_key_value(id));
        let known = known.map(|(id, hash)| (id.clone(), hash.clone()));
        self.hashes_before.extend(known);
        self.shown.extend(new);
    }

    /// Forgets a memory that a call was to show and did not, unless the agent knew it before.
    pub(crate) fn forget_shown(&mut self, id: &str) {
        if !self.shown.remove(id) {
            return;
        }
        self.injected.remove(id);
        if let Some(hash) = self.hashes_before.remove(id) {
            self.content_hashes.insert(id.to_owned(), hash);
        } else {
            self.content_hashes.remove(id);
            self.directories.remove(id);
        }
    }

    /// Replaces the content hashes by those of an overview, and notes the directories of its memories.
    pub(crate) fn replace_content_hashes(
        &mut self,
        hashes: BTreeMap<String, String>,
        memories: &[Memory],
    ) {
        self.content_hashes = hashes;
        let listed = memories.iter();
        let listed = listed.filter(|memory| self.content_hashes.contains_key(memory.id()));
        let directories =
            listed.map(|memory| (memory.id().to_owned(), memory_directory_hash(memory)));
        self.directories.extend(directories);
        self.directories
            .retain(|id, _| self.content_hashes.contains_key(id));
    }

    /// Replaces the matches of memories by those with a later prompt, in hundredths; `None` if no prompt was compared
    /// with them. The matches of all prompts would open the gate of most memories as a session goes on.
    pub(crate) fn replace_matches(&mut self, matches: Option<&[PromptMatch<'_>]>) {
        let Some(matches) = matches else {
            return;
        };
        self.is_compared = true;
        let scores = matches.iter().map(|found| {
            let score = (found.fused_score * 100.0).round() / 100.0;
            (found.id.to_owned(), score)
        });
        self.matches = scores.filter(|(_, score)| *score > 0.0).collect();
    }

    /// Notes the present content of a memory, and forgets that another one was injected.
    fn replace_older_content(&mut self, memory: &Memory) {
        if !self.has_injected(memory) {
            self.shown.remove(memory.id());
            self.injected.remove(memory.id());
            self.denied_for.remove(memory.id());
            self.content_hashes
                .insert(memory.id().to_owned(), short_hash(memory));
            self.directories
                .insert(memory.id().to_owned(), memory_directory_hash(memory));
        }
    }

    /// Encodes the state as JSON of at most [`MAX_STATE_BYTES`] bytes: a larger one would not be read, which switches injection off.
    /// Where it would be larger, the oldest ids are forgotten.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let to_json = |state: &Self| serde_json::to_vec(state).unwrap_or_default();
        let mut json = to_json(self);
        let mut state = self.clone();
        while json.len() as u64 > MAX_STATE_BYTES && state.forget_older_half() {
            json = to_json(&state);
        }
        json
    }

    /// Forgets the older half of what was injected or compared, then of the content hashes; an id begins with its time.
    /// Returns false where nothing was left.
    fn forget_older_half(&mut self) -> bool {
        let Self {
            injected,
            matches,
            content_hashes,
            directories,
            without_line,
            denied_for,
            shown,
            hashes_before,
            ..
        } = self;
        if !injected.is_empty() || !matches.is_empty() || !denied_for.is_empty() {
            denied_for.clear();
            shown.clear();
            hashes_before.clear();
            *injected = injected
                .iter()
                .skip(injected.len().div_ceil(2))
                .cloned()
                .collect();
            let older = matches.len().div_ceil(2);
            *matches = std::mem::take(matches).into_iter().skip(older).collect();
            return true;
        }
        let older = content_hashes.len().div_ceil(2);
        let newer = std::mem::take(content_hashes).into_iter().skip(older);
        *content_hashes = newer.collect();
        directories.retain(|id, _| content_hashes.contains_key(id));
        without_line.retain(|id| content_hashes.contains_key(id));
        older > 0
    }
}

/// An injection as the state of its session records it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct InjectionRecord<'a> {
    /// The ids of the memories and turns that are injected.
    pub(crate) ids: &'a [String],
    /// The memories among them.
    pub(crate) memories: &'a [&'a Memory],
    /// The matches of memories with the prompt; `None` if it was not compared.
    pub(crate) matches: Option<&'a [PromptMatch<'a>]>,
}

/// The match of a memory with a prompt, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PromptMatch<'a> {
    /// The id of the memory.
    pub(crate) id: &'a str,
    /// The fused lexical and dense score.
    pub(crate) fused_score: f32,
}

/// Returns the beginning of a memory's content hash.
pub(crate) fn short_hash(memory: &Memory) -> String {
    shorten_hash(content_hash(&memory.raw_text))
}

/// Returns the beginning of the hash of a directory of memories.
pub(crate) fn directory_hash(directory: &Path) -> String {
    shorten_hash(content_hash(&directory.to_string_lossy()))
}

/// Returns the hash of the directory that holds the folder of a memory's file.
fn memory_directory_hash(memory: &Memory) -> String {
    let directory = memory.path.ancestors().nth(2);
    directory_hash(directory.unwrap_or(&memory.path))
}

fn shorten_hash(mut hash: String) -> String {
    hash.truncate(HASH_CHARS);
    hash
}
