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
            if likeness == Likeness::Whole && *exact.get_or_insert(session) != session {
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
    /// In other letters, in a longer name.
    PartInOtherLetters,
    /// In other letters.
    WholeInOtherLetters,
    /// As typed, in a longer name: `SUMMARY.md` in `12-SUMMARY.md`.
    Part,
    /// As typed.
    Whole,
}

impl Likeness {
    fn of(content: &TurnContent, term: &str) -> Self {
        let said = [&content.prompt, &content.answer];
        let lists = [&content.commands, &content.files, &content.errors];
        let texts = || said.into_iter().chain(lists.into_iter().flatten());
        if let Some(place) = texts().filter_map(|text| place(text, term)).max() {
            return match place {
                Place::Alone => Self::Whole,
                Place::InName => Self::Part,
            };
        }
        let folded = term.to_lowercase();
        let in_other_letters = texts().filter_map(|text| place(&text.to_lowercase(), &folded));
        match in_other_letters.max() {
            Some(Place::Alone) => Self::WholeInOtherLetters,
            Some(Place::InName) => Self::PartInOtherLetters,
            None => Self::Words,
        }
    }
}

/// Where a text holds a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// Joined to others by `-` or `.`.
    InName,
    /// By itself, or in a path.
    Alone,
}

/// The best place where a text holds a term, not as part of a longer word:
/// `--agent` is not in `--agent-name`, nor in `---agent`.
fn place(text: &str, term: &str) -> Option<Place> {
    let found = text.match_indices(term).filter_map(|(at, found)| {
        let before = text[..at].chars().next_back();
        let mut after = text[at + found.len()..].chars();
        place_between(before, term, after.next(), after.next())
    });
    found.max()
}

fn place_between(
    before: Option<char>,
    term: &str,
    after: Option<char>,
    then: Option<char>,
) -> Option<Place> {
    let within = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let longer_flag = term.starts_with('-') && before == Some('-');
    if within(before) || within(after) || after == Some('-') || longer_flag {
        return None;
    }
    let joined = matches!(before, Some('-' | '.')) || (after == Some('.') && within(then));
    Some(if joined { Place::InName } else { Place::Alone })
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
