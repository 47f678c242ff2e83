//! The report of an injection: the text before a prompt, and the reasons for it.

use crate::layout::{sanitize_line, truncate_to_columns};
use crate::style::{FAINT, ID, paint};
use serde::Serialize;
use session_memory::{
    GateOutcome, InjectionCandidate, InjectionDecision, InjectionOutcome, MemoryBlock, SkipReason,
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
    disabled_reason: Option<SkipReason>,
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
            disabled_reason: entry.disabled_reason,
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
    let why = match decision.skipped {
        Some(SkipReason::EmptyResult) if waiting > 0 => {
            let waiting = match waiting {
                1 => "1 memory waits for trust".to_owned(),
                n => format!("{n} memories wait for trust"),
            };
            return format!(
                "nothing is put before this prompt: {waiting}, and no trusted one has anything in common with it (empty_result)"
            );
        }
        None => return "memories are put before this prompt".to_owned(),
        Some(SkipReason::SwitchOff) => "it is switched off, or the prompt says so (switch_off)",
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

fn format_candidate(candidate: &InjectionCandidate, width: usize) -> String {
    let found = &candidate.found;
    let reason = match candidate.outcome {
        GateOutcome::Passed => "passed",
        GateOutcome::Triggered => "its error",
        GateOutcome::LowScore => "match too low",
        GateOutcome::Superseded => "superseded",
        GateOutcome::AlreadyInjected => "said already",
        GateOutcome::OwnSession => "from this session",
        GateOutcome::NoRoom => "no room",
    };
    let head = format!(
        "{:<20} {:.2}, at least {:.2} needed",
        reason, candidate.gate_score, candidate.threshold
    );
    let id = paint(ID, sanitize_line(&candidate.id));
    let topic = truncate_to_columns(
        &sanitize_line(&candidate.topic),
        width.saturating_sub(4 + candidate.id.len() + 2),
    );
    let mut out = format!("{}\n    {id}  {topic}\n", paint(FAINT, head));
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
