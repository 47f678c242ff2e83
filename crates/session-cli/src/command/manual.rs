//! `completions` and `man`: what the parser knows of itself.

use crate::Found;
use crate::args::{Arguments, CompletionsArgs, ManArgs};
use anyhow::{Context, Result};
use clap::CommandFactory;
use clap_mangen::Man;
use std::io::Write;

/// Prints the completions of a shell.
///
/// # Errors
/// When stdout cannot be written.
pub fn completions(args: &CompletionsArgs) -> Result<Found> {
    let mut command = Arguments::command();
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, name, &mut script);
    std::io::stdout().write_all(&script)?;
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
            fs_err::create_dir_all(folder)?;
            clap_mangen::generate_to(command, folder)
                .with_context(|| format!("no page could be written to {}", folder.display()))?;
        }
    }
    Ok(Found::Something)
}
