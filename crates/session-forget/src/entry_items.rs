//! The items of an entry of the records, and which other entries keep out the same.

use crate::records::{ForgottenEntry, ForgottenRecords};
use std::collections::BTreeSet;

/// The items of an entry, not yet hashed.
#[derive(Debug, Clone, Default)]
pub(crate) struct EntryItems {
    /// Items that each keep something out alone.
    decisive: BTreeSet<String>,
    /// Items that keep something out with another one only, or that turns may have in common.
    shared: BTreeSet<String>,
    /// The sessions in which the turns and subagents are: an entry that forgets one keeps these out, too.
    containing: BTreeSet<String>,
}

impl EntryItems {
    /// Adds an item that keeps something out alone.
    pub(crate) fn add_decisive(&mut self, item: String) {
        self.decisive.insert(item);
    }

    /// Adds an item that decides nothing alone.
    pub(crate) fn add_shared(&mut self, item: String) {
        self.shared.insert(item);
    }

    /// Adds the item of a session in which something forgotten is. It is not forgotten with it.
    pub(crate) fn add_containing(&mut self, item: String) {
        self.containing.insert(item);
    }

    /// Returns the items that are forgotten, the decisive ones first.
    pub(crate) fn forgotten(&self) -> impl Iterator<Item = &String> {
        self.decisive.iter().chain(&self.shared)
    }

    /// Returns the number of decisive items.
    pub(crate) fn decisive_count(&self) -> usize {
        self.decisive.len()
    }

    /// Returns the items of the containing sessions.
    pub(crate) fn containing(&self) -> impl Iterator<Item = &String> {
        self.containing.iter()
    }
}

impl<const N: usize> From<[String; N]> for EntryItems {
    /// Makes the items of an entry that are all decisive.
    fn from(items: [String; N]) -> Self {
        items.into_iter().collect()
    }
}

impl FromIterator<String> for EntryItems {
    /// Makes the items of an entry that are all decisive.
    fn from_iter<T: IntoIterator<Item = String>>(items: T) -> Self {
        Self {
            decisive: items.into_iter().collect(),
            ..Self::default()
        }
    }
}

impl ForgottenRecords {
    /// Returns the numbers of the other entries that keep out all or part of what an entry holds, so that its removal does
    /// not bring that back. `None` for an entry of an earlier version beside others: it does not tell its sessions.
    pub fn covering_entries(&self, entry: &ForgottenEntry) -> Option<Vec<u32>> {
        let mut others = self.entries().iter().filter(|other| other.id != entry.id);
        if !entry.has_containing_sessions() {
            return others.next().is_none().then(Vec::new);
        }
        let covering = others.filter(|other| other.covers(entry));
        Some(covering.map(|other| other.id).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::tests::ENTRY;

    fn covering(records: &ForgottenRecords, id: u32) -> Option<Vec<u32>> {
        let entry = records.entries().iter().find(|entry| entry.id == id);
        records.covering_entries(entry.unwrap())
    }

    #[test]
    fn an_entry_is_covered_by_what_forgets_its_session_or_the_same_item() {
        let mut records = ForgottenRecords::default();
        let mut turn = EntryItems::from(["turn lamp 3".to_owned()]);
        turn.add_shared("origin 7".to_owned());
        turn.add_containing("session lamp".to_owned());
        let mut other_turn = EntryItems::from(["turn kiln 3".to_owned()]);
        other_turn.add_shared("origin 7".to_owned());
        for items in [
            turn,
            other_turn,
            ["session lamp".to_owned()].into(),
            ["turn lamp 3".to_owned()].into(),
        ] {
            records.add(&ENTRY, &items).unwrap();
        }
        assert!(!records.holds("session of nothing") && records.holds("session lamp"));
        assert_eq!(covering(&records, 1), Some(vec![3, 4]));
        assert_eq!(covering(&records, 2), Some(vec![]));
        assert_eq!(covering(&records, 3), Some(vec![]));
        assert_eq!(covering(&records, 4), Some(vec![1]));
    }

    #[test]
    fn a_session_that_contains_a_forgotten_turn_is_not_forgotten() {
        let mut records = ForgottenRecords::default();
        let mut turn = EntryItems::from(["turn lamp 3".to_owned()]);
        turn.add_containing("session lamp".to_owned());
        records.add(&ENTRY, &turn).unwrap();
        assert!(records.holds("turn lamp 3") && !records.holds("session lamp"));
    }

    #[test]
    fn an_entry_of_an_earlier_version_does_not_tell() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("forgotten.json");
        let entry = r#"{"id":4,"at":"","what":"turns","sessions":0,"turns":1,"hashes":["00"]}"#;
        fs_err::write(&path, format!(r#"{{"key":"00","entries":[{entry}]}}"#)).unwrap();
        let mut records = ForgottenRecords::open(&path).unwrap();
        assert_eq!(covering(&records, 4), Some(vec![]));
        records
            .add(&ENTRY, &["session lamp".to_owned()].into())
            .unwrap();
        assert_eq!(covering(&records, 4), None);
    }
}
