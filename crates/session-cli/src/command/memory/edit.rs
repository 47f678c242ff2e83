//! `memory edit`.

use super::print_change;
use super::save::{note_broad_triggers, note_cuts, note_secrets, split_tags};
use crate::CommandOutcome;
use crate::args::MemoryEditArgs;
use crate::environment;
use crate::memories::Memories;
use anyhow::{Context, Result, bail};
use jiff::Zoned;
use session_display::sanitize_line;
use session_files::{path_line, private};
use session_memory::{Memory, MemoryChange, TriggerChange};
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::process::Command;

/// Most bytes that are taken from the editor.
const EDITED_LIMIT: u64 = 256 << 10;

/// Runs the command.
///
/// # Errors
/// When there is no such memory, no editor, or what was written is no memory.
pub fn run(args: &MemoryEditArgs, memories: &Memories) -> Result<CommandOutcome> {
    let fields = &args.fields;
    let some = |list: &Vec<String>| (!list.is_empty()).then(|| list.clone());
    let change = MemoryChange {
        topic: fields.topic.clone(),
        key_info: some(&fields.info),
        tags: some(&split_tags(fields)),
        cues: some(&fields.cue),
        when: TriggerChange {
            paths: some(&fields.when_path),
            commands: some(&fields.when_command),
            errors: some(&fields.when_error),
        },
        kind: fields.kind,
        importance: fields.importance,
        ..MemoryChange::default()
    };
    let now = Zoned::now();
    if !change.is_empty() {
        let memory = memories.store.change(&args.id, &change, &now)?;
        memories.prepare(std::slice::from_ref(&memory))?;
        note_cuts("", &fields.cue)?;
        note_secrets(&memories.store.find_secrets(change.texts()))?;
        if !change.when.is_empty() {
            note_broad_triggers(memories, &memory)?;
        }
        return print_change("changed", &[memory], args.json);
    }
    let memory = memories.store.find(&args.id)?;
    let Some(text) = edit_text(&memory, &memories.home.root)? else {
        return print_change("unchanged", &[memory], args.json);
    };
    // Without a terminal nobody reviewed the text, so it keeps its trust.
    let is_seen = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    match memories.store.replace(&memory, &text, is_seen, &now) {
        Ok(memory) => {
            note_secrets(&memories.store.find_secrets([text.as_str()]))?;
            print_change("changed", &[memory], args.json)
        }
        Err(error) => {
            let kept = keep_text(&memory, &text, &memories.home.root)?;
            Err(error).with_context(|| format!("what you wrote is kept in {kept}"))
        }
    }
}

/// Returns the text as the user's editor leaves it; `None` where it is as it was.
fn edit_text(memory: &Memory, state: &Path) -> Result<Option<String>> {
    // Not in TMPDIR, which a project may name.
    private::create_directory(state)?;
    let folder = tempfile::tempdir_in(state)?;
    let path = folder.path().join(format!("{}.md", memory.id()));
    private::write(&path, memory.text.as_bytes())?;
    let editor =
        environment::find_program("VISUAL").or_else(|| environment::find_program("EDITOR"));
    let Some(editor) = editor else {
        bail!(
            "there is no editor\nhint: set EDITOR, say what changes by options (--topic, --info, ...), or edit {}",
            path_line(&memory.path)
        );
    };
    let status = make_editor_command(&editor, &path)
        .status()
        .with_context(|| format!("`{}` cannot be started", sanitize_line(&editor)))?;
    if !status.success() {
        bail!(
            "`{}` ended with {status}; nothing is changed",
            sanitize_line(&editor)
        );
    }
    match private::read_text(&path, EDITED_LIMIT) {
        Ok(text) => Ok(text.filter(|text| *text != memory.text)),
        Err(error) => {
            let kept = folder.keep().join(path.file_name().unwrap_or_default());
            Err(error).with_context(|| format!("what you wrote is kept in {}", path_line(&kept)))
        }
    }
}

/// Makes the command of the editor with its own arguments, as a shell reads them.
fn make_editor_command(editor: &str, path: &Path) -> Command {
    let mut command = if cfg!(windows) {
        let mut words = editor.split_whitespace();
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words);
        command
    } else {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("{editor} \"$@\""), "sh"]);
        command
    };
    command.arg(path);
    command
}

/// Keeps what could not be taken.
fn keep_text(memory: &Memory, text: &str, state: &Path) -> Result<String> {
    let mut file = tempfile::Builder::new()
        .prefix(&format!("{}-", memory.id()))
        .suffix(".rejected.md")
        .tempfile_in(state)?;
    file.write_all(text.as_bytes())?;
    let (_, path) = file.keep()?;
    Ok(path_line(&path))
}
