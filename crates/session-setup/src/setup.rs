//! The order of the steps.

use crate::dialog::ConsentDialog;
use crate::error::Result;
use crate::options::SetupOptions;
use crate::outcome::{AgentFailures, StepOutcome, StepOutcomes};
use crate::setup_record::SetupRecord;
use session_config::Home;
use session_models::FileProgress;

/// A function that makes the progress display of files that are fetched.
pub type NewProgress<'a> = &'a dyn Fn() -> Box<dyn FileProgress>;

/// The state that all steps need; each is a method, in a module of its own.
pub(crate) struct Setup<'a, 'd> {
    pub(crate) options: &'a SetupOptions,
    pub(crate) home: &'a Home,
    pub(crate) progress: NewProgress<'a>,
    pub(crate) dialog: &'a mut ConsentDialog<'d>,
}

/// Goes through all steps, that of the model first.
///
/// # Errors
/// When a step fails otherwise than by a file of an agent; what was written before it stays. Settings of Claude Code
/// that do not fit what options ask for, and a damaged record of an earlier setup, are refused before anything is written.
pub fn run_steps(
    options: &SetupOptions,
    home: &Home,
    progress: NewProgress<'_>,
    dialog: &mut ConsentDialog<'_>,
) -> Result<StepOutcomes> {
    let mut setup = Setup {
        options,
        home,
        progress,
        dialog,
    };
    SetupRecord::open(&home.directories().data)?;
    setup.check_settings()?;
    let mut failures = AgentFailures::default();
    let model = setup.run_model_step()?;
    let history = failures.take_from(setup.run_history_step())?;
    let skill = failures.take_from(setup.run_skill_step())?;
    let outcomes = StepOutcomes {
        model,
        history,
        skill,
        permission: failures.take_from(setup.run_permission_step(skill))?,
        agents: setup.run_agents_step(&mut failures)?,
        failures,
    };
    if outcomes
        .list_agent_outcomes()
        .contains(&StepOutcome::Written)
    {
        dialog.print("\nAgents use it in every session that begins from now on.")?;
    }
    Ok(outcomes)
}
