//! Questions to the user at a terminal.

use crate::output::{notes, terminal_width};
use anyhow::{Error, Result};
use session_setup::{ConsentDialog, SetupError};
use std::io::{IsTerminal, Write};

/// Runs a function with a dialog on stdin and stderr.
pub fn with_terminal<T>(
    assume_yes: bool,
    function: impl FnOnce(&mut ConsentDialog<'_>) -> Result<T>,
) -> Result<T> {
    let is_interactive = has_terminal() && !assume_yes;
    let mut output: Box<dyn Write> = if is_interactive {
        Box::new(anstream::stderr())
    } else {
        notes::open_stderr()
    };
    function(&mut ConsentDialog {
        input: &mut std::io::stdin().lock(),
        output: &mut output,
        is_interactive,
        assume_yes,
        columns: std::io::stderr().is_terminal().then(terminal_width),
    })
}

/// Returns true if a user can read questions and answer them.
pub fn has_terminal() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Returns the error that another wraps: it is the one with a hint.
pub fn unwrap_setup_error(error: SetupError) -> Error {
    match error {
        SetupError::Dialog(error) => error.into(),
        SetupError::Agent(error) => error.into(),
        SetupError::Model(error) => error.into(),
        SetupError::Query(error) => error.into(),
        SetupError::Config(error) => error.into(),
        SetupError::Record(error) => error.into(),
        SetupError::DamagedRecord { .. } => anyhow::anyhow!(
            "{error}\nhint: move it away; `session-search setup --undo` then leaves the model and `cleanupPeriodDays` as they are"
        ),
        SetupError::NoEndpoint { .. } => {
            anyhow::anyhow!("{error}\nhint: as --remote http://localhost:8080/v1 --model NAME")
        }
        SetupError::NoSkill => anyhow::anyhow!("{error}\nhint: --skill installs it"),
        other => other.into(),
    }
}
