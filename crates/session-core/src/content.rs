//! What of a turn is kept and searched.

use crate::session::{Late, Part, TEXT_LIMIT, ToolCall, Turn};
use crate::tally::{Run, Tally, Touch};
use crate::text;
use serde::{Deserialize, Serialize};

/// The searchable words of a turn, field by field, and the facts that reports
/// are made of: what the store keeps. The lexical index reads the words alone.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnContent {
    /// The user's words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prompt: String,
    /// The agent's words, its messages joined by blank lines.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub answer: String,
    /// Offset in `answer` of the agent's last message: what it says in closing.
    #[serde(rename = "a", default, skip_serializing_if = "is_default")]
    pub closing: usize,
    /// Shell commands, in order, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<String>,
    /// Files named by calls, in order, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Error lines of outputs, in order, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<String>,
    /// Names of the tools used, in order, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// What it took.
    #[serde(rename = "t", default, skip_serializing_if = "is_default")]
    pub tally: Tally,
    /// What [`runs`](Self::runs) reads: twice the place of the command in
    /// `commands`, one more when it failed. Empty while each command ran once
    /// and none failed.
    #[serde(rename = "r", default, skip_serializing_if = "Vec::is_empty")]
    pub run_log: Vec<u32>,
    /// What [`touched`](Self::touched) reads: four times the place of the file
    /// in `files`, two more when it was written whole, one more when that failed.
    #[serde(rename = "c", default, skip_serializing_if = "Vec::is_empty")]
    pub change_log: Vec<u32>,
    /// The reads of files in order: twice the place of the file in `files`, one more when it
    /// failed. Contents of older versions have none.
    #[serde(rename = "f", default, skip_serializing_if = "Vec::is_empty")]
    pub read_log: Vec<u32>,
    /// Which of [`runs`](Self::runs) never ended, counted from 0.
    #[serde(rename = "u", default, skip_serializing_if = "Vec::is_empty")]
    pub unfinished_runs: Vec<u32>,
}

/// Most different commands, files and tools of one turn: far beyond what an agent does in one.
const LIST_LIMIT: usize = 4_000;
/// Most runs, most changes and most reads of one turn.
const LOG_LIMIT: usize = 20_000;
const ERROR_LIMIT: usize = 60;

impl TurnContent {
    /// Takes from a turn what is worth keeping.
    pub fn of(turn: &Turn) -> Self {
        let mut content = Self {
            prompt: text::clip(&turn.prompt, TEXT_LIMIT).to_owned(),
            tally: turn.tally.clone(),
            ..Self::default()
        };
        for part in &turn.parts {
            content.add(part);
        }
        content
    }

    /// Appends what a later read found of the same turn. Splitting a turn at
    /// any part and appending gives the same content as reading it whole.
    pub fn append(&mut self, more: &Turn) {
        self.tally.add(&more.tally);
        for part in &more.parts {
            self.add(part);
        }
    }

    /// The commands in the order in which they ran, each as often as it did.
    pub fn runs(&self) -> impl Iterator<Item = Run<'_>> {
        let plain = (0..self.commands.len()).map(|at| (at, false));
        let logged = self.run_log.iter().map(|run| (run / 2, run % 2 == 1));
        let logged = logged.map(|(at, failed)| (at as usize, failed));
        let plain = plain.filter(|_| self.run_log.is_empty());
        let numbered = (0u32..).zip(plain.chain(logged));
        numbered.filter_map(|(run, (at, failed))| {
            let command = self.commands.get(at)?;
            Some(Run {
                command,
                failed,
                unfinished: self.unfinished_runs.contains(&run),
            })
        })
    }

    /// The files in the order in which they were first named, each with the
    /// most that was done to it. What failed was not done: a file of which every
    /// read and change failed is left out.
    pub fn touched(&self) -> impl Iterator<Item = (&str, Touch)> {
        let mut touches = vec![Touched::default(); self.files.len()];
        let changes = self.change_log.iter().map(|change| {
            let touch = match change & 2 {
                0 => Touch::Edited,
                _ => Touch::Written,
            };
            (change / 4, touch, change % 2 == 1)
        });
        let reads = self.read_log.iter();
        let reads = reads.map(|read| (read / 2, Touch::Read, read % 2 == 1));
        for (at, touch, failed) in changes.chain(reads) {
            if let Some(touched) = touches.get_mut(at as usize) {
                touched.add(touch, failed);
            }
        }
        let files = self.files.iter().map(String::as_str).zip(touches);
        files.filter_map(|(file, touched)| Some((file, touched.most()?)))
    }

    /// True when there is nothing that a person could search for.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn add(&mut self, part: &Part) {
        match part {
            Part::Text { text } | Part::Recap { text } => self.add_answer(text),
            Part::Call(call) => self.add_call(call),
            Part::Error { text } => self.add_errors(text, true),
            Part::Thinking { .. } | Part::Notice { .. } | Part::Summary { .. } => {}
        }
    }

    /// The agent's last message.
    pub fn closing_answer(&self) -> &str {
        self.answer.get(self.closing..).unwrap_or(&self.answer)
    }

    /// Appends a message of the agent.
    pub fn add_answer(&mut self, words: &str) {
        let words = words.trim();
        if words.is_empty() || self.answer.len() >= TEXT_LIMIT {
            return;
        }
        if !self.answer.is_empty() {
            self.answer.push_str("\n\n");
        }
        self.closing = self.answer.len();
        let room = TEXT_LIMIT.saturating_sub(self.answer.len());
        self.answer.push_str(text::clip(words, room));
    }

    /// Appends words of the user that are not the turn's prompt.
    fn add_reply(&mut self, words: &str) {
        let words = words.trim();
        if words.is_empty() || self.prompt.len() >= TEXT_LIMIT {
            return;
        }
        if !self.prompt.is_empty() {
            self.prompt.push_str("\n\n");
        }
        let room = TEXT_LIMIT.saturating_sub(self.prompt.len());
        self.prompt.push_str(text::clip(words, room));
    }

    fn add_call(&mut self, call: &ToolCall) {
        if call.name != ToolCall::PATCH {
            push_new(&mut self.tools, &call.name, LIST_LIMIT);
        }
        if let Some(dialog) = &call.dialog {
            self.add_answer(dialog.question.as_deref().unwrap_or_default());
            self.add_reply(dialog.reply.as_deref().unwrap_or_default());
        }
        if call.command.as_deref().is_some_and(|c| !c.is_empty()) && call.run().is_none() {
            return; // our own hits in a transcript would find themselves
        }
        if let Some(late) = call.late.as_deref().filter(|_| call.failed) {
            self.fail(*late);
        }
        if let Some(command) = call.run() {
            self.add_run(&command, call);
        }
        for file in &call.files {
            self.add_file(file, call);
        }
        for address in &call.pull_requests {
            self.tally.add_pull_request(address);
        }
        if let Some(output) = call.output.as_deref().filter(|_| call.reports_errors()) {
            self.add_errors(output, call.failed);
        }
    }

    fn add_errors(&mut self, output: &str, failed: bool) {
        for line in text::error_lines(output, failed) {
            push_new(&mut self.errors, line, ERROR_LIMIT);
        }
    }

    fn add_run(&mut self, command: &str, call: &ToolCall) {
        let known = self.commands.len();
        let at = push_new(&mut self.commands, command, LIST_LIMIT);
        if call.unfinished {
            let run = match self.run_log.len() {
                0 => known,
                runs => runs,
            };
            log(&mut self.unfinished_runs, number(run));
        }
        if self.run_log.is_empty() && !call.failed && at == known && at < LIST_LIMIT {
            return;
        }
        self.log_runs(known);
        log(&mut self.run_log, 2 * number(at) + u32::from(call.failed));
    }

    /// Writes down that the first commands ran once each, if nothing is yet.
    fn log_runs(&mut self, commands: usize) {
        if self.run_log.is_empty() {
            self.run_log.extend((0..number(commands)).map(|at| 2 * at));
        }
    }

    fn add_file(&mut self, file: &str, call: &ToolCall) {
        let at = push_new(&mut self.files, file, LIST_LIMIT);
        let failed = u32::from(call.failed || call.unfinished);
        match call.touch() {
            Touch::Read => log(&mut self.read_log, 2 * number(at) + failed),
            Touch::Edited => log(&mut self.change_log, 4 * number(at) + failed),
            Touch::Written => log(&mut self.change_log, 4 * number(at) + 2 + failed),
        }
    }

    /// A call of this turn was told before its result: it failed.
    fn fail(&mut self, call: Late) {
        if let Some(run) = call.run {
            self.log_runs(self.commands.len());
            let run = self.run_log.get_mut(run as usize);
            run.into_iter().for_each(|run| *run |= 1);
        }
        let changes = self.change_log.iter_mut().skip(call.change as usize);
        let changes = changes.take(call.changes as usize);
        let reads = self.read_log.iter_mut().skip(call.read as usize);
        let failed = changes.chain(reads.take(call.reads as usize));
        failed.for_each(|entry| *entry |= 1);
    }
}

/// What was done to a file, as far as the logs tell.
#[derive(Clone, Copy, Default)]
struct Touched {
    most: Option<Touch>,
    failed: bool,
}

impl Touched {
    fn add(&mut self, touch: Touch, failed: bool) {
        match failed {
            true => self.failed = true,
            false => self.most = self.most.max(Some(touch)),
        }
    }

    /// The most that was done. A file without any entry was read, in a content that logs no reads.
    fn most(self) -> Option<Touch> {
        self.most.or((!self.failed).then_some(Touch::Read))
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fn number(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX / 4)
}

fn log(list: &mut Vec<u32>, entry: u32) {
    if list.len() < LOG_LIMIT {
        list.push(entry);
    }
}

/// The place of an item in a list of which each is there once. What the list
/// has no room for is `limit`, where nothing is.
fn push_new(list: &mut Vec<String>, item: &str, limit: usize) -> usize {
    if let Some(at) = list.iter().position(|have| have == item) {
        return at;
    }
    if item.is_empty() || list.len() >= limit {
        return limit;
    }
    list.push(item.to_owned());
    list.len() - 1
}

#[cfg(test)]
mod tests;
