//! A client of the MCP server: JSON-RPC, line by line, over the program's stdin and stdout.

use crate::environment::TestEnvironment;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// How long an answer may take on however slow a machine.
const DEADLINE: Duration = Duration::from_secs(120);

/// A server that has shaken hands, and its client.
pub struct McpClient {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Value>,
    last_id: u64,
    /// Messages that were no answer to the call that was waited for.
    pub others: Vec<Value>,
}

impl McpClient {
    /// Starts the server of an environment.
    pub fn start(env: &TestEnvironment) -> Self {
        let mut command = env.command();
        command.arg("mcp");
        Self::start_as("test-client", command)
    }

    /// Starts a server for a client of this name.
    pub fn start_as(name: &str, mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::inherit()).spawn().unwrap();
        let mut client = Self {
            stdin: child.stdin.take(),
            lines: read_lines(&mut child),
            child,
            last_id: 0,
            others: Vec::new(),
        };
        let answer = client.request(
            "initialize",
            json!({
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": name, "version": "1"},
            }),
        );
        assert_eq!(answer["result"]["serverInfo"]["name"], "session-search");
        client.send(json!({"method": "notifications/initialized"}));
        client
    }

    /// Sends a line as it is.
    pub fn send_line(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(format!("{line}\n").as_bytes()).unwrap();
        stdin.flush().unwrap();
    }

    fn send(&mut self, mut message: Value) {
        message["jsonrpc"] = "2.0".into();
        self.send_line(&message.to_string());
    }

    /// Sends a request that is not waited for; returns its id.
    pub fn begin(&mut self, method: &str, params: Value) -> u64 {
        self.last_id += 1;
        self.send(json!({"id": self.last_id, "method": method, "params": params}));
        self.last_id
    }

    /// Sends a call that is not waited for; returns its id.
    pub fn begin_call(&mut self, tool: &str, arguments: Value) -> u64 {
        let token = json!({"progressToken": format!("token-{}", self.last_id + 1)});
        self.begin(
            "tools/call",
            json!({"name": tool, "arguments": arguments, "_meta": token}),
        )
    }

    /// Cancels a request.
    pub fn cancel(&mut self, id: u64) {
        let params = json!({"requestId": id, "reason": "no longer needed"});
        self.send(json!({"method": "notifications/cancelled", "params": params}));
    }

    /// Waits for the answer to a request; other messages are kept.
    pub fn wait(&mut self, id: u64) -> Value {
        loop {
            let message = self.lines.recv_timeout(DEADLINE).unwrap();
            if message["id"] == json!(id) {
                return message;
            }
            self.others.push(message);
        }
    }

    /// Sends a request and waits for its answer.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        self.wait(id)
    }

    /// Calls a tool and returns the text of its answer, which is no error.
    #[track_caller]
    pub fn call(&mut self, tool: &str, arguments: Value) -> String {
        let id = self.begin_call(tool, arguments);
        let answer = self.wait(id);
        assert_eq!(answer["result"]["isError"], false, "{answer}");
        text(&answer)
    }

    /// Makes a call as an answer names it, whose values have no comma, and returns the answer.
    pub fn follow(&mut self, call: &str) -> String {
        let (tool, arguments) = call.trim_end_matches(')').split_once('(').unwrap();
        let arguments = arguments.split(", ").map(|argument| {
            let (name, value) = argument.split_once(": ").unwrap();
            (name.to_owned(), serde_json::from_str(value).unwrap())
        });
        self.call(tool, Value::Object(arguments.collect()))
    }

    /// Calls a tool that fails, and returns the text of its result.
    #[track_caller]
    pub fn fail(&mut self, tool: &str, arguments: Value) -> String {
        let id = self.begin_call(tool, arguments);
        let answer = self.wait(id);
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        text(&answer)
    }

    /// Calls a tool with arguments that it does not take, and returns what the protocol says.
    #[track_caller]
    pub fn refuse(&mut self, tool: &str, arguments: Value) -> String {
        let id = self.begin_call(tool, arguments);
        let answer = self.wait(id);
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        answer["error"]["message"].as_str().unwrap().to_owned()
    }

    /// Closes the server's stdin.
    pub fn close(&mut self) {
        self.stdin = None;
    }

    /// Waits until the server's stdout ends: no process holds it any more.
    pub fn wait_for_end(&mut self) {
        loop {
            match self.lines.recv_timeout(DEADLINE) {
                Ok(message) => self.others.push(message),
                Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => panic!("the server has not ended"),
            }
        }
    }

    /// Returns the exit status of a server that ended.
    pub fn status(&mut self) -> ExitStatus {
        self.child.wait().unwrap()
    }

    /// Kills the process that was started.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for McpClient {
    fn drop(&mut self) {
        self.stdin = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn text(answer: &Value) -> String {
    let text = answer["result"]["content"][0]["text"].as_str();
    text.unwrap_or_else(|| panic!("{answer}")).to_owned()
}

fn read_lines(child: &mut Child) -> Receiver<Value> {
    let (sender, lines) = channel();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    std::thread::spawn(move || {
        for line in stdout.lines() {
            let message = serde_json::from_str(&line.unwrap()).unwrap();
            if sender.send(message).is_err() {
                return;
            }
        }
    });
    lines
}
