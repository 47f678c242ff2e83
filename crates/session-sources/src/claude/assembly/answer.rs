//! Answers, calls and results of the agent.

use super::Assembly;
use crate::call_result::{CallResult, clipped};
use crate::claude::background::TaskEnd;
use crate::claude::call;
use crate::claude::entry::{ContentBlock, EntryMessage, TranscriptEntry, Usage};
use crate::claude::reply::{self, BlockNovelty};
use crate::turn_assembler::{LinePosition, TurnState};
use crate::user_text;
use crate::written_files::add_written_files;
use session_core::{CallStatus, ReadDetail, TokenTotals, ToolCall, TurnPart};

/// The model of what the program says in an answer's place.
const PROGRAM: &str = "<synthetic>";

impl Assembly<'_> {
    pub(super) fn assistant(&mut self, entry: &TranscriptEntry<'_>, position: &LinePosition<'_>) {
        let message = &entry.message;
        if entry.is_api_error_message.0 || message.model.get() == Some(PROGRAM) {
            return self.notice(&message.content.words(), position);
        }
        let blocks = &message.content.0;
        let novelties = self.state.reply.classify_blocks(message.id.get(), blocks);
        for (block, novelty) in blocks.iter().zip(novelties) {
            match novelty {
                BlockNovelty::New => self.block(block, entry, position),
                BlockNovelty::Repeated => {}
                BlockNovelty::Extended(earlier) => self.extend_block(block, earlier, position),
            }
        }
        if self.turns.extend(position).is_some() {
            let usage = message.usage.0.as_ref().map(Usage::tokens);
            let news = usage.map(|so_far| self.state.reply.count(so_far));
            self.add_usage(message, news);
        }
    }

    /// Adds the model of a line, and its tokens as far as they are news.
    fn add_usage(&mut self, message: &EntryMessage<'_>, news: Option<TokenTotals>) {
        if let Some(turn) = self.turns.open_turn() {
            turn.turn_stats.add_model(message.model.or_empty());
            turn.turn_stats.tokens += news.unwrap_or_default();
        }
    }

    /// Adds the model and tokens of a subagent's line in its parent's file.
    pub(super) fn sidechain_usage(
        &mut self,
        message: &EntryMessage<'_>,
        position: &LinePosition<'_>,
    ) {
        let is_answer = message.model.get() != Some(PROGRAM);
        let Some(usage) = message.usage.0.as_ref().filter(|_| is_answer) else {
            return;
        };
        if self.turns.extend(position).is_some() {
            let replies = &mut self.state.sidechain_replies;
            let news = replies.count(message.id.get(), usage.tokens());
            self.add_usage(message, Some(news));
        }
    }

    fn block(
        &mut self,
        block: &ContentBlock<'_>,
        entry: &TranscriptEntry<'_>,
        position: &LinePosition<'_>,
    ) {
        match block.kind.or_empty() {
            "text" | "thinking" => self.add_text(block, position),
            "tool_use" | "server_tool_use" => self.call(block, entry, position),
            kind if kind.ends_with("_tool_result") => self.result(block, entry, position),
            _ => {}
        }
    }

    /// Adds the calls of a subagent's line in its parent's file, and their results.
    pub(super) fn sidechain_calls(
        &mut self,
        entry: &TranscriptEntry<'_>,
        position: &LinePosition<'_>,
    ) {
        for block in &entry.message.content.0 {
            let known = block.id.get().is_some_and(|id| self.turns.has_call(id));
            match block.kind.or_empty() {
                "tool_use" if !known => self.call(block, entry, position),
                "tool_result" => self.result(block, entry, position),
                _ => {}
            }
        }
    }

    fn add_text(&mut self, block: &ContentBlock<'_>, position: &LinePosition<'_>) {
        let words = reply::words(block);
        if !words.is_empty() {
            self.turns.part(text_part(block, words), position);
        }
    }

    /// Puts a longer state of a block in the position of the shorter. Where that
    /// one was delivered already, the rest follows as a part of its own, from
    /// the beginning of a word that was cut.
    fn extend_block(
        &mut self,
        block: &ContentBlock<'_>,
        earlier: usize,
        position: &LinePosition<'_>,
    ) {
        let whole = reply::words(block);
        let Some(begin) = whole.get(..earlier) else {
            return;
        };
        let rest = &whole[word_start(whole, earlier)..];
        let shorter = text_part(block, begin);
        let turn = self.turns.open_turn();
        let mut parts = turn
            .into_iter()
            .flat_map(|turn| turn.parts.iter_mut().rev());
        match parts.find(|part| **part == shorter) {
            Some(part) => *part = text_part(block, whole),
            None => self.turns.part(text_part(block, rest.trim()), position),
        }
    }

    fn call(
        &mut self,
        block: &ContentBlock<'_>,
        entry: &TranscriptEntry<'_>,
        position: &LinePosition<'_>,
    ) {
        let mut call = call::parse_call(block, self.turns.detail());
        add_written_files(&mut call, entry.cwd.or_empty());
        self.turns.call(call, position);
    }

    /// Adds the command that the user ran as a call of the turn that it began.
    pub(super) fn shell_escape(&mut self, command: String, position: &LinePosition<'_>) {
        let call = ToolCall {
            name: "Bash".into(),
            command: Some(command),
            ..ToolCall::default()
        };
        self.turns.complete_call(call, position);
    }

    pub(super) fn results(&mut self, entry: &TranscriptEntry<'_>, position: &LinePosition<'_>) {
        for block in &entry.message.content.0 {
            if block.kind.get() == Some("tool_result") {
                self.result(block, entry, position);
            }
        }
    }

    fn result(
        &mut self,
        block: &ContentBlock<'_>,
        entry: &TranscriptEntry<'_>,
        position: &LinePosition<'_>,
    ) {
        let (id, whole) = (block.tool_use_id.or_empty(), &entry.tool_use_result);
        let waiting = match whole.background_task_id.get() {
            Some(task) => {
                self.state.background.note(task, id);
                self.turns.note_interim(id, CallStatus::Unfinished)
            }
            None => self.turns.take_waiting(id),
        };
        let opens_pull_request = waiting.as_ref().is_some_and(|call| call.opens_pull_request);
        let result = call::parse_result(
            block,
            entry,
            opens_pull_request,
            self.turns.detail(),
            &self.results,
        );
        self.turns.result(result, waiting, position);
        if let Some(end) = TaskEnd::from_result(whole) {
            let is_failed = end.status.is_failed();
            let errors = is_failed
                .then(|| call::collect_task_errors(block))
                .flatten();
            self.end_task(&end, errors, position);
        }
    }

    /// Ends the background tasks that a text of the program reports.
    pub(super) fn end_tasks(&mut self, text: &str, position: &LinePosition<'_>) {
        for end in TaskEnd::list(text) {
            self.end_task(&end, None, position);
        }
    }

    /// Adds what a report of the program says of background tasks that failed, as errors of the turn. A report
    /// stands in the transcript when it is put into the queue, and mostly once more when the agent gets it. One before the
    /// first turn is of another session's work: a fork repeats the session below it.
    pub(super) fn report_failures(&mut self, text: &str, position: &LinePosition<'_>) {
        let is_before_first = self.turns.progress.turn_state == TurnState::Before;
        if is_before_first || !user_text::begins_with_report(text) {
            return;
        }
        for end in TaskEnd::list(text) {
            let failure = end.failure();
            if let Some(text) = failure.filter(|text| !self.state.failures.repeats(text)) {
                let text = clipped(text);
                self.turns.part(TurnPart::Error { text }, position);
            }
        }
    }

    /// Joins the end of a background task, and the error lines that it printed, to its call.
    fn end_task(&mut self, end: &TaskEnd, errors: Option<String>, position: &LinePosition<'_>) {
        let Some(id) = self.state.background.take(end) else {
            return;
        };
        let waiting = self.turns.take_waiting(&id);
        let output = errors.filter(|_| self.turns.detail() == ReadDetail::Index);
        let result = CallResult {
            output,
            ..CallResult::new(id, end.status)
        };
        self.turns.result(result, waiting, position);
    }
}

/// Words as a part of the kind of a block.
fn text_part(block: &ContentBlock<'_>, words: &str) -> TurnPart {
    let text = words.to_owned();
    match block.kind.get() {
        Some("thinking") => TurnPart::Thinking { text },
        _ => TurnPart::Text { text },
    }
}

/// Longest part of a word that is delivered twice, in bytes.
const WORD_BYTES: usize = 64;

/// Returns where the word begins that a cut at an offset of a text would divide; the offset where it divides none.
fn word_start(text: &str, cut: usize) -> usize {
    let (begin, rest) = text.split_at(cut);
    let last_word = begin.rsplit(char::is_whitespace).next().unwrap_or_default();
    if rest.starts_with(char::is_whitespace) || last_word.len() > WORD_BYTES {
        cut
    } else {
        cut - last_word.len()
    }
}
