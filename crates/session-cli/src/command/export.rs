//! `export`: a session as one file.

use crate::Found;
use crate::args::{ExportFormatArg, SessionExportArgs};
use crate::command::refresh::{self, RefreshedIndex};
use crate::command::{filter, show};
use crate::output::notes;
use crate::output_path;
use anyhow::{Context, Result};
use session_config::Home;
use session_display::{plural, safe_line};
use session_export::{ExportFormat, ExportedSession, file_name, write};
use std::io::{BufWriter, Write};
use std::path::Path;

/// Runs the command.
///
/// # Errors
/// When the index fails, the argument names nothing, or the file cannot be written.
pub fn run(args: &SessionExportArgs) -> Result<Found> {
    let format = format(args)?;
    let (id, range) = show::turns(&args.id)?;
    let home = Home::from_process()?;
    let RefreshedIndex { index, all, .. } = refresh::index(&home)?;
    let redactor = home.config.redactor();
    let row = filter::find_session(&all, id)?;
    let session = ExportedSession::open(&index, &row, &range, &redactor)?;
    if session.is_empty() {
        show::note_missing_turns(&row)?;
        return Ok(Found::Nothing);
    }
    match &args.output {
        Some(path) if path.is_dir() => {
            write_file(&session, format, &path.join(file_name(&row, format)), args)?;
        }
        Some(path) => write_file(&session, format, path, args)?,
        None => print(&session, format)?,
    }
    Ok(Found::Something)
}

/// The format that is named, or else that of the file.
fn format(args: &SessionExportArgs) -> Result<ExportFormat> {
    let named = args.format.map(|format| match format {
        ExportFormatArg::Html => ExportFormat::Html,
        ExportFormatArg::Markdown => ExportFormat::Markdown,
        ExportFormatArg::Json => ExportFormat::Json,
    });
    if let Some(format) = named.or(args.json.then_some(ExportFormat::Json)) {
        return Ok(format);
    }
    match args.output.as_deref().filter(|path| !path.is_dir()) {
        Some(path) => ExportFormat::from_path(path).with_context(|| {
            let path = path.display();
            format!("the name `{path}` says no format\nhint: end it in .html, .md or .json, or add --format")
        }),
        None => Ok(ExportFormat::Html),
    }
}

fn print(session: &ExportedSession<'_>, format: ExportFormat) -> Result<()> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    write(format, session, &mut out)?;
    Ok(out.flush()?)
}

fn write_file(
    session: &ExportedSession<'_>,
    format: ExportFormat,
    path: &Path,
    args: &SessionExportArgs,
) -> Result<()> {
    output_path::create_with(path, args.force, |file| {
        let mut out = BufWriter::new(file);
        write(format, session, &mut out)?;
        Ok(out.flush()?)
    })?;
    let turns = plural(session.len(), "turn");
    let path = safe_line(&path.to_string_lossy());
    Ok(writeln!(notes::stderr(), "{turns} in {path}")?)
}
