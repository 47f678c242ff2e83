//! The stored form of a turn's content: entries are small numbers, and defaults are left out.

use serde::{Deserialize, Serialize};
use session_core::{
    CallStatus, CommandRunEntry, FileAccess, FileEntry, RunError, TurnContent, TurnStats,
};
use std::borrow::Cow;

/// A content as JSON stores it (`docs/format.md`).
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct PackedContent<'c> {
    #[serde(skip_serializing_if = "str::is_empty")]
    prompt: Cow<'c, str>,
    #[serde(rename = "p", skip_serializing_if = "Option::is_none")]
    typed_end: Option<usize>,
    #[serde(skip_serializing_if = "str::is_empty")]
    answer: Cow<'c, str>,
    #[serde(rename = "a", skip_serializing_if = "is_zero")]
    last_message_start: usize,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    commands: Cow<'c, [String]>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    files: Cow<'c, [String]>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    errors: Cow<'c, [String]>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    tools: Cow<'c, [String]>,
    #[serde(rename = "t", skip_serializing_if = "is_default_stats")]
    turn_stats: Cow<'c, TurnStats>,
    /// 2 * command + failed or not run; empty where each command ran once, in order, and none failed.
    #[serde(rename = "r", skip_serializing_if = "Vec::is_empty")]
    runs: Vec<u32>,
    /// 4 * file + 2 * written + failed.
    #[serde(rename = "c", skip_serializing_if = "Vec::is_empty")]
    changes: Vec<u32>,
    /// 2 * file + failed.
    #[serde(rename = "f", skip_serializing_if = "Vec::is_empty")]
    reads: Vec<u32>,
    /// Indices in the runs: of those that did not end, or that did not run where they are marked there.
    #[serde(rename = "u", skip_serializing_if = "Vec::is_empty")]
    without_end: Vec<u32>,
    /// For each run the number of changes since the one before it; empty where there are none.
    #[serde(rename = "b", skip_serializing_if = "Vec::is_empty")]
    changes_between: Vec<u32>,
    /// Indices of runs, each followed by that of an error line.
    #[serde(rename = "e", skip_serializing_if = "Vec::is_empty")]
    run_errors: Vec<u32>,
}

impl<'c> From<&'c TurnContent> for PackedContent<'c> {
    fn from(content: &'c TurnContent) -> Self {
        let runs = content.runs.iter().map(pack_run);
        let without_end = content.runs.iter().enumerate();
        let without_end = without_end.filter(|(_, run)| !has_ended(run.status));
        Self {
            prompt: Cow::Borrowed(&content.prompt),
            typed_end: content.typed_end,
            answer: Cow::Borrowed(&content.answer),
            last_message_start: content.last_message_start,
            commands: Cow::Borrowed(&content.commands),
            files: Cow::Borrowed(&content.files),
            errors: Cow::Borrowed(&content.errors),
            tools: Cow::Borrowed(&content.tools),
            turn_stats: Cow::Borrowed(&content.turn_stats),
            runs: if ran_once_each(content) {
                Vec::new()
            } else {
                runs.collect()
            },
            changes: content.changes.iter().map(pack_change).collect(),
            reads: content.reads.iter().map(pack_read).collect(),
            without_end: without_end.map(|(at, _)| pack(at, 1)).collect(),
            changes_between: pack_changes_between(&content.runs),
            run_errors: content.run_errors.iter().flat_map(pack_run_error).collect(),
        }
    }
}

impl From<PackedContent<'_>> for TurnContent {
    fn from(packed: PackedContent<'_>) -> Self {
        let mut runs: Vec<CommandRunEntry> = if packed.runs.is_empty() {
            (0..packed.commands.len()).map(plain_run).collect()
        } else {
            packed.runs.iter().map(|run| unpack_run(*run)).collect()
        };
        for at in packed.without_end {
            if let Some(run) = runs.get_mut(at as usize) {
                run.status = match run.status {
                    CallStatus::Failed => CallStatus::NotRun,
                    _ => CallStatus::Unfinished,
                };
            }
        }
        let mut before = 0;
        for (run, between) in runs.iter_mut().zip(packed.changes_between) {
            before += between as usize;
            run.changes_before = before;
        }
        Self {
            prompt: packed.prompt.into_owned(),
            typed_end: packed.typed_end,
            answer: packed.answer.into_owned(),
            last_message_start: packed.last_message_start,
            commands: packed.commands.into_owned(),
            files: packed.files.into_owned(),
            errors: packed.errors.into_owned(),
            tools: packed.tools.into_owned(),
            turn_stats: packed.turn_stats.into_owned(),
            runs,
            changes: packed.changes.iter().map(|c| unpack_change(*c)).collect(),
            reads: packed.reads.iter().map(|r| unpack_read(*r)).collect(),
            run_errors: packed
                .run_errors
                .chunks_exact(2)
                .map(unpack_run_error)
                .collect(),
        }
    }
}

/// Returns true when each command ran once, in order, and none failed.
fn ran_once_each(content: &TurnContent) -> bool {
    let plain = content.runs.iter().enumerate();
    content.runs.len() == content.commands.len()
        && plain
            .into_iter()
            .all(|(at, run)| run.command == at && !is_marked(run.status))
}

fn plain_run(command: usize) -> CommandRunEntry {
    CommandRunEntry {
        command,
        status: CallStatus::Done,
        changes_before: 0,
    }
}

fn pack_changes_between(runs: &[CommandRunEntry]) -> Vec<u32> {
    let before = std::iter::once(0).chain(runs.iter().map(|run| run.changes_before));
    let between = runs.iter().zip(before);
    let between: Vec<u32> = between
        .map(|(run, before)| pack(run.changes_before.saturating_sub(before), 1))
        .collect();
    if between.iter().all(|count| *count == 0) {
        Vec::new()
    } else {
        between
    }
}

fn pack_run_error(entry: &RunError) -> [u32; 2] {
    [pack(entry.run, 1), pack(entry.error, 1)]
}

fn unpack_run_error(packed: &[u32]) -> RunError {
    let index = |at: usize| packed.get(at).map_or(usize::MAX, |index| *index as usize);
    RunError {
        run: index(0),
        error: index(1),
    }
}

fn pack_run(run: &CommandRunEntry) -> u32 {
    pack(run.command, 2) + u32::from(is_marked(run.status))
}

fn is_marked(status: CallStatus) -> bool {
    matches!(status, CallStatus::Failed | CallStatus::NotRun)
}

fn has_ended(status: CallStatus) -> bool {
    matches!(status, CallStatus::Done | CallStatus::Failed)
}

fn unpack_run(packed: u32) -> CommandRunEntry {
    CommandRunEntry {
        status: CallStatus::from_failure(packed % 2 == 1),
        ..plain_run((packed / 2) as usize)
    }
}

fn pack_change(change: &FileEntry) -> u32 {
    let written = u32::from(change.access == FileAccess::Written);
    pack(change.file, 4) + 2 * written + u32::from(change.failed)
}

fn unpack_change(packed: u32) -> FileEntry {
    FileEntry {
        file: (packed / 4) as usize,
        access: match packed & 2 {
            0 => FileAccess::Edited,
            _ => FileAccess::Written,
        },
        failed: packed % 2 == 1,
    }
}

fn pack_read(read: &FileEntry) -> u32 {
    pack(read.file, 2) + u32::from(read.failed)
}

fn unpack_read(packed: u32) -> FileEntry {
    FileEntry {
        file: (packed / 2) as usize,
        access: FileAccess::Read,
        failed: packed % 2 == 1,
    }
}

/// Multiplies an index, which no turn has beyond some thousands.
fn pack(index: usize, factor: u32) -> u32 {
    let index = u32::try_from(index).unwrap_or(u32::MAX);
    index.min(u32::MAX / 4 - 1) * factor
}

fn is_zero(offset: &usize) -> bool {
    *offset == 0
}

fn is_default_stats(turn_stats: &TurnStats) -> bool {
    *turn_stats == TurnStats::default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    prop_compose! {
        fn entry()(file in 0..9usize, written in any::<bool>(), failed in any::<bool>()) -> FileEntry {
            let access = if written { FileAccess::Written } else { FileAccess::Edited };
            FileEntry { file, access, failed }
        }
    }

    fn status() -> impl Strategy<Value = CallStatus> {
        use CallStatus::{Done, Failed, NotRun, Unfinished};
        prop_oneof![Just(Done), Just(Failed), Just(Unfinished), Just(NotRun)]
    }

    prop_compose! {
            fn content()(
                commands in prop::collection::vec("[a-c]{1,2}", 0..5),
                runs in prop::collection::vec((0..6usize, status(), 0..3usize), 1..8),
                run_errors in prop::collection::vec((0..6usize, 0..6usize), 0..4),
                is_plain in any::<bool>(),
                changes in prop::collection::vec(entry(), 0..6),
                reads in prop::collection::vec(entry(), 0..6),
                last_message_start in 0..4usize,
                typed_end in prop::option::of(0..3usize),
            ) -> TurnContent {
                let runs = if is_plain {
    (0..commands.len()).map(plain_run).collect()
    } else {

                        let mut changes_before = 0;
                        let runs = runs.into_iter().map(|(command, status, between)| {
                            changes_before += between;
                            CommandRunEntry { command, status, changes_before }
                        });
                        runs.collect()

    };
                let read = |entry: FileEntry| FileEntry { access: FileAccess::Read, ..entry };
                TurnContent {
                    prompt: "ab".into(),
                    typed_end,
                    answer: "abcd".into(),
                    last_message_start,
                    commands,
                    runs,
                    changes,
                    reads: reads.into_iter().map(read).collect(),
                    run_errors: run_errors.into_iter().map(|(run, error)| RunError { run, error }).collect(),
                    ..TurnContent::default()
                }
            }
        }

    proptest! {
        #[test]
        fn unpacking_restores_what_was_packed(content in content()) {
            let json = serde_json::to_vec(&PackedContent::from(&content)).unwrap();
            let packed: PackedContent<'_> = serde_json::from_slice(&json).unwrap();
            prop_assert_eq!(TurnContent::from(packed), content);
        }
    }

    #[test]
    fn entries_are_stored_as_small_numbers() {
        let run = |command, status| CommandRunEntry {
            command,
            status,
            changes_before: 0,
        };
        let change = |file, access, failed| FileEntry {
            file,
            access,
            failed,
        };
        let content = TurnContent {
            commands: vec!["ls".into(), "make".into()],
            files: vec!["a".into(), "b".into()],
            runs: vec![
                run(0, CallStatus::Done),
                run(1, CallStatus::Failed),
                run(1, CallStatus::Unfinished),
                run(0, CallStatus::NotRun),
            ],
            changes: vec![
                change(0, FileAccess::Edited, true),
                change(1, FileAccess::Written, false),
            ],
            reads: vec![change(1, FileAccess::Read, true)],
            ..TurnContent::default()
        };
        let json = serde_json::to_string(&PackedContent::from(&content)).unwrap();
        let expected = r#"{"commands":["ls","make"],"files":["a","b"],"r":[0,3,2,1],"c":[1,6],"f":[3],"u":[2,3]}"#;
        assert_eq!(json, expected);
        let plain = TurnContent {
            runs: vec![plain_run(0), plain_run(1)],
            changes: vec![],
            reads: vec![],
            ..content
        };
        let json = serde_json::to_string(&PackedContent::from(&plain)).unwrap();
        assert_eq!(json, r#"{"commands":["ls","make"],"files":["a","b"]}"#);
    }
}
