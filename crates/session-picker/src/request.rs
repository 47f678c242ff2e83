//! From what is typed to a request.

use crate::list_answer::Question;
use jiff::Zoned;
use session_core::Query;
use session_query::{FilterField, TypedCondition, TypedFilterError, TypedQuery, read_project};
use session_search::{Condition, Filter, FilterClause, Request};

/// Reads a question; also returns what is wrong with a filter that is left out.
pub(crate) fn read(question: &Question) -> (Request, Option<String>) {
    let typed = TypedQuery::parse_unfinished(&question.typed);
    let (mut clauses, mistake) = usable_clauses(&typed);
    if question.this_project {
        clauses.push(FilterClause::new(Condition::Project(read_project("."))));
    }
    let request = Request {
        query: read_words(&question.typed, &typed.text),
        level: question.level,
        filter: Filter {
            clauses,
            ..Filter::default()
        },
        limit: question.limit,
        ..Request::new("")
    };
    (request, mistake)
}

/// Reads the words of a question. The last one is still being typed where no space and no filter follows it.
fn read_words(typed: &str, words: &str) -> Query {
    let last = |text: &str| text.rsplit(char::is_whitespace).next().map(str::to_owned);
    match last(typed) == last(words) {
        true => Query::unfinished(words),
        false => Query::new(words),
    }
}

/// Resolves the filters that can be used; the others are still being typed, or are a mistake.
fn usable_clauses(typed: &TypedQuery) -> (Vec<FilterClause>, Option<String>) {
    let error = match typed.clauses(Zoned::now) {
        Ok(clauses) => return (clauses, None),
        Err(error) => error,
    };
    let conditions = typed.conditions.iter();
    let usable = conditions.filter(|condition| is_usable(condition, &error));
    let rest = TypedQuery {
        text: String::new(),
        conditions: usable.cloned().collect(),
    };
    // Fewer each time: what made the error is not usable.
    let (clauses, _) = usable_clauses(&rest);
    (clauses, Some(describe(&error)))
}

/// Returns true for a filter that is right by itself and has no part in an error of several.
fn is_usable(condition: &TypedCondition, error: &TypedFilterError) -> bool {
    let is_time = matches!(condition.field, FilterField::Since | FilterField::Until);
    let alone = TypedQuery {
        text: String::new(),
        conditions: vec![condition.clone()],
    };
    match error {
        TypedFilterError::Reversed { .. } => !is_time,
        _ => alone.clauses(Zoned::now).is_ok(),
    }
}

fn describe(error: &TypedFilterError) -> String {
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
            read_words(typed, &words).prefix
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
            let (clauses, found) = usable_clauses(&TypedQuery::parse(typed));
            assert_eq!(clauses.len(), kept, "{typed}");
            let found = found.unwrap();
            assert!(found.starts_with(mistake), "{found}");
        };
        check(
            "oil file:a since:never",
            1,
            "`never` is not a time, left out",
        );
        check(
            "file:a agent:nobody branch:b since:never",
            2,
            "there is no agent `nobody`, left out; one of claude",
        );
        check(
            "file:a since:2026-02-02 until:2026-01-01",
            1,
            "`since:2026-02-02 until:2026-01-01` ends before it begins, left out",
        );
        check(
            "agent:nobody since:2026-02-02 until:2026-01-01",
            0,
            "there is no agent",
        );
        assert_eq!(usable_clauses(&TypedQuery::parse("oil file:a")).1, None);
    }
}
