//! `index`: bring the index up to date now.

use crate::Found;
use crate::args::IndexArgs;
use crate::command::fresh::{self, PATIENCE};
use crate::home::Home;
use crate::output::human::plural;
use crate::output::json;
use anyhow::{Result, bail};
use session_indexer::{Mode, Outcome};
use std::io::Write;
use std::time::{Duration, Instant};

/// Runs the command.
///
/// # Errors
/// When the index or the model fails, or another process does not end.
pub fn run(args: &IndexArgs) -> Result<Found> {
    let home = Home::from_process()?;
    let embedder = session_embed::bundled()?;
    let mode = if args.full { Mode::Full } else { Mode::Changes };
    let began = Instant::now();
    let mut waiting = false;
    let outcome = loop {
        let outcome = fresh::run(&home, embedder.as_ref(), mode, None)?;
        if !outcome.locked {
            break outcome;
        }
        if began.elapsed() > PATIENCE {
            bail!(
                "another process has been updating the index for a minute\nhint: wait for it to end"
            );
        }
        if !waiting {
            writeln!(
                anstream::stderr(),
                "waiting for another process to finish its update"
            )?;
            waiting = true;
        }
        std::thread::sleep(Duration::from_millis(200));
    };
    if args.json {
        json::print(&outcome)?;
    } else {
        writeln!(anstream::stderr(), "{}", summary(&outcome, began.elapsed()))?;
    }
    Ok(Found::Something)
}

fn summary(outcome: &Outcome, took: Duration) -> String {
    let mut out = if outcome.files_read + outcome.embedded == 0 {
        "nothing new".to_owned()
    } else {
        let files = plural(outcome.files_read, "changed file");
        let turns = plural(outcome.turns, "turn");
        format!(
            "read {turns} from {files}, embedded {}",
            plural(outcome.embedded, "text")
        )
    };
    if outcome.files_gone > 0 {
        out.push_str(&format!(
            ", marked {} as gone",
            plural(outcome.files_gone, "file")
        ));
    }
    format!("{out} ({:.1} s)", took.as_secs_f64())
}
