//! `export`: a session as one file.

use crate::Found;
use crate::args::{ExportFormatArg, SessionExportArgs};
use crate::command::memory::note;
use crate::command::refresh::{self, RefreshedIndex};
use crate::command::{filter, show};
use crate::output::notes;
use crate::output_path;
use anyhow::{Context, Result, bail};
use session_config::Home;
use session_display::{plural, safe_line};
use session_export::{ExportFormat, ExportedSession, file_name, write};
use session_files::path_line;
use std::io::{BufWriter, Write};
use std::path::Path;

/// Runs the command.
///
/// # Errors
/// When the index fails, the argument names nothing, or the file cannot be written.
pub fn run(args: &SessionExportArgs) -> Result<Found> {
    check_folder(args)?;
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
    match output_path::to_file(args.output.as_deref()) {
        Some(path) if path.is_dir() => {
            write_file(&session, format, &path.join(file_name(&row, format)), args)?;
        }
        Some(path) => write_file(&session, format, path, args)?,
        None => print(&session, format)?,
    }
    Ok(Found::Something)
}

/// Refuses a name that ends as a folder's where there is none.
fn check_folder(args: &SessionExportArgs) -> Result<()> {
    let path = args.output.as_deref().unwrap_or(Path::new("."));
    let ends = path.to_string_lossy().ends_with(std::path::is_separator);
    if ends && !path.is_dir() {
        bail!(
            "there is no folder `{}`\nhint: make it, or name a file",
            path_line(path)
        );
    }
    Ok(())
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
    match output_path::to_file(args.output.as_deref()).filter(|path| !path.is_dir()) {
        Some(path) => ExportFormat::from_path(path).with_context(|| {
            let path = path_line(path);
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
    let name = safe_line(&path.to_string_lossy());
    writeln!(notes::stderr(), "{turns} in {name}")?;
    match ExportFormat::from_path(path).filter(|of_name| *of_name != format) {
        Some(_) => note(&format!("{name} holds {}, as was asked", format.title())),
        None => Ok(()),
    }
}
