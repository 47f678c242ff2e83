//! Filters and sessions as typed.

use crate::args::FilterArgs;
use anyhow::{Result, bail};
use jiff::Zoned;
use session_search::{Filter, Resolved, is_of_project, resolve};
use session_sources::sources;
use session_store::SessionRow;

/// Reads a filter.
///
/// # Errors
/// When a time or an id cannot be read.
pub fn read(args: &FilterArgs, all: &[SessionRow]) -> Result<Filter> {
    let time = args.time.range(Zoned::now)?;
    if let Some(source) = &args.source {
        known_source(source)?;
    }
    let number = |id: &String| find_session(all, id).map(|session| session.id);
    Ok(Filter {
        project: args.project.as_deref().map(absolute_project),
        source: args.source.clone(),
        since_ms: time.since_ms,
        until_ms: time.until_ms,
        branch: args.branch.clone(),
        file: args.file.clone(),
        only: args.session.iter().map(number).collect::<Result<_>>()?,
        exclude: args
            .exclude_session
            .iter()
            .map(number)
            .collect::<Result<_>>()?,
        subagents: args.subagents,
    })
}

fn known_source(wanted: &str) -> Result<()> {
    let names: Vec<String> = sources().iter().map(|s| s.name().to_string()).collect();
    if !names.iter().any(|n| n == wanted) {
        bail!(
            "there is no source `{wanted}`\nhint: one of {}",
            names.join(", ")
        );
    }
    Ok(())
}

/// A project as typed; a relative path that exists is made whole.
pub fn absolute_project(wanted: &str) -> String {
    let is_path =
        wanted == "." || wanted == ".." || wanted.starts_with("./") || wanted.starts_with("../");
    match fs_err::canonicalize(wanted) {
        Ok(path) if is_path => path.to_string_lossy().into_owned(),
        _ => wanted.to_owned(),
    }
}

/// Tells the sessions of a project as typed; without one all are.
pub fn matches_project(wanted: Option<&str>) -> impl Fn(&SessionRow) -> bool {
    let wanted = wanted.map(absolute_project);
    move |row| wanted.as_ref().is_none_or(|p| is_of_project(row, p))
}

/// The one session that an id names.
///
/// # Errors
/// When there is none, or several: the candidates are in the message.
pub fn find_session(all: &[SessionRow], id: &str) -> Result<SessionRow> {
    match resolve(all, id) {
        Resolved::One(session) => Ok(*session),
        Resolved::None => {
            bail!("no session begins with `{id}`\nhint: `session-search search` prints ids")
        }
        Resolved::Many(found) => bail!(crate::output::session::candidates(id, &found)),
    }
}
