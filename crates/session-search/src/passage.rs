//! The passage of a text that holds most words of a query.

use crate::folded_text::FoldedText;
use crate::snippet_words::{SnippetWords, WordMatch};
use session_core::text;
use std::ops::Range;
use unicode_width::UnicodeWidthStr;

/// Marks of what is left out before and behind a passage, a character each.
const MARKS_AROUND: usize = 2;

/// A part of a text that holds words of the query.
pub(crate) struct Passage<'t> {
    /// The text from its beginning on.
    pub(crate) text: &'t str,
    /// Number of different words of the query in what is shown of it.
    pub(crate) words: usize,
    /// Whether its line begins before it.
    pub(crate) is_within_line: bool,
}

impl<'t> Passage<'t> {
    /// Returns the passage of a text with most of the words, the first of several, if it has any of them. At most `limit`
    /// characters are shown, with marks where it is cut.
    pub(crate) fn find(text: &'t str, words: &SnippetWords, limit: usize) -> Option<Self> {
        let folded = FoldedText::new(text);
        let matches = words.find_in(&folded);
        let starts = find_passage_starts(folded.as_str(), &matches, limit);
        let mut window = MatchWindow::new(&matches, words.len());
        let (mut most_words, mut best) = (0, None);
        for start in starts {
            let range = start.offset..start.shown_end(folded.as_str(), limit);
            let words = window.move_to(range.clone());
            if words > most_words {
                (most_words, best) = (words, Some((start, range)));
            }
        }
        let (start, range) = best?;
        let offset = if start.is_within_line() {
            add_lead_in(folded.as_str(), &matches, start.line, range, limit)
        } else {
            start.offset
        };
        Some(Self {
            text: folded.original_from(offset),
            words: most_words,
            is_within_line: offset > start.line,
        })
    }
}

/// The beginning of a passage: byte offsets in a folded text.
struct PassageStart {
    offset: usize,
    /// The beginning of its line.
    line: usize,
}

impl PassageStart {
    fn is_within_line(&self) -> bool {
        self.offset > self.line
    }

    /// Returns the end of what is certainly shown from here.
    fn shown_end(&self, folded: &str, limit: usize) -> usize {
        let marks = 1 + usize::from(self.is_within_line());
        if folded.len() - self.offset + marks <= limit {
            folded.len()
        } else {
            self.offset + certain_bytes(limit, marks)
        }
    }
}

/// Returns how many bytes of a text are certainly shown beside so many marks: lines break between words, which leaves columns
/// empty.
fn certain_bytes(limit: usize, marks: usize) -> usize {
    limit.saturating_sub(marks.max(limit / 16))
}

/// Returns where passages may begin: at a line with words of the query; in a line that is longer than `limit`, at each
/// such word.
fn find_passage_starts(folded: &str, matches: &[WordMatch], limit: usize) -> Vec<PassageStart> {
    let mut starts = Vec::new();
    let mut from = 0;
    while let Some(matched) = matches_from(matches, from).first() {
        let line = folded.get(..matched.start).and_then(|t| t.rfind('\n'));
        let line = line.map_or(0, |end| end + 1);
        let end = folded.get(matched.start..).and_then(|t| t.find('\n'));
        let end = end.map_or(folded.len(), |length| matched.start + length + 1);
        if is_longer(folded.get(line..end).unwrap_or_default(), limit) {
            let within = matches_from(matches, from).iter();
            let within = within.take_while(|matched| matched.start < end);
            let offsets = within.map(|matched| matched.start);
            starts.extend(offsets.map(|offset| PassageStart { offset, line }));
        } else {
            starts.push(PassageStart { offset: line, line });
        }
        from = end;
    }
    starts
}

/// Returns true for a line that takes more columns: a wide character takes two of a terminal, which shows some two lines.
fn is_longer(line: &str, limit: usize) -> bool {
    let is_certain = line.len() / char::MAX.len_utf8() > limit;
    is_certain || (line.len() > limit && line.width() > limit)
}

/// Returns the matches that begin at or after `from`.
fn matches_from(matches: &[WordMatch], from: usize) -> &[WordMatch] {
    let before = matches.partition_point(|matched| matched.start < from);
    matches.get(before..).unwrap_or_default()
}

/// Counts the different words that match within a range of a text, which moves forward.
struct MatchWindow<'m> {
    by_start: &'m [WordMatch],
    by_end: Vec<&'m WordMatch>,
    range: Range<usize>,
    /// Number of matches that begin before the range.
    passed: usize,
    /// Number of matches that end before the end of the range.
    reached: usize,
    /// Number of matches of each word.
    counts: Vec<usize>,
    words: usize,
}

impl<'m> MatchWindow<'m> {
    fn new(matches: &'m [WordMatch], words: usize) -> Self {
        let mut by_end: Vec<&WordMatch> = matches.iter().collect();
        by_end.sort_unstable_by_key(|matched| matched.end);
        Self {
            by_start: matches,
            by_end,
            range: 0..0,
            passed: 0,
            reached: 0,
            counts: vec![0; words],
            words: 0,
        }
    }

    /// Moves to a range that neither begins nor ends before the last one, and returns its number of words.
    fn move_to(&mut self, range: Range<usize>) -> usize {
        while let Some(matched) = self.by_start.get(self.passed)
            && matched.start < range.start
        {
            self.passed += 1;
            if matched.end <= self.range.end {
                self.count(matched.word, |count| count - 1);
            }
        }
        while let Some(matched) = self.by_end.get(self.reached)
            && matched.end <= range.end
        {
            self.reached += 1;
            if matched.start >= range.start {
                self.count(matched.word, |count| count + 1);
            }
        }
        self.range = range;
        self.words
    }

    fn count(&mut self, word: usize, change: impl Fn(usize) -> usize) {
        if let Some(count) = self.counts.get_mut(word) {
            self.words -= usize::from(*count > 0);
            *count = change(*count);
            self.words += usize::from(*count > 0);
        }
    }
}

/// Returns the beginning of a passage within a line with what is shown before its first match: as much as the last word
/// that is new leaves room for.
fn add_lead_in(
    folded: &str,
    matches: &[WordMatch],
    line: usize,
    shown: Range<usize>,
    limit: usize,
) -> usize {
    let mut seen = Vec::new();
    let mut last_end = shown.start;
    let within = matches_from(matches, shown.start).iter();
    let within = within.take_while(|matched| matched.start < shown.end);
    for matched in within.filter(|matched| matched.end <= shown.end) {
        if !seen.contains(&matched.word) {
            seen.push(matched.word);
            last_end = last_end.max(matched.end);
        }
    }
    let before = folded.get(line..shown.start).unwrap_or_default();
    let most = certain_bytes(limit, MARKS_AROUND);
    let room = LeadInRoom {
        most: most.saturating_sub(last_end - shown.start),
        empty: most.saturating_sub(folded.len() - shown.start),
    };
    line + find_word_start(before, limit, room)
}

/// The bytes that a passage leaves for what is before its first match.
struct LeadInRoom {
    /// Beside its words.
    most: usize,
    /// Beside all that is behind them in the text.
    empty: usize,
}

/// Returns the beginning of a word some bytes before the end of a text: a quarter of `limit`, or up to half of it to the
/// beginning of a path; as many as are empty otherwise, and never more than there is room for. The end where there is none.
fn find_word_start(text: &str, limit: usize, room: LeadInRoom) -> usize {
    let back = |bytes: usize| {
        let bytes = bytes.max(room.empty).min(room.most);
        text::clip(text, text.len().saturating_sub(bytes)).len()
    };
    let (far, near) = (back(limit / 2), back(limit / 4));
    let is_start = |c: char| c.is_whitespace() || text::is_unspaced(c);
    match (text.get(far..near), text.get(near..)) {
        _ if near == 0 => 0,
        (_, Some(close)) if close.contains(is_start) => {
            near + close.find(is_start).unwrap_or_default()
        }
        (Some(before), _) => before
            .rfind(is_start)
            .map_or(text.len(), |start| far + start),
        _ => text.len(),
    }
}
