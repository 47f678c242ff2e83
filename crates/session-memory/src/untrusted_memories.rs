//! The memories of a project that are not injected because nobody trusts them, each announced once.

use crate::injector::Injector;
use crate::memory::{Memory, MemoryScope};
use crate::memory_directory::MemoryDirectory;
use crate::session_state::{SessionState, short_hash};

impl Injector<'_> {
    /// Counts the active memories that are not trusted and that no earlier call counted as they are now, and records
    /// them: they came with a repository, another program changed them, or the project's folder was moved. 0 where they
    /// cannot be recorded.
    pub fn count_new_untrusted(&self) -> usize {
        let mut directories = self.store.directories().iter();
        let project = directories.find(|directory| directory.scope == MemoryScope::Project);
        let Some(project) = project.filter(|_| self.settings.enabled) else {
            return 0;
        };
        let memories = self.store.list_untrusted();
        if memories.is_empty() {
            return 0;
        }
        let contents: Vec<String> = memories.iter().map(name_content).collect();
        let record = SessionState::record_injected(self.state, &announcements(project), &contents);
        record.map_or(0, |new| new.len())
    }
}

/// Returns the name under which the state of the sessions holds what was announced of a project.
fn announcements(project: &MemoryDirectory) -> String {
    format!("untrusted memories of {}", project.identity().display())
}

fn name_content(memory: &Memory) -> String {
    format!("{} {}", memory.id(), short_hash(memory))
}
