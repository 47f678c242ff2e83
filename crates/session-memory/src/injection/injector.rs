//! The injection loop: from a prompt of a session to a block, the session's state and the log.

use crate::content::memory::Memory;
use crate::error::Result;
use crate::injection::context_id::ContextId;
use crate::injection::injection_decision::{
    BlockInput, InjectionDecision, KnownToContext, SkipReason, assemble_decision,
};
use crate::injection::injection_gate::InjectionLimits;
use crate::injection::injection_log::{InjectionLog, InjectionLogEntry};
use crate::injection::memory_block::{BlockItem, MemoryBlock};
use crate::injection::prompt_parts::{is_notification, split_prompt, typed_text};
use crate::injection::session_state::{InjectionRecord, PromptMatch, SessionState};
use crate::injection::session_state_file::SessionStateFile;
use crate::injection::topic_change::{blank_continuations, changes_topic, opts_out_of_memories};
use crate::retrieval::memory_embedder::MemoryEmbedder;
use crate::retrieval::rank::{MemoryQuery, RetrievalSettings, rank_memories, score_by_words_alone};
use crate::storage::life_cycle::record_recall;
use crate::storage::memory_store::MemoryStore;
use crate::text::terms::{MIN_PROMPT_TERMS, distinctive_terms};
use jiff::Timestamp;
use session_core::parallel::run_both;
use session_embed::Embedder;
use std::collections::HashSet;
use std::path::Path;
use std::time::Instant;

/// The settings of an injector.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InjectorSettings {
    /// Injection is switched on by configuration and environment.
    pub enabled: bool,
    /// The thresholds, budgets and the timeout.
    pub limits: InjectionLimits,
    /// The settings of ranking.
    pub retrieval: RetrievalSettings,
}

/// A prompt that asks for memories.
#[derive(Debug, Clone, Copy)]
pub struct InjectionRequest<'a> {
    /// The prompt as it was typed.
    pub prompt: &'a str,
    /// The context that it belongs to, if that has a name.
    pub context: Option<&'a ContextId>,
    /// The time of the call, from which the log counts.
    pub started: Instant,
    /// The time at which embedding of memories stops; `None` embeds all.
    pub deadline: Option<Instant>,
    /// The matches of the prompt by words are recorded before the comparison by the model ends: it may end too late. An
    /// explanation records nothing.
    pub records_words: bool,
}

/// The resources that an injector opens where a prompt needs them.
pub trait InjectionResources {
    /// Opens the model that embeds prompts and memories.
    ///
    /// # Errors
    /// When the model cannot be opened.
    fn open_model(&self) -> Result<Box<dyn Embedder>>;

    /// Finds past turns that answer a prompt, except those of its own session.
    fn find_past_turns(&self, prompt: &str, session: Option<&str>) -> Vec<BlockItem>;
}

/// The outcome of a request: the decision, and the facts that are recorded.
#[derive(Debug)]
pub struct InjectionOutcome {
    /// The decision.
    pub decision: InjectionDecision,
    /// The memories that were compared.
    pub memories: Vec<Memory>,
    context: Option<ContextId>,
    started: Instant,
    /// The prompt has enough terms to show what the session is about.
    is_distinctive: bool,
    /// The prompt was compared with the memories.
    was_compared: bool,
}

impl InjectionOutcome {
    /// Returns the matches of a prompt that shows what the session is about, by id; `None` if it does not, or was
    /// not compared.
    pub(crate) fn prompt_matches(&self) -> Option<Vec<PromptMatch<'_>>> {
        let candidates = self.decision.candidates.iter();
        (self.is_distinctive && self.was_compared).then(|| {
            candidates
                .map(|candidate| PromptMatch {
                    id: &candidate.id,
                    fused_score: candidate.found.fused_score,
                })
                .collect()
        })
    }

    /// Makes the entry of the log, with the block that is printed.
    pub fn log_entry(&self, block: Option<&MemoryBlock>) -> InjectionLogEntry {
        InjectionLogEntry {
            session: self.context.as_ref().map(ContextId::key),
            injected_count: block.map_or(0, |block| block.ids.len()),
            injected_chars: block.map_or(0, MemoryBlock::char_count),
            disabled_reason: self.decision.skip_reason(),
            candidates: self.memories.len(),
            ..InjectionLogEntry::new(self.started)
        }
    }
}

/// An injector of the memories of a store.
#[derive(Debug, Clone, Copy)]
pub struct Injector<'a> {
    /// The store of the memories.
    pub store: &'a MemoryStore,
    /// The directory of the index, which holds session states, the log and cached vectors.
    pub index_directory: &'a Path,
    /// The settings.
    pub settings: InjectorSettings,
    /// The time of the event that memories are injected for.
    pub now: Timestamp,
}

impl Injector<'_> {
    /// Names the file of a context's state.
    pub(crate) fn state_file(&self, context: &ContextId) -> SessionStateFile<'_> {
        SessionStateFile::new(self.index_directory, context)
    }

    /// Lists the trusted memories that were changed in the last `scope_days`. Damaged files are left out.
    pub(crate) fn list_trusted_recent(&self) -> Vec<Memory> {
        let mut all = self.store.list_trusted();
        let retrieval = &self.settings.retrieval;
        all.retain(|memory| retrieval.is_recent_enough(memory, self.now));
        all
    }

    /// Decides which memories are injected before a prompt. Nothing is recorded but the matches by words, where the request
    /// asks for it.
    ///
    /// # Errors
    /// When the model fails.
    pub fn inject(
        &self,
        request: &InjectionRequest<'_>,
        resources: &dyn InjectionResources,
    ) -> Result<InjectionOutcome> {
        let state = request.context.map(|id| self.state_file(id).read());
        let state = state.unwrap_or_default();
        let mut outcome = InjectionOutcome {
            decision: InjectionDecision::without_block(SkipReason::SwitchedOff),
            memories: Vec::new(),
            context: request.context.cloned(),
            started: request.started,
            is_distinctive: is_distinctive(request.prompt),
            was_compared: false,
        };
        if self.settings.enabled && !state.off {
            if !request.prompt.trim().is_empty() {
                outcome.memories = self.list_trusted_recent();
            }
            let compared = self.compare_prompt(request, &outcome.memories, state, resources)?;
            (outcome.decision, outcome.was_compared) = (compared.decision, compared.was_compared);
        }
        Ok(outcome)
    }

    /// Returns the items of the memories one of whose errors stands in a prompt, pasted text included.
    fn triggered_items(
        &self,
        request: &InjectionRequest<'_>,
        memories: &[Memory],
    ) -> Vec<BlockItem> {
        let is_notice = is_notification(request.prompt);
        let is_triggered = |memory: &&Memory| {
            let front = &memory.front;
            !is_notice
                && !front.is_superseded()
                && front.when.matches_prompt(request.prompt)
                && !ContextId::is_source(request.context, memory)
        };
        let triggered = memories.iter().filter(is_triggered);
        let redactor = self.store.redactor();
        let item = |memory| BlockItem::from_raw_memory(memory, 1.0, redactor);
        triggered.map(item).collect()
    }

    /// Compares the parts of a prompt, one after the other, until one has a block.
    fn compare_prompt(
        &self,
        request: &InjectionRequest<'_>,
        memories: &[Memory],
        state: SessionState,
        resources: &dyn InjectionResources,
    ) -> Result<PromptDecision> {
        let prompt = typed_text(request.prompt);
        let known = KnownToContext {
            context: request.context,
            known_topics: state.known_topic_ids(),
            known_command: state.known_command(),
            injected: find_injected(&state, memories),
            redactor: self.store.redactor().clone(),
        };
        let triggered = self.triggered_items(request, memories);
        let has_candidates = !memories.is_empty() || self.settings.limits.past_turns;
        if prompt.trim().is_empty() || !has_candidates {
            let was_compared = !prompt.trim().is_empty();
            let decision = self.decide_by_triggers(memories, triggered, &known);
            return Ok(PromptDecision {
                decision,
                was_compared,
            });
        }
        if let Some(reason) = find_unwanted_reason(&prompt) {
            // It matches nothing: what the prompts before it were about triggers no memory from now on.
            return Ok(PromptDecision {
                decision: InjectionDecision::without_block(reason),
                was_compared: true,
            });
        }
        let compare = || -> Result<PromptDecision> {
            let model = resources.open_model()?;
            let comparison = PartComparison {
                injector: self,
                memories,
                triggered,
                known,
                embedder: MemoryEmbedder {
                    model: model.as_ref(),
                    index_directory: self.index_directory,
                    deadline: request.deadline,
                },
                resources,
            };
            let decision = comparison.decide_by_parts(&prompt)?;
            let was_compared = decision.is_some();
            let decision = decision.unwrap_or_else(|| {
                let PartComparison {
                    triggered, known, ..
                } = comparison;
                let by_triggers = self.decide_by_triggers(memories, triggered, &known);
                match by_triggers.block_or_reason {
                    Ok(_) => by_triggers,
                    Err(_) => InjectionDecision::without_block(SkipReason::Timeout),
                }
            });
            Ok(PromptDecision {
                decision,
                was_compared,
            })
        };
        // The process may end at the timeout, and the model takes most of the time until then.
        let record_words = || self.record_word_matches(request, &prompt, memories);
        run_both(compare, record_words).0
    }

    /// Records how well a prompt matches each memory by words alone, without a model, where that is asked for. A call of a tool
    /// needs the prompt's matches, and the comparison by the model may not end before the deadline. Only the words' part of
    /// the score is recorded, so that it never exceeds the score with the model.
    fn record_word_matches(
        &self,
        request: &InjectionRequest<'_>,
        prompt: &str,
        memories: &[Memory],
    ) {
        let Some(context) = request.context.filter(|_| request.records_words) else {
            return;
        };
        let parts = split_prompt(prompt);
        let Some(part) = parts.first().filter(|_| is_distinctive(request.prompt)) else {
            return;
        };
        let matches = score_by_words_alone(&blank_continuations(part), memories);
        let matches: Vec<PromptMatch<'_>> = matches
            .iter()
            .map(|found| PromptMatch {
                id: memories[found.id].id(),
                fused_score: found.score,
            })
            .collect();
        let record = InjectionRecord {
            matches: Some(&matches),
            ..InjectionRecord::default()
        };
        // A failure is ignored: the comparison is recorded, too.
        let _ = self.state_file(context).record(&record);
    }

    /// Decides without a comparison: by what a prompt triggers alone.
    fn decide_by_triggers(
        &self,
        memories: &[Memory],
        triggered: Vec<BlockItem>,
        known: &KnownToContext<'_>,
    ) -> InjectionDecision {
        let input = BlockInput {
            memories,
            others: triggered,
            ..BlockInput::default()
        };
        assemble_decision(input, known, &self.settings.limits)
    }

    /// Records an outcome before its block is printed: in the session's state, so that nothing is
    /// injected twice, as a recall, and in the log. Returns the block to be printed, without what another process has
    /// injected meanwhile; `None` if the state cannot be written.
    pub fn record(&self, outcome: &InjectionOutcome) -> Option<MemoryBlock> {
        let decided = outcome.decision.block();
        let block = match &outcome.context {
            Some(context) => self.record_in_context(context, outcome),
            None => decided.cloned(),
        };
        if decided.is_some() && block.is_none() {
            return None;
        }
        if let Some(block) = &block {
            let is_injected = |m: &&Memory| block.ids.iter().any(|id| id == m.id());
            let injected: Vec<&Memory> = outcome.memories.iter().filter(is_injected).collect();
            record_recall(self.store, &injected, self.now);
        }
        let _ = InjectionLog::new(self.index_directory).append(&outcome.log_entry(block.as_ref()));
        block
    }

    /// Records in the context's state what is injected, and what the prompt matches. Returns what is left of the
    /// block.
    fn record_in_context(
        &self,
        context: &ContextId,
        outcome: &InjectionOutcome,
    ) -> Option<MemoryBlock> {
        let block = outcome.decision.block();
        let ids = block.map_or(&[][..], |block| &block.ids);
        let matches = outcome.prompt_matches();
        if ids.is_empty() && matches.is_none() {
            return None;
        }
        let mut memories: Vec<&Memory> = outcome.memories.iter().collect();
        memories.retain(|memory| ids.iter().any(|id| id == memory.id()));
        let record = InjectionRecord {
            ids,
            memories: &memories,
            matches: matches.as_deref(),
        };
        let new = self.state_file(context).record(&record).ok()?;
        block?.clone().with_only(&new)
    }
}

/// The decision about a prompt.
struct PromptDecision {
    decision: InjectionDecision,
    /// The prompt was compared with the memories, and in time: its candidates have its matches.
    was_compared: bool,
}

/// Returns the reason why a prompt gets no memories, where it says that it wants none.
fn find_unwanted_reason(prompt: &str) -> Option<SkipReason> {
    if opts_out_of_memories(prompt) {
        return Some(SkipReason::OptedOut);
    }
    changes_topic(prompt).then_some(SkipReason::TopicChanged)
}

/// Returns true for a prompt with enough terms to show what its session is about.
fn is_distinctive(prompt: &str) -> bool {
    distinctive_terms(prompt).len() >= MIN_PROMPT_TERMS
}

/// Returns the ids that were injected, without those of memories that have changed since.
fn find_injected(state: &SessionState, memories: &[Memory]) -> HashSet<String> {
    let mut injected: HashSet<String> = state.injected.iter().cloned().collect();
    let is_injected = |memory: &&Memory| state.injected.contains(memory.id());
    for memory in memories.iter().filter(is_injected) {
        if !state.has_injected(memory) {
            injected.remove(memory.id());
        }
    }
    injected
}

/// The comparison of each part of a prompt with the memories.
struct PartComparison<'a> {
    injector: &'a Injector<'a>,
    memories: &'a [Memory],
    /// The items whose error stands in the prompt.
    triggered: Vec<BlockItem>,
    known: KnownToContext<'a>,
    embedder: MemoryEmbedder<'a>,
    resources: &'a dyn InjectionResources,
}

impl PartComparison<'_> {
    /// Decides by the parts one after the other until one has a block; else by the first part. A part that changes the
    /// topic is left out: it says nothing about the others. Returns `None` if the deadline passed before the first
    /// one was compared.
    fn decide_by_parts(&self, prompt: &str) -> Result<Option<InjectionDecision>> {
        let mut first = None;
        let mut parts = split_prompt(prompt);
        parts.retain(|part| !changes_topic(part));
        for part in parts {
            let is_late = |deadline| Instant::now() >= deadline;
            if first.is_some() && self.embedder.deadline.is_some_and(is_late) {
                break;
            }
            let Some(decision) = self.decide_by_part(&part)? else {
                break;
            };
            if decision.block_or_reason.is_ok() {
                return Ok(Some(decision));
            }
            first.get_or_insert(decision);
        }
        Ok(first)
    }

    /// Decides by one part; `None` if the deadline passed.
    fn decide_by_part(&self, part: &str) -> Result<Option<InjectionDecision>> {
        let settings = &self.injector.settings;
        let query = MemoryQuery {
            text: &blank_continuations(part),
            memories: self.memories,
            settings: &settings.retrieval,
            now: self.injector.now,
        };
        let Some(matches) = rank_memories(&query, &self.embedder)? else {
            return Ok(None);
        };
        let mut others = self.triggered.clone();
        if settings.limits.past_turns {
            let session = self.known.context.map(ContextId::session);
            let mut turns = self.resources.find_past_turns(part, session);
            let redactor = &self.known.redactor;
            turns.iter_mut().for_each(|turn| turn.redact(redactor));
            others.extend(turns);
        }
        let input = BlockInput {
            memories: self.memories,
            matches,
            others,
        };
        Ok(Some(assemble_decision(
            input,
            &self.known,
            &settings.limits,
        )))
    }
}
