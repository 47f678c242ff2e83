//! The rules for what is read of histories.

use session_forget::Exclusions;
use session_redact::Redactor;

/// Rules for all that is read of histories, before anything is stored.
#[derive(Debug, Clone, Default)]
pub struct ReadPolicy {
    /// Replaces secrets; one that is off lets them be stored.
    pub redactor: Redactor,
    /// Leaves out what the user forgot or excluded.
    pub exclusions: Exclusions,
    /// Describes the environment that these rules and the places of the histories come from. The index remembers it.
    pub environment: String,
}
