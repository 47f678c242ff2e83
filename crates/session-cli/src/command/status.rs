//! `status`: what is indexed, by what, and how fresh.

use crate::Found;
use crate::args::StatusArgs;
use crate::command::background;
use crate::output::human::{bracketed, plural};
use crate::output::layout::{INDENT, fold, line, safe_line, width};
use crate::output::session::{minute, rfc3339};
use crate::output::style::{FAILED, FAINT, TITLE, paint};
use crate::output::{json, notes};
use anyhow::Result;
use serde::Serialize;
use session_config::Home;
use session_indexer::{Changes, discover};
use session_search::Searched;
use session_store::{Level, Problem, Reader, SessionId, SessionRow, StoreError};
use std::collections::HashMap;
use std::io::Write;
use std::time::UNIX_EPOCH;

/// Columns of a row's name.
const NAME: usize = 10;

/// The JSON of `status`, as `docs/cli.md` describes it.
#[derive(Default, Serialize)]
struct Status {
    index: String,
    format: u32,
    bytes: u64,
    updated: Option<String>,
    #[serde(skip)]
    updated_ms: Option<i64>,
    sessions: usize,
    subagents: usize,
    turns: u64,
    projects: usize,
    sources: std::collections::BTreeMap<String, usize>,
    gone: usize,
    prompts_only: usize,
    files: usize,
    changed: usize,
    models: Vec<ModelStatus>,
    problems: Vec<Problem>,
}

#[derive(Serialize)]
struct ModelStatus {
    name: String,
    dims: usize,
    vectors: usize,
    sessions: u64,
    of: usize,
    /// The user's choice.
    in_use: bool,
    /// A process makes its vectors now.
    running: bool,
}

/// Runs the command.
///
/// # Errors
/// When the index fails.
pub fn run(args: &StatusArgs) -> Result<Found> {
    let home = Home::from_process()?;
    let index = match home.index() {
        Err(StoreError::Missing { .. }) => return no_index(args, &home),
        other => other?,
    };
    index.verify()?;
    let status = gather(&home, &index)?;
    if args.json {
        json::print(&status)?;
    } else {
        write!(anstream::stdout(), "{}", text(&status, width()))?;
    }
    Ok(Found::Something)
}

/// Says that there is no index. Its JSON is that of an empty one.
fn no_index(args: &StatusArgs, home: &Home) -> Result<Found> {
    writeln!(
        notes::stderr(),
        "there is no index yet\nhint: the first `session-search search` makes it"
    )?;
    if args.json {
        json::print(&Status {
            index: home.root.display().to_string(),
            format: session_store::FORMAT_VERSION,
            ..Status::default()
        })?;
    }
    Ok(Found::Nothing)
}

fn gather(home: &Home, index: &Reader) -> Result<Status> {
    let told = told_elsewhere(index)?;
    let sessions: Vec<SessionRow> = index
        .sessions()?
        .into_iter()
        .filter(|s| s.turns > 0 && !(s.prompts_only && told.get(&s.id) == Some(&s.turns)))
        .collect();
    let subagents = sessions.iter().filter(|s| s.parent.is_some()).count();
    let own: Vec<SessionRow> = sessions
        .iter()
        .filter(|s| s.parent.is_none())
        .cloned()
        .collect();
    let counts = Searched::count(own.iter());
    let changes = discover(&home.env, index)?;
    let updated_ms = updated(index);
    Ok(Status {
        index: home.root.display().to_string(),
        format: session_store::FORMAT_VERSION,
        bytes: index.bytes(),
        updated: rfc3339(updated_ms),
        updated_ms,
        sessions: own.len(),
        subagents,
        turns: sessions.iter().map(|s| u64::from(s.turns)).sum(),
        projects: counts.projects,
        sources: counts.sources,
        gone: sessions.iter().filter(|s| s.gone).count(),
        prompts_only: sessions.iter().filter(|s| s.prompts_only).count(),
        files: index.files()?.len(),
        changed: changes.files() + changes.gone(),
        models: models(home, index)?,
        problems: problems_now(index, &changes)?,
    })
}

/// How many turns of each session another one holds.
fn told_elsewhere(index: &Reader) -> Result<HashMap<SessionId, u32>> {
    let mut counts = HashMap::new();
    for copy in index.copies()? {
        *counts.entry(copy.session).or_default() += 1;
    }
    Ok(counts)
}

/// Returns the recorded problems, with those of listing the histories now.
fn problems_now(index: &Reader, changes: &Changes) -> Result<Vec<Problem>> {
    let mut problems = index.problems()?;
    if let Some(listing) = changes.problems() {
        let before = index.listing_problems()?;
        problems.retain(|problem| !before.contains(problem));
        problems.extend_from_slice(listing);
    }
    Ok(problems)
}

fn models(home: &Home, index: &Reader) -> Result<Vec<ModelStatus>> {
    let of = index.sessions()?.len();
    let status = |model: session_store::ModelRow| {
        let vectors = Level::ALL
            .iter()
            .map(|l| index.vector_rows(model.id, *l).map(|o| o.len()))
            .sum::<Result<_, _>>()?;
        let sessions = index.embedded_sessions(model.id)?;
        let in_use = model.name == home.config.model;
        Ok(ModelStatus {
            in_use,
            running: in_use && background::is_running(home),
            name: model.name,
            dims: model.dims,
            vectors,
            sessions,
            of,
        })
    };
    index.models()?.into_iter().map(status).collect()
}

/// The last commit, as the database's files tell.
fn updated(index: &Reader) -> Option<i64> {
    let time = |name: &str| {
        fs_err::metadata(index.root().join(name))
            .and_then(|m| m.modified())
            .ok()
    };
    let at = ["index.db", "index.db-wal"]
        .into_iter()
        .filter_map(time)
        .max()?;
    i64::try_from(at.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok()
}

fn text(status: &Status, width: usize) -> String {
    let mut out = format!("{}\n", paint(TITLE, "STATUS"));
    for (name, value) in rows(status) {
        out.push_str(&row(name, &value, width));
    }
    out + &problems(&status.problems, width)
}

/// A name, and beside it a value over as many lines as it takes.
fn row(name: &str, value: &str, width: usize) -> String {
    let value = safe_line(value);
    let lines = fold(&value, width.saturating_sub(NAME));
    let names = std::iter::once(name).chain(std::iter::repeat(""));
    names
        .zip(lines)
        .map(|(name, line)| format!("{}{line}\n", paint(FAINT, format!("{name:<NAME$}"))))
        .collect()
}

fn rows(status: &Status) -> Vec<(&'static str, String)> {
    let mut rows = vec![("history", history(status))];
    if status.subagents > 0 {
        let sessions = plural(status.subagents, "session");
        rows.push((
            "",
            format!("{sessions} of subagents, found with --subagents"),
        ));
    }
    if status.gone > 0 {
        let sessions = plural(status.gone, "session");
        rows.push(("", format!("{sessions} whose history is gone: still found")));
    }
    if status.prompts_only > 0 {
        let sessions = plural(status.prompts_only, "session");
        let words = format!("{sessions} with prompts only: the transcript was deleted");
        rows.push(("", words));
    }
    rows.extend(status.models.iter().map(|m| ("model", model(m))));
    let fresh = match status.changed {
        0 => "up to date".to_owned(),
        n => format!(
            "{} changed since; the next search looks at them",
            plural(n, "file")
        ),
    };
    rows.push(("updated", format!("{}: {fresh}", minute(status.updated_ms))));
    let (size, format) = (mb(status.bytes), status.format);
    rows.push((
        "index",
        format!("{} ({size:.1} MB, format {format})", status.index),
    ));
    rows
}

fn history(status: &Status) -> String {
    format!(
        "{}{}, {}, {}",
        plural(status.sessions, "session"),
        bracketed(&status.sources),
        plural(usize::try_from(status.turns).unwrap_or(usize::MAX), "turn"),
        plural(status.projects, "project")
    )
}

fn model(m: &ModelStatus) -> String {
    let of = plural(m.of, "session");
    let vectors = plural(m.vectors, "vector");
    let in_use = if m.in_use { ", in use" } else { "" };
    let running = if m.running { ", working now" } else { "" };
    format!(
        "{} ({} dims{in_use}): {} of {of}, {vectors}{running}",
        m.name, m.dims, m.sessions
    )
}

#[expect(clippy::cast_precision_loss, reason = "shown with one digit")]
fn mb(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

fn problems(problems: &[Problem], width: usize) -> String {
    if problems.is_empty() {
        return String::new();
    }
    let count = plural(problems.len(), "place");
    let mut out = format!(
        "\n{}\n",
        paint(FAILED, format!("{count} could not be read"))
    );
    for p in problems {
        out.push_str(&format!("  {}\n", line(&p.path, width.saturating_sub(2))));
        for line in fold(&reason(p), width.saturating_sub(INDENT)) {
            out.push_str(&format!("    {line}\n"));
        }
    }
    out
}

fn reason(p: &Problem) -> String {
    let times = match p.count {
        0 | 1 => String::new(),
        n => format!(" ({n} times)"),
    };
    let at = p.offset.map(|at| format!(", first at byte {at}"));
    format!("{}{times}{}", line(&p.reason, 200), at.unwrap_or_default())
}
