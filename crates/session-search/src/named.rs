//! Identifiers that one session alone holds: it goes first.

use crate::lexical::LexicalList;
use crate::passing::Passing;
use crate::request::{Level, Request};
use session_core::{Fused, TurnContent};
use session_store::{Reader, StoreError, TermCount};
use std::collections::{BTreeMap, BTreeSet};

/// An identifier that more turns hold is not looked up in them.
const HOLDERS: usize = 2048;
/// Identifiers with less than this share of the query's information are in
/// passing: a long report names many things.
const SHARE: f32 = 0.2;

/// The session that a query names.
#[derive(Debug, Default)]
pub(crate) struct Named {
    session: i64,
    /// Its turns that hold the identifier.
    turns: BTreeSet<i64>,
    /// The identifiers that it alone holds.
    pub(crate) terms: Vec<String>,
    /// Their share of the query's information.
    pub(crate) share: f32,
}

/// The session that alone holds identifiers of the query; of several that one
/// with the most of its information.
pub(crate) fn find(
    index: &Reader,
    request: &Request,
    words: &LexicalList,
    passing: &mut Passing<'_>,
) -> Result<Named, StoreError> {
    let counts = &words.found.terms;
    let all: f32 = counts.iter().map(|t| t.idf).sum();
    let mut sessions: BTreeMap<i64, Named> = BTreeMap::new();
    for (term, count) in request.query.terms.iter().zip(counts) {
        if !term.exact {
            continue;
        }
        if let Some((session, turns)) = only_holder(index, count, passing)? {
            let named = sessions.entry(session).or_default();
            named.session = session;
            named.terms.push(term.text.clone());
            // Its words may be common; it is not.
            let own = words.found.idf(turns.len() as u64);
            named.share += own / (all - count.idf + own).max(f32::EPSILON);
            named.turns.extend(turns);
        }
    }
    let named = sessions.into_values().filter(|named| named.share >= SHARE);
    Ok(named
        .max_by(|a, b| a.share.total_cmp(&b.share))
        .unwrap_or_default())
}

/// The only session that holds a term as typed, or else in other letters, with
/// its turns that do.
fn only_holder(
    index: &Reader,
    count: &TermCount,
    passing: &mut Passing<'_>,
) -> Result<Option<(i64, Vec<i64>)>, StoreError> {
    if count.holders().len() > HOLDERS {
        return Ok(None);
    }
    let mut holders: Vec<(Likeness, i64, i64)> = Vec::new();
    let mut exact = None;
    for turn in count.holders() {
        if let Some((shown, session)) = passing.place_of(*turn)? {
            let likeness = Likeness::of(&index.content(*turn)?, &count.term);
            if likeness == Likeness::Exact && *exact.get_or_insert(session) != session {
                return Ok(None); // two sessions hold it: no need to read on
            }
            holders.push((likeness, session, shown));
        }
    }
    let best = holders.iter().map(|h| h.0).max();
    holders.retain(|h| Some(h.0) == best);
    let sessions: BTreeSet<i64> = holders.iter().map(|h| h.1).collect();
    let only = sessions.first().filter(|_| sessions.len() == 1);
    Ok(only.map(|session| (*session, holders.iter().map(|h| h.2).collect())))
}

/// How a turn holds a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Likeness {
    /// Its words, as the word index sees them.
    Words,
    /// In capitals or small letters.
    Letters,
    /// As typed.
    Exact,
}

impl Likeness {
    fn of(content: &TurnContent, term: &str) -> Self {
        let said = [&content.prompt, &content.answer];
        let lists = [&content.commands, &content.files, &content.errors];
        let texts = || said.into_iter().chain(lists.into_iter().flatten());
        let folded = term.to_lowercase();
        if texts().any(|text| holds(text, term)) {
            Self::Exact
        } else if texts().any(|text| holds(&text.to_lowercase(), &folded)) {
            Self::Letters
        } else {
            Self::Words
        }
    }
}

/// True when the text holds the term, not as part of a longer word: `--agent`
/// is not in `--agent-name`.
fn holds(text: &str, term: &str) -> bool {
    let within = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let goes_on = |c: Option<char>| within(c) || c == Some('-');
    text.match_indices(term).any(|(at, found)| {
        let before = text.get(..at).and_then(|t| t.chars().next_back());
        let after = text.get(at + found.len()..).and_then(|t| t.chars().next());
        !within(before) && !goes_on(after)
    })
}

impl Named {
    /// The turn that speaks for a session, if it is the one that is named.
    pub(crate) fn turn_of(&self, session: i64) -> Option<i64> {
        let turn = self.turns.last().copied();
        turn.filter(|_| session == self.session)
    }

    /// Puts what is named first, with at least the score of the best other, and
    /// at least the share of the query that names it.
    /// It may be so far behind by its words that it is no candidate yet.
    pub(crate) fn promote(&self, level: Level, fused: &mut Vec<Fused>) {
        let best = fused.first().map_or(0.0, |f| f.score);
        let is_named = |f: &Fused| match level {
            Level::Session => !self.turns.is_empty() && f.id == self.session,
            Level::Turn => self.turns.contains(&f.id),
        };
        let (mut first, others): (Vec<Fused>, Vec<Fused>) = fused.drain(..).partition(is_named);
        if let (true, Some(turn)) = (first.is_empty(), self.turns.last()) {
            first.push(Fused {
                id: match level {
                    Level::Session => self.session,
                    Level::Turn => *turn,
                },
                score: 0.0,
                lexical: None,
                dense: None,
            });
        }
        if let Some(named) = first.first_mut() {
            named.score = named.score.max(best).max(self.share.min(1.0));
        }
        first.extend(others);
        *fused = first;
        fused.sort_by(|a, b| b.score.total_cmp(&a.score));
    }
}
