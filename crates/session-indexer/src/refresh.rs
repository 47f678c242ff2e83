//! One refresh, from listing to the last commit.

use crate::deadline::Deadline;
use crate::discover::{HistoryChanges, discover};
use crate::embedding::{EmbeddingOptions, embed_holding_writer, known_model};
use crate::error::IndexError;
use crate::history_reading::read_changes;
use crate::listed_histories::ListedHistories;
use crate::outcome::{OldDatabase, RefreshOutcome, RefreshProgress, RefreshStage, SilentProgress};
use crate::parallel_reading::ReadOptions;
use crate::read_policy::ReadPolicy;
use crate::stored_redaction::{awaits_redaction, redact_stored_texts};
use session_core::Progress;
use session_embed::Embedder;
use session_forget::{ContentCounts, Exclusions, ForgetError};
use session_sources::Env;
use session_store::{FileDigests, ModelId, PurgeOutcome, Reader, SessionId, StoreError, Writer};
use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The options of a refresh.
pub struct RefreshOptions<'a> {
    /// Directory of the index.
    pub root: PathBuf,
    /// The homes and variables by which histories are found.
    pub env: Env,
    /// The histories that it reads.
    pub mode: RefreshMode,
    /// The model whose vectors are wanted at once.
    pub embedder: Option<&'a dyn Embedder>,
    /// Longest time to take; what is left is counted in the outcome. It is not
    /// kept to where the index is empty: then everything is read.
    pub budget: Option<Duration>,
    /// Threads that parse.
    pub threads: usize,
    /// Rules for what is read.
    pub policy: ReadPolicy,
    /// Receives the progress.
    pub progress: &'a dyn RefreshProgress,
}

/// Says which histories a refresh reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefreshMode {
    /// Those that changed.
    Changes,
    /// All of them, from their beginnings. What vanished histories left in the index is kept, as
    /// long as it can be read.
    Full,
}

impl RefreshOptions<'_> {
    /// Makes the options of a refresh of what changed, without a model, without limits.
    pub fn new(root: &Path, env: &Env) -> Self {
        Self {
            root: root.to_owned(),
            env: env.clone(),
            mode: RefreshMode::Changes,
            embedder: None,
            budget: None,
            threads: std::thread::available_parallelism().map_or(2, usize::from),
            policy: ReadPolicy::default(),
            progress: &SilentProgress,
        }
    }
}

/// Brings the index up to date, to this program's format first. When another
/// process is writing, nothing is done and the outcome says so.
///
/// # Errors
/// When the index or a model fails. Unreadable histories are no error: they
/// are recorded in the index.
pub fn refresh(options: &RefreshOptions<'_>) -> Result<RefreshOutcome, IndexError> {
    let seen = match (Reader::open(&options.root), options.mode) {
        (_, RefreshMode::Full) | (Err(StoreError::Missing { .. }), _) => None,
        (Err(error), _) if error.needs_migration() => None,
        (Err(error), _) => return Err(error.into()),
        (Ok(index), _) => match compare_with_disk(options, index)? {
            Comparison::Current { unreadable_paths } => {
                return Ok(RefreshOutcome {
                    unreadable_paths,
                    ..RefreshOutcome::default()
                });
            }
            Comparison::Incomplete => None,
            Comparison::Changed(seen) => Some(seen),
        },
    };
    match open_and_run(options, seen) {
        Err(IndexError::Store(error)) if error.is_locked() => Ok(RefreshOutcome {
            locked: true,
            ..RefreshOutcome::default()
        }),
        Err(IndexError::Store(error))
            if options.mode == RefreshMode::Full && error.may_need_rebuild() =>
        {
            rebuild(options)
        }
        other => other,
    }
}

/// Builds the index anew beside the old one.
fn rebuild(options: &RefreshOptions<'_>) -> Result<RefreshOutcome, IndexError> {
    let mut writer = Writer::rebuild(&options.root)?;
    let outcome = run(options, &mut writer, None)?;
    Ok(RefreshOutcome {
        old_database: writer.old_database().map(OldDatabase::Renamed),
        ..outcome
    })
}

/// The result of comparing the index with the histories on disk.
enum Comparison {
    /// There is nothing to read and nothing to embed.
    Current { unreadable_paths: usize },
    /// The index has something left to do of what it has read.
    Incomplete,
    /// These changes alone are to be read.
    Changed(Box<SeenChanges>),
}

/// Changes that were found before the writer's lock was taken.
struct SeenChanges {
    changes: HistoryChanges,
    index: Reader,
    /// [`Reader::data_version`] before they were looked for.
    version: u64,
}

impl SeenChanges {
    /// Returns the changes, unless another process has written since they were looked for.
    fn take_if_valid(self) -> Result<Option<HistoryChanges>, StoreError> {
        let is_valid = self.index.data_version()? == self.version;
        Ok(is_valid.then_some(self.changes))
    }
}

fn compare_with_disk(
    options: &RefreshOptions<'_>,
    index: Reader,
) -> Result<Comparison, IndexError> {
    let version = index.data_version()?;
    let exclusions = &options.policy.exclusions;
    let read = || read_digests(options, &index);
    let changes = match ListedHistories::list_while_reading_digests(&options.env, exclusions, read)?
    {
        Some(found) => Some(found.listed.compare(&index, &found.known, exclusions)?),
        None => None,
    };
    Ok(match changes {
        None => Comparison::Incomplete,
        Some(changes) if changes.is_empty() => Comparison::Current {
            unreadable_paths: index.unread_paths()?,
        },
        Some(changes) => Comparison::Changed(Box::new(SeenChanges {
            changes,
            index,
            version,
        })),
    })
}

/// Reads the digests of all files; `None` if something is left to do of what the index has read.
fn read_digests(
    options: &RefreshOptions<'_>,
    index: &Reader,
) -> Result<Option<FileDigests>, IndexError> {
    if is_complete(options, index)? {
        Ok(Some(index.file_digests()?))
    } else {
        Ok(None)
    }
}

/// Returns true when nothing is left to do of what the index has read.
fn is_complete(options: &RefreshOptions<'_>, index: &Reader) -> Result<bool, IndexError> {
    if let Some(embedder) = options.embedder {
        let known = known_model(index, embedder)?;
        if index.has_pending_sessions(known.as_slice())? {
            return Ok(false);
        }
    }
    Ok(
        index.has_other_homes(&options.env.home, &options.env.other_homes)?
            && index.has_environment(&options.policy.environment)?
            && !index.is_purge_pending()?
            && !index.is_open_to_others()
            && !has_lost_matrices(index)?
            && !awaits_redaction(index, &options.policy.redactor)?
            && !options.policy.exclusions.is_outdated_in(index)?,
    )
}

/// Returns true if a matrix cannot be read; the writer looks again, while nobody replaces one.
fn has_lost_matrices(index: &Reader) -> Result<bool, StoreError> {
    match index.models_with_lost_matrices() {
        Err(error) if error.needs_rebuild() => Ok(true),
        lost => Ok(!lost?.is_empty()),
    }
}

/// The writer of a refresh.
struct OpenedWriter {
    writer: Writer,
    /// The index was damaged, and is whole only if what is read repairs it: it is verified at the end.
    was_damaged: bool,
}

fn open_writer(options: &RefreshOptions<'_>) -> Result<OpenedWriter, IndexError> {
    let on_migrated = |at| options.progress.report(RefreshStage::Migrating, at);
    let mut writer = Writer::open_reporting(&options.root, &on_migrated)?;
    let mut was_damaged = false;
    if options.mode == RefreshMode::Full {
        was_damaged = writer.repair_database()?;
        // What the database holds of histories that are gone is held by nothing else: vectors are made anew of it.
        let damaged = writer.reader()?.models_with_damaged_vectors()?;
        delete_vectors(&mut writer, damaged)?;
        writer.reset_cursors()?;
        if let Some(embedder) = options.embedder {
            let known = known_model(writer.reader()?, embedder)?;
            delete_vectors(&mut writer, known)?;
        }
    }
    // What nobody can read is embedded again.
    let lost = writer.reader()?.models_with_lost_matrices()?;
    delete_vectors(&mut writer, lost)?;
    Ok(OpenedWriter {
        writer,
        was_damaged,
    })
}

fn delete_vectors(
    writer: &mut Writer,
    models: impl IntoIterator<Item = ModelId>,
) -> Result<(), StoreError> {
    let mut models = models.into_iter();
    models.try_for_each(|model| writer.delete_vectors(model))
}

fn open_and_run(
    options: &RefreshOptions<'_>,
    seen: Option<Box<SeenChanges>>,
) -> Result<RefreshOutcome, IndexError> {
    let OpenedWriter {
        mut writer,
        was_damaged,
    } = open_writer(options)?;
    let outcome = run(options, &mut writer, seen)?;
    if was_damaged {
        writer.reader()?.verify_thoroughly()?;
    }
    Ok(outcome)
}

/// Returns the policy with what another process has forgotten while this one waited for the lock.
fn reread_policy(policy: &ReadPolicy) -> Result<Cow<'_, ReadPolicy>, ForgetError> {
    Ok(match policy.exclusions.reread()? {
        Some(exclusions) => Cow::Owned(ReadPolicy {
            exclusions,
            ..policy.clone()
        }),
        None => Cow::Borrowed(policy),
    })
}

/// Returns the policy by which a history of prompts tells no session whose file is there and excluded.
fn policy_with_unread_sessions<'p>(
    policy: &'p ReadPolicy,
    changes: &HistoryChanges,
) -> Cow<'p, ReadPolicy> {
    let unread = &changes.unread_sessions;
    if unread.is_empty() {
        return Cow::Borrowed(policy);
    }
    let policy = policy.clone();
    Cow::Owned(ReadPolicy {
        exclusions: policy.exclusions.with_unread_sessions(unread),
        ..policy
    })
}

/// Reads what has changed, `seen` where that still holds or found now, embeds it, and purges what was deleted.
fn run(
    options: &RefreshOptions<'_>,
    writer: &mut Writer,
    seen: Option<Box<SeenChanges>>,
) -> Result<RefreshOutcome, IndexError> {
    let policy = reread_policy(&options.policy)?;
    // Checked before anything is written: a write of this process would look like one of another.
    let seen = seen.filter(|_| matches!(policy, Cow::Borrowed(_)));
    let seen = seen.map(|seen| seen.take_if_valid()).transpose()?.flatten();
    let policy = policy.as_ref();
    let first = writer.reader()?.is_empty()?;
    let reads_all = first || options.mode == RefreshMode::Full;
    let redacted = redact_stored_texts(options, policy, writer)?;
    let applied = apply_exclusions(&policy.exclusions, writer)?;
    writer.set_other_homes(&options.env.home, &options.env.other_homes)?;
    writer.add_environment(&policy.environment)?;
    let budget = if first { None } else { options.budget };
    let deadline = Deadline::after(budget);
    let mut changes = match seen {
        Some(changes) => changes,
        None => discover(&options.env, writer.reader()?, &policy.exclusions)?,
    };
    let policy = policy_with_unread_sessions(policy, &changes);
    let policy = policy.as_ref();
    let exclusions = &policy.exclusions;
    let counts = applied.as_ref().map(|applied| applied.counts);
    let removed = exclusions.delete_unread_prompts(writer, counts)?;
    if reads_all {
        changes.put_databases_first();
        writer.let_log_grow()?;
    }
    let reading = ReadOptions {
        deadline,
        policy,
        embedder: options.embedder.filter(|_| reads_all),
    };
    let mut outcome = read_changes(options, writer, &changes, &reading)?;
    outcome.removed += removed;
    if let Some(applied) = applied {
        outcome.removed_sessions = applied.sessions;
        outcome.removed_projects = applied.projects;
    }
    outcome.redacted = redacted;
    outcome.old_database = OldDatabase::after_removal(&options.root, &outcome);
    outcome.was_open_to_others = writer.was_open_to_others();
    embed(options, writer, deadline, &mut outcome)?;
    let has_free_pages = reads_all || writer.was_migrated();
    if has_free_pages && !writer.reader()?.is_purge_pending()? {
        writer.vacuum()?;
    }
    outcome.purge_waits = purge(options, writer)?;
    Ok(outcome)
}

/// Embeds what is pending, and counts it in the outcome.
fn embed(
    options: &RefreshOptions<'_>,
    writer: &mut Writer,
    deadline: Deadline,
    outcome: &mut RefreshOutcome,
) -> Result<(), IndexError> {
    let Some(embedder) = options.embedder else {
        return Ok(());
    };
    let embedding = EmbeddingOptions {
        deadline,
        ..EmbeddingOptions::new(embedder, options.progress)
    };
    let embedded = embed_holding_writer(writer, &embedding)?;
    outcome.embedded += embedded.texts;
    outcome.sessions_left += embedded.sessions_left;
    Ok(())
}

/// Removes from the files what was deleted now or by a process that did not get to it, and returns true if a reader
/// keeps it in the log.
///
/// A search, too, may take longer for it, once; it does not wait for readers of the index as it was, its own among them.
fn purge(options: &RefreshOptions<'_>, writer: &mut Writer) -> Result<bool, IndexError> {
    if !writer.reader()?.is_purge_pending()? {
        return Ok(false);
    }
    let begun = Progress { done: 0, total: 1 };
    options.progress.report(RefreshStage::Purging, begun);
    if options.budget.is_some() {
        writer.set_lock_wait(Duration::ZERO)?;
    }
    match writer.finish_purge() {
        // A search can be answered on a full disk, too; the purge waits for the next one.
        Err(error) if options.budget.is_some() && error.needs_space() => Ok(false),
        purged => Ok(purged? == PurgeOutcome::Waiting),
    }
}

/// The sessions and turns that exclusions removed from an index.
struct AppliedExclusions {
    counts: ContentCounts,
    /// Ids of the sessions that the rules removed.
    sessions: Vec<String>,
    /// Folders of the projects whose sessions the rules removed, each once.
    projects: Vec<String>,
}

/// Removes what is excluded since the index was written; `None` if nothing changed. Where less is excluded than before, all
/// histories are read again.
fn apply_exclusions(
    exclusions: &Exclusions,
    writer: &mut Writer,
) -> Result<Option<AppliedExclusions>, IndexError> {
    if !exclusions.is_outdated_in(writer.reader()?)? {
        return Ok(None);
    }
    let index = writer.reader()?;
    let mut ruled = Vec::new();
    for session in index.sessions()? {
        if exclusions.rules_exclude_indexed(index, &session)? {
            ruled.push(session);
        }
    }
    let counts = exclusions.apply(writer)?;
    let left = writer.reader()?.sessions()?;
    let left: HashSet<SessionId> = left.iter().map(|session| session.id).collect();
    ruled.retain(|row| !left.contains(&row.id));
    let sessions = ruled.iter().map(|row| row.uid.clone()).collect();
    let projects: BTreeSet<String> = ruled.into_iter().filter_map(|row| row.project).collect();
    Ok(Some(AppliedExclusions {
        counts,
        sessions,
        projects: projects.into_iter().collect(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_count_until_another_process_writes() {
        let root = tempfile::tempdir().unwrap();
        let mut writer = Writer::open(root.path()).unwrap();
        let seen = || {
            let index = Reader::open(root.path()).unwrap();
            SeenChanges {
                changes: HistoryChanges::default(),
                version: index.data_version().unwrap(),
                index,
            }
        };
        let (before, after) = (seen(), seen());
        assert!(before.take_if_valid().unwrap().is_some());
        let source = "claude";
        writer.upsert_file(source, "/h/a.jsonl").unwrap();
        writer.commit().unwrap();
        assert!(after.take_if_valid().unwrap().is_none());
    }
}
