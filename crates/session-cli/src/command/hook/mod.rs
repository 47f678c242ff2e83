//! `hook`: the hook of an agent, installed and answered.

mod answer;
mod settings;

pub use answer::guarded;

use crate::Found;
use crate::args::{
    HookArgs, HookChangeArgs, HookCommand, HookEvent, HookInstallArgs, HookStatusArgs,
};
use crate::command::setup::change;
use crate::command::setup::history;
use crate::command::setup::prompt::at_terminal;
use crate::home::Home;
use crate::output::layout::safe_line;
use crate::output::{json, notes};
use anyhow::{Context, Result, bail};
use serde::Serialize;
use session_files::Beneath;
use session_memory::settings_directory;
use std::io::Write;

/// Name of the file of an agent's settings.
const SETTINGS: &str = "settings.json";

#[derive(Serialize)]
struct Changed {
    path: String,
    outcome: crate::command::setup::Outcome,
}

#[derive(Serialize)]
struct Installed {
    path: String,
    scope: &'static str,
    events: Vec<String>,
    command: Option<String>,
    works: bool,
}

/// Runs the command.
///
/// # Errors
/// When the settings are no JSON object, or cannot be written. `hook run` never fails.
pub fn run(args: &HookArgs) -> Result<Found> {
    match &args.command {
        HookCommand::Install(args) => install(args),
        HookCommand::Uninstall(args) => edit(args, settings::without),
        HookCommand::Status(args) => status(args),
        HookCommand::Run(_) => Ok(answer::run()),
    }
}

fn install(args: &HookInstallArgs) -> Result<Found> {
    let command = settings::command(&std::env::current_exe()?);
    edit(&args.change, |text| {
        settings::with(text, &command, &args.event)
    })
}

/// Changes the settings: shown first, the old ones kept beside.
fn edit(args: &HookChangeArgs, new: impl Fn(&str) -> Result<String>) -> Result<Found> {
    let file = settings_file(args.project)?;
    let path = file.path();
    let old = file.read_text(change::LIMIT)?;
    let new = new(old.as_deref().unwrap_or_default());
    let new = new.with_context(|| format!("{} cannot be changed", path.display()))?;
    let is_nothing = old.is_none() && new.trim().is_empty();
    let outcome = match is_nothing {
        true => crate::command::setup::Outcome::Unchanged,
        false => at_terminal(args.yes, |prompt| {
            change::make(&file, old.as_deref(), &new, prompt)
        })?,
    };
    if args.json {
        json::print(&Changed {
            path: path.display().to_string(),
            outcome,
        })?;
    } else if outcome == crate::command::setup::Outcome::Unchanged {
        let path = safe_line(&path.to_string_lossy());
        writeln!(notes::stderr(), "{path} is as it should be")?;
    }
    if outcome == crate::command::setup::Outcome::Wanted {
        bail!("nothing is written\nhint: --yes writes it");
    }
    Ok(Found::Something)
}

/// The user's settings, or those of the project that this folder belongs to.
fn settings_file(of_project: bool) -> Result<Beneath> {
    let home = Home::unconfigured()?;
    if !of_project {
        return Ok(Beneath::of_user(
            &history::folder(&home.env).join(SETTINGS),
        )?);
    }
    let project = crate::memories::project_at_hand(&home.env.home)?;
    let relative = settings_directory().join(SETTINGS);
    Ok(Beneath::new(project.root(), &relative))
}

fn status(args: &HookStatusArgs) -> Result<Found> {
    let home = Home::unconfigured()?.env.home;
    let mut all = Vec::new();
    for (scope, of_project) in [("user", false), ("project", true)] {
        let Ok(file) = settings_file(of_project) else {
            continue;
        };
        let path = file.path();
        let text = match file.read_text(change::LIMIT) {
            Ok(text) => text.unwrap_or_default(),
            Err(error) => {
                crate::command::memory::note(&error.to_string())?;
                continue;
            }
        };
        if let Err(error) = settings::without(&text) {
            crate::command::memory::note(&format!("{}: {error:#}", path.display()))?;
        }
        let found = settings::installed(&text);
        let command = found.first().map(|(_, command)| command.clone());
        all.push(Installed {
            path: path.display().to_string(),
            scope,
            events: found.into_iter().map(|(event, _)| event).collect(),
            works: command
                .as_deref()
                .is_some_and(|command| settings::exists(command, &home)),
            command,
        });
    }
    let found = all.iter().any(|one| !one.events.is_empty());
    if args.json {
        json::print(&all)?;
    } else {
        for one in &all {
            let events = match one.events.is_empty() {
                true => "not installed".to_owned(),
                false => one.events.join(", "),
            };
            let lost = match (&one.command, one.works) {
                (Some(command), false) => format!(
                    "\n    its program is not there: {}; `session-search hook install` mends it",
                    safe_line(command)
                ),
                _ => String::new(),
            };
            writeln!(
                anstream::stdout(),
                "{:<8} {}: {events}{lost}",
                one.scope,
                safe_line(&one.path)
            )?;
        }
    }
    Ok(if found {
        Found::Something
    } else {
        Found::Nothing
    })
}

/// The event of a name.
fn event(name: &str) -> Option<HookEvent> {
    HookEvent::ALL
        .into_iter()
        .find(|event| event.name() == name)
}
