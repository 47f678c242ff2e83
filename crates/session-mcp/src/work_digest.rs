//! `history` with `what: digest`: what was done in a range of time.

use crate::answer::{FencedText, ItemList, ToolAnswer, format_call, format_rest_call};
use crate::arguments::{HistoryArguments, clamp_limit, clamp_offset};
use crate::call_error::CallError;
use crate::filter_arguments::FilterArguments;
use crate::history_tool::MAX_LIMIT;
use crate::index_view::IndexView;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use serde_json::Value;
use session_display::{SessionIds, pluralize};
use session_output::{Digest, NothingDone};
use session_query::{FilterField, Snapshot, TypedFilterError, TypedQuery};
use session_report::{
    CalendarRange, ReportScope, TimeRange, TypedRange, WorkReport, is_reported, report_projects,
};
use session_search::{FilterClause, FilterCondition, SearchFilter};
use session_store::SessionRow;

/// A call for a digest, read.
pub(crate) struct DigestCall<'a> {
    arguments: &'a HistoryArguments,
    scope: DigestScope,
    notes: Vec<String>,
}

/// The work that a digest tells, as filters let it through.
#[derive(Debug, Default)]
struct DigestScope {
    /// The conditions on sessions.
    clauses: Vec<FilterClause>,
    branch: Option<String>,
    /// The time, where one is given.
    time: Option<TimeRange>,
    /// True where a condition is given that a digest does not have.
    has_others: bool,
}

/// A digest as Markdown, by the items of its lists: sessions, and counts of those that have no line.
struct DigestItems<'m> {
    title: &'m str,
    items: Vec<DigestItem<'m>>,
}

/// An item of a digest.
struct DigestItem<'m> {
    /// The heading of its project, and the one of its week where there is one.
    headings: [&'m str; 2],
    text: String,
}

impl<'a> DigestCall<'a> {
    /// Reads the filters of a call, in its arguments and in its pattern.
    ///
    /// # Errors
    /// When a filter cannot be used, or times contradict each other.
    pub(crate) fn new(arguments: &'a HistoryArguments) -> Result<Self, CallError> {
        let query = TypedQuery::parse(&arguments.pattern);
        let clauses = FilterArguments::from(arguments).clauses()?;
        let typed = query.clauses(Zoned::now)?;
        let mut scope = DigestScope::new(clauses.into_iter().chain(typed));
        let text = query.text.trim();
        let time = TimeRange::parse(TypedRange::Within(text), Zoned::now).ok();
        let has_text = text.contains(char::is_alphanumeric) && time.is_none();
        scope.time = scope.time.or(time);
        let notes = [
            (
                has_text,
                "a digest has all that was done; of `pattern` its filters alone count",
            ),
            (
                scope.has_others,
                "a digest is filtered by project, agent, one branch, time and session alone",
            ),
        ];
        let told = notes.into_iter().filter(|(is_told, _)| *is_told);
        Ok(Self {
            arguments,
            scope,
            notes: told.map(|(_, note)| note.to_owned()).collect(),
        })
    }

    /// Reports the work in the time of the call; without one, that of the newest day with work.
    ///
    /// # Errors
    /// When the index fails, a session is not there, or the time has not begun.
    pub(crate) fn answer(&self, view: IndexView<'_>) -> Result<ToolAnswer, CallError> {
        let filter = self.session_filter(view)?;
        let includes_root = |row: &SessionRow| filter.passes_session(row);
        let scope = ReportScope {
            includes_root: &includes_root,
            branch: self.scope.branch.as_deref(),
        };
        let Some(range) = self.find_range(view, scope)? else {
            return Ok(self.format_no_work(view, "no session has work"));
        };
        let Snapshot { index, sessions } = view.snapshot;
        let report = report_projects(index, sessions, &range.milliseconds(), scope)?;
        let digest = Digest {
            projects: &report.projects,
            range: &range,
            ids: SessionIds::new(sessions),
            width: None,
        };
        if report.projects.is_empty() {
            return self.answer_nothing_done(view, scope, &digest, &report);
        }
        if digest.is_long() {
            return self.answer_briefly(view, scope, &digest);
        }
        let markdown = digest.format_markdown();
        let (answer, first) = self.format_page(&markdown, &range, "session");
        let mut rows = report.projects.iter().flat_map(|project| &project.sessions);
        let next = rows.nth(first).map(|session| {
            let id = view.short_id(&session.row).into();
            format_call("show", &[("id", id), ("only", "prompts".into())])
        });
        Ok(ToolAnswer { next, ..answer })
    }

    /// Reports many sessions with a line each, and leads to the last day of their time in full.
    fn answer_briefly(
        &self,
        view: IndexView<'_>,
        scope: ReportScope<'_>,
        digest: &Digest<'_>,
    ) -> Result<ToolAnswer, CallError> {
        let (mut answer, _) = self.format_page(&digest.format_brief(), digest.range, "line");
        let count = digest.count_sessions();
        answer.notes.push(format!(
            "{count} sessions, so in brief; a shorter time or a project has what was asked and came out"
        ));
        let end_ms = digest.range.to.timestamp().as_millisecond();
        let last_day = find_last_day(view, scope, end_ms)?.map(|day| day.to_string());
        let describe = |day: String| format_call("history", &self.describe_day(&day));
        answer.next = last_day.map(describe);
        Ok(answer)
    }

    /// Returns the filter of the sessions that people started.
    fn session_filter(&self, view: IndexView<'_>) -> Result<SearchFilter, CallError> {
        let session = self.arguments.session.as_deref();
        let session = session.map(|id| view.find_session(id)).transpose()?;
        Ok(SearchFilter {
            clauses: self.scope.clauses.clone(),
            only: session.map(|session| session.id).into_iter().collect(),
            subagents: true,
            ..SearchFilter::default()
        })
    }

    /// Returns the time to report; `None` where none is given and no day has work.
    fn find_range(
        &self,
        view: IndexView<'_>,
        scope: ReportScope<'_>,
    ) -> Result<Option<CalendarRange>, CallError> {
        let now = Zoned::now();
        let time = match self.scope.time {
            Some(time) => time,
            None => match find_last_day(view, scope, i64::MAX)? {
                Some(day) => parse_day(day)?,
                None => return Ok(None),
            },
        };
        let starts = view.sessions().iter();
        let earliest = starts.filter_map(|session| session.started_ms).min();
        let earliest = earliest.unwrap_or(now.timestamp().as_millisecond());
        let range = CalendarRange::new(time, earliest, &now);
        Ok(Some(range.map_err(TypedFilterError::from)?))
    }

    /// Says that nothing was done, and leads to the last day before that time with work.
    fn answer_nothing_done(
        &self,
        view: IndexView<'_>,
        scope: ReportScope<'_>,
        digest: &Digest<'_>,
        report: &WorkReport,
    ) -> Result<ToolAnswer, CallError> {
        let begin_ms = digest.range.from.timestamp().as_millisecond();
        let last_day = find_last_day(view, scope, begin_ms)?;
        let nothing = NothingDone {
            unreported_sessions: report.unreported_sessions,
            is_narrow: true,
            last_day,
        };
        let mut answer = self.format_no_work(view, &digest.format_nothing_done(&nothing).text);
        if let Some(day) = last_day {
            let day = day.to_string();
            answer.next = Some(format_call("history", &self.describe_day(&day)));
        }
        Ok(answer)
    }

    /// Says why there is no work: no project is named so, or else what `note` says.
    fn format_no_work(&self, view: IndexView<'_>, note: &str) -> ToolAnswer {
        let unmet = view.find_unmet_clause(&self.scope.clauses);
        let unmet = unmet.and_then(|unmet| view.format_unmet_clause(&unmet));
        let (note, data) = match unmet {
            Some(unmet) => (unmet.note, unmet.hint),
            None => (note.to_owned(), FencedText::default()),
        };
        ToolAnswer {
            notes: [self.notes.as_slice(), &[note]].concat(),
            data,
            next: Some(format_call("search", &[("query", "".into())])),
            ..ToolAnswer::default()
        }
    }

    /// Formats as many items of a digest as there is room for, from the offset on. Returns the number of the first, too.
    fn format_page(
        &self,
        markdown: &str,
        range: &CalendarRange,
        unit: &str,
    ) -> (ToolAnswer, usize) {
        let digest = DigestItems::parse(markdown);
        let offset = clamp_offset(self.arguments.offset);
        let limit = clamp_limit(self.arguments.limit, MAX_LIMIT, MAX_LIMIT);
        let page = digest.list_page(offset, limit);
        let (count, end) = (digest.items.len(), offset + page.count);
        let all = pluralize(count, unit);
        let which = match offset {
            0 => format!("the first {} of {all}", page.count),
            _ if page.count == 0 => format!("no more than {all}"),
            _ => format!("{} to {end} of {all}", offset + 1),
        };
        let has_rest = page.count > 0 && end < count;
        let rest = has_rest.then(|| format!("; the rest: {}", self.format_rest(range, end)));
        let is_told = has_rest || offset > 0;
        let note = is_told.then(|| which + rest.as_deref().unwrap_or_default());
        let answer = ToolAnswer {
            notes: self.notes.iter().cloned().chain(note).collect(),
            data: page.data,
            ..ToolAnswer::default()
        };
        (answer, if page.count == 0 { 0 } else { offset })
    }

    /// Returns the call for the items from `offset` on. A day that was found is named: work of another may be added.
    fn format_rest(&self, range: &CalendarRange, offset: usize) -> String {
        let day = range.last_day().to_string();
        let mut call = match self.scope.time {
            Some(_) => {
                let filters = FilterArguments::from(self.arguments);
                self.describe(&self.arguments.pattern, filters)
            }
            None => self.describe_day(&day),
        };
        call.push(("limit", self.arguments.limit.into()));
        format_rest_call("history", call, offset)
    }

    /// Returns the arguments for the digest of a day with the same other filters.
    fn describe_day(&self, day: &str) -> Vec<(&'static str, Value)> {
        let mut query = TypedQuery::parse(&self.arguments.pattern);
        query.text.clear();
        let times = [FilterField::Since, FilterField::Until, FilterField::When];
        let pattern = query.format_with_fields(|field| !times.contains(&field));
        let filters = FilterArguments::from(self.arguments).of_day(day);
        self.describe(&pattern, filters)
    }

    fn describe(&self, pattern: &str, filters: FilterArguments<'_>) -> Vec<(&'static str, Value)> {
        let pattern = Some(pattern).filter(|text| !text.is_empty());
        let what = self.arguments.what.name().into();
        let mut call = vec![("what", what), ("pattern", pattern.into())];
        call.extend(filters.describe());
        call
    }
}

impl DigestScope {
    fn new(clauses: impl IntoIterator<Item = FilterClause>) -> Self {
        let mut scope = Self::default();
        for clause in clauses {
            let only = match clause.any.as_slice() {
                [one] if !clause.negated => Some(one),
                _ => None,
            };
            match only {
                Some(FilterCondition::Time { since_ms, until_ms }) => {
                    let time = scope.time.get_or_insert_default();
                    time.since_ms = time.since_ms.max(*since_ms);
                    let ends = time.until_ms.into_iter().chain(*until_ms);
                    time.until_ms = ends.min();
                }
                Some(FilterCondition::Branch(name)) => scope.branch = Some(name.clone()),
                _ if clause.any.iter().all(is_of_session) => scope.clauses.push(clause),
                _ => scope.has_others = true,
            }
        }
        scope
    }
}

fn is_of_session(condition: &FilterCondition) -> bool {
    matches!(
        condition,
        FilterCondition::Project(_) | FilterCondition::Agent(_)
    )
}

impl<'m> DigestItems<'m> {
    /// Splits the Markdown of a digest. No text of a session begins a line.
    fn parse(markdown: &'m str) -> Self {
        let (mut title, mut project, mut week) = ("", "", "");
        let mut items: Vec<DigestItem<'_>> = Vec::new();
        for line in markdown.lines().filter(|line| !line.trim().is_empty()) {
            if line.starts_with("## ") {
                title = line;
            } else if line.starts_with("### ") {
                (project, week) = (line, "");
            } else if line.starts_with("#### ") {
                week = line;
            } else if line.starts_with("- ") {
                let headings = [project, week];
                let text = format!("{line}\n");
                items.push(DigestItem { headings, text });
            } else if let Some(item) = items.last_mut() {
                item.text.push_str(&format!("{line}\n"));
            }
        }
        Self { title, items }
    }

    /// Lists at most `limit` items from `offset` on, as many as there is room for, below their headings.
    fn list_page(&self, offset: usize, limit: usize) -> ItemList {
        let mut page = ItemList::default();
        let mut headings = [""; 2];
        for item in self.items.iter().skip(offset).take(limit) {
            let mut text = match page.count {
                0 => format!("{}\n", self.title),
                _ => String::new(),
            };
            if item.headings != headings {
                let is_same_project = item.headings[0] == headings[0];
                let new = item.headings.iter().skip(usize::from(is_same_project));
                let new = new.filter(|heading| !heading.is_empty());
                new.for_each(|heading| text.push_str(&format!("\n{heading}\n")));
                text.push('\n');
                headings = item.headings;
            }
            if !page.push(&(text + &item.text)) {
                break;
            }
        }
        page
    }
}

/// Finds the last day before a time, in milliseconds since 1970, with work in a scope.
fn find_last_day(
    view: IndexView<'_>,
    scope: ReportScope<'_>,
    before_ms: i64,
) -> Result<Option<Date>, CallError> {
    let Snapshot { index, sessions } = view.snapshot;
    let last_ms = scope.last_turn_before(index, sessions, before_ms, is_reported)?;
    let last = last_ms.and_then(|ms| Timestamp::from_millisecond(ms).ok());
    Ok(last.map(|at| at.to_zoned(TimeZone::system()).date()))
}

fn parse_day(day: Date) -> Result<TimeRange, CallError> {
    let day = day.to_string();
    let range = TimeRange::parse(TypedRange::Within(&day), Zoned::now);
    Ok(range.map_err(TypedFilterError::from)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_the_headings_of_its_sessions() {
        let markdown = "## July 29: 3 sessions, 2 projects\n\n### pier (2 sessions)\n\n#### week\n\n- **a** (`a1`)\n  - Asked: x\n\
            - **b** (`b1`)\n\n### quay (1 session)\n\n- **c** (`c1`)\n  - Outcome: y\n";
        let digest = DigestItems::parse(markdown);
        let whole = digest.list_page(0, 9);
        assert_eq!(whole.data.as_str(), markdown);
        let page = digest.list_page(1, 1);
        let expected = "## July 29: 3 sessions, 2 projects\n\n### pier (2 sessions)\n\n#### week\n\n- **b** (`b1`)\n";
        assert_eq!((page.data.as_str(), page.count), (expected, 1));
        assert_eq!(digest.list_page(3, 1).count, 0);
    }

    #[test]
    fn conditions_are_those_of_a_digest() {
        let time =
            |since_ms, until_ms| FilterClause::new(FilterCondition::Time { since_ms, until_ms });
        let negated = FilterClause {
            negated: true,
            ..FilterClause::new(FilterCondition::Agent("codex".into()))
        };
        let scope = DigestScope::new([
            time(Some(3), None),
            time(Some(5), Some(9)),
            time(None, Some(8)),
            FilterClause::new(FilterCondition::Branch("main".into())),
            negated.clone(),
        ]);
        let range = TimeRange {
            since_ms: Some(5),
            until_ms: Some(8),
        };
        assert_eq!(scope.time, Some(range));
        assert_eq!(scope.branch.as_deref(), Some("main"));
        assert_eq!(scope.clauses, [negated]);
        assert!(!scope.has_others);
        let file = FilterClause::new(FilterCondition::File("a.rs".into()));
        assert!(DigestScope::new([file]).has_others);
    }
}
