//! The end of a tool call.

use serde::{Deserialize, Serialize};

/// The end of a call, as the history records it. In JSON the fields `failed` and, where they are true,
/// `unfinished` and `not_run`, of which at most one is. If a history reports
/// two statuses of one call, the greater one holds: a call is unfinished until its end is reported.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "StatusFlags", into = "StatusFlags")]
pub enum CallStatus {
    /// Its end is not recorded: it still runs, was stopped, or was killed with the agent.
    Unfinished,
    /// It ended, and no failure is recorded.
    #[default]
    Done,
    /// The tool reported a failure, or its command exited non-zero.
    Failed,
    /// It did not run: the user or a hook refused it, or it was cancelled before its turn came.
    NotRun,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct StatusFlags {
    failed: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unfinished: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    not_run: bool,
}

impl CallStatus {
    /// Returns the status of a call that ended: failed, or done.
    pub fn from_failure(failed: bool) -> Self {
        if failed { Self::Failed } else { Self::Done }
    }

    /// Returns true for a call that ran, and failed.
    pub fn is_failed(self) -> bool {
        self == Self::Failed
    }

    /// Returns the status as a label; `None` for a call that is done.
    pub fn label(self) -> Option<&'static str> {
        match self {
            Self::Done => None,
            Self::Failed => Some("failed"),
            Self::Unfinished => Some("unfinished"),
            Self::NotRun => Some("not run"),
        }
    }

    /// Returns the status as it stands behind a call, in parentheses; nothing for a call that is done.
    pub fn format_suffix(self) -> String {
        self.label()
            .map_or(String::new(), |words| format!(" ({words})"))
    }
}

impl From<CallStatus> for StatusFlags {
    fn from(status: CallStatus) -> Self {
        Self {
            failed: status == CallStatus::Failed,
            unfinished: status == CallStatus::Unfinished,
            not_run: status == CallStatus::NotRun,
        }
    }
}

impl From<StatusFlags> for CallStatus {
    fn from(flags: StatusFlags) -> Self {
        match flags {
            StatusFlags { not_run: true, .. } => Self::NotRun,
            StatusFlags { failed: true, .. } => Self::Failed,
            StatusFlags {
                unfinished: true, ..
            } => Self::Unfinished,
            StatusFlags { .. } => Self::Done,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::CallStatus;

    #[test]
    fn a_status_is_its_flags() {
        let cases = [
            (CallStatus::Done, r#"{"failed":false}"#),
            (CallStatus::Failed, r#"{"failed":true}"#),
            (
                CallStatus::Unfinished,
                r#"{"failed":false,"unfinished":true}"#,
            ),
            (CallStatus::NotRun, r#"{"failed":false,"not_run":true}"#),
        ];
        for (status, json) in cases {
            assert_eq!(serde_json::to_string(&status).unwrap(), json);
            let parsed: CallStatus = serde_json::from_str(json).unwrap();
            assert_eq!(parsed, status);
        }
    }

    #[test]
    fn a_call_that_is_done_has_no_suffix() {
        assert_eq!(CallStatus::NotRun.format_suffix(), " (not run)");
        assert_eq!(CallStatus::Done.format_suffix(), "");
    }
}
