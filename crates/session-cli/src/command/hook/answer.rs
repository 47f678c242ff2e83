//! The answer to a hook: within its time, or none. A prompt is never blocked.

use crate::Found;
use crate::command::background;
use crate::command::inject::{self, HookInput, PromptOutcome};
use crate::memories::Memories;
use anyhow::Result;
use session_agents::{HookAnswer, HookEvent};
use session_config::Home;
use session_memory::{InjectionLog, InjectionLogEntry, InjectionSettings, SkipReason};
use std::io::Write;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Instant;

/// A message of the thread that answers.
enum WorkerMessage {
    /// The configuration: how long it may take, and what to do without an answer.
    Configured(Box<Home>),
    /// The question with its outcome.
    Answer(Box<(HookInput, PromptOutcome)>),
}

/// Runs `hook run`.
pub fn run() -> Found {
    guarded(|input, outcome| {
        if let Some(answer) = answer(input, outcome) {
            let answer = serde_json::to_string(&answer).unwrap_or_default();
            let _ = writeln!(std::io::stdout(), "{answer}");
        }
    })
}

/// Answers what stdin asks, if that can be done in time; whatever goes wrong, by a mistake in the
/// configuration, a damaged file or a fault of ours, nothing is said and the
/// exit code is 0.
pub fn guarded(say: impl Fn(&HookInput, &PromptOutcome)) -> Found {
    let began = Instant::now();
    std::panic::set_hook(Box::new(|_| {}));
    let (tell, told) = channel();
    // Not joined: what comes too late ends with the process.
    std::thread::spawn(move || {
        if let Err(error) = work(began, &tell) {
            note_failure(began, SkipReason::QueryFailed);
            drop(error);
        }
    });
    let mut patience = InjectionSettings::default().timeout();
    let mut configured = None;
    loop {
        let left = patience.saturating_sub(began.elapsed());
        match told.recv_timeout(left) {
            Ok(WorkerMessage::Configured(home)) => {
                patience = home.config.injection.timeout();
                configured = Some(home);
            }
            Ok(WorkerMessage::Answer(answer)) => {
                say(&answer.0, &answer.1);
                return Found::Something;
            }
            Err(RecvTimeoutError::Disconnected) => return Found::Something,
            Err(RecvTimeoutError::Timeout) => {
                note_failure(began, SkipReason::Timeout);
                prepare_here(configured.as_deref());
                return Found::Something;
            }
        }
    }
}

/// Reads the question and answers it.
fn work(began: Instant, tell: &Sender<WorkerMessage>) -> Result<()> {
    let input = inject::input()?;
    let folder = input.cwd.clone().map_or_else(std::env::current_dir, Ok)?;
    let memories = Memories::for_folder(&folder)?;
    let _ = tell.send(WorkerMessage::Configured(Box::new(memories.home.clone())));
    let deadline = memories.home.config.injection.embedding_deadline(began);
    let outcome = inject::outcome(&input, memories, began, Some(deadline))?;
    if outcome.injection.decision.skipped == Some(SkipReason::Timeout) {
        background::prepare(&outcome.memories.home, &folder);
    }
    let _ = tell.send(WorkerMessage::Answer(Box::new((input, outcome))));
    Ok(())
}

/// Where not even the lack of vectors was told in time: agents run a hook in its folder. Nothing is
/// read for it, since the time is up.
fn prepare_here(configured: Option<&Home>) {
    if let (Some(home), Ok(folder)) = (configured, std::env::current_dir()) {
        background::prepare(home, &folder);
    }
}

fn note_failure(began: Instant, why: SkipReason) {
    if let Ok(home) = Home::unconfigured() {
        let _ = InjectionLog::new(&home.root).append(&InjectionLogEntry::failure(began, why));
    }
}

/// Returns what the agent reads as the answer.
fn answer(input: &HookInput, outcome: &PromptOutcome) -> Option<HookAnswer> {
    let memories = &outcome.memories;
    let event = HookEvent::from_name(&input.hook_event_name)?;
    let mut answer = HookAnswer::default();
    let block = match event {
        HookEvent::SessionStart => {
            answer.system_message = suggestion(input, memories);
            let session = input.session_id.as_deref();
            let injector = memories.injector();
            injector.begin_session(session, has_forgotten(input))
        }
        // Its output becomes a part of the instructions for the summary.
        HookEvent::PreCompact => None,
        HookEvent::UserPromptSubmit => {
            let is_recorded = outcome.record();
            let block = outcome.injection.decision.block.clone();
            block.filter(|_| is_recorded)
        }
    };
    if let Some(block) = block {
        answer = answer.with_context(event, &block.text);
    }
    Some(answer).filter(|answer| !answer.is_empty())
}

/// True where the agent no longer has what was put before its prompts.
fn has_forgotten(input: &HookInput) -> bool {
    matches!(input.source.as_deref(), Some("compact" | "clear"))
}

/// A word to the user after a conversation was compacted. Nothing is saved that nobody
/// confirmed.
fn suggestion(input: &HookInput, memories: &Memories) -> Option<String> {
    let config = &memories.home.config;
    let is_compacted = input.source.as_deref() == Some("compact");
    if !is_compacted || !config.enabled || !config.auto_save {
        return None;
    }
    let from = match &input.session_id {
        Some(id) => format!(" --from {id}"),
        None => String::new(),
    };
    Some(format!(
        "session-search: if something was decided here that is to be kept, save it: session-search memory save --topic … --info …{from}"
    ))
}
