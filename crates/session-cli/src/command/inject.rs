//! `inject`: parses a prompt or a hook's JSON, and prints the block.

use crate::CommandOutcome;
use crate::args::InjectArgs;
use crate::command::hook;
use crate::command::memory::note_waiting;
use crate::memories::{self, ProjectMemories};
use crate::output::{self, json, notes};
use anyhow::Result;
use session_agents::{HookInput, ToolUse};
use session_config::{Home, current_directory_or_home};
use session_display::sanitize_line;
use session_hooks::{ComparedCall, HookCall, HookOrigin, HookPurpose, find_hook_session_id};
use session_memory::{ContextId, InjectionOutcome, InjectionSwitch, MemoryState, SessionStateFile};
use session_output::{
    JsonInjection, JsonTriggerDecision, format_decision, format_trigger_decision,
};
use std::time::Instant;

/// Runs the command. Fails only for a prompt on the command line: a hook gets an answer, or none.
pub fn run(args: &InjectArgs) -> Result<CommandOutcome> {
    if let (Some(switch), Some(session)) = (requested_switch(args), &args.session) {
        return switch_injection(session, switch, args.json);
    }
    if args.names_call() {
        return explain_call(args);
    }
    if args.prompt.is_none() {
        return answer_hook(args);
    }
    let call = make_hook_call(args)?;
    let Some(outcome) = call.compare_prompt()? else {
        return Ok(CommandOutcome::NotFound);
    };
    let found = print_outcome(&call, &outcome, args)?;
    if found == CommandOutcome::NotFound && !args.explain {
        notes::print_line("nothing is injected\nhint: --explain says why")?;
    }
    Ok(found)
}

/// Explains what a hook would answer to the call of a tool that arguments name.
fn explain_call(args: &InjectArgs) -> Result<CommandOutcome> {
    print_call(&make_hook_call(args)?, &make_tool_use(args), args)
}

/// Prints what a hook would answer to a call of a tool.
fn print_call(call: &HookCall, tool_use: &ToolUse, args: &InjectArgs) -> Result<CommandOutcome> {
    let waiting = count_waiting(&call.memories)?;
    let decision = call.explain_call(tool_use)?;
    if args.json {
        json::print(&JsonTriggerDecision::new(&decision))?;
    } else {
        let block = decision.block().map_or("", |block| &block.text);
        let why = format_trigger_decision(&decision, waiting, crate::output::terminal_width());
        output::print(format_args!("{block}{why}"))?;
    }
    Ok(CommandOutcome::from_found(decision.block().is_some()))
}

/// Returns the call that arguments name. Its text is that of the command: an argument has none that is written.
fn make_tool_use(args: &InjectArgs) -> ToolUse {
    ToolUse {
        paths: args.path.clone(),
        command: args.command.clone(),
        text: args.command.clone().unwrap_or_default(),
        error: args.error.clone(),
        is_pending_change: args.error.is_none(),
    }
}

/// Makes the hook that arguments describe, which may take its time.
fn make_hook_call(args: &InjectArgs) -> Result<HookCall> {
    let started = Instant::now();
    let memories = ProjectMemories::for_directory(&current_directory_or_home()?)?;
    notes::print_notes(memories.unowned_note())?;
    Ok(HookCall {
        input: make_hook_input(args)?,
        memories,
        origin: HookOrigin::Settings,
        started,
        deadline: None,
        purpose: choose_purpose(args),
    })
}

fn choose_purpose(args: &InjectArgs) -> HookPurpose {
    if args.explain {
        HookPurpose::Explanation
    } else {
        HookPurpose::Answer
    }
}

/// Returns the id by which hooks name the session of arguments.
fn find_session_id(args: &InjectArgs) -> Result<Option<String>> {
    let Some(id) = &args.session else {
        return Ok(None);
    };
    match find_hook_session_id(id, &Home::unconfigured()?) {
        // A session may begin with this prompt.
        Err(_) if !args.explain => Ok(Some(id.clone())),
        found => Ok(Some(found?)),
    }
}

/// Returns what a hook would be asked with the prompt and the session of arguments.
fn make_hook_input(args: &InjectArgs) -> Result<HookInput> {
    Ok(HookInput {
        prompt: args.prompt.clone().unwrap_or_default(),
        session_id: find_session_id(args)?,
        cwd: Some(current_directory_or_home()?),
        ..HookInput::default()
    })
}

/// Counts the memories that wait for trust, and names them on stderr.
fn count_waiting(memories: &ProjectMemories) -> Result<usize> {
    let active = memories::print_damaged(memories.list_recent(&[MemoryState::Active]))?;
    note_waiting(&active)?;
    let waiting = active.iter().filter(|memory| !memory.trust.is_trusted());
    Ok(waiting.count())
}

/// Answers the hook of a prompt, or explains any hook of a prompt or a call. An error prints nothing, and the prompt goes
/// on.
fn answer_hook(args: &InjectArgs) -> Result<CommandOutcome> {
    let (origin, purpose) = (HookOrigin::Settings, choose_purpose(args));
    let session = find_session_id(args).ok().flatten();
    let compared = hook::answer_stdin(origin, purpose, session, Some, |_| None);
    if let Some(compared) = compared {
        let _ = print_compared(compared, args);
    }
    Ok(CommandOutcome::Found)
}

/// Prints the outcome of a hook's prompt, or explains its call of a tool.
fn print_compared(compared: ComparedCall, args: &InjectArgs) -> Result<CommandOutcome> {
    let ComparedCall { call, outcome } = compared;
    match outcome {
        Some(outcome) if args.explain || call.input.is_prompt() => {
            print_outcome(&call, &outcome, args)
        }
        None if args.explain => explain_hook(call, args),
        _ => Ok(CommandOutcome::NotFound),
    }
}

/// Explains what the hook of a call of a tool would answer.
fn explain_hook(mut call: HookCall, args: &InjectArgs) -> Result<CommandOutcome> {
    let Some(tool_use) = ToolUse::from_hook(&call.input) else {
        return Ok(CommandOutcome::NotFound);
    };
    if call.input.cwd.is_none() {
        call.input.cwd = Some(current_directory_or_home()?);
    }
    print_call(&call, &tool_use, args)
}

/// Returns how the arguments switch injection, if they do.
fn requested_switch(args: &InjectArgs) -> Option<InjectionSwitch> {
    match (args.off, args.on) {
        (true, _) => Some(InjectionSwitch::Off),
        (false, true) => Some(InjectionSwitch::On),
        (false, false) => None,
    }
}

fn switch_injection(
    session: &str,
    switch: InjectionSwitch,
    as_json: bool,
) -> Result<CommandOutcome> {
    let home = Home::unconfigured()?;
    let session = &find_hook_session_id(session, &home)?;
    if let Some(context) = ContextId::new(session, None) {
        SessionStateFile::new(&home.index_directory, &context).switch_injection(switch)?;
    }
    if as_json {
        let is_off = switch == InjectionSwitch::Off;
        json::print(&serde_json::json!({"session": session, "off": is_off}))?
    } else {
        let state = match switch {
            InjectionSwitch::On => "on",
            InjectionSwitch::Off => "off",
        };
        notes::print_line(format_args!(
            "{state} for session {}",
            sanitize_line(session)
        ))?
    }
    Ok(CommandOutcome::Found)
}

/// Prints an outcome, and by choice what decided it.
fn print_outcome(
    call: &HookCall,
    outcome: &InjectionOutcome,
    args: &InjectArgs,
) -> Result<CommandOutcome> {
    let decision = &outcome.decision;
    let (waiting, block) = match args.explain {
        true => (count_waiting(&call.memories)?, decision.block().cloned()),
        false => (0, call.record(outcome)),
    };
    if args.json {
        let json = JsonInjection::new(outcome, block.as_ref(), args.explain);
        json::print(&json)?;
    } else {
        let text = block.as_ref().map_or("", |block| &block.text);
        output::print(text)?;
        if args.explain {
            let width = crate::output::terminal_width();
            let text = format_decision(decision, waiting, width);
            output::print(text)?;
        }
    }
    Ok(CommandOutcome::from_found(block.is_some()))
}
