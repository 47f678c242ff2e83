//! Runs a hook in a worker thread: its answer is ready before the timeout, or there is none. A hook never blocks a
//! prompt, and never fails.

use crate::hook_call::{HookCall, HookOrigin, HookPurpose};
use session_agents::{HookInput, MergedSettings, START_DIRECTORY_VARIABLE};
use session_config::Home;
use session_files::{Project, REPOSITORY, resolve_links};
use session_memory::{
    InjectionLimits, InjectionLog, InjectionLogEntry, InjectionOutcome, SkipReason,
};
use session_project_memories::{ProjectMemories, ProjectMemoriesError};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::Builder;
use std::time::{Duration, Instant};

/// Bytes of the worker's stack.
const STACK_BYTES: usize = 2 << 20;

/// The time for what follows a comparison, and for hooks that compare no prompt: within the five seconds that agents give
/// a hook.
const FILES_TIMEOUT: Duration = Duration::from_secs(4);

/// A message of the worker thread.
enum HookWorkerMessage<T> {
    /// The hook is that of a prompt, which is answered.
    Prompt,
    /// The configuration, with the time that it gives the worker.
    Configured(Box<Home>, Duration),
    /// The prompt is compared, if there is one: what is recorded from now on has to be printed.
    Compared,
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
    /// The hook is that of a prompt, which is answered.
    is_prompt: bool,
    /// The prompt is compared, if there is one.
    is_compared: bool,
    /// The configuration.
    home: Option<Box<Home>>,
}

/// A hook whose prompt has been compared with the memories of its directory, if it has one.
pub struct ComparedCall {
    /// The call.
    pub call: HookCall,
    /// The decision about its prompt, if it has one.
    pub outcome: Option<InjectionOutcome>,
}

/// The parts of a hook's run that its front end has.
pub struct HookCallbacks<T> {
    /// Starts a process that makes the vectors of memories that prompts in a directory wait for.
    pub prepare_vectors: fn(&Home, &Path),
    /// Answers a hook.
    pub answer: fn(ComparedCall) -> Option<T>,
    /// Called if the memories cannot be opened when a session begins, and its agent shows messages. Returns the message
    /// that tells the user why there are no memories.
    pub explain: fn(&ProjectMemoriesError) -> Option<T>,
}

/// Returns the answer to the hook whose JSON `input` holds; `None` if it fails, panics or takes too long. A prompt that is
/// compared for longer than its timeout is logged, unless it is only explained. The session is `session_id` where the input
/// names none.
pub fn run_with_timeout<T: Send + 'static>(
    input: impl Read + Send + 'static,
    origin: HookOrigin,
    purpose: HookPurpose,
    session_id: Option<String>,
    callbacks: HookCallbacks<T>,
) -> Option<T> {
    let prepare_vectors = callbacks.prepare_vectors;
    let started = Instant::now();
    let (sender, receiver) = channel();
    let worker = HookWorker {
        origin,
        purpose,
        started,
        callbacks,
        sender,
    };
    // Not joined: what comes too late ends with the process. Where no thread can be had, the channel is closed.
    let thread = Builder::new().stack_size(STACK_BYTES).spawn(move || {
        if let Ok(mut input) = HookInput::read(input) {
            input.session_id = input.session_id.or(session_id);
            worker.run(input);
        }
    });
    drop(thread);
    let timeout = InjectionLimits::default().timeout();
    match await_worker(&receiver, started, timeout) {
        WorkerEnd::Done(answer) => Some(*answer),
        WorkerEnd::Nothing => None,
        WorkerEnd::TimedOut(progress) => {
            give_up(progress, started, prepare_vectors);
            None
        }
    }
}

/// Answers one hook in the worker thread, and reports how far it is.
struct HookWorker<T> {
    origin: HookOrigin,
    purpose: HookPurpose,
    started: Instant,
    callbacks: HookCallbacks<T>,
    sender: Sender<HookWorkerMessage<T>>,
}

impl<T> HookWorker<T> {
    /// Answers the hook. The message for the user is the answer if the memories cannot be opened.
    fn run(&self, input: HookInput) {
        let is_prompt = input.is_prompt() && self.purpose == HookPurpose::Answer;
        if is_prompt {
            self.send(HookWorkerMessage::Prompt);
        }
        let shows_message = input.is_startup() && input.shows_messages();
        let answer = match self.open_and_compare(input) {
            Ok(compared) => compared.and_then(|compared| self.answer(compared)),
            Err(_) if is_prompt => {
                log_failure(self.started, SkipReason::QueryFailed);
                None
            }
            Err(error) if shows_message => (self.callbacks.explain)(&error),
            Err(_) => None,
        };
        if let Some(answer) = answer {
            self.send(HookWorkerMessage::Done(answer.into()));
        }
    }

    /// Opens the memories of the hook's directory, reports how long they may be compared, and compares its prompt with
    /// them. `None` if a plugin leaves the event to the hook in the settings.
    fn open_and_compare(
        &self,
        input: HookInput,
    ) -> Result<Option<ComparedCall>, ProjectMemoriesError> {
        let directory = find_hook_directory(&input)?;
        if self.origin == HookOrigin::Plugin && is_in_settings(&input, &directory)? {
            return Ok(None);
        }
        let call = self.open_call(input, &directory)?;
        let home = Box::new(call.memories.home.clone());
        let timeout = home.config.injection.timeout();
        self.send(HookWorkerMessage::Configured(home, timeout));
        let outcome = call.compare_prompt()?;
        let skip_reason = outcome.as_ref().and_then(|o| o.decision.skip_reason());
        if skip_reason == Some(SkipReason::Timeout) {
            (self.callbacks.prepare_vectors)(&call.memories.home, &directory);
        }
        Ok(Some(ComparedCall { call, outcome }))
    }

    /// Opens the memories of the hook's directory.
    fn open_call(
        &self,
        input: HookInput,
        directory: &Path,
    ) -> Result<HookCall, ProjectMemoriesError> {
        let memories = ProjectMemories::for_directory(directory)?;
        let limits = memories.home.config.injection;
        Ok(HookCall {
            input,
            memories,
            origin: self.origin,
            started: self.started,
            deadline: Some(limits.embedding_deadline(self.started)),
            purpose: self.purpose,
        })
    }

    fn answer(&self, compared: ComparedCall) -> Option<T> {
        self.send(HookWorkerMessage::Compared);
        (self.callbacks.answer)(compared)
    }

    fn send(&self, message: HookWorkerMessage<T>) {
        // It fails if nobody waits any more.
        let _ = self.sender.send(message);
    }
}

/// Logs a prompt that was not compared in time, and has the vectors prepared that it may have waited for.
fn give_up(progress: HookProgress, started: Instant, prepare_vectors: fn(&Home, &Path)) {
    if progress.is_compared {
        return;
    }
    if progress.is_prompt {
        log_failure(started, SkipReason::Timeout);
    }
    // The directory of the hook may not be known yet; agents run a hook in it.
    if let (Some(home), Ok(directory)) = (progress.home, std::env::current_dir()) {
        prepare_vectors(&home, &directory);
    }
}

/// Waits for a worker that `started`: until it has compared for `timeout`, or as long as its configuration says, then
/// for [`FILES_TIMEOUT`].
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
            Ok(HookWorkerMessage::Compared) => {
                timeout = started.elapsed() + FILES_TIMEOUT;
                progress.is_compared = true;
            }
            Ok(HookWorkerMessage::Done(result)) => return WorkerEnd::Done(result),
            Err(RecvTimeoutError::Disconnected) => return WorkerEnd::Nothing,
            Err(RecvTimeoutError::Timeout) => return WorkerEnd::TimedOut(progress),
        }
    }
}

/// Finds the directory whose memories a hook is about.
fn find_hook_directory(input: &HookInput) -> Result<PathBuf, ProjectMemoriesError> {
    let directory = input.cwd.clone().map_or_else(std::env::current_dir, Ok)?;
    Ok(
        match std::env::var_os(START_DIRECTORY_VARIABLE).map(PathBuf::from) {
            Some(start) if start != directory => {
                choose_project_directory(directory, start, &Home::unconfigured()?.env.home)
            }
            _ => directory,
        },
    )
}

/// Returns the directory whose project a hook in a directory belongs to: the start of the session, where it has since gone
/// to a folder of the same repository, which may hold a `.claude` of its own.
fn choose_project_directory(directory: PathBuf, start: PathBuf, home: &Path) -> PathBuf {
    let (real_start, real) = (resolve_links(&start), resolve_links(&directory));
    let mut below = real.ancestors().take_while(|at| *at != real_start);
    let is_same_project = real.starts_with(&real_start)
        && below.all(|at| fs_err::symlink_metadata(at.join(REPOSITORY)).is_err())
        && Project::find_owned(&real_start, home).is_some();
    if is_same_project { start } else { directory }
}

/// Returns true if the settings that the agent merges in a directory have the hook for the event.
fn is_in_settings(input: &HookInput, directory: &Path) -> Result<bool, ProjectMemoriesError> {
    let env = Home::unconfigured()?.env;
    let settings = MergedSettings::for_directory(&env, directory)?;
    Ok(input.event().is_some_and(|event| settings.has_hook(event)))
}

fn log_failure(started: Instant, why: SkipReason) {
    if let Ok(home) = Home::unconfigured() {
        let _ = InjectionLog::new(&home.index_directory)
            .append(&InjectionLogEntry::failure(started, why));
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
        assert!(progress.is_prompt && progress.home.is_some() && !progress.is_compared);
    }

    #[test]
    fn a_worker_that_has_compared_its_prompt_has_the_time_of_other_hooks() {
        let (sender, receiver) = channel();
        let configured = HookWorkerMessage::Configured(home(), Duration::ZERO);
        let end = HookWorkerMessage::Done(Box::new(7));
        for message in [
            HookWorkerMessage::Compared,
            configured,
            HookWorkerMessage::Compared,
            end,
        ] {
            sender.send(message).unwrap();
        }
        let end = await_worker(&receiver, Instant::now(), LONG);
        assert!(matches!(end, WorkerEnd::Done(result) if *result == 7));
        // A prompt may be compared for longer.
        let began = Instant::now().checked_sub(2 * FILES_TIMEOUT).unwrap();
        sender.send(HookWorkerMessage::Compared).unwrap();
        sender.send(HookWorkerMessage::Done(Box::new(8))).unwrap();
        let end = await_worker(&receiver, began, LONG);
        assert!(matches!(end, WorkerEnd::Done(result) if *result == 8));
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
            let found = choose_project_directory(path(directory), path(start), &path(""));
            assert_eq!(found, path(expected), "{start}: {directory}");
        }
    }

    #[test]
    fn an_answer_that_panics_is_none() {
        let directory = tempfile::tempdir().unwrap();
        let cwd = directory.path();
        let input = format!(r#"{{"hook_event_name": "SessionStart", "cwd": {cwd:?}}}"#);
        let run = |answer: fn(ComparedCall) -> Option<u8>| {
            let input = std::io::Cursor::new(input.clone());
            let callbacks = HookCallbacks {
                prepare_vectors: |_, _| {},
                answer,
                explain: |_| None,
            };
            let (origin, purpose) = (HookOrigin::Settings, HookPurpose::Answer);
            run_with_timeout(input, origin, purpose, None, callbacks)
        };
        let answer = |compared: ComparedCall| compared.outcome.is_none().then_some(7);
        assert_eq!(run(answer), Some(7));
        assert_eq!(run(|_| panic!("the answer panics")), None);
    }

    #[test]
    fn what_is_no_json_of_a_hook_is_no_input() {
        assert!(HookInput::read("lantern".as_bytes()).is_err());
    }
}
