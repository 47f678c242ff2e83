//! Redacts what an index holds by rules that came after its histories were read: most of them are gone by then.
//!
//! The index notes the rules by which all that it holds is redacted. A refresh with other ones, those of a newer version
//! or of a changed configuration, goes through all texts once. It takes as long as it takes, also for a search: until it is
//! done, the index answers with what is to be redacted.

use crate::events::redact_cursor;
use crate::outcome::RefreshStage;
use crate::read_policy::ReadPolicy;
use crate::refresh::{RefreshMode, RefreshOptions};
use session_core::{SessionMeta, TurnContent};
use session_redact::Redactor;
use session_sources::{Cursor, find_source};
use session_store::{
    Reader, RewrittenCounts, StoreError, StoredTextRewriter, Writer, delete_query_cache,
};
use std::path::Path;

/// Returns true if other rules than these were in force when what an index holds was redacted last.
///
/// # Errors
/// When the index fails.
pub fn awaits_redaction(index: &Reader, redactor: &Redactor) -> Result<bool, StoreError> {
    Ok(!index.is_redacted_by(&redactor.rules_fingerprint())?)
}

/// Redacts all that the index holds, where other rules were in force before, and always where all histories are read again.
/// Then, too, what they replace is to leave the files.
pub(crate) fn redact_stored_texts(
    options: &RefreshOptions<'_>,
    policy: &ReadPolicy,
    writer: &mut Writer,
) -> Result<RewrittenCounts, StoreError> {
    let redactor = &policy.redactor;
    let is_full = options.mode == RefreshMode::Full;
    if !is_full && !awaits_redaction(writer.reader()?, redactor)? {
        return Ok(RewrittenCounts::default());
    }
    if is_full && !writer.reader()?.is_empty()? {
        writer.request_purge()?;
    }
    let counts = redact_all(options, redactor, writer)?;
    // Last: what a killed process did not get to is redacted by the next one.
    writer.set_redacted_by(&redactor.rules_fingerprint())?;
    writer.commit()?;
    Ok(counts)
}

fn redact_all(
    options: &RefreshOptions<'_>,
    redactor: &Redactor,
    writer: &mut Writer,
) -> Result<RewrittenCounts, StoreError> {
    if redactor.is_off() {
        return Ok(RewrittenCounts::default());
    }
    let report = |at| options.progress.report(RefreshStage::Redacting, at);
    let counts = writer.rewrite_stored_texts(&StoredTextRedactor { redactor }, &report)?;
    writer.edit_cursors(|file, cursor| {
        let (source, at) = (find_source(&file.source), Path::new(&file.path));
        let redacted = redact_cursor(redactor, source, at, Cursor(cursor.to_owned()));
        (redacted.0 != cursor).then_some(redacted.0)
    })?;
    if counts != RewrittenCounts::default() {
        delete_query_cache(&options.root)?;
    }
    Ok(counts)
}

/// Redacts stored texts as they are redacted when they are read.
struct StoredTextRedactor<'r> {
    redactor: &'r Redactor,
}

impl StoredTextRewriter for StoredTextRedactor<'_> {
    fn rewrite_content(&self, content: &mut TurnContent) -> bool {
        self.redactor.redact_content(content)
    }

    fn rewrite_session(&self, session: &mut SessionMeta) -> bool {
        let before = session.clone();
        self.redactor.redact_session(session);
        self.redactor.redact_project(session);
        *session != before
    }

    fn rewrite_title(&self, title: &mut String) -> bool {
        self.redactor.redact_if_secret(title)
    }
}
