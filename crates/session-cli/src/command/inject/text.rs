//! Why something is put before a prompt, or not, for people.

use crate::output::layout::{cut, safe_line};
use crate::output::style::{FAINT, ID, paint};
use session_memory::{GateOutcome, InjectionCandidate, InjectionDecision, SkipReason};

/// Candidates that are explained.
const SHOWN: usize = 10;
/// What stands before the cue that is nearest to the prompt.
const CUE: &str = "    nearest cue: ";

/// The explanation.
pub fn explained(decision: &InjectionDecision, width: usize) -> String {
    let mut out = format!("{}\n", outcome(decision));
    if !decision.signals.is_empty() {
        let signals: Vec<String> = decision
            .signals
            .iter()
            .map(|s| format!("{s:?}").to_lowercase())
            .collect();
        out.push_str(&format!("signals: {}\n", signals.join(", ")));
    }
    if !decision.candidates.is_empty() {
        out.push_str(&format!(
            "commonplace: {:.2}\n",
            decision.background_similarity
        ));
    }
    for verdict in decision.candidates.iter().take(SHOWN) {
        out.push_str(&candidate(verdict, width));
    }
    match decision.candidates.len().saturating_sub(SHOWN) {
        0 => {}
        more => out.push_str(&format!("{more} more match less\n")),
    }
    out
}

fn outcome(decision: &InjectionDecision) -> String {
    let why = match decision.skipped {
        None => return "something is put before this prompt".to_owned(),
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

fn candidate(verdict: &InjectionCandidate, width: usize) -> String {
    let found = &verdict.found;
    let reason = match verdict.outcome {
        GateOutcome::Passed => "passed",
        GateOutcome::LowScore => "match too low",
        GateOutcome::LowOverlap => "too few common words",
        GateOutcome::Superseded => "superseded",
        GateOutcome::AlreadyInjected => "said already",
        GateOutcome::OwnSession => "from this session",
        GateOutcome::NoRoom => "no room",
    };
    let head = format!(
        "{:<20} {:.2} of {:.2}, words {:.2} of {:.2}",
        reason,
        verdict.gate_score,
        verdict.thresholds.score,
        found.overlap,
        verdict.thresholds.overlap
    );
    let id = paint(ID, safe_line(&verdict.id));
    let topic = cut(
        &safe_line(&verdict.topic),
        width.saturating_sub(4 + verdict.id.len() + 2),
    );
    let mut out = format!("{}\n    {id}  {topic}\n", paint(FAINT, head));
    if let Some(cue) = &found.cue {
        let cue = cut(&safe_line(cue), width.saturating_sub(CUE.len()));
        out.push_str(&format!("{}\n", paint(FAINT, format!("{CUE}{cue}"))));
    }
    out
}
