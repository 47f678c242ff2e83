//! Finding turns by words: forms of words, postings, scores, and what is marked in a text.

pub(crate) mod completions;
pub(crate) mod compounds;
pub(crate) mod found_term;
pub(crate) mod highlight;
pub(crate) mod inflections;
pub(crate) mod lexical;
pub(crate) mod misspellings;
pub(crate) mod name_words;
pub(crate) mod paradigms;
pub(crate) mod phrase_postings;
pub(crate) mod postings;
pub(crate) mod searched_term;
pub(crate) mod sentence;
pub(crate) mod substitutes;
pub(crate) mod term_stats;
pub(crate) mod word_runs;
