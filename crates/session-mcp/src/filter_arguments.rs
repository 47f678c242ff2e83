//! The filters that a call has as arguments. Those of a query that the list of tools does not name are taken, too: the list
//! is short, and who knows them from the query or the command line writes them so.

use crate::arguments::{HistoryArguments, SearchArguments};
use crate::call_error::CallError;
use jiff::Zoned;
use serde_json::Value;
use session_core::SessionReference;
use session_display::Note;
use session_query::{FilterField, TypedCondition, TypedQuery, find_folder_of_all};
use session_search::{FilterClause, FilterCondition};

/// The filters of a call, as they are typed in its arguments.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct FilterArguments<'a> {
    project: Option<&'a str>,
    since: Option<&'a str>,
    until: Option<&'a str>,
    before: Option<&'a str>,
    when: Option<&'a str>,
    branch: Option<&'a str>,
    file: Option<&'a str>,
    agent: Option<&'a str>,
    /// The beginning of a session's id, or the address of a turn of it as hits have it.
    pub(crate) session: Option<&'a str>,
}

/// Takes the filters of arguments: serde refuses unknown names only where each set of arguments has all fields itself.
macro_rules! take_filters {
    ($arguments:ident) => {
        impl<'a> From<&'a $arguments> for FilterArguments<'a> {
            fn from(arguments: &'a $arguments) -> Self {
                Self {
                    project: arguments.project.as_deref(),
                    since: arguments.since.as_deref(),
                    until: arguments.until.as_deref(),
                    before: arguments.before.as_deref(),
                    when: arguments.when.as_deref(),
                    branch: arguments.branch.as_deref(),
                    file: arguments.file.as_deref(),
                    agent: arguments.agent.as_deref(),
                    session: arguments.session.as_deref(),
                }
            }
        }
    };
}

take_filters!(SearchArguments);
take_filters!(HistoryArguments);

impl<'a> FilterArguments<'a> {
    /// Returns the filters of a day, which is written as a date.
    pub(crate) fn of_day(self, day: &'a str) -> Self {
        Self {
            since: Some(day),
            until: Some(day),
            before: None,
            when: None,
            ..self
        }
    }

    /// Returns true if one is given.
    pub(crate) fn is_given(&self) -> bool {
        self.session.is_some() || self.fields().any(|(_, value)| value.is_some())
    }

    /// Resolves the filters but for the session.
    ///
    /// # Errors
    /// When a time cannot be parsed or there is no such agent, times contradict each other, or the project is a folder of all.
    pub(crate) fn clauses(&self) -> Result<Vec<FilterClause>, CallError> {
        self.project.map_or(Ok(()), refuse_folder_of_all)?;
        let conditions = self.fields().filter_map(|(field, value)| {
            let value = value?;
            // `since` of a range is the range.
            let is_range = field == FilterField::Since && value.contains("..");
            let field = if is_range { FilterField::When } else { field };
            Some(TypedCondition::new(field, value))
        });
        Ok(TypedQuery::from_conditions(conditions).clauses(Zoned::now)?)
    }

    /// Returns the filters on the fields that are kept; the session is.
    pub(crate) fn with_fields(self, is_kept: impl Fn(FilterField) -> bool) -> Self {
        let kept = |field, value: Option<&'a str>| value.filter(|_| is_kept(field));
        Self {
            project: kept(FilterField::Project, self.project),
            since: kept(FilterField::Since, self.since),
            until: kept(FilterField::Until, self.until),
            before: kept(FilterField::Before, self.before),
            when: kept(FilterField::When, self.when),
            branch: kept(FilterField::Branch, self.branch),
            file: kept(FilterField::File, self.file),
            agent: kept(FilterField::Agent, self.agent),
            session: self.session,
        }
    }

    /// Returns the arguments by their names, null for those that are not given.
    pub(crate) fn describe(&self) -> Vec<(&'static str, Value)> {
        let fields = self.fields().map(|(field, value)| (field.name(), value));
        let all = fields.chain([("session", self.session)]);
        all.map(|(name, value)| (name, value.into())).collect()
    }

    fn fields(&self) -> impl Iterator<Item = (FilterField, Option<&'a str>)> + use<'a> {
        [
            (FilterField::Project, self.project),
            (FilterField::Since, self.since),
            (FilterField::Until, self.until),
            (FilterField::Before, self.before),
            (FilterField::When, self.when),
            (FilterField::Branch, self.branch),
            (FilterField::File, self.file),
            (FilterField::Agent, self.agent),
        ]
        .into_iter()
    }
}

/// Returns an error for a folder of all projects, such as `.` of a server that was started in the home folder.
fn refuse_folder_of_all(typed: &str) -> Result<(), CallError> {
    let Some(folder) = find_folder_of_all(typed) else {
        return Ok(());
    };
    let reason = format!("`{typed}` is no project: {folder} has those of all");
    Err(CallError::Invalid(
        Note::new(reason).with_hint("name the project, or leave it out"),
    ))
}

/// The filters that a call which found nothing is made without: those on the fields of the one that no turn meets, else on
/// times, branches and files, which narrow most. Empty where none is given of these.
#[derive(Debug, Clone)]
pub(crate) struct DroppedFields(Vec<FilterField>);

impl DroppedFields {
    /// Finds them for a call with these filters, in its arguments and typed.
    pub(crate) fn find(unmet: Option<&FilterClause>, clauses: &[FilterClause]) -> Self {
        let fields = |clause: &FilterClause| -> Vec<FilterField> {
            clause
                .conditions
                .iter()
                .flat_map(find_fields)
                .copied()
                .collect()
        };
        Self(match unmet {
            Some(clause) => fields(clause),
            None => {
                let given = clauses.iter().flat_map(fields);
                let kept = [FilterField::Project, FilterField::Agent];
                given.filter(|field| !kept.contains(field)).collect()
            }
        })
    }

    /// Returns true if the call is made with the filters on a field.
    pub(crate) fn keeps(&self, field: FilterField) -> bool {
        !self.0.contains(&field)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Returns the fields with which a condition may have been typed.
fn find_fields(condition: &FilterCondition) -> &'static [FilterField] {
    match condition {
        FilterCondition::Project(_) => &[FilterField::Project],
        FilterCondition::Agent(_) => &[FilterField::Agent],
        FilterCondition::Branch(_) => &[FilterField::Branch],
        FilterCondition::File(_) => &[FilterField::File],
        FilterCondition::Time { .. } => &[
            FilterField::Since,
            FilterField::Until,
            FilterField::Before,
            FilterField::When,
        ],
        FilterCondition::Turns { .. } => &[],
    }
}

/// Says that turns behind the id of a session do not count: all of it is `treated`, as a participle.
pub(crate) fn format_turns_note(session: &str, treated: &str) -> Option<String> {
    let session = SessionReference::parse(session);
    session.turns.filter(|turns| !turns.trim().is_empty())?;
    let id = session.id;
    Some(format!("`session` takes no turn; all of {id} is {treated}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_may_be_the_beginning() {
        let clauses = |since, until| {
            let filters = FilterArguments {
                since,
                until,
                ..FilterArguments::default()
            };
            filters.clauses().unwrap()
        };
        let range = clauses(Some("2026-07-20..2026-07-25"), None);
        let [clause] = range.as_slice() else {
            panic!("{range:?}");
        };
        let FilterCondition::Time { since_ms, until_ms } = clause.conditions[0] else {
            panic!("{clause:?}");
        };
        let ends = clauses(Some("2026-07-20"), Some("2026-07-25"));
        let ends: Vec<&FilterCondition> = ends.iter().map(|clause| &clause.conditions[0]).collect();
        let since = FilterCondition::since(since_ms.unwrap());
        assert_eq!(ends, [&since, &FilterCondition::until(until_ms.unwrap())]);
    }

    #[test]
    fn what_no_turn_meets_is_dropped_first() {
        let clause = |condition| FilterClause::new(condition);
        let branch = clause(FilterCondition::Branch("nextt".into()));
        let since = clause(FilterCondition::since(1));
        let agent = clause(FilterCondition::Agent("codex".into()));
        let given = [branch.clone(), since, agent.clone()];
        let kept = |unmet, given: &[FilterClause]| {
            let dropped = DroppedFields::find(unmet, given);
            let fields = FilterField::ALL.into_iter();
            let kept = fields.filter(|field| dropped.keeps(*field));
            kept.map(FilterField::name).collect::<Vec<_>>().join(" ")
        };
        let all = "agent project branch file since until before when";
        assert_eq!(kept(Some(&branch), &given), all.replace(" branch", ""));
        assert_eq!(kept(None, &given), "agent project file");
        assert_eq!(kept(None, &[agent]), all);
    }
}
