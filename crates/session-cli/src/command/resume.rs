//! `resume`: takes a session up again, with its agent and in its folder.

use crate::Found;
use crate::args::ResumeArgs;
use crate::command::{filter, fresh};
use crate::home::Home;
use crate::output::session::resuming;
use crate::output::{json, notes, shell};
use anyhow::{Error, Result, bail};
use serde::Serialize;
use session_core::text::printable;
use session_store::SessionRow;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::Command;

/// How a session is taken up; what `--json` prints.
#[derive(Serialize)]
struct Resume<'a> {
    source: &'a str,
    session: &'a str,
    folder: Option<&'a str>,
    folder_exists: bool,
    command: Vec<String>,
}

/// Runs the command.
///
/// # Errors
/// When the index fails, or the session cannot be taken up.
pub fn run(args: &ResumeArgs) -> Result<Found> {
    let home = Home::from_process()?;
    let all = fresh::index(&home)?.all;
    let session = filter::find_session(&all, &args.id)?;
    let resume = resume(&session)?;
    if args.json {
        json::print(&resume)?;
    } else if args.print {
        writeln!(anstream::stdout(), "{}", printable(&resume.line()))?;
        if let (Some(folder), false) = (resume.folder, resume.folder_exists) {
            writeln!(notes::stderr(), "note: {}", gone(folder))?;
        }
    } else {
        resume.start()?;
    }
    Ok(Found::Something)
}

/// How it is taken up, or why it cannot be.
fn resume(session: &SessionRow) -> Result<Resume<'_>> {
    let uid = printable(&session.uid);
    if let Some(parent) = &session.parent {
        let parent = printable(parent);
        bail!(
            "{uid} is what a subagent did, which nothing takes up\nhint: `session-search resume {parent}` takes up the session that started it"
        );
    }
    if session.prompts_only {
        bail!(
            "the transcript of {uid} was deleted, so its agent cannot take it up\nhint: `session-search show {uid}` has its prompts"
        );
    }
    if session.gone {
        bail!(
            "the history of {uid} is gone, so its agent cannot take it up\nhint: `session-search show {uid}` has what was indexed of it"
        );
    }
    let Some(command) = resuming(session) else {
        bail!(
            "{uid} cannot be taken up by its id\nhint: `session-search show` has what was said in it"
        );
    };
    let folder = session.cwd.as_deref().or(session.project.as_deref());
    Ok(Resume {
        source: &session.source,
        session: &session.uid,
        folder,
        folder_exists: folder.is_some_and(|folder| Path::new(folder).is_dir()),
        command,
    })
}

impl Resume<'_> {
    /// As it is typed.
    fn line(&self) -> String {
        let command = self.command.join(" ");
        match self.folder {
            // Made printable before it is quoted: what is taken out could hold the quote.
            Some(folder) => format!("cd {} && {command}", shell::path(&printable(folder))),
            None => command,
        }
    }

    /// Becomes the agent. Comes back only where that fails, or where a process
    /// cannot become another: then at its end.
    fn start(&self) -> Result<()> {
        let mut agent = Command::new(&self.command[0]);
        agent.args(&self.command[1..]);
        match self.folder {
            Some(folder) if self.folder_exists => agent.current_dir(folder),
            Some(folder) => bail!(
                "{}\nhint: make it again, or `session-search show {}`",
                gone(folder),
                self.session
            ),
            None => &mut agent,
        };
        become_it(&mut agent).map_err(|error| self.not_started(error))
    }

    fn not_started(&self, error: std::io::Error) -> Error {
        let program = &self.command[0];
        match error.kind() {
            ErrorKind::NotFound => anyhow::anyhow!(
                "there is no `{program}` on PATH\nhint: `session-search resume {} --print` shows what to type",
                self.session
            ),
            _ => Error::new(error).context(format!("`{program}` does not start")),
        }
    }
}

fn gone(folder: &str) -> String {
    let folder = printable(folder);
    format!("the session's folder `{folder}` is not there any more")
}

#[cfg(unix)]
fn become_it(agent: &mut Command) -> std::io::Result<()> {
    Err(std::os::unix::process::CommandExt::exec(agent))
}

#[cfg(not(unix))]
fn become_it(agent: &mut Command) -> std::io::Result<()> {
    let status = agent.status()?;
    std::process::exit(status.code().unwrap_or(2));
}
