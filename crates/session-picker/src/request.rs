//! From what is typed to a request.

use crate::list_answer::ListRequest;
use jiff::Zoned;
use session_core::Query;
use session_query::{
    FilterField, InvalidFilter, TypedCondition, TypedFilterError, TypedQuery, read_project,
};
use session_search::{FilterClause, FilterCondition, SearchFilter, SearchRequest};

/// A search as it is typed.
pub(crate) struct TypedRequest {
    pub(crate) request: SearchRequest,
    /// The mistake in a filter, which is left out or searched as text.
    pub(crate) mistake: Option<String>,
}

/// The filters of a query that can be used.
struct UsableClauses {
    clauses: Vec<FilterClause>,
    /// The mistake in a filter that is left out.
    mistake: Option<String>,
}

/// Parses what is typed to a search.
pub(crate) fn parse_request(question: &ListRequest) -> TypedRequest {
    let typed = TypedQuery::parse_unfinished(&question.typed);
    let UsableClauses {
        mut clauses,
        mistake,
    } = parse_usable_clauses(&typed);
    if question.this_project {
        clauses.push(FilterClause::new(FilterCondition::Project(read_project(
            ".",
        ))));
    }
    let request = SearchRequest {
        query: parse_words(&question.typed, &typed.text),
        level: question.level,
        filter: SearchFilter {
            clauses,
            ..SearchFilter::default()
        },
        limit: question.limit,
        ..SearchRequest::new("")
    };
    let invalid = typed.invalid.first().map(InvalidFilter::note);
    TypedRequest {
        request,
        mistake: mistake.or(invalid),
    }
}

/// Reads the words of a question. The last one is still being typed where no space and no filter follows it.
fn parse_words(typed: &str, words: &str) -> Query {
    let last = |text: &str| text.rsplit(char::is_whitespace).next().map(str::to_owned);
    match last(typed) == last(words) {
        true => Query::parse_unfinished(words),
        false => Query::new(words),
    }
}

/// Resolves the filters that can be used; the others are still being typed, or are a mistake.
fn parse_usable_clauses(typed: &TypedQuery) -> UsableClauses {
    let error = match typed.clauses(Zoned::now) {
        Ok(clauses) => {
            return UsableClauses {
                clauses,
                mistake: None,
            };
        }
        Err(error) => error,
    };
    let conditions = typed.conditions.iter();
    let usable = conditions.filter(|condition| is_usable(condition, &error));
    let rest = TypedQuery {
        conditions: usable.cloned().collect(),
        ..TypedQuery::default()
    };
    // Fewer each time: what made the error is not usable.
    UsableClauses {
        mistake: Some(describe_error(&error)),
        ..parse_usable_clauses(&rest)
    }
}

/// Returns true for a filter that is right by itself and has no part in an error of several.
fn is_usable(condition: &TypedCondition, error: &TypedFilterError) -> bool {
    let is_time = matches!(condition.field, FilterField::Since | FilterField::Until);
    let alone = TypedQuery {
        conditions: vec![condition.clone()],
        ..TypedQuery::default()
    };
    match error {
        TypedFilterError::Reversed { .. } => !is_time,
        _ => alone.clauses(Zoned::now).is_ok(),
    }
}

fn describe_error(error: &TypedFilterError) -> String {
    match error.hint() {
        Some(hint) => format!("{error}, left out; {hint}"),
        None => format!("{error}, left out"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_word_is_a_prefix_unless_something_follows() {
        let prefix = |typed: &str| {
            let words = TypedQuery::parse_unfinished(typed).text;
            parse_words(typed, &words).prefix
        };
        assert_eq!(prefix("agent:claude lamp harb").as_deref(), Some("harb"));
        for finished in [
            "lamp ",
            "lamp agent:claude",
            "lamp file:",
            "\"lamp harb\"",
            "",
        ] {
            assert_eq!(prefix(finished), None, "{finished:?}");
        }
    }

    #[test]
    fn a_filter_that_cannot_be_used_leaves_the_others() {
        let check = |typed: &str, kept: usize, mistake: &str| {
            let found = parse_usable_clauses(&TypedQuery::parse_unfinished(typed));
            assert_eq!(found.clauses.len(), kept, "{typed}");
            let found = found.mistake.unwrap();
            assert!(found.starts_with(mistake), "{found}");
        };
        check(
            "oil file:a since:never",
            1,
            "`never` is not a time, left out",
        );
        check(
            "file:a branch:b agent:nobody",
            2,
            "there is no agent `nobody`, left out; one of claude",
        );
        check(
            "file:a since:2026-02-02 until:2026-01-01",
            1,
            "`since:2026-02-02 until:2026-01-01` ends before it begins, left out",
        );
        check(
            "since:2026-02-02 until:2026-01-01 agent:nobody",
            0,
            "there is no agent",
        );
        assert_eq!(
            parse_usable_clauses(&TypedQuery::parse("oil file:a")).mistake,
            None
        );
    }
}
