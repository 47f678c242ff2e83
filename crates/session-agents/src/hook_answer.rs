//! The JSON by which a hook answers Claude Code.

use crate::hook_settings::HookEvent;
use serde::Serialize;

/// The answer of a hook, as Claude Code reads it from stdout.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HookAnswer {
    #[serde(skip_serializing_if = "Option::is_none")]
    hook_specific_output: Option<HookOutput>,
    /// A message that is shown to the user and not to the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_message: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct HookOutput {
    additional_context: String,
    hook_event_name: &'static str,
}

impl HookAnswer {
    /// Adds text to the model's context.
    #[must_use]
    pub fn with_context(mut self, event: HookEvent, text: &str) -> Self {
        self.hook_specific_output = Some(HookOutput {
            additional_context: text.to_owned(),
            hook_event_name: event.name(),
        });
        self
    }

    /// True where there is nothing to answer.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_has_the_keys_that_claude_code_reads() {
        let answer = HookAnswer {
            system_message: Some("saved".into()),
            ..HookAnswer::default()
        };
        let answer = answer.with_context(HookEvent::SessionStart, "text");
        assert_eq!(
            serde_json::to_string(&answer).unwrap(),
            r#"{"hookSpecificOutput":{"additionalContext":"text","hookEventName":"SessionStart"},"systemMessage":"saved"}"#
        );
        assert!(HookAnswer::default().is_empty());
    }
}
