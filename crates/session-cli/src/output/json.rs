//! JSON on stdout. `docs/cli.md` is the schema; fields are only ever added.

use crate::output::unbreakable_pipe::UnbreakablePipe;
use anyhow::Result;
use serde::Serialize;
use session_core::safe_json;
use std::io::Write;

/// Prints a value as one JSON document, its strings made printable.
pub fn print(value: &impl Serialize) -> Result<()> {
    print_text(&safe_json::format_pretty(value)?)
}

/// Prints a value as one JSON document that keeps its strings to the byte.
pub fn print_lossless(value: &impl Serialize) -> Result<()> {
    print_text(&safe_json::format_lossless(value)?)
}

/// Prints a JSON document that is text already. A reader that went away decides no exit code.
pub fn print_text(json: &str) -> Result<()> {
    Ok(writeln!(
        UnbreakablePipe(std::io::stdout().lock()),
        "{json}"
    )?)
}
