//! From what is typed to a request.

use crate::list_answer::Question;
use jiff::Zoned;
use session_core::Query;
use session_query::{TypedQuery, read_project};
use session_search::{Condition, Filter, FilterClause, Request};

/// Reads a question; also returns what is wrong with a filter: all filters that are typed are left out then.
pub(crate) fn read(question: &Question) -> (Request, Option<String>) {
    let typed = TypedQuery::parse(&question.typed);
    let (mut clauses, mistake) = match typed.clauses(Zoned::now) {
        Ok(clauses) => (clauses, None),
        Err(error) => (Vec::new(), Some(error.to_string())),
    };
    if question.this_project {
        clauses.push(FilterClause::new(Condition::Project(read_project("."))));
    }
    let request = Request {
        query: Query::new(&typed.text),
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
