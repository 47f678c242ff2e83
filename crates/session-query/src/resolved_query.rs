//! A query with the filters that are typed in it, resolved once.

use crate::invalid_filter::InvalidFilter;
use crate::typed_filter_error::TypedFilterError;
use crate::typed_query::{TypedCondition, TypedQuery};
use jiff::Zoned;
use session_core::Query;
use session_search::FilterClause;

/// A query as it was typed: the text that is searched, and the clauses of its filters.
#[derive(Debug, Clone)]
pub struct ResolvedQuery {
    /// The query as typed, filters among its words.
    pub typed: String,
    /// The text beside the filters.
    pub text: String,
    /// The clauses of the filters, of which all must hold.
    pub clauses: Vec<FilterClause>,
    /// Words that were typed as filters, and are searched as text.
    pub invalid_filters: Vec<InvalidFilter>,
    /// True where somebody still types the last word of the text.
    has_unfinished_word: bool,
}

/// A query that is still being typed.
#[derive(Debug)]
pub struct UnfinishedQuery {
    /// The query with the filters that can be used.
    pub query: ResolvedQuery,
    /// The mistake in a filter that is left out.
    pub mistake: Option<TypedFilterError>,
}

/// The filters of a query that can be used.
struct UsableClauses {
    clauses: Vec<FilterClause>,
    /// The mistake in a filter that is left out.
    mistake: Option<TypedFilterError>,
}

impl ResolvedQuery {
    /// Parses a query and resolves its filters. The file system is read for a project that is given by a path.
    ///
    /// # Errors
    /// When times contradict each other.
    pub fn parse(typed: &str) -> Result<Self, TypedFilterError> {
        let query = TypedQuery::parse(typed);
        Ok(Self {
            typed: typed.to_owned(),
            clauses: query.clauses(Zoned::now)?,
            text: query.text,
            invalid_filters: query.invalid,
            has_unfinished_word: false,
        })
    }

    /// Returns true for a text of signs alone.
    pub fn has_no_word(&self) -> bool {
        !self.text.trim().is_empty() && self.words().terms.is_empty()
    }

    /// Reads the words of the text, without the filters.
    pub(crate) fn words(&self) -> Query {
        if self.has_unfinished_word {
            Query::parse_unfinished(&self.text)
        } else {
            Query::new(&self.text)
        }
    }
}

impl UnfinishedQuery {
    /// Parses a query that is still being typed. A filter that cannot be used is left out; words that begin with the last
    /// one are found, too, where no space and no filter follows it.
    pub fn parse(typed: &str) -> Self {
        let query = TypedQuery::parse_unfinished(typed);
        let UsableClauses { clauses, mistake } = UsableClauses::resolve(&query);
        let last_word = |text: &str| text.rsplit(char::is_whitespace).next().map(str::to_owned);
        let query = ResolvedQuery {
            typed: typed.to_owned(),
            has_unfinished_word: last_word(typed) == last_word(&query.text),
            clauses,
            text: query.text,
            invalid_filters: query.invalid,
        };
        Self { query, mistake }
    }
}

impl UsableClauses {
    /// Resolves the filters that can be used; the others are still being typed, or are a mistake.
    fn resolve(typed: &TypedQuery) -> Self {
        let error = match typed.clauses(Zoned::now) {
            Ok(clauses) => {
                return Self {
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
        Self {
            mistake: Some(error),
            ..Self::resolve(&rest)
        }
    }
}

/// Returns true for a filter that is right by itself and has no part in an error of several.
fn is_usable(condition: &TypedCondition, error: &TypedFilterError) -> bool {
    let is_time = condition.field.is_end_of_range();
    let alone = TypedQuery {
        conditions: vec![condition.clone()],
        ..TypedQuery::default()
    };
    match error {
        TypedFilterError::Reversed(_) => !is_time,
        _ => alone.clauses(Zoned::now).is_ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_word_is_a_prefix_unless_something_follows() {
        let prefix = |typed: &str| UnfinishedQuery::parse(typed).query.words().prefix;
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
        let whole = ResolvedQuery::parse("lamp harb").unwrap();
        assert_eq!(whole.words().prefix, None);
    }

    #[test]
    fn a_filter_that_cannot_be_used_leaves_the_others() {
        let check = |typed: &str, kept: usize, mistake: &str| {
            let found = UnfinishedQuery::parse(typed);
            assert_eq!(found.query.clauses.len(), kept, "{typed}");
            let found = found.mistake.unwrap().to_string();
            assert!(found.starts_with(mistake), "{found}");
        };
        check("oil file:a since:yest", 1, "`yest` is not a time");
        check("file:a branch:b agent:cl", 2, "there is no agent");
        check(
            "file:a since:2026-02-02 until:2026-01-01",
            1,
            "`since:2026-02-02 until:2026-01-01` ends before it begins",
        );
        check(
            "since:2026-02-02 until:2026-01-01 agent:cl",
            0,
            "there is no agent",
        );
        let right = UnfinishedQuery::parse("oil file:a");
        assert_eq!(right.mistake, None);
    }
}
