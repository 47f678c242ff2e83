//! `export`: a session as one file.

use crate::CommandOutcome;
use crate::args::SessionExportArgs;
use crate::command::show;
use crate::output::notes;
use crate::output::notes::print_note;
use crate::output_path;
use crate::shared::refreshed_index;
use anyhow::{Context, Result, bail};
use session_config::Home;
use session_core::text::path_line;
use session_display::SessionIds;
use session_display::pluralize;
use session_export::{ExportFormat, ExportedSession, make_file_name, write_session};
use session_query::{SessionArgument, Snapshot, find_session};
use session_search::{redact_session_row, unmark_unlisted};
use std::io::{BufWriter, IsTerminal, Write};
use std::path::Path;

/// Runs the command.
pub fn run(args: &SessionExportArgs) -> Result<CommandOutcome> {
    check_folder(args)?;
    let format = choose_format(args)?;
    if format == ExportFormat::Html && args.output.is_none() && std::io::stdout().is_terminal() {
        bail!("a page of HTML is not for a terminal\nhint: `-o .` writes a file");
    }
    let argument = SessionArgument::parse(&args.id)?;
    let home = Home::from_process()?;
    let named = std::slice::from_ref(&args.id);
    let Snapshot { index, sessions } =
        refreshed_index::open_index_with_sessions(&home, named)?.snapshot;
    let redactor = home.config.redactor();
    let mut row = find_session(&sessions, &argument.session)?;
    unmark_unlisted(&index, &mut row)?;
    redact_session_row(&index, &mut row, &redactor)?;
    let session = ExportedSession::open(&index, &row, &argument.turn_range(&row), &redactor)?
        .with_short_id(&SessionIds::new(&sessions));
    if session.is_empty() {
        show::print_missing_turns(&row, &sessions)?;
        // The document says so, too; a file is not made for that.
        if format == ExportFormat::Json && output_path::file_path(args.output.as_deref()).is_none()
        {
            print_session(&session, format)?;
        }
        return Ok(CommandOutcome::NotFound);
    }
    match output_path::file_path(args.output.as_deref()) {
        Some(path) if path.is_dir() => {
            write_file(
                &session,
                format,
                &path.join(make_file_name(&row, format)),
                args,
            )?;
        }
        Some(path) => write_file(&session, format, path, args)?,
        None => print_session(&session, format)?,
    }
    Ok(CommandOutcome::Found)
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

/// Returns the format that is named, or else that of the file.
fn choose_format(args: &SessionExportArgs) -> Result<ExportFormat> {
    let as_json = args.json.then_some(ExportFormat::Json);
    if let Some(format) = args.format.or(as_json) {
        return Ok(format);
    }
    match output_path::file_path(args.output.as_deref()).filter(|path| !path.is_dir()) {
        Some(path) => ExportFormat::from_path(path).with_context(|| {
            let path = path_line(path);
            format!("the name `{path}` says no format\nhint: end it in .html, .md or .json, or add --format")
        }),
        None => Ok(ExportFormat::Html),
    }
}

fn print_session(session: &ExportedSession<'_>, format: ExportFormat) -> Result<()> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    write_session(format, session, &mut out)?;
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
        write_session(format, session, &mut out)?;
        Ok(out.flush()?)
    })?;
    let turns = pluralize(session.len(), "turn");
    let name = path_line(path);
    notes::print_line(format_args!("{turns} in {name}"))?;
    match ExportFormat::from_path(path).filter(|of_name| *of_name != format) {
        Some(_) => print_note(format!("{name} holds {}, as was asked", format.title())),
        None => Ok(()),
    }
}
