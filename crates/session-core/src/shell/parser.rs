//! Reads a command line character by character: quotes, comments, heredocs, and what separates its commands.

use super::heredoc::{HeredocEnd, heredoc_len};
use super::{find_plain_words, words_from_program};
use std::borrow::Cow;
use std::ops::Range;

/// A simple command of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandPart<'c> {
    /// The command without quotes and comments; space inside quotes is `_`, and so is an empty word.
    pub text: String,
    /// The `_` of `text` that the command does not have, in their order.
    placeholders: Vec<Placeholder>,
    /// The command as it is written.
    pub source: &'c str,
    /// Offsets in `text` of each `>` outside quotes.
    pub redirections: Vec<usize>,
    /// Offsets in `text` of each `<` outside quotes, but for heredocs, which `text` has not.
    pub(crate) input_redirections: Vec<usize>,
    /// The offset in `text` at which the first `<<<` stands in the command; the word behind it is input.
    pub here_string: Option<usize>,
    /// The operator that ends the command.
    pub operator: Operator,
    /// The text of its heredoc.
    pub heredoc: Option<&'c str>,
}

/// A `_` within a word that stands for something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Placeholder {
    /// Its offset in the text.
    at: usize,
    /// The white space that it stands for; `None` for an empty word.
    blank: Option<char>,
}

impl CommandPart<'_> {
    /// Returns the words as a shell makes them before it expands them: those of `text`, with the white space within them.
    pub fn words(&self) -> impl Iterator<Item = Cow<'_, str>> {
        self.words_of(&self.text)
    }

    /// Returns the words from the program on, as [`words_from_program`] does.
    pub fn program_words(&self) -> impl Iterator<Item = Cow<'_, str>> {
        let text = &self.text;
        let program = text.split_whitespace().count() - words_from_program(text).count();
        self.words_of(text).skip(program)
    }

    /// Returns those words without redirections and what the command reads as a here-string.
    pub fn plain_words(&self) -> impl Iterator<Item = Cow<'_, str>> {
        find_plain_words(self)
            .into_iter()
            .map(|word| self.unquote(word))
    }

    /// Returns a range of `text` with the white space that the command has there in quotes.
    pub fn unquote(&self, range: Range<usize>) -> Cow<'_, str> {
        let Some(text) = self.text.get(range.clone()) else {
            return Cow::default();
        };
        let first = self
            .placeholders
            .partition_point(|own| own.at < range.start);
        let within = self.placeholders[first..].iter();
        let mut within = within.take_while(|own| own.at < range.end).peekable();
        if within.peek().is_none() {
            return Cow::Borrowed(text);
        }
        let mut unquoted = String::with_capacity(text.len());
        let mut copied = range.start;
        for placeholder in within {
            unquoted.push_str(&self.text[copied..placeholder.at]);
            unquoted.extend(placeholder.blank);
            copied = placeholder.at + PLACEHOLDER.len_utf8();
        }
        unquoted.push_str(&self.text[copied..range.end]);
        Cow::Owned(unquoted)
    }

    /// Returns the words of a beginning of `text`.
    fn words_of<'t>(&'t self, text: &'t str) -> impl Iterator<Item = Cow<'t, str>> {
        let mut end = 0;
        text.split_whitespace().map(move |word| {
            let start = text.len() - text[end..].trim_start().len();
            end = start + word.len();
            self.unquote(start..end)
        })
    }
}

/// An operator after a simple command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// `;`, a line end, or the end of the command line.
    End,
    /// `&`
    Background,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `|` and `|&`
    Pipe,
    /// `(`
    Open,
    /// `)`
    Close,
}

/// Splits a command line at the operators between its simple commands.
pub(crate) fn split(command: &str) -> Vec<CommandPart<'_>> {
    let mut line = ShellParser {
        source: command,
        rest: UnreadText(command),
        parts: Vec::new(),
        text: String::new(),
        placeholders: Vec::new(),
        redirections: Vec::new(),
        input_redirections: Vec::new(),
        here_string: None,
        start: 0,
        heredocs: Vec::new(),
        heredoc_text: None,
        quoted_heredocs: 0,
    };
    loop {
        let at = line.position();
        match line.rest.next() {
            Some(c) => line.consume(c, at),
            None => {
                line.end(at, Operator::End);
                return line.parts;
            }
        }
    }
}

/// The text that is not read yet.
pub(super) struct UnreadText<'c>(pub(super) &'c str);

impl UnreadText<'_> {
    pub(super) fn peek(&self) -> Option<char> {
        self.0.chars().next()
    }

    pub(super) fn next_if(&mut self, is_wanted: impl FnOnce(char) -> bool) -> Option<char> {
        let c = self.peek().filter(|c| is_wanted(*c))?;
        self.0 = &self.0[c.len_utf8()..];
        Some(c)
    }

    pub(super) fn next_if_eq(&mut self, wanted: char) -> Option<char> {
        self.next_if(|c| c == wanted)
    }
}

impl Iterator for UnreadText<'_> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        self.next_if(|_| true)
    }
}

struct ShellParser<'c> {
    source: &'c str,
    rest: UnreadText<'c>,
    parts: Vec<CommandPart<'c>>,
    /// The text of the part that is being read.
    text: String,
    /// Its placeholders so far.
    placeholders: Vec<Placeholder>,
    /// Its redirections so far.
    redirections: Vec<usize>,
    input_redirections: Vec<usize>,
    /// Its first `<<<`.
    here_string: Option<usize>,
    /// The offset in the source at which that part begins.
    start: usize,
    /// The ends of the texts which begin on the next line, in order, and the number of the part that each belongs to.
    heredocs: Vec<(HeredocEnd, usize)>,
    /// The text of the heredoc of the part that is being read.
    heredoc_text: Option<&'c str>,
    /// The number of heredocs in double quotes.
    quoted_heredocs: usize,
}

/// The character that stands for white space within a word, and for an empty word.
const PLACEHOLDER: char = '_';
/// The characters before which a backslash in double quotes is none of the text.
const ESCAPED_IN_QUOTES: &str = "$`\"\\";
/// The most heredocs in double quotes of a command line of which the end is looked for.
const MAX_QUOTED_HEREDOCS: usize = 16;
/// Characters that end a word, beside white space.
pub(super) const AFTER_WORD: &str = ";|&<>()";
/// The most bytes of an expression within `((` and `))`.
const MAX_ARITHMETIC_LEN: usize = 500;

impl<'c> ShellParser<'c> {
    /// Consumes a character that stands at an offset of the source, and what belongs to it.
    fn consume(&mut self, c: char, at: usize) {
        match c {
            '\\' => self.escaped(),
            '\'' if ends_with_dollar(&self.source[..at]) => self.ansi_c_quoted(),
            '\'' | '"' => self.quoted(c),
            '#' if self.at_word() => while self.rest.next_if(|c| c != '\n').is_some() {},
            '(' if self.last() == Some('$') && self.rest.next_if_eq('(').is_some() => {
                self.skip_arithmetic();
            }
            '(' if self.at_word() && self.skip_arithmetic_command() => {}
            '<' if self.rest.next_if_eq('<').is_some() => self.begin_heredoc(),
            '&' if self.is_redirection() => self.push(c),
            '&' if self.rest.next_if_eq('&').is_some() => self.end(at, Operator::And),
            '&' => self.end(at, Operator::Background),
            '|' if self.rest.next_if_eq('|').is_some() => self.end(at, Operator::Or),
            // `>|` is a redirection.
            '|' if self.last() != Some('>') => {
                self.rest.next_if_eq('&');
                self.end(at, Operator::Pipe);
            }
            '\n' => {
                self.skip_heredocs();
                self.end(at, Operator::End);
            }
            ';' => self.end(at, Operator::End),
            '(' => self.end(at, Operator::Open),
            ')' => self.end(at, Operator::Close),
            '>' => {
                self.redirections.push(self.text.len());
                self.push(c);
            }
            '<' => {
                self.input_redirections.push(self.text.len());
                self.push(c);
            }
            _ => self.push(c),
        }
    }

    fn push(&mut self, c: char) {
        self.text.push(c);
    }

    /// Appends a character inside a word; white space becomes `_`.
    fn push_inside(&mut self, c: char) {
        if c.is_whitespace() {
            self.push_placeholder(Some(c));
        } else {
            self.push(c);
        }
    }

    fn push_placeholder(&mut self, blank: Option<char>) {
        let at = self.text.len();
        self.placeholders.push(Placeholder { at, blank });
        self.push(PLACEHOLDER);
    }

    /// Ends the part that is being read at an offset of the source; the next one begins at the cursor.
    fn end(&mut self, at: usize, operator: Operator) {
        let part = CommandPart {
            text: std::mem::take(&mut self.text),
            placeholders: std::mem::take(&mut self.placeholders),
            source: &self.source[self.start..at],
            redirections: std::mem::take(&mut self.redirections),
            input_redirections: std::mem::take(&mut self.input_redirections),
            here_string: self.here_string.take(),
            operator,
            heredoc: self.heredoc_text.take(),
        };
        self.parts.push(part);
        self.start = self.position();
    }

    /// Returns the offset in the source of the first unread byte.
    fn position(&self) -> usize {
        self.source.len() - self.rest.0.len()
    }

    fn last(&self) -> Option<char> {
        self.text.chars().next_back()
    }

    /// Skips `$((1 << 20))`, in which `<<` begins no heredoc.
    fn skip_arithmetic(&mut self) {
        while let Some(c) = self.rest.next_if(|c| c != '\n') {
            if c == ')' && self.rest.next_if_eq(')').is_some() {
                return;
            }
        }
    }

    /// Skips `((count > limit))` after its first `(`, in which `>` compares; returns false where none stands.
    fn skip_arithmetic_command(&mut self) -> bool {
        let Some(len) = arithmetic_len(self.rest.0) else {
            return false;
        };
        self.rest.0 = &self.rest.0[len..];
        self.text.push_str("((");
        true
    }

    fn at_word(&self) -> bool {
        self.last().is_none_or(char::is_whitespace)
    }

    /// Returns true within a redirection: `2>&1`, `&> file`, `|& head`.
    fn is_redirection(&mut self) -> bool {
        matches!(self.last(), Some('>' | '<' | '|')) || self.rest.peek() == Some('>')
    }

    /// Reads an escaped character; an escaped line end is dropped.
    fn escaped(&mut self) {
        match self.rest.next() {
            Some('\n') => self.push(' '),
            Some(c) => self.push_inside(c),
            None => {}
        }
    }

    /// Reads an escape in double quotes, in which a backslash before most characters is one of the text.
    fn escaped_in_quotes(&mut self) {
        if self.rest.next_if_eq('\n').is_some() {
            return;
        }
        match self.rest.next_if(|c| ESCAPED_IN_QUOTES.contains(c)) {
            Some(c) => self.push(c),
            None => self.push('\\'),
        }
    }

    /// Reads the second of two quotes without a text, if it stands there. An empty word is `_`: it may be the value of an option.
    fn skip_empty_quotes(&mut self, quote: char) -> bool {
        if !self.at_word() || self.rest.next_if_eq(quote).is_none() {
            return false;
        }
        let ends_word = |c: char| c.is_whitespace() || AFTER_WORD.contains(c);
        if self.rest.peek().is_none_or(ends_word) {
            self.push_placeholder(None);
        }
        true
    }

    /// Reads to the end of `$'…'`, in which a backslash escapes, from behind its first quote.
    fn ansi_c_quoted(&mut self) {
        // The `$` belongs to the quote.
        self.text.pop();
        if self.skip_empty_quotes('\'') {
            return;
        }
        while let Some(c) = self.rest.next() {
            match c {
                '\\' => self.ansi_c_escaped(),
                '\'' => return,
                c => self.push_inside(c),
            }
        }
    }

    /// Reads an escape in `$'…'`. The codes of characters (`\x41`) stay as they are written.
    fn ansi_c_escaped(&mut self) {
        match self.rest.next() {
            Some('n') => self.push_inside('\n'),
            Some('t') => self.push_inside('\t'),
            Some('r') => self.push_inside('\r'),
            Some(c) if "\\'\"?".contains(c) => self.push(c),
            Some(c) => {
                self.push('\\');
                self.push_inside(c);
            }
            None => {}
        }
    }

    /// Reads to the end of a quote.
    fn quoted(&mut self, quote: char) {
        if self.skip_empty_quotes(quote) {
            return;
        }
        while let Some(c) = self.rest.next() {
            match c {
                '\\' if quote == '"' => self.escaped_in_quotes(),
                c if c == quote => return,
                '<' if quote == '"' && self.rest.0.starts_with('<') => self.quoted_heredoc(),
                c => self.push_inside(c),
            }
        }
    }

    /// Reads a heredoc within double quotes up to its end, after its first `<`: quotes in its text end nothing.
    fn quoted_heredoc(&mut self) {
        self.push('<');
        self.quoted_heredocs += 1;
        if self.quoted_heredocs > MAX_QUOTED_HEREDOCS {
            return;
        }
        let end = self.position() + heredoc_len(self.rest.0).unwrap_or_default();
        while self.position() < end
            && let Some(c) = self.rest.next()
        {
            self.push_inside(c);
        }
    }

    /// Reads the delimiter of a heredoc, `<<EOF`, `<<- EOF` or `<< 'EOF'`; not `<<<`, which a word follows.
    fn begin_heredoc(&mut self) {
        if self.rest.next_if_eq('<').is_some() {
            self.here_string.get_or_insert(self.text.len());
            return;
        }
        let end = self.rest.read_heredoc_end();
        self.heredocs.extend(end.map(|end| (end, self.parts.len())));
    }

    /// Skips the texts of the heredocs of a line, and keeps each with the part that it belongs to; all that is left where no
    /// line ends it. Of several of one part the last is what it reads.
    fn skip_heredocs(&mut self) {
        for (end, owner) in std::mem::take(&mut self.heredocs) {
            let rest = self.rest.0;
            let len = end.body_len(rest).unwrap_or(rest.len());
            let (text, from_end) = rest.split_at(len);
            match self.parts.get_mut(owner) {
                Some(part) => part.heredoc = Some(text),
                None => self.heredoc_text = Some(text),
            }
            self.rest.0 = from_end.split_once('\n').map_or("", |(_, after)| after);
        }
    }
}

/// Returns the length of an expression from the second `(` of its `((` to its `))`; `None` if another thing stands,
/// such as a subshell in another.
fn arithmetic_len(text: &str) -> Option<usize> {
    let mut depth = 1;
    if !text.starts_with('(') {
        return None;
    }
    for (at, byte) in text.bytes().enumerate().take(MAX_ARITHMETIC_LEN) {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            b'\n' => return None,
            _ if depth == 1 => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

/// Returns true for a text at whose end a `$` is neither escaped nor a part of `$$`, the process id.
fn ends_with_dollar(text: &str) -> bool {
    let before = text.trim_end_matches('$');
    let escapes = before.len() - before.trim_end_matches('\\').len();
    before.len() < text.len() && (text.len() - before.len() + escapes) % 2 == 1
}
