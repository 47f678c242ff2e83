//! `digest`: what was done, for a stand-up.

use crate::Found;
use crate::args::{DigestArgs, DigestFormat};
use crate::command::{filter, fresh};
use crate::output::digest::{Digest, days};
use crate::output::{json, layout, notes};
use crate::when::{Range, Stretch};
use anyhow::Result;
use jiff::Zoned;
use session_config::Home;
use session_report::report_projects;
use std::io::{IsTerminal, Write};

/// Runs the command.
///
/// # Errors
/// When the index fails, or the time cannot be read.
pub fn run(args: &DigestArgs) -> Result<Found> {
    let range = Range::of(&args.time(), Zoned::now)?;
    let stretch = Stretch::of(range, 0, &Zoned::now())?;
    let home = Home::from_process()?;
    let fresh = fresh::index(&home)?;
    let wanted = filter::matches_project(args.project.as_deref());
    let projects = report_projects(&fresh.index, &fresh.all, &stretch.milliseconds(), wanted)?;
    let width = std::io::stdout().is_terminal().then(layout::width);
    let digest = Digest {
        projects: &projects,
        stretch: &stretch,
        all: &fresh.all,
        width,
    };
    let as_json = args.json || args.format == DigestFormat::Json;
    if as_json {
        json::print(&digest.json(fresh.is_complete))?;
    }
    if projects.is_empty() {
        writeln!(
            notes::stderr(),
            "{}",
            nothing(&stretch, args.project.is_some())
        )?;
        return Ok(Found::Nothing);
    }
    if !as_json {
        write!(anstream::stdout(), "{}", digest.markdown())?;
    }
    Ok(Found::Something)
}

fn nothing(stretch: &Stretch, narrowed: bool) -> String {
    let hint = if narrowed {
        "\nhint: --project may be too narrow"
    } else {
        ""
    };
    let on = match stretch.from.date() == stretch.last_day() {
        true => "on",
        false => "from",
    };
    format!("no session {on} {}{hint}", days(stretch))
}
