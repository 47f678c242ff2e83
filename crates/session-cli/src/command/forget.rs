//! `forget`: removes sessions and turns from the index and the disk, for good.

use crate::CommandOutcome;
use crate::args::{ForgetArgs, TimeArgs};
use crate::output::notes::{print_note, print_notes};
use crate::output::progress::IndexProgressBar;
use crate::output::{self, json, notes, terminal_width};
use crate::shared::dialog::with_terminal;
use crate::shared::{filter, lock_wait, refreshed_index};
use anyhow::{Result, anyhow, bail};
use jiff::{Timestamp, Zoned};
use session_config::{Home, current_directory_or_home};
use session_display::{Note, SessionIds, format_unknown_project};
use session_forget::{
    ContentCounts, ExcludeSettings, ForgetError, ForgetPlan, ForgetReason, ForgetRequest,
};
use session_memory::{InjectionLog, Memory, delete_injected_turns};
use session_output::{
    ForgetListing, ForgetOutcome, JsonForgetRecords, JsonForgotten, MemoryFate, RestoreObstacles,
    format_forget_counts, format_forget_records, format_index_readers, format_restored,
};
use session_project_memories::{FoundSourceMemories, SourceQuery};
use session_query::{ForgetSelection, SearchEngine, Snapshot};
use session_store::{PurgeOutcome, SessionRow, find_open_processes, old_databases};

/// Runs the command.
pub fn run(args: &ForgetArgs) -> Result<CommandOutcome> {
    let home = Home::from_process()?;
    if args.list {
        return list_records(args, &home);
    }
    if let Some(entry) = args.undo {
        return undo_entry(entry, args, &home);
    }
    let Snapshot { index, sessions } =
        refreshed_index::open_index_with_sessions(&home, &args.ids)?.snapshot;
    let selection = ForgetSelection {
        ids: &args.ids,
        project: args.project.as_deref(),
        before_ms: parse_before(args)?,
        pattern: args.pattern.as_deref(),
    };
    let request = selection.resolve(&sessions)?;
    let plan = request.plan(&index)?;
    let has_leftovers = index.is_purge_pending()?;
    drop(index);
    let found = find_saved_memories(&plan, &request)?;
    let memories = found.list();
    let old_databases = old_databases(&home.index_directory);
    let listing = ForgetListing {
        plan: &plan,
        memories: &memories,
        memory_fate: if args.memories {
            MemoryFate::Deleted
        } else {
            MemoryFate::Kept
        },
        ids: SessionIds::new(&sessions),
        old_databases: &old_databases,
        width: terminal_width(),
    };
    if !plan.is_empty() || !memories.is_empty() {
        print_listing(args, &listing)?;
    }
    if plan.is_empty() && (memories.is_empty() || !args.memories) {
        return report_empty_plan(args, &home, &sessions, has_leftovers);
    }
    let run = ForgetRun {
        args,
        home: &home,
        plan: &plan,
        reason: request.reason(&plan),
        found: &found,
    };
    run.print_report(&memories, run.carry_out()?)
}

/// Reports that nothing is found, and removes what an earlier call left in the files of the index.
fn report_empty_plan(
    args: &ForgetArgs,
    home: &Home,
    sessions: &[SessionRow],
    has_leftovers: bool,
) -> Result<CommandOutcome> {
    let clauses = args.project.as_deref().map(filter::project_clause);
    let unknown = format_unknown_project(clauses.as_slice(), sessions);
    let note = unknown.unwrap_or_else(|| Note::new("nothing to forget"));
    notes::print_reason_or_note(note, args.json)?;
    let outcome = if args.dry_run {
        ForgetOutcome::Planned
    } else if has_leftovers {
        ForgetOutcome::NothingFound(purge_leftovers(home)?)
    } else {
        ForgetOutcome::NothingFound(PurgeOutcome::Complete)
    };
    if args.json {
        json::print(&JsonForgotten::new(&ForgetPlan::default(), &[], outcome))?;
    }
    Ok(CommandOutcome::NotFound)
}

/// Prints what is to be forgotten. It is the answer of a dry run; before a question its beginning says enough.
fn print_listing(args: &ForgetArgs, listing: &ForgetListing<'_>) -> Result<()> {
    match (args.json, args.dry_run) {
        (true, _) => {}
        (false, true) => output::print(listing.format_whole())?,
        (false, false) => notes::print(listing.format_summary())?,
    }
    Ok(())
}

/// Parses the time before which sessions ended, in milliseconds since 1970.
fn parse_before(args: &ForgetArgs) -> Result<Option<i64>> {
    let time = TimeArgs {
        before: args.before.clone(),
        ..TimeArgs::default()
    };
    Ok(time.parse_range(Zoned::now)?.until_ms)
}

/// Finds the memories that were saved from what is to be forgotten, or match the pattern where it is looked for in all
/// sessions.
fn find_saved_memories(plan: &ForgetPlan, request: &ForgetRequest) -> Result<FoundSourceMemories> {
    let pattern = request.pattern.as_ref();
    let pattern = pattern.filter(|_| request.sessions.is_none());
    let matches = pattern.map(|pattern| move |text: &str| pattern.is_match(text));
    let query = SourceQuery {
        directories: plan.project_folders(),
        includes: &|session, turns| plan.forgets(session, turns),
        matches: matches
            .as_ref()
            .map(|matches| matches as &dyn Fn(&str) -> bool),
    };
    let found = FoundSourceMemories::find(&current_directory_or_home()?, &query)?;
    print_notes(&found.notes)?;
    Ok(found)
}

fn ask_for_consent(args: &ForgetArgs) -> Result<bool> {
    with_terminal(args.yes, |dialog| {
        if !dialog.is_interactive && !dialog.assume_yes {
            bail!("nobody can be asked\nhint: look with --dry-run, then say --yes");
        }
        Ok(dialog.confirm("Forget this?")?)
    })
}

/// Removes from the files of the index what an earlier `forget` deleted, which was killed.
fn purge_leftovers(home: &Home) -> Result<PurgeOutcome> {
    let outcome = lock_wait::open_writer(home)?.purge()?;
    print_note(match outcome {
        PurgeOutcome::Complete => "what was deleted before left the files of the index only now",
        PurgeOutcome::Waiting => {
            "what was deleted before is still in the files of the index, which another process reads"
        }
    })?;
    Ok(outcome)
}

/// A plan, and what it takes to carry it out.
struct ForgetRun<'a> {
    args: &'a ForgetArgs,
    home: &'a Home,
    plan: &'a ForgetPlan,
    reason: ForgetReason,
    /// The memories that were saved from what is to be forgotten, or name it.
    found: &'a FoundSourceMemories,
}

impl ForgetRun<'_> {
    /// Forgets what is planned, unless that is to be shown alone or the user declines.
    fn carry_out(&self) -> Result<ForgetOutcome> {
        Ok(if self.args.dry_run {
            ForgetOutcome::Planned
        } else if !ask_for_consent(self.args)? {
            ForgetOutcome::Declined
        } else {
            ForgetOutcome::Forgotten(self.forget()?)
        })
    }

    fn forget(&self) -> Result<PurgeOutcome> {
        let Self { home, plan, .. } = self;
        let mut writer = lock_wait::open_writer(home)?;
        // Before their sessions, by which they are found: should this fail, it can be said once more.
        if self.args.memories {
            for memories in &self.found.by_directory {
                print_notes(memories.purge(&Zoned::now())?)?;
            }
        }
        if plan.is_empty() {
            return Ok(writer.purge()?);
        }
        let sessions = plan.sessions.iter().map(|session| session.uid.as_str());
        InjectionLog::new(&home.index_directory).delete_sessions(&sessions.collect())?;
        delete_injected_turns(&home.index_directory, |address| {
            plan.forgets_address(address)
        })?;
        let at = Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
        let reason = self.reason.clone();
        let forgotten = plan.forget_and_purge(&mut writer, &home.exclusions()?, reason, &at);
        forgotten.map_err(|error| match error {
            ForgetError::Store(_) => anyhow::Error::new(error)
                .context("it is noted as forgotten and leaves the index with the next refresh"),
            error => error.into(),
        })
    }

    fn print_report(&self, memories: &[Memory], outcome: ForgetOutcome) -> Result<CommandOutcome> {
        if self.args.json {
            json::print(&JsonForgotten::new(self.plan, memories, outcome))?;
        } else {
            let counts = format_forget_counts(self.plan);
            notes::print_line(outcome.format(&counts))?;
        }
        match outcome {
            ForgetOutcome::Forgotten(PurgeOutcome::Waiting) => {
                let readers = find_open_processes(&self.home.index_directory);
                print_note(format_index_readers(&readers))?;
                Ok(CommandOutcome::NotFound)
            }
            _ => Ok(CommandOutcome::Found),
        }
    }
}

fn list_records(args: &ForgetArgs, home: &Home) -> Result<CommandOutcome> {
    let records = home.forgotten()?;
    let entries = records.entries();
    if args.json {
        json::print(&JsonForgetRecords::new(entries))?
    } else {
        output::print(format_forget_records(entries))?
    }
    if entries.is_empty() {
        notes::print_reason_or_note("nothing was forgotten", args.json)?;
        return Ok(CommandOutcome::NotFound);
    }
    Ok(CommandOutcome::Found)
}

fn undo_entry(entry: u32, args: &ForgetArgs, home: &Home) -> Result<CommandOutcome> {
    let unknown = || {
        anyhow!("there is no entry {entry}\nhint: `session-search forget --list` has the numbers")
    };
    let records = home.forgotten()?;
    let Some(found) = records.entries().iter().find(|e| e.id == entry) else {
        return Err(unknown());
    };
    let obstacles = RestoreObstacles {
        is_by_marker: found.is_by_marker(),
        entries: records.covering_entries(found),
        has_rules: home.config.exclude != ExcludeSettings::default(),
    };
    let engine = SearchEngine::new(home.clone())?;
    let restored =
        engine.undo_forget(entry, &IndexProgressBar::boxed, lock_wait::note_update_wait)?;
    let restored = restored.ok_or_else(unknown)?;
    let ContentCounts {
        sessions,
        turns,
        titles,
    } = restored;
    if args.json {
        let undone = serde_json::json!({
            "undone": entry, "sessions": sessions, "turns": turns, "titles": titles,
            "kept_out_by": obstacles.entries,
        });
        json::print(&undone)?;
    } else {
        let text = format_restored(restored, &obstacles);
        notes::print_line(text)?;
    }
    Ok(CommandOutcome::Found)
}
