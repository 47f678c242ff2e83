//! Failures of models, which the index records.

use crate::error::IndexError;
use crate::writer_access::WriterAccess;
use session_store::Reader;
use std::path::Path;

/// Records why a model could not embed, for whoever asks later: a process in the background can tell nobody. The next
/// run of the model deletes it.
///
/// # Errors
/// When the store fails, or another writer does not end.
pub fn record_model_failure(root: &Path, model: &str, reason: &str) -> Result<(), IndexError> {
    replace_model_failure(&mut WriterAccess::PerCommit(root), model, Some(reason))
}

/// Replaces the failure that is recorded of a model, if one is to be or is.
pub(crate) fn replace_model_failure(
    access: &mut WriterAccess<'_>,
    model: &str,
    reason: Option<&str>,
) -> Result<(), IndexError> {
    if reason.is_none() && !access.read(Reader::model_failures)?.contains_key(model) {
        return Ok(());
    }
    access.write(|writer| {
        writer.replace_model_failure(model, reason)?;
        writer.commit()
    })
}
