//! Ranking of memories for a text: BM25 and cosines, fused, then age and scope.

use crate::error::Result;
use crate::lexical_index::{LexicalIndex, ratio};
use crate::memory::{Memory, MemoryScope};
use crate::memory_embedder::MemoryEmbedder;
use crate::setting_values;
use crate::similarity::{Similarities, compare_by_meaning};
use crate::terms::{QueryTerm, query_terms};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use session_core::parallel::run_both;
use session_core::{
    BandThresholds, ConfidenceBand, FusedItem, ListScore, Normalization, ScoredItem, fuse,
};
use std::collections::{HashMap, HashSet};

/// The weight of the dense list. `docs/injection.md` has the formula of a match.
const DENSE_WEIGHT: f32 = 0.6;
/// Both lists score a perfect memory with 1.
const PERFECT_SCORE: f32 = 1.0;
/// The factor of the score of a memory that was replaced.
const SUPERSEDED_FACTOR: f32 = 0.5;
/// The greatest score of a memory that was replaced, as a factor of that of the memory that replaced it: it ranks below.
const BELOW_REPLACEMENT_FACTOR: f32 = 0.99;
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
    /// The most candidates of an answer.
    #[serde(deserialize_with = "setting_values::deserialize_count")]
    pub max_candidates: usize,
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
            max_candidates: 10,
            max_results: 3,
        }
    }
}

impl RetrievalSettings {
    /// Returns true where a memory is new enough for `scope_days`.
    pub fn is_in_scope(&self, memory: &Memory, now: Timestamp) -> bool {
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

    /// Returns the score of a match: `matched * decay * weight`.
    pub fn score(&self, matched: f32, days: u32, scope: MemoryScope) -> f32 {
        matched * self.decay(days) * self.weight(scope)
    }
}

/// The match of a memory with a text, with all parts of its score.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct MemoryMatch {
    /// The index of the memory in the slice that was ranked.
    #[serde(skip)]
    pub memory: usize,
    /// The score: `matched * decay * weight`.
    pub score: f32,
    /// The fused lexical and dense score, 0 to 1.
    pub matched: f32,
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

/// Memories in the order of their match with a text.
#[derive(Debug, Clone, Default)]
pub struct RankedMemories {
    /// The matches, best first.
    pub matches: Vec<MemoryMatch>,
    /// The text's vector; empty without a model or without memories.
    pub query_vector: Vec<f32>,
}

/// Ranks memories by their match with a text, by terms alone where there is no embedder. Returns
/// `None` where the deadline passed before all memories were embedded.
///
/// # Errors
/// When the model fails.
pub fn rank_memories(
    text: &str,
    memories: &[Memory],
    settings: &RetrievalSettings,
    embedder: Option<&MemoryEmbedder<'_>>,
    now: Timestamp,
) -> Result<Option<RankedMemories>> {
    // A prompt waits: one core indexes the terms, while the other runs the model.
    let compare = || match embedder {
        Some(embedder) if !memories.is_empty() => compare_by_meaning(text, memories, embedder),
        _ => Ok(Some(Similarities::default())),
    };
    let (similarities, index) = run_both(compare, || LexicalIndex::new(memories));
    let Some(mut similarities) = similarities? else {
        return Ok(None);
    };
    similarities
        .memories
        .resize_with(memories.len(), Default::default);
    let ranking = MemoryRanking {
        memories,
        settings,
        now,
        query: query_terms(text),
        index,
        similarities,
    };
    let mut matches = ranking.matches(embedder);
    sort_matches(&mut matches, memories);
    Ok(Some(RankedMemories {
        matches,
        query_vector: ranking.similarities.query_vector,
    }))
}

/// Returns the matches of memories with a text by terms alone, as those of a meaning that nothing is known of: 0 to
/// `1 - DENSE_WEIGHT`.
pub(crate) fn match_words(text: &str, memories: &[Memory]) -> Vec<ScoredItem<usize>> {
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
    query: &str,
    memories: &[Memory],
    settings: &RetrievalSettings,
    embedder: &MemoryEmbedder<'_>,
    now: Timestamp,
) -> Result<Vec<MemoryMatch>> {
    let ranked = rank_memories(query, memories, settings, Some(embedder), now)?;
    let mut matches = ranked.unwrap_or_default().matches;
    matches.retain(|m| m.score >= MIN_SCORE || !m.terms.is_empty());
    Ok(matches)
}

/// A query with the lexical index and the similarities of the memories that are ranked.
struct MemoryRanking<'a> {
    memories: &'a [Memory],
    settings: &'a RetrievalSettings,
    now: Timestamp,
    query: Vec<QueryTerm>,
    index: LexicalIndex,
    similarities: Similarities,
}

impl MemoryRanking<'_> {
    fn matches(&self, embedder: Option<&MemoryEmbedder<'_>>) -> Vec<MemoryMatch> {
        let scorer = self.index.scorer(&self.query);
        let lexical = self.score_all(|i| scorer.score(i));
        let dense = match embedder.filter(|_| self.has_vectors()) {
            Some(embedder) => {
                self.score_all(|i| embedder.scale_cosine(self.similarities.memories[i].cosine))
            }
            None => Vec::new(),
        };
        let scale = Normalization::ByPerfect(PERFECT_SCORE);
        let fused = fuse(&lexical, &dense, self.dense_weight(), scale);
        fused.into_iter().map(|f| self.to_match(f)).collect()
    }

    fn has_vectors(&self) -> bool {
        !self.similarities.query_vector.is_empty()
    }

    /// Returns the weight of the dense list: 0 without a model, 1 where the text has no term.
    fn dense_weight(&self) -> f32 {
        match (self.has_vectors(), self.query.is_empty()) {
            (false, _) => 0.0,
            (true, true) => 1.0,
            (true, false) => DENSE_WEIGHT,
        }
    }

    fn score_all(&self, score: impl Fn(usize) -> f32) -> Vec<ScoredItem<usize>> {
        let scored = (0..self.memories.len()).map(|i| ScoredItem {
            id: i,
            score: score(i),
        });
        scored.filter(|s| s.score > 0.0).collect()
    }

    fn to_match(&self, fused: FusedItem<usize>) -> MemoryMatch {
        let memory = fused.id;
        let terms = self.index.common_terms(&self.query, memory);
        let found = &self.memories[memory];
        let similarity = &self.similarities.memories[memory];
        let days = found.updated().days_until(self.now);
        MemoryMatch {
            memory,
            score: self.settings.score(fused.score, days, found.scope),
            matched: fused.score,
            decay: self.settings.decay(days),
            weight: self.settings.weight(found.scope),
            days,
            lexical: fused.lexical,
            dense: fused.dense,
            cosine: similarity.cosine,
            cue: similarity.cue.clone(),
            overlap: ratio(terms.len(), self.query.len()),
            terms,
        }
    }
}

/// Memories by what replaced them.
struct Replacements<'a> {
    memories: &'a [Memory],
    by_id: HashMap<&'a str, usize>,
}

impl<'a> Replacements<'a> {
    fn new(memories: &'a [Memory]) -> Self {
        let ids = memories.iter().enumerate();
        Self {
            memories,
            by_id: ids.map(|(at, memory)| (memory.id(), at)).collect(),
        }
    }

    fn is_replaced(&self, memory: usize) -> bool {
        self.memories[memory].front.superseded_by.is_some()
    }

    /// Returns a memory with what replaced it, what replaced that, and so on; none of them twice.
    fn chain(&self, memory: usize) -> Vec<usize> {
        let mut seen = HashSet::new();
        let next = |at: &usize| {
            let by = self.memories[*at].front.superseded_by.as_deref()?;
            self.by_id.get(by).copied()
        };
        let chain = std::iter::successors(Some(memory), next);
        chain.take_while(|at| seen.insert(*at)).collect()
    }

    /// Returns the score of a memory: that of a replaced one is lower than that of each memory after it in its chain.
    fn score(&self, memory: usize, scores: &HashMap<usize, f32>) -> f32 {
        let mut lowest = f32::MAX;
        for at in self.chain(memory).into_iter().rev() {
            let Some(score) = scores.get(&at) else {
                continue;
            };
            lowest = match self.is_replaced(at) {
                true => (score * SUPERSEDED_FACTOR).min(lowest * BELOW_REPLACEMENT_FACTOR),
                false => *score,
            };
        }
        lowest
    }
}

/// Sorts matches by score, with replaced memories below their replacements.
fn sort_matches(matches: &mut [MemoryMatch], memories: &[Memory]) {
    let scores = matches.iter().map(|found| (found.memory, found.score));
    let scores: HashMap<usize, f32> = scores.collect();
    let replacements = Replacements::new(memories);
    for found in matches.iter_mut() {
        found.score = replacements.score(found.memory, &scores);
    }
    matches.sort_by(|a, b| {
        let by_age = |m: &MemoryMatch| {
            let memory = &memories[m.memory];
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
        let check = |matched, days, scope, expected: f32| {
            let score = settings.score(matched, days, scope);
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
