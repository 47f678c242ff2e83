//! The fields by which a memory is found when it matters, and that it inherits from the ones that it replaces.

use crate::content::draft::normalize_cues;
use crate::content::memory::{Memory, MemoryScope};
use crate::content::memory_change::MemoryChange;
use crate::error::Result;
use crate::storage::memory_store::MemoryStore;
use crate::triggers::{TriggerChange, Triggers};
use jiff::Zoned;
use serde::Serialize;

/// The triggers and cues that a memory inherits from those that it replaces.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct InheritedFields {
    /// The triggers; empty where it has its own.
    #[serde(skip_serializing_if = "Triggers::is_empty")]
    pub when: Triggers,
    /// The cues; empty where it has its own, or prompts that stand in for them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cues: Vec<String>,
}

impl InheritedFields {
    /// Collects the fields of memories for a replacement in a scope.
    ///
    /// A memory that waits for trust lends nothing: by its triggers a repository would decide when the user's memory is injected. A
    /// global memory lends nothing to one of a project, whose file others may read.
    pub fn collect(replaced: &[Memory], scope: MemoryScope) -> Self {
        let lends = |old: &&Memory| {
            let is_visible_there = old.scope == scope || scope == MemoryScope::Global;
            old.trust.is_trusted() && is_visible_there
        };
        let mut inherited = Self::default();
        for old in replaced.iter().filter(lends) {
            inherited.when.extend_valid(&old.front.when);
            inherited.cues.extend_from_slice(&old.front.cues);
        }
        inherited.cues = normalize_cues(&inherited.cues);
        inherited
    }

    /// Leaves out what a memory with these triggers and cues has itself.
    pub fn without_own(self, when: &Triggers, cues: &[String]) -> Self {
        Self {
            when: if when.is_empty() {
                self.when
            } else {
                Triggers::default()
            },
            cues: if cues.is_empty() {
                self.cues
            } else {
                Vec::new()
            },
        }
    }

    /// Returns true if nothing is inherited.
    pub fn is_empty(&self) -> bool {
        self.when.is_empty() && self.cues.is_empty()
    }

    /// Returns the change that writes them into a memory without any.
    fn to_change(&self) -> MemoryChange {
        let some = |list: &Vec<String>| (!list.is_empty()).then(|| list.clone());
        MemoryChange {
            cues: some(&self.cues),
            when: TriggerChange {
                paths: some(&self.when.paths),
                commands: some(&self.when.commands),
                errors: some(&self.when.errors),
            },
            ..MemoryChange::default()
        }
    }
}

impl MemoryStore {
    /// Writes the triggers and cues of a memory into its replacement, where that has none, and returns them.
    ///
    /// # Errors
    /// When the replacement is not found, or its file cannot be read or written.
    pub fn inherit_fields(&self, old: &Memory, new: &str, now: &Zoned) -> Result<InheritedFields> {
        let new = self.find(new)?;
        let inherited = InheritedFields::collect(std::slice::from_ref(old), new.scope);
        let inherited = inherited.without_own(&new.front.when, new.front.effective_cues());
        if !inherited.is_empty() {
            self.change(new.id(), &inherited.to_change(), now)?;
        }
        Ok(inherited)
    }
}
