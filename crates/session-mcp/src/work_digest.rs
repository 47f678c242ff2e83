//! `history` with `what: digest`: what was done in a range of time.

use crate::answer::{FencedText, ItemList, ToolAnswer, format_call, format_rest_call};
use crate::arguments::{HistoryArguments, clamp_limit, clamp_offset};
use crate::call_error::CallError;
use crate::digest_scope::DigestScope;
use crate::filter_arguments::{FilterArguments, format_turns_note};
use crate::history_tool::{MAX_LIMIT, describe_ignored};
use crate::index_view::IndexView;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use serde_json::Value;
use session_display::{SessionIds, pluralize};
use session_output::{Digest, NothingDone};
use session_query::{Snapshot, TypedFilterError, TypedQuery};
use session_report::{
    CalendarRange, ReportScope, SessionReport, TimeRange, TypedRange, WorkReport, is_reported,
    report_projects,
};
use session_search::SearchFilter;
use session_store::{SessionId, SessionRow, SessionTree};

/// A call for a digest, read.
pub(crate) struct DigestCall<'a> {
    arguments: &'a HistoryArguments,
    scope: DigestScope,
    notes: Vec<String>,
}

/// The session that a call names; of a subagent's, the one that a person started.
#[derive(Debug, Default)]
struct ReportedSession {
    id: Option<SessionId>,
    notes: Vec<String>,
    /// The call that shows it where its root is not there, so that no digest has it.
    show_call: Option<String>,
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
    /// When a filter cannot be used, or filters contradict each other.
    pub(crate) fn new(arguments: &'a HistoryArguments) -> Result<Self, CallError> {
        let scope = DigestScope::read(arguments)?;
        let notes = scope.notes().chain(describe_ignored(arguments));
        Ok(Self {
            notes: notes.map(str::to_owned).collect(),
            arguments,
            scope,
        })
    }

    /// Reports the work in the time of the call; without one, that of the newest day with work.
    ///
    /// # Errors
    /// When the index fails, a session is not there, or the time has not begun.
    pub(crate) fn answer(&self, view: IndexView<'_>) -> Result<ToolAnswer, CallError> {
        let named = self.find_reported_session(view)?;
        if named.show_call.is_some() {
            return Ok(ToolAnswer {
                notes: named.notes,
                next: named.show_call,
                ..ToolAnswer::default()
            });
        }
        let mut answer = self.report(view, named.id)?;
        answer.notes.splice(..0, named.notes);
        Ok(answer)
    }

    /// Reports the work of all sessions that people started, or of one.
    fn report(
        &self,
        view: IndexView<'_>,
        only: Option<SessionId>,
    ) -> Result<ToolAnswer, CallError> {
        let filter = self.session_filter(only);
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
        let next = rows.nth(first);
        let next = next.map(|session| format_prompts_call(&session.row, view));
        Ok(ToolAnswer { next, ..answer })
    }

    /// Reports many sessions with a line each. Leads to the last day of their time, and of one day to the first session listed:
    /// the digest of that day would be this one.
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
        if digest.range.from.date() == digest.range.last_day() {
            let listed = find_first_listed(digest, &answer, view);
            answer.next = listed.map(|session| format_prompts_call(&session.row, view));
            return Ok(answer);
        }
        let end_ms = digest.range.to.timestamp().as_millisecond();
        let last_day = find_last_day(view, scope, end_ms)?.map(|day| day.to_string());
        let describe = |day: String| format_call("history", &self.describe_day(&day));
        answer.next = last_day.map(describe);
        Ok(answer)
    }

    /// Finds the session that the call names. What a subagent did is in the report of the session that started it.
    fn find_reported_session(&self, view: IndexView<'_>) -> Result<ReportedSession, CallError> {
        let Some(typed) = self.arguments.session.as_deref() else {
            return Ok(ReportedSession::default());
        };
        let session = view.find_session(typed)?;
        let root = SessionTree::new(view.sessions())
            .find_root(&session)
            .clone();
        let (id, root_id) = (view.short_id(&session), view.short_id(&root));
        let started = (root.id != session.id).then(|| {
            format!(
                "{id} is a subagent's session; the work of {root_id}, which started it, is reported"
            )
        });
        let is_orphan = root.parent.is_some();
        let orphan = is_orphan.then(|| {
            format!("a digest has no subagent's session by itself, and the one that started {root_id} is not there")
        });
        let turns = format_turns_note(typed, "reported");
        Ok(ReportedSession {
            id: Some(root.id),
            notes: match orphan {
                Some(note) => vec![note],
                None => turns.into_iter().chain(started).collect(),
            },
            show_call: is_orphan.then(|| format_prompts_call(&session, view)),
        })
    }

    /// Returns the filter of the sessions that people started.
    fn session_filter(&self, only: Option<SessionId>) -> SearchFilter {
        SearchFilter {
            clauses: self.scope.clauses.clone(),
            only_sessions: only.into_iter().collect(),
            includes_subagents: true,
            ..SearchFilter::default()
        }
    }

    /// Returns the time to report; `None` if none is given and no day has work.
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
        let needs_note = has_rest || offset > 0;
        let note = needs_note.then(|| which + rest.as_deref().unwrap_or_default());
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
        let pattern = query.format_with_fields(|field| !field.is_time());
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

/// Finds the first session that has a line in an answer: those without a result are counted alone. Where none has, the first.
fn find_first_listed<'d>(
    digest: &Digest<'d>,
    answer: &ToolAnswer,
    view: IndexView<'_>,
) -> Option<&'d SessionReport> {
    let sessions = || digest.projects.iter().flat_map(|project| &project.sessions);
    let is_listed = |session: &&SessionReport| {
        let id = format!("`{}`", view.short_id(&session.row));
        answer.data.as_str().contains(&id)
    };
    sessions().find(is_listed).or_else(|| sessions().next())
}

/// Returns the call that shows what was asked in a session.
fn format_prompts_call(session: &SessionRow, view: IndexView<'_>) -> String {
    let id = view.short_id(session).into();
    format_call("show", &[("id", id), ("only", "prompts".into())])
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
}
