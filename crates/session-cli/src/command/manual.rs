//! `completions`, `shell-init` and `man`: what is installed beside the program.

use crate::Found;
use crate::args::{Arguments, CompletionsArgs, InitShell, ManArgs, ShellInitArgs};
use crate::output_path;
use anyhow::{Context, Result};
use clap::CommandFactory;
use clap_complete::Shell;
use clap_mangen::Man;
use session_files::{Dir, Durability, path_line};
use std::io::Write;
use std::path::Path;

/// Prints the completions of a shell.
///
/// # Errors
/// When stdout cannot be written.
pub fn completions(args: &CompletionsArgs) -> Result<Found> {
    let mut command = Arguments::command();
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, &name, &mut script);
    let script = match args.shell {
        Shell::Bash => mend_bash(&String::from_utf8_lossy(&script), &name).into_bytes(),
        _ => script,
    };
    std::io::stdout().write_all(&script)?;
    Ok(Found::Something)
}

/// Gives the cases of clap_complete's script the labels that its loop sets: it takes a hyphen of the program's name for
/// that of a command in the one, and not in the other.
fn mend_bash(script: &str, name: &str) -> String {
    let in_labels = name.replace('-', "__subcmd__");
    let in_loop = name.replace('-', "__");
    script.replace(
        &format!("{in_labels}__subcmd__"),
        &format!("{in_loop}__subcmd__"),
    )
}

/// Prints the commands that bind the picker to a key of a shell.
///
/// # Errors
/// When stdout cannot be written.
pub fn shell_init(args: &ShellInitArgs) -> Result<Found> {
    let script = match args.shell {
        InitShell::Bash => include_str!("../../shell/init.bash"),
        InitShell::Zsh => include_str!("../../shell/init.zsh"),
        InitShell::Fish => include_str!("../../shell/init.fish"),
    };
    std::io::stdout().write_all(script.as_bytes())?;
    Ok(Found::Something)
}

/// Prints the man page, or writes those of all commands.
///
/// # Errors
/// When stdout or the folder cannot be written.
pub fn man(args: &ManArgs) -> Result<Found> {
    let command = Arguments::command();
    match &args.to {
        None => {
            let mut page = Vec::new();
            Man::new(command).render(&mut page)?;
            std::io::stdout().write_all(&page)?;
        }
        Some(folder) => {
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
    Ok(Found::Something)
}
