//! Search results for people.

use crate::args::With;
use crate::output::explanation;
use crate::output::json::date;
use crate::output::layout::{Field, GAP, INDENT, flow, line, safe_line};
use crate::output::preview::{self, Preview};
use crate::output::session::{day, gone, project, resume, short_id, title};
use crate::output::shell;
use crate::output::style::{self, FAINT, ID, PROJECT, TITLE, paint};
use crate::output::work;
use anstyle::Style;
use session_core::text::file_name;
use session_report::WorkSummary;
use session_search::{Hit, HitOrder, Level, Results};
use session_store::SessionRow;
use unicode_width::UnicodeWidthStr;

/// Columns of a score with its band.
const SCORE: usize = 16;
/// Most columns of a project's name.
const PROJECT_COLUMNS: usize = 24;
/// Fewest columns in which a title, a query or names of files say something.
const LEAST: usize = 24;
/// Most names of files.
const FILES: usize = 4;
const FILES_LABEL: &str = "files: ";
/// Between names of files and the command that takes the session up.
const ASIDE: usize = 4;

/// A search's answer and what it is printed with.
pub struct HitListing<'a> {
    /// As typed.
    pub query: &'a str,
    /// The results.
    pub results: &'a Results,
    /// All sessions of the index: an id is as short as they allow.
    pub all: &'a [SessionRow],
    /// Single turns were left out by conditions, so that what was searched is
    /// less than the sessions counted.
    pub narrowed: bool,
    /// The preview of each hit.
    pub previews: &'a [Preview],
    /// The work summary of each hit, where requested.
    pub done: &'a [WorkSummary],
    /// The parts of it that are printed.
    pub with: &'a [With],
    /// Say how scores came to be.
    pub explain: bool,
    /// Columns to fill.
    pub width: usize,
}

impl HitListing<'_> {
    /// The answer as text with colour codes.
    pub fn text(&self) -> String {
        let mut out = self.heading();
        for (n, hit) in self.results.hits.iter().enumerate() {
            out.push('\n');
            out.push_str(&flow(&self.fields(hit), 0, self.width));
            if let Some(preview) = self.previews.get(n) {
                out.push_str(&preview::lines(preview, self.width));
            }
            if let Some(work) = self.done.get(n) {
                out.push_str(&work::text(work, self.with, self.width));
            }
            out.push_str(&last_lines(hit, self.width));
            if self.explain {
                out.push_str(&explanation::hit_fields(hit, self.width));
            }
        }
        if self.explain {
            out.push_str(&explanation::of_search(
                &self.results.explanation,
                self.width,
            ));
        }
        out + &self.next()
    }

    /// Returns the query and the counts; on two lines where the query would be
    /// cut to little.
    fn heading(&self) -> String {
        let name = match self.results.level {
            Level::Session => "SESSIONS",
            Level::Turn => "TURNS",
        };
        let counts = line(&self.counts(), self.width.saturating_sub(INDENT));
        let query = safe_line(self.query);
        let room = self.width.saturating_sub(name.len() + 4);
        let beside = room.saturating_sub(GAP + counts.width());
        let fits = query.width().min(LEAST) <= beside;
        let (room, gap) = match fits {
            true => (beside, " ".repeat(GAP)),
            false => (room, format!("\n{}", " ".repeat(INDENT))),
        };
        let (name, counts) = (paint(TITLE, name), paint(FAINT, counts));
        format!("{name}  \"{}\"{gap}{counts}\n", line(&query, room))
    }

    fn counts(&self) -> String {
        let searched = &self.results.searched;
        let sessions = plural(searched.sessions, "session");
        let projects = plural(searched.projects, "project");
        match self.narrowed {
            true => format!("filtered from {sessions}, {projects}"),
            false => format!("{sessions}, {projects}{}", bracketed(&searched.sources)),
        }
    }

    fn fields(&self, hit: &Hit) -> Vec<Field> {
        let session = &hit.session;
        let id = short_id(session, self.all);
        let turns = session.turns;
        let (place, count) = match (self.results.level, &hit.turn) {
            (Level::Turn, Some(turn)) => (
                format!("{id}:{}", turn.index),
                format!("{}/{turns}", turn.index + 1),
            ),
            _ => (id, plural(turns as usize, "turn")),
        };
        let day = day(date(self.results.level, hit));
        let mut fields = Vec::from_iter(self.score(hit));
        fields.extend([
            Field::whole(Style::new(), safe_line(&session.source)),
            Field::whole(ID, place),
            Field::whole(PROJECT, line(project(session), PROJECT_COLUMNS)),
            Field::whole(FAINT, day),
            Field::whole(Style::new(), count),
        ]);
        fields.extend(gone(session));
        fields.push(titled(session));
        fields
    }

    /// The probability with its band, where hits are ranked.
    fn score(&self, hit: &Hit) -> Option<Field> {
        let score = format!("[{:.2} {}]", hit.score, hit.band.name());
        let field = Field::whole(style::band(hit.band), format!("{score:<SCORE$}"));
        (self.results.order == HitOrder::Relevance).then_some(field)
    }

    /// The command that goes on from the first hit.
    fn next(&self) -> String {
        let Some(first) = self.results.hits.first() else {
            return String::new();
        };
        let id = short_id(&first.session, self.all);
        let arguments = match (self.results.level, &first.turn) {
            (Level::Turn, Some(turn)) => {
                let last = (turn.index + 2).min(first.session.turns.saturating_sub(1));
                let place = format!("{id}:{}-{last}", turn.index.saturating_sub(2));
                vec!["show".to_owned(), shell::quote(&place)]
            }
            _ => {
                let (query, id) = (shell::quote_query(self.query), shell::quote(&id));
                ["search", &query, "--depth", "2", "--session", &id]
                    .map(str::to_owned)
                    .to_vec()
            }
        };
        let name = "Next:";
        let command = shell::command(&arguments, name.len() + 1, self.width);
        format!("\n{} {command}\n", paint(FAINT, name))
    }
}

/// Returns a count with its noun, which takes `s`, or `ies` for a `y` after a consonant.
pub fn plural(count: usize, noun: &str) -> String {
    let stem = noun
        .strip_suffix('y')
        .filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u']));
    match (count, stem) {
        (1, _) => format!("1 {noun}"),
        (_, Some(stem)) => format!("{count} {stem}ies"),
        (_, None) => format!("{count} {noun}s"),
    }
}

/// Sessions by agent, in brackets with a space before them, if there are any.
pub fn bracketed(sources: &std::collections::BTreeMap<String, usize>) -> String {
    let counts: Vec<String> = sources
        .iter()
        .map(|(name, n)| format!("{name} {n}"))
        .collect();
    match counts.is_empty() {
        true => String::new(),
        false => format!(" ({})", counts.join(", ")),
    }
}

fn titled(session: &SessionRow) -> Field {
    let mark = if session.parent.is_some() {
        "subagent: "
    } else {
        ""
    };
    Field::cut_to(TITLE, format!("{mark}{}", title(session)), LEAST)
}

/// Names of files and the command that takes the session up again: beside each
/// other where there is room, else on lines of their own.
fn last_lines(hit: &Hit, width: usize) -> String {
    let columns = width.saturating_sub(INDENT);
    let names = names(hit);
    let alone = || files(&names, columns).unwrap_or_else(|| first_file(&names, columns));
    let lines = match resumed(hit, columns) {
        None => vec![alone()],
        Some(resume) => {
            let room = columns.saturating_sub(ASIDE + resume.width());
            let beside = files(&names, room).filter(|_| room >= LEAST || names.len() == 1);
            let resume = paint(FAINT, resume);
            match beside {
                Some(files) => vec![format!("{files}{}{resume}", " ".repeat(ASIDE))],
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
    let command = safe_line(&resume(&hit.session)?);
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
    let most = names.len().min(FILES);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nouns_are_counted() {
        for (count, noun, expected) in [
            (1, "copy", "1 copy"),
            (2, "copy", "2 copies"),
            (0, "turn", "0 turns"),
            (2, "day", "2 days"),
        ] {
            assert_eq!(plural(count, noun), expected);
        }
    }
}
