//! Hints: the way out of an error.

use session_agents::{AgentError, ResumeError};
use session_config::{ConfigError, TimeError};
use session_files::FileError;
use session_forget::ForgetError;
use session_indexer::IndexError;
use session_memory::{DraftError, MemoryError};
use session_models::{ENDPOINT_HINT, EmbedError, ModelError};
use session_query::{QueryError, TypedFilterError};
use session_store::StoreError;
use std::borrow::Cow;
use std::error::Error;
use std::io::ErrorKind;

/// Returns what to do about an error, which the deepest cause that is known says.
pub fn error_hint(error: &(dyn Error + 'static)) -> Option<Cow<'static, str>> {
    let of_index = causes(error).find_map(store_error);
    let of_model = || {
        let found = causes(error).find_map(model_error);
        found.and_then(ModelError::hint).map(Cow::from)
    };
    let of_file = || {
        let found = causes(error).find_map(|e| e.downcast_ref::<FileError>());
        found.and_then(FileError::hint).map(Cow::from)
    };
    let of_memory = || {
        let found = causes(error).find_map(memory_error);
        found.and_then(MemoryError::hint)
    };
    let of_forget = || causes(error).find_map(forget_error)?.hint().map(Cow::from);
    let of_config = || {
        let found = causes(error).find_map(config_error);
        let of_time = || causes(error).find_map(|e| e.downcast_ref::<TimeError>());
        let hint = found.and_then(ConfigError::hint);
        hint.or_else(|| of_time()?.hint()).map(Cow::from)
    };
    match of_index {
        Some(error) => hint_of_index(error).map(Cow::from),
        None => of_model()
            .or_else(|| causes(error).find_map(hint_of_endpoint).map(Cow::from))
            .or_else(|| causes(error).find_map(hint_of_agent))
            .or_else(|| causes(error).find_map(hint_of_filter))
            .or_else(of_config)
            .or_else(of_memory)
            .or_else(|| causes(error).find_map(hint_of_disabled).map(Cow::from))
            .or_else(|| causes(error).find_map(hint_of_draft))
            .or_else(of_forget)
            .or_else(of_file)
            .or_else(|| causes(error).find_map(hint_of_disk).map(Cow::from)),
    }
}

/// Returns an error and what caused it.
fn causes<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    let mut next = Some(error);
    std::iter::from_fn(move || {
        let cause = next?;
        next = cause.source();
        Some(cause)
    })
}

/// Returns the error of the index that a cause is, or wraps without a level of its own.
fn store_error<'e>(cause: &'e (dyn Error + 'static)) -> Option<&'e StoreError> {
    let store = cause.downcast_ref::<StoreError>();
    let of_query = || match cause.downcast_ref::<QueryError>() {
        Some(QueryError::Store(store)) => Some(store),
        _ => None,
    };
    let of_indexer = || match cause.downcast_ref::<IndexError>() {
        Some(IndexError::Store(store)) => Some(store),
        _ => None,
    };
    let of_forget = || match forget_error(cause) {
        Some(ForgetError::Store(store)) => Some(store),
        _ => None,
    };
    store
        .or_else(of_query)
        .or_else(of_indexer)
        .or_else(of_forget)
}

fn forget_error<'e>(cause: &'e (dyn Error + 'static)) -> Option<&'e ForgetError> {
    let of_indexer = || match cause.downcast_ref::<IndexError>() {
        Some(IndexError::Forget(forget)) => Some(forget),
        _ => None,
    };
    let of_query = || match cause.downcast_ref::<QueryError>() {
        Some(QueryError::Forget(forget)) => Some(forget),
        _ => None,
    };
    let forget = cause.downcast_ref::<ForgetError>();
    forget.or_else(of_indexer).or_else(of_query)
}

fn model_error<'e>(cause: &'e (dyn Error + 'static)) -> Option<&'e ModelError> {
    let model = cause.downcast_ref::<ModelError>();
    model.or_else(|| match cause.downcast_ref::<QueryError>() {
        Some(QueryError::Model(model)) => Some(model),
        _ => None,
    })
}

fn memory_error<'e>(cause: &'e (dyn Error + 'static)) -> Option<&'e MemoryError> {
    let memory = cause.downcast_ref::<MemoryError>();
    memory.or_else(|| match cause.downcast_ref::<QueryError>() {
        Some(QueryError::Memory(memory)) => Some(memory),
        _ => None,
    })
}

fn config_error<'e>(cause: &'e (dyn Error + 'static)) -> Option<&'e ConfigError> {
    let config = cause.downcast_ref::<ConfigError>();
    config.or_else(|| match cause.downcast_ref::<QueryError>() {
        Some(QueryError::Config(config)) => Some(config),
        _ => None,
    })
}

/// The hint where there is no room for the index.
pub(crate) const NO_SPACE_HINT: &str =
    "free space on that disk, or set SESSION_SEARCH_HOME to a folder on another";
/// The hint where the index cannot be written.
pub(crate) const UNWRITABLE_HINT: &str =
    "see that its folder can be written, or set SESSION_SEARCH_HOME to another";

fn hint_of_index(error: &StoreError) -> Option<&'static str> {
    match error {
        _ if error.needs_rebuild() => Some(
            "run `session-search index --full` to build it anew; the old database is kept beside it",
        ),
        _ if error.needs_migration() => Some(
            "run `session-search index`, which migrates it; where its folder cannot be written, set SESSION_SEARCH_HOME to another",
        ),
        _ if error.needs_update() => Some(
            "a newer version of session-search wrote it: update this one, or set SESSION_SEARCH_HOME to another folder",
        ),
        _ if error.needs_space() => Some(NO_SPACE_HINT),
        StoreError::Shared(_) => {
            Some("set SESSION_SEARCH_HOME to a folder of its own, such as one below that")
        }
        StoreError::Locked { .. } => Some("wait for it to end, or see `session-search status`"),
        StoreError::Missing { .. } => Some("run `session-search index`"),
        _ if error.needs_write_access() => Some(UNWRITABLE_HINT),
        StoreError::Sqlite(_) | StoreError::Io(_) => {
            Some("`session-search doctor` looks for what is wrong")
        }
        _ => None,
    }
}

fn hint_of_endpoint(cause: &(dyn Error + 'static)) -> Option<&'static str> {
    let of_query = || match cause.downcast_ref::<QueryError>() {
        Some(QueryError::Embed(error)) => Some(error),
        _ => None,
    };
    let of_indexer = || match cause.downcast_ref::<IndexError>() {
        Some(IndexError::Embed(error)) => Some(error),
        _ => None,
    };
    let error = cause.downcast_ref::<EmbedError>();
    let error = error.or_else(of_query).or_else(of_indexer)?;
    matches!(error, EmbedError::Remote { .. }).then_some(ENDPOINT_HINT)
}

fn hint_of_filter(cause: &(dyn Error + 'static)) -> Option<Cow<'static, str>> {
    let of_query = || match cause.downcast_ref::<QueryError>() {
        Some(QueryError::Filter(filter)) => Some(filter),
        _ => None,
    };
    let error = cause.downcast_ref::<TypedFilterError>();
    error.or_else(of_query)?.hint().map(Cow::from)
}

fn hint_of_draft(cause: &(dyn Error + 'static)) -> Option<Cow<'static, str>> {
    Some(cause.downcast_ref::<DraftError>()?.hint().into())
}

fn hint_of_disabled(cause: &(dyn Error + 'static)) -> Option<&'static str> {
    let error = cause.downcast_ref::<QueryError>()?;
    let is_disabled = matches!(error, QueryError::MemoriesDisabled);
    is_disabled.then_some("`session-search config` says by whom (`enabled`)")
}

fn hint_of_agent(cause: &(dyn Error + 'static)) -> Option<Cow<'static, str>> {
    let hint = match cause.downcast_ref::<AgentError>() {
        Some(AgentError::File(error)) => error.hint()?.into(),
        Some(AgentError::Settings { .. }) => "correct it first".into(),
        Some(AgentError::Manifest(_)) => return None,
        None => hint_of_resume(cause.downcast_ref::<ResumeError>()?),
    };
    Some(hint)
}

fn hint_of_resume(error: &ResumeError) -> Cow<'static, str> {
    let text = match error {
        ResumeError::Subagent { parent, .. } => {
            format!("`session-search resume {parent}` resumes the session that started it")
        }
        ResumeError::OrphanedSubagent { session } => {
            format!("`session-search show {session}` has what was said in it")
        }
        ResumeError::TranscriptDeleted { session } => {
            format!("`session-search show {session}` has its prompts")
        }
        ResumeError::HistoryGone { session } => {
            format!("`session-search show {session}` has what was indexed of it")
        }
        ResumeError::NoFork { session, .. } => {
            format!("`session-search resume {session}` resumes the session itself")
        }
        ResumeError::Unsupported { .. } => {
            return "`session-search show` has what was said in it".into();
        }
    };
    text.into()
}

/// Of what is written elsewhere: where the output goes, or the folder for
/// temporary files.
fn hint_of_disk(cause: &(dyn Error + 'static)) -> Option<&'static str> {
    let of_query = || match cause.downcast_ref::<QueryError>() {
        Some(QueryError::Io(error)) => Some(error),
        _ => None,
    };
    let error = cause.downcast_ref::<std::io::Error>();
    let kind = error.or_else(of_query)?.kind();
    let is_full = matches!(kind, ErrorKind::StorageFull | ErrorKind::QuotaExceeded);
    is_full.then_some("free space on the disk that is written to")
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(error_hint(&std::io::Error::other("so")), None);
    }
}
