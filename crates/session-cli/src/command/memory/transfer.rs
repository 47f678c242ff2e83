//! `memory export`, `import` and `sync-context`.

use crate::CommandOutcome;
use crate::args::{MemoryExportArgs, MemoryImportArgs, SyncContextArgs};
use crate::command::memory::save::note_moved;
use crate::memories::{self, ProjectMemories};
use crate::output::notes::{print_note, print_notes};
use crate::output::{self, json, notes};
use crate::output_path;
use crate::shared::stdin;
use anyhow::{Result, bail};
use jiff::Zoned;
use session_core::safe_json;
use session_core::text::path_line;
use session_display::{pluralize, sanitize_line};
use session_files::Project;
use session_memory::{
    EXPORT_LIMIT, ImportFormat, ImportInput, Importance, Memory, MemoryError, MemoryScope,
    MemoryState, apply_retention, context_sheet_path, export_memories, import_memories,
    render_context_sheet, write_context_sheet,
};
use session_output::{
    JsonContextSheet, JsonImportedMemories, JsonMemories, format_import_notes,
    format_import_report, format_left_out_note, format_without_project_note,
};
use std::path::{Path, PathBuf};

/// Runs `memory export`.
pub fn export(args: &MemoryExportArgs, memories: &ProjectMemories) -> Result<CommandOutcome> {
    let listed = memories::list_changed_in(memories, &MemoryState::ALL, &args.time)?;
    let document = export_memories(&memories.store, &listed);
    let exported = document.memories.len();
    match output_path::file_path(args.output.as_deref()) {
        Some(path) => {
            let text = safe_json::format_lossless(&document)? + "\n";
            output_path::create_with(
                path,
                args.force,
                |file| Ok(file.write_all(text.as_bytes())?),
            )?;
            notes::print_line(format_args!(
                "{} in {}",
                pluralize(exported, "memory"),
                path_line(path)
            ))?;
        }
        None => json::print_lossless(&document)?,
    }
    print_notes(format_left_out_note(listed.len() - exported))?;
    if document.left_out_conversations > 0 {
        print_note(format!(
            "{} from the repository left out",
            pluralize(document.left_out_conversations, "conversation")
        ))?;
    }
    Ok(CommandOutcome::Found)
}

/// Runs `memory import`.
pub fn import(args: &MemoryImportArgs, memories: &ProjectMemories) -> Result<CommandOutcome> {
    let format = args.format;
    let Some(path) = args
        .path
        .clone()
        .or_else(|| find_usual_path(format, memories))
    else {
        bail!("nothing is named to import\nhint: name a file, or `-` for stdin");
    };
    let scope = args.global.then_some(MemoryScope::Global);
    // What another program saved has no scope of its own.
    if scope.is_none() && format != ImportFormat::SessionSearch {
        memories.require_owned_project()?;
    }
    let now = Zoned::now();
    let is_stdin = format == ImportFormat::SessionSearch && path == Path::new("-");
    let text = is_stdin
        .then(|| stdin::read_text(EXPORT_LIMIT))
        .transpose()?;
    let from = match &text {
        Some(text) => ImportInput::Text(text),
        None => ImportInput::Path {
            path: &path,
            home: &memories.home.env.home,
        },
    };
    let imported = import_memories(&memories.store, format, from, scope, &now);
    let imported = imported.map_err(|error| match error {
        MemoryError::File(error) => output_path::explain_file_error(error, &path),
        other => other.into(),
    })?;
    if args.json {
        json::print(&JsonImportedMemories {
            imported: JsonMemories(&imported.imported),
            replaced: JsonMemories(&imported.replaced),
            in_trash: &imported.in_trash,
            kept_trusted: &imported.kept_trusted,
            trusted: &imported.trusted,
            known: imported.known,
            without_project: imported.without_project,
        })?;
    } else {
        notes::print_line(format_import_report(&imported, args.global))?;
    }
    print_notes(format_import_notes(&imported))?;
    print_notes(format_without_project_note(imported.without_project))?;
    let skipped = imported.skipped.iter();
    let skipped = skipped.map(|reason| format!("{}; left out", sanitize_line(reason)));
    memories::print_left_out(skipped.collect())?;
    note_moved(&apply_retention(
        &memories.store,
        &memories.retention,
        now.timestamp(),
    )?)?;
    Ok(CommandOutcome::Found)
}

fn find_usual_path(format: ImportFormat, memories: &ProjectMemories) -> Option<PathBuf> {
    let path = format.default_path()?;
    let root = memories.project.as_ref().map(Project::root);
    Some(root.unwrap_or(&memories.home.env.home).join(path))
}

/// Runs `memory sync-context`.
pub fn sync_context(args: &SyncContextArgs, memories: &ProjectMemories) -> Result<CommandOutcome> {
    let listed = memories::print_damaged(memories.store.list(&[MemoryState::Active]))?;
    let text = render_context_sheet(&listed);
    let is_high = |memory: &Memory| memory.front.importance == Importance::High;
    if !listed.iter().any(is_high) {
        print_note(
            "no memory has high importance; `session-search memory edit ID --importance high`",
        )?;
    }
    if args.print {
        if args.json {
            json::print(&serde_json::json!({ "text": text }))?
        } else {
            output::print(text)?
        }
        return Ok(CommandOutcome::Found);
    }
    let Some(project) = &memories.project else {
        bail!("{}; or take --print", memories::describe_no_project());
    };
    let relative = context_sheet_path();
    let changed = write_context_sheet(&project.open()?, &listed)?;
    let path = project.root().join(&relative);
    if args.json {
        json::print(&JsonContextSheet {
            path: path.display().to_string(),
            changed,
            chars: text.chars().count(),
        })?;
    } else {
        let what = if changed { "written" } else { "as it was" };
        notes::print_line(format_args!(
            "{} is {what}; a line `@{}` in the project's CLAUDE.md or GEMINI.md includes it, and --print has the text for AGENTS.md",
            path_line(&path),
            relative.display()
        ))?;
    }
    Ok(CommandOutcome::Found)
}
