//! The injection of memories whose trigger an agent's call of a tool matches.

use crate::content::memory::{Importance, Memory};
use crate::injection::context_id::ContextId;
use crate::injection::injection_decision::{GateDecision, SkipReason, find_skip_reason};
use crate::injection::injection_gate::GateVerdict;
use crate::injection::injector::{InjectionOutcome, Injector};
use crate::injection::memory_block::{BlockItem, MemoryBlock};
use crate::injection::session_state::{InjectionRecord, SessionState};
use crate::injection::trigger_relevance::trigger_relevance;
use crate::storage::life_cycle::record_recall;
use crate::triggers::TriggerEvent;
use crate::triggers::event_matcher::EventMatcher;
use serde::Serialize;

/// A memory whose trigger an event matches, and the gate's verdict.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TriggerCandidate {
    /// The memory's id.
    pub id: String,
    /// The memory's topic.
    pub topic: String,
    /// The gate's verdict: [`GateVerdict::Triggered`] where it is injected.
    #[serde(rename = "reason")]
    pub verdict: GateVerdict,
    /// The triggers that match, as the memory has them.
    pub triggers: Vec<String>,
    /// The relevance of the session's last prompt and the call to the memory, 0 to 3; `None` if the trigger alone
    /// decides.
    pub relevance: Option<f32>,
    /// The relevance that is needed.
    pub threshold: f32,
    /// The memory's importance.
    pub importance: Importance,
}

/// The decision about a call of a tool; its candidates are the memories whose triggers match it.
pub type TriggerDecision = GateDecision<TriggerCandidate>;

/// The block that a call of a tool gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TriggeredBlock {
    /// The block.
    pub block: MemoryBlock,
    /// It is the reason for which the call is denied.
    pub is_denial: bool,
}

impl Injector<'_> {
    /// Gives the memories that an event triggers, each once a session, and records them. No model is
    /// opened. A memory denies one call, also where the reason has no room for it.
    pub fn inject_for_event(
        &self,
        event: &TriggerEvent,
        context: &ContextId,
    ) -> Option<TriggeredBlock> {
        if !self.settings.enabled || event.is_empty() {
            return None;
        }
        let state_file = self.state_file(context);
        let state = state_file.read();
        if state.off {
            return None;
        }
        let matcher = EventMatcher::new(event);
        let triggered = self.list_triggered(&matcher);
        let decision = self.decide_for_event(&matcher, &triggered, Some(context), &state);
        let block = decision.block_or_reason.ok()?;
        let mut passed = decision.candidates;
        passed.retain(|candidate| {
            let verdict = candidate.verdict;
            matches!(verdict, GateVerdict::Triggered | GateVerdict::NoRoom)
        });
        // A block that cannot be recorded is not injected: it would be injected at each call.
        let is_in = |ids: &[String], memory: &Memory| ids.iter().any(|id| id == memory.id());
        let mut injected: Vec<&Memory> = triggered.iter().collect();
        injected.retain(|memory| is_in(&block.ids, memory));
        let record = InjectionRecord {
            ids: &block.ids,
            memories: &injected,
            matches: None,
        };
        let add = |state: &mut SessionState| {
            let passed = passed.into_iter().map(|candidate| candidate.id);
            let is_denial = event.may_be_denied && state.add_denial(passed);
            (state.add_injection(&record), is_denial)
        };
        let (new, is_denial) = state_file.update(add).ok()??;
        let block = block.with_only(&new)?;
        injected.retain(|memory| is_in(&block.ids, memory));
        record_recall(self.store, &injected, self.now);
        Some(TriggeredBlock { block, is_denial })
    }

    /// Records memories that the agent reads itself as injected into its context: as they are now they are not injected
    /// once more. Ids of none are ignored, and so is a failure to record: the agent reads them all the same.
    pub fn record_shown(&self, ids: &[impl AsRef<str>], context: &ContextId) {
        let memories = self.find_shown(ids);
        let ids: Vec<String> = memories.iter().map(|it| it.id().to_owned()).collect();
        let record = InjectionRecord {
            ids: &ids,
            memories: &memories.iter().collect::<Vec<_>>(),
            matches: None,
        };
        if !ids.is_empty() {
            let add = |state: &mut SessionState| state.add_shown(&record);
            let _ = self.state_file(context).update(add);
        }
    }

    /// Takes the record of memories back that the agent was to read and did not: they are injected again. Those that it
    /// knew before the call stay recorded.
    pub fn forget_shown(&self, ids: &[impl AsRef<str>], context: &ContextId) {
        let memories = self.find_shown(ids);
        let forget = |state: &mut SessionState| {
            let memories = memories.iter();
            memories.for_each(|memory| state.forget_shown(memory.id()));
        };
        if !memories.is_empty() {
            let _ = self.state_file(context).update(forget);
        }
    }

    /// Finds the memories that an agent reads itself.
    fn find_shown(&self, ids: &[impl AsRef<str>]) -> Vec<Memory> {
        if !self.settings.enabled {
            return Vec::new();
        }
        let ids = ids.iter().map(AsRef::as_ref);
        ids.filter_map(|id| self.store.find_raw(id).ok()).collect()
    }

    /// Decides what an event would get, and records nothing: in a context, and after a prompt if there is one.
    pub fn explain_event(
        &self,
        event: &TriggerEvent,
        context: Option<&ContextId>,
        prompt: Option<&InjectionOutcome>,
    ) -> TriggerDecision {
        let state = context.map(|context| self.state_file(context).read());
        let mut state = state.unwrap_or_default();
        if let Some(prompt) = prompt {
            let ids = prompt.decision.block();
            let ids = ids.map_or_else(Vec::new, |block| block.ids.clone());
            let listed = self.list_trusted_recent();
            let is_injected = |memory: &&Memory| ids.iter().any(|id| id == memory.id());
            let memories: Vec<&Memory> = listed.iter().filter(is_injected).collect();
            state.add_injection(&InjectionRecord {
                ids: &ids,
                memories: &memories,
                matches: prompt.prompt_matches().as_deref(),
            });
        }
        if !self.settings.enabled || state.off {
            return TriggerDecision::without_block(SkipReason::SwitchedOff);
        }
        let matcher = EventMatcher::new(event);
        let triggered = self.list_triggered(&matcher);
        self.decide_for_event(&matcher, &triggered, context, &state)
    }

    /// Lists the memories that were changed in the last `scope_days` and whose triggers match an event.
    fn list_triggered(&self, event: &EventMatcher<'_>) -> Vec<Memory> {
        let mut triggered = self.store.list_triggered(event);
        let retrieval = &self.settings.retrieval;
        triggered.retain(|memory| retrieval.is_recent_enough(memory, self.now));
        triggered
    }

    /// Decides which of the memories whose triggers match an event are injected.
    fn decide_for_event(
        &self,
        event: &EventMatcher<'_>,
        triggered: &[Memory],
        context: Option<&ContextId>,
        state: &SessionState,
    ) -> TriggerDecision {
        let evaluate = |memory| self.evaluate_triggered(memory, event, context, state);
        let mut candidates: Vec<TriggerCandidate> = triggered.iter().map(evaluate).collect();
        let passed = |candidate: &TriggerCandidate| candidate.verdict == GateVerdict::Triggered;
        let items = triggered.iter().zip(&candidates);
        let items = items.filter(|(_, candidate)| passed(candidate));
        let redactor = self.store.redactor();
        let items = items.map(|(memory, _)| BlockItem::from_raw_memory(memory, 1.0, redactor));
        let limits = &self.settings.limits;
        let block = MemoryBlock::assemble(items.collect(), limits, state.known_command());
        let included = block.as_ref().map_or(&[][..], |block| &block.ids);
        for candidate in candidates.iter_mut().filter(|candidate| passed(candidate)) {
            if !included.contains(&candidate.id) {
                candidate.verdict = GateVerdict::NoRoom;
            }
        }
        candidates.sort_by_key(|candidate| !passed(candidate));
        let verdicts = candidates.iter().map(|candidate| candidate.verdict);
        TriggerDecision {
            block_or_reason: block.ok_or_else(|| find_skip_reason(verdicts)),
            candidates,
        }
    }

    fn evaluate_triggered(
        &self,
        memory: &Memory,
        event: &EventMatcher<'_>,
        context: Option<&ContextId>,
        state: &SessionState,
    ) -> TriggerCandidate {
        let relevance = trigger_relevance(memory, event, state);
        let relevance = relevance.filter(|_| !event.event.may_be_denied);
        let threshold = self.settings.limits.min_trigger_relevance;
        let front = &memory.front;
        TriggerCandidate {
            id: memory.id().to_owned(),
            topic: front.topic.clone(),
            verdict: match relevance {
                _ if front.is_superseded() => GateVerdict::Superseded,
                _ if state.has_injected(memory) => GateVerdict::AlreadyInjected,
                _ if ContextId::is_source(context, memory) => GateVerdict::OwnSession,
                Some(relevance) if relevance < threshold => GateVerdict::LowScore,
                _ => GateVerdict::Triggered,
            },
            triggers: event.list_matching(&front.when),
            relevance,
            threshold,
            importance: front.importance,
        }
    }
}
