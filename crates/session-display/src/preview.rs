//! A passage of a hit with the words that match.

use crate::columns::{sanitize_line, split_at_columns, truncate_to_columns};
use session_core::text::is_unspaced;
use session_search::SearchResults;
use session_store::{StoreError, TermStats, find_term_ranges};
use std::ops::Range;

/// Mark of omitted words.
const CUT: &str = "…";

/// A passage of a hit, safe to print, with the ranges of the query's words.
#[derive(Debug, Clone, Default)]
pub struct Preview {
    /// On one line.
    pub text: String,
    /// Byte ranges of `text`, in order.
    matches: Vec<Range<usize>>,
}

/// A part of a line of a preview.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviewPart {
    /// The text.
    pub text: String,
    /// It is a word of the query.
    pub is_match: bool,
}

/// Returns the previews of all hits without the words of the query, for output without styles: to find the words takes
/// a twentieth of a query.
pub fn make_plain_previews(results: &SearchResults) -> Vec<Preview> {
    let plain = |text: &str| Preview {
        text: sanitize_line(text),
        matches: Vec::new(),
    };
    let hits = results.hits.iter();
    hits.map(|hit| plain(&hit.preview)).collect()
}

/// Returns the previews of all hits. The words are those that the word index was asked for.
///
/// # Errors
/// When SQLite fails.
pub fn make_previews(results: &SearchResults) -> Result<Vec<Preview>, StoreError> {
    let texts: Vec<&str> = results
        .hits
        .iter()
        .map(|hit| hit.preview.as_str())
        .collect();
    mark_terms(results, &texts)
}

/// Returns texts on one line each, with the words that the word index was asked for.
///
/// # Errors
/// When SQLite fails.
pub fn mark_terms(results: &SearchResults, texts: &[&str]) -> Result<Vec<Preview>, StoreError> {
    let terms = results.explanation.terms.iter();
    let terms: Vec<&str> = terms.flat_map(TermStats::words).collect();
    mark_words(&terms, texts)
}

/// Returns texts on one line each, with these words.
///
/// # Errors
/// When SQLite fails.
pub fn mark_words(terms: &[&str], texts: &[&str]) -> Result<Vec<Preview>, StoreError> {
    let texts: Vec<String> = texts.iter().map(|text| sanitize_line(text)).collect();
    let lines: Vec<&str> = texts.iter().map(String::as_str).collect();
    let matches = find_term_ranges(terms, &lines)?;
    let previews = texts.into_iter().zip(matches);
    Ok(previews
        .map(|(text, matches)| Preview { text, matches })
        .collect())
}

impl Preview {
    /// Returns beginnings and ends of the words that match, in characters (Unicode scalar values) of the text.
    pub fn char_ranges(&self) -> Vec<[usize; 2]> {
        let characters = |at: usize| self.text.get(..at).map_or(0, |head| head.chars().count());
        let matches = self.matches.iter();
        matches
            .map(|range| [characters(range.start), characters(range.end)])
            .collect()
    }

    /// Folds the text to at most two lines of so many columns; the second is cut. Where it would be cut before words that
    /// match, the first line begins at the word from which on most of them are shown.
    pub fn wrap_parts(&self, columns: usize) -> Vec<Vec<PreviewPart>> {
        match self.find_better_beginning(columns, 2) {
            Some(later) => later.wrap_from_beginning(columns),
            None => self.wrap_from_beginning(columns),
        }
    }

    /// Returns the preview from the first word on with which one or two lines show most words that match; `None` if they
    /// show no more than from the beginning.
    fn find_better_beginning(&self, columns: usize, lines: usize) -> Option<Self> {
        let mut most = self.count_shown(columns, lines);
        if most.whole == self.matches.len() {
            return None;
        }
        let mut best = None;
        for later in word_starts(&self.text).map(|at| self.cut_before(at)) {
            let shown = later.count_shown(columns, lines);
            if shown > most {
                (most, best) = (shown, Some(later));
            }
        }
        best
    }

    /// Returns the preview from a byte of the text on, with a mark before it.
    fn cut_before(&self, at: usize) -> Self {
        let rest = self.text.get(at..).unwrap_or_default();
        let matches = self.matches.iter().filter(|range| range.start >= at);
        let shift = |offset: usize| offset - at + CUT.len();
        Self {
            text: format!("{CUT}{rest}"),
            matches: matches
                .map(|range| shift(range.start)..shift(range.end))
                .collect(),
        }
    }

    /// Counts the words that match which one or two lines show.
    fn count_shown(&self, columns: usize, lines: usize) -> ShownMatches {
        let rest = match lines {
            1 => self.text.as_str(),
            _ => split_at_columns(&self.text, columns).1,
        };
        let hidden = rest.len()
            - truncate_to_columns(rest, columns)
                .trim_end_matches(CUT)
                .len();
        let end = self.text.len() - hidden;
        let count = |test: &dyn Fn(&Range<usize>) -> bool| {
            let matches = self.matches.iter();
            matches.filter(|range| test(range)).count()
        };
        ShownMatches {
            whole: count(&|range| range.end <= end),
            begun: count(&|range| range.start < end),
        }
    }

    fn wrap_from_beginning(&self, columns: usize) -> Vec<Vec<PreviewPart>> {
        let (first, rest) = split_at_columns(&self.text, columns);
        let second = truncate_to_columns(rest, columns);
        let lines = [(first, 0), (second.as_str(), self.text.len() - rest.len())];
        let lines = lines.iter().filter(|(line, _)| !line.is_empty());
        lines
            .map(|(line, begin)| self.split_parts(line, *begin))
            .collect()
    }

    /// Cuts the text to one line of so many columns. A passage that begins within a line begins later where more words that
    /// match are shown so.
    pub fn fit_parts(&self, columns: usize) -> Vec<PreviewPart> {
        let is_cut = self.text.starts_with(CUT);
        let later = is_cut.then(|| self.find_better_beginning(columns, 1));
        let shown = later.flatten();
        let shown = shown.as_ref().unwrap_or(self);
        shown.split_parts(&truncate_to_columns(&shown.text, columns), 0)
    }

    /// Splits a line that begins at a byte of the text, and may end in a mark of its own.
    fn split_parts(&self, line: &str, begin: usize) -> Vec<PreviewPart> {
        let text = self.text.get(begin..).unwrap_or_default();
        let same = line.chars().zip(text.chars()).take_while(|(a, b)| a == b);
        let kept: usize = same.map(|(c, _)| c.len_utf8()).sum();
        let (mut out, mut done) = (Vec::new(), 0);
        let mut push = |text: &str, is_match| {
            let text = text.to_owned();
            if !text.is_empty() {
                out.push(PreviewPart { text, is_match });
            }
        };
        for range in &self.matches {
            let [start, end] = [range.start, range.end]
                .map(|at| at.saturating_sub(begin).clamp(done, kept.max(done)));
            if let (true, Some(before), Some(word)) =
                (start < end, line.get(done..start), line.get(start..end))
            {
                push(before, false);
                push(word, true);
                done = end;
            }
        }
        push(line.get(done..).unwrap_or_default(), false);
        out
    }
}

/// Counts of the matches that a preview shows. They are compared by the matches that are shown whole first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct ShownMatches {
    whole: usize,
    begun: usize,
}

/// Returns where words begin but for the first one, in bytes: each character of a script without spaces is one.
fn word_starts(text: &str) -> impl Iterator<Item = usize> {
    let after = text.char_indices().skip(1);
    let pairs = text.chars().zip(after);
    let starts = pairs.filter(|(before, (_, c))| *c != ' ' && (*before == ' ' || is_unspaced(*c)));
    starts.map(|(_, (at, _))| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn preview(text: &str, words: &[&str]) -> Preview {
        Preview {
            text: text.to_owned(),
            matches: find_term_ranges(words, &[text]).unwrap().remove(0),
        }
    }

    /// Words that match in brackets.
    fn lines(preview: &Preview, columns: usize) -> String {
        let part = |part: &PreviewPart| {
            if part.is_match {
                format!("[{}]", part.text)
            } else {
                part.text.clone()
            }
        };
        let lines = preview.wrap_parts(columns);
        let lines = lines
            .iter()
            .map(|line| line.iter().map(part).collect::<String>() + "\n");
        lines.collect()
    }

    #[test]
    fn words_that_match_are_bold_on_both_lines() {
        let preview = preview(
            "The lamps hang at the gate, and one lamp is out of oil",
            &["lamp", "oil"],
        );
        assert_eq!(
            lines(&preview, 30),
            "The [lamps] hang at the gate,\nand one [lamp] is out of [oil]\n"
        );
        assert_eq!(
            lines(&preview, 24),
            "The [lamps] hang at the\ngate, and one [lamp] is o…\n"
        );
    }

    #[test]
    fn lines_begin_where_most_words_that_match_are_shown() {
        let last = preview(
            "They walked along the quay in the evening and looked at the lamp and the oil",
            &["lamp", "oil", "walked"],
        );
        assert_eq!(
            lines(&last, 20),
            "…and looked at the\n[lamp] and the [oil]\n"
        );
        assert_eq!(lines(&last, 12), "…at the [lamp]\nand the [oil]\n");
        let first = preview(
            "…the lamp and the oil that were left behind in the evening by the keeper",
            &["lamp", "oil", "keeper"],
        );
        assert_eq!(
            lines(&first, 20),
            "…the [lamp] and the\n[oil] that were left…\n"
        );
        let unspaced = preview("港の灯台の灯りを修理する人が来た", &["修理"]);
        assert_eq!(lines(&unspaced, 8), "…の灯り\nを[修理]…\n");
    }

    #[test]
    fn one_line_of_a_cut_passage_shows_its_match() {
        let line = |text: &str| {
            let parts = preview(text, &["lamp"]).fit_parts(20);
            parts.into_iter().map(|part| part.text).collect::<String>()
        };
        assert_eq!(
            line("…they walked along the quay to the lamp"),
            "…quay to the lamp"
        );
        assert_eq!(
            line("they walked along the quay to the lamp"),
            "they walked along t…"
        );
        assert_eq!(line("…they walked along the quay"), "…they walked along…");
    }

    #[test]
    fn a_match_over_the_end_of_a_line_is_bold_on_each() {
        let phrase = preview("The lamps hang at the gate", &["lamps hang at"]);
        assert_eq!(lines(&phrase, 14), "The [lamps hang]\n[at] the gate\n");
        let cut = preview(
            "Lanterns and more, then: harbourmasters",
            &["harbourmasters"],
        );
        assert_eq!(lines(&cut, 12), "…[harbourmast]\n[ers]\n");
        let cut = preview("Lanterns and a harbourmaster", &["harbourmaster"]);
        assert_eq!(lines(&cut, 6), "…and a\n[harbo]…\n");
    }

    #[test]
    fn offsets_are_in_characters() {
        let marked = preview("«Ünïcödé» 👩 lamp 灯塔", &["unicode", "lamp", "塔"]);
        assert_eq!(marked.char_ranges(), [[1, 8], [12, 16], [18, 19]]);
        assert_eq!(preview("", &["lamp"]).char_ranges(), [[0; 2]; 0]);
    }
}
