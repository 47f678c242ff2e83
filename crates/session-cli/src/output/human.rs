//! Search results for people.

use crate::output::json::date;
use crate::output::session::{day, project, resume, short_id};
use crate::output::style::{self, FAINT, ID, PROJECT, TITLE, line, paint};
use session_core::{Standing, text::file_name};
use session_search::{Hit, Level, Results};
use session_store::SessionRow;
use std::fmt::Write;

/// Most file names on a hit's last line.
const FILES: usize = 4;
/// Lines of a preview.
const PREVIEW_LINES: usize = 2;

/// A search's answer, as text with colour codes.
pub fn answer(
    query: &str,
    results: &Results,
    all: &[SessionRow],
    explain: bool,
    width: usize,
) -> String {
    let mut out = heading(query, results, width);
    for hit in &results.hits {
        out.push('\n');
        out.push_str(&first_line(results.level, hit, all, width));
        out.push_str(&preview(hit, width));
        out.push_str(&last_line(hit, width));
        if explain {
            out.push_str(&explained(hit));
        }
    }
    if explain {
        out.push_str(&scales(results));
    }
    out.push_str(&next(query, results, all));
    out
}

fn heading(query: &str, results: &Results, width: usize) -> String {
    let name = match results.level {
        Level::Session => "SESSIONS",
        Level::Turn => "TURNS",
    };
    let searched = &results.searched;
    let sources: Vec<String> = searched
        .sources
        .iter()
        .map(|(name, n)| format!("{name} {n}"))
        .collect();
    let counts = format!(
        "{}, {} ({})",
        plural(searched.sessions, "session"),
        plural(searched.projects, "project"),
        sources.join(", ")
    );
    let query = line(
        query,
        width.saturating_sub(counts.len() + name.len() + 9).max(12),
    );
    format!(
        "{}  \"{query}\"   {}\n",
        paint(TITLE, name),
        paint(FAINT, counts)
    )
}

pub fn plural(count: usize, noun: &str) -> String {
    if count == 1 {
        format!("1 {noun}")
    } else {
        format!("{count} {noun}s")
    }
}

fn first_line(level: Level, hit: &Hit, all: &[SessionRow], width: usize) -> String {
    let session = &hit.session;
    let score = format!("[{:.2} {}]", hit.score, hit.band.name());
    let id = short_id(session, all);
    let place = match (level, &hit.turn) {
        (Level::Turn, Some(turn)) => format!("{id}:{}", turn.index),
        _ => id,
    };
    let count = match (level, &hit.turn) {
        (Level::Turn, Some(turn)) => format!("{}/{}", turn.index + 1, session.turns),
        _ => plural(session.turns as usize, "turn"),
    };
    let gone = if session.gone { "  (history gone)" } else { "" };
    let project = line(project(session), 24);
    let day = day(date(level, hit));
    let used = 17
        + 3
        + session.source.len()
        + 3
        + place.len()
        + 3
        + project.len()
        + 3
        + day.len()
        + 3
        + count.len();
    let title = match &session.parent {
        Some(_) => format!("subagent: {}", session.title.as_deref().unwrap_or("-")),
        None => session.title.clone().unwrap_or_default(),
    };
    let title = line(&title, width.saturating_sub(used + 3 + gone.len()).max(16));
    format!(
        "{}{}   {}   {}   {}   {}   {count}   {}{}\n",
        paint(style::band(hit.band), &score),
        " ".repeat(16usize.saturating_sub(score.len())),
        session.source,
        paint(ID, place),
        paint(PROJECT, project),
        paint(FAINT, day),
        paint(TITLE, title),
        paint(FAINT, gone),
    )
}

fn preview(hit: &Hit, width: usize) -> String {
    let columns = width.saturating_sub(4);
    let text = line(&hit.preview, columns * PREVIEW_LINES - 8);
    let mut out = String::new();
    let mut current = String::new();
    for word in text.split(' ') {
        if !current.is_empty()
            && unicode_width::UnicodeWidthStr::width(current.as_str()) + 1 + word.len() > columns
        {
            let _ = writeln!(out, "    {current}");
            current.clear();
        }
        if !current.is_empty() {
            current.push(' ');
        }
        current.push_str(word);
    }
    if !current.is_empty() {
        let _ = writeln!(out, "    {}", line(&current, columns));
    }
    out
}

fn last_line(hit: &Hit, width: usize) -> String {
    let resume = resume(&hit.session).map(|command| format!("resume: {command}"));
    let room = width.saturating_sub(4 + resume.as_ref().map_or(0, |r| r.len() + 4));
    let files = files(hit, room.max(24));
    match (files, resume) {
        (Some(files), Some(resume)) => format!("    {files}    {}\n", paint(FAINT, resume)),
        (Some(files), None) => format!("    {files}\n"),
        (None, Some(resume)) => format!("    {}\n", paint(FAINT, resume)),
        (None, None) => String::new(),
    }
}

fn files(hit: &Hit, room: usize) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    for name in hit.files.iter().map(|f| file_name(f)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let more = names.len().saturating_sub(FILES);
    names.truncate(FILES);
    let more = if more > 0 {
        format!(" +{more}")
    } else {
        String::new()
    };
    let list = line(&names.join(", "), room.saturating_sub(7 + more.len()));
    (!list.is_empty()).then(|| format!("{}{list}{more}", paint(FAINT, "files: ")))
}

fn explained(hit: &Hit) -> String {
    let part = |name: &str, standing: Option<Standing>| match standing {
        Some(s) => format!(
            "{name} {:.3} (rank {}, scaled {:.3})",
            s.score, s.rank, s.scaled
        ),
        None => format!("{name} -"),
    };
    let text = format!(
        "    {}   {}\n",
        part("bm25", hit.lexical),
        part("cosine", hit.dense)
    );
    paint(FAINT, text.trim_end()) + "\n"
}

fn scales(results: &Results) -> String {
    let e = &results.explanation;
    let mut out = format!(
        "\nscore = {:.2} x dense + {:.2} x lexical; the best dense hit is worth {:.2}, the best lexical hit {:.2}\n",
        e.fusion.alpha,
        1.0 - e.fusion.alpha,
        e.fusion.dense_top,
        e.fusion.lexical_top
    );
    for term in &e.terms {
        let _ = writeln!(
            out,
            "  {}: {}, idf {:.2}",
            line(&term.term, 40),
            plural(term.turns as usize, "turn"),
            term.idf
        );
    }
    out
}

fn next(query: &str, results: &Results, all: &[SessionRow]) -> String {
    let Some(first) = results.hits.first() else {
        return String::new();
    };
    let id = short_id(&first.session, all);
    let command = match (results.level, &first.turn) {
        (Level::Turn, Some(turn)) => {
            let last = (turn.index + 2).min(first.session.turns.saturating_sub(1));
            let place = format!("{id}:{}-{last}", turn.index.saturating_sub(2));
            format!("show {}", number_quoted(place))
        }
        _ => {
            let (query, id) = (quoted(query), number_quoted(id));
            format!("search {query} --depth 2 --session {id}")
        }
    };
    format!("\n{} session-search {command}\n", paint(FAINT, "Next:"))
}

/// An id as a shell takes it: `#` begins a comment there.
fn number_quoted(id: String) -> String {
    if id.starts_with('#') {
        format!("'{id}'")
    } else {
        id
    }
}

/// The query as a shell takes it.
fn quoted(query: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || " -_./,:?=+@%".contains(c);
    if query.chars().all(plain) && !query.starts_with('-') {
        format!("\"{query}\"")
    } else {
        format!("'{}'", line(query, 200).replace('\'', "'\\''"))
    }
}
