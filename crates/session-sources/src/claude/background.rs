//! Commands and agents that go on in the background, whose ends are reported by later lines.

use super::entry::ToolUseResult;
use crate::tags;
use serde::{Deserialize, Serialize};
use session_core::CallStatus;
use std::collections::BTreeMap;

/// Most commands that are remembered as going on.
const MAX_RUNNING: usize = 32;
/// The tag around the program's news of a task.
const NOTIFICATION: &str = "<task-notification>";

/// The commands that go on: id of the call by the id of its task.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct BackgroundCalls(BTreeMap<String, String>);

impl BackgroundCalls {
    /// Notes the task of a call.
    pub(super) fn note(&mut self, task: &str, call: &str) {
        self.0.insert(task.to_owned(), call.to_owned());
        while self.0.len() > MAX_RUNNING {
            self.0.pop_first();
        }
    }

    /// Takes out the call of a task that ended.
    pub(super) fn take(&mut self, end: &TaskEnd) -> Option<String> {
        self.0.remove(&end.task)
    }
}

/// The end of a background task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TaskEnd {
    task: String,
    pub status: CallStatus,
    /// The sentence in which the program says how it ended.
    summary: Option<String>,
}

impl TaskEnd {
    /// Reads it from the result of a call that looked after a task.
    pub(super) fn from_result(result: &ToolUseResult<'_>) -> Option<Self> {
        let (task, status) = match &result.task.0 {
            Some(task) => (&task.task_id, &task.status),
            None => (&result.shell_id, &result.status),
        };
        Self::new(task.get()?, status.or_empty())
    }

    /// Returns what the program says of a failure.
    pub(super) fn failure(&self) -> Option<&str> {
        self.summary.as_deref().filter(|_| self.status.is_failed())
    }

    /// Reads those that the program reports in a text.
    pub(super) fn list(text: &str) -> Vec<Self> {
        let news = text.split(NOTIFICATION).skip(1);
        let ends = news.filter_map(|text| {
            let status = tags::inner(text, "status")?;
            let end = Self::new(tags::inner(text, "task-id")?, status)?;
            let summary = tags::inner(text, "summary").map(tags::unescape);
            let summary = summary.filter(|summary| !summary.is_empty());
            Some(Self { summary, ..end })
        });
        ends.collect()
    }

    /// Makes one; `None` for a task that goes on, or was stopped.
    fn new(task: &str, status: &str) -> Option<Self> {
        let status = match status {
            "completed" => CallStatus::Done,
            "failed" => CallStatus::Failed,
            _ => return None,
        };
        Some(Self {
            task: task.to_owned(),
            status,
            summary: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn news_of_tasks_say_how_they_ended() {
        let news = |status: &str| {
            format!(
                "<task-notification>\n<task-id>b1</task-id>\n<status>{status}</status>\n</task-notification>"
            )
        };
        let statuses = |text: &str| -> Vec<CallStatus> {
            let ends = TaskEnd::list(text).into_iter();
            ends.map(|end| end.status).collect()
        };
        assert_eq!(statuses(&news("completed")), [CallStatus::Done]);
        assert_eq!(statuses(&news("killed")), []);
        assert_eq!(statuses("<task-notification>\n<task-id>b1</task-id>"), []);
        let two = news("failed") + "\n" + &news("completed");
        assert_eq!(statuses(&two), [CallStatus::Failed, CallStatus::Done]);
    }

    #[test]
    fn what_is_said_of_a_failure_is_read() {
        let failure = |status: &str, summary: &str| {
            let news = format!(
                "<task-notification>\n<task-id>a1</task-id>\n<status>{status}</status>\n{summary}\n</task-notification>"
            );
            let ends = TaskEnd::list(&news);
            ends.first()
                .and_then(|end| end.failure().map(str::to_owned))
        };
        let summary =
            "<summary>Agent \"Oil &lt;all&gt; lamps\" failed: wick is not defined</summary>";
        let said = "Agent \"Oil <all> lamps\" failed: wick is not defined";
        assert_eq!(failure("failed", summary).as_deref(), Some(said));
        assert_eq!(failure("completed", summary), None);
        assert_eq!(failure("failed", "<summary> </summary>"), None);
        assert_eq!(failure("failed", ""), None);
    }
}
