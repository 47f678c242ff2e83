//! Outputs of calls as the model sees them: a few lines about the run, then what it printed.

use serde_json::Value;
use session_core::CallStatus;
use std::borrow::Cow;

/// The output of a call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct CallOutput<'t> {
    /// The text that was printed.
    pub text: Cow<'t, str>,
    pub status: CallStatus,
    /// The process has ended.
    pub has_exited: bool,
    /// Number of the process, where it goes on.
    pub running: Option<u64>,
}

/// Stands before an output that was cut, also behind the other lines.
const TOTAL_LINES: &str = "Total output lines: ";

/// Lines before an output, with what follows on them.
const HEADERS: [&str; 8] = [
    "Chunk ID: ",
    "Wall time: ",
    "Process exited with code ",
    "Process running with session ID ",
    "Original token count: ",
    TOTAL_LINES,
    "Exit code: ",
    "Duration: ",
];

/// How outputs begin of calls that were not carried out.
const FAILURES: [&str; 5] = [
    "apply_patch verification failed",
    "unsupported call",
    "exec_command failed",
    "write_stdin failed",
    "failed to ",
];

/// How outputs begin of calls that the user stopped.
const STOPS: [&str; 1] = ["aborted"];

/// How outputs begin of calls that were not let run.
const REFUSALS: [&str; 4] = [
    "exec_command rejected",
    "exec command rejected",
    "patch rejected",
    "This action was rejected due to unacceptable risk",
];

/// Reasons of failures that are refusals.
const REJECTIONS: [&str; 4] = [
    "rejected by user",
    BLOCKED,
    "approval required by policy",
    "This action was rejected due to unacceptable risk",
];
/// Follows a command that a policy forbids.
const BLOCKED: &str = "rejected: blocked by policy";

impl<'t> CallOutput<'t> {
    /// Parses an output.
    pub(super) fn parse(output: &'t str) -> Self {
        if let Some(parsed) = Self::from_json(output) {
            return parsed;
        }
        let mut parsed = Self::default();
        let mut text = parsed.read_headers(after_command(output));
        // The report of a patch is itself the output of a call.
        if !parsed.has_end() && text.starts_with("Exit code: ") {
            text = parsed.read_headers(text);
        }
        if text.starts_with(TOTAL_LINES) {
            text = text.split_once('\n').map_or("", |(_, rest)| rest);
        }
        let starts = |begins: &[&str]| begins.iter().any(|begin| text.starts_with(begin));
        if parsed.has_end() {
            // What was printed says nothing more of it.
        } else if starts(&REFUSALS) || is_rejected(text) {
            parsed.status = CallStatus::NotRun;
        } else if starts(&FAILURES) {
            parsed.status = CallStatus::Failed;
        } else if starts(&STOPS) {
            parsed.status = CallStatus::Unfinished;
        }
        parsed.text = text.into();
        parsed
    }

    /// Parses the output of older versions: `{"output":"…","metadata":{"exit_code":0}}`.
    fn from_json(output: &'t str) -> Option<Self> {
        let json: Value =
            serde_json::from_str(output.strip_prefix("{\"output\":").map(|_| output)?).ok()?;
        let exit = json.pointer("/metadata/exit_code").and_then(Value::as_i64);
        Some(Self {
            text: json.get("output")?.as_str()?.to_owned().into(),
            status: CallStatus::from_failure(exit.is_some_and(|exit| exit != 0)),
            ..Self::default()
        })
    }

    /// Reads the lines about the run, and returns what follows them.
    fn read_headers(&mut self, mut text: &'t str) -> &'t str {
        while HEADERS.iter().any(|header| text.starts_with(header)) {
            let (line, rest) = text.split_once('\n').unwrap_or((text, ""));
            self.note_header(line);
            text = rest;
        }
        text.strip_prefix("Output:\n").unwrap_or(text)
    }

    /// Returns true if the program says that the process ended, or goes on.
    fn has_end(&self) -> bool {
        self.has_exited || self.running.is_some()
    }

    fn note_header(&mut self, line: &str) {
        let number = line.rsplit(' ').next().unwrap_or_default();
        if line.starts_with("Process running") {
            self.running = number.parse().ok();
        } else if line.starts_with("Process exited") || line.starts_with("Exit code") {
            self.status = self.status.max(CallStatus::from_failure(number != "0"));
            self.has_exited = true;
        }
    }
}

/// Returns true for a command that the user or a policy rejected, where it is recorded as one that failed:
/// `exec_command failed for …: CreateProcess { message: "Rejected(\"rejected by user\")" }`.
fn is_rejected(output: &str) -> bool {
    let failure = output.strip_prefix("exec_command failed");
    let reason = failure.and_then(|failure| failure.split_once("message: \"Rejected("));
    let is_refusal = |(_, reason): (_, &str)| REJECTIONS.iter().any(|text| reason.contains(text));
    let is_blocked = output.starts_with('`') && output.trim_end().ends_with(BLOCKED);
    reason.is_some_and(is_refusal) || is_blocked
}

/// A command that the user ran, as the model gets it.
pub(super) struct ReportedCommand<'t> {
    pub command: &'t str,
    pub output: CallOutput<'t>,
}

impl<'t> ReportedCommand<'t> {
    /// Parses `<user_shell_command><command>…</command><result>…</result></user_shell_command>`.
    pub(super) fn parse(text: &'t str) -> Option<Self> {
        let rest = text.trim_start().strip_prefix("<user_shell_command>")?;
        let (_, rest) = rest.split_once("<command>")?;
        let (command, rest) = rest.split_once("</command>")?;
        let (_, result) = rest.split_once("<result>").unwrap_or_default();
        let (result, _) = result.rsplit_once("</result>").unwrap_or((result, ""));
        Some(Self {
            command: command.trim(),
            output: CallOutput::parse(result.trim_start()),
        })
    }
}

/// Returns the output without the command, of several lines perhaps, that some versions repeat in front.
fn after_command(output: &str) -> &str {
    const CHUNK: &str = "\nChunk ID: ";
    if !output.starts_with("Command: ") {
        return output;
    }
    output.find(CHUNK).map_or(output, |at| &output[at + 1..])
}

/// Returns the thread that `spawn_agent` began.
pub(super) fn spawned_thread(output: &str) -> Option<String> {
    let json = output.strip_prefix("{\"agent_id\":").map(|_| output)?;
    let json: Value = serde_json::from_str(json).ok()?;
    Some(json.get("agent_id")?.as_str()?.to_owned())
}

/// Returns the user's answers to questions, a line each: `{"answers":{ID:{"answers":[…]}}}`.
pub(super) fn answers(output: &str) -> Option<String> {
    let json: Value = serde_json::from_str(output).ok()?;
    let answers = json.get("answers")?.as_object()?.values();
    let given = answers.filter_map(|answer| {
        let texts = answer.get("answers")?.as_array()?.iter();
        Some(
            texts
                .filter_map(Value::as_str)
                .collect::<Vec<_>>()
                .join(", "),
        )
    });
    Some(given.collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::{CallOutput, CallStatus};

    /// An output, the text in it, how the call ended, and the process that goes on.
    type Case = (&'static str, &'static str, CallStatus, Option<u64>);

    fn check((output, text, status, running): Case) {
        let parsed = CallOutput::parse(output);
        assert_eq!(
            (&*parsed.text, parsed.status, parsed.running),
            (text, status, running),
            "{output}"
        );
    }

    #[test]
    fn what_stands_before_an_output_is_read() {
        let unified = "Chunk ID: 1a\nWall time: 0.1 seconds\nProcess exited with code 3\nOriginal token count: 2\nOutput:\nno\n";
        let patched = "Wall time: 0.0 seconds\nOutput:\nExit code: 0\nWall time: 0 seconds\nOutput:\nSuccess.\n";
        let cases = [
            (unified, "no\n", CallStatus::Failed, None),
            (patched, "Success.\n", CallStatus::Done, None),
            (
                "Command: sh -c 'a\nb'\nChunk ID: 1a\nProcess exited with code 0\nOutput:\nc",
                "c",
                CallStatus::Done,
                None,
            ),
            (
                "Chunk ID: 1a\nProcess running with session ID 77\nOutput:\n",
                "",
                CallStatus::Done,
                Some(77),
            ),
            (
                "Exit code: 124\nWall time: 9 seconds\nOutput:\n",
                "",
                CallStatus::Failed,
                None,
            ),
            (
                "Wall time: 2.0 seconds\naborted by user",
                "aborted by user",
                CallStatus::Unfinished,
                None,
            ),
            (
                "aborted by user after 12.3s",
                "aborted by user after 12.3s",
                CallStatus::Unfinished,
                None,
            ),
            (
                "unsupported call: x",
                "unsupported call: x",
                CallStatus::Failed,
                None,
            ),
            (
                r#"{"output":"a","metadata":{"exit_code":1}}"#,
                "a",
                CallStatus::Failed,
                None,
            ),
            (r#"{"output":7}"#, r#"{"output":7}"#, CallStatus::Done, None),
            (
                "exec_command rejected by the user",
                "exec_command rejected by the user",
                CallStatus::NotRun,
                None,
            ),
            ("Plan updated", "Plan updated", CallStatus::Done, None),
            ("", "", CallStatus::Done, None),
        ];
        cases.into_iter().for_each(check);
    }

    #[test]
    fn what_was_rejected_did_not_run() {
        let failed = |command: &str, reason: &str| {
            let message = format!("Rejected(\\\"{reason}\\\")");
            let failure = format!("CreateProcess {{ message: \"{message}\" }}");
            format!("exec_command failed for `/bin/zsh -lc '{command}'`: {failure}")
        };
        let blocked = "`rm -rf a` rejected: blocked by policy";
        let risky = "This action was rejected due to unacceptable risk.\nReason: it deletes all";
        for (output, status) in [
            (failed("rm a\nrm b", "rejected by user"), CallStatus::NotRun),
            (failed("rm -rf a", blocked), CallStatus::NotRun),
            (failed("rm -rf a", risky), CallStatus::NotRun),
            (blocked.to_owned(), CallStatus::NotRun),
            (risky.to_owned(), CallStatus::NotRun),
            (
                failed(
                    "echo rejected by user",
                    "Failed to create unified exec process: none",
                ),
                CallStatus::Failed,
            ),
            (
                format!("Process exited with code 1\nOutput:\n{blocked}"),
                CallStatus::Failed,
            ),
        ] {
            assert_eq!(CallOutput::parse(&output).status, status, "{output}");
        }
    }

    #[test]
    fn what_a_command_printed_says_nothing_of_its_end() {
        let cases = [
            (
                "Process exited with code 0\nOutput:\nfailed to load a file\n",
                "failed to load a file\n",
                CallStatus::Done,
                None,
            ),
            (
                "Process exited with code 0\nOutput:\nExit code: 1\nDuration: 3s\nreal",
                "Exit code: 1\nDuration: 3s\nreal",
                CallStatus::Done,
                None,
            ),
            (
                "Process exited with code 1\nOutput:\naborted by test",
                "aborted by test",
                CallStatus::Failed,
                None,
            ),
            (
                "Process exited with code 0\nOutput:\nProcess running with session ID 5",
                "Process running with session ID 5",
                CallStatus::Done,
                None,
            ),
            (
                "Process exited with code 2\nOutput:\nTotal output lines: 900\nrejected",
                "rejected",
                CallStatus::Failed,
                None,
            ),
            (
                "Process running with session ID 7\nOutput:\nexec_command rejected",
                "exec_command rejected",
                CallStatus::Done,
                Some(7),
            ),
        ];
        cases.into_iter().for_each(check);
    }
}
