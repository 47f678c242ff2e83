//! Arguments of `export`.

use super::values::named_values;
use clap::{Args, ValueHint};
use session_export::ExportFormat;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  session-search export a1b2c3d4 -o lantern.html    # one page, to read or send
  session-search export a1b2c3d4 -o .               # named by its title
  session-search export a1b2c3d4:5-9 -o lantern.md  # turns 5 to 9
  session-search export a1b2c3d4 --format json

Keys and passwords are replaced as `show` replaces them; read it before you send it. Prompts stay \
as they were typed; answers are Markdown. The page has no script and loads nothing. Outputs and \
edits are cut after 400 lines or 32 KiB in HTML and Markdown, JSON after 256 KB; what is cut says so.")]
pub struct SessionExportArgs {
    /// Session id or prefix, with turns: ID, ID:7, ID:5-9
    #[arg(value_name = "ID[:TURNS]")]
    pub id: String,
    /// Output format [default: by the extension of FILE, else html]
    #[arg(long, value_name = "FORMAT", value_parser = named_values(&ExportFormat::ALL, ExportFormat::name, |_, value| value))]
    pub format: Option<ExportFormat>,
    /// Print JSON, as --format json does
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// Write to this file instead of stdout (`-`); in a folder it is named by the title
    #[arg(long, short = 'o', value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub output: Option<PathBuf>,
    /// Replace the file if it exists
    #[arg(long, requires = "output")]
    pub force: bool,
}
