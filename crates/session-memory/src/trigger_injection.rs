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
        let event = &EventMatcher::new(event);
        let mut triggered = self.store.list_triggered(event);
        triggered.retain(|memory| {
            let front = &memory.front;
            front.superseded_by.is_none()
                && !state.injected.contains(memory.id())
                && !memory.was_saved_in(Some(session))
                && self.settings.retrieval.is_in_scope(memory, now)
                && self.is_relevant(memory, event, &state)
        });
        let items = triggered.iter().map(|m| BlockItem::from_memory(m, 1.0));
        let block = MemoryBlock::assemble(items.collect(), &self.settings.injection)?;
        // What cannot be recorded would be given at each call.
        let new = SessionState::record_injected(self.state, session, &block.ids).ok()?;
        let block = block.with_only(&new)?;
        let is_given = |m: &&Memory| block.ids.iter().any(|id| id == m.id());
        let given: Vec<&Memory> = triggered.iter().filter(is_given).collect();
        record_use(self.store, &given, now);
        Some(block)
    }

    /// Returns true where the prompts of the session and the call have enough in common with a memory.
    fn is_relevant(&self, memory: &Memory, event: &EventMatcher<'_>, state: &SessionState) -> bool {
        let relevance = trigger_relevance(memory, event, state);
        relevance.is_none_or(|relevance| relevance >= self.settings.injection.min_trigger_relevance)
    }
}
