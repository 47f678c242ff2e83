//! The keys by which JSON names a session.

use serde::Serialize;
use session_display::{format_rfc3339, project_label, visible_title};
use session_store::SessionRow;

/// A session in the JSON of what was found in it, as `docs/cli.md` describes it.
#[derive(Serialize)]
pub(crate) struct JsonSessionFields<'a> {
    source: &'a str,
    session: &'a str,
    project: &'a str,
    path: Option<&'a str>,
    date: Option<String>,
    title: Option<&'a str>,
    parent: Option<&'a str>,
    gone: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    prompts_only: bool,
}

impl<'a> JsonSessionFields<'a> {
    /// Returns the keys of a session with the time of what was found.
    pub(crate) fn new(session: &'a SessionRow, time_ms: Option<i64>) -> Self {
        Self {
            source: &session.source,
            session: &session.uid,
            project: project_label(session),
            path: session.project.as_deref(),
            date: format_rfc3339(time_ms),
            title: visible_title(session),
            parent: session.parent.as_deref(),
            gone: session.gone,
            prompts_only: session.prompts_only,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_title_that_cannot_be_seen_is_null() {
        let session = SessionRow {
            title: Some("\u{200b}\u{7}".to_owned()),
            prompts_only: true,
            ..SessionRow::default()
        };
        let fields = serde_json::to_value(JsonSessionFields::new(&session, None)).unwrap();
        assert_eq!(fields["title"], json!(null));
        assert_eq!(fields["prompts_only"], json!(true));
    }
}
