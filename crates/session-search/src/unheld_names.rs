//! Names that no turn holds: a model knows each word of `www.example.com`, but not what the name stands for, and short
//! prompts are near to any such words.

use crate::lexical::share_of;
use crate::search_results::FusedHit;
use session_core::{Query, Term};
use session_store::{LexicalMatches, SubstituteKind, TermStats};

/// The shares of a query's terms that are names of several words joined by signs which no turn holds, 0 to 1.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UnheldNames {
    /// No turn holds a substitute either.
    missing_share: f32,
    /// The same, with those of which turns hold most words.
    by_words_share: f32,
}

impl UnheldNames {
    /// Finds them among the terms of a query.
    pub(crate) fn new(query: &Query, matches: &LexicalMatches) -> Self {
        let names = query.terms.iter().filter(|term| is_joined_name(term));
        let stats = names.filter_map(|name| matches.terms.iter().find(|t| t.term == name.text));
        let share = |is_unheld: fn(&TermStats) -> bool| {
            let unheld = stats.clone().filter(|stats| is_unheld(stats));
            share_of(unheld.count(), query.terms.len())
        };
        Self {
            missing_share: share(|name| name.turns == 0),
            by_words_share: share(|name| {
                name.turns == 0 || name.substitute() == Some(SubstituteKind::NameWords)
            }),
        }
    }

    /// Returns the share of the terms for which the vector of a hit counts, 0 to 1. The words of a name count where the hit is
    /// found by words, too.
    pub(crate) fn known_share(&self, hit: &FusedHit) -> f32 {
        1.0 - match hit.lexical {
            Some(_) => self.missing_share,
            None => self.by_words_share,
        }
    }
}

/// Returns true for a name of several words that signs join. Words that hyphens join are a compound, which means what its
/// words do.
fn is_joined_name(term: &Term) -> bool {
    let joins = |c: char| c.is_ascii_punctuation() && c != '-';
    let words = term.text.trim_matches(|c: char| !c.is_alphanumeric());
    term.exact && words.contains(joins) && !words.contains(char::is_whitespace)
}
