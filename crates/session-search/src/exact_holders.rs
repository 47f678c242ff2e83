//! Exact terms of a query that few sessions hold: these sessions go first.

use crate::exact_match::ExactMatch;
use crate::exact_terms::{ExactTerm, ExactTerms, FEW_SESSIONS};
use crate::lexical::LexicalCandidates;
use crate::request::Level;
use crate::search_results::HitId;
use session_store::{SessionId, TurnId};
use std::collections::{BTreeMap, BTreeSet};

/// Share of the query's idf from which the query counts as nothing but exact terms (`docs/ranking.md`, "Rare exact terms
/// first").
pub(crate) const EXACT_TERMS_ONLY_SHARE: f32 = 0.8;
/// Least share of the query's idf in exact terms for which their holders go first: of a long pasted report, which has many,
/// each says little.
const MIN_SHARE: f32 = 0.2;

/// The sessions that hold exact terms of a query which few sessions do.
#[derive(Debug, Default)]
pub(crate) struct ExactTermHolders {
    /// The session that holds the greatest share first.
    pub(crate) sessions: Vec<ExactTermHolder>,
    /// These terms.
    pub(crate) terms: Vec<String>,
}

/// A session that holds rare exact terms.
#[derive(Debug, Clone)]
pub(crate) struct ExactTermHolder {
    pub(crate) session: SessionId,
    /// Its turns that hold one.
    pub(crate) turns: BTreeSet<TurnId>,
    /// The share of the query's idf in the terms that it holds.
    pub(crate) share: f32,
    /// The same, each term times this session's share of the turns that hold it.
    pub(crate) turn_weighted_share: f32,
    /// It changed a file that a term names.
    pub(crate) changes_file: bool,
}

impl ExactTermHolder {
    fn new(session: SessionId) -> Self {
        Self {
            session,
            turns: BTreeSet::new(),
            share: 0.0,
            turn_weighted_share: 0.0,
            changes_file: false,
        }
    }

    /// Adds a term with this share of the query's idf: `held` are the session's turns that
    /// hold it, `turns` counts those of all sessions.
    #[expect(clippy::cast_precision_loss, reason = "counts of turns")]
    fn add_term(&mut self, held: Vec<TurnId>, share: f32, turns: usize) {
        self.share += share;
        self.turn_weighted_share += share * held.len() as f32 / turns.max(1) as f32;
        self.turns.extend(held);
    }

    /// Returns the session, or its turns that hold a term.
    pub(crate) fn hit_ids(&self, level: Level) -> BTreeSet<HitId> {
        match level {
            Level::Session => BTreeSet::from([HitId::Session(self.session)]),
            Level::Turn => self.turns.iter().copied().map(HitId::Turn).collect(),
        }
    }
}

impl ExactTermHolders {
    /// Sorts the holders and drops those with too small a share.
    fn new(mut sessions: Vec<ExactTermHolder>, terms: Vec<String>) -> Self {
        sessions.retain(|holder| holder.share >= MIN_SHARE);
        sessions.sort_by(|a, b| {
            let by_share = b.share.total_cmp(&a.share);
            by_share.then(b.turn_weighted_share.total_cmp(&a.turn_weighted_share))
        });
        if sessions.is_empty() {
            Self::default()
        } else {
            Self { sessions, terms }
        }
    }

    /// Returns the greatest share of the query's idf that a session holds in exact terms, 0 to 1.
    pub(crate) fn greatest_share(&self) -> f32 {
        self.sessions
            .first()
            .map_or(0.0, |first| first.share.min(1.0))
    }
}

/// Finds the sessions that hold the query's exact terms, where few do.
pub(crate) fn find_holders(exact: &ExactTerms, lexical: &LexicalCandidates) -> ExactTermHolders {
    let stats = &lexical.matches.terms;
    let query_idf: f32 = stats.iter().map(|t| t.idf).sum();
    let mut sessions: BTreeMap<SessionId, ExactTermHolder> = BTreeMap::new();
    let mut terms = Vec::new();
    for term in &exact.terms {
        let idf_share = |holders: &TermHolders| {
            // The term is rarer than its words.
            let idf = lexical.matches.idf(holders.turns as u64) * term.weight;
            let others = query_idf - term.word_idf;
            idf / (others + idf).max(f32::EPSILON)
        };
        let mut found = TermHolders::find(term, CountedMatches::Best);
        if idf_share(&found) < EXACT_TERMS_ONLY_SHARE {
            // The other words tell which case was meant.
            found = TermHolders::find(term, CountedMatches::AnyCase);
        }
        let share = idf_share(&found);
        let TermHolders {
            sessions: holders,
            editors,
            turns,
            is_common,
        } = found;
        if holders.is_empty() {
            continue;
        }
        if is_common && share < EXACT_TERMS_ONLY_SHARE {
            continue;
        }
        terms.push(term.text.clone());
        for (session, held) in holders {
            let holder = sessions.entry(session);
            let holder = holder.or_insert_with(|| ExactTermHolder::new(session));
            holder.changes_file |= editors.contains(&session);
            holder.add_term(held, share, turns);
        }
    }
    ExactTermHolders::new(sessions.into_values().collect(), terms)
}

/// The matches of an exact term that make a session one of its holders.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CountedMatches {
    /// The best that any turn has.
    Best,
    /// Of a term typed in lower case those in any case, too.
    AnyCase,
}

/// The sessions that hold an exact term, where few do, or few changed the file that it names.
#[derive(Default)]
struct TermHolders {
    /// The sessions with a counted match, each with its turns. Where more than [`FEW_SESSIONS`] have it, only those that
    /// changed the file; none where these are too many, too.
    sessions: BTreeMap<SessionId, Vec<TurnId>>,
    /// Those of them that changed a file of that name.
    editors: BTreeSet<SessionId>,
    /// Number of turns of all sessions with a counted match.
    turns: usize,
    /// Whether more than [`FEW_SESSIONS`] sessions have a counted match, or hold a term typed in lower case in any case.
    is_common: bool,
}

impl TermHolders {
    fn find(term: &ExactTerm, counted: CountedMatches) -> Self {
        let mut found = Self::default();
        if !term.are_all_turns_read {
            return found;
        }
        let held = term.read_turns.iter().filter(|turn| turn.is_holder());
        let best = held.clone().map(|turn| turn.matched).max();
        let in_any_case = held.clone().filter(|turn| is_as_whole(turn.matched, best));
        let in_any_case: BTreeSet<SessionId> = in_any_case.map(|turn| turn.session).collect();
        // A term in lower case says nothing about the case of the name.
        let is_typed_small = !term.text.contains(char::is_uppercase);
        let counts_any_case = is_typed_small && counted == CountedMatches::AnyCase;
        let is_counted = |matched: ExactMatch| {
            Some(matched) == best || (counts_any_case && is_as_whole(matched, best))
        };
        for turn in held.filter(|turn| is_counted(turn.matched)) {
            let turns = found.sessions.entry(turn.session).or_default();
            turns.push(turn.turn);
            found.turns += 1;
            if turn.changes_file {
                found.editors.insert(turn.session);
            }
        }
        found.is_common = found.sessions.len() > FEW_SESSIONS
            || (is_typed_small && in_any_case.len() > FEW_SESSIONS);
        if found.is_common {
            let are_few = found.editors.len() <= FEW_SESSIONS;
            let editors = &found.editors;
            found
                .sessions
                .retain(|session, _| are_few && editors.contains(session));
        }
        found
    }
}

/// Returns true if a match stands as much by itself as the best one, in whatever case.
fn is_as_whole(matched: ExactMatch, best: Option<ExactMatch>) -> bool {
    best.is_some_and(|best| matched.is_whole() || !best.is_whole())
}
