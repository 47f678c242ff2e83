//! The words of a query, as they are looked for in the text of a turn.

use crate::folded_text::FoldedText;
use memchr::memmem::Finder;
use rust_stemmers::{Algorithm, Stemmer};
use rustc_hash::FxHashMap;
use session_core::text::{fold_word, is_unspaced};
use session_store::{SubstituteKind, TermStats};

/// Fewest letters of a stem by which other forms of a word are found: too many words begin with fewer.
const MIN_STEM_BYTES: usize = 3;
/// Fewest letters that are looked for of a stem.
const MIN_NEEDLE_BYTES: usize = 2;

/// The terms of a query, each with the forms in which a text may hold it. One that is found without its signs is there twice,
/// once with them: of several passages that hold its words the one is shown that has it as typed. A single name beside other
/// terms is there once, since it would count more than each of them.
#[derive(Default)]
pub(crate) struct SnippetWords {
    terms: Vec<Vec<FormFinder>>,
}

/// Signs that may stand between the words of a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WordGap {
    /// Anything, as the word index has it: of a quoted phrase, or a name.
    AnySigns,
    /// White space, and signs beside it: words in a row that nobody quoted are not those of a name.
    WhiteSpace,
    /// Only what stands there in the form.
    AsTyped,
}

/// A range of bytes of a text that a word of the query matches.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct WordMatch {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The number of the term.
    pub(crate) word: usize,
}

impl SnippetWords {
    /// Makes the words from the terms that were searched in the word index.
    pub(crate) fn from_stats(terms: &[TermStats]) -> Self {
        let groups = terms.iter().flat_map(|term| {
            let gap = if term.is_word_run() {
                WordGap::WhiteSpace
            } else {
                WordGap::AnySigns
            };
            word_groups(term).into_iter().map(move |forms| (forms, gap))
        });
        Self::new(groups)
    }

    /// Makes the words from the forms of each term, with what may stand between the words of one.
    pub(crate) fn new<'w>(
        terms: impl Iterator<Item = (impl IntoIterator<Item = &'w str>, WordGap)>,
    ) -> Self {
        let terms: Vec<_> = terms.collect();
        let is_only_term = terms.len() == 1;
        let finders = terms.into_iter().flat_map(|(forms, gap)| {
            let mut forms = forms.into_iter().peekable();
            let may_count_twice = |term: &&&str| is_only_term || term.contains(char::is_whitespace);
            let term = forms.peek().filter(may_count_twice);
            let term = term.filter(|term| loses_signs(term, gap));
            let as_typed = term.and_then(|term| FormFinder::new(term, WordGap::AsTyped));
            let finders = forms.filter_map(|form| FormFinder::new(form, gap));
            [finders.collect()]
                .into_iter()
                .chain(as_typed.map(|finder| vec![finder]))
        });
        Self {
            terms: finders.collect(),
        }
    }

    /// Returns the number of words.
    pub(crate) fn len(&self) -> usize {
        self.terms.len()
    }

    /// Returns all matches in a text, in order of their start.
    pub(crate) fn find_in(&self, text: &FoldedText<'_>) -> Vec<WordMatch> {
        let mut all = Vec::new();
        for (word, forms) in self.terms.iter().enumerate() {
            for form in forms {
                let mut known = KnownWords::default();
                let starts = form.finder.find_iter(text.as_str().as_bytes());
                all.extend(starts.filter_map(|start| {
                    let end = form.match_end(text, start, &mut known)?;
                    Some(WordMatch { start, end, word })
                }));
            }
        }
        all.sort_unstable();
        all
    }
}

/// Returns the forms of a term, or each word of a name or a compound that was searched in its place.
fn word_groups(term: &TermStats) -> Vec<Vec<&str>> {
    let words: Vec<&str> = term.words().collect();
    match term.substitute() {
        Some(SubstituteKind::NameWords | SubstituteKind::CompoundWords) => {
            words.into_iter().map(|word| vec![word]).collect()
        }
        _ => vec![words],
    }
}

/// Words of a text by whether they have the stem of a form: they repeat, and to stem each took most of the time of a long text.
type KnownWords<'f> = FxHashMap<&'f str, bool>;

/// Finds a word, or several in a row, in the forms that have the same stem, as the word index does.
struct FormFinder {
    /// Looks for the first word of several, else for `needle`.
    finder: Finder<'static>,
    /// Words before the last one.
    leading: Vec<String>,
    gap: WordGap,
    /// The beginning that the forms of the last word have in common.
    needle: String,
    /// It matches at the beginning of a word alone, since its script puts spaces between words: `or` is not in
    /// `error`.
    begins_word: bool,
    /// Number of bytes before the last word.
    before_last: usize,
    /// Its last word, folded; empty where it ends in a sign, or in a script without spaces.
    last_word: String,
    /// The stem of the last word, where that has other forms.
    stem: Option<String>,
}

impl FormFinder {
    /// Makes the finder of a form; `None` for one of which folding leaves nothing.
    fn new(form: &str, gap: WordGap) -> Option<Self> {
        let folded = fold_word(form);
        let mut words = split_form(&folded, gap);
        let last = words.pop()?;
        let is_of_word = |c: char| c.is_alphanumeric() && !is_unspaced(c);
        let before_last = last.trim_end_matches(is_of_word).len();
        let (before, last_word) = last.split_at_checked(before_last)?;
        let stem = find_stem(last_word);
        let needle = match &stem {
            Some(stem) => format!("{before}{}", shared_beginning(last_word, stem)),
            None => last.to_owned(),
        };
        let needle = Some(needle).filter(|needle| !needle.is_empty())?;
        Some(Self {
            finder: Finder::new(words.first().copied().unwrap_or(&needle)).into_owned(),
            begins_word: words.first().unwrap_or(&last).starts_with(is_of_word),
            gap,
            leading: words.into_iter().map(str::to_owned).collect(),
            needle,
            before_last,
            last_word: last_word.to_owned(),
            stem,
        })
    }

    /// Returns the end of what matches from an offset on at which it was found.
    fn match_end<'f>(
        &self,
        text: &'f FoldedText<'_>,
        start: usize,
        known: &mut KnownWords<'f>,
    ) -> Option<usize> {
        if self.begins_word && !text.begins_word(start) {
            return None;
        }
        let last = self.find_last_word(text.as_str(), start)? + self.before_last;
        if self.last_word.is_empty() {
            return Some(last);
        }
        let mut is_last_word = |word: &'f str| {
            let mut has_stem = || *known.entry(word).or_insert_with(|| self.has_stem(word));
            word == self.last_word || has_stem()
        };
        let whole = text.word_from(last);
        let word = if is_last_word(whole) {
            whole
        } else {
            text.camel_case_part_from(last)
                .filter(|part| is_last_word(part))?
        };
        Some(last + word.len())
    }

    /// Returns where the last word begins, if the words before it stand at an offset.
    fn find_last_word(&self, text: &str, start: usize) -> Option<usize> {
        let mut at = start;
        for word in &self.leading {
            let behind = text[at..].strip_prefix(word.as_str())?;
            let length = behind
                .find(char::is_alphanumeric)
                .filter(|length| *length > 0)?;
            let is_gap = match self.gap {
                WordGap::AnySigns => true,
                WordGap::WhiteSpace => behind[..length].contains(char::is_whitespace),
                WordGap::AsTyped => false,
            };
            if !is_gap {
                return None;
            }
            at += word.len() + length;
        }
        text[at..].starts_with(&self.needle).then_some(at)
    }

    fn has_stem(&self, word: &str) -> bool {
        let stem = self.stem.as_ref().filter(|_| word.is_ascii());
        stem.is_some_and(|stem| english().stem(word) == stem.as_str())
    }
}

/// Splits a form where its words may stand apart in a text: as the index does at spaces and hyphens.
fn split_form(form: &str, gap: WordGap) -> Vec<&str> {
    match gap {
        WordGap::AsTyped => vec![form],
        WordGap::WhiteSpace => split_phrase(form),
        WordGap::AnySigns => split_phrase(form)
            .into_iter()
            .flat_map(split_name)
            .collect(),
    }
}

/// Returns true for a term with signs that are not looked for.
fn loses_signs(term: &str, gap: WordGap) -> bool {
    let is_sign = |c: char| !c.is_alphanumeric() && !c.is_whitespace();
    term.contains(is_sign) && split_form(term, gap) != [term]
}

/// Splits a name at hyphens and underscores; a flag is left as it is.
fn split_name(word: &str) -> Vec<&str> {
    if !word.starts_with(char::is_alphanumeric) {
        return vec![word];
    }
    let parts = word.split(['-', '_']);
    parts.filter(|part| !part.is_empty()).collect()
}

/// Splits several words at spaces, without the signs around each; a single one is left as it is.
fn split_phrase(form: &str) -> Vec<&str> {
    let words: Vec<&str> = form.split_whitespace().collect();
    if let [word] = words[..] {
        return vec![word];
    }
    let words = words.into_iter();
    let words = words.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    words.filter(|word| !word.is_empty()).collect()
}

/// Returns the stemmer of the index, nearly.
fn english() -> Stemmer {
    Stemmer::create(Algorithm::English)
}

/// Returns the stem of a word, where other words may have it.
fn find_stem(word: &str) -> Option<String> {
    let is_inflected = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphabetic());
    let stem = is_inflected.then(|| english().stem(word).into_owned())?;
    (stem.len() >= MIN_STEM_BYTES).then_some(stem)
}

/// Returns the beginning of a word that all forms of its stem have: `hop` of `hope`, which is `hoping`, too, `happ` of
/// `happi`, which is `happy`, `possib` of `possibl`, which is `possibility`.
fn shared_beginning<'w>(word: &'w str, stem: &str) -> &'w str {
    let pairs = word.bytes().zip(stem.bytes());
    let shared = pairs.take_while(|(a, b)| a == b).count();
    let shared = word.get(..shared).unwrap_or_default();
    let kept = match shared.strip_suffix(['e', 'i', 'y']) {
        None if shared.ends_with("bl") => shared.strip_suffix('l'),
        kept => kept,
    };
    let kept = kept.unwrap_or(shared);
    if kept.len() >= MIN_NEEDLE_BYTES {
        kept
    } else {
        word
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snippet::find_snippet;
    use session_core::TurnContent;

    /// Returns what is shown of a turn with some commands for a query of some terms.
    fn shown(commands: &[&str], terms: &[(&str, WordGap)]) -> String {
        let content = TurnContent {
            commands: commands.iter().map(|line| (*line).to_owned()).collect(),
            ..TurnContent::default()
        };
        let words = SnippetWords::new(terms.iter().map(|(term, gap)| ([*term], *gap)));
        find_snippet(&content, &words, 60)
    }

    #[test]
    fn a_term_as_typed_is_shown_rather_than_its_words_beside_other_signs() {
        let commands = [
            "go test ./prompt/...",
            "read max in flight",
            "read max-in-flight",
            "go test ./...",
        ];
        for (term, gap, expected) in [
            ("go test ./...", WordGap::AnySigns, commands[3]),
            ("GO test ./...", WordGap::WhiteSpace, commands[3]),
            ("max-in-flight", WordGap::AnySigns, commands[2]),
            ("go test", WordGap::AnySigns, commands[0]),
        ] {
            assert_eq!(shown(&commands, &[(term, gap)]), expected, "{term}");
        }
    }

    /// Each path of the project that it names has the name as typed.
    #[test]
    fn a_name_as_typed_counts_no_more_than_another_term() {
        let commands = ["mend sharing of lamps", "ls /home/ann/tide-box/lamps"];
        let query = [
            ("sharing", WordGap::AnySigns),
            ("tide-box", WordGap::AnySigns),
        ];
        assert_eq!(shown(&commands, &query), commands[0]);
    }

    #[test]
    fn a_name_is_shown_where_its_words_stand_by_themselves() {
        let commands = [
            "curl -s -X POST -d data",
            "docker compose up -d",
            "agent --dry",
        ];
        let query = [
            ("docker-compose", WordGap::AnySigns),
            ("-d", WordGap::AnySigns),
            ("docker-compose up -d", WordGap::WhiteSpace),
        ];
        assert_eq!(shown(&commands, &query), commands[1]);
        assert_eq!(shown(&commands, &query[..1]), commands[1]);
        // A flag is none of its words.
        assert_eq!(
            shown(&commands, &[("--agent", WordGap::AnySigns)]),
            commands[0]
        );
    }
}
