//! Computes the cosines of nearly equal hits anew from their texts: vectors are stored with 8 bits a component,
//! whose rounding would else decide which of them goes first.

use crate::cosines::VectorTarget;
use crate::filtered_index::FilteredIndex;
use crate::hit::FusedHit;
use crate::nearest::{NearestTarget, NearestTargets};
use crate::ranking::{NearestByLevel, Ranking};
use crate::request::Request;
use rustc_hash::{FxHashMap, FxHashSet};
use session_store::{Reader, SessionId, StoreError, Target, TurnId};
use std::f32::consts::SQRT_2;
use std::fmt::Debug;

/// Cosines of a query with texts of the index, as precise as the model makes them.
pub trait TextCosines: Debug + Send + Sync {
    /// Returns the cosine with the text of a turn; `None` where it has none.
    ///
    /// # Errors
    /// When the index fails.
    fn turn(&self, index: &Reader, turn: TurnId) -> Result<Option<f32>, StoreError>;

    /// Returns the greatest cosine with a chunk of a session; `None` where it has none.
    ///
    /// # Errors
    /// When the index fails.
    fn chunks(&self, index: &Reader, session: SessionId) -> Result<Option<f32>, StoreError>;
}

/// Standard deviations of its rounding beyond which a difference of two cosines is sure.
const MAX_DEVIATIONS: f32 = 4.0;
/// Most targets that are computed anew, so that a query never waits for many.
const MAX_TARGETS: usize = 96;
/// Turns from which on the chunks of a session are left as they are: to make them anew all prompts are read.
const MAX_TURNS: u32 = 400;

/// Computes the cosines anew on which the order of nearly equal hits depends; returns false where there are none.
pub(crate) fn rescore_ties(
    index: &Reader,
    filtered: &FilteredIndex<'_>,
    request: &Request,
    ranking: &Ranking<'_>,
    nearest: &mut NearestByLevel<'_>,
) -> Result<bool, StoreError> {
    let [embedding] = nearest.of_level.scales.embeddings() else {
        return Ok(false); // beside a model that is left as it is
    };
    let Some(precise) = embedding.precise.clone() else {
        return Ok(false);
    };
    let mut cosines = Vec::new();
    for target in Ties::new(request, ranking).deciding_targets(nearest) {
        let cosine = match target.turn {
            Some(turn) => precise.turn(index, turn)?,
            None if is_long(filtered, target.session) => None,
            None => precise.chunks(index, target.session)?,
        };
        cosines.extend(cosine.map(|cosine| (target, cosine)));
    }
    nearest.set_cosines(&cosines);
    Ok(!cosines.is_empty())
}

fn is_long(filtered: &FilteredIndex<'_>, session: SessionId) -> bool {
    let session = filtered.session(session);
    session.is_none_or(|session| session.turns > MAX_TURNS)
}

/// Hits whose order rounding may have decided.
struct Ties {
    hits: FxHashSet<Target>,
    /// The greatest difference of two cosines that rounding may make.
    max_rounding: f32,
}

impl Ties {
    /// Finds the hits that are nearly equal to the one before or after them, as far as one of the two is shown.
    fn new(request: &Request, ranking: &Ranking<'_>) -> Self {
        let list = &ranking.list;
        let Some(stats) = list.stats.first() else {
            return Self {
                hits: FxHashSet::default(),
                max_rounding: 0.0,
            };
        };
        let max_rounding = MAX_DEVIATIONS * SQRT_2 * stats.rounding;
        let height = (stats.best - stats.mean).max(f32::EPSILON);
        let margin = list.weights.alpha * max_rounding / height;
        Self {
            hits: tied_hits(&list.hits, request.limit, margin),
            max_rounding,
        }
    }

    /// Returns the targets whose cosines decide the order of these hits.
    fn deciding_targets(&self, nearest: &NearestByLevel<'_>) -> Vec<VectorTarget> {
        if self.hits.is_empty() {
            return Vec::new();
        }
        let mut found = self.deciding_of(&nearest.of_level, &self.hits);
        if let Some(of_sessions) = &nearest.of_sessions {
            let parts = nearest.of_level.targets.iter();
            let parts = parts.filter(|target| part_of(target, &self.hits).is_some());
            let sessions = parts.map(|target| Target::Session(target.session));
            found.extend(self.deciding_of(of_sessions, &sessions.collect()));
        }
        let mut seen = FxHashSet::default();
        found.retain(|target| seen.insert(*target));
        found.truncate(MAX_TARGETS);
        found
    }

    /// Returns the targets that may be the best of all, or the best part of a turn or session that is wanted.
    fn deciding_of(
        &self,
        nearest: &NearestTargets<'_>,
        wanted: &FxHashSet<Target>,
    ) -> Vec<VectorTarget> {
        let mut best_parts: FxHashMap<Target, f32> = FxHashMap::default();
        let mut best = None;
        let mut is_deciding = |target: &NearestTarget, cosine: f32| {
            let best = *best.get_or_insert(cosine);
            let hit = part_of(target, wanted);
            let of_hit = hit.map(|hit| *best_parts.entry(hit).or_insert(cosine));
            of_hit.unwrap_or(best) - cosine < self.max_rounding
        };
        let targets = nearest.targets.iter();
        let deciding = targets.filter(|target| {
            let cosine = target.cosines.get(0);
            cosine.is_some_and(|cosine| is_deciding(target, cosine))
        });
        deciding.map(|target| target.target).collect()
    }
}

/// Returns those of some hits, best first, that are nearly equal to one before or after them, as far as one of the
/// two is among the first `limit`.
fn tied_hits(hits: &[FusedHit], limit: usize, margin: f32) -> FxHashSet<Target> {
    let last = hits.get(limit.saturating_sub(1)).map(|hit| hit.score);
    let may_be_shown = |hit: &FusedHit| last.is_none_or(|last| last - hit.score < margin);
    let mut tied = FxHashSet::default();
    for pair in hits.windows(2).take_while(|pair| may_be_shown(&pair[1])) {
        if pair[0].score - pair[1].score < margin {
            tied.extend(pair.iter().map(|hit| hit.id));
        }
    }
    tied
}

/// Returns the one of some turns and sessions that a target is, or is a part of.
fn part_of(target: &NearestTarget, wanted: &FxHashSet<Target>) -> Option<Target> {
    let turn = target.turn.map(Target::Turn);
    let mut hits = [turn, Some(Target::Session(target.session))]
        .into_iter()
        .flatten();
    hits.find(|hit| wanted.contains(hit))
}
