//! Storing what the parsing threads deliver.

use crate::commit_schedule::CommitSchedule;
use crate::discover::{Change, path_key};
use crate::event_channel::EventReceiver;
use crate::events::Event;
use crate::listed_histories::problem;
use crate::refresh::IndexError;
use session_forget::{Exclusions, MarkedSession};
use session_sources::Warning;
use session_store::{FileId, FileStamp, ModelRow, SessionId, Writer};
use std::borrow::Cow;
use std::ops::RangeInclusive;
use std::path::Path;

type Result<T> = std::result::Result<T, IndexError>;

/// Stores events file by file and commits from time to time.
pub(crate) struct Storing<'a> {
    pub(crate) writer: &'a mut Writer,
    pub(crate) turns: usize,
    pub(crate) files: usize,
    /// Models whose documents come with the turns.
    pub(crate) models: Vec<ModelRow>,
    /// Texts whose vectors came with the turns.
    pub(crate) embedded: usize,
    pub(crate) commits: CommitSchedule,
    /// Sessions with a prompt that asks to leave them out, which are not yet recorded.
    pub(crate) marked: Vec<MarkedSession>,
    /// The exclusions, marked sessions that are recorded included.
    pub(crate) exclusions: Cow<'a, Exclusions>,
    /// The times of the turns so far.
    pub(crate) times: Option<RangeInclusive<i64>>,
}

/// How far the reading of one file has got.
struct FileProgress {
    file: FileId,
    /// It is read from its beginning, and its past forgotten.
    anew: bool,
    /// The session opened last.
    session: Option<SessionId>,
    /// The cursor of the last checkpoint.
    cursor: Option<String>,
    warnings: Vec<Warning>,
    /// How many of the warnings came before the last checkpoint.
    settled: usize,
}

impl<'a> Storing<'a> {
    pub(crate) fn new(
        writer: &'a mut Writer,
        models: Vec<ModelRow>,
        exclusions: &'a Exclusions,
    ) -> Self {
        Self {
            writer,
            turns: 0,
            files: 0,
            models,
            embedded: 0,
            commits: CommitSchedule::begin(),
            marked: Vec::new(),
            exclusions: Cow::Borrowed(exclusions),
            times: None,
        }
    }

    /// Stores one file's events until its reader is done or stopped.
    pub(crate) fn file(&mut self, change: &Change, events: &EventReceiver) -> Result<()> {
        let mut reading = None;
        let end = events.find_map(|event| self.event(change, &mut reading, event).transpose());
        match (end, reading) {
            (Some(end), _) => end,
            (None, None) => Ok(()), // never begun: time is up
            (None, Some(reading)) => {
                self.writer.abandon_replacement();
                // What came after the last checkpoint comes again.
                let mut settled = reading.warnings.iter().take(reading.settled);
                Ok(
                    settled
                        .try_for_each(|warning| self.writer.record_problem(&problem(warning)))?,
                )
            }
        }
    }

    /// Stores an event; returns something for a file's last.
    fn event(
        &mut self,
        change: &Change,
        reading: &mut Option<FileProgress>,
        event: &mut Event,
    ) -> Result<Option<()>> {
        let reading = match reading {
            Some(reading) => reading,
            none => none.insert(self.open(change)?),
        };
        match event {
            Event::Marked(session) => {
                let source = change.source.name().as_str().to_owned();
                let id = std::mem::take(session);
                self.marked.push(MarkedSession { source, id });
            }
            Event::Done => return self.finish(change, reading).map(Some),
            Event::Warning(warning) => reading.warnings.push((**warning).clone()),
            other => self.store(change, reading, other)?,
        }
        Ok(None)
    }

    fn open(&mut self, change: &Change) -> Result<FileProgress> {
        let path = path_key(&change.location);
        let file = self.writer.upsert_file(&change.source.name(), &path)?;
        self.writer.clear_unreadable(&path)?;
        Ok(FileProgress {
            file,
            anew: false,
            session: None,
            cursor: None,
            warnings: Vec::new(),
            settled: 0,
        })
    }

    /// Forgets the file's past when it is read from its beginning. Not before
    /// something was read: a locked file has not lost its sessions.
    fn begin(&mut self, change: &Change, reading: &mut FileProgress, event: &Event) -> Result<()> {
        if !reading.anew && is_anew(change, event) {
            let path = path_key(&change.location);
            self.writer.begin_full_read(reading.file, &path)?;
            reading.anew = true;
        }
        Ok(())
    }

    /// Ends a file. One that gave nothing but warnings has not been read: what
    /// is wrong with it holds only until the next try, as does what each read tries again.
    fn finish(&mut self, change: &Change, reading: &FileProgress) -> Result<()> {
        let nothing_read = reading.session.is_none()
            && (reading.cursor.is_none() || reading.cursor == change.cursor);
        for warning in &reading.warnings {
            match nothing_read || warning.is_tried_again {
                true => self.writer.record_unreadable(&problem(warning))?,
                false => self.writer.record_problem(&problem(warning))?,
            }
        }
        if !self.exclusions.is_empty() {
            self.writer.clear_forgotten_branches(reading.file)?;
        }
        // A session that is excluded is kept where nothing else holds what its history lost.
        if reading.session.is_none() && is_cut_off(change) {
            let size = change.location.stamp.size;
            self.writer.mark_turns_as_lost(reading.file, size)?;
        }
        self.writer.set_unfinished(false);
        if let Some(cursor) = &reading.cursor {
            self.writer
                .checkpoint(reading.file, cursor, change.location.stamp)?;
        }
        self.files += 1;
        self.commit_if_due()
    }

    fn checkpoint(
        &mut self,
        change: &Change,
        reading: &mut FileProgress,
        at: String,
    ) -> Result<()> {
        // A file of several sessions has its checkpoints between them.
        let is_within = change.location.located.session.is_some();
        self.writer.set_unfinished(is_within);
        // Not the stamp: until the end is reached the file counts as changed.
        self.writer
            .checkpoint(reading.file, &at, FileStamp::default())?;
        reading.cursor = Some(at);
        reading.settled = reading.warnings.len();
        self.commit_if_due()
    }

    fn store(
        &mut self,
        change: &Change,
        reading: &mut FileProgress,
        event: &mut Event,
    ) -> Result<()> {
        self.begin(change, reading, event)?;
        let writer = &mut *self.writer;
        match event {
            Event::Session { meta, fresh } => {
                let source = change.source.name();
                let unwanted = writer.is_superseded(reading.file, &source, meta)?;
                reading.session = match unwanted {
                    true => None,
                    false => Some(writer.open_session(reading.file, &source, meta, *fresh)?),
                };
                if let Some(most) = kept_rest(change) {
                    writer.keep_rest(most);
                }
            }
            Event::Turn(turn) => {
                if let Some(session) = reading.session {
                    writer.add_prepared_turn(session, turn)?;
                    self.turns += 1;
                    self.note_time(turn.started_ms());
                }
            }
            Event::Documents { model, documents } => {
                if let (Some(session), Some(model)) = (reading.session, self.models.get(*model)) {
                    let texts = documents.documents.len();
                    let is_stored = writer.store_new_documents(model, session, documents)?;
                    self.embedded += if is_stored { texts } else { 0 };
                }
            }
            Event::BrokeOff => writer.keep_rest(u32::MAX),
            Event::Gone(uid) => writer.mark_session_gone(reading.file, uid)?,
            Event::Title { message, title } => writer.store_external_title(message, title)?,
            Event::Checkpoint(at) => self.checkpoint(change, reading, std::mem::take(&mut at.0))?,
            Event::Failed(error) => return error.take().map_or(Ok(()), |error| Err(error.into())),
            Event::Marked(_) | Event::Warning(_) | Event::Done => {}
        }
        Ok(())
    }

    fn note_time(&mut self, ms: Option<i64>) {
        let Some(ms) = ms else { return };
        self.times = Some(match self.times.take() {
            Some(times) => ms.min(*times.start())..=ms.max(*times.end()),
            None => ms..=ms,
        });
    }

    fn commit_if_due(&mut self) -> Result<()> {
        if self.commits.is_due() {
            self.record_marks()?;
            self.writer.commit()?;
        }
        Ok(())
    }

    /// Records the marked sessions, before a commit: the cursors that it stores have passed their marks, which are not
    /// read again.
    pub(crate) fn record_marks(&mut self) -> Result<()> {
        if !self.marked.is_empty() {
            let exclusions = self.exclusions.with_sessions(&self.marked)?;
            self.exclusions = Cow::Owned(exclusions);
            self.marked.clear();
        }
        Ok(())
    }
}

/// Returns the most turns that may come of a session whose other turns are kept, should it be read from its beginning;
/// `None` where they go. A file of lines that holds one session and has not grown lost them: it was cut off, is
/// damaged, or an older copy. One without any turn is damaged, whatever its size. A document is written anew by its
/// agent where a turn is taken back.
fn kept_rest(change: &Change) -> Option<u32> {
    change.location.located.session.as_ref()?;
    if !is_of_lines(&change.location.path) {
        return None;
    }
    let has_grown = change.location.stamp.size > change.known_size;
    Some(if has_grown { 0 } else { u32::MAX })
}

/// True for a file of lines that holds one session and is shorter than it was.
fn is_cut_off(change: &Change) -> bool {
    let location = &change.location;
    location.located.session.is_some()
        && is_of_lines(&location.path)
        && location.stamp.size < change.known_size
}

/// True for a file to which lines are appended, packed or not.
fn is_of_lines(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.trim_end_matches(".zst").ends_with(".jsonl")
}

/// True when a file is read from its beginning: there is no cursor, or it holds
/// one session and the reader found that its cursor is of another content.
fn is_anew(change: &Change, event: &Event) -> bool {
    let replaced = matches!(event, Event::Session { fresh: true, .. });
    change.cursor.as_ref().is_none_or(String::is_empty)
        || (replaced && change.location.located.session.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use session_core::SourceName;
    use session_forget::{ExcludeSettings, ForgottenRecords};
    use session_store::Reader;

    #[test]
    fn nothing_is_committed_before_marks_are_recorded() {
        let directory = tempfile::tempdir().unwrap();
        let records = directory.path().join("forgotten.json");
        let exclusions = ForgottenRecords::open(&records).unwrap();
        let exclusions = Exclusions::new(exclusions, &ExcludeSettings::default()).unwrap();
        let root = directory.path().join("index");
        let mut writer = Writer::open(&root).unwrap();
        let source = SourceName::new("claude");
        writer.upsert_file(&source, "/h/a.jsonl").unwrap();
        let mut storing = Storing::new(&mut writer, Vec::new(), &exclusions);
        storing.commits = CommitSchedule::begin_due();
        storing.marked.push(MarkedSession {
            source: "claude".to_owned(),
            id: "a".to_owned(),
        });
        let committed = || Reader::open(&root).unwrap().files().unwrap().len();
        let obstacle = records.with_extension("lock");
        fs_err::create_dir(&obstacle).unwrap();
        storing.commit_if_due().unwrap_err();
        assert_eq!(committed(), 0);
        fs_err::remove_dir(&obstacle).unwrap();
        storing.commits = CommitSchedule::begin_due();
        storing.commit_if_due().unwrap();
        assert_eq!(committed(), 1);
        let entries = ForgottenRecords::open(&records).unwrap();
        assert_eq!(entries.entries().len(), 1);
    }
}
