//! The command `session-search`: arguments, output and exit codes. What it
//! does lies in the libraries.

mod args;
mod command;
mod environment;
mod error;
mod memories;
mod output;
mod output_path;
mod shared;
mod usage;

use args::{BrowseArgs, Command, McpArgs};
use session_config::remove_process_variables;
use session_store::disable_memory_count;
use std::process::ExitCode;

/// The result of a command that did not fail. Its exit code is grep's: 0 for something, 1 for nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CommandOutcome {
    Found,
    NotFound,
    /// The command examined something, and it has a problem.
    Unwell,
}

impl CommandOutcome {
    fn from_found(found: bool) -> Self {
        if found { Self::Found } else { Self::NotFound }
    }

    fn from_health(is_well: bool) -> Self {
        if is_well { Self::Found } else { Self::Unwell }
    }

    /// Returns the exit code. `--quiet` makes nothing found a success, but not a problem.
    fn exit_code(self, is_quiet: bool) -> ExitCode {
        match self {
            Self::NotFound if !is_quiet => ExitCode::from(1),
            Self::Found | Self::NotFound => ExitCode::SUCCESS,
            Self::Unwell => ExitCode::from(1),
        }
    }
}

/// Lets a write beyond the limit of file sizes (`ulimit -f`) fail instead of ending the process.
#[cfg(unix)]
fn catch_file_size_signal() {
    let signal = signal_hook::consts::SIGXFSZ;
    // Without it the process ends, as before.
    let _ = signal_hook::flag::register(signal, std::sync::Arc::default());
}

fn main() -> ExitCode {
    #[cfg(unix)]
    catch_file_size_signal();
    // SAFETY: no thread was started yet.
    let removed = unsafe {
        disable_memory_count();
        remove_process_variables()
    };
    environment::remember_removed(removed);
    let typed = args::normalize_arguments(std::env::args_os());
    let arguments = match args::parse_arguments(&typed) {
        Ok(arguments) => arguments,
        Err(error) => return usage::report_usage_error(error, &typed),
    };
    let dashed_word = args::describe_dashed_word(&arguments, &typed);
    let command = match arguments.command {
        Some(command) => command,
        None if command::browse::is_possible() => Command::Browse(BrowseArgs::default()),
        None => return error::report_error(&command::browse::make_missing_command_error()),
    };
    if arguments.quiet {
        output::notes::silence_notes();
    }
    // A server answers further calls.
    if !matches!(&command, Command::Mcp(_)) {
        error::report_thread_shortage();
    }
    // A hook's stderr is not the user's to read.
    if !matches!(&command, Command::Hook(_) | Command::Inject(_)) {
        environment::note_refused();
    }
    if is_about_models(&command) {
        environment::note_removed_authorities();
    }
    if let Some(note) = dashed_word {
        // What cannot be told changes no answer.
        let _ = output::notes::print_note(note);
    }
    match run(&command) {
        Ok(outcome) => outcome.exit_code(arguments.quiet),
        Err(error) => error::report_error(&error),
    }
}

/// Returns true for a command that pulls models, lets an endpoint embed what is new, or tells how that went. A search is none: each
/// one would repeat the note of a variable that a shell sets for other programs.
fn is_about_models(command: &Command) -> bool {
    use Command::{Doctor, Index, Model, Setup, Status};
    matches!(
        command,
        Model(_) | Setup(_) | Index(_) | Status(_) | Doctor(_)
    )
}

/// Runs a command.
fn run(command: &Command) -> anyhow::Result<CommandOutcome> {
    match command {
        Command::Search(search) => command::search::run(search),
        Command::Browse(browse) => command::browse::run(browse),
        Command::Show(show) => command::show::run(show),
        Command::Export(export) => command::export::run(export),
        Command::Resume(resume) => command::resume::run(resume),
        Command::Files(files) => command::turn_listing::run_files(files),
        Command::Fix(fix) => command::fix::run(fix),
        Command::Commands(commands) => command::turn_listing::run_commands(commands),
        Command::Digest(digest) => command::digest::run(digest),
        Command::Stats(stats) => command::stats::run(stats),
        Command::Memory(memory) => command::memory::run(memory),
        Command::Doctor(doctor) => command::doctor::run(doctor),
        Command::Forget(forget) => command::forget::run(forget),
        Command::Trust(trust) => command::trust::run(trust),
        Command::Inject(inject) => command::inject::run(inject),
        Command::Hook(hook) => command::hook::run(hook),
        Command::Config(config) => command::config::run(config),
        Command::Index(index) => command::index::run(index),
        Command::Status(status) => command::status::run(status),
        Command::Model(model) => command::model::run(model),
        Command::Setup(setup) => command::setup::run(setup),
        Command::Skill(skill) => command::skill::run(skill),
        Command::Mcp(McpArgs {}) => command::mcp::run(),
        Command::Demo(demo) => command::demo::run(demo),
        Command::Eval(eval) => command::eval::run(eval),
        Command::Completions(completions) => command::manual::run_completions(completions),
        Command::ShellInit(init) => command::manual::run_shell_init(init),
        Command::Man(man) => command::manual::run_man(man),
    }
}
