//! The lexical list.

use crate::candidates::Evidence;
use crate::passing::Passing;
use session_core::Query;
use session_store::{Lexical, Reader, StoreError};

/// Most turns taken from the word index. At session level they are grouped,
/// so that some hundred sessions remain.
const TURNS: usize = 500;

/// What the words of the query found, best first.
pub(crate) struct LexicalList {
    pub(crate) evidence: Vec<Evidence>,
    pub(crate) found: Lexical,
}

impl LexicalList {
    /// The share of the query's information that the best hit matched: what
    /// the best of this list is worth.
    pub(crate) fn top(&self) -> f32 {
        self.evidence
            .first()
            .map_or(0.0, |e| self.found.share(e.turn))
    }
}

pub(crate) fn list(
    index: &Reader,
    query: &Query,
    passing: &mut Passing<'_>,
) -> Result<LexicalList, StoreError> {
    let mut sessions = Vec::new();
    let found = index.lexical(query, TURNS, |turn| {
        let session = passing.session_of(turn)?;
        sessions.extend(session);
        Ok(session.is_some())
    })?;
    let evidence = found
        .hits
        .iter()
        .zip(sessions)
        .map(|(hit, session)| Evidence {
            session,
            turn: hit.id,
            score: hit.score,
        })
        .collect();
    Ok(LexicalList { evidence, found })
}
