//! `memory edit`.

use super::save::split_tags;
use super::{note_waiting, print_noted_change};
use crate::CommandOutcome;
use crate::args::MemoryEditArgs;
use crate::environment;
use crate::memories::ProjectMemories;
use crate::output::notes::print_notes;
use crate::shared::dialog::has_terminal;
use anyhow::{Context, Result, bail};
use jiff::Zoned;
use session_agents::startable_program;
use session_core::text::path_line;
use session_display::{Note, sanitize_line};
use session_memory::{
    EditReview, Memory, MemoryChange, MemoryEdit, MemoryError, TriggerChange, describe_cuts,
};
use session_sources::Env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs the command.
pub fn run(args: &MemoryEditArgs, memories: &ProjectMemories) -> Result<CommandOutcome> {
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
    if change.is_empty() {
        edit_in_editor(args, memories)
    } else {
        change_fields(&change, args, memories)
    }
}

fn change_fields(
    change: &MemoryChange,
    args: &MemoryEditArgs,
    memories: &ProjectMemories,
) -> Result<CommandOutcome> {
    let before = memories.store.find(&args.id)?;
    let memory = memories.store.change(&args.id, change, &Zoned::now())?;
    memories.embed_missing(std::slice::from_ref(&memory))?;
    let cuts = describe_cuts("", &args.fields.cue).into_iter();
    let texts = change.texts().into_iter().chain([before.raw_text]);
    let secrets = memories.store.find_secrets(texts).note();
    let mut notes: Vec<Note> = cuts.chain(secrets).map(Note::new).collect();
    notes.extend(memories.note_changed_triggers(&memory, &change.when));
    print_edited("changed", memory, &notes, args.json)
}

/// Prints what became of a memory, and that it waits for trust where it does.
fn print_edited(
    done: &'static str,
    memory: Memory,
    noted: &[Note],
    as_json: bool,
) -> Result<CommandOutcome> {
    let edited = [memory];
    let outcome = print_noted_change(done, &edited, noted, as_json)?;
    note_waiting(&edited)?;
    Ok(outcome)
}

fn edit_in_editor(args: &MemoryEditArgs, memories: &ProjectMemories) -> Result<CommandOutcome> {
    let memory = memories.store.find(&args.id)?;
    let edit = MemoryEdit::begin(&memories.home.index_directory, &memory)?;
    run_editor(&memory, edit.path(), &memories.home.env)?;
    let text = match edit.read() {
        Ok(Some(text)) => text,
        Ok(None) => {
            // It may have been removed meanwhile, and the edit with it.
            let memory = memories.store.find(memory.id())?;
            return print_edited("unchanged", memory, &[], args.json);
        }
        Err(error) => return Err(refuse(error, edit.reject(None))),
    };
    // Without a terminal nobody reviewed the text, so it keeps its trust.
    let review = if has_terminal() {
        EditReview::Seen
    } else {
        EditReview::Unseen
    };
    match memories
        .store
        .replace(&memory, &text, review, &Zoned::now())
    {
        Ok(memory) => {
            print_notes(memories.store.find_secrets([text.as_str()]).note())?;
            print_edited("changed", memory, &[], args.json)
        }
        Err(error) => {
            let text = memories.home.config.redactor().redact(&text);
            Err(refuse(error, edit.reject(Some(&text))))
        }
    }
}

/// Lets the user's editor change the file.
fn run_editor(memory: &Memory, path: &Path, env: &Env) -> Result<()> {
    let editor =
        environment::find_program("VISUAL").or_else(|| environment::find_program("EDITOR"));
    let Some(editor) = editor else {
        bail!(
            "there is no editor\nhint: set EDITOR, say what changes by options (--topic, --info, ...), or edit {}",
            path_line(&memory.path)
        );
    };
    let status = make_editor_command(&editor, path, env)
        .status()
        .with_context(|| format!("`{}` cannot be started", sanitize_line(&editor)))?;
    if !status.success() {
        bail!(
            "`{}` ended with {status}; nothing is changed",
            sanitize_line(&editor)
        );
    }
    Ok(())
}

/// Makes the command of the editor with its own arguments, as a shell reads them.
fn make_editor_command(editor: &str, path: &Path, env: &Env) -> Command {
    let mut command = if cfg!(windows) {
        let mut words = editor.split_whitespace();
        let program = words.next().unwrap_or_default();
        let mut command = Command::new(startable_program(program, env));
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

/// Says where a text is kept that could not be taken.
fn refuse(error: MemoryError, kept: Result<PathBuf, MemoryError>) -> anyhow::Error {
    match kept {
        Ok(path) => anyhow::Error::new(error)
            .context(format!("what you wrote is kept in {}", path_line(&path))),
        Err(lost) => anyhow::Error::new(error).context(format!("what you wrote is lost: {lost}")),
    }
}
