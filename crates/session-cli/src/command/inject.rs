//! `inject`: parses a prompt or a hook's JSON, and prints the block.

use crate::Found;
use crate::args::InjectArgs;
use crate::memories::Memories;
use crate::output::{json, notes};
use anyhow::Result;
use session_agents::HookInput;
use session_display::safe_line;
use session_memory::SessionState;
use session_output::{JsonInjection, format_decision};
use session_query::PromptOutcome;
use std::io::{Read, Write};
use std::time::Instant;

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
    let input = HookInput {
        prompt: prompt.clone(),
        session_id: args.session.clone(),
        ..HookInput::default()
    };
    let started = Instant::now();
    let memories = Memories::for_folder(&std::env::current_dir()?)?;
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
    let root = session_config::Home::unconfigured()?.root;
    SessionState::switch(&root, session, off)?;
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

/// Reads a hook's JSON from stdin.
///
/// # Errors
/// When stdin is no JSON object of a hook.
pub fn input() -> Result<HookInput> {
    let mut text = Vec::new();
    std::io::stdin().take(STDIN_LIMIT).read_to_end(&mut text)?;
    Ok(serde_json::from_slice(&text)?)
}

fn answer(outcome: &PromptOutcome, args: &InjectArgs) -> Result<Found> {
    let decision = &outcome.injection.decision;
    let is_recorded = args.explain || outcome.record();
    let block = decision.block.as_ref().filter(|_| is_recorded);
    if args.json {
        json::print(&JsonInjection::new(&outcome.injection, block, args.explain))?;
    } else {
        let block = block.map_or("", |block| &block.text);
        write!(anstream::stdout(), "{block}")?;
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
