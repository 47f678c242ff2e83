//! Why something is put before a prompt, or not, for people.

use crate::output::layout::{cut, safe_line};
use crate::output::style::{FAINT, ID, paint};
use session_memory::{Decision, Disabled, Reason, Verdict};

/// Candidates that are explained.
const SHOWN: usize = 10;
/// What stands before the cue that is nearest to the prompt.
const CUE: &str = "    nearest cue: ";

/// The explanation.
pub fn explained(decision: &Decision, width: usize) -> String {
    let mut out = format!("{}\n", outcome(decision));
    if !decision.signals.is_empty() {
        let signals: Vec<String> = decision
            .signals
            .iter()
            .map(|s| format!("{s:?}").to_lowercase())
            .collect();
        out.push_str(&format!("signals: {}\n", signals.join(", ")));
    }
    if !decision.verdicts.is_empty() {
        out.push_str(&format!("commonplace: {:.2}\n", decision.commonplace));
    }
    for verdict in decision.verdicts.iter().take(SHOWN) {
        out.push_str(&candidate(verdict, width));
    }
    match decision.verdicts.len().saturating_sub(SHOWN) {
        0 => {}
        more => out.push_str(&format!("{more} more match less\n")),
    }
    out
}

fn outcome(decision: &Decision) -> String {
    let why = match decision.disabled {
        None => return "something is put before this prompt".to_owned(),
        Some(Disabled::SwitchOff) => "it is switched off, or the prompt says so (switch_off)",
        Some(Disabled::EmptyResult) => "no memory has anything in common with it (empty_result)",
        Some(Disabled::NoRoom) => "what matches has no room in the budget (no_room)",
        Some(Disabled::LowRelevance) => "no memory matches well enough (low_relevance)",
        Some(Disabled::AlreadyInjected) => {
            "what matches was said in this session (already_injected)"
        }
        Some(Disabled::QueryFailed) => "the search failed (query_failed)",
        Some(Disabled::Timeout) => "it took too long (timeout)",
    };
    format!("nothing is put before this prompt: {why}")
}

fn candidate(verdict: &Verdict, width: usize) -> String {
    let found = &verdict.found;
    let reason = match verdict.reason {
        Reason::Passed => "passed",
        Reason::LowScore => "match too low",
        Reason::LowOverlap => "too few common words",
        Reason::Superseded => "superseded",
        Reason::AlreadyInjected => "said already",
        Reason::OwnSession => "from this session",
        Reason::NoRoom => "no room",
    };
    let head = format!(
        "{:<20} {:.2} of {:.2}, words {:.2} of {:.2}",
        reason, verdict.reached, verdict.marks.score, found.overlap, verdict.marks.overlap
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
