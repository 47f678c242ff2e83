//! Changes of a model: pulled, imported, removed.

use serde::Serialize;
use session_display::{format_size, pluralize};
use session_models::TABLE_MODEL;
use session_query::{EmbeddedSessions, VectorVersions};

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
    /// Vectors that no search uses were deleted.
    Vectors,
}

impl ModelChange {
    /// Formats the change of a model, and what it means.
    pub fn format(self, model: &str) -> String {
        match self {
            Self::Used => format!("`{model}` is in use"),
            Self::Verified => format!("`{model}` is as it came, and works"),
            Self::Vectors => format!("vectors of `{model}` that no search uses are deleted"),
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

/// A model and the vectors of it that were deleted, as `docs/cli.md` describes it.
#[derive(Serialize)]
pub struct JsonDeletedVectors<'a> {
    /// The name of the model, and the change.
    #[serde(flatten)]
    pub change: JsonModelChange<'a>,
    /// Versions of the model.
    pub versions: usize,
    /// Size of their vectors.
    pub bytes: u64,
}

impl<'a> JsonDeletedVectors<'a> {
    /// Makes the JSON of what was deleted.
    pub fn new(deleted: &'a VectorVersions) -> Self {
        Self {
            change: JsonModelChange {
                model: &deleted.name,
                done: ModelChange::Vectors,
            },
            versions: deleted.versions,
            bytes: deleted.bytes,
        }
    }
}

/// Formats which vectors of a model were deleted.
pub fn format_deleted_vectors(deleted: &VectorVersions) -> String {
    let name = &deleted.name;
    match deleted.versions {
        0 => format!("there are no vectors of `{name}` but those that searches use"),
        versions => format!(
            "the vectors of {} of `{name}` are deleted ({})",
            pluralize(versions, "version"),
            format_size(deleted.bytes)
        ),
    }
}

/// Formats that a model is in use, and who embeds the sessions that it has not. `embedded` is `None` without an index.
pub fn format_used_model(
    model: &str,
    embedded: Option<EmbeddedSessions>,
    has_background: bool,
) -> String {
    let used = ModelChange::Used.format(model);
    let is_complete = embedded.is_some_and(|known| known.sessions >= known.all_sessions);
    match (is_complete, has_background) {
        _ if model == TABLE_MODEL => used,
        (true, _) => format!("{used}; it has embedded all sessions"),
        (false, true) => format!(
            "{used}; `session-search index` embeds all sessions now, otherwise it goes on in the background"
        ),
        (false, false) => format!("{used}; `session-search index` embeds all sessions"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deleted_vectors_are_counted_by_versions() {
        let mut deleted = VectorVersions {
            name: "remote".to_owned(),
            versions: 1,
            bytes: 1_400_000,
        };
        let text = "the vectors of 1 version of `remote` are deleted (1.4 MB)";
        assert_eq!(format_deleted_vectors(&deleted), text);
        let json = serde_json::to_value(JsonDeletedVectors::new(&deleted)).unwrap();
        let expected = serde_json::json!({
            "model": "remote", "done": "vectors", "versions": 1, "bytes": 1_400_000
        });
        assert_eq!(json, expected);
        deleted.versions = 0;
        let text = "there are no vectors of `remote` but those that searches use";
        assert_eq!(format_deleted_vectors(&deleted), text);
    }

    #[test]
    fn the_background_is_named_where_it_has_something_to_do() {
        let embedded = |sessions| {
            Some(EmbeddedSessions {
                sessions,
                all_sessions: 8,
            })
        };
        let mentions = |embedded, has_background| {
            format_used_model("mine", embedded, has_background).contains("background")
        };
        assert!(mentions(embedded(3), true) && mentions(None, true));
        assert!(!mentions(embedded(3), false) && !mentions(embedded(8), true));
        assert_eq!(
            format_used_model(TABLE_MODEL, None, true),
            "`table` is in use"
        );
    }
}
