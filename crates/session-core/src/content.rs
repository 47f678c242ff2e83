//! The content of a turn: what is searched and reported.

mod merged_items;

use crate::call_status::CallStatus;
use crate::code_printing_commands::prints_code;
use crate::command_work::{CommandWork, hides_exit_code};
use crate::error_lines::find_error_lines;
use crate::error_signature::{ErrorSignature, is_context_line};
use crate::prompt_content;
use crate::session::{DeliveredCall, FileAccess, TEXT_LIMIT, ToolCall, Turn, TurnPart};
use crate::slash_command::is_bare_command;
use crate::text::{self, normalize_searchable};
use crate::turn_stats::TurnStats;
use serde::Serialize;
use std::borrow::Cow;

/// The searchable texts of a turn, and the facts that reports are made of. The store keeps it; the
/// lexical index reads the texts alone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TurnContent {
    /// The user's words: what was typed, and then replies within the turn.
    pub prompt: String,
    /// Byte offset in `prompt` of the end of what was typed, where replies follow.
    pub typed_end: Option<usize>,
    /// The agent's words, its messages joined by blank lines.
    pub answer: String,
    /// Byte offset in `answer` of the agent's last message.
    pub last_message_start: usize,
    /// Shell commands in the order of their first run, each once.
    pub commands: Vec<String>,
    /// Files named by calls in the order of their first mention, each once.
    pub files: Vec<String>,
    /// Error lines of outputs, in order, each once.
    pub errors: Vec<String>,
    /// Names of the tools used, in order, each once.
    pub tools: Vec<String>,
    /// Time, tokens and models.
    pub turn_stats: TurnStats,
    /// Runs of `commands`, in order.
    pub runs: Vec<CommandRunEntry>,
    /// Lines of `errors` that `runs` printed, by run.
    pub run_errors: Vec<RunError>,
    /// Changes of `files`, in order.
    pub changes: Vec<FileEntry>,
    /// Reads of `files`, in order.
    pub reads: Vec<FileEntry>,
}

/// A run of a command, by its number in the list of a turn's commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommandRunEntry {
    /// Index in [`TurnContent::commands`]; beyond its end where that was full.
    pub command: usize,
    /// The end of the run.
    pub status: CallStatus,
    /// Number of [`TurnContent::changes`] before it.
    pub changes_before: usize,
}

/// An error line that a run of a command printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RunError {
    /// Index in [`TurnContent::runs`].
    pub run: usize,
    /// Index in [`TurnContent::errors`].
    pub error: usize,
}

/// A command as it was run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct CommandRunRef<'c> {
    /// The command.
    pub command: &'c str,
    /// The end of the run.
    #[serde(flatten)]
    pub status: CallStatus,
}

/// An access to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileEntry {
    /// Index in [`TurnContent::files`]; beyond its end where that was full.
    pub file: usize,
    /// The access to the file.
    pub access: FileAccess,
    /// The access failed.
    pub failed: bool,
}

/// A file with the greatest access of a turn to it, borrowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccessedFileRef<'c> {
    /// The file's path, as the agent named it.
    pub path: &'c str,
    /// The greatest access that succeeded.
    pub access: FileAccess,
}

/// A file with the greatest access of turns to it, owned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AccessedFile {
    /// The file's path, as the agent named it.
    pub path: String,
    /// The greatest access: written over edited over read.
    #[serde(rename = "touch")]
    pub access: FileAccess,
}

impl From<AccessedFileRef<'_>> for AccessedFile {
    fn from(file: AccessedFileRef<'_>) -> Self {
        Self {
            path: file.path.to_owned(),
            access: file.access,
        }
    }
}

/// Greatest number of different commands, files and tools of a turn.
const MAX_ITEMS: usize = 4_000;
/// Greatest number of runs, changes and reads of a turn.
const MAX_ENTRIES: usize = 20_000;
/// Greatest number of error lines of a turn.
const MAX_ERRORS: usize = 300;
/// Least room of the last message of a long answer, in bytes.
const MIN_LAST_MESSAGE_BYTES: usize = 32 * 1024;

impl TurnContent {
    /// Extracts the content of a turn. Its texts are [sanitized](text::sanitize_text) and [composed](text::compose): a word is found as it is seen.
    pub fn from_turn(turn: &Turn) -> Self {
        let mut content = Self {
            prompt: text::clip(&normalize_searchable(&turn.prompt), TEXT_LIMIT).to_owned(),
            turn_stats: turn.turn_stats.clone(),
            ..Self::default()
        };
        for part in &turn.parts {
            content.add_part(part);
        }
        content
    }

    /// Appends parts of the same turn that a later read delivered. Splitting a turn at
    /// any part and appending gives the same content as reading it whole.
    pub fn append(&mut self, more: &Turn) {
        self.turn_stats.add(&more.turn_stats);
        for part in &more.parts {
            self.add_part(part);
        }
    }

    /// Returns the runs of commands in order.
    pub fn command_runs(&self) -> impl Iterator<Item = CommandRunRef<'_>> {
        self.runs.iter().filter_map(|run| {
            Some(CommandRunRef {
                command: self.commands.get(run.command)?,
                status: run.status,
            })
        })
    }

    /// Returns the signatures of the errors of which commands failed, each once.
    pub fn failure_signatures(&self) -> Vec<ErrorSignature> {
        let mut signatures = Vec::new();
        for entry in &self.run_errors {
            let line = self
                .errors
                .get(entry.error)
                .filter(|_| self.has_failed(entry.run));
            let signature = line.and_then(|line| ErrorSignature::new(line));
            signatures.extend(signature.filter(|known| !signatures.contains(known)));
        }
        signatures
    }

    /// Returns true for a run that failed, by its exit code. What only shows a text fails at nothing.
    pub fn has_failed(&self, run: usize) -> bool {
        let entry = self.runs.get(run);
        entry.is_some_and(|entry| entry.status.is_failed() && self.work_of_run(run).is_some())
    }

    /// Returns true for a run that succeeded. Where the exit code is that of another command, it printed no error.
    pub fn has_succeeded(&self, run: usize) -> bool {
        let entry = self.runs.get(run);
        let command = entry.and_then(|entry| self.commands.get(entry.command));
        let is_reported = || !command.is_some_and(|command| hides_exit_code(command));
        entry.is_some_and(|entry| entry.status == CallStatus::Done)
            && (is_reported() || self.errors_of_run(run).next().is_none())
    }

    /// Returns the work of the command of a run.
    pub fn work_of_run(&self, run: usize) -> Option<CommandWork> {
        let command = self.commands.get(self.runs.get(run)?.command)?;
        CommandWork::new(command)
    }

    /// Returns the error lines that a run printed, by its index.
    pub fn errors_of_run(&self, run: usize) -> impl Iterator<Item = &str> {
        let entries = self.run_errors.iter();
        let errors = entries.filter(move |entry| entry.run == run);
        errors.filter_map(|entry| self.errors.get(entry.error).map(String::as_str))
    }

    /// Returns the files in the order of their first mention, each with the greatest access. A file
    /// of which every access failed is left out.
    pub fn accessed_files(&self) -> impl Iterator<Item = AccessedFileRef<'_>> {
        let mut summaries = vec![AccessSummary::default(); self.files.len()];
        for entry in self.changes.iter().chain(&self.reads) {
            if let Some(summary) = summaries.get_mut(entry.file) {
                summary.add(entry);
            }
        }
        let files = self.files.iter().zip(summaries);
        files.filter_map(|(path, summary)| {
            let access = summary.greatest()?;
            Some(AccessedFileRef { path, access })
        })
    }

    /// Returns the texts that are searched, empty ones included: prompt, answer, commands, files and
    /// error lines.
    pub fn searched_texts(&self) -> impl Iterator<Item = &str> {
        let lists = [&self.commands, &self.files, &self.errors];
        let texts = [&self.prompt, &self.answer].into_iter();
        texts.chain(lists.into_iter().flatten()).map(String::as_str)
    }

    /// Returns the user's words as they are indexed: empty where they are uninformative, and for a slash command without
    /// arguments that nothing followed.
    pub fn indexed_prompt(&self) -> &str {
        let is_unanswered = || self.searched_texts().skip(1).all(str::is_empty);
        let is_silent = is_bare_command(&self.prompt) && is_unanswered();
        if is_silent || prompt_content::is_uninformative(&self.prompt) {
            ""
        } else {
            &self.prompt
        }
    }

    /// Returns true when there is nothing to search or report.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the prompt that began the turn, without later replies of the user.
    pub fn typed_prompt(&self) -> &str {
        let typed = self.typed_end.and_then(|end| self.prompt.get(..end));
        typed.unwrap_or(&self.prompt)
    }

    /// Returns the agent's last message.
    pub fn last_message(&self) -> &str {
        self.answer
            .get(self.last_message_start..)
            .unwrap_or(&self.answer)
    }

    /// Appends a message of the agent. Where there is no room for all of them, the last takes the place of those in
    /// the middle: it has the outcome.
    pub fn add_answer(&mut self, words: &str) {
        let words = normalize_searchable(words);
        let words = words.trim();
        if words.is_empty() {
            return;
        }
        let head = text::clip(&self.answer, TEXT_LIMIT - MIN_LAST_MESSAGE_BYTES).len();
        self.answer.truncate(head);
        if !self.answer.is_empty() {
            self.answer.push_str("\n\n");
        }
        self.last_message_start = self.answer.len();
        let room = TEXT_LIMIT.saturating_sub(self.answer.len());
        self.answer.push_str(text::clip(words, room));
    }

    fn add_part(&mut self, part: &TurnPart) {
        match part {
            TurnPart::Text { text } | TurnPart::Recap { text } => self.add_answer(text),
            TurnPart::Call(call) => self.add_call(call),
            TurnPart::Error { text } => {
                self.add_errors(&find_error_lines(text, CallStatus::Failed));
            }
            TurnPart::Thinking { .. } | TurnPart::Notice { .. } | TurnPart::Summary { .. } => {}
        }
    }

    /// Appends words of the user that are not the turn's prompt.
    fn add_reply(&mut self, words: &str) {
        let words = normalize_searchable(words);
        let words = words.trim();
        if words.is_empty() || self.prompt.len() >= TEXT_LIMIT {
            return;
        }
        self.typed_end.get_or_insert(self.prompt.len());
        if !self.prompt.is_empty() {
            self.prompt.push_str("\n\n");
        }
        let room = TEXT_LIMIT.saturating_sub(self.prompt.len());
        self.prompt.push_str(text::clip(words, room));
    }

    fn add_call(&mut self, call: &ToolCall) {
        if call.name != ToolCall::PATCH {
            push_new(&mut self.tools, &call.name, MAX_ITEMS);
        }
        if let Some(dialog) = &call.dialog {
            self.add_answer(dialog.question.as_deref().unwrap_or_default());
            self.add_reply(dialog.reply.as_deref().unwrap_or_default());
        }
        if call.command.as_deref().is_some_and(|c| !c.is_empty()) && call.kept_command().is_none() {
            return; // our own hits in a transcript would find themselves
        }
        let delivered = call.delivered.as_deref();
        if let Some(delivered) = delivered {
            self.set_delivered_status(*delivered, call.status);
        }
        let run = delivered.and_then(|delivered| delivered.run);
        let mut run = run.map(|run| run as usize);
        if let Some(command) = call.kept_command() {
            run = Some(self.runs.len());
            self.add_run(&command, call);
        }
        for file in &call.files {
            self.add_file(file, call);
        }
        for address in &call.pull_requests {
            self.turn_stats.add_pull_request(address);
        }
        let shows = call.status == CallStatus::Done && self.only_prints_code(run);
        let reports = call.reports_errors() && !shows;
        if let Some(output) = call.output.as_deref().filter(|_| reports) {
            let mut lines = find_error_lines(output, call.status);
            if self.only_shows_text(run) {
                lines.retain(|line| !is_context_line(line));
            }
            let errors = self.add_errors(&lines);
            self.add_run_errors(run, errors);
        }
    }

    /// Returns true for a run of a command that only prints code.
    fn only_prints_code(&self, run: Option<usize>) -> bool {
        let command = self.command_of_run(run);
        command.is_some_and(prints_code)
    }

    fn command_of_run(&self, run: Option<usize>) -> Option<&str> {
        let entry = self.runs.get(run?)?;
        self.commands.get(entry.command).map(String::as_str)
    }

    /// Returns true for a run of a command that does no work: code and hits in its output are what it looked for.
    fn only_shows_text(&self, run: Option<usize>) -> bool {
        let command = self.command_of_run(run);
        command.is_some_and(|command| CommandWork::new(command).is_none() || prints_code(command))
    }

    /// Adds error lines, and returns their indices.
    fn add_errors(&mut self, lines: &[Cow<'_, str>]) -> Vec<usize> {
        let lines = lines.iter();
        lines
            .map(|line| push_new(&mut self.errors, line, MAX_ERRORS))
            .collect()
    }

    /// Notes that a run printed errors. What an earlier run waited for may come later than theirs.
    fn add_run_errors(&mut self, run: Option<usize>, errors: Vec<usize>) {
        let Some(run) = run.filter(|run| *run < self.runs.len()) else {
            return;
        };
        for error in errors.into_iter().filter(|error| *error < MAX_ERRORS) {
            let entry = RunError { run, error };
            if let Err(at) = self.run_errors.binary_search(&entry) {
                self.run_errors.insert(at, entry);
            }
        }
    }

    fn add_run(&mut self, command: &str, call: &ToolCall) {
        let command = push_new(&mut self.commands, command, MAX_ITEMS);
        let run = CommandRunEntry {
            command,
            status: call.status,
            changes_before: self.changes.len(),
        };
        push_entry(&mut self.runs, run);
    }

    fn add_file(&mut self, file: &str, call: &ToolCall) {
        let entry = FileEntry {
            file: push_new(&mut self.files, file, MAX_ITEMS),
            access: call.file_access(),
            failed: call.status != CallStatus::Done,
        };
        match entry.access {
            FileAccess::Read => push_entry(&mut self.reads, entry),
            FileAccess::Edited | FileAccess::Written => push_entry(&mut self.changes, entry),
        }
    }

    /// Sets the status of a call of this turn that was delivered before its result.
    fn set_delivered_status(&mut self, call: DeliveredCall, status: CallStatus) {
        if let Some(run) = call.run.and_then(|run| self.runs.get_mut(run as usize)) {
            run.status = run.status.max(status);
        }
        let changes = self.changes.iter_mut().skip(call.first_change as usize);
        let reads = self.reads.iter_mut().skip(call.first_read as usize);
        let changes = changes.take(call.change_count as usize);
        let entries = changes.chain(reads.take(call.read_count as usize));
        entries.for_each(|entry| entry.failed = status != CallStatus::Done);
    }
}

/// The accesses to a file.
#[derive(Clone, Copy, Default)]
struct AccessSummary {
    greatest: Option<FileAccess>,
    has_failed: bool,
}

impl AccessSummary {
    fn add(&mut self, entry: &FileEntry) {
        if entry.failed {
            self.has_failed = true
        } else {
            self.greatest = self.greatest.max(Some(entry.access))
        }
    }

    /// Returns the greatest access that succeeded. A file without any entry was read: the
    /// lists of entries are limited.
    fn greatest(self) -> Option<FileAccess> {
        self.greatest
            .or((!self.has_failed).then_some(FileAccess::Read))
    }
}

fn push_entry<T>(entries: &mut Vec<T>, entry: T) {
    if entries.len() < MAX_ENTRIES {
        entries.push(entry);
    }
}

/// Returns the index of an item in a list without duplicates, appended if it is new; `limit` where the
/// list is full.
fn push_new(list: &mut Vec<String>, item: &str, limit: usize) -> usize {
    let item = normalize_searchable(item);
    if let Some(at) = list.iter().position(|have| *have == item) {
        return at;
    }
    if item.is_empty() || list.len() >= limit {
        return limit;
    }
    list.push(item.into_owned());
    list.len() - 1
}

#[cfg(test)]
mod tests;
