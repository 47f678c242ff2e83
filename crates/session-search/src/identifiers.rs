//! Identifiers of a query that few sessions hold: these sessions go first.

use crate::filtered_index::FilteredIndex;
use crate::identifier_match::IdentifierMatch;
use crate::lexical::LexicalCandidates;
use session_core::Query;
use session_store::{Level, Reader, SessionId, StoreError, Target, TermStats, TurnId};
use std::collections::{BTreeMap, BTreeSet};

/// Greatest number of turns, by their words, in which an identifier is looked up.
const MAX_TURNS: u64 = 2048;
/// Greatest number of sessions that may hold an identifier: more tell too little.
const MAX_SESSIONS: usize = 3;
/// Least share of the query's idf: a long report names many identifiers.
const MIN_SHARE: f32 = 0.2;

/// The sessions that hold identifiers of a query which few sessions do.
#[derive(Debug, Default)]
pub(crate) struct IdentifierHolders {
    /// The session that holds the greatest share first.
    pub(crate) sessions: Vec<IdentifierHolder>,
    /// The identifiers.
    pub(crate) terms: Vec<String>,
}

/// A session that holds identifiers.
#[derive(Debug, Clone)]
pub(crate) struct IdentifierHolder {
    pub(crate) session: SessionId,
    /// Its turns that hold one.
    pub(crate) turns: BTreeSet<TurnId>,
    /// The share of the query's idf in the identifiers that it holds.
    pub(crate) share: f32,
    /// The same, each identifier times this session's share of the turns that hold it.
    pub(crate) weight: f32,
}

impl IdentifierHolder {
    fn new(session: SessionId) -> Self {
        Self {
            session,
            turns: BTreeSet::new(),
            share: 0.0,
            weight: 0.0,
        }
    }

    /// Adds an identifier with this share of the query's idf: `held` are the session's turns that
    /// hold it, `turns` counts those of all sessions.
    #[expect(clippy::cast_precision_loss, reason = "counts of turns")]
    fn add_identifier(&mut self, held: Vec<TurnId>, share: f32, turns: usize) {
        self.share += share;
        self.weight += share * held.len() as f32 / turns.max(1) as f32;
        self.turns.extend(held);
    }

    /// Returns the session, or its turns that hold an identifier.
    pub(crate) fn targets(&self, level: Level) -> BTreeSet<Target> {
        match level {
            Level::Session => BTreeSet::from([Target::Session(self.session)]),
            Level::Turn => self.turns.iter().copied().map(Target::Turn).collect(),
        }
    }
}

impl IdentifierHolders {
    /// Sorts the holders and drops those with too small a share.
    fn new(mut sessions: Vec<IdentifierHolder>, terms: Vec<String>) -> Self {
        sessions.retain(|holder| holder.share >= MIN_SHARE);
        sessions.sort_by(|a, b| {
            let by_share = b.share.total_cmp(&a.share);
            by_share.then(b.weight.total_cmp(&a.weight))
        });
        match sessions.is_empty() {
            true => Self::default(),
            false => Self { sessions, terms },
        }
    }

    /// Returns the greatest share of the query's idf that a session holds in identifiers, 0 to 1.
    pub(crate) fn share(&self) -> f32 {
        self.sessions
            .first()
            .map_or(0.0, |first| first.share.min(1.0))
    }
}

/// Finds the sessions that hold the query's identifiers, where few do.
pub(crate) fn find_holders(
    index: &Reader,
    filtered: &FilteredIndex<'_>,
    query: &Query,
    lexical: &LexicalCandidates,
) -> Result<IdentifierHolders, StoreError> {
    let stats = &lexical.hits.terms;
    let query_idf: f32 = stats.iter().map(|t| t.idf).sum();
    let mut sessions: BTreeMap<SessionId, IdentifierHolder> = BTreeMap::new();
    let mut terms = Vec::new();
    let exact = query.terms.iter().filter(|term| term.exact);
    let exact = exact.map(|term| &term.text).chain(&query.error_line);
    for term in exact {
        let Some(stats) = stats.iter().find(|stats| stats.term == *term) else {
            continue;
        };
        let holders = holders_of_term(index, filtered, stats)?;
        if holders.is_empty() {
            continue;
        }
        terms.push(term.clone());
        let turns = holders.values().map(Vec::len).sum();
        // The identifier is rarer than its words.
        let idf = lexical.hits.idf(turns as u64);
        let share = idf / (query_idf - stats.idf + idf).max(f32::EPSILON);
        for (session, held) in holders {
            let holder = sessions.entry(session);
            let holder = holder.or_insert_with(|| IdentifierHolder::new(session));
            holder.add_identifier(held, share, turns);
        }
    }
    Ok(IdentifierHolders::new(
        sessions.into_values().collect(),
        terms,
    ))
}

/// A turn that holds the words of an identifier, as it is shown.
struct MatchedTurn {
    quality: IdentifierMatch,
    session: SessionId,
    turn: TurnId,
}

/// Returns the sessions with the best match of an identifier, each with its turns; none where many
/// sessions have it.
fn holders_of_term(
    index: &Reader,
    filtered: &FilteredIndex<'_>,
    stats: &TermStats,
) -> Result<BTreeMap<SessionId, Vec<TurnId>>, StoreError> {
    let mut sessions: BTreeMap<SessionId, Vec<TurnId>> = BTreeMap::new();
    if stats.turns > MAX_TURNS {
        return Ok(sessions);
    }
    let matched = match_turns(index, filtered, stats)?;
    let best = matched.iter().map(|matched| matched.quality).max();
    for matched in matched.iter().filter(|m| Some(m.quality) == best) {
        sessions
            .entry(matched.session)
            .or_default()
            .push(matched.turn);
    }
    if sessions.len() > MAX_SESSIONS {
        sessions.clear();
    }
    Ok(sessions)
}

/// Matches an identifier with the turns that hold its words, without those in which these are
/// merely adjacent. Stops where more than [`MAX_SESSIONS`] sessions hold it as typed.
fn match_turns(
    index: &Reader,
    filtered: &FilteredIndex<'_>,
    stats: &TermStats,
) -> Result<Vec<MatchedTurn>, StoreError> {
    let mut matched = Vec::new();
    let mut whole = BTreeSet::new();
    for turn in stats.postings() {
        let Some(shown) = filtered.resolve_turn(turn) else {
            continue;
        };
        let quality = IdentifierMatch::find(&index.content(turn)?, &stats.term);
        if quality == IdentifierMatch::Whole {
            whole.insert(shown.session);
        }
        if quality != IdentifierMatch::Words {
            matched.push(MatchedTurn {
                quality,
                session: shown.session,
                turn: shown.turn,
            });
        }
        if whole.len() > MAX_SESSIONS {
            break;
        }
    }
    Ok(matched)
}
