//! Questions of a call to the user, and the user's words in its result.

use super::entry::ToolUseResult;
use crate::call_result::clipped;
use crate::lenient_json::{LenientObjects, LenientText};
use serde::Deserialize;

/// The tool that puts questions to the user.
const ASKING: &str = "AskUserQuestion";
/// The tool that puts a plan to the user.
const PLANNING: &str = "ExitPlanMode";

/// A question as the input of a call holds it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct DialogQuestion<'a> {
    #[serde(borrow)]
    question: LenientText<'a>,
}

/// Returns the questions that a call of this tool puts to the user, a line each.
pub(super) fn questions(tool: &str, asked: &LenientObjects<DialogQuestion<'_>>) -> Option<String> {
    let asked = asked.0.iter().filter(|_| tool == ASKING);
    let questions = asked.filter_map(|asked| asked.question.get());
    joined_lines(questions)
}

/// Returns the plan that a call of this tool asks the user to approve.
pub(super) fn plan(tool: &str, plan: &LenientText<'_>) -> Option<String> {
    joined_lines(plan.get().filter(|_| tool == PLANNING).into_iter())
}

/// Stands in the result of a plan that the user changed before approving it.
const EDITED: &str = "## Approved Plan (edited by user):";

/// Returns the plan as the user changed it, which a result holds.
pub(super) fn edited_plan(output: &str, result: &ToolUseResult<'_>) -> Option<String> {
    let plan = result.plan.get()?;
    joined_lines(output.contains(EDITED).then_some(plan).into_iter())
}

/// Returns the user's answers in a result, and what they added to each, a line each.
pub(super) fn answers(result: &ToolUseResult<'_>) -> Option<String> {
    let mut lines: Vec<&str> = Vec::new();
    for (question, answer) in &result.answers.0 {
        let answer = answer.or_empty();
        lines.push(answer);
        let notes = result.annotations.0.iter().filter(|(of, _)| of == question);
        let notes = notes.filter_map(|(_, annotation)| annotation.0.as_ref()?.notes.get());
        lines.extend(notes.filter(|notes| !answer.contains(notes)));
    }
    joined_lines(lines.into_iter())
}

/// How the result of a call begins that the user did not let run, or stopped.
pub(super) const REJECTED: &str = "The user doesn't want to proceed with this tool use.";
/// The text before the user's words in it.
pub(super) const SAID: &str = "the user said:";
/// The text of the program that may follow them.
const NOTE: &str = "\n\nNote: The user's next message";
/// The text of the program in place of the user's; what was answered before follows its questions.
const CLARIFY: &str = "The user wants to clarify these questions.";
/// Begins a question in it.
const QUESTION: &str = "- \"";
/// Begin what the user said to a question.
const ANSWERS: [&str; 2] = ["  Answer: ", "  User notes: "];
/// Stands in place of an answer.
const NO_ANSWER: &str = "(No answer provided)";

/// Returns the words with which the user rejected a call.
pub(super) fn rejection(output: &str) -> Option<String> {
    let (_, words) = output.strip_prefix(REJECTED)?.split_once(SAID)?;
    let words = words.split_once(NOTE).map_or(words, |(words, _)| words);
    match words.trim_start().strip_prefix(CLARIFY) {
        Some(questions) => joined_lines(answer_lines(questions)),
        None => joined_lines(std::iter::once(words)),
    }
}

/// Returns the lines of the answers that the user gave before a wish to clarify the questions.
fn answer_lines(questions: &str) -> impl Iterator<Item = &str> {
    let mut is_answer = false;
    let lines = questions.lines().filter_map(move |line| {
        let begun = ANSWERS.iter().find_map(|label| line.strip_prefix(label));
        is_answer = begun.is_some() || is_answer && !line.starts_with(QUESTION);
        is_answer.then(|| begun.unwrap_or(line))
    });
    lines.filter(|line| line.trim() != NO_ANSWER)
}

/// Joins the lines that are not empty; `None` when there is none.
fn joined_lines<'t>(lines: impl Iterator<Item = &'t str>) -> Option<String> {
    let lines = lines.map(str::trim).filter(|line| !line.is_empty());
    let lines: Vec<&str> = lines.collect();
    (!lines.is_empty()).then(|| clipped(&lines.join("\n")))
}
