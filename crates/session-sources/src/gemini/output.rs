//! Outputs of tools as the model sees them, with the client's words around them.

/// The output of a command: what it printed, and whether it failed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ShellOutput<'t> {
    pub text: &'t str,
    pub failed: bool,
}

/// Lines after an output.
const TRAILERS: [&str; 4] = [
    "Exit Code: ",
    "Signal: ",
    "Background PIDs: ",
    "Process Group PGID: ",
];

/// How outputs begin of commands that failed or were not carried out to their end.
const FAILURES: [&str; 4] = [
    "Command exited with code ",
    "Command terminated by signal",
    "Command was cancelled",
    "Command was automatically cancelled",
];

impl<'t> ShellOutput<'t> {
    /// Makes one of an output without words of the client.
    pub(super) fn plain(text: &'t str) -> Self {
        Self {
            text,
            failed: false,
        }
    }

    /// Parses an output: `Output: …`, with lines about the run after it and in older versions before
    /// it.
    pub(super) fn parse(output: &'t str) -> Self {
        let output = output.trim();
        let Some(text) = after_header(output) else {
            return Self {
                text: output,
                failed: tells_failure(output),
            };
        };
        let mut parsed = Self::plain(text);
        while let Some(value) = parsed.cut_trailer() {
            parsed.failed |= value.is_some_and(|value| !["0", "(none)"].contains(&value));
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
        let tells_end = begin.filter(|begin| ["Exit Code: ", "Signal: "].contains(begin));
        Some(tells_end.map(|begin| line[begin.len()..].trim()))
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

/// True for an output that tells of a failure in front.
pub(super) fn tells_failure(output: &str) -> bool {
    FAILURES.iter().any(|begin| output.starts_with(begin))
}

/// Returns the text, unless it is what the client writes in place of none.
pub(super) fn unless_empty(text: &str) -> &str {
    match text.trim() {
        "(empty)" | "(Command produced no output)" => "",
        text => text,
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
    use super::{ShellOutput, without_tags};

    #[test]
    fn the_clients_words_are_taken_off() {
        let older = "Command: a\nb\nDirectory: (root)\nOutput: c\nExit Code: 1\nError: (none)\nExit Code: 2\nSignal: 0\nBackground PIDs: (none)\nProcess Group PGID: 7";
        let cases = [
            ("Output: a\nb\nProcess Group PGID: 7", "a\nb", false),
            ("Output: a\nExit Code: 3\nProcess Group PGID: 7", "a", true),
            ("Output: (empty)", "", false),
            ("Output: Error: no\nExit Code: 1", "Error: no", true),
            ("Output: a\nSignal: 15", "a", true),
            ("Exit Code: 3", "Exit Code: 3", false),
            (
                "Command was cancelled by user.",
                "Command was cancelled by user.",
                true,
            ),
            (older, "c", true),
            ("", "", false),
        ];
        for (output, text, failed) in cases {
            assert_eq!(
                ShellOutput::parse(output),
                ShellOutput { text, failed },
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
