//! `completions`, `shell-init` and `man`: what is installed beside the program.

use crate::CommandOutcome;
use crate::args::{Arguments, CompletionsArgs, InitShell, ManArgs, ShellInitArgs};
use crate::output;
use crate::output_path;
use anyhow::{Context, Result};
use clap::{Arg, Command, CommandFactory, ValueHint};
use clap_complete::Shell;
use clap_mangen::Man;
use session_core::text::path_line;
use session_files::{Dir, Durability};
use std::path::Path;

/// Prints the completions of a shell.
pub fn run_completions(args: &CompletionsArgs) -> Result<CommandOutcome> {
    // clap adds the arguments of commands when it builds them.
    let mut command = Arguments::command();
    command.build();
    let mut command = add_value_hints(command);
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, &name, &mut script);
    let script = match args.shell {
        Shell::Bash => fix_bash_completions(&String::from_utf8_lossy(&script), &name).into_bytes(),
        _ => script,
    };
    output::print_bytes(&script)?;
    Ok(CommandOutcome::Found)
}

/// Sets the value hints of all commands: which values are files.
fn add_value_hints(command: Command) -> Command {
    command
        .mut_args(add_value_hint)
        .mut_subcommands(add_value_hints)
}

/// Offers files for no argument that takes none. Bash breaks names at spaces, unless it is told that they are of files.
fn add_value_hint(arg: Arg) -> Arg {
    match arg.get_value_hint() {
        ValueHint::AnyPath => arg.value_hint(ValueHint::FilePath),
        ValueHint::Unknown if arg.get_action().takes_values() => arg.value_hint(ValueHint::Other),
        _ => arg,
    }
}

/// Repairs clap_complete's script for bash in two places.
///
/// The cases get the labels that its loop sets: it takes a hyphen of the program's name for that of a command in the one,
/// and not in the other. A value behind `=` gets its option: `=` is a word of its own to bash.
fn fix_bash_completions(script: &str, name: &str) -> String {
    let in_labels = name.replace('-', "__subcmd__");
    let in_loop = name.replace('-', "__");
    let script = script.replace(
        &format!("{in_labels}__subcmd__"),
        &format!("{in_loop}__subcmd__"),
    );
    let previous = "    prev=\"$3\"\n";
    let option = "    [[ \"${prev}\" == \"=\" ]] && prev=\"${COMP_WORDS[COMP_CWORD - 2]}\"\n";
    script.replacen(previous, &format!("{previous}{option}"), 1)
}

/// Prints the commands that bind the picker to a key of a shell.
pub fn run_shell_init(args: &ShellInitArgs) -> Result<CommandOutcome> {
    let script = match args.shell {
        InitShell::Bash => include_str!("../../shell/init.bash"),
        InitShell::Zsh => include_str!("../../shell/init.zsh"),
        InitShell::Fish => include_str!("../../shell/init.fish"),
    };
    output::print_bytes(script.as_bytes())?;
    Ok(CommandOutcome::Found)
}

/// Prints the man page, or writes those of all commands.
pub fn run_man(args: &ManArgs) -> Result<CommandOutcome> {
    let command = Arguments::command();
    match &args.output {
        None => {
            let mut page = Vec::new();
            Man::new(command).render(&mut page)?;
            output::print_bytes(&page)?;
        }
        Some(folder) => {
            output_path::require_parent(folder)?;
            let to = output_path::create_directory(folder)?;
            let pages = tempfile::tempdir()?;
            clap_mangen::generate_to(command, pages.path())
                .with_context(|| format!("no page could be written to {}", path_line(folder)))?;
            let from = Dir::open(pages.path())?;
            for name in from.names(Path::new(""), usize::MAX)? {
                let page = from
                    .read(Path::new(&name), u64::MAX - 1)?
                    .unwrap_or_default();
                to.write(Path::new(&name), &page, Durability::Durable)?;
            }
        }
    }
    Ok(CommandOutcome::Found)
}
