//! The JSON by which Claude Code asks a hook.

use crate::hook_settings::HookEvent;
use serde::Deserialize;
use std::path::PathBuf;

/// The question to a hook, as Claude Code writes it to stdin.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct HookInput {
    /// The prompt as it was typed.
    pub prompt: String,
    /// The session's full id.
    pub session_id: Option<String>,
    /// The directory of the session.
    pub cwd: Option<PathBuf>,
    /// The name of the event.
    pub hook_event_name: String,
    /// The cause of a `SessionStart`: `startup`, `resume`, `clear`, `compact`.
    pub source: Option<String>,
}

impl HookInput {
    /// Returns the event; `None` for one that this program does not answer.
    pub fn event(&self) -> Option<HookEvent> {
        HookEvent::from_name(&self.hook_event_name)
    }

    /// Returns true where a session begins.
    pub fn is_startup(&self) -> bool {
        self.source.as_deref() == Some("startup")
    }

    /// Returns true where the context of the agent was compacted.
    pub fn is_after_compaction(&self) -> bool {
        self.source.as_deref() == Some("compact")
    }

    /// Returns true where the agent's context is empty: the session is new, or was compacted or cleared.
    pub fn has_empty_context(&self) -> bool {
        let is_cleared = self.source.as_deref() == Some("clear");
        self.is_startup() || self.is_after_compaction() || is_cleared
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_read_with_keys_that_are_missing_or_unknown() {
        let read = |text: &str| serde_json::from_str::<HookInput>(text).unwrap();
        let input = read(
            r#"{"session_id":"a1","cwd":"/home/ann","hook_event_name":"SessionStart","source":"clear","model":"m"}"#,
        );
        assert_eq!(input.event(), Some(HookEvent::SessionStart));
        assert!(input.has_empty_context() && !input.is_after_compaction());
        assert!(read(r#"{"source":"compact"}"#).has_empty_context());
        assert!(read(r#"{"source":"startup"}"#).has_empty_context());
        assert!(!read(r#"{"source":"resume"}"#).has_empty_context());
        assert_eq!(read("{}"), HookInput::default());
        assert_eq!(HookInput::default().event(), None);
    }
}
