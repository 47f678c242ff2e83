//! Substitutes of a term that no turn holds: its other spelling, longer names that begin with it, or else its words, of a
//! name or of a compound word.

use crate::error::Result;
use crate::reader::Reader;
use crate::word_index::Vocabulary;
use crate::word_search::found_term::FoundTerm;
use crate::word_search::lexical::fts5_string;
use crate::word_search::name_words::{FoundWords, is_path, split_name};
use crate::word_search::postings::Posting;
use crate::word_search::term_stats::SubstituteKind;
use session_core::text;
use std::collections::BTreeSet;

/// Most terms of a query in whose place others are searched: a long paste has many that nothing holds.
const MAX_TERMS: usize = 4;
/// Fewest characters of the beginning of a longer name.
const MIN_BEGINNING_CHARS: usize = 4;

impl Reader {
    /// Finds the terms that no turn holds by what stands in their place.
    pub(crate) fn find_substitutes(
        &self,
        vocabulary: &Vocabulary<'_>,
        terms: &mut [FoundTerm],
        total: u64,
    ) -> Result<()> {
        let missing = terms.iter_mut().filter(|term| term.needs_substitutes());
        for term in missing.take(MAX_TERMS) {
            let texts = vocabulary.substitutes(term.text())?;
            let postings = self.postings_of(&texts)?;
            if postings.iter().any(|list| !list.is_empty()) {
                term.substitute(texts, postings);
                continue;
            }
            let name = name_with_words(term.text());
            let of_name = (split_name(name), SubstituteKind::NameWords);
            let of_compound = vocabulary.split_compound(name)?.into_iter();
            let of_compound = of_compound.map(|words| (words, SubstituteKind::CompoundWords));
            for (words, kind) in std::iter::once(of_name).chain(of_compound) {
                let found = FoundWords::new(name, self.postings_of(&words)?, total);
                if !found.is_empty() {
                    term.substitute_words(words, found, kind);
                    break;
                }
            }
        }
        Ok(())
    }

    fn postings_of(&self, texts: &[String]) -> Result<Vec<Vec<Posting>>> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let phrases: Vec<String> = texts.iter().map(|text| fts5_string(text)).collect();
        self.phrase_postings(&phrases)
    }

    /// Finds the turns in which a command failed of the error whose line is searched.
    pub(crate) fn find_errors(&self, terms: &mut [FoundTerm]) -> Result<()> {
        for term in terms.iter_mut() {
            let mut turns = BTreeSet::new();
            for signature in term.signatures() {
                let failed = self.turns_with_error(*signature)?;
                turns.extend(failed.into_iter().map(|failed| i64::from(failed.turn)));
            }
            let turns = turns.into_iter().filter_map(|turn| {
                Some(Posting {
                    turn: u32::try_from(turn).ok()?,
                    frequency: 1.0,
                })
            });
            let turns: Vec<Posting> = turns.collect();
            if !turns.is_empty() {
                term.add_error_turns(turns);
            }
        }
        Ok(())
    }
}

impl Vocabulary<'_> {
    /// Returns what is searched in the place of a term: of a name in camel case its words, which are those of the name in
    /// snake case, and of a longer name that ends with it; of a file with such a name the same; of a name without
    /// separators, or joined to one, the names that begin with it.
    fn substitutes(&self, term: &str) -> Result<Vec<String>> {
        let spelling = text::split_camel_case_name(name_of_file(term));
        let beginning = text::join_name_parts(term).unwrap_or_else(|| term.to_owned());
        let is_beginning = beginning.chars().count() >= MIN_BEGINNING_CHARS
            && beginning.chars().all(char::is_alphanumeric)
            && !beginning.contains(text::is_unspaced);
        let longer = if is_beginning {
            self.complete_word(&beginning)?
        } else {
            Vec::new()
        };
        Ok(spelling.into_iter().chain(longer).collect())
    }
}

/// Returns the name of a file without its extension; another term as it is. A number behind a dot is of a version.
fn name_of_file(term: &str) -> &str {
    let is_extension =
        |text: &str| text.chars().all(char::is_alphanumeric) && text.contains(char::is_alphabetic);
    match term.rsplit_once('.') {
        Some((name, extension)) if is_extension(extension) => name,
        _ => term,
    }
}

/// Returns what of a term has the words that are searched: without an extension, which says little. What follows the second
/// dot of `lamp.oil.can` is none.
fn name_with_words(term: &str) -> &str {
    let name = name_of_file(term);
    if name.contains('.') && !is_path(name) {
        term
    } else {
        name
    }
}
