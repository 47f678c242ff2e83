//! The work that a digest tells, as the filters of a call let it through.

use crate::arguments::HistoryArguments;
use crate::call_error::CallError;
use crate::filter_arguments::FilterArguments;
use jiff::Zoned;
use session_display::Note;
use session_query::TypedQuery;
use session_report::{TimeRange, TypedRange};
use session_search::{FilterClause, FilterCondition};

/// The work that a digest tells, as filters let it through.
#[derive(Debug, Default)]
pub(crate) struct DigestScope {
    /// The conditions on sessions.
    pub(crate) clauses: Vec<FilterClause>,
    pub(crate) branch: Option<String>,
    /// The time, where one is given.
    pub(crate) time: Option<TimeRange>,
    /// True where a condition is given that a digest does not have.
    has_others: bool,
    /// True where the pattern has words that are neither a filter nor a time.
    has_words: bool,
}

impl DigestScope {
    /// Reads the filters of a call, in its arguments and in its pattern, which may be a time.
    ///
    /// # Errors
    /// When a filter cannot be used, or filters contradict each other: other work than was asked for would be told.
    pub(crate) fn read(arguments: &HistoryArguments) -> Result<Self, CallError> {
        let query = TypedQuery::parse(&arguments.pattern);
        let given = FilterArguments::from(arguments).clauses()?;
        let typed = query.clauses(Zoned::now)?;
        let mut scope = Self::new(given.into_iter().chain(typed))?;
        scope.read_text(query.text.trim())?;
        scope.check_time()?;
        Ok(scope)
    }

    /// Says what of the call does not count.
    pub(crate) fn notes(&self) -> impl Iterator<Item = &'static str> + use<> {
        let notes = [
            (
                self.has_words,
                "a digest has all that was done; of `pattern` its filters alone count",
            ),
            (
                self.has_others,
                "a digest is filtered by project, agent, one branch, one time and session alone",
            ),
        ];
        let applicable = notes.into_iter().filter(|(applies, _)| *applies);
        applicable.map(|(_, note)| note)
    }

    fn new(clauses: impl IntoIterator<Item = FilterClause>) -> Result<Self, CallError> {
        let mut scope = Self::default();
        for clause in clauses {
            match clause.conditions.as_slice() {
                [FilterCondition::Time { since_ms, until_ms }] if !clause.negated => {
                    scope.narrow_time(TimeRange {
                        since_ms: *since_ms,
                        until_ms: *until_ms,
                    });
                }
                [FilterCondition::Branch(name)] if !clause.negated => scope.narrow_branch(name)?,
                [FilterCondition::Time { .. }, ..] => return Err(refuse_times()),
                [FilterCondition::Branch(_), ..] => return Err(refuse_branches()),
                _ if clause.conditions.iter().all(is_of_session) => scope.clauses.push(clause),
                _ => scope.has_others = true,
            }
        }
        Ok(scope)
    }

    /// Reads the text of the pattern beside the filters.
    fn read_text(&mut self, text: &str) -> Result<(), CallError> {
        if text.split_whitespace().any(names_session) {
            let note = Note::new("a digest does not read `session:` in `pattern`");
            let hint = "give the id by the argument `session`";
            return Err(CallError::Invalid(note.with_hint(hint)));
        }
        match TimeRange::parse(TypedRange::Within(text), Zoned::now) {
            Ok(time) => self.narrow_time(time),
            Err(_) => self.has_words = text.contains(char::is_alphanumeric),
        }
        Ok(())
    }

    fn narrow_time(&mut self, other: TimeRange) {
        let time = self.time.get_or_insert_default();
        time.since_ms = time.since_ms.max(other.since_ms);
        let ends = time.until_ms.into_iter().chain(other.until_ms);
        time.until_ms = ends.min();
    }

    fn narrow_branch(&mut self, name: &str) -> Result<(), CallError> {
        let other = self.branch.replace(name.to_owned());
        match other {
            Some(other) if other != name => Err(refuse_branches()),
            _ => Ok(()),
        }
    }

    fn check_time(&self) -> Result<(), CallError> {
        let ends = self.time.and_then(|time| time.since_ms.zip(time.until_ms));
        match ends {
            Some((since, until)) if since >= until => {
                let note = Note::new("the times of the digest have no time in common");
                let hint = "give one: `when`, or `since` and `until`";
                Err(CallError::Invalid(note.with_hint(hint)))
            }
            _ => Ok(()),
        }
    }
}

fn refuse_times() -> CallError {
    let note = Note::new("a digest is of one time, and of no negated one");
    CallError::Invalid(
        note.with_hint("give one `when`, or `since` and `until`; call once for each time"),
    )
}

fn refuse_branches() -> CallError {
    let note = Note::new("a digest is of one branch, and of no negated one");
    CallError::Invalid(note.with_hint("give one `branch`, or none; call once for each branch"))
}

fn is_of_session(condition: &FilterCondition) -> bool {
    matches!(
        condition,
        FilterCondition::Project(_) | FilterCondition::Agent(_)
    )
}

/// Returns true for a word that is a filter by session in a search.
fn names_session(word: &str) -> bool {
    let id = word.trim_start_matches('-').strip_prefix("session:");
    id.is_some_and(|id| !id.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(since_ms: Option<i64>, until_ms: Option<i64>) -> FilterClause {
        FilterClause::new(FilterCondition::Time { since_ms, until_ms })
    }

    fn branch(name: &str) -> FilterClause {
        FilterClause::new(FilterCondition::Branch(name.into()))
    }

    fn negate(clause: FilterClause) -> FilterClause {
        FilterClause {
            negated: true,
            ..clause
        }
    }

    #[test]
    fn conditions_are_those_of_a_digest() {
        let negated = negate(FilterClause::new(FilterCondition::Agent("codex".into())));
        let scope = DigestScope::new([
            time(Some(3), None),
            time(Some(5), Some(9)),
            time(None, Some(8)),
            branch("main"),
            branch("main"),
            negated.clone(),
        ]);
        let scope = scope.unwrap();
        let range = TimeRange {
            since_ms: Some(5),
            until_ms: Some(8),
        };
        assert_eq!(scope.time, Some(range));
        assert_eq!(scope.branch.as_deref(), Some("main"));
        assert_eq!(scope.clauses, [negated]);
        assert_eq!(scope.notes().count(), 0);
        let file = FilterClause::new(FilterCondition::File("a.rs".into()));
        assert_eq!(DigestScope::new([file]).unwrap().notes().count(), 1);
    }

    #[test]
    fn alternatives_and_contradictions_are_refused() {
        let either = |one: FilterClause, other: FilterClause| FilterClause {
            conditions: [one.conditions, other.conditions].concat(),
            negated: false,
        };
        for clauses in [
            vec![either(time(Some(1), Some(2)), time(Some(5), Some(6)))],
            vec![negate(time(Some(1), None))],
            vec![either(branch("main"), branch("other"))],
            vec![negate(branch("main"))],
            vec![branch("main"), branch("other")],
        ] {
            let refused = DigestScope::new(clauses.clone());
            assert!(matches!(refused, Err(CallError::Invalid(_))), "{clauses:?}");
        }
    }

    #[test]
    fn a_word_names_a_session_as_in_a_search() {
        for word in ["session:a1b2c3d4", "-session:a1b2c3d4:7"] {
            assert!(names_session(word), "{word}");
        }
        for word in ["session:", "mysession:a1b2c3d4", "session"] {
            assert!(!names_session(word), "{word}");
        }
    }
}
