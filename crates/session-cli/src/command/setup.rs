//! `setup`: decisions that a user may want to make, step by step. None is needed.

use crate::CommandOutcome;
use crate::args::SetupArgs;
use crate::error::report_error;
use crate::output::download::DownloadBars;
use crate::output::{json, notes};
use crate::shared::dialog::{unwrap_setup_error, with_terminal};
use anyhow::{Error, Result, bail};
use serde::Serialize;
use session_config::Home;
use session_setup::{AgentFailures, ConsentDialog, StepOutcome, run_steps, undo_setup};

const PLAN: &str = "\
setup decides five things, each of which may stay as it is:
  1. the model: in process, or an endpoint (--model NAME, --remote URL)
  2. how long Claude Code keeps its history (--keep-history DAYS)
  3. the skill for Claude Code (--skill, --no-skill)
  4. whether Claude Code loads it without asking (--allow-skill)
  5. what OpenCode and Codex get: skill or instructions, the MCP server, the
     hook (--agent NAME)";

/// Runs the command.
pub fn run(args: &SetupArgs) -> Result<CommandOutcome> {
    with_terminal(args.yes, |dialog| run_dialog(args, dialog))
}

fn run_dialog(args: &SetupArgs, dialog: &mut ConsentDialog<'_>) -> Result<CommandOutcome> {
    let options = args.to_options();
    if !dialog.is_interactive && !args.undo && options.is_open() {
        bail!(
            "there is no terminal to ask on, and no option says what to set up\n{PLAN}\nhint: give the options, and --yes to write what they say"
        );
    }
    let home = Home::from_process()?;
    if args.undo {
        let undone = undo_setup(&options.agents, &home, dialog);
        let undone = undone.map_err(unwrap_setup_error)?;
        print_outcomes(&undone, &undone.list_outcomes(), args)?;
        return report_failures(undone.failures);
    }
    let steps = run_steps(&options, &home, &|| Box::new(DownloadBars::new()), dialog)
        .map_err(unwrap_setup_error)?;
    print_outcomes(&steps, &steps.list_outcomes(), args)?;
    report_failures(steps.failures)
}

/// Fails with the last of the failures, after the others were printed.
fn report_failures(failures: AgentFailures) -> Result<CommandOutcome> {
    let mut last: Option<Error> = None;
    for failure in failures {
        if let Some(before) = last.replace(failure.into()) {
            report_error(&before);
        }
    }
    last.map_or(Ok(CommandOutcome::Found), Err)
}

/// Reports the outcomes.
fn print_outcomes(
    report: &impl Serialize,
    outcomes: &[StepOutcome],
    args: &SetupArgs,
) -> Result<()> {
    if args.json {
        json::print(report)?;
    }
    if outcomes.contains(&StepOutcome::Wanted) {
        bail!("no setting is written\nhint: --yes writes it");
    }
    let is_told = outcomes
        .iter()
        .any(|outcome| matches!(outcome, StepOutcome::Written | StepOutcome::Failed));
    if !args.json && !is_told {
        let is_declined = outcomes.contains(&StepOutcome::Skipped);
        let text = if args.undo && !is_declined {
            "nothing is installed"
        } else {
            "nothing is changed"
        };
        notes::print_line(text)?;
    }
    Ok(())
}
