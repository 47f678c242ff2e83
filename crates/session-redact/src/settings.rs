//! The user's settings of redaction.

use serde::{Deserialize, Serialize};

/// The `[redaction]` table of the user's configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RedactionSettings {
    /// Secrets are redacted.
    pub enabled: bool,
    /// More secrets, as regular expressions: the first group of each is redacted, or the whole match.
    pub patterns: Vec<String>,
    /// Regular expressions of what is no secret, though a rule says so. They match the secret alone.
    pub allow: Vec<String>,
}

impl Default for RedactionSettings {
    fn default() -> Self {
        Self {
            enabled: true,
            patterns: Vec::new(),
            allow: Vec::new(),
        }
    }
}
