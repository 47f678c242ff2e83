//! `eval`: how well search answers questions with known answers.

use crate::CommandOutcome;
use crate::args::{EvalArgs, EvalLevel};
use crate::output;
use crate::output::json;
use crate::output::notes::{print_note, print_notes};
use crate::output::progress::IndexProgressBar;
use crate::output_path;
use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use session_config::Home;
use session_eval::{EvalError, EvalOptions, EvalReport, LabelledSet, TuningConstant};
use session_output::{format_partly_embedded, format_report, format_set_notes};
use session_query::{EvalIndex, EvalSource};
use session_search::{FusionMode, Level};

/// Runs the command.
pub fn run(args: &EvalArgs) -> Result<CommandOutcome> {
    let mut set = LabelledSet::open(&output_path::open_directory(&args.set)?)?;
    for folder in args.runs.iter().chain(&args.index) {
        output_path::refuse_links(folder, &output_path::create_directory(folder)?)?;
    }
    if let Some(folder) = &args.index {
        session_eval::claim_index(&output_path::create_directory(folder)?)?;
    }
    let history = set.history_directory();
    let source = EvalSource {
        history: history.as_deref(),
        index: args.index.as_deref(),
        model: args.model.as_deref(),
    };
    let eval_index = EvalIndex::new(Home::from_process()?, source)?;
    let index = eval_index.refresh(&IndexProgressBar::boxed)?;
    let unknown = set.complete_targets(&index.sessions()?);
    print_notes(format_set_notes(&set, &unknown))?;
    let unembedded = eval_index.find_unembedded(&index)?;
    print_notes(unembedded.as_ref().map(format_partly_embedded))?;
    let mut reports = Vec::new();
    for level in choose_levels(args, &set) {
        let embed = |query: &str| {
            let embedded = eval_index.embed(&index, query);
            embedded.map_err(|error| EvalError::Embed(error.into()))
        };
        let bar = make_bar(set.questions.len());
        let progress = |done: usize| bar.set_position(done as u64);
        let ask = EvalOptions {
            level,
            fusion: args.alpha.map_or(FusionMode::Adaptive, FusionMode::Fixed),
            tuning: TuningConstant::apply_all(&args.tune),
            pooled: args.pooled,
            embed: &embed,
            progress: &progress,
        };
        if !set.has_labels(level) {
            let level = level.name();
            print_note(format!("no question has a label at {level} level"))?;
        }
        let rankings = session_eval::evaluate(&set, &index, &ask)?;
        bar.finish_and_clear();
        if let Some(folder) = &args.runs {
            let path = folder.join(format!("{}.tsv", level.name()));
            output_path::write(&path, session_eval::format_run(&rankings).as_bytes())?;
        }
        reports.push(session_eval::score_rankings(&set, level, &rankings));
    }
    print_reports(args, &reports)
}

fn choose_levels(args: &EvalArgs, set: &LabelledSet) -> Vec<Level> {
    match args.level {
        EvalLevel::Both => set.labelled_levels(),
        EvalLevel::Session => vec![Level::Session],
        EvalLevel::Turn => vec![Level::Turn],
    }
}

fn make_bar(total: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("asking  {bar:24} {pos}/{len}  {eta} left");
    let bar = ProgressBar::new(total as u64);
    style.map(|s| bar.clone().with_style(s)).unwrap_or(bar)
}

fn print_reports(args: &EvalArgs, reports: &[EvalReport]) -> Result<CommandOutcome> {
    if args.json {
        json::print(&serde_json::json!({ "levels": reports }))?;
    } else {
        for report in reports {
            output::print(format_report(report))?;
        }
    }
    let asked: usize = reports.iter().map(|r| r.all.questions).sum();
    Ok(CommandOutcome::from_found(asked > 0))
}
