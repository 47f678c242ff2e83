//! What becomes of what is read.

use session_forget::Exclusions;
use session_redact::Redactor;

/// Rules for all that is read of histories, before anything is stored.
#[derive(Debug, Clone)]
pub struct ReadPolicy {
    /// Replaces secrets; `None` stores them.
    pub redactor: Option<Redactor>,
    /// Leaves out what the user forgot or excluded.
    pub exclusions: Exclusions,
}

impl Default for ReadPolicy {
    fn default() -> Self {
        Self {
            redactor: Some(Redactor::default()),
            exclusions: Exclusions::default(),
        }
    }
}
