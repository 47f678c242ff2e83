//! `inject`: parses a prompt or a hook's JSON, and prints the block.

use crate::Found;
use crate::args::InjectArgs;
use crate::command::filter::find_session;
use crate::command::memory::note_waiting;
use crate::memories::{self, Memories};
use crate::output::{json, notes};
use anyhow::Result;
use session_agents::HookInput;
use session_config::{Home, current_directory};
use session_display::safe_line;
use session_memory::{MemoryState, SessionState};
use session_output::{JsonInjection, format_decision};
use session_query::PromptOutcome;
use session_sources::{find_source, readable_json};
use session_store::SessionRow;
use std::io::{Read, Write};
use std::time::Instant;

/// The fewest characters of a whole id: those of agents with a hook have 30 or 36.
const WHOLE_ID_CHARS: usize = 30;
/// The most bytes of a hook's JSON. With the memories, the configuration and the state of a session a
/// hook reads at most 8 MB.
const STDIN_LIMIT: u64 = 2 << 20;

/// Runs the command.
///
/// # Errors
/// Only for a prompt on the command line: a hook gets an answer, or none.
pub fn run(args: &InjectArgs) -> Result<Found> {
    if let (true, Some(session)) = (args.off || args.on, &args.session) {
        return switch(session, args.off, args.json);
    }
    let Some(prompt) = &args.prompt else {
        return from_stdin(args);
    };
    let home = Home::unconfigured()?;
    let session = args.session.as_ref();
    let input = HookInput {
        prompt: prompt.clone(),
        session_id: session.map(|id| find_context(id, &home).unwrap_or_else(|_| id.clone())),
        ..HookInput::default()
    };
    let started = Instant::now();
    let memories = Memories::for_folder(&current_directory()?)?;
    if args.explain {
        note_waiting(&memories::list(&memories, &[MemoryState::Active], None)?)?;
    }
    let outcome = PromptOutcome::decide(&input, memories, started, None)?;
    let found = answer(&outcome, args)?;
    if found == Found::Nothing && !args.explain {
        writeln!(
            notes::stderr(),
            "nothing is injected\nhint: --explain says why"
        )?;
    }
    Ok(found)
}

/// Answers a hook. An error prints nothing, and the prompt goes on.
fn from_stdin(args: &InjectArgs) -> Result<Found> {
    let found = crate::command::hook::run_with_timeout(|input, outcome| {
        if input.hook_event_name.is_empty() || input.hook_event_name == "UserPromptSubmit" {
            let _ = answer(outcome, args);
        }
    });
    Ok(found)
}

fn switch(session: &str, off: bool, as_json: bool) -> Result<Found> {
    let home = Home::unconfigured()?;
    let session = &find_context(session, &home)?;
    SessionState::switch(&home.root, session, off)?;
    let state = if off { "off" } else { "on" };
    match as_json {
        true => json::print(&serde_json::json!({"session": session, "off": off}))?,
        false => writeln!(
            notes::stderr(),
            "{state} for session {}",
            safe_line(session)
        )?,
    }
    Ok(Found::Something)
}

/// Returns the id by which hooks ask for a session that is named by its id or the beginning of it; for a
/// subagent, that of its session. A session may be so new that the index does not have it: then its whole id
/// names it.
fn find_context(id: &str, home: &Home) -> Result<String> {
    let all = home.index().and_then(|index| index.sessions());
    match find_session(&all.unwrap_or_default(), id) {
        Ok(session) => Ok(context_of(&session)),
        Err(_) if is_whole(id, home) => Ok(id.to_owned()),
        Err(error) => Err(error),
    }
}

/// Returns true for an id that hooks asked by, or that is as long as a whole one.
fn is_whole(id: &str, home: &Home) -> bool {
    id.chars().count() >= WHOLE_ID_CHARS || SessionState::is_recorded(&home.root, id)
}

fn context_of(session: &SessionRow) -> String {
    let uid = session.parent.as_ref().unwrap_or(&session.uid);
    let source = find_source(&session.source);
    source
        .map_or(uid.as_str(), |source| source.own_id(uid))
        .to_owned()
}

/// Reads a hook's JSON from stdin.
///
/// # Errors
/// When stdin is no JSON object of a hook.
pub fn input() -> Result<HookInput> {
    let mut text = Vec::new();
    std::io::stdin().take(STDIN_LIMIT).read_to_end(&mut text)?;
    let read = serde_json::from_slice(&text);
    Ok(read.or_else(|_| serde_json::from_str(&readable_json(&text)))?)
}

fn answer(outcome: &PromptOutcome, args: &InjectArgs) -> Result<Found> {
    let decision = &outcome.injection.decision;
    let block = match args.explain {
        true => decision.block.clone(),
        false => outcome.record(),
    };
    if args.json {
        let json = JsonInjection::new(&outcome.injection, block.as_ref(), args.explain);
        json::print(&json)?;
    } else {
        let text = block.as_ref().map_or("", |block| &block.text);
        write!(anstream::stdout(), "{text}")?;
        if args.explain {
            let width = crate::output::width();
            write!(anstream::stdout(), "{}", format_decision(decision, width))?;
        }
    }
    match block {
        Some(_) => Ok(Found::Something),
        None => Ok(Found::Nothing),
    }
}
