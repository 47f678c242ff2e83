//! Arguments of `model`.

use super::JsonFlagArgs;
use clap::{Args, Subcommand, ValueHint};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = concat!("\
Examples:
  session-search model list
  session-search model use all-minilm-l6-v2
  session-search model pull qwen3-embedding-0.6b
  session-search model import my-model --from ~/Downloads/my-model

Which to choose and how to add one: ", env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/models.md"))]
pub struct ModelArgs {
    #[command(subcommand)]
    pub command: ModelCommand,
}

#[derive(Debug, Subcommand)]
pub enum ModelCommand {
    /// List models: size, dimensions, licence, state, share of the index
    #[command(alias = "ls")]
    List(JsonFlagArgs),
    /// Use this model from now on
    Use(ModelNameArgs),
    /// Download a model from the hub; an interrupted download resumes
    Pull(ModelNameArgs),
    /// Import a model from a local folder or file
    Import(ModelImportArgs),
    /// Verify the checksums of a model's files
    Verify(ModelNameArgs),
    /// Remove a model's files; its vectors stay in the index
    #[command(aliases = ["rm", "delete"])]
    Remove(ModelRemoveArgs),
}

#[derive(Debug, Args)]
pub struct ModelNameArgs {
    /// Model, as `model list` names it
    #[arg(value_name = "NAME")]
    pub name: String,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct ModelRemoveArgs {
    #[command(flatten)]
    pub model: ModelNameArgs,
    /// Delete vectors instead: of versions that are not in use
    #[arg(long)]
    pub vectors: bool,
}

#[derive(Debug, Args)]
pub struct ModelImportArgs {
    #[command(flatten)]
    pub model: ModelNameArgs,
    /// Folder with the model's files, or one of the files
    #[arg(long, value_name = "DIR_OR_FILE", value_hint = ValueHint::AnyPath)]
    pub from: PathBuf,
}
