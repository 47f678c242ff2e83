//! The relevance of a call of a tool to a memory whose trigger it matches.

use crate::content::memory::Memory;
use crate::injection::session_state::SessionState;
use crate::text::terms::distinctive_terms;
use crate::triggers::event_matcher::EventMatcher;
use crate::triggers::trigger_glob::longest_literal;
use session_core::text::file_name;
use std::collections::HashSet;

/// The weight of the terms that a call shares with a memory, beside the match of a prompt.
const CALL_WEIGHT: f32 = 2.0;

/// The fewest characters of a name that says something.
const MIN_NAME_CHARS: usize = 4;

/// Returns the relevance of a memory whose trigger an event matches, 0 to 3: the match of the session's last prompt
/// that shows what it is about, and twice the fraction of the memory's terms that the call holds. `None` if the
/// trigger alone decides: for an error, a command, or a file that the memory itself names, and where no prompt was
/// compared. A folder or a pattern that it names does not count: any file there would match.
pub(crate) fn trigger_relevance(
    memory: &Memory,
    event: &EventMatcher<'_>,
    state: &SessionState,
) -> Option<f32> {
    let when = &memory.front.when;
    let globs: Vec<&str> = event.matching_paths(when).collect();
    let mut files = globs.iter().filter(|glob| is_single_file(glob));
    let is_explicit = event.matches_error(when)
        || event.matching_commands(when).next().is_some()
        || files.any(|glob| is_named(memory, glob));
    if !state.is_compared || is_explicit {
        return None;
    }
    let prompt = state.matches.get(memory.id()).copied().unwrap_or(0.0);
    let held = call_terms(&event.event.text, &globs);
    Some(prompt + CALL_WEIGHT * shared_term_fraction(memory, &held))
}

/// Returns the terms that a call holds. Where its file is in folders or patterns of a memory alone, their terms are left
/// out: the path of each file there holds them.
fn call_terms(text: &str, matching_globs: &[&str]) -> HashSet<String> {
    let mut terms = distinctive_terms(text);
    if !matching_globs.iter().any(|glob| is_single_file(glob)) {
        for term in matching_globs
            .iter()
            .flat_map(|glob| distinctive_terms(glob))
        {
            terms.remove(&term);
        }
    }
    terms
}

/// Returns true for a path of one file: no folder, no pattern.
fn is_single_file(glob: &str) -> bool {
    !glob.ends_with('/') && !glob.contains(['*', '?', '[', '{'])
}

/// Returns true if a memory names the file of a glob.
fn is_named(memory: &Memory, glob: &str) -> bool {
    let literal = file_name(longest_literal(glob).trim());
    let has_name = |text: &str| text.contains(literal);
    literal.chars().count() >= MIN_NAME_CHARS
        && (has_name(&memory.front.topic) || has_name(&memory.body))
}

/// Returns the fraction of a memory's terms that a call holds, 0 to 1.
#[expect(clippy::cast_precision_loss, reason = "words of a memory")]
fn shared_term_fraction(memory: &Memory, held: &HashSet<String>) -> f32 {
    let own = distinctive_terms(&memory.embedding_text());
    own.intersection(held).count() as f32 / own.len().max(1) as f32
}
