//! Questions and answers.

use crate::output::notes;
use anyhow::Result;
use std::io::{BufRead, IsTerminal, Write};

/// Whoever is asked.
pub struct Prompt<'a> {
    pub input: &'a mut dyn BufRead,
    pub output: &'a mut dyn Write,
    /// Somebody is there to answer.
    pub asks: bool,
    /// Consent was given beforehand.
    pub yes: bool,
}

/// Works with whoever sits at the terminal, if anybody does; `yes` is consent given beforehand.
///
/// # Errors
/// Those of the work.
pub fn at_terminal<T>(yes: bool, work: impl FnOnce(&mut Prompt<'_>) -> Result<T>) -> Result<T> {
    let is_terminal = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    let asks = is_terminal && !yes;
    let mut output: Box<dyn Write> = match asks {
        true => Box::new(anstream::stderr()),
        false => notes::stderr(),
    };
    work(&mut Prompt {
        input: &mut std::io::stdin().lock(),
        output: &mut output,
        asks,
        yes,
    })
}

impl Prompt<'_> {
    /// Says a line.
    pub fn say(&mut self, text: &str) -> Result<()> {
        Ok(writeln!(self.output, "{text}")?)
    }

    /// Asks for a line; none for an empty one, or where nobody answers.
    pub fn ask(&mut self, question: &str) -> Result<Option<String>> {
        if !self.asks {
            return Ok(None);
        }
        write!(self.output, "{question} ")?;
        self.output.flush()?;
        let mut line = String::new();
        if self.input.read_line(&mut line)? == 0 {
            self.asks = false; // end of input: no more questions
            writeln!(self.output)?;
        }
        let line = line.trim();
        Ok((!line.is_empty()).then(|| line.to_owned()))
    }

    /// Asks whether to do something. Only a clear yes is one.
    pub fn consents(&mut self, question: &str) -> Result<bool> {
        if self.yes {
            return Ok(true);
        }
        let answer = self.ask(&format!("{question} [y/N]"))?;
        Ok(answer.is_some_and(|a| ["y", "yes"].contains(&a.to_lowercase().as_str())))
    }

    /// What a change without consent is: left, or waiting for `--yes`.
    pub fn without_consent(&self) -> super::Outcome {
        match self.asks {
            true => super::Outcome::Skipped,
            false => super::Outcome::Wanted,
        }
    }
}
