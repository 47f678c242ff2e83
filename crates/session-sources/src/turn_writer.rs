//! Events that a line of a history holds, on their way to a turn.

use crate::attached_files::append_file_names;
use crate::blank_lines::trim_blank_lines;
use crate::call_result::{CallResult, clipped, kept_output, opened_pull_requests};
use crate::calls::PendingCall;
use crate::project::{PATH_LIMIT, set_directory};
use crate::reminder;
use crate::turn_assembler::{LinePosition, TurnAssembler};
use crate::user_text::PromptText;
use session_core::{
    CallDialog, CallStatus, PromptKind, ReadDetail, SessionMeta, TokenTotals, ToolCall, Turn,
    TurnPart, TurnSpan, resolve_path, text,
};

/// Longest title of a session, in bytes.
const TITLE_LIMIT: usize = 400;

/// Takes what one line of a history records, in the order in which it happened: prompts open turns,
/// all else belongs to the turn at hand.
///
/// Texts are trimmed and cut to what a turn holds; what is empty is passed over. Reasoning, notices
/// and summaries are kept only where a turn is shown, and of an output its error lines alone where
/// it is not.
#[derive(Debug)]
pub struct TurnWriter<'a> {
    /// The session, as it is known so far.
    pub session: &'a mut SessionMeta,
    turns: &'a mut TurnAssembler,
    span: TurnSpan,
    ms: Option<i64>,
    message: Option<String>,
}

/// The result of a call, as a history has it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallOutcome {
    /// Id of the call.
    pub id: String,
    /// All that it gave back.
    pub output: String,
    /// How the call ended.
    pub status: CallStatus,
    /// Session id of the subagent that the call started.
    pub subagent: Option<String>,
    /// The user's words in it: answers to questions, or what to do instead.
    pub reply: Option<String>,
}

impl<'a> TurnWriter<'a> {
    pub(crate) fn new(
        turns: &'a mut TurnAssembler,
        session: &'a mut SessionMeta,
        span: TurnSpan,
    ) -> Self {
        Self {
            session,
            turns,
            span,
            ms: None,
            message: None,
        }
    }

    /// Sets the time of the line, in milliseconds since 1970.
    pub fn set_time(&mut self, ms: Option<i64>) {
        self.ms = ms;
    }

    /// Sets the id of the message that the line holds. It has to be the same in all copies of a
    /// history: a turn that begins with it is known by it.
    pub fn set_message(&mut self, id: &str) {
        self.message = (!id.is_empty()).then(|| id.to_owned());
    }

    /// Notes a working directory; the session's is the first, and so is its project.
    pub fn set_directory(&mut self, path: &str) {
        if self.session.cwd.is_none() {
            set_directory(self.session, path);
        }
    }

    /// Notes the branch from here on.
    pub fn set_branch(&mut self, branch: &str) {
        if !branch.is_empty() && self.session.branch.as_deref() != Some(branch) {
            self.session.branch = Some(text::clip(branch, PATH_LIMIT).to_owned());
        }
    }

    /// Notes a title; an empty one takes the title away.
    pub fn set_title(&mut self, title: &str) {
        self.session.title = session_title(title);
    }

    /// Opens a turn with words of the user: typed, or a command such as `/init` or `!ls`. In the
    /// session of a subagent a model wrote them.
    pub fn prompt(&mut self, kind: PromptKind, words: &str) {
        self.prompt_with_files(kind, words, &[]);
    }

    /// Opens a turn as [`prompt`](Self::prompt) does, with words to which files of these names were attached.
    pub fn prompt_with_files(&mut self, kind: PromptKind, words: &str, files: &[&str]) {
        let words = clipped(reminder::strip(words).trim());
        let typed_bytes = (!files.is_empty()).then_some(words.len());
        let text = append_file_names(words, files.iter().copied());
        if text.is_empty() {
            return;
        }
        let prompt = PromptText { text, typed_bytes };
        let kind = kind.in_session(self.session.parent.is_some());
        self.with_position(|turns, position| turns.begin_turn(kind, prompt, position));
    }

    /// Adds words of the agent to the user.
    pub fn text(&mut self, words: &str) {
        self.part(words, |text| TurnPart::Text { text });
    }

    /// Adds the agent's reasoning.
    pub fn thinking(&mut self, words: &str) {
        self.part(words, |text| TurnPart::Thinking { text });
    }

    /// Adds words of the program: an interruption, a command's output, news.
    pub fn notice(&mut self, words: &str) {
        self.part(words, |text| TurnPart::Notice { text });
    }

    /// Adds an error that ended an answer.
    pub fn error(&mut self, words: &str) {
        self.part(words, |text| TurnPart::Error { text });
    }

    /// Adds the summary with which the agent went on after a compaction.
    pub fn summary(&mut self, words: &str) {
        self.part(words, |text| TurnPart::Summary { text });
    }

    /// Adds a call; see [`ToolTable::call`](crate::ToolTable::call). Of one without an id no result
    /// will be known. Its files are those from the session's working directory.
    pub fn call(&mut self, mut call: ToolCall) {
        let cwd = self.session.cwd.as_deref();
        call.files = call
            .files
            .into_iter()
            .map(|path| resolve_path(cwd, path))
            .collect();
        if self.detail() == ReadDetail::Index {
            call.input = serde_json::Value::Null;
        }
        call.command = call.command.map(|command| clipped(&command));
        self.with_position(|turns, position| {
            if call.id.is_empty() {
                turns.complete_call(call, position)
            } else {
                turns.call(call, position)
            }
        });
    }

    /// Adds the result of a call, which is joined to it by its id, also where other prompts came
    /// between them, or the call came in an earlier read.
    pub fn result(&mut self, outcome: CallOutcome) {
        let waiting = self.turns.take_waiting(&outcome.id);
        self.join(outcome, waiting);
    }

    /// Adds the outcome so far of a call that still runs, or the outcome that another line records. Nothing is
    /// added if the call's result was read before.
    pub fn interim_result(&mut self, outcome: CallOutcome) {
        let waiting = self.turns.note_interim(&outcome.id, outcome.status);
        if waiting.is_some() {
            self.join(outcome, waiting);
        }
    }

    fn join(&mut self, outcome: CallOutcome, waiting: Option<PendingCall>) {
        let detail = self.turns.detail_of(waiting.as_ref());
        let opens_pull_request = waiting.as_ref().is_some_and(|call| call.opens_pull_request);
        let output = reminder::strip(&outcome.output);
        let result = CallResult {
            output: kept_output(trim_blank_lines(&output), outcome.status, detail),
            pull_requests: if opens_pull_request {
                opened_pull_requests(&output)
            } else {
                Vec::new()
            },
            status: outcome.status,
            subagent: outcome.subagent,
            reply: outcome.reply.filter(|reply| !reply.trim().is_empty()),
            id: outcome.id,
        };
        self.with_position(|turns, position| turns.result(result, waiting, position));
    }

    /// Adds a question to the user that is put by other means than a call.
    pub fn dialog(&mut self, question: Option<String>, reply: Option<String>) {
        let call = ToolCall {
            name: "AskUserQuestion".to_owned(),
            dialog: CallDialog::new(question, reply),
            ..ToolCall::default()
        };
        self.with_position(|turns, position| turns.complete_call(call, position));
    }

    /// Notes the model that answers.
    pub fn model(&mut self, name: &str) {
        self.with_turn(|turn| turn.turn_stats.add_model(name));
    }

    /// Counts tokens.
    pub fn tokens(&mut self, tokens: TokenTotals) {
        self.with_turn(|turn| turn.turn_stats.tokens += tokens);
    }

    /// Notes that the line belongs to the turn at hand, which lasted until its time.
    pub fn touch(&mut self) {
        self.with_turn(|_| ());
    }

    /// Returns how much is kept of the turn at hand.
    pub fn detail(&self) -> ReadDetail {
        self.turns.detail()
    }

    fn part(&mut self, words: &str, part: impl FnOnce(String) -> TurnPart) {
        let words = words.trim();
        if !words.is_empty() {
            let part = part(clipped(words));
            self.with_position(|turns, position| turns.part(part, position));
        }
    }

    fn with_turn(&mut self, change: impl FnOnce(&mut Turn)) {
        self.with_position(|turns, position| {
            if let Some(turn) = turns.extend(position) {
                change(turn);
            }
        });
    }

    fn with_position(&mut self, then: impl FnOnce(&mut TurnAssembler, &LinePosition<'_>)) {
        if self.turns.branch != self.session.branch {
            self.turns.branch.clone_from(&self.session.branch);
        }
        let message = self.message.as_deref();
        let position = LinePosition {
            span: self.span,
            ms: self.ms,
            uuid: message,
            origin: message,
            is_message: message.is_some(),
        };
        then(self.turns, &position);
    }
}

/// Returns a title as a session keeps it; `None` for an empty one.
pub(crate) fn session_title(title: &str) -> Option<String> {
    let title = text::clip_words(title.trim(), TITLE_LIMIT);
    (!title.is_empty()).then(|| title.to_owned())
}
