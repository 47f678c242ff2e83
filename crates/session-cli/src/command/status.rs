//! `status`: what is indexed, by what, and how fresh.

use crate::Found;
use crate::args::StatusArgs;
use crate::home::Home;
use crate::output::human::plural;
use crate::output::json;
use crate::output::session::{minute, rfc3339};
use crate::output::style::{FAILED, FAINT, TITLE, line, paint, width};
use anyhow::Result;
use serde::Serialize;
use session_indexer::discover;
use session_search::Searched;
use session_store::{Level, Problem, Reader, SessionRow, StoreError};
use std::io::Write;
use std::time::UNIX_EPOCH;

/// What `status` says; `docs/cli.md` describes it.
#[derive(Serialize)]
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
}

/// Runs the command.
///
/// # Errors
/// When the index fails.
pub fn run(args: &StatusArgs) -> Result<Found> {
    let home = Home::from_process()?;
    let index = match home.index() {
        Err(StoreError::Missing { .. }) => {
            writeln!(
                anstream::stderr(),
                "there is no index yet\nhint: the first `session-search search` makes it"
            )?;
            return Ok(Found::Nothing);
        }
        other => other?,
    };
    index.verify()?;
    let status = gather(&home, &index)?;
    if args.json {
        json::print(&status)?;
    } else {
        write!(anstream::stdout(), "{}", text(&status))?;
    }
    Ok(Found::Something)
}

fn gather(home: &Home, index: &Reader) -> Result<Status> {
    let sessions: Vec<SessionRow> = index
        .sessions()?
        .into_iter()
        .filter(|s| s.turns > 0)
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
        files: index.files()?.len(),
        changed: changes.files(),
        models: models(index)?,
        problems: index.problems()?,
    })
}

fn models(index: &Reader) -> Result<Vec<ModelStatus>> {
    let of = index.sessions()?.len();
    let status = |model: session_store::ModelRow| {
        let vectors = Level::ALL
            .iter()
            .map(|l| index.owners(model.id, *l).map(|o| o.len()))
            .sum::<Result<_, _>>()?;
        let sessions = index.embedded_sessions(model.id)?;
        Ok(ModelStatus {
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

fn text(status: &Status) -> String {
    let sources: Vec<String> = status
        .sources
        .iter()
        .map(|(n, c)| format!("{n} {c}"))
        .collect();
    let row =
        |name: &str, value: String| format!("{}{value}\n", paint(FAINT, format!("{name:<10}")));
    let mut out = format!("{}\n", paint(TITLE, "STATUS"));
    let sessions = plural(status.sessions, "session");
    let turns = plural(usize::try_from(status.turns).unwrap_or(usize::MAX), "turn");
    out += &row(
        "history",
        format!(
            "{sessions} ({}), {turns}, {}",
            sources.join(", "),
            plural(status.projects, "project")
        ),
    );
    if status.subagents > 0 {
        out += &row(
            "",
            format!(
                "{} of subagents, found with --subagents",
                plural(status.subagents, "session")
            ),
        );
    }
    if status.gone > 0 {
        out += &row(
            "",
            format!(
                "{} whose history is gone: still found",
                plural(status.gone, "session")
            ),
        );
    }
    for m in &status.models {
        out += &row(
            "model",
            format!(
                "{} ({} dims): {} of {}, {}",
                m.name,
                m.dims,
                m.sessions,
                plural(m.of, "session"),
                plural(m.vectors, "vector")
            ),
        );
    }
    let fresh = match status.changed {
        0 => "up to date".to_owned(),
        n => format!(
            "{} changed since; the next search reads them",
            plural(n, "file")
        ),
    };
    out += &row("updated", format!("{}: {fresh}", minute(status.updated_ms)));
    out += &row(
        "index",
        format!(
            "{} ({:.1} MB, format {})",
            status.index,
            mb(status.bytes),
            status.format
        ),
    );
    out + &problems(&status.problems)
}

#[expect(clippy::cast_precision_loss, reason = "shown with one digit")]
fn mb(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

fn problems(problems: &[Problem]) -> String {
    if problems.is_empty() {
        return String::new();
    }
    let mut out = format!(
        "\n{}\n",
        paint(
            FAILED,
            format!("{} could not be read", plural(problems.len(), "place"))
        )
    );
    for p in problems {
        let times = if p.count > 1 {
            format!(" ({} times)", p.count)
        } else {
            String::new()
        };
        let at = p
            .offset
            .map(|at| format!(", first at byte {at}"))
            .unwrap_or_default();
        out += &format!(
            "  {}\n    {}{times}{at}\n",
            line(&p.path, width().saturating_sub(2)),
            line(&p.reason, 200)
        );
    }
    out
}
