//! Completion of filters that are typed in a query.

use crate::project_folder::parse_project;
use crate::query_tokens::{
    COLONS, QueryToken, QuoteState, SignedWord, TokenKind, format_filter, quote_value, split_tokens,
};
use crate::typed_query::{FilterField, TypedCondition, TypedQuery};
use jiff::Zoned;
use session_core::text::file_name;
use session_search::SearchFilter;
use session_store::{Reader, SessionBranch, SessionRow, StoreError};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Fewest letters that are completed to the name of a field: fewer begin too many words of a query.
const MIN_FIELD_CHARS: usize = 3;
/// Times that are proposed as values.
const TIMES: [&str; 8] = ["today", "yesterday", "1d", "3d", "1w", "2w", "1mo", "3mo"];

/// The values that filters can have in an index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FilterValues {
    /// The agents, by name.
    pub agents: Vec<String>,
    /// The names of projects, the latest first; before them `.` where a session is of the current folder's project.
    pub projects: Vec<String>,
    /// The git branches, the latest first.
    pub branches: Vec<String>,
    /// The sessions that have a branch: each different one with that branch, its agent and its folders alone.
    pub branch_sessions: Vec<SessionRow>,
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
        let mut agents = distinct_typable(newest.iter().map(|session| session.source.as_str()));
        agents.sort();
        let names = newest
            .iter()
            .filter_map(|session| session.project.as_deref());
        let here = parse_project(".");
        let here = sessions.iter().any(|row| here.matches(row)).then_some(".");
        let names = here.into_iter().chain(names.map(file_name));
        let of_sessions = newest.iter().filter_map(|session| {
            Some(SessionBranch {
                session: session.id,
                branch: session.branch.clone()?,
            })
        });
        let of_turns = index.session_branches()?.into_iter();
        let used: Vec<SessionBranch> = of_turns.chain(of_sessions).collect();
        Ok(Self {
            agents,
            projects: distinct_typable(names),
            branches: distinct_typable(used.iter().map(|used| used.branch.as_str())),
            branch_sessions: list_branch_sessions(&used, sessions),
        })
    }

    fn values(&self, field: FilterField) -> Vec<&str> {
        let values = match field {
            FilterField::Agent => &self.agents,
            FilterField::Project => &self.projects,
            FilterField::Branch => &self.branches,
            // They lie packed within the contents of turns.
            FilterField::File => return Vec::new(),
            FilterField::Since | FilterField::Until | FilterField::Before | FilterField::When => {
                return TIMES.to_vec();
            }
        };
        values.iter().map(String::as_str).collect()
    }
}

/// Lists the sessions of branches, one of those that are equal in branch, agent and folders.
fn list_branch_sessions(used: &[SessionBranch], sessions: &[SessionRow]) -> Vec<SessionRow> {
    let by_id: HashMap<_, _> = sessions.iter().map(|row| (row.id, row)).collect();
    let mut seen = HashSet::new();
    let new = used.iter().filter_map(|used| {
        let row = by_id.get(&used.session)?;
        let kept = (&used.branch, &row.source, &row.project, &row.cwd);
        seen.insert(kept).then(|| SessionRow {
            source: row.source.clone(),
            project: row.project.clone(),
            cwd: row.cwd.clone(),
            branch: Some(used.branch.clone()),
            ..SessionRow::default()
        })
    });
    new.collect()
}

/// Returns each value once, in order, without those that are empty or hold a control character: these cannot be typed.
fn distinct_typable<'a>(values: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut seen = HashSet::new();
    let typable = values.filter(|value| !value.is_empty() && !value.contains(char::is_control));
    let first = typable.filter(|value| seen.insert(*value));
    first.map(str::to_owned).collect()
}

/// Completes the word before the cursor, a byte offset, to the name of a field or to its value. `None`
/// where there is nothing to complete.
pub fn complete(text: &str, cursor: usize, values: &FilterValues) -> Option<Completion> {
    let before = text.get(..cursor)?;
    let mut all = split_tokens(before);
    let last = all.pop()?;
    if begins_phrase(before, &all) {
        return None;
    }
    let word = before.get(last.span.clone())?;
    let candidates = match (parse_open_filter(&last, word), &last.kind) {
        (Some(condition), _) => {
            let others = parse_session_filter(text, &last.span);
            value_candidates(&condition, &others, values)
        }
        (None, TokenKind::Word) => field_candidates(word),
        (None, _) => return None,
    };
    let is_complete = candidates.iter().all(|candidate| candidate == word);
    (!is_complete).then_some(Completion {
        span: last.span,
        candidates,
    })
}

/// Returns the filter within whose value a text ends.
pub fn find_open_filter(text: &str) -> Option<TypedCondition> {
    let last = split_tokens(text).pop()?;
    parse_open_filter(&last, text.get(last.span.clone())?)
}

/// Returns the filter whose value a text ends in, of which `last` is the last token and `word` its text.
fn parse_open_filter(last: &QueryToken, word: &str) -> Option<TypedCondition> {
    match &last.kind {
        TokenKind::Space | TokenKind::Filter(_, QuoteState::Closed) => None,
        TokenKind::Filter(condition, _) => Some(condition.clone()),
        TokenKind::Word => parse_pending_filter(word),
    }
}

/// Parses the filters of a query beside the one at `span` that filter whole sessions, if they can be used.
fn parse_session_filter(text: &str, span: &Range<usize>) -> SearchFilter {
    let around = [text.get(..span.start), text.get(span.end..)];
    let mut query = TypedQuery::parse(&around.map(Option::unwrap_or_default).join(" "));
    let filters_session = |condition: &TypedCondition| {
        matches!(condition.field, FilterField::Agent | FilterField::Project)
    };
    query.conditions.retain(filters_session);
    SearchFilter {
        clauses: query.clauses(Zoned::now).unwrap_or_default(),
        ..SearchFilter::default()
    }
}

/// Returns true if a quote in these words is not closed: what comes next is within a phrase that is
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
    let field = FilterField::from_name(name)?;
    Some(TypedCondition {
        negated,
        ..TypedCondition::new(field, "")
    })
}

/// Returns the fields whose names begin with a word. A whole name is rather a word of the query: who means the field types
/// the colon, too.
fn field_candidates(word: &str) -> Vec<String> {
    let SignedWord {
        negated,
        text: beginning,
    } = SignedWord::parse(word);
    let is_begun = word == "-" || beginning.chars().count() >= MIN_FIELD_CHARS;
    let fields = FilterField::ALL.into_iter().filter(|_| is_begun);
    let fitting =
        fields.filter(|field| field.name().starts_with(beginning) && field.name() != beginning);
    fitting
        .map(|field| format_filter(negated, field, ""))
        .collect()
}

/// Returns the values that begin with what is typed, or else those that hold it. A branch is one of a session that the
/// other filters let through.
fn value_candidates(
    condition: &TypedCondition,
    others: &SearchFilter,
    values: &FilterValues,
) -> Vec<String> {
    let wanted = condition.value.to_lowercase();
    let mut fitting: Vec<&str> = values.values(condition.field);
    if condition.field == FilterField::Branch && !others.clauses.is_empty() {
        let sessions = values.branch_sessions.iter();
        let passing = sessions.filter(|session| others.passes_session(session));
        let left: HashSet<&str> = passing.filter_map(|row| row.branch.as_deref()).collect();
        fitting.retain(|branch| left.contains(branch));
    }
    fitting.retain(|value| value.to_lowercase().contains(&wanted));
    let begins = |value: &&str| value.to_lowercase().starts_with(&wanted);
    if fitting.iter().any(begins) {
        fitting.retain(begins);
    }
    let quoted = fitting.into_iter().filter_map(quote_value);
    quoted
        .map(|value| format_filter(condition.negated, condition.field, &value))
        .collect()
}
