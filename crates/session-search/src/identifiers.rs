//! Identifiers of a query that few sessions hold: these sessions go first.

use crate::filtered_index::FilteredIndex;
use crate::lexical::LexicalList;
use crate::request::{Level, Request};
use session_core::{Fused, TurnContent};
use session_store::{Reader, StoreError, TermStats};
use std::collections::{BTreeMap, BTreeSet};

/// An identifier that more turns hold by their words is not looked up in them.
const MOST_TURNS: usize = 2048;
/// An identifier that more sessions hold tells too little.
const MOST_SESSIONS: usize = 3;
/// Identifiers with less than this share of the query's information change nothing: a long report
/// names many things.
const LEAST_SHARE: f32 = 0.2;
/// Identifiers with this share of the query's information are all that is asked.
const ALONE: f32 = 0.8;
/// The part that the score has beside the weight: enough to break a tie.
const TIE: f32 = 0.01;

/// The sessions that hold identifiers which few do.
#[derive(Debug, Default)]
pub(crate) struct Holders {
    /// The one that holds most of the query's information first.
    sessions: Vec<Holder>,
    /// The identifiers.
    pub(crate) terms: Vec<String>,
    /// The share of the query's information that the first session holds by them, 0 to 1.
    pub(crate) share: f32,
}

/// A session that holds some of the identifiers.
#[derive(Debug, Default)]
struct Holder {
    session: i64,
    /// Its turns that hold one.
    turns: BTreeSet<i64>,
    /// The share of the query's information that it holds by identifiers.
    share: f32,
    /// The same, each identifier times this session's part of the turns that hold it.
    weight: f32,
    /// By which it is ordered among those that hold as much.
    rank: f32,
}

/// Finds the sessions that hold the query's identifiers, where few do.
pub(crate) fn find(
    index: &Reader,
    request: &Request,
    words: &LexicalList,
    filtered: &FilteredIndex<'_>,
) -> Result<Holders, StoreError> {
    let counts = &words.found.terms;
    let all: f32 = counts.iter().map(|t| t.idf).sum();
    let mut sessions: BTreeMap<i64, Holder> = BTreeMap::new();
    let mut terms = Vec::new();
    for (term, count) in request.query.terms.iter().zip(counts) {
        let holders = match term.exact {
            true => holders(index, count, filtered)?,
            false => BTreeMap::new(),
        };
        let turns: usize = holders.values().map(Vec::len).sum();
        // Its words may be common; it is not.
        let own = words.found.idf(turns as u64);
        let share = own / (all - count.idf + own).max(f32::EPSILON);
        if !holders.is_empty() {
            terms.push(term.text.clone());
        }
        for (session, held) in holders {
            let holder = sessions.entry(session).or_default();
            holder.add(session, held, share, turns);
        }
    }
    Ok(Holders::new(sessions.into_values().collect(), terms))
}

/// The sessions that hold a term as typed, or else in other letters, each with its turns that do;
/// none where many sessions do.
fn holders(
    index: &Reader,
    count: &TermStats,
    filtered: &FilteredIndex<'_>,
) -> Result<BTreeMap<i64, Vec<i64>>, StoreError> {
    if count.postings().len() > MOST_TURNS {
        return Ok(BTreeMap::new());
    }
    let mut held: Vec<(Likeness, i64, i64)> = Vec::new();
    let mut whole = BTreeSet::new();
    for turn in count.postings() {
        if let Some((shown, session)) = filtered.resolve_turn(index, *turn)? {
            let likeness = Likeness::of(&index.content(*turn)?, &count.term);
            if likeness == Likeness::Whole && whole.insert(session) && whole.len() > MOST_SESSIONS {
                return Ok(BTreeMap::new()); // no need to read on
            }
            held.push((likeness, session, shown));
        }
    }
    // Words that stand together by chance are no name: `foo. Bar` is not `foo_bar`.
    held.retain(|(likeness, ..)| *likeness != Likeness::Words);
    let best = held.iter().map(|(likeness, ..)| *likeness).max();
    let mut sessions: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for (_, session, turn) in held.iter().filter(|(likeness, ..)| Some(*likeness) == best) {
        sessions.entry(*session).or_default().push(*turn);
    }
    match sessions.len() {
        1..=MOST_SESSIONS => Ok(sessions),
        _ => Ok(BTreeMap::new()),
    }
}

impl Holder {
    /// Adds an identifier that `turns` turns hold, `held` of this session among them.
    #[expect(clippy::cast_precision_loss, reason = "counts of turns")]
    fn add(&mut self, session: i64, held: Vec<i64>, share: f32, turns: usize) {
        self.session = session;
        self.share += share;
        self.weight += share * held.len() as f32 / turns.max(1) as f32;
        self.turns.extend(held);
    }

    /// What it is at a level: itself, or its turns.
    fn ids(&self, level: Level) -> BTreeSet<i64> {
        match level {
            Level::Session => BTreeSet::from([self.session]),
            Level::Turn => self.turns.clone(),
        }
    }

    /// The best hit that it is at a level.
    fn found<'a>(&self, level: Level, fused: &'a [Fused]) -> Option<&'a Fused> {
        let ids = self.ids(level);
        fused.iter().find(|f| ids.contains(&f.id))
    }
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

impl Holders {
    /// Of several sessions, those with too little of the query's information are left out.
    fn new(mut sessions: Vec<Holder>, terms: Vec<String>) -> Self {
        sessions.retain(|holder| holder.share >= LEAST_SHARE);
        sessions.sort_by(|a, b| {
            b.share
                .total_cmp(&a.share)
                .then(b.weight.total_cmp(&a.weight))
        });
        match sessions.first() {
            None => Self::default(),
            Some(first) => Self {
                share: first.share.min(1.0),
                terms,
                sessions,
            },
        }
    }

    /// Returns the turn of a session that is shown, if it is one of the holders: of those that
    /// hold an identifier the best by words.
    pub(crate) fn turn_of(&self, session: i64, words: &LexicalList) -> Option<i64> {
        let holder = self.sessions.iter().find(|h| h.session == session)?;
        let best = words.evidence.iter().map(|found| found.turn);
        let mut best = best.filter(|turn| holder.turns.contains(turn));
        best.next().or_else(|| holder.turns.last().copied())
    }

    /// The probability that the first hit answers, by what it holds alone.
    pub(crate) fn probability(&self) -> f32 {
        let all: f32 = self.sessions.iter().map(|h| h.weight).sum();
        let first = self.sessions.first().map_or(0.0, |h| h.weight);
        self.share * first / all.max(f32::EPSILON)
    }

    /// Raises what holds the identifiers: the first session, or the best turn of it, to at least
    /// the score of the best hit, each other one to a part of that. Where the query is nothing but
    /// identifiers, the session that works with them most goes first; else the other words of the
    /// query tell which is meant. They may be so far behind by their words that they are no
    /// candidates yet.
    pub(crate) fn promote(&mut self, level: Level, fused: &mut Vec<Fused>) {
        let best = fused.first().map_or(1.0, |f| f.score);
        let is_alone = self.share >= ALONE;
        for holder in &mut self.sessions {
            let score = holder.found(level, fused).map_or(0.0, |f| f.score);
            holder.rank = match is_alone {
                // What works with them equally is told apart by its score, too.
                true => holder.weight * (1.0 + TIE * score),
                false => score,
            };
        }
        let order = |a: &Holder, b: &Holder| match is_alone {
            true => b.share.total_cmp(&a.share).then(b.rank.total_cmp(&a.rank)),
            false => b.rank.total_cmp(&a.rank),
        };
        self.sessions.sort_by(order);
        let first = self.sessions.first().map_or(1.0, |h| h.rank);
        for holder in self.sessions.iter().rev() {
            let part = (holder.rank / first.max(f32::EPSILON)).min(1.0);
            raise(fused, &holder.ids(level), best * part);
        }
        fused.sort_by(|a, b| b.score.total_cmp(&a.score));
    }
}

/// Puts the best of some ids before all that score as much, with this score at least.
fn raise(fused: &mut Vec<Fused>, ids: &BTreeSet<i64>, least: f32) {
    let Some(last) = ids.last() else {
        return;
    };
    let mut first = match fused.iter().position(|f| ids.contains(&f.id)) {
        Some(place) => fused.remove(place),
        None => Fused {
            id: *last,
            score: 0.0,
            lexical: None,
            dense: None,
        },
    };
    first.score = first.score.max(least);
    fused.insert(0, first);
}
