//! Finds the turns that hold words of a query in a row, and weighs these runs.
//!
//! FTS5 finds a given phrase, but it does not know which parts of a sentence are phrases, and to search for all parts takes
//! longer than the query. The postings hold the positions of the terms. So the turns are known in which terms stand as far
//! apart as in the query, and only the texts of the best of these are read.

use crate::word_search::found_term::FoundTerm;
use crate::word_search::postings::WordPosition;
use crate::word_search::sentence::Sentence;
use session_core::idf;
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::ops::Range;

/// Least share of the query's idf in the terms of a run: `what is the name of` says little of a question with other words.
const MIN_SHARE: f32 = 0.25;
/// Most runs of a query that are terms.
const MAX_RUNS: usize = 3;

/// A sentence with the positions of its terms.
pub(crate) struct PositionedTerms<'p> {
    sentence: &'p Sentence<'p>,
    /// In the order of the sentence.
    positioned: Vec<PositionedTerm<'p>>,
    /// The idf of each term; 0 where no turn holds it.
    idf: Vec<f32>,
}

/// A term of a query where it stands in the sentence.
struct PositionedTerm<'p> {
    words: Range<usize>,
    /// The number of the term; behind those of all terms for another word.
    term: usize,
    /// Words from the beginning of the term to the end of the sentence.
    words_to_end: usize,
    positions: &'p [WordPosition],
}

/// A run of words as a term.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct WordRun {
    pub(crate) words: Range<usize>,
    /// The share of the query's idf in its words.
    pub(crate) share: f32,
}

/// A turn in which terms stand as far apart as in the query.
struct AlignedTurn {
    turn: u32,
    share: f32,
    /// Number of such words.
    words: usize,
}

impl<'p> PositionedTerms<'p> {
    /// Finds the terms in a sentence.
    pub(crate) fn new(sentence: &'p Sentence<'p>, terms: &'p [FoundTerm], total: u64) -> Self {
        let idf_of = |term: &FoundTerm| match term.turn_count() {
            0 => 0.0,
            turns => idf(total, turns as u64),
        };
        let find = |(number, term): (usize, &'p FoundTerm)| {
            find_term(sentence, term.text(), number, term.positions())
        };
        let positioned = terms.iter().enumerate().flat_map(find);
        Self::with_idf(
            sentence,
            positioned.collect(),
            terms.iter().map(idf_of).collect(),
        )
    }

    fn with_idf(
        sentence: &'p Sentence<'p>,
        mut positioned: Vec<PositionedTerm<'p>>,
        idf: Vec<f32>,
    ) -> Self {
        positioned.sort_by_key(|term| term.words.start);
        Self {
            sentence,
            positioned,
            idf,
        }
    }

    /// Returns the words that are in no term, each once.
    pub(crate) fn other_words(&self) -> Vec<&'p str> {
        let is_other = |at: usize| !self.positioned.iter().any(|term| term.words.contains(&at));
        let words = self.sentence.words().enumerate();
        let others = words.filter(|(at, _)| is_other(*at));
        let others: BTreeSet<&str> = others.map(|(_, word)| word).collect();
        others.into_iter().collect()
    }

    /// Adds words that are no terms, each with its positions.
    pub(crate) fn add_others(&mut self, words: &[&str], positions: &'p [Vec<WordPosition>]) {
        for (number, (word, positions)) in (self.idf.len()..).zip(words.iter().zip(positions)) {
            let positioned = find_term(self.sentence, word, number, positions);
            self.positioned.extend(positioned);
        }
        self.positioned.sort_by_key(|term| term.words.start);
    }

    /// Returns the turns in which neighbouring words stand as far apart as in the query, those with the greatest share of
    /// the query's idf in such words first, of equals those with most.
    pub(crate) fn aligned_turns(&self) -> impl Iterator<Item = u32> {
        let known: Vec<&PositionedTerm<'_>> = self
            .positioned
            .iter()
            .filter(|t| !t.positions.is_empty())
            .collect();
        let mut aligned: Vec<(u32, usize)> = Vec::new();
        for pair in known.windows(2) {
            for turn in common_turns(pair[0], pair[1]) {
                aligned.extend([(turn, pair[0].term), (turn, pair[1].term)]);
            }
        }
        aligned.sort_unstable();
        aligned.dedup();
        let of_turn = aligned.chunk_by(|a, b| a.0 == b.0);
        let turns = of_turn.map(|terms| AlignedTurn {
            turn: terms[0].0,
            share: self.idf_share(terms.iter().map(|(_, term)| *term)),
            words: terms.len(),
        });
        let mut turns: Vec<AlignedTurn> = turns.filter(|turn| turn.share >= MIN_SHARE).collect();
        turns.sort_by(|a, b| {
            let by_share = b.share.total_cmp(&a.share);
            by_share.then(b.words.cmp(&a.words))
        });
        turns.into_iter().map(|aligned| aligned.turn)
    }

    /// Returns the runs that some text holds and that say enough, those that say most first; none has words of another.
    pub(crate) fn choose(&self, runs: impl IntoIterator<Item = Range<usize>>) -> Vec<WordRun> {
        let mut runs: Vec<WordRun> = runs.into_iter().map(|words| self.run(words)).collect();
        runs.retain(|run| run.share >= MIN_SHARE);
        runs.sort_by(|a, b| {
            let by_share = b.share.total_cmp(&a.share);
            by_share.then(b.words.len().cmp(&a.words.len()))
        });
        let mut chosen: Vec<WordRun> = Vec::new();
        for run in runs {
            let overlaps = |other: &WordRun| {
                run.words.start < other.words.end && other.words.start < run.words.end
            };
            if !chosen.iter().any(overlaps) && chosen.len() < MAX_RUNS {
                chosen.push(run);
            }
        }
        chosen
    }

    fn run(&self, words: Range<usize>) -> WordRun {
        let is_within = |term: &&PositionedTerm<'_>| {
            words.start <= term.words.start && term.words.end <= words.end
        };
        let terms: BTreeSet<usize> = self
            .positioned
            .iter()
            .filter(is_within)
            .map(|term| term.term)
            .collect();
        WordRun {
            share: self.idf_share(terms.into_iter()),
            words,
        }
    }

    /// Returns the share of the query's idf in some terms.
    fn idf_share(&self, terms: impl Iterator<Item = usize>) -> f32 {
        let idf: f32 = terms.filter_map(|term| self.idf.get(term)).sum();
        idf / self.idf.iter().sum::<f32>().max(f32::EPSILON)
    }
}

impl PositionedTerm<'_> {
    /// Returns where the sentence would end by each position, in order.
    fn sentence_ends(&self) -> impl Iterator<Item = WordPosition> {
        let positions = self.positions.iter();
        positions.map(|position| position.plus(self.words_to_end))
    }
}

/// Returns a term once for each position of a sentence where it stands.
fn find_term<'p>(
    sentence: &Sentence<'_>,
    text: &str,
    term: usize,
    positions: &'p [WordPosition],
) -> Vec<PositionedTerm<'p>> {
    let found = sentence.find(text).into_iter();
    let positioned = found.map(|words| PositionedTerm {
        words_to_end: sentence.len() - words.start,
        words,
        term,
        positions,
    });
    positioned.collect()
}

/// Returns the turns in which two terms stand as far apart as in the sentence, in order.
fn common_turns(a: &PositionedTerm<'_>, b: &PositionedTerm<'_>) -> Vec<u32> {
    let (mut left, mut right) = (a.sentence_ends().peekable(), b.sentence_ends().peekable());
    let mut turns = Vec::new();
    while let (Some(one), Some(other)) = (left.peek(), right.peek()) {
        match one.cmp(other) {
            Ordering::Less => left.next(),
            Ordering::Greater => right.next(),
            Ordering::Equal => {
                turns.push(one.turn());
                left.next()
            }
        };
    }
    turns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_hold_terms_as_far_apart_as_the_query() {
        let sentence = Sentence::new("the lamp of the harbour is at the gate");
        let at = |turn, offset| WordPosition::new(turn, 1, offset);
        let lamp = [at(1, 3), at(2, 0), at(3, 7), at(4, 1), at(5, 1)];
        let harbour = [
            at(1, 6),
            at(2, 4),
            at(3, 10),
            WordPosition::new(4, 2, 4),
            at(5, 0),
        ];
        let gate = [at(2, 8), at(3, 14), at(6, 1)];
        let positioned = [
            ("harbour", 1, &harbour[..]),
            ("lamp", 0, &lamp),
            ("gate", 2, &gate),
        ];
        let positioned = positioned
            .into_iter()
            .flat_map(|(text, term, positions)| find_term(&sentence, text, term, positions));
        let terms = PositionedTerms::with_idf(&sentence, positioned.collect(), vec![1.0, 2.0, 4.0]);
        assert_eq!(terms.aligned_turns().collect::<Vec<_>>(), [3, 2, 1]);
    }

    #[test]
    fn runs_that_say_most_are_chosen_once() {
        let sentence = Sentence::new("a b c d e f g h i j k l");
        let positioned = ["a", "e", "j", "l"].into_iter().zip([0, 1, 2, 2]);
        let positioned = positioned.flat_map(|(text, term)| find_term(&sentence, text, term, &[]));
        let terms = PositionedTerms::with_idf(&sentence, positioned.collect(), vec![1.0, 2.0, 5.0]);
        let chosen = terms.choose([0..5, 3..8, 5..9, 8..12]);
        let expected = [(8..12, 5.0 / 8.0), (0..5, 3.0 / 8.0)];
        assert_eq!(
            chosen,
            expected.map(|(words, share)| WordRun { words, share })
        );
    }
}
