//! Redacts stdin line by line: `cargo run --release -p session-redact --example redact < notes.txt`.

use session_redact::{RedactionSettings, Redactor};
use std::io::{BufRead, Write};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let redactor = Redactor::new(&RedactionSettings::default())?;
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        writeln!(out, "{}", redactor.redact(&line?))?;
    }
    Ok(())
}
