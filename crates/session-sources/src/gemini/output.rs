//! Outputs of tools as the model sees them, with the client's words around them.

use crate::blank_lines::trim_blank_lines;
use session_core::CallStatus;

/// The output of a command: what it printed, and how it ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ShellOutput<'t> {
    pub text: &'t str,
    pub status: CallStatus,
}

/// Lines after an output.
const TRAILERS: [&str; 4] = [
    "Exit Code: ",
    "Signal: ",
    "Background PIDs: ",
    "Process Group PGID: ",
];

/// How outputs begin of commands that failed or ran out of time.
const FAILURES: [&str; 3] = [
    "Command exited with code ",
    "Command terminated by signal",
    "Command was automatically cancelled",
];
/// How outputs begin of commands that the user stopped.
const STOPPED: &str = "Command was cancelled";

impl<'t> ShellOutput<'t> {
    /// Makes one of an output without words of the client.
    pub(super) fn plain(text: &'t str) -> Self {
        Self {
            text,
            status: CallStatus::Done,
        }
    }

    /// Parses an output: `Output: …`, with lines about the run after it and in older versions before
    /// it.
    pub(super) fn parse(output: &'t str) -> Self {
        let output = trim_blank_lines(output);
        let Some(text) = after_header(output) else {
            return Self {
                text: output,
                status: status_by_prefix(output),
            };
        };
        let mut parsed = Self::plain(text);
        while let Some(value) = parsed.cut_trailer() {
            let is_failed = value.is_some_and(|value| !["0", "(none)"].contains(&value));
            parsed.status = parsed.status.max(CallStatus::from_failure(is_failed));
        }
        parsed.text = unless_empty(parsed.text);
        parsed
    }

    /// Cuts off a last line that is the client's. Returns what it says of how the command ended.
    fn cut_trailer(&mut self) -> Option<Option<&'t str>> {
        let (before, line) = self.text.rsplit_once('\n').unwrap_or(("", self.text));
        let is_trailer = |begin: &&str| line.starts_with(*begin);
        let says_nothing = line == "Error: (none)";
        let begin = TRAILERS.iter().find(|begin| is_trailer(begin));
        if begin.is_none() && !says_nothing {
            return None;
        }
        self.text = before;
        let end = begin.filter(|begin| ["Exit Code: ", "Signal: "].contains(begin));
        Some(end.map(|begin| line[begin.len()..].trim()))
    }
}

fn after_header(output: &str) -> Option<&str> {
    match output.strip_prefix("Output: ") {
        Some(text) => Some(text),
        None if output.starts_with("Command: ") => {
            let text = output.split_once("\nOutput: ").map(|(_, text)| text);
            Some(text.unwrap_or(output))
        }
        None => None,
    }
}

/// Returns the status of a command whose output begins with it.
pub(super) fn status_by_prefix(output: &str) -> CallStatus {
    if output.starts_with(STOPPED) {
        CallStatus::Unfinished
    } else {
        CallStatus::from_failure(FAILURES.iter().any(|begin| output.starts_with(begin)))
    }
}

/// Returns the text, unless it is what the client writes in place of none.
pub(super) fn unless_empty(text: &str) -> &str {
    match text.trim() {
        "(empty)" | "(Command produced no output)" => "",
        _ => text,
    }
}

/// Returns the text without the tags that the client puts around what others wrote.
pub(super) fn without_tags(text: &str) -> &str {
    let inner = || {
        let inner = text.trim().strip_prefix("<untrusted_context>")?;
        inner.strip_suffix("</untrusted_context>")
    };
    inner().map_or(text, str::trim)
}

#[cfg(test)]
mod tests {
    use super::{CallStatus, ShellOutput, without_tags};

    #[test]
    fn the_clients_words_are_taken_off() {
        let older = "Command: a\nb\nDirectory: (root)\nOutput: c\nExit Code: 1\nError: (none)\nExit Code: 2\nSignal: 0\nBackground PIDs: (none)\nProcess Group PGID: 7";
        let cases = [
            (
                "Output: a\nb\nProcess Group PGID: 7",
                "a\nb",
                CallStatus::Done,
            ),
            (
                "Output: a\nExit Code: 3\nProcess Group PGID: 7",
                "a",
                CallStatus::Failed,
            ),
            ("Output: (empty)", "", CallStatus::Done),
            (
                "Output: Error: no\nExit Code: 1",
                "Error: no",
                CallStatus::Failed,
            ),
            ("Output: a\nSignal: 15", "a", CallStatus::Failed),
            ("Exit Code: 3", "Exit Code: 3", CallStatus::Done),
            (
                "Command was cancelled by user.",
                "Command was cancelled by user.",
                CallStatus::Unfinished,
            ),
            (older, "c", CallStatus::Failed),
            ("", "", CallStatus::Done),
        ];
        for (output, text, status) in cases {
            assert_eq!(
                ShellOutput::parse(output),
                ShellOutput { text, status },
                "{output}"
            );
        }
        assert_eq!(
            without_tags("<untrusted_context>\na\n</untrusted_context>"),
            "a"
        );
        assert_eq!(
            without_tags("<untrusted_context> a"),
            "<untrusted_context> a"
        );
    }
}
