//! The loop between the terminal, the state and the threads.

use crate::action::{ActionTarget, PickerAction};
use crate::app::App;
use crate::app_effect::AppEffect;
use crate::error::PickerError;
use crate::jobs::PickerJob;
use crate::memory_destination::MemoryDestination;
use crate::memory_form::MemoryForm;
use crate::message::{AppMessage, JobOutcome, MessageSender, PickerMessage};
use crate::overlay::Overlay;
use crate::terminal::TerminalScreen;
use crate::theme::Theme;
use crate::typing_pause::TypingPause;
use crate::view;
use crate::worker::{TurnsRequest, WorkerContext};
use crossterm::event::{Event, KeyCode, KeyModifiers};
use session_agents::{ResumeCommand, ResumeError, ResumeMode, program_exists};
use session_config::Home;
use session_core::text::sanitize_text;
use session_query::SearchEngine;
use session_store::SessionRow;
use std::collections::VecDeque;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
#[cfg(unix)]
use std::sync::atomic::AtomicI32;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// The options of a picker.
#[derive(Debug, Clone)]
pub struct PickerOptions {
    /// The query that is typed already.
    pub query: String,
    /// Colours may be used.
    pub colours: bool,
    /// A shell waits for what is chosen: the process is not to be stopped.
    pub is_shell_waiting: bool,
    /// The functions of the program that it calls.
    pub callbacks: PickerCallbacks,
}

/// The functions of the program that a picker calls while it is open.
#[derive(Debug, Clone, Copy)]
pub struct PickerCallbacks {
    /// Starts the process that embeds the sessions that the chosen model has not read.
    pub start_embedding: fn(&Home),
    /// Formats an error with its causes and what to do about it.
    pub describe_error: fn(PickerError) -> String,
}

/// The choice made in a picker: a session that can be taken up again.
#[derive(Debug, Clone, PartialEq)]
pub struct PickerChoice {
    /// The session.
    pub session: Box<SessionRow>,
    /// How it is taken up.
    pub mode: ResumeMode,
}

/// The next step of the loop.
enum LoopStep {
    Continue,
    End(Option<PickerChoice>),
    #[cfg(unix)]
    Signal(i32),
}

/// Shows the picker until something is chosen; `None` if nothing is. A signal that ends the process
/// ends it when the terminal is as it was.
///
/// # Errors
/// When there is no terminal.
pub fn pick(
    engine: SearchEngine,
    options: &PickerOptions,
) -> Result<Option<PickerChoice>, PickerError> {
    let mut picker = Picker::start(engine.without_cache_writes(), options)?;
    let ended = picker.run();
    let notes = picker.finish_jobs();
    drop(picker);
    for note in notes {
        let _ = writeln!(std::io::stderr(), "{}", sanitize_text(&note));
    }
    match ended? {
        LoopStep::End(choice) => Ok(choice),
        #[cfg(unix)]
        LoopStep::Signal(signal) => {
            signal_hook::low_level::emulate_default_handler(signal)?;
            Ok(None)
        }
        LoopStep::Continue => Ok(None),
    }
}

/// The loop of the picker: the terminal, the state, and what its threads work with.
struct Picker {
    app: App,
    theme: Theme,
    is_shell_waiting: bool,
    screen: TerminalScreen,
    context: Arc<WorkerContext>,
    sender: MessageSender,
    messages: Receiver<PickerMessage>,
    /// Messages that came and were not yet taken.
    waiting: VecDeque<PickerMessage>,
    /// Jobs that write and have not ended.
    running_jobs: usize,
    /// True when the picker has ended and the terminal belongs to the shell again.
    has_ended: Arc<AtomicBool>,
    /// The signal that ends the process, 0 until it came: it does not wait behind the keys that came before it.
    #[cfg(unix)]
    ending_signal: Arc<AtomicI32>,
}

impl Drop for Picker {
    fn drop(&mut self) {
        self.has_ended.store(true, Ordering::Relaxed);
    }
}

impl Picker {
    fn start(engine: SearchEngine, options: &PickerOptions) -> Result<Self, PickerError> {
        let (sender, messages) = channel();
        let picker = Self {
            app: App::new(&options.query),
            theme: Theme::new(options.colours),
            is_shell_waiting: options.is_shell_waiting,
            screen: TerminalScreen::open()?,
            context: Arc::new(WorkerContext::new(engine, options.callbacks)),
            sender: MessageSender(sender),
            messages,
            waiting: VecDeque::new(),
            running_jobs: 0,
            has_ended: Arc::default(),
            #[cfg(unix)]
            ending_signal: Arc::default(),
        };
        picker.start_threads()?;
        Ok(picker)
    }

    fn start_threads(&self) -> Result<(), PickerError> {
        #[cfg(unix)]
        self.forward_signals()?;
        self.spawn(WorkerContext::answer_lists);
        self.spawn(WorkerContext::prepare_indexes);
        self.spawn(WorkerContext::read_turns);
        self.spawn(WorkerContext::refresh_index);
        let has_ended = Arc::clone(&self.has_ended);
        self.spawn(move |context, out| {
            let pause = TypingPause::new(context.root().to_owned());
            read_input(out, pause, &has_ended);
        });
        Ok(())
    }

    /// Starts a thread; that it panicked is told as a message.
    fn spawn(&self, work: impl FnOnce(&WorkerContext, &MessageSender) + Send + 'static) {
        let (context, out) = (Arc::clone(&self.context), self.sender.clone());
        std::thread::spawn(move || {
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| work(&context, &out))) {
                out.send(PickerMessage::Panicked(panic));
            }
        });
    }

    #[cfg(unix)]
    fn forward_signals(&self) -> Result<(), PickerError> {
        use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
        let caught = [SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGCONT];
        let mut signals = signal_hook::iterator::Signals::new(caught)?;
        let ending = Arc::clone(&self.ending_signal);
        self.spawn(move |_, out| {
            let mut signals = signals.forever();
            signals.all(|signal| {
                if !matches!(signal, SIGTSTP | SIGCONT) {
                    ending.store(signal, Ordering::Relaxed);
                }
                out.send(PickerMessage::Signal(signal))
            });
        });
        Ok(())
    }

    /// Handles a message, unless a signal came that ends the process.
    fn handle_next(&mut self, message: PickerMessage) -> Result<LoopStep, PickerError> {
        #[cfg(unix)]
        if let signal @ 1.. = self.ending_signal.load(Ordering::Relaxed) {
            return Ok(LoopStep::Signal(signal));
        }
        self.handle_message(message)
    }

    fn run(&mut self) -> Result<LoopStep, PickerError> {
        self.request_list();
        self.context.changes.replace(());
        loop {
            self.screen
                .draw(|frame| view::draw(frame, &mut self.app, self.theme))?;
            if let Some(wanted) = self.app.request_preview() {
                self.context.turns_requests.replace(wanted);
            }
            let first = if self.app.continue_search() {
                self.messages.try_recv().ok()
            } else {
                // This thread holds a sender: the channel does not end.
                self.messages.recv().ok()
            };
            let waiting = first.into_iter().chain(self.messages.try_iter());
            self.waiting = waiting.collect();
            while let Some(message) = self.waiting.pop_front() {
                match self.handle_next(message)? {
                    LoopStep::Continue => {}
                    end => return Ok(end),
                }
            }
        }
    }

    fn request_list(&mut self) {
        let request = self
            .app
            .list
            .make_request(self.app.query.text(), self.app.this_project);
        self.context.list_requests.replace(request);
    }

    fn handle_message(&mut self, message: PickerMessage) -> Result<LoopStep, PickerError> {
        match message {
            PickerMessage::ForApp(message) => match self.app.handle_message(message) {
                Some(effect) => self.apply_effect(effect),
                None => Ok(LoopStep::Continue),
            },
            PickerMessage::JobDone { outcome, wrote } => {
                self.running_jobs -= usize::from(wrote);
                self.show_job_outcome(outcome)
            }
            #[cfg(unix)]
            PickerMessage::Signal(signal) => self.handle_signal(signal),
            PickerMessage::TerminalLost(error) => Err(error.into()),
            PickerMessage::Panicked(panic) => resume_unwind(panic),
        }
    }

    fn show_job_outcome(&mut self, outcome: JobOutcome) -> Result<LoopStep, PickerError> {
        let note = match outcome {
            JobOutcome::Note(note) => note,
            JobOutcome::Copy { text, note } => {
                self.screen.copy(&text)?;
                note
            }
        };
        self.app.note = Some(note);
        Ok(LoopStep::Continue)
    }

    #[cfg(unix)]
    fn handle_signal(&mut self, signal: i32) -> Result<LoopStep, PickerError> {
        match signal {
            signal_hook::consts::SIGTSTP => self.suspend()?,
            signal_hook::consts::SIGCONT => self.screen.resume()?,
            _ => return Ok(LoopStep::Signal(signal)),
        }
        Ok(LoopStep::Continue)
    }

    fn suspend(&mut self) -> Result<(), PickerError> {
        if self.is_shell_waiting {
            self.app.note =
                Some("a shell waits for what is chosen here; Esc goes back to it".into());
        } else {
            self.screen.suspend()?;
        }
        Ok(())
    }

    fn apply_effect(&mut self, effect: AppEffect) -> Result<LoopStep, PickerError> {
        match effect {
            AppEffect::Search => self.request_list(),
            AppEffect::Prepare => self.context.changes.replace(()),
            AppEffect::Open(session) => self.context.turns_requests.replace(TurnsRequest {
                session,
                turn: None,
            }),
            AppEffect::Handle(events) => {
                // Before the keys that came later.
                for event in events.into_iter().rev() {
                    let message = AppMessage::Input(event);
                    self.waiting.push_front(PickerMessage::ForApp(message));
                }
            }
            AppEffect::Act(action, target) => return self.run_action(action, target),
            AppEffect::Save(form) => self.run_in_background(PickerJob::Save(form), "saving…"),
            AppEffect::Suspend => self.suspend()?,
            AppEffect::Redraw => self.screen.clear()?,
            AppEffect::Quit => return Ok(LoopStep::End(None)),
        }
        Ok(LoopStep::Continue)
    }

    fn run_action(
        &mut self,
        action: PickerAction,
        target: ActionTarget,
    ) -> Result<LoopStep, PickerError> {
        let session = &target.session;
        match action {
            PickerAction::Resume => return Ok(self.end_with_choice(target, ResumeMode::Continue)),
            PickerAction::Fork => return Ok(self.end_with_choice(target, ResumeMode::Fork)),
            PickerAction::CopyCommand => match self.resume_command(session, ResumeMode::Continue) {
                Ok(command) => {
                    let copied = match command.shell_line() {
                        Ok(line) => {
                            self.screen.copy(&line)?;
                            "the command that resumes it is copied".to_owned()
                        }
                        Err(unprintable) => unprintable.to_string(),
                    };
                    self.app.note = Some(copied);
                }
                Err(error) => self.app.note = Some(self.context.describe_error(error)),
            },
            PickerAction::CopyId => {
                let id = session_display::sanitize_line(&session.uid);
                self.screen.copy(&id)?;
                self.app.note = Some(format!("{id} is copied"));
            }
            PickerAction::CopyText => {
                self.run_in_background(PickerJob::CopyText(target), "reading…")
            }
            PickerAction::Export => self.run_in_background(PickerJob::Export(target), "exporting…"),
            PickerAction::SaveMemory => match MemoryDestination::find(session) {
                Ok(destination) => {
                    let form = MemoryForm::new(target, destination);
                    self.app.overlay = Some(Overlay::Form(Box::new(form)));
                }
                Err(error) => self.app.note = Some(self.context.describe_error(error)),
            },
        }
        Ok(LoopStep::Continue)
    }

    /// Returns the command that takes a session up again, with the variables that it needs.
    fn resume_command<'s>(
        &self,
        session: &'s SessionRow,
        mode: ResumeMode,
    ) -> Result<ResumeCommand<'s>, ResumeError> {
        let command = ResumeCommand::new(session, mode)?;
        let home = self.context.engine.home();
        match home.index() {
            Ok(index) => command.with_folder_variables(session, &home.env, &index),
            Err(_) => Ok(command),
        }
    }

    /// Ends with a session that can be taken up again; of another says why it cannot.
    fn end_with_choice(&mut self, target: ActionTarget, mode: ResumeMode) -> LoopStep {
        let refused = match self.resume_command(&target.session, mode) {
            Ok(command) => self.find_obstacle(&command),
            Err(error) => Some(self.context.describe_error(error)),
        };
        if refused.is_some() {
            self.app.note = refused;
            return LoopStep::Continue;
        }
        let session = Box::new(target.session);
        LoopStep::End(Some(PickerChoice { session, mode }))
    }

    /// Returns why a command would not start here, if it would not. A shell that waits for it may know the program otherwise.
    fn find_obstacle(&self, command: &ResumeCommand<'_>) -> Option<String> {
        let env = &self.context.engine.home().env;
        let is_found = |program: &str| self.is_shell_waiting || program_exists(program, env);
        let obstacle = command.find_start_obstacle(is_found)?;
        let key = match self.app.conversation {
            Some(_) => "c",
            None => "Alt-C",
        };
        Some(format!(
            "{obstacle}; {key} copies the command that resumes it"
        ))
    }

    fn run_in_background(&mut self, job: PickerJob, note: &str) {
        self.app.note = Some(note.to_owned());
        let wrote = job.writes();
        self.running_jobs += usize::from(wrote);
        self.spawn(move |context, out| {
            let outcome = job.run_job(context);
            out.send(PickerMessage::JobDone { outcome, wrote });
        });
    }

    /// Waits for the jobs that write, which the end of the process would cut off. Returns what is to be said of them. A
    /// signal or Ctrl-C ends the wait.
    fn finish_jobs(&mut self) -> Vec<String> {
        let deadline = Instant::now() + JOB_TIMEOUT;
        let mut notes = Vec::new();
        while self.running_jobs > 0 {
            let left = deadline.saturating_duration_since(Instant::now());
            let came = self.waiting.pop_front();
            let Ok(message) = came.map_or_else(|| self.messages.recv_timeout(left), Ok) else {
                break;
            };
            match message {
                PickerMessage::JobDone {
                    outcome,
                    wrote: true,
                } => {
                    self.running_jobs -= 1;
                    if let JobOutcome::Note(note) = outcome {
                        notes.push(note);
                    }
                }
                PickerMessage::Panicked(panic) => resume_unwind(panic),
                PickerMessage::ForApp(AppMessage::Input(event)) if is_interrupt(&event) => break,
                #[cfg(unix)]
                PickerMessage::Signal(_) => break,
                PickerMessage::ForApp(_)
                | PickerMessage::JobDone { .. }
                | PickerMessage::TerminalLost(_) => {}
            }
        }
        if self.running_jobs > 0 {
            notes.push("what was being written may not be: the picker has ended before".to_owned());
        }
        notes
    }
}

/// Returns true for Ctrl-C, which is a key while the terminal is the picker's.
fn is_interrupt(event: &Event) -> bool {
    let key = event.as_key_press_event();
    key.is_some_and(|key| {
        key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL)
    })
}

/// The longest time that the end of the picker waits for a job.
const JOB_TIMEOUT: Duration = Duration::from_secs(5);

/// Interval at which input checks whether the picker has ended: what is typed after that belongs to the shell.
const INPUT_INTERVAL: Duration = Duration::from_millis(100);

fn read_input(out: &MessageSender, mut pause: TypingPause, has_ended: &AtomicBool) {
    while !has_ended.load(Ordering::Relaxed) {
        let event = match crossterm::event::poll(INPUT_INTERVAL) {
            Ok(false) => Ok(None),
            Ok(true) => crossterm::event::read().map(Some),
            Err(error) => Err(error),
        };
        match event {
            Ok(None) => pause.end_when_idle(),
            Ok(Some(event)) => {
                pause.extend();
                if !out.send_all([AppMessage::Input(event)]) {
                    return;
                }
            }
            Err(error) => {
                out.send(PickerMessage::TerminalLost(error));
                return;
            }
        }
    }
}
