//! Completion of filters that are typed in a query.

use crate::query_tokens::{COLONS, QueryToken, QuoteState, SignedWord, TokenKind, tokens};
use crate::typed_query::{FilterField, TypedCondition};
use session_core::project_name;
use session_store::{Reader, SessionRow, StoreError};
use std::cmp::Reverse;
use std::collections::HashSet;
use std::ops::Range;

/// Times that are worth to be proposed.
const TIMES: [&str; 8] = ["today", "yesterday", "1d", "3d", "1w", "2w", "1mo", "3mo"];

/// The values that filters can have in an index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FilterValues {
    /// The agents, by name.
    pub agents: Vec<String>,
    /// The names of projects, the latest first; before them `.`.
    pub projects: Vec<String>,
    /// The git branches, the latest first.
    pub branches: Vec<String>,
}

/// The candidates for a part of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// The bytes of the query that a candidate replaces. They end at the cursor.
    pub span: Range<usize>,
    /// The candidates, best first.
    pub candidates: Vec<String>,
}

impl FilterValues {
    /// Reads the values from an index; `sessions` are all of its sessions.
    ///
    /// # Errors
    /// When the index fails.
    pub fn read(index: &Reader, sessions: &[SessionRow]) -> Result<Self, StoreError> {
        let mut newest: Vec<&SessionRow> = sessions.iter().collect();
        newest.sort_by_key(|session| Reverse(session.ended_ms));
        let mut agents = distinct(newest.iter().map(|session| session.source.as_str()));
        agents.sort();
        let names = newest
            .iter()
            .filter_map(|session| session.project.as_deref());
        let names = std::iter::once(".").chain(names.map(project_name));
        let of_turns = index.branches()?;
        let of_sessions = newest
            .iter()
            .filter_map(|session| session.branch.as_deref());
        Ok(Self {
            agents,
            projects: distinct(names),
            branches: distinct(of_turns.iter().map(String::as_str).chain(of_sessions)),
        })
    }

    fn values(&self, field: FilterField) -> Vec<&str> {
        let values = match field {
            FilterField::Agent => &self.agents,
            FilterField::Project => &self.projects,
            FilterField::Branch => &self.branches,
            FilterField::File => return Vec::new(),
            FilterField::Since | FilterField::Until => return TIMES.to_vec(),
        };
        values.iter().map(String::as_str).collect()
    }
}

/// Leaves the first of equal values. What would be no text in a line is left out.
fn distinct<'a>(values: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut seen = HashSet::new();
    let typable = values.filter(|value| !value.is_empty() && !value.contains(char::is_control));
    let first = typable.filter(|value| seen.insert(*value));
    first.map(str::to_owned).collect()
}

/// Completes the word before the cursor, a byte offset, to the name of a field or to its value. `None`
/// where there is nothing to complete.
pub fn complete(text: &str, cursor: usize, values: &FilterValues) -> Option<Completion> {
    let before = text.get(..cursor)?;
    let mut all = tokens(before);
    let last = all.pop()?;
    if begins_phrase(before, &all) {
        return None;
    }
    let word = before.get(last.span.clone())?;
    let candidates = match last.kind {
        TokenKind::Space | TokenKind::Filter(_, QuoteState::Closed) => return None,
        TokenKind::Filter(condition, _) => value_candidates(&condition, values),
        TokenKind::Word => match parse_pending_filter(word) {
            Some(condition) => value_candidates(&condition, values),
            None => field_candidates(word),
        },
    };
    let is_complete = candidates.iter().all(|candidate| candidate == word);
    (!is_complete).then_some(Completion {
        span: last.span,
        candidates,
    })
}

/// Returns true where a quote in these words is not closed: what comes next is within a phrase that is
/// being typed.
fn begins_phrase(text: &str, tokens: &[QueryToken]) -> bool {
    let words = tokens.iter().filter(|token| token.kind == TokenKind::Word);
    let words = words.filter_map(|token| text.get(token.span.clone()));
    words.map(|word| word.matches('"').count()).sum::<usize>() % 2 == 1
}

/// Parses a field with its `:`, after which no value stands yet.
pub(crate) fn parse_pending_filter(word: &str) -> Option<TypedCondition> {
    let SignedWord { negated, text } = SignedWord::parse(word);
    let name = text.trim_end_matches('"').strip_suffix(COLONS)?;
    Some(TypedCondition {
        field: FilterField::from_name(name)?,
        negated,
        value: String::new(),
    })
}

fn field_candidates(word: &str) -> Vec<String> {
    let SignedWord {
        negated,
        text: beginning,
    } = SignedWord::parse(word);
    let names = FilterField::ALL.into_iter().map(FilterField::name);
    let fitting = names.filter(|name| name.starts_with(beginning));
    fitting.map(|name| typed(negated, name, "")).collect()
}

/// Returns the values that begin with what is typed, or else those that hold it.
fn value_candidates(condition: &TypedCondition, values: &FilterValues) -> Vec<String> {
    let wanted = condition.value.to_lowercase();
    let mut fitting: Vec<&str> = values.values(condition.field);
    fitting.retain(|value| value.to_lowercase().contains(&wanted));
    let begins = |value: &&str| value.to_lowercase().starts_with(&wanted);
    if fitting.iter().any(begins) {
        fitting.retain(begins);
    }
    let quoted = fitting.into_iter().filter_map(quote_value);
    quoted
        .map(|value| typed(condition.negated, condition.field.name(), &value))
        .collect()
}

/// Quotes a value with white space; `None` for one that cannot be typed.
fn quote_value(value: &str) -> Option<String> {
    let is_bare = !value.contains(char::is_whitespace) && !value.starts_with('"');
    match is_bare {
        true => Some(value.to_owned()),
        false => (!value.contains('"')).then(|| format!("\"{value}\"")),
    }
}

fn typed(negated: bool, name: &str, value: &str) -> String {
    let minus = if negated { "-" } else { "" };
    format!("{minus}{name}:{value}")
}
