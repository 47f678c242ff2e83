//! One refresh, from listing to the last commit.

use crate::discover::{Change, Changes, discover, path_key};
use crate::embedding::{Embedding, embed_pending, known};
use crate::listed_histories::ListedHistories;
use crate::outcome::{OldDatabase, Outcome, Progress, Silent, Stage};
use crate::parse;
use crate::policy::ReadPolicy;
use crate::write::Storing;
use session_core::SourceName;
use session_embed::{EmbedError, Embedder};
use session_forget::{Exclusions, ForgetError, RemovedCounts};
use session_sources::Env;
use session_store::{
    FileDigests, ModelId, PurgeOutcome, Reader, StoreError, Writer, WriterOptions,
};
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The options of a refresh.
pub struct Refresh<'a> {
    /// Folder of the index.
    pub root: PathBuf,
    /// Where histories are looked for.
    pub env: Env,
    /// How far it goes.
    pub mode: Mode,
    /// Models whose vectors are wanted at once.
    pub embedders: Vec<&'a dyn Embedder>,
    /// Longest time to take; what is left is counted in the outcome. It is not
    /// kept to where the index is empty: then everything is read.
    pub budget: Option<Duration>,
    /// Threads that parse.
    pub threads: usize,
    /// Rules for what is read.
    pub policy: ReadPolicy,
    /// Hears how far it has got.
    pub progress: &'a dyn Progress,
}

/// How far a refresh goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Only files that changed.
    Changes,
    /// Everything anew. What vanished histories left in the index is kept, as
    /// long as it can be read.
    Full,
}

/// An error of a refresh.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// The index failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The records of what was forgotten cannot be read or written.
    #[error(transparent)]
    Forget(ForgetError),
    /// The model failed.
    #[error(transparent)]
    Embed(#[from] EmbedError),
}

impl IndexError {
    /// Returns what a user can do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Store(error) => error.hint(),
            Self::Forget(error) => error.hint(),
            Self::Embed(error) => error.hint(),
        }
    }
}

impl From<ForgetError> for IndexError {
    fn from(error: ForgetError) -> Self {
        match error {
            ForgetError::Store(error) => Self::Store(error),
            other => Self::Forget(other),
        }
    }
}

impl Refresh<'_> {
    /// A refresh of what changed, without models, without limits.
    pub fn new(root: &Path, env: &Env) -> Self {
        Self {
            root: root.to_owned(),
            env: env.clone(),
            mode: Mode::Changes,
            embedders: Vec::new(),
            budget: None,
            threads: std::thread::available_parallelism().map_or(2, usize::from),
            policy: ReadPolicy::default(),
            progress: &Silent,
        }
    }

    fn with_exclusions(&self, exclusions: Exclusions) -> Self {
        let redactor = self.policy.redactor.clone();
        Self {
            root: self.root.clone(),
            env: self.env.clone(),
            embedders: self.embedders.clone(),
            policy: ReadPolicy {
                redactor,
                exclusions,
            },
            ..*self
        }
    }
}

/// Brings the index up to date, to this program's format first. When another
/// process is writing, nothing is done and the outcome says so.
///
/// # Errors
/// When the index or a model fails. Unreadable histories are no error: they
/// are recorded in the index.
pub fn refresh(how: &Refresh<'_>) -> Result<Outcome, IndexError> {
    let seen = match (Reader::open(&how.root), how.mode) {
        (_, Mode::Full) | (Err(StoreError::Missing { .. }), _) => None,
        (Err(error), _) if error.needs_migration() => None,
        (Err(error), _) => return Err(error.into()),
        (Ok(index), _) => match compare_with_disk(how, index)? {
            Comparison::Current => return Ok(Outcome::default()),
            Comparison::Incomplete => None,
            Comparison::Changed(seen) => Some(seen),
        },
    };
    match open_and_run(how, seen) {
        Err(IndexError::Store(error)) if error.is_locked() => Ok(Outcome {
            locked: true,
            ..Outcome::default()
        }),
        Err(IndexError::Store(error)) if how.mode == Mode::Full && error.may_need_rebuild() => {
            rebuild(how)
        }
        other => other,
    }
}

/// Builds the index anew beside the old one.
fn rebuild(how: &Refresh<'_>) -> Result<Outcome, IndexError> {
    let mut writer = Writer::rebuild(&how.root)?;
    let outcome = run(how, &mut writer, None)?;
    Ok(Outcome {
        old_database: writer.old_database().map(OldDatabase::PutAside),
        ..outcome
    })
}

/// How the index compares with the histories on disk.
enum Comparison {
    /// There is nothing to read and nothing to embed.
    Current,
    /// The index has something left to do of what it has read.
    Incomplete,
    /// That alone is to be done.
    Changed(Box<SeenChanges>),
}

/// Changes that were found before the writer's lock was taken.
struct SeenChanges {
    changes: Changes,
    index: Reader,
    /// [`Reader::data_version`] before they were looked for.
    version: u64,
}

impl SeenChanges {
    /// Returns the changes, unless another process has written since they were looked for.
    fn take_if_valid(self) -> Result<Option<Changes>, StoreError> {
        let is_valid = self.index.data_version()? == self.version;
        Ok(is_valid.then_some(self.changes))
    }
}

fn compare_with_disk(how: &Refresh<'_>, index: Reader) -> Result<Comparison, IndexError> {
    let version = index.data_version()?;
    let exclusions = &how.policy.exclusions;
    let read = || read_digests(how, &index);
    let changes = match ListedHistories::list_beside(&how.env, exclusions, read)? {
        Some((listed, known)) => Some(listed.compare(&index, &known, exclusions)?),
        None => None,
    };
    Ok(match changes {
        None => Comparison::Incomplete,
        Some(changes) if changes.is_empty() => Comparison::Current,
        Some(changes) => Comparison::Changed(Box::new(SeenChanges {
            changes,
            index,
            version,
        })),
    })
}

/// Reads the digests of all files; `None` where something is left to do of what the index has read.
fn read_digests(how: &Refresh<'_>, index: &Reader) -> Result<Option<FileDigests>, IndexError> {
    match is_complete(how, index)? {
        true => Ok(Some(index.file_digests()?)),
        false => Ok(None),
    }
}

/// True when nothing is left to do of what the index has read.
fn is_complete(how: &Refresh<'_>, index: &Reader) -> Result<bool, IndexError> {
    for embedder in &how.embedders {
        let models = known(index, &[embedder.spec().fingerprint()])?;
        if index.has_pending_sessions(&models)? {
            return Ok(false);
        }
    }
    Ok(index.has_other_homes(&how.env.home, &how.env.other_homes)?
        && !index.is_purge_pending()?
        && !index.is_open_to_others()
        && !has_lost_matrices(index)?
        && !how.policy.exclusions.differ_from(index)?)
}

/// Returns true where a matrix cannot be read; the writer looks again, while nobody replaces one.
fn has_lost_matrices(index: &Reader) -> Result<bool, StoreError> {
    match index.models_with_lost_matrices() {
        Err(error) if error.needs_rebuild() => Ok(true),
        lost => Ok(!lost?.is_empty()),
    }
}

/// A writer of an index.
struct OpenIndex {
    writer: Writer,
    /// The index was damaged, and is whole only if what is read mends it.
    was_damaged: bool,
}

fn open(how: &Refresh<'_>) -> Result<OpenIndex, IndexError> {
    let options = WriterOptions {
        redactor: how.policy.redactor.clone(),
        progress: &|done, all| how.progress.at(Stage::Migrating, done, all),
    };
    let mut writer = Writer::open_with(&how.root, options)?;
    let mut was_damaged = false;
    if how.mode == Mode::Full {
        was_damaged = writer.mend_database()?;
        // What the database holds of histories that are gone is held by nothing else: vectors are made anew of it.
        let damaged = writer.reader()?.models_with_damaged_vectors()?;
        delete_vectors(&mut writer, damaged)?;
        writer.reset_cursors()?;
        let fingerprints = how.embedders.iter().map(|e| e.spec().fingerprint());
        let known = known(writer.reader()?, &fingerprints.collect::<Vec<_>>())?;
        delete_vectors(&mut writer, known)?;
    }
    // What nobody can read is embedded again.
    let lost = writer.reader()?.models_with_lost_matrices()?;
    delete_vectors(&mut writer, lost)?;
    Ok(OpenIndex {
        writer,
        was_damaged,
    })
}

fn delete_vectors(writer: &mut Writer, models: Vec<ModelId>) -> Result<(), StoreError> {
    let mut models = models.into_iter();
    models.try_for_each(|model| writer.delete_vectors(model))
}

fn open_and_run(how: &Refresh<'_>, seen: Option<Box<SeenChanges>>) -> Result<Outcome, IndexError> {
    let OpenIndex {
        mut writer,
        was_damaged,
    } = open(how)?;
    let seen = seen.map(|seen| seen.take_if_valid()).transpose()?;
    // Another process may have forgotten something while this one waited for the lock.
    let outcome = match how.policy.exclusions.reread()? {
        Some(exclusions) => run(&how.with_exclusions(exclusions), &mut writer, None),
        None => run(how, &mut writer, seen.flatten()),
    }?;
    if was_damaged {
        writer.reader()?.verify_thoroughly()?;
    }
    Ok(outcome)
}

/// Reads what has changed: `seen`, or what a look now finds.
fn run(
    how: &Refresh<'_>,
    writer: &mut Writer,
    seen: Option<Changes>,
) -> Result<Outcome, IndexError> {
    let first = writer.reader()?.is_empty()?;
    let reads_all = first || how.mode == Mode::Full;
    let removed = apply_exclusions(how, writer)?;
    note_other_homes(&how.env, writer)?;
    let budget = if first { None } else { how.budget };
    let deadline = budget.map(|b| Instant::now() + b);
    let mut changes = match seen {
        Some(changes) => changes,
        None => discover(&how.env, writer.reader()?, &how.policy.exclusions)?,
    };
    if reads_all {
        changes.put_databases_first();
        writer.let_log_grow()?;
    }
    let options = parse::ReadOptions {
        deadline,
        policy: &how.policy,
        embedders: if reads_all { &how.embedders } else { &[] },
    };
    let mut outcome = read(how, writer, &changes, &options)?;
    outcome.removed += removed;
    outcome.old_database = OldDatabase::after_removal(&how.root, outcome.removed);
    outcome.was_open_to_others = writer.was_open_to_others();
    for embedder in &how.embedders {
        let embedded = embed_pending(
            writer,
            &Embedding {
                deadline,
                ..Embedding::new(*embedder, how.progress)
            },
        )?;
        outcome.embedded += embedded.texts;
        outcome.sessions_left += embedded.sessions_left;
    }
    if reads_all || writer.was_migrated() {
        writer.vacuum()?;
    }
    outcome.purge_waits = purge(how, writer)?;
    Ok(outcome)
}

/// Removes from the files what was deleted now or by a process that did not get to it. A search, too, may take
/// longer for it, once; for readers of the index as it was, its own among them, it does not wait. Returns true where one of
/// them keeps it in the log.
fn purge(how: &Refresh<'_>, writer: &mut Writer) -> Result<bool, IndexError> {
    if !writer.is_purge_pending()? {
        return Ok(false);
    }
    how.progress.at(Stage::Purging, 0, 1);
    if how.budget.is_some() {
        writer.set_lock_wait(Duration::ZERO)?;
    }
    match writer.finish_purge() {
        // A search can be answered on a full disk, too; the purge waits for the next one.
        Err(error) if how.budget.is_some() && error.needs_space() => Ok(false),
        purged => Ok(purged? == PurgeOutcome::Waiting),
    }
}

/// Notes which homes of other machines are configured now.
fn note_other_homes(env: &Env, writer: &mut Writer) -> Result<(), StoreError> {
    match writer
        .reader()?
        .has_other_homes(&env.home, &env.other_homes)?
    {
        true => Ok(()),
        false => writer.set_other_homes(&env.home, &env.other_homes),
    }
}

/// Removes what is excluded since the index was written. Where less is excluded than before, all
/// histories are read again.
fn apply_exclusions(how: &Refresh<'_>, writer: &mut Writer) -> Result<RemovedCounts, IndexError> {
    let exclusions = &how.policy.exclusions;
    if !exclusions.differ_from(writer.reader()?)? {
        return Ok(RemovedCounts::default());
    }
    Ok(exclusions.apply(writer)?)
}

fn read(
    how: &Refresh<'_>,
    writer: &mut Writer,
    changes: &Changes,
    options: &parse::ReadOptions<'_>,
) -> Result<Outcome, IndexError> {
    record_listing(writer, changes)?;
    let sizes: u64 = changes.changed.iter().map(|c| c.location.stamp.size).sum();
    let specs = options.embedders.iter().map(|embedder| embedder.spec());
    let models = specs.map(|spec| writer.add_model(&spec.fingerprint(), &spec.name, spec.dims));
    let models = models.collect::<Result<Vec<_>, _>>()?;
    let preparer = writer.turn_preparer();
    let mut storing = Storing::new(writer, models, &how.policy.exclusions);
    let mut bytes = 0;
    parse::in_order(
        &changes.changed,
        how.threads,
        options,
        &preparer,
        |change: &Change, events| {
            storing.file(change, &events)?;
            bytes += change.location.stamp.size;
            how.progress.at(Stage::Reading, bytes, sizes);
            Ok::<(), IndexError>(())
        },
    )?;
    storing.record_marks()?;
    let Storing {
        turns,
        files: files_read,
        embedded,
        exclusions,
        times,
        ..
    } = storing;
    let with_marked = match exclusions {
        Cow::Owned(exclusions) => Some(exclusions),
        Cow::Borrowed(_) => None,
    };
    if let Some(times) = times {
        writer.link_prompt_copies(times)?;
    }
    delete_copies_elsewhere(&how.env, writer, &changes.changed[..files_read])?;
    let files_left = changes.changed.len() - files_read;
    // Last: what they held may be in a file that is new.
    let gone = match files_left {
        0 => changes.gone.as_slice(),
        _ => &[],
    };
    gone.iter()
        .try_for_each(|file| writer.mark_file_gone(*file))?;
    writer.apply_external_titles()?;
    if files_read == changes.changed.len() {
        how.policy.exclusions.delete_unheld_titles(writer)?;
    }
    writer.commit()?;
    // What was stored of marked sessions before their marks.
    let removed = match with_marked {
        Some(exclusions) => exclusions.apply(writer)?,
        None => RemovedCounts::default(),
    };
    Ok(Outcome {
        files_read,
        files_left,
        files_gone: gone.len(),
        turns,
        embedded,
        removed,
        ..Outcome::default()
    })
}

/// Deletes the sessions of other machines that a history with several sessions holds, such as a database, and that the
/// user's own one holds, too. A file of one session that does is not even listed.
fn delete_copies_elsewhere(
    env: &Env,
    writer: &mut Writer,
    read: &[Change],
) -> Result<(), StoreError> {
    let several = read
        .iter()
        .filter(|change| change.location.located.session.is_none());
    for change in several.filter(|change| env.is_elsewhere(&change.location.path)) {
        let file = writer.upsert_file(&change.source.name(), &path_key(&change.location))?;
        writer.delete_sessions_held_by_others(file)?;
    }
    Ok(())
}

fn record_listing(writer: &mut Writer, changes: &Changes) -> Result<(), StoreError> {
    for (file, path) in &changes.moved {
        writer.rename_file(*file, path)?;
    }
    for (source, path) in &changes.back {
        writer.upsert_file(&SourceName(source.clone().into()), path)?;
    }
    match &changes.problems {
        Some(problems) => writer.replace_listing_problems(problems),
        None => Ok(()),
    }
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
                changes: Changes::default(),
                version: index.data_version().unwrap(),
                index,
            }
        };
        let (before, after) = (seen(), seen());
        assert!(before.take_if_valid().unwrap().is_some());
        let source = SourceName::new("claude");
        writer.upsert_file(&source, "/h/a.jsonl").unwrap();
        writer.commit().unwrap();
        assert!(after.take_if_valid().unwrap().is_none());
    }
}
