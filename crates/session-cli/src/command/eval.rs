//! `eval`: how well search answers questions with known answers.

use crate::Found;
use crate::args::{Constant, EvalArgs, EvalLevel};
use crate::command::refresh;
use crate::output::{json, notes};
use crate::output_path;
use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use session_config::Home;
use session_display::safe_line;
use session_embed::Embedder;
use session_eval::{EvalError, EvalOptions, LabelledSet, Report};
use session_indexer::{Mode, ReadPolicy};
use session_output::{format_report, level_name};
use session_query::{TABLE, embed_query};
use session_search::{FusionMode, Level, Tuning};
use session_sources::Env;
use session_store::Reader;
use std::io::Write;
use std::sync::Arc;
use tempfile::TempDir;

/// Runs the command.
///
/// # Errors
/// When the set cannot be read, or the index fails.
pub fn run(args: &EvalArgs) -> Result<Found> {
    let mut set = LabelledSet::open(&output_path::open_directory(&args.set)?)?;
    for folder in args.runs.iter().chain(&args.index) {
        output_path::refuse_links(folder, &output_path::create_directory(folder)?)?;
    }
    if let Some(folder) = &args.index {
        session_eval::claim_index(&output_path::create_directory(folder)?)?;
    }
    let (home, _scratch) = home(args, &set)?;
    let tuning = tuning(&args.tune);
    let embedders = embedders(args.model.as_deref())?;
    let policy = ReadPolicy {
        redactor: home.config.redactor(),
        exclusions: home.exclusions()?,
    };
    for embedder in &embedders {
        refresh::scratch_index(&home, embedder.as_ref(), &policy).refresh(Mode::Changes, None)?;
    }
    let index = Reader::open(&home.root)?;
    let unknown = set.complete(&index.sessions()?);
    note("labels of no question", &set.unasked)?;
    note("questions without a label, not counted", &set.unlabelled)?;
    note(
        "right answers that name no session of this history, or several",
        &unknown,
    )?;
    let mut reports = Vec::new();
    for level in levels(args, &set) {
        let embed = |query: &str| {
            let models = embedders.iter();
            let embedding = |model| embed_query(model, &index, query).transpose();
            let embeddings = models.filter_map(embedding).collect::<Result<_, _>>();
            embeddings.map_err(|error| EvalError::Embed(error.to_string()))
        };
        let bar = bar(set.questions.len());
        let progress = |done: usize| bar.set_position(done as u64);
        let ask = EvalOptions {
            level,
            fusion: args.alpha.map_or(FusionMode::Adaptive, FusionMode::Fixed),
            tuning,
            pooled: args.pooled,
            embed: &embed,
            progress: &progress,
        };
        if !set.has(level) {
            let level = level_name(level);
            writeln!(
                notes::stderr(),
                "note: no question has a label at {level} level"
            )?;
        }
        let rankings = session_eval::run(&set, &index, &ask)?;
        bar.finish_and_clear();
        if let Some(folder) = &args.runs {
            let path = folder.join(format!("{}.tsv", level_name(level)));
            output_path::write(&path, session_eval::run_lines(&rankings).as_bytes())?;
        }
        reports.push(session_eval::score(&set, level, &rankings));
    }
    print(args, &reports)
}

/// Says what is left out of a set.
fn note(what: &str, which: &[String]) -> Result<()> {
    if let Some(first) = which.first() {
        writeln!(
            notes::stderr(),
            "note: {what}: {}, as `{}`",
            which.len(),
            safe_line(first)
        )?;
    }
    Ok(())
}

/// The constants of the ranking, some of them with other values.
fn tuning(other: &[Constant]) -> Tuning {
    let set = |tuning: Tuning, (name, value): &Constant| tuning.set(name, *value).unwrap_or(tuning);
    other.iter().fold(Tuning::default(), set)
}

/// The model of this name, or the one in use, and the table that every history has beside it.
fn embedders(name: Option<&str>) -> Result<Vec<Arc<dyn Embedder>>> {
    let home = Home::from_process()?;
    let name = name.unwrap_or(&home.config.model);
    let catalogue = home.catalogue()?;
    let table = (name != TABLE).then_some(TABLE);
    let names = std::iter::once(name).chain(table);
    names.map(|name| Ok(catalogue.load(name)?.into())).collect()
}

/// The set's own history, or the user's, with its index: in a folder that was
/// asked for, or for the set in one that goes when it is dropped.
fn home(args: &EvalArgs, set: &LabelledSet) -> Result<(Home, Option<TempDir>)> {
    let kept = args.index.as_ref().map(std::path::absolute).transpose()?;
    let Some(history) = set.history() else {
        let own = Home::from_process()?;
        let root = kept.unwrap_or(own.root);
        return Ok((Home { root, ..own }, None));
    };
    let scratch = tempfile::Builder::new()
        .prefix("session-search-eval-")
        .tempdir()?;
    let history = std::path::absolute(history)?;
    let env = Env::with_home(scratch.path()).var("CLAUDE_CONFIG_DIR", &history.to_string_lossy());
    let root = kept.unwrap_or_else(|| scratch.path().join("index"));
    Ok((Home::new(env, root), Some(scratch)))
}

fn levels(args: &EvalArgs, set: &LabelledSet) -> Vec<Level> {
    match args.level {
        EvalLevel::Both => set.levels(),
        EvalLevel::Session => vec![Level::Session],
        EvalLevel::Turn => vec![Level::Turn],
    }
}

fn bar(total: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("asking  {bar:24} {pos}/{len}  {eta} left");
    let bar = ProgressBar::new(total as u64);
    style.map(|s| bar.clone().with_style(s)).unwrap_or(bar)
}

fn print(args: &EvalArgs, reports: &[Report]) -> Result<Found> {
    if args.json {
        json::print(&reports)?;
    } else {
        for report in reports {
            write!(anstream::stdout(), "{}", format_report(report))?;
        }
    }
    let asked: usize = reports.iter().map(|r| r.all.questions).sum();
    Ok(if asked == 0 {
        Found::Nothing
    } else {
        Found::Something
    })
}
