//! The report of an injection: the text before a prompt, and the reasons for it.

use crate::style::{FAINT, ID, paint};
use serde::Serialize;
use session_display::{sanitize_line, truncate_to_columns};
use session_memory::{
    GateVerdict, InjectionCandidate, InjectionDecision, InjectionOutcome, MemoryBlock, SkipReason,
    TriggerCandidate, TriggerDecision,
};

/// The most candidates that are explained.
const MAX_CANDIDATES: usize = 10;
/// The label of the best cue.
const CUE_LABEL: &str = "    nearest cue: ";

/// The outcome of a prompt, as `docs/cli.md` describes it.
#[derive(Serialize)]
pub struct JsonInjection<'a> {
    block: Option<&'a str>,
    ids: &'a [String],
    truncated: bool,
    injected_count: usize,
    injected_chars: usize,
    retrieval_ms: u64,
    reason: Option<SkipReason>,
    #[serde(skip_serializing_if = "Option::is_none")]
    candidates: Option<&'a [InjectionCandidate]>,
}

impl<'a> JsonInjection<'a> {
    /// Returns an outcome as it is printed: with the block that is put before the prompt, if one is, and
    /// with the candidates where it is explained.
    pub fn new(
        outcome: &'a InjectionOutcome,
        block: Option<&'a MemoryBlock>,
        explain: bool,
    ) -> Self {
        let (decision, entry) = (&outcome.decision, outcome.log_entry(block));
        Self {
            block: block.map(|block| block.text.as_str()),
            ids: block.map_or(&[], |block| &block.ids),
            truncated: block.is_some_and(|block| block.truncated),
            injected_count: entry.injected_count,
            injected_chars: entry.injected_chars,
            retrieval_ms: entry.retrieval_ms,
            reason: entry.disabled_reason,
            candidates: explain.then_some(&decision.candidates),
        }
    }
}

/// Formats the decision and its candidates. `waiting` memories wait for trust, and are no candidates.
pub fn format_decision(decision: &InjectionDecision, waiting: usize, width: usize) -> String {
    let mut out = format!("{}\n", format_outcome(decision, waiting));
    for candidate in decision.candidates.iter().take(MAX_CANDIDATES) {
        out.push_str(&format_candidate(candidate, width));
    }
    match decision.candidates.len().saturating_sub(MAX_CANDIDATES) {
        0 => {}
        more => out.push_str(&format!("{more} more match less\n")),
    }
    out
}

fn format_outcome(decision: &InjectionDecision, waiting: usize) -> String {
    let why = match decision.skip_reason() {
        Some(SkipReason::EmptyResult) if waiting > 0 => {
            let waiting = format_waiting(waiting);
            return format!(
                "nothing is put before this prompt: {waiting}, and no trusted one has anything in common with it (empty_result)"
            );
        }
        None => return "memories are put before this prompt".to_owned(),
        Some(SkipReason::SwitchedOff) => "injection is switched off (switch_off)",
        Some(SkipReason::OptedOut) => "it asks for no memories (refused)",
        Some(SkipReason::TopicChanged) => "it begins another topic (topic_changed)",
        Some(SkipReason::EmptyResult) => "no memory has anything in common with it (empty_result)",
        Some(SkipReason::NoRoom) => "what matches has no room in the budget (no_room)",
        Some(SkipReason::LowRelevance) => "no memory matches well enough (low_relevance)",
        Some(SkipReason::AlreadyInjected) => {
            "what matches was said in this session (already_injected)"
        }
        Some(SkipReason::QueryFailed) => "the search failed (query_failed)",
        Some(SkipReason::Timeout) => "it took too long (timeout)",
    };
    format!("nothing is put before this prompt: {why}")
}

fn format_waiting(count: usize) -> String {
    match count {
        1 => "1 memory waits for trust".to_owned(),
        n => format!("{n} memories wait for trust"),
    }
}

/// The memories that a call of a tool would get, as `docs/cli.md` describes them.
#[derive(Serialize)]
pub struct JsonTriggerDecision<'a> {
    block: Option<&'a str>,
    ids: &'a [String],
    truncated: bool,
    reason: Option<SkipReason>,
    candidates: &'a [TriggerCandidate],
}

impl<'a> JsonTriggerDecision<'a> {
    /// Returns a decision as it is printed.
    pub fn new(decision: &'a TriggerDecision) -> Self {
        let block = decision.block();
        Self {
            block: block.map(|block| block.text.as_str()),
            ids: block.map_or(&[], |block| &block.ids),
            truncated: block.is_some_and(|block| block.truncated),
            // The candidates have the other reasons.
            reason: decision
                .is_switched_off()
                .then_some(SkipReason::SwitchedOff),
            candidates: &decision.candidates,
        }
    }
}

/// Formats the memories whose triggers match a call, and why each is given or not. `waiting` memories wait for trust,
/// and are not compared.
pub fn format_trigger_decision(decision: &TriggerDecision, waiting: usize, width: usize) -> String {
    let mut out = match (decision.block(), decision.candidates.len()) {
        (Some(_), _) => "memories are given at this call\n".to_owned(),
        (None, _) if decision.is_switched_off() => {
            "nothing is given at this call: it is switched off (switch_off)\n".to_owned()
        }
        (None, 0) if waiting > 0 => format!(
            "nothing is given at this call: no trigger of a trusted memory matches it, and {}\n",
            format_waiting(waiting)
        ),
        (None, 0) => "nothing is given at this call: no memory's trigger matches it\n".to_owned(),
        (None, _) => "nothing is given at this call\n".to_owned(),
    };
    for candidate in &decision.candidates {
        out.push_str(&format_triggered(candidate, width));
    }
    out
}

fn format_triggered(candidate: &TriggerCandidate, width: usize) -> String {
    let reason = match candidate.verdict {
        GateVerdict::Passed | GateVerdict::Triggered => "given",
        GateVerdict::LowScore => "too little in common",
        other => verdict_label(other),
    };
    let is_compared = matches!(
        candidate.verdict,
        GateVerdict::Triggered | GateVerdict::LowScore
    );
    let relevance = match candidate.relevance {
        _ if !is_compared => String::new(),
        Some(relevance) => format!("{relevance:.2}, at least {:.2} needed", candidate.threshold),
        None => "the trigger alone decides".to_owned(),
    };
    let triggers = format!(
        "    trigger: {}",
        sanitize_line(&candidate.triggers.join(", "))
    );
    let triggers = truncate_to_columns(&triggers, width);
    let head = format!("{reason:<20} {relevance}");
    let head = paint(FAINT, head.trim_end());
    let memory = format_memory(&candidate.id, &candidate.topic, width);
    format!("{head}\n{memory}{}\n", paint(FAINT, triggers))
}

/// Formats the line of a memory below its reason.
fn format_memory(id: &str, topic: &str, width: usize) -> String {
    let topic = truncate_to_columns(
        &sanitize_line(topic),
        width.saturating_sub(4 + id.len() + 2),
    );
    format!("    {}  {topic}\n", paint(ID, sanitize_line(id)))
}

fn verdict_label(verdict: GateVerdict) -> &'static str {
    match verdict {
        GateVerdict::Passed => "passed",
        GateVerdict::Triggered => "its error",
        GateVerdict::LowScore => "match too low",
        GateVerdict::Superseded => "superseded",
        GateVerdict::AlreadyInjected => "said already",
        GateVerdict::OwnSession => "from this session",
        GateVerdict::NoRoom => "no room",
    }
}

fn format_candidate(candidate: &InjectionCandidate, width: usize) -> String {
    let found = &candidate.found;
    let reason = verdict_label(candidate.verdict);
    let head = format!(
        "{:<20} {:.2}, at least {:.2} needed",
        reason, candidate.gate_score, candidate.threshold
    );
    let memory = format_memory(&candidate.id, &candidate.topic, width);
    let mut out = format!("{}\n{memory}", paint(FAINT, head));
    if let Some(cue) = &found.cue {
        let cue = truncate_to_columns(&sanitize_line(cue), width.saturating_sub(CUE_LABEL.len()));
        out.push_str(&format!("{}\n", paint(FAINT, format!("{CUE_LABEL}{cue}"))));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_memory_that_waits_for_trust_is_the_reason() {
        let nothing = InjectionDecision::without_block(SkipReason::EmptyResult);
        assert_eq!(
            format_decision(&nothing, 1, 80),
            "nothing is put before this prompt: 1 memory waits for trust, and no trusted one has anything in common with it (empty_result)\n"
        );
        assert!(format_decision(&nothing, 0, 80).contains("no memory has anything in common"));
    }
}
