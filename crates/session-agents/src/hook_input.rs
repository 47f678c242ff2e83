//! The JSON that Claude Code and Codex write to the stdin of a hook.

use crate::hook_event::HookEvent;
use serde::Deserialize;
use serde_json::Value;
use session_core::text::clip;
use session_sources::readable_json;
use std::io::{self, Read};
use std::path::PathBuf;

/// The variable by which Claude Code gives its hooks the directory that it was started in.
pub const START_DIRECTORY_VARIABLE: &str = "CLAUDE_PROJECT_DIR";
/// The names of the tool that gives a subagent a task: today's, and that of earlier versions.
const TASK_TOOLS: [&str; 2] = ["Agent", "Task"];
/// The tools that run a command line.
const SHELL_TOOLS: [&str; 2] = ["Bash", "PowerShell"];

/// The most bytes of a hook's JSON. With the memories, the configuration and the state of a session a hook reads at most
/// 8 MB.
const MAX_INPUT_BYTES: u64 = 2 << 20;
/// The most bytes of a call's texts, and of its command line.
pub(crate) const MAX_TEXT_BYTES: usize = 16 << 10;

/// The input of a hook, as Claude Code and Codex write it to stdin.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct HookInput {
    /// The prompt as it was typed.
    pub prompt: String,
    /// The session's full id.
    pub session_id: Option<String>,
    /// The path of the session's transcript, which Claude Code and Codex name.
    pub transcript_path: Option<PathBuf>,
    /// The id of the subagent that the event is of.
    pub agent_id: Option<String>,
    /// The directory of the session.
    pub cwd: Option<PathBuf>,
    /// The name of the event.
    pub hook_event_name: String,
    /// The cause of a `SessionStart`: `startup`, `resume`, `clear`, `compact`.
    pub source: Option<String>,
    /// The name of the tool that is called.
    pub tool_name: String,
    /// The input of the tool.
    pub tool_input: Value,
    /// The result of a call that ended.
    pub tool_response: Value,
    /// The error with which a call ended.
    pub error: Option<String>,
}

impl HookInput {
    /// Reads the JSON of a hook.
    ///
    /// # Errors
    /// When it cannot be read, or is no JSON object of a hook.
    pub fn read(input: impl Read) -> io::Result<Self> {
        let mut text = Vec::new();
        input.take(MAX_INPUT_BYTES).read_to_end(&mut text)?;
        let read = serde_json::from_slice(&text);
        Ok(read.or_else(|_| serde_json::from_str(&readable_json(&text)))?)
    }

    /// Returns the event; `None` for one that this program does not answer.
    pub fn event(&self) -> Option<HookEvent> {
        HookEvent::from_name(&self.hook_event_name)
    }

    /// Returns true for the hook of a prompt; one without an event is taken for it.
    pub fn is_prompt(&self) -> bool {
        self.hook_event_name.is_empty() || self.event() == Some(HookEvent::UserPromptSubmit)
    }

    /// Returns true if the agent shows the user the messages of a hook: the plugin of OpenCode passes the model's part on
    /// alone.
    pub fn shows_messages(&self) -> bool {
        self.transcript_path.is_some()
    }

    /// Returns the command line that a call runs, at most its first 16 KB: a hook has no time for megabytes.
    pub fn command(&self) -> Option<&str> {
        let command = self.tool_input.get("command")?.as_str()?;
        let is_shell = SHELL_TOOLS.contains(&self.tool_name.as_str());
        (is_shell && !command.is_empty()).then(|| clip(command, MAX_TEXT_BYTES))
    }

    /// Returns the prompt of the task that a subagent is about to get; `None` for any other event.
    pub fn task_prompt(&self) -> Option<&str> {
        let is_task = self.event() == Some(HookEvent::PreToolUse)
            && TASK_TOOLS.contains(&self.tool_name.as_str());
        self.tool_input.get("prompt")?.as_str().filter(|_| is_task)
    }

    /// Returns the input of a subagent's task with a text for the model after its prompt. The text stands between
    /// `<system-reminder>` tags, which are noise where the history is indexed.
    pub fn task_with_context(&self, text: &str) -> Option<Value> {
        let prompt = self.task_prompt()?;
        let prompt = format!("{prompt}\n\n<system-reminder>\n{text}</system-reminder>");
        let mut input = self.tool_input.clone();
        *input.get_mut("prompt")? = Value::String(prompt);
        Some(input)
    }

    /// Returns true if a session begins.
    pub fn is_startup(&self) -> bool {
        self.source.as_deref() == Some("startup")
    }

    /// Returns true if the context of the agent was compacted.
    pub fn is_after_compaction(&self) -> bool {
        self.source.as_deref() == Some("compact")
    }

    /// Returns true if the agent's context is empty: the session is new, or was compacted or cleared.
    pub fn has_empty_context(&self) -> bool {
        let is_cleared = self.source.as_deref() == Some("clear");
        self.is_startup() || self.is_after_compaction() || is_cleared
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

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
        let of_subagent = read(r#"{"session_id":"s1","agent_id":"a2"}"#);
        assert_eq!(of_subagent.agent_id.as_deref(), Some("a2"));
        assert_eq!(read("{}"), HookInput::default());
        assert_eq!(HookInput::default().event(), None);
    }

    #[test]
    fn a_hook_without_an_event_is_that_of_a_prompt() {
        let named = |name: &str| HookInput {
            hook_event_name: name.to_owned(),
            ..HookInput::default()
        };
        assert!(named("UserPromptSubmit").is_prompt() && named("").is_prompt());
        assert!(!named("PreToolUse").is_prompt() && !named("Stop").is_prompt());
    }

    #[test]
    fn the_prompt_of_a_task_gets_a_text_that_is_nobodys_words() {
        let read = |event: &str, tool: &str| HookInput {
            hook_event_name: event.into(),
            tool_name: tool.into(),
            tool_input: json!({"prompt": "look around", "model": "m"}),
            ..HookInput::default()
        };
        let task = read("PreToolUse", "Agent");
        assert_eq!(task.task_prompt(), Some("look around"));
        let prompt = "look around\n\n<system-reminder>\nnotes\n</system-reminder>";
        let updated = json!({"prompt": prompt, "model": "m"});
        assert_eq!(task.task_with_context("notes\n"), Some(updated));
        for other in [read("PostToolUse", "Agent"), read("PreToolUse", "Bash")] {
            assert_eq!(other.task_prompt(), None);
            assert_eq!(other.task_with_context("notes"), None);
        }
        let strange = HookInput {
            tool_input: json!({"prompt": 7}),
            ..task
        };
        assert_eq!(strange.task_prompt(), None);
    }
}
