//! Runs a hook in a worker thread: its outcome is ready before the timeout, or there is none. A hook never blocks a
//! prompt.

use crate::error::MemoriesError;
use crate::hook_response::{HookOrigin, PromptOutcome};
use crate::memories::Memories;
use session_agents::{HookEvent, HookInput, MergedSettings, START_DIRECTORY_VARIABLE};
use session_config::Home;
use session_files::{Project, REPOSITORY, resolve_links};
use session_memory::{InjectionLog, InjectionLogEntry, InjectionSettings, SkipReason};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::Builder;
use std::time::{Duration, Instant};

/// Bytes of the worker's stack.
const STACK_BYTES: usize = 2 << 20;

/// The input of a hook with its outcome.
pub struct AnsweredHook {
    /// The input.
    pub input: HookInput,
    /// The outcome.
    pub outcome: PromptOutcome,
}

/// A message of the worker thread.
enum HookWorkerMessage<T> {
    /// The hook is that of a prompt.
    Prompt,
    /// The configuration, with the time that it gives the worker.
    Configured(Box<Home>, Duration),
    /// The result.
    Done(Box<T>),
}

/// How a worker ended.
enum WorkerEnd<T> {
    Done(Box<T>),
    /// It failed, panicked, or had nothing to say.
    Nothing,
    /// It takes too long.
    TimedOut(HookProgress),
}

/// The state of a worker when its time ended.
#[derive(Default)]
struct HookProgress {
    /// The hook is that of a prompt.
    is_prompt: bool,
    /// The configuration.
    home: Option<Box<Home>>,
}

/// Decides what is injected for the hook whose JSON `input` holds; `None` where it fails, panics or takes longer than
/// its timeout, which is logged for a prompt. Where the vectors of memories are missing, `prepare_vectors` starts a process that
/// makes those of a folder.
pub fn run_with_timeout(
    input: impl Read + Send + 'static,
    origin: HookOrigin,
    prepare_vectors: fn(&Home, &Path),
) -> Option<AnsweredHook> {
    let started = Instant::now();
    let (sender, receiver) = channel();
    // Not joined: what comes too late ends with the process. Where no thread can be had, the channel is closed.
    let worker = Builder::new().stack_size(STACK_BYTES).spawn(move || {
        let Ok(input) = HookInput::read(input) else {
            return;
        };
        let is_prompt = is_prompt(&input);
        if is_prompt {
            let _ = sender.send(HookWorkerMessage::Prompt);
        }
        let ran = run_worker(input, origin, started, prepare_vectors, &sender);
        if ran.is_err() && is_prompt {
            log_failure(started, SkipReason::QueryFailed);
        }
    });
    drop(worker);
    let timeout = InjectionSettings::default().timeout();
    match await_worker(&receiver, started, timeout) {
        WorkerEnd::Done(answered) => Some(*answered),
        WorkerEnd::Nothing => None,
        WorkerEnd::TimedOut(progress) => {
            if progress.is_prompt {
                log_failure(started, SkipReason::Timeout);
            }
            // The directory of the hook may not be known yet; agents run a hook in it.
            if let (Some(home), Ok(folder)) = (progress.home, std::env::current_dir()) {
                prepare_vectors(&home, &folder);
            }
            None
        }
    }
}

/// Waits for a worker that `started`, for `timeout` or as long as its configuration says.
fn await_worker<T>(
    receiver: &Receiver<HookWorkerMessage<T>>,
    started: Instant,
    mut timeout: Duration,
) -> WorkerEnd<T> {
    let mut progress = HookProgress::default();
    loop {
        let left = timeout.saturating_sub(started.elapsed());
        match receiver.recv_timeout(left) {
            Ok(HookWorkerMessage::Prompt) => progress.is_prompt = true,
            Ok(HookWorkerMessage::Configured(home, limit)) => {
                timeout = limit;
                progress.home = Some(home);
            }
            Ok(HookWorkerMessage::Done(result)) => return WorkerEnd::Done(result),
            Err(RecvTimeoutError::Disconnected) => return WorkerEnd::Nothing,
            Err(RecvTimeoutError::Timeout) => return WorkerEnd::TimedOut(progress),
        }
    }
}

/// Returns true for the hook of a prompt; `inject` may be given one without an event.
fn is_prompt(input: &HookInput) -> bool {
    input.hook_event_name.is_empty() || input.event() == Some(HookEvent::UserPromptSubmit)
}

/// Decides what is injected for the input of a hook, and sends both.
/// A plugin's hook leaves an event to the hook of the settings.
fn run_worker(
    input: HookInput,
    origin: HookOrigin,
    started: Instant,
    prepare_vectors: fn(&Home, &Path),
    sender: &Sender<HookWorkerMessage<AnsweredHook>>,
) -> Result<(), MemoriesError> {
    let directory = input.cwd.clone().map_or_else(std::env::current_dir, Ok)?;
    let folder = match std::env::var_os(START_DIRECTORY_VARIABLE).map(PathBuf::from) {
        Some(start) if start != directory => {
            project_directory(directory, start, &Home::unconfigured()?.env.home)
        }
        _ => directory,
    };
    if origin == HookOrigin::Plugin && is_in_settings(&input, &folder)? {
        return Ok(());
    }
    let memories = Memories::for_folder(&folder)?;
    let injection = memories.home.config.injection;
    let home = Box::new(memories.home.clone());
    let _ = sender.send(HookWorkerMessage::Configured(home, injection.timeout()));
    let deadline = injection.embedding_deadline(started);
    let outcome = PromptOutcome::decide(&input, memories, started, Some(deadline))?;
    if outcome.injection.decision.skip_reason() == Some(SkipReason::Timeout) {
        prepare_vectors(&outcome.memories.home, &folder);
    }
    let answered = AnsweredHook { input, outcome };
    let _ = sender.send(HookWorkerMessage::Done(Box::new(answered)));
    Ok(())
}

/// Returns the directory whose project a hook in a directory belongs to: the start of the session, where it has since gone
/// to a folder of the same repository, which may hold a `.claude` of its own.
fn project_directory(directory: PathBuf, start: PathBuf, home: &Path) -> PathBuf {
    let (real_start, real) = (resolve_links(&start), resolve_links(&directory));
    let mut below = real.ancestors().take_while(|at| *at != real_start);
    let is_same_project = real.starts_with(&real_start)
        && below.all(|at| fs_err::symlink_metadata(at.join(REPOSITORY)).is_err())
        && Project::find_owned(&real_start, home).is_some();
    if is_same_project { start } else { directory }
}

/// Returns true where the settings that the agent merges in a folder have the hook for the event.
fn is_in_settings(input: &HookInput, folder: &Path) -> Result<bool, MemoriesError> {
    let env = Home::unconfigured()?.env;
    let settings = MergedSettings::for_directory(&env, folder)?;
    Ok(input.event().is_some_and(|event| settings.has_hook(event)))
}

fn log_failure(started: Instant, why: SkipReason) {
    if let Ok(home) = Home::unconfigured() {
        let _ = InjectionLog::new(&home.root).append(&InjectionLogEntry::failure(started, why));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use session_sources::Env;

    const LONG: Duration = Duration::from_secs(60);

    fn home() -> Box<Home> {
        Box::new(Home::new(
            Env::with_home(Path::new("/home/ann")),
            "/home/ann/index".into(),
        ))
    }

    #[test]
    fn a_worker_that_is_done_in_time_has_a_result() {
        let (sender, receiver) = channel();
        let worker = std::thread::spawn(move || {
            sender
                .send(HookWorkerMessage::Configured(home(), LONG))
                .unwrap();
            sender.send(HookWorkerMessage::Done(Box::new(7))).unwrap();
        });
        let end = await_worker(&receiver, Instant::now(), LONG);
        assert!(matches!(end, WorkerEnd::Done(result) if *result == 7));
        worker.join().unwrap();
    }

    #[test]
    fn a_worker_that_fails_has_none() {
        let (sender, receiver) = channel::<HookWorkerMessage<u8>>();
        drop(sender);
        let end = await_worker(&receiver, Instant::now(), LONG);
        assert!(matches!(end, WorkerEnd::Nothing));
    }

    #[test]
    fn a_worker_has_the_time_that_its_configuration_gives() {
        let (sender, receiver) = channel::<HookWorkerMessage<u8>>();
        let end = await_worker(&receiver, Instant::now(), Duration::ZERO);
        let WorkerEnd::TimedOut(progress) = end else {
            panic!("it is not done");
        };
        assert!(!progress.is_prompt && progress.home.is_none());
        sender.send(HookWorkerMessage::Prompt).unwrap();
        let configured = HookWorkerMessage::Configured(home(), Duration::ZERO);
        sender.send(configured).unwrap();
        let end = await_worker(&receiver, Instant::now(), LONG);
        let WorkerEnd::TimedOut(progress) = end else {
            panic!("it is not done");
        };
        assert!(progress.is_prompt && progress.home.is_some());
    }

    #[test]
    fn a_session_stays_in_the_project_that_it_began_in() {
        let home = tempfile::tempdir().unwrap();
        let path = |name: &str| resolve_links(home.path()).join(name);
        for directory in [
            "shop/.git",
            "shop/web/.claude",
            "shop/web/src",
            "shop/vendor/oil/.git",
            "notes/app/.claude",
        ] {
            fs_err::create_dir_all(path(directory)).unwrap();
        }
        for (start, directory, expected) in [
            ("shop", "shop/web/src", "shop"),
            ("shop", "shop", "shop"),
            ("shop/web", "shop", "shop"),
            ("shop", "shop/vendor/oil", "shop/vendor/oil"),
            ("notes", "notes/app", "notes/app"),
            ("", "shop/web", "shop/web"),
        ] {
            let found = project_directory(path(directory), path(start), &path(""));
            assert_eq!(found, path(expected), "{start}: {directory}");
        }
    }

    #[test]
    fn failures_of_prompts_alone_are_counted() {
        let named = |name: &str| HookInput {
            hook_event_name: name.to_owned(),
            ..HookInput::default()
        };
        assert!(is_prompt(&named("UserPromptSubmit")) && is_prompt(&named("")));
        assert!(!is_prompt(&named("PreToolUse")) && !is_prompt(&named("Stop")));
    }

    #[test]
    fn what_is_no_json_of_a_hook_is_no_input() {
        assert!(HookInput::read("lantern".as_bytes()).is_err());
    }
}
