//! The start of a session: the overview of memories for its agent, whole or as an update.

use crate::content::memory::Memory;
use crate::injection::context_id::ContextId;
use crate::injection::injector::Injector;
use crate::injection::memory_block::MemoryBlock;
use crate::injection::memory_overview::OverviewContent;
use crate::injection::session_state::{SessionState, directory_hash, short_hash};
use crate::storage::life_cycle::read_recall_months;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The most memories of which a session's state holds hashes.
const MAX_LISTED: usize = 2000;

/// The knowledge that an agent still has of its session where a start of it is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentContext {
    /// Nothing: the session is new, or its context was cleared or compacted.
    Empty,
    /// The context of before: the session is resumed.
    Kept,
}

impl Injector<'_> {
    /// Gives the overview of the memories at the start of a session, and records it. An agent that kept
    /// its context gets what changed.
    pub fn begin_session(
        &self,
        session: Option<&str>,
        context: AgentContext,
    ) -> Option<MemoryBlock> {
        if !self.settings.enabled {
            return None;
        }
        let memories = self.list_by_importance();
        let own_context = session.and_then(|session| ContextId::new(session, None));
        let Some(own_context) = own_context else {
            return self.build_overview(&memories, None, &mut SessionState::default());
        };
        let begin = |state: &mut SessionState| {
            if context == AgentContext::Empty {
                *state = SessionState {
                    off: state.off,
                    ..SessionState::default()
                };
            }
            if state.off {
                None
            } else {
                self.build_overview(&memories, Some(&own_context), state)
            }
        };
        // A block that cannot be recorded is not injected: it would be injected again.
        let recorded = self.state_file(&own_context).update(begin).ok();
        recorded.flatten().flatten()
    }

    /// Lists the memories that are in use, by importance, last month of use, age and id. The same files
    /// have the same order, whatever the day.
    fn list_by_importance(&self) -> Vec<Memory> {
        let months = read_recall_months(self.store);
        let mut memories = self.list_trusted_recent();
        memories.retain(|memory| !memory.front.is_superseded());
        // Before they are cut: half of a secret would not be found.
        for memory in &mut memories {
            self.store
                .redactor()
                .redact_in_place(&mut memory.front.topic);
        }
        memories.sort_by_cached_key(|memory| {
            let month = months.get(&(memory.scope, memory.id().to_owned()));
            let front = &memory.front;
            let by_use = Reverse((front.importance, month.cloned(), memory.updated()));
            (by_use, front.id.clone())
        });
        memories
    }

    /// Assembles the overview of what the agent does not know, and puts it into the state.
    fn build_overview(
        &self,
        memories: &[Memory],
        context: Option<&ContextId>,
        state: &mut SessionState,
    ) -> Option<MemoryBlock> {
        if self.settings.limits.overview_tokens == 0 {
            return None;
        }
        let known = std::mem::take(&mut state.content_hashes);
        let hashes = self.hash_kept(memories, &known, &state.directories);
        let is_new = |memory: &&Memory| match known.get(memory.id()) {
            Some(hash) => hashes.get(memory.id()).is_some_and(|now| now != hash),
            None if known.is_empty() => true,
            None => {
                let is_known =
                    ContextId::is_source(context, memory) || state.injected.contains(memory.id());
                !is_known && hashes.contains_key(memory.id())
            }
        };
        let content = OverviewContent {
            memories: memories.iter().filter(is_new).collect(),
            all_ids: self.store.list_ids(),
            gone: find_gone(&known, &hashes, memories),
            is_update: !known.is_empty(),
        };
        let block = content.assemble(self.settings.limits.overview_tokens);
        // A memory that changed since the agent read it may be injected again.
        let changed = content.memories.iter().map(|memory| memory.id());
        for id in changed.filter(|id| known.contains_key(*id)) {
            state.injected.remove(id);
        }
        state.replace_content_hashes(hashes, memories);
        let shown = block.as_ref().map_or(&[][..], |block| &block.ids);
        state.is_command_known |= !shown.is_empty();
        let all = content.memories.iter().map(|memory| memory.id().to_owned());
        state.without_line.extend(all);
        let has_no_line =
            |id: &String| state.content_hashes.contains_key(id) && !shown.contains(id);
        state.without_line.retain(has_no_line);
        block
    }

    /// Returns the hashes of memories as [`hash_contents`] does. What is known of those that wait for trust now is kept, and
    /// of those that lie in another directory than the store's: they are not listed here, but not gone.
    fn hash_kept(
        &self,
        memories: &[Memory],
        known: &BTreeMap<String, String>,
        directories: &BTreeMap<String, String>,
    ) -> BTreeMap<String, String> {
        let mut hashes = hash_contents(memories);
        let own = self.store.directories().iter();
        let own: Vec<String> = own
            .map(|directory| directory_hash(&directory.path))
            .collect();
        let is_elsewhere = |id: &str| !directories.get(id).is_some_and(|at| own.contains(at));
        for (id, hash) in known.iter().filter(|(id, _)| is_elsewhere(id)) {
            hashes.entry(id.clone()).or_insert_with(|| hash.clone());
        }
        if !find_gone(known, &hashes, memories).is_empty() {
            let waiting = self.store.list_untrusted().memories;
            let waiting = waiting
                .iter()
                .filter_map(|memory| known.get_key_value(memory.id()));
            hashes.extend(waiting.map(|(id, hash)| (id.clone(), hash.clone())));
        }
        hashes
    }
}

/// Returns the beginnings of the hashes of memories by id, of the first ones where there are many.
fn hash_contents(memories: &[Memory]) -> BTreeMap<String, String> {
    let first = memories.iter().take(MAX_LISTED);
    let hash = |memory: &Memory| (memory.id().to_owned(), short_hash(memory));
    first.map(hash).collect()
}

fn find_gone(
    known: &BTreeMap<String, String>,
    now: &BTreeMap<String, String>,
    memories: &[Memory],
) -> Vec<String> {
    // Of very many memories some are not hashed.
    let is_kept = |id: &&String| {
        now.contains_key(*id) || memories.iter().any(|memory| memory.id() == id.as_str())
    };
    known.keys().filter(|id| !is_kept(id)).cloned().collect()
}
