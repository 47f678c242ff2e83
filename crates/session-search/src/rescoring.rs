//! Computes the cosines of nearly equal hits anew from their texts: vectors are stored with 8 bits a component,
//! whose rounding would else decide which of them goes first.

use crate::cosines::VectorTarget;
use crate::filtered_index::FilteredIndex;
use crate::nearest::{NearestTarget, NearestTargets};
use crate::ranking::{NearestByLevel, Ranking};
use crate::search_results::{FusedHit, HitId};
use rustc_hash::{FxHashMap, FxHashSet};
use session_core::TurnContent;
use session_core::parallel::map_on_two_threads;
use session_store::{
    DocumentKind, PackedSession, PackedTurns, Reader, SessionContents, StoreError,
};
use std::f32::consts::SQRT_2;
use std::fmt::Debug;

/// Cosines of a query with texts of the index, as precise as the model makes them.
pub trait TextCosines: Debug + Send + Sync {
    /// Computes the cosine with the text of a turn; `None` if it has none.
    fn turn_cosine(&self, content: &TurnContent) -> Option<f32>;

    /// Computes the greatest cosine with a chunk of a session; `None` if it has none.
    fn greatest_chunk_cosine(&self, contents: &SessionContents) -> Option<f32>;
}

/// Standard deviations of rounding beyond which two cosines certainly differ.
const MAX_DEVIATIONS: f32 = 4.0;
/// Number of first hits whose order is exact: as many as a search lists by default. It does not depend on the request, since
/// all probabilities follow from the cosines and must be the same however many hits are listed.
const EXACT_HITS: usize = 10;
/// Greatest number of turns that are read to compute cosines anew: one takes a tenth of a millisecond, and for the chunks
/// of a session all its turns are read.
const MAX_READ_TURNS: u32 = 800;
/// Greatest number of texts in memory at once.
const MAX_READ_TEXTS: usize = 64;

/// Computes the cosines anew on which the order of nearly equal hits depends; returns false where there are none.
pub(crate) fn rescore_ties(
    index: &Reader,
    filtered: &FilteredIndex<'_>,
    ranking: &Ranking<'_>,
    nearest: &mut NearestByLevel<'_>,
) -> Result<bool, StoreError> {
    let [embedding] = nearest.of_level.scales.embeddings() else {
        return Ok(false); // of several models the stored cosines stand
    };
    let Some(text_cosines) = &embedding.text_cosines else {
        return Ok(false);
    };
    let deciding = TiedHits::new(ranking).find_deciding_targets(nearest);
    let distinct = select_distinct_texts(filtered, &deciding);
    let mut by_text: FxHashMap<TextKey, f32> = FxHashMap::default();
    for batch in distinct.chunks(MAX_READ_TEXTS) {
        let texts = batch.iter().map(|deciding| read_text(index, deciding));
        let texts = texts.collect::<Result<Vec<_>, _>>()?;
        let computed = map_on_two_threads(&texts, |text| text.cosine(text_cosines.as_ref()));
        let keys = batch.iter().map(|deciding| deciding.text_key());
        let computed = keys.zip(computed);
        by_text.extend(computed.filter_map(|(key, cosine)| Some((key, cosine?))));
    }
    let cosines = deciding.iter().filter_map(|deciding| {
        let cosine = by_text.get(&deciding.text_key())?;
        Some((deciding.target, *cosine))
    });
    nearest.set_cosines(&cosines.collect());
    Ok(!by_text.is_empty())
}

/// A target on whose cosine the order of hits depends, with the stored one.
struct DecidingTarget {
    target: VectorTarget,
    cosine: f32,
}

/// The kind of a document and the bits of its stored cosine, by which equal texts are computed once: that different texts have
/// both in common has a chance of one in millions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct TextKey {
    kind: DocumentKind,
    cosine_bits: u32,
}

impl DecidingTarget {
    fn text_key(&self) -> TextKey {
        TextKey {
            kind: match self.target.turn {
                Some(_) => DocumentKind::Turn,
                None => DocumentKind::Chunk,
            },
            cosine_bits: self.cosine.to_bits(),
        }
    }
}

/// Returns the first target of each text, as far as their turns may be read: where that of the first may not, no target with its
/// text gets another cosine.
fn select_distinct_texts<'d>(
    filtered: &FilteredIndex<'_>,
    deciding: &'d [DecidingTarget],
) -> Vec<&'d DecidingTarget> {
    let mut seen = FxHashSet::default();
    let mut left = MAX_READ_TURNS;
    let first = |deciding: &&DecidingTarget| seen.insert(deciding.text_key());
    let may_be_read = |deciding: &&DecidingTarget| {
        let turns = match deciding.target.turn {
            Some(_) => Some(1),
            None => filtered.session(deciding.target.session).map(|s| s.turns),
        };
        let rest = turns.and_then(|turns| left.checked_sub(turns));
        left = rest.unwrap_or(left);
        rest.is_some()
    };
    let distinct = deciding.iter().filter(first);
    distinct.filter(may_be_read).collect()
}

/// The text of a target as the index holds it.
enum PackedText<'r> {
    Turn(PackedTurns<'r>),
    Session(PackedSession<'r>),
}

impl PackedText<'_> {
    fn cosine(&self, text_cosines: &dyn TextCosines) -> Option<f32> {
        match self {
            Self::Turn(turn) => text_cosines.turn_cosine(&turn.unpack_first()),
            Self::Session(session) => text_cosines.greatest_chunk_cosine(&session.unpack()),
        }
    }
}

fn read_text<'r>(
    index: &'r Reader,
    deciding: &DecidingTarget,
) -> Result<PackedText<'r>, StoreError> {
    Ok(match deciding.target.turn {
        Some(turn) => PackedText::Turn(index.packed_turn(turn)?),
        None => PackedText::Session(index.packed_session(deciding.target.session)?),
    })
}

/// Hits whose order rounding may have decided.
struct TiedHits {
    hits: FxHashSet<HitId>,
    /// The greatest difference that rounding may make between two cosines: four deviations of the difference of two errors,
    /// `4 * sqrt(2) * rounding deviation`.
    max_rounding: f32,
}

impl TiedHits {
    /// Finds the hits that are nearly equal to the one before or after them, as far as one of the two is among the
    /// first [`EXACT_HITS`].
    fn new(ranking: &Ranking<'_>) -> Self {
        let list = &ranking.list;
        let Some(stats) = list.stats.first() else {
            return Self {
                hits: FxHashSet::default(),
                max_rounding: 0.0,
            };
        };
        let max_rounding = MAX_DEVIATIONS * SQRT_2 * stats.rounding_deviation;
        let margin = list.weights.alpha * max_rounding / stats.range();
        Self {
            hits: find_tied_hits(&list.hits, margin),
            max_rounding,
        }
    }

    /// Returns the targets whose cosines decide the order of these hits.
    fn find_deciding_targets(&self, nearest: &NearestByLevel<'_>) -> Vec<DecidingTarget> {
        if self.hits.is_empty() {
            return Vec::new();
        }
        let mut deciding = self.find_best_parts(&nearest.of_level, &self.hits);
        if let Some(of_sessions) = &nearest.of_sessions {
            let parts = nearest.of_level.targets.iter();
            let parts = parts.filter(|part| find_whole(part, &self.hits).is_some());
            let sessions = parts.map(|part| HitId::Session(part.shown.session));
            deciding.extend(self.find_best_parts(of_sessions, &sessions.collect()));
        }
        deciding
    }

    /// Returns the targets that may be the best of all, or the best part of a turn or session that is wanted.
    fn find_best_parts(
        &self,
        nearest: &NearestTargets<'_>,
        wanted: &FxHashSet<HitId>,
    ) -> Vec<DecidingTarget> {
        let mut best_parts: FxHashMap<HitId, f32> = FxHashMap::default();
        let mut best_of_all = None;
        let mut deciding = Vec::new();
        for part in &nearest.targets {
            let Some(cosine) = part.cosines.get(0) else {
                continue;
            };
            let best_of_all = *best_of_all.get_or_insert(cosine);
            let best = match find_whole(part, wanted) {
                Some(whole) => *best_parts.entry(whole).or_insert(cosine),
                None => best_of_all,
            };
            if best - cosine < self.max_rounding {
                let target = part.target;
                deciding.push(DecidingTarget { target, cosine });
            }
        }
        deciding
    }
}

/// Returns those of some hits, best first, that are nearly equal to one before or after them, as far as one of the
/// two is among the first [`EXACT_HITS`].
fn find_tied_hits(hits: &[FusedHit], margin: f32) -> FxHashSet<HitId> {
    let last = hits.get(EXACT_HITS - 1).map(|hit| hit.score);
    let may_be_first = |hit: &FusedHit| last.is_none_or(|last| last - hit.score < margin);
    let mut tied = FxHashSet::default();
    for pair in hits.windows(2).take_while(|pair| may_be_first(&pair[1])) {
        if pair[0].score - pair[1].score < margin {
            tied.extend(pair.iter().map(|hit| hit.id));
        }
    }
    tied
}

/// Returns the one of some turns and sessions that a target is, or is a part of.
fn find_whole(part: &NearestTarget, wanted: &FxHashSet<HitId>) -> Option<HitId> {
    let turn = part.shown.turn.map(HitId::Turn);
    let session = Some(HitId::Session(part.shown.session));
    let mut wholes = [turn, session].into_iter().flatten();
    wholes.find(|whole| wanted.contains(whole))
}
