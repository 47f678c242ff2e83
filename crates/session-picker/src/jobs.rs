//! Actions that take their time: done beside the picker, which says so when they are done.

use crate::action::ActionTarget;
use crate::error::PickerError;
use crate::memory_form::MemoryForm;
use crate::message::JobOutcome;
use crate::worker::WorkerContext;
use jiff::Zoned;
use session_core::text::{clip, sanitize_text};
use session_core::{TurnPart, TurnRange};
use session_display::{SessionIds, sanitize_line};
use session_export::{
    ExportFormat, ExportedSession, format_conversation, make_file_name, write_session,
};
use session_files::{ExistingFile, FileError, output_path};
use session_memory::{MemoryDraft, MemorySource};
use session_project_memories::ProjectMemories;
use session_query::{OpenIndex, SearchEngine};
use session_search::{Exchange, redact_session_row};
use session_store::SessionRow;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Most bytes that are copied: many terminals take no more.
const COPY_BYTES: usize = 72_000;

/// Work that is done in a thread of its own.
pub(crate) enum PickerJob {
    CopyText(ActionTarget),
    Export(ActionTarget),
    Save(Box<MemoryForm>),
}

impl PickerJob {
    /// Returns true if the end of the process would lose what it writes.
    pub(crate) fn writes(&self) -> bool {
        match self {
            Self::Export(_) | Self::Save(_) => true,
            Self::CopyText(_) => false,
        }
    }

    /// Does the work; what came of it is said in the picker.
    pub(crate) fn run_job(self, context: &WorkerContext) -> JobOutcome {
        let engine = &context.engine;
        let done = match self {
            Self::CopyText(target) => make_clipboard_text(engine, &target),
            Self::Export(target) => export_session(context, &target).map(JobOutcome::Note),
            Self::Save(form) => save_memory(engine, &form).map(JobOutcome::Note),
        };
        done.unwrap_or_else(|error| JobOutcome::Note(context.describe_error(error)))
    }
}

fn make_clipboard_text(
    engine: &SearchEngine,
    target: &ActionTarget,
) -> Result<JobOutcome, PickerError> {
    let exchanges = read_turn(engine, target)?;
    let text: Vec<String> = exchanges.iter().map(format_exchange).collect();
    let text = text.join("\n\n");
    let address = target.address();
    if text.is_empty() {
        return Ok(JobOutcome::Note(format!("{address} has no text to copy")));
    }
    Ok(if text.len() > COPY_BYTES {
        JobOutcome::Copy {
            text: clip(&text, COPY_BYTES).to_owned(),
            note: format!("the first {} KB of {address} are copied", COPY_BYTES / 1000),
        }
    } else {
        JobOutcome::Copy {
            text,
            note: format!("the text of {address} is copied"),
        }
    })
}

fn read_turn(engine: &SearchEngine, target: &ActionTarget) -> Result<Vec<Exchange>, PickerError> {
    let mut index = OpenIndex::new(&engine.home().index_directory);
    index.with_snapshot(|snapshot| {
        let mut rows = snapshot.index.turns(target.session.id)?;
        rows.retain(|row| row.index == target.turn);
        Ok(engine.show(&snapshot.index, &target.session, &rows)?)
    })
}

/// Returns the words of both sides, without calls.
fn format_exchange(exchange: &Exchange) -> String {
    let answers = exchange.turn.parts.iter().filter_map(|part| match part {
        TurnPart::Text { text } => Some(text.as_str()),
        _ => None,
    });
    let texts = std::iter::once(exchange.turn.prompt.as_str()).chain(answers);
    let texts = texts.map(str::trim).filter(|text| !text.is_empty());
    sanitize_text(&texts.collect::<Vec<_>>().join("\n\n")).into_owned()
}

/// Exports the session as a page in the current folder.
fn export_session(context: &WorkerContext, target: &ActionTarget) -> Result<String, PickerError> {
    let engine = &context.engine;
    let redactor = engine.home().config.redactor();
    let session = &mut target.session.clone();
    let mut opened = OpenIndex::new(&engine.home().index_directory);
    opened.with_snapshot(|snapshot| {
        let redacted = redact_session_row(&snapshot.index, session, &redactor);
        redacted.map_err(PickerError::from)
    })?;
    let path = PathBuf::from(make_file_name(session, ExportFormat::Html));
    let written = opened.with_snapshot(|snapshot| {
        let (index, all) = (&snapshot.index, 0..=u32::MAX);
        let sessions = index.sessions()?;
        let exported = ExportedSession::open(index, session, &all, &redactor)?
            .with_short_id(&SessionIds::new(&sessions));
        create_export_file(engine, &path, &exported)
    });
    match written {
        Err(PickerError::File(FileError::Exists(_))) => Ok(format_existing_file(&path, session)),
        Err(error @ PickerError::File(_)) => {
            let reason = context.describe_error(error);
            Ok(format!("cannot export to this folder: {reason}"))
        }
        written => written.map(|()| format!("exported to {}", path.display())),
    }
}

/// Says that a page is there already, and how it is replaced.
fn format_existing_file(path: &Path, session: &SessionRow) -> String {
    format!(
        "there is already {}; `session-search export {} -o . --force` replaces it",
        path.display(),
        sanitize_line(&session.uid)
    )
}

fn create_export_file(
    engine: &SearchEngine,
    path: &Path,
    session: &ExportedSession<'_>,
) -> Result<(), PickerError> {
    let home = &engine.home().env.home;
    output_path::create_with(path, home, ExistingFile::Keep, |file| {
        let mut out = BufWriter::new(file);
        write_session(ExportFormat::Html, session, &mut out)?;
        Ok(out.flush()?)
    })
}

/// Saves a memory where its form says.
fn save_memory(engine: &SearchEngine, form: &MemoryForm) -> Result<String, PickerError> {
    let ActionTarget { session, turn } = &form.target;
    let memories = ProjectMemories::for_directory(&form.destination.folder)?;
    memories.require_enabled()?;
    let draft = MemoryDraft {
        topic: form.topic(),
        key_info: vec![form.info()],
        source: Some(MemorySource::from_turns(
            &session.source,
            &session.uid,
            &TurnRange(*turn..=*turn),
        )),
        raw: Some(format_conversation(
            session,
            &read_turn(engine, &form.target)?,
        )),
        ..MemoryDraft::default()
    };
    let saved = memories.save(&draft, None, &Zoned::now())?;
    let name = &form.destination.name;
    let mut lines = vec![format!("saved as {} for {name}", saved.memory.id())];
    let notes = saved.notes().into_iter().map(|saved| saved.note);
    let notes = notes.chain(memories.finish_change());
    lines.extend(notes.map(|note| note.to_string()));
    Ok(lines.join("\n"))
}
