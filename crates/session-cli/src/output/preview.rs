//! The lines of a hit that show why it was found, with the words that match.

use crate::output::layout::{INDENT, cut, safe_line, split};
use crate::output::style::{MATCH, paint};
use session_search::Results;
use session_store::{StoreError, find_term_ranges};
use std::ops::Range;

/// A passage of a hit, safe to print, with the ranges of the query's words.
pub struct Preview {
    /// On one line.
    pub text: String,
    /// Byte ranges of `text`, in order.
    matches: Vec<Range<usize>>,
}

/// The previews of all hits. The words are those that the word index was asked for.
///
/// # Errors
/// When SQLite fails.
pub fn previews(results: &Results) -> Result<Vec<Preview>, StoreError> {
    let hits = results.hits.iter();
    let texts: Vec<String> = hits.map(|hit| safe_line(&hit.preview)).collect();
    let lines: Vec<&str> = texts.iter().map(String::as_str).collect();
    let terms = results.explanation.terms.iter();
    let terms: Vec<&str> = terms.map(|count| count.term.as_str()).collect();
    let matches = find_term_ranges(&terms, &lines)?;
    let previews = texts.into_iter().zip(matches);
    Ok(previews
        .map(|(text, matches)| Preview { text, matches })
        .collect())
}

impl Preview {
    /// Beginnings and ends of the words that match, in characters (Unicode scalar values) of the text.
    pub fn offsets(&self) -> Vec<[usize; 2]> {
        let characters = |at: usize| self.text.get(..at).map_or(0, |head| head.chars().count());
        let matches = self.matches.iter();
        matches
            .map(|range| [characters(range.start), characters(range.end)])
            .collect()
    }

    /// At most two indented lines, the words that match in bold.
    pub fn lines(&self, width: usize) -> String {
        let columns = width.saturating_sub(INDENT);
        let (first, rest) = split(&self.text, columns);
        let lines = [
            (first.to_owned(), 0),
            (cut(rest, columns), self.text.len() - rest.len()),
        ];
        lines
            .iter()
            .filter(|(line, _)| !line.is_empty())
            .map(|(line, begin)| format!("{:INDENT$}{}\n", "", self.painted(line, *begin)))
            .collect()
    }

    /// A line that begins at a byte of the text, and may end in a mark of its own.
    fn painted(&self, line: &str, begin: usize) -> String {
        let text = self.text.get(begin..).unwrap_or_default();
        let same = line.chars().zip(text.chars()).take_while(|(a, b)| a == b);
        let kept: usize = same.map(|(c, _)| c.len_utf8()).sum();
        let (mut out, mut done) = (String::new(), 0);
        for range in &self.matches {
            let [start, end] = [range.start, range.end]
                .map(|at| at.saturating_sub(begin).clamp(done, kept.max(done)));
            if let (true, Some(before), Some(word)) =
                (start < end, line.get(done..start), line.get(start..end))
            {
                out.push_str(before);
                out.push_str(&paint(MATCH, word));
                done = end;
            }
        }
        out + line.get(done..).unwrap_or_default()
    }
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

    /// Bold in brackets.
    fn lines(preview: &Preview, width: usize) -> String {
        let (bold, plain) = (format!("{MATCH}"), format!("{MATCH:#}"));
        preview
            .lines(width)
            .replace(&bold, "[")
            .replace(&plain, "]")
    }

    #[test]
    fn words_that_match_are_bold_on_both_lines() {
        let preview = preview(
            "The lamps hang at the gate, and one lamp is out of oil",
            &["lamp", "oil"],
        );
        assert_eq!(
            lines(&preview, 34),
            "    The [lamps] hang at the gate,\n    and one [lamp] is out of [oil]\n"
        );
        assert_eq!(
            lines(&preview, 20),
            "    The [lamps] hang\n    at the gate, an…\n"
        );
    }

    #[test]
    fn a_match_over_the_end_of_a_line_is_bold_on_each() {
        let phrase = preview("The lamps hang at the gate", &["lamps hang at"]);
        assert_eq!(
            lines(&phrase, 18),
            "    The [lamps hang]\n    [at] the gate\n"
        );
        let cut = preview(
            "Lanterns and more, then: harbourmasters",
            &["harbourmasters"],
        );
        assert_eq!(lines(&cut, 16), "    Lanterns and\n    more, then:…\n");
        let cut = preview("Lanterns and a harbourmaster", &["harbourmaster"]);
        assert_eq!(lines(&cut, 16), "    Lanterns and\n    a [harbourma]…\n");
    }

    #[test]
    fn offsets_are_in_characters() {
        let preview = preview("«Ünïcödé» 👩 lamp 灯塔", &["unicode", "lamp", "塔"]);
        assert_eq!(preview.offsets(), [[1, 8], [12, 16], [18, 19]]);
        assert_eq!(super::tests::preview("", &["lamp"]).offsets(), [[0; 2]; 0]);
    }
}
