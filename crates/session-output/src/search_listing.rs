//! Search results for people.

use crate::explanation;
use crate::layout::{Field, GAP, INDENT, flow, line, safe_line};
use crate::preview::format_preview;
use crate::searched_scope::SearchedScope;
use crate::session_label::{day, gone_field, hit_time, project, resume_line, short_id, title};
use crate::shell::{self, format_command};
use crate::style::{FAINT, ID, PROJECT, TITLE, band_style, paint};
use crate::units::format_sources;
use crate::work::{WorkPart, format_work};
use anstyle::Style;
use session_core::Band;
use session_core::text::file_name;
use session_display::{Preview, format_unfound_terms, plural};
use session_indexer::Outcome;
use session_query::SearchAnswer;
use session_report::WorkSummary;
use session_search::{Hit, HitOrder, Level};
use session_store::SessionRow;
use unicode_width::UnicodeWidthStr;

/// Columns of a score with its band.
const SCORE_WIDTH: usize = 16;
/// Most columns of a project's name.
const PROJECT_COLUMNS: usize = 24;
/// Fewest columns in which a title, a query or names of files say something.
const MIN_FIELD_WIDTH: usize = 24;
/// Most names of files.
const MAX_FILES: usize = 4;
const SUBAGENTS_HINT: &str = "search them with --subagents";
const FILES_LABEL: &str = "files: ";
/// Between names of files and the command that takes the session up.
const COMMAND_GAP: usize = 4;

/// The answer of a search with what is printed beside it, in three shapes: [`SearchListing::text`],
/// [`SearchListing::json`] and [`SearchListing::compact_json`].
pub struct SearchListing<'a> {
    /// The answer.
    pub answer: &'a SearchAnswer,
    /// All sessions of the index: an id is as short as they allow.
    pub all: &'a [SessionRow],
    /// The preview of each hit.
    pub previews: &'a [Preview],
    /// The work summary of each hit, where requested.
    pub work: &'a [WorkSummary],
    /// The parts of it that are printed.
    pub with: &'a [WorkPart],
    /// The refresh before the answer; none where nobody looked for changes.
    pub refreshed: Option<&'a Outcome>,
    /// True where each score is explained.
    pub explain: bool,
    /// True for the built-in demo, whose ids name nothing outside of it.
    pub is_demo: bool,
}

impl SearchListing<'_> {
    /// Formats the answer for a terminal of so many columns. Weak hits beside a strong one take a line
    /// each, so that the strong one stays on the screen.
    pub fn text(&self, width: usize) -> String {
        let results = &self.answer.results;
        let mut out = self.heading(width);
        let mut after_brief = false;
        for (n, hit) in results.hits.iter().enumerate() {
            let is_brief = self.is_brief(hit);
            if !(is_brief && after_brief) {
                out.push('\n');
            }
            out.push_str(&flow(&self.fields(hit), 0, width));
            if !is_brief {
                out.push_str(&self.details(n, hit, width));
            }
            after_brief = is_brief;
        }
        if self.explain {
            out.push_str(&explanation::format_search(&results.explanation, width));
        }
        match self.is_demo {
            true => out,
            false => out + &self.next_command(width),
        }
    }

    /// True for a weak hit beside a strong one, where nothing more about hits was requested.
    fn is_brief(&self, hit: &Hit) -> bool {
        let results = &self.answer.results;
        let is_ranked = results.order == HitOrder::Relevance;
        let is_plain = !self.explain && self.work.is_empty();
        let has_strong = || results.hits.iter().any(|hit| hit.band == Band::Strong);
        is_ranked && is_plain && hit.band == Band::Weak && has_strong()
    }

    /// Formats what stands below the first line of the `n`th hit.
    fn details(&self, n: usize, hit: &Hit, width: usize) -> String {
        let preview = self.previews.get(n).map(|of| format_preview(of, width));
        let work = self.work.get(n).map(|of| format_work(of, self.with, width));
        let explanation = self.explain.then(|| explanation::format_hit(hit, width));
        let (preview, work) = (preview.unwrap_or_default(), work.unwrap_or_default());
        let last = last_lines(hit, self.is_demo, width);
        preview + &work + &last + &explanation.unwrap_or_default()
    }

    /// Formats that nothing was found, with a hint where filters were typed, or given by options.
    pub fn nothing_found(&self, is_narrow: bool) -> String {
        let answer = self.answer;
        let scope = SearchedScope {
            sessions: answer.results.searched.sessions,
            is_filtered: answer.has_typed_filters || is_narrow,
            filters_turns: answer.filters_turns,
        };
        scope.format_nothing("nothing found")
    }

    /// Formats the words of the query that no searched session holds, a note for each place where they are.
    pub fn unfound_words(&self) -> Vec<String> {
        format_unfound_terms(&self.answer.results, SUBAGENTS_HINT)
    }

    /// Returns the query and the counts; on two lines where the query would be
    /// cut to little.
    fn heading(&self, width: usize) -> String {
        let name = match self.answer.results.level {
            Level::Session => "SESSIONS",
            Level::Turn => "TURNS",
        };
        let counts = line(&self.counts(), width.saturating_sub(INDENT));
        let query = safe_line(&self.answer.query);
        let room = width.saturating_sub(name.len() + 4);
        let beside = room.saturating_sub(GAP + counts.width());
        let fits = query.width().min(MIN_FIELD_WIDTH) <= beside;
        let (room, gap) = match fits {
            true => (beside, " ".repeat(GAP)),
            false => (room, format!("\n{}", " ".repeat(INDENT))),
        };
        let (name, counts) = (paint(TITLE, name), paint(FAINT, counts));
        format!("{name}  \"{}\"{gap}{counts}\n", line(&query, room))
    }

    fn level(&self) -> Level {
        self.answer.results.level
    }

    fn counts(&self) -> String {
        let searched = &self.answer.results.searched;
        let sessions = plural(searched.sessions, "session");
        let projects = plural(searched.projects, "project");
        match self.answer.filters_turns {
            true => format!("filtered from {sessions}, {projects}"),
            false => format!(
                "{sessions}, {projects}{}",
                format_sources(&searched.sources)
            ),
        }
    }

    fn fields(&self, hit: &Hit) -> Vec<Field> {
        let session = &hit.session;
        let id = short_id(session, self.all);
        let turns = session.turns;
        let (place, count) = match (self.level(), &hit.turn) {
            (Level::Turn, Some(turn)) => (
                format!("{id}:{}", turn.index),
                format!("{}/{turns}", turn.index + 1),
            ),
            _ => (id, plural(turns as usize, "turn")),
        };
        let day = day(hit_time(self.level(), hit));
        let mut fields = Vec::from_iter(self.score(hit));
        fields.extend([
            Field::whole(Style::new(), safe_line(&session.source)),
            Field::whole(ID, place),
            Field::whole(PROJECT, line(project(session), PROJECT_COLUMNS)),
            Field::whole(FAINT, day),
            Field::whole(Style::new(), count),
        ]);
        fields.extend(gone_field(session));
        fields.push(titled(session));
        fields
    }

    /// The probability with its band, where hits are ranked.
    fn score(&self, hit: &Hit) -> Option<Field> {
        let score = format!("[{:.2} {}]", hit.score, hit.band.name());
        let field = Field::whole(band_style(hit.band), format!("{score:<SCORE_WIDTH$}"));
        (self.answer.results.order == HitOrder::Relevance).then_some(field)
    }

    /// The command that goes on from the first hit.
    fn next_command(&self, width: usize) -> String {
        let Some(first) = self.answer.results.hits.first() else {
            return String::new();
        };
        let id = short_id(&first.session, self.all);
        let arguments = match (self.level(), &first.turn) {
            (Level::Turn, Some(turn)) => {
                let last = (turn.index + 2).min(first.session.turns.saturating_sub(1));
                let place = format!("{id}:{}-{last}", turn.index.saturating_sub(2));
                vec!["show".to_owned(), shell::quote(&place)]
            }
            _ => {
                let (query, id) = (shell::quote_query(&self.answer.query), shell::quote(&id));
                let options = ["--depth", "2", "--session", &id];
                let arguments = match self.answer.query.starts_with('-') {
                    false => [&["search", &query], &options[..]].concat(),
                    true => [&["search"], &options[..], &["--", &query]].concat(),
                };
                arguments.into_iter().map(str::to_owned).collect()
            }
        };
        let name = "Next:";
        let command = format_command(&arguments, name.len() + 1, width);
        format!("\n{} {command}\n", paint(FAINT, name))
    }
}

fn titled(session: &SessionRow) -> Field {
    let mark = if session.parent.is_some() {
        "subagent: "
    } else {
        ""
    };
    Field::cut_to(TITLE, format!("{mark}{}", title(session)), MIN_FIELD_WIDTH)
}

/// Names of files and the command that takes the session up again: beside each
/// other where there is room, else on lines of their own.
fn last_lines(hit: &Hit, is_demo: bool, width: usize) -> String {
    let columns = width.saturating_sub(INDENT);
    let names = names(hit);
    let alone = || files(&names, columns).unwrap_or_else(|| first_file(&names, columns));
    let command = resumed(hit, columns).filter(|_| !is_demo);
    let lines = match command {
        None => vec![alone()],
        Some(resume) => {
            let room = columns.saturating_sub(COMMAND_GAP + resume.width());
            let beside =
                files(&names, room).filter(|_| room >= MIN_FIELD_WIDTH || names.len() == 1);
            let resume = paint(FAINT, resume);
            match beside {
                Some(files) => vec![format!("{files}{}{resume}", " ".repeat(COMMAND_GAP))],
                None => vec![alone(), resume],
            }
        }
    };
    let lines = lines.iter().filter(|line| !line.is_empty());
    lines.map(|line| format!("    {line}\n")).collect()
}

/// The command that takes a session up again. It is never cut: where it is too
/// long it goes without its label, and at worst beyond the width.
fn resumed(hit: &Hit, columns: usize) -> Option<String> {
    let command = safe_line(&resume_line(&hit.session)?);
    let labelled = format!("resume: {command}");
    Some(if labelled.width() <= columns {
        labelled
    } else {
        command
    })
}

/// Names of the hit's files, each once.
fn names(hit: &Hit) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in hit.files.iter().map(|f| safe_line(file_name(f))) {
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// As many names as there is room for, if there is for one.
fn files(names: &[String], columns: usize) -> Option<String> {
    let room = columns.saturating_sub(FILES_LABEL.len());
    let most = names.len().min(MAX_FILES);
    let list = |shown: usize| {
        let (shown, more) = names.split_at(shown);
        format!("{}{}", shown.join(", "), plus(more.len()))
    };
    let list = (1..=most)
        .rev()
        .map(list)
        .find(|list| list.width() <= room)?;
    Some(format!("{}{list}", paint(FAINT, FILES_LABEL)))
}

/// The first name, cut; empty where there is none.
fn first_file(names: &[String], columns: usize) -> String {
    let Some(first) = names.first() else {
        return String::new();
    };
    let more = plus(names.len() - 1);
    let room = columns.saturating_sub(FILES_LABEL.len() + more.len());
    format!("{}{}{more}", paint(FAINT, FILES_LABEL), line(first, room))
}

fn plus(more: usize) -> String {
    match more {
        0 => String::new(),
        n => format!(" +{n}"),
    }
}
