//! Sessions of Claude Code, written line by line.

use jiff::Timestamp;
use serde_json::{Value, json};

/// A transcript that grows by a line, and by a minute, with each call.
#[derive(Clone)]
pub struct ClaudeTranscript {
    id: String,
    cwd: String,
    folder: String,
    branch: String,
    at_ms: i64,
    agent_of: Option<String>,
    lines: Vec<Value>,
}

impl ClaudeTranscript {
    /// Creates a session that begins on 2026-01-15, 10:00 UTC.
    pub fn new(id: &str, cwd: &str) -> Self {
        Self {
            id: id.to_owned(),
            cwd: cwd.to_owned(),
            folder: cwd.replace(['/', '.'], "-"),
            branch: "main".to_owned(),
            at_ms: 0,
            agent_of: None,
            lines: Vec::new(),
        }
        .at("2026-01-15T10:00:00Z")
    }

    /// Makes it a subagent's.
    pub fn agent_of(mut self, parent: &str) -> Self {
        self.agent_of = Some(parent.to_owned());
        self
    }

    /// Sets the time of the next line.
    pub fn at(mut self, time: &str) -> Self {
        self.at_ms = time.parse::<Timestamp>().unwrap().as_millisecond();
        self
    }

    /// Sets the time of the next line, in milliseconds since 1970.
    pub fn at_ms(mut self, time_ms: i64) -> Self {
        self.at_ms = time_ms;
        self
    }

    /// Sets the branch of the lines from here on.
    pub fn branch(mut self, branch: &str) -> Self {
        self.branch = branch.to_owned();
        self
    }

    /// Puts it into another folder than that of its working directory.
    pub fn folder(mut self, folder: &str) -> Self {
        self.folder = folder.to_owned();
        self
    }

    /// Returns the copy that taking a session up again makes: the same messages in
    /// another session's file.
    pub fn resumed_as(&self, id: &str) -> Self {
        let mut copy = self.clone();
        copy.id = id.to_owned();
        for line in &mut copy.lines {
            line["sessionId"] = json!(id);
        }
        copy
    }

    /// Appends a line, with its time and directory where it has none.
    pub fn line(mut self, mut line: Value) -> Self {
        let uuid = format!("{}-0000-4000-8000-{:012}", &self.id[..8], self.lines.len());
        let common = json!({
            "uuid": uuid, "sessionId": self.agent_of.as_ref().unwrap_or(&self.id),
            "timestamp": Timestamp::from_millisecond(self.at_ms).unwrap().to_string(),
            "cwd": self.cwd, "gitBranch": self.branch, "isSidechain": self.agent_of.is_some(),
        });
        for (name, value) in common.as_object().unwrap() {
            line.as_object_mut()
                .unwrap()
                .entry(name)
                .or_insert(value.clone());
        }
        self.lines.push(line);
        self.at_ms += 60_000;
        self
    }

    /// Adds a prompt.
    pub fn user(self, words: &str) -> Self {
        self.line(json!({"type": "user", "message": {"role": "user", "content": words}}))
    }

    /// Adds an answer.
    pub fn assistant(self, words: &str) -> Self {
        self.blocks(json!([{"type": "text", "text": words}]))
    }

    /// Adds a block of thinking.
    pub fn thinking(self, words: &str) -> Self {
        self.blocks(json!([{"type": "thinking", "thinking": words, "signature": ""}]))
    }

    /// Adds a shell command with its output.
    pub fn bash(self, command: &str, output: &str) -> Self {
        self.call("Bash", json!({"command": command}), output, false)
    }

    /// Appends a tool call with its result.
    pub fn call(self, name: &str, input: Value, output: &str, failed: bool) -> Self {
        let id = format!("toolu_{}_{}", &self.id[..8], self.lines.len());
        let call = json!([{"type": "tool_use", "id": id, "name": name, "input": input}]);
        let result = json!([{"type": "tool_result", "tool_use_id": id, "content": output, "is_error": failed}]);
        self.blocks(call)
            .line(json!({"type": "user", "message": {"role": "user", "content": result}}))
    }

    fn blocks(self, content: Value) -> Self {
        let id = format!("msg_{}_{}", &self.id[..8], self.lines.len());
        let message =
            json!({"id": id, "role": "assistant", "model": "model-1", "content": content});
        self.line(json!({"type": "assistant", "message": message}))
    }

    /// Adds a title that Claude Code gave.
    pub fn title(self, title: &str) -> Self {
        self.line(json!({"type": "ai-title", "aiTitle": title}))
    }

    /// Returns the file's path below the home folder.
    pub fn path_in_home(&self) -> String {
        let folder = format!(".claude/projects/{}", self.folder);
        match &self.agent_of {
            Some(parent) => format!("{folder}/{parent}/subagents/{}.jsonl", self.id),
            None => format!("{folder}/{}.jsonl", self.id),
        }
    }

    /// Returns the file's content.
    pub fn text(&self) -> String {
        self.lines.iter().map(|line| format!("{line}\n")).collect()
    }
}
