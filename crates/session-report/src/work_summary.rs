//! Summary of the work in a session or in some of its turns: problem, solution, commands,
//! files, errors, pull requests, tokens and time.

use crate::active_time::{UncountedTime, compute_active_ms};
use crate::announcement::is_announcement;
use crate::prose_excerpt::excerpt_prose;
use crate::receipt::is_receipt;
use crate::task::{find_task, has_telling_prompt};
use indexmap::{IndexMap, IndexSet};
use serde::Serialize;
use session_core::shell::{git_subcommand, split_simple_commands, words_from_program};
use session_core::title::strip_plan_line;
use session_core::{
    AccessedFile, CallStatus, FileAccess, PromptKind, TokenTotals, TurnContent, prompt_content,
};
use session_store::{Reader, SessionId, StoreError, TurnRecord, TurnRow};

/// Maximum length of a problem, in characters.
const MAX_PROBLEM_CHARS: usize = 200;
/// Maximum length of a solution, in characters.
const MAX_SOLUTION_CHARS: usize = 280;

/// The turns whose work is summarized.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkScope {
    /// A whole session.
    Session {
        /// Index of the turn for which it was found.
        found: Option<u32>,
    },
    /// A turn, by its index in its session.
    Turn(u32),
}

/// The work done in some turns.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct WorkSummary {
    /// The first prompt that says what the work is about, truncated at a sentence.
    pub problem: Option<String>,
    /// The last closing answer that has content and, where there is one, that does more than announce the next step or
    /// confirm a commit; truncated at a sentence.
    pub solution: Option<String>,
    /// Commands in the order in which they ran.
    pub commands: Vec<CommandRun>,
    /// Number of the commands that failed since they searched and found nothing.
    #[serde(skip)]
    pub empty_searches: usize,
    /// Files in the order of their first access.
    pub files: Vec<AccessedFile>,
    /// Distinct error lines of tool outputs.
    pub errors: Vec<String>,
    /// Distinct URLs of pull requests that were opened or mentioned.
    pub pull_requests: Vec<String>,
    /// Distinct names of the models that answered.
    pub models: Vec<String>,
    /// Token counts, where the agent records them.
    pub tokens: TokenTotals,
    /// Branch of the last turn.
    pub branch: Option<String>,
    /// Time of the first message, in milliseconds since 1970.
    pub started_ms: Option<i64>,
    /// Time of the last message, in milliseconds since 1970.
    pub ended_ms: Option<i64>,
    /// Active time in milliseconds, without pauses.
    pub active_ms: i64,
    /// Number of turns, without those of subagents.
    pub turns: usize,
    /// Index of the turn that begins the task of which problem and solution are; `None` if they are of all turns.
    #[serde(skip)]
    pub task_turn: Option<u32>,
    /// Whether a typed prompt with content was answered.
    #[serde(skip)]
    pub has_typed_request: bool,
}

/// One run of a shell command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CommandRun {
    /// The command line.
    pub command: String,
    /// How it ended.
    #[serde(flatten)]
    pub status: CallStatus,
    /// Index of the turn in the session, from 0.
    pub turn: u32,
}

impl WorkSummary {
    /// Reads and summarizes the work of a session, or of one of its turns.
    ///
    /// # Errors
    /// When the index fails.
    pub fn read(index: &Reader, session: SessionId, scope: WorkScope) -> Result<Self, StoreError> {
        let is_in_scope = |turn: &TurnRow| match scope {
            WorkScope::Session { .. } => !turn.is_excluded(),
            WorkScope::Turn(index) => !turn.is_excluded() && turn.index == index,
        };
        let turns = index.turn_records(session, is_in_scope)?;
        Ok(match scope {
            WorkScope::Session { found } => Self::from_session(&turns, found),
            WorkScope::Turn(_) => Self::from_turns(&turns),
        })
    }

    /// Reads and summarizes the last task of a session, or all of one that holds a single task.
    ///
    /// # Errors
    /// When the index fails.
    pub fn read_last_task(index: &Reader, session: SessionId) -> Result<Self, StoreError> {
        let turns = index.turn_records(session, |turn| !turn.is_excluded())?;
        Ok(Self::from_last_task(&turns))
    }

    fn from_last_task(turns: &[TurnRecord]) -> Self {
        let last = turns.last().map(|turn| turn.row.index);
        let task = last.and_then(|last| find_task(turns, last));
        Self::from_turns(task.unwrap_or(turns))
    }

    /// Summarizes the turns of a session. Where it holds several tasks, the problem and the solution are those of the task
    /// of the turn that was found: the first prompt of a session and its last answer are seldom of one.
    fn from_session(turns: &[TurnRecord], found: Option<u32>) -> Self {
        let mut work = Self::from_turns(turns);
        if let Some(task) = found.and_then(|turn| find_task(turns, turn)) {
            work.problem = find_problem(task);
            work.solution = find_solution(task);
            work.task_turn = task.first().map(|turn| turn.row.index);
        }
        work
    }

    /// Summarizes the turns.
    pub fn from_turns(turns: &[TurnRecord]) -> Self {
        Self::from_own_and_subagents(turns, &[], &UncountedTime::default())
    }

    /// Summarizes the turns of a session, with the commands, files, errors, pull requests, models, tokens and time of its
    /// subagents, beside turns that are not counted.
    pub(crate) fn from_own_and_subagents(
        own: &[TurnRecord],
        subagents: &[TurnRecord],
        uncounted: &UncountedTime,
    ) -> Self {
        let branches = own.iter().rev().map(|turn| &turn.row.branch);
        let mut work = Self {
            problem: find_problem(own),
            has_typed_request: own.iter().any(is_answered_request),
            solution: find_solution(own),
            branch: branches.flatten().next().cloned(),
            turns: own.len(),
            active_ms: compute_active_ms(own.iter().chain(subagents), uncounted),
            ..Self::default()
        };
        let mut distinct = DistinctValues::default();
        for turn in own {
            work.add_recorded_work(turn, &mut distinct);
            distinct.add_mentions(&turn.content);
        }
        for turn in subagents {
            work.add_recorded_work(turn, &mut distinct);
        }
        distinct.move_into(&mut work);
        work
    }

    fn add_recorded_work(&mut self, turn: &TurnRecord, distinct: &mut DistinctValues) {
        let content = &turn.content;
        self.commands
            .extend(content.command_runs().map(|run| CommandRun {
                command: run.command.to_owned(),
                status: run.status,
                turn: turn.row.index,
            }));
        let runs = 0..content.runs.len();
        self.empty_searches += runs.filter(|run| content.found_nothing(*run)).count();
        distinct.add_recorded(content);
        self.tokens += content.turn_stats.tokens;
        let timestamp_ms = turn.row.timestamp_ms();
        self.started_ms = self.started_ms.into_iter().chain(timestamp_ms).min();
        self.ended_ms = self.ended_ms.max(turn.row.ended_ms.or(timestamp_ms));
    }

    /// Returns the files that were changed.
    pub fn changed_files(&self) -> impl Iterator<Item = &AccessedFile> {
        self.files
            .iter()
            .filter(|file| file.access != FileAccess::Read)
    }

    /// Returns true if a `git commit` succeeded.
    pub fn has_commit(&self) -> bool {
        let mut done = self
            .commands
            .iter()
            .filter(|run| run.status == CallStatus::Done);
        done.any(|run| commits(&run.command))
    }

    /// Counts the commands that ran, whatever came of them.
    pub fn ran_command_count(&self) -> usize {
        self.commands
            .iter()
            .filter(|run| run.status != CallStatus::NotRun)
            .count()
    }

    /// Counts the commands that failed, without searches that found nothing.
    pub fn failed_command_count(&self) -> usize {
        let failed = self.commands.iter().filter(|run| run.status.is_failed());
        failed.count().saturating_sub(self.empty_searches)
    }

    /// Returns true when no typed prompt was answered and nothing was done.
    pub fn is_empty(&self) -> bool {
        !self.has_typed_request
            && self.solution.is_none()
            && self.commands.is_empty()
            && self.files.is_empty()
    }
}

fn commits(command: &str) -> bool {
    let is_commit = |simple: &String| {
        let mut words = words_from_program(simple);
        words.next() == Some("git") && git_subcommand(words) == Some("commit")
    };
    // Most commands need not be parsed.
    command.contains("commit") && split_simple_commands(command).iter().any(is_commit)
}

/// Returns true for a turn of which a report says something.
pub fn is_reported(turn: &TurnRecord) -> bool {
    !WorkSummary::from_turns(std::slice::from_ref(turn)).is_empty()
}

/// The values of a summary of which each is listed once, while turns are added: a session may have 100,000 files.
#[derive(Default)]
struct DistinctValues {
    files: IndexMap<String, FileAccess>,
    errors: IndexSet<String>,
    pull_requests: IndexSet<String>,
    models: IndexSet<String>,
}

impl DistinctValues {
    fn move_into(self, work: &mut WorkSummary) {
        let files = self.files.into_iter();
        work.files = files
            .map(|(path, access)| AccessedFile { path, access })
            .collect();
        work.errors = self.errors.into_iter().collect();
        work.pull_requests = self.pull_requests.into_iter().collect();
        work.models = self.models.into_iter().collect();
    }

    fn add_recorded(&mut self, content: &TurnContent) {
        for file in content.accessed_files() {
            let access = self.files.entry(file.path.to_owned());
            let access = access.or_insert(file.access);
            *access = file.access.max(*access);
        }
        let stats = &content.turn_stats;
        self.errors.extend(content.errors.iter().cloned());
        self.pull_requests
            .extend(stats.pull_requests.iter().cloned());
        self.models.extend(stats.models.iter().cloned());
    }

    /// Adds the pull requests whose URL stands in the prompt or in the closing answer.
    fn add_mentions(&mut self, content: &TurnContent) {
        for text in [content.prompt.as_str(), content.last_message()] {
            let urls = session_core::pull_request::find_pull_requests(text).into_iter();
            self.pull_requests.extend(urls.map(str::to_owned));
        }
    }
}

/// Extracts the beginning of the prompt that says what the turns are about.
fn find_problem(turns: &[TurnRecord]) -> Option<String> {
    let prompt = strip_plan_line(find_problem_prompt(turns)?);
    Some(excerpt_prose(prompt, MAX_PROBLEM_CHARS)).filter(|text| !text.is_empty())
}

/// Finds the first prompt that says what the turns are about: typed if there is one, else a command with
/// arguments, else one that a model wrote, else a command that was answered, else any.
pub(crate) fn find_problem_prompt(turns: &[TurnRecord]) -> Option<&str> {
    let typed = |turn: &&TurnRecord| turn.row.kind == PromptKind::Typed;
    let with_arguments = |turn: &&TurnRecord| {
        turn.row.kind == PromptKind::Command && turn.content.prompt.contains(char::is_whitespace)
    };
    let candidates = || turns.iter().filter(|turn| has_telling_prompt(turn));
    let best = candidates()
        .find(typed)
        .or_else(|| candidates().find(with_arguments))
        .or_else(|| candidates().find(|turn| turn.row.kind == PromptKind::Model))
        .or_else(|| candidates().find(|turn| is_answered(turn)))
        .or_else(|| candidates().next());
    Some(&best?.content.prompt)
}

/// Returns true for a typed prompt that has content and that was answered, however briefly.
fn is_answered_request(turn: &TurnRecord) -> bool {
    turn.row.kind == PromptKind::Typed
        && !prompt_content::is_uninformative(&turn.content.prompt)
        && is_answered(turn)
}

/// Returns true when the turn has an answer or a tool call: a bare `/clear` has neither.
fn is_answered(turn: &TurnRecord) -> bool {
    !turn.content.answer.is_empty() || !turn.content.tools.is_empty()
}

/// Extracts the last closing answer that says what came out. Where there is none, a receipt comes before an announcement.
fn find_solution(turns: &[TurnRecord]) -> Option<String> {
    let newest = || turns.iter().rev();
    let concludes = |turn: &&TurnRecord| !is_announcement(turn.content.last_message());
    let reports = |turn: &&TurnRecord| !is_receipt(turn.content.last_message());
    let reporting = newest().filter(concludes).filter(reports);
    let concluding = newest().filter(concludes);
    reporting
        .chain(concluding)
        .chain(newest())
        .find_map(extract_solution)
}

/// Extracts the beginning of a turn's closing answer, unless it has no content.
fn extract_solution(turn: &TurnRecord) -> Option<String> {
    let closing = turn.content.last_message();
    if prompt_content::is_uninformative(closing) {
        return None;
    }
    Some(excerpt_prose(closing, MAX_SOLUTION_CHARS)).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests;
