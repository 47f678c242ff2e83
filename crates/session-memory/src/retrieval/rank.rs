//! Ranking of memories for a text: BM25 and cosines, fused, then age and scope.

use crate::content::memory::{Memory, MemoryScope};
use crate::error::Result;
use crate::retrieval::lexical_index::{LexicalIndex, ratio};
use crate::retrieval::memory_embedder::MemoryEmbedder;
use crate::retrieval::replacement_scores::lower_replaced_scores;
use crate::retrieval::similarity::{Similarity, compare_by_meaning};
use crate::setting_values;
use crate::text::terms::{QueryTerm, query_terms};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use session_core::parallel::run_both;
use session_core::{
    BandThresholds, ConfidenceBand, FusedItem, ListScore, Normalization, ScoredItem, fuse,
};

/// The weight of the dense list. `docs/injection.md` has the formula of a match.
const DENSE_WEIGHT: f32 = 0.6;
/// Both lists score a perfect memory with 1.
const PERFECT_SCORE: f32 = 1.0;
/// The least score of an answer that has no term in common with its query.
const MIN_SCORE: f32 = 0.05;

/// The bands of scores.
const BANDS: BandThresholds = BandThresholds {
    moderate: 0.45,
    strong: 0.65,
};

/// Settings of ranking and of answers: `[retrieval]` of the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RetrievalSettings {
    /// The factor of a score for each day of age, 0 to 1.
    #[serde(deserialize_with = "setting_values::deserialize_fraction")]
    pub time_decay_rate: f32,
    /// The least factor by age, 0 to 1; 0 is plain exponential decay.
    #[serde(deserialize_with = "setting_values::deserialize_fraction")]
    pub decay_floor: f32,
    /// The weight of a project's memories.
    #[serde(deserialize_with = "setting_values::deserialize_weight")]
    pub project_weight: f32,
    /// The weight of global memories.
    #[serde(deserialize_with = "setting_values::deserialize_weight")]
    pub global_weight: f32,
    /// The greatest age in days of the memories that are searched; -1 searches all.
    #[serde(deserialize_with = "setting_values::deserialize_days_or_unlimited")]
    pub scope_days: i64,
    /// The most results of an answer.
    #[serde(deserialize_with = "setting_values::deserialize_count")]
    pub max_results: usize,
}

impl Default for RetrievalSettings {
    fn default() -> Self {
        Self {
            time_decay_rate: 0.95,
            decay_floor: 0.5,
            project_weight: 1.0,
            global_weight: 0.7,
            scope_days: -1,
            max_results: 3,
        }
    }
}

impl RetrievalSettings {
    /// Returns true if a memory was changed in the last `scope_days`.
    pub fn is_recent_enough(&self, memory: &Memory, now: Timestamp) -> bool {
        let days = u32::try_from(self.scope_days);
        days.map_or(true, |days| memory.updated().days_until(now) < days.max(1))
    }

    /// Returns the factor of a score by age.
    #[expect(clippy::cast_precision_loss, reason = "days of a life")]
    pub fn decay(&self, days: u32) -> f32 {
        self.time_decay_rate.powf(days as f32).max(self.decay_floor)
    }

    /// Returns the weight of a scope.
    pub fn weight(&self, scope: MemoryScope) -> f32 {
        match scope {
            MemoryScope::Project => self.project_weight,
            MemoryScope::Global => self.global_weight,
        }
    }

    /// Returns the score of a match: `fused score * decay * weight`.
    pub fn score(&self, fused_score: f32, days: u32, scope: MemoryScope) -> f32 {
        fused_score * self.decay(days) * self.weight(scope)
    }
}

/// The match of a memory with a text, with all parts of its score.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct MemoryMatch {
    /// The index of the memory in the slice that was ranked.
    #[serde(skip)]
    pub index: usize,
    /// The score: `fused score * decay * weight`.
    pub score: f32,
    /// The fused lexical and dense score, 0 to 1.
    #[serde(rename = "matched")]
    pub fused_score: f32,
    /// The factor by age.
    pub decay: f32,
    /// The weight of the scope.
    pub weight: f32,
    /// The whole days since the last change.
    pub days: u32,
    /// The rank and score in the lexical list.
    pub lexical: Option<ListScore>,
    /// The rank and score in the dense list; the score is the scaled cosine.
    pub dense: Option<ListScore>,
    /// The cosine of text and memory, or its mean with that of a better cue.
    pub cosine: f32,
    /// The best cue, where it is nearer than the whole memory.
    pub cue: Option<String>,
    /// The fraction of the text's terms that the memory holds.
    pub overlap: f32,
    /// The terms of the text that the memory holds.
    pub terms: Vec<String>,
}

impl MemoryMatch {
    /// Returns the band of the score, which is no probability: it falls with age and by scope.
    pub fn band(&self) -> ConfidenceBand {
        BANDS.classify(self.score)
    }
}

/// A text, and the memories that are ranked by their match with it.
#[derive(Debug, Clone, Copy)]
pub struct MemoryQuery<'a> {
    /// The text.
    pub text: &'a str,
    /// The memories.
    pub memories: &'a [Memory],
    /// The settings of ranking.
    pub settings: &'a RetrievalSettings,
    /// The time at which ages end.
    pub now: Timestamp,
}

/// Ranks memories by their match with a text, best first. Returns `None` if the deadline passed before all memories
/// were embedded.
///
/// # Errors
/// When the model fails.
pub(crate) fn rank_memories(
    query: &MemoryQuery<'_>,
    embedder: &MemoryEmbedder<'_>,
) -> Result<Option<Vec<MemoryMatch>>> {
    let MemoryQuery { text, memories, .. } = *query;
    if memories.is_empty() {
        return Ok(Some(Vec::new()));
    }
    // A prompt waits: one core indexes the terms, while the other runs the model.
    let compare = || compare_by_meaning(text, memories, embedder);
    let (similarities, index) = run_both(compare, || LexicalIndex::new(memories));
    let Some(similarities) = similarities? else {
        return Ok(None);
    };
    let ranking = MemoryRanking {
        query,
        terms: query_terms(text),
        index,
        similarities,
        embedder,
    };
    let mut matches = ranking.matches();
    sort_matches(&mut matches, memories);
    Ok(Some(matches))
}

/// Returns `(1 - DENSE_WEIGHT) * bm25` of each memory, 0 to `1 - DENSE_WEIGHT`: the fused score with a cosine of 0.
pub(crate) fn score_by_words_alone(text: &str, memories: &[Memory]) -> Vec<ScoredItem<usize>> {
    let index = LexicalIndex::new(memories);
    let query = query_terms(text);
    let scorer = index.scorer(&query);
    let scored = (0..memories.len()).map(|id| ScoredItem {
        id,
        score: (1.0 - DENSE_WEIGHT) * scorer.score(id),
    });
    scored.collect()
}

/// Finds the memories that answer a query, best first.
///
/// # Errors
/// When the model fails.
pub fn search_memories(
    query: &MemoryQuery<'_>,
    embedder: &MemoryEmbedder<'_>,
) -> Result<Vec<MemoryMatch>> {
    let mut matches = rank_memories(query, embedder)?.unwrap_or_default();
    matches.retain(|m| m.score >= MIN_SCORE || !m.terms.is_empty());
    Ok(matches)
}

/// A query with the lexical index and the similarities of the memories that are ranked.
struct MemoryRanking<'a> {
    query: &'a MemoryQuery<'a>,
    terms: Vec<QueryTerm>,
    index: LexicalIndex,
    /// Those of the memories, in their order.
    similarities: Vec<Similarity>,
    embedder: &'a MemoryEmbedder<'a>,
}

impl MemoryRanking<'_> {
    fn matches(&self) -> Vec<MemoryMatch> {
        let scorer = self.index.scorer(&self.terms);
        let lexical = self.score_all(|i| scorer.score(i));
        let dense = self.score_all(|i| self.embedder.scale_cosine(self.similarities[i].cosine));
        let scale = Normalization::ByPerfect(PERFECT_SCORE);
        let fused = fuse(&lexical, &dense, self.dense_weight(), scale);
        fused.into_iter().map(|f| self.to_match(f)).collect()
    }

    /// Returns the weight of the dense list: 1 where the text has no term.
    fn dense_weight(&self) -> f32 {
        if self.terms.is_empty() {
            1.0
        } else {
            DENSE_WEIGHT
        }
    }

    fn score_all(&self, score: impl Fn(usize) -> f32) -> Vec<ScoredItem<usize>> {
        let scored = (0..self.query.memories.len()).map(|i| ScoredItem {
            id: i,
            score: score(i),
        });
        scored.filter(|s| s.score > 0.0).collect()
    }

    fn to_match(&self, fused: FusedItem<usize>) -> MemoryMatch {
        let index = fused.id;
        let MemoryQuery {
            memories, settings, ..
        } = *self.query;
        let terms = self.index.common_terms(&self.terms, index);
        let memory = &memories[index];
        let similarity = &self.similarities[index];
        let days = memory.updated().days_until(self.query.now);
        MemoryMatch {
            index,
            score: settings.score(fused.score, days, memory.scope),
            fused_score: fused.score,
            decay: settings.decay(days),
            weight: settings.weight(memory.scope),
            days,
            lexical: fused.lexical,
            dense: fused.dense,
            cosine: similarity.cosine,
            cue: similarity.cue.clone(),
            overlap: ratio(terms.len(), self.terms.len()),
            terms,
        }
    }
}

/// Sorts matches by score, with replaced memories below their replacements.
fn sort_matches(matches: &mut [MemoryMatch], memories: &[Memory]) {
    let mut scores = vec![None; memories.len()];
    for found in matches.iter() {
        scores[found.index] = Some(found.score);
    }
    let scores = lower_replaced_scores(memories, &scores);
    for found in matches.iter_mut() {
        found.score = scores[found.index];
    }
    matches.sort_by(|a, b| {
        let by_age = |m: &MemoryMatch| {
            let memory = &memories[m.index];
            (memory.updated(), memory.id_order())
        };
        let by_score = b.score.total_cmp(&a.score);
        by_score.then_with(|| by_age(b).cmp(&by_age(a)))
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_is_the_documented_product() {
        let settings = RetrievalSettings::default();
        let check = |fused_score, days, scope, expected: f32| {
            let score = settings.score(fused_score, days, scope);
            assert!((score - expected).abs() < 0.005, "{score} for {expected}");
        };
        check(1.0, 1, MemoryScope::Project, 0.95);
        check(0.5, 0, MemoryScope::Project, 0.50);
        check(1.0, 7, MemoryScope::Global, 0.49);
        // A perfect match is never too old to beat a poor one.
        check(1.0, 4000, MemoryScope::Project, 0.5);
        let plain = RetrievalSettings {
            decay_floor: 0.0,
            ..settings
        };
        assert!((plain.score(1.0, 90, MemoryScope::Project) - 0.95f32.powi(90)).abs() < 1e-6);
    }
}
