//! How well memories answer a text: words and meaning, then age and place.

use crate::error::Result;
use crate::meaning::{Meaning, Nearness, nearness};
use crate::memory::{Memory, Scope};
use crate::terms::Wanted;
use crate::{limits, terms};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use session_core::{Scored, Standing, fuse};
use session_embed::Embedder;
use std::collections::{HashMap, HashSet};
use std::panic::resume_unwind;

/// Weight of meaning beside words.
const MEANING: f32 = 0.6;
/// BM25's parameters: how soon a repeated word says no more, and how much long texts stand back.
const K1: f32 = 1.2;
const B: f32 = 0.75;
/// The ideal memory, which stands in both lists so that parts of its score mean
/// the same for each query.
const IDEAL: i64 = -1;
/// Deviations by which the cosine of one memory alone lies lower than that of the
/// best of a history, which the model's scale is made for.
const ALONE: f32 = 2.0;
/// What is left of the score of a memory that another one replaced.
const SUPERSEDED: f32 = 0.5;

/// How found memories are weighed and how many are given: `[retrieval]` of the
/// configuration.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Retrieval {
    /// What a day leaves of a score, 0 to 1.
    #[serde(deserialize_with = "limits::share")]
    pub time_decay_rate: f32,
    /// What age leaves of a score at least, 0 to 1; 0 is the plain formula.
    #[serde(deserialize_with = "limits::share")]
    pub decay_floor: f32,
    /// Weight of a project's memories.
    #[serde(deserialize_with = "limits::weight")]
    pub project_weight: f32,
    /// Weight of what is global.
    #[serde(deserialize_with = "limits::weight")]
    pub global_weight: f32,
    /// Only memories of so many days; -1: all.
    #[serde(deserialize_with = "limits::days_or_ever")]
    pub scope_days: i64,
    /// Most memories that are weighed in an answer.
    #[serde(deserialize_with = "limits::count")]
    pub max_candidates: usize,
    /// Most memories that are shown.
    #[serde(deserialize_with = "limits::count")]
    pub max_results: usize,
}

impl Default for Retrieval {
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

impl Retrieval {
    /// What age leaves of a score.
    #[expect(clippy::cast_precision_loss, reason = "days of a life")]
    pub fn decay(&self, days: u32) -> f32 {
        self.time_decay_rate.powf(days as f32).max(self.decay_floor)
    }

    /// The weight of a place.
    pub fn weight(&self, scope: Scope) -> f32 {
        match scope {
            Scope::Project => self.project_weight,
            Scope::Global => self.global_weight,
        }
    }

    /// The score of a match so old, from there.
    pub fn score(&self, matched: f32, days: u32, scope: Scope) -> f32 {
        matched * self.decay(days) * self.weight(scope)
    }
}

/// How well a memory answers, and why.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Match {
    /// Its place in the list that was ranked.
    #[serde(skip)]
    pub memory: usize,
    /// `matched * decay * weight`.
    pub score: f32,
    /// What words and meaning say together, 0 to 1.
    pub matched: f32,
    /// What age leaves.
    pub decay: f32,
    /// The place's weight.
    pub weight: f32,
    /// Whole days since it was changed.
    pub days: u32,
    /// What the lexical list says.
    pub lexical: Option<Standing>,
    /// What the dense list says; its score is what the cosine is worth.
    pub dense: Option<Standing>,
    /// The cosine of text and memory; where a cue is nearer, the mean with that one's.
    pub cosine: f32,
    /// The cue that is nearest to the text, where it is nearer than the whole memory.
    pub cue: Option<String>,
    /// Its cues that were compared: those that the model can read, each once.
    #[serde(skip)]
    pub compared: usize,
    /// The part of the text's words that it holds.
    pub overlap: f32,
    /// The words that both have, as they are compared.
    pub terms: Vec<String>,
}

/// Memories as they answer a text.
#[derive(Debug, Clone, Default)]
pub struct Ranked {
    /// Best first.
    pub matches: Vec<Match>,
    /// The text's vector; empty without a model, and where there is no memory.
    pub asked: Vec<f32>,
}

/// Ranks memories by how well they answer a text. `None` where the time was up before
/// the model had read all of them. Without a model, words alone count.
///
/// # Errors
/// When the model fails.
pub fn rank(
    text: &str,
    memories: &[Memory],
    how: &Retrieval,
    meaning: Option<&Meaning<'_>>,
    now: Timestamp,
) -> Result<Option<Ranked>> {
    // A prompt waits: one core reads the words, while the other runs the model.
    let (words, near) = std::thread::scope(|scope| {
        let words = scope.spawn(|| Words::of(memories));
        let near = match meaning {
            Some(meaning) if !memories.is_empty() => nearness(text, memories, meaning),
            _ => Ok(Some((Vec::new(), Vec::new()))),
        };
        let words = words.join();
        (words.unwrap_or_else(|panic| resume_unwind(panic)), near)
    });
    let Some((asked, mut near)) = near? else {
        return Ok(None);
    };
    let query = terms::of_query(text);
    let lexical: Vec<Scored> = scored(memories.len(), |i| words.score(&query, i));
    let has_model = !asked.is_empty();
    near.resize(memories.len(), Nearness::default());
    let worth = |cosine: f32| meaning.map_or(0.0, |m| worth(m.model, cosine));
    let dense: Vec<Scored> = match has_model {
        true => scored(memories.len(), |i| worth(near[i].cosine)),
        false => Vec::new(),
    };
    let alpha = alpha(&query, has_model);
    let matches = fuse(&with_ideal(lexical), &with_ideal(dense), alpha);
    let matches = matches.into_iter().filter_map(|fused| {
        let memory = usize::try_from(fused.id).ok()?;
        let terms = words.held(&query, memory);
        let found = &memories[memory];
        let days = found.updated().days_to(now);
        Some(Match {
            memory,
            score: how.score(fused.score, days, found.scope),
            matched: fused.score,
            decay: how.decay(days),
            weight: how.weight(found.scope),
            days,
            lexical: fused.lexical.map(after_ideal),
            dense: fused.dense.map(after_ideal),
            cosine: near[memory].cosine,
            cue: near[memory].cue.clone(),
            compared: near[memory].compared,
            overlap: part(terms.len(), query.len()),
            terms,
        })
    });
    let mut matches: Vec<Match> = matches.collect();
    order(&mut matches, memories);
    Ok(Some(Ranked { matches, asked }))
}

/// Sorts, best first, what was replaced below what replaced it.
fn order(matches: &mut [Match], memories: &[Memory]) {
    let scores: HashMap<String, f32> = matches
        .iter()
        .map(|m| (memories[m.memory].front.id.clone(), m.score))
        .collect();
    for found in matches.iter_mut() {
        if let Some(by) = &memories[found.memory].front.superseded_by {
            let other = scores.get(by).copied().unwrap_or(f32::MAX);
            found.score = (found.score * SUPERSEDED).min(other * 0.99);
        }
    }
    matches.sort_by(|a, b| {
        let by_age = |m: &Match| {
            (
                memories[m.memory].updated(),
                memories[m.memory].front.id.clone(),
            )
        };
        b.score
            .total_cmp(&a.score)
            .then_with(|| by_age(b).cmp(&by_age(a)))
    });
}

fn scored(count: usize, score: impl Fn(usize) -> f32) -> Vec<Scored> {
    let all = (0..count).map(|i| Scored {
        id: i as i64,
        score: score(i),
    });
    all.filter(|s| s.score > 0.0).collect()
}

fn with_ideal(mut list: Vec<Scored>) -> Vec<Scored> {
    list.push(Scored {
        id: IDEAL,
        score: 1.0,
    });
    list
}

/// A standing in the list without the ideal memory, which is its first.
fn after_ideal(standing: Standing) -> Standing {
    Standing {
        rank: standing.rank.saturating_sub(1).max(1),
        ..standing
    }
}

fn part(of: usize, all: usize) -> f32 {
    #[expect(clippy::cast_precision_loss, reason = "words of a text")]
    match all {
        0 => 0.0,
        all => of as f32 / all as f32,
    }
}

/// The weight of meaning: none without a model, all where the text has no word.
fn alpha(query: &[Wanted], has_model: bool) -> f32 {
    match (has_model, query.is_empty()) {
        (false, _) => 0.0,
        (true, true) => 1.0,
        (true, false) => MEANING,
    }
}

/// What a cosine of a model is worth, 0 to 1.
pub(crate) fn worth(model: &dyn Embedder, cosine: f32) -> f32 {
    let scale = model.spec().cosine;
    let nothing = scale.unrelated - ALONE * scale.deviation;
    let width = (scale.related - nothing).max(f32::EPSILON);
    ((cosine - nothing) / width).clamp(0.0, 1.0)
}

/// The words of all memories, for the lexical list.
struct Words {
    counts: Vec<HashMap<String, usize>>,
    lengths: Vec<usize>,
    holders: HashMap<String, usize>,
}

impl Words {
    fn of(memories: &[Memory]) -> Self {
        let mut words = Self {
            counts: Vec::new(),
            lengths: Vec::new(),
            holders: HashMap::new(),
        };
        for memory in memories {
            let all = terms::of_text(&memory.worded());
            words.lengths.push(all.len());
            let mut counts: HashMap<String, usize> = HashMap::new();
            for word in all {
                *counts.entry(word).or_default() += 1;
            }
            for word in counts.keys() {
                *words.holders.entry(word.clone()).or_default() += 1;
            }
            words.counts.push(counts);
        }
        words
    }

    /// Inverse document frequency as BM25 has it, never 0; of a word that can be said in
    /// several ways that of the usual one.
    #[expect(clippy::cast_precision_loss, reason = "memories of a person")]
    fn idf(&self, word: &Wanted) -> f32 {
        let n = self.counts.len() as f32;
        let all = word.ways.iter().flatten();
        let holders = all.filter_map(|stem| self.holders.get(stem)).max();
        let holders = holders.copied().unwrap_or(0) as f32;
        (1.0 + (n - holders + 0.5) / (holders + 0.5)).ln()
    }

    /// The share of the query's information that a memory holds, each word as
    /// much as BM25 says, 0 to 1.
    fn score(&self, query: &[Wanted], memory: usize) -> f32 {
        let all: f32 = query.iter().map(|word| self.idf(word)).sum();
        let found = query
            .iter()
            .map(|word| self.idf(word) * self.part(word, memory));
        if all > 0.0 {
            found.sum::<f32>() / all
        } else {
            0.0
        }
    }

    /// How much of a word a memory holds, in the way that it does best.
    fn part(&self, word: &Wanted, memory: usize) -> f32 {
        let parts = word.ways.iter().map(|way| {
            let held: f32 = way.iter().map(|stem| self.saturated(stem, memory)).sum();
            held / f32::from(u16::try_from(way.len().max(1)).unwrap_or(u16::MAX))
        });
        parts.fold(0.0, f32::max)
    }

    /// What BM25 gives for the times that a memory says a word, at most 1.
    #[expect(clippy::cast_precision_loss, reason = "words of a memory")]
    fn saturated(&self, stem: &str, memory: usize) -> f32 {
        let mean = self.lengths.iter().sum::<usize>() as f32 / self.lengths.len().max(1) as f32;
        let length = self.lengths[memory] as f32 / mean.max(1.0);
        let count = self.counts[memory].get(stem).copied().unwrap_or(0) as f32;
        (count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * length))).min(1.0)
    }

    /// The words of the query that a memory holds for the greater part.
    fn held(&self, query: &[Wanted], memory: usize) -> Vec<String> {
        let has = |stem: &&String| self.counts[memory].contains_key(*stem);
        let is_held = |way: &Vec<String>| 2 * way.iter().filter(has).count() > way.len();
        let held = query.iter().filter(|word| word.ways.iter().any(is_held));
        held.map(|word| word.said.clone()).collect()
    }
}

/// How much the words of two texts are the same: those of both over those of
/// either.
pub(crate) fn likeness(a: &str, b: &str) -> f32 {
    let set = |text: &str| {
        let words = terms::of_query(text).into_iter().map(|word| word.said);
        words.collect::<HashSet<String>>()
    };
    let (a, b) = (set(a), set(b));
    part(a.intersection(&b).count(), a.union(&b).count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_product_is_the_documented_one() {
        let how = Retrieval::default();
        let check = |matched, days, scope, expected: f32| {
            let score = how.score(matched, days, scope);
            assert!((score - expected).abs() < 0.005, "{score} for {expected}");
        };
        check(1.0, 1, Scope::Project, 0.95);
        check(0.5, 0, Scope::Project, 0.50);
        check(1.0, 7, Scope::Global, 0.49);
        // A perfect match is never too old to beat a poor one.
        check(1.0, 4000, Scope::Project, 0.5);
        let plain = Retrieval {
            decay_floor: 0.0,
            ..how
        };
        assert!((plain.score(1.0, 90, Scope::Project) - 0.95f32.powi(90)).abs() < 1e-6);
    }
}
