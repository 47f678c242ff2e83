//! Questions to the user at a terminal.

use session_display::wrap_note;
use std::io::{BufRead, Result, Write};

/// A dialog with the user, if somebody sits at a terminal.
pub struct ConsentDialog<'a> {
    /// The stream that answers are read from.
    pub input: &'a mut dyn BufRead,
    /// The stream that questions and text are written to.
    pub output: &'a mut dyn Write,
    /// Somebody is there to answer.
    pub is_interactive: bool,
    /// Consent was given beforehand, by `--yes`.
    pub assume_yes: bool,
    /// Columns of the terminal that prose is wrapped to; `None` if it is written to a file or a pipe.
    pub columns: Option<usize>,
}

impl ConsentDialog<'_> {
    /// Prints lines of prose, wrapped to the columns of the terminal.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub(crate) fn print(&mut self, text: &str) -> Result<()> {
        let text = self.wrap(text);
        self.print_verbatim(&text)
    }

    /// Prints lines as they are: a diff, or a command to be copied.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn print_verbatim(&mut self, text: &str) -> Result<()> {
        writeln!(self.output, "{text}")
    }

    /// Wraps each line that is wider than the terminal.
    fn wrap(&self, text: &str) -> String {
        let wrap_line = |line: &str| match self.columns.map(|columns| wrap_note(line, columns)) {
            Some(wrapped) if wrapped.contains('\n') => wrapped,
            _ => line.to_owned(),
        };
        let lines: Vec<String> = text.split('\n').map(wrap_line).collect();
        lines.join("\n")
    }

    /// Asks for a line; `None` for an empty one, or where nobody answers.
    ///
    /// # Errors
    /// When the question cannot be written, or the answer be read.
    pub(crate) fn ask(&mut self, question: &str) -> Result<Option<String>> {
        if !self.is_interactive {
            return Ok(None);
        }
        let question = self.wrap(question);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_wrapped_and_what_is_to_be_copied_is_whole() {
        let mut output = Vec::new();
        let mut dialog = ConsentDialog {
            input: &mut &b"y\n"[..],
            output: &mut output,
            is_interactive: true,
            assume_yes: false,
            columns: Some(30),
        };
        let hint = "there is no model\nhint: `session-search model list` names them all";
        dialog.print(hint).unwrap();
        dialog
            .print_verbatim("  claude mcp add session-search -- session-search mcp")
            .unwrap();
        dialog
            .confirm("Pull it from the model hub, and use it?")
            .unwrap();
        dialog.columns = None;
        dialog
            .print("what goes to a file stays on one line")
            .unwrap();
        let expected = "there is no model
hint:
    `session-search model list`
    names them all
  claude mcp add session-search -- session-search mcp
Pull it from the model hub,
    and use it? [y/N] what goes to a file stays on one line
";
        assert_eq!(String::from_utf8(output).unwrap(), expected);
    }
}
