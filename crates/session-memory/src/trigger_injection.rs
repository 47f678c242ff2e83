//! The injection of memories whose trigger an agent's call of a tool matches.

use crate::event_matcher::EventMatcher;
use crate::injector::Injector;
use crate::life_cycle::record_use;
use crate::memory::Memory;
use crate::memory_block::{BlockItem, MemoryBlock};
use crate::session_state::SessionState;
use crate::trigger_relevance::trigger_relevance;
use crate::triggers::TriggerEvent;
use jiff::Timestamp;

impl Injector<'_> {
    /// Gives the memories that an event triggers, each once a session, and records them. No model is
    /// opened.
    pub fn inject_for_event(&self, event: &TriggerEvent, session: &str) -> Option<MemoryBlock> {
        if !self.settings.enabled || session.is_empty() || event.is_empty() {
            return None;
        }
        let state = SessionState::read(self.state, session);
        if state.is_off(self.state, session) {
            return None;
        }
        let now = Timestamp::now();
        let is_held = event.is_held;
        let event = &EventMatcher::new(event);
        let mut triggered = self.store.list_triggered(event);
        triggered.retain(|memory| {
            let front = &memory.front;
            front.superseded_by.is_none()
                && !state.holds(memory)
                && !memory.was_saved_in(Some(session))
                && self.settings.retrieval.is_in_scope(memory, now)
                && (is_held || self.is_relevant(memory, event, &state))
        });
        let items = triggered.iter().map(|m| BlockItem::from_memory(m, 1.0));
        let block = MemoryBlock::assemble(items.collect(), &self.settings.injection)?;
        // What cannot be recorded would be given at each call.
        let is_in = |ids: &[String], memory: &Memory| ids.iter().any(|id| id == memory.id());
        let mut given: Vec<&Memory> = triggered.iter().collect();
        given.retain(|memory| is_in(&block.ids, memory));
        let record = SessionState::record_memories;
        let new = record(self.state, session, &block.ids, &given, None).ok()?;
        let block = block.with_only(&new)?;
        given.retain(|memory| is_in(&block.ids, memory));
        record_use(self.store, &given, now);
        Some(block)
    }

    /// Returns true where the prompts of the session and the call have enough in common with a memory.
    fn is_relevant(&self, memory: &Memory, event: &EventMatcher<'_>, state: &SessionState) -> bool {
        let relevance = trigger_relevance(memory, event, state);
        relevance.is_none_or(|relevance| relevance >= self.settings.injection.min_trigger_relevance)
    }
}
