//! `setup`: decisions that a user may want to make, step by step. None is needed.

use crate::Found;
use crate::args::SetupArgs;
use crate::command::dialog::{reason_of, with_terminal};
use crate::output::download::Bars;
use crate::output::{json, notes};
use anyhow::{Result, bail};
use serde::Serialize;
use session_config::Home;
use session_setup::{Dialog, StepOutcome, run_steps, undo_agents};
use std::io::Write;

const PLAN: &str = "\
setup decides five things, each of which may stay as it is:
  1. the model: in process, or an endpoint (--model NAME, --remote URL)
  2. how long Claude Code keeps its history (--keep-history DAYS)
  3. the skill for Claude Code (--skill, --no-skill)
  4. whether Claude Code loads it without asking (--allow-skill)
  5. what OpenCode and Codex get: skill or instructions, the MCP server, the hook (--agent NAME)";

/// Runs the command.
///
/// # Errors
/// When a step fails, or consent is missing where nobody can be asked.
pub fn run(args: &SetupArgs) -> Result<Found> {
    with_terminal(args.yes, |dialog| run_dialog(args, dialog))
}

fn run_dialog(args: &SetupArgs, dialog: &mut Dialog<'_>) -> Result<Found> {
    let options = args.options();
    if !dialog.is_interactive && !args.undo && options.is_open() {
        bail!(
            "nobody can be asked, and the options say nothing\n{PLAN}\nhint: give the options, and --yes to write what they say"
        );
    }
    let home = Home::from_process()?;
    if args.undo {
        let agents = undo_agents(&options.agents, &home.env, dialog).map_err(reason_of)?;
        let outcomes: Vec<StepOutcome> = agents.values().copied().collect();
        return finish(&agents, &outcomes, args);
    }
    let steps = run_steps(&options, &home, &|| Box::new(Bars::new()), dialog).map_err(reason_of)?;
    finish(&steps, &steps.all(), args)
}

/// Reports the outcomes.
fn finish(report: &impl Serialize, outcomes: &[StepOutcome], args: &SetupArgs) -> Result<Found> {
    if args.json {
        json::print(report)?;
    }
    if outcomes.contains(&StepOutcome::Wanted) {
        bail!("nothing of it is written\nhint: --yes writes it");
    }
    if !args.json && !outcomes.contains(&StepOutcome::Written) {
        let is_declined = outcomes.contains(&StepOutcome::Skipped);
        let text = match args.undo && !is_declined {
            true => "nothing is installed",
            false => "nothing is changed",
        };
        writeln!(notes::stderr(), "{text}")?;
    }
    Ok(Found::Something)
}
