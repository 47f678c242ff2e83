//! The digest, as Markdown and as JSON.

use crate::calendar::format_last_day;
use crate::searched_scope::NARROW_FILTERS;
use crate::turn_heading::are_of_several_agents;
use crate::work::{JsonTokens, format_file_names, format_tokens};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use session_core::AccessedFile;
use session_core::text::escape_markdown;
use session_display::{
    Note, SessionIds, format_duration, format_rfc3339, pluralize, project_label, sanitize_line,
    session_title, visible_title, wrap_lines,
};
use session_report::{CalendarRange, CommandRun, ProjectReport, SessionReport, WorkSummary};

/// The heading above sessions whose folder is not known.
const UNKNOWN_FOLDER: &str = "unknown folder";

/// A report with what it is printed with.
pub struct Digest<'a> {
    /// The work by project.
    pub projects: &'a [ProjectReport],
    /// When.
    pub range: &'a CalendarRange,
    /// All sessions of the index: an id is as short as they allow.
    pub ids: SessionIds<'a>,
    /// Columns to fold to; on a terminal alone, for what is pasted elsewhere is
    /// folded there.
    pub width: Option<usize>,
}

/// A report without work.
#[derive(Debug, Clone, Copy, Default)]
pub struct NothingDone {
    /// Number of sessions in the time in which no prompt was answered.
    pub unreported_sessions: usize,
    /// True where a filter was given.
    pub is_narrow: bool,
    /// The last day before that time with work.
    pub last_day: Option<Date>,
}

impl Digest<'_> {
    /// Counts the sessions that are reported.
    pub fn count_sessions(&self) -> usize {
        self.projects.iter().map(|p| p.sessions.len()).sum()
    }

    /// Formats the report as Markdown.
    pub fn format_markdown(&self) -> String {
        let mut out = format!(
            "## {}: {}, {}\n",
            format_days(self.range),
            pluralize(self.count_sessions(), "session"),
            pluralize(self.count_known_projects(), "project")
        );
        let names_agents = self.names_agents();
        for project in self.projects {
            out.push_str(&format!("\n### {}\n\n", self.format_heading(project)));
            let sessions = project.sessions.iter();
            sessions.for_each(|s| out.push_str(&self.format_session(s, names_agents)));
        }
        out
    }

    /// Formats that nothing was done, and when it last was, with a hint where filters were given or an earlier day has work.
    pub fn format_nothing_done(&self, nothing: &NothingDone) -> Note {
        let on = if self.range.from.date() == self.range.last_day() {
            "on"
        } else {
            "from"
        };
        let (days, last) = (format_days(self.range), format_last_day(nothing.last_day));
        let reason = match nothing.unreported_sessions {
            0 => format!("no session {on} {days}{last}"),
            sessions => {
                let sessions = pluralize(sessions, "session");
                format!(
                    "nothing was done in {sessions} {on} {days}, since no prompt was answered{last}"
                )
            }
        };
        let note = Note::new(reason);
        match nothing.last_day {
            // Without the filters that were typed the command would report other work.
            Some(day) if nothing.is_narrow => note.with_hint(format!(
                "`session-search digest {day}` with the same filters"
            )),
            Some(day) => note.with_hint(format!("`session-search digest {day}`")),
            None if nothing.is_narrow && nothing.unreported_sessions == 0 => {
                note.with_hint(NARROW_FILTERS)
            }
            None => note,
        }
    }

    /// Counts the projects whose folder is known: sessions of unknown folders are of no project.
    pub(crate) fn count_known_projects(&self) -> usize {
        let known = self.projects.iter().filter(|p| p.path.is_some());
        known.count()
    }

    /// Formats the name of a project, with the folder where another project is called the same.
    pub(crate) fn format_heading(&self, project: &ProjectReport) -> String {
        let name = match project.sessions.first() {
            _ if project.path.is_none() => UNKNOWN_FOLDER.to_owned(),
            Some(session) => escape_markdown_line(project_label(&session.row)),
            None => escape_markdown_line(&project.name),
        };
        let same = self.projects.iter().filter(|p| p.name == project.name);
        let path = project.path.as_deref().filter(|_| same.count() > 1);
        let path = path.map_or(String::new(), |path| {
            format!("{}, ", escape_markdown_line(path))
        });
        let sessions = pluralize(project.sessions.len(), "session");
        format!(
            "{name} ({path}{sessions}, {})",
            format_duration(project.active_ms())
        )
    }

    fn format_session(&self, session: &SessionReport, names_agents: bool) -> String {
        let title = session_title(&session.row);
        let mut out = self.format_item(
            "- ",
            &format!(
                "**{}** ({})",
                escape_markdown(&title),
                self.format_facts(session, names_agents)
            ),
        );
        for line in format_session_lines(session, &title) {
            out.push_str(&self.format_item("  - ", &line));
        }
        out
    }

    /// Formats id, agent, branch, time and duration of a session.
    fn format_facts(&self, session: &SessionReport, names_agents: bool) -> String {
        let work = &session.work;
        let id = self.format_id(session, names_agents);
        let branch = work.branch.as_deref().map(escape_markdown_line);
        let when = self.format_times_of_work(work);
        let long = format_duration(work.active_ms);
        let parts = [
            Some(id),
            branch.filter(|b| !b.is_empty()),
            Some(when),
            Some(long),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// Returns true if the sessions are of several agents: each is named with its own.
    pub(crate) fn names_agents(&self) -> bool {
        let sessions = self.projects.iter().flat_map(|project| &project.sessions);
        are_of_several_agents(sessions.map(|session| &session.row))
    }

    /// Formats the id of a session, and its agent where agents are named.
    pub(crate) fn format_id(&self, session: &SessionReport, names_agents: bool) -> String {
        let id = format!("`{}`", self.ids.short_id(&session.row));
        match names_agents {
            true => format!("{id}, {}", escape_markdown_line(&session.row.source)),
            false => id,
        }
    }

    /// Formats when the work began: the time of day, and the day as far as the range leaves it open.
    fn format_times_of_work(&self, work: &WorkSummary) -> String {
        let (first, last) = (self.range.from.date(), self.range.last_day());
        let format = match (last - first).get_days() {
            0 => "%H:%M",
            // No day of the month comes twice.
            1..28 => "%a %d %H:%M",
            _ if first.year() == last.year() => "%b %-d %H:%M",
            _ => "%Y-%m-%d %H:%M",
        };
        match work.started_ms.map(Timestamp::from_millisecond) {
            Some(Ok(at)) => at.to_zoned(TimeZone::system()).strftime(format).to_string(),
            _ => "no time".to_owned(),
        }
    }

    pub(crate) fn format_item(&self, mark: &str, text: &str) -> String {
        let Some(width) = self.width else {
            return format!("{mark}{text}\n");
        };
        let indent = " ".repeat(mark.len());
        let marks = std::iter::once(mark).chain(std::iter::repeat(indent.as_str()));
        let lines = wrap_lines(text, width.saturating_sub(mark.len()));
        marks.zip(lines).map(|(m, l)| format!("{m}{l}\n")).collect()
    }
}

/// Formats a range of days: `January 16, 2026`, or the first day to the last.
pub(crate) fn format_days(range: &CalendarRange) -> String {
    // Where daylight saving skips midnight, a day begins at another time.
    let begins_within_day = range.from.start_of_day().ok().as_ref() != Some(&range.from);
    if begins_within_day && range.from.duration_until(&range.to) < SignedDuration::from_hours(24) {
        return format_times(range);
    }
    let (first, last) = (range.from.date(), range.last_day());
    let long = |day: Date| day.strftime("%B %-d, %Y").to_string();
    if first == last {
        return long(first);
    }
    let begin = if first.year() == last.year() {
        first.strftime("%B %-d")
    } else {
        first.strftime("%B %-d, %Y")
    };
    format!("{begin} to {}", long(last))
}

/// Formats a range of less than a day: `July 22, 2026, 03:00 to 03:05`.
fn format_times(range: &CalendarRange) -> String {
    let begin = range.from.strftime("%B %-d, %Y, %H:%M");
    let end = if range.from.date() == range.to.date() {
        range.to.strftime("%H:%M")
    } else {
        range.to.strftime("%B %-d, %Y, %H:%M")
    };
    format!("{begin} to {end}")
}

/// Returns session text on one line, escaped for Markdown.
pub(crate) fn escape_markdown_line(text: &str) -> String {
    escape_markdown(&sanitize_line(text))
}

/// Returns the lines below a session's title.
fn format_session_lines(session: &SessionReport, title: &str) -> Vec<String> {
    let work = &session.work;
    let asked = work.problem.as_deref().map(sanitize_line);
    let asked = asked.filter(|words| !is_same_text(words, title));
    let mut lines: Vec<String> = asked
        .map(|words| format!("Asked: {}", escape_markdown(&words)))
        .into_iter()
        .collect();
    lines.extend(
        work.solution
            .as_deref()
            .map(|w| format!("Outcome: {}", escape_markdown_line(w))),
    );
    let changed: Vec<&AccessedFile> = work.changed_files().collect();
    if !changed.is_empty() {
        lines.push(format!(
            "Changed: {}",
            escape_markdown(&format_file_names(&changed, MAX_FILES))
        ));
    }
    let counts = format_counts(session);
    if !counts.is_empty() {
        lines.push(counts.join("; "));
    }
    lines
}

/// Most names of files.
const MAX_FILES: usize = 5;

/// Returns true when the prompt says what the title says: a title may be its beginning.
fn is_same_text(prompt: &str, title: &str) -> bool {
    let begin = title.trim_end_matches('…').trim_end();
    let goes_on = prompt.len() > begin.len() + 100;
    prompt.starts_with(begin) && !goes_on
}

fn format_counts(session: &SessionReport) -> Vec<String> {
    let work = &session.work;
    let mut counts = Vec::new();
    let ran = work.ran_command_count();
    if ran > 0 {
        counts.push(match work.failed_command_count() {
            0 => pluralize(ran, "command"),
            n => format!("{} ({n} failed)", pluralize(ran, "command")),
        });
    }
    counts.extend(
        work.pull_requests
            .iter()
            .map(|address| format_link(address)),
    );
    if session.subagents > 0 {
        counts.push(pluralize(session.subagents, "subagent"));
    }
    if !work.tokens.is_zero() {
        counts.push(format!("tokens: {}", format_tokens(work.tokens)));
    }
    counts
}

/// Formats a link to a pull request by its number; what is no plain address is no link.
pub(crate) fn format_link(address: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._~:/?#@%+=&".contains(c);
    let is_web = address.starts_with("https://") || address.starts_with("http://");
    if !is_web || !address.chars().all(is_plain) {
        return escape_markdown_line(address);
    }
    let number = address.rsplit('/').next().unwrap_or_default();
    format!("[#{number}]({address})")
}

/// The report as `docs/cli.md` describes it.
#[derive(Serialize)]
pub struct JsonDigest<'a> {
    from: String,
    to: String,
    /// The index is up to date with the histories.
    complete: bool,
    hints: Vec<String>,
    sessions: usize,
    projects: Vec<JsonProject<'a>>,
}

#[derive(Serialize)]
struct JsonProject<'a> {
    project: &'a str,
    path: Option<&'a str>,
    active_seconds: i64,
    sessions: Vec<JsonSession<'a>>,
}

#[derive(Serialize)]
struct JsonSession<'a> {
    source: &'a str,
    session: &'a str,
    title: Option<&'a str>,
    branch: Option<&'a str>,
    started: Option<String>,
    ended: Option<String>,
    active_seconds: i64,
    turns: usize,
    subagents: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<Option<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    solution: Option<Option<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<&'a [AccessedFile]>,
    commands: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    failed: Option<Vec<&'a str>>,
    pull_requests: &'a [String],
    models: &'a [String],
    tokens: JsonTokens,
}

/// How much of each session a report has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DigestDetail {
    /// The short part of each entry.
    Brief,
    /// Also what was asked, came out, changed and failed.
    Full,
}

impl<'a> Digest<'a> {
    /// Returns the report as it is printed as JSON, a brief one without the fields that may be long. Hints say why nothing was
    /// done, and what to change.
    pub fn to_json(
        &self,
        detail: DigestDetail,
        complete: bool,
        hints: Vec<String>,
    ) -> JsonDigest<'a> {
        let projects = self.projects.iter();
        JsonDigest {
            from: self.range.from.timestamp().to_string(),
            to: self.range.to.timestamp().to_string(),
            complete,
            hints,
            sessions: self.count_sessions(),
            projects: projects.map(|it| to_json_project(it, detail)).collect(),
        }
    }
}

fn to_json_project(project: &ProjectReport, detail: DigestDetail) -> JsonProject<'_> {
    let sessions = project.sessions.iter();
    JsonProject {
        project: project
            .sessions
            .first()
            .map_or("", |s| project_label(&s.row)),
        path: project.path.as_deref(),
        active_seconds: project.active_ms() / 1000,
        sessions: sessions.map(|it| to_json_session(it, detail)).collect(),
    }
}

fn to_json_session(session: &SessionReport, detail: DigestDetail) -> JsonSession<'_> {
    let is_full = detail == DigestDetail::Full;
    let (row, work) = (&session.row, &session.work);
    let failed = work.commands.iter().filter(|run| run.status.is_failed());
    let failed = failed.map(|run: &CommandRun| run.command.as_str());
    JsonSession {
        source: &row.source,
        session: &row.uid,
        title: visible_title(row),
        branch: work.branch.as_deref(),
        started: format_rfc3339(work.started_ms),
        ended: format_rfc3339(work.ended_ms),
        active_seconds: work.active_ms / 1000,
        turns: work.turns,
        subagents: session.subagents,
        problem: is_full.then_some(work.problem.as_deref()),
        solution: is_full.then_some(work.solution.as_deref()),
        files: is_full.then_some(&work.files),
        commands: work.ran_command_count(),
        failed: is_full.then(|| failed.collect()),
        pull_requests: &work.pull_requests,
        models: &work.models,
        tokens: JsonTokens::new(work.tokens),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use session_store::SessionRow;

    #[test]
    fn pull_requests_alone_are_links() {
        let address = "https://github.com/a/b/pull/7";
        assert_eq!(format_link(address), format!("[#7]({address})"));
        assert_eq!(format_link("https://x/1]![a](y"), "`https://x/1]![a](y`");
    }

    #[test]
    fn a_day_without_midnight_is_a_day() {
        let range = |from: &str, to: &str| CalendarRange {
            from: from.parse().unwrap(),
            to: to.parse().unwrap(),
        };
        let day = range(
            "2026-04-24T01:00[Africa/Cairo]",
            "2026-04-25T00:00[Africa/Cairo]",
        );
        assert_eq!(format_days(&day), "April 24, 2026");
        let hours = range(
            "2018-11-04T02:00[America/Sao_Paulo]",
            "2018-11-05T00:00[America/Sao_Paulo]",
        );
        assert_eq!(
            format_days(&hours),
            "November 4, 2018, 02:00 to November 5, 2018, 00:00"
        );
    }

    #[test]
    fn sessions_of_unknown_folders_are_of_no_project() {
        let report = SessionReport {
            row: SessionRow::default(),
            work: WorkSummary::default(),
            subagents: 0,
        };
        let project = ProjectReport {
            name: String::new(),
            path: None,
            sessions: vec![report],
        };
        let day = jiff::civil::date(2026, 1, 5)
            .to_zoned(TimeZone::UTC)
            .unwrap();
        let range = CalendarRange {
            from: day.clone(),
            to: day,
        };
        let digest = Digest {
            projects: &[project],
            range: &range,
            ids: SessionIds::default(),
            width: None,
        };
        let text = digest.format_markdown();
        assert!(text.contains("1 session, 0 projects\n"), "{text}");
        assert!(text.contains("\n### unknown folder (1 session"), "{text}");
    }
}
