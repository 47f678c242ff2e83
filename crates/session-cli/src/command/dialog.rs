//! Questions to the user at a terminal.

use crate::output::notes;
use anyhow::Result;
use std::io::{BufRead, IsTerminal, Write};

/// A dialog with the user, if somebody sits at a terminal.
pub struct Dialog<'a> {
    pub input: &'a mut dyn BufRead,
    pub output: &'a mut dyn Write,
    /// Somebody is there to answer.
    pub is_interactive: bool,
    /// Consent was given beforehand, by `--yes`.
    pub assume_yes: bool,
}

/// Runs a function with a dialog on stdin and stderr.
///
/// # Errors
/// Those of the function.
pub fn with_terminal<T>(
    assume_yes: bool,
    function: impl FnOnce(&mut Dialog<'_>) -> Result<T>,
) -> Result<T> {
    let is_terminal = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    let is_interactive = is_terminal && !assume_yes;
    let mut output: Box<dyn Write> = match is_interactive {
        true => Box::new(anstream::stderr()),
        false => notes::stderr(),
    };
    function(&mut Dialog {
        input: &mut std::io::stdin().lock(),
        output: &mut output,
        is_interactive,
        assume_yes,
    })
}

impl Dialog<'_> {
    /// Prints a line.
    pub fn print(&mut self, text: &str) -> Result<()> {
        Ok(writeln!(self.output, "{text}")?)
    }

    /// Asks for a line; `None` for an empty one, or where nobody answers.
    pub fn ask(&mut self, question: &str) -> Result<Option<String>> {
        if !self.is_interactive {
            return Ok(None);
        }
        write!(self.output, "{question} ")?;
        self.output.flush()?;
        let mut line = String::new();
        if self.input.read_line(&mut line)? == 0 {
            self.is_interactive = false; // end of input: no more questions
            writeln!(self.output)?;
        }
        let line = line.trim();
        Ok((!line.is_empty()).then(|| line.to_owned()))
    }

    /// Asks for consent; anything but `y` or `yes` is a refusal.
    pub fn confirm(&mut self, question: &str) -> Result<bool> {
        if self.assume_yes {
            return Ok(true);
        }
        let answer = self.ask(&format!("{question} [y/N]"))?;
        Ok(answer.is_some_and(|a| ["y", "yes"].contains(&a.to_lowercase().as_str())))
    }
}
