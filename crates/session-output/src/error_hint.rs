//! Hints: what a user can do about an error.

use crate::session_label::{find_session_id_hint, format_candidates};
use session_agents::{AgentError, ResumeError};
use session_config::ConfigError;
use session_eval::EvalError;
use session_files::{FileError, io_hint};
use session_forget::{ForgetError, TypedNameError};
use session_hooks::HookSessionError;
use session_indexer::IndexError;
use session_memory::{DraftError, MemoryError};
use session_models::{EmbedError, ModelError};
use session_project_memories::ProjectMemoriesError;
use session_query::{ForgetSelectionError, QueryError, SessionIdError, TypedFilterError};
use session_report::TimeError;
use session_store::StoreError;
use std::borrow::Cow;
use std::error::Error;
use std::io;
use std::iter;

/// The hint of one type of errors, where the error is of that type.
type HintOf = fn(&(dyn Error + 'static)) -> Option<Cow<'static, str>>;

/// All errors that know a way out.
const HINTS: [HintOf; 21] = [
    |error| hook_session_hint(error.downcast_ref()?),
    |error| Some(find_session_id_hint(find_session_id_error(error)?)),
    |error| Some(error.downcast_ref::<ForgetSelectionError>()?.hint().into()),
    |error| error.downcast_ref::<QueryError>()?.hint(),
    |error| error.downcast_ref::<ProjectMemoriesError>()?.hint(),
    |error| Some(error.downcast_ref::<IndexError>()?.hint()?.into()),
    |error| Some(error.downcast_ref::<StoreError>()?.hint()?.into()),
    |error| Some(error.downcast_ref::<ForgetError>()?.hint()?.into()),
    |error| Some(error.downcast_ref::<TypedNameError>()?.hint().into()),
    |error| Some(error.downcast_ref::<ModelError>()?.hint()?.into()),
    |error| Some(error.downcast_ref::<EmbedError>()?.hint()?.into()),
    |error| Some(error.downcast_ref::<AgentError>()?.hint()?.into()),
    |error| Some(error.downcast_ref::<ResumeError>()?.hint().into()),
    |error| Some(error.downcast_ref::<TypedFilterError>()?.hint()?.into()),
    |error| Some(error.downcast_ref::<ConfigError>()?.hint()?.into()),
    |error| Some(error.downcast_ref::<TimeError>()?.hint()?.into()),
    |error| error.downcast_ref::<EvalError>()?.hint(),
    |error| error.downcast_ref::<MemoryError>()?.hint(),
    |error| Some(error.downcast_ref::<DraftError>()?.hint().into()),
    |error| Some(error.downcast_ref::<FileError>()?.hint()?.into()),
    |error| Some(io_hint(error.downcast_ref::<io::Error>()?)?.into()),
];

/// Returns the error of an id of a session, by itself or in that of what the id is for.
fn find_session_id_error<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e SessionIdError> {
    let direct = error.downcast_ref();
    let selected = || match error.downcast_ref()? {
        ForgetSelectionError::Session(error) => Some(error),
        _ => None,
    };
    let of_hook = || Some(&error.downcast_ref::<HookSessionError>()?.0);
    direct.or_else(selected).or_else(of_hook)
}

fn hook_session_hint(HookSessionError(error): &HookSessionError) -> Option<Cow<'static, str>> {
    let hint = find_session_id_hint(error);
    let whole = "or write the whole id, which may be of a session that is not indexed yet";
    Some(format!("{hint}, {whole}").into())
}

/// Returns the lines that stand between the message of an error and its hint: the sessions of an id that names several.
fn error_details(error: &(dyn Error + 'static)) -> Option<String> {
    let mut causes = iter::successors(Some(error), |&cause| cause.source());
    causes.find_map(|cause| format_candidates(find_session_id_error(cause)?))
}

/// Returns what to do about an error, which the first of its causes that knows says.
pub fn error_hint(error: &(dyn Error + 'static)) -> Option<Cow<'static, str>> {
    let mut causes = iter::successors(Some(error), |&cause| cause.source());
    causes.find_map(|cause| HINTS.iter().find_map(|hint| hint(cause)))
}

/// Formats an error with its causes and with what to do about it.
pub fn format_error(error: &(dyn Error + 'static)) -> String {
    let causes = iter::successors(Some(error), |&cause| cause.source());
    let causes: Vec<String> = causes.map(ToString::to_string).collect();
    let details = error_details(error).unwrap_or_default();
    let hint = error_hint(error).map(|hint| format!("\nhint: {hint}"));
    format!("{}{details}{}", causes.join(": "), hint.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::ErrorKind;

    #[test]
    fn a_full_disk_asks_for_space() {
        let full = || std::io::Error::from(ErrorKind::StorageFull);
        let sqlite = rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(13), None);
        let of_index = [
            StoreError::Io(full()),
            StoreError::Sqlite(sqlite),
            StoreError::Io(std::io::Error::from(ErrorKind::QuotaExceeded)),
        ];
        for error in of_index {
            let hint = error_hint(&IndexError::Store(error)).unwrap();
            assert!(
                hint.contains("free space") && hint.contains("SESSION_SEARCH_HOME"),
                "{hint}"
            );
        }
        let hint = error_hint(&full()).unwrap();
        assert!(
            hint.contains("free space") && !hint.contains("SESSION_SEARCH_HOME"),
            "{hint}"
        );
    }

    #[test]
    fn an_error_has_its_causes_and_its_hint() {
        let full = IndexError::Store(StoreError::Io(ErrorKind::StorageFull.into()));
        let text = format_error(&full);
        let lines: Vec<&str> = text.lines().collect();
        let hint = format!("hint: {}", error_hint(&full).unwrap());
        assert_eq!(lines[1..], [hint]);
        assert!(lines[0].starts_with(&full.to_string()), "{text}");
        assert_eq!(format_error(&std::io::Error::other("so")), "so");
    }

    #[test]
    fn an_error_within_that_of_a_query_keeps_its_hint() {
        let unknown = || TypedFilterError::UnknownAgent {
            name: "clod".into(),
            known: vec!["claude".into()],
        };
        let expected = Some("one of claude".into());
        assert_eq!(error_hint(&unknown()), expected);
        assert_eq!(error_hint(&QueryError::Filter(unknown())), expected);
        let full = QueryError::Io(ErrorKind::StorageFull.into());
        assert!(error_hint(&full).unwrap().contains("free space"));
        let (cause, hint) = (full.to_string(), error_hint(&full).unwrap().into_owned());
        let of_question = format_error(&EvalError::Embed(full.into()));
        let expected = format!("a question cannot be embedded: {cause}\nhint: {hint}");
        assert_eq!(of_question, expected);
        assert_eq!(error_hint(&std::io::Error::other("so")), None);
    }
}
