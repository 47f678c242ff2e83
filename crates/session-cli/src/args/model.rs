//! What can be typed after `model`.

use clap::{Args, Subcommand, ValueHint};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  session-search model list
  session-search model use all-minilm-l6-v2
  session-search model import my-model --from ~/Downloads/my-model

docs/models.md says which to choose and how to add one.")]
pub struct ModelArgs {
    #[command(subcommand)]
    pub command: ModelCommand,
}

#[derive(Debug, Subcommand)]
pub enum ModelCommand {
    /// List the models: size, dims, licence, where each is, how much of the index it covers
    List(ListArgs),
    /// Make the vectors with this model from now on
    Use(NameArgs),
    /// Take a model's files from a folder or a file that you brought
    Import(ImportArgs),
    /// Read a model's files again and see that they are as they came
    Verify(NameArgs),
    /// Remove a model's files; its vectors stay in the index
    Remove(NameArgs),
}

#[derive(Debug, Args)]
pub struct ListArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct NameArgs {
    /// Name of the model, as `model list` shows it
    #[arg(value_name = "NAME")]
    pub name: String,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct ImportArgs {
    #[command(flatten)]
    pub model: NameArgs,
    /// Folder with the model's files, or one file of it with the others beside it
    #[arg(long, value_name = "DIR_OR_FILE", value_hint = ValueHint::AnyPath)]
    pub from: PathBuf,
}
