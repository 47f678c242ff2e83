//! The line in which the query is typed.

use crate::text_blocks::SearchDirection;
use crossterm::event::{Event, KeyCode, KeyModifiers};
use session_core::text::clip;
use session_display::sanitize_line;
use session_query::{FilterValues, TypedCondition, complete, find_open_filter};
use std::ops::Range;
use tui_input::backend::crossterm::EventHandler;
use tui_input::{Input, InputRequest};

/// The query as it is typed, with the completion that Tab goes through.
#[derive(Debug, Default)]
pub(crate) struct QueryLine {
    input: Input,
    completion: Option<OpenCompletion>,
}

/// Candidates, of which one stands in the query.
#[derive(Debug)]
pub(crate) struct OpenCompletion {
    /// The bytes of the query that hold the candidate.
    pub(crate) span: Range<usize>,
    pub(crate) candidates: Vec<String>,
    /// The index of the candidate that stands in the query.
    pub(crate) chosen: usize,
    /// The query as it was typed.
    pub(crate) typed: Input,
}

impl QueryLine {
    pub(crate) fn new(text: &str) -> Self {
        Self {
            input: Input::new(sanitize_line(text)),
            completion: None,
        }
    }

    pub(crate) fn text(&self) -> &str {
        self.input.value()
    }

    pub(crate) fn input(&self) -> &Input {
        &self.input
    }

    /// Returns the completion that Tab goes through, if one is open.
    pub(crate) fn completion(&self) -> Option<&OpenCompletion> {
        self.completion.as_ref()
    }

    /// Closes the completion, and restores what was typed before it. Returns false where none is open.
    pub(crate) fn undo_completion(&mut self) -> bool {
        let Some(open) = self.completion.take() else {
            return false;
        };
        self.input = open.typed;
        true
    }

    /// Edits the query; returns true if its text changed.
    pub(crate) fn handle_event(&mut self, event: &Event) -> bool {
        let before = self.text().to_owned();
        edit_input(&mut self.input, event);
        self.completion = None;
        before != self.text()
    }

    /// Returns true if the cursor is in or behind a word with a colon, as filters have.
    pub(crate) fn may_be_in_filter(&self) -> bool {
        let before = self.text().get(..self.cursor_byte()).unwrap_or_default();
        let word = before.rsplit(char::is_whitespace).next();
        word.is_some_and(|word| word.contains(':'))
    }

    /// Returns the filter within whose value the cursor is.
    pub(crate) fn open_filter(&self) -> Option<TypedCondition> {
        find_open_filter(self.text().get(..self.cursor_byte())?)
    }

    /// Returns true if values complete the filter within whose value the cursor is.
    pub(crate) fn can_complete(&self, values: &FilterValues) -> bool {
        complete(self.text(), self.cursor_byte(), values).is_some()
    }

    /// Completes the filter before the cursor by its first candidate, or backwards by its last one, or goes on to the next
    /// one. Returns false where there is none.
    pub(crate) fn complete_filter(
        &mut self,
        values: &FilterValues,
        direction: SearchDirection,
    ) -> bool {
        let next = |chosen: usize, count: usize| match direction {
            SearchDirection::Forwards => (chosen + 1) % count,
            SearchDirection::Backwards => chosen.checked_sub(1).unwrap_or(count - 1),
        };
        if let Some(OpenCompletion {
            candidates, chosen, ..
        }) = &mut self.completion
        {
            *chosen = next(*chosen, candidates.len());
        } else if let Some(found) = complete(self.text(), self.cursor_byte(), values) {
            let count = found.candidates.len();
            self.completion = count.checked_sub(1).map(|last| OpenCompletion {
                span: found.span,
                candidates: found.candidates,
                typed: self.input.clone(),
                chosen: match direction {
                    SearchDirection::Forwards => 0,
                    SearchDirection::Backwards => last,
                },
            });
        }
        self.insert_candidate()
    }

    /// Puts the candidate that is chosen into the query.
    fn insert_candidate(&mut self) -> bool {
        let Some(completion) = &mut self.completion else {
            return false;
        };
        let candidate = &completion.candidates[completion.chosen];
        let mut text = self.input.value().to_owned();
        text.replace_range(completion.span.clone(), candidate);
        completion.span.end = completion.span.start + candidate.len();
        let cursor = text[..completion.span.end].chars().count();
        self.input = Input::new(text).with_cursor(cursor);
        // The only one is complete: what is typed, and completed, next is another word.
        if completion.candidates.len() == 1 {
            let is_value = !candidate.ends_with(':');
            self.completion = None;
            if is_value && self.input.value().chars().count() == cursor {
                self.input.handle(InputRequest::InsertChar(' '));
            }
        }
        true
    }

    fn cursor_byte(&self) -> usize {
        cursor_byte(&self.input)
    }
}

/// Returns the bytes before the cursor.
fn cursor_byte(input: &Input) -> usize {
    let text = input.value();
    let at = text.char_indices().nth(input.cursor());
    at.map_or(text.len(), |(at, _)| at)
}

/// Most bytes that are pasted at once. No query and no memory is as long, and all of a line is searched for and drawn
/// again at each key.
const PASTE_BYTES: usize = 4 << 10;
/// Bytes of a line that takes no more letters: a terminal may send a paste as keys.
const LINE_BYTES: usize = 2 * PASTE_BYTES;

/// Returns the note that only the beginning of a text is pasted, where it is too long.
pub(crate) fn note_cut_paste(text: &str) -> Option<String> {
    let is_cut = text.len() > PASTE_BYTES;
    is_cut.then(|| format!("only the first {} KB are pasted", PASTE_BYTES >> 10))
}

/// Edits a line by a key, those of Emacs among them, or by what is pasted. A letter that no terminal
/// shows is left out.
pub(crate) fn edit_input(input: &mut Input, event: &Event) {
    let key = match event {
        Event::Key(key) => key,
        Event::Paste(text) => return paste_text(input, text),
        _ => return,
    };
    let request = match (key.code, key.modifiers) {
        (KeyCode::Char('b'), KeyModifiers::ALT) => InputRequest::GoToPrevWord,
        (KeyCode::Char('f'), KeyModifiers::ALT) => InputRequest::GoToNextWord,
        (KeyCode::Char('d'), KeyModifiers::ALT) => InputRequest::DeleteNextWord,
        (KeyCode::Char('d'), KeyModifiers::CONTROL) => InputRequest::DeleteNextChar,
        (KeyCode::Char(_), KeyModifiers::NONE | KeyModifiers::SHIFT)
            if input.value().len() >= LINE_BYTES =>
        {
            return;
        }
        (KeyCode::Char(letter), _) if sanitize_line(&format!("a{letter}a")).len() == 2 => return,
        _ => {
            input.handle_event(event);
            return;
        }
    };
    input.handle(request);
}

/// Inserts a text before the cursor, at once: letter by letter takes the square of its length.
fn paste_text(input: &mut Input, text: &str) {
    // The spaces around what is pasted are meant; a line loses them. A terminal ends lines by CR.
    let text = clip(text.trim_matches(['\r', '\n']), PASTE_BYTES).replace(['\r', '\n'], " ");
    let framed = sanitize_line(&format!("a{text}a"));
    let pasted = &framed[1..framed.len() - 1];
    let cursor = input.cursor() + pasted.chars().count();
    let mut line = input.value().to_owned();
    line.insert_str(cursor_byte(input), pasted);
    *input = std::mem::take(input).with_value(line);
    input.handle(InputRequest::SetCursor(cursor));
}

/// The part of a typed line that fits into its columns.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct VisibleInput<'a> {
    pub(crate) text: &'a str,
    /// The column of the cursor in the part.
    pub(crate) cursor_column: usize,
}

/// Returns the part of a line that fits into so many columns with its cursor.
pub(crate) fn visible_input(input: &Input, columns: usize) -> VisibleInput<'_> {
    let hidden = input.visual_scroll(columns.saturating_sub(1));
    let text = input.value();
    let mut width = 0;
    let begin = text.char_indices().find(|(_, letter)| {
        let is_visible = width >= hidden;
        width += unicode_width::UnicodeWidthChar::width(*letter).unwrap_or(0);
        is_visible
    });
    let begin = begin.map_or(text.len(), |(at, _)| at);
    VisibleInput {
        text: &text[begin..],
        cursor_column: input.visual_cursor().saturating_sub(hidden),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossterm::event::KeyEvent;

    fn values() -> FilterValues {
        FilterValues {
            agents: vec!["ferryman".into(), "keeper".into()],
            projects: vec![".".into(), "harbour".into(), "hill".into()],
            branches: vec!["main".into()],
            ..FilterValues::default()
        }
    }

    fn complete_next(line: &mut QueryLine) -> bool {
        line.complete_filter(&values(), SearchDirection::Forwards)
    }

    fn type_in(line: &mut QueryLine, text: &str) {
        for letter in text.chars() {
            line.handle_event(&key(KeyCode::Char(letter), KeyModifiers::NONE));
        }
    }

    fn key(code: KeyCode, modifiers: KeyModifiers) -> Event {
        Event::Key(KeyEvent::new(code, modifiers))
    }

    #[test]
    fn tab_completes_a_field_and_goes_through_its_values() {
        let mut line = QueryLine::new("lamp -pro");
        assert!(complete_next(&mut line));
        assert_eq!(line.text(), "lamp -project:");
        type_in(&mut line, "h");
        assert!(complete_next(&mut line));
        assert_eq!(line.text(), "lamp -project:harbour");
        assert_eq!(line.completion().unwrap().candidates.len(), 2);
        complete_next(&mut line);
        assert_eq!(line.text(), "lamp -project:hill");
        complete_next(&mut line);
        assert_eq!(line.text(), "lamp -project:harbour");
        type_in(&mut line, " x");
        assert!(line.completion().is_none());
        assert!(!complete_next(&mut line));
    }

    #[test]
    fn values_are_gone_through_backwards() {
        let mut line = QueryLine::new("project:");
        for expected in ["hill", "harbour", ".", "hill"] {
            assert!(line.complete_filter(&values(), SearchDirection::Backwards));
            assert_eq!(line.text(), format!("project:{expected}"));
        }
        complete_next(&mut line);
        assert_eq!(line.text(), "project:.");
    }

    #[test]
    fn a_value_is_completed_within_the_query() {
        let mut line = QueryLine::new("agent:fe lamp");
        for _ in 0..5 {
            line.handle_event(&key(KeyCode::Left, KeyModifiers::NONE));
        }
        assert!(complete_next(&mut line));
        type_in(&mut line, "!");
        assert_eq!(line.text(), "agent:ferryman! lamp");
    }

    #[test]
    fn the_next_word_stands_behind_a_value_that_is_complete() {
        let mut line = QueryLine::new("agent:fe");
        assert!(complete_next(&mut line));
        type_in(&mut line, "lamp");
        assert_eq!(line.text(), "agent:ferryman lamp");
        let mut field = QueryLine::new("agen");
        assert!(complete_next(&mut field));
        assert_eq!(field.text(), "agent:");
    }

    #[test]
    fn what_no_terminal_shows_is_not_taken() {
        let mut line = QueryLine::new("a\u{1b}[31mb\u{202e}");
        type_in(&mut line, "\u{202e}c\u{200b} ");
        line.handle_event(&Event::Paste("d\u{1b}]0;x\u{7}\ne".into()));
        assert!(line.text().chars().all(|c| !c.is_control()));
        assert!(!line.text().contains('\u{202e}'), "{:?}", line.text());
        assert!(line.text().ends_with(" e"), "{:?}", line.text());
        line.handle_event(&Event::Paste(" f g\n".into()));
        assert!(line.text().ends_with("e f g"), "{:?}", line.text());
        line.handle_event(&Event::Paste("\rh\ri\r\nj".into()));
        assert!(line.text().ends_with("gh i j"), "{:?}", line.text());
    }

    #[test]
    fn a_long_line_takes_no_more_letters() {
        let mut input = Input::new("x".repeat(LINE_BYTES - 1));
        for _ in 0..3 {
            edit_input(&mut input, &Event::Key(KeyCode::Char('y').into()));
        }
        assert_eq!(input.value().len(), LINE_BYTES);
        edit_input(&mut input, &Event::Key(KeyCode::Backspace.into()));
        assert_eq!(input.value().len(), LINE_BYTES - 1);
    }

    #[test]
    fn a_large_text_is_pasted_at_once_and_cut() {
        let mut line = QueryLine::new("ab");
        line.handle_event(&key(KeyCode::Left, KeyModifiers::NONE));
        line.handle_event(&Event::Paste("灯塔 ".repeat(20_000)));
        type_in(&mut line, "!");
        let text = line.text();
        assert!(text.starts_with("a灯塔 灯塔"), "{text}");
        assert!(text.ends_with("!b"), "{text}");
        assert!(text.len() < 5_000, "{}", text.len());
    }

    #[test]
    fn keys_of_emacs_edit() {
        let mut line = QueryLine::new("one two three");
        line.handle_event(&key(KeyCode::Char('b'), KeyModifiers::ALT));
        line.handle_event(&key(KeyCode::Char('d'), KeyModifiers::ALT));
        assert_eq!(line.text(), "one two ");
        line.handle_event(&key(KeyCode::Char('a'), KeyModifiers::CONTROL));
        line.handle_event(&key(KeyCode::Char('d'), KeyModifiers::CONTROL));
        assert_eq!(line.text(), "ne two ");
        line.handle_event(&key(KeyCode::Char('f'), KeyModifiers::ALT));
        type_in(&mut line, "x");
        assert_eq!(line.text(), "ne xtwo ");
        line.handle_event(&key(KeyCode::Char('a'), KeyModifiers::CONTROL));
        line.handle_event(&key(KeyCode::Char('k'), KeyModifiers::CONTROL));
        assert_eq!(line.text(), "");
    }

    #[test]
    fn the_cursor_stays_visible_beside_wide_letters() {
        let line = QueryLine::new("灯塔灯塔灯塔 end");
        let visible = visible_input(&line.input, 8);
        assert!(visible.cursor_column < 8, "{visible:?}");
        assert!(visible.text.ends_with("end"), "{visible:?}");
        let line = QueryLine::new("ab");
        let visible = visible_input(&line.input, 8);
        assert_eq!((visible.text, visible.cursor_column), ("ab", 2));
    }
}
