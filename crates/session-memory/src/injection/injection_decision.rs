//! The decision about a prompt: the candidates, the gate's verdict on each, and the block.

use crate::content::memory::{Importance, Memory};
use crate::injection::block_fence::ShowCommand;
use crate::injection::context_id::ContextId;
use crate::injection::injection_gate::{GateVerdict, InjectionLimits, gate_score};
use crate::injection::memory_block::{BlockItem, MemoryBlock};
use crate::retrieval::rank::MemoryMatch;
use serde::Serialize;
use session_redact::Redactor;
use std::collections::HashSet;

/// The reason why nothing is injected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    /// Injection is switched off.
    #[serde(rename = "switch_off")]
    SwitchedOff,
    /// The prompt asks for no memories.
    #[serde(rename = "refused")]
    OptedOut,
    /// The prompt begins another topic.
    TopicChanged,
    /// There is no candidate.
    EmptyResult,
    /// No candidate passes the gate.
    LowRelevance,
    /// The candidates that pass exceed the budget.
    NoRoom,
    /// The candidates that pass were injected earlier in this session.
    AlreadyInjected,
    /// The search failed.
    QueryFailed,
    /// The deadline passed.
    Timeout,
}

/// A memory that was compared with a prompt, and the gate's verdict.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct InjectionCandidate {
    /// The memory's id.
    pub id: String,
    /// The memory's topic.
    pub topic: String,
    /// The gate's verdict.
    #[serde(rename = "reason")]
    pub verdict: GateVerdict,
    /// The match of prompt and memory.
    #[serde(flatten)]
    pub found: MemoryMatch,
    /// The score that the gate compares with the threshold.
    pub gate_score: f32,
    /// The threshold.
    pub threshold: f32,
    /// The memory's importance.
    pub importance: Importance,
}

/// The block that is injected, or the reason why there is none.
#[derive(Debug, Clone, PartialEq)]
pub struct GateDecision<C> {
    /// The block, or the reason why there is none.
    pub block_or_reason: Result<MemoryBlock, SkipReason>,
    /// The memories that were compared.
    pub candidates: Vec<C>,
}

/// The decision about a prompt; its candidates have the best match first.
pub type InjectionDecision = GateDecision<InjectionCandidate>;

impl<C> GateDecision<C> {
    /// Returns a decision without a block.
    pub fn without_block(reason: SkipReason) -> Self {
        Self {
            block_or_reason: Err(reason),
            candidates: Vec::new(),
        }
    }

    /// Returns the block, if there is one.
    pub fn block(&self) -> Option<&MemoryBlock> {
        self.block_or_reason.as_ref().ok()
    }

    /// Returns the reason why there is no block.
    pub fn skip_reason(&self) -> Option<SkipReason> {
        self.block_or_reason.as_ref().err().copied()
    }

    /// Returns true if memories were not looked for, because injection is switched off.
    pub fn is_switched_off(&self) -> bool {
        self.skip_reason() == Some(SkipReason::SwitchedOff)
    }
}

/// The knowledge of the context that a prompt belongs to.
#[derive(Debug, Clone, Default)]
pub(crate) struct KnownToContext<'a> {
    /// The context, if it has a name.
    pub(crate) context: Option<&'a ContextId>,
    /// The ids of memories and turns that were injected into it.
    pub(crate) injected: HashSet<String>,
    /// The ids of memories whose topics it knows from the overview at its start.
    pub(crate) known_topics: HashSet<String>,
    /// The command that it knows from there.
    pub(crate) known_command: Option<ShowCommand>,
    /// The redactor of what is injected.
    pub(crate) redactor: Redactor,
}

impl KnownToContext<'_> {
    /// Returns true if the item of a memory would repeat what the context of the agent has already.
    fn has(&self, memory: &Memory, limits: &InjectionLimits) -> bool {
        let is_repeated = || {
            let item = BlockItem::from_memory(memory, 1.0);
            !item.goes_beyond_topic(memory, limits.item_chars)
        };
        let id = memory.id();
        self.injected.contains(id) || (self.known_topics.contains(id) && is_repeated())
    }
}

/// The input of a block: ranked memories, and items that passed a gate of their own.
#[derive(Debug, Default)]
pub(crate) struct BlockInput<'a> {
    /// The memories that were ranked.
    pub(crate) memories: &'a [Memory],
    /// The ranked matches of `memories`.
    pub(crate) matches: Vec<MemoryMatch>,
    /// The items that passed a gate of their own: memories whose trigger matches, and past turns.
    pub(crate) others: Vec<BlockItem>,
}

/// Decides which memories are injected before a prompt that wants them.
pub(crate) fn assemble_decision(
    input: BlockInput<'_>,
    known: &KnownToContext<'_>,
    limits: &InjectionLimits,
) -> InjectionDecision {
    let memories = input.memories;
    let mut others = input.others;
    others.retain(|item| !known.injected.contains(&item.id));
    let evaluate = |found| evaluate(memories, found, known, limits);
    let unmatched = list_unmatched(&input.matches, memories, &others);
    let matches = input.matches.into_iter().chain(unmatched);
    let mut candidates: Vec<_> = matches.map(evaluate).collect();
    mark_triggered(&mut candidates, &others);
    let mut items = passed_items(&candidates, memories, &known.redactor);
    items.extend(others);
    let block = MemoryBlock::assemble(items, limits, known.known_command);
    mark_left_out(&mut candidates, block.as_ref());
    let verdicts = candidates.iter().map(|candidate| candidate.verdict);
    InjectionDecision {
        block_or_reason: block.ok_or_else(|| find_skip_reason(verdicts)),
        candidates,
    }
}

fn evaluate(
    memories: &[Memory],
    found: MemoryMatch,
    known: &KnownToContext<'_>,
    limits: &InjectionLimits,
) -> InjectionCandidate {
    let memory = &memories[found.index];
    let verdict = match limits.evaluate(memory, &found) {
        GateVerdict::Passed if ContextId::is_source(known.context, memory) => {
            GateVerdict::OwnSession
        }
        GateVerdict::Passed if known.has(memory, limits) => GateVerdict::AlreadyInjected,
        other => other,
    };
    InjectionCandidate {
        id: memory.id().to_owned(),
        topic: memory.front.topic.clone(),
        verdict,
        gate_score: gate_score(&found),
        threshold: limits.min_score,
        importance: memory.front.importance,
        found,
    }
}

fn passed_items(
    candidates: &[InjectionCandidate],
    memories: &[Memory],
    redactor: &Redactor,
) -> Vec<BlockItem> {
    let passed = candidates
        .iter()
        .filter(|c| c.verdict == GateVerdict::Passed);
    passed
        .map(|c| {
            let memory = &memories[c.found.index];
            BlockItem::from_raw_memory(memory, c.found.fused_score, redactor)
        })
        .collect()
}

/// Marks the candidates whose trigger matches.
fn mark_triggered(candidates: &mut [InjectionCandidate], others: &[BlockItem]) {
    for candidate in candidates {
        if others.iter().any(|item| item.id == candidate.id) {
            candidate.verdict = GateVerdict::Triggered;
        }
    }
}

/// Lists the memories whose trigger matches, and which have neither a term nor a positive cosine in common with the prompt.
fn list_unmatched(
    matches: &[MemoryMatch],
    memories: &[Memory],
    others: &[BlockItem],
) -> Vec<MemoryMatch> {
    let is_unmatched = |index: &usize| {
        let mut others = others.iter();
        others.any(|item| item.id == memories[*index].id())
            && !matches.iter().any(|found| found.index == *index)
    };
    let unmatched = (0..memories.len()).filter(is_unmatched);
    unmatched
        .map(|index| MemoryMatch {
            index,
            ..MemoryMatch::default()
        })
        .collect()
}

/// Marks the candidates that passed and did not fit into the block.
fn mark_left_out(candidates: &mut [InjectionCandidate], block: Option<&MemoryBlock>) {
    let included = block.map_or(&[][..], |block| &block.ids);
    for candidate in candidates {
        let has_passed = matches!(
            candidate.verdict,
            GateVerdict::Passed | GateVerdict::Triggered
        );
        if has_passed && !included.contains(&candidate.id) {
            candidate.verdict = GateVerdict::NoRoom;
        }
    }
}

/// Returns the reason why candidates with these verdicts made no block.
pub(crate) fn find_skip_reason(verdicts: impl Iterator<Item = GateVerdict>) -> SkipReason {
    let verdicts: Vec<GateVerdict> = verdicts.collect();
    let any = |verdict| verdicts.contains(&verdict);
    if verdicts.is_empty() {
        SkipReason::EmptyResult
    } else if any(GateVerdict::NoRoom) {
        SkipReason::NoRoom
    } else if any(GateVerdict::AlreadyInjected) || any(GateVerdict::OwnSession) {
        SkipReason::AlreadyInjected
    } else {
        SkipReason::LowRelevance
    }
}
