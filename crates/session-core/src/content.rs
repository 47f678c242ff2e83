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
mod tests {
    use super::*;
    use crate::{Dialog, PromptKind, Tokens};
    use proptest::prelude::*;

    fn turn(parts: Vec<Part>) -> Turn {
        Turn {
            kind: PromptKind::Typed,
            prompt: String::new(),
            parts,
            tally: Tally {
                tokens: Tokens::from([1, 2, 3]),
                ..Tally::default()
            },
            ..Turn::default()
        }
    }

    fn bash(command: &str, failed: bool) -> Part {
        Part::Call(ToolCall {
            name: "Bash".into(),
            command: Some(command.into()),
            failed,
            ..ToolCall::default()
        })
    }

    fn tool(name: &str, file: &str, failed: bool) -> Part {
        Part::Call(ToolCall {
            name: name.into(),
            files: vec![file.into()],
            failed,
            ..ToolCall::default()
        })
    }

    fn runs(content: &TurnContent) -> Vec<(&str, bool)> {
        content
            .runs()
            .map(|run| (run.command, run.failed))
            .collect()
    }

    #[test]
    fn commands_are_told_in_order_with_how_they_ended() {
        let plain = TurnContent::of(&turn(vec![bash("make", false), bash("make run", false)]));
        assert_eq!(runs(&plain), [("make", false), ("make run", false)]);
        assert!(plain.run_log.is_empty(), "costs nothing");
        let again = TurnContent::of(&turn(vec![
            bash("make", true),
            bash("session-search search make", false),
            bash("vi main.c", false),
            bash("make", false),
        ]));
        assert_eq!(
            runs(&again),
            [("make", true), ("vi main.c", false), ("make", false)]
        );
        assert_eq!(again.commands, ["make", "vi main.c"]);
    }

    #[test]
    fn files_are_told_with_the_most_that_was_done() {
        let content = TurnContent::of(&turn(vec![
            tool("Read", "a", false),
            tool("Edit", "a", false),
            tool("Edit", "b", true),
            tool("Write", "c", false),
            tool("Edit", "c", false),
            tool("", "d", false),
        ]));
        let touched: Vec<_> = content.touched().collect();
        let expected = [
            ("a", Touch::Edited),
            ("c", Touch::Written),
            ("d", Touch::Edited),
        ];
        assert_eq!(touched, expected);
        assert_eq!(content.files, ["a", "b", "c", "d"], "all are named");
    }

    #[test]
    fn a_change_that_failed_is_none() {
        let content = TurnContent::of(&turn(vec![
            tool("Read", "read before", false),
            tool("Edit", "read before", true),
            tool("Write", "read after", true),
            tool("Read", "read after", false),
            tool("Edit", "at last", true),
            tool("Edit", "at last", false),
            tool("ApplyPatch", "never", true),
            tool("Edit", "never", true),
        ]));
        let touched: Vec<_> = content.touched().collect();
        let expected = [
            ("read before", Touch::Read),
            ("read after", Touch::Read),
            ("at last", Touch::Edited),
        ];
        assert_eq!(touched, expected);
    }

    #[test]
    fn what_never_ended_is_unfinished() {
        let killed = |part: Part| match part {
            Part::Call(call) => Part::Call(ToolCall {
                unfinished: true,
                ..call
            }),
            other => other,
        };
        let content = TurnContent::of(&turn(vec![
            bash("make", false),
            killed(bash("sleep 60", false)),
            bash("make", true),
            killed(bash("make", false)),
            killed(tool("Edit", "a", false)),
        ]));
        let runs: Vec<_> = content
            .runs()
            .map(|run| (run.command, run.failed, run.unfinished))
            .collect();
        let expected = [
            ("make", false, false),
            ("sleep 60", false, true),
            ("make", true, false),
            ("make", false, true),
        ];
        assert_eq!(runs, expected);
        assert_eq!(content.touched().count(), 0);
    }

    #[test]
    fn errors_of_answers_are_kept_with_those_of_outputs() {
        let error = Part::Error {
            text: "APIError: overloaded".into(),
        };
        let content = TurnContent::of(&turn(vec![error]));
        assert_eq!(content.errors, ["APIError: overloaded"]);
    }

    #[test]
    fn a_list_of_changed_files_is_no_tool() {
        let content = TurnContent::of(&turn(vec![tool(ToolCall::PATCH, "a", false)]));
        assert_eq!(content.touched().next(), Some(("a", Touch::Edited)));
        assert_eq!(content.tools, [""; 0]);
    }

    #[test]
    fn what_failed_was_not_done() {
        let content = TurnContent::of(&turn(vec![
            tool("Read", "a", true),
            tool("Read", "b", true),
            tool("Read", "b", false),
            tool("Read", "c", false),
            tool("Edit", "c", true),
        ]));
        let touched: Vec<_> = content.touched().collect();
        assert_eq!(touched, [("b", Touch::Read), ("c", Touch::Read)]);
        assert_eq!(content.files, ["a", "b", "c"], "all are searched");
        let older = TurnContent {
            files: vec!["a".into()],
            ..TurnContent::default()
        };
        assert_eq!(older.touched().next(), Some(("a", Touch::Read)));
    }

    #[test]
    fn questions_and_replies_are_said() {
        let asked = ToolCall {
            name: "AskUserQuestion".into(),
            dialog: Dialog::of(
                Some("Which port?".into()),
                Some("8443, behind the proxy".into()),
            ),
            ..ToolCall::default()
        };
        let mut content = TurnContent::of(&turn(vec![Part::Call(asked)]));
        assert_eq!(content.prompt, "8443, behind the proxy");
        assert_eq!(content.answer, "Which port?");
        let later = ToolCall {
            dialog: Dialog::of(None, Some("no, 9443".into())),
            ..ToolCall::default()
        };
        content.append(&turn(vec![Part::Call(later)]));
        assert_eq!(content.prompt, "8443, behind the proxy\n\nno, 9443");
    }

    #[test]
    fn a_late_result_finds_its_call() {
        let calls = [
            bash("make", false),
            tool("Edit", "a", false),
            bash("make", false),
        ];
        let mut content = TurnContent::of(&turn(calls.to_vec()));
        let late = |late: Late| {
            turn(vec![Part::Call(ToolCall {
                failed: true,
                late: Some(Box::new(late)),
                ..ToolCall::default()
            })])
        };
        let run = Late {
            run: Some(1),
            ..Late::default()
        };
        let change = Late {
            changes: 1,
            ..Late::default()
        };
        content.append(&late(run));
        content.append(&late(change));
        assert_eq!(runs(&content), [("make", false), ("make", true)]);
        assert_eq!(content.touched().next(), None);
        assert_eq!(content.tally.tokens, Tokens::from([3, 6, 9]));
    }

    #[test]
    fn a_pause_is_not_worked_through() {
        let (mut tally, mut clock) = (Tally::default(), None);
        let minute = 60_000;
        for at in [Some(0), Some(20), None, Some(10), Some(51), Some(80)] {
            tally.tick(&mut clock, at.map(|at| at * minute));
        }
        assert_eq!(tally.idle_ms, 31 * minute);
    }

    proptest! {
        /// Splitting a turn at any part and appending tells the same.
        #[test]
        fn pieces_add_up(calls in prop::collection::vec((0u8..4, "[a-c]", any::<bool>()), 0..12), at in 0usize..12) {
            let part = |(kind, name, failed): &(u8, String, bool)| match kind {
                0 => bash(name, *failed),
                1 => tool("Edit", name, *failed),
                2 => tool("Read", name, *failed),
                _ => tool("Write", name, *failed),
            };
            let parts: Vec<Part> = calls.iter().map(part).collect();
            let (first, rest) = parts.split_at(at.min(parts.len()));
            let mut pieces = TurnContent::of(&turn(first.to_vec()));
            pieces.append(&Turn { tally: Tally::default(), ..turn(rest.to_vec()) });
            prop_assert_eq!(pieces, TurnContent::of(&turn(parts)));
        }
    }
}
