//! How calls of tools end.

use serde::{Deserialize, Serialize};

/// How a call ended, as the history tells. In JSON the fields `failed` and, where they are true,
/// `unfinished` and `not_run`, of which at most one is. If a history reports
/// two statuses of one call, the greater one holds: a call is unfinished until its end is reported.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "Flags", into = "Flags")]
pub enum CallStatus {
    /// Its end is not told: it still runs, was stopped, or was killed with the agent.
    Unfinished,
    /// It ended, and nothing says that it failed.
    #[default]
    Done,
    /// The tool said that it failed, or its command exited non-zero.
    Failed,
    /// It did not run: the user or a hook refused it, or it was cancelled before its turn came.
    NotRun,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Flags {
    failed: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unfinished: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    not_run: bool,
}

impl CallStatus {
    /// The status of a call that failed or did not.
    pub fn ended(failed: bool) -> Self {
        match failed {
            true => Self::Failed,
            false => Self::Done,
        }
    }

    /// True for a call that ran, and failed.
    pub fn is_failed(self) -> bool {
        self == Self::Failed
    }

    /// The status in words; `None` for a call that is done.
    pub fn words(self) -> Option<&'static str> {
        match self {
            Self::Done => None,
            Self::Failed => Some("failed"),
            Self::Unfinished => Some("unfinished"),
            Self::NotRun => Some("not run"),
        }
    }

    /// Returns the status as it stands behind a call, in parentheses; nothing for a call that is done.
    pub fn suffix(self) -> String {
        self.words()
            .map_or(String::new(), |words| format!(" ({words})"))
    }
}

impl From<CallStatus> for Flags {
    fn from(status: CallStatus) -> Self {
        Self {
            failed: status == CallStatus::Failed,
            unfinished: status == CallStatus::Unfinished,
            not_run: status == CallStatus::NotRun,
        }
    }
}

impl From<Flags> for CallStatus {
    fn from(flags: Flags) -> Self {
        match flags {
            Flags { not_run: true, .. } => Self::NotRun,
            Flags { failed: true, .. } => Self::Failed,
            Flags {
                unfinished: true, ..
            } => Self::Unfinished,
            Flags { .. } => Self::Done,
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
        assert_eq!(CallStatus::NotRun.suffix(), " (not run)");
        assert_eq!(CallStatus::Done.suffix(), "");
    }
}
