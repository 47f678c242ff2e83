//! The command `session-search`: arguments, output and exit codes. What it
//! does lies in the libraries.

mod args;
mod command;
mod environment;
mod error;
mod memories;
mod output;
mod output_path;
mod usage;

use args::{Arguments, BrowseArgs, Command, McpArgs};
use clap::Parser;
use session_config::remove_process_variables;
use std::process::ExitCode;

/// Whether a command found something: its exit code, as grep's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    Something,
    Nothing,
}

fn main() -> ExitCode {
    // SAFETY: no thread was started yet.
    let removed = unsafe { remove_process_variables() };
    environment::remember_removed(removed);
    let typed = args::spelled(std::env::args_os());
    let arguments = match Arguments::try_parse_from(&typed) {
        Ok(arguments) => arguments,
        Err(error) => return usage::report(error, &typed),
    };
    let command = match arguments.command {
        Some(command) => command,
        None if command::browse::is_possible() => Command::Browse(BrowseArgs::default()),
        None => return error::report(&command::browse::no_command()),
    };
    if arguments.quiet {
        output::notes::silence();
    }
    // A hook's stderr is not the user's to read.
    if !matches!(&command, Command::Hook(_) | Command::Inject(_)) {
        environment::note_refused();
    }
    match run(&command) {
        Ok(Found::Nothing) if !arguments.quiet => ExitCode::from(1),
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => error::report(&error),
    }
}

/// Runs a command.
///
/// # Errors
/// Those of the command.
fn run(command: &Command) -> anyhow::Result<Found> {
    match command {
        Command::Search(search) => command::search::run(search),
        Command::Browse(browse) => command::browse::run(browse),
        Command::Show(show) => command::show::run(show),
        Command::Export(export) => command::export::run(export),
        Command::Resume(resume) => command::resume::run(resume),
        Command::Files(files) => command::found::files(files),
        Command::Fix(fix) => command::fix::run(fix),
        Command::Commands(commands) => command::found::commands(commands),
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
        Command::Completions(completions) => command::manual::completions(completions),
        Command::ShellInit(init) => command::manual::shell_init(init),
        Command::Man(man) => command::manual::man(man),
    }
}
