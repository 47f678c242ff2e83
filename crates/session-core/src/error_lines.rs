//! The error lines of a command's output.

use crate::call_status::CallStatus;
use crate::error_marker::{
    TRACEBACK, announces_error, begins_panic, find_marker, is_advice, is_error_line,
    is_failed_check, is_heading, is_open_check, is_passed_check, names_exception, reports_failure,
};
use crate::error_signature::{ErrorSignature, is_context_line};
use crate::text::{clip_words, sanitize_text};
use std::borrow::Cow;
use std::collections::HashSet;

/// Greatest number of error lines of one output.
const MAX_ERROR_LINES: usize = 6;
/// The number of first error lines of a failed call that are kept; the others are its last ones, which state the outcome.
const FIRST_LINES: usize = 3;
/// The number of last lines that are kept of a failed call without error lines.
const LAST_LINES: usize = 3;
/// Greatest number of lines from which they are chosen, of a call that did not fail.
const MAX_MARKED_LINES: usize = 200;
/// Greatest length of an error line, in bytes.
const MAX_ERROR_LINE_BYTES: usize = 240;
/// Beginnings of lines that agents add to an output: of Claude Code.
const AGENT_NOTES: [&str; 2] = ["Exit code ", "[rerun: "];
/// Beginnings of the text on how a program is used, which follows its message.
const USAGE: [&str; 2] = ["usage:", "Usage:"];

/// Returns the error lines of a tool's output: at most 6 different ones, each at
/// most 240 bytes. Of a failed call without any such line, those
/// of its last lines that tell something, since programs say at the end that they failed. Where no line of a failed call tells what
/// failed (`make: *** [check] Error 2`), the last text before them is the first.
///
/// Code, diffs and rows of tables hold words for errors, too: of a failed call they count where there is
/// nothing else.
///
/// Escapes for a terminal are removed first: in `\x1b[31merror` the marker would be the end of a word.
///
/// Idempotent: the error lines of joined error lines are the same lines.
pub fn find_error_lines(output: &str, status: CallStatus) -> Vec<Cow<'_, str>> {
    match read_shown_text(output) {
        Cow::Borrowed(shown) => {
            let lines = find_shown_error_lines(shown, status).into_iter();
            lines.map(Cow::Borrowed).collect()
        }
        Cow::Owned(shown) => {
            let lines = find_shown_error_lines(&shown, status).into_iter();
            lines.map(|line| Cow::Owned(line.to_owned())).collect()
        }
    }
}

/// Returns what a terminal shows of an output: the last state of each line, without escapes.
fn read_shown_text(output: &str) -> Cow<'_, str> {
    let has_escapes = output.contains('\u{1b}');
    if !has_escapes && !output.contains('\r') {
        return Cow::Borrowed(output);
    }
    let lines: Vec<&str> = output.split('\n').map(last_state).collect();
    let shown = lines.join("\n");
    if has_escapes {
        Cow::Owned(sanitize_text(&shown).into_owned())
    } else {
        Cow::Owned(shown)
    }
}

/// Returns what a terminal shows of a line: what follows the last return to its beginning, unless nothing is written there.
fn last_state(line: &str) -> &str {
    if !line.contains('\r') {
        return line;
    }
    let mut states = line.rsplit('\r');
    let last = states.find(|state| !sanitize_text(state).trim().is_empty());
    last.unwrap_or(line)
}

/// Returns the error lines of an output as a terminal shows it.
fn find_shown_error_lines(output: &str, status: CallStatus) -> Vec<&str> {
    if !status.is_failed() {
        return choose_lines(find_marked_lines(output), MAX_ERROR_LINES);
    }
    let lines = || output.split('\n').map(trim_line);
    let is_note = |line: &str| AGENT_NOTES.iter().any(|note| line.starts_with(note));
    let has_text = |line: &&str| !line.is_empty() && !is_note(line);
    let with_previous = std::iter::once("").chain(lines()).zip(lines());
    let has_traceback = output.contains(TRACEBACK);
    let has_error = |(previous, line): &(&str, &str)| {
        let is_panic_message = begins_panic(previous) && !line.is_empty();
        let is_exception = has_traceback && names_exception(line);
        is_panic_message || is_exception || is_error_line(line) || reports_failure(line)
    };
    let (context, own): (Vec<&str>, Vec<&str>) = with_previous
        .filter(has_error)
        .map(|(_, line)| line)
        .partition(|line| is_context_line(line));
    let Some(first) = own.first() else {
        return if context.is_empty() {
            choose_unmarked_lines(lines().filter(has_text).collect())
        } else {
            choose_lines(context.into_iter(), FIRST_LINES)
        };
    };
    let before = lines().take_while(|line| line != first).filter(has_text);
    let subject = find_subject(&own, before);
    choose_lines(subject.into_iter().chain(own), FIRST_LINES)
}

/// Chooses among the lines of a failed call none of which is known as an error: the last checks that failed and lines with
/// a signature, else the last ones but for checks that passed.
fn choose_unmarked_lines(mut lines: Vec<&str>) -> Vec<&str> {
    cut_usage(&mut lines);
    cut_other_checks(&mut lines);
    let ranks: [fn(&str) -> bool; 3] = [tells_what, is_no_passed_check, |_| true];
    let last = |is_of_rank: fn(&str) -> bool| {
        let mut seen = HashSet::new();
        let of_rank = lines.iter().rev().filter(|line| is_of_rank(line));
        let new = of_rank.copied().filter(|line| seen.insert(*line));
        let mut last: Vec<&str> = new.take(LAST_LINES).collect();
        last.reverse();
        last
    };
    let mut chosen = ranks.into_iter().map(last);
    chosen.find(|lines| !lines.is_empty()).unwrap_or_default()
}

/// Cuts off the text on how a program is used, where a message stands before it.
fn cut_usage(lines: &mut Vec<&str>) {
    let is_usage = |line: &&str| USAGE.iter().any(|begin| line.starts_with(begin));
    if let Some(after_first) = lines.iter().skip(1).position(is_usage) {
        lines.truncate(after_first + 1);
    }
}

/// Cuts out the checks of a table that did not fail, where others did.
fn cut_other_checks(lines: &mut Vec<&str>) {
    if lines.iter().any(|line| is_failed_check(line)) {
        lines
            .retain(|line| is_failed_check(line) || !is_passed_check(line) && !is_open_check(line));
    }
}

fn tells_what(line: &str) -> bool {
    is_failed_check(line) || ErrorSignature::new(line).is_some() && !is_advice(line)
}

fn is_no_passed_check(line: &str) -> bool {
    !is_passed_check(line)
}

/// Returns the last text before the error lines of a failed call, where none of these tells what failed and it does:
/// programs print their message, and the runner that started them that they failed.
fn find_subject<'o>(
    error_lines: &[&str],
    before: impl Iterator<Item = &'o str>,
) -> Option<&'o str> {
    let tells_what = |line: &&str| ErrorSignature::new(line).is_some();
    if error_lines.iter().any(tells_what) {
        return None;
    }
    before.last().filter(tells_what)
}

/// Chooses lines, in order. Where there are too many, new errors come before those that repeat one with another
/// path or time, and both before lines without the subject of the failure; of each rank the
/// `first` first ones, and the last.
fn choose_lines<'o>(lines: impl Iterator<Item = &'o str>, first: usize) -> Vec<&'o str> {
    let ranked = rank_lines(lines);
    let mut kept: Vec<&RankedLine<'_>> = Vec::new();
    for rank in [LineRank::New, LineRank::Repeated, LineRank::Empty] {
        let equals: Vec<_> = ranked.iter().filter(|line| line.rank == rank).collect();
        let room = MAX_ERROR_LINES - kept.len();
        let head = equals.len().min(room.min(first));
        let tail = (equals.len() - head).min(room - head);
        kept.extend(&equals[..head]);
        kept.extend(&equals[equals.len() - tail..]);
    }
    kept.sort_unstable_by_key(|line| line.number);
    kept.into_iter().map(|line| line.text).collect()
}

/// Ranks each different line by those before it.
fn rank_lines<'o>(lines: impl Iterator<Item = &'o str>) -> Vec<RankedLine<'o>> {
    let (mut seen, mut known) = (HashSet::new(), HashSet::new());
    let mut has_heading = false;
    let different = lines.enumerate().filter(|(_, line)| seen.insert(*line));
    let ranked = different.map(|(number, text)| {
        // The message follows: headings alone would fill the room.
        let repeats_heading = is_heading(text) && std::mem::replace(&mut has_heading, true);
        let rank = match ErrorSignature::new(text) {
            None => LineRank::Empty,
            Some(_) if repeats_heading => LineRank::Repeated,
            Some(signature) if known.insert(signature) => LineRank::New,
            Some(_) => LineRank::Repeated,
        };
        RankedLine { rank, number, text }
    });
    ranked.collect()
}

/// A line with its rank.
struct RankedLine<'o> {
    rank: LineRank,
    /// The position among the lines to choose from.
    number: usize,
    text: &'o str,
}

/// The information that a line adds to those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineRank {
    /// Its error is new.
    New,
    /// Its error repeats an earlier one, with another path or time.
    Repeated,
    /// It reports a failure without its subject.
    Empty,
}

/// Returns the lines that announce an error, of a call that did not fail.
fn find_marked_lines(output: &str) -> impl Iterator<Item = &str> {
    let mut from = 0;
    let lines = std::iter::from_fn(move || {
        let at = from + find_marker(output.get(from..)?)?;
        let start = output[..at].rfind('\n').map_or(0, |n| n + 1);
        from = output[at..].find('\n').map_or(output.len(), |n| at + n);
        Some(trim_line(&output[start..from]))
    });
    lines
        .filter(|line| announces_error(line) && !is_context_line(line))
        .take(MAX_MARKED_LINES)
}

fn trim_line(line: &str) -> &str {
    let line = line.trim();
    let kept = clip_words(line, MAX_ERROR_LINE_BYTES).trim_end();
    if kept.len() < line.len() {
        // Where it is cut in a list it does not end as code does.
        kept.trim_end_matches(|c: char| "{([;,|=> ".contains(c))
    } else {
        kept
    }
}

impl ErrorSignature {
    /// Reads the signatures of the error lines of a command's output, each once.
    pub fn read_all(output: &str) -> Vec<Self> {
        let mut signatures = Vec::new();
        for line in find_error_lines(output, CallStatus::Failed) {
            let signature = Self::new(&line);
            signatures.extend(signature.filter(|signature| !signatures.contains(signature)));
        }
        signatures
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line that is cut may end as code does, which has no signature.
    #[test]
    fn a_line_that_is_cut_in_a_list_has_a_signature() {
        let options: Vec<String> = (0..40).map(|n| format!("`option_alpha{n}`")).collect();
        let line = format!(
            "error: unknown field `speling`, expected one of {}",
            options.join(", ")
        );
        assert_eq!(ErrorSignature::read_all(&line).len(), 1);
        let kept = find_error_lines(&line, CallStatus::Failed);
        assert_eq!(find_error_lines(&kept[0], CallStatus::Failed), kept);
    }

    #[test]
    fn error_lines_of_error_lines_are_the_same() {
        let output =
            "start\n  error[E0308]: mismatched types\n0 errors\nok\nfatal: not a git repository\n";
        let found = find_error_lines(output, CallStatus::Done);
        assert_eq!(
            found,
            [
                "error[E0308]: mismatched types",
                "fatal: not a git repository"
            ]
        );
        assert_eq!(find_error_lines(&found.join("\n"), CallStatus::Done), found);
        assert_eq!(
            find_error_lines("10 errors\n0 errors\n", CallStatus::Done),
            ["10 errors"]
        );
        assert_eq!(find_error_lines("a\nb\n", CallStatus::Failed), ["a", "b"]);
        assert!(find_error_lines("a\nb\n", CallStatus::Done).is_empty());
    }

    #[test]
    fn colours_hide_no_error() {
        let cargo = "\x1b[1m\x1b[92m   Compiling\x1b[0m oil v0.1.0\n\x1b[1m\x1b[92m   Compiling\x1b[0m wick v0.1.0\n\
             \x1b[1m\x1b[91merror[\x1b]8;;https://doc.rust-lang.org/E0308.html\x07E0308\x1b]8;;\x07]\x1b[0m\x1b[1m: mismatched types\x1b[0m\n";
        let tsc = "\x1b[96mlamp.ts\x1b[0m:\x1b[93m3\x1b[0m:\x1b[93m5\x1b[0m - \x1b[91merror\x1b[0m\x1b[90m TS2322: \x1b[0mNo oil.\n";
        let eslint = "\x1b[4m/w/lamp.js\x1b[24m\n  \x1b[2m1:7\x1b[22m  \x1b[31merror\x1b[39m  'oil' is not defined  \x1b[2mno-undef\x1b[22m\n";
        for (output, expected) in [
            (cargo, "error[E0308]: mismatched types"),
            (tsc, "lamp.ts:3:5 - error TS2322: No oil."),
            (eslint, "1:7  error  'oil' is not defined  no-undef"),
            (
                "error: the lamp has no oil left\r\x1b[0m\n",
                "error: the lamp has no oil left",
            ),
            (
                "oil 10%\r\x1b[2Kerror: the lamp has no oil left\n",
                "error: the lamp has no oil left",
            ),
            (
                "oil 10%\roil 20%\rerror: the lamp has no oil left\r\n",
                "error: the lamp has no oil left",
            ),
        ] {
            let found = find_error_lines(output, CallStatus::Failed);
            assert_eq!(found, [expected]);
            assert_eq!(ErrorSignature::read_all(output).len(), 1, "{expected}");
        }
        assert_eq!(find_error_lines(cargo, CallStatus::Done).len(), 1);
    }

    #[test]
    fn the_last_line_of_a_traceback_is_an_error_line() {
        let output = "Traceback (most recent call last):\n  File \"a.py\", line 3, in lamp\njinja2.exceptions.TemplateNotFound: lamp.html\n";
        let found = find_error_lines(output, CallStatus::Failed);
        assert_eq!(
            found[1..],
            ["jinja2.exceptions.TemplateNotFound: lamp.html"]
        );
        let output = "TypeScript: 5.4.2\nerror: the lamp is dark\n";
        let without = find_error_lines(output, CallStatus::Failed);
        assert_eq!(without, ["error: the lamp is dark"]);
    }

    #[test]
    fn the_message_before_a_runner_that_failed_is_an_error_line() {
        fn find(output: &str) -> Vec<Cow<'_, str>> {
            find_error_lines(output, CallStatus::Failed)
        }
        let message = "ledger: checksum mismatch in block 17";
        let runner = "make: *** [check] Error 2";
        let output = format!("Exit code 2\nchecking\n{message}\n\n{runner}\n");
        assert_eq!(find(&output), [message, runner]);
        assert_eq!(find(&format!("{message}\n{runner}")), [message, runner]);
        let again = ErrorSignature::read_all("ledger: checksum mismatch in block 99");
        assert_eq!(ErrorSignature::read_all(&output), again);
        // The error lines tell what failed, or nothing before them does.
        let told = format!("{message}\n{runner}\nerror: the lamp is dark\n");
        assert_eq!(find(&told), [runner, "error: the lamp is dark"]);
        for before in ["Exit code 2", "+ make check", "1 of 3 passed"] {
            assert_eq!(find(&format!("{before}\n{runner}\n")), [runner], "{before}");
        }
        let passed = find_error_lines(&output, CallStatus::Done);
        assert!(!passed.contains(&message.into()), "{passed:?}");
    }

    #[test]
    fn without_a_marker_the_last_lines_that_tell_something_are_kept() {
        let found = |output: &str| {
            let lines = find_error_lines(output, CallStatus::Failed);
            assert_eq!(
                find_error_lines(&lines.join("\n"), CallStatus::Failed),
                lines
            );
            lines.join("|")
        };
        let style = "[warn] Code style issues found in 2 files. Run the formatter.";
        let format = format!(
            "Resolving packages\nSaved lockfile\nChecking formatting...\nall lamps are read\n[warn] a.ts\n{style}\n[rerun: b2]"
        );
        assert_eq!(
            found(&format),
            format!("all lamps are read|[warn] a.ts|{style}")
        );
        assert_eq!(
            found("These paths are not tracked:\nlamp\nwick\noil\nhint: Use -f to add them."),
            "These paths are not tracked:"
        );
        assert_eq!(
            found("lint\tpass\t18s\ntest\tfail\t9s\nbuild\tpending\t0\ndocs\tpass\t2s"),
            "test\tfail\t9s"
        );
        assert_eq!(
            found(
                "test (linux)\tfail\t9s\thttps://ci.example/1\ntest (mac)\tpass\t8s\thttps://ci.example/2\ndeploy the preview\tpending\t0\nwatching the lamps"
            ),
            "test (linux)\tfail\t9s\thttps://ci.example/1|watching the lamps"
        );
        for last in [
            "HTTP 502 from registry.example.org",
            "Segmentation fault (core dumped)",
        ] {
            let lines = found(&format!(
                "note: uploads may fail behind a proxy\nuploading bundle.tar\n{last}"
            ));
            assert!(lines.ends_with(last), "{lines}");
        }
        assert_eq!(
            found("lint\tpass\t18s\nbuild\tpending\t0\ndocs\tskipping\t0"),
            "build\tpending\t0"
        );
        assert_eq!(
            found("lamp: illegal option -- q\nusage: lamp [-v] file\n  -v tell more\n  -w wick"),
            "lamp: illegal option -- q"
        );
        assert_eq!(
            found("usage: lamp file\nthe file is missing"),
            "usage: lamp file|the file is missing"
        );
        assert_eq!(found("1\n2\n3\n3\n4"), "2|3|4");
    }

    #[test]
    fn headings_of_diagnostics_leave_room_for_messages() {
        let diagnostics = (1..6).map(|n| {
            format!(
                "a.ts:{n}:1 lint/rule{n}Of ━━━━━\n\n  × Message of {} words.\n\n",
                ["one", "two", "three", "four", "five"][n - 1]
            )
        });
        let output: String = diagnostics.collect();
        let found = find_error_lines(&output, CallStatus::Failed);
        let messages = found.iter().filter(|line| line.starts_with('×'));
        assert_eq!(messages.count(), 5, "{found:?}");
    }

    #[test]
    fn the_message_of_a_panic_is_an_error_line() {
        let output = "running\nthread 'main' panicked at src/lamp.rs:3:5:\nthe lamp has no oil\nnote: run with `RUST_BACKTRACE=1`\n";
        let found = find_error_lines(output, CallStatus::Failed);
        assert_eq!(
            found,
            [
                "thread 'main' panicked at src/lamp.rs:3:5:",
                "the lamp has no oil"
            ]
        );
        assert_eq!(
            find_error_lines(&found.join("\n"), CallStatus::Failed),
            found
        );
        assert_eq!(
            ErrorSignature::read_all(output),
            [ErrorSignature::new("the lamp has no oil").unwrap()]
        );
    }

    #[test]
    fn what_is_repeated_does_not_keep_other_errors_out() {
        let parsing = (1..50).map(|n| format!("[{n}:{n}] ERROR: certificate {n} is not read\n"));
        let output = parsing.collect::<String>() + "AssertionError: lamp dark\n";
        assert_eq!(
            find_error_lines(&output, CallStatus::Failed),
            [
                "[1:1] ERROR: certificate 1 is not read",
                "[2:2] ERROR: certificate 2 is not read",
                "[3:3] ERROR: certificate 3 is not read",
                "[4:4] ERROR: certificate 4 is not read",
                "[49:49] ERROR: certificate 49 is not read",
                "AssertionError: lamp dark"
            ]
        );
        let modules = "Error: no module '@acme/lamp'\nError: no module '@zeta/oil'\nError: no module '@zeta/oil'\n";
        assert_eq!(find_error_lines(modules, CallStatus::Failed).len(), 2);
    }

    #[test]
    fn signatures_of_an_output_are_those_of_its_error_lines() {
        let output = "building\nerror: no oil at 3:04\nerror: no oil at 9:12\nerror: lamp dark\n";
        let expected = ["error: no oil at 1:11", "error: lamp dark"];
        let expected: Vec<ErrorSignature> = expected
            .iter()
            .filter_map(|line| ErrorSignature::new(line))
            .collect();
        assert_eq!(ErrorSignature::read_all(output), expected);
    }
}
