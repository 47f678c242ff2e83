//! Changes of a model: pulled, imported, removed.

use serde::Serialize;

/// A change of the models on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ModelChange {
    /// The configuration names it now.
    Used,
    /// Its files were downloaded.
    Pulled,
    /// Its files were copied from a folder.
    Imported,
    /// Its files were compared with what is known of them.
    Verified,
    /// Its files were deleted.
    Removed,
}

impl ModelChange {
    /// Formats the change of a model, and what it means.
    pub fn format(self, model: &str) -> String {
        match self {
            Self::Used => format!(
                "`{model}` is in use; `session-search index` embeds all sessions now, otherwise it goes on in the background"
            ),
            Self::Verified => format!("`{model}` is as it came, and works"),
            Self::Removed => format!("`{model}` is removed; its vectors stay in the index"),
            Self::Pulled | Self::Imported => {
                format!("`{model}` is here; `session-search model use {model}` takes it into use")
            }
        }
    }
}

/// A model and what was done with it, as `docs/cli.md` describes it.
#[derive(Serialize)]
pub struct JsonModelChange<'a> {
    /// The name of the model.
    pub model: &'a str,
    /// The change.
    pub done: ModelChange,
}
