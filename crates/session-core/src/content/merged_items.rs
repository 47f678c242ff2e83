//! Merges items of a turn's lists that have become equal.

use super::TurnContent;
use std::collections::HashMap;

impl TurnContent {
    /// Merges the commands, files and error lines that are equal since their texts were replaced: each list has a value once.
    pub fn merge_equal_items(&mut self) {
        if let Some(merged) = MergedIndices::merge(&mut self.commands) {
            let runs = self.runs.iter_mut();
            runs.for_each(|run| run.command = merged.index(run.command));
        }
        if let Some(merged) = MergedIndices::merge(&mut self.files) {
            let entries = self.changes.iter_mut().chain(&mut self.reads);
            entries.for_each(|entry| entry.file = merged.index(entry.file));
        }
        if let Some(merged) = MergedIndices::merge(&mut self.errors) {
            let entries = self.run_errors.iter_mut();
            entries.for_each(|entry| entry.error = merged.index(entry.error));
            self.run_errors.sort_unstable();
            self.run_errors.dedup();
        }
    }
}

/// The index of each item of a list after equal ones were merged.
struct MergedIndices(Vec<usize>);

impl MergedIndices {
    /// Keeps the first of equal items; `None` if all differ.
    fn merge(list: &mut Vec<String>) -> Option<Self> {
        let mut first: HashMap<&str, usize> = HashMap::new();
        let mut indices = Vec::with_capacity(list.len());
        for item in list.iter() {
            let next = first.len();
            indices.push(*first.entry(item).or_insert(next));
        }
        let kept = first.len();
        if kept == list.len() {
            return None;
        }
        let mut known = 0;
        let mut places = indices.iter();
        list.retain(|_| {
            let is_first = places.next() == Some(&known);
            known += usize::from(is_first);
            is_first
        });
        Some(Self(indices))
    }

    /// Returns the index of the item that had this one; itself beyond the end of the list.
    fn index(&self, before: usize) -> usize {
        self.0.get(before).copied().unwrap_or(before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CallStatus, CommandRunEntry, FileAccess, FileEntry, RunError};

    fn texts(items: &[&str]) -> Vec<String> {
        items.iter().map(|item| (*item).to_owned()).collect()
    }

    fn run(command: usize) -> CommandRunEntry {
        CommandRunEntry {
            command,
            status: CallStatus::Done,
            changes_before: 0,
        }
    }

    fn entry(file: usize) -> FileEntry {
        FileEntry {
            file,
            access: FileAccess::Read,
            failed: false,
        }
    }

    #[test]
    fn what_names_an_item_names_the_one_that_is_left() {
        let mut content = TurnContent {
            commands: texts(&["a", "b", "a", "c"]),
            files: texts(&["x", "x", "y"]),
            errors: texts(&["e", "f", "e"]),
            runs: [0, 1, 2, 3, 4_000].map(run).to_vec(),
            changes: vec![entry(1)],
            reads: vec![entry(2)],
            run_errors: [(0, 2), (1, 0), (1, 1), (1, 2)]
                .map(|(run, error)| RunError { run, error })
                .to_vec(),
            ..TurnContent::default()
        };
        content.merge_equal_items();
        assert_eq!(content.commands, ["a", "b", "c"]);
        assert_eq!(content.files, ["x", "y"]);
        assert_eq!(content.errors, ["e", "f"]);
        assert_eq!(content.runs, [0, 1, 0, 2, 4_000].map(run));
        assert_eq!((content.changes[0].file, content.reads[0].file), (0, 1));
        let run_errors = content.run_errors.iter().map(|e| (e.run, e.error));
        assert_eq!(Vec::from_iter(run_errors), [(0, 0), (1, 0), (1, 1)]);
        let merged = content.clone();
        content.merge_equal_items();
        assert_eq!(content, merged);
    }
}
