//! Runs a hook in a worker thread and prints its output before the timeout, or prints nothing: a hook
//! never blocks a prompt.

use crate::CommandOutcome;
use crate::command::background;
use crate::command::inject;
use crate::memories::{Memories, merged_settings};
use anyhow::Result;
use session_agents::HookInput;
use session_config::Home;
use session_hooks::{HookOrigin, PromptOutcome};
use session_memory::{InjectionLog, InjectionLogEntry, InjectionSettings, SkipReason};
use std::io::Write;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::Builder;
use std::time::Instant;

/// Bytes of the worker's stack.
const STACK_BYTES: usize = 2 << 20;

/// A message of the worker thread.
enum HookMessage {
    /// The configuration, whose timeout replaces the default.
    Configured(Box<Home>),
    /// The outcome of the hook.
    Answer(Box<AnsweredHook>),
}

/// The input of a hook with its outcome.
struct AnsweredHook {
    input: HookInput,
    outcome: PromptOutcome,
}

/// Runs `hook run`, for the plugin or for settings.
pub fn run(origin: HookOrigin) -> CommandOutcome {
    run_hook(origin, |input, outcome| {
        if let Some(answer) = outcome.hook_answer(input, origin) {
            let answer = serde_json::to_string(&answer).unwrap_or_default();
            let _ = writeln!(std::io::stdout(), "{answer}");
        }
    })
}

/// Runs the hook that stdin describes, and prints its outcome if it is ready before the timeout. On any
/// error or panic it prints nothing and exits with 0.
pub fn run_with_timeout(say: impl Fn(&HookInput, &PromptOutcome)) -> CommandOutcome {
    run_hook(HookOrigin::Settings, say)
}

fn run_hook(origin: HookOrigin, say: impl Fn(&HookInput, &PromptOutcome)) -> CommandOutcome {
    let started = Instant::now();
    std::panic::set_hook(Box::new(|_| {}));
    let (sender, receiver) = channel();
    // Not joined: what comes too late ends with the process. Where no thread can be had, the channel is closed.
    let worker = Builder::new().stack_size(STACK_BYTES).spawn(move || {
        if run_worker(started, origin, &sender).is_err() {
            log_failure(started, SkipReason::QueryFailed);
        }
    });
    drop(worker);
    let mut timeout = InjectionSettings::default().timeout();
    let mut configured = None;
    loop {
        let left = timeout.saturating_sub(started.elapsed());
        match receiver.recv_timeout(left) {
            Ok(HookMessage::Configured(home)) => {
                timeout = home.config.injection.timeout();
                configured = Some(home);
            }
            Ok(HookMessage::Answer(answer)) => {
                say(&answer.input, &answer.outcome);
                return CommandOutcome::Something;
            }
            Err(RecvTimeoutError::Disconnected) => return CommandOutcome::Something,
            Err(RecvTimeoutError::Timeout) => {
                log_failure(started, SkipReason::Timeout);
                prepare_vectors_in_current_directory(configured.as_deref());
                return CommandOutcome::Something;
            }
        }
    }
}

/// Reads the input of the hook, decides what is injected, and sends both.
/// A plugin's hook leaves an event to the hook of the settings.
fn run_worker(started: Instant, origin: HookOrigin, sender: &Sender<HookMessage>) -> Result<()> {
    let input = inject::read_hook_input()?;
    let folder = input.cwd.clone().map_or_else(std::env::current_dir, Ok)?;
    if origin == HookOrigin::Plugin && is_in_settings(&input, &folder)? {
        return Ok(());
    }
    let memories = Memories::for_folder(&folder)?;
    let _ = sender.send(HookMessage::Configured(Box::new(memories.home.clone())));
    let deadline = memories.home.config.injection.embedding_deadline(started);
    let outcome = PromptOutcome::decide(&input, memories, started, Some(deadline))?;
    if outcome.injection.decision.skip_reason() == Some(SkipReason::Timeout) {
        background::spawn_vector_preparation(&outcome.memories.home, &folder);
    }
    let _ = sender.send(HookMessage::Answer(Box::new(AnsweredHook {
        input,
        outcome,
    })));
    Ok(())
}

/// Returns true where the settings that Claude Code merges have the hook for the event.
fn is_in_settings(input: &HookInput, folder: &Path) -> Result<bool> {
    let settings = merged_settings(&Home::unconfigured()?.env, folder)?;
    Ok(input.event().is_some_and(|event| settings.has_hook(event)))
}

/// Starts background embedding for the current directory after a timeout. The directory of the hook may
/// not be known yet; agents run a hook in it.
fn prepare_vectors_in_current_directory(configured: Option<&Home>) {
    if let (Some(home), Ok(folder)) = (configured, std::env::current_dir()) {
        background::spawn_vector_preparation(home, &folder);
    }
}

fn log_failure(started: Instant, why: SkipReason) {
    if let Ok(home) = Home::unconfigured() {
        let _ = InjectionLog::new(&home.root).append(&InjectionLogEntry::failure(started, why));
    }
}
