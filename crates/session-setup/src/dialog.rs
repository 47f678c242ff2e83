//! Questions to the user at a terminal.

use std::io::{BufRead, Result, Write};

/// A dialog with the user, if somebody sits at a terminal.
pub struct SetupDialog<'a> {
    /// The stream that answers are read from.
    pub input: &'a mut dyn BufRead,
    /// The stream that questions and text are written to.
    pub output: &'a mut dyn Write,
    /// Somebody is there to answer.
    pub is_interactive: bool,
    /// Consent was given beforehand, by `--yes`.
    pub assume_yes: bool,
}

impl SetupDialog<'_> {
    /// Prints a line.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn print(&mut self, text: &str) -> Result<()> {
        writeln!(self.output, "{text}")
    }

    /// Asks for a line; `None` for an empty one, or where nobody answers.
    ///
    /// # Errors
    /// When the question cannot be written, or the answer be read.
    pub(crate) fn ask(&mut self, question: &str) -> Result<Option<String>> {
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
    ///
    /// # Errors
    /// When a stream fails.
    pub fn confirm(&mut self, question: &str) -> Result<bool> {
        if self.assume_yes {
            return Ok(true);
        }
        let answer = self.ask(&format!("{question} [y/N]"))?;
        Ok(answer.is_some_and(|a| ["y", "yes"].contains(&a.to_lowercase().as_str())))
    }
}
