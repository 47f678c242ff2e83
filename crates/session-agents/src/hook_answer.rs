//! The JSON by which a hook answers Claude Code and Codex.

use crate::hook_event::HookEvent;
use serde::Serialize;
use serde_json::Value;

/// The answer of a hook, as Claude Code and Codex read it from stdout.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HookAnswer {
    #[serde(skip_serializing_if = "Option::is_none")]
    hook_specific_output: Option<HookOutput>,
    /// A message that is shown to the user and not to the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    system_message: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct HookOutput {
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_context: Option<String>,
    hook_event_name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision_reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_input: Option<Value>,
}

impl HookAnswer {
    /// Adds a message to the user.
    #[must_use]
    pub fn with_message(mut self, message: Option<String>) -> Self {
        self.system_message = message;
        self
    }

    /// Adds text to the model's context.
    #[must_use]
    pub fn with_context(mut self, event: HookEvent, text: &str) -> Self {
        self.hook_specific_output = Some(HookOutput {
            additional_context: Some(text.to_owned()),
            hook_event_name: event.name(),
            ..HookOutput::default()
        });
        self
    }

    /// Replaces the input of the call of a tool, without a decision about its permission.
    #[must_use]
    pub fn with_updated_input(mut self, input: Value) -> Self {
        self.hook_specific_output = Some(HookOutput {
            hook_event_name: HookEvent::PreToolUse.name(),
            updated_input: Some(input),
            ..HookOutput::default()
        });
        self
    }

    /// Denies the call of a tool, with the reason that the model gets.
    #[must_use]
    pub fn with_denial(mut self, reason: &str) -> Self {
        self.hook_specific_output = Some(HookOutput {
            hook_event_name: HookEvent::PreToolUse.name(),
            permission_decision: Some("deny"),
            permission_decision_reason: Some(reason.to_owned()),
            ..HookOutput::default()
        });
        self
    }

    /// Returns true if there is nothing to answer.
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
        let input = serde_json::json!({"prompt": "look"});
        let updated = HookAnswer::default().with_updated_input(input);
        assert_eq!(
            serde_json::to_string(&updated).unwrap(),
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"prompt":"look"}}}"#
        );
        let denial = HookAnswer::default().with_denial("read this");
        assert_eq!(
            serde_json::to_string(&denial).unwrap(),
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"read this"}}"#
        );
    }
}
