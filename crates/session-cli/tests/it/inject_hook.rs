//! A hook, asked as an agent asks it.

use crate::memory::MemoryProject;
use serde_json::{Value, json};

/// Returns the input that an agent gives a hook.
pub fn payload(project: &MemoryProject, prompt: &str, session: &str) -> String {
    let cwd = project.env.home("shop");
    json!({"session_id": session, "transcript_path": "/x.jsonl", "cwd": cwd, "hook_event_name": "UserPromptSubmit", "prompt": prompt}).to_string()
}

/// Returns the context that is put before a prompt.
pub fn context(project: &MemoryProject, prompt: &str, session: &str) -> String {
    let ran = project
        .fed(&["hook", "run"], &payload(project, prompt, session))
        .succeeded();
    match ran.stdout().as_str() {
        "" => String::new(),
        text => {
            let answer: Value = serde_json::from_str(text).unwrap();
            let output = &answer["hookSpecificOutput"];
            assert_eq!(output["hookEventName"], "UserPromptSubmit");
            output["additionalContext"].as_str().unwrap().to_owned()
        }
    }
}
