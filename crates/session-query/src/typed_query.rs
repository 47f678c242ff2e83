//! A query as it is typed, with filters in it.

use crate::filter_completion::parse_pending_filter;
use crate::invalid_filter::{InvalidFilter, begins_value};
use crate::project_folder::parse_project;
use crate::query_tokens::{
    COLONS, QuoteState, SignedWord, TokenKind, format_filter, quote_value, split_tokens,
    strip_field_name,
};
use crate::typed_filter_error::TypedFilterError;
use jiff::Zoned;
use session_report::{TimeRange, TypedRange};
use session_search::{FilterClause, FilterCondition};
use session_sources::{AgentInfo, agents};
use strsim::osa_distance;

/// A query without the filters that were typed in it, and these.
///
/// A filter is the name of a field, also with a capital first, with `:` and a value right after it, at the beginning of a word:
/// `project:app`, `file:"src/my file.rs"`, with `-` before for "not". All else is text, also within the
/// double quotes of a phrase, and where the field cannot have the value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TypedQuery {
    /// The query itself. As typed where there is no filter.
    pub text: String,
    /// The filters, in the order in which they were typed.
    pub conditions: Vec<TypedCondition>,
    /// The words of the text that have the name of a filter, and a value that it cannot have.
    pub invalid: Vec<InvalidFilter>,
}

/// A filter as it is typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypedCondition {
    /// The property that is compared.
    pub field: FilterField,
    /// The name of the field as typed, in lower case.
    pub name: &'static str,
    /// It must not have this value.
    pub negated: bool,
    /// The value, without quotes around it.
    pub value: String,
}

/// A property that a typed filter compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilterField {
    /// The agent of a session.
    Agent,
    /// The project of a session.
    Project,
    /// The git branch of a turn.
    Branch,
    /// A file that a turn names.
    File,
    /// The earliest time of a turn.
    Since,
    /// The latest time of a turn; a day is included.
    Until,
    /// The time that a turn began before; a day is excluded.
    Before,
    /// The range of time that a turn began in.
    When,
}

/// Greatest number of digits of a number of days: more may be a year.
const MAX_DAY_DIGITS: usize = 3;
/// Fewest letters of a field's name that is known with a slip in it.
const MIN_MISSPELT_LETTERS: usize = 5;

impl FilterField {
    /// All fields.
    pub const ALL: [Self; 8] = [
        Self::Agent,
        Self::Project,
        Self::Branch,
        Self::File,
        Self::Since,
        Self::Until,
        Self::Before,
        Self::When,
    ];

    /// Returns its name, as it is typed before the `:`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Project => "project",
            Self::Branch => "branch",
            Self::File => "file",
            Self::Since => "since",
            Self::Until => "until",
            Self::Before => "before",
            Self::When => "when",
        }
    }

    /// Returns the name that other programs, or the options of the command line, have for it.
    fn other_name(self) -> Option<&'static str> {
        match self {
            Self::Agent => Some("source"),
            Self::Since => Some("after"),
            Self::Project | Self::Branch | Self::File | Self::Until | Self::Before | Self::When => {
                None
            }
        }
    }

    /// Returns all of its names.
    pub(crate) fn names(self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name()).chain(self.other_name())
    }

    /// Returns true for a filter on the time of a turn.
    pub fn is_time(self) -> bool {
        self == Self::When || self.is_end_of_range()
    }

    /// Returns true for one end of a range of time.
    pub(crate) fn is_end_of_range(self) -> bool {
        matches!(self, Self::Since | Self::Until | Self::Before)
    }

    /// Finds the field whose name is typed, or is a slip away from what is typed. A short name is a slip away from words that
    /// are meant (`fill:red`).
    pub(crate) fn find_misspelt(typed: &str) -> Option<Self> {
        let slips = |name: &str| usize::from(name.len() >= MIN_MISSPELT_LETTERS);
        let is_near = |name: &str| osa_distance(name, &typed.to_lowercase()) <= slips(name);
        let mut fields = Self::ALL.into_iter();
        fields.find(|field| field.names().any(is_near))
    }

    pub(crate) fn from_name(name: &str) -> Option<Self> {
        let mut fields = Self::ALL.into_iter();
        let is_name = |known: &str| strip_field_name(name, known) == Some("");
        fields.find(|field| field.names().any(is_name))
    }
}

impl TypedCondition {
    /// Makes the condition that a field has a value.
    pub fn new(field: FilterField, value: impl Into<String>) -> Self {
        Self {
            field,
            name: field.name(),
            negated: false,
            value: value.into(),
        }
    }
}

impl TypedQuery {
    /// Makes the query of conditions alone.
    pub fn from_conditions(conditions: impl IntoIterator<Item = TypedCondition>) -> Self {
        Self {
            conditions: conditions.into_iter().collect(),
            ..Self::default()
        }
    }

    /// Splits a query into text and filters. Any text is a query.
    pub fn parse(typed: &str) -> Self {
        Self::parse_until(typed, None)
    }

    /// Splits a query; a filter that ends at `cursor` is one where its value begins as one that the field can have.
    fn parse_until(typed: &str, cursor: Option<usize>) -> Self {
        let mut query = Self::default();
        let mut follows_filter = false;
        for token in split_tokens(typed) {
            let text = typed.get(token.span.clone()).unwrap_or_default();
            let is_pending = cursor == Some(token.span.end);
            let TokenKind::Filter(condition, quote) = token.kind else {
                // A filter takes the space after it along.
                if token.kind != TokenKind::Space || !follows_filter {
                    query.text.push_str(text);
                }
                follows_filter = false;
                continue;
            };
            let invalid = InvalidFilter::find(text, &condition);
            let may_become_valid = is_pending && quote != QuoteState::Closed;
            match invalid.filter(|_| !may_become_valid || !begins_value(&condition)) {
                Some(invalid) => {
                    query.text.push_str(text);
                    if !query.invalid.contains(&invalid) {
                        query.invalid.push(invalid);
                    }
                    follows_filter = false;
                }
                None => {
                    query.conditions.push(condition);
                    follows_filter = true;
                }
            }
        }
        if !query.conditions.is_empty() {
            query.text.truncate(query.text.trim_end().len());
        }
        query
    }

    /// Splits a query that is still being typed: the name of a field at its end is no text, whose value is to come or
    /// is not valid yet.
    pub fn parse_unfinished(typed: &str) -> Self {
        let last = typed.rsplit(char::is_whitespace).next().unwrap_or_default();
        let before = typed.strip_suffix(last).unwrap_or_default();
        match parse_pending_filter(last) {
            Some(_) => Self::parse(before.trim_end()),
            None => Self::parse_until(typed, Some(typed.len())),
        }
    }

    /// Joins the words of a command line to a query. Of several words one that begins a filter is that
    /// filter alone: its value is quoted again, since the shell took the quotes around it.
    pub fn join_words(words: &[impl AsRef<str>]) -> String {
        let quoted = |word: &str| match quote_filter(word) {
            Some(quoted) if words.len() > 1 => quoted,
            _ => word.to_owned(),
        };
        let words: Vec<String> = words.iter().map(|word| quoted(word.as_ref())).collect();
        words.join(" ")
    }

    /// Formats the query with the filters on the fields that are kept. What a field cannot be typed with is left out.
    pub fn format_with_fields(&self, is_kept: impl Fn(FilterField) -> bool) -> String {
        let text = Some(self.text.trim()).filter(|text| !text.is_empty());
        let kept = self.conditions.iter().filter(|one| is_kept(one.field));
        let filters = kept.filter_map(|condition| {
            let value = quote_value(&condition.value)?;
            Some(format_filter(condition.negated, condition.field, &value))
        });
        let parts: Vec<String> = text.map(str::to_owned).into_iter().chain(filters).collect();
        parts.join(" ")
    }

    /// Resolves the filters to clauses, of which all must hold. Values of one field are alternatives;
    /// of the negated ones none may hold. The file system is read for a project that is given by a path.
    ///
    /// # Errors
    /// When the times contradict each other, or a condition that was not parsed has an agent that there is not, or no time.
    pub fn clauses(&self, now: fn() -> Zoned) -> Result<Vec<FilterClause>, TypedFilterError> {
        let mut clauses = Vec::new();
        for field in FilterField::ALL {
            for negated in [false, true] {
                let values = self.values(field, negated);
                let conditions = values.map(|value| resolve_condition(field, value, now));
                let conditions = conditions.collect::<Result<Vec<FilterCondition>, _>>()?;
                if !conditions.is_empty() {
                    clauses.push(FilterClause {
                        conditions,
                        negated,
                    });
                }
            }
        }
        self.check_times(now)?;
        Ok(clauses)
    }

    fn values(&self, field: FilterField, negated: bool) -> impl Iterator<Item = &str> {
        let conditions = self.conditions.iter();
        let conditions = conditions.filter(move |c| c.field == field && c.negated == negated);
        conditions.map(|condition| condition.value.as_str())
    }

    /// Refuses times of which the latest end lies before the earliest beginning.
    fn check_times(&self, now: fn() -> Zoned) -> Result<(), TypedFilterError> {
        let since = self.values(FilterField::Since, false);
        let since = since.filter_map(|value| parse_since_ms(value, now).ok());
        let until = self.values(FilterField::Until, false);
        let until = until.filter_map(|value| parse_until_ms(value, now).ok());
        let before = self.values(FilterField::Before, false);
        let before = before.filter_map(|value| parse_before_ms(value, now).ok());
        let end = until.max().into_iter().chain(before.max()).min();
        match (since.min(), end) {
            (Some(since), Some(until)) if since >= until => {
                Err(TypedFilterError::Reversed(self.format_times()))
            }
            _ => Ok(()),
        }
    }

    /// Formats the earliest and latest times as they are typed.
    fn format_times(&self) -> String {
        let is_time =
            |condition: &&TypedCondition| condition.field.is_end_of_range() && !condition.negated;
        let times = self.conditions.iter().filter(is_time);
        let times = times.map(|time| {
            let value = quote_value(&time.value);
            format!("{}:{}", time.name, value.as_ref().unwrap_or(&time.value))
        });
        times.collect::<Vec<_>>().join(" ")
    }
}

/// Quotes the value of a filter where white space stands in it. A word with a value that the field cannot have is text.
fn quote_filter(word: &str) -> Option<String> {
    let (name, value) = word.split_once(COLONS)?;
    let SignedWord { negated, text } = SignedWord::parse(name);
    let field = FilterField::from_name(text)?;
    let condition = TypedCondition {
        negated,
        ..TypedCondition::new(field, value)
    };
    let is_filter =
        !value.starts_with(char::is_whitespace) && InvalidFilter::find(word, &condition).is_none();
    let quoted = quote_value(value).filter(|quoted| is_filter && quoted != value)?;
    Some(format!("{}{quoted}", word.strip_suffix(value)?))
}

/// Makes the condition of a typed filter.
fn resolve_condition(
    field: FilterField,
    value: &str,
    now: fn() -> Zoned,
) -> Result<FilterCondition, TypedFilterError> {
    Ok(match field {
        FilterField::Agent => FilterCondition::Agent(parse_agent(value)?),
        FilterField::Project => FilterCondition::Project(parse_project(value)),
        FilterField::Branch => FilterCondition::Branch(value.to_owned()),
        FilterField::File => FilterCondition::File(value.to_owned()),
        FilterField::Since => FilterCondition::since(parse_since_ms(value, now)?),
        FilterField::Until => FilterCondition::until(parse_until_ms(value, now)?),
        FilterField::Before => FilterCondition::until(parse_before_ms(value, now)?),
        FilterField::When => {
            let TimeRange { since_ms, until_ms } = parse_within(value, now)?;
            FilterCondition::Time { since_ms, until_ms }
        }
    })
}

/// Parses the name of an agent, typed as it is or as its makers write it, in any case and with any marks between
/// its words.
///
/// # Errors
/// When there is none of this name.
pub fn parse_agent(name: &str) -> Result<String, TypedFilterError> {
    let wanted = agent_letters(name);
    let mut known = agents();
    let found = known.find(|agent| agent_spellings(agent).contains(&wanted));
    match found {
        Some(agent) => Ok(agent.name.to_owned()),
        None => Err(TypedFilterError::UnknownAgent {
            name: name.to_owned(),
            known: agents().map(|agent| agent.name.to_owned()).collect(),
        }),
    }
}

/// Returns true if a name of an agent begins so.
pub(crate) fn begins_agent(beginning: &str) -> bool {
    let wanted = agent_letters(beginning);
    let begins = |name: String| name.starts_with(&wanted);
    agents().any(|agent| agent_spellings(agent).into_iter().any(begins))
}

/// Returns the names of an agent as they are compared, that of its program among them.
fn agent_spellings(agent: &AgentInfo) -> Vec<String> {
    let names = [agent.name, agent.title].into_iter();
    let program = agent.resume.first().copied();
    names.chain(program).map(agent_letters).collect()
}

/// Returns a name without its case and the marks between its words.
fn agent_letters(name: &str) -> String {
    let letters = name.chars().filter(|c| !AGENT_NAME_MARKS.contains(c));
    letters.collect::<String>().to_lowercase()
}

/// Marks that stand between the words of a name.
const AGENT_NAME_MARKS: [char; 3] = [' ', '-', '_'];

/// Parses the value of `since:`, in milliseconds since 1970: what `--since` takes, or a number of days as `--days` does.
pub(crate) fn parse_since_ms(value: &str, now: fn() -> Zoned) -> Result<i64, TypedFilterError> {
    let days = value.parse().ok();
    let days = days.filter(|days| *days > 0 && value.len() <= MAX_DAY_DIGITS);
    let typed = match days {
        Some(days) => TypedRange::LastDays { days, until: None },
        None => TypedRange::Between {
            since: Some(value),
            until: None,
        },
    };
    let range = TimeRange::parse(typed, now)?;
    Ok(range.since_ms.unwrap_or(i64::MIN))
}

/// Parses the value of `until:`, in milliseconds since 1970.
pub(crate) fn parse_until_ms(value: &str, now: fn() -> Zoned) -> Result<i64, TypedFilterError> {
    let typed = TypedRange::Between {
        since: None,
        until: Some(value),
    };
    let range = TimeRange::parse(typed, now)?;
    Ok(range.until_ms.unwrap_or(i64::MAX))
}

/// Parses the value of `before:`, in milliseconds since 1970.
pub(crate) fn parse_before_ms(value: &str, now: fn() -> Zoned) -> Result<i64, TypedFilterError> {
    let range = TimeRange::default().end_before(value, now)?;
    Ok(range.until_ms.unwrap_or(i64::MAX))
}

/// Parses the value of `when:` as that of `--when`.
pub(crate) fn parse_within(value: &str, now: fn() -> Zoned) -> Result<TimeRange, TypedFilterError> {
    Ok(TimeRange::parse(TypedRange::Within(value), now)?)
}
