//! `skill`: what teaches an agent to use this program, copied from the binary
//! to where the agent looks. Data lies elsewhere and is never touched.

mod apply;
mod files;
mod manifest;
pub mod permission;
mod place;
mod plan;
mod sync;

pub use apply::{Done, install};
pub use manifest::Manifest;
pub use place::{Agent, Place};
pub use plan::{State, Step, of as plan};
pub use sync::follow;

use crate::Found;
use crate::args::{ChangeArgs, SkillArgs, SkillCommand, SkillStatusArgs, SyncArgs};
use crate::command::setup::change;
use crate::home::Home;
use crate::output::human::plural;
use crate::output::layout::line;
use crate::output::{json, notes};
use anyhow::Result;
use serde::Serialize;
use session_core::text::printable;
use std::io::Write;

/// Columns of a version: a repository may say what it likes.
const VERSION: usize = 20;

/// A place and its files; what `--json` prints.
#[derive(Serialize)]
struct Report {
    /// Whose it is.
    agent: &'static str,
    folder: String,
    /// Version that was installed; null where nobody knows.
    version: Option<String>,
    /// What saved memories are about, where the description says so.
    keywords: Option<Vec<String>>,
    files: Vec<File>,
}

#[derive(Serialize)]
struct File {
    name: String,
    state: State,
    #[serde(skip_serializing_if = "Option::is_none")]
    done: Option<Done>,
}

/// Runs the command.
///
/// # Errors
/// When a file cannot be read or written.
pub fn run(args: &SkillArgs) -> Result<Found> {
    let home = Home::from_process()?;
    match &args.command {
        SkillCommand::Install(args) => change(args, &home, apply::install),
        SkillCommand::Uninstall(args) => uninstall(args, &home),
        SkillCommand::Sync(args) => sync(args, &home),
        SkillCommand::Status(args) => status(args, &home),
    }
}

/// Removes the skill. Where it was the user's own for Claude Code, the rule that lets the model
/// load it without asking goes with it: else a project's skill of that name would have it.
fn uninstall(args: &ChangeArgs, home: &Home) -> Result<Found> {
    let found = change(args, home, apply::uninstall)?;
    if args.opencode || args.project {
        return Ok(found);
    }
    let place = Place::of(&home.env, Agent::Claude, false)?;
    let is_gone = args.dry_run || !place.skill().join("SKILL.md").exists();
    if !is_gone {
        return Ok(found);
    }
    if let Some(path) = permission::revoke(&home.env, args.dry_run)? {
        let path = printable(&path.to_string_lossy()).into_owned();
        let what = "the rule that let Claude Code load it without asking";
        match args.dry_run {
            true => writeln!(notes::stderr(), "note: {what} would be removed from {path}")?,
            false => writeln!(notes::stderr(), "note: {what} is removed from {path}")?,
        }
    }
    Ok(found)
}

type Apply = fn(&Place, Manifest, &[Step], bool, apply::MayReplace<'_>) -> Result<Vec<Done>>;

fn change(args: &ChangeArgs, home: &Home, apply: Apply) -> Result<Found> {
    let agent = match args.opencode {
        true => Agent::OpenCode,
        false => Agent::Claude,
    };
    let place = Place::of(&home.env, agent, args.project)?;
    let manifest = Manifest::read(&place);
    let steps = plan::of(&place, &manifest)?;
    let done = apply(&place, manifest, &steps, args.dry_run, &mut |step| {
        show_edit(step)?;
        Ok(args.force)
    })?;
    let report = report(&place, &steps, &done);
    if args.json {
        json::print(&report)?;
    } else {
        write!(anstream::stdout(), "{}", text(&report))?;
    }
    if args.dry_run {
        writeln!(notes::stderr(), "note: nothing of it is done")?;
    } else if done.contains(&Done::Kept) {
        writeln!(
            notes::stderr(),
            "note: what you edited is kept; --force takes it, too"
        )?;
    }
    Ok(Found::Something)
}

/// Shows what the user changed in a file, beside what this program has.
fn show_edit(step: &Step) -> Result<()> {
    let path = printable(&step.file.path().to_string_lossy()).into_owned();
    let (old, new) = (
        step.old.as_deref().unwrap_or_default(),
        step.new.as_deref().unwrap_or_default(),
    );
    let diff = change::diff(old, new);
    Ok(writeln!(notes::stderr(), "{path} was edited:\n{diff}")?)
}

fn status(args: &SkillStatusArgs, home: &Home) -> Result<Found> {
    let mut reports = Vec::new();
    for place in Place::all(&home.env)? {
        let steps = plan::of(&place, &Manifest::read(&place))?;
        if steps.iter().any(|step| step.old.is_some()) {
            reports.push(report(&place, &steps, &[]));
        }
    }
    print_all(&reports, args.json)
}

fn sync(args: &SyncArgs, home: &Home) -> Result<Found> {
    let reports = sync::all(&home.env, &home.records(), !args.off, args.dry_run)?;
    if args.dry_run {
        writeln!(notes::stderr(), "note: nothing of it is done")?;
    }
    print_all(&reports, args.json)
}

/// Prints how the skill is in each place that has it.
fn print_all(reports: &[Report], as_json: bool) -> Result<Found> {
    if as_json {
        json::print(&reports)?;
    } else if reports.is_empty() {
        writeln!(
            notes::stderr(),
            "the skill is not installed\nhint: `session-search skill install`"
        )?;
    }
    for report in reports.iter().filter(|_| !as_json) {
        write!(anstream::stdout(), "{}", text(report))?;
    }
    Ok(match reports.is_empty() {
        true => Found::Nothing,
        false => Found::Something,
    })
}

fn report(place: &Place, steps: &[Step], done: &[Done]) -> Report {
    let file = |(n, step): (usize, &Step)| File {
        name: step.name.clone(),
        state: step.state,
        done: done.get(n).copied(),
    };
    let manifest = Manifest::read(place);
    let version = manifest.version;
    Report {
        agent: place.name(),
        folder: place.skill().display().to_string(),
        version: (!version.is_empty()).then_some(version),
        keywords: manifest.keywords,
        files: steps.iter().enumerate().map(file).collect(),
    }
}

/// A line where all files fare alike, else a line a file.
fn text(report: &Report) -> String {
    let version = report
        .version
        .as_deref()
        .map(|v| format!(" {}", line(v, VERSION)));
    let folder = printable(&report.folder);
    let mut out = format!("{folder}  {}{}", report.agent, version.unwrap_or_default());
    let words: Vec<String> = report.files.iter().map(File::word).collect();
    let same = words
        .first()
        .filter(|first| words.iter().all(|w| w == *first));
    match same {
        Some(word) => out.push_str(&format!(": {}, {word}\n", plural(words.len(), "file"))),
        None => out.push('\n'),
    }
    for (file, word) in report.files.iter().zip(&words).filter(|_| same.is_none()) {
        out.push_str(&format!("  {word:<10} {}\n", printable(&file.beside())));
    }
    if let Some(keywords) = &report.keywords {
        out.push_str(&format!(
            "  keywords   {}\n",
            printable(&keywords.join(", "))
        ));
    }
    out
}

impl File {
    /// Its path from the skill's folder.
    fn beside(&self) -> String {
        match self.name.strip_prefix("skills/session-search/") {
            Some(name) => name.to_owned(),
            None => format!("../../{}", self.name),
        }
    }

    fn word(&self) -> String {
        match self.done {
            Some(done) => word(&done),
            None => word(&self.state),
        }
    }
}

/// A state's name, as JSON has it.
fn word(state: &impl Serialize) -> String {
    let word = serde_json::to_value(state).unwrap_or_default();
    word.as_str().unwrap_or_default().to_owned()
}
