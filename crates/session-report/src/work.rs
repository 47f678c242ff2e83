//! What was done in a session, or in some turns of it.

use crate::prose::sentences;
use crate::time::active_ms;
use crate::told::Told;
use serde::Serialize;
use session_core::{PromptKind, Tokens, Touch, TurnContent, noise, text};

/// Characters of a problem and of a solution.
const PROBLEM: usize = 200;
const SOLUTION: usize = 280;

/// What was done in some turns.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Work {
    /// What was asked: the first prompt that says something, cut at a sentence.
    pub problem: Option<String>,
    /// What came out: the closing answer, cut at a sentence.
    pub solution: Option<String>,
    /// Commands in the order in which they ran.
    pub commands: Vec<Command>,
    /// Files in the order in which they were met.
    pub files: Vec<File>,
    /// Error lines of outputs, each once.
    pub errors: Vec<String>,
    /// Addresses of pull requests that were opened or talked of.
    pub pull_requests: Vec<String>,
    /// Models that answered.
    pub models: Vec<String>,
    /// Tokens, where the agent counts them.
    pub tokens: Tokens,
    /// Branch of the last turn.
    pub branch: Option<String>,
    /// Time of the first message, milliseconds since 1970.
    pub started_ms: Option<i64>,
    /// Time of the last.
    pub ended_ms: Option<i64>,
    /// Milliseconds of work, pauses left out.
    pub active_ms: i64,
    /// How many turns there were.
    pub turns: usize,
    /// The user asked something in their own words.
    #[serde(skip)]
    pub asked: bool,
}

/// A command that ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Command {
    /// The command.
    pub command: String,
    /// It exited non-zero, or was not let run.
    pub failed: bool,
    /// It never ended, as the history tells.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unfinished: bool,
    /// The turn, from 0.
    pub turn: u32,
}

/// A file that was read or changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct File {
    /// Its path, as the call named it.
    pub path: String,
    /// The most that was done to it.
    pub touch: Touch,
}

impl Work {
    /// What was done in these turns.
    pub fn of(turns: &[Told]) -> Self {
        let mut work = Self {
            problem: problem(turns),
            asked: turns.iter().any(|turn| is_asked(&turn)),
            solution: turns.iter().rev().find_map(solution),
            ..Self::default()
        };
        work.add(turns);
        work
    }

    /// Adds what subagents did: all but words.
    pub fn add_subagents(&mut self, all: &[Told], theirs: &[Told]) {
        for turn in theirs {
            self.add_facts(turn);
        }
        self.active_ms = active_ms(all.iter().chain(theirs));
    }

    fn add(&mut self, turns: &[Told]) {
        for turn in turns {
            self.add_facts(turn);
            self.add_mentions(&turn.content);
            self.branch = turn.row.branch.clone().or_else(|| self.branch.take());
            self.turns += 1;
        }
        self.active_ms = active_ms(turns.iter());
    }

    fn add_facts(&mut self, turn: &Told) {
        let content = &turn.content;
        self.commands.extend(content.runs().map(|run| Command {
            command: run.command.to_owned(),
            failed: run.failed,
            unfinished: run.unfinished,
            turn: turn.row.index,
        }));
        for (path, touch) in content.touched() {
            self.add_file(path, touch);
        }
        push_all(&mut self.errors, &content.errors);
        push_all(&mut self.pull_requests, &content.tally.pull_requests);
        push_all(&mut self.models, &content.tally.models);
        self.tokens += content.tally.tokens;
        let first = turn.at();
        self.started_ms = self.started_ms.into_iter().chain(first).min();
        self.ended_ms = self.ended_ms.max(turn.row.ended_ms.or(first));
    }

    fn add_file(&mut self, path: &str, touch: Touch) {
        match self.files.iter_mut().find(|file| file.path == path) {
            Some(known) => known.touch = known.touch.max(touch),
            None => self.files.push(File {
                path: path.to_owned(),
                touch,
            }),
        }
    }

    /// Pull requests that the user or the closing answer names by address.
    fn add_mentions(&mut self, content: &TurnContent) {
        for words in [content.prompt.as_str(), content.closing_answer()] {
            for address in text::pull_requests(words) {
                push(&mut self.pull_requests, address);
            }
        }
    }

    /// Files that were changed.
    pub fn changed(&self) -> impl Iterator<Item = &File> {
        self.files.iter().filter(|file| file.touch != Touch::Read)
    }

    /// How many commands failed.
    pub fn failures(&self) -> usize {
        self.commands.iter().filter(|run| run.failed).count()
    }

    /// True when nobody asked anything and nothing was done.
    pub fn is_empty(&self) -> bool {
        !self.asked && self.solution.is_none() && self.commands.is_empty() && self.files.is_empty()
    }
}

fn push(list: &mut Vec<String>, item: &str) {
    if !list.iter().any(|have| have == item) {
        list.push(item.to_owned());
    }
}

fn push_all(list: &mut Vec<String>, items: &[String]) {
    items.iter().for_each(|item| push(list, item));
}

/// The first prompt that says something: typed if there is one, else a command
/// with arguments, else a model's.
fn problem(turns: &[Told]) -> Option<String> {
    let says = |turn: &&Told| says_something(&turn.content.prompt);
    let typed = |turn: &&Told| turn.row.kind == PromptKind::Typed;
    let with_arguments = |turn: &&Told| {
        turn.row.kind == PromptKind::Command && turn.content.prompt.contains(char::is_whitespace)
    };
    let said = || turns.iter().filter(says);
    let first = said()
        .find(typed)
        .or_else(|| said().find(with_arguments))
        .or_else(|| said().find(|turn| turn.row.kind == PromptKind::Model));
    let prompted = || turns.iter().filter(|turn| !turn.content.prompt.is_empty());
    let bare = || prompted().find(did_something).or_else(|| prompted().next());
    let prompt = &first.or_else(bare)?.content.prompt;
    Some(sentences(prompt, PROBLEM)).filter(|words| !words.is_empty())
}

/// True for a question or a wish in the user's own words that was taken up, however short the
/// answer was.
fn is_asked(turn: &&Told) -> bool {
    turn.row.kind == PromptKind::Typed
        && says_something(&turn.content.prompt)
        && did_something(turn)
}

/// True when the turn was answered: a bare `/clear` is not.
fn did_something(turn: &&Told) -> bool {
    !turn.content.answer.is_empty() || !turn.content.tools.is_empty()
}

/// What the closing answer of a turn says, if it says something.
fn solution(turn: &Told) -> Option<String> {
    let closing = turn.content.closing_answer();
    if !says_something(closing) {
        return None;
    }
    Some(sentences(closing, SOLUTION)).filter(|words| !words.is_empty())
}

fn says_something(words: &str) -> bool {
    !(noise::is_noise(words) || noise::is_json_blob(words) || noise::is_own_output(words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use session_store::TurnRow;

    fn told(index: u32, kind: PromptKind, prompt: &str, answers: &[&str]) -> Told {
        let mut content = TurnContent {
            prompt: prompt.into(),
            ..TurnContent::default()
        };
        for answer in answers {
            content.add_answer(answer);
        }
        let row = TurnRow {
            index,
            kind,
            ..TurnRow::default()
        };
        Told { row, content }
    }

    #[test]
    fn problem_and_solution_are_those_that_say_something() {
        let turns = [
            told(0, PromptKind::Command, "/clear", &[]),
            told(1, PromptKind::Typed, "ok", &["Hello."]),
            told(
                2,
                PromptKind::Typed,
                "The cold start takes nine seconds.",
                &[
                    "Let me measure.",
                    "The cache was read twice. It is read once now.",
                ],
            ),
            told(3, PromptKind::Typed, "thanks", &["ok"]),
        ];
        let work = Work::of(&turns);
        assert_eq!(work.problem.unwrap(), "The cold start takes nine seconds.");
        assert_eq!(
            work.solution.unwrap(),
            "The cache was read twice. It is read once now."
        );
        assert_eq!(work.turns, 4);
    }

    #[test]
    fn a_bare_command_stands_where_nothing_else_does() {
        let clear = told(0, PromptKind::Command, "/clear", &[]);
        let work = Work::of(std::slice::from_ref(&clear));
        assert_eq!(work.problem.as_deref(), Some("/clear"));
        assert!(work.is_empty());
        let todos = told(1, PromptKind::Command, "/todos", &["There are eight."]);
        let work = Work::of(&[clear, todos]);
        assert_eq!(work.problem.as_deref(), Some("/todos"));
    }

    #[test]
    fn files_keep_the_most_that_was_done() {
        let mut first = told(0, PromptKind::Typed, "Edit", &[]);
        first.content.files = vec!["a".into(), "b".into()];
        let mut second = first.clone();
        second.content.change_log = vec![4];
        let work = Work::of(&[first, second]);
        let files: Vec<_> = work
            .files
            .iter()
            .map(|f| (f.path.as_str(), f.touch))
            .collect();
        assert_eq!(files, [("a", Touch::Read), ("b", Touch::Edited)]);
        assert_eq!(work.changed().count(), 1);
    }

    #[test]
    fn commands_that_never_ended_are_no_failures() {
        let mut turn = told(0, PromptKind::Typed, "Heat it", &[]);
        turn.content.commands = vec!["make".into(), "heat".into()];
        turn.content.unfinished_runs = vec![1];
        let work = Work::of(&[turn]);
        let unfinished: Vec<bool> = work.commands.iter().map(|run| run.unfinished).collect();
        assert_eq!((unfinished, work.failures()), (vec![false, true], 0));
    }

    #[test]
    fn pull_requests_are_those_opened_and_those_named() {
        let mut turn = told(
            0,
            PromptKind::Typed,
            "Review https://github.com/ann/app/pull/3",
            &["See https://github.com/ann/app/pull/9", "Opened it."],
        );
        turn.content
            .tally
            .add_pull_request("https://github.com/ann/app/pull/4");
        let expected = [4, 3].map(|n| format!("https://github.com/ann/app/pull/{n}"));
        assert_eq!(Work::of(&[turn]).pull_requests, expected);
    }
}
