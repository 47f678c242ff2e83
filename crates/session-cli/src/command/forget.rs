//! `forget`: removes sessions and turns from the index and the disk, for good.

use crate::Found;
use crate::args::{ForgetArgs, TimeArgs};
use crate::command::dialog::with_terminal;
use crate::command::refresh::{self, RefreshedIndex};
use crate::command::{filter, show};
use crate::memories::Memories;
use crate::output::{json, notes};
use anyhow::{Context, Result, bail};
use jiff::{Timestamp, Zoned};
use regex::Regex;
use serde::Serialize;
use session_config::Home;
use session_display::safe_line;
use session_display::short_id;
use session_forget::{ForgetPlan, ForgetReason, ForgetRequest, ForgottenEntry, TurnRange};
use session_indexer::Mode;
use session_memory::Memory;
use session_output::plural;
use session_query::read_folder;
use session_store::{PurgeOutcome, SessionId, SessionRow, Writer};
use std::io::Write;
use std::path::Path;

/// Sessions and turns that are named before the question.
const NAMED: usize = 10;

#[derive(Serialize)]
struct JsonForgotten<'a> {
    sessions: Vec<&'a str>,
    turns: usize,
    /// Copies in sessions that stay.
    copies: usize,
    /// Memories that were saved from them.
    memories: Vec<&'a str>,
    dry_run: bool,
    /// Nothing is left in the files of the index.
    purged: bool,
}

#[derive(Serialize)]
struct JsonEntry<'a> {
    id: u32,
    at: &'a str,
    what: &'a str,
    sessions: usize,
    turns: usize,
}

/// Runs the command.
///
/// # Errors
/// When nothing is named, the index cannot be written, or nobody consents.
pub fn run(args: &ForgetArgs) -> Result<Found> {
    let home = Home::from_process()?;
    if args.list {
        return list(args, &home);
    }
    if let Some(entry) = args.undo {
        return undo(entry, args, &home);
    }
    let RefreshedIndex { index, all, .. } = refresh::index(&home)?;
    let plan = request(args, &all)?.plan(&index)?;
    drop(index);
    if plan.is_empty() {
        writeln!(notes::stderr(), "nothing to forget")?;
        return Ok(Found::Nothing);
    }
    let memories = memories_of(&plan)?;
    if !args.json {
        print_plan(&plan, &memories, &all, args)?;
    }
    let is_meant = !args.dry_run && consent(args)?;
    let purged = match is_meant {
        true => forget(args, &home, &plan, &memories)?,
        false => PurgeOutcome::Complete,
    };
    report(args, &plan, &memories, is_meant, purged, &home.root)
}

/// Reads what is named: ids and turns, or conditions.
fn request(args: &ForgetArgs, all: &[SessionRow]) -> Result<ForgetRequest> {
    if !args.ids.is_empty() {
        let ranges = args.ids.iter().map(|id| range(id, all));
        return Ok(ForgetRequest {
            ranges: ranges.collect::<Result<_>>()?,
            ..ForgetRequest::default()
        });
    }
    if args.project.is_none() && args.before.is_none() && args.pattern.is_none() {
        bail!(
            "nothing is named\nhint: give a session, --project, --match or --before; see `session-search forget --help`"
        );
    }
    let compile = |pattern: &String| {
        Regex::new(pattern).with_context(|| format!("`{pattern}` is no regular expression"))
    };
    Ok(ForgetRequest {
        ranges: Vec::new(),
        sessions: match (&args.project, &args.before) {
            (None, None) => None,
            _ => Some(sessions(args, all)?),
        },
        pattern: args.pattern.as_ref().map(compile).transpose()?,
    })
}

fn range(id: &str, all: &[SessionRow]) -> Result<TurnRange> {
    let (uid, turns) = show::turns(id)?;
    let session = filter::find_session(all, uid)?.id;
    let turns = id.contains(':').then_some(turns);
    Ok(TurnRange { session, turns })
}

/// Finds the sessions that meet the conditions on sessions.
fn sessions(args: &ForgetArgs, all: &[SessionRow]) -> Result<Vec<SessionId>> {
    // A worktree stands for itself: who is in it does not mean all of its repository.
    let project = args.project.as_deref().map(read_folder);
    let of_project = |row: &SessionRow| project.as_ref().is_none_or(|project| project.matches(row));
    let time = TimeArgs {
        since: args.before.clone(),
        ..TimeArgs::default()
    };
    let limit = time.range(Zoned::now)?.since_ms;
    let is_before = |session: &SessionRow| match limit {
        Some(limit) => session.ended_ms.is_some_and(|ended| ended < limit),
        None => true,
    };
    let met = all
        .iter()
        .filter(|session| of_project(session) && is_before(session));
    Ok(met.map(|session| session.id).collect())
}

/// Finds the memories of this folder's project and of the user that were saved from it.
fn memories_of(plan: &ForgetPlan) -> Result<Vec<Memory>> {
    let memories = Memories::for_folder(&std::env::current_dir()?)?;
    Ok(memories.store.list_saved_in(&plan.session_uids()))
}

fn print_plan(
    plan: &ForgetPlan,
    memories: &[Memory],
    all: &[SessionRow],
    args: &ForgetArgs,
) -> Result<()> {
    let mut err = notes::stderr();
    for session in plan.sessions.iter().take(NAMED) {
        let title = safe_line(session.title.as_deref().unwrap_or("(no title)"));
        writeln!(
            err,
            "  {}  {}, {title}",
            short_id(session, all),
            plural(session.turns as usize, "turn")
        )?;
    }
    for (session, turn) in plan.turns.iter().take(NAMED) {
        writeln!(err, "  {}:{}", short_id(session, all), turn.index)?;
    }
    let more = plan.sessions.len().saturating_sub(NAMED) + plan.turns.len().saturating_sub(NAMED);
    if more > 0 {
        writeln!(err, "  … and {more} more")?;
    }
    if plan.copies > 0 {
        writeln!(
            err,
            "  with {} in sessions that stay",
            plural(plan.copies, "copy")
        )?;
    }
    for memory in memories {
        let what = if args.memories {
            "and the memory"
        } else {
            "kept, though saved from it (see --memories):"
        };
        writeln!(
            err,
            "  {what} {}  {}",
            memory.id(),
            safe_line(&memory.front.topic)
        )?;
    }
    Ok(())
}

fn consent(args: &ForgetArgs) -> Result<bool> {
    with_terminal(args.yes, |dialog| {
        if !dialog.is_interactive && !dialog.assume_yes {
            bail!("nobody can be asked\nhint: look with --dry-run, then say --yes");
        }
        dialog.confirm("Forget this?")
    })
}

fn forget(
    args: &ForgetArgs,
    home: &Home,
    plan: &ForgetPlan,
    memories: &[Memory],
) -> Result<PurgeOutcome> {
    let mut writer = Writer::open(&home.root)?;
    // Before their sessions, by which they are found: should this fail, it can be said once more.
    if args.memories {
        let store = Memories::for_folder(&std::env::current_dir()?)?.store;
        memories.iter().try_for_each(|memory| store.purge(memory))?;
    }
    let reason = match (&args.pattern, &args.project, &args.before) {
        (Some(_), _, _) => ForgetReason::Match,
        (_, Some(_), _) => ForgetReason::Project,
        (_, _, Some(_)) => ForgetReason::Before,
        _ if plan.sessions.is_empty() => ForgetReason::Turns,
        _ => ForgetReason::Session,
    };
    let at = Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    Ok(plan.carry_out(&mut writer, &home.exclusions()?, reason, &at)?)
}

fn report(
    args: &ForgetArgs,
    plan: &ForgetPlan,
    memories: &[Memory],
    is_done: bool,
    purged: PurgeOutcome,
    root: &Path,
) -> Result<Found> {
    let is_purged = is_done && purged == PurgeOutcome::Complete;
    if args.json {
        json::print(&JsonForgotten {
            sessions: plan
                .sessions
                .iter()
                .map(|session| session.uid.as_str())
                .collect(),
            turns: plan.turn_count,
            copies: plan.copies,
            memories: memories.iter().map(Memory::id).collect(),
            dry_run: !is_done,
            purged: is_purged,
        })?;
    } else {
        let sessions = plural(plan.sessions.len(), "session");
        let turns = plural(plan.turn_count, "turn");
        let verb = if is_done { "forgot" } else { "would forget" };
        writeln!(notes::stderr(), "{verb} {sessions}, {turns}")?;
    }
    if is_done && !is_purged {
        note_readers(root)?;
        return Ok(Found::Nothing);
    }
    Ok(Found::Something)
}

/// Names the processes that keep deleted text in the log of the index.
fn note_readers(root: &Path) -> Result<()> {
    let readers = session_store::find_open_processes(root);
    let named: Vec<String> = readers
        .iter()
        .map(|process| format!("{} ({})", process.pid, safe_line(&process.name)))
        .collect();
    let who = match named.is_empty() {
        true => "another process".to_owned(),
        false => format!("process {}", named.join(", ")),
    };
    writeln!(
        notes::stderr(),
        "note: {who} reads the index, whose log holds it until that ends\nhint: end it, then run `session-search index`"
    )?;
    Ok(())
}

fn list(args: &ForgetArgs, home: &Home) -> Result<Found> {
    let records = home.forgotten()?;
    let entries = records.entries();
    if args.json {
        let entries: Vec<JsonEntry<'_>> = entries.iter().map(json_entry).collect();
        json::print(&serde_json::json!({ "forgotten": entries }))?;
    } else {
        for entry in entries {
            let (sessions, turns) = (
                plural(entry.sessions, "session"),
                plural(entry.turns, "turn"),
            );
            let at = if entry.at.is_empty() { "-" } else { &entry.at };
            writeln!(
                anstream::stdout(),
                "{:>4}  {at:<20}  {:<8}  {sessions}, {turns}",
                entry.id,
                entry.what
            )?;
        }
    }
    match entries.is_empty() {
        true => Ok(Found::Nothing),
        false => Ok(Found::Something),
    }
}

fn json_entry(entry: &ForgottenEntry) -> JsonEntry<'_> {
    JsonEntry {
        id: entry.id,
        at: &entry.at,
        what: &entry.what,
        sessions: entry.sessions,
        turns: entry.turns,
    }
}

fn undo(entry: u32, args: &ForgetArgs, home: &Home) -> Result<Found> {
    if !home.forgotten()?.remove(entry)? {
        bail!("there is no entry {entry}\nhint: `session-search forget --list` has the numbers");
    }
    let before = session_count(home);
    // All histories are read again, however long it takes.
    refresh::update(home, Mode::Changes)?;
    let back = session_count(home).saturating_sub(before);
    if args.json {
        json::print(&serde_json::json!({ "undone": entry, "sessions": back }))?;
    } else {
        writeln!(
            notes::stderr(),
            "{} came back from the histories",
            plural(back, "session")
        )?;
    }
    Ok(Found::Something)
}

fn session_count(home: &Home) -> usize {
    let index = home.index().ok();
    index
        .and_then(|index| index.sessions().ok())
        .map_or(0, |all| all.len())
}
