//! Arguments of `eval`.

use super::values::parse_weight;
use clap::{Args, ValueHint};
use session_eval::TuningConstant;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  session-search eval sets/locomo --runs /tmp/runs
  session-search eval my-questions --level session --alpha 0.5

A set is a folder with queries.jsonl, qrels.session.tsv and qrels.turn.tsv. One with claude/projects \
brings its own history, which is indexed in a scratch folder; one without it is searched in your own index.")]
pub struct EvalArgs {
    /// Folder of the set
    #[arg(value_name = "SET_DIR", value_hint = ValueHint::DirPath)]
    pub set: std::path::PathBuf,
    /// Model, as `model list` names it [default: the one in use]
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// Fixed weight of the vector ranking, 0 (words only) to 1 (vectors only) [default: by what each query finds]
    #[arg(long, value_name = "WEIGHT", value_parser = parse_weight)]
    pub alpha: Option<f32>,
    /// Value for a constant of the ranking; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub tune: Vec<TuningConstant>,
    /// Level to rank
    #[arg(long, value_name = "LEVEL", default_value = "both")]
    pub level: EvalLevel,
    /// Search all sessions for every question, whatever its scope
    #[arg(long)]
    pub pooled: bool,
    /// Keep the index of the set's history in this folder, for the next run
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub index: Option<std::path::PathBuf>,
    /// Write session.tsv and turn.tsv to this folder: question, target, score
    #[arg(long, value_name = "OUT_DIR", value_hint = ValueHint::DirPath)]
    pub runs: Option<std::path::PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum EvalLevel {
    Session,
    Turn,
    Both,
}
